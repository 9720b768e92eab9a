"""Analyses of how well models predict a league: computed at once for small leagues, queued as jobs for large ones.

The jobs themselves run in `worker.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import time
from typing import Any

from sqlalchemy import Connection

from ...errors import Error
from ...store import jobs
from ...store.cache import LruCache
from ...store.db.database import Database
from ...store.errors import WriteClash
from ...store.jobs import Analysis
from ...store.leagues import League
from ...store.read.trace_cache import TraceCache
from .worker import Worker, league_figures

SMALL = 20_000  # in leagues with at most this many matches, figures are computed during the request
MAX_AGE = 600.0  # seconds before the figures of a large league are recomputed
CACHE_BYTES = 50_000_000

Plain = dict[str, Any]


@dataclass(frozen=True)
class AnalysisResult:
    """The data of an analysis (None if not available yet), and its last background job, if there was one.

    >>> AnalysisResult(None, None).data is None
    True
    """

    data: Plain | None
    last: Analysis | None
    why: str = ""  # why the data are missing, or why the last job failed


class ModelAnalyses:
    """Returns cached or newly computed analyses of leagues, and queues jobs; `close` stops the worker."""

    def __init__(self, database: Database, traces: TraceCache) -> None:
        self._database, self._traces = database, traces
        self._cache: LruCache[tuple[Any, AnalysisResult]] = LruCache(CACHE_BYTES)
        self._worker = Worker(database)
        self.close = self._worker.close

    def figures(self, connection: Connection, league: League) -> AnalysisResult:
        """Return figures on how well a league's model predicts.

        For a large league, return the last figures that were computed.
        """
        if league.posted <= SMALL:
            key, state = ("figures", league.id), (league.generation, league.revision)
            with self._cache.lock(key):
                return self._cached(key, state, lambda: self._compute_figures(connection, league))
        done, last = jobs.latest(connection, league, "figures")
        if _is_outdated(league, done, last):
            self._worker.request_figures(league.name)
        return self._result(connection, done, last)

    def comparison(self, connection: Connection, league: League) -> AnalysisResult:
        """Return the last comparison of models on a league."""
        return self._result(connection, *jobs.latest(connection, league, "comparison"))

    def start(self, league: League, asked: Mapping[str, Any], author: str) -> None:
        """Queue a comparison of models on a league, unless one is already queued or running."""
        with suppress(WriteClash), self._database.writing() as connection:  # another request was faster
            jobs.request(connection, league, "comparison", asked, author)
        self._worker.wake()

    def cancel(self, league: League) -> None:
        """Cancel the comparison of a league."""
        with self._database.writing() as connection:
            jobs.cancel(connection, league, "comparison")

    def _compute_figures(self, connection: Connection, league: League) -> AnalysisResult:
        view = self._traces.of(connection, league).view
        if not len(view):
            return AnalysisResult(None, None, "There are no matches yet.")
        try:
            return AnalysisResult(league_figures(league, view), None)
        except Error as error:
            return AnalysisResult(None, None, f"The forecasts cannot be measured: {error}.")

    def _result(self, connection: Connection, done: Analysis | None, last: Analysis | None) -> AnalysisResult:
        """Return the result of the last finished job, and the latest job, which may still be running."""
        why = last.why or "" if last is not None else ""
        if done is None:
            return AnalysisResult(None, last, why)

        def load() -> AnalysisResult:
            text = jobs.answer(connection, done.id)
            return AnalysisResult(json.loads(text) | {"id": done.id} if text else None, done)

        key = ("answer", done.league_id, done.kind)
        return AnalysisResult(self._cached(key, done.id, load).data, last, why)

    def _cached(self, key: Any, version: Any, load: Callable[[], AnalysisResult]) -> AnalysisResult:
        entry = self._cache.get(key)
        if entry is None or entry[0] != version:
            entry = version, load()
            data = entry[1].data
            self._cache.put(key, entry, 1_000 if data is None else 5 * len(json.dumps(data, default=str)))
        return entry[1]


def _is_outdated(league: League, done: Analysis | None, last: Analysis | None) -> bool:
    """Return whether the figures of a large league should be recomputed."""
    if last is None or last.state == "interrupted":
        return True
    if last.open or (done is not None and done.revision == league.revision):
        return False
    model_changed = done is last and done.generation != league.generation
    return model_changed or time() - (last.ended_at or last.asked_at) > MAX_AGE

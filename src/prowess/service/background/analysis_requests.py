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
from ...store import choices, jobs
from ...store.cache import LruCache
from ...store.db.database import Database
from ...store.errors import Unavailable, WriteClash
from ...store.jobs import Analysis
from ...store.leagues import League, Preset
from ...store.read.changes import rank_changes
from ...store.read.trace_cache import TraceCache
from ...store.write.commands import ChangeModel
from ...store.write.corrections import plan
from .worker import Submit, Worker, league_figures

SMALL = 20_000  # in leagues with at most this many matches, figures are computed during the request
MAX_AGE = 600.0  # seconds before the figures of a large league are recomputed
CACHE_BYTES = 50_000_000

Plain = dict[str, Any]


@dataclass(frozen=True)
class AnalysisResult:
    """The data of an analysis (None if not available), and its last background job, if there was one.

    `why` says why the data are missing, or why the last job failed; it is empty if there is nothing to explain.

    >>> AnalysisResult(None, None).data is None
    True
    """

    data: Plain | None
    last: Analysis | None
    why: str = ""


class ModelAnalyses:
    """Returns cached or newly computed analyses of leagues, and queues jobs; `close` stops the worker."""

    def __init__(self, database: Database, traces: TraceCache, submit: Submit, searching: bool = True) -> None:
        self._database, self._traces = database, traces
        self._cache: LruCache[tuple[Any, AnalysisResult]] = LruCache(CACHE_BYTES)
        self._worker = Worker(database, submit, searching)
        self.close = self._worker.close

    def figures(self, connection: Connection, league: League) -> AnalysisResult:
        """Return figures on how well a league's model predicts.

        For a large league, return the last figures that were computed; if they are outdated, new ones are queued.
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

    def choice(self, connection: Connection, league: League) -> AnalysisResult:
        """Return the last automatic choice of a model for a league."""
        return self._result(connection, *jobs.latest(connection, league, "choice"))

    def rank_changes(self, connection: Connection, league: League, preset: Preset) -> AnalysisResult:
        """Return how another model would change the ranks; no data for a large league.

        If the model cannot rate a match of the league, `why` has the reason.
        """
        if league.posted > SMALL:
            return AnalysisResult(None, None)
        key = ("changes", *league.cache_key)
        state = (league.generation, league.revision, league.settings, preset.to_json())
        with self._cache.lock(key):
            return self._cached(key, state, lambda: _compute_changes(connection, league, preset))

    def start_search(self, league: League, author: str) -> None:
        """Queue the search for a better model, unless one is already queued or running."""
        with suppress(WriteClash), self._database.writing() as connection:  # another request has just queued it
            choices.request(connection, league.id, author)
        self._worker.wake()

    def start(self, league: League, asked: Mapping[str, Any], author: str) -> None:
        """Queue a comparison of models on a league, unless one is already queued or running."""
        with suppress(WriteClash), self._database.writing() as connection:  # another request has just queued it
            jobs.request(connection, league, "comparison", asked, author)
        self._worker.wake()

    def cancel(self, league: League) -> None:
        """Cancel the comparison of models on a league."""
        with self._database.writing() as connection:
            jobs.cancel(connection, league, "comparison")

    def _compute_figures(self, connection: Connection, league: League) -> AnalysisResult:
        view = self._traces.of(connection, league).view
        if not len(view):
            return AnalysisResult(None, None, "There are no matches yet.")
        try:
            return AnalysisResult(league_figures(league, view), None)
        except Error as error:
            return AnalysisResult(None, None, f"The quality of the predictions cannot be measured: {error}.")

    def _result(self, connection: Connection, done: Analysis | None, last: Analysis | None) -> AnalysisResult:
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


def _compute_changes(connection: Connection, league: League, preset: Preset) -> AnalysisResult:
    try:
        result = plan(connection, ChangeModel(league.name, preset)).result
    except Unavailable:
        raise
    except Error as error:
        return AnalysisResult(None, None, str(error))
    if result.before is None or result.after is None:
        return AnalysisResult(None, None)
    return AnalysisResult(vars(rank_changes(result.before, result.after, settings=league.settings)), None)


def _is_outdated(league: League, done: Analysis | None, last: Analysis | None) -> bool:
    if last is None or last.state == "interrupted":
        return True
    if last.open or (done is not None and done.revision == league.revision):
        return False
    model_changed = done is last and done.generation != league.generation
    return model_changed or time() - (last.ended_at or last.asked_at) > MAX_AGE

"""Who knows how well models predict a league: small leagues are looked at at once, large ones in the background."""

from __future__ import annotations

import json
from collections.abc import Mapping
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

SMALL = 20_000  # matches of a league whose figures are made when somebody asks
AGE = 600.0  # seconds that figures of a large league may be old before they are made anew
MEMORY = 50_000_000  # bytes of answers that are kept

Plain = dict[str, Any]


@dataclass(frozen=True)
class AnalysisResult:
    """An answer, if there is one yet, and what was asked for last, where it is made in the background.

    >>> AnalysisResult(None, None).data is None
    True
    """

    data: Plain | None
    last: Analysis | None
    why: str = ""  # there is no answer


class ModelAnalyses:
    """Answers of how well models predict, kept by what they are of; `close` ends what is in the background."""

    def __init__(self, database: Database, traces: TraceCache) -> None:
        self._database, self._traces = database, traces
        self._shelf: LruCache[tuple[Any, AnalysisResult]] = LruCache(MEMORY)
        self._background = Worker(database)
        self.close = self._background.close

    def figures(self, connection: Connection, league: League) -> AnalysisResult:
        """How well the model of a league predicts; of a large league as of when that was last looked at."""
        if not league.posted:
            return AnalysisResult(None, None, "There are no matches yet.")
        if league.posted <= SMALL:
            return self._at_once(connection, league)
        done, last = jobs.latest(connection, league, "figures")
        if _due(league, done, last):
            self._background.request_figures(league.name)
        return AnalysisResult(self._answer(connection, done), last, (last.why or "") if last is not None else "")

    def comparison(self, connection: Connection, league: League) -> AnalysisResult:
        """The last comparison of models of a league."""
        done, last = jobs.latest(connection, league, "comparison")
        return AnalysisResult(self._answer(connection, done), last, (last.why or "") if last is not None else "")

    def start(self, league: League, asked: Mapping[str, Any], author: str) -> None:
        """Have models compared on a league, unless some are being compared."""
        with suppress(WriteClash), self._database.writing() as connection:  # somebody else has just asked
            jobs.request(connection, league, "comparison", asked, author)
        self._background.look()

    def cancel(self, league: League) -> None:
        """Call off the comparison of a league."""
        with self._database.writing() as connection:
            jobs.cancel(connection, league, "comparison")

    def _at_once(self, connection: Connection, league: League) -> AnalysisResult:
        key, state = ("figures", league.id), (league.generation, league.revision)
        with self._shelf.lock(key):
            kept = self._shelf.get(key)
            if kept is None or kept[0] != state:
                kept = state, _figures(league, self._traces, connection)
                self._shelf.put(key, kept, _size(kept[1].data))
        return kept[1]

    def _answer(self, connection: Connection, done: Analysis | None) -> Plain | None:
        if done is None:
            return None
        key = ("answer", done.league_id, done.kind)
        kept = self._shelf.get(key)
        if kept is None or kept[0] != done.id:
            text = jobs.answer(connection, done.id)
            kept = done.id, AnalysisResult(json.loads(text) | {"id": done.id} if text else None, done)
            self._shelf.put(key, kept, _size(kept[1].data))
        return kept[1].data


def _figures(league: League, traces: TraceCache, connection: Connection) -> AnalysisResult:
    """The figures of a league from what is in memory of it."""
    view = traces.of(connection, league).view
    if not len(view):
        return AnalysisResult(None, None, "There are no matches yet.")
    try:
        return AnalysisResult(league_figures(league, view), None)
    except Error as error:
        return AnalysisResult(None, None, f"Its forecasts cannot be measured: {error}.")


def _due(league: League, done: Analysis | None, last: Analysis | None) -> bool:
    """Whether the figures of a large league are to be made anew."""
    if last is None or last.state == "interrupted":
        return True
    if last.open or (done is not None and done.revision == league.revision):
        return False
    another = done is last and done.generation != league.generation
    return another or time() - (last.ended_at or last.asked_at) > AGE


def _size(told: Plain | None) -> int:
    return 1_000 if told is None else 5 * len(json.dumps(told, default=str))

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
from .figures import figured
from .worker import Background

__all__ = ["SMALL", "Analyst", "Found"]

SMALL = 20_000  # matches of a league whose figures are made when somebody asks
AGE = 600.0  # seconds that figures of a large league may be old before they are made anew
MEMORY = 50_000_000  # bytes of answers that are kept

Plain = dict[str, Any]


@dataclass(frozen=True)
class Found:
    """An answer, if there is one yet, and what was asked for last, where it is made in the background.

    >>> Found(None, None).told is None
    True
    """

    told: Plain | None
    last: Analysis | None
    why: str = ""  # there is no answer


class Analyst:
    """Answers of how well models predict, kept by what they are of; `close` ends what is in the background."""

    def __init__(self, database: Database, traces: TraceCache) -> None:
        self._database, self._traces = database, traces
        self._shelf: LruCache[tuple[Any, Found]] = LruCache(MEMORY)
        self._background = Background(database)
        self.close = self._background.close

    def figures(self, connection: Connection, league: League) -> Found:
        """How well the model of a league predicts; of a large league as of when that was last looked at."""
        if not league.posted:
            return Found(None, None, "There are no matches yet.")
        if league.posted <= SMALL:
            return self._at_once(connection, league)
        done, last = jobs.latest(connection, league, "figures")
        if _due(league, done, last):
            self._background.want_figures(league.name)
        return Found(self._answer(connection, done), last, (last.why or "") if last is not None else "")

    def comparison(self, connection: Connection, league: League) -> Found:
        """The last comparison of models of a league."""
        done, last = jobs.latest(connection, league, "comparison")
        return Found(self._answer(connection, done), last, (last.why or "") if last is not None else "")

    def start(self, league: League, asked: Mapping[str, Any], author: str) -> None:
        """Have models compared on a league, unless some are being compared."""
        with suppress(WriteClash), self._database.writing() as connection:  # somebody else has just asked
            jobs.request(connection, league, "comparison", asked, author)
        self._background.look()

    def cancel(self, league: League) -> None:
        """Call off the comparison of a league."""
        with self._database.writing() as connection:
            jobs.cancel(connection, league, "comparison")

    def _at_once(self, connection: Connection, league: League) -> Found:
        key, state = ("figures", league.id), (league.generation, league.revision)
        with self._shelf.lock(key):
            kept = self._shelf.get(key)
            if kept is None or kept[0] != state:
                kept = state, _figures(league, self._traces, connection)
                self._shelf.put(key, kept, _size(kept[1].told))
        return kept[1]

    def _answer(self, connection: Connection, done: Analysis | None) -> Plain | None:
        if done is None:
            return None
        key = ("answer", done.league_id, done.kind)
        kept = self._shelf.get(key)
        if kept is None or kept[0] != done.id:
            text = jobs.answer(connection, done.id)
            kept = done.id, Found(json.loads(text) | {"id": done.id} if text else None, done)
            self._shelf.put(key, kept, _size(kept[1].told))
        return kept[1].told


def _figures(league: League, traces: TraceCache, connection: Connection) -> Found:
    """The figures of a league from what is in memory of it."""
    view = traces.of(connection, league).view
    if not len(view):
        return Found(None, None, "There are no matches yet.")
    try:
        return Found(figured(league, view), None)
    except Error as error:
        return Found(None, None, f"Its forecasts cannot be measured: {error}.")


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

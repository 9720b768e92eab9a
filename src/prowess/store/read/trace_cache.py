"""The traces of leagues in memory: they follow the journal, and are evicted when they take too much memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from ...history import History
from .. import clock, seasons
from ..cache import LruCache
from ..journal import journal
from ..journal.journal import Entry, JournalRows
from ..leagues import League
from ..seasons import Season
from ..write.commands import Appended
from ..write.posts import PendingTraces
from .match_views import MatchViews
from .trace import LeagueTrace, TraceView

MEMORY = 1_500_000_000  # bytes


class CachedTrace(NamedTuple):
    """A trace, its view, and the generation of the model that rated it."""

    trace: LeagueTrace
    view: TraceView
    generation: int


class TraceCache:
    """The traces of those leagues that a process was asked for.

    New matches at the end are appended: those that this process has written as the writer has rated them, others from
    the journal. After a correction, a season or another model in the past, what came after is rated again from a
    ladder that was kept before it. Views are of one revision each, and do not change.

    >>> from tempfile import TemporaryDirectory
    >>> from prowess.store.write.commands import Post
    >>> from prowess.store.db.database import Database
    >>> from prowess.store.leagues import create, find
    >>> from prowess.store.write.writer import perform
    >>> with TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/league.db")
    ...     database.migrate()
    ...     with database.writing() as connection:
    ...         _ = create(connection, "darts")
    ...     _ = perform(database, Post("darts", [{"id": "first", "teams": [["ann"], ["bob"]]}]))
    ...     with database.reading() as connection:
    ...         TraceCache().of(connection, find(connection, "darts")).match("first")["players"][0]["why"]
    ...     database.close()
    'ann won against bob, where 50 % was expected: +4.40 to 29.40.'
    """

    def __init__(self, memory: float = MEMORY) -> None:
        self._cache: LruCache[CachedTrace] = LruCache(memory)
        self.pending = PendingTraces()

    @property
    def room(self) -> float:
        """Bytes of memory that are left: prewarming stops before leagues would be evicted."""
        return self._cache.room

    def of(self, connection: Connection, league: League) -> MatchViews:
        """Return views of a league at its revision or a later one; the league was found on the same connection."""
        return MatchViews(league, connection, self._view(connection, league))

    def _view(self, connection: Connection, league: League) -> TraceView:
        cached = self._cache.get(league.id)
        if cached is not None and cached.view.revision >= league.revision:
            return cached.view
        with self._cache.lock(league.id):
            cached = self._cache.get(league.id)
            if cached is not None and cached.view.revision >= league.revision:
                return cached.view
            self._cache.drop(league.id)  # so that nobody finds what is half done, if this should fail
            appended = self.pending.take(league, 0 if cached is None else cached.view.revision)
            trace = _trace_at(connection, league, cached, appended)
            view = replace(trace.view, revision=league.revision)
            self._cache.put(league.id, CachedTrace(trace, view, league.generation), trace.nbytes)
            return view


def _trace_at(
    connection: Connection, league: League, cached: CachedTrace | None, appended: Sequence[Appended] | None
) -> LeagueTrace:
    """Return the trace of a league at its revision: the cached one brought up to date, or a new one."""
    if cached is not None and appended is not None and _is_behind(cached.view, appended):
        for post in appended:
            cached.trace.append_rated(post.trace, post.seq, post.ladder)
        return cached.trace
    begun = seasons.list_seasons(connection, league)
    if cached is not None:
        return _corrected(cached, league, begun, journal.changes_since(connection, league, cached.view.revision))
    trace = LeagueTrace(league.model, clock.STAMPS[league.clock], begun)
    rows = journal.current_rows(connection, league)
    trace.extend(rows.history(league), rows.seq[rows.order])
    return trace


def _is_behind(view: TraceView, appended: Sequence[Appended]) -> bool:
    """Tell whether posts come after all matches of a view, in the order of the league."""
    histories = [view.trace.history, *(post.trace.history for post in appended)]
    bounds = [
        time for history in histories if history.time is not None for time in history.time[[0, -1][: len(history)]]
    ]
    return all(first <= last for first, last in pairwise(bounds))


def _corrected(cached: CachedTrace, league: League, begun: Sequence[Season], entries: Sequence[Entry]) -> LeagueTrace:
    """Return the trace of a league after some matches have changed, with these seasons."""
    trace, view = cached.trace, cached.view
    come = JournalRows.of_entries(entries)
    changed = [entry.seq for entry in entries if entry.seq <= view.seq.max(initial=0)]
    gone = np.flatnonzero(np.isin(view.seq, changed)) if changed else np.zeros(0, np.intp)
    history, seq = come.history(league), come.seq[come.order]
    same_model = cached.generation == league.generation
    first = _first_change(view, begun, gone, come)
    if first < len(view) or not same_model:
        trace = trace.rewound(first) if same_model else LeagueTrace(league.model, trace.stamp)
        history, seq = _merge(view, len(trace), gone, history, seq)
    trace.seasons = tuple(begun)
    trace.extend(history, seq)
    return trace


def _first_change(view: TraceView, begun: Sequence[Season], gone: NDArray[np.intp], come: JournalRows) -> int:
    """Return after how many matches something differs from a view."""
    differing = set(begun) ^ set(view.seasons)
    places: list[int] = [len(view), *gone[:1].tolist(), *(view.between(one.start, one.start)[0] for one in differing)]
    if len(come.seq):
        earliest = come.order[0]
        places.append(view.count_until(float(come.time[earliest]), int(come.seq[earliest])))
    return min(places)


def _merge(
    view: TraceView, first: int, gone: NDArray[np.intp], history: History, seq: NDArray[np.int64]
) -> tuple[History, NDArray[np.int64]]:
    """Return the matches of a view from one on, without some and with others, in the order of the league."""
    left = np.setdiff1d(np.arange(first, len(view)), gone, assume_unique=True)
    seqs = np.concatenate([view.seq[left], seq])
    parts = [view.trace.history.take(left), replace(history, ids=None)]
    joined = History.join(parts, once=False)
    if joined.time is None:
        order = np.argsort(seqs)
        return joined.take(order), seqs[order]
    times = np.concatenate([part.time for part in parts if part.time is not None])
    seqs = seqs[np.argsort(times, kind="stable")]
    order = np.lexsort((seqs, joined.time))
    return joined.take(order), seqs[order]

"""A cache of league traces. Traces are kept up to date with the journal, and evicted when the cache is full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from ...history import History
from ...history.context.columns import EMPTY
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
    """The traces of the leagues that a process has read.

    New matches are appended to a trace: the writer of this process hands over the matches that it has rated
    (`pending`), and all others are read from the journal. After a correction, a new season or a model change, the later
    matches are rated again, starting from the last ladder saved before the change. Each view shows one revision and is
    immutable.
    """

    def __init__(self, memory: float = MEMORY) -> None:
        self._cache: LruCache[CachedTrace] = LruCache(memory)
        self.pending = PendingTraces()

    @property
    def room(self) -> float:
        """Free space in bytes. Prewarming checks the free space, so that it never evicts a league."""
        return self._cache.room

    def of(self, connection: Connection, league: League) -> MatchViews:
        """Return views of a league at its revision or a later one; `league` must be read on the same connection."""
        cached = self._cache.get(league.cache_key)
        if cached is None or cached.view.revision < league.revision:
            with self._cache.lock(league.id):
                cached = self._update(connection, league)
        return MatchViews(league, connection, cached.view)

    def _update(self, connection: Connection, league: League) -> CachedTrace:
        cached = self._cache.get(league.cache_key)
        # Another thread may have updated the cache in the meantime.
        if cached is None or cached.view.revision < league.revision:
            self._cache.drop(league.cache_key)  # so that nobody gets a partially updated trace
            if league.erased and cached is None:  # free the older trace, which shows the name of an anonymised player
                self._cache.drop_if(lambda key: key[0] == league.id and key[1] < league.erased)
            appended = self.pending.take(league, 0 if cached is None else cached.view.revision)
            trace = _trace_at(connection, league, cached, appended)
            cached = CachedTrace(trace, replace(trace.view, revision=league.revision), league.generation)
            self._cache.put(league.cache_key, cached, trace.nbytes)
        return cached


def _trace_at(
    connection: Connection, league: League, cached: CachedTrace | None, appended: Sequence[Appended] | None
) -> LeagueTrace:
    if cached is not None and appended is not None and _is_behind(cached.view, appended):
        for post in appended:
            cached.trace.append_rated(post.trace, post.seq, post.ladder)
        return cached.trace
    begun = seasons.list_seasons(connection, league)
    if cached is not None:
        return _corrected(cached, league, begun, journal.changes_since(connection, league, cached.view.revision))
    trace = LeagueTrace(league.model, clock.STAMPS[league.clock], begun)
    rows = journal.all_rows(connection, league)
    trace.extend(rows.history(league), rows.seq[rows.order])
    return trace


def _is_behind(view: TraceView, appended: Sequence[Appended]) -> bool:
    # Posts can be appended only if they come after all matches of the view in league order.
    histories = [view.trace.history, *(post.trace.history for post in appended)]
    times = [history.time for history in histories if history.time is not None and len(history)]
    return all(earlier[-1] <= later[0] for earlier, later in pairwise(times))


def _corrected(cached: CachedTrace, league: League, begun: Sequence[Season], entries: Sequence[Entry]) -> LeagueTrace:
    trace, view = cached.trace, cached.view
    added = JournalRows.of_entries(entries)
    changed = [entry.seq for entry in entries if entry.seq <= view.seq.max(initial=0)]
    removed = np.flatnonzero(np.isin(view.seq, changed)) if changed else np.zeros(0, np.intp)
    history, seq = added.history(league), added.seq[added.order]
    same_model = cached.generation == league.generation
    same_ratings = same_model and not league.uses_context and set(begun) == set(view.seasons)
    if same_ratings and _differ_in_context_only(view, removed, seq, history):
        trace.annotate(removed, history)
        return trace
    first = _first_change(view, begun, removed, added)
    if first < len(view) or not same_model:
        trace = trace.rewound(first) if same_model else LeagueTrace(league.model, trace.stamp)
        history, seq = _merge(view, len(trace), removed, history, seq)
    trace.seasons = tuple(begun)
    trace.extend(history, seq)
    return trace


def _differ_in_context_only(
    view: TraceView, removed: NDArray[np.intp], seq: NDArray[np.int64], history: History
) -> bool:
    # If only the context differs, no rating changes, unless the model has facets or statistics.
    if not len(removed) or not np.array_equal(view.seq[removed], seq):
        return False
    plain: dict[str, Any] = {"ids": None, "context": EMPTY, "team_context": EMPTY, "entry_context": EMPTY}
    return replace(view.trace.history.take(removed), **plain) == replace(history, **plain)


def _first_change(view: TraceView, begun: Sequence[Season], removed: NDArray[np.intp], added: JournalRows) -> int:
    """Return the number of matches in a view that come before the first change."""
    changed_seasons = set(begun) ^ set(view.seasons)
    places: list[int] = [len(view), *removed[:1].tolist()]
    places += [view.between(season.start, season.start)[0] for season in changed_seasons]
    if len(added.seq):
        earliest = added.order[0]
        places.append(view.count_until(float(added.time[earliest]), int(added.seq[earliest])))
    return min(places)


def _merge(
    view: TraceView, first: int, removed: NDArray[np.intp], history: History, seq: NDArray[np.int64]
) -> tuple[History, NDArray[np.int64]]:
    """Remove and add matches; return those from index `first` of the view on and their numbers, in league order."""
    kept = np.setdiff1d(np.arange(first, len(view)), removed, assume_unique=True)
    seqs = np.concatenate([view.seq[kept], seq])
    parts = [view.trace.history.take(kept), replace(history, ids=None)]
    joined = History.join(parts, once=False)
    if joined.time is None:
        order = np.argsort(seqs)
        return joined.take(order), seqs[order]
    times = np.concatenate([part.time for part in parts if part.time is not None])
    seqs = seqs[np.argsort(times, kind="stable")]
    order = np.lexsort((seqs, joined.time))
    return joined.take(order), seqs[order]

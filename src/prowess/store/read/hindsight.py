"""A league in hindsight: what all its matches, earlier and later ones, say about every player at every time.

It is a view that is computed from the journal and is never stored. After posts and corrections, only what they change
is computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from ...history import History
from ...model.components.drift import Seasons, Still
from ...model.engine.breaks import Breaks
from ...model.hindsight.hindsight import Hindsight, fit_league
from ...model.hindsight.revision import NEW
from ...model.ladder.ladder import usual_tau
from ...model.model import Model
from .. import clock, seasons
from ..cache import LruCache
from ..facets import with_own_levels
from ..journal import journal
from ..leagues import League
from ..seasons import Season
from .match_views import MatchViews
from .snapshot import Snapshot
from .trace import TraceView

# After changes of this share of all matches, and of at least so many, the matches are swept again.
SWEPT_SHARE, SWEPT_LEAST = 0.01, 100
DAYS_BYTES = 20_000_000  # bytes of standings that a hindsight keeps

Seqs = NDArray[np.int64]
Plain = dict[str, Any]
Report = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class LeagueHindsight:
    """A league in hindsight, at the revision of `view`; immutable."""

    view: TraceView
    key: tuple[int, int]  # the cache key of the league
    generation: int
    hindsight: Hindsight
    revised: int = 0
    _days: LruCache[Snapshot] = field(default_factory=lambda: LruCache(DAYS_BYTES))
    _best: dict[str, list[Plain]] = field(default_factory=dict)  # by ranking

    @property
    def revision(self) -> int:
        """The revision of the league that it shows."""
        return self.view.revision

    @property
    def fitted(self) -> FittedJournal:
        """The fit, from which the hindsight of a later view is made."""
        about = self.key, self.generation, self.revision
        return FittedJournal(*about, self.view.seq, self.view.seasons, self.hindsight, self.revised)

    @property
    def nbytes(self) -> int:
        """Approximate size in bytes, without the columns that the trace of the league has, too."""
        history, traits = self.view.trace.history, len(self.hindsight.model.outcome.traits)
        return history.entries * (64 * traits + 48) + 60 * len(history) + 500 * len(history.players)

    def best(self, ranking: str = "conservative") -> list[Plain]:
        """Return all players at their best, the best of all time first.

        A row has rank, player, mu, sigma, shown, the number of matches, the number of the match (from 1 on), the means
        of the traits if there are several, and the time of the match; in a ranking by the mean, also `provisional`.
        """
        if ranking not in self._best:
            self._best[ranking] = self._find_best(ranking)
        return self._best[ranking]

    def _find_best(self, ranking: str) -> list[Plain]:
        frame, times = self.hindsight.best(ranking=ranking), self.view.trace.history.time
        rows: list[Plain] = frame.drop("time", strict=False).to_dicts()
        kind = clock.clock_of(self.view.trace.history)
        for row in rows:
            row["time"] = None if times is None else clock.show(kind, float(times[row["match"]]))
            row["match"] += 1
        return rows

    def best_with(self, min_matches: int, ranking: str = "conservative") -> list[Plain]:
        """Return the players with at least so many matches at their best, ranked among each other."""
        rows = [row for row in self.best(ranking) if row["matches"] >= min_matches]
        first = {row["rank"]: number for number, row in reversed([*enumerate(rows, start=1)])}
        return [row | {"rank": first[row["rank"]]} for row in rows]

    def standing_at(self, league: League, time: float | None = None, since: float | None = None) -> Snapshot:
        """Return the standings at a time, of the players between their first and their last match.

        If the time is the end of a day, `since` is its beginning (see `Hindsight.standing_at`). Without a time, the
        standings have all players at their last matches.
        """
        key = time, since
        snapshot = self._days.get(key)
        if snapshot is None or snapshot.settings != league.settings:
            ladder = self.hindsight.ladder if time is None else self.hindsight.standing_at(time, since=since)
            snapshot = Snapshot.of(league, ladder, self.revision)
            self._days.put(key, snapshot, snapshot.nbytes)
        return snapshot

    def views(self, matches: MatchViews) -> MatchViews:
        """Return views of the matches at the revision of the hindsight."""
        return replace(matches, view=self.view)

    def curve(self, matches: MatchViews, player: str, most: int = 500) -> list[Plain]:
        """Return a player's ratings at each match, reduced to at most `most` points; none without a match by then."""
        if not len(self.view.entries(player)):
            return []
        return self.views(matches).curve(player, most, self.hindsight.beliefs_at)


@dataclass(frozen=True, eq=False)
class FittedJournal:
    """A fit of a league's matches at a revision, which can be sent to another process.

    `seq` has the numbers of the matches, in league order. `revised` is how many matches were posted or corrected since
    all matches were last swept.
    """

    key: tuple[int, int]  # the cache key of the league
    generation: int
    revision: int
    seq: Seqs
    seasons: tuple[Season, ...]
    hindsight: Hindsight
    revised: int = 0

    def leads_to(self, league: League, view: TraceView) -> bool:
        """Return whether the fit can be updated to a view.

        It cannot after a new season, a change of the model, or if a player was anonymised: it still has the name.
        """
        same = self.key == league.cache_key and self.generation == league.generation
        return same and set(self.seasons) == set(view.seasons)

    def updated(self, view: TraceView, changed: Sequence[int]) -> LeagueHindsight:
        """Return the hindsight of a view at the same revision or a later one.

        `changed` has at least the numbers of all matches that were posted, edited or deleted in between.
        """
        if view.revision == self.revision:
            return LeagueHindsight(view, self.key, self.generation, self.hindsight, self.revised)
        source = np.full(len(view), NEW)
        _, here, there = np.intersect1d(view.seq, self.seq, assume_unique=True, return_indices=True)
        source[here] = there
        source[np.isin(view.seq, changed)] = NEW
        hindsight = self.hindsight.with_history(_history(self.hindsight.model, view), source)
        revised = self.revised + len(changed)
        if revised > max(SWEPT_LEAST, SWEPT_SHARE * len(view)):
            # Each change leaves differences of up to a thousandth of a standard deviation, which may add up.
            hindsight, revised = hindsight.refine(), 0
        return LeagueHindsight(view, self.key, self.generation, hindsight, revised)


def fit(league: League, view: TraceView, report: Report | None = None) -> LeagueHindsight:
    """Fit all matches of a league in this process; `report` is called as by `fit_journal`."""
    breaks = breaks_of(league.model, view.seasons)
    hindsight = fit_league(league.model, _history(league.model, view), breaks, report)
    return LeagueHindsight(view, league.cache_key, league.generation, hindsight)


def fit_journal(connection: Connection, league: League, report: Report | None = None) -> FittedJournal:
    """Fit all matches of a league, as read from the journal.

    `report` is called after every sweep, with the share of the work that is done.
    """
    begun = tuple(seasons.list_seasons(connection, league))
    rows = journal.current_rows(connection, league)
    history = with_own_levels(league.model, rows.history(league))
    hindsight = fit_league(league.model, history, breaks_of(league.model, begun), report)
    return FittedJournal(league.cache_key, league.generation, league.revision, rows.seq[rows.order], begun, hindsight)


def _history(model: Model, view: TraceView) -> History:
    # A trace keeps its column of times even if all matches were deleted, but an empty history has none.
    return with_own_levels(model, view.trace.history if len(view) else History.from_matches([]))


def breaks_of(model: Model, begun: Sequence[Season]) -> Breaks:
    """Return the seasons of a league as breaks in its history.

    >>> import prowess as pw
    >>> breaks_of(pw.TrueSkill(), [Season(2.0, "II", 0.5, 1.0)]).between([1.0], [3.0])
    (array([0.5]), array([1.]))
    """
    if not begun:
        return Breaks()
    pipeline = model.replace(drift=Seasons(Still())).pipeline
    board = pipeline.board(1, 1)
    centre = list(board.centre)
    pipeline.release(board)
    ordered = sorted(begun, key=lambda season: season.start)
    tau = [usual_tau(model, season.carry) if season.tau is None else season.tau for season in ordered]
    return Breaks([season.start for season in ordered], [season.carry for season in ordered], tau, centre)

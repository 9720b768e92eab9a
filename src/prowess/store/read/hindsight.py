"""A league in hindsight: what all its matches, earlier and later ones, say about every player at every time.

It is a view that is computed from the journal and is never stored. After posts and corrections, only what they change
is computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from ...errors import Error
from ...history import History
from ...model.components.drift import Seasons, Still
from ...model.engine.breaks import Breaks
from ...model.hindsight.hindsight import Hindsight, fit_league
from ...model.hindsight.revision import NEW
from ...model.hindsight.support import check_model
from ...model.ladder.ladder import usual_tau
from ...model.model import Model
from .. import clock, seasons
from ..cache import LruCache
from ..facets import with_own_levels
from ..journal import journal
from ..leagues import League
from ..seasons import Season
from .snapshot import Snapshot
from .trace import TraceView

# After changes of this share of all matches, and of at least so many, the matches are swept again.
SWEPT_SHARE, SWEPT_LEAST = 0.01, 100
DAYS_BYTES = 20_000_000  # bytes of standings that a hindsight keeps

Seqs = NDArray[np.int64]
Plain = dict[str, Any]


class FittedJournal(NamedTuple):
    """A fit of a league's journal at a revision; `seq` has the numbers of the matches, in league order."""

    generation: int
    revision: int
    seq: Seqs
    seasons: tuple[Season, ...]
    hindsight: Hindsight


@dataclass(frozen=True, eq=False)
class LeagueHindsight:
    """A league in hindsight, at the revision of `view`; immutable.

    `revised` is how many matches were posted or corrected since all matches were last swept.
    """

    view: TraceView
    generation: int
    hindsight: Hindsight
    revised: int = 0
    _days: LruCache[Snapshot] = field(default_factory=lambda: LruCache(DAYS_BYTES))

    @property
    def revision(self) -> int:
        """The revision of the league that it shows."""
        return self.view.revision

    @property
    def nbytes(self) -> int:
        """Approximate size in bytes, without the columns that the trace of the league has, too."""
        history, traits = self.view.trace.history, len(self.hindsight.model.outcome.traits)
        return history.entries * (64 * traits + 48) + 60 * len(history) + 500 * len(history.players)

    @cached_property
    def best(self) -> list[Plain]:
        """All players at their best, the best of all times first.

        A row has rank, player, mu, sigma, shown, the number of matches, and time and number (from 1 on) of the match.
        """
        frame, times = self.hindsight.best(), self.view.trace.history.time
        rows: list[Plain] = frame.select("rank", "player", "mu", "sigma", "shown", "matches", "match").to_dicts()
        kind = clock.clock_of(self.view.trace.history)
        for row in rows:
            row["time"] = None if times is None else clock.show(kind, float(times[row["match"]]))
            row["match"] += 1
        return rows

    def standing_at(self, league: League, time: float) -> Snapshot:
        """Return the standings at a time, of the players between their first and their last match."""
        with self._days.lock(time):
            snapshot = self._days.get(time)
            if snapshot is None or snapshot.settings != league.settings:
                snapshot = Snapshot.of(league, self.hindsight.standing_at(time), self.revision)
                self._days.put(time, snapshot, snapshot.nbytes)
        return snapshot

    def updated(self, league: League, view: TraceView, changed: Sequence[int]) -> LeagueHindsight:
        """Return the hindsight of a later view.

        `changed` has at least the numbers of all matches that were posted, edited or deleted in between. After a new
        season or a change of the model, all matches are fitted anew.
        """
        if self.generation != league.generation or set(self.view.seasons) != set(view.seasons):
            return fit(league, view)
        hindsight = _revise(self.hindsight, self.view.seq, view, changed)
        revised = self.revised + len(changed)
        if revised > max(SWEPT_LEAST, SWEPT_SHARE * len(view)):
            # Each change leaves differences of up to a thousandth of a standard deviation, which may add up.
            hindsight, revised = hindsight.refine(), 0
        return LeagueHindsight(view, self.generation, hindsight, revised)


def why_not(model: Model) -> str:
    """Return why a model has no hindsight, and what to use instead; an empty text if it has one.

    >>> import prowess as pw
    >>> why_not(pw.TrueSkill())
    ''
    """
    try:
        check_model(model)
    except Error as error:
        return str(error)
    return ""


def fit(league: League, view: TraceView) -> LeagueHindsight:
    """Fit all matches of a league in this process."""
    hindsight = fit_league(league.model, _history(league.model, view), breaks_of(league.model, view.seasons))
    return LeagueHindsight(view, league.generation, hindsight)


def fit_journal(connection: Connection, league: League, report: Callable[[float], None] | None = None) -> FittedJournal:
    """Fit all matches of a league, as read from the journal; the result can be sent to another process.

    `report` is called after every sweep, with the share of the work that is done.
    """
    begun = tuple(seasons.list_seasons(connection, league))
    rows = journal.current_rows(connection, league)
    history = with_own_levels(league.model, rows.history(league))
    hindsight = fit_league(league.model, history, breaks_of(league.model, begun), report)
    return FittedJournal(league.generation, league.revision, rows.seq[rows.order], begun, hindsight)


def of_journal(
    league: League, fitted: FittedJournal, view: TraceView, changed: Sequence[int]
) -> LeagueHindsight | None:
    """Return the hindsight of a view from a fit of the journal at the same or at an earlier revision.

    `changed` has at least the numbers of all matches that were changed after that revision. The result is None if there
    is a new season or model since.
    """
    if fitted.generation != league.generation or set(fitted.seasons) != set(view.seasons):
        return None
    if fitted.revision == view.revision:
        return LeagueHindsight(view, fitted.generation, fitted.hindsight)
    return LeagueHindsight(view, fitted.generation, _revise(fitted.hindsight, fitted.seq, view, changed))


def _revise(hindsight: Hindsight, seq: Seqs, view: TraceView, changed: Sequence[int]) -> Hindsight:
    """Return the hindsight of a view; `hindsight` is that of the matches numbered in `seq`."""
    source = np.full(len(view), NEW)
    _, here, there = np.intersect1d(view.seq, seq, assume_unique=True, return_indices=True)
    source[here] = there
    source[np.isin(view.seq, changed)] = NEW
    return hindsight.with_history(_history(hindsight.model, view), source)


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

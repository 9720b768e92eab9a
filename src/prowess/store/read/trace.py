"""The in-memory trace of a league: all matches with ratings before and after, in columns that can grow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...history import History
from ...history.ragged import owners
from ...history.slicing import ABSENT
from ...history.times import Stamp
from ...model.fit.forecasts import Forecasts
from ...model.fit.trace import Trace, trace
from ...model.ladder.ladder import Ladder
from ...model.model import Model
from ..facets import copy_rows, with_own_levels
from ..ratings import learn
from ..seasons import Season, stretches
from .context_table import AppendColumn, ContextTable, ContextView

STEP = 100_000  # matches between two saved ladders
TRACE_COLUMNS = ("mean", "variance", "log_evidence", "scatter", "win", "draw", "before", "after")
OPTIONAL = tuple(ABSENT)  # optional columns of a history
# Columns with one row per team or per entry; all other columns have one row per match.
AXES = dict.fromkeys(("place", "score", "mean", "variance", "match"), "teams")
AXES |= dict.fromkeys(("player", "weight", "before", "after", "shares", "team"), "entries")
TAIL = 65_536  # number of entries at the end that queries may scan before the index is rebuilt
TAIL_SHARE = 32  # in long columns, queries may scan up to 1/32 of the column

Ints = NDArray[np.intp]
Column = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class PlayerIndex:
    """An index of each player's entries in the first part of a column, so that a query need not scan that part.

    The column has the number of each entry's player. The index is immutable. After the column has grown, `extended`
    usually returns the same index, because queries can scan the few appended entries.

    >>> player = np.array([0, 1, 0, 2, 0], np.int32)
    >>> index = PlayerIndex().extended(player[:4])
    >>> index.entries(player, 0), index.entries(player, 3)
    (array([0, 2, 4]), array([], dtype=int64))
    """

    entry: Column = field(default_factory=lambda: np.zeros(0, np.int32))  # sorted by player, then by time
    # Where the entries of each player begin in `entry`.
    start: Ints = field(default_factory=lambda: np.zeros(1, np.intp))

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return self.entry.nbytes + self.start.nbytes

    def extended(self, player: Column) -> PlayerIndex:
        """Return an index for a column that has grown. A new index is built only if many entries have been appended."""
        if len(player) - len(self.entry) <= max(TAIL, len(self.entry) // TAIL_SHARE):
            return self
        order = np.argsort(player.astype(np.uint16), kind="stable")  # NumPy sorts 16-bit integers in linear time
        order = order[np.argsort((player >> 16).astype(np.uint16)[order], kind="stable")]
        return PlayerIndex(order.astype(np.int32), np.concatenate([[0], np.cumsum(np.bincount(player))]))

    def entries(self, player: Column, number: int) -> Ints:
        """Return the entries of player `number` in the column `player`, in chronological order."""
        indexed = len(self.entry)
        start = self.start[number : number + 2] if 0 <= number < len(self.start) - 1 else (0, 0)
        return np.concatenate([self.entry[slice(*start)], indexed + np.flatnonzero(player[indexed:] == number)])


@dataclass(frozen=True, eq=False)
class Stop:
    """A saved ladder, as it was after a number of matches and season starts."""

    matches: int
    seasons: int
    ladder: Ladder


@dataclass(frozen=True, eq=False)
class TraceView:
    """A trace as it was at one revision; immutable."""

    trace: Trace
    seq: NDArray[np.int64]
    number: Mapping[str, int]  # index by player name; may include players who joined after this view
    seasons: tuple[Season, ...]
    stops: tuple[Stop, ...]
    team: Column  # per entry
    match: Column  # per team
    index: PlayerIndex
    revision: int = 0

    def __len__(self) -> int:
        return len(self.seq)

    @cached_property
    def context(self) -> ContextView:
        """The context of the matches, for filters."""
        return ContextView(self.trace.history, self.match, self.team)

    def find(self, time: float, seq: int) -> int | None:
        """Return the index of the match at a position; None if there is none."""
        at = self.count_until(time, seq) - 1
        return at if at >= 0 and self.seq[at] == seq else None

    def count_until(self, time: float, seq: float = np.inf) -> int:
        """Count the matches up to and including a position."""
        first, last = self.between(time, time)
        return first + int(np.searchsorted(self.seq[first:last], seq, side="right"))

    def between(self, since: float, until: float) -> tuple[int, int]:
        """Return the range of the matches from `since` to `until`, including matches at these two times.

        The range is the index of the first match, and the index after the last match.

        In a league without times, the range has all matches.
        """
        times = self.trace.history.time
        if times is None:
            return 0, len(self)
        bounds = np.clip([since, until], -(2.0**62), 2.0**62)
        if times.dtype != bounds.dtype:  # otherwise NumPy would convert all times
            bounds = np.array([np.ceil(bounds[0]), np.floor(bounds[1])]).astype(times.dtype)
        return int(np.searchsorted(times, bounds[0])), int(np.searchsorted(times, bounds[1], side="right"))

    def entries(self, player: str) -> Ints:
        """Return a player's entries in all matches, in chronological order."""
        return self.index.entries(self.trace.history.player, self.number.get(player, -1))

    def places(self, entry: Ints) -> tuple[Ints, Ints]:
        """Return the team and the match of each entry; faster than `Trace.locate` for many entries."""
        team = self.team[entry].astype(np.intp)
        return team, self.match[team].astype(np.intp)

    def ladder_after(self, matches: int, seasons: int) -> Ladder:
        """Return the ladder after a number of matches and season starts."""
        stop = next(stop for stop in reversed(self.stops) if stop.matches <= matches and stop.seasons <= seasons)
        ladder = stop.ladder.copy()
        history = self.trace.history[stop.matches : matches]
        for part, _, season in stretches(history, self.seasons[stop.seasons : seasons]):
            learn(ladder, part)
            if season is not None:
                season.begin(ladder)
        return ladder


class LeagueTrace:
    """All matches of a league with the ratings before and after them, and the forecasts.

    Within a season, the trace equals bit for bit the result of `trace` for the season's matches, started from the
    ladder at the beginning of the season. Only one thread may extend the trace at a time; other threads can use its
    views in the meantime.

    >>> import prowess as pw
    >>> matches = [{"teams": [["ann"], ["bob"]], "time": day} for day in (1, 2, 3)]
    >>> history = pw.History.from_matches(matches)
    >>> league = LeagueTrace(pw.TrueSkill(), Stamp("number", None), [Season(2, "II", 0.5, 1.0)])
    >>> league.extend(history[:2], [1, 2])
    >>> league.extend(history[2:], [3])
    >>> trace = league.view.trace
    >>> trace.moves(trace.entries("ann"))["mu_before"].round(2)
    array([25.  , 27.2 , 28.13])
    """

    def __init__(self, model: Model, stamp: Stamp | None, seasons: Sequence[Season] = ()) -> None:
        self.model, self.stamp, self.seasons = model, stamp, tuple(seasons)
        self.names: list[str] = []
        self.number: dict[str, int] = {}
        self.ladder = Ladder(model)
        self.begun = 0
        self.stops = [Stop(0, 0, self.ladder.copy())]
        self.columns: dict[str, AppendColumn] = {}
        self.context = ContextTable()
        self.index = PlayerIndex()
        self._players: tuple[str, ...] = ()
        self._append_history(History.from_matches([]), np.zeros(0, np.int64))
        self._append_trace(trace(self.ladder, History.from_matches([])))

    def __len__(self) -> int:
        return len(self.columns["seq"])

    @property
    def nbytes(self) -> int:
        """Approximate size in bytes."""
        ladders = sum(stop.ladder.state.nbytes + 8 * len(stop.ladder) for stop in self.stops)
        ladders += sum(rows.state.nbytes + 16 * len(rows) for stop in self.stops for rows in stop.ladder.facets)
        columns = sum(column.nbytes for column in self.columns.values()) + self.index.nbytes + self.context.nbytes
        return columns + ladders + 200 * len(self.names)

    def extend(self, history: History, seq: Any) -> None:
        """Rate and append matches, which must come after all others in league order."""
        start = len(self)
        self._append_history(history, np.asarray(seq, np.int64))
        stops = range(STEP - start % STEP, len(history), STEP)
        for matches, end, season in stretches(history, self.seasons[self.begun :], stops):
            if len(matches):
                self._append_trace(trace(self.ladder, with_own_levels(self.model, matches)))
            if end == len(history):
                break  # a season begins with its first match, which may be posted later
            if season is not None:
                season.begin(self.ladder)
                self.begun += 1
            else:
                self.stops.append(Stop(start + end, self.begun, self.ladder.copy()))

    def append_rated(self, trace: Trace, seq: int, ladder: Ladder) -> None:
        """Append matches that the writer has already rated.

        The matches are numbered from `seq` on; `ladder` holds the ratings after them. The writer never appends a match
        that was played before the start of a season, so all seasons have already begun.
        """
        for season in self.seasons[self.begun :]:
            season.begin(self.ladder)
        self.begun = len(self.seasons)
        self._append_history(trace.history, np.arange(seq, seq + len(trace.history)))
        self._append_trace(trace)
        played = set(trace.history.players)
        rated = [name for name in ladder.names if name in played]
        new = [name for name in rated if name not in self.ladder.rows]
        self.ladder.reserve(len(self.ladder) + len(new))
        self.ladder.names += new
        rows, others = ([whole.rows[name] for name in rated] for whole in (self.ladder, ladder))
        self.ladder.state[rows] = ladder.state[others]
        self.ladder.memory, self.ladder.stamp = ladder.memory.copy(), ladder.stamp
        copy_rows(self.ladder, ladder, dict(zip(others, rows, strict=True)))
        if len(self) - self.stops[-1].matches >= STEP:
            self.stops.append(Stop(len(self), self.begun, self.ladder.copy()))

    def _append_history(self, history: History, seq: NDArray[np.int64]) -> None:
        new = [name for name in history.players if name not in self.number]
        self.number.update(zip(new, range(len(self.names), len(self.names) + len(new)), strict=True))
        self.names += new
        rows = np.array([self.number[name] for name in history.players], np.int32)
        self.context.append(history, self._starts)
        for name, owner in (("match_start", "match"), ("team_start", "team")):
            start, before = getattr(history, name), self.columns.get(name)
            self._append(owner, owners(start) + (0 if before is None else len(before) - 1))
            self._append(name, start if before is None else start[1:] + before.view[-1])
        self._append("player", rows[history.player] if len(rows) else history.player)
        self.index = self.index.extended(self.columns["player"].view)
        self._append("place", history.place)
        self._append("seq", seq)
        if self.stamp is not None:
            time = np.zeros(0) if history.time is None else history.time
            self._append("time", time.astype(np.float64 if self.stamp.kind == "number" else np.int64, copy=False))
        for name in OPTIONAL:
            self._append_optional(name, history)

    @property
    def _starts(self) -> tuple[NDArray[Any], NDArray[Any]] | None:
        # None if there is no match yet.
        if "match_start" not in self.columns:
            return None
        return self.columns["match_start"].view, self.columns["team_start"].view

    def annotate(self, matches: Ints, history: History) -> None:
        """Replace the context of the matches at some indices with the context of a history that has the same teams."""
        starts = self._starts
        assert starts is not None
        self.context.replace(matches, history, starts)

    def _append_optional(self, name: str, history: History) -> None:
        # The column is created when the first value appears.
        absent, length = ABSENT[name]
        new = len(history) if length == "matches" else getattr(history, length)
        more = getattr(history, name)
        if name not in self.columns:
            if more is None:
                return
            whole = {"matches": "seq", "teams": "place", "entries": "player"}[length]
            kind = np.int32 if name == "home" else np.float64
            self.columns[name] = AppendColumn(np.full(len(self.columns[whole]) - new, absent, kind))
        self._append(name, np.full(new, absent) if more is None else more + 0)  # turns -0.0 into 0.0, as in the journal

    def _append_trace(self, trace: Trace) -> None:
        forecasts = trace.forecasts
        win, draw = forecasts.written
        columns = (forecasts.mean, forecasts.variance, forecasts.log_evidence, forecasts.scatter, win, draw)
        for name, column in zip(TRACE_COLUMNS, (*columns, trace.before, trace.after), strict=True):
            self._append(name, column)
        if self.model.statistics:
            none = np.zeros((len(trace.after), len(self.model.outcome.traits)))
            self._append("shares", none if trace.shares is None else trace.shares)

    def _append(self, name: str, column: NDArray[Any] | None) -> None:
        assert column is not None
        if name in self.columns:
            self.columns[name].append(column)
        else:
            self.columns[name] = AppendColumn(column)

    @property
    def view(self) -> TraceView:
        """The trace as it is now."""
        views = {name: column.view for name, column in self.columns.items()}
        if len(self._players) < len(self.names):
            self._players = tuple(self.names)
        names = ("match_start", "team_start", "player", "place", "time", *OPTIONAL)
        columns: dict[str, Any] = {name: views.get(name) for name in names}
        if self.stamp is not None:
            columns |= {"time_kind": self.stamp.kind, "time_zone": self.stamp.zone}
        columns |= zip(("context", "team_context", "entry_context"), self.context.views, strict=True)
        history = History(**columns, players=self._players)
        mean, variance, log_evidence, scatter, win, draw, before, after = (views[name] for name in TRACE_COLUMNS)
        forecasts = Forecasts(history, self.model.outcome, mean, variance, log_evidence, (win, draw), scatter)
        trace = Trace(self.model, history, forecasts, before, after, shares=views.get("shares"))
        seq, stops, owner = views["seq"], tuple(self.stops), (views["team"], views["match"])
        return TraceView(trace, seq, self.number, self.seasons, stops, *owner, self.index)

    def rewound(self, matches: int) -> LeagueTrace:
        """Return a copy of the trace, cut off at a saved ladder: the last one with fewer than `matches` matches."""
        stop = next(stop for stop in reversed(self.stops) if stop.matches < max(matches, 1))
        other = LeagueTrace(self.model, self.stamp, self.seasons)
        other.names, other.number = list(self.names), dict(self.number)
        other.ladder, other.begun = stop.ladder.copy(), stop.seasons
        other.stops = [kept for kept in self.stops if kept.matches <= stop.matches]
        teams = int(self.columns["match_start"].view[stop.matches])
        ends = {"teams": teams, "entries": int(self.columns["team_start"].view[teams]), "matches": stop.matches}
        whole = {"match_start": stop.matches + 1, "team_start": teams + 1}
        for name, column in self.columns.items():
            other.columns[name] = AppendColumn(column.view[: whole.get(name, ends[AXES.get(name, "matches")])])
        other.context = self.context.head([ends["matches"], ends["teams"], ends["entries"]])
        return other


def iter_forecasts(
    model: Model, history: History, seasons: Sequence[Season] = (), step: int = STEP
) -> Iterator[tuple[int, Forecasts]]:
    """Yield the same forecasts as a league's trace, at most `step` matches at a time, using little memory.

    Each item has the index of its first match, and the forecasts.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3)
    >>> [(first, part.win.round(3).tolist()) for first, part in iter_forecasts(pw.TrueSkill(), history, step=2)]
    [(0, [0.478, 0.754]), (2, [0.858])]
    """
    ladder = Ladder(model)
    for matches, end, season in stretches(history, seasons, range(step, len(history), step)):
        if len(matches):
            yield end - len(matches), trace(ladder, with_own_levels(model, matches)).forecasts
        if season is not None:
            season.begin(ladder)

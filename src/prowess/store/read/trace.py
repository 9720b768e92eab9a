"""The matches of a league on their way through its model, kept in memory by columns and growing at their end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...history import History
from ...history.concat import ABSENT
from ...history.ragged import owners
from ...history.times import Stamp
from ...model.fit.forecasts import Forecasts
from ...model.fit.trace import Trace, trace
from ...model.ladder.ladder import Ladder
from ...model.model import Model
from ..seasons import Season
from ..write.replay import learn
from .player_index import Growing, Register

__all__ = ["Course", "View", "passing"]

STEP = 100_000  # matches between two ladders that are kept
WRITTEN = ("mean", "variance", "log_evidence", "scatter", "win", "draw", "before", "after")  # by the passage
USUAL = tuple(ABSENT)  # columns that a history need not have
AXES = dict.fromkeys(("place", "score", "mean", "variance", "match"), "teams") | dict.fromkeys(
    ("player", "weight", "before", "after", "team"), "entries"
)  # of what a column has a row each; all others, of the matches


@dataclass(frozen=True, eq=False)
class Stop:
    """A ladder as it was after so many matches, and so many seasons that had begun."""

    matches: int
    seasons: int
    ladder: Ladder


@dataclass(frozen=True, eq=False)
class View:
    """A course as it was at one revision; it does not change."""

    passage: Trace
    seq: NDArray[np.int64]
    number: Mapping[str, int]  # of players, which may hold some who came later
    seasons: tuple[Season, ...]
    stops: tuple[Stop, ...]
    team: NDArray[np.int32]  # of each entry
    match: NDArray[np.int32]  # of each team
    register: Register
    revision: int = 0

    def __len__(self) -> int:
        """Count the matches."""
        return len(self.seq)

    def index(self, time: float, seq: int) -> int | None:
        """Where the match of a position stands; None if it is not there."""
        at = self.upto(time, seq) - 1
        return at if at >= 0 and self.seq[at] == seq else None

    def upto(self, time: float, seq: float = np.inf) -> int:
        """How many matches stand up to a position, itself included."""
        first, last = self.between(time, time)
        return first + int(np.searchsorted(self.seq[first:last], seq, side="right"))

    def between(self, since: float, until: float) -> tuple[int, int]:
        """The first match at or after a time, and the first one after another; without times, all of them."""
        times = self.passage.history.time
        if times is None:
            return 0, len(self)
        bounds = np.clip([since, until], -(2.0**62), 2.0**62).astype(times.dtype)  # else all times would be converted
        return int(np.searchsorted(times, bounds[0])), int(np.searchsorted(times, bounds[1], side="right"))

    def entries(self, player: str) -> NDArray[np.intp]:
        """The entries of a player in all matches, in the order of time."""
        return self.register.entries(self.passage.history.player, self.number.get(player, -1))

    def places(self, entry: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The teams and the matches of some entries; where these are very many, sooner than the passage finds them."""
        team = self.team[entry].astype(np.intp)
        return team, self.match[team].astype(np.intp)

    def standing(self, matches: int, seasons: int) -> Ladder:
        """The ladder after so many matches, when so many seasons had begun."""
        stop = next(one for one in reversed(self.stops) if one.matches <= matches and one.seasons <= seasons)
        ladder, history = stop.ladder.copy(), self.passage.history
        at = stop.matches
        for season in self.seasons[stop.seasons : seasons]:
            until = min(_before(history, season), matches)
            learn(ladder, history[at:until])
            at = max(at, until)
            season.begin(ladder)
        learn(ladder, history[at:matches])
        return ladder


class Course:
    """All matches of a league with what was believed before and after them, and what was forecast.

    It is bit for bit what `trace` writes of the matches of each season, from the ladder after those before. Only one
    thread may let it grow at a time; views may be looked at by others meanwhile.

    >>> import prowess as pw
    >>> matches = [{"teams": [["ann"], ["bob"]], "time": day} for day in (1, 2, 3)]
    >>> history = pw.History.from_matches(matches)
    >>> course = Course(pw.TrueSkill(), Stamp("number", None), [Season(2, "II", 0.5, 1.0)])
    >>> course.extend(history[:2], [1, 2])
    >>> course.extend(history[2:], [3])
    >>> passed = course.view.passage
    >>> passed.moves(passed.entries("ann"))["mu_before"].round(2)
    array([25.  , 27.2 , 28.13])
    """

    def __init__(self, model: Model, stamp: Stamp | None, seasons: Sequence[Season] = ()) -> None:
        self.model, self.stamp, self.seasons = model, stamp, tuple(seasons)
        self.names: list[str] = []
        self.number: dict[str, int] = {}
        self.ladder = Ladder(model)
        self.begun = 0
        self.stops = [Stop(0, 0, self.ladder.copy())]
        self.columns: dict[str, Growing] = {}
        self.register = Register()
        self._players: tuple[str, ...] = ()
        self._grow(History.from_matches([]), np.zeros(0, np.int64))
        self._write(trace(self.ladder, History.from_matches([])))

    def __len__(self) -> int:
        """Count the matches."""
        return len(self.columns["seq"])

    @property
    def nbytes(self) -> int:
        """About how much memory it takes."""
        ladders = sum(stop.ladder.state.nbytes + 8 * len(stop.ladder) for stop in self.stops)
        columns = sum(column.nbytes for column in self.columns.values()) + self.register.nbytes
        return columns + ladders + 200 * len(self.names)

    def extend(self, history: History, seq: Any) -> None:
        """Go on with matches that come after all others, in the order of the league."""
        start = len(self)
        self._grow(history, np.asarray(seq, np.int64))
        at = 0
        for stop, season in self._stops(history, start):
            if stop > at:
                self._write(trace(self.ladder, history[at:stop]))
                at = stop
            if season is not None:
                season.begin(self.ladder)
                self.begun += 1
            elif at < len(history):
                self.stops.append(Stop(start + at, self.begun, self.ladder.copy()))

    def _stops(self, history: History, start: int) -> list[tuple[int, Season | None]]:
        """After how many of the new matches something is to be done: a season begins, or the ladder is kept."""
        found: list[tuple[int, Season | None]] = []
        for season in self.seasons[self.begun :]:
            before = _before(history, season)
            if before < len(history):
                found.append((before, season))
        first = STEP * (start // STEP + 1) - start
        found += [(stop, None) for stop in range(first, len(history), STEP)]
        return sorted([*found, (len(history), None)], key=lambda stop: (stop[0], stop[1] is None))

    def _grow(self, history: History, seq: NDArray[np.int64]) -> None:
        """Take in the columns of a history."""
        fresh = [name for name in history.players if name not in self.number]
        self.number.update(zip(fresh, range(len(self.names), len(self.names) + len(fresh)), strict=True))
        self.names += fresh
        rows = np.array([self.number[name] for name in history.players], np.int32)
        for name, owner in (("match_start", "match"), ("team_start", "team")):
            start, before = getattr(history, name), self.columns.get(name)
            self._append(owner, owners(start) + (0 if before is None else len(before) - 1))
            self._append(name, start if before is None else start[1:] + before.view[-1])
        self._append("player", rows[history.player] if len(rows) else history.player)
        self.register = self.register.following(self.columns["player"].view)
        self._append("place", history.place)
        self._append("seq", seq)
        if self.stamp is not None:
            time = np.zeros(0) if history.time is None else history.time
            self._append("time", time.astype(np.float64 if self.stamp.kind == "number" else np.int64, copy=False))
        for name in USUAL:
            self._append_usual(name, history)

    def _append_usual(self, name: str, history: History) -> None:
        """A column that says something in few leagues comes into being when it first does."""
        absent, length = ABSENT[name]
        new = len(history) if length == "matches" else getattr(history, length)
        more = getattr(history, name)
        if name not in self.columns and more is None:
            return
        if name not in self.columns:
            whole = {"matches": "seq", "teams": "place", "entries": "player"}[length]
            kind = np.int32 if name == "home" else np.float64
            self.columns[name] = Growing(np.full(len(self.columns[whole]) - new, absent, kind))
        self._append(name, np.full(new, absent) if more is None else more)

    def _write(self, passed: Trace) -> None:
        """Take in what a passage has written."""
        forecasts = passed.forecasts
        win, draw = forecasts.written
        written = (forecasts.mean, forecasts.variance, forecasts.log_evidence, forecasts.scatter, win, draw)
        for name, column in zip(WRITTEN, (*written, passed.before, passed.after), strict=True):
            self._append(name, column)

    def _append(self, name: str, column: NDArray[Any] | None) -> None:
        assert column is not None
        if name in self.columns:
            self.columns[name].append(column)
        else:
            self.columns[name] = Growing(column)

    @property
    def view(self) -> View:
        """All of it as it is now."""
        seen = {name: column.view for name, column in self.columns.items()}
        if len(self._players) < len(self.names):
            self._players = tuple(self.names)
        usual: dict[str, Any] = {name: seen.get(name) for name in USUAL}
        history = History(
            match_start=seen["match_start"],
            team_start=seen["team_start"],
            player=seen["player"],
            place=seen["place"],
            time=seen.get("time"),
            time_kind=None if self.stamp is None else self.stamp.kind,
            time_zone=None if self.stamp is None else self.stamp.zone,
            ids=None,
            players=self._players,
            **usual,
        )
        mean, variance, log_evidence, scatter, win, draw, before, after = (seen[name] for name in WRITTEN)
        forecasts = Forecasts(history, self.model.outcome, mean, variance, log_evidence, (win, draw), scatter)
        whole = Trace(self.model, history, forecasts, before, after)
        kept = self.seasons, tuple(self.stops)
        return View(whole, seen["seq"], self.number, *kept, seen["team"], seen["match"], self.register)

    def upto(self, matches: int) -> Course:
        """A course of its own that has not gone so far: to where a ladder was kept before the last of these matches."""
        stop = next(one for one in reversed(self.stops) if one.matches < max(matches, 1))
        found = Course(self.model, self.stamp, self.seasons)
        found.names, found.number = list(self.names), dict(self.number)
        found.ladder, found.begun = stop.ladder.copy(), stop.seasons
        found.stops = [one for one in self.stops if one.matches <= stop.matches]
        teams = int(self.columns["match_start"].view[stop.matches])
        ends = {"teams": teams, "entries": int(self.columns["team_start"].view[teams]), "matches": stop.matches}
        whole = {"match_start": stop.matches + 1, "team_start": teams + 1}
        for name, column in self.columns.items():
            found.columns[name] = Growing(column.view[: whole.get(name, ends[AXES.get(name, "matches")])])
        return found


def passing(
    model: Model, history: History, seasons: Sequence[Season] = (), step: int = STEP
) -> Iterator[tuple[int, Forecasts]]:
    """What a course forecasts of all its matches, bit for bit: some in a row at a time, and nothing else is kept.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3)
    >>> [(first, part.win.round(3).tolist()) for first, part in passing(pw.TrueSkill(), history, step=2)]
    [(0, [0.478, 0.754]), (2, [0.858])]
    """
    ladder, at = Ladder(model), 0
    starts = [(_before(history, season), season) for season in seasons]
    stops: list[tuple[int, Season | None]] = [*starts, *((stop, None) for stop in range(step, len(history), step))]
    for stop, season in [*sorted(stops, key=lambda stop: stop[0]), (len(history), None)]:
        if stop > at:
            yield at, trace(ladder, history[at:stop]).forecasts
            at = stop
        if season is not None:
            season.begin(ladder)


def _before(history: History, season: Season) -> int:
    """How many matches of a history are before a season."""
    return 0 if history.time is None else int(np.searchsorted(history.time, season.start))

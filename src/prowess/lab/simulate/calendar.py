"""The calendar of a simulated league, which says when matches are played."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np

from ...errors import Error, Option
from ...history import parse_time
from ...history.ragged import Floats
from ...history.times import DAY, Stamp, Times
from ...model.model import Model
from ...validate import scale, whole
from .lineup import Ints, Lineup


@dataclass(frozen=True)
class Calendar:
    """Match days `every` days apart, in seasons of `season` match days with a break of `rest` days between them.

    A match day has `matches` matches. If `season` is None, there is one endless season. With a numeric `start`, times
    are plain numbers.

    >>> import prowess as pw
    >>> calendar = Calendar("2025-08-01", every=7, matches=10, season=38, rest=80)
    >>> pw.simulate(pw.TrueSkill(), 760, 20, calendar=calendar).history
    History(760 matches, 20 players, 2025-08-01 … 2027-03-29, places)
    """

    start: str | date | float = "2025-01-01"
    every: float = 1.0
    matches: int = 1
    season: int | None = None
    rest: float = 0.0

    def __post_init__(self) -> None:
        parse_time(self.start)
        scale("every", self.every)
        whole("matches per match day", self.matches, 1)
        scale("rest", self.rest, zero=True)
        if self.season is not None:
            whole("season", self.season, 1)
        elif self.rest:
            message = "a rest needs seasons: give the number of match days per season, such as "
            raise Error(message, Option("season", 38), field="rest", value=self.rest)

    def times(self, matches: int) -> Times:
        """Return the times of the matches.

        >>> Calendar(0, every=7, matches=2, season=2, rest=50).times(8).number
        array([ 0.,  0.,  7.,  7., 64., 64., 71., 71.])
        """
        kind, zone, first = parse_time(self.start)
        day = np.arange(matches) // self.matches
        days = day * self.every
        if self.season is not None:
            days = days + day // self.season * self.rest
        if kind == "number":
            return Times.of(first + days, Stamp(kind, zone))
        numbers = first + days * DAY
        stamp = Stamp(kind if (days == np.floor(days)).all() else "timestamp", zone)
        if matches and numbers[-1] >= parse_time(date.max)[2]:
            message = f"{matches} matches are too many for this calendar: the last would be after the year 9999"
            raise Error(message, field="calendar", value=matches)
        return Times.of(np.rint(numbers), stamp)


MONDAY = 4  # days from the epoch, a Thursday, to the first Monday; rating periods begin on Mondays


class Timeline:
    """For every entry, the same player's previous entry and the time that has passed since then.

    `before` is the index of the previous entry, −1 for a player's first entry. `played` is the number of the player's
    earlier matches. `still` is true if the skill does not move, because both matches are in the same rating period.
    `elapsed` is in days, in the units of plain-number times, or in rating periods.

    >>> import prowess as pw
    >>> lineup = Lineup(np.array([0, 2, 4], np.int32), np.arange(5, dtype=np.int32), np.array([0, 1, 0, 2]))
    >>> timeline = Timeline(pw.TrueSkill(), lineup, None)
    >>> timeline.before, timeline.played
    (array([-1, -1,  0, -1]), array([0, 0, 1, 0]))
    """

    def __init__(self, model: Model, lineup: Lineup, times: Times | None) -> None:
        player = lineup.player
        order = np.argsort(player, kind="stable")
        fresh = np.ones(len(player), bool)
        fresh[1:] = player[order][1:] != player[order][:-1]
        run = np.arange(len(player))
        first = np.maximum.accumulate(np.where(fresh, run, 0))
        self.order: Ints = order
        self.start: Ints = first  # where each player's entries begin in the sorted order
        self.before: Ints = np.full(len(player), -1)
        self.before[order[1:]] = np.where(fresh[1:], -1, order[:-1])
        self.played: Ints = np.empty(len(player), np.int64)
        self.played[order] = run - first
        self.elapsed: Floats = np.zeros(len(player))
        self.still = np.zeros(len(player), bool)
        if times is not None:
            later = self.before >= 0
            now = match_clock(model, times)[lineup.match]
            self.elapsed[later] = now[later] - now[self.before[later]]
            self.still = later & (self.elapsed == 0.0) & (model.period is not None)


def match_clock(model: Model, times: Times) -> Floats:
    """Return the times of all matches in the unit of the drift: days, plain numbers, or rating periods.

    Rating periods are the same as in `sweep`: if times are dates, a period begins on a Monday.
    """
    unit = 1.0 if times.kind == "number" else DAY
    days = np.asarray(times.number, np.float64) / unit
    if model.period is None:
        return days
    return np.floor((days - (MONDAY if unit > 1.0 else 0)) / model.period)

"""When the matches of a simulated league are played."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np

from ...errors import Error
from ...history.times import DAY, Stamp, Times, parse_time
from ...validate import scale, whole

__all__ = ["Calendar"]


@dataclass(frozen=True)
class Calendar:
    """Match days that are `every` days apart, in seasons of `season` match days with `rest` days between them.

    A match day has `matches` matches. With `season` None there is one endless season. A `start` that is a number gives
    times that are plain numbers.

    >>> import prowess as pw
    >>> from prowess.lab.simulate import simulate
    >>> calendar = Calendar("2025-08-01", every=7, matches=10, season=38, rest=80)
    >>> simulate(pw.TrueSkill(), 760, 20, calendar=calendar).history
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
        whole("matches of a match day", self.matches, 1)
        scale("rest", self.rest, zero=True)
        if self.season is not None:
            whole("season", self.season, 1)
        elif self.rest:
            raise Error("a rest needs seasons: say how many match days one has, such as season=38")

    def times(self, matches: int) -> Times:
        """The times of this many matches.

        >>> Calendar(0, every=7, matches=2, season=2, rest=50).times(8).number
        array([ 0.,  0.,  7.,  7., 64., 64., 71., 71.])
        """
        kind, zone, first = parse_time(self.start)
        day = np.arange(matches) // self.matches
        days = day * self.every
        if self.season is not None:
            days = days + day // self.season * self.rest
        unit = 1 if kind == "number" else DAY
        numbers = first + days * unit
        if kind == "number":
            return Times.of(numbers, Stamp(kind, zone))
        stamp = Stamp(kind if (days == np.floor(days)).all() else "timestamp", zone)
        if matches and numbers[-1] >= parse_time(date.max)[2]:
            raise Error(f"{matches} matches do not fit into this calendar: the last would be after the year 9999")
        return Times.of(np.rint(numbers), stamp)

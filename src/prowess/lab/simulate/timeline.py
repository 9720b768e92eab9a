"""The way of every player through a league: which match comes after which, and how much time lies between."""

from __future__ import annotations

import numpy as np

from ...history.times import DAY, Times
from ...model.model import Model
from .lineup import Lineup
from .options import Floats, Ints

__all__ = ["Path", "clock"]

MONDAY = 4  # days from the origin of times, a Thursday, to the first start of a week, where rating periods begin


class Path:
    """When each player was where: for every entry the one before of the same player, and the time since then.

    `before` is −1 for a player's first entry; `played` is the number of her matches before; `still` says that a skill
    stays as it was, because the rating period is the same. `elapsed` is in days, or in the units of plain-number times;
    with rating periods it is the number of these.

    >>> import prowess as pw
    >>> lineup = Lineup(np.array([0, 2, 4], np.int32), np.arange(5, dtype=np.int32), np.array([0, 1, 0, 2]))
    >>> way = Path(pw.TrueSkill(), lineup, None)
    >>> way.before, way.played
    (array([-1, -1,  0, -1]), array([0, 0, 1, 0]))
    """

    def __init__(self, model: Model, lineup: Lineup, times: Times | None) -> None:
        """Sort all entries by player."""
        player = lineup.player
        order = np.argsort(player, kind="stable")
        fresh = np.ones(len(player), bool)
        fresh[1:] = player[order][1:] != player[order][:-1]
        run = np.arange(len(player))
        first = np.maximum.accumulate(np.where(fresh, run, 0))
        self.order: Ints = order
        self.start: Ints = first  # in the sorted order, where a player's entries begin
        self.before: Ints = np.full(len(player), -1)
        self.before[order[1:]] = np.where(fresh[1:], -1, order[:-1])
        self.played: Ints = np.empty(len(player), np.int64)
        self.played[order] = run - first
        self.elapsed: Floats = np.zeros(len(player))
        self.still = np.zeros(len(player), bool)
        if times is not None:
            later = self.before >= 0
            now = clock(model, times)[lineup.match]
            self.elapsed[later] = now[later] - now[self.before[later]]
            self.still = later & (self.elapsed == 0.0) & (model.period is not None)


def clock(model: Model, times: Times) -> Floats:
    """The times of all matches in the units in which a drift counts: days, plain numbers, or rating periods.

    Periods are counted as the sweep counts them: from a Monday, where times are dates.
    """
    unit = 1.0 if times.kind == "number" else DAY
    days = np.asarray(times.number, np.float64) / unit
    if model.period is None:
        return days
    return np.floor((days - (MONDAY if unit > 1.0 else 0)) / model.period)

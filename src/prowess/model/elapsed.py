"""The time since a player's last match, for those who look before a match and not while it is rated."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from typing import TYPE_CHECKING, Any

from ..history.times import DAY, Stamp
from .given import once
from .online import check_times, moment
from .rating import Rating

if TYPE_CHECKING:
    from .ladder import Ladder

__all__ = ["periods", "until"]

MONDAY = 4.0  # days from the origin of times, a Thursday, to the first start of a week


def periods(period: float, unit: float, then: float, now: float) -> int:
    """How many rating periods lie between two times; as `passed` of the sweep, which only kernels can call.

    >>> periods(7.0, 1.0, 6.0, 7.0), periods(7.0, 1.0, 7.0, 13.9)
    (1, 0)
    """
    origin = MONDAY * unit if unit > 1.0 else 0.0
    if not now >= then:
        return 0
    return floor((now - origin) / (period * unit)) - floor((then - origin) / (period * unit))


def until(ladder: Ladder, teams: Sequence[Sequence[str | Rating]], time: Any) -> list[list[float]]:
    """The time from the last match of each player to a coming one, as `predict` takes it; 0 for who has none.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill())
    >>> _ = ladder.record([["ann"], ["bob"]], time="2026-01-31")
    >>> until(ladder, [["ann"], [ladder.newcomer]], "2026-02-10")
    [[10.0], [0.0]]
    """
    stamp, now = moment(ladder, time)
    names = once(teams)
    unknown = [name for team in names for name in team if isinstance(name, str) and name not in ladder.rows]
    if unknown:
        ladder[unknown[0]]  # raises an Error with a hint
    rows = [[None if isinstance(name, Rating) else ladder.rows[name] for name in team] for team in names]
    check_times(ladder, [row for team in rows for row in team if row is not None], stamp, now)
    return [[0.0 if row is None else _since(ladder, row, stamp, now) for row in team] for team in rows]


def _since(ladder: Ladder, row: int, stamp: Stamp | None, now: float) -> float:
    """Days, or the units of plain numbers; where there are rating periods, a time that is as many of them."""
    last = float(ladder.state[row, 2 * ladder.model.pipeline.traits])
    unit = 1.0 if stamp is None or stamp.kind == "number" else DAY
    if last != last:
        return 0.0
    if ladder.model.period is None:
        return (now - last) / unit
    passed = periods(ladder.model.period, unit, last, now)
    return (passed + 0.5) * ladder.model.period if passed else 0.0  # whole periods are counted: a half is safe

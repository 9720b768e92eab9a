"""The time since a player's last match, for those who look before a match and not while it is rated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...validate import scale
from ..engine.sweep import periods_between
from ..match_input import unique_names
from ..rating import Rating
from .record import check_times, match_time, time_unit

if TYPE_CHECKING:
    from .ladder import Ladder


def active(ladder: Ladder, within: float) -> list[str]:
    """The players whose last match is not longer ago than this before the last of all, the best first.

    In days, where times are dates; without times nobody can be told to be idle, and all are active.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill())
    >>> for day, name in ((1, "ann"), (8, "bob")):
    ...     _ = ladder.record([[name], ["cat"]], time=f"2026-01-0{day}")
    >>> active(ladder, 3)
    ['bob', 'cat']
    """
    import numpy as np

    limit = scale("within", within, zero=True)
    names = ladder.leaderboard()["player"].to_list()
    last = ladder.last_seen
    if not len(last) or np.isnan(last).all():
        return list(names)
    late = last >= np.nanmax(last) - limit * time_unit(ladder.stamp)
    return [name for name in names if late[ladder.rows[name]]]


def elapsed_until(ladder: Ladder, teams: Sequence[Sequence[str | Rating]], time: Any) -> list[list[float]]:
    """The time from the last match of each player to a coming one, as `predict` takes it; 0 for who has none.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill())
    >>> _ = ladder.record([["ann"], ["bob"]], time="2026-01-31")
    >>> elapsed_until(ladder, [["ann"], [ladder.newcomer]], "2026-02-10")
    [[10.0], [0.0]]
    """
    stamp, now = match_time(ladder, time)
    unit = time_unit(stamp)
    names = unique_names(teams)
    unknown = [name for team in names for name in team if isinstance(name, str) and name not in ladder.rows]
    if unknown:
        ladder[unknown[0]]  # raises an Error with a hint
    rows = [[None if isinstance(name, Rating) else ladder.rows[name] for name in team] for team in names]
    check_times(ladder, [row for team in rows for row in team if row is not None], stamp, now)
    # whole periods are counted of a time: with half of one more it is on the safe side
    period = ladder.model.period
    waited = [[0.0 if row is None else elapsed_since(ladder, row, unit, now) for row in team] for team in rows]
    return waited if period is None else [[(passed + 0.5) * period for passed in team] for team in waited]


def elapsed_since(ladder: Ladder, row: int, unit: float, now: float) -> float:
    """The time since the last match of a row of a ladder, as boards have it: in rating periods, where there are any.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.Glicko(period=7))
    >>> _ = ladder.record([["ann"], ["bob"]], time=0)
    >>> elapsed_since(ladder, 0, 1.0, 14.0)
    2.0
    """
    last = float(ladder.state[row, ladder.layout.last_seen])
    if not now >= last:  # one of them may not be known
        return 0.0
    period = ladder.model.period
    return (now - last) / unit if period is None else periods_between(period, last, now, unit)

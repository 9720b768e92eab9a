"""Standings and how they changed over the last period, from one pass over a history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from ..errors import Error
from ..history.period import first_of_last, usual_period
from ..history.times import show_time
from .standings import compared

if TYPE_CHECKING:
    import polars as pl

    from ..history import History
    from .ladder import Ladder
    from .model import Model

__all__ = ["Standings", "last_time", "standings"]

Time = date | float


@dataclass(frozen=True, eq=False)
class Standings:
    """Where everybody stands: a frame with the changes of the last period, and the ladder to go on from.

    `since` is the time of the last match before the period; None where there is nothing to compare with.

    >>> import prowess as pw
    >>> found = pw.standings(pw.TrueSkill(), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    >>> found.frame["player"].to_list(), found.ladder, found.since
    (['ann', 'bob'], Ladder(2 players), None)
    """

    frame: pl.DataFrame
    ladder: Ladder
    since: Time | None


def standings(
    model: Model,
    history: History,
    *,
    start: Ladder | None = None,
    period: str | None = None,
    min_matches: int = 0,
) -> Standings:
    """The standings after a history, with `change` and `gain` since the last period began, in one pass.

    The period is counted back from the last match ("week", "10d", "last" for its day or round alone, "none"); None
    chooses one that suits the history, or, after a `start`, all of the history.

    >>> import prowess as pw
    >>> days = ("2026-01-01", "2026-01-20", "2026-01-31")
    >>> games = [{"teams": [[f"p{index}"], ["ann"]], "time": day} for index, day in enumerate(days)]
    >>> found = standings(pw.TrueSkill(), pw.History.from_matches(games), period="week")
    >>> found.frame.select("player", "change").rows(), found.since
    ([('p0', 0), ('p1', 0), ('p2', None), ('ann', -1)], datetime.date(2026, 1, 20))
    """
    if start is not None:
        _check_order(start, history)
    first = _first(history, start, period)
    before = model.learn(history[:first], start) if first else start
    after = model.learn(history[first:], before)
    frame = after.leaderboard(min_matches=min_matches)
    if period == "none":
        return Standings(frame, after, None)
    if before is None:
        return Standings(compared(frame, frame.clear()), after, None)
    return Standings(
        compared(frame, before.leaderboard(min_matches=min_matches)), after, _since(history, first, before)
    )


def _first(history: History, start: Ladder | None, period: str | None) -> int:
    """The first match of the last period; 0 where there is nothing before it."""
    if period == "none":
        return 0
    chosen = period or (usual_period(history) if start is None else None)
    return 0 if chosen is None else first_of_last(history, chosen)


def _since(history: History, first: int, before: Ladder) -> Time | None:
    if not first:
        return last_time(before)
    assert history.time is not None
    assert history.time_kind is not None
    return show_time(history.time_kind, history.time_zone, history.time[first - 1])


def last_time(ladder: Ladder) -> Time | None:
    """When the last match of a ladder was, as far as is known.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill())
    >>> _ = ladder.record([["ann"], ["bob"]], time="2026-01-31")
    >>> last_time(ladder)
    datetime.date(2026, 1, 31)
    """
    found = _latest(ladder)
    return None if found is None or ladder.stamp is None else show_time(*ladder.stamp, found)


def _latest(ladder: Ladder) -> float | None:
    times = ladder.state[: len(ladder), 2 * ladder.model.pipeline.traits]
    times = times[~np.isnan(times)]
    return float(times.max()) if len(times) else None


def _check_order(start: Ladder, history: History) -> None:
    """A ladder goes on with matches that come after its last; what kind of times they have, the fit checks."""
    latest = _latest(start)
    if latest is None or not len(history) or history.time is None or start.stamp is None or history.time_kind is None:
        return
    numbers = ("number" in (start.stamp.kind, history.time_kind)) and start.stamp.kind != history.time_kind
    if not numbers and float(history.time[0]) < latest:
        first = show_time(history.time_kind, history.time_zone, history.time[0])
        raise Error(
            f"the first match, at {first}, comes before the last of the ladder, at {last_time(start)}: a ladder goes "
            "on in the order of time; leave out what it has seen, or rate all matches together"
        )

"""Who rose and who fell: the ranks of now beside those of a week before."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isnan

from ..history.times import DAY
from .snapshot import Snapshot

__all__ = ["changes", "week_before"]

WEEK = 7  # days, or units of a clock of numbers


def week_before(now: Snapshot) -> float | None:
    """A week before the last match of all; None where there are no times.

    It is the end of that day, so that it stays the same while matches come in.

    >>> import prowess as pw
    >>> from prowess.store.leagues import Settings
    >>> ladder = pw.Elo().learn(pw.History.from_matches([{"teams": [["ann"], ["bob"]], "time": 30.5}]))
    >>> said = {"league": "x", "clock": "number", "settings": Settings(), "revision": 1, "generation": 1}
    >>> week_before(Snapshot.of_ladder(ladder, **said))
    23.0
    """
    if isnan(now.last):
        return None
    return (floor(now.last / DAY) - WEEK + 1) * DAY - 1.0 if now.clock == "utc" else floor(now.last) - float(WEEK)


def changes(before: Snapshot, players: Sequence[str], ranks: Sequence[int]) -> list[int | None]:
    """By how many ranks players rose from where they stood before to the ranks of now; None of who did not stand there.

    >>> import prowess as pw
    >>> from prowess.store.leagues import Settings
    >>> ladder = pw.Ladder(pw.Elo(), {"ann": pw.Rating(1500), "bob": pw.Rating(1600)})
    >>> said = {"league": "x", "clock": "utc", "settings": Settings(), "revision": 1, "generation": 1}
    >>> changes(Snapshot.of_ladder(ladder, **said), ["ann", "bob", "cat"], [1, 2, 3])
    [1, -1, None]
    """
    was = before.ranks(players)
    return [None if old is None else old - new for old, new in zip(was, ranks, strict=True)]

"""Who rises and who falls when all are rated anew: ranks before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...history.times import DAY
from ...model.fit.leaderboard import overall
from ...model.ladder.ladder import Ladder
from .ranking import ranked
from .snapshot import Snapshot

__all__ = ["Moves", "changes", "moves", "week_before"]

Plain = dict[str, Any]


@dataclass(frozen=True)
class Moves:
    """How many players there are and have another rank now; the best of them, and those who move most."""

    players: int
    moved: int
    best: list[Plain]
    most: list[Plain]


def moves(before: Ladder, after: Ladder, few: int = 10) -> Moves:
    """What becomes of the ranks of players, who are the same in both ladders.

    >>> import prowess as pw
    >>> ladders = [pw.Ladder(pw.Elo(), {"ann": pw.Rating(1500), "bob": pw.Rating(bob)}) for bob in (1400, 1600)]
    >>> found = moves(*ladders)
    >>> found.moved, [(row["player"], row["before"]["rank"], row["after"]["rank"]) for row in found.best]
    (2, [('bob', 2, 1), ('ann', 1, 2)])
    """
    names = [name for name in after.names if name in before.rows]
    old, new = (_standing(ladder, names) for ladder in (before, after))
    change = old[0] - new[0]
    best = np.lexsort((np.arange(len(names)), new[0]))[:few]
    most = np.lexsort((new[0], -np.abs(change)))[:few]

    def row(k: int) -> Plain:
        stood, stands = ({"rank": int(ranks[k]), "shown": float(shown[k])} for ranks, shown in (old, new))
        return {"player": names[k], "before": stood, "after": stands, "change": int(change[k])}

    moved = [row(k) for k in most.tolist() if change[k]]
    return Moves(len(names), int(np.count_nonzero(change)), [row(k) for k in best.tolist()], moved)


def _standing(ladder: Ladder, names: list[str]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The ranks of some players among all of a ladder, and what is shown of them."""
    settled = ladder.settled
    cells = settled[[ladder.rows[name] for name in names]]
    return ranked(ladder.model, settled, ladder.names).ranks(ladder.model, cells), overall(ladder.model, cells)[2]


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

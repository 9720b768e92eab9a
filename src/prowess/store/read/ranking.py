"""The order of a leaderboard: by what is shown, equal players by their names, kept while a few ratings move."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...model.fit.leaderboard import grain, largest, level, overall
from ...model.model import Model

__all__ = ["Ranking", "ranked"]

Floats = NDArray[np.float64]
Rows = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Ranking:
    """The rows of a state from the best to the worst; `down` are their levels in this order, negative.

    >>> import prowess as pw
    >>> state = np.array([[1480.0, 0.0], [1520.0, 0.0], [1480.0, 0.0]])
    >>> found = ranked(pw.Elo(), state, ["dan", "ann", "bob"])
    >>> found.order, found.ranks(pw.Elo(), state)
    (array([1, 2, 0], dtype=int32), array([2, 1, 2]))
    """

    order: Rows
    down: Floats
    grain: float
    largest: float  # of all ratings, on which the grain depends

    def ranks(self, model: Model, cells: Floats) -> NDArray[np.intp]:
        """The ranks of some rows of the state: 1 + the number of those who stand above, so that equal ones share it."""
        return np.searchsorted(self.down, -_levels(model, cells, self.grain)) + 1

    def moved(
        self, model: Model, before: Floats, state: Floats, names: Sequence[str], rows: NDArray[np.integer]
    ) -> Ranking:
        """The order after some rows of the state have changed, or were added: they are taken out and put in again.

        >>> import prowess as pw
        >>> before = np.array([[1480.0, 0.0], [1520.0, 0.0]])
        >>> after = np.array([[1520.0, 0.0], [1520.0, 0.0]])
        >>> ranked(pw.Elo(), before, ["ann", "bob"]).moved(pw.Elo(), before, after, ["ann", "bob"], np.array([0])).order
        array([0, 1], dtype=int32)
        """
        known = rows[rows < len(before)]
        top = max(self.largest, largest(model, state[rows]))
        if largest(model, before[known]) == self.largest:
            top = largest(model, state)  # who had the largest rating may have it no longer
        unit = grain(top)
        if unit != self.grain:
            return ranked(model, state, names)
        kept = np.ones(len(self.order), bool)
        kept[self._found(-_levels(model, before[known], unit), known, names)] = False
        left = Ranking(self.order[kept], self.down[kept], unit, top)
        down = -_levels(model, state[rows], unit)
        by_name = _by_name([names[row] for row in rows.tolist()])
        by_level = by_name[np.argsort(down[by_name], kind="stable")]
        rows, down = rows[by_level], down[by_level]
        places = left._found(down, rows, names)
        return Ranking(np.insert(left.order, places, rows), np.insert(left.down, places, down), unit, top)

    def _found(self, down: Floats, rows: NDArray[np.integer], names: Sequence[str]) -> NDArray[np.intp]:
        """Where rows of these levels stand, or would stand; among equals they are in the order of their names."""
        first, last = np.searchsorted(self.down, down), np.searchsorted(self.down, down, side="right")
        for k in np.flatnonzero(last > first).tolist():
            name = names[int(rows[k])]
            first[k] = bisect_left(self.order, name, int(first[k]), int(last[k]), key=lambda row: names[int(row)])
        return first


def ranked(model: Model, state: Floats, names: Sequence[str]) -> Ranking:
    """Put all rows of a state in order.

    >>> import prowess as pw
    >>> ranked(pw.Elo(), np.zeros((0, 4)), []).order
    array([], dtype=int32)
    """
    top = largest(model, state)
    unit = grain(top)
    down = -_levels(model, state, unit)
    order = _by_name(names)
    order = order[np.argsort(down[order], kind="stable")]
    return Ranking(order, down[order], unit, top)


def _levels(model: Model, cells: Floats, unit: float) -> Floats:
    return level(overall(model, cells)[2], unit)


def _by_name(names: Sequence[str]) -> Rows:
    return np.array(sorted(range(len(names)), key=names.__getitem__), np.int32)

"""Breaks at given times, such as the starts of a league's seasons, in fits of whole histories (see `smoothing`).

At a break, the skill s of every player who has already played moves towards m, the mean of newcomers, and becomes less
certain: s ← m + carry (s − m) + N(0, τ²). `Ladder.new_season` does the same to the ratings of a ladder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython


@cython.final
@cython.cclass
class Breaks:
    """The breaks of a history, in the order of their times, and the mean of newcomers of each trait.

    A match at the time of a break comes after the break.

    >>> breaks = Breaks([10.0, 20.0], [0.5, 0.5], [1.0, 2.0], [25.0])
    >>> [column.tolist() for column in breaks.between([5.0, 10.0], [20.0, 15.0])]
    [[0.25, 1.0], [4.25, 0.0]]
    """

    def __init__(
        self,
        times: Sequence[float] = (),
        carry: Sequence[float] = (),
        tau: Sequence[float] = (),
        centre: Sequence[float] = (),
    ) -> None:
        self.count = len(times)
        self.times, self.carry, self.tau = (np.array(column, np.float64) for column in (times, carry, tau))
        self.start, self.share, self.spread = map(memoryview, (self.times, self.carry, self.tau))
        self.centre = memoryview(np.array(centre, np.float64))
        self.kept, self.added = 1.0, 0.0

    def __reduce__(self) -> Any:
        return Breaks, (self.times, self.carry, self.tau, np.asarray(self.centre))

    def cross(self, since: cython.double, until: cython.double) -> cython.bint:
        """Combine the breaks after `since` and up to `until` into one, in `kept` and `added`.

        Return whether there is one: from s to m + `kept` (s − m) + N(0, `added`). If a time is NaN, there is none.
        """
        self.kept = 1.0
        self.added = 0.0
        low = 0
        high = self.count
        while low < high:
            middle = (low + high) // 2
            if self.start[middle] > since:
                high = middle
            else:
                low = middle + 1
        first = low
        while low < self.count and since < self.start[low] <= until:
            self.kept *= self.share[low]
            self.added = self.share[low] * self.share[low] * self.added + self.spread[low] * self.spread[low]
            low += 1
        return low > first

    def between(self, earlier: Any, later: Any) -> tuple[Any, Any]:
        """Return `kept` and `added` (see `cross`) for columns of times."""
        steps = np.stack([np.searchsorted(self.times, column, side="right") for column in (earlier, later)])
        pairs, where = np.unique(steps, axis=1, return_inverse=True)
        found = np.empty((2, pairs.shape[1]))
        for n in range(pairs.shape[1]):
            first, last = pairs[0, n], pairs[1, n]
            if first < last:
                self.cross(-float("inf") if first == 0 else self.times[first - 1], self.times[last - 1])
            else:
                self.cross(0.0, -float("inf"))
            found[:, n] = self.kept, self.added
        kept, added = found[:, where.reshape(-1)]
        return kept, added

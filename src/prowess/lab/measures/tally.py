"""A measure as columns over the matches, so that any slice of them and any sliding window is a ratio of sums."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import Error

__all__ = ["Floats", "Tally", "Where"]

Floats = NDArray[np.float64]
Where = NDArray[np.bool_] | NDArray[np.intp] | slice | None


@dataclass(frozen=True, eq=False)
class Tally:
    """What every match adds to a measure, and how much it weighs: 0 where there is nothing to say of it.

    >>> import numpy as np
    >>> tally = Tally(np.array([0.0, 1.0, 0.0, 3.0]), np.array([1.0, 1.0, 0.0, 2.0]))
    >>> tally.mean(), tally.mean(slice(0, 2))
    (1.0, 0.5)
    """

    total: Floats
    weight: Floats

    def __len__(self) -> int:
        """Count the matches."""
        return len(self.total)

    @property
    def values(self) -> Floats:
        """The measure of every match; NaN where it has nothing to say.

        >>> import numpy as np
        >>> Tally(np.array([1.0, 0.0]), np.array([2.0, 0.0])).values
        array([0.5, nan])
        """
        found: Floats = np.full(len(self), np.nan)
        np.divide(self.total, self.weight, out=found, where=self.weight > 0)
        return found

    def mean(self, where: Where = None) -> float:
        """The measure of all matches, or of those chosen by a mask, by indices or by a slice.

        >>> import numpy as np
        >>> Tally(np.array([1.0, 4.0]), np.array([2.0, 2.0])).mean(np.array([False, True]))
        2.0
        """
        total, weight = (self.total, self.weight) if where is None else (self.total[where], self.weight[where])
        whole = float(weight.sum())
        if whole == 0.0:
            raise Error("none of these matches can be measured: choose others, or another measure")
        return float(total.sum()) / whole

    def window(self, matches: int = 50) -> Floats:
        """The measure of the last so many matches up to each match; NaN before there are as many.

        Only matches that can be measured count.

        >>> import numpy as np
        >>> Tally(np.array([0.0, 1.0, 1.0, 0.0]), np.ones(4)).window(2)
        array([nan, 0.5, 1. , 0.5])
        """
        if matches < 1:
            raise Error(f"a window needs at least one match, not {matches}")
        found = np.full(len(self), np.nan)
        counted = np.flatnonzero(self.weight > 0)
        total, weight = (np.concatenate([[0.0], np.cumsum(column[counted])]) for column in (self.total, self.weight))
        if len(counted) >= matches:
            found[counted[matches - 1 :]] = (total[matches:] - total[:-matches]) / (
                weight[matches:] - weight[:-matches]
            )
        return found

"""What groups of matches add to a measure: all that a bootstrap needs to know of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import Tally
from .tally import Floats

__all__ = ["Groups", "Sums", "ratio", "sums_of"]


class Groups(NamedTuple):
    """The group of every match, and how many groups there are.

    >>> Groups(np.array([0, 0, 1]), 2).number
    2
    """

    of: NDArray[np.intp]
    number: int


@dataclass(frozen=True, eq=False)
class Sums:
    """What every group of matches adds to a measure (groups × parts), and how sums of the parts make the measure.

    `chance`: for a measure that chance alone makes larger, such as a calibration error, what chance alone makes of it
    on resampled histories, from their sums and those of all matches.

    >>> sums = sums_of(Tally(np.array([1.0, 0.0, 1.0]), np.ones(3)), Groups(np.array([0, 0, 1]), 2))
    >>> sums.parts.tolist(), round(sums.value, 3)
    ([[1.0, 2.0], [1.0, 1.0]], 0.667)
    """

    parts: Floats
    combine: Callable[[Floats], Floats]
    chance: Callable[[Floats, Floats], Floats] | None = None

    @property
    def value(self) -> float:
        """The measure of all matches.

        >>> Sums(np.array([[1.0, 2.0], [1.0, 2.0]]), ratio).value
        0.5
        """
        return float(self.combine(self.parts.sum(axis=0)))


def ratio(sums: Floats) -> Floats:
    """The sum of a tally over its weight; NaN where nothing weighs.

    >>> ratio(np.array([[1.0, 2.0], [0.0, 0.0]]))
    array([0.5, nan])
    """
    found: Floats = np.full(sums.shape[:-1], np.nan)
    np.divide(sums[..., 0], sums[..., 1], out=found, where=sums[..., 1] > 0)
    return found


def sums_of(tally: Tally, groups: Groups) -> Sums:
    """What every group adds to an additive measure.

    >>> sums_of(Tally(np.array([1.0, 3.0]), np.ones(2)), Groups(np.zeros(2, np.intp), 1)).value
    2.0
    """
    columns = (tally.total, tally.weight)
    return Sums(np.stack([np.bincount(groups.of, column, groups.number) for column in columns], axis=1), ratio)

"""Tallies: the contribution and the weight of every match in a measure.

The value of a measure is the sum of the contributions, divided by the sum of the weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history.ragged import Floats
from ...history.slicing import indices

Where = NDArray[np.bool_] | NDArray[np.intp] | slice | None


def resolve_where(where: Where, matches: int) -> NDArray[np.intp] | slice:
    """Return the chosen matches as indices or a slice; `where` is a mask, indices (repeats are kept), a slice, or None.

    None chooses all matches.

    >>> import numpy as np
    >>> resolve_where(np.array([False, True, True]), 3), resolve_where(np.array([-1, 0, 0]), 3)
    (array([1, 2]), array([2, 0, 0]))
    """
    if where is None:
        return slice(None)
    return where if isinstance(where, slice) else indices(np.asarray(where), matches, "where")


def memoryviews(*columns: Any) -> tuple[Any, ...]:
    """Return columns as memoryviews, because NumPy scalars are slow in uncompiled kernels and cause warnings.

    >>> import numpy as np
    >>> memoryviews(np.zeros(1), np.ones(2))[1].tolist()
    [1.0, 1.0]
    """
    return tuple(map(memoryview, columns))


@dataclass(frozen=True, eq=False)
class Tally:
    """Every match's contribution to a measure, and its weight. The weight is 0 if the measure does not apply.

    >>> import numpy as np
    >>> tally = Tally(np.array([0.0, 1.0, 0.0, 3.0]), np.array([1.0, 1.0, 0.0, 2.0]))
    >>> tally.mean(), tally.mean(slice(0, 2))
    (1.0, 0.5)
    """

    total: Floats
    weight: Floats

    def __len__(self) -> int:
        return len(self.total)

    @property
    def values(self) -> Floats:
        """The measure of every match; NaN where the measure does not apply.

        >>> import numpy as np
        >>> Tally(np.array([1.0, 0.0]), np.array([2.0, 0.0])).values
        array([0.5, nan])
        """
        return ratio(np.stack([self.total, self.weight], axis=-1))

    def mean(self, where: Where = None) -> float:
        """Return the measure of all matches, or of those chosen by a mask, by indices or by a slice.

        A match whose index is given twice counts twice.

        >>> import numpy as np
        >>> Tally(np.array([1.0, 4.0]), np.array([2.0, 2.0])).mean(np.array([False, True]))
        2.0
        """
        chosen = resolve_where(where, len(self))
        totals, weights = self.total[chosen], self.weight[chosen]
        weight = float(weights.sum())
        if weight == 0.0:
            raise Error("none of these matches can be measured: choose other matches or another measure")
        # The sum of losses near the largest float may overflow; their mean does not.
        with np.errstate(over="ignore"):
            total = float(totals.sum())
        return total / weight if isfinite(total) else float((totals / weight).sum())

    def window(self, matches: int = 50) -> Floats:
        """Return the measure over the last `matches` matches up to each match; NaN while there are fewer matches.

        Only matches to which the measure applies are counted.

        >>> import numpy as np
        >>> Tally(np.array([0.0, 1.0, 1.0, 0.0]), np.ones(4)).window(2)
        array([nan, 0.5, 1. , 0.5])
        """
        if matches < 1:
            raise Error(f"a window needs at least one match, not {matches}", field="matches", value=matches)
        values = np.full(len(self), np.nan)
        measured = np.flatnonzero(self.weight > 0)
        total, weight = (_sliding_sums(column[measured], matches) for column in (self.total, self.weight))
        values[measured[matches - 1 :]] = total / weight
        return values


def ratio(sums: Floats) -> Floats:
    """Divide total by weight, which are the two items of the last axis of `sums`; NaN if the weight is 0.

    >>> import numpy as np
    >>> ratio(np.array([[1.0, 2.0], [0.0, 0.0]]))
    array([0.5, nan])
    """
    quotient: Floats = np.full(sums.shape[:-1], np.nan)
    np.divide(sums[..., 0], sums[..., 1], out=quotient, where=sums[..., 1] > 0)
    return quotient


def _sliding_sums(column: Floats, width: int) -> Floats:
    # Every window consists of the end of one block of `width` values and the beginning of the next block.
    if len(column) < width:
        return np.zeros(0)
    # Running sums start again in every block, because small values would be lost in a running sum with a huge value.
    padded = np.zeros(-(-len(column) // width) * width)
    padded[: len(column)] = column
    blocks = padded.reshape(-1, width)
    head = np.cumsum(blocks, axis=1).ravel()[width - 1 : len(column)]
    tail = np.cumsum(blocks[:, ::-1], axis=1)[:, ::-1].ravel()[: len(column) - width + 1].copy()
    tail[::width] = 0.0  # a window that is exactly one block is complete in `head`
    return head + tail


def by_team_count(start: NDArray[np.int32]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield, for every number of teams that occurs, the matches with that many teams and a table of team indices.

    >>> import numpy as np
    >>> [(match.tolist(), team.tolist()) for match, team in by_team_count(np.array([0, 2, 5, 7]))]
    [([0, 2], [[0, 1], [5, 6]]), ([1], [[2, 3, 4]])]
    """
    sizes = np.diff(start)
    for size in np.unique(sizes):
        match = np.flatnonzero(sizes == size)
        yield match, start[match][:, None].astype(np.intp) + np.arange(size)

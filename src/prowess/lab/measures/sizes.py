"""Matches of one size at a time, as tables that have a row for each match and a column for each of its teams."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["by_size"]


def by_size(start: NDArray[np.int32]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """For every number of teams that occurs: the matches, and a table of their teams.

    >>> import numpy as np
    >>> [(match.tolist(), team.tolist()) for match, team in by_size(np.array([0, 2, 5, 7]))]
    [([0, 2], [[0, 1], [5, 6]]), ([1], [[2, 3, 4]])]
    """
    sizes = np.diff(start)
    for size in np.unique(sizes):
        match = np.flatnonzero(sizes == size)
        yield match, start[match][:, None].astype(np.intp) + np.arange(size)

"""Columns that grow at their end, while those who look at them see what was there when they came."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Growing"]

ROOM = 1 / 16  # of a column's length that is kept free at its end
LEAST = 256  # rows that are kept free in any case


class Growing:
    """A column with room at its end: what is appended is not seen by views that were taken before.

    >>> column = Growing(np.array([1, 2]))
    >>> before = column.view
    >>> column.append(np.array([3]))
    >>> before, column.view
    (array([1, 2]), array([1, 2, 3]))
    """

    def __init__(self, first: NDArray[Any]) -> None:
        self._cells = first[:0].copy()
        self._length = 0
        self.append(first)

    def __len__(self) -> int:
        """Count the rows."""
        return self._length

    @property
    def nbytes(self) -> int:
        """How much memory it takes, with the room at its end."""
        return self._cells.nbytes

    @property
    def view(self) -> NDArray[Any]:
        """The column as it is now; it does not change."""
        found = self._cells[: self._length]
        found.flags.writeable = False
        return found

    def append(self, more: NDArray[Any]) -> None:
        """Put rows at the end."""
        length = self._length + len(more)
        if length > len(self._cells):
            room = int(length * (1 + ROOM)) + LEAST
            cells = np.empty((room, *self._cells.shape[1:]), self._cells.dtype)
            cells[: self._length] = self._cells[: self._length]
            self._cells = cells
        self._cells[self._length : length] = more
        self._length = length

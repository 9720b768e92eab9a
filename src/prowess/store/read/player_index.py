"""Where the players stand in a column of entries that grows at its end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Growing", "Register"]

TAIL = 65_536  # entries at the end that are looked through, before the register is made anew
SHARE = 32  # in long columns, it is this part of them

Ints = NDArray[np.intp]
Column = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Register:
    """The first entries of a column by player: she is found without a look through all of them.

    It does not change. A column that has grown goes on with what `following` gives, which is seldom another one: the
    few entries that came since are looked through each time.

    >>> player = np.array([0, 1, 0, 2, 0], np.int32)
    >>> register = Register().following(player[:4])
    >>> register.entries(player, 0), register.entries(player, 3)
    (array([0, 2, 4]), array([], dtype=int64))
    """

    entry: Column = field(default_factory=lambda: np.zeros(0, np.int32))  # by player, in the order of time
    start: Ints = field(default_factory=lambda: np.zeros(1, np.intp))  # of each player among them

    @property
    def nbytes(self) -> int:
        """How much memory it takes."""
        return self.entry.nbytes + self.start.nbytes

    def following(self, player: Column) -> Register:
        """A register of a column that has grown: this one, unless too many entries have come since."""
        if len(player) - len(self.entry) <= max(TAIL, len(self.entry) // SHARE):
            return self
        order = np.argsort(player.astype(np.uint16), kind="stable")  # NumPy sorts half numbers in linear time
        order = order[np.argsort((player >> 16).astype(np.uint16)[order], kind="stable")]
        return Register(order.astype(np.int32), np.concatenate([[0], np.cumsum(np.bincount(player))]))

    def entries(self, player: Column, number: int) -> Ints:
        """The entries of the player of a number in a column, in the order of time; none, if nobody has it."""
        there = len(self.entry)
        known = self.entry[slice(*self.start[number : number + 2])] if 0 <= number < len(self.start) - 1 else _NOBODY
        return np.concatenate([known, there + np.flatnonzero(player[there:] == number)])


_NOBODY = np.zeros(0, np.int32)


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

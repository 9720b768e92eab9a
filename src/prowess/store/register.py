"""Where the players stand in a column of entries that grows at its end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Register"]

TAIL = 65_536  # entries at the end that are looked through, before the register is made anew
SHARE = 32  # in long columns, it is this part of them

Ints = NDArray[np.intp]
Column = NDArray[np.int32]


class Page(NamedTuple):
    """So many first entries by player, in the order of time; those of a player begin at her start."""

    entry: NDArray[np.int32]
    start: Ints
    length: int


class Register:
    """The entries of each player, without a look through all of them each time.

    It is made when it is first asked for. Columns that it is asked about are the beginnings of a single one, which
    may have grown since: what came later is looked through, and what is not there yet is left out. Threads may share
    it, for a page of it never changes: at worst, two of them make the same one.

    >>> register = Register()
    >>> player = np.array([0, 1, 0, 2, 0], np.int32)
    >>> register.entries(player, 0), register.entries(player[:4], 0), register.entries(player[:1], 2)
    (array([0, 2, 4]), array([0, 2]), array([], dtype=int64))
    """

    def __init__(self) -> None:
        self._page = Page(np.zeros(0, np.int32), np.zeros(1, np.intp), 0)

    def entries(self, player: Column, number: int) -> Ints:
        """The entries of the player of a number in a column, in the order of time; none, if nobody has it."""
        page = self._page
        if len(player) - page.length > max(TAIL, page.length // SHARE):
            self._page = page = _written(player)
        known = page.entry[page.start[number] : page.start[number + 1]] if 0 <= number < len(page.start) - 1 else _NONE
        if len(player) <= page.length:
            return known[: np.searchsorted(known, np.int32(len(player)))].astype(np.intp)
        return np.concatenate([known, page.length + np.flatnonzero(player[page.length :] == number)])


_NONE = np.zeros(0, np.int32)


def _written(player: Column) -> Page:
    """All entries by player; by the halves of the numbers, for NumPy sorts short ones in linear time."""
    order = np.argsort(player.astype(np.uint16), kind="stable")
    order = order[np.argsort((player >> 16).astype(np.uint16)[order], kind="stable")]
    start = np.concatenate([[0], np.cumsum(np.bincount(player))])
    return Page(order.astype(np.int32), start, len(player))

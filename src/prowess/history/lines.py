"""The lines of a file from which the matches of a history were read, for error messages."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Error
from .ragged import Ints, holders

Numbers = range | Ints  # consecutive numbers take no memory


@dataclass(frozen=True, eq=False)
class Lines:
    """The number of the line of each match; with `by_entry`, of each entry, if a file has a row per player.

    `unit` says what is counted: lines, rows or items.

    >>> Lines.of("games.csv", "line", np.arange(2, 1002)).number, Lines.of("games.csv", "line", np.array([4, 2])).number
    (range(2, 1002), array([4, 2], dtype=int32))
    """

    title: str
    unit: str
    number: Numbers
    by_entry: bool = False

    @classmethod
    def of(cls, title: str, unit: str, number: NDArray[np.integer], by_entry: bool = False) -> "Lines":
        """Return the lines, with consecutive numbers as a range."""
        return cls(title, unit, _compress(number), by_entry)

    @property
    def nbytes(self) -> int:
        """The size of the numbers in bytes."""
        return 0 if isinstance(self.number, range) else self.number.nbytes

    def take(self, match: Any, entry: Any) -> "Lines":
        """Return the lines of some matches, given as indices or slices of matches and of entries."""
        index = entry if self.by_entry else match
        if isinstance(self.number, range) and not isinstance(index, slice):
            return self.of(self.title, self.unit, self.number.start + index, self.by_entry)
        return Lines(self.title, self.unit, self.number[index], self.by_entry)


def _compress(number: NDArray[np.integer]) -> Numbers:
    if len(number) and int(number[-1]) - int(number[0]) == len(number) - 1 and (number[1:] - number[:-1] == 1).all():
        return range(int(number[0]), int(number[-1]) + 1)
    return number.astype(np.int32)


def at_line(error: Error, history: Any, match: int, entry: int | None = None) -> Error:
    """Return an error about a match, or one of its entries, with the line from which it was read, if this is known.

    >>> from .history import History
    >>> import polars as pl
    >>> history = History.from_frame(pl.DataFrame({"winner": ["ann", "bob"], "loser": ["bob", "cat"]}))
    >>> error = at_line(Error("match 2: a draw", match=1), history, 1)
    >>> str(error), error.line
    ('the frame, row 2: match 2: a draw', 2)
    """
    lines: Lines | None = history.lines
    if lines is None:
        return error
    if not lines.by_entry:
        index = match
    else:
        index = int(history.team_start[history.match_start[match]]) if entry is None else entry
    line = int(lines.number[index])
    return error.within(f"{lines.title}, {lines.unit} {line}: ", line=line)


def in_match(error: Error, history: Any, entry: int) -> Error:
    """Return an error about an entry with the number of its match, and with its line, if this is known.

    The cause of the result is the given error, for callers that name the match in another way.

    >>> from .history import History
    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["cat"]]}])
    >>> str(in_match(Error("a number is needed"), history, 3))
    'match 2: a number is needed'
    """
    team = holders(history.team_start, np.array([entry]))
    match = int(holders(history.match_start, team)[0])
    located = at_line(error.within(f"match {match + 1}: ", match=match), history, match, entry)
    located.__cause__ = error
    return located

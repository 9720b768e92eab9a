"""What is wrong with the rows of a table: every problem is noted, and the reader decides what becomes of them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Problem", "Problems", "quoted", "some"]

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Problem:
    """A row that cannot be used, the column and what it holds where one is to blame, and what would be right."""

    row: int
    column: str | None
    value: object
    right: str

    def __str__(self) -> str:
        """Say it in a sentence.

        >>> str(Problem(3, "score", "x", "a number is needed"))
        "column 'score' holds 'x': a number is needed"
        """
        if self.column is None:
            return self.right
        empty = self.value is None or str(self.value) == ""
        return f"column {self.column!r} {'is empty' if empty else f'holds {quoted(self.value)}'}: {self.right}"


@dataclass
class Problems:
    """The problems of a table, as they are found: rows as columns, and a sentence only for those that are shown.

    >>> problems = Problems()
    >>> problems.add(np.array([4, 2]), "score", ["x", "y"], "a number is needed")
    >>> [str(problem) for problem in problems]
    ["column 'score' holds 'y': a number is needed", "column 'score' holds 'x': a number is needed"]
    """

    found: list[tuple[Rows, str | None, Any, str | Callable[[int], str]]] = field(default_factory=list)
    others: list[Rows] = field(default_factory=list)

    def add(self, rows: Any, column: str | None, values: Any, right: str | Callable[[int], str]) -> None:
        """Note rows, what their cells hold, and what would be right: one sentence, or one for each by its index."""
        rows = np.asarray(rows, np.intp)
        if len(rows):
            self.found.append((rows, column, values, right))

    def take_along(self, rows: Any) -> None:
        """Note rows that cannot be used without one that has a problem: the rest of its match."""
        self.others.append(np.asarray(rows, np.intp))

    def among(self, rows: Any) -> "Problems":
        """Give the problems of some rows, in their order, which are now counted from 0."""
        place = {int(row): index for index, row in enumerate(rows)}
        part = Problems()
        for found, column, values, right in self.found:
            for index, row in enumerate(found.tolist()):
                if row in place:
                    value = None if values is None else [values[index]]
                    part.add([place[row]], column, value, right if isinstance(right, str) else right(index))
        return part

    def __len__(self) -> int:
        """Count the problems."""
        return sum(len(rows) for rows, *_ in self.found)

    def rows(self) -> Rows:
        """Give the rows that cannot be used, in order, each once."""
        return np.unique(np.concatenate([np.zeros(0, np.intp), *(rows for rows, *_ in self.found), *self.others]))

    def __iter__(self) -> Iterator[Problem]:
        """Give the problems in the order of the rows."""
        where = [
            (int(row), kind, index) for kind, (rows, *_) in enumerate(self.found) for index, row in enumerate(rows)
        ]
        for row, kind, index in sorted(where):
            _, column, values, right = self.found[kind]
            value = None if values is None else values[index]
            yield Problem(row, column, value, right if isinstance(right, str) else right(index))


LONGEST = 80  # letters of a cell
MOST = 30  # names in a list


def quoted(value: object) -> str:
    """Quote a value, as much of it as one can read.

    >>> quoted("3x"), len(quoted("x" * 1000))
    ("'3x'", 84)
    """
    if not isinstance(value, str):
        return repr(value)
    return repr(value) if len(value) <= LONGEST else f"{value[:LONGEST]!r} …"


def some(names: Iterable[str]) -> str:
    """Give names one after another, the first of them where there are many.

    >>> some(["date", "winner"]), some(map(str, range(1000)))[-9:]
    ('date, winner', '28, 29, …')
    """
    found = list(names)
    return ", ".join([*found[:MOST], *["…"] * (len(found) > MOST)])

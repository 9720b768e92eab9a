"""Rows of several tables, one after another, of which the first are taken away."""

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from ..problems import Problems
from ..table import Table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Queue"]


class Queue:
    """Tables with the same columns, as one; each is forgotten once all its rows were taken.

    >>> import polars as pl
    >>> queue = Queue()
    >>> for day in (["mon"], ["tue", "wed"]):
    ...     queue.add(Table(pl.DataFrame({"day": day}), "the file", lambda row: f"row {row + 1}"))
    >>> queue.take(2).frame["day"].to_list(), len(queue)
    (['mon', 'tue'], 1)
    """

    def __init__(self) -> None:
        """Begin without rows."""
        self.tables: deque[Table] = deque()
        self.begin = 0  # rows of the first table that were taken
        self.columns: list[str] = []

    def __len__(self) -> int:
        """Count the rows."""
        return sum(len(table.frame) for table in self.tables) - self.begin

    def add(self, table: Table) -> None:
        """Put a table at the end; a column that it does not have is empty."""
        import polars as pl

        self.columns = self.columns or table.frame.columns
        missing = [pl.lit(None, pl.String).alias(name) for name in self.columns if name not in table.frame.columns]
        self.tables.append(_with(table, table.frame.with_columns(missing).select(self.columns)))

    def head(self, count: int) -> Table:
        """Give the first rows, which stay."""
        return self._first(min(count, len(self)))

    def column(self, name: str, count: int) -> "pl.Series":
        """Give a column of the first rows."""
        import polars as pl

        return pl.concat([table.frame[name].slice(first, length) for table, first, length in self._spans(count)])

    def take(self, count: int) -> Table:
        """Give the first rows, and forget them."""
        found = self._first(count)
        self.begin += count
        while len(self.tables) > 1 and self.begin >= len(self.tables[0].frame):
            self.begin -= len(self.tables.popleft().frame)
        return found

    def _spans(self, count: int) -> list[tuple[Table, int, int]]:
        """Give the tables of the first rows: of each the first row that is meant, and how many."""
        found: list[tuple[Table, int, int]] = []
        first = self.begin
        for table in self.tables:
            length = min(count, len(table.frame) - first)
            if length > 0 or not found:
                found.append((table, first, max(length, 0)))
            count, first = count - length, 0
        return found

    def _first(self, count: int) -> Table:
        import polars as pl

        spans = self._spans(count)
        frame = pl.concat([table.frame.slice(first, length) for table, first, length in spans], how="vertical_relaxed")
        problems, notes = Problems(), []
        start = np.cumsum([0, *(length for _, _, length in spans)])
        for (table, first, length), offset in zip(spans, start[:-1].tolist(), strict=True):
            _copy(table.problems, problems, first, first + length, offset - first)
            notes += table.notes if first == 0 else []

        def name(row: int) -> str:
            span = int(np.searchsorted(start, row, side="right")) - 1
            table, first, _ = spans[span]
            return table.row_name(first + row - int(start[span]))

        return Table(frame, spans[0][0].title, name, spans[0][0].choices, list(dict.fromkeys(notes)), problems)


def _with(table: Table, frame: "pl.DataFrame") -> Table:
    return Table(frame, table.title, table.row_name, table.choices, table.notes, table.problems)


def _copy(found: Problems, to: Problems, first: int, last: int, shift: int) -> None:
    """Copy the problems of some rows, each with its sentence."""
    for rows, column, values, right in found.found:
        for index in np.flatnonzero((rows >= first) & (rows < last)).tolist():
            value = None if values is None else [values[index]]
            to.add([int(rows[index]) + shift], column, value, right if isinstance(right, str) else right(index))

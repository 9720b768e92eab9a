"""A table on its way into a history: its cells, what its rows are called, and what is found out about them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..errors import Error
from ..text import count
from .problems import Problems, Rows
from .read_options import Choices

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Table"]

Decision = TypeVar("Decision")


@dataclass(frozen=True)
class Table:
    """A frame, what it is called, and how its rows are called; `row_name` is asked only when something is wrong.

    `notes` gathers what a reader should know: which of two readings was taken and how to choose the other. `problems`
    gathers the rows that cannot be used; who finds one notes it and goes on. `left` are rows that are no matches, for
    the reason given: they are no problem. `decisions` are those that hold for all rows, such as whether the day or the
    month stands first; `decided` are those that earlier parts of the same file led to.
    """

    frame: "pl.DataFrame"
    title: str
    row_name: Callable[[int], str]
    choices: Choices = field(default_factory=Choices)
    notes: list[str] = field(default_factory=list)
    problems: Problems = field(default_factory=Problems)
    left: list[tuple[Rows, str]] = field(default_factory=list)
    decisions: dict[str, Any] = field(default_factory=dict)
    decided: Mapping[str, Any] = field(default_factory=dict)
    origin: Rows | None = None  # of each row, which it was before others were taken out

    def where(self, row: int) -> str:
        """Say where a row stands."""
        return f"{self.title}, {self.row_name(row)}"

    def error(self, row: int, message: str) -> Error:
        """Make an error about a row."""
        return Error(f"{self.where(row)}: {message}")

    def kind_error(self, column: str, right: str) -> Error:
        """Make an error about the type of a column."""
        return Error(f"{self.title}: column {column!r} holds {self.frame[column].dtype}: {right}")

    def note(self, text: str) -> None:
        """Say something about the reading, once."""
        if text not in self.notes:
            self.notes.append(text)

    def decide(self, what: str, find: Callable[[], Decision]) -> Decision:
        """Give what earlier parts of the file decided, or else decide by the rows; None leaves it to later parts.

        >>> import polars as pl
        >>> table = Table(pl.DataFrame({"score": [1]}), "the frame", str, decided={"decimal mark": ","})
        >>> table.decide("decimal mark", lambda: "."), table.decide("separator", lambda: ";"), table.decisions
        (',', ';', {'separator': ';'})
        """
        if what in self.decided:
            earlier: Decision = self.decided[what]
            return earlier
        found = find()
        if found is not None:
            self.decisions[what] = found
        return found

    def require(self, good: "pl.Series", column: str, right: str) -> None:
        """Note a problem with each row that is not good (false or null), which shows what the column holds there."""
        if not good.all(ignore_nulls=False):
            self.reject(np.flatnonzero(~good.fill_null(False).to_numpy()), column, right)

    def reject(self, rows: Any, column: str | None, right: str | Callable[[int], str]) -> None:
        """Note a problem with rows; a sentence that differs from row to row is made from the row's place in `rows`."""
        values = None if column is None else self.frame[column][np.asarray(rows, np.intp)].to_list()
        self.problems.add(rows, column, values, right)

    def leave_out(
        self, rows: Any, why: str, one: str = "row is", many: str = "rows are", more: str = "", number: int = 0
    ) -> None:
        """Leave rows out that are no matches, and say why, how many they are (or something else is) and where.

        >>> import polars as pl
        >>> table = Table(pl.DataFrame({"score": ["", "1-0"]}), "the frame", lambda row: f"row {row + 1}")
        >>> table.leave_out([0], "not played: ")
        >>> table.left[0][1]
        'not played: 1 row is left out, on row 1'
        """
        rows = np.asarray(rows, np.intp)
        if len(rows) and self.left:  # each row for one reason: a bye without a result is a bye
            rows = np.setdiff1d(rows, np.concatenate([before for before, _ in self.left]))
        if len(rows):
            number = number or len(rows)
            where = f"{'the first ' * (number > 1)}on {self.row_name(int(rows.min()))}"
            self.left.append((rows, f"{why}{count(number, one, many)} left out, {where}{more}"))

    def unusable(self) -> Rows:
        """Give the rows that have a problem, or are left out, in order."""
        return np.unique(np.concatenate([self.problems.rows(), *(rows for rows, _ in self.left)]))

    def without(self, rows: Any) -> "Table":
        """Give the table without some rows; the others keep their names, and all findings begin anew."""
        kept = np.delete(np.arange(len(self.frame)), rows)
        name = self.row_name
        return Table(
            self.frame[kept],
            self.title,
            lambda row: name(int(kept[row])),
            self.choices,
            decided=self.decided,
            origin=kept if self.origin is None else self.origin[kept],
        )

    def place(self, row: int) -> int:
        """Give which row of the file a row is, counted before any was taken out."""
        return row if self.origin is None else int(self.origin[row])

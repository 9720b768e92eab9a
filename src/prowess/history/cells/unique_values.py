"""The different values of a column, so that what costs time is done once for each of them."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..ragged import Ints
from ..read_context import Message, Table
from .text import intern

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Distinct"]


@dataclass
class Distinct:
    """The different values of a column, or all of them where most differ, and which of them each row holds."""

    table: Table
    column: str
    values: "pl.Series"
    code: Ints | None

    @classmethod
    def of(cls, table: Table, column: str, series: "pl.Series") -> "Distinct":
        """Find the different values, if there are fewer than half as many as rows."""
        if len(series) and 2 * int(series.approx_n_unique()) > len(series):  # type: ignore[arg-type]
            return cls(table, column, series, None)
        code, values = intern(series)
        return cls(table, column, values, code)

    def spread(self, found: NDArray[Any]) -> NDArray[Any]:
        """Give each row what was found for its value."""
        return found if self.code is None else found[self.code]

    @cached_property
    def weight(self) -> NDArray[np.intp]:
        """Count the rows of each value."""
        if self.code is None:
            return np.ones(len(self.values), np.intp)
        return np.bincount(self.code, minlength=len(self.values))

    def count(self, which: NDArray[np.bool_]) -> int:
        """Count the rows of some of the values."""
        return int(self.weight[which].sum())

    def first_row(self, which: NDArray[np.bool_]) -> int:
        """Give the first row that holds one of some values."""
        return int(np.argmax(self.spread(which)))

    def reject(self, which: NDArray[np.bool_], right: Message) -> None:
        """Note a problem with each row of some of the values."""
        if which.any():
            self.table.reject(np.flatnonzero(self.spread(which)), self.column, right)

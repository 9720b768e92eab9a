"""Names as numbers: every different spelling is looked at once, however often it comes."""

from typing import TYPE_CHECKING

import numpy as np

from .ragged import Ints
from .rosters import check_names
from .table import Table
from .text import intern

if TYPE_CHECKING:
    import polars as pl

__all__ = ["coded_names"]


def coded_names(table: Table, columns: list[str]) -> tuple[Ints, "pl.Series"]:
    """Read columns of names one after another: the number of each cell's name, and the names; none may be empty.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"winner": ["ann ", "bob"], "loser": ["bob", "ann"]})
    >>> code, names = coded_names(Table(frame, "the frame", str), ["winner", "loser"])
    >>> code.tolist(), names.to_list()
    ([0, 1, 1, 0], ['ann', 'bob'])
    """
    import polars as pl

    for column in columns:
        check_names(table, column, table.frame[column].dtype)
    code, spelt = intern(pl.concat([table.frame[column].cast(pl.String) for column in columns]))
    same, names = intern(spelt.fill_null("").str.strip_chars())
    if len(names) < len(spelt):
        code = same[code]
    empty = np.flatnonzero((names == "").to_numpy())
    if len(empty):
        cells = (code == empty[0]).reshape(len(columns), -1)
        for column, rows in zip(columns, cells, strict=True):
            table.reject(np.flatnonzero(rows), column, "fill it in, or drop the row")
    return code, names

"""Names as numbers: every different spelling is looked at once, however often it comes."""

from typing import TYPE_CHECKING

import numpy as np

from ..ragged import Ints
from ..read_context import Table
from .hash_table import numbered
from .rosters import check_names
from .text import intern

if TYPE_CHECKING:
    import polars as pl

__all__ = ["coded_names"]


def coded_names(table: Table, columns: list[str]) -> tuple[Ints, "pl.Series"]:
    """Read columns of names, row by row: the number of each cell's name, and the names; none may be empty.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"winner": ["ann ", "cat"], "loser": ["bob", "ann"]})
    >>> code, names = coded_names(Table(frame, "the frame"), ["winner", "loser"])
    >>> code.tolist(), names.to_list()
    ([0, 1, 2, 0], ['ann', 'bob', 'cat'])
    """
    import polars as pl

    for column in columns:
        check_names(table, column, table.frame[column].dtype)
    cells = [table.frame[column].cast(pl.String) for column in columns]
    code, spelt = _interleaved(cells)
    same, names = intern(spelt.fill_null("").str.strip_chars())
    if len(names) < len(spelt):
        code = same[code]
    empty = np.flatnonzero((names == "").to_numpy())
    if len(empty):
        for column, rows in zip(columns, (code == empty[0]).reshape(-1, len(columns)).T, strict=True):
            table.reject(np.flatnonzero(rows), column, "fill it in, or drop the row")
    return code, names


def _interleaved(cells: "list[pl.Series]") -> tuple[Ints, "pl.Series"]:
    """Number the texts of columns row by row, by their hashes; then see that no two texts have one."""
    import polars as pl

    width = len(cells)
    keys = np.empty((len(cells[0]), width), np.uint64)
    for side, column in enumerate(cells):
        keys[:, side] = column.hash().to_numpy()
    code, first = numbered(keys.reshape(-1))
    parts = [column[first[first % width == side] // width] for side, column in enumerate(cells)]
    order = np.argsort(np.concatenate([np.flatnonzero(first % width == side) for side in range(width)]))
    spelt = pl.concat(parts)[order]
    by_side = code.reshape(-1, width)
    if all(column.eq_missing(spelt[np.ascontiguousarray(by_side[:, side])]).all() for side, column in enumerate(cells)):
        return code, spelt
    together, spelt = intern(pl.concat(cells))
    return np.ascontiguousarray(together.reshape(width, -1).T).reshape(-1), spelt

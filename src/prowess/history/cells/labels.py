"""Reading cells as names of players, labels, ids, or yes and no; what cannot be read is a problem of its row."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..ragged import Ints
from ..read_context import Table
from .hash_table import numbered
from .rosters import check_names
from .text import intern, text_of
from .words import FALSE, TRUE

if TYPE_CHECKING:
    import polars as pl


def labels(table: Table, column: str) -> "pl.Series":
    """Read a column as text that tells matches or teams apart; no cell is empty."""
    text = text_of(table, column)
    if not text.has_nulls():
        return text
    table.require(text.is_not_null(), column, "fill it in, or drop the row")
    return text.fill_null("")


def names(table: Table, column: str) -> "pl.Series":
    """Read a column as names of players, text or whole numbers; no cell is empty."""
    check_names(table, column, table.frame[column].dtype)
    return labels(table, column)


def yes_no(table: Table, column: str) -> NDArray[np.bool_]:
    """Read a column as true and false; where only what is true is marked, as by an x, an empty cell is false."""
    import polars as pl

    series = table.frame[column]
    if series.dtype != pl.Boolean:
        text = text_of(table, column).str.to_lowercase()
        readable = text.is_in([*TRUE, *FALSE])
        table.require(readable | text.is_null(), column, "true or false is needed")
        series = text.is_in(list(TRUE)).set(~readable, None)
        if readable.sum() < text.count():
            return series.fill_null(False).to_numpy()
    if series.has_nulls() and (not series.count() or not series.all()):
        table.require(series.is_not_null(), column, "true or false is needed")
    return series.fill_null(False).to_numpy()


def identifiers(table: Table, column: str) -> "pl.Series":
    """Read a column as ids of matches; where a cell is empty the match has none, which is an empty text."""
    return text_of(table, column).fill_null("")


def intern_names(table: Table, columns: list[str]) -> tuple[Ints, "pl.Series"]:
    """Read columns of names, row by row: the number of each cell's name, and the names; none may be empty.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"winner": ["ann ", "cat"], "loser": ["bob", "ann"]})
    >>> code, names = intern_names(Table(frame, "the frame"), ["winner", "loser"])
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

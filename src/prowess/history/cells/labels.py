"""Reading the cells of a column as names, labels, or yes and no; what cannot be read is a problem of its row."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..read_context import Table
from .rosters import check_names
from .text import text_of
from .words import FALSE, TRUE

if TYPE_CHECKING:
    import polars as pl

__all__ = ["identifiers", "labels", "names", "yes_no"]


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
        known = text.is_in([*TRUE, *FALSE])
        table.require(known | text.is_null(), column, "true or false is needed")
        series = text.is_in(list(TRUE)).set(~known, None)
        if known.sum() < text.count():
            return series.fill_null(False).to_numpy()
    if series.has_nulls() and (not series.count() or not series.all()):
        table.require(series.is_not_null(), column, "true or false is needed")
    return series.fill_null(False).to_numpy()


def identifiers(table: Table, column: str) -> "pl.Series":
    """Read a column as ids of matches; where a cell is empty the match has none, which is an empty text."""
    return text_of(table, column).fill_null("")

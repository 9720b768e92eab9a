"""Reading the cells of a column as names, numbers or yes and no; an error names the cell and what is right."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .aliases import ALSO_IN_NAMES, FALSE, ROSTER_SEPARATORS, TRUE
from .ragged import Floats, Ints
from .table import Table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["identifiers", "intern", "labels", "names", "numbers", "rosters", "yes_no"]


_NEVER = "\x00"  # a separator that is in no text


def intern(text: "pl.Series") -> tuple[Ints, "pl.Series"]:
    """Give for each value the number of its first appearance among the different values, and those values."""
    import polars as pl

    if text.is_empty():
        return np.zeros(0, np.int32), text
    different = text.unique(maintain_order=True)
    codes = text.replace_strict(different, pl.Series(np.arange(len(different), dtype=np.int32)), return_dtype=pl.Int32)
    return codes.to_numpy(), different


def labels(table: Table, column: str) -> "pl.Series":
    """Read a column as text that tells matches or teams apart; no cell is empty."""
    text = _text(table, column)
    table.require(text.is_not_null(), column, "fill it in, or drop the row")
    return text.fill_null("")


def names(table: Table, column: str) -> "pl.Series":
    """Read a column as names of players, text or whole numbers; no cell is empty."""
    _check_names(table, column, table.frame[column].dtype)
    return labels(table, column)


def rosters(
    table: Table, columns: list[str], split: bool = True, sure: bool = False
) -> tuple[list["pl.Series"], str | None]:
    """Read cells as lists of names (null where a cell is empty), and say at what they were split.

    All columns are split at one separator, so that with "Smith & Sons; ann" an ampersand stays part of a name; without
    `split` a cell is one name. It is `sure` that a column of "players" holds rosters, not names with marks in them.
    """
    import polars as pl

    separator = None
    if all(table.frame[column].dtype == pl.List for column in columns):
        lists = [table.frame[column] for column in columns]
        for column, one in zip(columns, lists, strict=True):
            _check_names(table, column, one.dtype.inner)  # type: ignore[attr-defined]
        lists = [one.cast(pl.List(pl.String)) for one in lists]
    else:
        for column in columns:
            _check_names(table, column, table.frame[column].dtype)
        texts = [_text(table, column) for column in columns]
        separator = _separator(texts, sure) if split else None
        lists = [text.str.split(separator or _NEVER) for text in texts]
    if split:
        lists = [one.list.eval(pl.element().str.strip_chars()) for one in lists]
    for column, one in zip(columns, lists, strict=True):
        empty = one.list.eval(pl.element().is_null() | (pl.element().str.strip_chars() == "")).list.any()
        table.require(~empty.fill_null(False), column, "one of the names in this roster is empty")
    return lists, separator


def _separator(texts: list["pl.Series"], sure: bool) -> str | None:
    """Find what separates the names of rosters: a mark that no name has, or one that at least half of the cells have.

    So "Brighton & Hove Albion" among teams of one name stays whole, and "ann & bob" among pairs does not.
    """
    import polars as pl

    cells = pl.concat(texts).drop_nulls()
    counts = {mark: int(cells.str.contains(mark, literal=True).sum()) for mark in ROSTER_SEPARATORS}
    least = {mark: 1 if sure or mark not in ALSO_IN_NAMES else max(1, len(cells) / 2) for mark in ROSTER_SEPARATORS}
    return next((mark for mark in ROSTER_SEPARATORS if counts[mark] >= least[mark]), None)


def _text(table: Table, column: str) -> "pl.Series":
    """Read a column as text without blanks around it, null where a cell is empty."""
    import polars as pl

    series = table.frame[column]
    if series.dtype.is_nested() or series.dtype in (pl.Object, pl.Binary):
        raise table.kind_error(column, "text or numbers are needed, one in a cell")
    text = series.cast(pl.String).str.strip_chars()
    blank = text == ""
    return text.set(blank, None) if blank.any() else text


def _check_names(table: Table, column: str, kind: "pl.DataType") -> None:
    import polars as pl

    if kind.is_float():
        raise table.kind_error(column, "names must be text or whole numbers (a float cannot hold ids of 16 digits)")
    if not (kind in (pl.String, pl.Categorical, pl.Enum, pl.Null) or kind.is_integer()):
        raise table.kind_error(column, "names must be text or whole numbers")


def numbers(table: Table, column: str) -> Floats:
    """Read a column as numbers; an empty cell is NaN."""
    import polars as pl

    series = table.frame[column]
    if series.dtype == pl.String:
        text = series.str.strip_chars()
        value = text.cast(pl.Float64, strict=False)
        wrong = value.is_null() & text.is_not_null() & (text != "")
        table.require(~wrong, column, "a number is needed: fill it in, or drop the row")
        series = value
    elif not (series.dtype.is_numeric() or series.dtype == pl.Null):
        raise table.kind_error(column, "numbers are needed")
    return series.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def yes_no(table: Table, column: str) -> NDArray[np.bool_]:
    """Read a column as true and false."""
    import polars as pl

    series = table.frame[column]
    if series.dtype != pl.Boolean:
        text = labels(table, column).str.strip_chars().str.to_lowercase()
        table.require(text.is_in([*TRUE, *FALSE]), column, "true or false is needed")
        series = text.is_in(list(TRUE))
    table.require(series.is_not_null(), column, "true or false is needed")
    return series.fill_null(False).to_numpy()


def identifiers(table: Table, column: str) -> "pl.Series":
    """Read a column as ids of matches; where a cell is empty the match has none, which is an empty text."""
    return _text(table, column).fill_null("")

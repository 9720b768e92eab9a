"""Reading cells as rosters: several names in one cell, whatever separates them."""

from typing import TYPE_CHECKING

from .aliases import ALSO_IN_NAMES, ROSTER_SEPARATORS
from .table import Table
from .text import text_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["check_names", "rosters"]

_NEVER = "\x00"  # a separator that is in no text


def check_names(table: Table, column: str, kind: "pl.DataType") -> None:
    """Raise an Error if the type of a column cannot hold names."""
    import polars as pl

    if kind.is_float():
        raise table.kind_error(column, "names must be text or whole numbers (a float cannot hold ids of 16 digits)")
    if not (kind in (pl.String, pl.Categorical, pl.Enum, pl.Null) or kind.is_integer()):
        raise table.kind_error(column, "names must be text or whole numbers")


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
            check_names(table, column, one.dtype.inner)  # type: ignore[attr-defined]
        lists = [one.cast(pl.List(pl.String)) for one in lists]
    else:
        for column in columns:
            check_names(table, column, table.frame[column].dtype)
        texts = [text_of(table, column) for column in columns]
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

"""Fill in dates and matches that are given only in the first row of each block, as in merged cells of a spreadsheet."""

from dataclasses import replace
from typing import TYPE_CHECKING

from ....errors import Option, Piece
from ....text import count
from ...cells.text import text_of
from ...names.spelling import plain_name
from ...read_context import Table, list_names
from ..roles.aliases import COMMON, HEATS, LONG, PARTS, ROUND, TABLES
from ..roles.infer_columns import are_times

if TYPE_CHECKING:
    import polars as pl

SAMPLE = 200  # rows in which an empty cell must occur
LEAST = 1 / 3  # a smaller fraction of empty cells are cells that were forgotten
_TIMES = frozenset(COMMON["time"].split())
_YEARS = frozenset(["year", "jahr", "annee", "ano", "anno", "год", "season", "saison", "temporada"])
_MATCHES = frozenset(f"{LONG['match']} {HEATS}".split())
_WITH_TIMES = _MATCHES | frozenset(f"{' '.join(PARTS)} {ROUND} {TABLES}".split())
_WHO = frozenset(f"{LONG['player']} {LONG['players']} {LONG['team']}".split())


def fill_down(table: Table) -> Table:
    """Return the table with the dates, rounds and matches of each block in all of its rows.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"date": ["2026-05-01", "", "2026-05-08", ""], "winner": ["ann", "bob", "ann", "cat"]})
    >>> fill_down(Table(frame, "the frame")).frame["date"].to_list()
    ['2026-05-01', '2026-05-01', '2026-05-08', '2026-05-08']
    """
    import polars as pl

    names = table.decide("columns that are filled in once per block", lambda: _find(table) or None)
    names = [name for name in names or () if name in table.frame.columns]
    if not names:
        return table
    cells = {name: text_of(table, name) for name in names}
    number = sum(column.null_count() for column in cells.values())
    whole = [pl.Series(name, column.forward_fill()).cast(table.frame[name].dtype) for name, column in cells.items()]
    cells_filled = count(number, "cell", "cells")
    pieces: tuple[Piece, ...] = (f"{list_names(names)}: an empty cell has the value of the row above ({cells_filled})",)
    if (time := next((name for name in names if _holds_times(table, name)), None)) is not None:
        pieces += ("; use ", Option("columns", {"time": None}), " to read no dates")
    table.note("filled-down", *pieces, column=time or names[0], number=number)
    return replace(table, frame=table.frame.with_columns(whole))


def _find(table: Table) -> list[str]:
    if "time" in (given := table.choices.columns or {}) and given["time"] is None:
        return []
    blocks = {}
    for name in table.frame.columns:
        plain = plain_name(name)
        known = plain in _TIMES or plain in _WITH_TIMES or any(word in plain for word in ("date", "datum"))
        if (known or name in table.frame.columns[:3]) and (filled := _blocks(table, name)) is not None:
            blocks[name] = filled
    times = [name for name in blocks if _holds_times(table, name)]
    if times:
        first = blocks[times[0]]
        return [name for name, filled in blocks.items() if name in times or (_goes_along(name, filled, first))]
    # Without a date, only the column that identifies the matches is filled in.
    if not any(plain_name(name) in _WHO for name in table.frame.columns):
        return []
    matches = [name for name in table.frame.columns if plain_name(name) in _MATCHES]
    return matches[:1] if matches and all(name in blocks for name in matches) else []


def _goes_along(name: str, filled: "pl.Series", times: "pl.Series") -> bool:
    # A block may have several matches, but each new date starts a match or round, too. A player may be named once.
    return filled.equals(times) or (plain_name(name) in _WITH_TIMES and bool(filled.filter(times).all()))


def _blocks(table: Table, name: str) -> "pl.Series | None":
    """Return which cells of a column are filled, if every value is given only in the first row of a block."""
    import polars as pl

    series = table.frame[name]
    if series.dtype.is_nested() or not len(series):
        return None
    if not series.has_nulls() and not (
        series.dtype == pl.String and (series.head(SAMPLE).str.strip_chars() == "").any()
    ):
        return None  # the usual case
    text = text_of(table, name)
    cells = text.drop_nulls()
    if text[0] is None or len(cells) < 2 or text.null_count() < max(2, LEAST * len(text)):
        return None
    return None if (cells.shift(-1) == cells).any() else text.is_not_null()


def _holds_times(table: Table, name: str) -> bool:
    # A measured time is empty for each player who did not finish; a year is a number.
    return are_times(table, name) or plain_name(name) in _YEARS

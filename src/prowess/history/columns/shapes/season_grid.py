"""Read a season grid: a row per player, and a column for each race with places such as 3, 2P, (4), Ret and DSQ."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...cells.numbers import numbers
from ...cells.places import ranks
from ...cells.text import text_of
from ...cells.words import MONTH_NUMBERS
from ...names.spelling import plain_name
from ...read_context import Problems, Table
from ..roles.aliases import LONG, PARTS, STANDINGS
from .grids import Grid, Kinds, player_name_column, with_rows
from .summary_rows import summary_columns

if TYPE_CHECKING:
    import polars as pl

LEAST = 3  # minimum number of races
COLUMNS = 200  # a table with more columns is no season grid
# 2P started from the pole position, and 1F drove the fastest lap.
_PLACE = r"^[(\[]?\s*(\d{1,3})\s*[.ºª]?\s*[PFpf*†‡^]{0,3}\s*[)\]]?$"
_WORD = r"^[(\[]?\s*(\p{L}[\p{L}/.]{0,11}?)\.?\s*\d*[*†]?\s*[)\]]?$"
_OTHERS = "no nr number grid start startnr startno quali qualifying age born jahrgang seed bib sail sailno"
_NOT_RACES = {word for words in (*LONG.values(), *PARTS, *STANDINGS, _OTHERS) for word in words.split()}
_LAP = re.compile(r"(?:lap|runde|tour|vuelta|giro|split|km)\d+")


def read_season_grid(table: Table, kinds: Kinds) -> Grid | None:
    """Convert a season grid to a table with a row per player of each race, and its roles; None for other tables."""
    import polars as pl

    who = player_name_column(table, kinds)
    if who is None or table.frame.width > COLUMNS or text_of(table, who).drop_nulls().is_duplicated().any():
        return None
    cells = {
        column: text_of(table, column)
        for column in table.frame.columns[table.frame.columns.index(who) + 1 :]
        if table.frame[column].dtype in (pl.String, pl.Int64) and plain_name(column) not in _NOT_RACES
    }
    cells = {column: text for column, text in cells.items() if not _LAP.fullmatch(plain_name(column))}
    races = [column for column, text in cells.items() if _are_places(text)]
    held, role = "places", "rank"
    if len(races) < LEAST:
        races, held, role = _months(table, kinds), "scores, where the highest is best", "score"
    if len(races) < LEAST:
        return None
    others = [name for name in kinds["name"] if name not in ("row", "race", "result", who, *races)]
    frame = table.frame.select(who, *others, *races).with_row_index("row")
    long = frame.unpivot(races, index=["row", who, *others], variable_name="race", value_name="result")
    text = pl.col("result").cast(pl.String).str.strip_chars()
    if role == "rank":
        text = text.str.replace(_PLACE, "$1").str.replace(_WORD, "$1")
    long = long.with_columns(text).filter(pl.col("result").str.len_chars() > 0)
    values = replace(with_rows(table, long.drop("row"), long["row"].to_list()), reserved=dict.fromkeys(others, True))
    if role == "rank":
        trial = replace(values, problems=Problems(), remarks=[])
        ranks(trial, "result")
        if len(trial.problems):
            return None
    values.note("race-columns", f"a column per race ({races[0]} to {races[-1]}) with {held}", number=len(races))
    return values, {"match": "race", "player": who, role: "result"}


def _are_places(text: "pl.Series") -> bool:
    """Return whether the cells of a column are places from 1 to the number of players, or words such as Ret."""
    filled = text.drop_nulls()
    place = filled.str.extract(_PLACE).cast(float)
    word = place.is_null() & filled.str.contains(_WORD)
    values = place.drop_nulls().to_numpy()
    if not len(values) > 1 or not (place.is_not_null() | word).all() or 2 * len(values) < len(filled):
        return False
    return len(np.unique(values)) == len(values) and bool(values.min() == 1) and bool(values.max() <= len(text))


def _months(table: Table, kinds: Kinds) -> list[str]:
    """Return the columns named after months, if another column has their total."""
    columns = [column for column in kinds["number"] if plain_name(column) not in LONG["rank"].split()]
    races = [column for column in columns if column.casefold() in MONTH_NUMBERS]
    if len(races) < LEAST:
        return []
    trial = replace(table, problems=Problems(), remarks=[])
    kept = [*races, *(column for column in columns if column not in races)]
    return races if summary_columns(kept, np.stack([numbers(trial, column) for column in kept], axis=1)) else []

"""What some columns hold, where their names alone would give them a role that they cannot play."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..cells.durations import seconds
from ..cells.places import ranks, words
from ..cells.results import PLAYED
from ..cells.text import text_of
from ..cells.win_loss import word_results
from ..cells.words import YES_NO
from ..names import plain_name
from ..read_context import Problems, Table
from .aliases import LONG

if TYPE_CHECKING:
    import polars as pl

__all__ = ["sample_of", "unfit"]

SAMPLE = 1000  # rows that are looked at
BLANK = 0.2  # of the rows have no team: it is a club, which some have
_TIME = frozenset(("time", "zeit", "tiempo", "temps", "tempo", "время"))


def sample_of(table: Table) -> Table:
    """Give the first rows of a table, in which nothing is noted."""
    return replace(table, frame=table.frame.head(SAMPLE), remarks=[], problems=Problems(), left_out=[])


def unfit(table: Table) -> dict[str, set[str]]:
    """Give for roles of a file with a row per player the columns that cannot play them, whatever they are called.

    A time such as 38:12 is how long somebody took, and no moment; a position such as "goalkeeper" is no place; a club
    that some do not have is no team; and a result that is no win and no loss says nothing.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"race": ["a", "a"], "position": ["left", "right"], "time": ["38:12", "41:05"]})
    >>> unfit(Table(frame, "races"))
    {'rank': {'position'}, 'moment': {'time'}}
    """
    found: dict[str, set[str]] = {}
    names = {column: plain_name(column) for column in table.frame.columns if not table.frame[column].dtype.is_nested()}
    for role, holds in (("rank", _holds_places), ("result", _holds_wins), ("team", _is_filled)):
        for column in (column for column, name in names.items() if name in LONG[role].split()):
            if not holds(sample_of(table), column):
                found.setdefault(role, set()).add(column)
    match = next((column for name in LONG["match"].split() for column in names if names[column] == name), None)
    for column in (column for column, name in names.items() if name in _TIME):
        taken = _holds_durations(sample_of(table), column, match)
        found.setdefault("moment" if taken else "duration", set()).add(column)
    return found


def _holds_places(sample: Table, column: str) -> bool:
    """Tell whether at least half of the cells that hold something can be read as places, or as words instead."""
    given = sample.frame[column].count()
    ranks(sample, column)
    return 2 * len(sample.problems) <= given


def _holds_wins(sample: Table, column: str) -> bool:
    text = text_of(sample, column)
    return bool(2 * np.count_nonzero(word_results(sample, column, YES_NO).state == PLAYED) > text.count())


def _is_filled(sample: Table, column: str) -> bool:
    """Tell whether nearly everybody has a team; a row that ends before it says nothing."""
    import polars as pl

    columns = sample.frame.columns
    after = [text_of(sample, other).is_not_null() for other in columns[columns.index(column) + 1 :]]
    text = text_of(sample, column)
    if after:
        text = text.filter(text.is_not_null() | pl.DataFrame(after).select(pl.any_horizontal(pl.all())).to_series())
    return text.null_count() <= BLANK * len(text)


def _holds_durations(sample: Table, column: str, match: str | None) -> bool:
    """Tell whether a column says how long somebody took: 38:12, or numbers that differ in nearly every match."""
    import polars as pl

    if sample.frame[column].dtype != pl.String:
        return False
    text = text_of(sample, column)
    given = text.drop_nulls()
    taken = np.array([seconds(cell) for cell in given], np.float64)
    unplaced, absent = words(sample, column)
    read = np.count_nonzero(~np.isnan(taken)) + np.count_nonzero(unplaced | absent)
    if not len(given) or 2 * read < len(given):
        return False
    return bool(given.str.contains(":").any()) or (match is not None and _differ(text, sample.frame[match]))


def _differ(values: "pl.Series", match: "pl.Series") -> bool:
    """Tell whether values differ within nearly all matches of several rows."""
    import polars as pl

    frame = pl.DataFrame({"match": match.cast(pl.String), "value": values}).drop_nulls()
    counts = frame.group_by("match").agg(pl.len().alias("rows"), pl.col("value").n_unique().alias("different"))
    several = counts.filter(pl.col("rows") > 1)
    return bool(len(several)) and bool((several["different"] > 1).mean() > 1 - BLANK)  # type: ignore[operator]

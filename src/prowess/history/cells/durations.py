"""How long it took, as races are timed: 1:02:45.3, 59.87, 2h 10m 5s; who was faster is placed before."""

import re

import numpy as np

from ...text import count
from ..read_context import Table
from .places import Places, words
from .text import intern, text_of

__all__ = ["durations", "seconds"]

_CLOCK = re.compile(r"\+?(?:(?:(\d+)[:h]\s*)?(\d{1,3})[:m']\s*)?(\d{1,6}(?:[.,]\d+)?)\s*(?:s|sec|''|\")?")


def seconds(text: str) -> float:
    """Give the seconds of a time that was taken, NaN for what is none.

    >>> seconds("1:02:45.5"), seconds("59,87"), seconds("DNF")
    (3765.5, 59.87, nan)
    """
    found = _CLOCK.fullmatch(text.strip())
    if found is None:
        return np.nan
    hours, minutes, rest = (float((part or "0").replace(",", ".")) for part in found.groups())
    return 3600 * hours + 60 * minutes + rest


def durations(table: Table, column: str) -> Places:
    """Read a column of times taken, in seconds, as what ranks them; who has a word, or nothing, did not finish."""
    import polars as pl

    series = table.frame[column]
    if series.dtype.is_numeric():
        nobody = np.zeros(len(series), bool)
        return Places(series.cast(pl.Float64).fill_null(float("nan")).to_numpy(), nobody, nobody)
    text = text_of(table, column)
    empty = text.is_null().to_numpy()
    code, different = intern(text.fill_null(""))
    taken = np.array([seconds(one) for one in different], np.float64)[code]
    unplaced, absent = words(table, column)
    read = ~np.isnan(taken) | unplaced | absent | empty
    table.require(pl.Series(read), column, "a time such as 1:02:45.3 is needed")
    if empty.any():
        number = int(empty.sum())
        shared = f"{count(number, 'entry shares', 'entries share')} the last place of the match"
        table.note("missing-durations", f"no time in column {column!r}: {shared}", column=column, number=number)
    return Places(taken, unplaced, absent)

"""Times of day in a column of their own, beside the dates."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ....text import count
from ...read_context import Table
from ...times import DAY, Stamp, Times
from ..unique_values import Distinct
from .patterns import MISSING, clock_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["with_clock"]

_BAD = "it is no time of day such as 15:00 or 3pm"


def with_clock(table: Table, times: Times, column: str) -> Times:
    """Add the time of day in a column to dates; a row without one stands at midnight."""
    text = _as_text(table.frame[column])
    if times.kind != "date" or text is None:
        what = "the times of the matches have their time of day" if times.kind != "date" else "it holds no times of day"
        table.note("unused-clock-column", f"column {column!r} is not used: {what}", column=column)
        return times
    cells = Distinct.of(table, column, text)
    found = [clock_of(one) for one in cells.values]
    missing = np.array([one.casefold() in MISSING for one in cells.values])
    good = np.array([one is not None for one in found])
    if 2 * cells.count(good) <= cells.count(~missing):
        table.note("unused-clock-column", f"column {column!r} is not used: it holds no times of day", column=column)
        return times
    stamps = [Stamp("timestamp", None) if one is None else one[0] for one in found]
    common = max(set(stamps), key=lambda stamp: cells.count(good & np.array([one == stamp for one in stamps])))
    alike = np.array([one == common for one in stamps])
    cells.reject(~good & ~missing, _BAD)
    cells.reject(good & ~alike, f"most times of day of this column are {_zone(common)}: write all of them so")
    if (empty := cells.count(missing)) > 0:
        rows = f"{count(empty, 'row', 'rows')}: {'it stands' if empty == 1 else 'they stand'} at the start of the day"
        table.note("empty-clock", f"column {column!r} is empty in {rows}", column=column, number=empty)
    micros = np.array([0 if one is None else one[1] for one in found], np.int64)
    return replace(times, number=times.number + cells.spread(micros), kind="timestamp", zone=common.zone)


def _zone(stamp: Stamp) -> str:
    return "without a zone" if stamp.zone is None else f"in the zone {stamp.zone}"


def _as_text(series: "pl.Series") -> "pl.Series | None":
    """Give times of day as text: what is text, or a whole number such as 1500, or a part of a day."""
    import polars as pl

    if series.dtype.is_float():
        part = series.fill_null(0.0).fill_nan(0.0)
        if not ((part >= 0) & (part < 1)).all():
            return None
        micros = (part * DAY / 1e6).round().cast(pl.Int64) * 1_000_000
        series = series.is_null().replace_strict({True: None, False: 0}, return_dtype=pl.Int64) + micros
        series = (series * 1000).cast(pl.Time)
    if series.dtype in (pl.String, pl.Time, pl.Categorical, pl.Enum) or series.dtype.is_integer():
        return series.cast(pl.String).str.strip_chars().fill_null("")
    return None

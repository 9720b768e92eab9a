"""Reading a whole column of times, by the same rules as `times.parse_time` reads one."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import Error
from .cells import intern
from .draft import Times
from .ragged import Ints
from .table import Table
from .times import DAY, PATTERNS, Kind, Stamp, agree, checked, has_clock, parse_time, zone_name, zone_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_times"]


def read_times(table: Table, column: str) -> Times | None:
    """Read the time of each row; a column that is empty throughout gives None."""
    import polars as pl

    time_format, utc = table.choices.time_format, table.choices.utc

    series = table.frame[column]
    kind = series.dtype
    if kind in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
    if series.dtype == pl.String:
        text = series.str.strip_chars()
        series = text.set(text == "", None) if (text == "").any() else text
    if series.null_count() == len(series):
        return None
    table.require(series.is_not_null(), column, "give a time to every match, or to none")
    if series.has_nulls():
        return None
    if series.dtype == pl.String:
        return _text_times(table, column, series, time_format, utc)
    if kind == pl.Date or isinstance(kind, pl.Datetime):
        return _calendar_times(table, column, series, utc)
    if not kind.is_numeric():
        raise table.kind_error(column, "times must be dates, timestamps, numbers or text")
    number = series.cast(pl.Float64)
    table.require(number.is_finite(), column, "a time must be a finite number")
    return Times(number.to_numpy(), "number", None)


def _calendar_times(table: Table, column: str, series: "pl.Series", utc: bool) -> Times:
    import polars as pl

    kind: Kind = "date" if series.dtype == pl.Date else "timestamp"
    zone = getattr(series.dtype, "time_zone", None)
    number = series.cast(pl.Datetime("us", zone)).to_physical().to_numpy()
    for row in (int(number.argmin()), int(number.argmax())):
        try:
            checked(kind, zone, int(number[row]))
        except Error as error:
            raise table.error(row, f"column {column!r}: {error}") from None
    return Times(number, kind, "UTC" if utc and zone else zone)


@dataclass(frozen=True)
class _Read:
    """The numbers of some texts, and which of the stamps each has; the stamps stand in order of first appearance."""

    number: Sequence[float] | NDArray[np.int64] | NDArray[np.float64]
    stamp: Ints
    stamps: Sequence[Stamp]


def _text_times(table: Table, column: str, text: "pl.Series", time_format: str | None, utc: bool) -> Times:
    """Read each different text once, all at once where they are of one format, else one by one."""
    code, different = intern(text)

    def error(which: int, message: Error) -> Error:
        return table.error(int(np.argmax(code == which)), f"column {column!r} holds {different[which]!r}: {message}")

    read = _fast(different, time_format) or _slow(different, time_format, error)
    common = read.stamps[0]
    for number, stamp in enumerate(read.stamps):
        try:
            common = agree(common, stamp, utc)
        except Error as message:
            raise error(int(np.argmax(read.stamp == number)), message) from None
    times = Times.of(read.number, common)
    return replace(times, number=times.number[code])


def _slow(text: "pl.Series", time_format: str | None, error: Callable[[int, Error], Error]) -> _Read:
    numbers, stamp = [], []
    stamps: dict[Stamp, int] = {}
    for which, one in enumerate(text):
        try:
            kind, zone, number = parse_time(one, time_format)
        except Error as message:
            raise error(which, message) from None
        numbers.append(number)
        stamp.append(stamps.setdefault(Stamp(kind, zone), len(stamps)))
    return _Read(numbers, np.array(stamp, np.int32), list(stamps))


def _fast(text: "pl.Series", time_format: str | None) -> _Read | None:
    """Read texts that are all of one format without a Python object for each; None where anything is unusual."""
    import polars as pl

    if time_format is not None:
        return _by_format(text, time_format)
    number = text.cast(pl.Float64, strict=False)
    if number.is_finite().all(ignore_nulls=False):
        return _Read(number.to_numpy(), np.zeros(len(text), np.int32), [Stamp("number", None)])
    return next(filter(None, (_by_pattern(text, pattern) for pattern in PATTERNS)), None)


def _by_format(text: "pl.Series", time_format: str) -> _Read | None:
    import polars as pl

    # Only these directives mean the same in Polars as in Python (the two disagree about the century of "69").
    if set(re.findall("%(.)", time_format)) - set("dmYHMSBb"):
        return None
    stamp = Stamp("timestamp", None) if has_clock(time_format) else Stamp("date", None)
    try:
        day = text.str.strptime(pl.Datetime("us") if has_clock(time_format) else pl.Date, time_format)
    except pl.exceptions.PolarsError:
        return None
    return _Read(day.cast(pl.Datetime("us")).to_physical().to_numpy(), np.zeros(len(text), np.int32), [stamp])


def _by_pattern(text: "pl.Series", pattern: str) -> _Read | None:
    import polars as pl

    part = text.str.extract_groups(pattern).struct.unnest()
    if part["year"].has_nulls():
        return None
    day = pl.concat_str("year", "month", "day", separator="-").str.to_date("%Y-%m-%d", strict=False)
    hour, minute, second = (pl.col(name).cast(pl.Int64).fill_null(0) for name in ("hour", "minute", "second"))
    micro = pl.col("fraction").str.pad_end(6, "0").str.slice(0, 6).cast(pl.Int64).fill_null(0)
    found = part.select(
        sound=day.is_not_null() & (hour < 24) & (minute < 60) & (second < 60),
        number=day.cast(pl.Int32).cast(pl.Int64) * DAY + ((hour * 60 + minute) * 60 + second) * 1_000_000 + micro,
        zone=pl.when(pl.col("hour").is_null()).then(pl.lit("date")).otherwise(pl.col("zone").fill_null("naive")),
    )
    if not found["sound"].all(ignore_nulls=False):
        return None
    spelling, zones = intern(found["zone"])
    try:
        stamps, offsets = zip(*map(_stamp, zones), strict=True)
        number = found["number"].to_numpy() - np.array(offsets, np.int64)[spelling]
        for extreme in (number.min(), number.max()):
            checked("timestamp", "UTC", int(extreme))
    except ValueError:  # an offset of a day or more
        return None
    return _Read(number, spelling, stamps)


def _stamp(zone: str) -> tuple[Stamp, int]:
    """Give the stamp of a spelling of a zone, and its offset in microseconds."""
    if zone in ("date", "naive"):
        return Stamp("date" if zone == "date" else "timestamp", None), 0
    name = zone_name(zone)
    offset = zone_of(name).utcoffset(None)
    return Stamp("timestamp", name), 0 if offset is None else offset // timedelta(microseconds=1)

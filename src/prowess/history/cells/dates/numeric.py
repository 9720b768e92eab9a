"""Numbers in a time column: plain numbers, Unix times, spreadsheet day numbers, or dates such as 20260131."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...ragged import Floats
from ...times import DAY, Stamp

Meaning = Literal["number", "unix", "excel", "compact"]
Micros = NDArray[np.int64]
NAT = np.iinfo(np.int64).min  # marks a value that is not a time
EARLIEST, LATEST = 1800, 2199  # years for which a number such as 20260131 is read as a date

MOST = 0.9  # fraction of the numbers that must fit a meaning
FEW = 3  # number of numbers that decide about a single other one
# Units of Unix times, from seconds to nanoseconds: the limit below which a number is in this unit, and the length of
# the unit in microseconds.
_UNITS = ((1e11, 1e6), (1e14, 1e3), (1e17, 1.0), (np.inf, 1e-3))
_UNIX = (1e9, 4.2e9)  # in seconds: the years 2001 to 2103
_EXCEL = (30_000, 60_000)  # in days since the end of 1899: the years 1982 to 2064
_EXCEL_START = -25_569  # day 0 of spreadsheets, in days since 1970
_DATE_WORDS = ("date", "datum", "fecha", "data", "datetime", "дата", "日期", "日付")


def meaning_of(values: Floats, weight: NDArray[Any], column: str) -> Meaning:
    """Guess what the numbers in a time column mean, from their size and the column's name.

    `weight` is the number of rows that hold each number.

    >>> meaning_of(np.array([20260131.0, 20260201.0]), np.ones(2), "date")
    'compact'
    >>> meaning_of(np.array([2025.0, 2026.0]), np.ones(2), "date")
    'number'
    """
    meanings: tuple[Meaning, ...] = ("compact", "unix", "excel")
    for meaning in meanings:
        if meaning == "excel" and not any(word in column.casefold() for word in _DATE_WORDS):
            continue
        fits, every = weight[in_range(values, meaning)].sum(), weight.sum()
        if fits >= max(MOST * every, 1) or fits == every - 1 >= FEW:  # a single number may be a typo
            return meaning
    return "number"


def in_range(values: Floats, meaning: Meaning) -> NDArray[np.bool_]:
    """Return a mask of the numbers that are plausible if the column has this meaning."""
    if meaning == "compact":
        return np.not_equal(_compact(values)[0], NAT)
    first, last = _EXCEL if meaning == "excel" else _UNIX
    measured = values if meaning == "excel" else values * _unit(values) / 1e6
    return np.less_equal(first, measured) & np.less_equal(measured, last)


def times_of_numbers(values: Floats, meaning: str) -> tuple[Stamp, Micros]:
    """Return the stamp (kind and zone) of numbers with this meaning, and their times in microseconds since 1970.

    A number that is not a time becomes NAT.

    >>> times_of_numbers(np.array([20260131.0]), "compact")
    (Stamp(kind='date', zone=None), array([1769817600000000]))
    """
    if meaning == "compact":
        number, clock = _compact(values)
        return Stamp("timestamp" if clock else "date", None), number
    limit = np.abs(values) < 1e20
    if meaning == "unix":
        return Stamp("timestamp", "UTC"), _whole(values * _unit(values), limit)
    number = _whole((values + _EXCEL_START) * DAY, limit & (np.abs(values) < 1e7))
    # Round to whole seconds, because a float that counts days is not more precise.
    second = np.where(number == NAT, NAT, (number + 500_000) // 1_000_000 * 1_000_000)
    whole = bool((second[number != NAT] % DAY == 0).all())
    return Stamp("date" if whole else "timestamp", None), second


def _whole(values: Floats, good: NDArray[np.bool_]) -> Micros:
    good = good & (np.abs(values) < 2.5e17)  # within the years 1 to 9999, and within a float's precision
    return np.where(good, np.rint(np.where(good, values, 0.0)).astype(np.int64), NAT)


def _unit(values: Floats) -> Floats:
    """Guess the unit of each Unix time (seconds, milli-, micro- or nanoseconds); return its length in microseconds."""
    limits, units = (np.array(column) for column in zip(*_UNITS, strict=True))
    unit: Floats = units[np.searchsorted(limits, np.abs(values), side="right").clip(max=len(units) - 1)]
    return unit


def _compact(values: Floats) -> tuple[Micros, bool]:
    """Convert numbers such as 20260131, 202601311030 and 20260131103000 to times.

    Also return whether any has a time of day.
    """
    sound = (np.abs(values) < 1e15) & (values == np.rint(values))
    whole = np.where(sound, values, 0.0).astype(np.int64)
    long, longer = whole >= 10**11, whole >= 10**13
    day = np.where(longer, whole // 10**6, np.where(long, whole // 10**4, whole))
    clock = np.where(longer, whole % 10**6, np.where(long, whole % 10**4 * 100, 0))
    year, month, date = day // 10_000, day // 100 % 100, day % 100
    sound &= (year >= EARLIEST) & (year <= LATEST) & (month >= 1) & (month <= 12)
    number = np.where(sound, (year - 1970) * 12 + month - 1, 0)
    first, after = (
        months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) for months in (number, number + 1)
    )
    sound &= (date >= 1) & (date <= after - first)
    hour, minute, second = clock // 10_000, clock // 100 % 100, clock % 100
    sound &= (hour < 24) & (minute < 60) & (second < 60)
    micros = (first + date - 1) * DAY + ((hour * 60 + minute) * 60 + second) * 1_000_000
    return np.where(sound, micros, NAT), bool((sound & long).any())

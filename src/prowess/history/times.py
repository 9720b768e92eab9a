"""Match times: plain numbers, dates and timestamps.

A time is a `kind` ("number", "date" or "timestamp"), a `zone` (None, or the UTC offset or name of the zone of an
aware timestamp) and a number: the plain number itself, or microseconds since 1970-01-01 (UTC, or naive).
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import Error, Option
from .ragged import Floats

Kind = Literal["number", "date", "timestamp"]
DAY = 86_400_000_000  # in microseconds
FIRST, LAST = -62_135_596_800_000_000, 253_402_300_800_000_000  # Python's calendar: the years 1 to 9999

EPOCH = datetime(1970, 1, 1)
_EPOCH_UTC = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class Stamp(NamedTuple):
    """The kind and zone of times; two times can be compared only if their kinds and zones agree."""

    kind: Kind
    zone: str | None


@dataclass(frozen=True)
class Times:
    """The times of all matches, of one kind and in one zone."""

    number: Floats | NDArray[np.int64]
    kind: Kind
    zone: str | None

    @classmethod
    def of(cls, numbers: ArrayLike, stamp: Stamp) -> "Times":
        """Make the times: plain numbers become floats; microseconds stay integers, which are more precise."""
        if stamp.kind == "number":
            return cls(np.asarray(numbers, np.float64), *stamp)
        return cls(np.asarray(numbers, np.int64), *stamp)


def show_time(kind: Kind, zone: str | None, number: float) -> date | datetime | float:
    """Return a time as a date, a datetime or a number: the inverse of `cells.dates.moments.parse_time`.

    >>> show_time("date", None, 86400000000)
    datetime.date(1970, 1, 2)
    """
    if kind == "number":
        return float(number)
    moment = timedelta(microseconds=int(number))
    if zone is not None:
        return (_EPOCH_UTC + moment).astimezone(zone_of(zone))
    return (EPOCH + moment).date() if kind == "date" else EPOCH + moment


def check_calendar(kind: Kind, zone: str | None, number: int) -> tuple[Kind, str | None, int]:
    """Return a calendar time unchanged; raises `Error` outside of Python's calendar, the years 1 to 9999."""
    try:
        show_time(kind, zone, number)
    except (ValueError, OverflowError):
        message = f"a time must be in the years 1 to 9999, not {number} microseconds from 1970"
        raise Error(message, field="time", value=number) from None
    return kind, zone, number


def agree(first: Stamp, second: Stamp, utc: bool = False) -> Stamp:
    """Return the common kind and zone of two times; raise `Error` if the times cannot be compared.

    With `utc`, times in different zones are converted to UTC.

    >>> agree(Stamp("date", None), Stamp("timestamp", None))
    Stamp(kind='timestamp', zone=None)
    >>> agree(Stamp("timestamp", "+01:00"), Stamp("timestamp", "+02:00"), utc=True)
    Stamp(kind='timestamp', zone='UTC')
    """
    if utc:
        first, second = (stamp if stamp.zone is None else Stamp("timestamp", "UTC") for stamp in (first, second))
    if first == second:
        return first
    if "number" in (first.kind, second.kind):
        raise Error("plain numbers and dates are mixed; give all times as numbers, or all as dates", field="time")
    if (first.zone is None) != (second.zone is None):
        aware = first.zone or second.zone
        message = f"mixed time zones: some times have a zone ({aware}) and some have none; give every time a zone"
        raise Error(message, field="time")
    if first.zone != second.zone:
        mixed = f"mixed time zones: {first.zone} and {second.zone}; use "
        raise Error(mixed, Option("utc", True), " to convert them to UTC", field="time")
    return Stamp("timestamp", first.zone)


def zone_of(zone: str) -> tzinfo:
    """Convert the stored name of a zone to a `tzinfo`.

    >>> zone_of("+02:00")
    datetime.timezone(datetime.timedelta(seconds=7200))
    """
    if zone == "UTC":
        return UTC
    if zone[0] in "+-":
        size = timedelta(hours=int(zone[1:3]), minutes=int(zone[4:]))
        return timezone(-size if zone[0] == "-" else size)
    from zoneinfo import ZoneInfo  # rarely needed, and slow to import

    return ZoneInfo(zone)


def zone_name(text: str) -> str:
    """Return the stored form of an offset: "Z", "GMT" and "+00:00" become "UTC", "+2" becomes "+02:00".

    >>> zone_name("Z"), zone_name("+0200"), zone_name("UTC+2")
    ('UTC', '+02:00', '+02:00')
    """
    offset = re.search(r"([+-])\s*([0-9]{1,2}?):?([0-9]{2})?$", text.strip())
    if offset is None or not (offset[2] + (offset[3] or "")).strip("0"):
        return "UTC"
    return f"{offset[1]}{offset[2].zfill(2)}:{offset[3] or '00'}"

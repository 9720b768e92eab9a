"""One time: parse a number, a date or a timestamp, given as a value or as a text."""

import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from math import isfinite, nan

import numpy as np

from ....errors import Error, Option, Piece
from ....validate import LARGEST
from ...times import EPOCH, MICROSECOND, Kind, Stamp, check_calendar, show_time, zone_name

NUMBER_FORMATS = ("number", "unix", "excel")  # plain numbers, seconds since 1970, spreadsheet day numbers
RIGHT = (
    "write a date such as 2026-01-31, a time such as 2026-01-31T10:00:00 (add Z or +02:00 for a zone),"
    " or a plain number"
)
OR_SAY: tuple[Piece, ...] = ("; or give the format, such as ", Option("time_format", "%d.%m.%Y"))
_RFC_3339 = re.compile(
    "[0-9]{4}-[0-9]{2}-[0-9]{2}[T ](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]{1,6})?"
    "(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?"
)


def parse_time(
    value: object, time_format: str | None = None, day_first: bool | None = None, *, suggest_format: bool = False
) -> tuple[Kind, str | None, float | int]:
    """Parse one time into its kind, zone and number; an ambiguous date raises an `Error`.

    `day_first` decides whether a date such as 01/02/2026 begins with the day or with the month. `time_format` is the
    strptime format of a text.

    `suggest_format` lets the error about an unreadable time suggest the option `time_format`.

    >>> parse_time("1970-01-02")
    ('date', None, 86400000000)
    >>> parse_time("1970-01-01T03:00:00+02:00")
    ('timestamp', '+02:00', 3600000000)
    >>> parse_time(7)
    ('number', None, 7.0)
    """
    if isinstance(value, str):
        return _from_text(value, time_format, day_first, suggest_format)
    if isinstance(value, (np.ndarray, list, tuple)) or (isinstance(value, int) and abs(value) > LARGEST):
        raise _unreadable(value, suggest_format)
    if value != value:  # NaN, NumPy's NaT, and pandas' NaT, which is a datetime
        raise _unreadable(value, suggest_format, "a time must not be {!r}: ")
    if isinstance(value, np.datetime64):
        return _from_numpy(value)
    if isinstance(value, datetime):
        return _from_datetime(value)
    if isinstance(value, date):
        return _naive("date", datetime(value.year, value.month, value.day))
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool) and isfinite(value):
        return "number", None, _within_limits(float(value))
    raise _unreadable(value, suggest_format)


def _unreadable(value: object, suggest_format: bool, text: str = "{!r} isn't a date I understand: ") -> Error:
    return Error(text.format(value), RIGHT, *(OR_SAY if suggest_format else ()), field="time", value=value)


def _within_limits(number: float) -> float:
    if abs(number) > LARGEST:
        raise Error(f"the time {number} is too large; it must be within ±{LARGEST:g}", field="time", value=number)
    return number


def _from_text(
    text: str, time_format: str | None, day_first: bool | None, suggest_format: bool
) -> tuple[Kind, str | None, float | int]:
    text = text.strip()
    if time_format is not None and time_format not in NUMBER_FORMATS:
        try:
            _, zone, moment = _from_datetime(datetime.strptime(text, time_format))
        except Error:
            raise
        except (ValueError, re.error):  # a format that repeats a directive raises re.error
            raise Error(f"{text!r}: ", *does_not_fit(time_format), field="time", value=text) from None
        return "timestamp" if has_clock(time_format) else "date", zone, moment
    if time_format is None and (calendar := _by_pattern(text, day_first)) is not None:
        return calendar
    number = nan
    with suppress(ValueError):
        number = float(text)
    if not isfinite(number):
        if time_format is None:
            raise _unreadable(text, suggest_format)
        raise Error(f"{text!r}: ", *does_not_fit(time_format), field="time", value=text)
    if time_format in ("unix", "excel"):
        from .numeric import times_of_numbers

        stamp, moments = times_of_numbers(np.array([number]), time_format)
        return check_calendar(*stamp, int(moments[0]))
    return "number", None, _within_limits(number)


def does_not_fit(time_format: str) -> tuple[Piece, ...]:
    """Return the message for a text that does not fit the user's format."""
    return "this does not fit ", Option("time_format", time_format)


def _by_pattern(text: str, day_first: bool | None) -> tuple[Kind, str | None, int] | None:
    # The result is None if no pattern fits, or if the day does not exist.
    if (usual := _iso(text)) is not None:
        return usual
    from .parser import match_date, moment, possible_orders

    parts = match_date(text)
    if parts is None:
        return None
    read: dict[str, tuple[Stamp, int]] = {}
    possible = possible_orders(parts)
    for order in possible if day_first is None or len(possible) == 1 else possible[:1] if day_first else possible[1:2]:
        try:
            read[order] = moment(parts, order)
        except Error:
            raise
        except ValueError:  # such as 31 February, or year 0
            continue
    if len(set(read.values())) > 1 and text[parts.end("one")] != ".":  # in a date with dots, the day comes first
        days = " or ".join(str(show_time("date", None, number))[:10] for _, number in read.values())
        raise Error(f"{text!r} is ambiguous; write {days}", field="time", value=text)
    for stamp, number in read.values():
        return *stamp, number
    return None


def _iso(text: str) -> tuple[Kind, str | None, int] | None:
    # Parsing the usual forms 2026-01-31 and 2026-01-31T10:00:00Z here is ten times as fast as trying all patterns.
    size = len(text)
    naive = size == 10 or (size == 19 and text[10] in "T " and text[13] == text[16] == ":")
    if not naive and (size < 20 or _RFC_3339.fullmatch(text) is None):
        return None
    try:
        moment = datetime.fromisoformat(text)
        return _from_datetime(moment) if not naive else _naive("date" if size == 10 else "timestamp", moment)
    except Error:
        raise
    except ValueError:  # the day does not exist
        return None


def _naive(kind: Kind, moment: datetime) -> tuple[Kind, None, int]:
    return kind, None, (moment - EPOCH) // MICROSECOND


def has_clock(time_format: str) -> bool:
    """Return whether a strptime format has a time of day, so that its values are timestamps, not dates."""
    return any("%" + letter in time_format for letter in "HIMSfTRXcpzZs")


def _from_datetime(value: datetime) -> tuple[Kind, str | None, int]:
    offset = value.utcoffset()
    if offset is None:
        return _naive("timestamp", value.replace(tzinfo=None))
    zone, number = getattr(value.tzinfo, "key", None), (value - EPOCH.replace(tzinfo=UTC)) // MICROSECOND
    if not offset:
        return "timestamp", zone or "UTC", number
    minutes, rest = divmod(abs(offset), timedelta(minutes=1))
    if rest and not zone:
        message = f"the UTC offset of a time must be a whole number of minutes, not {offset}"
        raise Error(message, field="time", value=offset)
    sign = "-" if offset < timedelta() else "+"
    return check_calendar("timestamp", zone or zone_name(f"{sign}{minutes // 60:02d}:{minutes % 60:02d}"), number)


def _from_numpy(value: np.datetime64) -> tuple[Kind, str | None, int]:
    whole_days = np.datetime_data(value.dtype)[0] in ("Y", "M", "W", "D")
    number = int(value.astype("datetime64[us]").astype(np.int64))
    return check_calendar("date" if whole_days else "timestamp", None, number)

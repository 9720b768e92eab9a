"""Parse dates and timestamps in text: one at a time in Python, or a uniform column at once with Polars.

Regular expressions split a text into its parts. From these parts, `template` makes a format for the whole column.
"""

import re
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ....errors import Error
from ...ragged import Ints
from ...times import DAY, EPOCH, FIRST, LAST, MICROSECOND, Stamp, check_calendar, zone_name, zone_of
from ..words import ENGLISH_MONTHS, MONTH_NUMBERS, WEEKDAYS
from .numeric import EARLIEST, LATEST, NAT, Micros

if TYPE_CHECKING:
    import polars as pl

Order = Literal["dmy", "mdy", "ymd"]
ORDERS: tuple[Order, ...] = ("dmy", "mdy", "ymd")  # orders of three numbers whose positions are ambiguous
LONGEST = 60  # maximum length of a date
TEMPLATES = 40  # number of notations tried on a whole column; texts in other notations are read one by one
MANY = 100_000  # if more texts than this remain, a sample is read first; if it holds no date, all are skipped
MISSING = frozenset(("", "-", "–", "—", "?", "na", "n/a", "nan", "nat", "none", "null", "tba", "tbc", "tbd", "unknown"))

# The separators include the East Asian characters for year and month.
_GAP = "(?:\\s*[-/.,\u2010-\u2014\u5e74\u6708\ub144\uc6d4]\\s*|\\s+)"
_WORD = r"[^\W\d_]+(?:-[^\W\d_]+)?"
_WEEKDAY = rf"(?:(?P<weekday>{_WORD})\.?\s*,?\s+)?"
_NAME = r"(?P<name>[^\W\d_]+)\.?"
_YEAR = "(?P<year>[0-9]{4})"
# The year may be followed by the Russian words for "year".
_ANY_YEAR = "'?(?P<year>[0-9]{4}|[0-9]{2})(?:\\s*(?:\u0433|\u0433\u043e\u0434\u0430)\\.?)?"
_TIME = (
    r"(?P<hour>[0-9]{1,2})(?:[:h.](?P<minute>[0-9]{2})(?:[:.](?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,9}))?)?)?"
    r"(?:\s*(?P<half>[ap]\.?m\b\.?|[ap]\b))?(?P<mark>\s*(?:uhr|hrs?|h)\b)?"
)
_ZONE = r"(?:\s*(?P<zone>z|(?:utc|gmt)?\s*[+-][0-9]{1,2}(?::?[0-9]{2})?|utc|gmt))?"
_COMPACT = "(?P<compact>)(?P<year>[0-9]{4})(?P<month>[0-9]{2})(?P<day>[0-9]{2})"
_CLOCK = rf"(?:(?:t|\s*[,;]?\s+(?:(?:at|um|kl|om|alle|à|в|@|-)\s+)?){_TIME}{_ZONE})?"
_PATTERNS = (
    rf"{_WEEKDAY}{_YEAR}{_GAP}(?P<month>[0-9]{{1,2}}){_GAP}(?P<day>[0-9]{{1,2}})[.\u65e5\uc77c]?{_CLOCK}",
    rf"{_WEEKDAY}(?P<one>[0-9]{{1,2}}){_GAP}(?P<two>[0-9]{{1,2}}){_GAP}{_ANY_YEAR}{_CLOCK}",
    rf"{_WEEKDAY}(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th|er|[.ºª°])?[\s./-]*(?:(?:of|de)\s+)?{_NAME}[\s,./-]*"
    rf"(?:(?:of|del?)\s+)?{_ANY_YEAR}{_CLOCK}",
    rf"{_WEEKDAY}{_NAME}[\s-]*(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?(?:\s*,\s*|[\s.-]+){_ANY_YEAR}{_CLOCK}",
    rf"{_WEEKDAY}{_NAME}\s+(?P<day>[0-9]{{1,2}})\s+{_TIME}{_ZONE}\s+{_YEAR}",
    rf"{_YEAR}[\s./-]*{_NAME}[\s./-]*(?P<day>[0-9]{{1,2}}){_CLOCK}",
    rf"{_COMPACT}{_CLOCK}",
    rf"{_COMPACT}(?:[t\s]?(?P<hour>[0-9]{{2}}):?(?P<minute>[0-9]{{2}})(?::?(?P<second>[0-9]{{2}}))?{_ZONE})",
    rf"{_YEAR}[-/](?P<month>[0-9]{{1,2}})",
    rf"(?P<month>[0-9]{{1,2}})/{_YEAR}",
    rf"{_NAME}[\s,/-]*{_YEAR}",
    rf"{_YEAR}-?w(?P<week>[0-9]{{2}})(?:-?(?P<weekday_number>[1-7]))?",
)
_Match = re.Match[str]
_SHAPES = {  # the pattern of each part of a date, and its directive for Polars
    "month": ("[0-9]{1,2}", "%m"), "day": ("[0-9]{1,2}", "%d"), "name": ("[A-Za-z]{3,9}", "%B"),
    "minute": ("[0-5][0-9]", "%M"), "second": ("[0-5][0-9]", "%S"), "fraction": ("[0-9]{1,9}", "%.f"),
    "half": ("[AaPp][Mm]", "%p"),
}  # fmt: skip
_OF_ORDER = {"d": "day", "m": "month", "y": "year"}


@cache
def _compiled() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in _PATTERNS)


def match_date(text: str) -> _Match | None:
    """Split a text that is written like a date or time into its parts; return None for other text.

    The date need not exist: 30 February is accepted here.

    >>> match_date("Sat 31 Jan 2026")["year"], match_date("soon")
    ('2026', None)
    """
    for pattern in _compiled() if len(text) <= LONGEST else ():
        parts = pattern.fullmatch(text)
        if parts is None:
            continue
        part = parts.groupdict()
        name, weekday = part.get("name"), part.get("weekday")
        if (not name or name.casefold() in MONTH_NUMBERS) and (not weekday or weekday.casefold() in WEEKDAYS):
            is_plausible = "compact" not in part or EARLIEST <= int(part["year"]) <= LATEST
            if is_plausible and _is_clock(part):
                return parts
    return None


def _is_clock(part: dict[str, str | None]) -> bool:
    """Return False if the time of day is a bare hour, without minutes, "am", "pm" or a word such as "Uhr"."""
    return not part.get("hour") or bool(part["minute"] or part["half"] or part["mark"])


def possible_orders(parts: _Match) -> tuple[Order, ...]:
    """Return the possible orders of a date's numbers; an unambiguous notation has only one order."""
    if "one" not in parts.groupdict():
        return ORDERS[:1]
    return ORDERS if len(parts["year"]) == len(parts["one"]) == 2 else ORDERS[:2]


def moment(parts: _Match, order: Order) -> tuple[Stamp, int]:
    """Return the stamp and the time, in microseconds since 1970, of a text whose numbers are in the given order.

    The stamp is the kind and the zone of the time. A time with a zone is converted to UTC.

    Raises `ValueError` for a date that does not exist.

    >>> moment(match_date("02/01/1970"), "dmy")
    (Stamp(kind='date', zone=None), 86400000000)
    """
    part = parts.groupdict()
    if "one" in part:
        numbers = dict(zip(order, (parts["one"], parts["two"], parts["year"]), strict=True))
        year, month, day = numbers["y"], int(numbers["m"]), int(numbers["d"])
    else:
        name, year, day = part.get("name"), parts["year"], int(part.get("day") or 1)
        month = MONTH_NUMBERS[name.casefold()] if name else int(part.get("month") or 1)
    number = int(year) if len(year) == 4 else int(year) + (1900 if int(year) >= 70 else 2000)
    if part.get("week"):
        whole = date.fromisocalendar(number, int(parts["week"]), int(part["weekday_number"] or 1))
    else:
        whole = date(number, month, day)
    start = (datetime(whole.year, whole.month, whole.day) - EPOCH) // MICROSECOND
    if not part.get("hour"):
        return Stamp("date", None), start
    stamp, offset = zone_stamp(part["zone"])
    result = start + _micros(part) - offset
    if offset:
        check_calendar("timestamp", stamp.zone, result)
    return stamp, result


def zone_stamp(zone: str | None) -> tuple[Stamp, int]:
    """Return the stamp (kind and zone) of a timestamp in a zone, and the zone's offset from UTC in microseconds."""
    if zone is None:
        return Stamp("timestamp", None), 0
    name = zone_name(zone)
    offset = zone_of(name).utcoffset(None)
    return Stamp("timestamp", name), 0 if offset is None else offset // MICROSECOND


def _micros(part: dict[str, str | None]) -> int:
    hour, minute, second = (int(part.get(name) or 0) for name in ("hour", "minute", "second"))
    half = (part.get("half") or "").casefold()
    if half and hour <= 12:
        hour = hour % 12 + (12 if half[0] == "p" else 0)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError("not a time of day")
    fraction = int((part.get("fraction") or "").ljust(6, "0")[:6])
    return timedelta(hours=hour, minutes=minute, seconds=second, microseconds=fraction) // MICROSECOND


@cache
def _clock_pattern() -> re.Pattern[str]:
    return re.compile(rf"{_TIME}{_ZONE}|(?P<plain>[0-9]{{3,4}})", re.IGNORECASE)


def clock_of(text: str) -> tuple[Stamp, int] | None:
    """Return the stamp (kind and zone) of a time of day, and the microseconds since midnight.

    A time with a zone is converted to UTC, so the microseconds may be negative or exceed a day. Return None if the text
    is not a time of day.

    >>> clock_of("3pm") == clock_of("15:00") == clock_of("1500") == (Stamp("timestamp", None), 54_000_000_000)
    True
    """
    parts = _clock_pattern().fullmatch(text) if len(text) <= LONGEST else None
    if parts is None:
        return None
    part = parts.groupdict()
    if plain := part["plain"]:
        part |= {"hour": plain[:-2], "minute": plain[-2:]}
    try:
        stamp, offset = zone_stamp(part["zone"])
        return (stamp, _micros(part) - offset) if _is_clock(part) else None
    except ValueError:
        return None


def template(parts: _Match, order: Order) -> tuple[str, str] | None:
    """Return a regular expression and a Polars format for texts in this notation; None if Polars cannot parse it.

    >>> template(match_date("31.01.2026 10:30"), "dmy")
    ('^[0-9]{1,2}\\\\.[0-9]{1,2}\\\\.[0-9]{4} [0-9]{1,2}:[0-5][0-9]$', '%d.%m.%Y %H:%M')
    """
    part = {name: value for name, value in parts.groupdict().items() if value}
    name, half = part.get("name", "jan"), part.get("half", "am")
    if {"weekday", "week", "mark"} & part.keys() or name.casefold() not in ENGLISH_MONTHS or len(half) != 2:
        return None
    if "hour" in part and "minute" not in part:
        return None
    shape, form, end = "", "", 0
    for group in sorted(part, key=parts.start):
        literal = parts.string[end : parts.start(group)]
        pattern, directive = _shape(parts, group, order)
        shape += _escape(literal) + pattern
        if group == "fraction":  # the directive of the fraction includes the point
            if literal != ".":
                return None
            literal = ""
        form += literal.replace("%", "%%") + directive
        end = parts.end(group)
    rest = parts.string[end:]
    return f"^{shape}{_escape(rest)}$", form + rest.replace("%", "%%")


def _escape(literal: str) -> str:
    """Escape a literal for Polars, whose regular expressions do not support all escapes of `re.escape`."""
    return re.sub(r"([.^$*+?{}\[\]\\|()])", r"\\\1", literal)


def _shape(parts: _Match, group: str, order: Order) -> tuple[str, str]:
    text, part = parts[group], parts.groupdict()
    if group in ("one", "two") or (group == "year" and "one" in part):
        letter = order[("one", "two", "year").index(group)]
        group = {"d": "day", "m": "month", "y": "year"}[letter]
    if group == "year":
        return f"[0-9]{{{len(text)}}}", "%Y" if len(text) == 4 else "%y"
    if group == "zone":
        return _escape(text), text
    if group == "hour":
        pattern, directive = "[0-9]{1,2}", "%I" if part.get("half") else "%H"
    else:
        pattern, directive = _SHAPES[group]
    return pattern.replace("{1,2}", "{2}") if "compact" in part else pattern, directive


@dataclass
class Texts:
    """Times parsed from texts: `numbers` has an array of microseconds for each order of day, month and year.

    Texts that could not be parsed have the time NAT and the `stamp` -1; other values of `stamp` are indices into
    `stamps`. An order without an array gives the same times as "dmy".
    """

    stamp: Ints
    numbers: dict[Order, Micros]
    stamps: list[Stamp] = field(default_factory=list)
    examples: dict[str, str] = field(default_factory=dict)  # an example text for each remark on how texts are read

    def stamp_index(self, stamp: Stamp) -> int:
        """Return the index of a stamp in `stamps`; append the stamp if it is new."""
        if stamp not in self.stamps:
            self.stamps.append(stamp)
        return self.stamps.index(stamp)

    def put(
        self, where: NDArray[np.intp], parts: _Match, moments: dict[Order, Micros], stamp: Stamp
    ) -> NDArray[np.bool_]:
        """Store the times of texts written in the notation `parts`.

        Return a mask of the valid times; 30 February is not valid.
        """
        part = parts.groupdict()
        if not part.keys() & {"day", "one", "week"}:
            self.examples.setdefault("months", parts.string)
        elif len(parts["year"]) == 2:
            self.examples.setdefault("short-years", parts.string)
        for order in moments.keys() - self.numbers.keys():
            self.numbers[order] = self.numbers["dmy"].copy()
        read = np.zeros(len(where), bool)
        for order, column in self.numbers.items():
            values = moments.get(order, moments["dmy"] if len(moments) == 1 else np.full(len(where), NAT))
            column[where if len(where) < len(column) else slice(None)] = values
            read |= values != NAT
        self.stamp[where[read]] = self.stamp_index(stamp)
        return read


def read_texts(text: "pl.Series") -> Texts:
    """Parse the dates and times in a column of texts, which must not contain nulls."""
    result = Texts(np.full(len(text), -1, np.int32), {"dmy": np.full(len(text), NAT)})
    where = np.arange(len(text))
    for turn in range(TEMPLATES):
        if not len(where):
            return result
        parts = match_date(text[0].strip())
        read = None if parts is None else _read_by_template(result, where, text, parts)
        if read is None or not read[0]:
            _read_one(result, int(where[0]), parts)
            read = np.zeros(len(where), bool) if read is None else read
            read[0] = True
        where, text = where[~read], text.filter(~read)
        if turn == 0:
            text = text.str.strip_chars()
    if len(where) > MANY and not any(match_date(cell) for cell in text.gather_every(len(text) // 1000)):
        return result
    for row, cell in zip(where.tolist(), text, strict=True):
        _read_one(result, row, match_date(cell))
    return result


def _read_by_template(
    result: Texts, where: NDArray[np.intp], text: "pl.Series", parts: _Match
) -> NDArray[np.bool_] | None:
    """Read texts written in the notation `parts`, and store their times in `result`.

    Return a mask of the valid times, or None if Polars cannot read this notation.
    """
    import polars as pl

    part = parts.groupdict()
    try:
        stamp, offset = zone_stamp(part.get("zone"))
    except ValueError:
        return None
    if not part.get("hour"):
        stamp = Stamp("date", None)
    read: dict[Order, Micros] = {}
    margin = DAY if offset else 0
    for order in possible_orders(parts):
        if (shape_and_form := template(parts, order)) is None:
            return None
        shape, form = shape_and_form
        if stamp.kind == "timestamp":
            micros = text.str.to_datetime(form, time_unit="us", strict=False, cache=False).to_physical()
        else:
            micros = text.str.to_date(form, strict=False, cache=False).to_physical().cast(pl.Int64) * DAY
        fits = text.str.contains(shape)
        if not fits.all():
            micros = micros.set(~fits, None)
        number = (micros.fill_null(NAT) if micros.has_nulls() else micros).to_numpy()
        outside = (number < FIRST + margin) | (number >= LAST - margin)
        read[order] = np.where(outside, NAT, number - offset)
    return result.put(where, parts, read, stamp)


def _read_one(result: Texts, row: int, parts: _Match | None) -> None:
    # Texts in rare notations are parsed one by one, because a template for the whole column is not worth its cost.
    if parts is None:
        return
    read: dict[Order, Micros] = {}
    stamp = None
    for order in possible_orders(parts):
        try:
            stamp, number = moment(parts, order)
        except (Error, ValueError):
            number = NAT
        read[order] = np.array([number])
    if stamp is not None:
        result.put(np.array([row]), parts, read, stamp)

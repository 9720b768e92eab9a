"""The ways in which dates and timestamps are written: which text is one, and what it says.

Patterns read one text at a time, in Python; `template` makes of a text that was read the format of its whole column,
which Polars then reads.
"""

import re
from datetime import date, datetime, timedelta
from functools import cache
from typing import Literal

from ...times import EPOCH, MICROSECOND, Stamp, check_calendar, zone_name, zone_of

Order = Literal["dmy", "mdy", "ymd"]
ORDERS: tuple[Order, ...] = ("dmy", "mdy", "ymd")  # of three numbers whose places do not say what they are
LONGEST = 60  # no date has more letters
EARLIEST, LATEST = 1800, 2199  # the years in which 20260131 is a date, and not any number

_GAP = "(?:\\s*[-/.,\u2010-\u2014\u5e74\u6708\ub144\uc6d4]\\s*|\\s+)"  # with the signs for year and month of East Asia
_WORD = r"[^\W\d_]+(?:-[^\W\d_]+)?"
_WEEKDAY = rf"(?:(?P<weekday>{_WORD})\.?\s*,?\s+)?"
_NAME = r"(?P<name>[^\W\d_]+)\.?"
_YEAR = "(?P<year>[0-9]{4})"
_ANY_YEAR = "'?(?P<year>[0-9]{4}|[0-9]{2})(?:\\s*(?:\u0433|\u0433\u043e\u0434\u0430)\\.?)?"  # with the Russian "year"
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
_Found = re.Match[str]
_SHAPES = {  # what a part of a text may be throughout a column, and what Polars calls it
    "month": ("[0-9]{1,2}", "%m"), "day": ("[0-9]{1,2}", "%d"), "name": ("[A-Za-z]{3,9}", "%B"),
    "minute": ("[0-5][0-9]", "%M"), "second": ("[0-5][0-9]", "%S"), "fraction": ("[0-9]{1,9}", ".%f"),
    "half": ("[AaPp][Mm]", "%p"),
}  # fmt: skip
_OF_ORDER = {"d": "day", "m": "month", "y": "year"}


@cache
def _compiled() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in _PATTERNS)


def match_date(text: str) -> _Found | None:
    """Give the parts of a text that is written like a time, None where it is not; a time that there is not passes.

    >>> match_date("Sat 31 Jan 2026")["year"], match_date("soon")
    ('2026', None)
    """
    for pattern in _compiled() if len(text) <= LONGEST else ():
        parts = pattern.fullmatch(text)
        if parts is not None and _words_fit(parts.groupdict()):
            return parts
    return None


def _words_fit(part: dict[str, str | None]) -> bool:
    name, weekday = part.get("name"), part.get("weekday")
    if (name and name.casefold() not in MONTHS) or (weekday and weekday.casefold() not in WEEKDAYS):
        return False
    if "compact" in part and not EARLIEST <= int(part["year"] or 0) <= LATEST:
        return False
    return _clock_fits(part)


def _clock_fits(part: dict[str, str | None]) -> bool:
    """Tell whether an hour without minutes says that it is one."""
    return not part.get("hour") or bool(part["minute"] or part["half"] or part["mark"])


def possible_orders(parts: _Found) -> tuple[Order, ...]:
    """Give the orders in which the numbers of a date may be meant; one where the form says it."""
    if "one" not in parts.groupdict():
        return ORDERS[:1]
    return ORDERS if len(parts["year"]) == len(parts["one"]) == 2 else ORDERS[:2]


def moment(parts: _Found, order: Order) -> tuple[Stamp, int]:
    """Give the time that a text says, with the numbers of a date in an order; a ValueError where there is no such time.

    >>> moment(match_date("02/01/1970"), "dmy")
    (Stamp(kind='date', zone=None), 86400000000)
    """
    part = parts.groupdict()
    if "one" in part:
        numbers = dict(zip(order, (parts["one"], parts["two"], parts["year"]), strict=True))
        year, month, day = numbers["y"], int(numbers["m"]), int(numbers["d"])
    else:
        name = part.get("name")
        year, month, day = parts["year"], MONTHS[name.casefold()] if name else int(part.get("month") or 1), 1
        day = int(part.get("day") or 1)
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
    """Give the stamp of timestamps with a zone as it is written, and the zone's offset in microseconds."""
    if zone is None:
        return Stamp("timestamp", None), 0
    name = zone_name(zone)
    offset = zone_of(name).utcoffset(None)
    return Stamp("timestamp", name), 0 if offset is None else offset // MICROSECOND


def _micros(part: dict[str, str | None]) -> int:
    """Give the time of day in microseconds."""
    hour, minute, second = (int(part.get(name) or 0) for name in ("hour", "minute", "second"))
    half = (part.get("half") or "").casefold()
    if half and hour <= 12:
        hour = hour % 12 + (12 if half[0] == "p" else 0)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError("no such time of day")
    fraction = int((part.get("fraction") or "").ljust(6, "0")[:6])
    return timedelta(hours=hour, minutes=minute, seconds=second, microseconds=fraction) // MICROSECOND


@cache
def _clock_pattern() -> re.Pattern[str]:
    return re.compile(rf"{_TIME}{_ZONE}|(?P<plain>[0-9]{{3,4}})", re.IGNORECASE)


def clock_of(text: str) -> tuple[Stamp, int] | None:
    """Give the microseconds from midnight in UTC or without a zone that a time of day says; None where it is none.

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
        return (stamp, _micros(part) - offset) if _clock_fits(part) else None
    except ValueError:
        return None


def trait(parts: _Found) -> str | None:
    """Say what a reader should know of how a text is read: that it is a month, or that its year has two digits."""
    part = parts.groupdict()
    if "day" not in part and "one" not in part and "week" not in part:
        return "months"
    return "short-years" if len(parts["year"]) == 2 else None


def template(parts: _Found, order: Order) -> tuple[str, str] | None:
    """Give the pattern of texts written like one, and how Polars reads these; None for what it cannot read.

    >>> template(match_date("31.01.2026 10:30"), "dmy")
    ('^[0-9]{1,2}\\\\.[0-9]{1,2}\\\\.[0-9]{4} [0-9]{1,2}:[0-5][0-9]$', '%d.%m.%Y %H:%M')
    """
    part = {name: value for name, value in parts.groupdict().items() if value}
    name, half = part.get("name", "jan"), part.get("half", "am")
    if {"weekday", "week", "mark"} & part.keys() or name.casefold() not in ENGLISH or len(half) != 2:
        return None
    if "hour" in part and "minute" not in part:
        return None
    shape, form, end = "", "", 0
    for group in sorted(part, key=parts.start):
        literal = parts.string[end : parts.start(group)]
        pattern, directive = _shape(parts, group, order)
        if directive == ".%f":
            if literal != ".":
                return None
            directive, literal_form = "%.f", ""
        else:
            literal_form = literal
        shape += _escaped(literal) + pattern
        form += literal_form.replace("%", "%%") + directive
        end = parts.end(group)
    rest = parts.string[end:]
    return f"^{shape}{_escaped(rest)}$", form + rest.replace("%", "%%")


def _escaped(literal: str) -> str:
    return re.sub(r"([.^$*+?{}\[\]\\|()])", r"\\\1", literal)


def _shape(parts: _Found, group: str, order: Order) -> tuple[str, str]:
    text = parts[group]
    if group in ("one", "two") or (group == "year" and "one" in parts.groupdict()):
        group = _OF_ORDER[order[("one", "two", "year").index(group)]]
    if group == "year":
        return f"[0-9]{{{len(text)}}}", "%Y" if len(text) == 4 else "%y"
    if group == "zone":
        return _escaped(text), text
    if group == "hour":
        pattern, directive = "[0-9]{1,2}", "%I" if parts.groupdict().get("half") else "%H"
    else:
        pattern, directive = _SHAPES[group]
    return pattern.replace("{1,2}", "{2}") if "compact" in parts.groupdict() else pattern, directive


# English, German, French, Spanish, Italian, Portuguese, Dutch, Russian; a line for each month.
_NAMES = (
    "january jan januar jänner januari janvier janv enero ene gennaio gen janeiro январь января янв",
    "february feb februar februari februaer février fevrier févr fevr fév fev febrero febbraio fevereiro"
    " февраль февраля фев февр",
    "march mar märz maerz mrz mär maart mrt mars marzo março marco март марта мар",
    "april apr avril avr abril abr aprile апрель апреля апр",
    "may mai mei mayo maggio mag maio май мая",
    "june jun juni juin junio giugno giu junho июнь июня июн",
    "july jul juli juillet juil julio luglio lug julho июль июля июл",
    "august aug augustus août aout aoû aou agosto ago август августа авг",
    "september sep sept septembre septiembre setiembre settembre sett set setembro сентябрь сентября сен сент",
    "october oct oktober okt octobre octubre ottobre ott outubro out октябрь октября окт",
    "november nov novembre noviembre novembro ноябрь ноября ноя нояб",
    "december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro декабрь декабря дек",
)
MONTHS = {name: month for month, names in enumerate(_NAMES, 1) for name in names.split()}
ENGLISH = frozenset(name for names in _NAMES for name in names.split()[:2]) - {"mai"}  # which Polars knows as well
_DAYS = (
    "mon monday tue tues tuesday wed weds wednesday thu thur thurs thursday fri friday sat saturday sun sunday",
    "mo montag di dienstag mi mittwoch do donnerstag fr freitag sa samstag sonnabend so sonntag",
    "lun lundi mardi mer mercredi jeu jeudi ven vendredi sam samedi dim dimanche",
    "lunes mar martes mié mie miércoles miercoles jue jueves vie viernes sáb sab sábado sabado dom domingo",
    "lunedì lunedi martedì martedi mercoledì mercoledi gio giovedì giovedi venerdì venerdi sabato domenica",
    "seg segunda segunda-feira ter terça terça-feira qua quarta quarta-feira qui quinta quinta-feira sex sexta",
    "sexta-feira",
    "ma maandag dinsdag wo woe woensdag donderdag vr vrij vrijdag za zat zaterdag zo zon zondag",
    "пн понедельник вт вторник ср среда чт четверг пт пятница сб суббота вс воскресенье",
)
WEEKDAYS = frozenset(day for days in _DAYS for day in days.split())
MISSING = frozenset(("", "-", "–", "—", "?", "na", "n/a", "nan", "nat", "none", "null", "tba", "tbc", "tbd", "unknown"))

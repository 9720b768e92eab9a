"""The clocks of leagues: match times are dates, plain numbers, or not recorded at all.

On every clock, a time is one number: microseconds since 1970 in UTC, the plain number, or 0 if there are no times.
"""

from __future__ import annotations

from datetime import timedelta
from time import time_ns
from typing import Literal, get_args

from ..errors import Error
from ..history import History, parse_time
from ..history.times import EPOCH, Stamp

Clock = Literal["utc", "number", "none"]
CLOCKS: tuple[Clock, ...] = get_args(Clock)
DAY = 86_400e6  # microseconds
# The time kind and zone of each clock, as histories and ladders represent them.
STAMPS: dict[Clock, Stamp | None] = {"utc": Stamp("timestamp", "UTC"), "number": Stamp("number", None), "none": None}


def clock_of(history: History) -> Clock:
    """Return the clock of a history: the kind of its times.

    >>> clock_of(History.from_matches([{"teams": [["ann"], ["bob"]], "time": "2026-01-31"}]))
    'utc'
    >>> clock_of(History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    'none'
    """
    return "none" if history.time_kind is None else "number" if history.time_kind == "number" else "utc"


def now() -> float:
    """Return the current time on the UTC clock: microseconds since 1970.

    >>> show("utc", now()).endswith("Z")
    True
    """
    return float(time_ns() // 1000)


def parse(clock: Clock, value: object, name: str = "time") -> float:
    """Parse a time to a number on the clock. A date means midnight; a time without a zone is in UTC.

    `name` is the name of the field in error messages.

    >>> parse("utc", "1970-01-02"), parse("utc", "1970-01-01T03:00:00+02:00"), parse("number", 7)
    (86400000000.0, 3600000000.0, 7.0)
    >>> parse("none", 7)
    Traceback (most recent call last):
    ...
    prowess.Error: time: matches in this league have no times; leave out the time
    """
    if clock == "none":
        raise Error.in_field(name, "matches in this league have no times; leave out the time", value=value)
    try:
        kind, _, number = parse_time(value)
        if (kind == "number") != (clock == "number"):
            right = "a plain number, such as the round" if clock == "number" else "a date or time, such as 2026-01-31"
            raise Error(f"this league needs {right}, not {value!r}", value=value)
        if float(number) != number:
            raise Error(f"{value!r} is outside the supported years, 1685 to 2255", value=value)
    except Error as error:
        raise error.within(f"{name}: ", field=name) from None
    return float(number)


def show(clock: Clock, number: float | None) -> str | float | None:
    """Format a time for people and for JSON; the inverse of `parse`.

    >>> show("utc", 86400000000.0), show("number", 7.0), show("none", 0.0)
    ('1970-01-02T00:00:00Z', 7.0, None)
    """
    if number is None or number != number or clock == "none":
        return None
    return number if clock == "number" else f"{(EPOCH + timedelta(microseconds=int(number))).isoformat()}Z"

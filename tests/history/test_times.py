from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

from prowess.errors import Error
from prowess.history import parse_time, show_time
from prowess.history.times import Stamp, agree

DAY = 86_400_000_000
HOUR = DAY // 24


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1970-01-02", ("date", None, DAY)),
        ("1970/01/02", ("date", None, DAY)),
        (" 1969-12-31 ", ("date", None, -DAY)),
        ("1970-01-01T01:00:00", ("timestamp", None, HOUR)),
        ("1970-01-01 01:00", ("timestamp", None, HOUR)),
        ("1970/01/01 01:00:00", ("timestamp", None, HOUR)),
        ("1970-01-01T01:00:00.5", ("timestamp", None, HOUR + 500_000)),
        ("1970-01-01T01:00:00.123456789", ("timestamp", None, HOUR + 123_456)),
        ("1970-01-01T01:00:00Z", ("timestamp", "UTC", HOUR)),
        ("1970-01-01T01:00:00+00:00", ("timestamp", "UTC", HOUR)),
        ("1970-01-01T03:00:00+0200", ("timestamp", "+02:00", HOUR)),
        ("1970-01-01 00:30:00 -00:30", ("timestamp", "-00:30", HOUR)),
        ("1970-1-2", ("date", None, DAY)),
        ("1970.01.02", ("date", None, DAY)),
        ("19700102", ("date", None, DAY)),
        ("1970-W01-5", ("date", None, DAY)),
        ("1970-01", ("date", None, 0)),
        ("02.01.1970", ("date", None, DAY)),
        ("31/12/1969", ("date", None, -DAY)),
        ("12/31/1969", ("date", None, -DAY)),
        ("02.01.70", ("date", None, DAY)),
        ("31.12.69", ("date", None, 36_524 * DAY)),  # 2069-12-31
        ("01/01/1970", ("date", None, 0)),
        ("2 Jan 1970", ("date", None, DAY)),
        ("Fri, January 2nd, 1970", ("date", None, DAY)),
        ("2. Januar 1970", ("date", None, DAY)),
        ("2 de enero de 1970", ("date", None, DAY)),
        ("2 января 1970 г.", ("date", None, DAY)),
        ("01 January 1970 01:00:00", ("timestamp", None, HOUR)),
        ("31.12.1969 um 23:00 Uhr", ("timestamp", None, -HOUR)),
        ("12/31/1969 11:00 PM", ("timestamp", None, -HOUR)),
        ("Thu Jan  1 01:00:00 1970", ("timestamp", None, HOUR)),
        ("1970-01-01 1am", ("timestamp", None, HOUR)),
        ("1970-01-01 03:00 UTC+2", ("timestamp", "+02:00", HOUR)),
        ("19700101T010000Z", ("timestamp", "UTC", HOUR)),
        ("12", ("number", None, 12.0)),
        ("-1.5e3", ("number", None, -1500.0)),
        (date(1970, 1, 2), ("date", None, DAY)),
        (datetime(1970, 1, 2), ("timestamp", None, DAY)),
        (datetime(1970, 1, 2, tzinfo=UTC), ("timestamp", "UTC", DAY)),
        (datetime(1970, 1, 1, 2, tzinfo=timezone(timedelta(hours=1))), ("timestamp", "+01:00", HOUR)),
        (datetime(1970, 1, 1, 2, tzinfo=ZoneInfo("Europe/Berlin")), ("timestamp", "Europe/Berlin", HOUR)),
        (np.datetime64("1970-01-02"), ("date", None, DAY)),
        (np.datetime64("1970-01-01T01", "ns"), ("timestamp", None, HOUR)),
        (pd.Timestamp("1970-01-01T01:00:00"), ("timestamp", None, HOUR)),
        (3, ("number", None, 3.0)),
        (np.float32(0.5), ("number", None, 0.5)),
    ],
)
def test_single_times_are_parsed(value: object, expected: tuple[str, str | None, float]) -> None:
    assert parse_time(value) == expected
    kind, zone, number = parse_time(value)
    assert parse_time(show_time(kind, zone, number)) == expected


@pytest.mark.parametrize(
    "value",
    [
        "2026-02-31", "2026-13-01", "0000-01-01", "13/14/2026", "2026-W54", "yesterday", "", "nan", "31 Foo 2026",
        "2026-01-31T24:00:00", "2026-01-31T10:60:00", "2026-01-31T10:00:00+24:00", "2026-01-31 10:00 CET",
        True, None, float("nan"), float("inf"), pd.NaT, np.datetime64("NaT"), [2026], b"2026-01-31",
    ],
)  # fmt: skip
def test_error_for_an_unreadable_time_shows_its_value_and_gives_advice(value: object) -> None:
    with pytest.raises(Error, match="2026-01-31T10:00:00") as error:
        parse_time(value)
    assert repr(value) in str(error.value)


def test_times_outside_the_years_1_to_9999_raise_an_error() -> None:
    for value in ("0001-01-01T00:00:00+02:00", np.datetime64(2**62, "us"), "9999-12-31T23:00:00-02:00"):
        with pytest.raises(Error, match="years 1 to 9999"):
            parse_time(value)


def test_time_format_option_parses_unusual_dates() -> None:
    assert parse_time("02.01.1970", "%d.%m.%Y") == ("date", None, DAY)
    assert parse_time("01 January 1970 01:00:00", "%d %B %Y %H:%M:%S") == ("timestamp", None, HOUR)
    assert parse_time("01.01.70 02:00 +0100", "%d.%m.%y %H:%M %z") == ("timestamp", "+01:00", HOUR)
    with pytest.raises(Error, match="'1 2': this does not fit `time_format='%d %d'`"):
        parse_time("1 2", "%d %d")
    with pytest.raises(Error, match=r"'1970-01-02': this does not fit `time_format='%d.%m.%Y'`"):
        parse_time("1970-01-02", "%d.%m.%Y")


def test_named_formats_parse_unix_times_and_spreadsheet_day_numbers() -> None:
    assert parse_time("19700102", "number") == ("number", None, 19_700_102.0)
    assert parse_time("3600", "unix") == ("timestamp", "UTC", HOUR)
    assert parse_time("1700000000123", "unix") == ("timestamp", "UTC", 1_700_000_000_123_000)
    assert parse_time("25570", "excel") == ("date", None, DAY)
    assert parse_time("25569.5", "excel") == ("timestamp", None, DAY // 2)
    with pytest.raises(Error, match=r"'1970-01-02': this does not fit `time_format='unix'`"):
        parse_time("1970-01-02", "unix")


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("03/04/2026", "2026-04-03 or 2026-03-04"),
        ("3-4-2026 10:00", "2026-04-03 or 2026-03-04"),
        ("31/01/26", "2026-01-31 or 2031-01-26"),
    ],
)
def test_error_for_an_ambiguous_date_suggests_both_readings(text: str, readings: str) -> None:
    with pytest.raises(Error, match=f"'{text}' is ambiguous; write {readings}"):
        parse_time(text)


def test_day_first_option_resolves_ambiguous_dates() -> None:
    assert str(show_time(*parse_time("03/04/2026", day_first=True))) == "2026-04-03"
    assert str(show_time(*parse_time("03/04/2026", day_first=False))) == "2026-03-04"


def test_utc_offset_with_seconds_raises_an_error() -> None:
    with pytest.raises(Error, match="whole number of minutes"):
        parse_time(datetime(1970, 1, 1, tzinfo=timezone(timedelta(seconds=30))))


NUMBER, DATE, NAIVE = Stamp("number", None), Stamp("date", None), Stamp("timestamp", None)
UTC_STAMP, EAST = Stamp("timestamp", "UTC"), Stamp("timestamp", "+02:00")


@pytest.mark.parametrize(
    ("one", "other", "utc", "common"),
    [
        (DATE, DATE, False, DATE),
        (DATE, NAIVE, False, NAIVE),
        (NAIVE, DATE, True, NAIVE),
        (EAST, EAST, False, EAST),
        (EAST, EAST, True, UTC_STAMP),
        (EAST, UTC_STAMP, True, UTC_STAMP),
        (NUMBER, NUMBER, True, NUMBER),
    ],
)
def test_comparable_times_share_a_type_and_time_zone(one: Stamp, other: Stamp, utc: bool, common: Stamp) -> None:
    assert agree(one, other, utc) == common


@pytest.mark.parametrize(
    ("one", "other", "utc", "message"),
    [
        (NUMBER, DATE, False, "numbers and dates are mixed"),
        (NAIVE, NUMBER, True, "numbers and dates are mixed"),
        (EAST, UTC_STAMP, False, r"mixed time zones: \+02:00 and UTC"),
        (EAST, NAIVE, True, "mixed time zones: some times have a zone"),
        (DATE, EAST, False, "mixed time zones: some times have a zone"),
    ],
)
def test_times_that_cannot_be_compared_raise_an_error(one: Stamp, other: Stamp, utc: bool, message: str) -> None:
    with pytest.raises(Error, match=message):
        agree(one, other, utc)

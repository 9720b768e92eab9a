"""Time spans select the same days as Python's calendar."""

from datetime import date, datetime, timedelta, timezone
from math import inf
from typing import Any

import pytest

from prowess.errors import Error
from prowess.history import History
from prowess.history.slicing import first_of_last, stamp_of, week_before
from prowess.history.times import show_time

GAME = {"teams": [["ann"], ["bob"]]}
YEAR = [date(2023, 11, 20) + timedelta(days=n) for n in range(500)]


def daily(days: list[Any]) -> History:
    return History.from_matches([GAME | {"time": day} for day in days])


def found(history: History) -> list[Any]:
    return [match["time"] for match in history]


@pytest.mark.parametrize(
    ("start", "end", "kept"),
    [
        ("2024-02", "2024-02", lambda day: (day.year, day.month) == (2024, 2)),
        ("2024", None, lambda day: day.year >= 2024),
        (None, "2023", lambda day: day.year <= 2023),
        ("2024-11", "2024-11", lambda day: (day.year, day.month) == (2024, 11)),
        (None, "2024-12", lambda day: day.year <= 2024),
        ("2024-02-29", "2024-03-01", lambda day: date(2024, 2, 29) <= day <= date(2024, 3, 1)),
        (date(2024, 5, 5), date(2024, 5, 5), lambda day: day == date(2024, 5, 5)),
        ("20240505", "20240506", lambda day: date(2024, 5, 5) <= day <= date(2024, 5, 6)),
        ("13.05.2024", "13 May 2024", lambda day: day == date(2024, 5, 13)),
        ("2025-01-01", "2024-01-01", lambda day: False),
        ("9999-12-31", None, lambda day: False),
        (None, "9999-12-31", lambda day: True),
        (None, "9999", lambda day: True),
        (None, "0001", lambda day: False),
    ],
)
def test_within_includes_both_end_dates_and_whole_months_and_years(start: object, end: object, kept: Any) -> None:
    assert found(daily(YEAR).within(start, end)) == [day for day in YEAR if kept(day)]


def test_within_includes_the_whole_last_day_in_any_zone() -> None:
    clock = [f"2026-06-{day}T{hour}:30:00+02:00" for day in (29, 30) for hour in ("00", "01", "12", "23")]
    history = daily(clock)
    assert len(history.within("2026-06-30")) == 4
    assert len(history.within(None, "2026-06-29")) == 4
    assert len(history.within(None, "2026-06-29T12:30:00")) == 3
    assert len(history.within(None, datetime(2026, 6, 29, 12, 29))) == 2


def test_within_accepts_numbers_for_numeric_times() -> None:
    assert found(daily([1, 2024, 2025]).within("2024", 2024)) == [2024]


@pytest.mark.parametrize(
    ("period", "first"),
    [
        ("day", "2025-04-02"),
        ("week", "2025-03-27"),
        ("7d", "2025-03-27"),
        ("2w", "2025-03-20"),
        ("10 days", "2025-03-24"),
        ("month", "2025-03-03"),
        ("3m", "2025-01-03"),
        ("Year", "2024-04-03"),
        ("99999y", "2023-11-20"),
        ("99999w", "2023-11-20"),
        ("last", "2025-04-02"),
    ],
)
def test_last_period_ends_with_the_day_of_the_last_match(period: str, first: str) -> None:
    days = [day for day in YEAR if day <= date(2025, 4, 2)]
    for times in (days, [datetime(day.year, day.month, day.day, 18, day.day) for day in days]):
        history = daily(times)
        time = history[first_of_last(history, period)]["time"]
        assert str(time).startswith(first)


def test_last_month_before_march_31_starts_on_march_1() -> None:
    days = [date(2025, 2, 27), date(2025, 2, 28), date(2025, 3, 1), date(2025, 3, 31)]
    assert first_of_last(daily(days), "month") == 2


def test_last_period_may_be_given_in_hours_or_as_a_number() -> None:
    assert first_of_last(daily(["2026-01-01T10:00:00", "2026-01-01T11:00:00", "2026-01-01T11:30:00"]), "1h") == 1
    assert first_of_last(daily([1, 2, 3, 4]), "2") == 2
    assert first_of_last(daily([1, 2, 3, 3]), "last") == 2


@pytest.mark.parametrize(
    ("times", "period", "message"),
    [
        ([1, 2], "week", "times are plain numbers here: the period must be a number above 0, or 'last', not 'week'"),
        ([1, 2], "-1", "must be a number above 0"),
        (["2026-01-01"], "fortnight", "'fortnight' is not a period: use hour, day, week, month or year, or a number"),
        (["2026-01-01"], "0d", "'0d' is not a period"),
        (["2026-01-01"], "2h", "'2h' is too short, because the matches have dates"),
        ([None], "week", r"these matches have no times"),
    ],
)
def test_unknown_periods_raise_an_error(times: list[Any], period: str, message: str) -> None:
    with pytest.raises(Error, match=message):
        first_of_last(daily(times), period)


@pytest.mark.parametrize(
    ("last", "wanted"),
    [
        ("2025-04-02", date(2025, 3, 26)),
        ("2025-04-02T00:00:00", datetime(2025, 3, 26, 23, 59, 59, 999999)),
        ("2025-04-02T23:59:59", datetime(2025, 3, 26, 23, 59, 59, 999999)),
        (datetime(2025, 4, 2, 1, tzinfo=timezone(timedelta(hours=3))), "2025-03-26 23:59:59.999999+03:00"),
        (12, 5.0),
        (12.9, 5.0),
        (-0.5, -8.0),
    ],
)
def test_changes_of_rank_are_since_the_end_of_the_day_a_week_before(last: Any, wanted: Any) -> None:
    history = daily([last])
    assert history.time is not None
    found = show_time(*stamp_of(history), week_before(float(history.time[0]), stamp_of(history)))
    assert found == wanted or str(found) == wanted


def test_week_before_the_first_day_of_the_calendar_is_minus_infinity() -> None:
    history = daily(["0001-01-03"])
    assert history.time is not None
    assert week_before(float(history.time[0]), stamp_of(history)) == -inf


def test_selecting_matches_by_time_in_a_history_without_times_raises_an_error() -> None:
    with pytest.raises(Error, match="these matches have no times"):
        daily([None]).within("2026")
    with pytest.raises(Error, match="'2026-13' is not a date"):
        daily(YEAR).within("2026-13")
    assert len(daily([]).within("2026")) == 0

"""A column of one format takes the fast path, which must read what `parse_time` reads and reject what it rejects."""

from typing import Any

import polars as pl
import pytest

from prowess.errors import Error
from prowess.history import History, parse_time


def column(*texts: str, **options: Any) -> History:
    return History.from_frame(pl.DataFrame({"winner": "a", "loser": "b", "time": texts}), **options)


@pytest.mark.parametrize(
    "text",
    [
        "1969-12-31", "2024/02/29", "2026-01-31T10:20:30", "2026-01-31 10:20", "2026-01-31T10:20:30.5",
        "2026-01-31T10:20:30.000001", "2026-01-31T10:20:30.123456789Z", "2026-01-31T10:20:30-03:30",
        "2026-01-31 10:20:30 +0200", "0001-01-01", "9999-12-31T23:59:59.999999", "-3.5", "1e3", "20260131",
    ],
)  # fmt: skip
def test_a_column_is_read_like_a_value(text: str) -> None:
    history = column(text, text)
    assert history.time is not None
    assert (history.time_kind, history.time_zone, history.time[1]) == parse_time(text)


@pytest.mark.parametrize(
    "text",
    [
        "2023-02-29", "0000-01-01", "2026-01-31T24:00:00", "2026-01-31T10:60", "2026-01-31T10:00:60", "nan", "1,5",
        "2026-01-31T10:00+24:00", "0001-01-01T00:00+02:00", "2026-01-31T10:00:00.", "31.01.2026", "2026-01-31 CET",
    ],
)  # fmt: skip
def test_a_column_is_rejected_like_a_value(text: str) -> None:
    with pytest.raises(Error) as one:
        parse_time(text)
    with pytest.raises(Error) as all_of_them:
        column("2026-01-01", text)
    assert str(all_of_them.value) == f"the frame, row 2: column 'time' holds {text!r}: {one.value}"


def test_dates_and_timestamps_and_both_spellings_may_be_mixed() -> None:
    history = column("2026-01-31 10:00", "2026/01/30", "2026-01-29")
    assert history.time_kind == "timestamp"
    assert [match["time"].day for match in history] == [29, 30, 31]


def test_a_format_is_read_fast_and_slowly_alike() -> None:
    texts = ["01.02.2026 10:00:00", "31.01.2026 11:00:00"]
    fast = column(*texts, time_format="%d.%m.%Y %H:%M:%S")
    slow = column(*(text[:6] + text[8:] for text in texts), time_format="%d.%m.%y %H:%M:%S")
    assert fast == slow
    assert [match["time"].day for match in fast] == [31, 1]


def test_zones_of_a_format_are_kept() -> None:
    history = column("31.01.2026 10:00 +0200", time_format="%d.%m.%Y %H:%M %z")
    assert (history.time_zone, history[0]["time"].hour) == ("+02:00", 10)

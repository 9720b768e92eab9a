"""Measured times are read in many notations."""

import polars as pl
import pytest

from prowess.history.cells.places import are_durations, seconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("59.8", 59.8),
        ("59,8 s", 59.8),
        ("12:03.4", 723.4),
        ("12:03 min", 723),
        ("1:02:03", 3723),
        ("1h 00m 23s", 3623),
        ("1h02", 3720),
        ("1 h 02 min", 3720),
        ("2 min 3 s", 123),
        ("12'03\"4", 723.4),
        ("12’03”", 723),
        ("1 Std. 5 Min. 10 Sek.", 3910),
        ("1 ч 2 мин 3 с", 3723),
    ],
)
def test_duration_is_read_in_seconds(text: str, expected: float) -> None:
    assert seconds(text) == pytest.approx(expected)


@pytest.mark.parametrize("text", ["", "DNF", "100 m", "100m", "10 km", "3-1", "1:02:03:04", "+"])
def test_other_cells_are_no_durations(text: str) -> None:
    assert seconds(text) != seconds(text)


def test_gap_to_the_winner_comes_after_the_winners_time() -> None:
    assert seconds("1:33:56.7") < seconds("+0.4") < seconds("+1:10.2") < seconds("+1 lap") < seconds("+2 Laps")


def test_column_of_durations_has_minutes_and_seconds_in_some_cells() -> None:
    assert are_durations(pl.Series(["59.8", "1:02.3", "DNF", None]))
    assert not are_durations(pl.Series(["59.8", "62.3"]))
    assert not are_durations(pl.Series(["100m", "200m"]))
    assert not are_durations(pl.Series(["Ann 1:02", "Bob 1:03"]))

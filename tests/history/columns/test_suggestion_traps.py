"""A suggestion that a reading of the file would contradict is not offered."""

import polars as pl
import pytest

from prowess.history.columns.roles.layout import NoLayout
from prowess.history.read_options import Choices
from prowess.history.readers import from_frame

NAMES = ("Ann", "Bob", "Cid", "Dan")
PAIRS = [(one, two) for one in NAMES for two in NAMES if one != two]


def suggestion(**columns: list[str]) -> dict[str, str | None] | None:
    """Return the suggested roles for a file that is not recognised."""
    with pytest.raises(NoLayout) as caught:
        from_frame(pl.DataFrame(columns), Choices())
    return None if caught.value.suggestion is None else dict(caught.value.suggestion.roles)


def sides() -> dict[str, list[str]]:
    return {"x": [one for one, _ in PAIRS], "y": [two for _, two in PAIRS]}


def test_fixtures_are_not_suggested_as_results() -> None:
    assert suggestion(**sides()) is None
    assert suggestion(hosts=sides()["x"], visitors=sides()["y"]) is None


def test_measured_times_are_not_suggested_as_names() -> None:
    times = [f"1h {number:02}m 00s" for number in range(len(PAIRS))]
    roles = suggestion(x=sides()["x"], y=times, a=[str(n) for n in range(12)], b=[str(n * 7 % 5) for n in range(12)])
    assert roles is None or "y" not in roles.values()


def test_three_columns_of_players_are_not_suggested_as_two_sides() -> None:
    third = [next(name for name in NAMES if name not in pair) for pair in PAIRS]
    assert suggestion(**sides(), z=third, a=["1", "2"] * 6, b=["3", "0"] * 6, c=["1", "1"] * 6) is None


def test_quarters_and_differences_are_not_suggested_as_scores() -> None:
    first, second = ([str(40 + number * step % 9) for number in range(12)] for step in (4, 7))
    parts = {f"p{number}": [str(number * row % 7 + 9) for row in range(12)] for number in (1, 2, 3, 4)}
    apart = [str(int(one) - int(two)) for one, two in zip(first, second, strict=True)]
    assert suggestion(**sides(), **parts, u=first, v=second, diff=apart) == {
        "player1": "x", "player2": "y", "score1": "u", "score2": "v",
    }  # fmt: skip


def test_scores_that_contradict_a_column_of_winners_are_not_suggested() -> None:
    winners = sides()["x"]
    low, high = ([str(number % 3 + more) for number in range(12)] for more in (0, 5))
    roles = suggestion(**sides(), w=winners, u=low, v=high, t=low)
    assert roles is None or "score1" not in roles

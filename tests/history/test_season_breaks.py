"""The length of the break between seasons is found from a column with the season of each match."""

import numpy as np
import pytest

import prowess as pw
from prowess.history.season_breaks import find_season_break


def matches(days, seasons, teams=(("ann",), ("bob",)), **more):
    return [
        {"teams": list(map(list, teams)), "time": float(day), "context": {"season": season}, **more}
        for day, season in zip(days, seasons, strict=True)
    ]


def history(*parts):
    return pw.History.from_matches([match for part in parts for match in part])


def test_season_gap_is_longer_than_pauses_within_seasons_and_shorter_than_breaks_between_them():
    days, seasons = [0, 7, 30, 100, 120, 220], ["a", "a", "a", "b", "b", "c"]
    assert find_season_break(history(matches(days, seasons)), "season") == (46.0, 4, 0, 0)


def test_pauses_are_measured_between_matches_of_the_same_player():
    """The league plays all the time, but each player pauses between two seasons."""
    first = matches([0, 10, 60, 70], [1, 1, 2, 2])
    second = matches([30, 40, 90, 100], [1, 1, 2, 2], teams=[["cat"], ["dan"]])
    assert find_season_break(history(first, second), "season") == (30.0, 4, 0, 0)


def test_season_gap_misclassifies_as_few_pauses_as_possible():
    rng = np.random.default_rng(3)
    days = np.cumsum(rng.choice([1, 5, 20, 90, 150], 400)).astype(float)
    seasons = np.cumsum(np.diff(days, prepend=0) + rng.normal(0, 40, 400) > 80)
    found = find_season_break(history(matches(days, seasons.tolist())), "season")
    pause, fresh = np.diff(days), np.diff(seasons) > 0
    wrong = {gap: 2 * (np.sum(fresh & (pause <= gap)) + np.sum(~fresh & (pause > gap))) for gap in range(200)}
    assert found.missed + found.extra == min(wrong.values()) == wrong[found.gap]


def test_matches_without_a_season_are_ignored():
    days, seasons = [0, 7, 20, 50, 57, 117], ["a", "a", None, "b", "b", "c"]
    # Either pause around day 20 may be a break between seasons, so only the 60 days before day 117 certainly are one.
    assert find_season_break(history(matches(days, seasons)), "season") == (33.0, 2, 0, 0)


def test_season_gap_between_numeric_times_may_be_a_fraction():
    found = find_season_break(history(matches([0.0, 0.1, 0.9, 1.0], [1, 1, 2, 2])), "season")
    assert found.gap == pytest.approx(0.45)


@pytest.mark.parametrize(
    ("made", "column", "message"),
    [
        (history(matches([0, 1], [1, 2])), "year", "no column 'year' with the season of each match; .* 'season'"),
        (history(matches([0, 1], [1, 1])), "season", "no player has matches in two seasons"),
        (history(matches([0, 50, 51], [1, 1, 2])), "season", "do not begin after a break"),
        (pw.History.from_matches([]), "season", "no column 'season'"),
        (
            pw.History.from_matches([{"teams": [["a"], ["b"]], "context": {"season": s}} for s in (1, 2)]),
            "season",
            "need the times of matches",
        ),
    ],
)
def test_columns_without_season_breaks_raise_an_error(made, column, message):
    with pytest.raises(pw.Error, match=message) as caught:
        find_season_break(made, column)
    assert caught.value.field == "seasons"

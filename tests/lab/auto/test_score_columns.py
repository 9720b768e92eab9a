"""Columns that follow from the scores of their match, and honest columns that scores also tell apart."""

from dataclasses import replace

import numpy as np
import pytest

import prowess as pw
from prowess.lab.auto.columns import Columns

PLAYERS = [f"player {number}" for number in range(12)]


def league(play, matches=600, seed=5):
    """Return matches with the scores and the context that `play` makes from a generator and two strengths."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0.0, 0.4, len(PLAYERS))
    found = []
    for _ in range(matches):
        one, other = rng.permutation(len(PLAYERS))[:2]
        scores, context = play(rng, strength[one] - strength[other])
        teams = [[PLAYERS[one]], [PLAYERS[other]]]
        found.append({"teams": teams, "scores": [float(score) for score in scores], "context": context})
    return pw.History.from_matches(found)


def football(derive):
    def play(rng, lead):
        goals = rng.poisson([1.5 * np.exp(lead / 2), 1.2 * np.exp(-lead / 2)])
        return goals, {"venue": str(rng.integers(5)), "spalte": derive(*goals)}

    return play


def sets_of(rng, lead, target):
    won = [0, 0]
    while max(won) < target:
        won[int(rng.random() > 1.0 / (1.0 + np.exp(-lead)))] += 1
    return won


def best_of(rng, lead):
    target = int(rng.integers(2, 4))
    sets = sets_of(rng, lead, target)
    return sets, {"format": f"bo{2 * target - 1}", "spalte": f"{sum(sets)} sets"}


def boards(rng, lead):
    """Return a match on three or four boards, all of which are played."""
    number = int(rng.integers(3, 5))
    points = rng.choice([0.0, 0.5, 1.0], number).sum()
    return (points, number - points), {"format": f"{number} boards"}


def modes(rng, lead):
    """Return a match to six rounds, or one for as many points as there is time for."""
    if rng.random() < 0.5:
        return sets_of(rng, lead, 6), {"format": "rounds"}
    return rng.integers(100, 250, 2), {"format": "points"}


@pytest.mark.parametrize(
    "derive",
    [
        lambda home, away: "ja" if home and away else "nein",
        lambda home, away: "O" if home + away > 2.5 else "U",
        lambda home, away: "über" if home + away > 3.5 else None,
        lambda home, away: str(min(home, away)),
        lambda home, away: "zwei" if home >= 2 else "weniger",
    ],
    ids=["both score", "over 2.5", "over 3.5, or missing", "lower score", "first side's score"],
)
def test_column_that_follows_from_both_scores_is_not_tried(derive):
    columns = Columns.of(league(football(derive)))
    assert [column.name for column in columns.usable] == ["venue"]
    assert columns.doubtful == ("spalte",) or derive(1, 1) is None


def test_number_of_sets_is_not_tried_but_the_format_is():
    columns = Columns.of(league(best_of))
    assert [column.name for column in columns.usable] == ["format"]
    assert columns.doubtful == ("spalte",)


@pytest.mark.parametrize("play", [boards, modes])
def test_format_that_scores_show_is_tried(play):
    columns = Columns.of(league(play))
    assert [column.name for column in columns.usable] == ["format"]
    assert columns.doubtful == ()


def test_column_that_scores_do_not_tell_is_tried():
    rng = np.random.default_rng(2)
    columns = Columns.of(league(football(lambda home, away: "x" if rng.random() < 0.1 else "y")))
    assert {column.name for column in columns.usable} == {"venue", "spalte"}


@pytest.mark.parametrize("matches", [0, 1, 3, 20])
def test_few_matches_have_no_such_columns(matches):
    history = league(football(lambda home, away: "ja" if home and away else "nein"))[:matches]
    assert Columns.of(history).doubtful == ()


def test_history_without_scores_has_no_such_columns():
    history = replace(league(football(lambda home, away: "ja" if home and away else "nein")), score=None)
    assert {column.name for column in Columns.of(history).usable} == {"venue", "spalte"}


@pytest.mark.parametrize("seed", range(12))
def test_over_2_5_goals_is_found_in_every_league_of_400_matches(seed):
    """The highest score nearly tells these values: they differ only where it is two."""
    assert Columns.of(league(football(lambda home, away: str(home + away > 2.5)), 400, seed)).doubtful == ("spalte",)

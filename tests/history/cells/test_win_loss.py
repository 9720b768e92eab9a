from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.history.cells.results import PLAYED, UNPLAYED_MATCH, WALKOVER, WRONG
from prowess.history.cells.win_loss import word_results

from .tables import table, wrong


@pytest.mark.parametrize(
    ("cells", "signs"),
    [
        ("W D L", "+0-"), ("w t l", "+0-"), ("win draw loss", "+0-"), ("Won Tied Lost", "+0-"), ("H D A", "+0-"),
        ("home draw away", "+0-"), ("1 X 2", "+0-"), ("1 0 2", "+0-"), ("1 0.5 0", "+0-"), ("1 ½ 0", "+0-"),
        ("1 1/2 0", "+0-"),
        ("1.0 0,5 0.0", "+0-"), ("1 0", "+-"), ("1 2", "+-"), ("1 0 -1", "+0-"), ("3 1 0", "+0-"),
        ("+ = -", "+0-"), ("+ -", "+-"),
        ("V N D", "+0-"), ("V E D", "+0-"), ("V D", "+-"), ("S U N", "+0-"), ("S N", "+-"), ("G E P", "+0-"),
        ("V N P", "+0-"),
        ("В Н П", "+0-"), ("Sieg Unentschieden Niederlage", "+0-"), ("Victoire Nul Défaite", "+0-"),
        ("W L OTL SOL OTW SOW", "+---++"), ("1-0 ½-½ 0-1", "+0-"), ("W 1-0 D", "++0"), ("D", "0"), ("W D", "+0"),
        ("D L", "0-"),
        ("D A", "0-"), ("X 2", "0-"),
    ],
)  # fmt: skip
def test_words_mean_what_they_mean_in_their_language(cells: str, signs: str) -> None:
    read = table(cells.split())
    found = word_results(read, "a")
    assert "".join("0+-"[sign] for sign in found.sign) == signs
    assert (found.state == PLAYED).all()
    assert not found.scored
    assert not wrong(read)


def test_scores_beside_words() -> None:
    cells = table(["W 3-1", "L 0-2", "D 1-1", "W, 3-1", "W 2-1 (OT)", "3-1 W", "L"])
    found = word_results(cells, "a")
    assert found.sign.tolist() == [1, -1, 0, 1, 1, 1, -1]
    assert found.first[:6].tolist() == [3, 0, 1, 3, 2, 3]
    assert found.second[:6].tolist() == [1, 2, 1, 1, 1, 1]
    assert np.isnan(found.first[6])
    assert found.scored
    assert not cells.remarks


def test_the_winners_score_may_stand_first() -> None:
    cells = table(["W 5-3", "L 5-3", "L 4-2"])
    found = word_results(cells, "a")
    assert (found.first.tolist(), found.second.tolist()) == ([5, 3, 2], [3, 5, 4])
    assert list(map(str, cells.remarks)) == ["a: the winner's score stands first, also after a word for a loss"]


def test_words_and_scores_that_contradict_each_other_are_problems() -> None:
    cells = table(["W 5-3", "L 5-3", "L 2-4", "D 2-1"])
    assert word_results(cells, "a").state.tolist() == [PLAYED, WRONG, PLAYED, WRONG]
    assert [problem.detail() for problem in cells.problems] == ["the word and the score say different things"] * 2


def test_walkovers_and_unplayed_matches_in_words() -> None:
    cells = table(["W", "L", "", None, "-", "postponed", "w/o", "W/O", "W-F", "L (ff)", "nonsense", "3-Jan"])
    found = word_results(cells, "a")
    assert found.state.tolist() == [PLAYED] * 2 + [UNPLAYED_MATCH] * 4 + [WALKOVER] * 4 + [WRONG] * 2
    assert found.sign[6:10].tolist() == [0, 0, 1, -1]
    assert wrong(cells) == ["nonsense", "3-Jan"]


def test_ambiguous_words_are_remarked() -> None:
    for cells, note in (
        (["D", "D"], ["a: 'd' is a draw (read as W/D/L)"]),
        (["1", "0"], ["a: '0' is a loss of the first team, '1' is a win of the first team (read as 1/½/0)"]),
        (["V", "N", "D"], []),
        (["W", "OTL"], ["a: otl: after overtime or a shoot-out a win is a win"]),
    ):
        read = table(cells)
        word_results(read, "a")
        assert list(map(str, read.remarks)) == note


def test_more_words_may_be_given() -> None:
    found = word_results(table(["blue", "red", "draw"]), "a", {"blue": 1, "red": -1})
    assert found.sign.tolist() == [1, -1, 0]


@given(st.lists(st.text(max_size=8) | st.sampled_from(["W", "L", "D", "W 3-1", "1-0"]), min_size=1))
def test_any_text_is_a_result_or_a_problem(cells: list[Any]) -> None:
    read = table(cells)
    found = word_results(read, "a")
    assert sorted(read.problems.rows().tolist()) == np.flatnonzero(found.state == WRONG).tolist()

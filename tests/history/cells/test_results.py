from math import isnan, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.history.cells.results import pair_results, word_results
from prowess.history.cells.score_grammar import PLAYED, UNPLAYED_MATCH, WALKOVER, WRONG

from .tables import table, wrong


def one(cell: str | None, **choices: Any) -> tuple[float, float, int, int]:
    """Read a column with a single cell."""
    found = pair_results(table([cell], **choices), "a")
    return found.first[0], found.second[0], int(found.sign[0]), int(found.state[0])


@pytest.mark.parametrize(
    ("cell", "first", "second"),
    [
        *((cell, 3, 1) for cell in (
            "3-1", "3:1", "3–1", "3—1", "3−1", "3 - 1", "3 : 1", "3x1", "3×1", "3 v 1", "3 vs. 1", "3 to 1", "3/1",
            "3 1", "３-１",
            " 3-1 ", "3-1*", "3-1 [a]", "(3-1)", "'3-1", "3-1.", "3-1 aet", "3-1 (a.e.t.)", "3–1 (AET)", "3-1 OT",
            "3-1/OT",
            "3-1 (2OT)", "3-1 n.V.", "3-1 FT", "3-1 (1-0)", "3:1 (1:0)", "3-1 (HT 1-0)",
            "3-1 (1-0, 1-1, 1-0)",
            "3-1 (25-20, 25-22, 20-25, 25-19)", "3-1 (agg. 4-4)", "3,0-1,0", "+3:+1",
        )),
        ("1-0", 1, 0), ("0-1", 0, 1), ("½-½", 0.5, 0.5), ("1/2-1/2", 0.5, 0.5), ("0.5-0.5", 0.5, 0.5),
        ("0,5-0,5", 0.5, 0.5),
        ("1/2", 0.5, 0.5), ("½", 0.5, 0.5), ("=", 0.5, 0.5), ("2½-1½", 2.5, 1.5), ("2 1/2 : 1 1/2", 2.5, 1.5),
        ("½:1½", 0.5, 1.5),
        ("2,5:1,5", 2.5, 1.5), ("101-99", 101, 99), ("1,234-987", 1234, 987), ("-1 - 3", -1, 3), ("-1:3", -1, 3),
        ("3--1", 3, -1), ("1,23,456-1", 123456, 1), ("1,234,567:1,5", 1234567, 1.5), ("1.234.567-2", 1234567, 2),
        ("1.234,5-1,5", 1234.5, 1.5), ("0,125-1", 0.125, 1), ("1234,567:-2,5", 1234.567, -2.5),
        ("-5:-7", -5, -7), ("2-2 (4-3 p)", 2, 2), ("2-2 (4:3 i.E.)", 2, 2), ("1-1 (5-4 pens)", 1, 1),
        ("1-1 (a.e.t.) (4-2 p)", 1, 1),
        ("1-1 (aet, 4-2 pens)", 1, 1), ("1-1 aet, 4-2 on penalties", 1, 1), ("2-2, 4-3 pens", 2, 2),
        ("2-2 pen. 4-3", 2, 2),
        ("1 (5) - 1 (4)", 1, 1), ("1 (5)-(4) 1", 1, 1), ("2-2 (1-0)", 2, 2), ("1-1 (4-2)", 1, 1), ("0:0 (0:0)", 0, 0),
        ("6-4 6-3", 2, 0), ("6-4, 3-6, 7-6(5)", 2, 1), ("6-4,3-6,7-6(5)", 2, 1), ("7-6 (7-4) 6-3", 2, 0),
        ("6-4;6-3", 2, 0),
        ("6-4 4-6 [10-8]", 2, 1), ("4-6 6-4 [8-10]", 1, 2), ("7-6(5) 6-7(3) 3-6", 1, 2),
        ("25:20 25:22 20:25 25:19", 3, 1),
        ("11-9 / 8-11 / 11-5 / 11-7", 3, 1), ("7-6 (7-4) 6-3 RET", 2, 0), ("6-4 2-1 ret.", 1, 0), ("6-2 RET", 6, 2),
    ],
)  # fmt: skip
def test_common_result_notations_are_read(cell: str, first: float, second: float) -> None:
    assert one(cell, score_unit="sets") == (first, second, np.sign(first - second), PLAYED)


@pytest.mark.parametrize(
    "cell",
    ["", None, "-", "--", "-:-", "- : -", "–:–", "*", "v", "vs", "vs.", "Postponed", "PPD", "P-P", "cancelled",
    "Canceled",
     "abandoned", "TBD", "tba", "n/a", "x:x", "?", "void", "no result", "3-1 abandoned", "1-1 (susp.)"],
)  # fmt: skip
def test_common_notations_of_unplayed_matches_are_recognised(cell: str | None) -> None:
    cells = table([cell])
    assert pair_results(cells, "a").state.tolist() == [UNPLAYED_MATCH]
    assert not wrong(cells)


@pytest.mark.parametrize(
    ("cell", "sign", "score"),
    [
        ("w/o", 0, nan), ("W.O.", 0, nan), ("wo", 0, nan), ("Walkover", 0, nan), ("forfeit", 0, nan), ("ff", 0, nan),
        ("+:-", 1, nan), ("-:+", -1, nan), ("+/-", 1, nan), ("+ - -", 1, nan), ("1-0F", 1, nan), ("0F-1", -1, nan),
        ("1F-0F", 1, nan),
        ("3-0 w.o.", 1, 3), ("0:3 (awarded)", -1, 0), ("3-0 awd", 1, 3), ("3:0 Wertung", 1, 3), ("2-0 ff", 1, 2),
    ],
)  # fmt: skip
def test_common_notations_of_walkovers_are_recognised(cell: str, sign: int, score: float) -> None:
    first, _, found, state = one(cell)
    assert (found, state) == (sign, WALKOVER)
    assert first == score or (isnan(first) and isnan(score))


@pytest.mark.parametrize(
    "cell",
    ["abc", "3", "3-1-2", "3-", "-3", "3-x", "3-1 abc", "3-1 7", "1.2.3-4", "3@1", "W 3-1", "3-1 @#", "2,.5-1",
     "2-1,.5", "1,,5-2", "1..5-2", ".5-1", ",5-1", ",5-1 aet", "1,234,5-1", "1,234,56:1", "1.5,500-1", "1-1,500,5",
     "2.5½-1"],
)  # fmt: skip
def test_unreadable_results_are_problems(cell: str) -> None:
    cells = table([cell, "3-1"])
    assert pair_results(cells, "a").state.tolist() == [WRONG, PLAYED]
    assert wrong(cells) == [cell]


@pytest.mark.parametrize(
    "cell", ["3-Jan", "Jan-03", "1. Mar", "01.Mrz", "3-Jan-24", "2024-03-01", "2024-03-01 00:00:00", "03/01/2024"]
)
def test_results_converted_to_dates_by_a_spreadsheet_are_problems(cell: str) -> None:
    cells = table([cell])
    assert pair_results(cells, "a").state.tolist() == [WRONG]
    [problem] = cells.problems
    assert "spreadsheets" in str(problem)


def test_time_of_day_instead_of_a_result_means_an_unplayed_match() -> None:
    cells = table(["2:1", "15:00", "17:30", "0:0", "10:2"])
    assert pair_results(cells, "a").state.tolist() == [PLAYED, UNPLAYED_MATCH, UNPLAYED_MATCH, PLAYED, PLAYED]
    assert list(map(str, cells.remarks)) == [
        "a: '15:00': this is a time of day, so the match has not been played yet (2 cells)"
    ]
    assert pair_results(table(["25:30", "19:30"]), "a").first.tolist() == [25, 19]  # handball


def test_scores_may_be_separated_by_a_slash() -> None:
    assert pair_results(table(["3/1", "1/2"]), "a").first.tolist() == [3, 1]
    assert pair_results(table(["1-0", "1/2"]), "a").first.tolist() == [1, 0.5]


@pytest.mark.parametrize(
    ("cell", "unit", "scores"),
    [
        ("6-4 3-6 7-6(5)", None, (16, 16)),
        ("6-4 3-6 7-6(5)", "sets", (2, 1)),
        ("6-4 4-6 [10-8]", None, (11, 10)),  # a match tie-break counts as one game
        ("0-6 7-6(1) 7-6(3)", None, (14, 18)),  # the winner may have fewer games
        ("6-4 2-1 RET", None, (8, 5)),
        ("25:20 25:22 20:25 25:19", None, (3, 1)),
        ("25:20 25:22 20:25 25:19", "points", (95, 86)),
    ],
)
def test_score_unit_option_counts_the_games_or_points_of_all_sets(
    cell: str, unit: Any, scores: tuple[float, float]
) -> None:
    found = pair_results(table([cell], score_unit=unit), "a")
    assert (found.first[0], found.second[0], found.sign[0]) == (*scores, 1)


def test_single_set_in_a_result_counts_as_one_won_set_if_other_results_list_several_sets() -> None:
    cells = table(["6-4 6-3", "6-2 RET", "6-7 6-4 7-5", "8-3"], score_unit="sets")
    found = pair_results(cells, "a")
    assert (found.first.tolist(), found.second.tolist()) == ([2, 1, 2, 1], [0, 0, 1, 0])
    assert list(map(str, cells.remarks)) == [
        "a: '6-4 6-3' is read as 2-0: sets are counted (3 cells); use `score_unit='games'` to count games",
        "a: '6-2 RET' is read as 1-0: if a match ended early, the sets played until then are counted",
    ]


def test_retirement_without_a_known_winner_is_a_problem() -> None:
    for cell in ("6-4 3-6 RET", "6-4 3-6 2-1 ret.", "RET"):
        cells = table([cell])
        assert pair_results(cells, "a").state.tolist() == [WRONG]
        assert "who retired" in str(next(iter(cells.problems)))
        cells = table([cell])
        assert pair_results(cells, "a", decided=True).state.tolist() == [PLAYED]
        assert not wrong(cells)


def test_results_with_a_penalty_shoot_out_add_a_remark() -> None:
    cells = table(["2-2 (4-3 p)", "1-0", "2-2 (1-0)"])
    pair_results(cells, "a")
    [remark] = cells.remarks
    read = "a: '2-2 (4-3 p)' is read as 2-2: the score before the shoot-out counts, so the match is a draw"
    assert str(remark) == f"{read}; use `shootouts='win'` to count the side that won it as the winner"


def test_shoot_outs_are_draws_or_wins_in_every_notation() -> None:
    cells = ["2-2 (4-3 p)", "3-4 SO", "1 (2) - 1 (3)", "5:2 n.E.", "2-1 a.e.t."]
    for shootouts, signs in ((None, [0, 0, 0, 0, 1]), ("draw", [0, 0, 0, 0, 1]), ("win", [1, -1, -1, 1, 1])):
        assert pair_results(table(cells, shootouts=shootouts), "a").sign.tolist() == signs
    before = pair_results(table(cells), "a").first
    assert before[[0, 1, 2, 4]].tolist() == [2, 3, 1, 2]
    assert np.isnan(before[3])


def test_chess_results_are_not_read_as_scores() -> None:
    assert not pair_results(table(["1-0", "½-½", "0-1", "*", "+:-"]), "a").scored
    assert pair_results(table(["1-0", "2-1"]), "a").scored
    assert not pair_results(table([None, "w/o"]), "a").scored


def test_empty_column_gives_no_results() -> None:
    assert len(pair_results(table([]), "a").state) == 0


@given(
    st.lists(st.tuples(st.integers(0, 150), st.integers(0, 150)), min_size=1),
    st.sampled_from(["-", ":", " - ", " : ", "–", "x", " v "]),
    st.sampled_from(["", " aet", " (OT)", "*"]),
)
def test_written_scores_are_read_back_unchanged(scores: list[tuple[int, int]], mark: str, tail: str) -> None:
    found = pair_results(table([f"{first}{mark}{second}{tail}" for first, second in scores]), "a")
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == scores
    assert found.sign.tolist() == [np.sign(first - second) for first, second in scores]


@given(st.lists(st.text(max_size=12) | st.text("0123456789-:()½ /wo+", max_size=12), min_size=1))
def test_any_text_in_a_result_column_is_a_result_or_a_problem(cells: list[str]) -> None:
    read = table(cells)
    found = pair_results(read, "a")
    assert sorted(read.problems.rows().tolist()) == np.flatnonzero(found.state == WRONG).tolist()
    assert not np.isinf(found.first).any()


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
def test_result_words_are_read_in_the_language_of_the_column(cells: str, signs: str) -> None:
    read = table(cells.split())
    found = word_results(read, "a")
    assert "".join("0+-"[sign] for sign in found.sign) == signs
    assert (found.state == PLAYED).all()
    assert not found.scored
    assert not wrong(read)


def test_cell_may_contain_a_result_word_and_a_score() -> None:
    cells = table(["W 3-1", "L 0-2", "D 1-1", "W, 3-1", "W 2-1 (OT)", "3-1 W", "L"])
    found = word_results(cells, "a")
    assert found.sign.tolist() == [1, -1, 0, 1, 1, 1, -1]
    assert found.first[:6].tolist() == [3, 0, 1, 3, 2, 3]
    assert found.second[:6].tolist() == [1, 2, 1, 1, 1, 1]
    assert np.isnan(found.first[6])
    assert found.scored
    assert not cells.remarks


def test_result_column_may_give_the_score_of_the_winner_first() -> None:
    cells = table(["W 5-3", "L 5-3", "L 4-2"])
    found = word_results(cells, "a")
    assert (found.first.tolist(), found.second.tolist()) == ([5, 3, 2], [3, 5, 4])
    assert list(map(str, cells.remarks)) == ["a: the winner's score comes first, even in cells with a word for a loss"]


def test_result_word_that_contradicts_the_score_is_a_problem() -> None:
    cells = table(["W 5-3", "L 5-3", "L 2-4", "D 2-1"])
    assert word_results(cells, "a").state.tolist() == [PLAYED, WRONG, PLAYED, WRONG]
    assert [problem.detail().partition(";")[0] for problem in cells.problems] == [
        "the word and the score contradict each other"
    ] * 2


def test_words_for_walkovers_and_unplayed_matches_are_recognised() -> None:
    cells = table(["W", "L", "", None, "-", "postponed", "w/o", "W/O", "W-F", "L (ff)", "nonsense", "3-Jan"])
    found = word_results(cells, "a")
    assert found.state.tolist() == [PLAYED] * 2 + [UNPLAYED_MATCH] * 4 + [WALKOVER] * 4 + [WRONG] * 2
    assert found.sign[6:10].tolist() == [0, 0, 1, -1]
    assert wrong(cells) == ["nonsense", "3-Jan"]


def test_ambiguous_result_words_add_a_remark() -> None:
    for cells, note in (
        (["D", "D"], ["a: 'd' is a draw (read as W/D/L)"]),
        (["1", "0"], ["a: '0' is a loss for the first team, '1' is a win for the first team (read as 1/½/0)"]),
        (["V", "N", "D"], []),
        (["W", "OTL"], ["a: otl: a win after overtime or a shoot-out counts as a win"]),
    ):
        read = table(cells)
        word_results(read, "a")
        assert list(map(str, read.remarks)) == note


def test_options_can_define_additional_result_words() -> None:
    found = word_results(table(["blue", "red", "draw"]), "a", {"blue": 1, "red": -1})
    assert found.sign.tolist() == [1, -1, 0]


@given(st.lists(st.text(max_size=8) | st.sampled_from(["W", "L", "D", "W 3-1", "1-0"]), min_size=1))
def test_any_word_in_a_result_column_is_a_result_or_a_problem(cells: list[Any]) -> None:
    read = table(cells)
    found = word_results(read, "a")
    assert sorted(read.problems.rows().tolist()) == np.flatnonzero(found.state == WRONG).tolist()

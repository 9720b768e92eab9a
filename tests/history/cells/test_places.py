from math import isnan, nan
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.history.cells.places import ranks, word_masks

from .tables import table, wrong


@pytest.mark.parametrize(
    ("cell", "rank"),
    [
        ("1", 1), ("1.", 1), ("1.0", 1), ("1st", 1), ("2nd", 2), ("3RD", 3), ("11th", 11), ("1º", 1), ("1°", 1),
        ("1ª", 1),
        ("1er", 1), ("1ère", 1), ("2e", 2), ("2ème", 2), ("1:a", 1), ("1-й", 1), ("#1", 1), ("№ 1", 1), ("No. 1", 1),
        ("P1", 1), ("Pos. 4", 4), ("T3", 3), ("T-3", 3), ("3T", 3), ("=3", 3), ("3=", 3), ("= 3", 3), ("T3rd", 3),
        ("tied 3rd", 3),
        ("3rd (tie)", 3), ("joint 3rd", 3), ("3.5", 3.5), ("3,5", 3.5), ("5-7", 6), ("5–8", 6.5), ("5th-8th", 6.5),
        ("17 to 32", 24.5), ("T5-7", 6), ("gold", 1), ("Silver", 2), ("BRONZE", 3), ("winner", 1),
        ("Runner-up", 2), ("1st place", 1),
        ("2. Platz", 2), ("3 of 20", 3), ("3*", 3), ("３", 3), ("1,234", 1234), ("1,234th", 1234),
        ("T1,234", 1234), ("2.500", 2.5),
    ],
)  # fmt: skip
def test_common_place_notations_are_read(cell: str, rank: float) -> None:
    cells = table([cell, "9"])
    found = ranks(cells, "a")
    assert found.rank.tolist() == [rank, 9]
    assert not found.unplaced.any()
    assert not found.absent.any()
    assert not wrong(cells)
    assert not cells.remarks


def test_decimal_option_applies_to_places() -> None:
    assert ranks(table(["1,500", "2.000"], decimal=","), "a").rank.tolist() == [1.5, 2000]


@pytest.mark.parametrize(
    "cell",
    ["DNF", "dnf", "DSQ", "DQ", "DISQ", "NC", "N/C", "RET", "Ret.", "Retd",
     "R", "W", "WD", "W/D", "EX", "EXC", "AB", "Abd", "ABD", "OTL", "HD", "LAP", "OUT", "ELIM", "FAILED", "OCS", "UFD",
     "BFD", "RAF", "DNE", "TLE", "UNC", "MDQ", "ausg.", "disq.", "Withdrawn", "Disqualified", "Éliminé"],
)  # fmt: skip
def test_player_marked_dnf_or_similar_has_no_place(cell: str) -> None:
    cells = table(["1", "2", cell])
    found = ranks(cells, "a")
    assert found.unplaced.tolist() == [False, False, True]
    assert isnan(found.rank[2])
    assert not wrong(cells)
    assert list(map(str, cells.remarks)) == [
        f"a: entries with a word instead of a place share the last place of their match: 1 of 3 ({cell} 1);"
        f" use `absent=({cell!r},)` to leave them out"
    ]


@pytest.mark.parametrize("cell", ["DNS", "dns", "DNQ", "DNPQ", "DNP", "DNC", "NP", "did not start", "DNS (illness)"])
def test_players_who_did_not_start_are_left_out_unless_the_user_ranks_them_last(cell: str) -> None:
    places = ranks(table(["1", "2", cell]), "a")
    assert (places.unplaced.any(), places.absent.tolist()) == (False, [False, False, True])
    last = ranks(table(["1", "2", cell], unplaced=(cell,)), "a")
    assert (last.unplaced.tolist(), last.absent.any()) == ([False, False, True], False)


@pytest.mark.parametrize("cell", ["", None, "-", "–", "NA", "N/A", "\\N", "?"])
def test_player_with_an_empty_place_cell_is_neither_unplaced_nor_absent(cell: str | None) -> None:
    cells = table(["1", cell])
    found = ranks(cells, "a")
    assert np.isnan(found.rank).tolist() == [False, True]
    assert not (found.unplaced | found.absent).any()
    assert not wrong(cells)


def test_remark_counts_the_words_in_a_place_column() -> None:
    cells = table(["1", "2", "DNF (engine)", "dnf", "DNF", "DNS", "Ret.", "WD"])
    assert ranks(cells, "a").unplaced.sum() == 5
    assert list(map(str, cells.remarks)) == [
        "a: entries with a word instead of a place share the last place of their match: 5 of 8 (DNF 3, Ret. 1, WD 1);"
        " use `absent=('DNF',)` to leave DNF out"
    ]


def test_unknown_word_in_a_place_column_is_a_problem_unless_repeated() -> None:
    cells = table([*"12345", "zonk", "zonk", "xyz", "3-Jan", "1/x"])
    found = ranks(cells, "a")
    assert found.unplaced.tolist() == [False] * 5 + [True] * 2 + [False] * 3
    assert [str(problem) for problem in cells.problems] == [
        "column 'a' holds 'xyz': this is not a place; use `unplaced=('xyz',)` to rank it last",
        "column 'a' holds '3-Jan': this is not a place; write a place such as 1, or a word such as DNF",
        "column 'a' holds '1/x': this is not a place; write a place such as 1, or a word such as DNF",
    ]


def test_column_of_unrelated_words_is_not_read_as_places() -> None:
    cells = table(["keeper", "striker", "keeper", "striker"])
    assert np.isnan(ranks(cells, "a").rank).all()
    assert len(wrong(cells)) == 4


def test_options_set_the_words_for_unplaced_and_absent_players() -> None:
    cells = table(["1", "DNS", "xyz", "0", "-", "DNF"], unplaced=("XYZ", "0"), absent=("dns", "-"))
    found = ranks(cells, "a")
    assert found.unplaced.tolist() == [False, False, True, True, False, True]
    assert found.absent.tolist() == [False, True, False, False, True, False]
    assert np.isnan(found.rank).tolist() == [False] + [True] * 5
    assert not wrong(cells)
    found = ranks(table([1, 2, -1, 0], unplaced=("-1",), absent=("0",)), "a")
    assert (found.unplaced.tolist(), found.absent.tolist()) == ([False, False, True, False], [False] * 3 + [True])


def test_places_below_one_add_a_remark() -> None:
    for column in (["0", "1", "2"], [0, 1, 2]):
        cells = table(column)
        assert ranks(cells, "a").rank.tolist() == [0, 1, 2]
        assert list(map(str, cells.remarks)) == [
            "a: place 0 is read as better than place 1 (1 row); use `unplaced=('0',)` to rank it last"
        ]


def test_tournament_rounds_are_read_as_places() -> None:
    assert ranks(table(["W", "F", "SF", "SF", "QF", "R16"]), "a").rank.tolist() == [1, 2, 3.5, 3.5, 6.5, 12.5]


def test_words_in_a_score_column_mark_unplaced_players() -> None:
    cells = table(["12.5", "DNF", "x", None, "3 pts", "DNS"], absent=("DNS",))
    unplaced, absent = word_masks(cells, "a")
    assert unplaced.tolist() == [False, True, False, False, False, False]
    assert absent.tolist() == [False] * 5 + [True]
    assert not wrong(cells)


@given(st.lists(st.text(max_size=8) | st.none() | st.integers(0, 50).map(str), min_size=1))
def test_any_text_in_a_place_column_is_a_place_or_a_known_word_or_empty_or_a_problem(cells: list[Any]) -> None:
    read = table([None if cell is None else str(cell) for cell in cells])
    found = ranks(read, "a")
    bad = np.zeros(len(cells), bool)
    bad[read.problems.rows()] = True
    placed = ~np.isnan(found.rank)
    assert ((placed.astype(int) + found.unplaced + found.absent + bad) <= 1).all()


def test_places_in_real_files_are_read(data: Path) -> None:
    column = pl.read_csv(data / "f1_race_results.csv", infer_schema=False)["position"]
    cells = table(column.to_list())
    found = ranks(cells, "a")
    assert not wrong(cells)
    number = column.cast(pl.Float64, strict=False)
    np.testing.assert_array_equal(found.rank, number.fill_null(nan).to_numpy())
    assert ((found.unplaced | found.absent) == number.is_null().to_numpy()).all()
    assert (found.absent == column.is_in(["DNS", "DNQ", "DNPQ", "DNP"]).to_numpy()).all()
    assert " of 27,533 (DNF 8,764, " in str(cells.remarks[0])
    column = pl.read_csv(data / "chgk_team_results.csv.gz", infer_schema=False)["position"]
    cells = table(column.to_list())
    np.testing.assert_array_equal(ranks(cells, "a").rank, column.cast(pl.Float64).to_numpy())
    assert not cells.remarks

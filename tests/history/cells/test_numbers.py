from math import isnan, nan
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.errors import Error
from prowess.history.cells.numbers import numbers, numbers_together

from .tables import table, wrong


def same(found: Any, expected: list[float]) -> bool:
    return len(found) == len(expected) and all(
        one == other or (isnan(one) and isnan(other)) for one, other in zip(found.tolist(), expected, strict=True)
    )


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("3", 3), (" 3 ", 3), ("+3", 3), ("-3", -3), ("−3", -3), ("–3", -3), ("- 3", -3), ("007", 7), ("3.0", 3),
        (".5", 0.5), ("-.5", -0.5), (",5", 0.5), ("5.", 5), ("1e3", 1000), ("1E+03", 1000), ("3½", 3.5), ("½", 0.5),
        ("¼", 0.25), ("-2¾", -2.75), ("1/2", 0.5), ("3 1/2", 3.5), ("３", 3), ("１２．５", 12.5), ("٣", 3),
        ("5 pts", 5), ("1 pt.", 1), ("12 goals", 12), ("7 Punkte", 7), ("45%", 0.45), ("$1,200.50", 1200.5),
        ("3*", 3), ("3 [a]", 3), ("3†", 3), ("'3", 3), ('"3"', 3), ("1 234", 1234), ("1\u00a0234", 1234),
        ("1\u202f234,5", 1234.5), ("1'234", 1234), ("1’234.5", 1234.5), ("1,234,567", 1234567),
        ("1.234.567", 1234567), ("1,234.5", 1234.5), ("1.234,5", 1234.5), ("12,34,567", 1234567), ("1234,5", 1234.5),
        ("1234.5", 1234.5), ("2,5", 2.5), ("0,125", 0.125), ("-1.234,5", -1234.5),
        ("12,34,567.5", 1234567.5), ("1,234½", 1234.5), ("1.234½", 1234.5), ("1 234 1/2", 1234.5), ("5/2", 2.5),
        ("123456789012345678901234567890", 123456789012345678901234567890.0),
    ],
)  # fmt: skip
def test_common_number_notations_are_read(cell: str, value: float) -> None:
    cells = table([cell])
    assert numbers(cells, "a").tolist() == [value]
    assert not wrong(cells)
    assert not cells.remarks


@pytest.mark.parametrize(
    "cell", ["", " ", None, "-", "–", "?", "NA", "N/A", "n.a.", "#N/A", "null", "NULL", "None", "nan", "NaN", "\\N"]
)
def test_missing_value_markers_are_read_as_empty(cell: str | None) -> None:
    cells = table(["1", cell])
    assert same(numbers(cells, "a"), [1, nan])
    assert not wrong(cells)


@pytest.mark.parametrize(
    "cell",
    ["x", "inf", "-inf", "Infinity", "1e999", "(3)", "3-1", "1.2.3", "1,2,3", "1,23,4", "3,", "0x1F", "1_000", "12abc",
     "3²", "--3", "1 2", "1 23", "12 345 67", "3 km", "1.5k", "3-Jan"],
)  # fmt: skip
def test_unreadable_numbers_are_reported_with_their_rows(cell: str) -> None:
    cells = table(["1", cell, "2"])
    assert same(numbers(cells, "a"), [1, nan, 2])
    assert wrong(cells) == [cell]


@pytest.mark.parametrize(
    "cell",
    ["2,.5", ",.5", ".,5", "1.,5", "2.,5", "1,,5", "1..5", "..5", ",,5", ".5.", "2.5.", "2,5,", "5,.", "5..", "1 .5",
     "1, 5", "1 234.", "1,234.", "1.234,", "1,23,4.5", "1,234,5", "1,234,56", "1.234.5", "12,345,67", "1234,567.8",
     "1.23.456", "1,234.567.8", "1 234,567.8", ",123,456", "0 123", "00 123", "0,123,456", "0.123.456", "0,123.5",
     "0'123", "01,23,456", "1'234 567", "1 234'567", "2.5½", "2,5½", "2.½", "2,½", ".½", "2.5 1/2", "3 5/2", "3 2/2"],
)  # fmt: skip
def test_number_with_misplaced_decimal_or_thousands_marks_is_a_problem(cell: str) -> None:
    for around in (["1", "2"], ["2.5", "1,234.5"], ["2,5", "1.234,5"]):
        for decimal in (None, ".", ","):
            cells = table([*around, cell], decimal=decimal)
            assert isnan(numbers(cells, "a")[2])
            assert wrong(cells) == [cell]


@pytest.mark.parametrize(
    ("cells", "values", "note"),
    [
        (["1,234", "999"], [1234, 999], "a: '1,234' is read as 1234; use `decimal=','` to read it as 1.234"),
        (["1.234"], [1.234], "a: '1.234' is read as 1.234; use `decimal=','` to read it as 1234"),
        (["1,234", "5000"], [1.234, 5000], "because other numbers above 999 have no thousands mark; use `decimal='.'`"),
        (
            ["1,234", "2,5"],
            [1.234, 2.5],
            "'1,234' is read as 1.234 because of '2,5'; use `decimal='.'` to read it as 1234",
        ),
        (
            ["1.234", "2,5"],
            [1234, 2.5],
            "a: '1.234' is read as 1234 because of '2,5'; use `decimal='.'` to read it as 1.234",
        ),
        (["1.234", "1.234,5"], [1234, 1234.5], "because of '1.234,5'"),
        (["1.234", "1.234.567"], [1234, 1234567], "because of '1.234.567'"),
        (["1,234", "2.5"], [1234, 2.5], ""),
        (["1.234", "2.5"], [1.234, 2.5], ""),
        (["1,234", "1,234,567"], [1234, 1234567], ""),
        (["1,234 pts", "2,5"], [1.234, 2.5], "because of '2,5'"),
        (["1.234", "2.5", "3.5", "2,5"], [1.234, 2.5, 3.5, 2.5], "a: '1.234' is read as 1.234 because of '2.5'"),
    ],
)
def test_ambiguous_decimal_mark_is_resolved_by_the_other_cells_of_the_column(
    cells: list[str], values: list[float], note: str
) -> None:
    read = table(cells)
    assert numbers(read, "a").tolist() == values
    assert note in "".join(map(str, read.remarks))
    assert bool(note) == bool(read.remarks)


def test_decimal_option_sets_the_decimal_mark() -> None:
    for mark, value in ((".", [1234, 1.234, 2.5, 2.5]), (",", [1.234, 1234, 2.5, 2.5])):
        cells = table(["1,234", "1.234", "2,5", "2.5"], decimal=mark)
        assert (numbers(cells, "a").tolist(), list(map(str, cells.remarks))) == (value, [])


def test_columns_that_are_read_together_have_the_same_decimal_mark() -> None:
    cells = table(["1,234", "3"], ["2,5", "x"])
    first, second = numbers_together(cells, ["a", "b"])
    assert first.tolist() == [1.234, 3]
    assert same(second, [2.5, nan])
    assert [(problem.row, problem.column) for problem in cells.problems] == [(1, "b")]
    assert str(cells.remarks[0]).startswith("a, b: '1,234'")


def test_word_after_the_number_is_a_unit_if_half_of_the_cells_have_it() -> None:
    cells = table(["3 km", "4km", "5", "6"])
    assert numbers(cells, "a").tolist() == [3, 4, 5, 6]
    assert not wrong(cells)
    cells = table(["3 km", "4", "5"])
    numbers(cells, "a")
    assert wrong(cells) == ["3 km"]


def test_shoot_out_score_in_brackets_is_ignored() -> None:
    cells = table(["2 (4)", "1(3)", "0"])
    assert numbers(cells, "a").tolist() == [2, 1, 0]
    assert list(map(str, cells.remarks)) == ["a: '2 (4)' is read as 2, without the number in brackets"]
    cells = table(["12.8 (80)"])  # Australian football: goals.behinds (points)
    numbers(cells, "a")
    assert wrong(cells) == ["12.8 (80)"]


@pytest.mark.parametrize(
    ("cells", "lines"),
    [
        (["3", "1", ".5", "2"], [3]),
        (["3", "1", "-.5", ",5"], [3]),
        (["3", " .5 "], [2]),
        (["1", "0", ".5"], []),  # half a point for a draw in chess
        (["3", "2.5", ".5"], []),  # chess points
        (["3", "1", "0.5"], []),
    ],
)
def test_decimals_without_leading_zero_among_whole_numbers_add_a_remark(cells: list[str], lines: list[int]) -> None:
    read = table(cells)
    assert abs(numbers(read, "a")[cells.index(next(cell for cell in cells if "5" in cell))]) % 1 == 0.5
    assert [remark.line for remark in read.remarks if remark.code == "bare-decimals"] == lines
    assert not wrong(read)


def test_polars_columns_of_numbers_and_categories_are_read_as_numbers_but_lists_are_refused() -> None:
    assert same(numbers(table([1, None, 3]), "a"), [1, nan, 3])
    assert same(numbers(table([1.5, None]), "a"), [1.5, nan])
    assert same(numbers(table([None, None]), "a"), [nan, nan])
    categories = table(["2,5", "x"])
    categories.frame.replace_column(0, categories.frame["a"].cast(pl.Categorical))
    assert same(numbers(categories, "a"), [2.5, nan])
    with pytest.raises(Error, match="numbers are needed"):
        numbers(table([[1]]), "a")


@st.composite
def dialects(draw: st.DrawFn) -> tuple[str, list[tuple[float, str]]]:
    """Draw a decimal mark, and numbers written with it."""
    mark, between = draw(st.sampled_from([".,", ",.", ". ", ", ", ".'", ".\u00a0", ",\u202f", "._", ",_"]))
    between = between.replace("_", "")
    minus = draw(st.sampled_from("-−–"))
    cells = []
    for whole, places in draw(st.lists(st.tuples(st.integers(-(10**9), 10**9), st.integers(0, 6)), min_size=1)):
        value = whole / 10**places
        text = f"{abs(value):,.{places}f}".replace(",", "_").replace(".", mark).replace("_", between)
        cells.append((value, (minus if whole < 0 else "") + text))
    return mark, cells


@given(dialects())
def test_numbers_written_with_any_decimal_mark_are_read_back_unchanged(
    dialect: tuple[str, list[tuple[float, str]]],
) -> None:
    mark, cells = dialect
    read = table([text for _, text in cells], decimal=mark)
    assert numbers(read, "a").tolist() == [value for value, _ in cells]
    # Without the option, a majority of unambiguous cells decides how the others are read.
    other = "." if mark == "," else ","
    proof = [f"1{other}234{mark}5"] * (len(cells) + 1)
    read = table([text for _, text in cells] + proof)
    assert numbers(read, "a").tolist()[: len(cells)] == [value for value, _ in cells]


@given(st.lists(st.text() | st.none(), min_size=1))
def test_any_text_in_a_number_column_is_a_finite_number_or_empty_or_a_problem(cells: list[str | None]) -> None:
    read = table(cells)
    values = numbers(read, "a")
    bad = set(read.problems.rows().tolist())
    for row, value in enumerate(values.tolist()):
        assert abs(value) < float("inf") or isnan(value)
        assert not (row in bad and not isnan(value))


def test_scores_in_real_files_are_read(data: Any) -> None:
    for name, column in (("premier_league_1995_2009.csv", "hg"), ("afl_1999_2009.csv", "home_points")):
        frame = pl.read_csv(data / name, infer_schema=False)
        cells = table(frame[column].to_list())
        assert numbers(cells, "a").tolist() == frame[column].cast(pl.Float64).to_list()
        assert not cells.remarks

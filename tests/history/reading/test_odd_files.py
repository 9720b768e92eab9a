"""Malformed files: broken quotes, other encodings, partly empty columns, and wrong options."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from prowess.errors import Error
from prowess.history import History


def write(folder: Path, text: str | bytes, name: str = "odd.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('winner,loser\n"ann,bob\ncat,dan\n', "line 2: a quotation mark is not closed"),
        (b"winner,loser\nann,bob\nA,B\xb1\nC,D\n", "line 3: a byte is invalid"),
        (b"winner,loser\nann,bob\nA,B\0x\nC,D\n", "line 3: the row contains zero bytes"),
    ],
)
def test_error_for_a_malformed_text_file_names_the_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(Error, match=message) as caught:
        History.read(write(tmp_path, text))
    assert "\n" not in str(caught.value).strip()


@pytest.mark.parametrize("cell", ["2,.5", "1,,5", "1..5", "1,234,5", "2.5½", "0 123"])
@pytest.mark.parametrize(
    "line", ["date;home;away;hg;ag\n{}2026-02-01;bob;cat;{};0\n", 'date,home,away,hg,ag\n{}2026-02-01,bob,cat,"{}",0\n']
)
def test_malformed_number_is_reported_once_with_its_line_column_and_cell(tmp_path: Path, line: str, cell: str) -> None:
    mark = line[4]
    before = f"2026-01-31{mark}ann{mark}bob{mark}3{mark}1\n"
    found = History.check(write(tmp_path, line.format(before, cell)))
    [problem] = found.problems
    assert str(problem).startswith(f"line 3: column 'hg' holds {cell!r}: ")
    assert len(found.history) == 1


def test_rows_whose_separator_differs_from_the_header_are_not_mistaken_for_unplayed_matches(tmp_path: Path) -> None:
    rows = "".join(f"{name},bob,{side}\n" for name in ("ann", "cat", "dan", "eve") for side in ("left", "right"))
    with pytest.raises(Error, match="I can't tell what these columns mean: '1', '2', '3'"):
        History.check(write(tmp_path, "left|right|winner\n" + rows))


SQUADS = "match|team|player|score\n" + "".join(
    f"m{match}|{team}|{team}{player}|{match + len(team)}\n"
    for match in range(4)
    for team in ("red", "blue")
    for player in range(2)
)


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("m2|red|red0", "|red|red0", ["line 10"]),
        ("m2|red|red0|5\nm2|red|red1|5\n", "|red|red0|5\n|red|red1|5\n", ["line 10", "line 11"]),  # both may be in m2
        ("m2|red|red0|5\nm2|red|red1|5\n", "0m2|red|red0|5\n|red|red1|5\n", ["line 10", "line 11", "line 12"]),
        ("m2|red|red0|5\nm2|red|red1|5\n", "|red0|5\n", ["line 11"]),  # the row without a score counts as not played
    ],
)
def test_row_without_a_match_name_does_not_drop_other_matches(
    tmp_path: Path, before: str, after: str, lines: list[str]
) -> None:
    assert before in SQUADS
    found = History.check(write(tmp_path, SQUADS.replace(before, after)))
    assert [problem.where for problem in found.problems] == lines


def test_stray_cell_beside_the_table_does_not_change_the_teams(tmp_path: Path) -> None:
    text = SQUADS.replace("\n", "|||\n").replace("m0|red|red0|3|||", "m0||red0|3|||red")
    found = History.check(write(tmp_path, text))
    assert [problem.where for problem in found.problems] == ["line 2"]
    assert found.history[-1]["teams"] == [["red0", "red1"], ["blue0", "blue1"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"separator": ";;"}, "separator must be a single character"),
        ({"separator": ""}, "separator must be a single character"),
        ({"separator": 5}, "separator must be a single character"),
        ({"columns": ["winner"]}, "columns must map roles to columns"),
        ({"time_format": 5}, "time_format must be text"),
        ({"timeformat": "%Y"}, r"unknown keyword 'timeformat'; did you mean `time_format`\?"),
        ({"banana": 3}, "unknown keyword 'banana'; keywords are columns, aliases, context, .*, sheet"),
    ],
)
def test_invalid_reading_options_raise_an_error(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    path = write(tmp_path, "winner,loser\nann,bob\n")
    frame = pl.DataFrame({"winner": ["ann"], "loser": ["bob"]})
    for read in (History.read, History.check, lambda _, **given: History.from_frame(frame, **given)):
        with pytest.raises(Error, match=message):
            read(path, **options)


def test_read_and_from_matches_refuse_input_of_the_wrong_type() -> None:
    for wrong in (None, 5, {"winner": ["ann"]}):
        with pytest.raises(Error, match="read needs the path of a file"):
            History.read(wrong)  # type: ignore[arg-type]
    for wrong in (None, 5, "ann", {"teams": [["ann"], ["bob"]]}):
        with pytest.raises(Error, match="from_matches needs a list of matches"):
            History.from_matches(wrong)  # type: ignore[arg-type]


def test_incomplete_scores_are_ignored_if_all_teams_have_ranks(tmp_path: Path) -> None:
    history = History.read(write(tmp_path, "race,driver,position,points\n1,ann,1,25\n1,bob,2,18\n1,cat,3,\n"))
    assert history[0] == {"teams": [["ann"], ["bob"], ["cat"]], "ranks": [1, 2, 3]}


def test_spaces_around_names_are_removed(tmp_path: Path) -> None:
    history = History.read(write(tmp_path, "winner, loser\n ann , bob \nbob,ann\n"))
    assert history.players == ("ann", "bob")


def test_extremely_small_or_large_weights_raise_an_error(tmp_path: Path) -> None:
    with pytest.raises(Error, match="only weights of 0"):
        History.from_matches([{"teams": [["ann"], ["bob"]], "weights": [[1e-60], [1]]}])
    with pytest.raises(Error, match=r"weights of team 1 must be within ±1e\+30, not 1e\+200"):
        History.from_matches([{"teams": [["ann"], ["bob"]], "weights": [[1e200], [1]]}])
    with pytest.raises(Error, match=r"line 2: ann has the weight 1e\+200: a weight must be a number from 0 to"):
        History.read(write(tmp_path, "match,player,rank,weight\n1,ann,1,1e200\n1,bob,2,1\n"))


@pytest.mark.parametrize("key", ["ranks", "scores"])
def test_numbers_too_large_for_a_float_raise_an_error(key: str) -> None:
    with pytest.raises(Error, match=f"each of the {key} must be a finite number"):
        History.from_matches([{"teams": [["ann"], ["bob"]], key: [10**400, 1]}])

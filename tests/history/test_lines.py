"""The lines of a file from which matches were read, and errors that name them."""

import gzip
import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import prowess as pw

WIDE = "results of the club\n\nday,winner,loser\n3,ann,bob\n1,bob,cat\n\n2,ann,cat\n"
LONG = "match,player,place,kills\n1,ann,1,5\n1,bob,2,3\n2,cat,2,{}\n2,ann,1,5\n3,bob,1,3\n3,cat,2,3\n"


def lines(history: pw.History) -> list[int]:
    assert history.lines is not None
    return list(history.lines.number)


def read(folder: Path, name: str, text: str) -> pw.History:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return pw.History.read(path)


@pytest.mark.parametrize("name", ["games.csv", "games.csv.gz"])
def test_matches_keep_their_lines_in_the_order_of_time(tmp_path: Path, name: str) -> None:
    history = read(tmp_path, name, WIDE)
    assert lines(history) == [5, 7, 4]
    assert lines(history[1:]) == lines(history.take([1, 2])) == lines(history.between(2)) == [7, 4]
    assert lines(pickle.loads(pickle.dumps(history))) == [5, 7, 4]
    assert history == pw.History.from_matches(list(history))  # lines are not compared


def test_rows_that_are_skipped_do_not_shift_the_lines(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("home,away,hg,ag\nann,bob,1,0\nann,bob,x,0\nbob,cat,1,0\ncat,ann,,\nann,cat,2,0\n")
    assert lines(pw.History.read(tmp_path / "x.csv", skip_problems=True)) == [2, 4, 6]


def test_cells_with_newlines_and_repaired_rows_count_all_lines(tmp_path: Path) -> None:
    assert lines(read(tmp_path, "x.csv", 'winner,loser\n"ann\nlee",bob\nbob,cat\n')) == [2, 4]
    assert lines(read(tmp_path, "y.csv", 'winner,loser\n"ann\nlee",bob\nthe "cat",bob\nbob,dan\n')) == [2, 4, 5]


def test_files_with_a_row_per_player_keep_the_line_of_each_player(tmp_path: Path) -> None:
    history = read(tmp_path, "x.csv", LONG.format(4))
    assert lines(history) == [2, 3, 4, 5, 6, 7]
    assert lines(history[1:]) == [4, 5, 6, 7]


def test_json_keeps_lines_or_items(tmp_path: Path) -> None:
    match = '{"teams": [["ann"], ["bob"]]}'
    assert lines(read(tmp_path, "x.jsonl", f"{match}\n\n{match}\n")) == [1, 3]
    assert lines(read(tmp_path, "y.json", f"[{match},\n\n{match}]")) == [1, 2]
    row = '{"winner": "ann", "loser": "bob", "round": 1}'
    assert lines(read(tmp_path, "z.jsonl", f"{row}\n\n{row}\n")) == [1, 3]
    assert lines(read(tmp_path, "w.jsonl", f"{row}\n{row}\n")) == [1, 2]


def test_frames_have_rows_and_joined_files_and_plain_matches_have_no_lines(tmp_path: Path) -> None:
    frame = pl.DataFrame({"winner": ["ann", "bob"], "loser": ["bob", "cat"]})
    history = pw.History.from_frame(frame)
    assert (lines(history), history.lines.unit) == ([1, 2], "row")
    assert pw.History.join([history, history]).lines is None
    assert pw.History.from_matches(list(history)).lines is None


def test_chunks_of_a_file_count_lines_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("day,winner,loser\n" + "".join(f"{day},ann,bob\n" for day in range(5)))
    assert [lines(history) for history in pw.History.stream(path, rows=2)] == [[2, 3], [4, 5], [6]]


def test_lines_in_order_take_no_memory(tmp_path: Path) -> None:
    text = "winner,loser\n" + "ann,bob\n" * 1000
    history = read(tmp_path, "x.csv", text)
    assert isinstance(history.lines.number, range)
    assert history.lines.nbytes == 0
    assert history.take(np.arange(999, -1, -1)).lines.nbytes == 4000
    assert history.nbytes == pw.History.from_matches(list(history)).nbytes


def test_errors_about_the_context_name_the_line_of_the_player_and_the_match(tmp_path: Path) -> None:
    model = pw.TrueSkill().replace(statistics=(pw.statistic.Counts("kills"),))
    for cell, said in (("-3", "is -3, but a count cannot be negative"), ("few", "is 'few', but a number is needed")):
        history = read(tmp_path, "x.csv", LONG.format(cell))
        with pytest.raises(pw.Error, match=f"x.csv, line 4: match 2: 'kills' {said}$") as raised:
            model.fit(history)
        assert (raised.value.line, raised.value.match, raised.value.field) == (4, 1, "statistics")
        assert raised.value.detail().startswith("'kills'")
        with pytest.raises(pw.Error, match=r"x\.csv, line 4: match 1: 'kills'"):  # counted from the start of the slice
            model.fit(history[1:])


def test_errors_about_a_result_name_the_line(tmp_path: Path) -> None:
    text = "home,away,home_score,away_score\nann,bob,1,0\nann,cat,2.5,1\n"
    with pytest.raises(pw.Error, match=r"x.csv, line 3: match 2 of 2: ") as raised:
        pw.PoissonOD().fit(read(tmp_path, "x.csv", text))
    assert (raised.value.line, raised.value.match) == (3, 1)

"""Remarks from reading files are data with stable codes."""

import pickle
import re
from pathlib import Path

import prowess
from prowess import History
from prowess.errors import Option
from prowess.history import read_context

SOURCE = Path(prowess.__file__).parent
CODE = re.compile(r"""(?:\bnote|Remark|leave_out)\(\s*(?:[\w.()~|& ]+,\s*)?"([a-z1-9-]+)",""")


def read(tmp_path: Path, text: str) -> History:
    path = tmp_path / "games.csv"
    path.write_text(text)
    return History.read(path)


def test_docstring_of_read_context_lists_every_remark_code() -> None:
    listed = set(re.findall("`([a-z1-9-]+)`", str(read_context.__doc__)))
    used = {code for file in (SOURCE / "history").rglob("*.py") for code in CODE.findall(file.read_text())}
    assert len(used) > 40
    assert used <= listed


def test_remarks_have_attributes_for_column_and_count_and_line_and_option(tmp_path: Path) -> None:
    history = read(tmp_path, "date,home,away,score,town\n03/04/2026,ann,bob,3-1,x\n04/05/2026,bob,cat,,y\n")
    remarks = {remark.code: remark for remark in history.remarks}
    assert remarks.keys() == {"layout", "context-left-out", "day-month-order", "not-played"}
    assert remarks["context-left-out"].count == 1
    assert remarks["day-month-order"].column == "date"
    assert remarks["day-month-order"].option == Option("day_first", False)
    assert (remarks["not-played"].count, remarks["not-played"].line) == (1, 3)


def test_recognised_text_has_a_line_for_each_remark(tmp_path: Path) -> None:
    history = read(tmp_path, "winner,loser,town\nann,bob,x\n")
    assert history.recognised.splitlines() == [str(remark) for remark in history.remarks]


def test_remarks_are_kept_by_pickling_slicing_and_joining_and_ignored_by_equality(tmp_path: Path) -> None:
    history = read(tmp_path, "day,winner,loser,town\n2026-01-01,ann,bob,x\n2026-01-02,bob,cat,y\n")
    assert pickle.loads(pickle.dumps(history)).remarks == history.remarks
    assert history[:1].remarks == history.remarks
    assert History.join([history[:1], history[1:]]).remarks == history.remarks
    assert History.from_matches(list(history)) == history


def test_remark_on_skipped_problems_names_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text("home,away,hg,ag\nann,bob,1,0\nbob,cat,x,2\n")
    remark = History.read(path, skip_problems=True).remarks[-1]
    assert (remark.code, remark.column, remark.count, remark.line) == ("problems", "hg", 1, 3)


def test_remarks_of_a_stream_count_lines_from_the_start_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    good = '{"teams": [["ann"], ["bob"]]}\n'
    path.write_text(good * 10_050 + '{"teams": [["ann"]]}\n')
    histories = list(History.stream(path, rows=10_000, skip_problems=True))
    assert histories[-1].remarks[-1].line == 10_051

"""Compressed files, pipes, workbooks, and files without a table."""

import bz2
import datetime
import gzip
import io
import lzma
import os
import sys
import threading
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from prowess.errors import Error
from prowess.history import History
from prowess.history.read_options import Choices
from prowess.history.readers import check_groups

GAMES = "date,home,away,hg,ag\n2026-01-31,ann,bob,1,0\n2026-02-01,bob,cat,2,2\n"
EXPECTED = History.from_matches(
    [
        {"teams": [["ann"], ["bob"]], "scores": [1, 0], "time": "2026-01-31", "home": 0},
        {"teams": [["bob"], ["cat"]], "scores": [2, 2], "time": "2026-02-01", "home": 0},
    ]
)


def zipped(**files: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("_", "."), text)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv.gz", gzip.compress(GAMES.encode(), mtime=0)),
        ("a.csv.bz2", bz2.compress(GAMES.encode())),
        ("a.csv.xz", lzma.compress(GAMES.encode())),
        ("a.zip", zipped(games_csv=GAMES)),
        ("a", GAMES.encode()),
        ("a.dat", GAMES.encode()),
        ("a.log", GAMES.replace(",", "\t").encode()),
        ("a.xls", GAMES.replace(",", "\t").encode()),
        ("a[1]*.csv", GAMES.encode()),
        ("a.csv", gzip.compress(GAMES.encode(), mtime=0)),
        ("a", b'{"teams": [["ann"], ["bob"]], "scores": [1, 0], "time": "2026-01-31", "home": 0}\n'),
    ],
)
def test_file_format_is_detected_from_the_content_not_the_name(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    assert History.read(tmp_path / name) == (EXPECTED[:1] if data.startswith(b"{") else EXPECTED)


@pytest.mark.parametrize("data", [GAMES.encode(), gzip.compress(GAMES.encode(), mtime=0), GAMES.encode("utf-16")])
def test_history_is_read_from_standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert History.read("-") == EXPECTED


def test_problem_in_standard_input_names_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GAMES.replace("cat", "bob").encode())))
    with pytest.raises(Error, match=r"^standard input, line 3: bob is listed in team 1 and in team 2"):
        History.read("-")


def test_named_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(GAMES,))
    writer.start()
    assert History.read(tmp_path / "pipe") == EXPECTED
    writer.join()


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "this is an image, not a table"),
        ("a.csv", b"%PDF-1.7\n", "this is a PDF document, not a table"),
        ("a.xls", b"<html><body><table>", "this is a web page (HTML or XML), not a table; save the table as CSV"),
        ("a.csv", b"\n<!DOCTYPE html>\n", "this is a web page"),
        ("a.csv", bytes(range(256)) * 20, "this is neither text nor another format that prowess reads"),
        ("a.csv", b"", "the file is empty"),
        ("no\udcff\x01such/file.csv", None, "file not found"),
        ("n" * 300, None, "cannot be read: File name too long"),
        ("a.csv.gz", b"", "the file is empty"),
        ("a.csv.gz", gzip.compress(GAMES.encode(), mtime=0)[:-9], "cannot be read: "),
        ("a.csv.bz2", b"BZh91AY", "cannot be read: "),
        ("a.zip", zipped(a_csv=GAMES, b_csv=GAMES), "the archive holds 2 files (a.csv, b.csv); unpack it"),
        ("a.zip", b"PK\x03\x04no", "cannot be read: "),
        ("a.xlsx", b"", "the file is empty"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "cannot be read: "),
    ],
)
def test_file_without_a_table_raises_an_error_that_describes_its_content(
    tmp_path: Path, name: str, data: bytes | None, message: str
) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(Error) as caught:
        History.read(tmp_path / name)
    assert str(caught.value).replace("?", "\udcff").startswith(f"{tmp_path / name}: {message}")
    assert "\n" not in str(caught.value)


def workbook(path: Path, *sheets: tuple[str, list[list[Any]]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


HEADER = ["date", "home", "away", "hg", "ag"]
ROWS = [
    [datetime.date(2026, 1, 31), "ann", "bob", 1, 0.0],
    [datetime.date(2026, 2, 1), "bob", "cat", 2, 2.0],
]


def test_workbook_is_read_as_a_history(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ("Games", [HEADER, *ROWS]))
    assert History.read(path) == EXPECTED
    path.rename(tmp_path / "a.csv")
    assert History.read(tmp_path / "a.csv") == EXPECTED


def test_workbook_may_have_titles_blank_rows_and_two_sheets(tmp_path: Path) -> None:
    games: list[list[Any]] = [[], ["Season 2025/26"], [], HEADER, ROWS[0], [], ROWS[1], [], ["Total: 2"]]
    path = workbook(tmp_path / "a.xlsx", ("Games", games), ("Other", [["winner", "loser"], [7, "bob"]]))
    history = History.read(path)
    assert history == EXPECTED
    for note in (
        "sheet 'Games' is read; use `sheet='Other'` to read another",
        "row 2 is a title above the table and was skipped: 'Season 2025/26'",
        "row 9: a note below the table was skipped: 'Total: 2'",
    ):
        assert note in history.recognised
    assert History.read(path, sheet="Other").players == ("7", "bob")
    with pytest.raises(Error, match=r"sheet 'x' not found; the sheets are 'Games', 'Other'"):
        History.read(path, sheet="x")


def test_problem_in_a_workbook_names_its_row(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ("Games", [[], ["Season"], [], HEADER, ROWS[0], [], [*ROWS[1][:3], "x", 2]]))
    with pytest.raises(Error, match=r"a\.xlsx, row 7: column 'hg' holds 'x'"):
        History.read(path)


def test_empty_workbook_raises_an_error(tmp_path: Path) -> None:
    with pytest.raises(Error, match=r"sheet 'Games' is empty"):
        History.read(workbook(tmp_path / "a.xlsx", ("Games", [])))


def test_error_for_a_workbook_names_the_missing_package_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(Error, match=r"this needs fastexcel, which is not installed: pip install 'prowess\[excel\]'"):
        History.read(workbook(tmp_path / "a.xlsx", ("Games", [HEADER, *ROWS])))


def test_broken_row_is_reported_only_in_its_own_group_of_matches(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('season,winner,loser\n1,ann,bob\n2,"bob,ann\n2,ann,bob\n1,bob,ann\n')
    found = check_groups(tmp_path / "a.csv", "season", Choices())
    assert {name: [str(one) for one in part.problems] for name, part in found.items()} == {
        "1": [],
        "2": ["line 3: a quotation mark is not closed"],
    }
    assert [len(part.history) for part in found.values()] == [2, 1]

"""`prowess check --ask` asks on a terminal how to read a file."""

import shlex
from pathlib import Path

import pytest

from tests.cli.running import converse, run, write

OPEN = "day,who,whom,x,y,z\n03/04/2026,Ann,Bob,3,1,90\n05/04/2026,Cat,Ann,2,2,95\n06/04/2026,Bob,Cat,1,0,91\n"
CTRL_C, CTRL_D = b"\x03", b"\x04"


def command_line(shown: str) -> list[str]:
    """Return the arguments of the printed command, which repeats the answers."""
    return shlex.split(shown.partition("to read the file this way again: ")[2])[1:]


def test_command_printed_after_the_questions_reads_the_file_according_to_the_answers(tmp_path: Path) -> None:
    path = write(tmp_path, "games.csv", OPEN)
    code, shown = converse(b"1122", "check", path, "--ask")
    assert code == 0, shown
    assert "1  'who' against 'whom' – Ann beat Bob 3:1; Cat drew with Ann 2:2" in shown
    assert "1  'x' and 'y' are the scores" in shown
    assert "Does the first side play at home?" in shown
    assert "the month is first – Ann beat Bob 3:1 at home on 2026-03-04" in shown
    words = command_line(shown)
    assert words[0] == "rate"
    assert "home=who" in words
    assert words[-1] == "--no-day-first"
    assert "3 matches, 3 players" in run(*words, "--json").stderr


def test_pressing_enter_takes_the_default_answer_and_a_wrong_number_repeats_the_question(tmp_path: Path) -> None:
    path = write(tmp_path, "games.csv", "team1,team2,score1,score2\nAnn,Bob,3,1\nCat,Ann,2,2\n")
    code, shown = converse(b"9\n", "check", path, "--ask")
    assert code == 0, shown
    assert "Type a number from 1 to 2" in shown
    assert command_line(shown) == ["rate", str(path)]


@pytest.mark.parametrize("key", [CTRL_C, CTRL_D])
def test_ctrl_c_and_ctrl_d_stop_the_questions_without_a_traceback(tmp_path: Path, key: bytes) -> None:
    code, shown = converse(key, "check", write(tmp_path, "games.csv", OPEN), "--ask")
    assert code == 130, shown
    assert "Traceback" not in shown
    assert "read the file this way" not in shown


def test_file_without_open_questions_is_checked_at_once(tmp_path: Path) -> None:
    code, shown = converse(b"", "check", write(tmp_path, "games.csv", "winner,loser\nAnn,Bob\nBob,Cat\n"), "--ask")
    assert code == 0, shown
    assert "There is nothing to ask. The first matches:\n  Ann beat Bob\n  Bob beat Cat\n" in shown


def test_ask_option_of_check_needs_a_terminal(tmp_path: Path) -> None:
    result = run("check", write(tmp_path, "games.csv", OPEN), "--ask")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: --ask needs a terminal")


def test_error_for_an_unknown_layout_mentions_the_ask_option(tmp_path: Path) -> None:
    result = run("rate", write(tmp_path, "games.csv", OPEN))
    assert result.exit_code == 1
    assert "the first matches are: Ann beat Bob 3:1; Cat drew with Ann 2:2" in result.stderr
    assert "prowess check FILE --ask" in result.stderr


def test_sheet_is_asked_first_if_several_sheets_have_matches(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["about"])
    for name, winner in (("May", "Ann"), ("June", "Bob")):
        sheet = book.create_sheet(name)
        sheet.append(["winner", "loser", "court"][: 2 + (name == "May")])
        sheet.append([winner, "Cat"])
    path = tmp_path / "book.xlsx"
    book.save(path)
    assert "use --sheet May or --sheet June" in " ".join(run("check", path).stderr.split())
    code, shown = converse(b"3", "check", path, "--ask")
    assert code == 0, shown
    assert "Which sheet holds the matches?" in shown
    assert command_line(shown) == ["rate", str(path), "--sheet", "June"]

"""Results on any sheet of a workbook are found, and doubts about the sheet are asked."""

from collections.abc import Sequence
from pathlib import Path

import openpyxl
import pytest

from prowess import Error
from prowess.history import History
from prowess.history.read_context import Table
from prowess.history.read_options import Choices
from prowess.history.readers import from_table, with_matches
from prowess.history.reading.questions import open_questions
from prowess.history.reading.sniff import load

Rows = Sequence[Sequence[object]]

RESULTS = [
    ["Date", "Home", "Away", "HG", "AG"],
    ["2024-01-01", "Elms", "Oaks", 1, 0],
    ["2024-01-08", "Oaks", "Pines", 2, 2],
    ["2024-01-15", "Pines", "Elms", 0, 3],
]
MEMBERS = [["Name", "Phone", "Club"], ["Ann", "0123", "Elms"], ["Bob", "0456", "Oaks"], ["Cat", "0789", "Elms"]]
STANDINGS = [["Pos", "Team", "P", "W", "D", "L", "Pts"], [1, "Elms", 2, 2, 0, 0, 6], [2, "Oaks", 2, 0, 1, 1, 1]]
POINTS = [["Rank", "Player", "Points"], [1, "Ann", 10], [2, "Bob", 7], [3, "Cat", 5]]
FIXTURES = [RESULTS[0], ["2025-01-01", "Elms", "Oaks", None, None], ["2025-01-08", "Oaks", "Pines", None, None]]
TITLED = [["Results of the season"], [], *RESULTS]


def write(path: Path, **sheets: Rows) -> Path:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    book.save(path)
    return path


@pytest.mark.parametrize(
    "sheets",
    [
        {"Members": MEMBERS, "Results": RESULTS},
        {"Table": STANDINGS, "Results": RESULTS},
        {"Cover": [["Our league"], ["Season 2024"]], "Points": POINTS, "Results": TITLED},
        {"Empty": [], "Results": RESULTS, "Members": MEMBERS},
        {"Fixtures": FIXTURES, "Members": MEMBERS, "Results": RESULTS},
    ],
    ids=lambda sheets: ", ".join(sheets),
)
def test_only_sheet_with_matches_is_read_and_named(sheets: dict[str, Rows], tmp_path: Path) -> None:
    path = write(tmp_path / "league.xlsx", **sheets)
    history = History.read(path)
    assert [match["scores"] for match in history] == [[1, 0], [2, 2], [0, 3]]
    assert "only sheet 'Results' is read, because the other sheets have no matches" in history.recognised
    assert "`sheet='Results'`" in history.recognised
    assert [match for part in History.stream(path) for match in part] == list(history)


def test_first_sheet_is_read_if_it_has_matches(tmp_path: Path) -> None:
    path = write(tmp_path / "league.xlsx", January=RESULTS, February=RESULTS[:2], Members=MEMBERS)
    history = History.read(path)
    assert len(history) == 3
    assert (
        "only sheet 'January' is read; use `sheet='February'` to read another one (also 'Members')"
        in history.recognised
    )
    assert len(History.read(path, sheet="February")) == 1


def test_sheets_with_the_same_columns_are_one_table(tmp_path: Path) -> None:
    weeks = {
        f"Runde {week}": [
            [f"Vereinspokal, Runde {week}"],
            ["Tisch", "Heim", "Gast", "Tore Heim", "Tore Gast"],
            [1, "Elms", "Oaks", week, 0],
            [2, "Pines", "Firs", 1, week],
        ]
        for week in (1, 2, 3)
    }
    path = write(tmp_path / "cup.xlsx", **weeks)
    history = History.read(path)
    assert [match["scores"] for match in history] == [[1, 0], [1, 1], [2, 0], [1, 2], [3, 0], [1, 3]]
    assert history.context["Session"].to_list() == [name for name in weeks for _ in range(2)]
    assert "the sheets 'Runde 1', 'Runde 2', 'Runde 3', which have the same columns, are" in history.recognised
    assert len(History.read(path, sheet="Runde 2")) == 2
    assert [match for part in History.stream(path) for match in part] == list(history)
    path = write(tmp_path / "league.xlsx", Tabelle=STANDINGS, **weeks)
    assert list(History.read(path)) == list(history)
    loaded = load(path, Choices())
    assert isinstance(loaded, Table)
    [question] = [question for question in open_questions(with_matches(loaded)) if question.code == "sheet"]
    assert question.current is None


def test_sheets_of_one_match_each_are_matches(tmp_path: Path) -> None:
    nights = {
        "3 May": [["Jugador", "Puntos", "Puesto"], ["Ana", 30, 2], ["Luz", 41, 1], ["Rui", 12, 3]],
        "10 May": [["Jugador", "Puntos", "Puesto"], ["Rui", 28, 1], ["Ana", 25, 2]],
        "General": [["Jugador", "Noches", "Total"], ["Ana", 2, 55], ["Luz", 1, 41], ["Rui", 2, 40]],
    }
    history = History.read(write(tmp_path / "noches.xlsx", **nights))
    assert [match["scores"] for match in history] == [[30, 41, 12], [28, 25]]
    assert "only the sheets '3 May', '10 May', which" in history.recognised


def test_a_sheet_with_other_columns_than_the_first_is_not_added(tmp_path: Path) -> None:
    cup = [["Date", "Home", "Away", "HG", "AG", "Round"], ["2024-02-01", "Elms", "Pines", 4, 0, "Final"]]
    history = History.read(write(tmp_path / "league.xlsx", League=RESULTS, Cup=cup))
    assert len(history) == 3
    assert "only sheet 'League' is read; use `sheet='Cup'`" in history.recognised


def test_several_other_sheets_with_matches_are_named_in_the_error(tmp_path: Path) -> None:
    path = write(tmp_path / "league.xlsx", Members=MEMBERS, January=RESULTS, Table=STANDINGS, February=RESULTS)
    with pytest.raises(Error, match="use `sheet='January'` or `sheet='February'`") as caught:
        History.read(path)
    assert caught.value.field == "sheet"
    assert caught.value.hint is not None
    assert caught.value.hint.value == "January"


def test_standings_before_results_are_asked_about(tmp_path: Path) -> None:
    path = write(tmp_path / "league.xlsx", Points=POINTS, Results=RESULTS)
    with pytest.raises(Error, match=r"'Points' has a single match.*`sheet='Points'` or `sheet='Results'`"):
        History.read(path)
    assert len(History.read(path, sheet="Results")) == 3


def test_rows_with_problems_on_the_first_sheet_are_reported(tmp_path: Path) -> None:
    wrong = [RESULTS[0], ["2024-01-01", "Elms", "Oaks", "x", 0], ["2024-01-08", "Oaks", "Elms", "y", 0]]
    with pytest.raises(Error, match="row 2: column 'HG' holds 'x'"):
        History.read(write(tmp_path / "league.xlsx", Results=wrong, Old=RESULTS))


def test_workbook_without_matches_raises_the_error_of_the_first_sheet(tmp_path: Path) -> None:
    with pytest.raises(Error, match="I can't tell what these columns mean: 'Name'"):
        History.read(write(tmp_path / "members.xlsx", Members=MEMBERS, Empty=[]))
    with pytest.raises(Error, match="sheet 'Empty' is empty"):
        History.read(write(tmp_path / "empty.xlsx", Empty=[], Members=MEMBERS))


def test_question_about_the_sheet_marks_the_sheet_that_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "league.xlsx", Members=MEMBERS, Results=RESULTS)
    loaded = load(path, Choices())
    assert isinstance(loaded, Table)
    table = with_matches(loaded)
    [question] = [question for question in open_questions(table, from_table(table)) if question.code == "sheet"]
    assert question.answers[question.current or 0].reading == {"sheet": "Results"}

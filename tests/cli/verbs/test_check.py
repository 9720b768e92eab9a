import json
from pathlib import Path

import polars as pl
import pytest

from prowess.cli.verbs.check import FIRST
from tests.cli.running import LEAGUE, run, screened, write

GOOD = "2026-01-{:02},John Smith,Ann Lee,{},0,x\n"
ROWS = [GOOD.format(day, day % 3) for day in range(1, 20)]


def file_with(folder: Path, *more: str) -> Path:
    return write(folder, "games.csv", "date,home,away,hg,ag,referee\n" + "".join([*ROWS, *more]))


def test_check_of_a_file_without_problems_exits_with_code_0() -> None:
    result = run("check", LEAGUE)
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    for column, role in (("date", "time"), ("team1", "team1"), ("score2", "score2")):
        assert [column, role] in lines
    assert "rosters are split at ';'" in result.stdout
    assert (
        "400 matches, 24 players, 2025-09-01 … 2026-06-07, 2 teams per match, 1 to 2 players per team" in result.stdout
    )
    assert "No problems." in result.stdout


def test_check_lists_problems_with_their_lines(tmp_path: Path) -> None:
    path = file_with(
        tmp_path,
        "2026-02-01,ann,bob,many,1,x\n",
        GOOD.format(20, 1),
        "2026-02-02,,bob,1,1,x\n",
        "2026-02-03,a,a,1,2,x\n",
    )
    result = run("check", path)
    assert result.exit_code == 1
    assert "3 problems:" in result.stdout
    rows = [line.split() for line in result.stdout.splitlines() if line.startswith("line ")]
    assert [row[1] for row in rows] == ["21", "23", "24"]
    assert rows[0][2:4] == ["hg", "'many'"]
    assert ["referee", "–", "not", "used"] in [line.split() for line in result.stdout.splitlines()]


def test_check_writes_problems_as_json_and_to_a_file(tmp_path: Path) -> None:
    path = file_with(tmp_path, "2026-02-01,Jhon Smith,Ann Lee,1,1,x\n", "2026-02-01,ann,bob,many,1,x\n")
    out = tmp_path / "problems.csv"
    result = run("check", path, "--json", "--out", out)
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert found["roles"] | {"home": "home", "hg": "home_score", "referee": None} == found["roles"]
    assert found["summary"]["matches"] == 20
    assert found["summary"]["last"] == "2026-02-01"
    assert [problem["where"] for problem in found["problems"]] == ["line 22"]
    assert {suspicion["kind"] for suspicion in found["strange"]} >= {"spelling", "single"}
    assert pl.read_csv(out)["where"].to_list() == ["line 22"]


def test_check_does_not_report_unusual_data_as_problems(tmp_path: Path) -> None:
    result = run("check", file_with(tmp_path, "2026-02-01,Jhon Smith,Ann Lee,1,1,x\n"))
    assert result.exit_code == 0
    assert "• 'Jhon Smith' (1 match) may be 'John Smith' (19 matches)" in result.stdout


@pytest.mark.parametrize("everything", [False, True])
def test_check_shows_only_the_first_of_many_problems_on_a_terminal(tmp_path: Path, everything: bool) -> None:
    path = file_with(tmp_path, *(f"2026-02-01,ann,bob,many {k},{'x' if k % 2 else 1},x\n" for k in range(40)))
    options = ["--all"] if everything else []
    result = screened(100, "check", path, *options)
    assert result.exit_code == 1
    shown = [line for line in result.stdout.splitlines() if line.strip().startswith("line ")]
    assert (len(shown) >= 40) == everything
    assert everything or (len(shown) <= FIRST and "more; --all shows them" in result.stderr)
    assert result.stdout.count("\n") < 150


def test_check_of_a_missing_file_is_an_error() -> None:
    result = run("check", "nowhere.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "file not found" in result.stderr


def test_check_shows_which_columns_are_kept_as_context(tmp_path: Path) -> None:
    text = "winner,loser,surface,winner_seed,loser_seed,tour\na,b,clay,1,2,x\nb,a,grass,2,1,x\na,b,clay,1,2,x\n"
    path = write(tmp_path, "games.csv", text)
    shown = run("check", path).stdout
    assert "context: surface (match); seed (team)" in shown
    assert "not kept as context: tour (always the same)" in shown
    rows = [line.split() for line in shown.splitlines()]
    assert ["surface", "context", "of", "the", "match"] in rows
    assert ["winner_seed", "context", "of", "the", "team"] in rows
    assert ["tour", "–", "not", "used"] in rows
    found = json.loads(run("check", path, "--json", "--context", "tour", "--context", "surface").stdout)
    assert found["context"] == {"surface": "match", "tour": "match"}
    assert json.loads(run("check", path, "--json", "--context", "none").stdout)["context"] == {}
    result = run("check", path, "--context", "surfaces")
    assert result.exit_code == 1
    assert "no column 'surfaces'; did you mean 'surface'?" in result.stderr

import json
from itertools import pairwise
from pathlib import Path

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

import prowess as pw
from prowess.cli import app
from tests.cli.running import LEAGUE, TEXTBOOK, run, screened, write

FIT = pw.TrueSkill().fit(pw.History.read(LEAGUE))
SIX = ["Ada", "Chidi", "João", "Keiko", "Mbali", "Wei"]


def test_balance_prints_the_same_teams_as_the_library() -> None:
    result = run("balance", LEAGUE, *TEXTBOOK, *SIX[:2], "joao", *SIX[3:])
    assert result.exit_code == 0, result.stderr
    expected = pw.balance(FIT.ladder, SIX)
    lines = [line.strip() for line in result.stdout.splitlines()]
    assert lines[0] == expected.fairness.capitalize()
    for number, team in enumerate(expected.teams, 1):
        assert f"team {number}  {', '.join(team)}" in lines
    assert f"fairness {expected.quality:.2f}" in result.stdout
    assert "best of all 10 splits" in result.stderr


def test_json_output_respects_the_together_and_apart_options() -> None:
    options = ("--sizes", "3,2", "--together", "Ada,Chidi", "--apart", "João,Keiko", "--json")
    found = json.loads(run("balance", LEAGUE, *TEXTBOOK, *SIX[:5], *options).stdout)
    expected = pw.balance(FIT.ladder, SIX[:5], sizes=[3, 2], together=[["Ada", "Chidi"]], apart=[["João", "Keiko"]])
    assert found["teams"] == [list(team) for team in expected.teams]
    assert (found["quality"], found["unconstrained"]) == (expected.quality, expected.unconstrained)
    assert found["win"] == expected.prediction.win.tolist()
    three = json.loads(run("balance", LEAGUE, *TEXTBOOK, *SIX, "--teams", 3, "--json").stdout)
    assert [len(team) for team in three["teams"]] == [2, 2, 2]


def test_balance_reads_names_from_standard_input_and_from_a_file(tmp_path: Path) -> None:
    names = write(tmp_path, "tonight.txt", "\ufeffAda\n\n Chidi \nZed\n")
    piped = CliRunner().invoke(
        app, ["balance", str(LEAGUE), *TEXTBOOK, "-", "--newcomers", "--json"], input="Ada\nChidi\nZed\n"
    )
    filed = run("balance", LEAGUE, *TEXTBOOK, "--names", names, "--newcomers", "--json")
    assert json.loads(piped.stdout) == json.loads(filed.stdout)
    assert json.loads(filed.stdout)["newcomers"] == ["Zed"]


def test_balance_gives_the_same_teams_for_a_file_and_for_a_ladder_saved_from_it(tmp_path: Path) -> None:
    FIT.ladder.save(tmp_path / "league.prowess")
    assert run("balance", tmp_path / "league.prowess", *SIX).stdout == run("balance", LEAGUE, *TEXTBOOK, *SIX).stdout


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 2, "no players given"),
        (("Ada", "Chidi", "--sizes", "two"), 2, "must be numbers such as 3,2"),
        (("Ada", "Chid"), 1, "did you mean 'Chidi'?"),
        (("Ada", "Ada"), 1, "Ada is listed twice"),
        (("Ada", "Chidi", "--names", "nowhere.txt"), 1, "nowhere.txt: cannot be read"),
        (("Ada", "Chidi", "--together", "Ada,Chidi"), 1, "together"),
    ],
)
def test_balance_refuses_wrong_arguments_with_an_error(words: tuple[str, ...], code: int, message: str) -> None:
    result = run("balance", LEAGUE, *TEXTBOOK, *words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in " ".join(result.stderr.replace("│", " ").split())


@pytest.mark.parametrize("verb", ["balance", "next", "pair"])
def test_output_of_balance_next_and_pair_fits_the_terminal(tmp_path: Path, verb: str) -> None:
    names = [
        f"{first} {last}" for first in ("Александра", "王小明", "🎉") for last in ("Константинопольская", "Zoë", "x")
    ]
    rows = "".join(f"{a},{b}\n" for a, b in pairwise(names))
    path = write(tmp_path, "world.csv", "winner,loser\n" + rows)
    result = screened(80, verb, path, *names)
    assert result.exit_code == 0, result.stderr
    assert max(map(cell_len, result.stdout.splitlines())) <= 80

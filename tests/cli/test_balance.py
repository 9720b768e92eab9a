import json
from itertools import pairwise
from pathlib import Path

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

import prowess as pw
from prowess.cli import app
from tests.cli.running import LEAGUE, run, screened, write

FIT = pw.TrueSkill().fit(pw.History.read(LEAGUE))
SIX = ["Ada", "Chidi", "João", "Keiko", "Mbali", "Wei"]


def test_the_teams_are_those_of_the_library() -> None:
    result = run("balance", LEAGUE, *SIX[:2], "joao", *SIX[3:])
    assert result.exit_code == 0, result.stderr
    expected = pw.balance(FIT.ladder, SIX)
    lines = [line.strip() for line in result.stdout.splitlines()]
    assert lines[0] == expected.fairness.capitalize()
    for number, team in enumerate(expected.teams, 1):
        assert f"team {number}  {', '.join(team)}" in lines
    assert f"fairness {expected.quality:.2f}" in result.stdout
    assert "the best of all 10 splits" in result.stderr


def test_constraints_and_json() -> None:
    options = ("--sizes", "3,2", "--together", "Ada,Chidi", "--apart", "João,Keiko", "--json")
    found = json.loads(run("balance", LEAGUE, *SIX[:5], *options).stdout)
    expected = pw.balance(FIT.ladder, SIX[:5], sizes=[3, 2], together=[["Ada", "Chidi"]], apart=[["João", "Keiko"]])
    assert found["teams"] == [list(team) for team in expected.teams]
    assert (found["quality"], found["unconstrained"]) == (expected.quality, expected.unconstrained)
    assert found["win"] == expected.prediction.win.tolist()
    three = json.loads(run("balance", LEAGUE, *SIX, "--teams", 3, "--json").stdout)
    assert [len(team) for team in three["teams"]] == [2, 2, 2]


def test_names_from_a_pipe_and_from_a_file(tmp_path: Path) -> None:
    names = write(tmp_path, "tonight.txt", "\ufeffAda\n\n Chidi \nZed\n")
    piped = CliRunner().invoke(app, ["balance", str(LEAGUE), "-", "--newcomers", "--json"], input="Ada\nChidi\nZed\n")
    filed = run("balance", LEAGUE, "--names", names, "--newcomers", "--json")
    assert json.loads(piped.stdout) == json.loads(filed.stdout)
    assert json.loads(filed.stdout)["newcomers"] == ["Zed"]


def test_a_saved_ladder(tmp_path: Path) -> None:
    FIT.ladder.save(tmp_path / "league.prowess")
    assert run("balance", tmp_path / "league.prowess", *SIX).stdout == run("balance", LEAGUE, *SIX).stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "say who is there"),
        (("Ada", "Chidi", "--sizes", "two"), 2, "must be numbers such as 3,2"),
        (("Ada", "Chid"), 1, "did you mean 'Chidi'?"),
        (("Ada", "Ada"), 1, "Ada is named twice"),
        (("Ada", "Chidi", "--names", "nowhere.txt"), 1, "nowhere.txt: it cannot be read"),
        (("Ada", "Chidi", "--together", "Ada,Chidi"), 1, "together"),
    ],
)
def test_what_cannot_be(words: tuple[str, ...], code: int, said: str) -> None:
    result = run("balance", LEAGUE, *words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert said in " ".join(result.stderr.replace("│", " ").split())


def test_next_matches_are_those_of_the_library() -> None:
    found = json.loads(run("next", LEAGUE, "--count", 4, "--json").stdout)
    expected = pw.next_matches(FIT.ladder, count=4)
    assert [one["teams"] for one in found] == [[list(team) for team in one.teams] for one in expected]
    assert [one["information"] for one in found] == [one.information for one in expected]
    plain = run("next", LEAGUE, "--count", 4).stdout.splitlines()
    assert len(plain) == 5
    assert plain[1].startswith("  –  ".join(team[0] for team in expected[0].teams))
    again = json.loads(run("next", LEAGUE, *SIX[:3], "--each", 0, "--json").stdout)
    assert len(again) == 3


def test_the_active_players_are_those_of_late() -> None:
    board = FIT.leaderboard()
    last = board["last_seen"].max()
    late = {row["player"] for row in board.iter_rows(named=True) if (last - row["last_seen"]).days <= 7}
    assert 1 < len(late) < len(board)
    found = json.loads(run("next", LEAGUE, "--active", "1w", "--each", 0, "--count", 1000, "--json").stdout)
    assert {name for one in found for team in one["teams"] for name in team} == late
    assert run("next", LEAGUE, "--active", "soon").exit_code == 2


@pytest.mark.parametrize("verb", ["balance", "next", "pair"])
def test_screens_stay_within_their_width(tmp_path: Path, verb: str) -> None:
    names = [
        f"{first} {last}" for first in ("Александра", "王小明", "🎉") for last in ("Константинопольская", "Zoë", "x")
    ]
    rows = "".join(f"{a},{b}\n" for a, b in pairwise(names))
    path = write(tmp_path, "world.csv", "winner,loser\n" + rows)
    result = screened(80, verb, path, *names)
    assert result.exit_code == 0, result.stderr
    assert max(map(cell_len, result.stdout.splitlines())) <= 80

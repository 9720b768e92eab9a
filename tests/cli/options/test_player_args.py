"""Every command finds players by typed names in the same way; an inexact name gives an error or a note."""

import json
from pathlib import Path

import pytest

from tests.cli.running import LEAGUE, run, write

GAMES = """winner,loser
João Silva,Rafael Nadal
Rafael Nadal,Ana
ANA,João Silva
"O'Brien",Ana
ann,bob
Bob Ann,ann
"""


@pytest.fixture
def games(tmp_path: Path) -> Path:
    return write(tmp_path, "games.csv", GAMES)


@pytest.mark.parametrize(
    ("match", "teams"),
    [
        ("joao silva vs NADAL", None),
        ("joao silva vs nadal rafael", [["João Silva"], ["Rafael Nadal"]]),
        ("Nadal, Rafael vs Silva, João", [["Rafael Nadal"], ["João Silva"]]),
        ("obrien - nadal, rafael", [["O'Brien"], ["Rafael Nadal"]]),
        ("ann, bob vs Ana", [["ann", "bob"], ["Ana"]]),
        ("ann-bob", [["ann"], ["bob"]]),
        ("bob ann vs obrien", [["Bob Ann"], ["O'Brien"]]),
    ],
)
def test_predict_finds_names_in_any_spelling(games: Path, match: str, teams: list[list[str]] | None) -> None:
    result = run("predict", games, match, "--json")
    if teams is None:
        assert "no player named 'NADAL' among 8 players; did you mean 'Rafael Nadal'? (use --newcomers" in result.stderr
        return
    [found] = json.loads(result.stdout)
    assert found["teams"] == teams


def test_error_for_an_ambiguous_name_lists_the_possible_players(games: Path) -> None:
    result = run("predict", games, "ana vs bob")
    assert result.exit_code == 1
    assert "no player named 'ana' among 8 players; did you mean 'Ana' or 'ANA'?" in result.stderr


def test_note_warns_if_the_name_of_a_newcomer_resembles_a_known_player(games: Path) -> None:
    result = run("predict", games, "Rafael Nadla vs Zed", "--newcomers", "--json")
    assert json.loads(result.stdout)[0]["newcomers"] == ["Rafael Nadla", "Zed"]
    assert "'Rafael Nadla' counts as a newcomer, but may be 'Rafael Nadal'" in result.stderr
    assert "Zed" not in result.stderr
    result = run("predict", games, "JOAO SILVA vs Zed", "--newcomers", "--json")
    assert json.loads(result.stdout)[0]["newcomers"] == ["Zed"]
    assert "reading 'JOAO SILVA' as 'João Silva'" in result.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("balance", LEAGUE, "ada", "chidi", "JOAO", "wei", "--together", "joao,wei"),
        ("pair", LEAGUE, "ada", "chidi", "JOAO", "wei", "--never", "joao,wei"),
        ("pair", LEAGUE, "ada", "chidi", "--group", "joao,wei", "--group", "keiko,mbali"),
        ("next", LEAGUE, "ada", "chidi", "JOAO", "wei"),
        ("explain", LEAGUE, "joao"),
    ],
)
def test_every_command_finds_players_by_names_in_another_spelling(words: tuple[object, ...]) -> None:
    result = run(*words, "--json")
    assert result.exit_code == 0, result.stderr
    assert "João" in result.stdout
    assert "Joao" not in result.stdout
    assert "joao" not in result.stdout

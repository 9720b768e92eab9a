"""The option --aliases of the commands that read results, and the aliases that `prowess check` suggests."""

import json
from pathlib import Path

import pytest

from tests.cli.running import converse, run, write

GAMES = """season,date,winner,loser
1,2026-01-01,Deevo,ann
1,2026-01-02,Deevo,ann
1,2026-01-03,Deevo,ann
2,2026-01-04,Jeevo,ann
2,2026-01-05,João,ann
2,2026-01-06,Joao,ann
2,2026-01-07,João,Deevo
"""
MERGED = GAMES.replace("Jeevo", "Deevo").replace("Joao", "João")
ALIASES = "alias,name\nJeevo,Deevo\nJoao,João\nZed,ann\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    return (
        write(tmp_path, "games.csv", GAMES),
        write(tmp_path, "merged.csv", MERGED),
        write(tmp_path, "aliases.csv", ALIASES),
    )


@pytest.mark.parametrize(
    "words",
    [
        ("rate", "{}", "--json"),
        ("rate", "{}", "--json", "--stream"),
        ("rate", "{}", "--json", "--by", "season"),
        ("explain", "{}", "Deevo", "--json"),
        ("predict", "{}", "Deevo vs João", "--json"),
        ("compare", "{}", "--json", "--burn-in", "1"),
        ("balance", "{}", "Deevo", "João", "--json"),
        ("next", "{}", "--json"),
        ("pair", "{}", "Deevo", "João", "--json"),
    ],
    ids=" ".join,
)
def test_commands_with_aliases_give_the_same_output_as_with_a_corrected_file(
    files: tuple[Path, Path, Path], words: tuple[str, ...]
) -> None:
    games, merged, aliases = files
    expected = run(*(word.format(merged) for word in words))
    result = run(*(word.format(games) for word in words), "--aliases", aliases)
    assert result.exit_code == 0, result.stderr
    if words[0] == "compare":
        assert len(result.stdout) == len(expected.stdout)  # the running times in the output differ
    else:
        assert json.loads(result.stdout) == json.loads(expected.stdout)
    assert result.stderr.count("2 aliases applied") == 1
    assert result.stderr.count("1 alias does not occur in the matches: 'Zed'") == 1


def test_alias_that_occurs_in_one_of_several_files_is_not_reported_as_unused(
    files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    games, _, aliases = files
    more = write(tmp_path, "more.csv", "date,winner,loser\n2026-02-01,Zed,bob\n")
    result = run("rate", games, more, "--aliases", aliases, "--json")
    assert {row["player"] for row in json.loads(result.stdout)} == {"Deevo", "João", "ann", "bob"}
    assert "3 aliases applied" in result.stderr
    assert "not occur" not in result.stderr


def test_player_is_found_by_an_alias_typed_on_the_command_line(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    games, _, aliases = files
    [found] = json.loads(run("predict", games, "jeevo vs zed", "--aliases", aliases, "--json").stdout)
    assert found["teams"] == [["Deevo"], ["ann"]]
    saved = tmp_path / "league.prowess"
    run("rate", games, "--aliases", aliases, "--save", saved)
    [found] = json.loads(run("predict", saved, "Jeevo vs Joao", "--aliases", aliases, "--json").stdout)
    assert found["teams"] == [["Deevo"], ["João"]]


def test_aliases_also_apply_to_matches_added_to_a_saved_ladder(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    games, _, aliases = files
    saved = tmp_path / "league.prowess"
    more = write(tmp_path, "more.csv", "date,winner,loser\n2026-02-01,Jeevo,ann\n")
    run("rate", games, "--aliases", aliases, "--save", saved)
    result = run("rate", more, "--resume", saved, "--aliases", aliases, "--json")
    assert {row["player"] for row in json.loads(result.stdout)} == {"Deevo", "João", "ann"}
    assert "now aliases" not in result.stderr
    run("rate", games, "--save", saved)
    result = run("rate", more, "--resume", saved, "--aliases", aliases, "--json")
    assert "the saved ladder has players whose names are now aliases: 'Jeevo', 'Joao'" in result.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ann,Deevo\n", "games.csv, line 2: 'Deevo' and 'ann' are opponents, so they cannot be one player"),
        ("Jeevo,Deevo\nJoao,\n", "aliases.csv, line 2: the name of the player is missing"),
        (None, "aliases.csv: file not found"),
    ],
)
@pytest.mark.parametrize("verb", ["rate", "check", "explain"])
def test_invalid_aliases_print_an_error(tmp_path: Path, verb: str, text: str | None, message: str) -> None:
    games, aliases = write(tmp_path, "games.csv", GAMES), tmp_path / "aliases.csv"
    if text is not None:
        write(tmp_path, "aliases.csv", text)
    result = run(verb, games, *(["ann"] if verb == "explain" else []), "--aliases", aliases)
    assert result.exit_code == 1
    assert message in result.stderr


def test_check_prints_the_lines_of_an_alias_file_for_similar_names(
    files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    games = files[0]
    shown = run("check", games).stdout
    assert shown.endswith("put the lines into a file for --aliases:\n  Joao,João\n  Jeevo,Deevo\n")
    lines = write(tmp_path, "lines.csv", shown.partition("--aliases:\n")[2])
    result = run("check", games, "--aliases", lines)
    assert "--aliases" not in result.stdout
    assert "2 aliases applied" in result.stderr
    found = json.loads(run("check", games, "--json").stdout)
    assert found["aliases"] == [{"alias": "Joao", "name": "João"}, {"alias": "Jeevo", "name": "Deevo"}]


def test_check_ask_writes_confirmed_aliases_to_the_alias_file(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    games, new = files[0], tmp_path / "new.csv"
    code, shown = converse(b"xyn", "check", games, "--ask", "--aliases", new)
    assert code == 0, shown
    assert "'Jeevo' (1 match) may be 'Deevo' (4 matches). Does 'Jeevo' count as 'Deevo'? [y/N]:" in shown
    assert "Type y or n" in shown
    assert new.read_text(encoding="utf-8") == "alias,name\nJoao,João\n"
    assert f"--aliases {new}" in shown
    code, shown = converse(b"y", "check", games, "--ask", "--aliases", new)
    assert code == 0, shown
    assert new.read_text(encoding="utf-8") == "alias,name\nJoao,João\nJeevo,Deevo\n"


def test_check_ask_without_an_alias_file_prints_the_confirmed_aliases(files: tuple[Path, Path, Path]) -> None:
    code, shown = converse(b"ny", "check", files[0], "--ask")
    assert code == 0, shown
    assert "Put these lines into a file for --aliases:\n  Jeevo,Deevo\n" in shown
    assert "--aliases aliases.csv" in shown

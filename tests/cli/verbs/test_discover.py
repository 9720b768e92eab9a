"""`prowess discover` says which columns matter, and prints the command that uses them."""

import json
import shlex
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.lab.auto.test_columns import league


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("discover") / "matches.csv"
    league(1, 900).write(path)
    return path


def test_sentences_intervals_effects_and_the_command_are_printed(file: Path) -> None:
    result = run("discover", file)
    assert result.exit_code == 0, result.output
    first = result.stdout.splitlines()[0]
    assert first.startswith(("mode: matters, +", "side: matters, +"))
    for text in ("weather: nothing beyond noise", "├", "side: blue is worth", "Deviations by mode"):
        assert text in result.stdout
    command = shlex.split(result.stdout.splitlines()[-1])
    assert command[:2] == ["prowess", "rate"]
    again = run(*command[1:])
    assert again.exit_code == 0, again.output
    assert "deviations by mode" in again.stderr


def test_json_and_page(file: Path, tmp_path: Path) -> None:
    page = tmp_path / "found.html"
    result = run("discover", file, "--json", "--html", page, "--quiet")
    found = json.loads(result.stdout)
    assert {row["what"] for row in found["findings"] if row["kept"]} >= {"mode", "side"}
    assert found["command"].startswith(f"prowess rate {file}")
    assert "Effects of side" in page.read_text(encoding="utf-8")


def test_too_few_matches_and_a_wrong_page_are_clear_errors(tmp_path: Path) -> None:
    few = tmp_path / "few.csv"
    league(1, 30).write(few)
    result = run("discover", few)
    assert "Columns are tried only if there are at least 400 matches." in result.stdout
    assert "must end in .html" in run("discover", few, "--html", "page.pdf").stderr

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

import prowess as pw
from prowess.cli.verbs import demo as MODULE
from tests.cli.running import LEAGUE, ruled, run

CLUBS = LEAGUE.with_name("clubs.csv")
PARTS = [
    "792 matches of 12 football clubs",
    "   1  Farley United    1847 ± 162",
    "  12  Langdale         1129 ± 162",
    "rating in points: newcomers have 1500 points",
    "a learnt home advantage",
    "the last 158 matches",
    "the chosen model                      0.830\n",
    "textbook TrueSkill                    0.981  worse by 0.151 (0.075 to 0.227)\n",
    "only draws and the home advantage     1.010  worse by 0.180 (0.114 to 0.246)\n",
    "with the ratings: 0.91; with those of textbook TrueSkill: 0.64 (1 = perfect)",
    "Farley United (home) wins",
    " 61 %\n  draw ",
    "Eastholm wins",
    "Eastholm (home) wins",
    " 44 %\n  draw ",
    "Farley United wins",
    "Skill curves of Farley United and Langdale",
    "demo/skill.png",
    "demo/skill.html",
    " check FILE",
    " rate FILE",
    ' predict FILE "Ada vs Wei"',
    "make test",
    "README.md",
]


def test_demo_prints_standings_comparison_predictions_and_charts_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("demo")
    assert (result.exit_code, result.stderr) == (0, "")
    rest = result.stdout
    for part in PARTS:
        assert part in rest
        rest = rest[rest.index(part) + len(part) :]
    assert (tmp_path / "demo" / "skill.png").read_bytes().startswith(b"\x89PNG")
    assert "Farley United" in (tmp_path / "demo" / "skill.html").read_text(encoding="utf-8")


def test_model_chosen_in_the_demo_predicts_better_than_textbook_trueskill_beyond_noise() -> None:
    choice = pw.auto(pw.History.read(CLUBS))
    assert choice.gain.low > 0.05
    truth = CLUBS.with_name("clubs_truth.csv")
    textbook = pw.TrueSkill().fit(choice.history)
    assert MODULE._rank_correlation(textbook, truth) + 0.1 < MODULE._rank_correlation(choice.fit, truth) < 1


def test_script_of_the_example_leagues_writes_the_same_files_again(tmp_path: Path) -> None:
    script = shutil.copy(CLUBS.with_name("make_league.py"), tmp_path)
    subprocess.run([sys.executable, script], capture_output=True, check=True)
    files = sorted(tmp_path.glob("*.csv"))
    assert [file.name for file in files] == ["clubs.csv", "clubs_truth.csv", "league.csv", "league_truth.csv"]
    assert [file.name for file in files if file.read_bytes() != CLUBS.with_name(file.name).read_bytes()] == []


@pytest.mark.parametrize("columns", [80, 120])
def test_demo_fits_a_terminal_and_breaks_no_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setattr(MODULE, "save", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    shown = ruled("demo", columns=columns)
    assert max(map(cell_len, shown.splitlines())) <= columns
    plain = run("demo").stdout
    assert {word for word in plain.split() if word[0].isalpha()} <= set(shown.split())


def test_demo_writes_charts_to_the_folder_given_with_out(tmp_path: Path) -> None:
    assert run("demo", "--out", tmp_path / "a" / "b").exit_code == 0
    assert {file.name for file in (tmp_path / "a" / "b").iterdir()} == {"skill.png", "skill.html"}


def test_demo_refuses_an_output_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    result = run("demo", "--out", tmp_path / "taken")
    assert result.exit_code == 1
    assert result.stderr == f"error: {tmp_path / 'taken'}: the folder cannot be created: File exists\n"


def test_demo_of_an_installed_package_shows_no_hints_on_files_of_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "example_files"
    shutil.copytree(CLUBS.parent, folder)
    monkeypatch.setattr(MODULE, "EXAMPLES", folder)
    result = run("demo", "--out", tmp_path / "demo")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Try it with a file of your own results (CSV, JSON or Parquet):" in result.stdout
    assert not re.search(r"make test|README|examples/", result.stdout)


@pytest.mark.parametrize("package", ["altair", "vl_convert"])
def test_demo_without_the_packages_for_charts_does_all_else_and_says_how_to_install_them(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MODULE, "find_spec", lambda name: None if name == package else object())
    result = run("demo", "--out", tmp_path / "demo")
    assert result.exit_code == 0
    assert "Predictions of the next matches" in result.stdout
    assert "standings of your own league" in result.stdout
    assert result.stderr == "skill curves need Altair and vl-convert: pip install 'prowess[lab]'\n"
    assert not (tmp_path / "demo").exists()


def test_demo_json_has_standings_and_predictions() -> None:
    found = json.loads(run("demo", "--json").stdout)
    assert (len(found["standings"]), len(found["predictions"])) == (12, 2)
    assert found["standings"][0]["rank"] == 1
    assert round(found["standings"][0]["points"]) == 1847
    assert [one["home"] for one in found["predictions"]] == ["Farley United", "Eastholm"]
    assert found["choice"]["parts"] == list(pw.auto(pw.History.read(CLUBS)).parts)

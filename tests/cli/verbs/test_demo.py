import json
import sys
from pathlib import Path

import pytest

import prowess as pw
from prowess.cli.verbs import demo as MODULE
from tests.cli.running import LEAGUE, run


def test_demo_prints_standings_predictions_and_charts_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("demo")
    assert (result.exit_code, result.stderr) == (0, "")
    choice = pw.auto(pw.History.read(LEAGUE))
    fit = choice.fit
    best = fit.leaderboard()["player"].to_list()
    prediction = fit.predict([[best[0]], [best[1]]])
    win = prediction.win
    parts = [
        "400 matches and 24 players",
        f"   1  {best[0]}",
        f"  10  {best[9]}",
        *choice.lines,
        "between ratings and true skills: 0.",
        f"{best[0]} wins",
        f"{100 * win[0]:.0f} %",
        *["\n  draw "] * bool(prediction.draw),
        f"{best[1]} wins",
        f"{100 * win[1]:.0f} %",
        f"{best[0]} + {best[3]} win ",
        "demo/skill.png",
        "demo/skill.html",
        " rate FILE",
        "make test",
        "README.md",
    ]
    places = [result.stdout.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)
    assert (tmp_path / "demo" / "skill.png").read_bytes().startswith(b"\x89PNG")
    assert best[0] in (tmp_path / "demo" / "skill.html").read_text(encoding="utf-8")


def test_ratings_in_the_demo_correlate_with_the_true_skills() -> None:
    fit = pw.TrueSkill().fit(pw.History.read(LEAGUE))
    assert 0.8 < MODULE._rank_correlation(fit, LEAGUE.with_name("league_truth.csv")) < 1


def test_demo_writes_charts_to_the_folder_given_with_out(tmp_path: Path) -> None:
    assert run("demo", "--out", tmp_path / "a" / "b").exit_code == 0
    assert {file.name for file in (tmp_path / "a" / "b").iterdir()} == {"skill.png", "skill.html"}


def test_demo_refuses_an_output_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    result = run("demo", "--out", tmp_path / "taken")
    assert result.exit_code == 1
    assert result.stderr == f"error: {tmp_path / 'taken'}: the folder cannot be created: File exists\n"


def test_demo_outside_a_checkout_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULE, "EXAMPLES", tmp_path)
    result = run("demo")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "the demo needs a checkout of the repository" in result.stderr


def test_demo_without_altair_prints_standings_and_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    result = run("demo", "--out", tmp_path / "demo")
    assert result.exit_code == 1
    assert "Predictions of the next matches" in result.stdout
    assert result.stderr == "error: this needs Altair, which is not installed: pip install 'prowess[lab]'\n"


def test_demo_json_has_standings_and_predictions() -> None:
    found = json.loads(run("demo", "--json").stdout)
    assert (len(found["standings"]), len(found["predictions"])) == (24, 2)
    assert found["standings"][0]["rank"] == 1
    assert found["choice"]["parts"] == list(pw.auto(pw.History.read(LEAGUE)).parts)

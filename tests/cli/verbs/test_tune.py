import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

import prowess as pw
from prowess.lab.tune import Stopped
from tests.cli.running import LEAGUE, ROOT, run, write

FOOTBALL = ROOT / "examples" / "football.csv"
ELO = ("--model", "elo", "--trials", "12")


def test_command_printed_by_tune_rates_with_the_tuned_model(tmp_path: Path) -> None:
    league = tmp_path / "my league.csv"
    league.write_bytes(LEAGUE.read_bytes())
    result = run("tune", league, *ELO, "--set", "scale=300", "--set", "k=5", "--rosters", ";")
    assert result.exit_code == 0
    command = shlex.split(result.stdout.splitlines()[-1])
    assert command[:7] == ["prowess", "rate", str(league), "--rosters", ";", "--model", "elo"]
    tuning = pw.tune(pw.Elo(k=5, scale=300), pw.History.read(league), trials=12)
    assert tuning.summary in result.stdout
    rated = json.loads(run(*command[1:], "--json").stdout)
    own = tuning.model.fit(pw.History.read(league)).leaderboard()
    assert [row["player"] for row in rated] == own["player"].to_list()
    assert [row["mu"] for row in rated] == pytest.approx(own["mu"].to_list(), rel=1e-5)


def test_command_printed_by_tune_repeats_the_model_options(tmp_path: Path) -> None:
    """The options derive amounts such as the drift from the untuned sigma; the printed command keeps these amounts."""
    words = ("--drift", "time", "--seasons", "season", "--home-advantage", "learnt")
    result = run("tune", FOOTBALL, "--model", "poissonod", *words, "--params", "sigma,beta", "--trials", "8", "--json")
    found = json.loads(result.stdout)
    command = shlex.split(found["command"])
    assert " ".join(words) in found["command"]
    ladder = tmp_path / "league.prowess"
    assert run(*command[1:], "--save", ladder).exit_code == 0
    settings = {"drift": "time", "seasons": "season", "home_advantage": "learnt"}
    base = pw.compose(pw.PoissonOD(), pw.History.read(FOOTBALL), **settings)
    tuned = {row["parameter"]: row["after"] for row in found["parameters"]}
    made, expected = pw.Ladder.load(ladder).model, base.replace(**tuned)
    assert (type(made.drift), made.drift.gap) == (pw.drift.Seasons, base.drift.gap)
    assert numbers(made) == pytest.approx(numbers(expected), rel=1e-5)


def numbers(model: pw.Model) -> dict[str, float]:
    return {name: value for name, value in model.params.items() if isinstance(value, float)}


def test_tune_writes_json_and_an_html_page(tmp_path: Path) -> None:
    page = tmp_path / "tuning.html"
    result = run("tune", LEAGUE, *ELO, "--json", "--html", page)
    found = json.loads(result.stdout)
    [parameter] = found["parameters"]
    assert (parameter["parameter"], parameter["before"]) == ("k", 32.0)
    assert found["command"].endswith(f"--model elo --set k={parameter['after']:.6g}")
    assert found["gain"]["low"] <= found["gain"]["value"] <= found["gain"]["high"]
    assert "<h2>Parameters</h2>" in page.read_text(encoding="utf-8")
    assert result.stderr.splitlines()[-1] == f"wrote {page}"


def test_repeating_the_tune_command_resumes_its_study(tmp_path: Path) -> None:
    kept = ("--study", tmp_path / "tune.db", "--json", "--model", "elo")
    first, more = (json.loads(run("tune", LEAGUE, *kept, "--trials", trials).stdout) for trials in (2, 4))
    assert (first["trials"], more["trials"]) == (2, 4)
    assert more["loss"] == json.loads(run("tune", LEAGUE, *kept[2:], "--trials", 4).stdout)["loss"]


def test_ctrl_c_during_tune_prints_the_best_parameters_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*args: Any, **options: Any) -> None:
        raise Stopped(pw.tune(*args, **options | {"trials": 6}), options["trials"])

    monkeypatch.setattr(sys.modules["prowess.cli.verbs.tune"], "tune_model", stopped)
    result = run("tune", LEAGUE, *ELO, "--set", "k=1")
    assert result.exit_code == 130
    assert "The best of 6 sets of k" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("prowess rate ")
    assert "stopped after 6 of 12 trials; use --study tune.db to keep the trials" in result.stderr


def test_no_command_is_printed_if_tuning_finds_no_improvement(tmp_path: Path) -> None:
    coin = "date,home,away,hg,ag\n" + "".join(
        f"2026-01-{k % 28 + 1:02d},ann,bob,{k % 2},{1 - k % 2}\n" for k in range(60)
    )
    found = json.loads(run("tune", write(tmp_path, "coin.csv", coin), *ELO, "--params", "k=30:34", "--json").stdout)
    assert found["command"] is None or found["gain"]["value"] > 0 or found["gain"]["within_noise"]
    one = json.loads(run("tune", LEAGUE, "--model", "elo", "--trials", "1", "--json").stdout)
    assert one["command"] is None
    assert "none predicts better" in one["answer"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--params", "gamma"), 1, "'gamma' is not a numeric parameter of this model"),
        (("--params", "beta=3"), 2, "'beta=3' must be NAME or NAME=LOW:HIGH"),
        (("--params", "beta=-1:3"), 1, "beta cannot be tuned from -1 to 3"),
        (("--measure", "auc"), 1, "tuning needs a measure that is a mean over matches, not 'auc'"),
        (("--train", "2126-01-01"), 1, "the later span has 0 of 400 matches to score, but needs 10; try --train 0.6"),
        (("--trials", "0"), 2, "--trials"),
        (("--html", "nowhere/a.html"), 1, "there is no folder nowhere"),
        (("--study", "nowhere/tune.db"), 1, "cannot store a study there"),
    ],
)
def test_tune_refuses_wrong_arguments_and_writes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], code: int, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("tune", LEAGUE, *words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in " ".join(result.stderr.replace("│", " ").split())
    assert list(tmp_path.iterdir()) == []

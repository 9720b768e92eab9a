import csv
import json
import re
import sys
from pathlib import Path

import pytest

import prowess as pw
from tests.cli.running import LEAGUE, WIDE, run, write
from tests.lab.test_report import Page

MODELS = ("--models", "elo,glicko2", "--models", "TrueSkill:beta=3:tau=0.1")


@pytest.fixture(scope="module")
def found() -> pw.Comparison:
    models = {"Elo": pw.Elo(), "Glicko2": pw.Glicko2(), "TrueSkill beta=3 tau=0.1": pw.TrueSkill(beta=3, tau=0.1)}
    return pw.compare(pw.History.read(LEAGUE), models)


def test_compare_prints_the_same_results_as_the_library(found: pw.Comparison) -> None:
    result = run("compare", LEAGUE, *MODELS)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split("  ")[0] == "model"
    for line, (name, interval) in zip(lines[1:], found.intervals().items(), strict=False):
        assert re.match(rf"{name}\s+{re.escape(str(interval))}", line)
    assert lines[1].split(f"{found.intervals()[found.best]}")[1].startswith(" *")
    assert f"\nUse {found.best}. {found!r}" in result.stdout
    distances = lines[
        lines.index(f"How far the other models are behind {found.best}, measured by log loss (nats):") + 1 :
    ]
    assert re.match(rf"{found.best} +●.*best", distances[0])
    assert "compared the models" not in result.stderr


def test_compare_writes_the_same_numbers_as_json(found: pw.Comparison) -> None:
    plain = json.loads(run("compare", LEAGUE, *MODELS, "--json").stdout)
    assert plain["best"] == found.best
    assert [model["model"] for model in plain["models"]] == list(found.models)
    assert plain["models"][2]["parameters"]["beta"] == 3.0
    assert plain["models"][0]["log_loss"]["value"] == found.table()["log_loss"][0]


def test_compare_writes_a_table_and_a_self_contained_page(tmp_path: Path) -> None:
    page, table = tmp_path / "report.html", tmp_path / "table.csv"
    result = run("compare", LEAGUE, "--models", "elo,trueskill", "--html", page, "--out", table)
    assert result.exit_code == 0
    assert [line for line in result.stderr.splitlines() if "wrote" in line] == [f"wrote {table}", f"wrote {page}"]
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert [row["model"] for row in rows] == ["Elo", "TrueSkill"]
    read = Page(page.read_text(encoding="utf-8"))
    assert {"Standings", "Skill over time", "Calibration", "Log loss over time"} <= set(read.texts["h2"])
    assert [dict(tag).keys() & {"src", "href"} for _, tag in read.tags if dict(tag).keys() & {"src", "href"}] == []
    assert len(read.texts["table"]) == 4
    assert sorted(tmp_path.iterdir()) == [page, table]


def test_compare_uses_all_models_that_fit_the_file_by_default(tmp_path: Path) -> None:
    race = "race,driver,place\n" + "".join(f"{k},{name},{p}\n" for k in range(30) for p, name in enumerate("abc", 1))
    result = run("compare", write(tmp_path, "race.csv", race))
    assert (
        "compared the models that suit this file: TrueSkill, Elo, Glicko, Glicko2, TS2, TS2c, auto; use --models"
        in result.stderr
    )
    assert "18 matches are too few to tell these models apart" in result.stdout
    assert "auto: textbook TrueSkill. This choice used 12 matches that were not scored." in result.stdout


def test_compare_options_select_measures_and_matches(tmp_path: Path) -> None:
    few = ("--measures", "auc,brier", "--models", "elo,glicko", "--json")
    plain = json.loads(run("compare", LEAGUE, *few, "--burn-in", "0.25").stdout)
    assert plain["matches"] == 300
    assert [measure["name"] for measure in plain["measures"]] == ["auc", "brier"]
    assert json.loads(run("compare", LEAGUE, *few, "--protocol", "seasons").stdout)["matches"] == 80
    part = pw.History.read(LEAGUE).within("2026-03", "2026-04")
    spanned = json.loads(run("compare", LEAGUE, *few, "--since", "2026-03", "--until", "2026-04").stdout)
    assert spanned["matches"] == len(part) < 300
    drawn = [run("compare", LEAGUE, *few, "--protocol", "random", "--seed", seed).stdout for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--models", "elo,chess"), 1, "unknown model 'chess'; choose one of Harkness, Elo"),
        (("--models", "elo,Elo"), 2, "Elo is listed twice"),
        (("--models", "auto,Auto"), 2, "Auto is listed twice"),
        (("--models", "auto:beta=3"), 2, "auto:beta=3: auto takes no settings"),
        (("--models", "elo:k"), 2, "'k' must be NAME=VALUE"),
        (("--models", "elo:gamma=3"), 1, "gamma"),
        (("--measures", "accuracy"), 1, "no measure named 'accuracy'; available: log_loss"),
        (("--protocol", "none"), 2, "none"),
        (("--protocol", "seasons", "--burn-in", "10"), 2, "only with --protocol all"),
        (("--burn-in", "soon"), 1, "'soon' isn't a date I understand"),
        (("--html", "page.pdf"), 1, "page.pdf: the name must end in .html"),
        (("--html", "nowhere/page.html"), 1, "nowhere/page.html: there is no folder nowhere"),
        (("--out", "table.xls"), 1, "table.xls: the name must end in .csv"),
    ],
)
def test_compare_refuses_wrong_arguments_and_writes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], code: int, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("compare", LEAGUE, *words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in re.sub(r"[\s│]+", " ", result.stderr)
    assert list(tmp_path.iterdir()) == []


def test_compare_reports_which_model_auto_chose() -> None:
    plain = json.loads(run("compare", LEAGUE, "--models", "elo,auto", "--json").stdout)
    assert (plain["matches"], [model["model"] for model in plain["models"]]) == (240, ["Elo", "auto"])
    [choice] = plain["chosen"]
    expected = pw.auto(pw.History.read(LEAGUE)[:160])
    assert (choice["matches"], tuple(choice["parts"])) == (160, expected.parts)
    assert pw.Model.from_dict(choice["chosen"]) == expected.model
    late = json.loads(run("compare", LEAGUE, "--models", "elo,auto", "--json", "--burn-in", "0.5").stdout)
    assert (late["matches"], late["chosen"][0]["matches"]) == (200, 200)


def test_fair_option_sets_model_constants_from_the_first_matches() -> None:
    plain = json.loads(run("compare", LEAGUE, "--models", "elo,trueskill,auto", "--fair", "--json").stdout)
    assert [model["model"] for model in plain["models"]] == ["Elo (fair)", "TrueSkill (fair)", "auto"]
    found = pw.compare(pw.History.read(LEAGUE), ["elo", "trueskill", "auto"], fair=True)
    assert plain["matches"] == len(found) == 240
    assert plain["models"][1]["parameters"] == pytest.approx(found.models["TrueSkill (fair)"].params)
    shown = re.sub(r"\s+", " ", run("compare", LEAGUE, "--models", "trueskill", "--fair").stdout)
    assert "TrueSkill (fair): draw_probability 0." in shown


def test_compare_suggests_a_learnt_home_advantage_if_it_predicts_better(tmp_path: Path) -> None:
    pairs = [(k, "abcd"[k % 4], "abcd"[(k + 1 + k % 3) % 4]) for k in range(200)]
    rows = "".join(f"2026-{k // 28 + 1:02}-{k % 28 + 1:02},{home},{away},1,0\n" for k, home, away in pairs)
    file = write(tmp_path, "home.csv", f"date,home_team,away_team,home_score,away_score\n{rows}")
    result = run("compare", file, "--models", "elo:k=16")
    shown = re.sub(r"\s+", " ", result.stdout)
    assert "With a learnt home advantage (home_advantage=learnt), Elo k=16 would improve its log loss by 0." in shown
    assert "use --models Elo:k=16:home_advantage=learnt" in result.stderr


def test_compare_needs_the_lab_packages_only_for_html_pages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in ("altair", "vl_convert", "joblib", "optuna"):
        monkeypatch.setitem(sys.modules, module, None)
    small = write(tmp_path, "small.csv", WIDE)
    assert run("compare", small, "--models", "elo,trueskill").exit_code == 0
    for words in (("compare", small, "--html", tmp_path / "a.html"), ("tune", small)):
        result = run(*words)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.splitlines()[-1].endswith("which is not installed: pip install 'prowess[lab]'")


def test_compare_output_fits_the_terminal(tmp_path: Path) -> None:
    small = write(tmp_path, "a.csv", WIDE)
    shown = run("compare", small, "--models", "elo,glicko", FORCE_COLOR="1", COLUMNS="80", TERM="xterm").stdout
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert max(map(len, plain.splitlines())) <= 80
    assert plain.count(" model ") == 3  # the table is split into blocks of columns
    assert "\x1b[1m" in shown


def test_refit_compares_models_also_with_refits() -> None:
    result = run("compare", LEAGUE, "--models", "elo,trueskill", "--refit", "2w", "--window", "1y", "--json")
    assert result.exit_code == 0, result.stderr
    names = [row["model"] for row in json.loads(result.stdout)["models"]]
    assert names == ["Elo", "TrueSkill", "TrueSkill (refitted every 14 days over 365 days)"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--window", "730"], 2, "this option works only with --refit"),
        (["--refit", "often"], 2, "'often' must be a time span"),
        (["--refit", "7"], 1, "none of these models can be refitted"),
    ],
)
def test_wrong_refits_are_errors(words: list[str], code: int, message: str) -> None:
    result = run("compare", LEAGUE, "--models", "elo", *words)
    assert result.exit_code == code
    assert message in " ".join(result.stderr.replace("│", " ").split())

import json
from pathlib import Path

import polars as pl
import pytest

import prowess as pw
from tests.cli.running import run

ALL = ("--players", 40, "--matches", 30, "--seed", 5)
FORMATS = [
    (),
    ("--teams", "2-5", "--size", "1-3"),
    ("--teams", "12-20", "--size", 2, "--questions", 12),
    ("--home", 0.5, "--start", "2026-01-01", "--every", 0.5),
    ("--home", 1, "--size", 2),
    ("--model", "elo", "--spread", 200, "--draws", 0.8, "--start", 3),
    ("--model", "poissonod", "--set", "mu=0", "--set", "sigma=0.3", "--set", "beta=0.1", "--home", 1),
    ("--model", "gaussiansd", "--teams", 3, "--attendance", "zipf"),
]


@pytest.mark.parametrize("options", FORMATS, ids=str)
def test_simulated_file_is_read_back_unchanged(tmp_path: Path, options: tuple[object, ...]) -> None:
    plain = run("simulate", *ALL, *options, "--json")
    assert plain.exit_code == 0, plain.stderr
    history = pw.History.from_matches(json.loads(plain.stdout))
    assert len(history) == 30
    out = tmp_path / "league.csv"
    result = run("simulate", *ALL, *options, "--out", out)
    assert (result.exit_code, result.stdout) == (0, "")
    assert pw.History.read(out) == history
    for name in ("league.tsv", "league.parquet", "league.jsonl"):
        history.write(tmp_path / name)
        assert pw.History.read(tmp_path / name) == history


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_simulate_writes_long_and_wide_files_and_the_true_skills(tmp_path: Path, layout: str) -> None:
    truth = tmp_path / "truth.csv"
    result = run("simulate", *ALL, "--size", 2, "--layout", layout, "--truth", truth)
    assert result.exit_code == 0
    csv = tmp_path / "league.csv"
    csv.write_text(result.stdout)
    league = pw.simulate(pw.TrueSkill(), 30, 40, seed=5, size=2)
    assert pw.History.read(csv) == league.history
    assert len(result.stdout.splitlines()) == (31 if layout == "wide" else 1 + league.history.entries)
    assert pl.read_csv(truth).equals(league.truth())


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--teams", "x"), 2, "'x' must be a number"),
        (("--layout", "tall"), 2, "'tall' is not one of 'wide', 'long'"),
        (("--attendance", "never"), 2, "must be one of rounds"),
        (("--model", "elo"), 1, "--spread 200"),
        (("--home", 1, "--size", 2, "--layout", "wide"), 1, "--layout long"),
        (("--out", "league.pdf"), 1, "must end in .csv"),
        (("--out", "no/folder/league.csv"), 1, "there is no folder"),
        (("--out", "same.csv", "--truth", "same.csv"), 1, "--truth would overwrite --out"),
        (("--draws", 0.5), 1, "leave out `draws`"),
    ],
)
def test_simulate_refuses_wrong_arguments_and_writes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: object, code: int, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("simulate", *options)  # type: ignore[misc]
    assert result.exit_code == code
    assert message in " ".join(result.stderr.replace("│", " ").split())
    assert not list(tmp_path.iterdir())

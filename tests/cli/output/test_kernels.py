"""Users learn that the kernels are not compiled, and how much slower that is."""

import json
from pathlib import Path

import pytest

import prowess as pw
from prowess.cli.output import kernels
from prowess.cli.output.kernels import MANY, SLOWER
from tests.cli.running import ROOT, TEXTBOOK, run

SLOW = (
    "prowess runs uncompiled here, so rating takes 20 to 300 times as long: install a compiled wheel, or a C compiler "
    "and then prowess"
)


def matches(folder: Path, count: int) -> Path:
    """Write a file with this many matches."""
    file = folder / "matches.csv"
    file.write_text("home,away,hg,ag\n" + "ann,bob,1,0\n" * count, encoding="utf-8")
    return file


@pytest.mark.parametrize(("mode", "count", "said"), [("pure", MANY, 1), ("pure", MANY - 1, 0), ("compiled", MANY, 0)])
def test_rate_says_once_that_many_matches_are_rated_uncompiled(mode, count, said, tmp_path, monkeypatch):
    monkeypatch.setattr(pw, "kernel_mode", lambda: mode)
    result = run("rate", matches(tmp_path, count), *TEXTBOOK)
    assert result.exit_code == 0
    assert result.stderr.splitlines().count(SLOW) == said


def test_version_of_an_uncompiled_installation_says_how_much_slower_it_is(monkeypatch):
    monkeypatch.setattr(pw, "kernel_mode", lambda: "pure")
    assert kernels.describe_kernels() == "pure, so rating takes 20 to 300 times as long as with compiled kernels"


def test_slowdown_in_the_messages_is_near_the_measured_one():
    newest = sorted((ROOT / "benchmarks" / "results").glob("????-??-??.json"))[-1]
    sections = json.loads(newest.read_text(encoding="utf-8"))["figures"]
    call, fit = sections["Uncompiled"]
    large = next(one for one in sections["Histories"] if one["measure"] == "1v1, 1,000,000 matches: per match")
    for said, measured in zip(SLOWER, (call["ratio"], fit["theirs"] / large["ours"]), strict=True):
        assert said / 1.5 < measured < said * 1.5
    assert SLOWER[0] < fit["ratio"] < SLOWER[1]

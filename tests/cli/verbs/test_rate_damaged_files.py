"""Damaged files give standings or an error on one line, and never a partial output file."""

import json
from pathlib import Path
from random import Random

import polars as pl
import pytest

from tests.cli.running import run
from tests.history.damage.bases import bases
from tests.history.damage.operations import damaged

BASES = bases()
OUT = ("standings.csv", "standings.parquet", "standings.json", "standings.html")


def rate_all(folder: Path, count: int, seed: int) -> list[int]:
    """Rate damaged files, check the messages and the files left behind, and return the exit codes."""
    codes = []
    for number in range(count):
        base, out = BASES[number % len(BASES)], folder / OUT[number % len(OUT)]
        data, done = damaged(base, Random(f"{seed} {number}"))
        path = folder / base.name
        path.write_bytes(data)
        result = run("rate", path, "--strict", "--out", out)
        about = (base.name, number, done, result.output, result.exception)
        assert result.exit_code in (0, 1), about
        assert isinstance(result.exception, SystemExit | None), about
        assert {file.name for file in folder.iterdir()} == {path.name, *[out.name] * (not result.exit_code)}, about
        if result.exit_code:
            [error] = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
            assert base.name in error, about
        else:
            assert rows_of(out), about
            out.unlink()
        codes.append(result.exit_code)
        path.unlink()
    return codes


def rows_of(out: Path) -> int:
    """Count the players in a complete file of standings."""
    if out.suffix == ".html":
        text = out.read_text(encoding="utf-8")
        return text.count("<tr") if text.rstrip().endswith("</html>") else 0
    if out.suffix == ".json":
        return len(json.loads(out.read_text(encoding="utf-8")))
    return len(pl.read_csv(out) if out.suffix == ".csv" else pl.read_parquet(out))


def test_forty_damaged_files_are_rated_or_refused_with_a_one_line_error(tmp_path: Path) -> None:
    codes = rate_all(tmp_path, 40, seed=5)
    assert 8 < sum(codes) < 32


@pytest.mark.long
def test_thousand_damaged_files_are_rated_or_refused_with_a_one_line_error(tmp_path: Path) -> None:
    rate_all(tmp_path, 1000, seed=6)

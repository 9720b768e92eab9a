"""Benchmark reading and rating a CSV file, against Polars reading the file only."""

import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

import prowess as pw

from .figures import Figure
from .timing import interleaved, per_item
from .workloads import scaled

ROWS, PLAYERS, PART = 10_000_000, 50_000, 500_000


def reading(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure the time from a large CSV file to standings, read in chunks (as `prowess rate` does) and as a whole."""
    rows = scaled(ROWS, scale)
    with TemporaryDirectory() as folder:
        path = Path(folder, "matches.csv")
        frame = league(rows)
        frame.write_csv(path)
        clocks = {
            "in parts": per_item(lambda: _in_parts(path), rows),
            "as a whole": per_item(lambda: pw.TrueSkill().learn(pw.History.read(path)).leaderboard(), rows),
            "Polars": per_item(lambda: pl.read_csv(path), rows),
        }
        medians = interleaved(clocks, repeats)
        against = {"peer": "for polars.read_csv", "theirs": medians["Polars"], "at_most": 4.0}
        yield Figure("to standings, in parts: per row", medians["in parts"], "ns", **against)
        yield Figure("to standings, as a whole: per row", medians["as a whole"], "ns")
        call = f"from benchmarks.reading import print_peak; print_peak({str(path)!r})"
        printed = subprocess.run([sys.executable, "-c", call], capture_output=True, check=True, text=True).stdout
        yield Figure("peak memory, in parts", float(printed), "MB", below=round(3 * frame.estimated_size("mb")))


def print_peak(path: str) -> None:
    """Rate a file in chunks, and print the largest number of bytes that this process had in memory."""
    _in_parts(Path(path))
    status = Path("/proc/self/status")
    if status.exists():  # on Linux, `getrusage` would include the peak of the parent process
        print(1024 * int(status.read_text().split("VmHWM:")[1].split()[0]))
    else:
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))


def _in_parts(path: Path) -> pl.DataFrame:
    return pw.TrueSkill().fit_stream(pw.History.stream(path, rows=PART), progress=False).ladder.leaderboard()


def league(rows: int) -> pl.DataFrame:
    """Return random matches between players of different skill, in chronological order."""
    rng = np.random.default_rng(0)
    home = rng.integers(0, PLAYERS, rows)
    away = (home + rng.integers(1, PLAYERS, rows)) % PLAYERS
    skill = rng.normal(0, 0.3, PLAYERS)
    names = np.array([f"Player {number:05d}" for number in range(PLAYERS)])
    return pl.DataFrame(
        {
            "date": pl.Series(np.sort(rng.integers(0, 20_000, rows)).astype(np.int32)).cast(pl.Date),
            "home_team": names[home],
            "away_team": names[away],
            "home_score": rng.poisson(np.exp(skill[home] - skill[away] + 0.3)),
            "away_score": rng.poisson(np.exp(skill[away] - skill[home])),
        }
    )

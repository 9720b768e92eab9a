"""Read limits: a file that expands enormously is refused early, and ordinary files are not affected."""

import gzip
import random
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from prowess.history import History
from prowess.history.read_limits import LimitExceeded, ReadLimits
from tests.cli.running import run
from tests.history import bombs
from tests.history.strangers.workbooks import write_ods

TIGHT = ReadLimits(small_bytes=1024 * 1024)
SMALL = {  # parts of the error messages
    "corner.xlsx": "a sheet of 4.. bytes extends over 1,048,576 rows and 16,384 columns, and the limit is",
    "rows.csv.gz": "unpacks from .* KiB to more than .* MiB, and the limit is 200 times its size",
    "zeros.csv.bz2": "unpacks from .* bytes to more than .* MiB, and the limit is 200 times its size",
    "rows.csv.xz": "unpacks from .* bytes to more than .* MiB, and the limit is 200 times its size",
    "rows.zip": "unpacks from .* KiB to more than .* MiB, and the limit is 200 times its size",
    "rows.parquet": "has 300,000 rows and 2 columns in only .* KiB, and the limit is 200 times its size",
    "line.csv": "line 2 is longer than the limit of 1 MiB",
    "columns.csv": "line 2 has 50,001 columns, and the limit is 16,384",
}


@pytest.fixture(scope="module")
def small_bombs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bombs")
    for name, make in bombs.SMALL.items():
        (folder / name).write_bytes(make())
    return folder


@pytest.mark.parametrize("name", SMALL)
def test_error_for_a_decompression_bomb_names_the_limit_and_how_to_lift_it(small_bombs, name):
    path = small_bombs / name
    message = rf"^{re.escape(str(path))}: {SMALL[name]}.*; if you trust the file, use `limits=False` to read it anyway"
    with pytest.raises(LimitExceeded, match=message):
        History.read(path, limits=TIGHT)
    with pytest.raises(LimitExceeded, match=SMALL[name]):
        list(History.stream(path, limits=TIGHT))


@pytest.mark.parametrize("cells", [["A1048576", "XFD1"], ["XFD1", "A1048576"], ["XFD1048576"], ["zz1048576"]])
def test_row_limit_applies_to_a_sheet_with_its_rows_in_any_order(tmp_path, cells):
    path = tmp_path / "far.xlsx"
    path.write_bytes(bombs.workbook(dict.fromkeys(cells, "x")))
    with pytest.raises(LimitExceeded, match="1,048,576 rows"):
        History.read(path)


def test_read_limits_can_be_changed_or_switched_off(tmp_path):
    path = tmp_path / "games.csv"
    path.write_bytes(bombs.HEADER + b"ann,bob\n" * 100)
    with pytest.raises(LimitExceeded, match="has 100 rows, and the limit is 99"):
        History.read(path, limits=ReadLimits(rows=99))
    assert len(History.read(path, limits=ReadLimits(rows=100))) == 100
    path = tmp_path / "games.csv.gz"
    path.write_bytes(gzip.compress(bombs.HEADER + b"ann,bob\n" * 10_000))
    tight = ReadLimits(small_bytes=1000)
    with pytest.raises(LimitExceeded):
        History.read(path, limits=tight)
    with pytest.raises(LimitExceeded):
        list(History.stream(path, limits=tight))
    assert len(History.read(path, limits=False)) == 10_000
    with pytest.raises(LimitExceeded, match="unpacks to more than the limit of 1,000 bytes"):
        History.read(path, limits=ReadLimits(unpacked=1000))
    for name, line in (
        ("games.jsonl", b'{"teams": [["ann"], ["bob"]]}\n'),
        ("rows.jsonl", b'{"winner": "a", "loser": "b"}\n'),
    ):
        path = tmp_path / name
        path.write_bytes(line * 10)
        with pytest.raises(LimitExceeded, match="the limit is 9"):
            History.read(path, limits=ReadLimits(rows=9))


def test_ordinary_large_files_are_within_the_limits(tmp_path):
    draw = random.Random(7)
    lines = [f"2026-01-{draw.randrange(1, 29):02d},player {draw.randrange(99)},player 100\n" for _ in range(20_000)]
    text = ("date,winner,loser\n" + "".join(lines)).encode()
    limits = ReadLimits(small_bytes=10_000, small_cells=10_000)
    (tmp_path / "games.csv.gz").write_bytes(gzip.compress(text, 9))
    assert len(History.read(tmp_path / "games.csv.gz", limits=limits)) == 20_000
    pl.read_csv(text).write_parquet(tmp_path / "games.parquet")
    assert len(History.read(tmp_path / "games.parquet", limits=limits)) == 20_000
    cells = {f"{column}{row}": f"p{row}" for row in range(2, 2_000) for column in "AC"}
    (tmp_path / "games.xlsx").write_bytes(bombs.workbook({"A1": "winner", "C1": "loser"} | cells))
    assert len(History.check(tmp_path / "games.xlsx", limits=limits).problems) == 1_998  # winner and loser are equal


def test_command_line_names_the_flag_that_lifts_the_limits(tmp_path):
    path = tmp_path / "games.csv"
    path.write_bytes(bombs.HEADER + b"a" * 1_100_000 + b",bob\n")
    refused = run("check", path)
    assert refused.exit_code == 1
    assert (
        "line 2 is longer than the limit of 1 MiB; if you trust the file, use --no-limits to read it" in refused.stderr
    )
    assert run("check", path, "--no-limits").exit_code == 0


def run_limited(path: Path, *flags: str) -> tuple[float, float, str]:
    """Run `prowess check`; return the CPU seconds, the peak memory in MB, and the last line of its messages."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    # `ru_maxrss` cannot be used: in a child process it starts with the memory of its parent.
    script = (
        "from prowess.cli import main\n"
        "try: main()\n"
        "finally: print('peak', *(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    done = subprocess.run([sys.executable, "-c", script, *flags, str(path)], capture_output=True, text=True)
    assert done.returncode != 0
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    peak = next(line for line in done.stdout.splitlines() if line.startswith("peak"))
    return used, float(peak.split()[1]) / 1024, done.stderr.strip().splitlines()[-1]


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory from /proc")
@pytest.mark.parametrize("name", bombs.FULL)
@pytest.mark.parametrize("verb", ["check", "rate"])
def test_command_line_refuses_large_bombs_within_10_seconds_and_a_gigabyte(tmp_path, name, verb):
    path = tmp_path / name
    path.write_bytes(bombs.FULL[name]())
    started = time.monotonic()
    used, peak, message = run_limited(path, verb)
    assert "--no-limits" in message
    assert used < 10, f"{used} s CPU, {time.monotonic() - started} s"
    assert peak < 1000


def test_repeated_cells_of_an_opendocument_sheet_count_towards_the_read_limits(tmp_path: Path) -> None:
    path = tmp_path / "games.ods"
    rows = [["winner", "loser"], ["ann", "bob"]]
    write_ods(path, rows)
    assert len(History.read(path)) == 1
    cell = '<table:table-cell office:value-type="string" table:number-columns-repeated="1000"><text:p>x</text:p>'
    row = f'<table:table-row table:number-rows-repeated="1000000">{cell}</table:table-cell></table:table-row>'
    write_ods(path, rows, extra=row)
    with pytest.raises(LimitExceeded, match="extends over 1,000,002 rows and 1,000 columns, and the limit is"):
        History.read(path)

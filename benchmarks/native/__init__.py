"""Benchmark against `skillratings`, a native library in Rust: the same matches, in turn, in the same run.

The crate is not part of this project. Its source must be in the folder that `PROWESS_PEERS` names, by default
`../shared/peers` beside the checkout, and is compiled without a network.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from prowess.model.presets import PRESETS

from ..figures import Figure
from ..timing import interleaved, per_item
from ..workloads import Workload, history, scaled

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "native"
MANIFEST = """\
[package]
name = "native"
version = "0.0.0"
edition = "2021"

[[bin]]
name = "native"
path = {source!r}

[dependencies]
skillratings = {{ path = {crate!r}, default-features = false }}
"""
# The workloads: system, matches, players, teams, and how many times as fast as the native library prowess should be.
CASES = (
    ("TrueSkill", 1_000_000, 100_000, 2, 3.0),
    ("Elo", 1_000_000, 100_000, 2, 0.45),
    ("Glicko2", 1_000_000, 100_000, 2, 2.5),
    ("TrueSkill", 100_000, 20_000, 8, 8.0),
)


def native(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure `fit`, including forecasts, against native code, which makes no forecasts."""
    program = build()
    with tempfile.TemporaryDirectory() as folder:
        for number, (system, matches, players, teams, target) in enumerate(CASES):
            kind = "1v1" if teams == 2 else f"free-for-all of {teams}"
            rosters = Workload(kind, scaled(matches, scale), players, teams=teams).rosters()
            past, model = history(rosters), PRESETS[system]()
            clocks = {"prowess": per_item(lambda model=model, past=past: model.fit(past), len(past))}
            if program is not None:
                file = Path(folder, f"{number}.bin")
                file.write_bytes(rosters.astype("<i4").tobytes())
                clocks["skillratings"] = clock(program, system, file, teams, players)
            medians = interleaved(clocks, repeats)
            against = {"peer": "skillratings", "theirs": medians.get("skillratings"), "at_least": target}
            yield Figure(f"{system}, {kind}", medians["prowess"], "ns", **against)


def build() -> Path | None:
    """Compile the native program; return None if cargo or the source of the crate is missing."""
    crate = Path(os.environ.get("PROWESS_PEERS") or ROOT.parent / "shared" / "peers", "skillratings").resolve()
    cargo = shutil.which("cargo")
    if cargo is None or not crate.is_dir():
        return None
    BUILD.mkdir(parents=True, exist_ok=True)
    manifest = BUILD / "Cargo.toml"
    manifest.write_text(MANIFEST.format(source=str(HERE / "main.rs"), crate=str(crate)).replace("'", '"'))
    command = [cargo, "build", "--release", "--offline", "--quiet", "--manifest-path", str(manifest)]
    subprocess.run(command, check=True, env=os.environ | {"CARGO_TARGET_DIR": str(BUILD / "target")})
    return BUILD / "target" / "release" / "native"


def clock(program: Path, system: str, file: Path, teams: int, players: int) -> Callable[[], float]:
    """Return a clock that runs the native program and returns the seconds per match that the program measured."""
    command = [str(program), system, str(file), str(teams), str(players)]
    return lambda: float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)

"""Runs the experiments of the TrueSkill paper, section 4, on the four files, or on as many of them as exist."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from prowess.errors import Error
from prowess.lab.report import Report, Section
from prowess.progress import steps
from prowess.text import join_words

from ..paper import load_published
from ..statistics import draw_rate
from .convergence import convergence
from .draws import draws
from .figure2 import figure2
from .mode import Mode, fit_mode
from .prediction import prediction
from .reader import read
from .readings import picks, readings
from .speed import ROUNDS, speed
from .width import width
from .winning import winning

SMALL = 1500  # number of games of a mode, with `small`
# The terms of use of the data require this line in every publication.
CREDIT = "Credits for the use of the Halo 2 Beta Dataset are given to Microsoft Research Ltd. and Bungie."


def run(
    data: Path, *, small: bool = False, seed: int = 0, jobs: int | None = None, progress: bool | None = None
) -> Report:
    """Run the experiments on the files in a folder; modes whose file is missing are left out and listed.

    Nothing is random, and all four modes together take seconds, so `seed` and `jobs` are ignored.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     run(Path(folder))
    Traceback (most recent call last):
    ...
    prowess.Error: ...: FreeForAll.csv, SmallTeam.csv, HeadToHead.csv or LargeTeam.csv not found
    """
    published = load_published("halo2")
    modes = _modes(data, published, small, progress)
    sections = (
        _data(modes, published, small),
        prediction(modes, published),
        readings(modes, published),
        picks(modes, published),
        draws(modes, published),
        winning(modes, published, progress),
        convergence(modes, published),
        figure2(published),
        speed(modes, published, 1 if small else ROUNDS, progress),
        width(modes, published),
    )
    return Report("TrueSkill and Elo on Halo 2", sections)


def _modes(data: Path, published: dict[str, Any], small: bool, progress: bool | None) -> list[Mode]:
    files = {name: data / mode["file"] for name, mode in published["mode"].items()}
    present = [name for name, file in files.items() if file.is_file()]
    if not present:
        raise Error(f"{data}: {join_words((file.name for file in files.values()), 'or')} not found")
    modes = []
    for index in steps(range(len(present)), "Halo 2", progress):
        history = read(files[present[index]])
        modes.append(fit_mode(present[index], history[:SMALL] if small else history, published))
    return modes


def _data(modes: Sequence[Mode], published: dict[str, Any], small: bool) -> Section:
    import polars as pl

    rows = []
    for mode in modes:
        history, wanted = mode.history, published["mode"][mode.name]
        rows.append(
            {
                "mode": mode.name,
                "games": len(history),
                "games, published": wanted["games"],
                "players": len(np.unique(history.player)),
                "players, published": wanted["players"],
                "teams per game": round(history.teams / len(history), 2),
                "players per team": round(history.entries / history.teams, 2),
                "neighbours drawn, %": round(100 * draw_rate(history), 2),
            }
        )
    return Section("Data", "\n\n".join(_remarks(modes, published, small)), pl.DataFrame(rows))


def _remarks(modes: Sequence[Mode], published: dict[str, Any], small: bool) -> list[str]:
    here = [mode.name for mode in modes]
    missing = [f"{name} ({mode['file']})" for name, mode in published["mode"].items() if name not in here]
    remarks = [f"Missing files, left out: {', '.join(missing)}."] if missing else []
    if small:
        remarks.append(f"This is a quick run on the first {SMALL:,} games of each mode.")
    for mode in modes:
        lines = mode.history.recognised.splitlines()
        remarks += [f"{mode.name}: {line}." for line in lines]
        if mode.fits["TrueSkill"].unconverged:
            remarks.append(f"{mode.name}: in {len(mode.fits['TrueSkill'].unconverged)} games EP did not converge.")
    return [*remarks, CREDIT]

"""The run time compared with Elo, measured on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from time import perf_counter
from typing import Any

from prowess.lab.report import Claim, Section
from prowess.progress import steps

from .mode import SYSTEMS, Mode, fit_quietly

ROUNDS = 3  # number of timed runs of each system


def speed(modes: Sequence[Mode], published: dict[str, Any], rounds: int, progress: bool | None) -> Section:
    """Return a section with median run times; the systems run in turn, so that a busy machine slows down both."""
    import polars as pl

    rows, ratios = [], []
    for index in steps(range(len(modes)), "run time", progress):
        times = _times(modes[index], rounds)
        ratio = median(slow / quick for quick, slow in zip(*times, strict=True))
        matches = len(modes[index].history)
        cells = {f"{system}, µs per game": 1e6 * median(t) / matches for system, t in zip(SYSTEMS, times, strict=True)}
        rows.append({"mode": modes[index].name} | cells | {"TrueSkill / Elo": round(ratio, 2)})
        ratios.append(ratio)
    limit = published["runtime"]["ratio"]
    evidence = ", ".join(f"{mode.name} {ratio:.2f}" for mode, ratio in zip(modes, ratios, strict=True))
    claim = Claim(f"TrueSkill runs within {limit:g} times the time of Elo", max(ratios) <= limit, evidence)
    text = (
        f"Times are the median of {rounds} rounds over all games of a mode in one process, including forecasts. Elo "
        "compares every pair of players in a game. TrueSkill iterates until its messages change by less than 1e-9."
    )
    return Section("Run time", text, pl.DataFrame(rows), claims=(claim,))


def _times(mode: Mode, rounds: int) -> list[list[float]]:
    times: list[list[float]] = [[] for _ in SYSTEMS]
    for _ in range(rounds):
        for system, spent in zip(SYSTEMS, times, strict=True):
            began = perf_counter()
            fit_quietly(mode.fits[system].model, mode.history)
            spent.append(perf_counter() - began)
    return times

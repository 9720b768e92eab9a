"""Benchmark of the automatic choice of a model, and of tuning one, compared with one fit of the history."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import prowess as pw
from prowess.lab import Calendar

from .figures import Figure
from .timing import interleaved, per_item, seconds
from .workloads import scaled

MATCHES, TRIALS = 100_000, 100
# The target for the time of a choice, as a number of fits. A fit of 100,000 matches takes 20 ms, so this is 5 s.
MOST_FITS = 250.0


def choosing(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure `auto` on a league without scores, and on one with goals and home teams; and `tune` on the first."""
    matches = scaled(MATCHES, scale, 200)
    duels = pw.TrueSkill(beta=10, tau=0.3)
    goals = pw.PoissonOD(mu=0, sigma=0.3, beta=0, base_rate=1.4).replace(drift=pw.drift.PerTime(0.005))
    fit = "for one fit of TrueSkill"
    for name, model in {"goals": goals, "two players": duels}.items():
        past = pw.simulate(model, matches, matches // 100, calendar=Calendar("2000-01-01")).history
        if name == "goals":
            past = replace(past, home=np.zeros(len(past), np.int16))
        clocks = {
            "auto": per_item(lambda past=past: pw.auto(past, progress=False), 1),
            fit: per_item(lambda past=past: pw.TrueSkill().fit(past), 1),
        }
        medians = interleaved(clocks, repeats)
        yield Figure(f"auto, {name}", medians["auto"], "s", fit, medians[fit], at_most=MOST_FITS)
    trials = scaled(TRIALS, scale, 2)
    took = seconds(lambda: pw.tune(pw.TrueSkill(), past, trials=trials, progress=False))
    yield Figure(f"tune, two players, {TRIALS} trials", took, "s")

"""Benchmark of the automatic choice of a model, compared with one fit of the history."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import prowess as pw
from prowess.lab import Calendar

from .figures import Figure
from .timing import interleaved, per_item

MATCHES = 100_000
# The target for the time of a choice, as a number of fits. A fit of 100,000 matches takes 20 ms, so this is 5 s.
MOST_FITS = 250.0


def choosing(scale: float, repeats: int) -> Iterator[Figure]:
    """Measure `auto` on a league without scores, and on a league with goals and home teams."""
    matches = max(1000, int(MATCHES * scale))
    duels = pw.TrueSkill(beta=10, tau=0.3)
    goals = pw.PoissonOD(mu=0, sigma=0.3, beta=0, base_rate=1.4).replace(drift=pw.drift.PerTime(0.005))
    for name, model in {"two players": duels, "goals": goals}.items():
        past = pw.simulate(model, matches, matches // 100, calendar=Calendar("2000-01-01")).history
        if name == "goals":
            past = replace(past, home=np.zeros(len(past), np.int16))
        fit = "one fit of TrueSkill"
        clocks = {
            "auto": per_item(lambda past=past: pw.auto(past, progress=False), len(past)),
            fit: per_item(lambda past=past: pw.TrueSkill().fit(past), len(past)),
        }
        medians = interleaved(clocks, repeats)
        label = f"auto, {name}, per match of {len(past):,}"
        yield Figure(label, medians["auto"], "ns", fit, medians[fit], at_most=MOST_FITS)

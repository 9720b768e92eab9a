"""Measure how often intervals contain the true skills, in leagues simulated with each model, for the guide.

    python tools/calibration.py [players]

Prints the rows of the table in `docs/guide/models.md`, and writes the chart beside it.

In a round, everybody plays once, against random opponents. With 4,000 players, the standard error of a coverage is half
a percent.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

import prowess as pw
from prowess.lab import Calendar, simulate
from prowess.lab.simulate.coverage import covered, standard_errors

CHART = Path(__file__).parent.parent / "docs" / "guide" / "coverage.svg"

MODELS = [  # title, model, teams per match, rounds
    ("TrueSkill, margin 4", pw.TrueSkill(tau=0.0, margin=4.0), 2, 15),
    ("GaussianOD, gamma 6", pw.GaussianOD(gamma=6.0), 2, 15),
    ("GaussianSD, gamma 6", pw.GaussianSD(gamma=6.0), 2, 15),
    ("PoissonOD, sigma 0.3", pw.PoissonOD(mu=0.5, sigma=0.3, beta=0.1), 2, 15),
    ("PoissonOD, sigma 1", pw.PoissonOD(mu=0.5, sigma=1.0, beta=0.3), 2, 15),
    ("PoissonOD, the paper's priors", pw.PoissonOD(), 2, 15),
    ("TS2a, margin 0.001, no ties", pw.TS2a(margin=1e-3), 8, 6),
    ("TS2a, margin 100, some ties", pw.TS2a(margin=100.0), 8, 6),
    ("TS2a, margin 400, many ties", pw.TS2a(margin=400.0), 8, 6),
    ("TS3, margin 100", pw.TS3(margin=100.0, discount=0.0), 8, 6),
    ("TS3, margin 400", pw.TS3(margin=400.0, discount=0.0), 8, 6),
    ("TS2c, margin 400", pw.TS2c(margin=400.0, discount=0.0), 8, 6),
    ("Glicko, one match per period", pw.Glicko(c=0.0, period=None), 2, 15),
    ("Glicko, five rounds per period", pw.Glicko(c=0.0, period=5.0), 2, 15),
]


def rows(players: int = 4000) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Yield the name of each model, its row of the table, and its coverage at many levels."""
    for name, model, teams, rounds in MODELS:
        day = players // teams  # the matches of a round
        league = simulate(model, day * rounds, players, seed=1, teams=teams, calendar=Calendar(0, matches=day))
        fit = model.fit(league.history, progress=False)
        curve = covered(league, fit)
        share = curve.filter(level=0.9)["covered"][0]
        size = np.sqrt((standard_errors(league, fit) ** 2).mean())
        yield name, f"| {name} | {teams}, {rounds} | {100 * share:.1f} % | {size:.2f} |", curve


def main() -> None:
    curves = {}
    for name, row, curve in rows(*map(int, sys.argv[1:])):
        print(row, flush=True)
        curves[name] = curve
    pw.lab.save(pw.lab.coverage_curves(curves), CHART)


if __name__ == "__main__":
    main()

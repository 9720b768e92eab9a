"""Measure how often intervals contain the true skills, in leagues simulated with each model; write the guide's chart.

    python tools/calibration.py [players]

In a round, everybody plays once, against random opponents. With 4,000 players, the standard error of a coverage is half
a percent.
"""

import sys
from pathlib import Path

import numpy as np

import prowess as pw
from prowess.lab import Calendar, simulate
from prowess.lab.simulate.coverage import covered, standard_errors

CHART = Path(__file__).parent.parent / "docs" / "guide" / "coverage.svg"
PLAYERS = int(sys.argv[1]) if len(sys.argv) > 1 else 4000

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
    ("Glicko, a period a match", pw.Glicko(c=0.0, period=None), 2, 15),
    ("Glicko, a period of 5 rounds", pw.Glicko(c=0.0, period=5.0), 2, 15),
]


def main():
    curves = {}
    print(f"{'model':32}{'rounds':>6}{'of':>4}{'covered':>10}{'error/sigma':>14}")
    for number, (name, model, teams, rounds) in enumerate(MODELS, 1):
        print(f"{number} of {len(MODELS)}: {name} …", end="\r", file=sys.stderr, flush=True)
        day = PLAYERS // teams  # the matches of a round
        league = simulate(model, day * rounds, PLAYERS, seed=1, teams=teams, calendar=Calendar(0, matches=day))
        fit = model.fit(league.history, progress=False)
        curves[name] = covered(league, fit)
        share = curves[name].filter(level=0.9)["covered"][0]
        size = np.sqrt((standard_errors(league, fit) ** 2).mean())
        print(f"{name:32}{rounds:6}{teams:4}{share:10.1%}{size:14.2f}", flush=True)
    pw.lab.save(pw.lab.coverage_curves(curves), CHART)


if __name__ == "__main__":
    main()

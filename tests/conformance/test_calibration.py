"""Calibration on simulated leagues: 90 % intervals must cover 90 % of the true skills.

Leagues follow the model's own process; 10,000 players are paired at random, so that the standard error of a coverage is
0.3 % (of two skills, less).
"""

from __future__ import annotations

import pytest

import prowess as pw
from prowess.lab.simulate.coverage import coverage

PLAYERS = 10_000


def covered(model, rounds=15, teams=2):
    found = coverage(model, PLAYERS // teams * rounds, PLAYERS, levels=[0.9], teams=teams, seed=1)
    return found["covered"][0]


@pytest.mark.parametrize("model", [pw.GaussianOD(gamma=6.0), pw.GaussianSD(gamma=6.0)], ids=["OD", "SD"])
def test_exact_models(model):
    """The mean over eight seeds is 90.0 % for both."""
    assert covered(model) == pytest.approx(0.9, abs=0.01)


@pytest.mark.parametrize(
    "model",
    [pw.TrueSkill(tau=0, margin=4.0), pw.TrueSkill(tau=1.0), pw.PoissonOD(mu=0.5, sigma=0.3, beta=0.1)],
    ids=["TrueSkill", "drift", "Poisson"],
)
def test_models_that_approximate_well(model):
    """89.6 %, 89.6 % and 89.8 % over eight seeds."""
    assert covered(model) == pytest.approx(0.9, abs=0.015)


def test_wide_poisson():
    """Where rates differ by factors of e, the approximation is a little too sure: 88.8 % over eight seeds."""
    assert covered(pw.PoissonOD(mu=0.5, sigma=1.0, beta=0.3)) == pytest.approx(0.9, abs=0.02)


def test_places_without_ties():
    """Eight players on eight places that are almost no distance apart: 89.7 % over eight seeds."""
    assert covered(pw.TS2a(margin=1e-3), rounds=6, teams=8) == pytest.approx(0.9, abs=0.015)

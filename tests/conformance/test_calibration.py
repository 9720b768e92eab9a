"""Calibration on simulated leagues: 90 % intervals must cover 90 % of the true skills.

Each model simulates its own league of 10,000 randomly paired players, so the standard error of the coverage is
0.3 % (less for models with two skills).
"""

from __future__ import annotations

import pytest

import prowess as pw
from prowess.lab.simulate.coverage import coverage

PLAYERS = 10_000


def covered(model, rounds=15, teams=2):
    found = coverage(model, PLAYERS // teams * rounds, PLAYERS, levels=[0.9], teams=teams, seed=1)
    return found["covered"][0]


@pytest.mark.parametrize(
    "model", [pw.GaussianOD(gamma=6.0), pw.GaussianSD(gamma=6.0)], ids=["GaussianOD", "GaussianSD"]
)
def test_intervals_of_models_with_exact_inference_are_calibrated(model):
    """The mean coverage over eight seeds is 90.0 % for both models."""
    assert covered(model) == pytest.approx(0.9, abs=0.01)


@pytest.mark.parametrize(
    "model",
    [pw.TrueSkill(tau=0, margin=4.0), pw.TrueSkill(tau=1.0), pw.PoissonOD(mu=0.5, sigma=0.3, beta=0.1)],
    ids=["TrueSkill", "drift", "Poisson"],
)
def test_intervals_of_models_with_approximate_inference_are_calibrated(model):
    """The mean coverage over eight seeds is 89.6 % for TrueSkill with and without drift, and 89.8 % for Poisson."""
    assert covered(model) == pytest.approx(0.9, abs=0.015)


def test_poisson_model_with_a_wide_prior_is_slightly_overconfident():
    """If scoring rates differ by a factor of e, the mean coverage over eight seeds is 88.8 %."""
    assert covered(pw.PoissonOD(mu=0.5, sigma=1.0, beta=0.3)) == pytest.approx(0.9, abs=0.02)


def test_intervals_of_the_place_model_ts2a_are_calibrated_if_there_are_no_ties():
    """With eight players on eight places and a tiny margin, the mean coverage over eight seeds is 89.7 %."""
    assert covered(pw.TS2a(margin=1e-3), rounds=6, teams=8) == pytest.approx(0.9, abs=0.015)

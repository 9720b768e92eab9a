"""Calibration on simulated leagues: 90 % intervals must cover 90 % of the true skills.

The level of a league is not identified by its matches, so the mean error of each trait is subtracted first. Leagues
have 4,000 players, paired at random: the standard error of a coverage is half a percent.
"""

from __future__ import annotations

import numpy as np
import pytest

import prowess as pw

PLAYERS = 4000
QUANTILE = 1.6448536269514722  # of the standard normal, at 95 %


def rounds(rng, count, teams):
    """Matches of single players: in each round everybody plays once."""
    for _ in range(count):
        yield from rng.permutation(PLAYERS).reshape(-1, teams)


def coverage(fit, truth):
    """How many of the true skills (players × traits) lie in the middle 90 % of what is believed."""
    pipeline = fit.model.pipeline
    rows = [fit.ladder.rows[f"p{player}"] for player in range(PLAYERS)]
    beliefs = fit.ladder.settled[rows, : 2 * pipeline.traits].reshape(PLAYERS, pipeline.traits, 2)
    error = truth - beliefs[:, :, 0]
    error -= error.mean(axis=0)
    return float((np.abs(error) < QUANTILE * np.sqrt(beliefs[:, :, 1])).mean())


def fitted(model, pairs, scores):
    """A fit to matches of single players with these scores."""
    matches = [
        {"teams": [[f"p{player}"] for player in match], "scores": points}
        for match, points in zip(pairs, scores, strict=True)
    ]
    return model.fit(pw.History.from_matches(matches))


def skills(rng, model):
    return rng.normal(model.prior.mu, model.prior.sigma, (PLAYERS, model.pipeline.traits))


def performances(rng, truth, pairs, beta):
    """Teams × traits in each match, with noise."""
    return rng.normal(truth[np.array(pairs)], beta)


def order(model, draw_margin, rng, count=15, teams=2):
    """A league whose places follow performances, with draws within a margin (of two teams)."""
    truth, pairs = skills(rng, model), list(rounds(rng, count, teams))
    shown = performances(rng, truth, pairs, model.noise)[:, :, 0]
    if teams == 2:
        gap = shown[:, 0] - shown[:, 1]
        shown = np.stack([np.where(gap > draw_margin, 1.0, 0.0), np.where(gap < -draw_margin, 1.0, 0.0)], axis=1)
    return coverage(fitted(model, pairs, shown.tolist()), truth)


def scored(model, draw, rng, count=15):
    """A league whose scores follow offence less defence, or whose differences follow one skill."""
    truth, pairs = skills(rng, model), list(rounds(rng, count, 2))
    shown = performances(rng, truth, pairs, model.noise)
    if truth.shape[1] == 2:
        rates = np.stack([shown[:, 0, 0] - shown[:, 1, 1], shown[:, 1, 0] - shown[:, 0, 1]], axis=1)
        scores = draw(rates)
    else:
        scores = np.stack([draw(shown[:, 0, 0] - shown[:, 1, 0]), np.zeros(len(pairs))], axis=1)
    return coverage(fitted(model, pairs, scores.tolist()), truth)


def test_trueskill():
    margin = 4.0
    model = pw.TrueSkill(tau=0, margin=margin)
    assert order(model, margin, np.random.default_rng(1)) == pytest.approx(0.9, abs=0.015)


def test_places_without_ties():
    """Eight players on eight places that are almost no distance apart: EP is a little too sure, within 2 %."""
    model = pw.TS2a(margin=1e-3)
    assert order(model, 0.0, np.random.default_rng(2), count=6, teams=8) == pytest.approx(0.9, abs=0.02)


def test_gaussian_offence_and_defence():
    rng = np.random.default_rng(3)
    model = pw.GaussianOD(gamma=6.0)
    assert scored(model, lambda rates: rng.normal(rates, 6.0), rng) == pytest.approx(0.9, abs=0.015)


def test_gaussian_differences():
    rng = np.random.default_rng(4)
    model = pw.GaussianSD(gamma=6.0)
    assert scored(model, lambda rates: rng.normal(rates, 6.0), rng) == pytest.approx(0.9, abs=0.015)


@pytest.mark.parametrize("sigma", [0.3, 1.0])
def test_poisson_offence_and_defence(sigma):
    rng = np.random.default_rng(5)
    model = pw.PoissonOD(mu=0.5, sigma=sigma, beta=0.3 * sigma)
    found = scored(model, lambda rates: rng.poisson(np.exp(rates)).astype(float), rng)
    assert found == pytest.approx(0.9, abs=0.015)

"""Predictions agree with sampling, quadrature and closed forms; match quality agrees with dense matrices."""

import math

import numpy as np
import pytest
from scipy.stats import norm

import prowess as pw
from tests.oracles import quality as dense
from tests.oracles import ranks as oracle


def performances(teams, beta):
    means = [sum(r.mu for r in team) for team in teams]
    variances = [sum(r.sigma**2 + beta**2 for r in team) for team in teams]
    return means, variances


def random_teams(seed, n, uneven=True):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, n) if uneven else [1] * n
    return [[pw.Rating(25 / size + rng.normal(0, 5), rng.uniform(0.5, 8)) for _ in range(size)] for size in sizes]


def test_win_probability_against_seven_weaker_players_is_0_798():
    """Another package predicts 0.24, because it compares only pairs of players."""
    model = pw.TrueSkill(draw_probability=0)
    prediction = model.predict([[pw.Rating(35, 1)], *([pw.Rating(25, 1)] for _ in range(7))])
    assert round(prediction.win[0], 3) == 0.798
    assert prediction.draw == 0.0


@pytest.mark.parametrize("n", [3, 5, 9])
def test_win_probability_agrees_with_numerical_integration(n):
    model = pw.TrueSkill(margin=1.5, tau=0)
    teams = random_teams(n, n)
    means, variances = performances(teams, model.noise)
    wanted = [oracle.first_alone(i, means, variances, 1.5) for i in range(n)]
    assert model.predict(teams).win == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(("n", "probability"), [(3, 0.0), (4, 0.3), (7, 0.1)])
def test_rank_probabilities_agree_with_sampling(n, probability):
    """Teams have different sizes, so each pair has its own margin."""
    model = pw.TrueSkill(draw_probability=probability, tau=0)
    teams = random_teams(n, n)
    means, variances = performances(teams, model.noise)
    width = norm.ppf((1 + probability) / 2) * model.noise
    margins = np.array([[width * math.sqrt(len(a) + len(b)) for b in teams] for a in teams])
    samples = 400_000
    ranks = oracle.sampled_ranks(means, variances, margins, samples=samples)
    prediction = model.predict(teams)
    sampled = oracle.rank_probabilities(ranks)
    error = np.sqrt(np.maximum(sampled * (1 - sampled), 1e-5) / samples)
    assert (np.abs(prediction.ranks - sampled) < 5 * error).all()
    win, draw = oracle.win_and_draw(ranks)
    assert prediction.win == pytest.approx(win, abs=5e-3)
    assert prediction.draw == pytest.approx(draw, abs=5e-3)
    assert prediction.ranks.sum(axis=1) == pytest.approx(np.ones(n), abs=1e-12)


def test_prediction_of_two_teams_agrees_with_the_closed_form():
    model = pw.TrueSkill(margin=2, tau=0)
    a, b = pw.Rating(30, 3), pw.Rating(26, 4)
    spread = math.sqrt(9 + 16 + 2 * model.noise**2)
    prediction = model.predict([[a], [b]])
    assert prediction.win == pytest.approx([norm.cdf((4 - 2) / spread), norm.cdf((-4 - 2) / spread)], abs=1e-14)
    assert prediction.draw == pytest.approx(norm.cdf(6 / spread) + norm.cdf(-2 / spread) - 1, abs=1e-14)
    assert prediction.ranks == pytest.approx(
        np.array([[1 - prediction.win[1], prediction.win[1]], [1 - prediction.win[0], prediction.win[0]]])
    )


def test_tiny_probabilities_of_a_one_sided_match_are_accurate():
    model = pw.TrueSkill(draw_probability=0.1, tau=0)
    prediction = model.predict([[pw.Rating(0, 1)], [pw.Rating(150, 1)]])
    spread = math.sqrt(2 + 2 * model.noise**2)
    margin = norm.ppf(0.55) * math.sqrt(2) * model.noise
    assert prediction.win[0] == pytest.approx(norm.cdf((-150 - margin) / spread), rel=1e-9)
    upper, lower = ((150 - margin) / spread, (150 + margin) / spread)
    assert prediction.draw == pytest.approx(norm.sf(upper) - norm.sf(lower), rel=1e-9)


@pytest.mark.parametrize("n", [3, 40, 300])
def test_equal_teams_are_equally_likely_to_win(n):
    model = pw.TrueSkill(draw_probability=0)
    prediction = model.predict([[model.rating()]] * n)
    assert prediction.win == pytest.approx([1 / n] * n, abs=1e-13)
    if n <= 40:
        assert prediction.ranks == pytest.approx(np.full((n, n), 1 / n), abs=1e-12)


def test_prediction_is_accurate_for_teams_with_tiny_uncertainty_and_huge_means():
    """An integration grid in absolute coordinates would miss narrow distributions."""
    model = pw.TrueSkill(beta=2**-10, draw_probability=0, tau=0)
    teams = [[pw.Rating(1e9, 0)], [pw.Rating(1e9 - 2**-10, 0)], [pw.Rating(0, 1e9)]]
    below, over = norm.cdf(1.0), norm.cdf(1 / math.sqrt(2))
    assert model.predict(teams).win == pytest.approx([below * over, below * (1 - over), 1 - below], abs=1e-7)


def test_win_probabilities_sum_to_one_if_draws_cannot_happen():
    model = pw.TrueSkill(draw_probability=0)
    prediction = model.predict(random_teams(3, 12))
    assert prediction.win.sum() == pytest.approx(1.0, abs=1e-14)
    assert prediction.ranks.sum(axis=0) == pytest.approx(np.ones(12), abs=1e-11)


def test_prediction_includes_the_skill_drift_before_the_match():
    a, b = pw.Rating(30, 1), pw.Rating(25, 1)
    drifting, still = pw.TrueSkill(tau=2), pw.TrueSkill(tau=0)
    wider = [[pw.Rating(30, math.sqrt(5))], [pw.Rating(25, math.sqrt(5))]]
    assert drifting.predict([[a], [b]]).win == pytest.approx(still.predict(wider).win, abs=1e-15)
    timed = still.replace(drift=pw.drift.PerTime(1.0))
    assert timed.predict([[a], [b]], elapsed=4).win == pytest.approx(still.predict(wider).win, abs=1e-15)


@pytest.mark.parametrize("n", [2, 3, 8])
def test_match_quality_agrees_with_dense_matrices(n):
    model = pw.TrueSkill()
    teams = random_teams(n, n)
    plain = [[(r.mu, r.sigma) for r in team] for team in teams]
    assert model.quality(teams) == pytest.approx(dense.quality(plain, model.noise), rel=1e-10)
    weights = [[0.5 + 0.1 * i for i in range(len(team))] for team in teams]
    wanted = dense.quality(plain, model.noise, weights=weights)
    assert model.quality(teams, weights=weights) == pytest.approx(wanted, rel=1e-10)
    assert model.quality(teams[::-1]) == pytest.approx(model.quality(teams), rel=1e-9)


def test_match_quality_agrees_with_the_trueskill_package():
    import trueskill

    teams = random_teams(5, 4)
    groups = [tuple(trueskill.Rating(r.mu, r.sigma) for r in team) for team in teams]
    assert pw.TrueSkill().quality(teams) == pytest.approx(trueskill.quality(groups), rel=1e-9)


def test_match_quality_needs_performance_noise():
    with pytest.raises(pw.Error, match="needs performance noise"):
        pw.TrueSkill().replace(beta=0).quality([[pw.Rating(1, 1)], [pw.Rating(2, 1)]])
    with pytest.raises(pw.Error, match="need uncertain performances"):
        pw.TrueSkill(tau=0).replace(beta=0).predict([[pw.Rating(1, 0)], [pw.Rating(2, 1)], [pw.Rating(2, 1)]])

"""TrueSkill's outcome agrees with other packages, slow oracles and exact cases, and works where other packages fail."""

import gzip
import json
import math
import random
from pathlib import Path

import mpmath
import numpy as np
import pytest

import prowess as pw
from prowess.model.engine.rate import build_board
from prowess.model.match_input import check_details
from tests.golden.peers import random_match, trueskill_rate
from tests.oracles.dense_ep import chain, dense_ep
from tests.oracles.order_statistics import free_for_all

GOLDEN = Path(__file__).parents[3] / "golden" / "trueskill_matches.jsonl.gz"


def rate(match):
    model = pw.TrueSkill(beta=match["beta"], tau=match["tau"], draw_probability=match["draw_probability"])
    teams = [[pw.Rating(mu, sigma) for mu, sigma in team] for team in match["teams"]]
    return [[(r.mu, r.sigma) for r in team] for team in model.rate(teams, ranks=match["ranks"])]


def largest_difference(one, other):
    flat = [np.array([x for team in nested for player in team for x in player]) for nested in (one, other)]
    return float(np.abs(flat[0] - flat[1]).max())


def test_ratings_agree_with_the_trueskill_package_on_5000_matches():
    with gzip.open(GOLDEN, "rt", encoding="utf-8") as file:
        matches = [json.loads(line) for line in file]
    assert len(matches) == 5000
    assert {len(match["teams"]) for match in matches} == set(range(2, 13))
    if pw.kernel_mode() == "pure":  # other tests check that both modes agree; uncompiled code is slow
        matches = matches[::5]
    assert max(largest_difference(rate(match), match["posterior"]) for match in matches) < 1e-6


def test_ratings_agree_with_the_installed_trueskill_package():
    rng = random.Random(2026)
    for _ in range(100):
        match = random_match(rng)
        keys = ("teams", "ranks", "beta", "tau", "draw_probability")
        assert largest_difference(rate(match), trueskill_rate(*(match[key] for key in keys))) < 1e-6


def board(model, teams, ranks):
    """Return the board of a match after the update by its outcome, and the log-evidence."""
    pipeline = model.pipeline
    laid = build_board(pipeline, teams, check_details(teams, ranks))
    pipeline.forecast(laid)
    return laid, model.outcome.evidence(laid)


@pytest.mark.parametrize("ranks", [[1, 2, 3], [1, 1, 2], [2, 1, 1], [1, 1, 1], [3, 1, 2, 2], [1, 2, 2, 4, 5, 5]])
def test_expectation_propagation_along_the_chain_of_teams_agrees_with_dense_matrices(ranks):
    rng = np.random.default_rng(len(ranks))
    model = pw.TrueSkill(draw_probability=0.25, tau=0)
    teams = [[pw.Rating(mu, sigma)] for mu, sigma in zip(rng.normal(25, 5, 9), rng.uniform(1, 9, 9), strict=True)]
    teams = teams[: len(ranks)]
    laid, log_z = board(model, teams, ranks)
    n = len(ranks)
    mean, variance = np.array(laid.mean[:n]), np.array(laid.variance[:n])
    margin = laid.margin.between(laid, 0, 1)
    oracle = dense_ep(mean, variance, chain(ranks, [margin] * (n - 1)))
    assert mean + variance * np.array(laid.d1[:n]) == pytest.approx(oracle.means, abs=1e-7)
    assert variance * np.array(laid.left[:n]) == pytest.approx(oracle.variances, abs=1e-7)
    assert log_z == pytest.approx(oracle.log_z, abs=1e-8)


@pytest.mark.parametrize("ranks", [[1, 2], [2, 1], [1, 1], [1, 2, 3], [1, 2, 2], [2, 1, 1, 4]])
def test_d1_and_d2_are_derivatives_of_the_log_evidence(ranks):
    """For a team's prior mean m and variance v, ∂(log-evidence)/∂m = d1 and ∂(log-evidence)/∂v = (d2 + d1²)/2."""
    model = pw.TrueSkill(draw_probability=0.2, tau=0).replace(tolerance=1e-13)
    mus, sigmas = [27.0, 22.0, 30.0, 25.0][: len(ranks)], [3.0, 6.0, 2.0, 4.0]

    def at(team=0, mean=0.0, variance=0.0):
        pipeline = model.pipeline
        teams = [[pw.Rating(mu, sigma)] for mu, sigma in zip(mus, sigmas, strict=False)]
        laid = build_board(pipeline, teams, check_details(teams, ranks))
        pipeline.forecast(laid)
        laid.mean[team] += mean
        laid.variance[team] += variance
        if len(ranks) == 2:
            model.outcome.forecast(laid)
        return model.outcome.evidence(laid), laid

    _, laid = at()
    for team in range(len(ranks)):
        d1, d2 = laid.d1[team], laid.d2[team]
        by_mean = (at(team, mean=1e-4)[0] - at(team, mean=-1e-4)[0]) / 2e-4
        by_variance = (at(team, variance=1e-3)[0] - at(team, variance=-1e-3)[0]) / 2e-3
        assert by_mean == pytest.approx(d1, abs=1e-6)
        assert by_variance == pytest.approx((d2 + d1 * d1) / 2, abs=1e-6)
        assert laid.left[team] == pytest.approx(1 + laid.variance[team] * d2, abs=1e-12)
        if len(ranks) == 2:
            second = (at(team, mean=1e-3)[0] - 2 * at()[0] + at(team, mean=-1e-3)[0]) / 1e-6
            assert second == pytest.approx(d2, abs=1e-6)


def test_free_for_all_of_equal_players_agrees_with_order_statistics():
    model = pw.TrueSkill(draw_probability=0, tau=0)
    rated = model.rate([[model.rating()]] * 100)
    assert (round(rated[0][0].mu, 2), round(rated[0][0].sigma, 2)) == (43.69, 4.91)
    for place, (mu, sigma) in enumerate(free_for_all(100, 25, 25 / 3, 25 / 6)):
        assert rated[place][0].mu == pytest.approx(mu, abs=0.05)
        assert rated[place][0].sigma == pytest.approx(sigma, abs=0.05)


def test_extreme_upset_that_breaks_the_trueskill_package_is_rated():
    """The expected values are mu + σ²V(t)/c and σ²(1 − σ²W(t)/c²) at t = −(232 + ε)/c, in 50 digits."""
    [[upset], [favourite]] = pw.TrueSkill(tau=0).rate([[pw.Rating(0, 1)], [pw.Rating(232, 1)]])
    with mpmath.workdps(50):
        beta = mpmath.mpf(25) / 6
        c = mpmath.sqrt(2 + 2 * beta**2)
        margin = mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf(0.1)) * beta * mpmath.sqrt(2)
        t = -(232 + margin) / c
        v = mpmath.npdf(t) / mpmath.ncdf(t)
        mu, sigma = v / c, mpmath.sqrt(1 - v * (v + t) / c**2)
    assert upset.mu == pytest.approx(float(mu), rel=1e-13)
    assert favourite.mu == pytest.approx(float(232 - mu), rel=1e-13)
    assert upset.sigma == favourite.sigma == pytest.approx(float(sigma), rel=1e-13)


def test_free_for_all_of_147_new_players_converges():
    model = pw.TrueSkill()
    rated = [team[0] for team in model.rate([[model.rating()]] * 147)]
    mus = [rating.mu for rating in rated]
    assert mus == sorted(mus, reverse=True)
    assert [mus[-1 - place] for place in range(147)] == pytest.approx([50 - mu for mu in mus], abs=1e-5)
    without_draws = pw.TrueSkill(draw_probability=0, tau=0)
    exact = free_for_all(147, 25, 25 / 3, 25 / 6)
    assert without_draws.rate([[model.rating()]] * 147)[0][0].mu == pytest.approx(exact[0][0], abs=0.05)


def test_draw_with_zero_margin_does_not_raise_sigma():
    model = pw.TrueSkill(draw_probability=0, tau=0)
    [[weak], [strong]] = model.rate([[pw.Rating(20, 2)], [pw.Rating(30, 6)]], ranks=[1, 1])
    assert weak.mu > 20
    assert strong.mu < 30
    assert weak.sigma < 2
    assert strong.sigma < 6


@pytest.mark.parametrize("mu", [1e4, -1e4, 1e6, 1e9, 1e29])
def test_large_means_do_not_change_the_update(mu):
    model = pw.TrueSkill(mu=mu)
    [[won], [lost]] = model.rate([[model.rating()], [model.rating()]])
    assert won.mu >= mu >= lost.mu
    assert won.sigma == pytest.approx(7.171475807009221)


@pytest.mark.parametrize("ties", [False, True])
def test_free_for_all_of_2000_players_gives_finite_ratings(ties):
    rng = np.random.default_rng(7)
    model = pw.TrueSkill()
    teams = [[pw.Rating(mu, sigma)] for mu, sigma in zip(rng.normal(25, 8, 2000), rng.uniform(1, 9, 2000), strict=True)]
    ranks = rng.integers(0, 300, 2000).tolist() if ties else None
    rated = model.rate(teams, ranks=ranks)
    assert all(math.isfinite(team[0].mu) and 0 < team[0].sigma < 9 for team in rated)


def test_tie_of_equal_teams_moves_no_mean():
    model = pw.TrueSkill(tau=0)
    rated = model.rate([[model.rating()]] * 50, ranks=[7] * 50)
    assert [team[0].mu for team in rated] == pytest.approx([25.0] * 50, abs=1e-7)
    assert max(team[0].sigma for team in rated) < 25 / 3


def test_fit_warns_about_a_match_that_did_not_converge():
    model = pw.TrueSkill().replace(sweeps=1)
    teams = [[model.rating()] for _ in range(20)]
    with pytest.warns(UserWarning, match="did not converge"):
        model.rate(teams)
    history = pw.History.from_matches([{"teams": [[str(i)] for i in range(20)]}, {"teams": [["0"], ["1"]]}])
    with pytest.warns(UserWarning, match="in 1 of 2 matches"):
        assert model.fit(history).unconverged == [0]


def test_equal_teams_have_the_given_draw_probability():
    for sizes, p in (((1, 1), 0.1), ((2, 3), 0.3), ((4, 1), 1e-12)):
        model = pw.TrueSkill(draw_probability=p, tau=0)
        teams = [[pw.Rating(30 / size, 0)] * size for size in sizes]
        assert model.predict(teams).draw == pytest.approx(p, rel=1e-7)


def test_draw_margin_can_be_given_as_a_number():
    by_probability = pw.TrueSkill(draw_probability=0.1, tau=0)
    a, b = pw.Rating(25, 3), pw.Rating(27, 4)
    margin = 0.12566134685507402 * math.sqrt(2) * 25 / 6
    by_margin = by_probability.replace(margin=margin)
    assert by_margin.params.get("draw_probability") is None
    for ranks in ([1, 2], [1, 1]):
        one, other = by_probability.rate([[a], [b]], ranks=ranks), by_margin.rate([[a], [b]], ranks=ranks)
        assert (
            largest_difference(
                [[(r.mu, r.sigma) for r in t] for t in one], [[(r.mu, r.sigma) for r in t] for t in other]
            )
            < 1e-12
        )

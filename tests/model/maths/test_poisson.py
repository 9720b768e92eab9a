"""Poisson counts agree with mpmath and SciPy; win probabilities agree with sums over all scores and with sampling."""

import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from prowess.model.maths.poisson import log_factorial, log_pmf, mixed_cdf, mixed_pmf, tilt
from prowess.model.maths.poisson_pairs import chances
from prowess.model.score_distribution import CountScores
from tests.oracles import poisson as oracle

EXTREMES = [-1e30, -1e3, -30.0, 0.0, 4.0, 60.0, 1e3, 1e30]
VARIANCES = [0.0, 1e-60, 1e-9, 0.3, 40.0, 1e6, 1e60]


def meet(first, second):
    """Return P(win) and P(draw) of two teams, each given as (mean, variance)."""
    win, draw = np.empty(1), np.empty(1)
    chances(np.array([first[0], second[0]], float), np.array([first[1], second[1]], float), win, draw)
    return win[0], draw[0]


def test_log_factorials_agree_with_mpmath():
    for n in [0, 1, 2, 10, 170, 255, 256, 1000, 10**6, 10**12, 10**30]:
        assert log_factorial(float(n)) == pytest.approx(float(mpmath.loggamma(n + 1)), rel=4e-16, abs=1e-300)


@pytest.mark.parametrize("n", [0, 1, 7, 255, 256, 300, 10**4, 10**7])
def test_log_probabilities_of_a_count_agree_with_mpmath(n):
    for factor in (0.2, 0.96, 0.999, 1.0, 1.02, 1.2, 3.0):
        rate = factor * max(n, 1)
        with mpmath.workdps(40):
            exact = n * mpmath.log(rate) - rate - mpmath.loggamma(n + 1)
        assert log_pmf(float(n), math.log(rate), rate) == pytest.approx(float(exact), rel=1e-13, abs=1e-11)


def test_root_of_equation_19_of_the_score_paper_is_accurate():
    """The equation κ = m + v (s − e^κ) + v/(2 (1 + v e^κ)) is checked in 40 digits at the y = v e^κ that was found."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        m, v = float(rng.choice([-1, 1]) * 10 ** rng.uniform(-2, 2.5)), float(10 ** rng.uniform(-12, 6))
        s = float(int(10 ** rng.uniform(-1, 6)))
        y = tilt(m, v, s)
        with mpmath.workdps(40):
            kappa = mpmath.log(mpmath.mpf(y) / v)
            beyond = m + mpmath.mpf(v) * s - y + mpmath.mpf(v) / (2 * (1 + mpmath.mpf(y))) - kappa
            slope = 1 + y + mpmath.mpf(v) / 2 * y / (1 + mpmath.mpf(y)) ** 2
        assert abs(float(beyond / slope)) < 2e-14 * max(1.0, (abs(m) + v * s) / (1 + y))


def test_root_of_equation_19_of_the_score_paper_is_found_for_any_input():
    for m in EXTREMES:
        for v in VARIANCES[1:]:
            for s in (0.0, 1.0, 300.0, 1e6, 1e30):
                y = tilt(m, v, s)
                assert y >= 0
                assert math.isfinite(y)


@pytest.mark.parametrize(
    ("mean", "variance", "most"),
    [
        (0.5, 0.4, 60),
        (0.5, 0.0, 60),
        (0.5, 1e-6, 60),
        (0.0, 174.0, 100),
        (4.5, 0.1, 500),
        (4.5, 1e-4, 300),
        (-3, 2, 60),
    ],
)
def test_probabilities_of_counts_with_an_uncertain_rate_agree_with_quadrature(mean, variance, most):
    n = np.arange(most)
    exact = oracle.pmf(n, mean, variance)
    step = 1 if most < 200 else 17
    assert [mixed_pmf(float(k), mean, variance) for k in n[::step]] == pytest.approx(exact[::step], abs=1e-9)
    assert [mixed_cdf(float(k), mean, variance) for k in n[::step]] == pytest.approx(np.cumsum(exact)[::step], abs=1e-9)


def test_probabilities_of_large_counts_with_a_known_rate_agree_with_scipy():
    for n, rate in ((10**6, 10**6), (10**6, 10**6 - 2500), (10**9 + 30000, 10**9)):
        assert mixed_cdf(float(n), math.log(rate), 0.0) == pytest.approx(stats.poisson.cdf(n, rate), abs=1e-9)


FOOTBALL = [((0.3, 0.25), (0.1, 0.3)), ((0.3, 0.05), (0.5, 0.4)), ((-2, 0.5), (0.3, 0.2)), ((1.0, 1.0), (0.2, 1.0))]
POINTS = [((4.5, 0.1), (4.4, 0.1)), ((4.5, 0.05), (4.6, 0.3)), ((3.8, 0.2), (3.9, 0.3)), ((5, 1e-3), (5.1, 2e-3))]
KNOWN = [((3.9, 0.0), (3.8, 0.01)), ((0, 2.0), (1, 0.0)), ((2, 1e-3), (2, 2.0)), ((0.2, 1e-12), (0.4, 1e-9))]
WIDE = [
    *[((0, 35.0), (0, 35.0)), ((0, 174.0), (1, 150.0)), ((5, 350.0), (-3, 250.0)), ((-20, 60.0), (-22, 90.0))],
    *[((20, 40.0), (15, 35.0)), ((0, 174.0), (0.5, 0.3)), ((4.6, 0.01), (0, 174.0)), ((2, 1.5), (1, 2.5))],
    *[((2.65, 1.27), (0.58, 11.3)), ((-3, 20.0), (2, 4.0)), ((10, 2.0), (8, 3.0)), ((5, 1.2), (5, 1.2))],
]


@pytest.mark.parametrize(("first", "second"), [*FOOTBALL, *POINTS, *KNOWN, *WIDE])
def test_win_and_draw_probabilities_agree_with_sums_over_all_scores(first, second):
    assert meet(first, second) == pytest.approx(oracle.win_and_draw(first, second), abs=1e-8)


@pytest.mark.parametrize(("first", "second"), [FOOTBALL[0], POINTS[0], ((0, 170.0), (0, 170.0)), ((13, 0.01), (13, 0))])
def test_win_and_draw_probabilities_agree_with_sampling(first, second):
    found, error = oracle.sampled(first, second)
    assert (np.abs(np.array(meet(first, second)) - found) < 4 * error).all()


@pytest.mark.parametrize("rates", [(1, 2), (200, 60), (400, 380), (49, 51), (51, 49), (120, 100), (1e6, 1e6 - 900)])
def test_score_difference_with_known_rates_agrees_with_the_skellam_distribution(rates):
    """Some rates are so large that a sum of a hundred terms gives 0.007 instead of 1, or the Bessel function is NaN."""
    win, draw = meet((math.log(rates[0]), 0), (math.log(rates[1]), 0))
    exact = stats.skellam(*rates)
    assert (win, draw) == pytest.approx((exact.sf(0), exact.pmf(0)), abs=1e-9)


def test_rates_with_tiny_variances_are_treated_as_known():
    for mean in (0.3, 4.0, 9.0, 13.8):
        known = meet((mean, 0.0), (mean + 0.1, 0.0))
        assert meet((mean, 1e-13), (mean + 0.1, 1e-11)) == pytest.approx(known, abs=1e-8)


def test_swapping_the_teams_swaps_win_and_loss_probabilities():
    rng = np.random.default_rng(8)
    for _ in range(60):
        first, second = ((rng.normal(2, 3), 10 ** rng.uniform(-4, 2)) for _ in range(2))
        win, draw = meet(first, second)
        loss, same = meet(second, first)
        assert draw == same
        assert win + draw + loss == pytest.approx(1, abs=1e-12)


def test_extreme_rates_give_valid_probabilities():
    for first in [(m, v) for m in EXTREMES for v in VARIANCES]:
        for second in [(m, v) for m in (-1e30, 0.0, 5.0, 1e30) for v in (0.0, 1e-60, 0.3, 1e60)]:
            win, draw = meet(first, second)
            assert 0 <= win <= 1
            assert 0 <= draw <= 1
            assert win + draw <= 1 + 1e-9


def test_win_probability_at_extreme_rates_depends_only_on_the_rates():
    spread = math.sqrt(3.0 + 4.0)
    win, draw = meet((1e3, 3.0), (1e3 - 1, 4.0))
    assert win == pytest.approx(stats.norm.cdf(1 / spread), abs=1e-9)
    assert draw == 0
    assert meet((1e3, 0.0), (1e3, 0.0)) == (0.5, 0.0)


def test_medians_computed_together_equal_medians_computed_singly():
    """The bounds of the search for a median are also checked, with a mixture on a dense grid."""
    rng = np.random.default_rng(4)
    for sigma in (0.0, 1e-3, 0.2, 1.0, 13.0, 1e3):
        mean = rng.uniform(-8, 8, 60)
        found = CountScores(mean, np.full(60, sigma))
        assert found.medians.tolist() == [found.quantile(team, 0.5) for team in range(60)]
    for n in (0, 1, 2, 7, 50, 3000):
        for variance in (0.0, 1e-4, 0.1, 1.0, 100.0, 1e6):
            assert mixed_cdf(n, math.log(n + 0.5), variance) > 0.5 - 1e-12
            assert mixed_cdf(n, math.log(n + math.log(2)), variance) < 0.5 + 1e-12
    for mean, variance in ((0.5, 0.4), (0.5, 0.0), (-0.45, 0.01), (-0.45, 9.0), (2.13, 1.5)):
        cdf = np.cumsum(oracle.pmf(np.arange(20), mean, variance))
        assert CountScores(np.array([mean]), np.array([variance**0.5])).medians == np.argmax(cdf >= 0.5)
    huge = CountScores(np.array([-1e30, 699.0, 701.0, 1e30]), np.array([1.0, 1e15, 0.0, 3.0])).medians
    assert huge.tolist() == pytest.approx([0, np.exp(699.0), np.exp(700.0), np.exp(700.0)])

"""`Logit` agrees with integration in high precision, with its limits, and never loses digits."""

import itertools
import math

import numpy as np
import pytest

import prowess as pw
from prowess.model.components.outcome import Duel, Logistic, Logit
from prowess.model.maths.normal import Truncated, above, log_z
from tests.oracles.logit import moments

UNIT = math.log(10)  # the scale at which z is the difference of performances itself
PLACES = {1.0: (1, 2), 0.5: (1, 1), 0.0: (2, 1)}
RESULTS = tuple(PLACES)
WIDTHS = (1e-3, 0.35, 1.0, 3.9, 4.1, 30.0, 1e3)
EXTREMES = [0.0, 1e-300, 1e-30, 1e-9, 1.0, 40.0, 699.0, 701.0, 1e4, 1e9, 1e30, 1e60]


def learn(gap, variance, result, scale=UNIT, share=1.0):
    """Return log-evidence, d1, d2 and left of the first team, which has a share of the variance, and the forecast."""
    outcome = Logit(scale)
    board = pw.Board(2, 2, memory=2)
    outcome.prepare(board)
    board.mean[0], board.variance[0], board.variance[1] = gap, share * variance, (1.0 - share) * variance
    board.place[0], board.place[1] = PLACES[result]
    outcome.forecast(board)
    log_evidence = outcome.evidence(board)
    assert (board.d1[1], board.d2[1]) == (-board.d1[0], board.d2[0])
    return (log_evidence, board.d1[0], board.d2[0], board.left[0]), (board.win, board.draw, board.loss)


def gaps(width):
    """Return means near 0, in the tails, and where the posterior changes its shape."""
    return sorted({0.0, 0.7, 3 * width, 33 * width, 0.55 * width * width, width * width + 3 * width, 700.0})


@pytest.mark.parametrize("width", WIDTHS)
def test_evidence_and_derivatives_agree_with_mpmath(width):
    """The relative error is 1e-12 for all results, even if they are almost certain or almost impossible."""
    for gap in gaps(width):
        for result, (log_evidence, *wanted) in moments(gap, width * width).items():
            found, _ = learn(gap, width * width, result)
            # At d1 = 0, which is a draw of equal teams, and at log Z = 0, the error is that of a number near 1.
            tiny = 2e-16 if result == 0.5 and gap < 1e-3 else 1e-300
            assert found[0] == pytest.approx(log_evidence, rel=1e-13, abs=1e-15)
            assert found[1:] == pytest.approx(wanted, rel=1e-11, abs=tiny)


def test_draws_of_nearly_equal_teams_agree_with_mpmath():
    for width, gap in itertools.product((1.0, 3.0, 50.0), (1e-12, 1e-3)):
        found, _ = learn(gap, width * width, 0.5)
        assert found == pytest.approx(moments(gap, width * width)[0.5], rel=1e-11, abs=2e-16)
        assert learn(0.0, width * width, 0.5)[0][1] == 0.0


def test_forecasts_agree_with_mpmath_and_both_sides_have_full_accuracy():
    for width, gap in itertools.product((1e-3, 1.0, 30.0), (0.7, 300.0)):
        _, (win, draw, loss) = learn(gap, width * width, 1.0)
        wanted = moments(gap, width * width)
        assert draw == 0.0
        assert (win, loss) == pytest.approx((math.exp(wanted[1.0][0]), math.exp(wanted[0.0][0])), rel=1e-11)


def test_derivatives_of_the_log_evidence_agree_with_differences():
    for width, gap, result in itertools.product((0.2, 1.5, 3.9, 7.0), (-6.0, -0.4, 2.0), RESULTS):
        step = 1e-3

        def at(k, gap=gap, width=width, result=result, step=step):
            return learn(gap + k * step, width * width, result)[0]

        (_, d1, d2, left), _ = learn(gap, width * width, result)
        slopes = [(8 * (at(1)[i] - at(-1)[i]) - (at(2)[i] - at(-2)[i])) / (12 * step) for i in (0, 1)]
        assert slopes == pytest.approx((d1, d2), rel=1e-8, abs=1e-10)
        assert left == pytest.approx(1 + width * width * d2, rel=1e-12)


def test_a_known_difference_gives_the_logistic_curve():
    for gap, variance in itertools.product((-30.0, -2.0, 0.0, 0.5), (0.0, 1e-24)):
        win = 1 / (1 + math.exp(-gap))
        loss = 1 / (1 + math.exp(gap))
        for result in RESULTS:
            (log_evidence, d1, d2, left), (ahead, _, behind) = learn(gap, variance, result)
            likelihood = result * math.log(win) + (1 - result) * math.log(loss)
            assert log_evidence == pytest.approx(likelihood, rel=1e-13)
            assert d1 == pytest.approx(result * loss - (1 - result) * win, rel=1e-12, abs=1e-15)
            assert d2 == pytest.approx(-win * loss, rel=1e-12)
            assert left == pytest.approx(1.0, abs=1e-15)
            assert (ahead, behind) == pytest.approx((win, loss), rel=1e-13)


def test_a_very_uncertain_difference_gives_a_step_as_in_trueskill():
    """The curve's width is 1, so the results differ from those of a step by 1/v in relation to a change of √v."""
    width = 1e5
    for t in (-6.0, -1.0, 0.0, 0.3, 4.0):
        cut = Truncated(1)
        above(t, cut)
        (log_evidence, d1, d2, left), _ = learn(t * width, width * width, 1.0)
        assert log_evidence == pytest.approx(log_z(cut, 0), rel=1e-8)
        assert d1 * width == pytest.approx(cut.shift[0], rel=1e-7)
        assert d2 * width**2 == pytest.approx(-cut.lost[0], rel=1e-7)
        assert left == pytest.approx(cut.left[0], rel=1e-7)
    # A draw says that the difference is 0, up to the standard deviation π of the curve 1/(2 cosh(z/2)).
    (log_evidence, d1, d2, left), _ = learn(2.0 * width, width * width, 0.5)
    assert log_evidence == pytest.approx(math.log(math.pi / width) - 2.0 - 0.5 * math.log(2 * math.pi), rel=1e-8)
    assert (d1 * width, d2 * width**2) == pytest.approx((-2.0, -1.0), rel=1e-8)
    assert left * width**2 == pytest.approx(math.pi**2, rel=1e-8)


def test_swapping_the_teams_swaps_the_results_to_the_last_bit():
    for width, gap, result in itertools.product((0.0, 0.1, 1.3, 3.0, 8.0, 300.0), (0.0, 0.3, 5.0, 90.0, 1e3), RESULTS):
        one, (win, draw, loss) = learn(gap, width * width, result)
        other, swapped = learn(-gap, width * width, 1.0 - result)
        assert other == (one[0], -one[1], one[2], one[3])
        assert swapped == (loss, draw, win)


def test_schemes_for_small_and_large_variances_meet():
    for gap, result in itertools.product((-200.0, -20.0, -1.0, 0.0, 3.0, 40.0), RESULTS):
        below, _ = learn(gap, 16.0, result)
        beyond, _ = learn(gap, math.nextafter(16.0, 17.0), result)
        assert beyond == pytest.approx(below, rel=5e-12, abs=1e-15)


def test_every_input_gives_finite_and_sensible_numbers():
    for gap, variance, result in itertools.product([-x for x in EXTREMES] + EXTREMES, [*EXTREMES, 1e120], RESULTS):
        (log_evidence, d1, d2, left), chances = learn(gap, variance, result)
        assert -math.inf < log_evidence <= 0.0
        assert {1.0: 0.0 <= d1 <= 1.0, 0.5: abs(d1) <= 0.5, 0.0: -1.0 <= d1 <= 0.0}[result]
        assert -0.2500001 <= d2 <= 0.0
        assert 0.0 < left <= 1.0
        assert all(0.0 <= chance <= 1.0 for chance in chances)
        assert sum(chances) == pytest.approx(1.0, abs=1e-15)


def test_the_variance_of_a_team_shrinks_by_its_share():
    for width, share in itertools.product((0.5, 3.0, 40.0), (0.0, 1e-12, 0.25, 1.0)):
        (_, _, d2, left), _ = learn(0.7, width * width, 1.0, share=share)
        assert left == pytest.approx(1 + share * width * width * d2, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-6, 40.0, 1e9])
def test_the_scale_is_a_unit_of_performances(scale):
    for width, gap, result in itertools.product((0.3, 2.0, 20.0), (-3.0, 0.0, 1.0), RESULTS):
        unit = scale / UNIT
        plain, forecast = learn(gap, width * width, result)
        (log_evidence, d1, d2, left), scaled = learn(gap * unit, (width * unit) ** 2, result, scale)
        assert log_evidence == pytest.approx(plain[0], rel=1e-12)
        assert (d1 * unit, d2 * unit**2, left) == pytest.approx(plain[1:], rel=1e-11, abs=1e-14)
        assert scaled == pytest.approx(forecast, rel=1e-12, abs=1e-15)


def test_ratings_after_a_match_have_the_moments_of_the_posterior():
    """Without performance noise, the new beliefs are the exact moments, here by a sum over a grid of both skills."""
    model = pw.Model(prior=pw.Normal(1500, 200), noise=0.0, outcome=Logit(400.0))
    x, y = np.meshgrid(np.linspace(-1200, 1200, 1201), np.linspace(-2500, 2500, 1201), indexing="ij")
    curve = 1 / (1 + 10 ** (-(1600 + x - 1450 - y) / 400))
    for result, places in PLACES.items():
        weight = np.exp(-0.5 * (x / 90) ** 2 - 0.5 * (y / 250) ** 2) * curve**result * (1 - curve) ** (1 - result)
        weight /= weight.sum()
        [[ann], [bob]] = model.rate([[model.rating(1600, 90)], [model.rating(1450, 250)]], ranks=places)
        for rating, start, values in ((ann, 1600, x), (bob, 1450, y)):
            mean = (weight * values).sum()
            assert rating.mu == pytest.approx(start + mean, rel=1e-9)
            assert rating.sigma == pytest.approx(math.sqrt((weight * (values - mean) ** 2).sum()), rel=1e-9)


def league(count=400, draws=0.2, seed=1):
    rng = np.random.default_rng(seed)
    skill = rng.normal(0, 200, 12)
    for number in range(count):
        a, b = rng.permutation(12)[:2]
        odds = 10 ** ((skill[a] - skill[b]) / 400)
        ranks = (1, 1) if rng.random() < draws else (1, 2) if rng.random() < odds / (1 + odds) else (2, 1)
        yield {"teams": [[f"p{a}"], [f"p{b}"]], "ranks": ranks, "time": float(number)}


def test_forecasts_with_draws_add_up_to_1_and_learn_the_share_of_draws():
    model = pw.Model(prior=pw.Normal(1500, 250), noise=0.0, outcome=Logit())
    fit = model.fit(pw.History.from_matches(list(league(3000))))
    win, draw = np.asarray(fit.forecasts.win), np.asarray(fit.forecasts.draw)
    assert draw[0] == 0.0
    assert draw[-1000:].mean() == pytest.approx(0.2, abs=0.02)
    assert ((win >= 0) & (draw >= 0) & (win + draw <= 1)).all()
    forecast = fit.predict([["p1"], ["p2"]])
    assert forecast.win.sum() + forecast.draw == pytest.approx(1.0, abs=1e-15)


def test_fit_and_ladder_give_the_same_ratings_and_the_scale_is_a_parameter():
    history = pw.History.from_matches(list(league()))
    model = pw.TrueSkill(mu=1500, sigma=250, beta=50, tau=5).replace(outcome=Logit(300.0))
    fit = model.fit(history)
    ladder = pw.Ladder(model)
    for match in league():
        ladder.record(match["teams"], ranks=match["ranks"], time=match["time"])
    assert [ladder[f"p{k}"] for k in range(12)] == [fit[f"p{k}"] for k in range(12)]
    assert model.params["scale"] == 300.0
    known = pw.Model(prior=pw.Normal(1500, 250), noise=0.0, outcome=Logit(400.0)).fit(history)
    assert known.log_evidence > model.replace(scale=40.0).fit(history).log_evidence


def test_logit_and_glicko_agree_where_glicko_is_exact():
    """For a small uncertainty, the Newton step of `Logistic` becomes exact."""
    logit, logistic = Logit(), Logistic()
    for result in RESULTS:
        boards = []
        for outcome in (logit, logistic):
            board = pw.Board(2, 2, memory=2)
            outcome.prepare(board)
            board.mean[0], board.variance[0], board.variance[1] = 130.0, 0.01, 0.02
            board.place[0], board.place[1] = PLACES[result]
            outcome.forecast(board)
            boards.append((outcome.evidence(board), board.win, board.d1[0], board.d2[0], board.left[0]))
        assert boards[0] == pytest.approx(boards[1], rel=1e-5)


def test_matches_of_more_than_two_teams_are_refused():
    model = pw.TrueSkill().replace(outcome=Logit(20.0))
    with pytest.raises(pw.Error, match=r"Logit compares two teams, and this match has 3; .* such as Order\(\)"):
        model.rate([[model.rating()]] * 3)
    history = pw.History.from_matches([{"teams": [["a"], ["b"]]}, {"teams": [["a"], ["b"], ["c"]]}])
    with pytest.raises(pw.Error, match="Logit compares two teams"):
        model.fit(history)


def test_logit_is_refused_in_a_duel_and_with_a_wrong_scale():
    with pytest.raises(pw.Error, match=r"such as Logistic\(\)"):
        Duel(Logit())
    for scale in (0.0, -1.0, math.nan, "wide"):
        with pytest.raises(pw.Error, match="scale"):
            Logit(scale)

"""Forecasts of rounded performances agree with closed forms, with sampling and with each other."""

import math

import mpmath
import numpy as np
import pytest

import prowess as pw
from prowess.model.components.outcome import Places
from prowess.model.components.outcome.place_forecast import tie_width
from prowess.model.engine.board import Board
from tests.oracles.ranks import rank_probabilities, win_and_draw
from tests.pure import load


def ts2(package=pw, **outcome):
    return package.Model(
        prior=package.Normal(25, 8), noise=4, drift=package.drift.Still(), outcome=package.outcome.Places(**outcome)
    )


def test_draw_margin_of_a_match_follows_from_the_mean_noise_of_its_teams():
    """Teams of 1, 2 and 6 players get the margin for their mean noise; two teams get the margin of their pair."""
    model = ts2(draw_probability=0.1)
    sizes = (1, 2, 6)
    width = tie_width(0.1) * math.sqrt(2 * 16 * 3)
    direct = ts2(margin=width)
    teams = [[pw.Rating(30 / size, 2)] * size for size in sizes]
    for rank in ([1, 2, 3], [1, 1, 2]):
        one, other = model.rate(teams, ranks=rank), direct.rate(teams, ranks=rank)
        assert [team[0].mu for team in one] == pytest.approx([team[0].mu for team in other], abs=1e-9)
    pair, direct = [[pw.Rating(25, 2)], [pw.Rating(12.5, 2)] * 2], ts2(margin=tie_width(0.1) * 4 * math.sqrt(3))
    assert model.predict(pair).draw == pytest.approx(direct.predict(pair).draw, rel=1e-12)


@pytest.mark.parametrize("p", [0.0, 1e-12, 0.1, 0.5, 0.95])
def test_equal_teams_have_the_given_draw_probability(p):
    model = ts2(draw_probability=p)
    assert model.predict([[pw.Rating(25, 0)], [pw.Rating(25, 0)]]).draw == pytest.approx(p, rel=1e-9)


def test_prediction_of_two_teams_agrees_with_the_closed_form():
    """P(draw) = E[max(0, 1 − |d|/2ε)] and P(win) = E[min(1, max(0, d)/2ε)], in 50 digits, for many ε and gaps."""

    def beyond(x):
        return x * mpmath.ncdf(x) + mpmath.npdf(x)

    board = Board()
    board.variance[0] = board.variance[1] = 0.5
    for gap in (0.0, -1e-6, 0.3, -2.0, 8.0, -20.0):
        for step in (1e-12, 1e-4, 0.009, 0.011, 0.5, 3.0, 1e3, 1e9):
            outcome = Places(margin=step / 2)
            outcome.prepare(board)
            board.mean[0], board.mean[1] = gap, 0.0
            outcome.forecast(board)
            with mpmath.workdps(300):
                g, a = mpmath.mpf(gap), mpmath.mpf(step)
                win, loss = ((beyond(x) - beyond(x - a)) / a for x in (g, -g))
                draw = (beyond(g + a) - 2 * beyond(g) + beyond(g - a)) / a
            assert board.win == pytest.approx(float(win), rel=1e-11)
            assert board.loss == pytest.approx(float(loss), rel=1e-11)
            assert board.draw == pytest.approx(float(draw), rel=1e-9)
            assert board.win + board.draw + board.loss == pytest.approx(1.0, abs=1e-15)


def test_draws_have_probability_zero_without_a_margin():
    prediction = ts2(margin=0).predict([[pw.Rating(30, 2)], [pw.Rating(25, 2)]])
    assert prediction.draw == 0.0
    assert prediction.win[0] == pytest.approx(0.5 * math.erfc(-5 / math.sqrt(40) / math.sqrt(2)), rel=1e-12)


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 2.0, 25.0, 400.0])
@pytest.mark.parametrize("n", [3, 6])
def test_predictions_agree_with_sampled_and_rounded_performances(n, epsilon):
    teams = [[pw.Rating(mu, sigma)] for mu, sigma in zip(*np.random.default_rng(n).uniform(1, 9, (2, n)), strict=True)]
    prediction = ts2(margin=epsilon).predict(teams)
    samples, rng = 60_000, np.random.default_rng(1)
    shown = prediction.mean + prediction.sigma * rng.standard_normal((samples, n))
    cells = np.floor((shown - rng.uniform(0, 2 * epsilon, (samples, 1))) / (2 * epsilon))
    ranks = 1 + (cells[:, None, :] > cells[:, :, None]).sum(axis=2)
    win, draw = win_and_draw(ranks)
    for got, wanted in ((prediction.win, win), (prediction.draw, draw), (prediction.ranks, rank_probabilities(ranks))):
        assert (np.abs(got - wanted) <= 4 * np.sqrt(np.maximum(got * (1 - got), 1e-9) / samples) + 1e-9).all()
    assert prediction.win.sum() + prediction.draw == pytest.approx(1.0, abs=1e-12)
    assert prediction.ranks.sum(axis=1) == pytest.approx(np.ones(n), abs=1e-12)


def test_distant_third_team_does_not_change_the_forecast_of_the_other_two():
    """This holds for any margin; with margin 0, the forecast equals TrueSkill's."""
    a, b, far = [pw.Rating(27, 3)], [pw.Rating(25, 5)], [pw.Rating(-1e4, 1)]
    for epsilon in (1e-9, 1e-3, 0.5, 10.0, 900.0):
        model = ts2(margin=epsilon)
        two, three = model.predict([a, b]), model.predict([a, b, far])
        assert three.win[:2] == pytest.approx(two.win, rel=1e-9)
        assert three.draw == pytest.approx(two.draw, rel=1e-7, abs=1e-12)
    order = pw.TrueSkill(draw_probability=0, tau=0, beta=4).predict([a, b, b])
    assert ts2(margin=0).predict([a, b, b]).win == pytest.approx(order.win, abs=1e-14)
    assert ts2(margin=1e-9).predict([a, b, b]).win == pytest.approx(order.win, abs=1e-9)


def test_place_forecasts_are_identical_compiled_and_uncompiled():
    results = []
    for package in (pw, load()):
        columns = [[package.model.components.outcome.place_forecast.tie_width(p) for p in (0.0, 1e-9, 0.3, 0.99)]]
        for epsilon in (0.0, 1e-3, 0.5, 30.0, 3e3):
            for count in (2, 4):
                teams = [[package.Rating(mu, 3)] for mu in (20, 25, 31, 24)[:count]]
                prediction = ts2(package, margin=epsilon).predict(teams)
                columns += [prediction.win, [prediction.draw], prediction.ranks.ravel()]
        results.append(np.concatenate([np.array(column) for column in columns]))
    assert results[0].tobytes() == results[1].tobytes()

"""Rounded scores: forecasts agree with integration, with sampling and with each other; ratings do not change."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prowess as pw
from prowess.model.components.outcome import GaussianScore, OffenceDefence
from prowess.model.score_distribution import ScoreDifference
from tests.oracles import ranks as placed
from tests.oracles import rounding as oracle
from tests.pure import load

BETA = 0.3


def model_of(outcome, mu=0.0, sigma=1.0):
    return pw.Model(prior=pw.Normal(mu, sigma), noise=BETA, outcome=outcome)


def rating(offence, defence):
    return pw.Rating(offence=pw.Rating(*offence), defence=pw.Rating(*defence))


def forecast(score, lead, variance, package=pw):
    """Return win, draw and loss of two teams whose expected scores differ by `lead`."""
    board = package.Board(2, 2)
    board.mean[0], board.variance[0] = lead, variance
    score.forecast(board)
    return board.win, board.draw, board.loss


@pytest.mark.parametrize("step", [1e-6, 0.1, 1.0, 7.0, 1e4])
@pytest.mark.parametrize("lead", [0.0, 0.3, -1.7, 40.0, -600.0])
def test_rounded_forecast_agrees_with_integration(lead, step):
    for variance in (0.0, 0.01, 2.0, 300.0):
        found = forecast(GaussianScore(1.2, step), lead, variance)
        win, draw, loss = (float(p) for p in oracle.chances(lead, variance + mp.mpf(1.2) ** 2, step))
        assert (found[0], found[2]) == pytest.approx((win, loss), rel=1e-11, abs=1e-300)
        assert found[1] == pytest.approx(draw, rel=1e-8, abs=1e-300)


def test_rounded_forecast_of_offence_and_defence_agrees_with_integration():
    a, b = rating((3.0, 0.5), (1.0, 0.4)), rating((2.0, 0.7), (0.5, 0.2))
    said = model_of(OffenceDefence(GaussianScore(1.2, 1.0))).predict([[a], [b]])
    variance = 0.5**2 + 0.4**2 + 0.7**2 + 0.2**2 + 4 * BETA**2 + 2 * 1.2**2
    wanted = oracle.chances((3 - 0.5) - (2 - 1), variance, 1)
    assert [said.win[0], said.draw, said.win[1]] == pytest.approx([float(p) for p in wanted], rel=1e-12)


numbers = st.floats(-1e30, 1e30)
sizes = st.floats(1e-30, 1e30)


@settings(max_examples=300)
@given(lead=numbers, variance=st.floats(0, 1e60), gamma=sizes, step=st.just(0.0) | sizes)
def test_rounded_chances_are_probabilities_that_sum_to_one(lead, variance, gamma, step):
    for package in (pw, load()):
        found = forecast(package.outcome.GaussianScore(gamma, step), lead, variance, package)
        assert all(0.0 <= p <= 1.0 for p in found)
        assert math.fsum(found) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("off", [None, 0, 0.0])
@pytest.mark.parametrize("wrap", [lambda score: score, OffenceDefence])
def test_without_rounding_there_are_no_draws(off, wrap):
    plain, model = model_of(wrap(GaussianScore(2.0))), model_of(wrap(GaussianScore(2.0, off)))
    teams = [[model.rating(0.4)], [model.rating()]]
    one, other = plain.predict(teams), model.predict(teams)
    assert (one.win == other.win).all()
    assert other.draw == 0.0
    assert other.score_difference == one.score_difference


def league(seed=3, count=60):
    rng = np.random.default_rng(seed)
    matches = []
    for time in range(count):
        sizes = (1, 1) if time % 3 else (1, 2, 1)
        names = iter(rng.permutation(9))
        teams = [[f"p{next(names)}" for _ in range(size)] for size in sizes]
        matches.append({"teams": teams, "scores": rng.integers(0, 5, len(teams)).tolist(), "time": float(time)})
    return matches


@pytest.mark.parametrize("make", [pw.GaussianSD, pw.GaussianOD])
def test_rounding_changes_forecasts_but_no_ratings(make):
    history = pw.History.from_matches(league())
    plain, rounded = make(mu=0).fit(history), make(mu=0, rounding=1.0).fit(history)
    assert (plain.ladder.state[: len(plain.ladder)] == rounded.ladder.state[: len(plain.ladder)]).all()
    assert (plain.forecasts.log_evidence == rounded.forecasts.log_evidence).all()
    two = np.diff(history.match_start) == 2
    assert (plain.forecasts.draw[two] == 0).all()
    assert (rounded.forecasts.draw[two] > 0.01).all()


@pytest.mark.parametrize("make", [pw.GaussianSD, pw.GaussianOD])
@pytest.mark.parametrize("gamma", ["estimated", 1.5])
def test_fit_ladder_and_prediction_give_the_same_rounded_forecasts(make, gamma):
    model, matches = make(mu=0, sigma=1, beta=0.3, gamma=gamma, rounding=1.0), league()
    whole = model.fit(pw.History.from_matches(matches))
    ladder = pw.Ladder(model)
    for number, match in enumerate(matches):
        teams = [[name if name in ladder else model.rating() for name in team] for team in match["teams"]]
        said = ladder.predict(teams, time=match["time"])
        if len(teams) == 2:
            chances = whole.forecasts.win[number], whole.forecasts.draw[number]
            assert (said.win[0], said.draw) == chances
            assert said.score_difference.cdf(-1) == pytest.approx(said.win[1], rel=1e-12)
            assert said.score_difference.cdf(0) == pytest.approx(said.win[1] + said.draw, rel=1e-12)
        assert said.win.sum() + said.draw == pytest.approx(1, abs=1e-12)
        ladder.record(match["teams"], scores=match["scores"], time=match["time"])
    assert ladder == whole.ladder == model.fit_stream([pw.History.from_matches(matches)]).ladder


@pytest.mark.parametrize("teams", [3, 6])
def test_rounded_places_of_many_teams_agree_with_sampling(teams):
    rng = np.random.default_rng(teams)
    mu = rng.normal(0, 1, teams)
    found = model_of(GaussianScore(1.5, 1.0)).predict([[pw.Rating(value, 0.6)] for value in mu])
    ranks = oracle.ranks_within(rng, mu, 0.36 + BETA**2 + 1.5**2 / 2, 0.5, 400_000)
    assert found.ranks == pytest.approx(placed.rank_probabilities(ranks), abs=4e-3)
    offence_and_defence = model_of(OffenceDefence(GaussianScore(1.5, 1.0)))
    found = offence_and_defence.predict([[rating((value, 0.6), (0.0, 0.2))] for value in mu])
    spread = 0.36 + BETA**2 + (0.04 + BETA**2) / (teams - 1) ** 2 + 1.5**2
    ranks = oracle.ranks_within(rng, mu, spread, 0.5, 400_000)
    assert found.ranks == pytest.approx(placed.rank_probabilities(ranks), abs=4e-3)
    assert found.win.sum() + found.draw == pytest.approx(1, abs=1e-12)
    assert found.draw > 0.1


@pytest.mark.parametrize("outcome", [GaussianScore(1.5, 1.0), OffenceDefence(GaussianScore(1.1, 1.0))])
def test_simulated_scores_are_rounded_and_draw_as_often_as_forecast(outcome):
    model = model_of(outcome, sigma=0.0)
    score = pw.simulate(model, 200_000, 40, seed=1).history.score.reshape(-1, 2)
    assert (score == np.rint(score)).all()
    said = model.predict([[model.rating()], [model.rating()]])
    error = 4 * math.sqrt(said.draw / len(score))
    assert (score[:, 0] == score[:, 1]).mean() == pytest.approx(said.draw, abs=error)
    assert (score[:, 0] - score[:, 1] > 2.5).mean() == pytest.approx(1 - said.score_difference.cdf(2), abs=error)


def test_update_by_density_agrees_with_update_by_rounding_interval_if_gamma_includes_the_rounding():
    """Ratings use the density at the reported difference instead of the probability that the difference rounds to it.

    The noise of reported differences includes the rounding error, whose variance is step²/12. With this noise, the
    density gives the same posterior as the exact probability of the interval, up to 1 % of the prior's standard
    deviation, as long as γ is not below the step.
    """
    for gamma, lead, variance, seen in (
        (1.0, 1.3, 2.0, 0),
        (1.0, -0.4, 6.0, 3),
        (2.0, 0.0, 0.5, 3),
        (1.0, 0.0, 0.5, 1),
    ):
        mean, rest = oracle.difference_posterior(lead, variance, gamma**2 - 1 / 12, seen, 1.0)
        gain = variance / (variance + gamma**2)
        assert lead + gain * (seen - lead) == pytest.approx(mean, abs=0.01 * math.sqrt(variance))
        assert (1 - gain) * variance == pytest.approx(rest, rel=0.02)


@pytest.mark.parametrize(("mean", "step"), [(0.4, 1.0), (-3.2, 0.1), (1e6, 5.0), (0.0, 3.0)])
def test_rounded_score_difference_has_quantiles_on_the_grid(mean, step):
    found = ScoreDifference(mean, 2.5, step)
    for q in (0.001, 0.25, 0.5, 0.9):
        at = found.quantile(q)
        assert at / step == pytest.approx(round(at / step), abs=1e-9)
        assert found.cdf(at) >= q - 1e-12 > found.cdf(at - step) - 1e-11
    multiples = [round(mean / step) * step + k * step for k in range(-3, 4)]
    for value in multiples:
        mass = found.cdf(value) - found.cdf(value - step)
        wanted = oracle.chances(mean - value, 2.5**2, step)[1]
        assert mass == pytest.approx(float(wanted), rel=1e-6)


def test_rounding_can_be_replaced_saved_and_loaded():
    for make in (pw.GaussianSD, pw.GaussianOD):
        assert "rounding" not in make().params
        model = make().replace(rounding=1)
        assert model.params["rounding"] == 1
        assert model == make(rounding=1.0)
        assert "rounding" not in model.tunable
        assert pw.Model.from_dict(model.to_dict()) == model
        plain = make().to_dict()
        del (plain["outcome"].get("score") or plain["outcome"])["rounding"]
        assert pw.Model.from_dict(plain) == make()  # as saved by earlier versions
    for wrong in (-1, math.nan, math.inf, "whole", True):
        with pytest.raises(pw.Error, match="rounding must be"):
            pw.GaussianSD(rounding=wrong)


def test_rounded_forecasts_are_identical_compiled_and_uncompiled():
    rng = np.random.default_rng(2)
    package = load()
    for _ in range(200):
        gamma, step = 10 ** rng.uniform(-2, 2, 2)
        lead, variance = rng.normal(0, 10), 10 ** rng.uniform(-3, 3)
        one = forecast(GaussianScore(gamma, step), lead, variance)
        assert one == forecast(package.outcome.GaussianScore(gamma, step), lead, variance, package)

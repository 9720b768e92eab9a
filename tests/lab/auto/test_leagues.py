"""`auto` on simulated leagues, whose true model is known, and on leagues with shuffled players, which show no skill."""

from dataclasses import replace
from math import exp, log

import numpy as np
import pytest

import prowess as pw
from prowess.lab import Calendar, measures

TRUE_MODELS = {
    "textbook TrueSkill": pw.TrueSkill(),
    "TrueSkill with much noise and many draws": pw.TrueSkill(beta=14, tau=0.6, draw_probability=0.25),
    "Glicko": pw.Glicko(sigma=150, period=None),
    "Glicko with little skill": pw.Glicko(sigma=100, c=5, period=None),
    "Poisson-OD": pw.PoissonOD(mu=0.15, sigma=0.25, beta=0).replace(drift=pw.drift.PerTime(0.01)),
    "Gaussian-SD": pw.GaussianSD(mu=0, sigma=6, beta=0, gamma=12.0),
}
LATER = 200  # matches after the choice, on which the chosen and the true model are compared


def league(seed, shuffled=False):
    """Return a model and a league that it simulates: 20 to 2,000 matches for `auto`, and `LATER` more."""
    rng = np.random.default_rng([seed, 1])
    model = list(TRUE_MODELS.values())[seed % len(TRUE_MODELS)]
    matches = round(exp(rng.uniform(log(20), log(2000))))
    players = int(rng.integers(6, 40))
    calendar = Calendar("2020-01-01")
    history = pw.simulate(model, matches + LATER, players, seed=seed, calendar=calendar).history
    if shuffled:
        pairs = np.array([rng.choice(players, 2, replace=False) for _ in range(len(history))])
        history = replace(history, player=pairs.ravel().astype(np.int32))
    return model, history


def regret_and_surprise(seed):
    """Return the loss of the chosen model minus the loss of the true model, and of textbook TrueSkill.

    The second difference is in standard errors.
    """
    truth, history = league(seed)
    chosen = pw.auto(history[:-LATER], progress=False).model
    own, true, textbook = (
        measures.log_loss(model.fit(history).forecasts).total[-LATER:] for model in (chosen, truth, pw.TrueSkill())
    )
    worse = own - textbook
    error = worse.std() / np.sqrt(LATER)
    return own.mean() - true.mean(), worse.mean() / error if error > 0 else 0.0


def assert_close_to_the_truth(seeds):
    regret, surprise = np.array([regret_and_surprise(seed) for seed in seeds]).T
    assert regret.mean() < 0.02
    assert np.mean(surprise > 1.96) <= 0.05


def claims_skill(seed):
    _, history = league(seed, shuffled=True)
    return bool(pw.auto(history, progress=False).skill_gain.above_zero)


def test_chosen_model_predicts_almost_as_well_as_the_true_model_in_24_simulated_leagues():
    assert_close_to_the_truth(range(24))


@pytest.mark.long
def test_chosen_model_predicts_almost_as_well_as_the_true_model_in_200_simulated_leagues():
    assert_close_to_the_truth(range(200))


def test_auto_rarely_reports_a_gain_from_knowing_the_players_in_20_leagues_with_shuffled_players():
    assert sum(map(claims_skill, range(20))) <= 2


@pytest.mark.long
def test_auto_rarely_reports_a_gain_from_knowing_the_players_in_200_leagues_with_shuffled_players():
    assert sum(map(claims_skill, range(200))) <= 10

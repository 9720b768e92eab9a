"""For every preset and setting, a fit forecasts each match exactly as a ladder predicts it just before the match.

`compare` and `tune` judge a model by the forecasts of a fit. If these differed from a ladder's predictions, a model
would be judged by forecasts that no user gets.
"""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest

import prowess as pw
from prowess.model.prediction import scored_by
from prowess.model.presets import PRESETS
from tests.pure import load

from .leagues import details, history, matches

SMALL = {"mu": 0.0, "sigma": 0.4, "beta": 0.1}
MODELS = {name: make() for name, make in PRESETS.items()}
# Every system with rating periods, with short, medium and long periods.
MODELS |= {
    f"{name}, period {period}": model.replace(period=period)
    for name, model in (
        ("Harkness", pw.Harkness()),
        ("Elo", pw.Elo()),
        ("GaussianElo", pw.GaussianElo()),
        ("Glicko", pw.Glicko()),
        ("Glicko2", pw.Glicko2()),
        ("TS2c", pw.TS2c()),
    )
    for period in (1.0, 7.0, 45.0)
}
MODELS |= {
    "Glicko, no period": pw.Glicko(period=None),
    "Glicko, home advantage": pw.Glicko(period=7.0).replace(home_sigma=50.0, home_tau=5.0),
    "Glicko2, home advantage": pw.Glicko2(period=7.0).replace(home_sigma=50.0),
    "Glicko, drift by time": pw.Glicko(period=7.0).replace(drift=pw.drift.PerTime(10.0, cap=350.0)),
    "Glicko, seasons": pw.Glicko(period=7.0).replace(
        drift=pw.drift.Seasons(pw.drift.PerPeriod(20.0), gap=8.0, carry=0.7, season_tau=30.0)
    ),
    "TrueSkill, drift by time": pw.TrueSkill().replace(drift=pw.drift.PerTime(0.3, cap=8.0), home_sigma=2.0),
    "TrueSkill, seasons": pw.TrueSkill().replace(
        drift=pw.drift.Seasons(pw.drift.PerMatch(0.1), gap=5.0, carry=0.5, season_tau=2.0)
    ),
    "TrueSkill, newcomers": pw.TrueSkill().replace(
        prior=pw.Newcomers(pw.Normal(25, 25 / 3), level_sigma=4, level_tau=0.5, matches=3)
    ),
    "Elo, drift by time": pw.Elo().replace(home_sigma=50.0, drift=pw.drift.PerTime(1.0)),
    "GaussianSD, rounding": pw.GaussianSD(rounding=1.0).replace(home_sigma=2.0),
    "GaussianOD, rounding": pw.GaussianOD(rounding=1.0).replace(drift=pw.drift.PerTime(0.1)),
    "PoissonOD, base rate": pw.PoissonOD(**SMALL, base_rate="learnt").replace(home_sigma=0.2),
}


def dated(found):
    """Return the matches with calendar dates, so that periods of 7 days begin on Mondays."""
    first = date(2026, 1, 1)
    return [match | {"time": first + timedelta(days=match["time"])} for match in found]


def check(model, found, package=pw):
    """Compare every forecast of a fit with the prediction of a ladder just before the match."""
    whole = model.fit(package.History.from_matches(found)).forecasts
    ladder = package.Ladder(model)
    start = whole.history.match_start
    for number, match in enumerate(found):
        teams = [[name if name in ladder else ladder.newcomer for name in team] for team in match["teams"]]
        context = {name: match[name] for name in ("weights", "home") if name in match}
        many = len(teams) > 2
        # If the newcomers' level is learnt, taking the root of their variance and squaring it may cost the last bit.
        close = {"rtol": 0, "atol": 0} if not model.prior.learns else {"rtol": 1e-12, "atol": 0}
        if not (many and model.outcome.later):  # otherwise the prediction samples scores, which is slow
            said = ladder.predict(teams, time=match.get("time"), **context)
            some = slice(start[number], start[number + 1])
            level = whole.mean[some], whole.variance[some]
            mean, variance = level if whole.mean.ndim == 1 else scored_by(*level)
            variance = model.outcome.performance(variance)
            np.testing.assert_allclose(said.mean, mean, **close)
            np.testing.assert_allclose(said.sigma, np.sqrt(variance), **close)
            if not many:
                chances = whole.win[number], whole.draw[number]
                np.testing.assert_allclose((said.win[0], said.draw), chances, **close)
        ladder.record(match["teams"], time=match.get("time"), **details(match))


@pytest.mark.parametrize("name", MODELS)
def test_forecasts_of_a_fit_equal_the_predictions_of_a_ladder_before_each_match(name):
    check(MODELS[name], matches(count=80))
    check(MODELS[name], dated(matches(seed=5, count=80, teams=(2, 3))))


@pytest.mark.parametrize("name", ["Glicko, period 7.0", "Glicko2, home advantage", "Harkness, period 45.0"])
def test_forecasts_of_a_fit_equal_predictions_if_matches_have_no_times(name):
    timeless = [{key: value for key, value in match.items() if key != "time"} for match in matches(count=60)]
    check(MODELS[name], timeless)


@pytest.mark.parametrize("name", ["Glicko", "Glicko2", "Harkness"])
def test_forecasts_of_uncompiled_models_with_rating_periods_equal_predictions(name):
    package = load()
    check(getattr(package, name)(period=7.0), matches(count=40), package)


@pytest.mark.parametrize("name", ["Glicko, period 45.0", "Glicko2, period 45.0", "Elo, period 45.0"])
def test_forecasts_use_the_earlier_matches_of_an_open_period(name):
    """Each win in a period improves the winner's next forecast; the order of the wins does not change the ratings."""
    model = MODELS[name]
    found = [{"teams": [["ann"], [f"p{k}"]], "time": float(k)} for k in range(10)]
    fit = model.fit(history(found))
    assert (np.diff(fit.forecasts.win) > 0).all()
    turned = model.fit(history([match | {"time": 9.0 - match["time"]} for match in found]))
    assert turned["ann"].mu == pytest.approx(fit["ann"].mu, rel=1e-12)  # the order within a period does not matter


def test_log_evidence_within_a_period_is_the_log_of_the_forecast_probability():
    model = pw.TrueSkill().replace(absorb=pw.absorb.Newton(), period=7.0)
    forecasts = model.fit(history([match for match in matches(teams=(2, 3)) if match["importance"]])).forecasts
    first, second = forecasts.history.place.reshape(-1, 2).T
    loss = 1.0 - forecasts.win - forecasts.draw
    p = np.where(first < second, forecasts.win, np.where(first > second, loss, forecasts.draw))
    np.testing.assert_allclose(forecasts.log_evidence, np.log(p), rtol=1e-9)

"""The predictions of every preset agree with simulated matches within 4 standard errors, or with its formula."""

from __future__ import annotations

import numpy as np
import pytest

import prowess as pw
from prowess.model.presets import PRESETS
from tests.oracles import predictive

COUNT = 200_000
EPSILON = 150.0
GAMMA = 5.0


def performances(model, teams):
    """Compute the mean and variance of every team's performance, for each trait, without the model's own code."""
    squad = model.team.squad if isinstance(model.team, pw.team.LeaderBonus) else model.team
    alpha = {
        pw.team.Sum: lambda n: 1.0,
        pw.team.Mean: lambda n: 1 / n,
        pw.team.FullSquad: lambda n: (0.88 + 0.02 * n) / n,
    }[type(squad)]
    means, variances = [], []
    for team in teams:
        traits = [[r.parts.get(t, r) for r in team] for t in model.outcome.traits]
        weight = alpha(len(team))
        tau = model.params.get("tau", 0.0) if model.period is None else 0.0
        means.append([weight * sum(r.mu for r in trait) for trait in traits])
        variances.append([weight**2 * sum(r.sigma**2 + tau**2 + model.noise**2 for r in trait) for trait in traits])
    return np.array(means), np.array(variances)


def simulated(name, model, teams, rng):
    """Return ranks sampled from the process that the model assumes."""
    mean, variance = performances(model, teams)
    if name in ("TrueSkill", "TSa", "TSb"):
        weight = [len(team) if name != "TSb" else 1 / len(team) for team in teams]
        margin = 0.12566134685507402 * model.noise * np.sqrt(np.add.outer(weight, weight))  # scipy: norm.ppf(0.55)
        return predictive.by_margin(rng, mean[:, 0], np.sqrt(variance[:, 0]), margin, COUNT)
    if name.startswith("TS"):
        return predictive.by_rounding(rng, mean[:, 0], np.sqrt(variance[:, 0]), EPSILON, COUNT)
    if name == "GaussianSD":
        return predictive.by_differences(rng, mean[:, 0], variance[:, 0], GAMMA, COUNT)
    draw = {
        "GaussianOD": lambda x: rng.normal(x, GAMMA),
        "PoissonOD": lambda x: rng.poisson(np.exp(x)),
    }[name]
    return predictive.by_scores(rng, draw, mean, variance, COUNT)


PARAMETERS = {
    **{name: {"margin": EPSILON} for name in ("TS2", "TS2a", "TS2b", "TS2c", "TS3")},
    "GaussianOD": {"gamma": GAMMA},
    "GaussianSD": {"gamma": GAMMA},
    "PoissonOD": {"mu": 0.4, "sigma": 0.3, "beta": 0.2},
}
CLASSICS = ["Harkness", "Elo", "GaussianElo", "Glicko", "Glicko2"]


def test_every_preset_is_tested_by_simulation_or_by_its_formula():
    assert set(PRESETS) == {*PARAMETERS, "TrueSkill", "TSa", "TSb", *CLASSICS}


@pytest.mark.parametrize("sizes", [(1, 1), (2, 3), (1, 2, 1, 3)])
@pytest.mark.parametrize("name", [name for name in PRESETS if name not in CLASSICS])
def test_predictions_agree_with_simulated_results(name, sizes):
    model = PRESETS[name](**PARAMETERS.get(name, {}))
    rng = np.random.default_rng(11)
    centre, width = model.prior.mu, model.prior.sigma
    teams = [[model.rating(rng.normal(centre, width / 3), width / 2) for _ in range(size)] for size in sizes]
    said = model.predict(teams)
    seen = simulated(name, model, teams, rng)
    shared = (seen == 1).sum(axis=1) > 1
    alone = [((seen[:, i] == 1) & ~shared).mean() for i in range(len(teams))]
    slack = 4 * np.sqrt(0.25 / COUNT) * (2**0.5 if name == "PoissonOD" and len(teams) > 2 else 1)
    assert said.win == pytest.approx(alone, abs=slack)
    assert said.draw == pytest.approx(shared.mean(), abs=slack)
    for rank in range(len(teams)):
        assert said.ranks[:, rank] == pytest.approx((seen == rank + 1).mean(axis=0), abs=slack)


@pytest.mark.parametrize("name", CLASSICS)
def test_predictions_of_classic_systems_agree_with_their_formulas(name):
    """The expected score E follows the published formula; draws have the probability 2δE(1 − E), with a learnt δ."""
    model = PRESETS[name]()
    a, b = model.rating(mu=1600), model.rating(mu=1500)
    expected = {"Harkness": 0.59896, "Elo": 0.6401, "GaussianElo": 0.6382}  # Φ(100/399), 1/(1 + 10^−¼), Φ(½/√2)
    if name in expected:
        score = expected[name]
    else:
        q = np.log(10) / 400
        score = 1 / (1 + 10 ** (-100 / 400 / np.sqrt(1 + 3 * q**2 * 2 * 350.0**2 / np.pi**2)))
    said = model.predict([[a], [b]])
    assert said.win[0] == pytest.approx(score, abs=1e-4)
    assert said.draw == 0
    drawn = [{"teams": [["x"], ["y"]], "ranks": [1, 1]}] * 12 + [{"teams": [["x"], ["y"]]}] * 30
    fit = model.fit(pw.History.from_matches(drawn))
    chances = fit.ladder.memory[1]
    delta = 12 / (chances + 1)
    assert delta < 1
    said = fit.predict([[a], [b]])
    assert said.draw == pytest.approx(2 * delta * score * (1 - score), abs=1e-4)
    assert said.win[0] == pytest.approx(score - said.draw / 2, abs=1e-4)

"""Leak tests: no forecast depends on its own result, on later matches, or on the order in which teams are listed.

Every preset in `PRESETS` is tested. Other models that learn or estimate something from a league belong in `LEARNING`; a
test fails if a component is in none of these models. Models that leak on purpose show that the tests find leaks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prowess as pw
from prowess.lab import measures
from prowess.model.components import margin, prior
from prowess.model.presets import PRESETS

from .leagues import duels, history, matches

SKILLS = pw.Newcomers(pw.Normal(25, 25 / 3), level_sigma=4, level_tau=0.5, matches=3)
BREAKS = pw.drift.Seasons(pw.drift.PerMatch(0.1), gap=10, carry=0.8, season_tau=1.0)

# Models with every option that learns from a league.
LEARNING = {
    "TrueSkill, spread": pw.TrueSkill(margin=pw.outcome.Spread()).replace(prior=SKILLS, drift=BREAKS, home_sigma=2.0),
    "TrueSkill, drift": pw.TrueSkill(margin=1.0).replace(drift=pw.drift.PerTime(0.2), home_sigma=2.0, home_tau=0.1),
    "TrueSkill, learnt draws": pw.TrueSkill(draw_probability="learnt").replace(
        prior=SKILLS, drift=BREAKS, home_sigma=2.0, draw_memory=30
    ),
    "TS2, two margins": pw.TS2a(margin=pw.outcome.TwoValued(400.0, 50.0)).replace(home_sigma=200.0),
    "TS2": pw.TS2c().replace(home_sigma=100.0, drift=pw.drift.Seasons(pw.drift.Still(), gap=10, carry=0.9)),
    "TS3": pw.TS3().replace(home_sigma=100.0),
    "Gaussian-OD, newcomers": pw.GaussianOD().replace(prior=SKILLS, drift=BREAKS, home_sigma=2.0),
    "Gaussian-SD, newcomers": pw.GaussianSD().replace(prior=SKILLS, drift=BREAKS, home_sigma=2.0),
    "Poisson-OD": pw.PoissonOD(mu=0, sigma=0.4, beta=0.1).replace(
        prior=pw.Newcomers(pw.Normal(0, 0.4), level_sigma=0.2, matches=3), home_sigma=0.2, draw_factor=1.2
    ),
    "Poisson-OD, base rate": pw.PoissonOD(mu=0, sigma=0.4, beta=0.1, base_rate="learnt").replace(home_sigma=0.2),
    "Gaussian-OD, base score": pw.GaussianOD(mu=0, base_score="learnt", unscored="order").replace(home_sigma=2.0),
    "Gaussian-OD, rounding": pw.GaussianOD(rounding=1.0).replace(home_sigma=2.0),
    "Gaussian-SD, rounding": pw.GaussianSD(rounding=1.0).replace(home_sigma=2.0),
    "Elo, learnt home": pw.Elo().replace(home_sigma=50.0),
    "Gaussian Elo, fixed home": pw.GaussianElo().replace(home=pw.Home(20.0)),
    "Glicko, periods": pw.Glicko(period=7.0).replace(home_sigma=50.0, home_tau=5.0),
    "Glicko, no periods": pw.Glicko(period=None).replace(
        prior=pw.Newcomers(pw.Normal(1500, 350), level_sigma=100, matches=3), home_sigma=50.0
    ),
    "Glicko-2, periods": pw.Glicko2(period=7.0).replace(home_sigma=50.0),
    "Harkness": pw.Harkness(period=7.0).replace(home=pw.Home(20.0)),
}
MODELS = {name: make() for name, make in PRESETS.items()} | {
    f"{name}, learning": made for name, made in LEARNING.items()
}

models = pytest.mark.parametrize("name", MODELS)


def test_every_component_that_learns_from_results_is_tested_for_leaks():
    """Every public drift, prior and margin is in one of the models above (except margins given as numbers)."""
    tried = repr(list(MODELS.values()))
    parts = {*pw.drift.__all__, *prior.__all__, *margin.__all__, "Home"} - {"Fixed", "FromDraws", "margin_from"}
    assert {part for part in parts if f"{part}(" not in tried} == set()


# Models that leak on purpose: each uses information that it must not have yet.


@dataclass(frozen=True)
class LeakingForecast(pw.Outcome):
    """An outcome whose forecast favours the actual winner a little."""

    def forecast(self, board):
        board.draw = 0.0
        board.win = 0.53 if board.place[0] < board.place[1] else 0.47
        board.loss = 1.0 - board.win

    def evidence(self, board):
        for j in range(board.teams):
            board.d1[j] = board.d2[j] = 0.0
            board.left[j] = 1.0
        return 0.0


@dataclass(frozen=True)
class LeakingDrift(pw.Drift):
    """A drift that raises the ratings of some winners before the match."""

    def widen(self, board):
        for e in range(board.entries):
            team = next(j for j in range(board.teams) if e < board.start[j + 1])
            board.mu[e] += 1.0 if board.place[team] == 1 and board.score[team] % 2 == 1 else 0.0


@dataclass(frozen=True)
class LeakingMargin(pw.Margin):
    """A margin that is wider if the match was drawn."""

    def measure(self, board, seen):
        board.epsilon = 3.0 if board.place[0] == board.place[1] else 1.0
        return False

    def between(self, board, i, j):
        return board.epsilon


@dataclass(frozen=True)
class OrderDependentTeam(pw.TeamFunction):
    """A team function that depends on the order in which teams are listed."""

    def weigh(self, board):
        for j in range(board.teams):
            board.offset[j] = -0.5 * j


class LeakingPrior:
    """A model whose newcomers start with ratings that depend on their later results."""

    def __init__(self, model):
        self.model = model

    def fit(self, league):
        late = self.model.fit(league).ladder
        return self.model.fit(league, start={name: late[name] for name in late})


LEAKS = {
    "LeakingForecast": pw.TrueSkill().replace(outcome=LeakingForecast()),
    "LeakingDrift": pw.TrueSkill().replace(drift=LeakingDrift()),
    "LeakingMargin": pw.TrueSkill(margin=LeakingMargin()),
    "LeakingPrior": LeakingPrior(pw.TrueSkill()),
}


# The result of a match changes neither its own forecast nor earlier forecasts.


def said(forecasts, upto):
    """Return all forecasts up to and including a match, and the log-evidence of the earlier matches."""
    teams, matches = forecasts.history.match_start[upto + 1], upto + 1
    of_teams = forecasts.mean, forecasts.variance
    of_matches = forecasts.win, forecasts.draw, forecasts.scatter
    return [*(c[:teams] for c in of_teams), *(c[:matches] for c in of_matches), forecasts.log_evidence[:upto]]


def differs(model, whole, other, upto):
    """Return whether any forecast up to a match differs between two histories that are equal before that match."""
    pairs = zip(said(whole, upto), said(model.fit(history(other)).forecasts, upto), strict=True)
    return not all(np.array_equal(one, two, equal_nan=True) for one, two in pairs)


def ended(match, rng):
    return match | {"scores": rng.integers(0, 5, len(match["teams"])).tolist()}


def otherwise(found, at, rng):
    """Yield three histories: with a new result of match `at`, with new results from `at` on, and ending with `at`."""
    yield [*found[:at], ended(found[at], rng), *found[at + 1 :]]
    yield found[:at] + [ended(match, rng) for match in found[at:]]
    yield found[: at + 1]


@models
@settings(max_examples=5)
@given(at=st.integers(0, 59), seed=st.integers(0, 1000))
def test_result_of_a_match_changes_neither_its_own_nor_earlier_forecasts(name, at, seed):
    found, whole = usual(name)
    for other in otherwise(found, at, np.random.default_rng(seed)):
        assert not differs(MODELS[name], whole, other, at)


@cache
def usual(name):
    found = matches(count=60)
    return found, MODELS[name].fit(history(found)).forecasts


@pytest.mark.parametrize("name", LEAKS)
def test_changed_results_reveal_models_that_leak_results(name):
    found = matches(count=60, teams=(2, 3))
    whole = LEAKS[name].fit(history(found)).forecasts
    changes = [(at, other) for at in range(30, 40) for other in otherwise(found, at, np.random.default_rng(at))]
    assert any(differs(LEAKS[name], whole, other, at) for at, other in changes)


# Random results cannot be predicted.


@cache
def league(seed=3, count=3000, players=150):
    """Return one-on-one matches of players with very different skills; the first player is at home."""
    rng = np.random.default_rng(seed)
    skill, found = rng.normal(0, 1, players), []
    for number in range(count):
        a, b = rng.choice(players, 2, replace=False)
        edge = 0.1 + 0.4 * (skill[a] - skill[b])
        scores = rng.poisson(np.exp([0.2 + edge, 0.2 - edge])).tolist()
        found.append({"teams": [[f"p{a}"], [f"p{b}"]], "scores": scores, "time": float(number // 10), "home": 0})
    return history(found)


def dealt(league, seed, toss):
    """Shuffle the results of all matches; `toss` also swaps the two scores at random, to remove the home advantage."""
    rng = np.random.default_rng(seed)
    score = league.score.reshape(-1, 2)[rng.permutation(len(league))]
    if toss:
        score = np.where(rng.random((len(league), 1)) < 0.5, score, score[:, ::-1])
    place = 1 + (score < score[:, ::-1])
    return replace(league, score=score.ravel(), place=place.astype(np.int32).ravel())


def sigmas(values, expected=0.0):
    """Return how many standard errors the mean of independent values is above its expectation."""
    spread = values.std() / np.sqrt(len(values))
    return 0.0 if np.abs(values - expected).max() < 1e-9 else (values.mean() - expected) / max(spread, 1e-12)


def ranked(forecasts):
    """Return the AUC minus ½, in standard errors (Mann and Whitney)."""
    first, second = forecasts.history.place.reshape(-1, 2).T
    won, lost = (first < second).sum(), (first > second).sum()
    return (measures.auc(forecasts) - 0.5) / np.sqrt((won + lost + 1) / (12 * won * lost))


def knowledge(forecasts, rates):
    """Return how much better than constant win, draw and loss rates a model predicts, in standard errors.

    The rates come from all matches, so only a model with information about single matches can beat them.
    """
    win, draw, loss = rates
    known = tuple(np.full(len(forecasts), rate) for rate in (win, draw))
    base = replace(forecasts, outcome=pw.TrueSkill().outcome, written=known)
    wrong = measures.pair_error(forecasts)
    return {
        "pair error": -sigmas(wrong.total[wrong.weight > 0], min(win, loss) / (win + loss)),
        "AUC": ranked(forecasts),
        "gain": sigmas(measures.information_gain(forecasts).total - measures.information_gain(base).total),
        "log loss": sigmas(measures.log_loss(base).total - measures.log_loss(forecasts).total),
    }


def rates_of(league, toss):
    """Return how often the first team won, drew and lost; with `toss`, wins and losses are equally frequent."""
    first, second = league.place.reshape(-1, 2).T
    win, draw, loss = ((first < second).mean(), (first == second).mean(), (first > second).mean())
    return ((win + loss) / 2, draw, (win + loss) / 2) if toss else (win, draw, loss)


def found_out(model, league, seed):
    """Return the measures that differ from chance on shuffled results; there are none if the model does not leak."""
    toss, kept = (dealt(league, seed, toss) for toss in (True, False))
    tossed = knowledge(model.fit(toss).forecasts, rates_of(toss, True))
    at_home = knowledge(model.fit(kept).forecasts, rates_of(kept, False))
    return {name: z for name, z in tossed.items() if abs(z) > 3 and (z > 0 or name in ("pair error", "AUC"))} | {
        f"{name}, at home": z for name, z in at_home.items() if z > 3
    }


@models
def test_shuffled_results_cannot_be_predicted(name):
    assert found_out(MODELS[name], league(), 5) == {}


@models
def test_shuffled_real_results_cannot_be_predicted(name, data):
    assert found_out(MODELS[name], premier_league(data), 6) == {}


@cache
def premier_league(data):
    return pw.History.read(data / "premier_league_1995_2009.csv")


@pytest.mark.parametrize("name", LEAKS)
def test_shuffled_results_reveal_models_that_leak_results(name):
    assert found_out(LEAKS[name], league(), 5)


@models
def test_models_predict_results_of_unequal_players_better_than_chance(name):
    """Results that are not shuffled can be predicted, so the measures of the tests above do detect information.

    Harkness with short periods is the weakest model (7.3 standard errors better than chance), because its ratings use
    only a few matches.
    """
    found = knowledge(MODELS[name].fit(league()).forecasts, rates_of(league(), True))
    assert found["pair error"] > 7
    assert found["AUC"] > 7


@cache
def crowd(seed=4, count=400):
    """Return random results of three to seven teams of two; teams are listed by place, as in many files."""
    rng, found = np.random.default_rng(seed), []
    for number in range(count):
        names = rng.permutation(40)[: 2 * rng.integers(3, 8)].reshape(-1, 2)
        scores = sorted(rng.integers(0, 6, len(names)).tolist(), reverse=True)
        teams = [[f"p{player}" for player in team] for team in names]
        found.append({"teams": teams, "scores": scores, "time": float(number // 4)})
    return history(found)


def listed(model):
    """Return how much better than chance a model predicts random results of many teams, in standard errors."""
    wrong = measures.pair_error(model.fit(crowd()).forecasts)
    return -sigmas(wrong.total[wrong.weight > 0], 0.5)


@models
def test_order_in_which_teams_are_listed_does_not_leak_results(name):
    assert abs(listed(MODELS[name])) < 3


@pytest.mark.parametrize("leak", [{"drift": LeakingDrift()}, {"team": OrderDependentTeam()}])
def test_random_results_of_many_teams_reveal_models_that_leak_results(leak):
    assert listed(pw.TrueSkill().replace(**leak)) > 3


# The order in which the teams of a match are listed does not matter.


def mirrored(found):
    """Return every match with its teams in reverse order."""
    turned = [{key: value[::-1] if isinstance(value, list) else value for key, value in m.items()} for m in found]
    return [m | ({"home": len(m["teams"]) - 1 - m["home"]} if "home" in m else {}) for m in turned]


def untied(found, seed=7):
    rng = np.random.default_rng(seed)
    return [match | {"scores": rng.permutation(len(match["teams"])).tolist()} for match in found]


def reflect(model, found, *, draws=True):
    """Check that a fit of the mirrored history gives the same forecasts and ratings."""
    one, two = model.fit(history(found)), model.fit(history(mirrored(found)))
    start = one.history.match_start
    other = np.repeat(start[:-1] + start[1:] - 1, np.diff(start)) - np.arange(one.history.teams)
    close = {"rtol": 1e-9, "atol": 1e-9 * model.rating().mu}
    np.testing.assert_allclose(one.forecasts.mean, two.forecasts.mean[other], **close)
    np.testing.assert_allclose(one.forecasts.variance, two.forecasts.variance[other], rtol=1e-9)
    for name in one.ladder:
        assert (one[name].mu, one[name].sigma or 0) == pytest.approx((two[name].mu, two[name].sigma or 0), rel=1e-8)
    if draws:
        loss = 1 - two.forecasts.win - two.forecasts.draw
        fine = 1e-8 if model.outcome.later else 1e-9  # the accuracy of numerical integration
        np.testing.assert_allclose(one.forecasts.win, loss, rtol=0, atol=fine)
        np.testing.assert_allclose(one.forecasts.draw, two.forecasts.draw, rtol=0, atol=fine)


@models
def test_reversing_the_order_of_two_teams_changes_no_rating(name):
    reflect(MODELS[name], duels())
    reflect(MODELS[name], matches(teams=(2, 3)))


@models
def test_reversing_the_order_of_many_untied_teams_changes_no_rating(name):
    reflect(MODELS[name], untied(matches()))


@models
def test_order_of_tied_teams_changes_ratings_and_forecasts_only_of_documented_models(name):
    """Place and score models do not depend on the team order; in pairwise models, only the draw forecasts do.

    Pairwise models estimate the draw rate from neighbouring teams, and tied teams that are listed side by side count as
    neighbours. TrueSkill compares tied teams in the order in which they are listed, which changes all its results.
    """
    outcome = MODELS[name].outcome
    if isinstance(outcome, pw.outcome.Order):
        with pytest.raises(AssertionError):
            reflect(MODELS[name], matches())
    else:
        reflect(MODELS[name], matches(), draws=not isinstance(outcome, pw.outcome.Duel))

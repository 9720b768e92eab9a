"""Margin policies: their values, use with every outcome, pickling, and the paper's printed formula."""

import json
import math
import pickle

import numpy as np
import pytest

import prowess as pw
from prowess.model.components.margin import Fixed, FromDraws, Spread, TwoValued
from prowess.model.engine.board import Board
from tests.pure import load


def laid(means, places, noise=16.0):
    board = Board(len(means), len(means))
    for j, (mean, place) in enumerate(zip(means, places, strict=True)):
        board.mean[j], board.place[j], board.noise[j] = mean, place, noise
    return board


def measured(margin, board, seen):
    """Return the margin of a policy, and whether the policy reports that the margin changed."""
    changed = margin.measure(board, seen)
    found = {margin.between(board, i, j) for i in range(board.teams) for j in range(board.teams)}
    assert len(found) == 1
    return found.pop(), changed


def test_spread_margin_is_the_range_of_means_over_twice_the_number_of_places():
    board = laid([3000.0, 1000.0, 2500.0, 1500.0, 2500.0], [1, 4, 2, 4, 2])
    assert measured(Spread(), board, False) == (2000 / 10, True)
    assert measured(Spread(), board, False) == (2000 / 10, False)
    assert measured(Spread(), board, True) == (2000 / 6, True)
    with pytest.warns(UserWarning, match="without bound"):
        printed = Spread(printed=True)
    assert measured(printed, board, True) == (2000 / 3, True)


def test_spread_margin_of_teams_with_equal_means_depends_on_their_noise():
    board = laid([25.0] * 4, [1, 1, 1, 1])
    assert measured(Spread(), board, False)[0] == 4 / 8
    assert measured(Spread(), board, True)[0] == 4 / 2
    assert measured(Spread(least=0.5), board, True)[0] == 1
    assert measured(Spread(least=0), board, True)[0] == 0
    assert measured(Spread(), laid([25.0, 35.0], [1, 2]), False)[0] == 10 / 4


def test_two_valued_margin_depends_on_the_fraction_of_ties():
    margin = TwoValued(tied=30.0, untied=1.0, fraction=0.25)
    apart = laid([0.0] * 4, [1, 2, 3, 4])
    assert measured(margin, apart, False) == (30.0, True)
    assert measured(margin, apart, True) == (1.0, True)
    assert measured(margin, laid([0.0] * 4, [1, 2, 2, 4]), True)[0] == 1.0
    assert measured(margin, laid([0.0] * 4, [1, 2, 2, 2]), True)[0] == 30.0
    assert measured(TwoValued(30.0, 1.0, 0.0), laid([0.0] * 4, [1, 2, 2, 4]), True)[0] == 30.0


def test_invalid_margin_parameters_are_rejected():
    for wrong in ({"least": -1}, {"least": math.nan}, {"printed": 1}):
        with pytest.raises(pw.Error):
            Spread(**wrong)
    for wrong in ((-1, 1), (1, math.inf), (1, 1, 1.0), (1, 1, -0.1)):
        with pytest.raises(pw.Error):
            TwoValued(*wrong)


POLICIES = [Fixed(0.7), FromDraws(0.2), Spread(), Spread(least=0.3), TwoValued(2.0, 0.1)]


def model(margin, outcome=pw.outcome.Places, **parts):
    return pw.Model(prior=pw.Normal(25, 8), noise=4, drift=pw.drift.Still(), outcome=outcome(margin=margin), **parts)


@pytest.mark.parametrize("outcome", [pw.outcome.Order, pw.outcome.Places])
@pytest.mark.parametrize("margin", POLICIES, ids=repr)
def test_any_margin_works_with_any_outcome(margin, outcome):
    """Matches of two and three teams are rated and forecast as if the margin were given as a number."""
    ours = model(margin, outcome)
    for teams, ranks in (
        ([30, 22], [1, 1]),
        ([30, 22], [2, 1]),
        ([30, 22, 25], [1, 2, 2]),
        ([30, 22, 25], [3, 1, 2]),
    ):
        ratings = [[pw.Rating(mu, 3)] for mu in teams]
        board = laid([float(mu) for mu in teams], np.searchsorted(np.sort(ranks), ranks) + 1)
        after = model(measured(margin, board, True)[0], outcome)
        before = model(measured(margin, board, False)[0], outcome)
        assert ours.rate(ratings, ranks=ranks) == after.rate(ratings, ranks=ranks)
        assert ours.predict(ratings).win.tolist() == before.predict(ratings).win.tolist()
        assert ours.predict(ratings).draw == before.predict(ratings).draw


@pytest.mark.parametrize("margin", POLICIES, ids=repr)
def test_margins_can_be_pickled(margin):
    assert pickle.loads(pickle.dumps(margin)) == margin
    assert hash(pickle.loads(pickle.dumps(margin))) == hash(margin)
    for outcome in (pw.outcome.Order, pw.outcome.Places):
        whole = model(margin, outcome)
        assert pw.Model.from_dict(json.loads(json.dumps(whole.to_dict()))) == whole


def league(rounds):
    """Return matches in which thirty of sixty players share about a dozen places."""
    rng = np.random.default_rng(0)
    skill = rng.normal(3000, 300, 60)
    for _ in range(rounds):
        who = rng.permutation(60)[:30]
        shown = skill[who] + rng.normal(0, 400, 30)
        yield {"teams": [[f"p{i}"] for i in who], "scores": np.floor(shown / 200).tolist()}


def test_ratings_grow_without_bound_with_the_spread_margin_as_printed_in_the_paper():
    """With fixed variances (TS2c), ratings spread 4 times too far after 30 tournaments, and 10 000 times after 300."""
    history = pw.History.from_matches(list(league(60)))
    spread = {}
    with pytest.warns(UserWarning, match="without bound"):
        printed = Spread(printed=True)
    for name, margin in (("default", Spread()), ("printed", printed)):
        ts2c = model(margin, absorb=pw.absorb.Constant()).replace(mu=3000, sigma=300, beta=400)
        spread[name] = ts2c.fit(history).leaderboard()["mu"].to_numpy().std()
    assert 150 < spread["default"] < 600
    assert spread["printed"] > 2000


def test_margins_give_identical_results_compiled_and_uncompiled():
    results = []
    for package in (pw, load()):
        policies = package.model.components.margin
        columns = []
        for outcome in (package.outcome.Order, package.outcome.Places):
            for margin in (policies.Spread(), policies.TwoValued(30.0, 1.0), policies.FromDraws(0.3)):
                ours = package.Model(
                    prior=package.Normal(3000, 300),
                    noise=400,
                    drift=package.drift.Still(),
                    outcome=outcome(margin=margin),
                )
                fit = ours.fit(package.History.from_matches(list(league(5))))
                columns += [fit.leaderboard()["mu"].to_numpy(), fit.forecasts.log_evidence]
        results.append(np.concatenate(columns))
    assert results[0].tobytes() == results[1].tobytes()

"""Properties that hold for any finite input, tested by Hypothesis over the whole range of numbers."""

import math
import random
import warnings

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import prowess as pw

means = st.one_of(st.floats(-60, 60), st.floats(-1e6, 1e6), st.sampled_from([0.0, 1e9, -1e9, 1e20, -1e30]))
deviations = st.one_of(st.floats(0.01, 30), st.sampled_from([0.0, 1e-30, 1e-6, 1e6, 1e20]))
scales = st.one_of(st.floats(0.05, 20), st.sampled_from([1e-6, 1e6]))
ratings = st.builds(pw.Rating, means, deviations)


@st.composite
def models(draw, drift=True):
    margin = draw(st.one_of(st.none(), st.floats(0, 20), st.sampled_from([1e-12, 1e6])))
    probability = draw(st.one_of(st.just(0.0), st.floats(0, 0.95), st.sampled_from([1e-12, 1 - 1e-9])))
    model = pw.TrueSkill(
        beta=draw(scales),
        tau=draw(st.floats(0, 3)) if drift else 0.0,
        draw_probability=probability if margin is None else None,
        margin=margin,
    )
    return model.replace(
        team=draw(
            st.sampled_from(
                [pw.team.Sum(), pw.team.Mean(), pw.team.Weighted((1, 0.5, 2)), pw.team.Weighted((0.5, 0, 1))]
            )
        )
    )


@st.composite
def matches(draw, drift=True, most=6):
    model = draw(models(drift))
    teams = draw(st.lists(st.lists(ratings, min_size=1, max_size=3), min_size=2, max_size=most))
    ranks = draw(st.lists(st.integers(1, len(teams)), min_size=len(teams), max_size=len(teams)))
    return model, teams, ranks


@pytest.fixture(autouse=True)
def _rounding_may_win():
    """Ignore warnings about convergence: with means of 1e30 and deviations of 1e-6, EP sees only rounding errors."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*did not converge")
        yield


def flat(rated):
    return [rating for team in rated for rating in team]


@given(matches(), st.sampled_from([1.0, 1.0, 0.0, 0.3, 2.0, 1e9]))
def test_ratings_stay_finite(match, importance):
    model, teams, ranks = match
    for rating in flat(model.rate(teams, ranks=ranks, importance=importance)):
        assert math.isfinite(rating.mu)
        assert math.isfinite(rating.sigma)
        assert rating.sigma >= 0


@given(matches())
def test_predicted_probabilities_sum_to_one(match):
    model, teams, _ = match
    prediction = model.predict(teams)
    assert all(0 <= p <= 1 + 1e-9 for p in [*prediction.win, prediction.draw])
    assert prediction.win.sum() + prediction.draw == pytest.approx(1, abs=1e-9)
    assert prediction.ranks.sum(axis=1) == pytest.approx([1] * len(teams), abs=1e-9)
    assert 0 <= model.quality(teams) <= 1


@given(matches(drift=False), st.sampled_from([1.0, 1.0, 0.5, 3.0]))
def test_without_drift_uncertainty_never_rises(match, importance):
    model, teams, ranks = match
    for before, after in zip(flat(teams), flat(model.rate(teams, ranks=ranks, importance=importance)), strict=True):
        assert after.sigma <= before.sigma


@given(matches())
def test_rating_of_first_place_never_falls_and_of_last_place_never_rises(match):
    model, teams, ranks = match
    rated = model.rate(teams, ranks=ranks)
    for extreme, better in ((min(ranks), 1), (max(ranks), -1)):
        if ranks.count(extreme) == 1:
            team = ranks.index(extreme)
            for before, after in zip(teams[team], rated[team], strict=True):
                assert better * after.mu >= better * before.mu


@given(matches(drift=False), st.randoms(use_true_random=False))
def test_order_of_players_in_a_team_does_not_change_ratings(match, random):
    model, teams, ranks = match
    assume(not isinstance(model.team, pw.team.Weighted))
    orders = [random.sample(range(len(team)), len(team)) for team in teams]
    shuffled = [[team[i] for i in order] for team, order in zip(teams, orders, strict=True)]
    turned = model.rate(shuffled, ranks=ranks)
    for team, rated, order in zip(model.rate(teams, ranks=ranks), turned, orders, strict=True):
        for place, player in enumerate(order):
            assert near(rated[place], team[player], scale=largest(teams))


@given(matches(drift=False), st.randoms(use_true_random=False))
def test_if_no_teams_tie_the_order_of_teams_does_not_change_ratings(match, random):
    model, teams, _ = match
    ranks = random.sample(range(len(teams)), len(teams))
    order = random.sample(range(len(teams)), len(teams))
    rated = model.rate(teams, ranks=ranks)
    turned = model.rate([teams[i] for i in order], ranks=[ranks[i] for i in order])
    for place, team in enumerate(order):
        for one, other in zip(turned[place], rated[team], strict=True):
            assert near(one, other, scale=largest(teams))


def largest(teams):
    return max(abs(rating.mu) for rating in flat(teams))


def near(one, other, scale):
    """Return whether two ratings are equal up to EP's tolerance and the rounding error of means of size `scale`."""
    slack = 1e-6 * max(one.sigma, other.sigma) + 1e-12 * scale
    return abs(one.mu - other.mu) <= slack and one.sigma == pytest.approx(other.sigma, rel=1e-6, abs=1e-60)


@given(st.lists(ratings, min_size=2, max_size=2), models(drift=False))
def test_prediction_of_two_teams_is_symmetric(pair, model):
    a, b = pair
    one, other = model.predict([[a], [b]]), model.predict([[b], [a]])
    assert one.win.tolist() == other.win.tolist()[::-1]
    assert one.draw == pytest.approx(other.draw, abs=1e-15)


@settings(max_examples=20)
@given(st.integers(3, 60), st.floats(0.0, 0.6), st.integers(0, 10**6))
def test_matches_of_many_teams_converge_without_warnings(teams, probability, seed):
    rng = random.Random(seed)
    model = pw.TrueSkill(draw_probability=probability)
    priors = [[pw.Rating(rng.gauss(25, 10), rng.uniform(0.5, 9))] for _ in range(teams)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rated = model.rate(priors, ranks=[rng.randrange(teams) for _ in range(teams)])
    assert all(math.isfinite(rating.mu) for rating in flat(rated))

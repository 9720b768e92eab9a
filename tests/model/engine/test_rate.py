"""`rate`: shapes, results, partial play, importance, elapsed time, and invalid input."""

import math

import numpy as np
import pytest

import prowess as pw


def pairs(rated):
    return [value for team in rated for rating in team for value in (rating.mu, rating.sigma)]


A, B, C = pw.Rating(25, 8), pw.Rating(30, 4), pw.Rating(28, 2)


def test_rate_returns_ratings_nested_like_the_teams():
    model = pw.TrueSkill()
    rated = model.rate([[A, B], [C]])
    assert [len(team) for team in rated] == [2, 1]
    assert all(isinstance(rating, pw.Rating) for team in rated for rating in team)
    assert (A.mu, A.sigma) == (25.0, 8.0)


def test_result_given_by_ranks_scores_or_team_order_gives_the_same_ratings():
    model = pw.TrueSkill()
    listed = model.rate([[B], [A], [C]])
    assert pairs(model.rate([[B], [A], [C]], ranks=[1, 2, 3])) == pairs(listed)
    assert pairs(model.rate([[B], [A], [C]], ranks=[-7, 0.5, 1e9])) == pairs(listed)
    assert pairs(model.rate([[B], [A], [C]], scores=[9, 4, -2])) == pairs(listed)
    turned = model.rate([[A], [B], [C]], ranks=[2, 1, 3])
    assert pairs([turned[1], turned[0], turned[2]]) == pytest.approx(pairs(listed), abs=1e-7)
    assert pairs(model.rate([[A], [B]], ranks=[1, 1])) == pairs(model.rate([[A], [B]], scores=[3, 3]))


def test_halving_all_playing_times_does_not_change_ratings():
    model = pw.TrueSkill(draw_probability=0.3)
    for ranks in ([1, 2], [1, 1]):
        whole = model.rate([[A, B], [C, C]], ranks=ranks)
        half = model.rate([[A, B], [C, C]], ranks=ranks, weights=[[0.5, 0.5], [0.5, 0.5]])
        assert pairs(half) == pytest.approx(pairs(whole), rel=1e-12)


def test_rating_of_a_player_without_playing_time_does_not_change():
    model = pw.TrueSkill(tau=0)
    [[played, watched], [lost]] = model.rate([[A, B], [C]], weights=[[1, 0], [1]])
    assert (watched.mu, watched.sigma) == (B.mu, B.sigma)
    [[alone], [other]] = model.rate([[A], [C]])
    assert pairs([[played, lost]]) == pytest.approx(pairs([[alone, other]]), rel=1e-14)


def test_player_with_half_the_playing_time_changes_half_as_much():
    """The mean moves by ασ²d₁, so with half the weight it moves half as far."""
    model = pw.TrueSkill(tau=0)
    [[whole, half], _] = model.rate([[A, A], [C]], weights=[[1, 0.5], [1]])
    assert half.mu - 25 == pytest.approx((whole.mu - 25) / 2, rel=1e-12)


def test_match_of_importance_zero_does_not_change_ratings():
    model = pw.TrueSkill()
    assert pairs(model.rate([[A], [B], [C]], importance=0)) == pairs([[A], [B], [C]])


def test_importance_multiplies_the_information_from_a_match():
    """A match of importance w adds w times its precision π: the new precision is 1/σ² + wπ."""
    model = pw.TrueSkill(tau=0)
    once = model.rate([[A, B], [C]])
    for w in (0.25, 0.5, 1.0 + 1e-9, 2.0, 7.0):
        again = model.rate([[A, B], [C]], importance=w)
        flat = ([rating for team in rated for rating in team] for rated in (once, again))
        for prior, one, many in zip((A, B, C), *flat, strict=True):
            pi = 1 / one.sigma**2 - 1 / prior.sigma**2
            tau = one.mu / one.sigma**2 - prior.mu / prior.sigma**2
            precision = 1 / prior.sigma**2 + w * pi
            assert many.sigma == pytest.approx(precision**-0.5, rel=1e-9)
            assert many.mu == pytest.approx((prior.mu / prior.sigma**2 + w * tau) / precision, rel=1e-9)


def test_importance_of_a_match_is_one_by_default():
    model = pw.TrueSkill()
    assert pairs(model.rate([[A], [B]], importance=1)) == pairs(model.rate([[A], [B]]))


@pytest.mark.parametrize("importance", [1e-29, 1e-9, 1e9, 1e29])
def test_extreme_importance_gives_finite_ratings(importance):
    rated = pw.TrueSkill(tau=0).rate([[A], [B]], importance=importance)
    assert all(math.isfinite(r.mu) and 0 <= r.sigma <= 8 for team in rated for r in team)


def test_elapsed_time_raises_the_uncertainty_of_a_rating():
    model = pw.TrueSkill().replace(drift=pw.drift.PerTime(tau=0.5, cap=6))
    still = model.replace(drift=pw.drift.Still())
    wide = [pw.Rating(r.mu, math.sqrt(r.sigma**2 + 0.25 * 30)) for r in (B, C)]
    assert pairs(model.rate([[B], [C]], elapsed=30)) == pytest.approx(
        pairs(still.rate([wide[:1], wide[1:]])), rel=1e-14
    )
    nested = model.rate([[B], [C]], elapsed=[[30], [0]])
    assert pairs(nested) == pytest.approx(pairs(still.rate([wide[:1], [C]])), rel=1e-14)
    capped = model.rate([[B], [C]], elapsed=1e9)
    assert pairs(capped) == pytest.approx(pairs(still.rate([[pw.Rating(30, 6)], [pw.Rating(28, 6)]])), rel=1e-14)
    wider_than_the_cap = model.rate([[A], [C]], elapsed=5)
    assert pairs(wider_than_the_cap)[:2] == pytest.approx(
        pairs(still.rate([[A], [pw.Rating(28, math.sqrt(4 + 1.25))]]))[:2], rel=1e-14
    )


def test_rating_with_sigma_zero_does_not_change():
    [[bot], [ann]] = pw.TrueSkill(tau=0).rate([[pw.Rating(25, 0)], [A]])
    assert (bot.mu, bot.sigma) == (25.0, 0.0)
    assert ann.mu < 25


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.rate([[A]]), "at least two teams, not 1"),
        (lambda m: m.rate([]), "at least two teams, not 0"),
        (lambda m: m.rate([[A], []]), "team 2 is empty"),
        (lambda m: m.rate([[A], [25]]), r"player 1 of team 2 must be a Rating, such as model.rating\(\), not 25$"),
        (lambda m: m.rate([[A], [pw.Rating(25)]]), "player 1 of team 2: the rating has no sigma"),
        (lambda m: m.rate([A, B]), "team 1 must be a list"),
        (lambda m: m.rate(A), "teams must be a list"),
        (lambda m: m.rate([[A], [B]], ranks=[1]), "ranks must have one number per team \\(2\\)"),
        (lambda m: m.rate([[A], [B]], ranks=[1, math.nan]), r"ranks\[1\] must be a finite number, not nan"),
        (lambda m: m.rate([[A], [B]], scores=[1, "x"]), r"scores\[1\] must be a finite number, not 'x'"),
        (lambda m: m.rate([[A], [B]], ranks="12"), "ranks must have one number"),
        (lambda m: m.rate([[A], [B]], ranks=3), "ranks must be a list"),
        (lambda m: m.rate([[A], [B]], weights=[[1]]), "weights must have one number per team"),
        (lambda m: m.rate([[A], [B]], weights=[[1], [1, 1]]), r"weights\[1\] must have one number per player"),
        (lambda m: m.rate([[A], [B]], weights=[[1], [-1]]), r"weights\[1\]\[0\] must be a finite number of at least 0"),
        (lambda m: m.rate([[A], [B]], weights=[[1], [0]]), r"weights\[1\]: at least one player"),
        (lambda m: m.rate([[A], [B]], importance=-1), "importance must be a finite number of at least 0"),
        (lambda m: m.rate([[A], [B]], importance=np.array([1, 2])), "importance must be a finite number of at least 0"),
        (lambda m: m.rate([[A], [B]], elapsed=-1), "elapsed must be a finite number of at least 0"),
        (lambda m: m.rate([[A], [B]], home=2), "home must be the index of a team, 0 to 1, not 2"),
        (lambda m: m.rate([[A], [B]], home=True), "home must be the index"),
        (lambda m: m.replace(beta=0, tau=0).rate([[pw.Rating(1, 0)], [pw.Rating(2, 0)]]), "without uncertainty"),
        (lambda m: pw.Rating(math.nan, 1), "mu must be a finite number, not nan"),
        (lambda m: pw.Rating(1, math.inf), "sigma must be a finite number of at least 0, not inf"),
        (lambda m: pw.Rating(1, -1), "sigma must be a finite number of at least 0, not -1"),
        (lambda m: pw.Rating(1e31, 1), "mu must be within"),
        (lambda m: pw.Rating("25", 1), "mu must be a finite number, not '25'"),
        (lambda m: pw.TrueSkill(beta=0), "beta must be a finite number above 0"),
        (lambda m: pw.TrueSkill(beta="x"), "beta must be a finite number above 0"),
        (lambda m: pw.TrueSkill(sigma=-1), "sigma must be a finite number of at least 0"),
        (lambda m: pw.TrueSkill(draw_probability=1), "draw_probability must be at least 0 and below 1"),
        (lambda m: pw.TrueSkill(draw_probability=0.1, margin=1), "either draw_probability or margin"),
        (lambda m: pw.TrueSkill(margin=-1), "margin must be a finite number of at least 0"),
        (lambda m: m.replace(beta="x"), "beta must be a finite number"),
        (lambda m: m.replace(tau="x"), "tau must be a finite number of at least 0, not 'x'"),
        (lambda m: m.replace(sigma="x"), "sigma must be a finite number of at least 0, not 'x'"),
        (lambda m: pw.Normal("a", 3), "mu must be a finite number, not 'a'"),
        (lambda m: pw.drift.PerTime("x"), "tau must be a finite number"),
        (lambda m: pw.drift.PerTime(1, cap=-3), "cap must be a finite number above 0"),
        (lambda m: pw.outcome.Order(0.1, sweeps=1.5), "sweeps must be a whole number"),
        (lambda m: pw.outcome.Order(0.1, sweeps=10**30), "sweeps must be a whole number"),
        (lambda m: pw.outcome.Order(0.1, tolerance="x"), "tolerance must be a finite number above 0"),
        (lambda m: m.replace(gamma=1), "unknown parameter 'gamma'"),
        (lambda m: m.replace(team=3), "team must be of type TeamFunction, not 3"),
        (lambda m: m.predict([[A]]), "at least two teams"),
        (lambda m: m.quality([[A], [B, 3]]), "player 2 of team 2 must be a Rating"),
    ],
)
def test_rate_raises_a_clear_error_for_invalid_input(call, message):
    with pytest.raises(pw.Error, match=message):
        call(pw.TrueSkill())


def test_rate_accepts_numpy_values():
    model = pw.TrueSkill()
    plain = model.rate([[A], [B]], ranks=[2, 1], weights=[[1.0], [0.5]])
    assert pairs(model.rate(((A,), (B,)), ranks=np.array([2, 1]), weights=np.array([[1.0], [0.5]]))) == pairs(plain)
    timed = model.replace(drift=pw.drift.PerTime(1.0))
    nested = timed.rate([[A], [B]], elapsed=np.array([[1.0], [2.0]]))
    assert pairs(nested) == pairs(timed.rate([[A], [B]], elapsed=[[1.0], [2.0]]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pw.Rating(), "a rating needs mu"),
        (lambda: pw.Rating(offence=30, defence=20), "one rating per skill"),
        (lambda: pw.Rating(30, offence=pw.Rating(1, 1)), "they follow from offence"),
        (lambda: pw.Rating(30, 4, shown=3), "leave out shown"),
        (lambda: pw.Rating(1500, 200, volatility=-1), "volatility must be"),
        (lambda: pw.GaussianOD().rating(offence=30), "offence must be a Rating"),
        (lambda: pw.Glicko2().rating(volatility=pw.Rating(1, 1)), "volatility must be a number"),
        (lambda: pw.TrueSkill().rating(volatility=0.1), "have no 'volatility'"),
        (
            lambda: rate_with(pw.TrueSkill(), pw.Rating(30, 4, volatilty=3)),
            "player 1 of team 1: the rating has 'volatilty'",
        ),
        (
            lambda: rate_with(pw.TrueSkill(), pw.GaussianOD().rating()),
            "the rating has 'offence', which this model does not use",
        ),
        (lambda: rate_with(pw.GaussianOD(), pw.Rating(30, 4)), "the rating has no offence"),
        (lambda: pw.Model(prior=pw.Normal(0, 1), noise=1, outcome=pw.outcome.Order), r"call it: Order\("),
    ],
)
def test_ratings_that_do_not_fit_the_model_are_rejected(call, message):
    with pytest.raises(pw.Error, match=message):
        call()


def rate_with(model, rating):
    return model.rate([[rating], [model.rating()]], scores=[1, 0])

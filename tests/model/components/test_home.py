"""Home advantage is given as a number, or learnt like the skill of an extra player of the home team."""

import numpy as np
import pytest

import prowess as pw


def test_fixed_home_advantage_acts_as_a_rating_offset():
    model = pw.TrueSkill()
    at_home = model.replace(home=pw.Home(3.0))
    a, b = pw.Rating(25, 4), pw.Rating(27, 5)
    assert at_home.predict([[a], [b]], home=1).win == pytest.approx(model.predict([[a], [pw.Rating(30, 5)]]).win)
    assert (at_home.predict([[a], [b]]).win == model.predict([[a], [b]]).win).all()
    [[a2], [b2]] = at_home.rate([[a], [b]], ranks=[2, 1], home=1)
    [[a3], [b3]] = model.rate([[a], [pw.Rating(30, 5)]], ranks=[2, 1])
    assert (a2.mu, a2.sigma) == pytest.approx((a3.mu, a3.sigma))
    assert (b2.mu + 3, b2.sigma) == pytest.approx((b3.mu, b3.sigma))
    assert at_home.quality([[a], [b]], home=0) == pytest.approx(model.quality([[pw.Rating(28, 4)], [b]]))


def test_learnt_home_advantage_acts_like_an_extra_player_without_noise():
    """With a performance noise of 0, a learnt home advantage and an extra player give exactly the same results."""
    plain = pw.TrueSkill(tau=0).replace(beta=0)
    learnt = plain.replace(home=pw.Home(1.0, home_sigma=2.0))
    a, b = pw.Rating(25, 4), pw.Rating(27, 5)
    [[a2, extra], [b2]] = plain.rate([[a, pw.Rating(1.0, 2.0)], [b]], ranks=[2, 1])
    ladder = pw.Ladder(learnt, {"a": a, "b": b})
    [[a3], [b3]] = ladder.record([["a"], ["b"]], ranks=[2, 1], home=0)
    for one, other in ((a2, a3), (b2, b3), (extra, ladder.home)):
        assert (one.mu, one.sigma) == pytest.approx((other.mu, other.sigma), rel=1e-12)


def league(rng, matches, advantage, beta):
    skill = rng.normal(25, 3, 40)
    for number in range(matches):
        a, b = rng.choice(40, 2, replace=False)
        first = skill[a] + advantage + rng.normal(0, beta) > skill[b] + rng.normal(0, beta)
        home = int(rng.integers(2))  # listed first in half of the matches
        teams = [[f"p{a}"], [f"p{b}"]]
        yield {"teams": teams[:: -1 if home else 1], "scores": [first, not first][:: -1 if home else 1], "home": home,
               "time": float(number)}  # fmt: skip


def test_home_advantage_is_learnt_from_results():
    matches = list(league(np.random.default_rng(8), 3000, 2.0, 4.0))
    model = pw.TrueSkill(sigma=3, beta=4, tau=0, draw_probability=0).replace(home=pw.Home(0.0, home_sigma=3.0))
    history = pw.History.from_matches([match | {"scores": list(map(float, match["scores"]))} for match in matches])
    fit = model.fit(history)
    assert abs(fit.ladder.home.mu - 2.0) < 3 * fit.ladder.home.sigma
    assert fit.ladder.home.sigma < 0.15
    assert fit.log_evidence > model.replace(home=None).fit(history).log_evidence + 50
    half = model.fit(history[:1000])
    assert model.fit(history[1000:], start=half.ladder).ladder == fit.ladder


def test_learnt_home_advantage_has_named_parameters():
    model = pw.TrueSkill().replace(home_mu=1.0, home_sigma=2.0, home_tau=0.5)
    assert model.home == pw.Home(1.0, 2.0, 0.5)
    assert {"home_mu": 1.0, "home_sigma": 2.0, "home_tau": 0.5}.items() <= model.params.items()
    assert pw.Model.from_dict(model.to_dict()) == model


def test_learnt_home_advantage_drifts():
    ladder = pw.Ladder(pw.TrueSkill().replace(home_mu=1.0, home_sigma=2.0, home_tau=0.5))
    variances = []
    for _ in range(50):
        ladder.record([["a"], ["b"]], home=0)
        variances.append(ladder.home.sigma**2)
    assert min(variances) > 0.25


@pytest.mark.parametrize("wrong", [{"home_sigma": -1}, {"home_mu": float("nan")}, {"home_tau": "x"}, {"home": 3}])
def test_invalid_home_advantages_are_rejected(wrong):
    with pytest.raises(pw.Error, match="home"):
        pw.TrueSkill().replace(**wrong)

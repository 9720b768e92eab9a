"""The base rate of Poisson scores, given or learnt: its effect, how it is learnt, and that all ways to forecast
agree."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prowess as pw
from prowess.model.components.outcome import OffenceDefence, PoissonScore
from tests.oracles import rounding as oracle
from tests.oracles.poisson import win_and_draw
from tests.pure import load

SMALL = {"mu": 0.0, "sigma": 0.3, "beta": 0.1}


def level(scores, package=pw):
    """Return the base rate that is learnt from scores."""
    score = package.outcome.PoissonScore(base_rate="learnt")
    board = package.Board(len(scores) or 1, 1, 2, memory=2)
    for j, points in enumerate(scores):
        board.score[j] = points
    if scores:
        score.remember(board)
    return math.exp(score.base_level(board))


def league(rate=30.0, seed=3, count=60, players=9):
    rng = np.random.default_rng(seed)
    skill = rng.normal(0, 0.2, (players, 2))
    matches = []
    for time in range(count):
        chosen = rng.permutation(players)[: 2 if time % 3 else 3]
        defence = (skill[chosen, 1].sum() - skill[chosen, 1]) / (len(chosen) - 1)
        scores = rng.poisson(rate * np.exp(skill[chosen, 0] - defence)).tolist()
        matches.append({"teams": [[f"p{name}"] for name in chosen], "scores": scores, "time": float(time)})
    return matches


def test_base_rate_multiplies_the_rate_of_every_team():
    model = pw.PoissonOD(**SMALL, base_rate=2.5)
    a = pw.Rating(offence=pw.Rating(0.3, 0.2), defence=pw.Rating(0.1, 0.1))
    said = model.predict([[a], [model.rating()]])
    first = (math.log(2.5) + 0.3, 0.04 + 0.09 + 0.02)
    second = (math.log(2.5) - 0.1, 0.09 + 0.01 + 0.02)
    assert (said.win[0], said.draw) == pytest.approx(win_and_draw(first, second), abs=1e-8)
    assert said.score_means == pytest.approx([math.exp(mean + variance / 2) for mean, variance in (first, second)])


@pytest.mark.parametrize("teams", [2, 3, 4])
def test_base_rate_acts_like_a_higher_offence_of_newcomers(teams):
    """A base rate of e^b gives the same updates as newcomers whose offence is higher by b."""
    plain, based = pw.PoissonOD(**SMALL), pw.PoissonOD(**SMALL, base_rate=math.e**1.5)
    scores = list(range(teams))
    raised = plain.rating(offence=pw.Rating(1.5, 0.3), defence=pw.Rating(0.0, 0.3))
    one = plain.rate([[raised]] * teams, scores=scores)
    other = based.rate([[based.rating()]] * teams, scores=scores)
    for [x], [y] in zip(one, other, strict=True):
        assert y.offence.mu == pytest.approx(x.offence.mu - 1.5, abs=1e-12)
        assert (y.offence.sigma, y.defence.sigma) == pytest.approx((x.offence.sigma, x.defence.sigma), rel=1e-12)
        assert y.defence.mu == pytest.approx(x.defence.mu, abs=1e-12)


def test_mean_of_newcomers_does_not_change_forecasts_with_a_base_rate():
    history = pw.History.from_matches(league())
    one, other = (pw.PoissonOD(mu, 0.3, 0.1, base_rate=30.0).fit(history).forecasts for mu in (0.0, 25.0))
    np.testing.assert_allclose(one.win, other.win, atol=1e-9)
    np.testing.assert_allclose(one.log_evidence, other.log_evidence, rtol=1e-9)


@pytest.mark.parametrize("scores", [[0, 0], [1, 0, 2], [3], [7, 4, 5, 6], [80, 95, 110, 72]])
def test_learnt_base_rate_agrees_with_the_exact_posterior(scores):
    """The normal approximation of the log-rate is compared with the posterior mean computed by integration."""
    wanted = oracle.log_rate_posterior(math.log(2), 1.0, scores)
    assert math.log(level(scores)) == pytest.approx(wanted, abs=0.05 if sum(scores) < 5 else 0.01)


def test_learnt_base_rate_starts_at_2_and_approaches_the_mean_score():
    assert level([]) == pytest.approx(2.0)
    assert 0.3 < level([0, 0]) < 0.8
    assert level([90.0] * 2) == pytest.approx(90, rel=0.03)
    assert level([1.3] * 2000) == pytest.approx(1.3, rel=1e-3)


@settings(max_examples=200)
@given(st.lists(st.floats(0, 1e30).map(math.floor), min_size=1, max_size=5))
def test_learnt_base_rate_of_any_scores_is_positive_and_finite(scores):
    scores = [float(score) for score in scores]
    assert 0.0 < level(scores) < 1e31
    assert level(scores) == level(scores, load())


def test_learnt_base_rate_uses_only_earlier_matches():
    """The forecast and the log-evidence of a match equal those of a model with the base rate of the earlier matches."""
    matches = league(count=12)
    model = pw.PoissonOD(**SMALL, base_rate="learnt")
    whole = model.fit(pw.History.from_matches(matches)).forecasts
    for number in (0, 1, 5, 11):
        before = model.fit(pw.History.from_matches(matches[:number])).ladder if number else pw.Ladder(model)
        rate = level([score for match in matches[:number] for score in match["scores"]])
        fixed = model.replace(base_rate=rate)
        known = {name: before[name] for name in before}
        alone = fixed.fit(pw.History.from_matches([matches[number]]), start=known).forecasts
        teams = whole.history.match_start[number], whole.history.match_start[number + 1]
        np.testing.assert_allclose(whole.mean[teams[0] : teams[1]], alone.mean, atol=1e-12)
        assert whole.log_evidence[number] == pytest.approx(alone.log_evidence[0], rel=1e-10)


def test_first_match_updates_the_base_rate_before_the_skills():
    """Two newcomers who both score 90 keep their ratings; without a base rate they would rise far above average."""
    model = pw.PoissonOD(**SMALL, base_rate="learnt")
    ladder = pw.Ladder(model)
    [[ann], [bob]] = ladder.record([["ann"], ["bob"]], scores=[90, 90])
    assert abs(ann.offence.mu) < 0.06
    assert ann == bob
    said = ladder.predict([["ann"], ["bob"]])
    assert said.scores == pytest.approx([90, 90], abs=4)
    [[old], _] = pw.PoissonOD(**SMALL).rate([[model.rating()]] * 2, scores=[90, 90])
    assert old.offence.mu > 1.0


@pytest.mark.parametrize("base_rate", [8.0, "learnt"])
@pytest.mark.parametrize("prediction", ["integrated", "plug-in"])
def test_fit_ladder_stream_and_saved_ladder_give_the_same_ratings_with_a_base_rate(base_rate, prediction, tmp_path):
    model = pw.PoissonOD(**SMALL, prediction=prediction, base_rate=base_rate)
    matches = league(rate=8.0)
    whole = model.fit(pw.History.from_matches(matches))
    ladder = pw.Ladder(model)
    for number, match in enumerate(matches):
        if number == 30:
            ladder.save(tmp_path / "league.prowess")
            ladder = pw.Ladder.load(tmp_path / "league.prowess")
        teams = [[name if name in ladder else model.rating() for name in team] for team in match["teams"]]
        if len(teams) == 2:  # more teams would need many samples
            said = ladder.predict(teams, time=match["time"])
            chances = whole.forecasts.win[number], whole.forecasts.draw[number]
            assert (said.win[0], said.draw) == chances
            if number % 10 == 1:
                assert np.trace(said.score_distribution.grid(50)) == pytest.approx(said.draw, abs=1e-6)
        ladder.record(match["teams"], scores=match["scores"], time=match["time"])
    half = [pw.History.from_matches(part) for part in (matches[:25], matches[25:])]
    assert ladder == whole.ladder == model.fit_stream(half).ladder


def test_mean_of_simulated_scores_is_the_base_rate():
    for base_rate, wanted in ((40.0, 40.0), ("learnt", 2.0)):
        model = pw.PoissonOD(mu=3.0, sigma=0.0, beta=0.05, base_rate=base_rate)
        score = pw.simulate(model, 5000, 20, seed=1).history.score
        assert score.mean() == pytest.approx(wanted, rel=0.02)


@pytest.mark.parametrize("base_rate", [1e-30, 1e-3, 50.0, 1e30, "learnt"])
@pytest.mark.parametrize("scores", [[0, 0], [0, 10**6], [3, 2, 10**30]])
def test_any_base_rate_gives_finite_ratings(base_rate, scores):
    model = pw.PoissonOD(base_rate=base_rate)
    for sigma in (1e-9, 0.3, 1e6):
        ladder = pw.Ladder(model, {f"p{k}": model.rating(sigma=sigma) for k in range(len(scores))})
        teams = [[f"p{k}"] for k in range(len(scores))]
        for _ in range(2):
            rated = ladder.record(teams, scores=scores)
            assert all(math.isfinite(x) for [r] in rated for x in (r.offence.mu, r.defence.sigma))
        said = ladder.predict(teams[:2])
        assert said.win.sum() + said.draw == pytest.approx(1, abs=1e-9)


def test_base_rate_can_be_replaced_saved_and_loaded_but_not_tuned():
    assert "base_rate" not in pw.PoissonOD().params
    for value in (1.4, "learnt"):
        model = pw.PoissonOD().replace(base_rate=value)
        assert model.params["base_rate"] == value
        assert model == pw.PoissonOD(base_rate=value)
        assert "base_rate" not in model.tunable
        assert pw.Model.from_dict(model.to_dict()) == model
        assert model.replace(base_rate=None) == pw.PoissonOD()
    plain = pw.PoissonOD().to_dict()
    del plain["outcome"]["score"]["base_rate"]
    assert pw.Model.from_dict(plain) == pw.PoissonOD()  # as saved by earlier versions
    for wrong in (0, -1, math.nan, "guessed", True):
        with pytest.raises(pw.Error, match="base_rate must be"):
            pw.PoissonOD(base_rate=wrong)


@pytest.mark.parametrize("teams", [2, 3])
def test_learnt_base_rate_is_identical_compiled_and_uncompiled(teams):
    matches = [match for match in league(count=40) if len(match["teams"]) == teams]
    found = []
    for package in (pw, load()):
        fit = package.PoissonOD(**SMALL, base_rate="learnt").fit(package.History.from_matches(matches))
        state = fit.ladder.state[: len(fit.ladder)]
        found.append(np.concatenate([np.ravel(c) for c in (state, fit.forecasts.mean, fit.forecasts.log_evidence)]))
    assert found[0].tobytes() == found[1].tobytes()


def test_outcome_has_a_base_only_if_its_scores_have_a_base_rate():
    assert OffenceDefence(PoissonScore(base_rate=2.0)).has_base
    assert not OffenceDefence(pw.outcome.GaussianScore()).has_base

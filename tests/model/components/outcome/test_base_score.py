"""The base score of Gaussian-OD, given or learnt: its effect, how it is learnt, and that all ways to forecast agree."""

import math

import numpy as np
import pytest

import prowess as pw
from prowess.model.components.outcome import GaussianScore, OffenceDefence
from tests.pure import load

SMALL = {"mu": 0.0, "sigma": 5.0, "beta": 2.0}


def league(level=90.0, seed=3, count=60, players=9):
    rng = np.random.default_rng(seed)
    skill = rng.normal(0, 6, (players, 2))
    matches = []
    for time in range(count):
        chosen = rng.permutation(players)[: 2 if time % 3 else 3]
        defence = (skill[chosen, 1].sum() - skill[chosen, 1]) / (len(chosen) - 1)
        scores = np.rint(rng.normal(level + skill[chosen, 0] - defence, 10.0)).tolist()
        matches.append({"teams": [[f"p{name}"] for name in chosen], "scores": scores, "time": float(time)})
    return matches


def test_scores_are_normal_around_the_base_score_plus_offence_minus_defence():
    model = pw.GaussianOD(**SMALL, gamma=10.0, base_score=90.0)
    ann = pw.Rating(offence=pw.Rating(3.0, 2.0), defence=pw.Rating(1.0, 1.0))
    said = model.predict([[ann], [model.rating()]])
    assert said.scores == pytest.approx([93.0, 89.0], rel=1e-14)
    spread = np.sqrt([2.0**2 + 5.0**2 + 8.0, 5.0**2 + 1.0 + 8.0])
    assert said.score_distribution.sigma == pytest.approx(np.sqrt(spread**2 + 100.0))
    assert said.win[0] == pytest.approx(0.5 * math.erfc(-4.0 / math.sqrt(2 * ((spread**2).sum() + 200.0))))


@pytest.mark.parametrize("teams", [2, 3, 4])
def test_base_score_acts_like_a_higher_offence_of_newcomers(teams):
    """A base score b gives the same updates as newcomers whose offence is higher by b."""
    plain, based = pw.GaussianOD(**SMALL, gamma=8.0), pw.GaussianOD(**SMALL, gamma=8.0, base_score=75.0)
    scores = [80.0 + 3 * k for k in range(teams)]
    raised = plain.rating(offence=pw.Rating(75.0, 5.0), defence=pw.Rating(0.0, 5.0))
    one = plain.rate([[raised]] * teams, scores=scores)
    other = based.rate([[based.rating()]] * teams, scores=scores)
    for [x], [y] in zip(one, other, strict=True):
        assert y.offence.mu == pytest.approx(x.offence.mu - 75.0, abs=1e-11)
        assert (y.offence.sigma, y.defence.sigma) == pytest.approx((x.offence.sigma, x.defence.sigma), rel=1e-12)
        assert y.defence.mu == pytest.approx(x.defence.mu, abs=1e-11)


@pytest.mark.parametrize("gamma", ["estimated", 8.0])
def test_learnt_base_score_is_the_mean_of_all_earlier_scores(gamma):
    """The forecast of a match uses the scores before it; its log-evidence is that of the forecast."""
    model, matches = pw.GaussianOD(**SMALL, gamma=gamma, base_score="learnt"), league(count=12)
    whole = model.fit(pw.History.from_matches(matches)).forecasts
    for number in (0, 1, 5, 11):
        earlier = [score for match in matches[:number] for score in match["scores"]]
        spread = np.var(earlier, ddof=1) if earlier else SMALL["beta"] ** 2
        before = model.fit(pw.History.from_matches(matches[:number])).ladder if number else pw.Ladder(model)
        known = {name: before[name] for name in before}
        fixed = model.replace(
            base_score=float(np.mean(earlier or [0.0])), gamma=math.sqrt(spread) if gamma == "estimated" else gamma
        )
        alone = fixed.fit(pw.History.from_matches([matches[number]]), start=known).forecasts
        first, last = whole.history.match_start[number : number + 2]
        np.testing.assert_allclose(whole.mean[first:last], alone.mean, atol=1e-10)
        assert whole.log_evidence[number] == pytest.approx(alone.log_evidence[0], rel=1e-9)


def test_first_match_updates_the_base_score_before_the_skills():
    """Two newcomers who both score 90 keep their ratings; without a base score they would rise far above average."""
    ladder = pw.Ladder(pw.GaussianOD(**SMALL, base_score="learnt"))
    [[ann], [bob]] = ladder.record([["ann"], ["bob"]], scores=[90, 90])
    assert ann == bob
    assert ann.offence.mu == pytest.approx(0.0, abs=1e-12)
    assert ladder.predict([["ann"], ["bob"]]).scores == pytest.approx([90, 90])
    model = pw.GaussianOD(**SMALL)
    [[old], _] = model.rate([[model.rating()]] * 2, scores=[90, 90])
    assert old.offence.mu > 20


def test_learnt_base_score_improves_score_forecasts_from_the_second_match_on():
    history = pw.History.from_matches(league(count=200))
    errors = {}
    for base_score in (None, "learnt", 90.0):
        fit = pw.GaussianOD(**SMALL, base_score=base_score).fit(history)
        errors[base_score] = pw.lab.measures.score_error(fit.forecasts).values[1:50].mean()
    assert errors["learnt"] < 0.8 * errors[None]
    assert errors["learnt"] == pytest.approx(errors[90.0], rel=0.1)


@pytest.mark.parametrize("base_score", [75.0, "learnt"])
@pytest.mark.parametrize("gamma", ["estimated", 8.0])
def test_fit_ladder_stream_and_saved_ladder_give_the_same_ratings_with_a_base_score(base_score, gamma, tmp_path):
    model, matches = pw.GaussianOD(**SMALL, gamma=gamma, base_score=base_score), league()
    whole = model.fit(pw.History.from_matches(matches))
    ladder = pw.Ladder(model)
    for number, match in enumerate(matches):
        if number == 30:
            ladder.save(tmp_path / "league.prowess")
            ladder = pw.Ladder.load(tmp_path / "league.prowess")
        if len(match["teams"]) == 2:
            teams = [[name if name in ladder else model.rating() for name in team] for team in match["teams"]]
            said = ladder.predict(teams, time=match["time"])
            assert said.win[0] == pytest.approx(whole.forecasts.win[number], rel=1e-12)
        ladder.record(**match)
    half = [pw.History.from_matches(part) for part in (matches[:25], matches[25:])]
    assert ladder == whole.ladder == model.fit_stream(half).ladder


def test_mean_of_simulated_scores_is_the_base_score():
    model = pw.GaussianOD(mu=3.0, sigma=0.0, beta=1.0, gamma=5.0, base_score=40.0)
    assert pw.simulate(model, 5000, 20, seed=1).history.score.mean() == pytest.approx(40.0, abs=0.3)


@pytest.mark.parametrize("base_score", [-1e30, -3, 0, 1e30, "learnt"])
@pytest.mark.parametrize("scores", [[0, 0], [-7.5, 1e6], [3, 2, 1e30]])
def test_any_base_score_gives_finite_ratings(base_score, scores):
    model = pw.GaussianOD(base_score=base_score)
    for sigma in (1e-9, 0.3, 1e6):
        ladder = pw.Ladder(model, {f"p{k}": model.rating(sigma=sigma) for k in range(len(scores))})
        teams = [[f"p{k}"] for k in range(len(scores))]
        for _ in range(2):
            rated = ladder.record(teams, scores=scores)
            assert all(math.isfinite(x) for [r] in rated for x in (r.offence.mu, r.defence.sigma))
        assert ladder.predict(teams[:2]).win.sum() == pytest.approx(1, abs=1e-9)


def test_base_score_can_be_replaced_saved_and_loaded_but_not_tuned():
    assert "base_score" not in pw.GaussianOD().params
    for value in (90.0, 0.0, -4.0, "learnt"):
        model = pw.GaussianOD().replace(base_score=value)
        assert model.params["base_score"] == value
        assert model == pw.GaussianOD(base_score=value)
        assert "base_score" not in model.tunable
        assert pw.Model.from_dict(model.to_dict()) == model
        assert model.replace(base_score=None) == pw.GaussianOD()
    for wrong in (math.nan, math.inf, "guessed", True):
        with pytest.raises(pw.Error, match="base_score must be"):
            pw.GaussianOD(base_score=wrong)


def test_score_difference_model_rejects_a_base_score():
    assert OffenceDefence(GaussianScore(base_score=2.0)).has_base
    with pytest.raises(pw.Error, match="only a part of an outcome"):
        pw.GaussianSD().replace(base_score=2.0)


def test_learnt_base_score_is_identical_compiled_and_uncompiled():
    found = []
    for package in (pw, load()):
        fit = package.GaussianOD(**SMALL, base_score="learnt").fit(package.History.from_matches(league(count=40)))
        state = fit.ladder.state[: len(fit.ladder)]
        found.append(np.concatenate([np.ravel(c) for c in (state, fit.forecasts.mean, fit.forecasts.log_evidence)]))
    assert found[0].tobytes() == found[1].tobytes()

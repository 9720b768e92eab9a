"""Matches without scores in score models: updates from places agree with integration and sampling."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prowess as pw
from prowess.model.components.outcome import GaussianScore, OffenceDefence, PoissonScore
from tests.oracles import unscored as oracle
from tests.pure import load

NAN = math.nan
LEADS = {1: (1, 2), 0: (1, 1), -1: (2, 1)}
SMALL = {"mu": 0.0, "sigma": 0.4, "beta": 0.1, "unscored": "order"}


def learn(outcome, means, variances, places, scores=None, memory=(), package=pw):
    """Return the board after the update by a match of single players, and the log-evidence."""
    teams, traits = len(places), len(outcome.traits)
    board = package.Board(teams, teams, traits, memory=len(outcome.remembers))
    outcome.prepare(board)
    for j in range(teams):
        board.start[j + 1], board.place[j] = j + 1, places[j]
        board.score[j] = NAN if scores is None else scores[j]
    for k in range(teams * traits):
        board.mean[k], board.variance[k], board.noise[k] = means[k], variances[k], 0.1
    for k, known in enumerate(memory):
        board.memory[k] = known
    if teams == 2:
        outcome.forecast(board)
    return board, outcome.evidence(board)


def posterior(board):
    mean, variance, d1, d2, left = (
        np.array(column) for column in (board.mean, board.variance, board.d1, board.d2, board.left)
    )
    assert left == pytest.approx(1 + variance * d2, abs=1e-10)
    return mean + variance * d1, variance * left


@pytest.mark.parametrize("rounding", [None, 1.0])
@pytest.mark.parametrize("lead", LEADS)
def test_update_by_the_order_of_two_normal_scores_agrees_with_integration(lead, rounding):
    """The update is exact in models with one skill and in models with offence and defence."""
    margin = 0.0 if rounding is None else 0.5
    cases = (
        (GaussianScore(1.2, rounding, "order"), (1, -1), (0.7, 1.9), (0.8, 2.5), 1.44),
        (
            OffenceDefence(GaussianScore(1.2, rounding, "order")),
            (1, 1, -1, -1),
            (0.7, -0.3, 1.1, 0.4),
            (0.8, 2.5, 0.3, 1.0),
            2.88,
        ),
    )
    for outcome, weights, means, variances, noise in cases:
        board, log_evidence = learn(outcome, means, variances, LEADS[lead])
        found = posterior(board)
        for cell in range(len(weights)):
            mean, variance, z = oracle.linear_posterior(weights, means, variances, noise, cell, margin, lead)
            assert (found[0][cell], found[1][cell]) == pytest.approx((mean, variance), rel=1e-10)
            assert log_evidence == pytest.approx(math.log(z), rel=1e-10)


@pytest.mark.parametrize("outcome", [GaussianScore, lambda *given: OffenceDefence(GaussianScore(*given))])
def test_draw_without_scores_updates_like_a_score_difference_of_zero(outcome):
    means, variances = (0.7, 1.9, 0.2, 0.4), (0.8, 2.5, 0.3, 1.0)
    drawn, log_evidence = learn(outcome(1.2, None, "order"), means, variances, (1, 1))
    if len(outcome(1.2).traits) == 1:
        scored, wanted = learn(outcome(1.2), means, variances, (1, 1), scores=(3.0, 3.0))
        assert posterior(drawn)[0] == pytest.approx(posterior(scored)[0], rel=1e-13)
        assert posterior(drawn)[1] == pytest.approx(posterior(scored)[1], rel=1e-13)
        assert log_evidence == pytest.approx(wanted, rel=1e-13)
    narrow, _ = learn(outcome(1.2, 1e-7, "order"), means, variances, (1, 1))
    assert posterior(drawn)[0] == pytest.approx(posterior(narrow)[0], rel=1e-7)


@pytest.mark.parametrize("places", [(1, 2), (2, 2, 1), (1, 4, 2, 2, 5)])
def test_score_difference_model_without_scores_equals_trueskill_with_added_noise(places):
    """Gaussian-SD without scores is the model `Order` with γ²/2 added to the noise of every team."""
    beta, gamma = 0.7, 1.6
    prior, noise = pw.Normal(0, 2), math.sqrt(beta**2 + gamma**2 / 2)
    unscored = pw.Model(prior=prior, noise=beta, outcome=GaussianScore(gamma, 1.0, "order"))
    order = pw.Model(prior=prior, noise=noise, outcome=pw.outcome.Order(margin=0.5))
    teams = [[pw.Rating(0.4 * k, 1 + 0.2 * k)] for k in range(len(places))]
    for [one], [two] in zip(unscored.rate(teams, ranks=places), order.rate(teams, ranks=places), strict=True):
        assert (one.mu, one.sigma) == pytest.approx((two.mu, two.sigma), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("places", [(2, 1, 3), (1, 2, 2)])
def test_update_of_offences_and_defences_by_places_agrees_with_sampling(places):
    means, variances = np.array([0.3, 0.1, 0.9, -0.2, 0.4, 0.3]), np.array([0.6, 0.4, 1.0, 0.5, 0.3, 0.8])
    board, log_evidence = learn(OffenceDefence(GaussianScore(0.9, 1.0, "order")), means, variances, places)
    rng = np.random.default_rng(5)
    mean, variance, share = oracle.sampled_order(rng, means, variances, 0.81, places, 0.5, 1_000_000)
    found = posterior(board)
    assert found[0] == pytest.approx(mean, abs=0.01)  # EP is an approximation, but a close one
    assert found[1] == pytest.approx(variance, abs=0.01)
    assert math.exp(log_evidence) == pytest.approx(share, rel=0.01)


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize(
    ("own", "other"),
    [
        ((0.2, 0.2), (0.0, 0.2)),
        ((-1.0, 0.05), (1.2, 0.4)),
        ((3.0, 0.1), (2.6, 0.15)),
        ((0.5, 4.0), (0.0, 2.0)),
        ((4.4, 0.04), (4.6, 0.02)),
    ],
)
def test_update_by_the_order_of_two_counts_agrees_with_integration(own, other, lead):
    score, board = PoissonScore(unscored="order"), pw.Board(2, 2, 2)
    log_evidence = score.seen_order(board, lead, *own, *other)
    mean, variance, z = oracle.count_posterior(own, other, lead)
    assert log_evidence == pytest.approx(math.log(z), abs=1e-5)
    assert own[0] + own[1] * board.push == pytest.approx(mean, abs=1e-5)
    assert own[1] * board.rest == pytest.approx(min(variance, own[1]), rel=1e-4)
    assert board.pull == pytest.approx((1 - board.rest) / own[1], rel=1e-9, abs=1e-12)


def test_poisson_match_without_scores_updates_both_log_rates():
    outcome = OffenceDefence(PoissonScore(unscored="order"))
    means, variances = (0.3, 0.1, 0.5, -0.2), (0.2, 0.1, 0.15, 0.25)
    board, log_evidence = learn(outcome, means, variances, (2, 1))
    found = posterior(board)
    for offence, defence, lead in ((0, 3, -1), (2, 1, 1)):
        x, y = (
            (means[a] - means[b], variances[a] + variances[b])
            for a, b in ((offence, defence), (2 - offence, 4 - defence))
        )
        mean, variance, z = oracle.count_posterior(x, y, lead)
        moved, share = mean - x[0], 1 - variance / x[1]
        for cell, sign in ((offence, 1), (defence, -1)):
            weight = variances[cell] / x[1]
            assert found[0][cell] == pytest.approx(means[cell] + sign * weight * moved, abs=1e-6)
            assert found[1][cell] == pytest.approx(variances[cell] * (1 - weight * share), rel=1e-5)
        assert log_evidence == pytest.approx(math.log(z), abs=1e-6)


numbers = st.floats(-1e30, 1e30)
widths = st.floats(1e-30, 1e30)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(numbers, min_size=4, max_size=4), st.lists(widths, min_size=4, max_size=4), st.sampled_from(list(LEADS))
)
def test_any_belief_gives_finite_updates_without_scores(means, widths, lead):
    variances = [width * width for width in widths]
    for outcome in (
        GaussianScore(1.0, 1.0, "order"),
        GaussianScore(1.0, None, "order"),
        OffenceDefence(GaussianScore(1.0, 1.0, "order")),
        OffenceDefence(PoissonScore(unscored="order")),
    ):
        board, log_evidence = learn(outcome, means, variances, LEADS[lead])
        cells = 2 * len(outcome.traits)
        assert np.isfinite([log_evidence, *board.d1[:cells], *board.d2[:cells]]).all()
        assert all(0 <= left <= 1 + 1e-12 for left in board.left[:cells])


@pytest.mark.parametrize("make", [pw.GaussianSD, pw.GaussianOD, pw.PoissonOD])
def test_match_without_scores_is_an_error_by_default(make):
    with pytest.raises(pw.Error, match="needs scores; team 1 has none"):
        make().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    with pytest.raises(pw.Error, match="unscored must be"):
        make(unscored="skip")


def test_poisson_match_of_three_teams_without_scores_is_rejected():
    model = pw.PoissonOD(**SMALL)
    with pytest.raises(pw.Error, match="PoissonScore needs the scores of all 3 teams") as error:
        model.rate([[model.rating()]] * 3)
    assert error.value.field == "scores"


def league(count=60, teams=2, seed=3):
    """Return matches of which a quarter have no scores."""
    rng = np.random.default_rng(seed)
    matches = []
    for time in range(count):
        chosen = rng.permutation(8)[: teams if time % 3 else 2]
        scores = rng.poisson(3, len(chosen)).tolist()
        places = [1 + sum(other > score for other in scores) for score in scores]
        result = {"ranks": places} if time % 4 == 1 else {"scores": scores}
        importance = 0.5 if time % 5 == 0 else 1.0
        matches.append({"teams": [[f"p{k}"] for k in chosen], **result, "time": float(time), "importance": importance})
    return matches


MODELS = {
    "GaussianSD": {"mu": 0.0, "unscored": "order"},
    "GaussianOD": {"mu": 0.0, "rounding": 1.0, "base_score": "learnt", "unscored": "order"},
    "PoissonOD": {**SMALL, "base_rate": "learnt"},
}


@pytest.mark.parametrize("name", MODELS)
def test_fit_ladder_stream_and_saved_ladder_give_the_same_ratings_without_scores(name, tmp_path):
    model, matches = getattr(pw, name)(**MODELS[name]), league()
    whole = model.fit(pw.History.from_matches(matches))
    ladder = pw.Ladder(model)
    for number, match in enumerate(matches):
        if number == 30:
            ladder.save(tmp_path / "league.prowess")
            ladder = pw.Ladder.load(tmp_path / "league.prowess")
        ladder.record(**match)
    half = [pw.History.from_matches(part) for part in (matches[:25], matches[25:])]
    assert ladder == whole.ladder == model.fit_stream(half).ladder
    assert np.isfinite(whole.forecasts.log_evidence).all()


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("teams", [2, 4])
def test_matches_without_scores_give_the_same_ratings_compiled_and_uncompiled(name, teams):
    matches = league(count=12 if name == "PoissonOD" else 40, teams=2 if name == "PoissonOD" else teams)
    found = []
    for package in (pw, load()):
        fit = getattr(package, name)(**MODELS[name]).fit(package.History.from_matches(matches))
        state = fit.ladder.state[: len(fit.ladder)]
        found.append(np.concatenate([np.ravel(c) for c in (state, fit.forecasts.mean, fit.forecasts.log_evidence)]))
    assert found[0].tobytes() == found[1].tobytes()


@pytest.mark.parametrize("name", MODELS)
def test_matches_without_scores_do_not_change_the_learnt_noise_and_level_of_scores(name):
    """The league's memory, which holds the estimates of γ and of the base level, stays unchanged."""
    model = getattr(pw, name)(**MODELS[name])
    ladder = pw.Ladder(model)
    ladder.record([["ann"], ["bob"]], scores=[5, 2])
    before = list(ladder.memory)
    ladder.record([["ann"], ["bob"]])
    ladder.record([["ann"], ["bob"]], ranks=[1, 1])
    assert list(ladder.memory) == before


@pytest.mark.parametrize("name", MODELS)
def test_unscored_option_changes_nothing_if_all_matches_have_scores(name):
    options = MODELS[name]
    history = pw.History.from_matches([match for match in league(teams=4) if "scores" in match])
    one, other = (getattr(pw, name)(**options | {"unscored": value}).fit(history) for value in ("error", "order"))
    np.testing.assert_array_equal(one.ladder.state, other.ladder.state)
    assert (one.forecasts.log_evidence == other.forecasts.log_evidence).all()


@pytest.mark.parametrize("name", MODELS)
def test_winner_of_a_match_without_scores_gains_less_if_the_match_has_half_importance(name):
    model = getattr(pw, name)(**MODELS[name])
    teams = [[model.rating()], [model.rating()]]
    half, full = (pw.Ladder(model) for _ in range(2))
    half.record([["ann"], ["bob"]], importance=0.5)
    full.record([["ann"], ["bob"]])
    assert half.predict([["ann"], ["bob"]]).win[0] + half.predict([["ann"], ["bob"]]).draw / 2 > 0.5
    gains = [ladder.predict([["ann"], teams[1]]).win[0] - model.predict(teams).win[0] for ladder in (half, full)]
    assert 0 < gains[0] < gains[1]


@pytest.mark.parametrize("make", [pw.GaussianSD, pw.GaussianOD, pw.PoissonOD])
def test_models_saved_by_earlier_versions_reject_matches_without_scores(make):
    plain = make().to_dict()
    inner = plain["outcome"].get("score") or plain["outcome"]
    for name in ("unscored", "base_score"):
        inner.pop(name, None)
    assert pw.Model.from_dict(plain) == make()
    model = make(unscored="order")
    assert model.params["unscored"] == "order"
    assert pw.Model.from_dict(model.to_dict()) == model == make().replace(unscored="order")


def test_home_advantage_is_learnt_from_matches_without_scores():
    for name, options in MODELS.items():
        ladder = pw.Ladder(getattr(pw, name)(**options).replace(home_sigma=1.0))
        before = list(ladder.memory)[-2:]
        ladder.record([["ann"], ["bob"]], home=0)
        assert list(ladder.memory)[-2:] != before

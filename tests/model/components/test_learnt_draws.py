"""`LearntDraws`: the estimate agrees with a plain oracle, has limits, and is the same for all ways to rate a league."""

import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import prowess as pw
from prowess.model.components.margin import LearntDraws
from tests.oracles import draws
from tests.pure import load

LEARNT = pw.TrueSkill(draw_probability="learnt")


def league(count, share, seed=0, players=8):
    """Return matches (first, second, result, importance), of which about `share` are drawn, whoever plays."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        first, second = rng.choice(players, 2, replace=False).tolist()
        strong = rng.random() < 1 / (1 + math.exp((second - first) / 3))
        result = 0 if rng.random() < share else 1 if strong else -1
        yield f"p{first}", f"p{second}", result, float(rng.choice([1.0, 1.0, 1.0, 0.0, 0.5, 2.0]))


def plain(matches):
    ranks = {1: [1, 2], 0: [1, 1], -1: [2, 1]}
    return [{"teams": [[a], [b]], "ranks": ranks[result], "importance": c} for a, b, result, c in matches]


def history(matches, package=pw):
    return package.History.from_matches(plain(matches))


def drawn(*results):
    """Return the matches of two players with these results and importance 1."""
    return [("ann", "bob", result, 1.0) for result in results]


@pytest.mark.parametrize("memory", [30.0, 500.0, math.inf])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7])
def test_forecasts_with_learnt_draws_agree_with_a_plain_implementation(memory, share):
    matches = list(league(150, share, seed=3))
    found = LEARNT.replace(draw_start=0.2, draw_memory=memory).fit(history(matches)).forecasts
    wanted = np.array(draws.forecasts(matches, 0.2, memory))
    assert found.win == pytest.approx(wanted[:, 0], abs=1e-9)
    assert found.draw == pytest.approx(wanted[:, 1], abs=1e-9)


def test_first_forecast_with_learnt_draws_equals_the_forecast_with_a_fixed_draw_probability():
    matches = history(drawn(1))
    for start in (0.01, 0.1, 0.6):
        fixed, learnt = pw.TrueSkill(draw_probability=start), LEARNT.replace(draw_start=start)
        assert fixed.fit(matches).forecasts.draw.tobytes() == learnt.fit(matches).forecasts.draw.tobytes()
        assert fixed.rate([[fixed.rating()], [fixed.rating()]]) == learnt.rate([[learnt.rating()], [learnt.rating()]])


@pytest.mark.parametrize("share", [0.02, 0.25, 0.6])
def test_expected_number_of_draws_approaches_the_actual_number(share):
    matches = history(league(6000, share, seed=1))
    places = matches.place.reshape(-1, 2)[3000:]
    actual = (places[:, 0] == places[:, 1]).mean()
    assert LEARNT.fit(matches).forecasts.draw[3000:].mean() == pytest.approx(actual, abs=0.01)


def test_learnt_share_of_draws_adapts_if_the_league_changes():
    matches = history([*league(2000, 0.1, seed=1), *league(2000, 0.5, seed=2)])
    draw = {memory: LEARNT.replace(draw_memory=memory).fit(matches).forecasts.draw for memory in (200, math.inf)}
    assert draw[200][1500:2000].mean() == pytest.approx(0.1, abs=0.03)
    assert draw[200][3000:].mean() == pytest.approx(0.5, abs=0.05)
    assert draw[math.inf][3000:].mean() < 0.4


def test_draws_stay_possible_in_a_league_without_draws():
    """After 5,000 matches without a draw, draws are rare but possible; once draws occur, their probability rises."""
    for memory in (1.0, 30.0, 500.0, math.inf):
        for start in (1e-6, 0.1, 0.999):
            model = LEARNT.replace(draw_memory=memory, draw_start=start)
            fit = model.fit(history(drawn(*[1, -1] * 2500, 0, 0, 0)))
            before, *_, last = fit.forecasts.draw[-3:]
            assert 0.0 < before < start
            assert last > before
            assert np.isfinite(fit.forecasts.log_evidence).all()


def test_league_of_only_draws_gives_finite_numbers():
    for memory in (1.0, 30.0, 500.0, math.inf):
        fit = LEARNT.replace(draw_memory=memory).fit(history(drawn(*[0] * 5000, 1)))
        draw = fit.forecasts.draw
        assert draw[-1] <= 1.0
        assert draw[-1] > draw[0]
        assert np.isfinite(fit.ladder.memory).all()
        assert np.isfinite(fit.forecasts.log_evidence).all()


@given(
    st.lists(st.sampled_from([-1, 0, 1]), max_size=30),
    st.floats(1e-6, 0.999),
    st.floats(1, 1e30) | st.just(math.inf),
    st.sampled_from([1e-9, 0.3, 1e6]),
)
def test_any_parameters_of_learnt_draws_give_valid_probabilities(results, start, memory, importance):
    matches = [("ann", "bob", result, importance) for result in results] + drawn(0)
    forecasts = LEARNT.replace(draw_start=start, draw_memory=memory).fit(history(matches)).forecasts
    # After matches that count a million times, a draw can be less likely than the smallest positive number.
    assert (forecasts.draw >= 0 if importance > 1 else forecasts.draw > 0).all()
    assert (forecasts.draw <= 1).all()
    assert np.isfinite(forecasts.log_evidence).all()


def test_match_of_importance_zero_does_not_change_the_learnt_share_of_draws():
    ladder = LEARNT.fit(history(league(30, 0.4))).ladder
    before = ladder.memory.tolist()
    ladder.record([["p1"], ["p2"]], ranks=[1, 1], importance=0)
    assert ladder.memory.tolist() == before


def test_match_of_importance_two_counts_like_two_matches():
    """The players are equal, without uncertainty or drift, so their forecasts depend only on the learnt share of
    draws."""
    model = LEARNT.replace(sigma=0, tau=0, draw_memory=1e9)
    once, twice = pw.Ladder(model), pw.Ladder(model)
    once.record([["ann"], ["bob"]], ranks=[1, 1], importance=2)
    for _ in range(2):
        twice.record([["ann"], ["bob"]], ranks=[1, 1])
    assert once.memory[0] == pytest.approx(twice.memory[0])
    assert once.memory[1] == pytest.approx(twice.memory[1], rel=0.1)  # the second forecast knew the first result


def test_matches_of_several_teams_use_the_learnt_margin_but_do_not_change_it():
    ladder = LEARNT.fit(history(league(300, 0.6))).ladder
    before = ladder.memory.tolist()
    shared = ladder.predict([["p1"], ["p2"], ["p3"]]).draw
    assert shared > 2 * LEARNT.predict([[ladder[name]] for name in ("p1", "p2", "p3")]).draw
    ladder.record([["p1"], ["p2"], ["p3"]], ranks=[1, 1, 1])
    assert ladder.memory.tolist() == before


def test_fit_ladder_stream_saved_ladder_and_resumed_fit_give_the_same_learnt_draws(tmp_path):
    matches = list(league(200, 0.4, seed=5))
    fit = LEARNT.fit(history(matches))
    ladder = pw.Ladder(LEARNT)
    for number, match in enumerate(plain(matches)):
        teams, ranks, importance = match["teams"], match["ranks"], match["importance"]
        if all(name in ladder for [name] in teams):
            assert ladder.predict(teams).draw == fit.forecasts.draw[number]
        ladder.record(teams, ranks=ranks, importance=importance)
    ladder.save(tmp_path / "ladder.json")
    half = LEARNT.fit(history(matches[:77]))
    rest = LEARNT.fit(history(matches[77:]), start=half.ladder)
    streamed = LEARNT.fit_stream([history(matches[:50]), history(matches[50:])])
    assert fit.ladder == ladder == rest.ladder == streamed.ladder == pw.Ladder.load(tmp_path / "ladder.json")
    assert rest.forecasts.draw.tolist() == fit.forecasts.draw[77:].tolist()
    assert LEARNT.predict([[ladder["p1"]], [ladder["p2"]]]).draw < ladder.predict([["p1"], ["p2"]]).draw


def test_any_memory_in_a_ladder_file_gives_valid_draw_probabilities(tmp_path):
    """A file edited by hand may hold any finite numbers."""
    ladder = LEARNT.fit(history(league(50, 0.4))).ladder
    for memory in ((-1e300, 1e300), (1e300, -1e300), (0.0, -1.0)):
        ladder.memory[:] = memory
        ladder.save(tmp_path / "ladder.json")
        loaded = pw.Ladder.load(tmp_path / "ladder.json")
        assert 0 <= loaded.predict([["p1"], ["p2"]]).draw <= 1


def test_learnt_draws_give_identical_results_compiled_and_uncompiled():
    results = []
    for package in (pw, load()):
        model = package.TrueSkill(draw_probability="learnt").replace(draw_memory=50)
        fit = model.fit(history(league(120, 0.4, seed=9), package))
        results.append(
            fit.forecasts.draw.tobytes() + fit.forecasts.log_evidence.tobytes() + fit.ladder.memory.tobytes()
        )
    assert results[0] == results[1]


def test_setting_draw_probability_to_learnt_equals_setting_the_margin_to_learnt_draws():
    assert LEARNT.outcome == pw.outcome.Order(margin=LearntDraws())
    assert LEARNT == pw.TrueSkill().replace(draw_probability="learnt") == pw.TrueSkill(margin=LearntDraws())
    assert pw.TrueSkill(margin=1).replace(outcome=pw.outcome.Order(draw_probability="learnt")) == LEARNT
    assert LEARNT.replace(draw_probability=0.1) == pw.TrueSkill()


def test_parameters_of_learnt_draws_have_names_and_ranges():
    own = {name: LEARNT.params[name] for name in ("draw_start", "draw_memory")}
    assert own == {"draw_start": 0.1, "draw_memory": 500.0}
    assert (LEARNT.tunable["draw_memory"].low, LEARNT.tunable["draw_memory"].high) == (30, 30000)
    assert {"draw_start", "draw_memory"} <= LEARNT.tunable.keys()
    other = pw.TrueSkill(margin=LearntDraws(0.2, 60))
    assert pw.TrueSkill().replace(draw_memory=60, draw_probability="learnt", draw_start=0.2) == other
    assert LEARNT.replace(draw_probability="learnt", draw_memory=60, draw_start=0.2) == other


@pytest.mark.parametrize("memory", [60, 500.0, math.inf])
def test_model_with_learnt_draws_converts_to_plain_data_and_back(memory):
    model = LEARNT.replace(draw_memory=memory)
    assert pw.Model.from_dict(json.loads(json.dumps(model.to_dict()))) == model
    assert pickle.loads(pickle.dumps(model)) == model


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: LearntDraws(draw_start=0), "draw_start"),
        (lambda: LearntDraws(draw_start=1), "draw_start"),
        (lambda: LearntDraws(draw_start="learnt"), "draw_start"),
        (lambda: LearntDraws(draw_memory=0.5), "draw_memory"),
        (lambda: LearntDraws(draw_memory=math.nan), "draw_memory"),
        (lambda: LearntDraws(draw_memory=-math.inf), "draw_memory"),
        (lambda: LearntDraws(draw_memory="inf"), "draw_memory"),
        (lambda: LearntDraws(draw_memory=True), "draw_memory"),
        (lambda: pw.TrueSkill(draw_probability="learned"), "draw_probability"),
        (lambda: pw.outcome.Places(draw_probability="learnt"), "draw_probability"),
        (lambda: pw.outcome.PlacesML(margin=LearntDraws()), "margin"),
        (lambda: pw.TS2(margin=LearntDraws()), "margin"),
        (lambda: pw.TrueSkill().replace(draw_memory=100), "draw_memory"),
    ],
)
def test_invalid_parameters_of_learnt_draws_are_rejected(make, field):
    with pytest.raises(pw.Error) as raised:
        make()
    assert raised.value.field == field


def test_learnt_draws_use_draw_start_on_a_board_without_memory():
    """A custom outcome may use the policy without keeping its memory."""
    board = pw.Board()
    board.noise[0] = board.noise[1] = 0.5
    policy = LearntDraws(draw_start=0.5)
    assert policy.between(board, 0, 1) == pytest.approx(0.6744897501960817)  # scipy: norm.ppf(0.75)
    policy.learn(board)


def test_share_of_draws_in_a_simulated_league_equals_draw_start():
    simulated = pw.simulate(LEARNT.replace(draw_start=0.6, sigma=0, tau=0), 2000, 20, teams=2).history
    places = simulated.place.reshape(-1, 2)
    assert (places[:, 0] == places[:, 1]).mean() == pytest.approx(0.6, abs=0.04)

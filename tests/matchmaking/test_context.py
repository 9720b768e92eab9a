"""Matchmaking at values of the context: the matches have the forecasts of `Ladder.predict` with the same context."""

from itertools import combinations

import numpy as np
import pytest

import prowess as pw
from prowess.matchmaking.pairing.pair import rounds

MODES = ("1v1", "2v2")
PLAYERS = ["ann", "bob", "cat", "dan"]
FACETS = (pw.facet.By("mode", sigma=6.0), pw.facet.By("rest", sigma=0.5, numeric=True))
CONTEXTS = [{"mode": "1v1"}, {"mode": "2v2", "rest": 3}, {"mode": "never seen"}, {"mode": None}]


@pytest.fixture(scope="module")
def ladder():
    """Ann and cat are strong at 1v1 and weak at 2v2; bob and dan the other way round."""
    ladder = pw.Ladder(pw.TrueSkill().replace(facets=FACETS))
    for number in range(40):
        mode = MODES[number % 2]
        pairs = [["ann", "bob"], ["cat", "dan"], ["ann", "dan"], ["cat", "bob"]]
        strong, weak = pairs[number // 2 % 4] if mode == "1v1" else pairs[number // 2 % 4][::-1]
        ladder.record([[strong], [weak]], context={"mode": mode, "rest": [[number % 3], [1]]})
    ladder.record([["eve"], ["ann"]], context={"mode": "2v2"})  # eve has never played 1v1
    return ladder


def rated(ladder, teams):
    return [[one if isinstance(one, pw.Rating) or one in ladder else ladder.newcomer for one in team] for team in teams]


@pytest.mark.parametrize("context", CONTEXTS, ids=str)
@pytest.mark.parametrize("players", [PLAYERS, [*PLAYERS, "eve", "new"]], ids=len)
def test_fair_teams_at_a_value_are_the_fairest_of_all_splits_at_this_value(ladder, context, players):
    found = pw.balance(ladder, players, context=context)
    splits = [
        [list(team), [name for name in players if name not in team]]
        for team in combinations(players, len(players) // 2)
        if players[0] in team
    ]
    best = max(ladder.quality(rated(ladder, split), context=context) for split in splits)
    assert found.quality == pytest.approx(best, rel=1e-12)
    forecast = ladder.predict(rated(ladder, found.teams), context=context)
    assert found.quality == pytest.approx(ladder.quality(rated(ladder, found.teams), context=context), rel=1e-12)
    assert found.prediction.win.tolist() == pytest.approx(forecast.win.tolist(), rel=1e-12)
    assert found.prediction.draw == pytest.approx(forecast.draw, rel=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_players_who_are_strong_in_a_mode_meet_each_other_there(ladder, mode):
    pairs = {frozenset(pair) for pair in pw.pair(ladder, PLAYERS, context={"mode": mode}).pairs}
    assert pairs == {frozenset(("ann", "cat")), frozenset(("bob", "dan"))}
    teams = {frozenset(team) for team in pw.balance(ladder, PLAYERS, context={"mode": mode}).teams}
    assert not teams & pairs, "each team has one of the strong players"


@pytest.mark.parametrize("context", CONTEXTS, ids=str)
def test_pairs_at_a_value_have_the_quality_at_this_value(ladder, context):
    group = ("eve", "new too")
    queue = [*PLAYERS, "eve 2", "new", pw.Rating(31.0, 2.0), pw.Rating(30.0, 3.0), group, ("x", "y")]
    pairing = pw.pair(ladder, queue, context=context)
    assert len(pairing.pairs) == 5
    for (one, other), quality in zip(pairing.pairs, pairing.quality, strict=True):
        teams = rated(ladder, [side if isinstance(side, tuple) else (side,) for side in (one, other)])
        assert quality == pytest.approx(ladder.quality(teams, context=context), rel=1e-12)
    [round_] = rounds(ladder, queue, context=context)
    assert np.array_equal(round_.places, pairing.places)


@pytest.mark.parametrize("context", CONTEXTS, ids=str)
def test_informative_matches_at_a_value_have_the_forecast_at_this_value(ladder, context):
    matches = pw.next_matches(ladder, players=[*PLAYERS, "eve", "new"], each=None, count=3, context=context)
    for match in matches:
        forecast = ladder.predict(rated(ladder, match.teams), context=context)
        assert match.prediction.win.tolist() == pytest.approx(forecast.win.tolist(), rel=1e-12)
    if context["mode"] == "1v1":
        assert {"eve", "new"} & {name for team in matches[0].teams for name in team}, "the least is known about them"
        without = pw.next_matches(ladder, players=[*PLAYERS, "eve", "new"], each=None, count=3)
        assert matches[0].information > without[0].information


CALLS = [
    lambda ladder, context: pw.balance(ladder, PLAYERS, context=context),
    lambda ladder, context: pw.pair(ladder, PLAYERS, context=context),
    lambda ladder, context: rounds(ladder, PLAYERS, context=context),
    lambda ladder, context: pw.next_matches(ladder, players=PLAYERS, context=context),
]


@pytest.mark.parametrize("call", CALLS, ids=["balance", "pair", "rounds", "next"])
@pytest.mark.parametrize(
    ("context", "text"),
    [
        ({"mod": "1v1"}, "did you mean 'mode'?"),
        ({"map": "harbour"}, "this model has 'mode' and 'rest'"),
        ({"mode": ["1v1", "2v2"]}, "give one value for the whole match"),
        ("1v1", "context must be a mapping"),
    ],
    ids=str,
)
def test_context_that_a_prediction_would_refuse_is_refused(ladder, call, context, text):
    with pytest.raises(pw.Error, match=text.replace("?", r"\?")) as caught:
        call(ladder, context)
    assert caught.value.field == "context"


@pytest.mark.parametrize("call", CALLS, ids=["balance", "pair", "rounds", "next"])
def test_context_of_a_model_without_facets_is_refused(call):
    with pytest.raises(pw.Error, match="this model has no facets"):
        call(pw.Ladder(pw.TrueSkill()), {"mode": "1v1"})


def test_learning_curve_counts_in_the_chances_of_fair_teams():
    """The chances are those of `predict`, which knows that newcomers improve."""
    curve = pw.facet.Experience((10,), sigma=3.0)
    ladder = pw.Ladder(pw.TrueSkill().replace(facets=(curve, pw.facet.By("mode", sigma=2.0))))
    for number in range(30):
        ladder.record([["ann"], [f"newcomer {number}"]], context={"mode": "1v1"})
        ladder.record([["bob"], ["ann"]], context={"mode": "1v1"})
    for context in (None, {"mode": "1v1"}):
        found = pw.balance(ladder, ["ann", "bob", "newcomer 1", "newcomer 2"], context=context)
        assert found.prediction.win.tolist() == ladder.predict(found.teams, context=context).win.tolist()
        [match] = pw.next_matches(ladder, players=["ann", "newcomer 1"], context=context)
        assert match.prediction.win.tolist() == ladder.predict(match.teams, context=context).win.tolist()


def test_learning_curve_counts_in_the_qualities_of_pairs():
    """What the model does not know of the curve, newcomers share; so it matters less in a match between them."""
    curve = pw.facet.Experience((10,), sigma=3.0)
    ladder = pw.Ladder(pw.TrueSkill().replace(facets=(curve, pw.facet.By("mode", sigma=2.0))))
    for number in range(30):
        ladder.record([["ann"], [f"newcomer {number}"]], context={"mode": "1v1"})
    queue = [f"newcomer {number}" for number in range(4)] + [
        ("ann", "new"),
        ("bob", "newcomer 5"),
        pw.Rating(20.0, 2.0),
    ]
    for context in (None, {"mode": "1v1"}):
        pairing = pw.pair(ladder, queue, context=context)
        assert len(pairing.pairs) == 3
        for pair, quality in zip(pairing.pairs, pairing.quality, strict=True):
            teams = rated(ladder, [side if isinstance(side, tuple) else (side,) for side in pair])
            assert quality == pytest.approx(ladder.quality(teams, context=context), rel=1e-12)

"""The trace of a history agrees with a ladder that records match by match."""

import numpy as np
import pytest

import prowess as pw
from prowess.model.fit.trace import trace
from tests.model.fit.test_explain import HISTORY, LARGE, MODELS


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("history", [HISTORY, LARGE], ids=["league", "teams"])
def test_rating_changes_in_a_trace_equal_those_in_explanations(name, history):
    if history is LARGE and name in ("Harkness", "TS2c", "GaussianOD", "GaussianSD", "PoissonOD"):
        history = HISTORY  # these models need scores, or do not distinguish places
    model = MODELS[name]
    traced, fit = trace(pw.Ladder(model), history), model.fit(history)
    for player in (history.players[0], history.players[-1]):
        told, wanted = traced.describe(traced.entries(player)), fit.explain(player).matches
        for column in ("opponents", "partners", "place", "actual"):
            assert list(told[column]) == wanted[column].to_list(), column
        for column in ("expected", "moved", "shown_moved", "mu_before", "mu_after", "sigma_before", "sigma_after"):
            np.testing.assert_allclose(told[column], wanted[column].to_numpy(), 1e-12, 1e-9, err_msg=column)


@pytest.mark.parametrize("name", MODELS)
def test_continued_trace_equals_a_single_trace_to_the_last_bit(name):
    model, ladder = MODELS[name], pw.Ladder(MODELS[name])
    parts = [trace(ladder, HISTORY[a:b]) for a, b in ((0, 7), (7, 8), (8, len(HISTORY)))]
    whole = trace(pw.Ladder(model), HISTORY)
    for column in ("before", "after"):
        np.testing.assert_array_equal(np.concatenate([getattr(part, column) for part in parts]), getattr(whole, column))
    assert ladder == model.fit(HISTORY).ladder


def test_account_of_a_match_describes_its_rating_changes():
    matches = [
        {"teams": [["ann", "cat"], ["bob"]], "scores": [3, 1]},
        {"teams": [["bob"], ["ann"]], "ranks": [1, 1]},
        {"teams": [["ann"], ["dan"], ["bob"]], "ranks": [1, 2, 2]},
        {"teams": [["dan"], ["eve"]], "importance": 0},
    ]
    fit = pw.TrueSkill().fit(pw.History.from_matches(matches))
    ladder = pw.Ladder(pw.TrueSkill(tau=0))
    one, draw, three, nothing = (fit.account(match) for match in range(4))
    assert [(row["player"], row["team"], row["first"]) for row in one.rows] == [
        ("ann", 0, True),
        ("cat", 0, True),
        ("bob", 1, True),
    ]
    assert [row["partners"] for row in one.rows] == [["cat"], ["ann"], []]
    forecast = ladder.model.predict([[ladder.newcomer] * 2, [ladder.newcomer]])
    assert one.forecast["win"] == pytest.approx(forecast.win, abs=1e-4)
    assert one.sentences[0].startswith("ann won 3:1 against bob (93 % chance): +")
    assert draw.sentences[0].startswith("bob drew against ann (5 % chance): ")
    assert three.sentences[1].startswith("dan finished in place 2 of 3 against ann and bob, expected place 2.")
    assert three.sentences[1].endswith(" (a large change: this was a first match).")
    assert three.forecast["win"] is None
    assert not nothing.counts
    assert [row["moved"] for row in nothing.rows] == [0, 0]
    assert nothing.sentences == (
        "dan won against eve; the match does not count.",
        "eve lost against dan; the match does not count.",
    )
    with pytest.raises(pw.Error, match="match 4 not found"):
        fit.account(4)
    for told in (one, draw, three):
        for row in told.rows:
            assert row["mu_before"] + row["moved"] == pytest.approx(row["mu_after"])


def test_account_finds_an_earlier_match_however_long_ago():
    others = [{"teams": [["cat"], ["dan"]]}] * 9_000  # more entries than the first step of the search has
    history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, *others, {"teams": [["ann"], ["eve"]]}])
    assert [row["first"] for row in pw.Elo().fit(history).account(9_001).rows] == [False, True]

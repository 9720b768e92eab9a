"""Matches are merged if they are the same to the model, and kept apart if anything that the model uses differs."""

import numpy as np
import pytest

import prowess as pw
from prowess.model.hindsight.merge import keep_matches, matches_before, merge_matches
from prowess.model.ladder.facet_rows import enter_facets
from prowess.model.ladder.ladder import Ladder

ORDER = pw.TrueSkill(tau=0)
SCORES = pw.GaussianSD(tau=0)
MATCH = {"teams": [["a", "b"], ["c"]], "scores": [3, 1]}


def groups(model, *changes, **options):
    """Return the group of each match, which is `MATCH` with some changes."""
    history = pw.History.from_matches([MATCH | change for change in ({}, *changes)])
    columns = enter_facets(Ladder(model), history, history.player)
    return merge_matches(history, model, columns, **options).match_of.tolist()


def test_order_of_two_teams_and_of_players_does_not_matter():
    assert groups(SCORES, {"teams": [["c"], ["b", "a"]], "scores": [1, 3]}) == [0, 0]


def test_order_of_players_matters_to_weights_by_position():
    model = SCORES.replace(team=pw.team.Weighted((1.0, 0.5)))
    assert groups(model, {"teams": [["b", "a"], ["c"]]}, {"teams": [["c"], ["a", "b"]], "scores": [1, 3]}) == [0, 1, 0]


def test_order_of_three_teams_matters():
    teams = [["a"], ["b"], ["c"]]
    changes = [{"teams": teams, "scores": [1, 1, 2]}, {"teams": teams[::-1], "scores": [2, 1, 1]}]
    assert groups(SCORES, *changes, changes[0]) == [0, 1, 2, 1]


def test_scores_matter_only_to_models_of_scores():
    assert groups(ORDER, {"scores": [2, 1]}, {"scores": [1, 1]}) == [0, 0, 1]
    assert groups(SCORES, {"scores": [2, 1]}) == [0, 1]


def test_rosters_matter():
    changes = [{"teams": [["a"], ["c"]]}, {"teams": [["a", "c"], ["b"]]}, {"teams": [["a", "b"], ["d"]]}]
    assert groups(ORDER, *changes, {"weights": [[1, 0.5], [1]]}, {"weights": [[0.5, 1], [1]]}) == [0, 1, 2, 3, 4, 5]


def test_home_matters_only_to_models_with_a_home_advantage():
    assert groups(ORDER, {"home": 0}, {"home": 1}) == [0, 0, 0]
    at_home = ORDER.replace(home=pw.Home(2.0))
    assert groups(at_home, {"home": 0}, {"home": 1}, {"home": 0}) == [0, 1, 2, 1]
    turned = {"teams": [["c"], ["a", "b"]], "scores": [1, 3], "home": 1}
    assert groups(at_home, {"home": 0}, turned) == [0, 1, 1]


def test_context_matters_only_to_models_with_facets():
    changes = [{"context": {"map": name, "side": side}} for name in "xy" for side in (["u", "v"], ["v", "u"])]
    assert groups(ORDER, *changes) == [0] * 5
    assert groups(ORDER.replace(facets=(pw.facet.By("map"),)), *changes) == [0, 1, 1, 2, 2]
    assert groups(ORDER.replace(facets=(pw.facet.Shared("side"),)), *changes) == [0, 1, 2, 1, 2]
    assert groups(ORDER.replace(facets=(pw.facet.Experience(),)), {}) == [0, 1]


def test_numbers_of_the_context_matter_to_covariates():
    changes = [{"context": {"rest": rest}} for rest in ([1, 2], [1, 3], [1, 2])]
    assert groups(ORDER.replace(facets=(pw.facet.Covariate("rest"),)), *changes) == [0, 1, 2, 1]


def test_times_matter_on_request():
    history = pw.History.from_matches([MATCH | {"time": time} for time in (1, 2, 2)])
    assert merge_matches(history, ORDER).match_of.tolist() == [0, 0, 0]
    merged = merge_matches(history, ORDER, same_time=True)
    assert merged.match_of.tolist() == [0, 1, 1]
    assert merged.history.time.tolist() == [1, 2]


def test_importances_add_up():
    importances = (1.0, 2.0, 0.5, 0.5, 0.0)
    merged = merge_matches(pw.History.from_matches([MATCH | {"importance": w} for w in importances]), ORDER)
    assert merged.match_of.tolist() == [0, 0, 1, 1, 2]
    assert merged.importance.tolist() == merged.history.importance.tolist() == [3.0, 1.0, 0.0]
    assert merged.removed.tolist() == [1.0, 0.5, 0.0]


@pytest.mark.parametrize("merge", [lambda history: merge_matches(history, ORDER), keep_matches])
def test_indices_lead_back_to_the_original(merge):
    rng = np.random.default_rng(1)
    matches = [{"teams": [[f"p{i}"] for i in rng.permutation(4)[: rng.integers(2, 4)]]} for _ in range(80)]
    history = pw.History.from_matches(matches)
    merged = merge(history)
    assert merged.history.player.tolist() == history.player[merged.entry].tolist()
    assert merged.history.place.tolist() == history.place[merged.team].tolist()
    assert merged.importance.sum() == len(history)
    for i, match in enumerate(matches):
        teams = merged.history[int(merged.match_of[i])]["teams"]
        assert (teams[::-1] if merged.swapped[i] else teams) == match["teams"]


def test_matches_before_count_what_a_fit_counts():
    history = pw.History.from_matches([MATCH, MATCH | {"importance": 0.0}, MATCH])
    assert matches_before(history).tolist() == [0] * 3 + [1] * 6


def test_empty_history():
    merged = merge_matches(pw.History.from_matches([]), ORDER)
    assert len(merged.history) == len(merged.importance) == 0

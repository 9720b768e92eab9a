"""Fair teams are compared with all splits by brute force and with splits that are known to be even."""

import itertools
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import prowess as pw
from prowess.matchmaking import balance as _balance
from prowess.matchmaking.balancing.local_search import Climb, search
from prowess.matchmaking.balancing.rules import Rules, random_split
from prowess.matchmaking.player_pool import Performances, make_pool
from prowess.model.presets import PRESETS


def all_splits(players, sizes):
    """Yield every way to divide players into teams of these sizes; teams of equal size occur in every order."""
    if not sizes:
        yield []
        return
    for team in itertools.combinations(players, sizes[0]):
        for rest in all_splits([player for player in players if player not in team], sizes[1:]):
            yield [team, *rest]


def kept(teams, together, apart):
    team = {player: index for index, members in enumerate(teams) for player in members}
    one = all(len({team[player] for player in members}) == 1 for members in together)
    return one and all(len({team[player] for player in members}) == len(members) for members in apart)


def best(model, ratings, sizes, together=(), apart=()):
    """Return the highest quality of all splits that follow the rules; None if there is no such split."""
    found = [
        model.quality([[ratings[player] for player in team] for team in teams])
        for teams in all_splits(list(ratings), sizes)
        if kept(teams, together, apart)
    ]
    return max(found, default=None)


def some(model, count, seed=0):
    """Return players with ratings near a newcomer's, some of them with a small sigma."""
    rng = np.random.default_rng(seed)
    new = model.rating()
    if model.pipeline.traits > 1:
        parts = {trait: getattr(new, trait) for trait in model.outcome.traits}
        return {
            f"p{index}": model.rating(
                **{
                    trait: pw.Rating(part.mu + part.sigma * rng.normal(), part.sigma * rng.uniform(0.1, 1))
                    for trait, part in parts.items()
                }
            )
            for index in range(count)
        }
    scale = new.sigma or 200.0
    return {
        f"p{index}": model.rating(new.mu + scale * rng.normal(), new.sigma and new.sigma * rng.uniform(0.1, 1))
        for index in range(count)
    }


def squares(means):
    return [2 * mu for mu in means], -sum(mu * mu for mu in means)


TEAM_FUNCTIONS = {
    "Mean": pw.team.Mean(),
    "Weighted": pw.team.Weighted((1.0, 0.7, 0.5, 0.2)),
    "FullSquad": pw.team.FullSquad(size=2, discount=0.1),
    "LeaderBonus": pw.team.LeaderBonus(pw.team.Sum(), 0.3),
    "Affine": pw.team.Affine(squares),
}
MODELS = {name: preset() for name, preset in PRESETS.items()}
MODELS |= {name: pw.TrueSkill().replace(team=function) for name, function in TEAM_FUNCTIONS.items()}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
@pytest.mark.parametrize("sizes", [(3, 3), (3, 2, 1)], ids=str)
def test_split_of_six_players_is_the_best_possible(model, sizes):
    ratings = some(model, 6)
    found = pw.balance(model, ratings, sizes=sizes)
    assert found.exact
    assert found.quality == pytest.approx(best(model, ratings, sizes), rel=1e-12)
    assert [len(team) for team in found.teams] == list(sizes)
    rated = [[ratings[name] for name in team] for team in found.teams]
    assert found.quality == model.quality(rated)
    assert found.prediction.win.tolist() == model.predict(rated).win.tolist()


names = [f"p{index}" for index in range(7)]
groups = st.lists(st.lists(st.sampled_from(names), min_size=2, max_size=3, unique=True), max_size=3)


@given(st.integers(4, 7), st.integers(2, 3), groups, groups, st.integers(0, 99))
def test_best_split_follows_the_rules_and_contradictory_rules_raise_an_error(count, teams, together, apart, seed):
    """The split is the best that follows the rules; an error is raised exactly if brute force finds no split."""
    ratings = some(pw.TrueSkill(), count, seed)
    together = [[name for name in members if name in ratings] for members in together]
    apart = [[name for name in members if name in ratings] for members in apart]
    sizes = [count // teams + (team < count % teams) for team in range(teams)]
    expected = best(pw.TrueSkill(), ratings, sizes, [one for one in together if one], [one for one in apart if one])
    if expected is None:
        with pytest.raises(pw.Error, match=r"together|apart"):
            pw.balance(pw.TrueSkill(), ratings, teams=teams, together=together, apart=apart)
        return
    found = pw.balance(pw.TrueSkill(), ratings, teams=teams, together=together, apart=apart)
    assert sorted(itertools.chain(*found.teams)) == sorted(ratings)
    assert [len(team) for team in found.teams] == sizes
    assert found.quality == pytest.approx(expected, rel=1e-12)
    if found.unconstrained is not None:
        assert found.unconstrained == pytest.approx(best(pw.TrueSkill(), ratings, sizes), rel=1e-12)


@pytest.mark.parametrize("sizes", [(6, 6), (4, 4, 4), (3, 3, 3, 3), (5, 4, 2)], ids=str)
def test_local_search_finds_the_best_split(sizes, monkeypatch):
    monkeypatch.setattr("prowess.matchmaking.balancing.local_search.EFFORT", 8_000_000)
    ratings = some(pw.TrueSkill(), sum(sizes), seed=3)
    exact = pw.balance(pw.TrueSkill(), ratings, sizes=sizes)
    performances, rules = Performances(make_pool(pw.TrueSkill(), ratings), sizes), Rules(sizes)
    assert exact.exact
    team, _ = search(performances, rules, seed=0)
    assert Climb(performances, rules, team).value == pytest.approx(log(exact.quality), abs=1e-6)


@pytest.mark.parametrize("teams", [2, 4, 10])
def test_hundred_players_are_split_into_equally_strong_teams(teams):
    """There are as many equally good players at each level as teams, so a perfectly even split exists."""
    rng = np.random.default_rng(1)
    level = rng.normal(25, 6, 100 // teams)
    ratings = {f"p{index}": pw.Rating(level[index // teams], 3) for index in range(100 // teams * teams)}
    planted = [[ratings[f"p{index}"] for index in range(first, len(ratings), teams)] for first in range(teams)]
    found = pw.balance(pw.TrueSkill(), ratings, teams=teams)
    assert not found.exact
    assert found.quality == pytest.approx(pw.TrueSkill().quality(planted), rel=2e-3)


def test_split_of_a_large_group_follows_its_rules(monkeypatch):
    """Pairs stay together and captains apart in teams of two sizes; the same seed gives the same teams."""
    monkeypatch.setattr("prowess.matchmaking.balancing.local_search.EFFORT", 2_000_000)
    ratings = some(pw.TrueSkill(), 42, seed=5)
    together = [[f"p{index}", f"p{index + 1}"] for index in range(0, 12, 2)] + [["p12", "p13", "p14"]]
    apart = [["p0", "p20", "p21", "p22"], ["p12", "p23"], ["p23", "p24"]]
    options = {"sizes": [11, 11, 10, 10], "together": together, "apart": apart, "seed": 7}
    found = pw.balance(pw.TrueSkill(), ratings, **options)
    assert not found.exact
    assert kept(found.teams, together, apart)
    assert [len(team) for team in found.teams] == options["sizes"]
    assert sorted(itertools.chain(*found.teams)) == sorted(ratings)
    assert found.teams == pw.balance(pw.TrueSkill(), ratings, **options).teams
    assert 0.9 * found.unconstrained < found.quality < 1.001 * found.unconstrained


def test_groups_that_must_stay_together_are_swapped_as_a_whole(monkeypatch):
    """Twelve pairs in two teams: no single player can move, so whole groups must be swapped."""
    monkeypatch.setattr("prowess.matchmaking.balancing.local_search.EFFORT", 2_000_000)
    ratings = {f"p{index}": pw.Rating(20 + index // 2, 2) for index in range(24)}
    pairs = [[f"p{index}", f"p{index + 1}"] for index in range(0, 24, 2)]
    found = make_pool(pw.TrueSkill(), ratings)
    rules = Rules((12, 12), together=tuple((index, index + 1) for index in range(0, 24, 2)))
    team, _ = search(Performances(found, (12, 12)), rules, seed=0)
    sums = np.bincount(team, weights=[ratings[name].mu for name in found.names])
    assert sums[0] == sums[1]
    assert pw.balance(pw.TrueSkill(), ratings, together=pairs).exact  # pairs have few enough splits to compare all


IMPOSSIBLE = {
    "together and apart": (
        {"together": [["a", "b"]], "apart": [["b", "a"]]},
        "b and a must be apart, but a and b stay together",
    ),
    "through other groups": (
        {"together": [["a", "b"], ["b", "c"]], "apart": ["a", "c"]},
        "a and c must be apart, but a, b and c stay together",
    ),
    "group too large": (
        {"together": [["a", "b", "c", "d"]]},
        "a, b, c and d stay together, but the largest team has 3",
    ),
    "too many apart": ({"apart": [["a", "b", "c"]]}, "a, b and c must all be apart, but there are only 2 teams"),
    "three apart in two teams": (
        {"apart": [["a", "b"], ["b", "c"], ["c", "a"], ["d", "e"]]},
        "no split into 2 teams of 3 and 3 follows these rules: a and b apart; b and c apart; c and a apart",
    ),
    "pairs in odd teams": (
        {"together": [["a", "b"], ["c", "d"], ["e", "f"]]},
        "no split into 2 teams of 3 and 3 follows these rules: a and b together; c and d together; e and f together",
    ),
    "unknown player": ({"apart": [["a", "zoe"]]}, "apart: zoe is not among the players"),
    "player listed twice": ({"together": [["a", "a"]]}, "together: a is listed twice in a group"),
    "text instead of groups": ({"together": "ab"}, "together must be groups of names"),
    "sizes do not add up": ({"sizes": [4, 3]}, r"the sizes 4 \+ 3 = 7 do not match 6 players"),
    "one team": ({"teams": 1}, "teams must be a whole number of at least 2"),
    "too few players": ({"teams": 7}, "7 teams need at least 7 players, not 6"),
}


@pytest.mark.parametrize(("options", "message"), IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
def test_error_names_the_infeasible_rules(options, message):
    with pytest.raises(pw.Error, match=message):
        pw.balance(pw.TrueSkill(), list("abcdef"), **options)


def test_fifty_groups_of_two_cannot_be_split_into_teams_of_odd_size():
    """There are far too many splits to enumerate them all."""
    pairs = tuple((index, index + 1) for index in range(0, 100, 2))
    assert random_split(Rules((49, 51), together=pairs), np.random.default_rng(0)) is None
    assert random_split(Rules((33, 33, 34), together=pairs), np.random.default_rng(0)) is None
    split = random_split(Rules((34, 32, 34), together=pairs), np.random.default_rng(0))
    assert np.bincount(split).tolist() == [17, 16, 17]


def test_error_says_that_no_split_was_found_in_time(monkeypatch):
    monkeypatch.setattr("prowess.matchmaking.balancing.rules.WORK", 10)
    with pytest.raises(pw.Error, match="found in time"):
        pw.balance(pw.TrueSkill(), list("abcdef"), apart=[["a", "b"], ["b", "c"], ["c", "d"]])


def test_balance_gives_the_same_split_for_a_fit_a_ladder_and_ratings():
    history = pw.History.from_matches([{"teams": [["ann", "bob"], ["cat"]]}, {"teams": [["ann"], ["dan"]]}])
    fit = pw.TrueSkill().fit(history)
    who = ["ann", "bob", "cat", "eve"]
    by_fit, by_ladder = pw.balance(fit, who), pw.balance(fit.ladder, who)
    by_model = pw.balance(
        pw.TrueSkill(), {name: fit[name] if name != "eve" else pw.TrueSkill().rating() for name in who}
    )
    assert by_fit.teams == by_ladder.teams == by_model.teams == pw.balance(fit, iter(who)).teams
    assert by_fit.newcomers == by_ladder.newcomers == ("eve",)
    assert by_model.newcomers == ()
    assert "Newcomer: eve." in by_fit.summary
    fit.ladder.record([["cat"], ["ann"]])  # the fit is unchanged
    assert pw.balance(fit, who).quality == by_fit.quality
    learnt = pw.Elo().fit(pw.History.from_matches([{"teams": [["ann"], ["bob"]], "ranks": [1, 1]}] * 9))
    assert pw.balance(learnt, ["ann", "bob"]).prediction.draw == learnt.predict([["ann"], ["bob"]]).draw > 0.1


def test_most_even_split_is_found_even_if_all_qualities_underflow_to_zero():
    """Ratings are so far apart that all qualities are 0, but their logarithms differ."""
    ratings = {name: pw.Rating(mu, 1) for name, mu in zip("abcd", (9e9, 5e9, 4e9, 1e9), strict=True)}
    found = pw.balance(pw.TrueSkill(), ratings)
    assert found.quality == 0.0
    assert found.teams == (("a", "d"), ("b", "c"))
    assert found.fairness == "one-sided"


def test_equal_ratings_are_balanced_without_a_search():
    found = pw.balance(pw.TrueSkill(), [f"p{index}" for index in range(200)], teams=10, apart=[["p0", "p1"]])
    assert found.exact
    assert [len(team) for team in found.teams] == [20] * 10
    assert found.tilt == pytest.approx(0.0, abs=1e-6)
    assert "rated alike" in found.summary


def test_players_of_a_balanced_team_keep_the_order_of_the_list():
    """The first player listed in a team is its captain."""
    model = pw.TrueSkill().replace(team=pw.team.Weighted((1.0, 0.1)))
    ratings = {name: pw.Rating(mu, 1) for name, mu in (("a", 30), ("b", 30), ("c", 20), ("d", 10))}
    found = pw.balance(model, ratings)
    assert found.teams == (("a", "c"), ("b", "d"))
    assert all(list(team) == sorted(team) for team in found.teams)


@pytest.mark.parametrize(
    ("source", "players", "message"),
    [
        (pw.TrueSkill, ["a", "b"], "a Ladder, a Fit or a Model"),
        (pw.TrueSkill(), "ann", "players must be a list of names"),
        (pw.TrueSkill(), ["a", " a "], "a is listed twice"),
        (pw.TrueSkill(), {"a": 25, "b": 30}, "a must have a Rating"),
        (pw.TrueSkill(), [], "2 teams need at least 2 players"),
        (pw.TrueSkill(), {"a": pw.Rating(3), "b": pw.Rating(4)}, "no sigma"),
        (pw.TrueSkill().replace(noise=0), {"a": pw.Rating(3, 1), "b": pw.Rating(4, 1)}, "beta above 0"),
    ],
)
def test_balance_rejects_invalid_arguments(source, players, message):
    with pytest.raises(pw.Error, match=message):
        pw.balance(source, players)


def test_pw_balance_is_the_function_not_the_module():
    assert _balance is pw.balance

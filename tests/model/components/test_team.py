"""Team functions: hand calculations, partial play, nesting, named parameters, and invalid input."""

import copy
import itertools
import pickle
from dataclasses import dataclass

import numpy as np
import pytest

import prowess as pw
from prowess.model.params import change, parameters
from tests.pure import load
from tests.test_modes import league


def weights(function, *teams, shares=None, traits=1):
    """Return the weight α of every player, nested like the teams, and the offsets α₀.

    A player is given as a mean, or as a tuple with a mean per trait.
    """
    players = [player if isinstance(player, tuple) else (player,) for team in teams for player in team]
    board = pw.Board(teams=len(teams), entries=len(players), traits=traits)
    starts = np.cumsum([0, *(len(team) for team in teams)]).tolist()
    for index, start in enumerate(starts):
        board.start[index] = start
    for e, means in enumerate(players):
        for k, mean in enumerate(means):
            board.mu[e * traits + k] = mean
            board.alpha[e * traits + k] = 1.0 if shares is None else shares[e]
    function.weigh(board)
    alpha = np.array(board.alpha[: len(players) * traits]).reshape(-1, traits).squeeze(axis=1 if traits == 1 else ())
    return [alpha[a:b].tolist() for a, b in itertools.pairwise(starts)], list(board.offset)


def test_performance_of_an_incomplete_squad_is_discounted():
    """For n ≤ 6 players, the factor is 0.88 + 0.02 n as printed in the paper."""
    for n in range(1, 7):
        [alpha], _ = weights(pw.team.FullSquad(), [25.0] * n)
        assert alpha == pytest.approx([(0.88 + 0.02 * n) / n] * n, rel=1e-14)
    [three], _ = weights(pw.team.FullSquad(size=4, discount=0.25), [1.0, 2.0, 3.0])
    assert three == [0.25, 0.25, 0.25]


def test_roster_larger_than_the_squad_performs_like_its_best_players():
    """The three largest of 7, 1, 2, 3, 4 sum to 14 of 17, so every player has the weight 14/(3 · 17)."""
    [alpha, other], _ = weights(pw.team.FullSquad(size=3), [7.0, 1.0, 2.0, 3.0, 4.0], [3.0, 9.0])
    assert alpha == pytest.approx([14 / 51] * 5, rel=1e-14)
    assert other == pytest.approx([0.98 / 2] * 2, rel=1e-14)
    assert sum(a * mu for a, mu in zip(alpha, [7.0, 1.0, 2.0, 3.0, 4.0], strict=True)) == pytest.approx(14 / 3)
    [equal], _ = weights(pw.team.FullSquad(size=3), [5.0] * 4)
    assert equal == pytest.approx([1 / 4] * 4)
    [some_below], _ = weights(pw.team.FullSquad(size=2), [-5.0, 6.0, 2.0])
    assert some_below == pytest.approx([8 / (2 * 3)] * 3)
    [mean], _ = weights(pw.team.FullSquad(size=3, larger="mean"), [-7.0, -1.0, -2.0, -3.0])
    assert mean == [0.25] * 4


def test_full_squad_weighs_players_by_their_playing_time():
    squad = pw.team.FullSquad()
    [alpha], _ = weights(squad, [25.0] * 6, shares=[1, 1, 1, 1, 1, 0.5])
    assert alpha == pytest.approx([0.99 / 5.5] * 5 + [0.99 * 0.5 / 5.5], rel=1e-14)
    [took_turns], _ = weights(squad, [30.0, 20.0, 5.0, 5.0, 5.0, 5.0, 5.0], shares=[0.5, 0.5, 1, 1, 1, 1, 1])
    assert took_turns == pytest.approx([0.5 / 6] * 2 + [1 / 6] * 5, rel=1e-14)
    [absent], [without] = (weights(squad, team, shares=s)[0] for team, s in (([9.0, 1.0], [1, 0]), ([9.0], [1])))
    assert absent == [*without, 0.0]
    [briefly], _ = weights(pw.team.FullSquad(discount=0.19), [9.0], shares=[0.01])
    assert briefly == pytest.approx([1 - 0.19 * 5])
    # The best three of 3.5 players are all of 8, half of 7, all of 6 and half of 4.
    [alpha], _ = weights(pw.team.FullSquad(size=3), [4.0, 8.0, 7.0, 6.0], shares=[1, 1, 0.5, 1])
    assert alpha == pytest.approx(np.array([1, 1, 0.5, 1]) * 19.5 / 3 / 21.5, rel=1e-14)
    # The weights are continuous at the size where a roster becomes larger than the squad.
    near = [weights(squad, [9.0, 8, 7, 6, 5, 4, 3], shares=[1] * 6 + [share])[0][0] for share in (1e-9, 0.0)]
    assert near[0] == pytest.approx(near[1], abs=1e-8)


def test_roster_of_5000_players_performs_like_its_best_six():
    means = np.random.default_rng(3).normal(3000, 1000, 5000)
    [alpha], _ = weights(pw.team.FullSquad(), means.tolist())
    assert alpha == pytest.approx([np.sort(means)[-6:].sum() / (6 * means.sum())] * 5000, rel=1e-12)


@pytest.mark.parametrize("team", [[1.0, 2.0, -3.0], [-1.0] * 3, [0.0] * 3, [1.0, -1.0, 1e-300]])
def test_roster_larger_than_the_squad_needs_a_positive_sum_of_means(team):
    with pytest.raises(pw.Error, match="team 2 has more than 2 players, and their means sum to"):
        weights(pw.team.FullSquad(size=2), [1.0], team)
    model = pw.TrueSkill().replace(team=pw.team.FullSquad(size=2))
    teams = [["a"], ["b", "c", "d"]]
    history = pw.History.from_matches([{"teams": [["a"], ["b"]]}, {"teams": teams}])
    start = {name: pw.Rating(mu, 1) for name, mu in zip("bcd", team, strict=True)}
    with pytest.raises(pw.Error, match=r"match.*team 2 has more than 2 players"):
        model.replace(tau=0, mu=0).fit(history, start=start)


def test_leader_of_a_team_gets_a_larger_weight():
    """The weights 1, 1.1, 1 are scaled to a total of 3; of two equal players, the first one leads."""
    [alpha, pair], _ = weights(pw.team.LeaderBonus(pw.team.Sum()), [1.0, 5.0, 3.0], [2.0, 2.0])
    assert alpha == pytest.approx([3 / 3.1, 3.3 / 3.1, 3 / 3.1], rel=1e-14)
    assert pair == pytest.approx([2.2 / 2.1, 2 / 2.1], rel=1e-14)
    squad = pw.team.FullSquad(size=4)
    [alpha], _ = weights(pw.team.LeaderBonus(squad, leader_bonus=0.5), [-1.0, -2.0], shares=[1.0, 0.5])
    assert alpha == pytest.approx([0.95 * 1.5 / 2.0, 0.95 * 0.5 / 2.0], rel=1e-14)  # total 0.95, split 3 to 1
    assert weights(pw.team.LeaderBonus(squad, leader_bonus=0), [1.0, 2.0])[0] == weights(squad, [1.0, 2.0])[0]
    alone, _ = weights(pw.team.LeaderBonus(pw.team.Sum()), [4.0])
    assert alone == [[1.0]]
    [alpha], _ = weights(pw.team.LeaderBonus(pw.team.Sum()), [9.0, 1.0, 2.0], shares=[0, 1, 1])
    assert alpha == pytest.approx([0, 2 / 2.1, 2.2 / 2.1], rel=1e-14)  # a player without playing time does not lead
    [alpha], _ = weights(pw.team.LeaderBonus(pw.team.Weighted((0.0,))), [9.0])
    assert alpha == [0.0]


def test_leader_and_best_players_are_chosen_for_each_trait():
    players = [(1.0, 8.0), (5.0, 4.0), (3.0, 2.0)]
    [alpha], _ = weights(pw.team.LeaderBonus(pw.team.Sum()), players, traits=2)
    for trait, wanted in enumerate(([3, 3.3, 3], [3.3, 3, 3])):
        assert [player[trait] for player in alpha] == pytest.approx([weight / 3.1 for weight in wanted], rel=1e-14)
    [alpha], _ = weights(pw.team.FullSquad(size=2), players, traits=2)
    for player in alpha:
        assert player == pytest.approx([8 / 18, 12 / 28], rel=1e-14)
    [alpha], _ = weights(pw.team.Mean(), players, traits=2)
    assert np.array(alpha) == pytest.approx(np.full((3, 2), 1 / 3))
    [alpha], offset = weights(pw.team.Affine(squares), players[:2], traits=2)
    assert alpha == [[2.0, 16.0], [10.0, 8.0]]
    assert offset == [-26.0, -80.0]


def squares(means):
    """Return the tangent of t = Σp²."""
    return [2 * mu for mu in means], -sum(mu * mu for mu in means)


def test_affine_team_function_approximates_a_nonlinear_function():
    alpha, offset = weights(pw.team.Affine(squares), [3.0, 1.0], [2.0], shares=[1, 0.5, 1])
    assert alpha == [[6.0, 1.0], [4.0]]
    assert offset == [-10.0, -4.0]
    model = pw.TrueSkill(tau=0).replace(team=pw.team.Affine(squares))
    teams = [[pw.Rating(3, 1), pw.Rating(1, 2)], [pw.Rating(2, 1)]]
    prediction = model.predict(teams)
    beta = model.noise**2
    assert prediction.mean.tolist() == [10.0, 4.0]
    assert prediction.sigma**2 == pytest.approx([36 * (1 + beta) + 4 * (4 + beta), 16 * (1 + beta)])
    plain = model.replace(team=pw.team.Affine(lambda means: ([1.0] * len(means), 0)))
    assert plain.rate(teams) == model.replace(team=pw.team.Sum()).rate(teams)
    shifted = model.replace(team=pw.team.Affine(lambda means: (np.ones(len(means)), 7.0 if len(means) == 1 else 0.0)))
    by_hand = model.replace(team=pw.team.Sum()).predict([teams[0], [pw.Rating(9, 1)]])
    assert shifted.predict(teams).win == pytest.approx(by_hand.win)


def test_affine_team_function_works_with_varying_team_sizes():
    """Every match sets all offsets again, so no offset remains from an earlier match."""
    model = pw.TrueSkill().replace(team=pw.team.Affine(lambda means: ([1.0] * len(means), -5.0 * len(means))))
    matches = league(np.random.default_rng(3), matches=40, players=20)
    fit = model.fit(pw.History.from_matches(matches))
    ladder = pw.Ladder(model)
    for match in matches:
        ladder.record(**match)
    assert ladder.leaderboard()["mu"].to_list() == pytest.approx(fit.leaderboard()["mu"].to_list(), abs=1e-9)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, r"must return \(weights, offset\), but returned None for team 1"),
        (3.0, r"must return \(weights, offset\)"),
        (([1.0, 1.0], 0.0, 0.0), r"must return \(weights, offset\)"),
        ((1.0, 0.0), r"must return \(weights, offset\)"),
        (([1.0], 0.0), "returned 1 weights for the 2 players of team 1"),
        (([1.0, float("nan")], 0.0), "weight of player 2 of team 1 must be a finite number"),
        (([1.0, "x"], 0.0), "weight of player 2 of team 1 must be a finite number"),
        (([1.0, 1.0], float("inf")), "offset of team 1 must be a finite number"),
    ],
)
def test_return_value_of_an_affine_team_function_is_checked(returned, message):
    model = pw.TrueSkill().replace(team=pw.team.Affine(lambda means: returned))
    with pytest.raises(pw.Error, match=message):
        model.rate([[pw.Rating(1, 1)] * 2, [pw.Rating(1, 1)]])


def test_affine_team_function_can_be_pickled_but_not_saved():
    team = pw.team.Affine(squares)
    assert pickle.loads(pickle.dumps(team)) == team == copy.deepcopy(team) == pw.team.Affine(squares)
    assert team != pw.team.Affine(len)
    assert hash(team) == hash(pw.team.Affine(squares))
    with pytest.raises(pw.Error, match="cannot be saved"):
        pw.TrueSkill().replace(team=team).to_dict()
    with pytest.raises(ZeroDivisionError):
        pw.TrueSkill().replace(team=pw.team.Affine(lambda means: 1 / 0)).rate([[pw.Rating(1, 1)], [pw.Rating(1, 1)]])


def test_leader_bonus_needs_weights_with_a_positive_sum():
    for first in (-1.0, -2.0):
        lead = pw.team.LeaderBonus(pw.team.Affine(lambda means, first=first: ([first, 1.0], 0.0)))
        with pytest.raises(pw.Error, match="the weights of team 1 sum to"):
            weights(lead, [1.0, 2.0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pw.team.FullSquad(size=0), "size must be a whole number"),
        (lambda: pw.team.FullSquad(size=6.0), "size must be a whole number"),
        (lambda: pw.team.FullSquad(size=True), "size must be a whole number"),
        (lambda: pw.team.FullSquad(size=10**40), "size must lie between"),
        (lambda: pw.team.FullSquad(discount=-0.1), "discount must be a finite number of at least 0"),
        (lambda: pw.team.FullSquad(discount=0.2), "below 1/5"),
        (lambda: pw.team.FullSquad(size=2, discount=1), "below 1/1"),
        (lambda: pw.team.FullSquad(larger="best"), "larger must be one of 'top', 'mean'"),
        (lambda: pw.team.FullSquad(larger=["top"]), "larger must be one of"),
        (lambda: pw.team.LeaderBonus(6), "squad must be a team function"),
        (lambda: pw.team.LeaderBonus(pw.TeamFunction()), "squad must be a team function"),
        (lambda: pw.team.LeaderBonus(pw.team.Sum(), leader_bonus=-0.1), "leader_bonus must be"),
        (lambda: pw.team.Affine(3), "function must be a function"),
        (lambda: pw.team.Weighted([1.0]), "must be a tuple"),
        (lambda: pw.TrueSkill().replace(team=pw.team.FullSquad()).replace(size=51), "below 1/50"),
    ],
)
def test_invalid_parameters_of_team_functions_are_rejected(make, message):
    with pytest.raises(pw.Error, match=message):
        make()


def test_full_squad_of_size_one_accepts_any_discount():
    assert weights(pw.team.FullSquad(size=1, discount=5.0), [3.0])[0] == [[1.0]]


def test_parameters_of_nested_components_can_be_replaced_by_name():
    model = pw.TrueSkill().replace(team=pw.team.LeaderBonus(pw.team.FullSquad()))
    wanted = {"size": 6, "discount": 0.02, "larger": "top", "leader_bonus": 0.1, "squad": pw.team.FullSquad()}
    assert {name: model.params[name] for name in wanted} == wanted
    assert model.replace(**model.params) == model
    changed = model.replace(size=5, discount=0.1, leader_bonus=0.3, beta=3)
    assert changed.team == pw.team.LeaderBonus(pw.team.FullSquad(5, 0.1), 0.3)
    assert changed.replace(squad=pw.team.Sum()).team == pw.team.LeaderBonus(pw.team.Sum(), 0.3)
    assert "size" not in changed.replace(squad=pw.team.Sum()).params
    assert pw.Model.from_dict(model.to_dict()) == model
    with pytest.raises(pw.Error, match=r"does not accept .*size=4"):
        model.replace(squad=pw.team.Sum(), size=4)
    with pytest.raises(pw.Error, match=r"unknown parameter 'sizes'; choose one of .*leader_bonus, size"):
        model.replace(sizes=4)


def test_parameters_of_a_margin_inside_an_outcome_can_be_replaced_by_name():
    model = pw.TrueSkill(margin=pw.model.components.margin.Fixed(0.5))
    assert model.params["epsilon"] == 0.5
    assert model.replace(epsilon=0.7).params["margin"] == pw.model.components.margin.Fixed(0.7)
    assert model.replace(**model.params) == model
    assert "epsilon" not in model.replace(draw_probability=0.1).params
    assert model.replace(draw_probability=0.1) == pw.TrueSkill(draw_probability=0.1)


def test_parameter_name_shared_by_nested_components_refers_to_the_outer_one():
    twice = pw.team.LeaderBonus(pw.team.LeaderBonus(pw.team.FullSquad(), 0.2), 0.3)
    assert parameters(twice)["leader_bonus"] == 0.3
    assert parameters(twice)["size"] == 6
    changed = change(twice, {"leader_bonus": 0.4, "size": 5})
    assert changed == pw.team.LeaderBonus(pw.team.LeaderBonus(pw.team.FullSquad(5), 0.2), 0.4)


@dataclass(frozen=True)
class Best(pw.TeamFunction):
    """A user-defined team function with a parameter, which reduces the weight of all players but the first."""

    share: float = 1.0

    def weigh(self, board):
        for j in range(board.teams):
            for e in range(board.start[j] + 1, board.start[j + 1]):
                board.alpha[e] *= 1.0 - self.share


def test_user_defined_component_can_contain_another_component():
    model = pw.TrueSkill().replace(team=pw.team.LeaderBonus(Best()))
    assert model.replace(share=0.5).team.squad == Best(0.5)
    [alpha], _ = weights(model.replace(share=0.5).team, [1.0, 2.0])
    assert alpha == pytest.approx([1.5 / 1.55, 0.5 * 1.1 * 1.5 / 1.55])


INNER = [
    pw.team.Sum(),
    pw.team.Mean(),
    pw.team.Weighted((1.0, 0.5, 0.25)),
    pw.team.FullSquad(3),
    pw.team.Affine(squares),
]
INNER += [pw.team.LeaderBonus(team) for team in INNER]
OUTCOMES = [pw.outcome.Order(draw_probability=0.1), pw.outcome.PlacesML(margin=1.0)]


@pytest.mark.parametrize(("team", "outcome"), list(itertools.product(INNER, OUTCOMES)))
def test_any_team_function_works_with_any_outcome(team, outcome):
    model = pw.Model(prior=pw.Normal(25, 8), noise=4, team=team, drift=pw.drift.PerMatch(0.2), outcome=outcome)
    frame = model.fit(pw.History.from_matches(league(np.random.default_rng(1), matches=40, players=20))).leaderboard()
    assert np.isfinite(frame["mu"].to_numpy()).all()
    assert (frame["sigma"].to_numpy() > 0).all()
    assert pickle.loads(pickle.dumps(model)) == model


def test_team_functions_give_identical_results_compiled_and_uncompiled():
    results = []
    for package in (pw, load()):
        for team in (package.team.FullSquad(2), package.team.LeaderBonus(package.team.FullSquad(2, 0.1), 0.3)):
            model = package.TrueSkill().replace(team=team, mu=40)
            fit = model.fit(package.History.from_matches(league(np.random.default_rng(8), matches=150)))
            results.append(fit.leaderboard()["mu"].to_numpy().tobytes() + fit.forecasts.log_evidence.tobytes())
    assert results[:2] == results[2:]

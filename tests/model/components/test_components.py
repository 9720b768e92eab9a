"""Components: all combinations, user-defined components, named parameters, and pickling."""

import copy
import itertools
import pickle
from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest

import prowess as pw
from tests.test_modes import league

TEAMS = [pw.team.Sum(), pw.team.Mean(), pw.team.Weighted((1.0, 0.5, 0.25))]
DRIFTS = [pw.drift.Still(), pw.drift.PerMatch(0.2), pw.drift.PerTime(0.5), pw.drift.PerTime(0.5, cap=7.0)]
OUTCOMES = [pw.outcome.Order(draw_probability=0.1), pw.outcome.Order(margin=1.0)]


def short(parts):
    """Return the class name as a test id."""
    return "-".join(type(part).__name__ for part in (parts if isinstance(parts, tuple) else (parts,)))


ABSORBS = [pw.absorb.Moment(), pw.absorb.Newton(), pw.absorb.Constant()]


@pytest.mark.parametrize("parts", list(itertools.product(TEAMS, DRIFTS, OUTCOMES, ABSORBS)), ids=short)
def test_all_combinations_of_components_can_rate_a_league(parts):
    team, drift, outcome, absorb = parts
    model = pw.Model(prior=pw.Normal(25, 8), noise=4, team=team, drift=drift, outcome=outcome, absorb=absorb)
    matches = league(np.random.default_rng(1), matches=60, players=24)
    fit = model.fit(pw.History.from_matches(matches))
    frame = fit.leaderboard()
    assert np.isfinite(frame["mu"].to_numpy()).all()
    assert (frame["sigma"].to_numpy() > 0).all()
    if isinstance(absorb, pw.absorb.Constant) and isinstance(drift, pw.drift.Still):
        assert frame["sigma"].to_list() == [8.0] * len(frame)


@dataclass(frozen=True)
class Coin(pw.Outcome):
    """A user-defined outcome in plain Python: it learns nothing and forecasts every match as a coin toss."""

    def forecast(self, board):
        board.win = board.loss = 0.5
        board.draw = 0.0

    def evidence(self, board):
        for team in range(board.teams):
            board.d1[team] = board.d2[team] = 0.0
            board.left[team] = 1.0
        return -0.6931471805599453


@dataclass(frozen=True)
class Plain(pw.Outcome):
    """TrueSkill for two teams without draws, reimplemented in plain Python."""

    slope: float = 1.0

    def evidence(self, board):
        from math import erfc, exp, log, pi, sqrt

        won, lost = (0, 1) if board.place[0] < board.place[1] else (1, 0)
        square = board.variance[0] + board.variance[1]
        t = (board.mean[won] - board.mean[lost]) / sqrt(square)
        z = erfc(-t / sqrt(2)) / 2
        v = exp(-t * t / 2) / sqrt(2 * pi) / z
        w = v * (v + t)
        board.d1[won], board.d1[lost] = v / sqrt(square), -v / sqrt(square)
        for team in (0, 1):
            board.d2[team] = -w / square
            board.left[team] = 1 + board.variance[team] * board.d2[team]
        return log(z)


@dataclass(frozen=True)
class Best(pw.TeamFunction):
    """A team function in which only the player with the highest prior mean counts."""

    def weigh(self, board):
        for j in range(board.teams):
            team = range(board.start[j], board.start[j + 1])
            best = max(team, key=lambda e: board.mu[e])
            for e in team:
                board.alpha[e] = 1.0 if e == best else 0.0


@dataclass(frozen=True)
class Doubling(pw.Drift):
    """A drift that doubles the variance before every match."""

    def widen(self, board):
        for e in range(board.entries):
            board.var[e] *= 2.0


@dataclass(frozen=True)
class Half(pw.Margin):
    """A draw margin of half the first team's noise."""

    def between(self, board, i, j):
        return 0.5 * board.noise[i] ** 0.5


def test_compiled_engine_runs_a_user_defined_outcome_in_plain_python():
    model = pw.TrueSkill(draw_probability=0)
    own = model.replace(outcome=Plain())
    rng = np.random.default_rng(4)
    matches = [{"teams": [[str(a)], [str(b)]]} for a, b in (rng.permutation(9)[:2] for _ in range(200))]
    history = pw.History.from_matches(matches)
    ours, theirs = own.fit(history).leaderboard(), model.fit(history).leaderboard()
    assert ours["mu"].to_numpy() == pytest.approx(theirs["mu"].to_numpy(), rel=1e-9)
    coin = model.replace(outcome=Coin()).fit(history)
    assert set(coin.leaderboard()["mu"]) == {25.0}
    assert coin.forecasts.win.tolist() == [0.5] * 200


def test_user_defined_team_function_drift_and_margin_are_used():
    model = pw.TrueSkill(tau=0)
    a, b = pw.Rating(30, 4), pw.Rating(20, 4)
    [[best, other], _] = model.replace(team=Best()).rate([[a, b], [a]])
    assert other == b
    assert pw.Rating(best.mu, best.sigma) == model.rate([[a], [a]])[0][0]
    [[doubled], _] = model.replace(drift=Doubling()).rate([[a], [b]])
    assert doubled.mu == pytest.approx(model.rate([[pw.Rating(30, 32**0.5)], [pw.Rating(20, 32**0.5)]])[0][0].mu)
    margin = 0.5 * model.noise
    assert model.replace(margin=Half()).rate([[a], [b]]) == model.replace(margin=margin).rate([[a], [b]])


def test_exception_in_a_user_defined_component_reaches_the_caller():
    @dataclass(frozen=True)
    class Broken(pw.Outcome):
        def evidence(self, board):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        pw.TrueSkill().replace(outcome=Broken()).rate([[pw.Rating(1, 1)], [pw.Rating(1, 1)]])


def test_model_parameters_can_be_read_and_replaced_by_name():
    model = pw.TrueSkill(mu=30, sigma=9, beta=5, tau=0.2, draw_probability=0.3)
    wanted = {"mu": 30, "sigma": 9, "beta": 5, "tau": 0.2, "draw_probability": 0.3}
    assert {name: model.params[name] for name in wanted} == wanted
    assert model.replace(**model.params) == model
    changed = model.replace(beta=3, sigma=4, team=pw.team.Mean(), margin=0.5)
    assert changed.noise == 3
    assert changed.prior == pw.Normal(30, 4)
    assert "draw_probability" not in changed.params
    assert changed.replace(draw_probability=0.3, beta=5, sigma=9, team=pw.team.Sum()) == model
    assert model.replace(drift=pw.drift.PerTime(0.1)).replace(tau=0.7).drift == pw.drift.PerTime(0.7)
    assert model.replace(noise=2).params["beta"] == 2


@pytest.mark.parametrize(
    "part", [*TEAMS, *DRIFTS, *OUTCOMES, *ABSORBS, pw.Normal(25, 8), pw.Rating(25, 8), Coin()], ids=short
)
def test_components_are_immutable_hashable_picklable_and_compare_by_value(part):
    assert pickle.loads(pickle.dumps(part)) == part
    assert copy.deepcopy(part) == part
    assert hash(copy.deepcopy(part)) == hash(part)
    assert repr(part) == repr(copy.deepcopy(part))
    for name in ("mu", "tau", "sigma", "weights", "margin"):
        if hasattr(part, name):
            with pytest.raises((AttributeError, FrozenInstanceError)):
                setattr(part, name, 1.0)


def test_models_can_be_pickled_and_compared():
    model = pw.TrueSkill(beta=3)
    model.rate([[model.rating()], [model.rating()]])
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    assert hash(again) == hash(model)
    assert again != pw.TrueSkill(beta=4)
    assert again.rate([[model.rating()], [model.rating()]]) == model.rate([[model.rating()], [model.rating()]])
    with pytest.raises(FrozenInstanceError):
        model.noise = 5


@pytest.mark.parametrize("parts", list(itertools.product(TEAMS, DRIFTS, OUTCOMES[:1], ABSORBS[:2])), ids=short)
def test_models_convert_to_plain_data_and_back(parts):
    import json

    team, drift, outcome, absorb = parts
    model = pw.Model(prior=pw.Normal(25, 8), noise=4, team=team, drift=drift, outcome=outcome, absorb=absorb, caution=2)
    assert pw.Model.from_dict(json.loads(json.dumps(model.to_dict(), allow_nan=False))) == model


def test_loading_a_ladder_with_user_defined_components_needs_the_model(tmp_path):
    model = pw.TrueSkill().replace(outcome=Coin())
    with pytest.raises(pw.Error, match="Coin is not a registered component"):
        model.to_dict()
    pw.Ladder(model, {"ann": pw.Rating(30, 4)}).save(tmp_path / "x")
    with pytest.raises(pw.Error, match="custom components; pass its model"):
        pw.Ladder.load(tmp_path / "x")
    assert pw.Ladder.load(tmp_path / "x", model=model)["ann"] == pw.Rating(30, 4)


def test_shown_rating_subtracts_caution_times_sigma():
    model = pw.TrueSkill().replace(caution=2)
    assert model.rating(30, 4).shown == 22
    assert model.rate([[model.rating()], [model.rating()]])[0][0].caution == 2
    assert pw.Ladder(model, {"ann": pw.Rating(30, 4)}).leaderboard()["shown"][0] == 22
    assert pw.Rating(30, 4).shown == 18
    assert pw.Rating(1500).shown == 1500
    assert pw.Rating(1500).sigma is None


def test_model_can_be_used_by_many_threads():
    from concurrent.futures import ThreadPoolExecutor

    model = pw.TrueSkill().replace(team=Best())
    teams = [[pw.Rating(20 + i, 4), pw.Rating(25, 3)] for i in range(5)]
    wanted = model.rate(teams)
    with ThreadPoolExecutor(8) as pool:
        assert all(result == wanted for result in pool.map(lambda _: model.rate(teams), range(400)))


@dataclass(frozen=True)
class Counting(pw.Absorb):
    """An update rule with an extra state column, which starts at 10 and counts the matches."""

    extras = ("seen",)

    def welcome(self, board, entry):
        board.extra[entry] = 10.0

    def absorb(self, board):
        for entry in range(board.entries):
            board.extra[entry] += 1.0


def test_extra_state_columns_are_kept_for_each_player(tmp_path):
    model = pw.TrueSkill(tau=0).replace(absorb=Counting())
    matches = [{"teams": [["a"], ["b"]]}, {"teams": [["a"], ["b"]]}, {"teams": [["c"], ["a"]]}]
    fit = model.fit(pw.History.from_matches(matches))
    assert dict(zip(fit.ladder.names, fit.ladder.state[:, 4].tolist(), strict=False)) == {
        "a": 13.0,
        "b": 12.0,
        "c": 11.0,
    }
    fit.ladder.save(tmp_path / "x")
    assert pw.Ladder.load(tmp_path / "x", model=model) == fit.ladder


def test_parameters_of_two_components_may_have_the_same_name():
    """The name of the component is put in front of such a parameter, as in `drift_tau`."""

    @dataclass(frozen=True)
    class Noisy(Coin):
        noise: float = 1.0

    model = pw.TrueSkill().replace(outcome=Noisy())
    assert (model.params["outcome_noise"], model.params["beta"]) == (1.0, 25 / 6)
    assert model.replace(outcome_noise=2.0).outcome.noise == 2.0
    drifting = pw.Glicko2().replace(drift=pw.drift.PerTime(1.0))
    assert (drifting.params["drift_tau"], drifting.params["absorb_tau"]) == (1.0, 0.5)
    assert drifting.replace(absorb_tau=0.3).absorb.tau == 0.3
    with pytest.raises(pw.Error, match=r"'tau'; choose one of .*drift_tau"):
        drifting.replace(tau=2.0)
    assert "tau" in drifting.replace(drift=pw.drift.Still()).params


def test_scores_are_cleared_from_the_board_before_the_next_match():
    seen = []

    @dataclass(frozen=True)
    class Watching(Coin):
        def evidence(self, board):
            seen.append(list(board.score[:2]))
            return Coin.evidence(self, board)

    model = pw.TrueSkill().replace(outcome=Watching())
    teams = [[pw.Rating(1, 1)], [pw.Rating(2, 1)]]
    model.rate(teams, scores=[3, 1])
    model.rate(teams)
    assert seen[0] == [3.0, 1.0]
    assert all(np.isnan(seen[1]))


@pytest.mark.parametrize("absorb", ABSORBS, ids=short)
def test_rating_of_a_team_without_uncertainty_does_not_change(absorb):
    """A team learns nothing if its skills are known and have no noise, or if all its players have weight 0; its
    opponent learns."""
    known, open_ = pw.Rating(25, 0), pw.Rating(25, 8)
    [[same], [learnt]] = pw.TrueSkill(tau=0).replace(beta=0, absorb=absorb).rate([[known], [open_]])
    assert (same.mu, same.sigma) == (25.0, 0.0)
    assert learnt.mu < 25
    weighted = pw.TrueSkill(tau=0).replace(team=pw.team.Weighted((0.0, 1.0)), absorb=absorb)
    [[idle], [_, other]] = weighted.rate([[open_], [open_, open_]])
    assert (idle.mu, idle.sigma) == (25.0, 8.0)
    assert other.mu != 25


def test_model_with_two_traits_rejects_ratings_with_one_trait():
    @dataclass(frozen=True)
    class Two(Coin):
        traits = ("offence", "defence")

    with pytest.raises(pw.Error, match="player 1 of team 1: the rating has no offence"):
        pw.TrueSkill().replace(outcome=Two()).rate([[pw.Rating(1, 1)], [pw.Rating(2, 1)]])


def test_component_without_a_required_method_is_rejected():
    class Empty(pw.Outcome):
        pass

    with pytest.raises(pw.Error, match="Empty needs a method evidence"):
        pw.TrueSkill().replace(outcome=Empty()).rate([[pw.Rating(1, 1)], [pw.Rating(2, 1)]])

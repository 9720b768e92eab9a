"""Matches rated in blocks get the same bits as matches rated one by one, and the same errors."""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import log, sqrt

import numpy as np
import pytest

import prowess as pw
from prowess.model.engine import pipeline
from prowess.model.fit import sweeps
from prowess.model.fit import trace as tracing
from prowess.model.maths.normal import cdf, log_pdf
from prowess.model.presets import PRESETS
from tests.pure import load

PURE = pw.kernel_mode() == "pure"
MATCHES = 40 if PURE else 150
LANES = (64,) if PURE else (64, 8, 3, 1)
NEVER = 10**9  # a value of FEW that turns off blocks
SHAPES = [(1, 1)] * 6 + [(2, 2)] * 3 + [(2, 1), (1, 1, 1), (1, 1, 1, 1, 1), (2, 2, 2)]
CROWD = (14,) * 5  # a match of so many players is a block of its own


def context(rng, sizes):
    """Return a value of the match, values of teams and numbers of players, some of which are missing."""
    values = {
        "surface": [None, "clay", "grass", "hard"][rng.integers(4)],
        "side": [[None, "red", "blue"][side] for side in rng.integers(0, 3, len(sizes))],
        "rest": [np.round(rng.normal(0.0, 1.0, size), 2).tolist() for size in sizes],
        "kills": [rng.poisson(8.0, size).tolist() for size in sizes],
        "aces": [rng.poisson(2.0, size).tolist() for size in sizes],
        "left": [(rng.random(size) < 0.1).astype(int).tolist() for size in sizes],
        "role": [[None, "tank", "healer"][role] for role in rng.integers(0, 3, sum(sizes))],
    }
    first = np.cumsum([0, *sizes])
    values["role"] = [values["role"][a:b] for a, b in pairwise(first)]
    if rng.random() < 0.2:
        del values["rest"]
    return values


def league(count=MATCHES, players=20, shapes=SHAPES, seed=4, plain=False, unscored=False, facets=False, crowd=CROWD):
    """Return matches of several shapes, with ties, and unless they are plain, with every optional field."""
    rng = np.random.default_rng(seed)
    found, time = [], 0.0
    for number in range(count):
        sizes = shapes[rng.integers(len(shapes))] if number != count // 2 or len(shapes) == 1 else crowd
        names = rng.permutation(max(players, sum(sizes)))[: sum(sizes)]
        teams = [[f"p{name}" for name in team] for team in np.split(names, np.cumsum(sizes)[:-1])]
        match = {"teams": teams, "scores": rng.integers(0, 4, len(sizes)).tolist()}
        if unscored and len(sizes) == 2 and number % 4 == 1:
            del match["scores"]
            match["ranks"] = [(1, 1), (1, 2), (2, 1)][rng.integers(3)]
        if not plain:
            time += float(rng.choice([0.0, 0.25, 1.0, 30.0], p=[0.6, 0.2, 0.17, 0.03]))
            match |= {
                "weights": [rng.choice([0.5, 1.0, 1.0], len(team)).tolist() for team in teams],
                "importance": float(rng.choice([0.0, 0.5, 1.0, 1.0, 1.0, 2.0])),
                "time": time,
            }
            if number % 5:
                match["home"] = int(rng.integers(len(sizes)))
        if facets:
            match["context"] = context(rng, sizes)
        found.append(match)
    return found


LEAGUES = {
    "league": {},
    "plain": {"plain": True},
    "unscored": {"unscored": True},
    "many players": {"players": 500, "shapes": [(1, 1)], "plain": True, "seed": 6, "count": 66 if PURE else 400},
    "many teams": {"players": 500, "seed": 7, "count": 40 if PURE else 300},
    "facets": {"facets": True},
    "two teams": {"facets": True, "shapes": SHAPES[:10], "crowd": (14, 14)},
}


@cache
def matches(name, count=None):
    return league(**LEAGUES[name] | ({} if count is None else {"count": count}))


SMALL = {"mu": 0.0, "sigma": 0.4, "beta": 0.1}  # a prior for rates of scores


def newcomers(pw, mu, sigma):
    return pw.Newcomers(pw.Normal(mu, sigma), level_sigma=0.3 * sigma, level_tau=0.1, matches=3)


def breaks(pw, within=None):
    return pw.drift.Seasons(within or pw.drift.PerMatch(0.1), gap=10, carry=0.8, season_tau=1.0)


# Models other than presets with default parameters, as functions of the package.
VARIANTS = {
    "TrueSkill, no draws": lambda pw: pw.TrueSkill(draw_probability=0),
    "TrueSkill, margin": lambda pw: pw.TrueSkill(margin=0.7).replace(team=pw.team.Weighted((1.0, 0.5) + (0.25,) * 12)),
    "TrueSkill, learnt draws": lambda pw: pw.TrueSkill(draw_probability="learnt"),
    "TrueSkill, spread": lambda pw: pw.TrueSkill(margin=pw.outcome.Spread()),
    "TrueSkill, home": lambda pw: pw.TrueSkill().replace(home=pw.Home(3.0)),
    "TrueSkill, uncertain home": lambda pw: pw.TrueSkill().replace(home=pw.Home(3.0, home_sigma=1.0)),
    "TrueSkill, learnt draws and home": lambda pw: pw.TrueSkill(draw_probability="learnt").replace(
        home=pw.Home(1.0, home_sigma=2.0, home_tau=0.1), drift=breaks(pw), team=pw.team.Mean()
    ),
    "TrueSkill, newcomers": lambda pw: pw.TrueSkill().replace(prior=newcomers(pw, 25.0, 8.0)),
    "TrueSkill, newcomers and seasons": lambda pw: pw.TrueSkill().replace(
        prior=newcomers(pw, 25.0, 8.0), drift=breaks(pw)
    ),
    "Elo, newcomers": lambda pw: pw.Elo().replace(prior=newcomers(pw, 1500.0, 100.0), absorb=pw.absorb.Newton()),
    "Poisson-OD, newcomers": lambda pw: pw.PoissonOD(**SMALL, base_rate="learnt").replace(
        prior=newcomers(pw, 0.0, 0.4)
    ),
    "TrueSkill, seasons": lambda pw: pw.TrueSkill().replace(drift=breaks(pw)),
    "TrueSkill, time": lambda pw: pw.TrueSkill().replace(
        drift=pw.drift.PerTime(0.4, cap=8.0), absorb=pw.absorb.Newton()
    ),
    "TrueSkill, constant": lambda pw: pw.TrueSkill().replace(absorb=pw.absorb.Constant(), drift=pw.drift.Still()),
    "TrueSkill, periods": lambda pw: pw.TrueSkill().replace(absorb=pw.absorb.Newton(), period=2.0),
    "TrueSkill, certain": lambda pw: pw.TrueSkill(sigma=1e-4, beta=0.01, tau=0.0),
    "Elo, FIDE": lambda pw: pw.Elo(k=pw.absorb.Fide()),
    "Elo, rule": lambda pw: pw.Elo(k=lambda played, mu: 40.0 / (1.0 + played) + 0.001 * abs(mu - 1500.0)),
    "Elo, home": lambda pw: pw.Elo().replace(home=pw.Home(60.0)),
    "Elo, learnt home": lambda pw: pw.Elo().replace(home_sigma=50.0),
    "Elo, periods": lambda pw: pw.Elo().replace(period=2.0),
    "Gaussian Elo, home": lambda pw: pw.GaussianElo().replace(home=pw.Home(20.0)),
    "Glicko, no periods": lambda pw: pw.Glicko(period=None),
    "Glicko, short periods": lambda pw: pw.Glicko(period=2.0),
    "Glicko, learnt home": lambda pw: pw.Glicko(period=2.0).replace(home_sigma=50.0, home_tau=5.0),
    "Glicko-2, no periods": lambda pw: pw.Glicko2(period=None),
    "Glicko-2, short periods": lambda pw: pw.Glicko2(period=2.0),
    "Glicko-2, home": lambda pw: pw.Glicko2(period=2.0).replace(home=pw.Home(50.0)),
    "Glicko, teams": lambda pw: pw.Glicko(period=None).replace(outcome=pw.outcome.Logistic()),
    "Glicko, teams and home": lambda pw: pw.Glicko(period=None).replace(outcome=pw.outcome.Logistic(), home_sigma=50.0),
    "Logit": lambda pw: pw.Model(prior=pw.Normal(1500, 250), noise=0.0, outcome=pw.outcome.Logit()),
    "Logit, wide": lambda pw: pw.TrueSkill().replace(outcome=pw.outcome.Logit(6.0)),
    "Logit, home": lambda pw: pw.TrueSkill().replace(
        beta=0.0, outcome=pw.outcome.Logit(25.0), home=pw.Home(1.0, home_sigma=2.0), drift=breaks(pw)
    ),
    "Logit, facets": lambda pw: pw.TrueSkill().replace(
        outcome=pw.outcome.Logit(20.0), facets=facets(pw, "surface", "side"), statistics=(points(pw),)
    ),
    "Logit, newcomers": lambda pw: pw.TrueSkill().replace(
        outcome=pw.outcome.Logit(20.0), prior=newcomers(pw, 25.0, 8.0), team=pw.team.Mean()
    ),
    "Gaussian Elo, teams": lambda pw: pw.GaussianElo().replace(outcome=pw.outcome.Probit()),
    "Harkness, short periods": lambda pw: pw.Harkness(period=2.0),
    "TS2a, leader": lambda pw: pw.TS2a(leader_bonus=0.2, margin=pw.outcome.TwoValued(400.0, 50.0)),
    "TS2b, margin": lambda pw: pw.TS2b(margin=60.0, size=2),
    "TS2c, seasons": lambda pw: pw.TS2c().replace(drift=breaks(pw, pw.drift.Still()), home=pw.Home(40.0)),
    "TS3, margin": lambda pw: pw.TS3(margin=200.0),
    "Gaussian-OD, gamma": lambda pw: pw.GaussianOD(gamma=2.0, tau=0.1).replace(home=pw.Home(0.5)),
    "Gaussian-OD, base score": lambda pw: pw.GaussianOD(mu=0.0, base_score="learnt", rounding=1.0),
    "Gaussian-OD, learnt home": lambda pw: pw.GaussianOD(unscored="order").replace(home_sigma=2.0),
    "Gaussian-SD, learnt home": lambda pw: pw.GaussianSD(rounding=1.0).replace(home_sigma=2.0, home_tau=0.1),
    "Gaussian-OD, newcomers": lambda pw: pw.GaussianOD().replace(prior=newcomers(pw, 25.0, 8.0), home_sigma=2.0),
    "Gaussian-OD, unscored": lambda pw: pw.GaussianOD(mu=0.0, base_score="learnt", rounding=1.0, unscored="order"),
    "Gaussian-SD, rounding": lambda pw: pw.GaussianSD(rounding=1.0).replace(drift=breaks(pw)),
    "Gaussian-SD, unscored": lambda pw: pw.GaussianSD(unscored="order"),
    "Poisson-OD, small": lambda pw: pw.PoissonOD(**SMALL).replace(home=pw.Home(0.1)),
    "Poisson-OD, base rate": lambda pw: pw.PoissonOD(**SMALL, base_rate="learnt"),
    "Poisson-OD, learnt home": lambda pw: pw.PoissonOD(**SMALL, base_rate="learnt").replace(home_sigma=0.2),
    "Poisson-OD, given rate": lambda pw: pw.PoissonOD(**SMALL, base_rate=2.0, prediction="plug-in"),
    "Poisson-OD, unscored": lambda pw: pw.PoissonOD(**SMALL, base_rate="learnt", unscored="order"),
    "Poisson-OD, draws": lambda pw: pw.PoissonOD(**SMALL).replace(draw_factor=1.2),
}


def facets(pw, *names, sigma=2.0, tau=0.3):
    known = {
        "surface": pw.facet.By("surface", sigma=sigma, tau=tau),
        "slope": pw.facet.By("rest", sigma=0.3 * sigma, numeric=True),
        "side": pw.facet.Shared("side", sigma=0.5 * sigma, tau=0.1 * tau, mu=0.1 * sigma),
        "role": pw.facet.Shared("role", sigma=0.5 * sigma),
        "rest": pw.facet.Covariate("rest", sigma=0.2 * sigma, tau=0.1 * tau),
        "experience": pw.facet.Experience((3, 30), sigma=0.5 * sigma),
        "given": pw.facet.Shared("side", mu=sigma, sigma=0.0),
    }
    return tuple(known[name] for name in names)


def points(pw, column="kills", **changes):
    return pw.statistic.Points(column, **changes)


FACETS = {
    "facets, surface": lambda pw: pw.TrueSkill().replace(facets=facets(pw, "surface")),
    "facets, two": lambda pw: pw.TrueSkill(draw_probability="learnt").replace(
        facets=facets(pw, "surface", "slope"), drift=pw.drift.PerTime(0.3), home=pw.Home(1.0, 0.5)
    ),
    "facets, side": lambda pw: pw.TrueSkill().replace(facets=facets(pw, "side")),
    "facets, all": lambda pw: pw.TrueSkill().replace(
        facets=facets(pw, "surface", "slope", "side", "role", "rest", "experience"), drift=breaks(pw)
    ),
    "facets, mean": lambda pw: pw.TrueSkill().replace(
        facets=facets(pw, "role", "surface", "experience"), team=pw.team.Mean(), prior=newcomers(pw, 25.0, 8.0)
    ),
    "facets, TS2": lambda pw: pw.TS2a(leader_bonus=0.2).replace(
        facets=facets(pw, "surface", "role", "side", sigma=200.0)
    ),
    "facets, Glicko": lambda pw: pw.Glicko(period=None).replace(facets=facets(pw, "surface", "rest", sigma=50.0)),
    "facets, logistic": lambda pw: pw.Glicko(period=None).replace(
        outcome=pw.outcome.Logistic(), facets=facets(pw, "surface", "side", sigma=50.0)
    ),
    "facets, Elo": lambda pw: pw.Elo().replace(facets=facets(pw, "given", sigma=60.0)),
    "facets, Glicko-2": lambda pw: pw.Glicko2(period=2.0).replace(facets=facets(pw, "given", sigma=60.0)),
    "facets, Gaussian-SD": lambda pw: pw.GaussianSD().replace(facets=facets(pw, "surface", "side", "rest")),
    "facets, Gaussian-OD": lambda pw: pw.GaussianOD().replace(
        facets=(*facets(pw, "surface", "role", "rest"), pw.facet.Shared("side", sigma=1.0, traits=("offence",)))
    ),
    "facets, Poisson-OD": lambda pw: pw.PoissonOD(**SMALL, base_rate="learnt").replace(
        facets=facets(pw, "surface", "side", "experience", sigma=0.2, tau=0.01)
    ),
}
STATISTICS = {
    "statistics, raw": lambda pw: pw.TrueSkill().replace(statistics=(points(pw, per=None),)),
    "statistics, kinds": lambda pw: pw.TrueSkill(draw_probability="learnt").replace(
        statistics=(points(pw, per=("surface", "role"), eta=0.5), pw.statistic.Quit("left", margin=1.0)),
        drift=pw.drift.PerTime(0.3),
        home=pw.Home(1.0, 0.5),
    ),
    "statistics, facets": lambda pw: pw.TrueSkill().replace(
        facets=facets(pw, "surface", "side", "role", "experience"), statistics=(points(pw, per="surface"),)
    ),
    "statistics, mean": lambda pw: pw.TrueSkill().replace(
        team=pw.team.Mean(), prior=newcomers(pw, 25.0, 8.0), statistics=(points(pw, bounded=True),)
    ),
    "statistics, TS2": lambda pw: pw.TS2a(leader_bonus=0.2).replace(statistics=(points(pw),)),
    "statistics, Glicko": lambda pw: pw.Glicko(period=None).replace(statistics=(points(pw),)),
    "statistics, logistic": lambda pw: pw.Glicko(period=None).replace(
        outcome=pw.outcome.Logistic(), facets=facets(pw, "side", "experience", sigma=50.0), statistics=(points(pw),)
    ),
    "statistics, Gaussian-OD": lambda pw: pw.GaussianOD().replace(
        facets=facets(pw, "surface", "rest"), statistics=(points(pw, trait="defence"), points(pw, column="aces"))
    ),
    "statistics, Poisson-OD": lambda pw: pw.PoissonOD(**SMALL, base_rate="learnt").replace(statistics=(points(pw),)),
}
FACETS |= STATISTICS
VARIANTS |= FACETS
MODELS = {name: lambda pw, name=name: getattr(pw, name)() for name in PRESETS} | VARIANTS
WIDE = ["TrueSkill", "Elo", "Glicko2", "GaussianSD", "Gaussian-OD, base score", "TrueSkill, learnt draws and home"]
WIDE += ["TrueSkill, newcomers", "Elo, newcomers"]


def usual_league(name):
    if name.startswith("Logit"):
        return "two teams"
    return "facets" if name in FACETS else "unscored" if "unscored" in name else "league"


CASES = (
    [(name, usual_league(name)) for name in MODELS]
    + [(name, "plain") for name in PRESETS]
    + [(name, "many players") for name in [*WIDE, "Glicko-2, no periods", "Poisson-OD, base rate", "TS2b"]]
    + [(name, "many players") for name in ("Logit", "Logit, wide")]
    + [(name, "many teams") for name in WIDE if not PURE]
)


def facet_states(ladder):
    """Return the rows of all facets, sorted by the names of players and values."""
    rows = [
        (index, ladder.names[player] if player >= 0 else "", value, cells)
        for index, facet in enumerate(ladder.facets)
        for (player, value), cells in facet.beliefs().items()
    ]
    return np.array([cells for *_, cells in sorted(rows)])


def columns(ladder, parts):
    """Return all results of a history that was rated in parts, as columns by name."""
    rows = [ladder.rows[name] for name in sorted(ladder)]
    found = {"state": ladder.state[rows], "memory": np.array(ladder.memory), "facets": facet_states(ladder)}
    for name in ("mean", "variance", "win", "draw", "scatter", "log_evidence"):
        found[name] = np.concatenate([getattr(part.forecasts, name) for part in parts])
    return found | {name: np.concatenate([getattr(part, name) for part in parts]) for name in ("before", "after")}


def rate(make, history, *cuts, package=pw):
    """Rate a history with a new model, split at the given matches."""
    ladder = package.Ladder(make(package))
    starts = [0, *cuts, len(history)]
    parts = [history[a:b] for a, b in pairwise(starts)] if cuts else [history]
    return columns(ladder, [package.model.fit.trace.trace(ladder, part) for part in parts])


def differences(one, other):
    """Return the names of the columns whose bits differ."""
    assert one.keys() == other.keys()
    return [name for name in one if one[name].tobytes() != other[name].tobytes()]


def one_by_one(monkeypatch, make, history):
    with monkeypatch.context() as patch:
        patch.setattr(sweeps, "FEW", NEVER)
        return rate(make, history)


def reraise(*_):
    raise


def in_blocks(monkeypatch, make, history, lanes):
    """Rate a history in blocks; an error in a block fails, instead of being handled by rating one by one."""
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "LANES", lanes)
        if make(pw).pipeline.lanes > 1:
            patch.setattr(sweeps, "_run_matches", reraise)
        return rate(make, history)


def check_blocks(monkeypatch, make, history):
    """Assert that blocks of any size give the bits of matches that are rated one by one."""
    wanted = one_by_one(monkeypatch, make, history)
    for lanes in LANES:
        assert differences(in_blocks(monkeypatch, make, history, lanes), wanted) == [], f"{lanes} lanes"


@pytest.mark.parametrize(("name", "history"), CASES)
def test_blocks_of_any_size_give_the_bits_of_matches_rated_one_by_one(monkeypatch, name, history):
    check_blocks(monkeypatch, MODELS[name], pw.History.from_matches(matches(history)))


@pytest.mark.parametrize(("name", "history"), CASES)
def test_ladder_resumed_fit_and_learn_give_the_bits_of_a_fit_in_blocks(name, history):
    found = pw.History.from_matches(matches(history))
    whole = rate(MODELS[name], found)
    assert differences(rate(MODELS[name], found, len(found) * 2 // 5), whole) == []
    ladder = pw.Ladder(MODELS[name](pw))
    for match in matches(history):
        ladder.record(**match)
    learnt, fit = MODELS[name](pw).learn(found), MODELS[name](pw).fit(found)
    for other in (ladder, learnt, fit.ladder):
        ends = {"state": other.state[[other.rows[name] for name in sorted(other)]], "memory": np.array(other.memory)}
        ends["facets"] = facet_states(other)
        assert differences(ends, {name: whole[name] for name in ends}) == []
    forecasts = {name: getattr(fit.forecasts, name) for name in ("mean", "variance", "win", "draw", "log_evidence")}
    assert differences(forecasts, {name: whole[name] for name in forecasts}) == []


@pytest.mark.parametrize("name", MODELS)
def test_both_modes_rate_blocks_with_the_same_bits(name):
    found = matches(usual_league(name), 36)
    results = [rate(MODELS[name], package.History.from_matches(found), package=package) for package in (pw, load())]
    assert differences(*results) == []


def test_windows_of_the_schedule_do_not_change_the_bits(monkeypatch):
    found = matches("league")
    wanted = {name: rate(MODELS[name], pw.History.from_matches(found)) for name in WIDE}
    monkeypatch.setattr("prowess.model.engine.schedule.WINDOW", 17)
    monkeypatch.setattr(sweeps, "CHUNK", 40)
    for name in WIDE:
        assert differences(rate(MODELS[name], pw.History.from_matches(found)), wanted[name]) == []


def test_only_models_whose_matches_depend_on_each_other_have_one_lane_or_serial_outcomes():
    pipelines = {name: make(pw).pipeline for name, make in MODELS.items()}
    assert {name for name, pipeline in pipelines.items() if pipeline.lanes == 1} == {
        *("Elo, learnt home", "Glicko, learnt home", "facets, Elo", "facets, Glicko", "facets, Glicko-2"),
    }
    assert {name for name, pipeline in pipelines.items() if pipeline.serial and pipeline.ordered} == {
        *("TrueSkill, learnt draws", "TrueSkill, uncertain home", "TrueSkill, learnt draws and home"),
        *("Glicko, teams and home", "Gaussian-OD, learnt home", "Gaussian-SD, learnt home", "Poisson-OD, learnt home"),
        *("Gaussian-OD, newcomers", "facets, side", "facets, all", "facets, mean", "facets, TS2", "facets, logistic"),
        *("facets, Gaussian-SD", "facets, Gaussian-OD", "facets, Poisson-OD", "facets, two"),
        *("statistics, kinds", "statistics, facets", "statistics, logistic", "statistics, Gaussian-OD"),
        *("Logit, home", "Logit, facets"),
    }
    assert {name for name, pipeline in pipelines.items() if pipeline.serial and not pipeline.ordered} == {
        *("TS2", "TS2a", "TS2b", "TS2c", "TS3", "TS2a, leader", "TS2b, margin", "TS2c, seasons", "TS3, margin"),
        "statistics, TS2",
    }


# Components in plain Python, as in docs/plugins.md.


@dataclass(frozen=True)
class Breaks(pw.Drift):
    move: float = 2.0

    def widen(self, board):
        for e in range(board.entries):
            if board.elapsed[e] >= 1.0:
                board.var[e] += self.move**2 + 0.1 * board.played[e] + 0.01 * board.elapsed[e]


@dataclass(frozen=True)
class Leader(pw.TeamFunction):
    bonus: float = 0.1

    def weigh(self, board):
        for cell in range(board.teams * board.traits):
            team, trait = divmod(cell, board.traits)
            entries = range(board.start[team], board.start[team + 1])
            board.offset[cell] = 0.25 * len(entries) + (0.5 if board.home == team else 0.0)
            best = max((e * board.traits + trait for e in entries), key=lambda k: board.mu[k])
            board.alpha[best] *= 1.0 + self.bonus


@dataclass(frozen=True)
class Slow(pw.Absorb):
    share: float = 0.5

    def absorb(self, board):
        for k in range(board.entries * board.traits):
            board.mu[k] += self.share * board.importance * board.var[k] * board.g1[k]
            board.var[k] *= 1.0 - self.share * (1.0 - board.kept[k])


@dataclass(frozen=True)
class Settling(pw.Absorb):
    extras = ("pace",)
    periods = True

    def welcome(self, board, entry):
        board.extra[entry] = 1.0

    def absorb(self, board):
        for e in range(board.entries):
            board.mu[e] += board.extra[e] * board.importance * board.var[e] * board.g1[e]
            board.extra[e] = 0.1 + 0.9 * board.extra[e] / (1.0 + 0.1 * board.games[e])


@dataclass(frozen=True)
class BySize(pw.Margin):
    width: float = 0.5

    def between(self, board, i, j):
        players = board.start[i + 1] - board.start[i] + board.start[j + 1] - board.start[j]
        return self.width * sqrt(players)


@dataclass(frozen=True)
class Careful(pw.Prior):
    start: float = 22.0

    def welcome(self, board, entry):
        board.mu[entry] = self.start + (0.01 * board.time if board.time == board.time else 0.0)
        board.var[entry] = 64.0


@dataclass(frozen=True)
class Eventful(pw.Prior):
    """A prior that depends on the newcomer's match: its size, importance and home team, and the playing time."""

    def welcome(self, board, entry):
        team = next(j for j in range(board.teams) if entry < board.start[j + 1])
        home = 1.0 if board.home == team else 0.0
        board.mu[entry] = 20.0 + 0.1 * board.teams + board.importance + home + board.alpha[entry]
        board.var[entry] = 64.0


@dataclass(frozen=True)
class Difference(pw.Outcome):
    gamma: float = 1.5

    def forecast(self, board):
        spread = sqrt(board.variance[0] + board.variance[1] + self.gamma**2)
        board.win = cdf((board.mean[0] - board.mean[1]) / spread)
        board.loss = 1.0 - board.win
        board.draw = 0.0

    def evidence(self, board):
        """Compare every team with the next one."""
        total = 0.0
        for j in range(board.teams):
            other = (j + 1) % board.teams
            variance = board.variance[j] + board.variance[other] + self.gamma**2
            beyond = board.score[j] - board.score[other] - (board.mean[j] - board.mean[other])
            board.d1[j], board.d2[j] = beyond / variance, -1.0 / variance
            board.left[j] = (board.variance[other] + self.gamma**2) / variance
            total += log_pdf(beyond / sqrt(variance)) - 0.5 * log(variance)
        return total


@dataclass(frozen=True)
class Remembered(Difference):
    remembers = ("matches",)

    def evidence(self, board):
        found = Difference.evidence(self, board) / (1.0 + board.memory[0])
        board.memory[0] += 1.0
        return found


@dataclass(frozen=True)
class Rounded(pw.outcome.Score):
    """A normal score, whose forecast is left on the board for the update."""

    noise: float = 4.0

    def foresee(self, board, mean, variance, mean_1, variance_1):
        board.win = cdf((mean - mean_1) / sqrt(variance + variance_1 + 2.0 * self.noise))
        board.draw, board.loss = 0.0, 1.0 - board.win

    def seen(self, board, score, mean, variance):
        total = variance + self.noise
        board.push, board.pull, board.rest = (score - mean) / total, 1.0 / total, self.noise / total
        return log_pdf((score - mean) / sqrt(total)) - 0.5 * log(total)


class Ratio(pw.outcome.Pairwise):
    """A pair of players with the expected score a/(a + b), where b − a is the gap."""

    def chance(self, board, gap, variance):
        board.expected = 0.5 + 0.5 * gap / (1.0 + abs(gap))
        board.conceded = 1.0 - board.expected
        return board.expected

    def meet(self, board, gap, own, other, score):
        board.push, board.pull = 0.01 * (score - self.chance(board, gap, own + other)), -1e-5

    def likelihood(self, board, gap, own, other, score):
        return log(0.1 + 0.8 * abs(score + self.chance(board, gap, own + other) - 1.0))

    def performance(self, variance):
        return variance


def affine(means):
    return [1.0 + 0.001 * mean for mean in means], 0.01 * sum(means)


OWN = {
    "drift": lambda pw: pw.TrueSkill().replace(drift=Breaks()),
    "drift within seasons": lambda pw: pw.TrueSkill().replace(drift=breaks(pw, Breaks())),
    "team function": lambda pw: pw.TrueSkill().replace(team=Leader()),
    "leader of own team function": lambda pw: pw.TrueSkill().replace(team=pw.team.LeaderBonus(Leader(), 0.2)),
    "affine": lambda pw: pw.TrueSkill().replace(team=pw.team.Affine(affine)),
    "absorb": lambda pw: pw.TrueSkill().replace(absorb=Slow()),
    "margin": lambda pw: pw.TrueSkill(margin=BySize()),
    "margin of places": lambda pw: pw.TS2a(margin=BySize()),
    "prior": lambda pw: pw.TrueSkill().replace(prior=Careful()),
    "outcome": lambda pw: pw.TrueSkill().replace(outcome=Difference()),
    "outcome with a memory": lambda pw: pw.TrueSkill().replace(outcome=Remembered()),
    "score": lambda pw: pw.TrueSkill().replace(outcome=pw.outcome.OffenceDefence(Rounded())),
    "pair of players": lambda pw: pw.Glicko(period=None).replace(outcome=pw.outcome.Duel(Ratio())),
    "pair of teams": lambda pw: pw.Glicko(period=2.0).replace(outcome=Ratio()),
    "two traits": lambda pw: pw.GaussianOD(base_score="learnt").replace(absorb=Slow(), team=Leader()),
    "volatile": lambda pw: pw.Glicko2(period=None).replace(drift=Breaks(), prior=Careful()),
    "absorb with an extra": lambda pw: pw.TrueSkill().replace(absorb=Settling()),
    "periods": lambda pw: pw.Glicko(period=2.0).replace(drift=Breaks(), team=Leader(), absorb=Settling()),
    "all": lambda pw: pw.TrueSkill(margin=BySize()).replace(
        drift=Breaks(), team=Leader(), absorb=Slow(), prior=Careful(), home=pw.Home(1.0)
    ),
    "all with own outcome": lambda pw: pw.TrueSkill().replace(
        drift=Breaks(), team=Leader(), absorb=Slow(), prior=Careful(), outcome=Difference()
    ),
}


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("history", ["league", "many players"])
def test_components_in_plain_python_give_the_same_bits_in_blocks(monkeypatch, name, history):
    found = pw.History.from_matches(matches(history))
    check_blocks(monkeypatch, OWN[name], found)
    assert (OWN[name](pw).pipeline.lanes == 1) == (
        name in ("outcome with a memory", "pair of players", "pair of teams")
    )
    model = OWN[name](pw)
    ladder = pw.Ladder(model)
    for match in matches(history):
        ladder.record(**match)
    assert ladder == model.fit(found).ladder


@pytest.mark.parametrize("history", ["league", "many players"])
def test_prior_that_depends_on_the_match_gives_the_same_bits_in_blocks(monkeypatch, history):
    found = pw.History.from_matches(matches(history))
    check_blocks(monkeypatch, lambda pw: pw.TrueSkill().replace(prior=Eventful()), found)


# Errors


@dataclass(frozen=True)
class Failing(pw.Drift):
    """A drift that raises an exception in the matches at the given times."""

    times: tuple
    error: type = pw.Error

    def widen(self, board):
        if board.time in self.times:
            raise self.error(f"time {board.time}")


@dataclass(frozen=True)
class FailingTeam(pw.TeamFunction):
    """A team function that raises an error in the matches at the given times."""

    times: tuple

    def weigh(self, board):
        if board.time in self.times:
            raise pw.Error(f"time {board.time}")


def duels(count, players=60, seed=9):
    """Return duels whose times are their indices."""
    rng = np.random.default_rng(seed)
    pairs = [rng.choice(players, 2, replace=False) for _ in range(count)]
    found = [{"teams": [[f"p{a}"], [f"p{b}"]], "scores": rng.integers(0, 5, 2).tolist()} for a, b in pairs]
    return [match | {"time": float(number)} for number, match in enumerate(found)]


def check_stop(model, found, match, error, start=None):
    """Assert that the match at this index fails, and that the ladder has the ratings after the matches before it."""
    ladder = pw.Ladder(model) if start is None else start.copy()
    before = ladder.copy()
    with pytest.raises(error) as raised:
        tracing.trace(ladder, pw.History.from_matches(found))
    if match:
        tracing.trace(before, pw.History.from_matches(found[:match]))
    for name in ladder:
        wanted = before.state[before.rows[name]] if name in before else np.full(ladder.state.shape[1], np.nan)
        np.testing.assert_array_equal(ladder.state[ladder.rows[name]], wanted)
    np.testing.assert_array_equal(ladder.memory, before.memory)
    return raised.value


FAILURES = {
    "negative": (lambda at: pw.PoissonOD(**SMALL, base_rate="learnt"), [-1, 2]),
    "fractional": (lambda at: pw.PoissonOD(**SMALL), [0.5, 2]),
    "missing": (lambda at: pw.GaussianOD(base_score="learnt"), None),
    "raised": (lambda at: pw.GaussianSD().replace(drift=Failing((float(at), 190.0))), [1, 0]),
    "raised in periods": (lambda at: pw.Glicko(period=3.0).replace(team=FailingTeam((float(at), 190.0))), [1, 0]),
}


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("at", [0, 40, 190])
def test_error_names_the_first_match_that_fails_and_keeps_the_ratings_before_it(failure, at):
    make, scores = FAILURES[failure]
    found = duels(200)
    for number in {at, 190}:
        found[number] = {**found[number], "scores": scores}
        if scores is None:
            del found[number]["scores"]
    error = check_stop(make(at), found, at, pw.Error)
    assert error.match == at
    assert str(error).startswith(f"match {at + 1} of 200: ")


def test_error_names_the_first_match_even_if_a_later_match_is_in_an_earlier_block():
    found = duels(200, players=4)  # the level of match 150 is high
    found[150]["scores"] = [-1, 0]
    found[170] |= {"teams": [["new"], ["newer"]], "scores": [-1, 0]}
    assert check_stop(pw.PoissonOD(**SMALL), found, 150, pw.Error).match == 150


def test_error_in_the_schedule_of_a_large_ladder_keeps_the_ratings_before_the_match():
    """The ladder has many more players than the history, so only the rows of the history are kept and restored."""
    model = pw.PoissonOD(**SMALL, base_rate="learnt")
    start = pw.Ladder(model, {f"p{number}": model.rating() for number in range(1000)})
    tracing.trace(start, pw.History.from_matches(duels(50)))
    found = [match | {"time": match["time"] + 100.0} for match in duels(100, seed=3)]
    found[70]["scores"] = [2, 1.5]
    assert check_stop(model, found, 70, pw.Error, start).match == 70


@pytest.mark.parametrize("name", [None, "final"])
def test_error_of_another_type_keeps_the_ratings_before_the_match(name):
    found = duels(120)
    check_stop(pw.TrueSkill().replace(drift=Failing((77.0,), ValueError)), found, 77, ValueError)
    found[77]["id"] = name
    error = check_stop(pw.TrueSkill().replace(drift=Failing((77.0,))), found, 77, pw.Error)
    assert str(error) == f"match 78 of 120{' (final)' if name else ''}: time 77.0"


def test_interrupt_within_blocks_restores_the_ladder():
    model = pw.GaussianSD().replace(drift=Failing((150.0,), KeyboardInterrupt))
    found = duels(200)
    ladder = model.fit(pw.History.from_matches(found[:50])).ladder
    before = ladder.copy()
    with pytest.raises(KeyboardInterrupt):
        tracing.trace(ladder, pw.History.from_matches(found[50:]))
    assert {name: ladder[name] for name in before} == {name: before[name] for name in before}
    assert ladder.memory.tobytes() == before.memory.tobytes()


def test_model_can_be_used_again_after_an_error_in_a_block():
    model = pw.PoissonOD(**SMALL, base_rate="learnt")
    found = duels(100)
    history = pw.History.from_matches(found)
    found[60]["scores"] = [-2, 1]
    with pytest.raises(pw.Error, match="match 61 of 100"):
        model.fit(pw.History.from_matches(found))
    again = columns(ladder := pw.Ladder(model), [tracing.trace(ladder, history)])
    assert differences(again, rate(lambda pw: model.replace(), history)) == []


@dataclass(frozen=True)
class Doubtful(Difference):
    """An outcome that does not converge in the matches of three teams."""

    def evidence(self, board):
        if board.teams == 3:
            board.converged = False
        return Difference.evidence(self, board)


FREE_FOR_ALL = {
    "players": 60,
    "shapes": [(1,) * 3, (1,) * 4, (1,) * 8, (1, 1), (2, 2, 2)],
    "plain": True,
    "count": 50 if PURE else 200,
}
UNCONVERGED = {
    "Order": lambda: pw.TrueSkill(margin=0.7).replace(sweeps=3),
    "Order, own margin": lambda: pw.TrueSkill(margin=BySize()).replace(sweeps=3),
    "Places": lambda: pw.TS2a().replace(sweeps=3),
    "own outcome": lambda: pw.TrueSkill().replace(outcome=Doubtful()),
}


@pytest.mark.parametrize("name", UNCONVERGED)
def test_matches_that_do_not_converge_are_reported_in_order(monkeypatch, name):
    history = pw.History.from_matches(league(**FREE_FOR_ALL))
    model = UNCONVERGED[name]()
    with monkeypatch.context() as patch:
        patch.setattr(sweeps, "FEW", NEVER)
        wanted = sweeps.run_sweep(pw.Ladder(model), history, False).unconverged
    assert 0 < len(wanted) < len(history)
    for _ in range(2):  # the second fit uses the same board again
        with pytest.warns(UserWarning, match=f"in {len(wanted)} of {len(history)} matches EP did not converge"):
            assert model.fit(history).unconverged == wanted
    assert wanted == sorted(wanted)

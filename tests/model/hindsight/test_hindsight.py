"""A hindsight is exact where the exact posterior is known, agrees with other packages, and needs no order."""

import importlib
import pickle
import warnings

import numpy as np
import pytest

import prowess as pw
from prowess.model.hindsight.smoother import Smoother
from prowess.model.presets import PRESETS
from tests import pure
from tests.oracles.hindsight import exact_scores

PURE = pw.kernel_mode() == "pure"
FINE = {"tolerance": 1e-11, "sweeps": 2000}


def league(rng, count, players, sizes=(1, 1), *, time=True, scores=True, home=False, importance=False):
    """Return matches of random teams, with random scores or places, at times that increase."""
    found, now = [], 0.0
    for _ in range(count):
        names = [f"p{k}" for k in rng.permutation(players)[: sum(sizes)]]
        match = {"teams": [list(map(str, team)) for team in np.split(names, np.cumsum(sizes)[:-1])]}
        if scores:
            match["scores"] = rng.integers(0, 6, len(sizes)).tolist()
        else:
            match["ranks"] = rng.integers(1, len(sizes) + 1, len(sizes)).tolist()
        if time:
            now += float(rng.integers(0, 4))
            match["time"] = now
        if home and rng.random() < 0.8:
            match["home"] = int(rng.integers(len(sizes)))
        if importance:
            match["importance"] = float(rng.choice([0.0, 0.5, 1.0, 2.0]))
        found.append(match)
    return found


def read(matches):
    return pw.History.from_matches(matches)


def scores_model(traits, tau=0.0, home=None, sigma=3.0, beta=1.0, gamma=2.0):
    score = pw.outcome.GaussianScore(gamma, base_score=2.5) if traits == 2 else pw.outcome.GaussianScore(gamma)
    return pw.Model(
        prior=pw.Normal(0.0, sigma),
        noise=beta,
        outcome=pw.outcome.OffenceDefence(score) if traits == 2 else score,
        drift=pw.drift.PerTime(tau) if tau else pw.drift.Still(),
        home=None if home is None else pw.Home(*home),
    )


def means_at_matches(hindsight, matches, traits):
    """Return the means of all players at all their matches, by player, trait and match."""
    found = {}
    for name in hindsight.ladder.names:
        curve = hindsight.curve(name)
        for k, column in enumerate(("offence", "defence") if traits == 2 else ("mu",)):
            found |= {(name, k, m): mu for m, mu in zip(curve["match"], curve[column], strict=True)}
    return found


# --- exact where it must be ---------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [(1, 1), (2, 2), (3, 3), (1, 2)])
@pytest.mark.parametrize("tau", [0.0, 0.7])
@pytest.mark.parametrize("traits", [1, 2])
@pytest.mark.parametrize("home", [None, (1.0, 2.0)])
def test_means_of_normal_scores_are_exact(sizes, tau, traits, home):
    matches = league(np.random.default_rng(1), 12 if PURE else 40, 8, sizes, home=home is not None)
    exact = exact_scores(
        matches, sigma=3.0, beta=1.0, gamma=2.0, tau=tau, traits=traits, home=home, base=2.5 if traits == 2 else 0.0
    )
    hindsight = scores_model(traits, tau, home).hindsight(read(matches), **FINE)
    found = means_at_matches(hindsight, matches, traits)
    expected = {key: exact.mean[at] for key, at in exact.index.items() if key[0] != "home"}
    assert found == pytest.approx(expected, abs=1e-8)
    if home is not None and traits == 1:
        assert hindsight.home.mu == pytest.approx(exact.mean[exact.index["home", 0]], abs=1e-8)


@pytest.mark.parametrize("tau", [0.0, 0.7])
def test_trees_are_exact_after_three_sweeps(tau):
    """No two players are connected twice, so that messages never return to where they came from."""
    pairs = [("ann", "bob"), ("bob", "cat"), ("cat", "dan"), ("bob", "eve"), ("eve", "fay"), ("fay", "gus")]
    rng = np.random.default_rng(2)
    matches = [
        {"teams": [[a], [b]], "scores": rng.integers(0, 6, 2).tolist(), "time": 3.0 * k}
        for k, (a, b) in enumerate(pairs)
    ]
    exact = exact_scores(matches, sigma=3.0, beta=1.0, gamma=2.0, tau=tau)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hindsight = scores_model(1, tau).hindsight(read(matches), tolerance=1e-30, sweeps=3)
    for name in hindsight.ladder.names:
        for match, mu, sigma in hindsight.curve(name).select("match", "mu", "sigma").rows():
            at = exact.index[name, 0, match]
            assert (mu, sigma) == pytest.approx((exact.mean[at], exact.covariance[at, at] ** 0.5), abs=1e-10)
    assert hindsight.log_evidence == pytest.approx(exact.log_evidence, abs=1e-10)


def test_log_evidence_of_one_match_is_that_of_the_fit():
    history = read([{"teams": [["ann", "bob"], ["cat"]], "scores": [3, 1]}])
    for model in (
        pw.TrueSkill(),
        scores_model(1),
        scores_model(2),
        pw.PoissonOD(),
        pw.TrueSkill().replace(home_sigma=2),
    ):
        assert model.hindsight(history).log_evidence == pytest.approx(model.fit(history).log_evidence, abs=1e-12)


# --- the online fit -----------------------------------------------------------------------------------------


SUPPORTED = [name for name, preset in PRESETS.items() if isinstance(preset().absorb, pw.absorb.Moment)]
OTHERS = {
    "drift by time": pw.TrueSkill().replace(drift=pw.drift.PerTime(0.3)),
    "limited drift": pw.TrueSkill().replace(drift=pw.drift.PerTime(2.0, cap=5.0)),
    "seasons": pw.TrueSkill().replace(drift=pw.drift.Seasons(pw.drift.PerMatch(0.1), gap=2, carry=0.8, season_tau=1)),
    "learnt home": pw.TrueSkill().replace(home_sigma=2.0, home_tau=0.1),
    "learnt home, scores": pw.GaussianOD().replace(home_sigma=1.0),
    "leader bonus": pw.TrueSkill().replace(team=pw.team.LeaderBonus(pw.team.Mean(), 0.2)),
    "squads": pw.TrueSkill().replace(team=pw.team.FullSquad(2)),
    "deviations": pw.TrueSkill().replace(facets=(pw.facet.By("surface", sigma=2.0, tau=0.1),)),
}
MODELS = {name: PRESETS[name]() for name in SUPPORTED} | OTHERS


def with_surfaces(matches, rng):
    return [m | {"context": {"surface": str(rng.choice(["clay", "grass"]))}} for m in matches]


@pytest.mark.parametrize("name", MODELS)
def test_the_first_pass_forward_is_the_fit(name):
    rng = np.random.default_rng(3)
    sizes = (2, 2) if "squads" in name or "leader" in name else (1, 1, 1) if name in ("ts2", "ts3") else (1, 1)
    history = read(with_surfaces(league(rng, 25 if PURE else 90, 12, sizes, home=True, importance=True), rng))
    model = MODELS[name]
    smoother = Smoother(pw.Ladder(model), history)
    smoother.forward(online=True)
    ladder = model.fit(history).ladder
    assert smoother.ladder.state[: len(ladder)] == pytest.approx(ladder.state[: len(ladder)], rel=1e-13, nan_ok=True)
    assert smoother.ladder.memory == pytest.approx(ladder.memory, rel=1e-13)


# The noise of scores and their base level are estimated from all matches, so that even one match tells more.
@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if model.outcome.memory_from != "scores"])
def test_one_match_alone_gives_the_fit(name):
    match = {"teams": [["ann"], ["bob"]], "scores": [2, 1], "time": 1.0, "home": 0, "context": {"surface": "clay"}}
    history, model = read([match]), MODELS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # TS3 has no likelihood
        hindsight, fit = model.hindsight(history, **FINE), model.fit(history)
    for player in ("ann", "bob"):
        assert hindsight[player].mu == pytest.approx(fit[player].mu, rel=1e-12)
        assert hindsight[player].sigma == pytest.approx(fit[player].sigma, rel=1e-12)


# --- nothing depends on what should not matter --------------------------------------------------------------


def ratings(hindsight):
    return {name: (hindsight[name].mu, hindsight[name].sigma) for name in hindsight.ladder.names}


ORDERLESS = [pw.TrueSkill(tau=0), pw.TrueSkill().replace(drift=pw.drift.PerTime(0.3)), pw.GaussianOD(), pw.PoissonOD()]


@pytest.mark.parametrize("model", ORDERLESS, ids=["still", "by time", "gaussian-od", "poisson-od"])
def test_the_order_of_teams_and_of_matches_at_equal_times_changes_nothing(model):
    model = model.replace(drift=model.drift if isinstance(model.drift, pw.drift.PerTime) else pw.drift.Still())
    rng = np.random.default_rng(5)
    matches = league(rng, 40, 8, (2, 2))
    turned = [match | {"teams": match["teams"][::-1], "scores": match["scores"][::-1]} for match in matches]
    order = sorted(range(40), key=lambda k: (matches[k]["time"], rng.random()))
    one = ratings(model.hindsight(read(matches), **FINE))
    other = ratings(model.hindsight(read([turned[k] for k in order]), **FINE))
    for name, rating in one.items():
        assert other[name] == pytest.approx(rating, abs=1e-8)


def test_time_reversed_without_drift_gives_the_same():
    matches = league(np.random.default_rng(6), 50, 8, time=False)
    model = pw.TrueSkill(tau=0)
    one, other = (ratings(model.hindsight(read(part), **FINE)) for part in (matches, matches[::-1]))
    for name, rating in one.items():
        assert other[name] == pytest.approx(rating, abs=1e-8)


@pytest.mark.parametrize("tau", [0.0, 0.5])
def test_importance_2_is_a_match_listed_twice_and_importance_0_an_absent_one(tau):
    rng = np.random.default_rng(7)
    matches = [m | {"importance": float(rng.integers(0, 3))} for m in league(rng, 40, 8)]
    listed = [m | {"importance": 1.0} for m in matches for _ in range(int(m["importance"]))]
    model = pw.TrueSkill().replace(drift=pw.drift.PerTime(tau))
    one, other = (model.hindsight(read(part), **FINE) for part in (matches, listed))
    for name, rating in ratings(one).items():
        assert ratings(other)[name] == pytest.approx(rating, abs=1e-8)
    assert one.log_evidence == pytest.approx(other.log_evidence, abs=1e-7)


@pytest.mark.parametrize("sizes", [(1, 1), (3, 3)])
@pytest.mark.parametrize("copies", [10, 60])
def test_matches_that_count_often_are_as_many_matches(sizes, copies):
    """All copies answer to each other at once, which must not make beliefs overshoot from visit to visit."""
    matches = league(np.random.default_rng(11), 3, 2 * sizes[0], sizes, scores=False)
    model = pw.TrueSkill().replace(drift=pw.drift.PerTime(0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # members of fixed teams cannot be told apart
        one = model.hindsight(read([match | {"importance": copies} for match in matches]), **FINE)
        other = model.hindsight(read([match for match in matches for _ in range(copies)]), **FINE)
    assert one.converged
    for name in one.ladder.names:
        ours, theirs = one.rating(name, at=matches[-1]["time"]), other.rating(name, at=matches[-1]["time"])
        assert (ours.mu, ours.sigma) == pytest.approx((theirs.mu, theirs.sigma), abs=1e-6)


@pytest.mark.parametrize("importance", [1e3, 1e6])
def test_matches_of_enormous_importance_settle(importance):
    matches = [{"teams": [["ann"], ["bob"]], "importance": importance}, {"teams": [["bob"], ["cat"]]}]
    hindsight = pw.TrueSkill().hindsight(read(matches))
    assert hindsight.converged
    assert hindsight["ann"].mu > 35.0 > 25.0 > hindsight["bob"].mu
    fine = pw.TrueSkill().hindsight(read(matches), **FINE)
    assert hindsight["ann"].mu == pytest.approx(fine["ann"].mu, abs=0.01 * fine["ann"].sigma)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.6, 1.0])
@pytest.mark.parametrize("tau", [0.0, 0.08])
def test_uneven_teams_settle_quickly(share, tau):
    """Matches of uneven teams have a part in the common level of all skills, which passes alone find slowly."""
    rng = np.random.default_rng(12)
    count = 60 if PURE else 600
    matches = [
        league(rng, 1, 8, (2, 1) if rng.random() < share or k == 9 else (1, 1), time=False) for k in range(count)
    ]
    model = pw.TrueSkill(tau=tau)
    hindsight = model.hindsight(read([match for [match] in matches]))
    fine = model.hindsight(read([match for [match] in matches]), **FINE)
    assert hindsight.sweeps <= 40
    assert fine.sweeps <= 150
    for name in hindsight.ladder.names:
        assert hindsight[name].mu == pytest.approx(fine[name].mu, abs=0.02 * fine[name].sigma)


def test_matches_that_count_half_settle():
    """They move the common level of all skills, so that it does not follow from the priors alone."""
    matches = [m | {"importance": 0.5} for m in league(np.random.default_rng(7), 20 if PURE else 40, 4)]
    assert pw.TrueSkill(tau=0).hindsight(read(matches), tolerance=1e-9, sweeps=2000).converged


# --- curves -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "drift",
    [
        pw.drift.Still(),
        pw.drift.PerTime(0.4),
        pw.drift.Seasons(pw.drift.PerTime(0.2), gap=3.0, carry=0.7, season_tau=1.0),
    ],
    ids=["still", "by time", "seasons"],
)
def test_a_curve_between_matches_is_that_of_a_match_without_importance(drift):
    rng = np.random.default_rng(8)
    matches = league(rng, 30, 5)
    model = pw.TrueSkill().replace(drift=drift)
    hindsight = model.hindsight(read(matches), **FINE)
    last = matches[-1]["time"]
    for time in (2.5, 17.25, last + 4.0):
        ghost = {"teams": [["p0"], ["p1"]], "scores": [0, 0], "time": time, "importance": 0.0}
        where = sorted([*matches, ghost], key=lambda match: match["time"])
        history = read(where)
        curves = model.hindsight(history, **FINE)
        visits = np.flatnonzero(history.importance == 0.0)[0] * 2
        mean, variance = curves._read.skills.at_visits(np.array([visits]))
        found = hindsight.curve("p0", at=[time])
        assert found["mu"][0] == pytest.approx(mean[0, 0], abs=1e-8)
        assert found["sigma"][0] == pytest.approx(variance[0, 0] ** 0.5, abs=1e-8)


def test_the_curve_at_the_time_of_a_match_is_that_of_the_match():
    matches = [m | {"time": float(k)} for k, m in enumerate(league(np.random.default_rng(9), 30, 5))]
    for drift in (pw.drift.PerMatch(0.3), pw.drift.PerTime(0.3)):
        hindsight = pw.TrueSkill().replace(drift=drift).hindsight(read(matches))
        curve = hindsight.curve("p2")
        again = hindsight.curve("p2", at=curve["time"].to_list())
        assert again["mu"].to_list() == pytest.approx(curve["mu"].to_list(), abs=1e-12)
        assert again["sigma"].to_list() == pytest.approx(curve["sigma"].to_list(), abs=1e-12)


def test_leaderboards_of_a_day_list_who_played_then():
    days = [("ann", "bob", "2001-05-01"), ("cat", "bob", "2002-05-01"), ("dan", "cat", "2003-05-01")]
    matches = [{"teams": [[a], [b]], "time": day} for a, b, day in days]
    hindsight = pw.TrueSkill().replace(drift=pw.drift.PerTime(0.05)).hindsight(read(matches))
    assert set(hindsight.leaderboard(at="2002-05-01")["player"]) == {"bob", "cat"}
    assert set(hindsight.leaderboard(at="2001")["player"]) == {"bob"}  # ann had played her last match in May
    timed = [match | {"time": f"{match['time']}T20:00"} for match in matches]
    hindsight = pw.TrueSkill().replace(drift=pw.drift.PerTime(0.05)).hindsight(read(timed))
    assert set(hindsight.leaderboard(at="2002-05-01")["player"]) == {"bob", "cat"}
    assert set(hindsight.leaderboard(at="2003-05-01")["player"]) == {"cat", "dan"}
    assert set(hindsight.leaderboard(at="2002-05-01T21:00")["player"]) == {"cat"}
    board = hindsight.leaderboard(at="2002-05-01", all=True)
    assert len(board) == 4
    row = dict(zip(board["player"], board["mu"], strict=True))
    for name in row:
        assert row[name] == pytest.approx(hindsight.curve(name, at=["2002-05-01"])["mu"][0], abs=1e-12)
        assert row[name] == pytest.approx(hindsight.rating(name, at="2002-05-01").mu, abs=1e-12)


def test_a_ladder_continues_from_the_last_matches():
    history = read(league(np.random.default_rng(10), 40, 6))
    hindsight = pw.TrueSkill().hindsight(history)
    for name in hindsight.ladder.names:
        assert hindsight[name].mu == pytest.approx(hindsight.curve(name)["mu"][-1], abs=1e-12)
        assert hindsight[name].sigma == pytest.approx(hindsight.curve(name)["sigma"][-1], abs=1e-12)


def test_players_of_a_start_begin_with_their_belief():
    matches = league(np.random.default_rng(11), 60, 6)
    model = pw.TrueSkill().replace(drift=pw.drift.PerTime(0.3))
    first = model.fit(read(matches[:30])).ladder
    hindsight = model.hindsight(read(matches[30:]), first, **FINE)
    # The belief at the start is a normal one, so it is like a prior of its own for each player.
    assert hindsight["p0"].sigma < first["p0"].sigma or hindsight["p0"].sigma == pytest.approx(
        first["p0"].sigma, rel=0.5
    )
    assert hindsight.ladder.leaderboard()["matches"].sum() == 120


# --- convergence, errors ------------------------------------------------------------------------------------


def test_too_few_sweeps_are_reported():
    history = read(league(np.random.default_rng(12), 60, 6))
    with pytest.warns(UserWarning, match="after 1 sweep beliefs still move by"):
        hindsight = pw.TrueSkill().hindsight(history, sweeps=1)
    assert not hindsight.converged
    assert hindsight.sweeps == 1
    assert hindsight.moved > 1e-4


@pytest.mark.parametrize("name", [name for name in PRESETS if name not in SUPPORTED])
def test_systems_without_such_a_view_say_what_to_use(name):
    history = read([{"teams": [["ann"], ["bob"]]}])
    with pytest.raises(pw.Error, match=r"match by match and cannot use a whole history; .*\(\) can"):
        PRESETS[name]().hindsight(history)


def test_an_error_names_its_match():
    history = read([{"teams": [["ann"], ["bob"]], "scores": [1, 2]}, {"teams": [["ann"], ["bob"]]}])
    with pytest.raises(pw.Error, match="match 2 of 2: GaussianScore needs scores"):
        pw.GaussianSD().hindsight(history)


def test_an_empty_history_has_no_players():
    hindsight = pw.TrueSkill().hindsight(read([]))
    assert len(hindsight.ladder) == 0
    assert hindsight.log_evidence == 0.0


def test_members_of_teams_that_never_change_are_named():
    pairs = [(["ann", "bob"], ["cat", "dan"]), (["cat", "dan"], ["eve", "fay"]), (["ann", "bob"], ["eve", "fay"])]
    with pytest.warns(UserWarning, match="ann, bob, cat and others shared every match with the same team-mates"):
        pw.TrueSkill().hindsight(read([{"teams": list(teams)} for teams in pairs]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mixed = [*pairs, (["ann", "cat"], ["bob", "dan"]), (["eve", "ann"], ["fay", "bob"])]
        pw.TrueSkill().hindsight(read([{"teams": list(teams)} for teams in mixed]))


# --- newcomers, effects, statistics -------------------------------------------------------------------------


@pytest.mark.parametrize("level_tau", [0.0, 0.5])
def test_learnt_levels_of_newcomers_are_exact_for_normal_scores(level_tau):
    matches = league(np.random.default_rng(13), 20 if PURE else 60, 12)
    prior = pw.Newcomers(pw.Normal(0.0, 3.0), level_sigma=2.0, level_tau=level_tau)
    hindsight = scores_model(1, 0.3).replace(prior=prior).hindsight(read(matches), **FINE)
    levels, factor, index, last = {}, [], {}, {}
    size = len({name for m in matches for team in m["teams"] for name in team}) + 2 * len(matches)

    def grow(before, deviation):
        row = np.zeros(size) if before is None else factor[before].copy()
        row[len(factor)] += deviation
        factor.append(row)
        return len(factor) - 1

    for match in matches:
        for [name] in match["teams"]:
            if name not in levels:
                previous = list(levels.values())[-1] if levels else None
                levels[name] = grow(previous, level_tau if levels else 2.0)
    for number, match in enumerate(matches):
        for [name] in match["teams"]:
            before, time = last.get(name, (levels[name], None))
            index[name] = grow(before, 3.0 if time is None else 0.3 * np.sqrt(match["time"] - time))
            last[name] = index[name], match["time"]
            index[name, number] = index[name]
    prior_covariance = np.array(factor) @ np.array(factor).T
    design = np.zeros((len(matches), len(factor)))
    values = np.array([m["scores"][0] - m["scores"][1] for m in matches], float)
    for number, match in enumerate(matches):
        for sign, [name] in zip((1, -1), match["teams"], strict=True):
            design[number, index[name, number]] = sign
    total = design @ prior_covariance @ design.T + 6.0 * np.eye(len(matches))
    mean = prior_covariance @ design.T @ np.linalg.solve(total, values)
    assert hindsight.sweeps < 100
    for name in hindsight.ladder.names:
        assert hindsight[name].mu == pytest.approx(mean[last[name][0]], abs=1e-8)
    assert hindsight.ladder.newcomer.mu == pytest.approx(mean[list(levels.values())[-1]], abs=1e-8)


def context_league(rng, count=40, players=8):
    """Return matches with a surface, a side and rest days of each team, and kills of each player."""
    found = []
    for match in league(rng, count, players, (2, 2), home=True):
        context = {
            "surface": str(rng.choice(["clay", "grass"])),
            "side": ["red", "blue"],
            "rest": rng.normal(size=2).tolist(),
        }
        found.append(match | {"context": context, "statistics": {"kills": rng.poisson(5, (2, 2)).tolist()}})
    return found


FACETS = {
    "shared": (pw.facet.Shared("side", sigma=2.0, tau=0.1),),
    "covariate": (pw.facet.Covariate("rest", sigma=2.0),),
    "experience": (pw.facet.Experience((5, 20), sigma=1.0),),
    "all": (
        pw.facet.By("surface", sigma=2.0),
        pw.facet.Shared("side", sigma=2.0),
        pw.facet.Covariate("rest", sigma=1.0),
    ),
}


@pytest.mark.parametrize("name", FACETS)
@pytest.mark.parametrize("statistics", [False, True])
def test_the_first_pass_with_effects_and_statistics_is_the_fit(name, statistics):
    history = read(context_league(np.random.default_rng(14), 15 if PURE else 60))
    model = pw.TrueSkill().replace(facets=FACETS[name], home_sigma=1.0)
    if statistics:
        model = model.replace(statistics=(pw.statistic.Points("kills", per=None),))
    smoother = Smoother(pw.Ladder(model), history)
    smoother.forward(online=True)
    ladder = model.fit(history).ladder
    assert smoother.ladder.state[: len(ladder)] == pytest.approx(ladder.state[: len(ladder)], rel=1e-12)
    for mine, fitted in zip(smoother.ladder.facets, ladder.facets, strict=True):
        beliefs = np.s_[: len(fitted), :2]  # rounding may decide whether a match had any influence, so it counts or not
        assert mine.state[beliefs] == pytest.approx(fitted.state[beliefs], rel=1e-12, nan_ok=True)
    hindsight = model.hindsight(history)
    assert hindsight.converged
    assert np.isfinite(hindsight.left_out.win).all()


def test_effects_of_normal_scores_are_exact():
    """A side is worth the same for all; rest days have one weight: with normal scores, means are exact."""
    rng = np.random.default_rng(15)
    matches = context_league(rng, 12 if PURE else 50)
    model = scores_model(1).replace(facets=FACETS["all"][1:])
    hindsight = model.hindsight(read(matches), **FINE)
    names = list(hindsight.ladder.names)
    design, values = np.zeros((len(matches), len(names) + 3)), np.zeros(len(matches))
    for number, match in enumerate(matches):
        for sign, team, rest in zip((1, -1), match["teams"], match["context"]["rest"], strict=True):
            for name in team:
                design[number, names.index(name)] += sign
            design[number, -1] += sign * rest
        design[number, -3], design[number, -2] = 1.0, -1.0  # the first team is red, the second one blue
        values[number] = match["scores"][0] - match["scores"][1]
    prior = np.diag([9.0] * len(names) + [4.0, 4.0, 1.0])
    total = design @ prior @ design.T + (4.0 + 4.0) * np.eye(len(matches))
    mean = prior @ design.T @ np.linalg.solve(total, values)
    assert [hindsight[name].mu for name in names] == pytest.approx(mean[:-3].tolist(), abs=1e-8)
    found = {(facet, value): mu for facet, value, mu in hindsight.effects.select("facet", "value", "mu").rows()}
    assert found["side", "red"] == pytest.approx(mean[-3], abs=1e-8)
    assert found["side", "blue"] == pytest.approx(mean[-2], abs=1e-8)
    assert found["rest", ""] == pytest.approx(mean[-1], abs=1e-8)


def test_ratings_at_a_value_and_a_time_add_the_deviation():
    matches = context_league(np.random.default_rng(16), 20)
    model = pw.TrueSkill().replace(facets=(pw.facet.By("surface", sigma=3.0),), drift=pw.drift.PerTime(0.3))
    hindsight = model.hindsight(read(matches))
    on_clay = hindsight.rating("p0", at=20.0, surface="clay")
    skill = hindsight.rating("p0", at=20.0)
    assert on_clay.mu != skill.mu
    assert on_clay.sigma > skill.sigma
    assert set(hindsight.leaderboard(at=20.0, surface="clay")["player"]) <= set(hindsight.ladder.names)


def test_the_evidence_of_statistics_is_refused():
    model = pw.TrueSkill().replace(statistics=(pw.statistic.Points("kills", per=None),))
    hindsight = model.hindsight(read(context_league(np.random.default_rng(17), 5)))
    assert repr(hindsight) == "Hindsight(5 matches, 8 players)"
    with pytest.raises(pw.Error, match="evidence of a model with statistics is unknown"):
        _ = hindsight.log_evidence


# --- the gradient of the evidence ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        pw.TrueSkill(),
        pw.TrueSkill().replace(drift=pw.drift.PerTime(0.5), home_sigma=2.0, home_tau=0.2),
        pw.TrueSkill().replace(facets=(pw.facet.By("surface", sigma=3.0, tau=0.3), pw.facet.Shared("side", sigma=2.0))),
        pw.TrueSkill().replace(drift=pw.drift.Seasons(pw.drift.PerTime(0.3), gap=2.0, carry=0.8, season_tau=1.0)),
        scores_model(2, 0.5),
    ],
    ids=["per match", "by time, home", "facets", "seasons", "offence and defence"],
)
def test_the_gradient_agrees_with_differences_of_the_evidence(model):
    history = read(context_league(np.random.default_rng(18), 12 if PURE else 50))
    gradient = model.hindsight(history, **FINE).gradient
    assert {"sigma", "tau"} & set(gradient)
    for name, slope in gradient.items():
        value = model.params[name]
        if value == 0.0:
            continue
        step = 1e-4 * abs(value)
        low, high = (
            model.replace(**{name: new}).hindsight(history, **FINE).log_evidence for new in (value - step, value + step)
        )
        assert slope == pytest.approx((high - low) / (2 * step), rel=2e-3, abs=2e-5), name


def test_a_given_home_advantage_has_no_gradient_by_its_sigma():
    model = pw.TrueSkill().replace(home=pw.Home(2.0))
    history = read([{"teams": [["ann"], ["bob"]], "home": 0}])
    assert "home_sigma" not in model.hindsight(history).gradient


def test_the_gradient_by_a_drift_of_zero_is_zero():
    history = read(league(np.random.default_rng(18), 30, 5))
    model = pw.TrueSkill(mu=0, sigma=0.01, beta=0.01, tau=0)
    assert model.hindsight(history).gradient["tau"] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("count", [12, 60])
def test_shares_of_draws_are_those_of_a_fit(count):
    """`Logit` forecasts draws by their share among earlier matches, which a fit in blocks completes afterwards."""
    matches = league(np.random.default_rng(31), count, 6, scores=False)
    model = pw.TrueSkill().replace(outcome=pw.outcome.Logit(10.0), drift=pw.drift.PerTime(0.3))
    fit, hindsight = model.fit(read(matches)), model.hindsight(read(matches))
    assert fit.ladder.memory[0] > 0.0
    assert hindsight.ladder.memory == pytest.approx(fit.ladder.memory)
    assert hindsight.predict([["p0"], ["p1"]]).draw > 0.0
    assert (hindsight.left_out.draw > 0.0).all()
    later = model.fit(read(matches), refit=1e6)
    for name in ("win", "draw", "log_evidence"):
        assert getattr(later.forecasts, name) == pytest.approx(getattr(fit.forecasts, name), abs=1e-12)


# --- refits -------------------------------------------------------------------------------------------------


REFITS = {
    "plain": pw.TrueSkill().replace(drift=pw.drift.PerTime(0.3)),
    "facets and home": pw.TrueSkill().replace(facets=FACETS["all"], home_sigma=1.0),
    "scores": pw.GaussianOD(),
    "newcomers": pw.TrueSkill().replace(prior=pw.Newcomers(pw.Normal(25.0, 8.0), level_sigma=3.0, matches=3)),
}


@pytest.mark.parametrize("window", [None, 6.0])
@pytest.mark.parametrize("name", REFITS)
def test_no_forecast_of_a_refit_changes_with_later_matches(name, window):
    matches = context_league(np.random.default_rng(19), 15 if PURE else 60)
    model, history = REFITS[name], read(matches)
    whole = model.fit(history, refit=3.0, window=window)
    for cut in (5, 9, len(matches) - 3):
        part = model.fit(history[:cut], refit=3.0, window=window)
        assert (part.forecasts.win == whole.forecasts.win[:cut]).all()
        assert (part.forecasts.log_evidence == whole.forecasts.log_evidence[:cut]).all()


def test_a_refit_forecasts_from_the_hindsight_of_the_past():
    matches = [m | {"time": 10.0 * (k // 20)} for k, m in enumerate(league(np.random.default_rng(20), 60, 8))]
    model = pw.TrueSkill().replace(drift=pw.drift.PerTime(0.3))
    fit = model.fit(read(matches), refit=1.0)
    past = model.hindsight(read(matches[:40]), tolerance=1e-9, sweeps=500)
    first = matches[40]
    prediction = past.predict(first["teams"], at=None, time=20.0)
    assert fit.forecasts.win[40] == pytest.approx(prediction.win[0], abs=0.005)
    assert fit.forecasts.win[:20] == pytest.approx(model.fit(read(matches)).forecasts.win[:20], abs=1e-12)
    with pytest.raises(pw.Error, match=r"use model.hindsight\(history\) for ratings at any time"):
        fit.trajectory("p0")


def test_refits_need_times():
    with pytest.raises(pw.Error, match="refit needs the times of the matches"):
        pw.TrueSkill().fit(read([{"teams": [["ann"], ["bob"]]}]), refit=7)
    with pytest.raises(pw.Error, match="give refit, too"):
        pw.TrueSkill().fit(read([{"teams": [["ann"], ["bob"]]}]), window=7)


# --- revisions ----------------------------------------------------------------------------------------------


def largest_error(one, other):
    return max(abs(one[name].mu - other[name].mu) / other[name].sigma for name in other.ladder.names)


REVISED = {
    "by time": pw.TrueSkill().replace(drift=pw.drift.PerTime(0.3)),
    "limited drift": pw.TrueSkill().replace(drift=pw.drift.PerTime(2.0, cap=5.0)),
    "seasons": pw.TrueSkill().replace(
        drift=pw.drift.Seasons(pw.drift.PerTime(0.3), gap=3.0, carry=0.8, season_tau=1.0)
    ),
    "scores": scores_model(2, 0.3),
    "deviations": pw.TrueSkill().replace(facets=(pw.facet.By("surface", sigma=2.0, tau=0.1),)),
    "home and effects": pw.TrueSkill().replace(facets=FACETS["all"], home_sigma=1.0),
    "newcomers": REFITS["newcomers"],
}


@pytest.mark.parametrize("few", [0, 1000])
@pytest.mark.parametrize("name", REVISED)
def test_revised_histories_agree_with_new_fits(name, few, monkeypatch):
    monkeypatch.setattr("prowess.model.hindsight.revision.FEW", few)
    matches = context_league(np.random.default_rng(21), 20 if PURE else 80, 10)
    model = REVISED[name]
    hindsight = model.hindsight(read(matches), **FINE)
    new = matches[5] | {"scores": [9, 0], "time": 30.0, "teams": [["p0", "p3"], ["p1", "stranger"]]}
    changed = matches[12] | {"scores": matches[12]["scores"][::-1]}
    in_order = sorted([*matches, new], key=lambda match: match["time"])
    cases = {
        "added": (hindsight.add(read([new]), tolerance=1e-4), in_order),
        "removed": (hindsight.remove(12, tolerance=1e-4), matches[:12] + matches[13:]),
        "replaced": (hindsight.replace(12, changed, tolerance=1e-4), [*matches[:12], changed, *matches[13:]]),
    }
    for revised, expected in cases.values():
        assert len(revised.history) == len(expected)
        assert largest_error(revised, model.hindsight(read(expected), **FINE)) < 5e-3
        assert revised.visits > 0


def test_a_match_that_is_not_there_cannot_be_removed():
    hindsight = pw.TrueSkill().hindsight(read([{"teams": [["ann"], ["bob"]]}]))
    with pytest.raises(pw.Error, match="match 1 not found in a history of 1 matches"):
        hindsight.remove(1)


# --- the joint form -----------------------------------------------------------------------------------------


def test_the_joint_form_gives_a_ladder_with_effects():
    matches = context_league(np.random.default_rng(22), 40)
    model = scores_model(1, home=(1.0, 2.0)).replace(facets=(pw.facet.Covariate("rest", sigma=1.0),))
    joint, chains = (model.hindsight(read(matches), joint=joint, **({} if joint else FINE)) for joint in (True, False))
    assert joint.ladder.home.mu == pytest.approx(chains.home.mu, abs=1e-7)
    assert joint.ladder.effects["mu"].to_list() == pytest.approx(chains.effects["mu"].to_list(), abs=1e-7)
    board = joint.leaderboard()
    assert dict(board.select("player", "matches").rows()) == dict(
        chains.leaderboard().select("player", "matches").rows()
    )
    for name, mu in board.select("player", "mu").rows():
        assert mu == pytest.approx(chains[name].mu, abs=1e-7)
        assert joint[name].sigma > chains[name].sigma  # it includes the uncertainty of the common level


# --- peaks and past leaderboards ----------------------------------------------------------------------------


@pytest.mark.parametrize("traits", [1, 2])
def test_best_of_all_times_is_the_highest_point_of_each_curve(traits):
    matches = league(np.random.default_rng(5), 60, 8)
    hindsight = scores_model(traits, 0.7).hindsight(read(matches))
    best = hindsight.best()
    assert best["shown"].is_sorted(descending=True)
    assert best["rank"].to_list() == list(range(1, 9))
    for row in best.iter_rows(named=True):
        curve = hindsight.curve(row["player"])
        peak = curve.row(int(curve["shown"].arg_max()), named=True)
        assert row["shown"] == pytest.approx(peak["shown"], abs=1e-12)
        # Of several matches at the time of the peak, the first one is listed.
        assert (row["match"], row["time"]) == (curve.filter(time=peak["time"])["match"][0], peak["time"])
        assert row["matches"] == len(curve)
        assert all(row[trait] == pytest.approx(peak[trait]) for trait in ("offence", "defence") if traits == 2)


def test_best_of_skills_that_do_not_move_is_the_first_match():
    matches = league(np.random.default_rng(6), 40, 5)
    best = scores_model(1).hindsight(read(matches)).best()
    first = {}
    for number, match in enumerate(matches):
        for team in match["teams"]:
            first.setdefault(team[0], number)
    assert dict(best.select("player", "match").rows()) == first


def test_best_lists_only_players_with_enough_matches():
    matches = [{"teams": [["ann"], ["bob"]]}, {"teams": [["ann"], ["cat"]]}, {"teams": [["ann"], ["dan"]]}]
    start = pw.TrueSkill().fit(read([{"teams": [["eve"], ["fay"]]}])).ladder
    hindsight = pw.TrueSkill().hindsight(read(matches), start)
    assert sorted(hindsight.best()["player"]) == ["ann", "bob", "cat", "dan"]
    assert hindsight.best(min_matches=2)["player"].to_list() == ["ann"]
    assert "time" not in hindsight.best().columns
    assert pw.TrueSkill().hindsight(read([])).best().is_empty()


def test_past_leaderboard_says_when_players_had_last_played():
    days = [("ann", "bob", "2024-01-01"), ("ann", "cat", "2024-06-01"), ("bob", "ann", "2025-01-01")]
    matches = [{"teams": [[one], [other]], "time": day} for one, other, day in days]
    table = pw.TrueSkill().hindsight(read(matches)).leaderboard(at="2024-12", all=True)
    seen = {row["player"]: str(row["last_seen"]) for row in table.iter_rows(named=True)}
    assert seen == {"ann": "2024-06-01", "bob": "2024-01-01", "cat": "2024-06-01"}
    table = pw.TrueSkill().hindsight(read(matches)).leaderboard(at="2024-03", all=True)
    assert dict(table.select("player", "last_seen").rows())["cat"] is None


@pytest.mark.parametrize("name", REVISED)
def test_a_pickled_hindsight_is_the_same(name):
    matches = context_league(np.random.default_rng(23), 20 if PURE else 60, 8)
    hindsight = REVISED[name].hindsight(read(matches), **FINE)
    copy = pickle.loads(pickle.dumps(hindsight))
    assert (copy.sweeps, copy.moved, copy.converged, copy.visits) == (
        hindsight.sweeps,
        hindsight.moved,
        hindsight.converged,
        hindsight.visits,
    )
    for player in hindsight.ladder.names:
        assert copy.curve(player)["mu"].to_numpy() == pytest.approx(hindsight.curve(player)["mu"].to_numpy(), abs=1e-8)
    assert copy.log_evidence == pytest.approx(hindsight.log_evidence, abs=1e-8)


def test_many_matches_change_at_once():
    matches = league(np.random.default_rng(24), 60, 8)
    model = pw.TrueSkill().replace(drift=pw.drift.PerTime(0.3))
    hindsight = model.hindsight(read(matches), **FINE)
    others = league(np.random.default_rng(25), 12, 8)
    mixed = sorted([*matches[5:30], *matches[33:], *others], key=lambda match: match["time"])
    source = np.array([matches.index(match) if match in matches else -1 for match in mixed])
    revised = hindsight.with_history(read(mixed), source, tolerance=1e-4)
    assert largest_error(revised, model.hindsight(read(mixed), **FINE)) < 5e-3


# --- passes in parts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        pw.TrueSkill().replace(drift=pw.drift.PerTime(0.2)),
        scores_model(2, 0.3, (1.0, 2.0, 0.1)),
        pw.TrueSkill().replace(team=pw.team.Sum(), facets=(pw.facet.By("place", sigma=2.0),)),
    ],
    ids=["lanes", "learnt home", "facet"],
)
def test_parts_of_a_pass_do_not_change_the_bits(monkeypatch, model):
    matches = league(np.random.default_rng(8), 40 if PURE else 200, 9, home=True)
    for number, match in enumerate(matches):
        match["context"] = {"place": "hall" if number % 3 else "park"}
    monkeypatch.setattr("prowess.model.engine.schedule.WINDOW", 17)
    whole = model.hindsight(read(matches))
    monkeypatch.setattr("prowess.model.hindsight.smoother.CHUNK", 40)
    parts = model.hindsight(read(matches))
    assert (parts.sweeps, parts.log_evidence) == (whole.sweeps, whole.log_evidence)
    assert parts.leaderboard().equals(whole.leaderboard())


# --- blocks -----------------------------------------------------------------------------------------------------


def messages(package, make, matches, sweeps=3):
    """Return all sites and messages after a few sweeps, and how far beliefs have moved in each of them."""
    passes = importlib.import_module(f"{package.__name__}.model.hindsight.smoother")
    smoother = passes.Smoother(package.Ladder(make(package)), package.History.from_matches(matches))
    moved = [smoother.sweep() for _ in range(sweeps)]
    chains = [cells for chain in smoother.chains.all for cells in (chain.sites, chain.messages)]
    return np.concatenate([moved, *map(np.array, chains)])


BLOCKS = {
    "no draws": lambda pw: pw.TrueSkill(draw_probability=0).replace(drift=pw.drift.PerTime(0.2)),
    "draws": lambda pw: pw.TrueSkill(draw_probability=0.3),
    "far tails": lambda pw: pw.TrueSkill(mu=0, sigma=1.0, beta=0.01, tau=0.0, draw_probability=0.3),
    "margin of places": lambda pw: pw.TrueSkill(margin=pw.outcome.TwoValued(4.0, 0.5)),
    "learnt draws": lambda pw: pw.TrueSkill(draw_probability="learnt"),
    "limited drift": lambda pw: pw.TrueSkill().replace(drift=pw.drift.PerTime(0.4, cap=8.0)),
    "scores": lambda pw: pw.GaussianOD(),
    "facet": lambda pw: pw.TrueSkill().replace(facets=(pw.facet.By("place", sigma=2.0),)),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_of_any_size_and_both_modes_give_the_same_bits(monkeypatch, name):
    rng, count = np.random.default_rng(9), 30 if PURE else 120
    matches = league(rng, count, 40, importance=True) + league(rng, count // 3, 40, (2, 1), time=True)
    for number, match in enumerate(matches):
        match["time"], match["context"] = number // 4, {"place": "hall" if number % 3 else "park"}
    wanted = messages(pw, BLOCKS[name], matches)
    assert np.isfinite(wanted).all()
    for lanes in (8, 3, 1):
        monkeypatch.setattr("prowess.model.engine.pipeline.LANES", lanes)
        assert messages(pw, BLOCKS[name], matches).tobytes() == wanted.tobytes(), f"{lanes} lanes"
    assert messages(pure.load(), BLOCKS[name], matches).tobytes() == wanted.tobytes()

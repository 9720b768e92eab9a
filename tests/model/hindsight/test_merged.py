"""Equal matches are merged if their order does not matter; all results are those of a fit without merging."""

import pickle

import numpy as np
import polars as pl
import pytest

import prowess as pw
from prowess.model.engine.breaks import Breaks
from prowess.model.hindsight import merge
from prowess.model.hindsight.hindsight import Hindsight, fit_league
from prowess.model.hindsight.merge import merge_if_useful, merge_matches
from tests.model.hindsight.test_hindsight import FINE, largest_error, read

PURE = pw.kernel_mode() == "pure"
STILL = pw.TrueSkill(mu=25.0, sigma=8.0, beta=4.0, tau=0.0, draw_probability=0.2)
SCORES = pw.Model(
    prior=pw.Normal(0.0, 3.0), noise=1.0, outcome=pw.outcome.GaussianScore(2.0), drift=pw.drift.PerTime(0.0)
)
TWO_TRAITS = SCORES.replace(outcome=pw.outcome.OffenceDefence(pw.outcome.GaussianScore(2.0, base_score=2.5)))


EVERY_PAIR = [{"teams": [[one], [other]], "scores": [1, 0]} for one in "abcde" for other in "abcde" if one != other]


def votes(sizes=(1, 1), count=60, players=4, *, time=True, seed=1, home=False, context=False, importance=(1.0,)):
    """Return matches of few players with few results, so that many are equal, with the teams in any order."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(count):
        names = [f"p{k}" for k in rng.permutation(players)[: sum(sizes)]]
        match = {"teams": [list(map(str, team)) for team in np.split(names, np.cumsum(sizes)[:-1])]}
        match["scores"] = rng.integers(0, 2, len(sizes)).tolist()
        match["importance"] = float(rng.choice(importance))
        if time:
            match["time"] = f"2026-01-{1 + number // 10:02}"
        if home and rng.random() < 0.8:
            match["home"] = int(rng.integers(len(sizes)))
        if context:
            rest = rng.integers(0, 2, len(sizes)).tolist()
            side = rng.choice(["red", "blue"], len(sizes)).tolist()
            match["context"] = {"map": str(rng.choice(["x", "y"])), "side": side, "rest": rest}
        found.append(match)
    return found


AT_HOME = {"home": True}
IN_CONTEXT = {"context": True, "count": 120}
IMPORTANT = {"importance": (0.0, 0.5, 1.0, 2.0, 3.5)}
CASES = {
    "votes with draws": (STILL, {}),
    "without times": (STILL, {"time": False}),
    "teams of two": (STILL, {"sizes": (2, 2), "players": 5}),
    "free-for-all": (STILL, {"sizes": (1, 1, 1)}),
    "two and three teams": (STILL, {"sizes": (1, 2, 1), "players": 5, "count": 120}),
    "places": (pw.TS2a(tau=0.0, margin=2.0).replace(team=pw.team.Sum()), {"sizes": (1, 1, 1)}),
    "learnt draws": (STILL.replace(outcome=pw.outcome.Order(draw_probability="learnt")), {}),
    "estimated noise": (SCORES.replace(outcome=pw.outcome.GaussianScore()), {}),
    "logistic": (STILL.replace(outcome=pw.outcome.Logit(10.0)), {}),
    "given home advantage": (STILL.replace(home=pw.Home(2.0)), AT_HOME),
    "learnt home advantage": (STILL.replace(home=pw.Home(0.0, 2.0)), AT_HOME),
    "deviations": (STILL.replace(facets=(pw.facet.By("map", sigma=2.0),)), IN_CONTEXT),
    "effects": (STILL.replace(facets=(pw.facet.Shared("side", sigma=2.0),)), IN_CONTEXT),
    "covariate": (STILL.replace(facets=(pw.facet.Covariate("rest", sigma=2.0),)), IN_CONTEXT),
    "facets of teams": (
        STILL.replace(facets=(pw.facet.By("map", sigma=2.0), pw.facet.Shared("side", sigma=2.0)), home=pw.Home(0, 2.0)),
        {"sizes": (2, 2), "players": 4, "context": True, "home": True, "count": 240},
    ),
    "importance": (STILL, IMPORTANT),
    "copies": (STILL, {"importance": (0.0, 1.0, 2.0, 3.5)}),
    "importance of effects": (STILL.replace(facets=(pw.facet.Shared("side", sigma=2.0),)), IN_CONTEXT | IMPORTANT),
    "scores": (SCORES, {"count": 80}),
    "two traits": (TWO_TRAITS, {"home": True, "count": 80}),
    "newcomers": (STILL.replace(prior=pw.Newcomers(pw.Normal(25.0, 8.0), level_sigma=3.0)), {"players": 6}),
    "seasons without breaks": (STILL.replace(drift=pw.drift.Seasons(pw.drift.Still(), carry=1.0, season_tau=0.0)), {}),
}


@pytest.fixture
def fit_both(monkeypatch):
    """Return a function that returns what a function gives with merged matches and without merging."""

    def fit(function):
        both = []
        for share in (1.0, 0.0):
            monkeypatch.setattr(merge, "MOST_LEFT", share)
            both.append(function())
        monkeypatch.setattr(merge, "MOST_LEFT", 1.0)
        assert len(both[0]._smoother.history) < len(both[0].history) == len(both[1]._smoother.history)
        return both

    return fit


def same_frame(one, other):
    """Check that two frames agree, numbers to rounding."""
    assert one.columns == other.columns
    for name in one.columns:
        if one[name].dtype.is_float():
            assert one[name].to_numpy() == pytest.approx(other[name].to_numpy(), rel=1e-8, abs=1e-6, nan_ok=True)
        else:
            assert one[name].to_list() == other[name].to_list(), name


def same_ladder(one, other):
    assert one.names == other.names
    assert one.stamp == other.stamp
    assert one.first_time == pytest.approx(other.first_time, nan_ok=True)
    size = len(one)
    assert one.state[:size] == pytest.approx(other.state[:size], abs=1e-7, nan_ok=True)
    assert one.memory == pytest.approx(other.memory, abs=1e-7)
    for mine, theirs in zip(one.facets, other.facets, strict=True):
        assert (mine.values, mine.owners, mine.codes) == (theirs.values, theirs.owners, theirs.codes)
        assert mine.state[: len(mine)] == pytest.approx(theirs.state[: len(mine)], abs=1e-7, nan_ok=True)


def same_hindsight(one, other):
    """Check that all that a hindsight tells about a history agrees with another one."""
    history = other.history
    assert one.history is history or one.history == history
    assert one.unconverged == other.unconverged
    assert one.converged == other.converged
    same_ladder(one.ladder, other.ladder)
    same_frame(one.leaderboard(), other.leaderboard())
    same_frame(one.best().sort("player"), other.best().sort("player"))
    same_frame(one.effects, other.effects)
    same_frame(one.deviations, other.deviations)
    for player in other.ladder.names:
        same_frame(one.curve(player), other.curve(player))
    entries = np.arange(history.entries)
    assert one.beliefs_at(entries) == pytest.approx(other.beliefs_at(entries), abs=1e-7)
    assert one.log_evidence == pytest.approx(other.log_evidence, abs=1e-6)
    assert one.gradient == pytest.approx(other.gradient, rel=1e-5, abs=1e-5)
    same_frame(one.left_out.to_frame(), other.left_out.to_frame())
    assert one.left_out.log_evidence == pytest.approx(other.left_out.log_evidence, abs=1e-7)
    if history.time is not None:
        same_at(one, other, float(np.quantile(history.time, 0.3)))


def same_at(one, other, time):
    for everybody in (False, True):
        same_ladder(one.standing_at(time, all=everybody), other.standing_at(time, all=everybody))
    same_frame(one.leaderboard(at="2026-01-07"), other.leaderboard(at="2026-01-07"))
    days = ["2025-12-31", "2026-01-05", "2027-01-01"]
    for player in other.ladder.names:
        same_frame(one.curve(player, at=days), other.curve(player, at=days))


# without compiled kernels
SLOW = ["facets of teams", "importance", "importance of effects", "two and three teams", "places"]


@pytest.mark.parametrize("name", [name for name in CASES if not PURE or name not in SLOW])
def test_a_merged_fit_is_the_fit_of_all_matches(name, fit_both):
    model, options = CASES[name]
    history = read(votes(**options))
    same_hindsight(*fit_both(lambda: model.hindsight(history, **FINE)))


@pytest.mark.parametrize(
    "name", ["votes with draws", "deviations" if PURE else "facets of teams", "copies", "two traits"]
)
def test_a_merged_fit_begins_with_a_ladder(name, fit_both):
    model, options = CASES[name]
    matches = votes(**options)
    names = {"p0": "new", "p1": "newer"}
    later = [
        m | {"teams": [[names.get(p, p) for p in team] for team in m["teams"]], "time": "2026-03-01"} for m in matches
    ]
    start = model.fit(read(matches)).ladder
    history = read(later)
    same_hindsight(*fit_both(lambda: model.hindsight(history, start, scale=(1500, 400), **FINE)))


REVISED = ["votes with draws", "teams of two", "facets of teams", "copies", "newcomers"]


@pytest.mark.parametrize("name", REVISED[:1] if PURE else REVISED)
def test_revisions_of_merged_matches_agree_with_new_fits(name, fit_both):
    model, options = CASES[name]
    matches = votes(**options)
    hindsight, _ = fit_both(lambda: model.hindsight(read(matches), **FINE))
    turned = matches[0] | {"teams": matches[0]["teams"][::-1], "scores": matches[0]["scores"][::-1]}
    del turned["time"]
    strange = matches[4] | {"teams": [["stranger", *matches[4]["teams"][0][1:]], matches[4]["teams"][1]]}
    fine = {"tolerance": 1e-10}
    cases = {
        "one more copy": hindsight.add(read([matches[3] | {"time": "2026-02-01"}]), **fine),
        "an earlier copy": hindsight.add(read([turned | {"time": "2025-01-01"}]), **fine),
        "a new player": hindsight.add(read([strange]), **fine),
        "one copy less": hindsight.remove(1, **fine),
        "another first copy": hindsight.remove(0, **fine),
        "another result": hindsight.replace(5, turned, **fine),
    }
    for revised in cases.values():
        same_hindsight(revised, model.hindsight(revised.history, **FINE))
        assert revised.visits > 0


def test_revisions_may_begin_or_end_with_unmerged_matches(monkeypatch):
    matches = votes(sizes=(2, 2), players=5)
    expected = STILL.hindsight(read(matches[:-1]), **FINE)
    for before, after in ((0.0, 1.0), (1.0, 0.0)):
        monkeypatch.setattr(merge, "MOST_LEFT", before)
        hindsight = STILL.hindsight(read(matches), **FINE)
        monkeypatch.setattr(merge, "MOST_LEFT", after)
        same_hindsight(hindsight.remove(len(matches) - 1, tolerance=1e-10), expected)


def test_a_pickled_merged_fit_is_the_same(fit_both):
    model, options = CASES["deviations"]
    history = read(votes(**options))
    hindsight, _ = fit_both(lambda: model.hindsight(history, **FINE))
    copy = pickle.loads(pickle.dumps(hindsight))
    same_hindsight(copy, hindsight)
    assert (copy.sweeps, copy.moved, copy.visits) == (hindsight.sweeps, hindsight.moved, hindsight.visits)
    assert len(copy._smoother.history) < len(copy.history)


def test_refined_and_other_models_continue_from_a_merged_fit(fit_both):
    history = read(votes())
    hindsight, unmerged = fit_both(lambda: STILL.hindsight(history, **FINE))
    rough = STILL.hindsight(history, tolerance=0.01)
    same_hindsight(rough.refine(tolerance=1e-11), unmerged)
    drifting = STILL.replace(drift=pw.drift.PerMatch(0.5))
    assert largest_error(hindsight.with_model(drifting), drifting.hindsight(history, **FINE)) < 1e-8
    back = drifting.hindsight(history, **FINE).with_model(STILL)
    same_hindsight(back, unmerged)
    wider = STILL.replace(sigma=9.0)
    same_hindsight(hindsight.with_model(wider), wider.hindsight(history, **FINE))


def test_visits_count_merged_matches():
    hindsight = STILL.hindsight(read(EVERY_PAIR * 50))
    assert hindsight.visits == 2 * hindsight.sweeps * 20
    hindsight = STILL.hindsight(read([{"teams": [["a"], ["b"]]}] * 1000))
    assert hindsight.visits == 2 * hindsight.sweeps < 100


def test_errors_name_the_original_match():
    matches = [{"teams": [["a"], ["b"]], "scores": [1, 2]}] * 6 + [{"teams": [["a"], ["b"]]}]
    with pytest.raises(pw.Error, match="match 7 of 7: GaussianScore needs scores"):
        SCORES.hindsight(read(matches))


def test_members_of_fixed_teams_are_named_if_all_their_matches_are_equal():
    with pytest.warns(UserWarning, match="a, b, c and others shared every match with the same team-mates"):
        STILL.hindsight(read([{"teams": [["a", "b"], ["c", "d"]]}] * 3))


def test_unconverged_matches_are_original_matches():
    smoother = STILL.hindsight(read(EVERY_PAIR * 3))._smoother
    smoother.unconverged = [1, 4]
    assert Hindsight(smoother, True).unconverged == [1, 4, 21, 24, 41, 44]


# --- where the order matters --------------------------------------------------------------------------------------


ORDERED = {
    "drift": STILL.replace(drift=pw.drift.PerMatch(0.1)),
    "drift by time": STILL.replace(drift=pw.drift.PerTime(0.1)),
    "limited drift": STILL.replace(drift=pw.drift.PerTime(0.1, cap=0.5)),
    "seasons": STILL.replace(drift=pw.drift.Seasons(pw.drift.Still(), gap=2.0, carry=0.8)),
    "home advantage that drifts": STILL.replace(home=pw.Home(0.0, 2.0, 0.1)),
    "facet that drifts": STILL.replace(facets=(pw.facet.By("map", sigma=2.0, tau=0.1),)),
    "experience": STILL.replace(facets=(pw.facet.Experience((5, 20), sigma=1.0),)),
    "level that drifts": STILL.replace(prior=pw.Newcomers(pw.Normal(25.0, 8.0), level_sigma=3.0, level_tau=0.1)),
    "statistics": STILL.replace(statistics=(pw.statistic.Points("kills", per=None),)),
    "weights that follow ratings": STILL.replace(team=pw.team.LeaderBonus(pw.team.Sum(), 0.2)),
    "margins that follow ratings": pw.TS2b(tau=0.0),
}


@pytest.mark.parametrize("name", ORDERED)
def test_matches_whose_order_matters_are_not_merged(name):
    history = read(EVERY_PAIR * 5)
    assert merge_if_useful(history, STILL, Breaks()) is not None
    assert merge_if_useful(history, ORDERED[name], Breaks()) is None


def test_matches_across_breaks_are_not_merged():
    history = read([match | {"time": float(time)} for time, match in enumerate(EVERY_PAIR * 5)])
    assert merge_if_useful(history, STILL, Breaks([5.0], [1.0], [0.0], [25.0])) is not None
    assert merge_if_useful(history, STILL, Breaks([5.0], [0.9], [0.0], [25.0])) is None
    assert merge_if_useful(history, STILL, Breaks([5.0], [1.0], [0.1], [25.0])) is None


def test_leagues_are_merged_too(fit_both):
    history = read(votes())
    breaks = Breaks([float(history.time[20])], [1.0], [0.0], [25.0])
    merged, unmerged = fit_both(lambda: fit_league(STILL, history, breaks).refine(tolerance=1e-11))
    same_hindsight(merged, unmerged)


# --- where it pays ------------------------------------------------------------------------------------------------


def random_votes(count, players, pairs=None):
    """Return votes between random players, or between random ones of some pairs."""
    rng = np.random.default_rng(1)
    ends = rng.integers(0, players, (pairs or count, 2))
    ends[:, 1] = (ends[:, 0] + 1 + ends[:, 1] % (players - 1)) % players
    chosen = ends if pairs is None else ends[rng.integers(0, pairs, count)]
    names = np.array([f"p{k}" for k in range(players)])
    return pw.History.from_frame(pl.DataFrame({"winner": names[chosen[:, 0]], "loser": names[chosen[:, 1]]}))


def test_few_equal_matches_are_not_merged():
    assert merge_if_useful(read([{"teams": [["a"], ["b"]]}]), STILL, Breaks()) is None
    assert merge_if_useful(random_votes(400, 300), STILL, Breaks()) is None


@pytest.mark.parametrize(("pairs", "is_merged"), [(3_000, True), (15_000, True), (200_000, False)])
def test_a_sample_tells_whether_many_matches_are_equal(pairs, is_merged, monkeypatch):
    history = random_votes(30_000, 1_000, pairs)
    assert (merge_if_useful(history, STILL, Breaks()) is not None) == is_merged
    sizes = []

    def merge_counted(history, *rest, **more):
        sizes.append(len(history))
        return merge_matches(history, *rest, **more)

    monkeypatch.setattr(merge, "merge_matches", merge_counted)
    merge_if_useful(history, STILL, Breaks())
    assert sizes[0] < 4_000
    assert (len(sizes) > 1) == is_merged


def test_votes_between_language_models(data, fit_both):
    frame = pl.read_csv(data / "llm_comparisons.csv").select("left", "right", "winner")
    ranks = {"left": [1, 2], "right": [2, 1], "tie": [1, 1]}
    history = read([{"teams": [[a], [b]], "ranks": ranks[c]} for a, b, c in frame.iter_rows()])
    draws = float((frame["winner"] == "tie").mean())
    model = pw.TrueSkill(mu=0.0, sigma=1.0, beta=1.0, tau=0.0, draw_probability=draws)
    hindsight = model.hindsight(history, tolerance=1e-8)
    assert hindsight.sweeps <= 10
    assert hindsight.visits == 2 * hindsight.sweeps * 2181
    if not PURE:
        same_hindsight(*fit_both(lambda: model.hindsight(history, tolerance=1e-10)))

"""Measures agree with plain loops and hand calculations, in edge cases and for every model."""

from __future__ import annotations

from itertools import pairwise
from math import isnan, log, log2, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, norm

import prowess as pw
from prowess.lab import measures
from prowess.model.fit.forecasts import Forecasts
from prowess.model.presets import PRESETS
from tests.conformance.leagues import duels, history
from tests.conformance.leagues import matches as league
from tests.oracles import measures as oracle
from tests.oracles.measures import Match
from tests.oracles.poisson import win_and_draw

NORMAL = pw.outcome.OffenceDefence(pw.outcome.GaussianScore(5.0))
COUNTS = pw.outcome.OffenceDefence(pw.outcome.PoissonScore())
ADDITIVE = ["pair_error", "pair_log_loss", "log_loss", "information_gain", "brier", "sharpness", "place_error"]
RANGES = {
    "pair_error": (0, 1),
    "pair_log_loss": (0, -log(1e-6)),
    "log_loss": (0, -log(1e-6)),
    "information_gain": (1 + log2(1e-6), 1),
    "brier": (0, 2),
    "sharpness": (0, log2(3) + 1e-12),
    "place_error": (0, 1e6),
}


def forecasts_of(found: list[Match], outcome: pw.Outcome | None = None) -> Forecasts:
    """Return forecasts with the places, means, variances and probabilities of the given matches."""
    matches = [{"teams": [[f"p{j}", f"q{j}"] for j in range(len(m.place))], "ranks": m.place} for m in found]
    for match, m in zip(matches, found, strict=True):
        if m.score is not None:
            match["scores"] = m.score
    two = [len(m.place) == 2 for m in found]
    win, draw = (np.array([p if t else np.nan for p, t in zip(ps, two, strict=True)], float)
                 for ps in ([m.win for m in found], [m.draw for m in found]))  # fmt: skip
    empty = np.zeros((0, 2)) if outcome in (NORMAL, COUNTS) else np.zeros(0)
    mean, variance = (np.array([x for m in found for x in column(m)], float) if found else empty
                      for column in (lambda m: m.mean, lambda m: m.variance))  # fmt: skip
    outcome = pw.TrueSkill().outcome if outcome is None else outcome
    return Forecasts(pw.History.from_matches(matches), outcome, mean, variance, np.zeros(len(found)), (win, draw))


few = st.sampled_from([-1e30, -2.0, -0.0, 0.0, 1.0, 1.5, 1e30])
means = few | st.floats(-50, 50)
variances = st.sampled_from([0.0, 1e-12, 1.0, 30.0, 1e60]) | st.floats(0, 100)
chances = st.sampled_from([0.0, 1.0, 0.5, 1e-9]) | st.floats(0, 1)


@st.composite
def matches(draw: st.DrawFn, traits: int = 1, most: int = 8) -> list[Match]:
    def column(each: st.SearchStrategy[float], teams: int) -> list[Any]:
        return draw(st.lists(each if traits == 1 else st.tuples(each, each), min_size=teams, max_size=teams))

    found = []
    for _ in range(draw(st.integers(0, 6))):
        teams = draw(st.sampled_from([2, 2, 2, 3, 5, most]))
        place = draw(st.lists(st.integers(1, 4), min_size=teams, max_size=teams) | st.just([1] * teams))
        win = draw(chances)
        found.append(Match(place, column(means, teams), column(variances, teams), win, (1 - win) * draw(chances)))
    return found


def same(tally: measures.Tally, expected: list[tuple[float, float]]) -> None:
    """Check the totals and weights of all matches, and their mean."""
    assert len(tally) == len(expected)
    assert tally.total.tolist() == pytest.approx([total for total, _ in expected], rel=1e-9, abs=1e-12)
    assert tally.weight.tolist() == [weight for _, weight in expected]
    if any(weight for _, weight in expected):
        mean = sum(total for total, _ in expected) / sum(weight for _, weight in expected)
        assert tally.mean() == pytest.approx(mean, rel=1e-9, abs=1e-12)
    else:
        with pytest.raises(pw.Error, match="none of these matches can be measured"):
            tally.mean()


def equally(found: list[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(total / weight, 1.0) if weight else (0.0, 0.0) for total, weight in found]


@given(matches(), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([None, 0.0, 0.5, 1.0]))
def test_pair_error_agrees_with_brute_force(found, ties, drawn):
    forecasts = forecasts_of(found)
    expected = [oracle.pair_error(m, ties, drawn) for m in found]
    same(measures.pair_error(forecasts, ties=ties, drawn=drawn, pooled=True), expected)
    same(measures.pair_error(forecasts, ties=ties, drawn=drawn), equally(expected))


@given(matches(traits=2))
def test_team_strengths_from_offence_and_defence_agree_with_brute_force(found):
    forecasts = forecasts_of(found, NORMAL)
    rows = [x for m in found for x in zip(*oracle.strengths(m), strict=True)]
    assert measures.strength(forecasts).tolist() == pytest.approx([mean for mean, _ in rows])
    assert measures.performance(forecasts).tolist() == pytest.approx([variance for _, variance in rows])
    near = [m for m in found if len({round(s, 6) for s in oracle.strengths(m)[0]}) == len(m.place)]  # no near ties
    same(measures.pair_error(forecasts_of(near, NORMAL), pooled=True), [oracle.pair_error(m) for m in near])


@given(matches(), st.sampled_from([1e-6, 0.01, 0.3]))
def test_pair_log_loss_agrees_with_brute_force(found, least):
    forecasts = forecasts_of(found)
    expected = [oracle.pair_log_loss(m, least) for m in found]
    same(measures.pair_log_loss(forecasts, least=least, pooled=True), expected)
    same(measures.pair_log_loss(forecasts, least=least), equally(expected))


@given(matches())
def test_place_error_agrees_with_brute_force(found):
    same(measures.place_error(forecasts_of(found)), [(oracle.place_error(m), 1.0) for m in found])


@given(matches(), st.sampled_from([1e-6, 0.01, 0.3]))
def test_two_team_measures_agree_with_brute_force(found, least):
    forecasts = forecasts_of(found)
    for name, options in (("log_loss", {"least": least}), ("information_gain", {"least": least}), ("brier", {}),
                          ("sharpness", {})):  # fmt: skip
        said = getattr(oracle, name)
        expected = [(said(m, **options), 1.0) if len(m.place) == 2 else (0.0, 0.0) for m in found]
        same(getattr(measures, name)(forecasts, **options), expected)


@given(matches(), st.sampled_from(["skip", "negative"]), st.randoms(use_true_random=False))
def test_auc_agrees_with_brute_force(found, drawn, random):
    forecasts = forecasts_of(found)
    chosen = [random.randrange(len(found)) for _ in range(len(found))]  # some matches twice, some not at all
    for where, taken in ((None, found), (np.array(chosen, np.intp), [found[i] for i in chosen])):
        if any(oracle.result(m) in (0.0, 1.0) or (oracle.result(m) == 0.5 and drawn == "negative") for m in taken):
            assert measures.auc(forecasts, where, drawn=drawn) == pytest.approx(oracle.auc(taken, drawn))
        else:
            with pytest.raises(pw.Error, match="there are none"):
                measures.auc(forecasts, where, drawn=drawn)


def test_auc_equals_the_mann_whitney_statistic():
    rng = np.random.default_rng(1)
    p = rng.integers(0, 30, 500) / 30
    won = rng.random(500) < p
    found = [Match([1, 2] if w else [2, 1], [0.0, 0.0], [1.0, 1.0], x) for x, w in zip(p, won, strict=True)]
    u = mannwhitneyu(p[won], p[~won]).statistic
    assert measures.auc(forecasts_of(found)) == pytest.approx(u / (won.sum() * (~won).sum()), rel=1e-12)


@given(matches(), st.integers(1, 5))
def test_calibration_agrees_with_brute_force(found, bins):
    forecasts = forecasts_of(found)
    two = [m for m in found if len(m.place) == 2]
    if not two:
        with pytest.raises(pw.Error, match="exactly two teams"):
            measures.calibration(forecasts, bins=bins)
        return
    sides = [(p, came) for m in two for p, came in zip(*oracle.three_ways(m), strict=True)]
    if not any(m.draw or oracle.result(m) == 0.5 for m in two):
        sides = [side for number, side in enumerate(sides) if number % 3 != 1]
    found = measures.calibration(forecasts, bins=bins)
    assert len(found.count) <= bins
    assert found.count.sum() == len(sides)
    bins_ = oracle.runs(*zip(*sides, strict=True), found.count)
    assert found.expected.tolist() == pytest.approx([run[0] for run in bins_], abs=1e-12)
    assert found.happened.tolist() == pytest.approx([run[1] for run in bins_], abs=1e-12)
    assert all(one[3] < other[2] for one, other in pairwise(bins_))  # equal forecasts share a bin
    gaps = [abs(run[0] - run[1]) * count for run, count in zip(bins_, found.count, strict=True)]
    assert found.error == pytest.approx(sum(gaps) / len(sides), abs=1e-12)
    frame = found.to_frame()
    assert frame.columns == ["count", "expected", "happened", "stderr"]
    assert np.isfinite(frame.to_numpy()).all()


def test_calibration_bins_hold_equally_many_forecasts():
    p = np.random.default_rng(2).permutation(np.linspace(0.01, 0.49, 50))
    found = measures.calibration(forecasts_of([Match([1, 2], [0.0, 0.0], [1.0, 1.0], x) for x in p]), bins=7)
    assert len(found.count) == 7
    assert np.ptp(found.count) <= 1
    assert found.count.sum() == 100


def test_calibration_counts_draws_that_were_never_forecast():
    """Half of the matches are drawn, but the forecast never expects a draw."""
    found = [Match([1, place], [0.0, 0.0], [1.0, 1.0], 0.5, 0.0) for place in (1, 2, 1, 2)]
    said = measures.calibration(forecasts_of(found), bins=3)
    assert said.expected.tolist() == [0.0, 0.5]
    assert said.happened.tolist() == [0.5, 0.25]
    assert said.error == pytest.approx((4 * 0.5 + 8 * 0.25) / 12)


@given(matches(traits=2, most=4), st.sampled_from(["mean", "plug-in"]), st.data())
def test_score_error_agrees_with_brute_force(found, point, data):
    quiet = [m._replace(mean=[(min(max(o, -5.0), 5.0), min(max(d, -5.0), 5.0)) for o, d in m.mean],
                        variance=[(min(o, 9.0), min(d, 9.0)) for o, d in m.variance],
                        score=[data.draw(st.integers(0, 9)) for _ in m.place]) for m in found]  # fmt: skip
    for outcome, likelihood in ((NORMAL, "normal"), (COUNTS, "counts")):
        said = [oracle.scores(m, likelihood, point) for m in quiet]
        forecasts = forecasts_of(quiet, outcome)
        flat = [score for match in said for score in match]
        assert measures.expected_scores(forecasts, point).tolist() == pytest.approx(flat, rel=1e-9, abs=1e-9)
        if quiet:
            errors = [
                sum(abs(x - s) for x, s in zip(xs, m.score, strict=True)) for xs, m in zip(said, quiet, strict=True)
            ]
            expected = [(total, float(len(m.place))) for total, m in zip(errors, quiet, strict=True)]
            same(measures.score_error(forecasts, point=point), expected)


def test_predicted_median_score_is_the_median_of_the_predicted_distribution():
    model = pw.PoissonOD(mu=0.3, sigma=0.6, beta=0.3)
    fit = model.fit(history(league(count=60)))
    medians = measures.expected_scores(fit.forecasts)
    means, spreads = measures.rankings.score_levels(fit.forecasts)
    shown = model.predict([[model.rating()], [model.rating()]]).score_distribution
    each = type(shown)(means, np.sqrt(spreads))
    assert medians.tolist() == [each.quantile(team, 0.5) for team in range(len(means))]
    assert len(set(medians)) > 2
    normal = pw.GaussianOD().fit(history(league(count=60))).forecasts
    assert (measures.expected_scores(normal) == measures.expected_scores(normal, "mean")).all()


def test_huge_defence_of_a_team_does_not_change_its_own_score_level():
    """A team's score level depends on its own offence and the other teams' defence only."""
    found = [Match([1, 2], [(3.0, 1e30), (5.0, 2.0)], [(1.0, 1e60), (1.0, 4.0)])]
    mean, variance = measures.rankings.score_levels(forecasts_of(found, NORMAL))
    assert (mean[0], variance[0]) == (1.0, 5.0)
    found = [Match([1, 2, 3], [(3.0, 1e30), (5.0, 2.0), (5.0, 4.0)], [(1.0, 1e60), (1.0, 4.0), (1.0, 8.0)])]
    mean, variance = measures.rankings.score_levels(forecasts_of(found, NORMAL))
    assert (mean[0], variance[0]) == (0.0, 4.0)


@given(matches(), st.integers(1, 4), st.data())
def test_means_over_slices_and_windows_agree_with_brute_force(found, width, data):
    tally = measures.pair_error(forecasts_of(found), pooled=True)
    total, weight = tally.total.tolist(), tally.weight.tolist()
    expected = oracle.window(total, weight, width)
    for one, other in zip(tally.window(width).tolist(), expected, strict=True):
        assert one == pytest.approx(other) if other is not None else isnan(one)
    for one, t, w in zip(tally.values.tolist(), total, weight, strict=True):
        assert one == t / w if w else isnan(one)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(found), max_size=len(found))), bool)
    some = np.flatnonzero(mask)
    cut = data.draw(st.slices(len(found)))
    for where, chosen in ((mask, some), (some, some), (np.repeat(some, 3), some), (some - len(found), some),
                          (cut, np.arange(len(found))[cut]), (list(some), some)):  # fmt: skip
        if sum(weight[i] for i in chosen):
            mean = sum(total[i] for i in chosen) / sum(weight[i] for i in chosen)
            assert tally.mean(where) == pytest.approx(mean)
        else:
            with pytest.raises(pw.Error, match="none of these matches"):
                tally.mean(where)


def test_one_huge_value_does_not_change_later_moving_averages():
    values = np.random.default_rng(3).random(500)
    values[7] = 1e40
    tally = measures.Tally(values, np.ones(500))
    for width in (1, 3, 50, 500):
        expected = oracle.window(values.tolist(), [1.0] * 500, width)
        assert tally.window(width)[width - 1 :].tolist() == pytest.approx(expected[width - 1 :], rel=1e-12)
    assert np.isnan(tally.window(501)).all()
    assert measures.Tally(np.full(10, 1.5e308), np.ones(10)).mean() == pytest.approx(1.5e308)


def test_measures_agree_with_a_calculation_by_hand():
    """The examples are four teams on places 1, 2, 2 and 4, and two teams with a forecast of 60 % win and 20 % draw."""
    four = forecasts_of([Match([1, 2, 2, 4], [4.0, 3.0, 2.0, 1.0], [1.0] * 4)])
    assert measures.place_error(four).mean() == pytest.approx(sqrt(0.5 * (1 / sqrt(2) + 1 / sqrt(3)) / 2))
    assert measures.pair_error(four).mean() == 0
    assert measures.pair_error(four, drawn=0.5).mean() == pytest.approx(0.5 / 6)
    last = forecasts_of([Match([4, 2, 2, 1], [4.0, 4.0, 2.0, 1.0], [1.0] * 4)])
    # Wrong pairs: first-third, first-fourth, second-fourth and third-fourth; first and second are predicted to tie.
    assert measures.pair_error(last).mean() == pytest.approx(4.5 / 5)
    assert measures.pair_error(last, ties=1).mean() == 1
    two = forecasts_of([Match(place, [0.0, 0.0], [1.0, 1.0], 0.6, 0.2) for place in ([1, 2], [1, 1], [2, 1])])
    gains = [1 + log2(0.7), 1 + 0.5 * log2(0.21), 1 + log2(0.3)]
    assert measures.information_gain(two).values.tolist() == pytest.approx(gains)
    assert measures.log_loss(two).values.tolist() == pytest.approx([-log(0.6), -log(0.2), -log(0.2)])
    assert measures.brier(two).values.tolist() == pytest.approx([0.24, 1.04, 1.04])
    assert measures.pair_log_loss(two).total.tolist() == pytest.approx([-log(0.75), 0.0, -log(0.25)])
    assert measures.pair_log_loss(two).weight.tolist() == [1, 0, 1]
    assert measures.sharpness(two).mean() == pytest.approx(-0.6 * log2(0.6) - 0.4 * log2(0.2))
    assert measures.auc(two) == 0.5
    assert measures.auc(two, np.array([1, 2]), drawn="negative") == 0.5


def test_pair_log_loss_for_many_teams_uses_normal_probabilities():
    """The measure is the mean of −ln Φ(Δ/√(v₁ + v₂)) over all pairs that did not tie."""
    fit = pw.TrueSkill().fit(history(league(count=40)))
    tally, columns = measures.pair_log_loss(fit.forecasts), fit.forecasts
    for match in range(40):
        start, stop = fit.history.match_start[match : match + 2]
        place, mean, variance = (column[start:stop] for column in (fit.history.place, columns.mean, columns.variance))
        i, j = np.nonzero(place[:, None] < place)
        if stop - start > 2 and len(i):
            p = norm.cdf((mean[i] - mean[j]) / np.sqrt(variance[i] + variance[j]))
            assert tally.values[match] == pytest.approx(-np.log(p).mean())


@pytest.mark.parametrize("name", ["Elo", "Glicko", "GaussianElo", "Harkness"])
def test_win_probability_of_two_teams_is_close_to_that_of_normal_performances(name):
    """Measures of larger matches assume normal performances; for two teams, this is close to the model's forecast."""
    fit = PRESETS[name]().fit(history([match | {"scores": [0, 1 + i % 2]} for i, match in enumerate(duels())]))
    gap = fit.forecasts.mean[::2] - fit.forecasts.mean[1::2]
    spread = measures.performance(fit.forecasts).reshape(-1, 2).sum(axis=1)
    assert norm.cdf(gap / np.sqrt(spread)) == pytest.approx(fit.forecasts.win, abs=0.012)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("found", [league(), duels()], ids=["league", "duels"])
def test_every_measure_works_for_every_model(name, found):
    """Every measure is finite and within its range, for all matches and for slices."""
    fit = PRESETS[name]().fit(history(found))
    forecasts, late = fit.forecasts, slice(30, None)
    for measure in ADDITIVE:
        tally = getattr(measures, measure)(forecasts)
        low, high = RANGES[measure]
        counted = tally.values[tally.weight > 0]
        assert len(counted) > 30
        assert ((counted >= low) & (counted <= high)).all()
        assert np.isfinite(tally.total).all()
        assert low <= tally.mean(late) <= high
        late_on = tally.window(20)[tally.weight > 0][20:]
        assert ((late_on >= low - 1e-12) & (late_on <= high + 1e-12)).all()
    for drawn in ("skip", "negative"):
        assert 0 <= measures.auc(forecasts, late, drawn=drawn) <= 1
    said = measures.calibration(forecasts, late, bins=5)
    assert 0 <= said.error <= 1
    assert np.isfinite(said.to_frame().to_numpy()).all()
    if "OD" in name:
        for point in ("median", "mean", "plug-in"):
            assert np.isfinite(measures.score_error(forecasts, point=point).values).all()
    else:
        with pytest.raises(pw.Error, match="does not predict scores; use a model with offence and defence"):
            measures.score_error(forecasts)


@pytest.mark.parametrize("name", PRESETS)
def test_measures_handle_an_empty_history_and_a_single_match(name):
    nothing = PRESETS[name]().fit(pw.History.from_matches([])).forecasts
    for measure in ADDITIVE:
        assert len(getattr(measures, measure)(nothing)) == 0
        assert getattr(measures, measure)(nothing).window(3).tolist() == []
    for measure in (measures.auc, measures.calibration):
        with pytest.raises(pw.Error, match="two teams"):
            measure(nothing)
    one = PRESETS[name]().fit(history([{"teams": [["a"], ["b"]], "scores": [1, 1]}])).forecasts
    assert measures.pair_error(one).weight.tolist() == [0]
    assert measures.pair_error(one, drawn=0.5).mean() == 0.5
    assert measures.information_gain(one).mean() == pytest.approx(0, abs=1e-12)
    assert measures.auc(one, drawn="negative") == 0.5


def test_matches_of_importance_0_count_in_the_measures():
    """Models forecast matches of importance 0 but do not learn from them, so they serve as held-out test matches."""
    found = [{"teams": [["a"], ["b"]], "scores": [2, 1], "importance": float(i < 3)} for i in range(5)]
    tally = measures.log_loss(pw.TrueSkill().fit(history(found)).forecasts)
    assert tally.weight.tolist() == [1] * 5
    assert tally.values[0] > tally.values[2] > tally.values[3] == pytest.approx(tally.values[4])


def test_history_rejects_matches_with_only_one_team():
    """Therefore no measure has to handle matches of one team."""
    with pytest.raises(pw.Error, match="two teams"):
        pw.History.from_matches([{"teams": [["a"]]}])


def test_measures_reject_invalid_options():
    forecasts = pw.TrueSkill().fit(history(duels(count=5))).forecasts
    scores = pw.PoissonOD().fit(history(duels(count=5))).forecasts
    places = pw.PoissonOD().fit(history([])).forecasts
    for call, message in (
        (lambda: measures.pair_error(forecasts, ties=1.5), "ties must lie between 0"),
        (lambda: measures.pair_error(forecasts, drawn=-1), "drawn must lie between 0"),
        (lambda: measures.log_loss(forecasts, least=0), "least must lie between 0 and 1, not 0"),
        (lambda: measures.pair_log_loss(forecasts, least="x"), "least must lie between 0 and 1"),
        (lambda: measures.auc(forecasts, drawn="half"), 'drawn must be "skip" or "negative"'),
        (lambda: measures.calibration(forecasts, bins=0), "bins must be a whole number of at least 1, not 0"),
        (lambda: measures.score_error(scores, point="mode"), "point must be one of 'median', 'mean', 'plug-in'"),
        (lambda: measures.score_error(places), "needs a history with scores"),
        (lambda: measures.brier(forecasts).window(0), "at least one match"),
        (lambda: measures.brier(forecasts).mean(np.array([True])), "where needs indices or a mask of 5 booleans"),
        (lambda: measures.auc(forecasts, np.array([7])), "where: match 7 not found"),
    ):
        with pytest.raises(pw.Error, match=message):
            call()


def crowds(seed=11, count=30):
    """Return matches of three to five single players, with occasional ties."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(count):
        names = rng.permutation(8)[: rng.integers(3, 6)]
        found.append({"teams": [[f"p{name}"] for name in names], "scores": rng.integers(0, 9, len(names)).tolist()})
    return found


def test_pair_log_loss_of_many_teams_includes_score_noise():
    """The variance of score noise is given, or estimated from earlier matches."""
    found = crowds()
    scores = [match["scores"] for match in found]
    for model, noise in (
        (pw.GaussianSD(gamma=4.0), [8.0] * 30),
        (pw.GaussianOD(gamma=4.0), [16.0] * 30),
        (pw.GaussianSD(), [oracle.difference_noise(scores[:at]) / 2 for at in range(30)]),
        (pw.GaussianOD(), [oracle.score_noise(scores[:at]) for at in range(30)]),
    ):
        forecasts = model.fit(history(found)).forecasts
        tally, start = measures.pair_log_loss(forecasts), forecasts.history.match_start
        for at in range(1, 30):  # the first match has no estimate of γ
            of = slice(start[at], start[at + 1])
            match = Match(
                *(column[of].tolist() for column in (forecasts.history.place, forecasts.mean, forecasts.variance))
            )
            mean, variance = oracle.strengths(match)
            total, decided = oracle.pair_log_loss(match._replace(mean=mean, variance=[v + noise[at] for v in variance]))
            assert tally.values[at] == pytest.approx(total / decided)


def test_pair_log_loss_of_poisson_models_sums_over_all_scores_of_a_pair():
    """The measure agrees with sums over all scores of each pair; plug-in prediction treats the rates as known."""
    found = crowds(count=6)
    for prediction in ("integrated", "plug-in"):
        model = pw.PoissonOD(mu=0.5, sigma=0.5, beta=0.3, prediction=prediction)
        forecasts = model.fit(history(found)).forecasts
        tally, start, place = measures.pair_log_loss(forecasts), forecasts.history.match_start, forecasts.history.place
        mean, own = measures.rankings.score_levels(forecasts)[0], measures.performance(forecasts)
        own = own if prediction == "integrated" else 0 * own
        for at in range(6):
            teams = range(start[at], start[at + 1])
            pairs = [(i, j) for i in teams for j in teams if place[i] < place[j]]
            chances = [win_and_draw((mean[i], own[i]), (mean[j], own[j])) for i, j in pairs]
            expected = np.mean([-log(win / (1 - draw)) for win, draw in chances])
            assert tally.values[at] == pytest.approx(expected, abs=1e-6)

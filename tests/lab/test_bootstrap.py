"""Bootstrap intervals cover the truth and agree with other methods, and their cost does not grow with the history."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

import prowess as pw
from prowess.lab import Interval, Resampling
from prowess.lab.measures import Tally, auc
from prowess.lab.measures.aggregate import Groups, Sums, group_sums
from prowess.lab.measures.probabilities import auc_of
from prowess.lab.measures.registry import MEASURES, area_sums, calibration_sums
from prowess.model.components.interfaces import Outcome
from prowess.model.fit.forecasts import Forecasts

FEW = Resampling(block="match", draws=400)


def even(column):
    return Tally(column, np.ones(len(column)))


def matches(won):
    """Return a history of two-team matches that the first team won or lost."""
    places = np.where(won, 1, 2)
    return pw.History.from_matches([{"teams": [["ann"], ["bob"]], "ranks": [p, 3 - p]} for p in places.tolist()])


def forecast(win, won):
    none = np.empty(0)
    history = matches(won)
    return Forecasts(history, Outcome(), none, none, np.zeros(len(win)), (np.asarray(win), np.zeros(len(win))))


def in_parts(forecasts):
    return lambda: iter([(slice(0, len(forecasts)), forecasts)])


def covered(intervals, truth):
    return np.mean([interval.low <= truth <= interval.high for interval in intervals])


def test_bootstrap_intervals_cover_the_truth():
    """About 95 % of 400 intervals contain the true mean of skewed values, and so do intervals of paired differences.

    The standard error of this share is 1.1 %.
    """
    rng = np.random.default_rng(1)
    draws = FEW.draw(groups := FEW.groups(np.arange(200)))
    means, differences = [], []
    for _ in range(400):
        one = rng.exponential(2.0, 200)
        other = one - 0.1 + rng.normal(0, 0.5, 200)
        first, second = (draws.measure(group_sums(even(column), groups)) for column in (one, other))
        means.append(first.interval)
        differences.append(first.less(second))
    assert covered(means, 2.0) == pytest.approx(0.94, abs=0.035)
    assert covered(differences, 0.1) == pytest.approx(0.945, abs=0.035)
    widths = [np.mean([interval.high - interval.low for interval in found]) for found in (means, differences)]
    assert widths[1] < widths[0] / 3  # because the differences are paired


def test_resampling_blocks_widens_the_intervals_of_correlated_matches():
    """If neighbouring matches are correlated (AR(1), 0.8), resampling matches is overconfident; blocks of 50 are right.

    The standard error of the coverage is 2 %.
    """
    rng = np.random.default_rng(2)
    noise = rng.normal(size=(200, 1000))
    columns = np.empty_like(noise)
    columns[:, 0] = noise[:, 0] / 0.6
    for t in range(1, columns.shape[1]):
        columns[:, t] = 0.8 * columns[:, t - 1] + noise[:, t]
    cover = {}
    for block in ("match", 50):
        how = Resampling(block=block, draws=200)
        draws = how.draw(groups := how.groups(np.arange(1000)))
        cover[block] = covered([draws.measure(group_sums(even(c), groups)).interval for c in columns], 0.0)
    assert cover["match"] < 0.7
    assert cover[50] == pytest.approx(0.91, abs=0.06)


def test_bootstrap_intervals_agree_with_scipy():
    rng = np.random.default_rng(3)
    total, weight = rng.gamma(2.0, size=60), rng.integers(1, 4, 60).astype(float)
    ours = Resampling(block="match", draws=20_000).interval(Tally(total, weight))
    theirs = stats.bootstrap(
        (total, weight),
        lambda a, b, axis=-1: a.sum(axis=axis) / b.sum(axis=axis),
        paired=True,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(4),
    ).confidence_interval
    assert ours.value == pytest.approx(total.sum() / weight.sum(), rel=1e-14)
    # With 20,000 draws, each end has a standard error near 1 % of the width.
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.04 * (theirs.high - theirs.low))


def test_merging_matches_into_1000_groups_keeps_the_width_of_the_interval():
    """The interval from 1,000 random groups is as wide as the normal interval within 10 % (standard error: 3 %)."""
    column = np.random.default_rng(5).exponential(size=30_000)
    found = Resampling(block="match").interval(even(column))
    assert 0.5 * (found.high - found.low) == pytest.approx(1.96 * column.std() / len(column) ** 0.5, rel=0.1)
    assert Resampling().groups(np.arange(2_000_000)).number == 1000
    assert Resampling().groups(np.arange(1000)).number == 100


def test_auc_interval_agrees_with_delong_and_bootstrap():
    """The interval agrees with DeLong's variance and with a bootstrap that recomputes the AUC of every sample."""
    rng = np.random.default_rng(6)
    win = rng.beta(2, 2, 400).round(2)  # with ties
    won = rng.random(400) < win
    forecasts = forecast(win, won)
    groups = FEW.groups(np.arange(400))
    found = Resampling(block="match", draws=4000).draw(groups).measure(area_sums(in_parts(forecasts), groups))
    assert found.value == pytest.approx(auc(forecasts), abs=1e-12)
    below = (win[won][:, None] > win[~won]) + 0.5 * (win[won][:, None] == win[~won])
    delong = np.sqrt(below.mean(1).var(ddof=1) / won.sum() + below.mean(0).var(ddof=1) / (~won).sum())
    assert found.values.std() == pytest.approx(delong, rel=0.05)
    again = []
    for _ in range(2000):
        index = rng.integers(400, size=400)
        again.append(auc_of(win[index], won[index].astype(float)))
    assert found.values.std() == pytest.approx(np.std(again), rel=0.08)
    assert found.interval.low == pytest.approx(np.quantile(again, 0.025), abs=0.25 * delong)
    assert found.interval.high == pytest.approx(np.quantile(again, 0.975), abs=0.25 * delong)


@pytest.mark.parametrize(("slope", "truth"), [(1.0, 0.0), (0.8, 0.045), (0.5, 0.1125)])
def test_calibration_error_intervals_cover_the_truth(slope, truth):
    """Noise inflates a calibration error, but its intervals still cover the truth (standard error 2.2 %)."""
    rng = np.random.default_rng(7)
    groups = FEW.groups(np.arange(1000))
    draws = FEW.draw(groups)
    found = []
    history = matches(np.ones(1000, bool))
    none = np.empty(0)
    for _ in range(100):
        p = rng.uniform(0.05, 0.95, 1000)
        won = rng.random(1000) < 0.5 + slope * (p - 0.5)
        win = np.where(won, p, 1 - p)  # mirrored, so that the first team always wins
        forecasts = Forecasts(history, Outcome(), none, none, np.zeros(1000), (win, np.zeros(1000)))
        found.append(draws.measure(calibration_sums(in_parts(forecasts), groups)).interval)
    assert covered(found, truth) > 0.9
    assert np.mean([interval.high - interval.low for interval in found]) < 0.1


def test_calibration_error_can_be_computed_from_sums():
    rng = np.random.default_rng(8)
    win = rng.uniform(size=500)
    forecasts = forecast(win, rng.random(500) < win)
    from prowess.lab.measures import calibration

    sums = calibration_sums(in_parts(forecasts), Resampling().groups(np.arange(500)))
    assert sums.value == pytest.approx(calibration(forecasts).error, abs=1e-12)


def test_matches_are_grouped_into_blocks_by_time_or_count():
    days = [f"2026-01-{day:02d}" for day in (1, 1, 3, 8, 9, 31)]
    history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "time": day} for day in days])
    match = np.arange(6)
    assert Resampling(block=7).groups(match, history).of.tolist() == [0, 0, 0, 1, 1, 2]
    assert Resampling(block=4).groups(match).of.tolist() == [0, 0, 0, 0, 1, 1]
    plain = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "time": when} for when in (1, 2, 2.5, 7, 8, 9)])
    assert Resampling(block=1).groups(match, plain).of.tolist() == [0, 1, 1, 2, 3, 4]
    for block in (None, "match", 2):
        again = Resampling(block=block).groups(np.array([4, 5, 9, 4, 9]))
        assert again.of[0] == again.of[3]
        assert again.of[2] == again.of[4]


def test_same_seed_gives_the_same_bootstrap_interval():
    column = np.random.default_rng(9).normal(size=100)
    one, same, other = (Resampling(seed=seed).interval(even(column)) for seed in (0, 0, 1))
    assert one == same != other
    assert Resampling().difference(even(column), even(column)) == (0, 0, 0)
    assert Resampling(confidence=0.5).interval(even(column)).low > one.low


def test_bootstrap_with_too_few_groups_gives_no_interval():
    assert np.isnan(Resampling().interval(even(np.ones(1))).low)
    nothing = Resampling().interval(Tally(np.zeros(3), np.zeros(3)))
    assert np.isnan(nothing).all()
    assert nothing.within_noise
    assert str(Interval(0.5, np.nan, np.nan)) == "0.5"
    empty = Groups(np.zeros(0, np.intp), 0)
    assert np.isnan(Resampling().draw(empty).measure(Sums(np.zeros((0, 2)), lambda s: s[..., 0] / 1)).interval.low)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"block": "week"}, 'block must be "match", a number'),
        ({"block": 0}, "block must be a finite number above 0"),
        ({"confidence": 1}, "confidence must lie between 0 and 1"),
        ({"draws": 0}, "draws must be a whole number"),
    ],
)
def test_invalid_bootstrap_settings_are_rejected(wrong, message):
    with pytest.raises(pw.Error, match=message):
        Resampling(**wrong)


def test_difference_between_measures_of_different_matches_is_rejected():
    with pytest.raises(pw.Error, match="the tallies cover 3 and 4 matches"):
        Resampling().difference(even(np.ones(3)), even(np.ones(4)))
    with pytest.raises(pw.Error, match="the history has 1"):
        Resampling().interval(even(np.ones(3)), matches(np.array([True])))


def test_measure_must_be_defined_by_a_tally_or_by_sums():
    with pytest.raises(pw.Error, match="needs either a tally or sums"):
        pw.lab.Measure("nothing", "nothing")
    strict = pw.lab.Measure("strict", "strict", tally=partial(pw.lab.measures.pair_error, ties=1))
    assert strict.best({"a": 1.0, "b": 0.5}) == "b"
    assert MEASURES["auc"].best({"a": 1.0, "b": 0.5}) == "a"

"""TS3's outcome: agreement with general optimisers and exact cases, optimality conditions and large matches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression, minimize_scalar
from scipy.special import log_ndtr

import prowess as pw
from tests.oracles.places_ml import fit_places
from tests.oracles.truncated import truncated
from tests.pure import load
from tests.test_modes import edges, league


def seen(places, means, variances, margin, package=pw):
    """Return the board after an update with `places` (any numbers, lower is better), and the log-evidence."""
    outcome = package.outcome.PlacesML(margin=margin)
    board = package.Board(teams=len(means), entries=len(means))
    outcome.prepare(board)
    order = np.sort(places)
    for j, (place, mean, variance) in enumerate(zip(places, means, variances, strict=True)):
        board.place[j] = 1 + int(np.searchsorted(order, place))
        board.mean[j], board.variance[j] = mean, variance
    return board, outcome.evidence(board)


def posterior(places, means, variances, margin):
    """Return means and variances of the teams, and the log-evidence."""
    board, log_z = seen(places, means, variances, margin)
    assert board.converged
    count = len(means)
    d1, d2, left = (np.array(column[:count]) for column in (board.d1, board.d2, board.left))
    variances = np.asarray(variances, float)
    assert left == pytest.approx(1 + variances * d2, abs=1e-12)
    return np.asarray(means) + variances * d1, variances * left, log_z


def match(seed, teams, places, spread=10.0):
    rng = np.random.default_rng(seed)
    keys = rng.permutation(np.concatenate([np.arange(places), rng.integers(0, places, teams - places)]))
    return keys, rng.normal(0, spread, teams), rng.uniform(1, 80, teams)


CASES = [(2, 1), (2, 2), (3, 3), (5, 2), (8, 8), (12, 5), (25, 7), (60, 15)]


@pytest.mark.parametrize("margin", [0.05, 1.0, 4.0, 12.0])
@pytest.mark.parametrize(("teams", "places"), CASES)
def test_places_by_maximum_likelihood_agree_with_a_general_optimiser(teams, places, margin):
    keys, means, variances = match(teams, teams, places)
    oracle = fit_places(keys, means, variances, margin)
    found = posterior(keys, means, variances, margin)
    # The optimum is flat, so rounding errors limit the optimiser: with some linear algebra libraries it is off by 4e-5.
    assert found[0] == pytest.approx(oracle.means, abs=1e-4)
    assert found[1] == pytest.approx(oracle.variances, abs=1e-4)
    assert found[2] == pytest.approx(oracle.log_z, rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("teams", [2, 7, 40])
def test_places_by_maximum_likelihood_with_margin_0_equal_isotonic_regression(teams):
    keys, means, variances = match(teams, teams, teams)
    order = np.argsort(keys)
    wanted = isotonic_regression(means[order], weights=1 / variances[order], increasing=False).x
    for margin, near in ((0.0, 1e-12), (1e-9, 1e-7)):
        found = posterior(keys, means, variances, margin)
        assert found[0][order] == pytest.approx(wanted, abs=near)
        assert found[1] == pytest.approx(np.zeros(teams), abs=1e-15)
    density = -((means[order] - wanted) ** 2) / variances[order] / 2 - np.log(2 * np.pi * variances[order]) / 2
    assert posterior(keys, means, variances, 0.0)[2] == pytest.approx(density.sum(), rel=1e-12)


@pytest.mark.parametrize("margin", [2000.0, 1e6, 1e12, 1e20, 1e30])
def test_update_with_a_huge_margin_depends_only_on_the_boundary_between_two_places(margin):
    keys, means, variances = (
        [0, 1, 1, 0, 0],
        np.array([-3.0, 4.0, 1.0, -1.0, 8.0]),
        np.array([4.0, 30.0, 9.0, 1.0, 50.0]),
    )
    side = np.where(np.array(keys) == 0, 1.0, -1.0)
    deviations = np.sqrt(variances)
    found = minimize_scalar(
        lambda edge: -log_ndtr(side * (means - edge) / deviations).sum(), (-2.0, 2.0), method="brent", tol=1e-12
    )
    ends = [(found.x, np.inf) if up > 0 else (-np.inf, found.x) for up in side]
    teams = [truncated(s * m, v, *sorted((s * lo, s * hi)))
             for s, m, v, (lo, hi) in zip(side, means, variances, ends, strict=True)]  # fmt: skip
    means_after, variances_after, log_z = posterior(keys, means, variances, margin)
    assert means_after == pytest.approx([s * float(t.mean) for s, t in zip(side, teams, strict=True)], abs=1e-6)
    assert variances_after == pytest.approx([float(team.variance) for team in teams], abs=1e-6)
    assert log_z == pytest.approx(-found.fun, abs=1e-9)


@pytest.mark.parametrize("margin", [100.0, 1e9, 1e30])
def test_draw_within_a_huge_margin_gives_no_information(margin):
    means_after, variances_after, log_z = posterior([1, 1, 1], [0.0, 2.0, 5.0], [1.0, 4.0, 9.0], margin)
    assert means_after.tolist() == [0.0, 2.0, 5.0]
    assert variances_after.tolist() == [1.0, 4.0, 9.0]
    assert log_z == pytest.approx(0.0, abs=1e-100)


@pytest.mark.parametrize(("teams", "places"), [(2, 1), (2, 2), (6, 3), (9, 9)])
def test_d1_is_the_derivative_of_the_log_evidence(teams, places):
    keys, means, variances = match(teams + 1, teams, places)
    board, _ = seen(keys, means, variances, 3.0)
    for team in range(teams):
        ends = []
        for step in (1e-4, -1e-4):
            moved = means.copy()
            moved[team] += step
            ends.append(seen(keys, moved, variances, 3.0)[1])
        assert (ends[0] - ends[1]) / 2e-4 == pytest.approx(board.d1[team], abs=1e-6)


def test_maximum_likelihood_update_does_not_depend_on_team_order_or_direction_of_the_scale():
    keys, means, variances = match(11, 200, 30)
    wanted = posterior(keys, means, variances, 0.7)
    for order in (np.arange(200)[::-1], np.random.default_rng(3).permutation(200)):
        turned = posterior(keys[order], means[order], variances[order], 0.7)
        assert turned[0] == pytest.approx(wanted[0][order], abs=1e-9)
        assert turned[1] == pytest.approx(wanted[1][order], abs=1e-9)
    mirrored = posterior(-keys, -means, variances, 0.7)
    assert -mirrored[0] == pytest.approx(wanted[0], abs=1e-9)
    assert mirrored[2] == pytest.approx(wanted[2], abs=1e-9)


def test_large_means_do_not_reduce_the_precision_of_the_update():
    """All numbers are sums of a few powers of 2, so adding 2^20 is exact."""
    rng = np.random.default_rng(8)
    means = rng.integers(-(2**14), 2**14, 40) * 2.0**-30
    keys, variances = rng.integers(0, 12, 40), 2.0 ** rng.integers(-42, -38, 40)
    near, far = (seen(keys, means + more, variances, 2.0**-21)[0] for more in (0.0, 2.0**20))
    for one, other in ((near.d1, far.d1), (near.left, far.left)):
        assert np.array(other[:40]) == pytest.approx(np.array(one[:40]), rel=1e-9, abs=1e-9)


numbers = st.one_of(st.floats(-30, 30), st.floats(-1e6, 1e6))
powers = st.one_of(st.floats(-1, 3), st.floats(-12, 12))
margins = st.one_of(st.floats(0, 20), st.sampled_from([0.0, 1e-12, 1e6]))


def priors(numbers, powers):
    """Draw the prior mean, the variance as a power of 10, and the place of each team."""
    return st.lists(st.tuples(numbers, powers, st.integers(0, 5)), min_size=2, max_size=12)


@given(
    priors(numbers | st.sampled_from([0.0, 1e30, -1e30]), powers | st.sampled_from([-60.0, 60.0])),
    margins | st.sampled_from([1e30]),
)
def test_finite_priors_give_a_finite_maximum_likelihood_update(teams, margin):
    means, powers, keys = (list(column) for column in zip(*teams, strict=True))
    board, log_z = seen(keys, means, [10.0**power for power in powers], margin)
    assert board.converged
    assert np.isfinite(log_z)
    assert margin < 1e-30 or log_z <= 0
    assert np.isfinite(board.d1[: len(teams)]).all()
    assert np.isfinite(board.d2[: len(teams)]).all()
    assert all(0 <= left <= 1 for left in board.left[: len(teams)])


@given(st.lists(st.tuples(st.floats(-30, 30), st.floats(0, 3), st.integers(0, 9)), min_size=2), st.floats(0, 12))
def test_d1_sums_to_zero_over_the_teams(teams, margin):
    """At the optimum, d1 sums to 0, and no partial sum from the best place down is negative."""
    means, powers, keys = (list(column) for column in zip(*sorted(teams, key=lambda team: team[2]), strict=True))
    board, _ = seen(keys, means, [10.0**power for power in powers], margin)
    pulls = np.cumsum(board.d1[: len(teams)])
    size = np.abs(board.d1[: len(teams)]).sum()
    assert abs(pulls[-1]) <= 1e-9 * size + 1e-10
    ends = [k for k in range(len(keys) - 1) if keys[k] != keys[k + 1]]
    assert all(pulls[k] >= -1e-9 * size - 1e-10 for k in ends)


@given(priors(numbers, powers), margins, st.integers(2, 6))
def test_teams_with_equal_priors_are_ordered_by_their_places(teams, margin, copies):
    """Teams with equal priors stay equal if they share a place; otherwise the better-placed team is not rated lower."""
    means, powers, keys = (list(column) for column in zip(*teams, strict=True))
    count = len(teams)
    means, powers = means + [means[0]] * copies, powers + [powers[0]] * copies
    keys = keys + [place // 2 for place in range(copies)]
    board, _ = seen(keys, means, [10.0**power for power in powers], margin)
    d1, left = list(board.d1), list(board.left)
    assert (d1[count], left[count]) == (d1[count + 1], left[count + 1])
    slack = 1e-12 * max(abs(value) for value in d1[count:]) + 1e-8 * 10 ** (-powers[0] / 2)
    assert all(one >= other - slack for one, other in zip(d1[count:], d1[count + 1 :], strict=False))


def test_update_for_a_tie_of_1500_teams_is_finite():
    keys, means, variances = match(5, 2000, 40)
    keys[:1500] = 17
    means_after, variances_after, log_z = posterior(keys, means, variances, 1.0)
    assert np.isfinite(log_z)
    assert ((means_after - means) / variances).sum() == pytest.approx(0, abs=1e-7)
    assert (np.ptp(means_after[:1500]), (variances_after[:1500] < 1.0).all()) == (pytest.approx(2.0, abs=0.2), True)
    assert means_after[keys < 17].min() > means_after[keys == 17].max() > means_after[keys > 17].max()


def test_margin_from_a_draw_probability_uses_the_mean_noise_of_the_teams():
    model = pw.TrueSkill(tau=0).replace(outcome=pw.outcome.PlacesML(draw_probability=0.3))
    teams = [[pw.Rating(10, 3)], [pw.Rating(8, 2)] * 3, [pw.Rating(9, 5)] * 2]
    width = 0.3953766985824773  # the root of E[max(0, 1 − |x|/2w)] = 0.3 under N(0, 1), by scipy
    margin = width * model.noise * np.sqrt(2 * 2.0)
    given_itself = model.replace(margin=margin)
    for one, other in zip(model.rate(teams), given_itself.rate(teams), strict=True):
        assert [r.mu for r in one] == pytest.approx([r.mu for r in other], abs=1e-12)
    assert given_itself.params["margin"] == margin
    assert "draw_probability" not in given_itself.params


def test_update_with_a_small_margin_barely_moves_the_means():
    """As the documentation warns, means hardly move while sigmas shrink."""
    model = pw.TrueSkill(tau=0).replace(outcome=pw.outcome.PlacesML(margin=0.1))
    [[won], [lost]] = model.rate([[model.rating()], [model.rating()]])
    assert 0 < won.mu - 25 < 0.1
    assert lost.mu == pytest.approx(50 - won.mu)
    assert won.sigma < 4


def test_maximum_likelihood_model_rates_a_history_with_valid_forecasts():
    model = pw.TrueSkill().replace(outcome=pw.outcome.PlacesML(margin=2.0))
    history = pw.History.from_matches(league(np.random.default_rng(2), matches=80, players=20))
    fit = model.fit(history)
    assert np.isfinite(fit.leaderboard()["mu"].to_numpy()).all()
    assert np.isfinite(fit.log_evidence)
    assert pw.Model.from_dict(model.to_dict()) == model
    assert model.predict([[model.rating()], [model.rating(30, 2)]]).win.sum() < 1


@pytest.mark.parametrize("margin", [0.0, 0.3, 5.0, 1e9])
def test_maximum_likelihood_places_give_identical_results_compiled_and_uncompiled(margin):
    results = []
    for package in (pw, load()):
        model = package.TrueSkill().replace(outcome=package.outcome.PlacesML(margin=margin))
        fit = model.fit(package.History.from_matches(league(np.random.default_rng(6), matches=100)))
        board, log_z = seen(*match(1, 300, 25), margin, package)
        columns = [fit.leaderboard()["mu"].to_numpy(), fit.forecasts.log_evidence, np.array(log_z)]
        columns += [np.array(column) for column in (board.d1, board.d2, board.left)]
        results.append([*columns, *edges(package, model)])
    for compiled, pure in zip(*results, strict=True):
        assert compiled.tobytes() == pure.tobytes()


@pytest.mark.parametrize(
    ("given", "message"),
    [({}, "either"), ({"margin": 1, "draw_probability": 0.1}, "either"), ({"margin": -1}, "margin must be")],
)
def test_invalid_margin_is_rejected(given, message):
    with pytest.raises(pw.Error, match=message):
        pw.outcome.PlacesML(**given)


def test_teams_without_uncertainty_are_rejected():
    model = pw.TrueSkill(tau=0).replace(outcome=pw.outcome.PlacesML(margin=1.0), beta=0)
    with pytest.raises(pw.Error, match="beta above 0"):
        model.rate([[pw.Rating(25, 0)], [pw.Rating(25, 8)]])

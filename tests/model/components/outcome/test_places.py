"""TS2's outcome: agreement with slow oracles and the exact model, symmetries, large matches and edge cases."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import prowess as pw
from prowess.model.components.outcome import Places
from prowess.model.components.outcome.places import learn_places
from prowess.model.components.outcome.places_two import is_well_scaled, learn_two
from prowess.model.engine.board import Board
from tests.oracles.places_ep import places_ep
from tests.oracles.places_gibbs import exact, gibbs
from tests.pure import load

COMPILED = pw.kernel_mode() == "compiled"
SHAPES = [[1, 2], [1, 1], [1, 2, 3], [1, 1, 3], [1, 1, 1], [2, 1, 2, 4, 4], [1, 2, 3, 4, 5, 6]]


def laid(means, variances, ranks, outcome, board=Board):
    """Return a board with these prior performances and places."""
    laid = board(len(means), len(means))
    outcome.prepare(laid)
    places = np.searchsorted(np.sort(ranks), ranks) + 1  # 1 + the number of better teams, as in sports
    for j, (mean, variance, place) in enumerate(zip(means, variances, places, strict=True)):
        laid.mean[j], laid.variance[j], laid.noise[j], laid.place[j] = mean, variance, variance / 4, place
    return laid


def rated(means, variances, ranks, epsilon, **run):
    """Return posterior means and variances, the log-evidence, and the board."""
    outcome = Places(margin=epsilon, **run)
    board = laid(means, variances, ranks, outcome)
    log_z = outcome.evidence(board)
    return np.add(means, np.multiply(variances, board.d1)), np.multiply(variances, board.left), log_z, board


def field(seed, n):
    rng = np.random.default_rng(seed)
    return rng.normal(25, 5, n), rng.uniform(2, 9, n) ** 2


def tournament(seed, n, places):
    """Return the prior performances of a large tournament, and its places."""
    rng = np.random.default_rng(seed)
    means, variances = rng.normal(3000, 400, n), rng.uniform(150, 440, n) ** 2
    shown = rng.normal(means, np.sqrt(variances))
    return means, variances, np.argsort(np.argsort(-shown)) * places // n


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("ranks", SHAPES, ids=str)
def test_places_outcome_agrees_with_expectation_propagation_on_dense_matrices(ranks, epsilon):
    """The oracle updates factors in random order; the fixed point does not depend on the order."""
    means, variances = field(len(ranks), len(ranks))
    mean, variance, log_z, board = rated(means, variances, ranks, epsilon)
    assert board.converged
    for seed in (0, 1):
        oracle = places_ep(means, variances, ranks, epsilon, seed)
        assert mean == pytest.approx(oracle.means, abs=1e-7)
        assert variance == pytest.approx(oracle.variances, abs=1e-7)
        assert log_z == pytest.approx(oracle.log_z, abs=1e-7)


FEW = [[1, 1, 1], [1, 2, 3], [1, 2, 2, 4], [2, 1, 2, 4, 4, 4]]


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
@pytest.mark.parametrize("ranks", FEW, ids=str)
def test_expectation_propagation_is_near_the_exact_posterior(ranks, epsilon):
    """In 160 random matches, EP's means differ from the exact posterior by up to 0.003 prior standard deviations.

    Standard deviations differ by up to 0.009 prior standard deviations, and the log-evidence by up to 0.008. The exact
    posterior is an integral along the chain of places; Gibbs sampling agrees with it.
    """
    means, variances = field(5, len(ranks))
    truth, oracle = exact(means, variances, ranks, epsilon), places_ep(means, variances, ranks, epsilon)
    spread = np.sqrt(variances)
    assert oracle.means / spread == pytest.approx(truth.means / spread, abs=5e-3)
    assert np.sqrt(oracle.variances / variances) == pytest.approx(np.sqrt(truth.variances / variances), abs=1e-2)
    assert oracle.log_z == pytest.approx(truth.log_z, abs=1e-2)


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
@pytest.mark.parametrize("ranks", FEW, ids=str)
def test_exact_posterior_agrees_with_gibbs_sampling(ranks, epsilon):
    """This test checks the oracle, not the package."""
    means, variances = field(5, len(ranks))
    sampled = gibbs(means, variances, ranks, epsilon, chains=2000, sweeps=300 if epsilon > 1 else 600)
    error = 4 * sampled.std(axis=0) / math.sqrt(len(sampled))
    assert (np.abs(sampled.mean(axis=0) - exact(means, variances, ranks, epsilon).means) < error).all()


@pytest.mark.parametrize("epsilon", [0.0, 0.7, 6.0])
@pytest.mark.parametrize("ranks", SHAPES, ids=str)
def test_d1_and_d2_are_derivatives_of_the_log_evidence(ranks, epsilon):
    """For a team's prior mean m and variance v, ∂(log-evidence)/∂m = d1 and ∂(log-evidence)/∂v = (d2 + d1²)/2."""
    means, variances = field(1, len(ranks))

    def at(team=0, mean=0.0, variance=0.0):
        unit = np.eye(len(ranks))[team]
        return rated(means + mean * unit, variances + variance * unit, ranks, epsilon, tolerance=1e-13)

    board = at()[3]
    for team in range(len(ranks)):
        d1, d2 = board.d1[team], board.d2[team]
        by_mean = (at(team, mean=1e-3)[2] - at(team, mean=-1e-3)[2]) / 2e-3
        by_variance = (at(team, variance=1e-3)[2] - at(team, variance=-1e-3)[2]) / 2e-3
        assert by_mean == pytest.approx(d1, abs=1e-6)
        assert by_variance == pytest.approx((d2 + d1 * d1) / 2, abs=1e-6)
        assert board.left[team] == pytest.approx(1 + variances[team] * d2, abs=1e-12)


def test_places_with_margin_0_treat_ties_exactly_and_other_results_like_trueskill():
    """Two tied teams both get the product of their priors; without ties, the result is TrueSkill's with ε = 0."""
    mean, variance, log_z, _ = rated([20.0, 30.0], [16.0, 9.0], [1, 1], 0.0)
    assert mean == pytest.approx([26.4, 26.4], rel=1e-14)
    assert variance == pytest.approx([5.76, 5.76], rel=1e-14)
    assert log_z == pytest.approx(-0.5 * math.log(2 * math.pi * 25) - 2, rel=1e-14)
    means, variances = field(3, 6)
    mean, variance, log_z, board = rated(means, variances, range(6), 0.0)
    order = pw.outcome.Order(margin=0)
    chain = laid(means, variances, range(6), order)
    assert log_z == pytest.approx(order.evidence(chain), abs=1e-8)
    assert list(board.d1) == pytest.approx(list(chain.d1), abs=1e-8)
    assert list(board.left) == pytest.approx(list(chain.left), abs=1e-8)


@given(
    st.integers(2, 12).flatmap(
        lambda n: st.tuples(
            st.lists(st.integers(1, 4), min_size=n, max_size=n), st.lists(st.integers(0, 2), min_size=n, max_size=n)
        )
    ),
    st.sampled_from([0.0, 1e-12, 0.5, 3.0, 40.0]),
)
def test_equal_teams_stay_equal_after_a_tie_and_are_ordered_by_place_otherwise(match, epsilon):
    ranks, kinds = match
    means, variances = np.array([20.0, 25.0, 26.0])[kinds], np.array([9.0, 64.0, 30.0])[kinds]
    mean, variance, _, board = rated(means, variances, ranks, epsilon, tolerance=1e-10)
    assert board.converged
    for i in range(len(ranks)):
        for j in range(len(ranks)):
            if kinds[i] == kinds[j] and ranks[i] == ranks[j]:
                assert mean[i] == pytest.approx(mean[j], abs=1e-9)
                assert variance[i] == pytest.approx(variance[j], abs=1e-9)
            elif kinds[i] == kinds[j] and ranks[i] < ranks[j]:
                assert mean[i] >= mean[j] - 1e-9


@pytest.mark.parametrize("epsilon", [0.0, 30.0, 200.0])
def test_places_update_does_not_depend_on_team_order_or_direction_of_the_scale(epsilon):
    means, variances, ranks = tournament(2, 200, 15)
    mean, variance, log_z, _ = rated(means, variances, ranks, epsilon)
    other = rated(means[::-1], variances[::-1], ranks[::-1], epsilon)
    assert other[0][::-1] == pytest.approx(mean, abs=1e-6)
    assert other[1][::-1] == pytest.approx(variance, rel=1e-8)
    assert other[2] == pytest.approx(log_z, rel=1e-9)
    mirrored = rated(-means, variances, -ranks, epsilon)
    assert -mirrored[0] == pytest.approx(mean, abs=1e-6)
    assert mirrored[1] == pytest.approx(variance, rel=1e-8)
    assert mirrored[2] == pytest.approx(log_z, rel=1e-9)


@pytest.mark.parametrize("far", [1e6, -1e9, 1e12])
def test_places_update_does_not_change_if_all_means_are_shifted(far):
    """All means are multiples of 1/1024, so that shifting them is exact."""
    means, variances, ranks = tournament(4, 60, 9)
    means = np.round(means * 1024) / 1024
    here, there = (rated(means + shift, variances, ranks, 25.0) for shift in (0.0, far))
    assert np.array(there[3].d1) == pytest.approx(np.array(here[3].d1), abs=1e-10)
    assert there[1] == pytest.approx(here[1], rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.0, 1e-12, 1.0, 100.0, 1e4, 1e6])
@pytest.mark.parametrize("kind", ["equal", "spread", "mixed"])
def test_update_for_a_tie_of_1500_teams_converges(kind, epsilon):
    n = 1500 if COMPILED else 150
    rng = np.random.default_rng(9)
    means = np.full(n, 3000.0) if kind == "equal" else rng.normal(3000, 400, n)
    variances = 10 ** rng.uniform(0, 6, n) if kind == "mixed" else np.full(n, 160000.0)
    mean, variance, log_z, board = rated(means, variances, np.ones(n), epsilon)
    assert board.converged
    assert math.isfinite(log_z)
    assert (variance <= variances * (1 + 1e-12)).all()
    assert np.ptp(mean) <= 2 * epsilon + 1e-6 or kind != "spread" or epsilon > 100
    if kind == "equal":
        assert mean == pytest.approx(means, abs=1e-5)


def test_match_of_thousands_of_teams_converges_in_15_iterations():
    """A few iterations suffice for any number of teams, and each takes linear time (see `make bench`)."""
    for n in (2000, 20000) if COMPILED else (200,):
        means, variances, ranks = tournament(7, n, 40)
        outcome = Places(margin=30.0, sweeps=15)
        board = laid(means, variances, ranks, outcome)
        outcome.evidence(board)
        assert board.converged


VARIANCES = [1e-12, 1e-6, 1.0, 1e6, 1e12]


@pytest.mark.parametrize("epsilon", [0.0, 1e-12, 1.0, 1e6])
def test_unusual_means_and_variances_give_finite_numbers(epsilon):
    """All, some or none of the teams are tied; variances range from 1e-12 to 1e12, and means up to ±1e6.

    If a match has messages of 1e6 and deviations of 1e-6, rounding errors may prevent convergence.
    """
    rng = np.random.default_rng(11)
    still = []
    for _ in range(60 if COMPILED else 10):
        n = int(rng.choice([2, 3, 6, 20]))
        means = rng.choice([-1e6, -1.0, 0.0, 1e-6, 1e6], n) + rng.normal(0, 1, n)
        variances = rng.choice(VARIANCES, n)
        for ranks in (np.ones(n), rng.permutation(n), rng.integers(0, 3, n)):
            _, variance, log_z, board = rated(means, variances, ranks, epsilon)
            still.append(board.converged)
            assert math.isfinite(log_z)
            assert np.isfinite([*board.d1, *board.d2]).all()
            assert ((variance >= 0) & (variance <= variances * (1 + 1e-9))).all()
    assert np.mean(still) > 0.9


@pytest.mark.parametrize("epsilon", [0.0, 1e-30, 1e30])
def test_extreme_means_and_variances_give_finite_numbers(epsilon):
    rng = np.random.default_rng(12)
    for _ in range(20 if COMPILED else 3):
        means, variances = rng.choice([-1e30, 0.0, 1e30], 5), rng.choice([1e-60, 1.0, 1e60], 5)
        for ranks in (np.ones(5), rng.permutation(5), rng.integers(0, 3, 5)):
            _, variance, log_z, board = rated(means, variances, ranks, epsilon, sweeps=50)
            assert math.isfinite(log_z)
            assert np.isfinite([*board.d1, *board.d2]).all()
            assert (variance >= 0).all()


def test_board_reports_whether_a_match_converged():
    means, variances, ranks = tournament(1, 50, 10)
    assert not rated(means, variances, ranks, 30.0, sweeps=1)[3].converged
    assert rated(means, variances, ranks, 30.0)[3].converged


def test_other_teams_learn_from_a_result_against_a_team_without_uncertainty():
    """If no team has any uncertainty and the margin is 0, the match raises an error."""
    mean, variance, _, _ = rated([25.0, 25.0, 30.0], [0.0, 9.0, 9.0], [1, 2, 2], 1.0)
    assert (mean[0], variance[0]) == (25.0, 0.0)
    assert mean[1] < 25 > mean[2]
    mean, variance, _, _ = rated([25.0, 25.0], [0.0, 9.0], [1, 2], 0.0)
    assert (mean[0], variance[0]) == (25.0, 0.0)
    assert mean[1] == pytest.approx(25 - 3 * math.sqrt(2 / math.pi), rel=1e-12)
    with pytest.raises(pw.Error, match="without uncertainty"):
        rated([25.0, 25.0], [0.0, 0.0], [1, 2], 0.0)


def test_invalid_parameters_of_the_places_outcome_are_rejected():
    assert Places(margin=2) == Places(margin=2, tolerance=1e-9, sweeps=1000)
    for wrong in ({}, {"margin": 1, "draw_probability": 0.1}, {"margin": -1}, {"draw_probability": 1.0}):
        with pytest.raises(pw.Error):
            Places(**wrong)
    for wrong in ({"tolerance": 0}, {"sweeps": 0}, {"sweeps": 1.5}):
        with pytest.raises(pw.Error):
            Places(margin=1, **wrong)


def test_closed_form_for_two_teams_agrees_with_the_general_algorithm():
    rng = np.random.default_rng(8)
    for trial in range(600 if COMPILED else 60):
        variances = 10 ** rng.uniform(-4, 4, 2)
        spread = math.sqrt(variances.sum())
        means, epsilon = rng.normal(0, 20, 2) * spread, spread * 10 ** rng.uniform(-6, 2.9)
        found = []
        for way in (learn_places, learn_two):
            board = laid(means, variances, [(1, 1), (1, 2), (2, 1)][trial % 3], Places(margin=epsilon))
            assert is_well_scaled(board, epsilon)
            found.append([way(board, epsilon, 1e-10, 1000), *(np.array(board.d1) * np.sqrt(variances)), *board.left])
            assert board.converged
        assert found[0] == pytest.approx(found[1], rel=1e-8, abs=1e-8)


def test_log_evidence_of_a_tie_of_two_teams_is_near_the_forecast_draw_probability():
    """In a tie, the model is equivalent to rounding to a grid with a random phase; EP is accurate to 0.1 %."""
    outcome = Places(margin=1.5)
    board = laid([25.0, 27.0], [20.0, 30.0], [1, 1], outcome)
    outcome.forecast(board)
    assert outcome.evidence(board) == pytest.approx(math.log(board.draw), abs=1e-3)


def test_places_outcome_gives_identical_results_compiled_and_uncompiled():
    results = []
    for package in (pw, load()):
        columns = []
        for epsilon in (0.0, 0.5, 30.0, 3e3):
            for n, places in ((2, 1), (2, 2), (5, 3), (40, 7), (30, 1)):
                outcome = package.outcome.Places(margin=epsilon)
                board = laid(*tournament(n, n, places), outcome, package.model.engine.board.Board)
                columns += [[outcome.evidence(board)], board.d1, board.d2, board.left]
        results.append(np.concatenate([np.array(column) for column in columns]))
    assert results[0].tobytes() == results[1].tobytes()

"""The Newton search finds the minimum of a penalised sum of losses in few evaluations."""

import numpy as np
import pytest

from prowess.lab.auto.parameters import Parameter, Values
from prowess.lab.auto.search import minimise, penalty

RATE = Parameter("rate", usual=1.0, spread=1.0, low=1e-6, high=1e6)
SHARE = Parameter("share", usual=0.5, spread=1.0, low=1e-6, high=1 - 1e-6, transform="logit")


def coin_losses(heads):
    def losses(sets):
        shares = [values.of([SHARE])["share"] for values in sets]
        return [-np.log(np.where(heads, share, 1 - share)) for share in shares]

    return losses


def test_search_finds_the_posterior_mode_of_a_coin_toss():
    heads = np.arange(1000) < 800
    found = minimise(coin_losses(heads), [SHARE], Values({}))
    # Find the mode of the same penalised likelihood on a fine grid.
    grid = np.linspace(1.0, 2.0, 100_001)
    p = 1 / (1 + np.exp(-grid))
    mode = grid[np.argmin(-800 * np.log(p) - 200 * np.log1p(-p) + 0.5 * grid**2)]
    assert found.values.points["share"] == pytest.approx(mode, abs=2e-2)


def test_few_results_leave_a_parameter_near_its_usual_value():
    found = minimise(coin_losses(np.array([True])), [SHARE], Values({}))
    assert 0.5 < found.values.of([SHARE])["share"] < 0.65


def test_search_finds_an_exponential_rate_from_a_poor_start():
    waiting = np.random.default_rng(0).exponential(1 / 40.0, 500)

    def losses(sets):
        rates = [values.of([RATE])["rate"] for values in sets]
        return [rate * waiting - np.log(rate) for rate in rates]

    found = minimise(losses, [RATE], Values({"rate": np.log(0.3)}))
    assert found.values.of([RATE])["rate"] == pytest.approx(1 / waiting.mean(), rel=0.03)


def test_search_returns_none_if_the_starting_values_are_rejected():
    assert minimise(lambda sets: [None for _ in sets], [RATE], Values({})) is None


def test_search_keeps_the_starting_values_if_all_other_values_are_rejected():
    calls = []

    def losses(sets):
        calls.append(len(sets))
        return [np.ones(3) if values.points["rate"] == 0.0 else None for values in sets]

    found = minimise(losses, [RATE], Values({}))
    assert found.values.points == {"rate": 0.0}


def test_parameter_value_outside_its_range_is_clipped_and_counts_as_at_the_edge():
    bounded = Parameter("carry", usual=0.9, spread=1.0, low=0.01, high=0.999, transform="logit")
    assert bounded.value(50.0) == 0.999
    assert bounded.at_edge(0.999)
    assert not bounded.at_edge(0.9)


def test_penalty_is_zero_at_usual_values():
    assert penalty([RATE, SHARE], Values({}).array([RATE, SHARE])) == 0.0

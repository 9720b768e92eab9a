"""The kernels that loop over all pairs of teams of every match agree with plain loops, compiled and uncompiled."""

from itertools import combinations, pairwise
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prowess.model.fit.pairs import count_ahead, count_losses, count_wrong
from tests.oracles.measures import Match, mid_places, pair_error, pair_log_loss
from tests.pure import load

keys = st.sampled_from([-1e30, -1.0, -0.0, 0.0, 2.0, 1e30]) | st.floats(-9, 9)
spreads = st.sampled_from([0.0, 1e-300, 1.0, 1e60]) | st.floats(0, 50)


@st.composite
def leagues(draw):
    """Return matches of 3 to 8 teams as columns for the kernels (for two teams, `pair_log_loss` uses the forecast)."""
    sizes = draw(st.lists(st.integers(3, 8), max_size=4))
    count = sum(sizes)
    columns = (st.lists(each, min_size=count, max_size=count) for each in (st.integers(1, 4), keys, spreads))
    place, strength, variance = (draw(column) for column in columns)
    ends = np.cumsum([0, *sizes])
    found = [Match(place[a:b], strength[a:b], variance[a:b]) for a, b in pairwise(ends)]
    columns = ends.astype(np.int32), np.array(place, np.int32), np.array(strength, float), np.array(variance, float)
    return found, *map(memoryview, columns)


@settings(max_examples=30)
@given(leagues(), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([1e-300, 1e-6, 0.2]))
def test_counts_of_wrongly_ordered_pairs_agree_with_a_plain_loop(league, ties, least):
    found, start, place, strength, variance = league
    wrong, drawn, loss, decided = (np.empty(len(found)) for _ in range(4))
    count_wrong(start, place, strength, ties, wrong, drawn)
    assert wrong.tolist() == [pair_error(m, ties)[0] for m in found]
    shared = [sum(a == b for a, b in combinations(m.place, 2)) for m in found]
    assert drawn.tolist() == shared
    count_losses(start, place, strength, variance, least, loss, decided)
    expected = [pair_log_loss(m, least) for m in found]
    assert loss.tolist() == pytest.approx([total for total, _ in expected], rel=1e-9, abs=1e-12)
    assert decided.tolist() == [count for _, count in expected]
    ahead, level = np.empty(len(place), np.int32), np.empty(len(place), np.int32)
    count_ahead(start, strength, ahead, level)
    places = [own for m in found for own in mid_places(m.mean)]
    assert [[a + 1 + k for k in range(b + 1)] for a, b in zip(ahead, level, strict=True)] == places


def test_log_loss_of_many_improbable_pairs_is_finite():
    """The product of the probabilities underflows."""
    start, place, loss, decided = (
        np.array([0, 60], np.int32),
        np.arange(1, 61, dtype=np.int32),
        np.empty(1),
        np.empty(1),
    )
    count_losses(start, place, np.arange(60.0), np.zeros(60), 1e-250, loss, decided)
    assert (loss[0], decided[0]) == (pytest.approx(-1770 * log(1e-250)), 1770)
    count_losses(start, place, -np.arange(60.0), np.zeros(60), 1e-250, loss, decided)
    assert loss[0] == 0


def test_pair_loops_give_identical_results_compiled_and_uncompiled():
    rng = np.random.default_rng(5)
    start = np.array([0, 2, 5, 45], np.int32)
    place, strength, variance = rng.integers(1, 9, 45).astype(np.int32), rng.normal(size=45).round(1), rng.random(45)
    found = []
    for module in (__import__("prowess.model.fit.pairs", fromlist=["pairs"]), load().model.fit.pairs):
        columns = [np.empty(3) for _ in range(4)] + [np.empty(45, np.int32) for _ in range(2)]
        module.count_wrong(start, place, strength, 0.5, *columns[:2])
        module.count_losses(start, place, strength, variance, 1e-6, *columns[2:4])
        module.count_ahead(start, strength, *columns[4:])
        found.append(columns)
    for compiled, pure in zip(*found, strict=True):
        np.testing.assert_array_equal(compiled, pure)

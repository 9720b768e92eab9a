"""The matching solver agrees with networkx and brute force, and proves that its result is optimal."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prowess.matchmaking.blossom.solve import match
from tests.oracles.matchings import heaviest
from tests.pure import load


def solve(count, weights, guess=None, match=match):
    """Run the solver, and return mates, duals, positions and gaps."""
    edges = sorted([(a, b, w) for (a, b), w in weights.items()] + [(b, a, w) for (a, b), w in weights.items()])
    ends = np.array([edge[0] for edge in edges], np.int64)
    start = np.append(0, np.cumsum(np.bincount(ends, minlength=count))).astype(np.int32)
    other = np.array([edge[1] for edge in edges], np.int32)
    weight = np.array([2 * edge[2] for edge in edges], np.int64)
    dual = np.zeros(count, np.int64) if guess is None else np.array(guess, np.int64)
    mate, position = np.empty(count, np.int32), np.empty(count, np.int32)
    total, gap = np.zeros(count, np.int64), np.zeros(count, np.int64)
    match(*map(memoryview, (start, other, weight, dual, total, mate, position, gap)))
    return mate, dual, total, position, gap


def proven(count, weights, found):
    """Check the proof of optimality (no slack is negative, matched edges have slack 0), and return the weight."""
    mate, dual, _, position, gap = found
    assert sorted(position) == list(range(count))
    assert (dual >= 0).all()
    assert (gap >= 0).all()
    assert not dual[mate < 0].any()
    for (a, b), weight in weights.items():
        low, high = sorted((position[a], position[b]))
        slack = dual[a] + dual[b] + gap[low:high].min() - 2 * weight
        assert slack == 0 if mate[a] == b else slack >= 0
    pairs = [(a, b) for a, b in enumerate(mate.tolist()) if a < b]
    assert all(mate[b] == a for a, b in pairs)
    return sum(weights[pair] for pair in pairs)


def by_networkx(count, weights):
    graph = nx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_weighted_edges_from((a, b, w) for (a, b), w in weights.items())
    return sum(graph[a][b]["weight"] for a, b in nx.max_weight_matching(graph))


@st.composite
def graphs(draw, most=8):
    count = draw(st.integers(1, most))
    pairs = [(a, b) for b in range(count) for a in range(b)]
    number = draw(st.sampled_from([st.integers(-2, 3), st.integers(1, 1), st.integers(-(10**12), 10**12)]))
    weights = {pair: draw(number) for pair in pairs if draw(st.booleans())}
    guess = draw(st.none() | st.lists(st.integers(0, 9), min_size=count, max_size=count))
    return count, weights, guess


@given(graphs())
def test_solver_finds_a_heaviest_matching_of_small_graphs(graph):
    count, weights, guess = graph
    assert proven(count, weights, solve(count, weights, guess)) == heaviest(count, weights)


def random_graphs(number):
    """Draw sparse or dense graphs, with few or many distinct weights, negative weights, or a large bonus per pair."""
    rng = np.random.default_rng(0)
    for _ in range(number):
        count, density = int(rng.integers(1, 34)), rng.random()
        high = int(rng.choice([1, 3, 20, 10**9]))
        low = int(rng.choice([-high, 0, high]))
        bonus = int(rng.choice([0, 40 * high]))
        pairs = [(a, b) for b in range(count) for a in range(b) if rng.random() < density]
        guess = None if rng.random() < 0.5 else rng.integers(0, 3 * high, count)
        yield count, {pair: int(rng.integers(low, high + 1)) + bonus for pair in pairs}, guess


def test_solver_finds_a_matching_as_heavy_as_that_of_networkx():
    for count, weights, guess in random_graphs(300):
        found = solve(count, weights, guess)
        assert proven(count, weights, found) == by_networkx(count, weights), (count, weights, guess)


def rings(depth):
    """Return a graph with nested blossoms: each triangle shares a corner with the next larger one."""
    weights, top = {(0, 1): 100}, 1
    for level in range(depth):
        weights |= {(0, top + 1): 100 - level, (top, top + 1): 99 - level, (top, top + 2): 98 - level}
        weights |= {(top + 1, top + 2): 97 - level}
        top += 2
    return top + 2, weights | {(top, top + 1): 1}


def chain(count):
    """Return a strip of triangles with falling weights, so that searches run from one end to the other."""
    weights = {(a, a + 1): 1000 - a for a in range(count - 1)}
    return count, weights | {(a, a + 2): 999 - a for a in range(count - 2)}


SPECIAL = {
    "one vertex": (1, {}),
    "no edge": (5, {}),
    "no positive weight": (4, {(0, 1): -1, (1, 2): 0, (2, 3): -7}),
    "a triangle": (3, {(0, 1): 5, (1, 2): 6, (0, 2): 7}),
    "two parts": (7, {(0, 1): 2, (1, 2): 3, (0, 2): 2, (3, 4): 1, (4, 5): 1, (5, 6): 1, (3, 6): 9}),
    "all equal": (9, {(a, b): 4 for b in range(9) for a in range(b)}),
    "nested triangles": rings(9),
    "a chain": chain(25),
    "a chain with a bonus per pair": (25, {pair: w + 10**6 for pair, w in chain(25)[1].items()}),
    "a star": (6, {(0, b): b for b in range(1, 6)}),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_solver_finds_a_matching_as_heavy_as_that_of_networkx_in_special_graphs(name):
    count, weights = SPECIAL[name]
    assert proven(count, weights, solve(count, weights)) == by_networkx(count, weights)


def test_matching_is_optimal_after_blossoms_are_expanded():
    """The solver starts from the duals for other weights, so it has to expand blossoms."""
    rng = np.random.default_rng(1)
    for _ in range(60):
        count, weights = chain(int(rng.integers(8, 40)))
        first = solve(count, weights)
        changed = {pair: weight + int(rng.integers(-30, 30)) for pair, weight in weights.items()}
        found = solve(count, changed, first[1] + first[2] // 2)
        assert proven(count, changed, found) == by_networkx(count, changed)


@settings(max_examples=25)
@given(graphs(most=14))
def test_compiled_and_uncompiled_solvers_find_the_same_matching(graph):
    pure = load().matchmaking.blossom.solve.match
    for one, other in zip(solve(*graph), solve(*graph, match=pure), strict=True):
        assert one.tolist() == other.tolist()

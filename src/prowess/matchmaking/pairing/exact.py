"""The best matching of a whole queue, found in a graph of few pairs and proven to be the best of all matchings.

In a queue that is sorted by strength, fair opponents are near each other. So a graph of neighbours has most of the
edges that the best matching needs. Solving this graph gives every item a number, its dual (see `blossom/solve.py`), and
the duals set a price for every pair that is not in the graph. Pairs that weigh more than their price are added, and the
graph is solved again, until no such pair is left. This proves that no matching of all pairs is better.
"""

from __future__ import annotations

from itertools import pairwise
from math import floor, log2
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...history.ragged import starts
from ..blossom.solve import match
from .weights import MOST, PairWeights, Prices, find_missing, quality_of, weigh

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

NEAR = 4  # number of neighbours on either side, in order of strength, with which an item has an edge
CLASSES = 16  # number of classes of similar uncertainty; items of one class often fit each other best
BLOCK = 64  # number of items in a block; the bounds of a block rule out many pairs at once
LARGEST = 58  # a weight has at most this many bits, so that duals, a few times as large, fit into 64
FINEST = 44  # the weight of a quality of 1 has at most this many bits


class Edges(NamedTuple):
    """A graph: the two ends of every edge and its weight. The first end comes before the second in the queue."""

    ones: Ints
    twos: Ints
    weight: Longs


class Matching(NamedTuple):
    """A matching, with the duals that prove that no other matching of the graph is better (see `match`)."""

    mate: Ints
    dual: Longs
    total: Longs
    position: Ints
    gap: Longs


def best_pairs(queue: tuple[Floats, ...], costs: tuple[Ints, Ints, Floats]) -> tuple[Ints, Floats]:
    """Return the best pairs of a queue, one pair per row, and their qualities.

    The queue must be sorted by mean performance (see `PairWeights`).
    """
    count = len(queue[0])
    if count < 2:
        return np.empty((0, 2), np.int32), np.empty(0)
    unit, bonus = _scale(count, queue[3], costs[2])
    weights = PairWeights(_views(*queue), _views(*costs), unit, bonus)
    classes = _classes(queue[1])
    edges = _weigh_edges(weights, *_neighbours(count, classes))
    guess = _initial_duals(weights, count)
    if count % 2:  # a dummy partner for the item left over, because an unmatched item would cause large blossoms
        dummy = np.arange(count, dtype=np.int32), np.full(count, count, np.int32)
        edges = _join_edges(edges, Edges(*dummy, np.full(count, 2 * bonus)))
        guess = np.append(guess, np.max(2 * bonus - guess))
    while True:
        matched = _solve(len(guess), edges, guess)
        missing = _missing_edges(weights, matched, queue, classes, (unit, bonus))
        if not len(missing[0]):
            break
        edges = _join_edges(edges, _weigh_edges(weights, *missing))
        # The next search begins without blossoms, so each item gets half of the duals z of its blossoms.
        guess = matched.dual + matched.total // 2
    mate = matched.mate[:count]
    first = np.flatnonzero((mate > np.arange(count)) & (mate < count)).astype(np.int32)
    pairs = np.stack([first, mate[first]], axis=1)
    return pairs, np.array([quality_of(weights, one, two) for one, two in pairs.tolist()], np.float64)


def _views(*columns: NDArray[Any]) -> Any:
    # Memoryviews are faster than arrays for uncompiled kernels.
    return tuple(memoryview(column) for column in columns)  # type: ignore[arg-type]


def _scale(count: int, wait: Floats, cost: Floats) -> tuple[float, int]:
    """Return the integer weight that corresponds to a quality of 1, and the bonus for each pair.

    The bonus exceeds all differences in quality, waiting and cost, so that more pairs always outweigh better pairs.
    """
    finite = cost[np.isfinite(cost)]
    span = 1.0 + 2.0 * float(wait.max(initial=0.0)) + float(finite.max(initial=0.0)) + 1e-3
    # A power of two, so that scaling does not round.
    unit = 2.0 ** min(FINEST, floor(LARGEST - log2((count + 4.0) * span)))
    return unit, int((count // 2 + 2) * span * unit)


def _classes(variance: Floats) -> tuple[Ints, Ints]:
    """Group items by similar uncertainty; return where each group starts, and the items sorted by group, then mean."""
    count = len(variance)
    parts = CLASSES if count >= CLASSES and variance.min() < variance.max() else 1
    rank = np.empty(count, np.int64)
    rank[np.argsort(variance, kind="stable")] = np.arange(count)
    part = rank * parts // max(count, 1)
    return starts(np.bincount(part, minlength=parts)), np.argsort(part, kind="stable").astype(np.int32)


def _neighbours(count: int, classes: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    everybody = np.arange(count, dtype=np.int32)
    groups = [everybody, *np.split(classes[1], classes[0][1:-1])] if len(classes[0]) > 2 else [everybody]
    near = [(group, step) for group in groups for step in range(1, min(NEAR, len(group) - 1) + 1)]
    ones = [group[:-step] for group, step in near]
    twos = [group[step:] for group, step in near]
    return np.concatenate([everybody[:0], *ones]), np.concatenate([everybody[:0], *twos])


def _initial_duals(weights: PairWeights, count: int) -> Longs:
    # Half the weight of pairing an item with itself is a good first guess if many items are similar.
    weight = np.empty(count, np.int64)
    same = np.arange(count, dtype=np.int32)
    weigh(weights, *_views(same, same, weight))
    return np.maximum(weight, 0) // 2


def _weigh_edges(weights: PairWeights, ones: Ints, twos: Ints) -> Edges:
    weight = np.empty(len(ones), np.int64)
    weigh(weights, *_views(ones, twos, weight))
    allowed = weight >= 0
    return Edges(ones[allowed], twos[allowed], weight[allowed])


def _join_edges(edges: Edges, more: Edges) -> Edges:
    ones, twos = np.concatenate([edges.ones, more.ones]), np.concatenate([edges.twos, more.twos])
    return Edges(ones, twos, np.concatenate([edges.weight, more.weight]))


def _solve(count: int, edges: Edges, guess: Longs) -> Matching:
    ends = np.concatenate([edges.ones, edges.twos])
    order = np.argsort(ends, kind="stable")
    start = starts(np.bincount(ends, minlength=count))
    other = np.concatenate([edges.twos, edges.ones])[order]
    weight = np.concatenate([edges.weight, edges.weight])[order]
    mate, position = np.empty(count, np.int32), np.empty(count, np.int32)
    total, gap, dual = np.zeros(count, np.int64), np.zeros(count, np.int64), guess.copy()
    match(*_views(start, other, weight, dual, total, mate, position, gap))
    return Matching(mate, dual, total, position, gap)


def _missing_edges(
    weights: PairWeights,
    matched: Matching,
    queue: tuple[Floats, ...],
    classes: tuple[Ints, Ints],
    scale: tuple[float, int],
) -> tuple[Ints, Ints]:
    """Return the pairs that weigh more than their price; the duals of the matching determine the prices."""
    count = len(queue[0])
    unit, bonus = scale
    start, member = _blocks(classes), classes[1]
    own = (matched.dual[:count] - bonus) / (2.0 * unit) - queue[3]
    ones, twos = np.empty(count * MOST, np.int32), np.empty(count * MOST, np.int32)
    prices = Prices(
        weights,
        _views(matched.dual, matched.position, _minima(matched.gap)),
        _views(own, _bounds(own, queue, start, member)),
        _views(start, member),
        _views(ones, twos, np.empty(count * MOST, np.int64)),
    )
    number = find_missing(prices)
    return ones[:number], twos[:number]


def _blocks(classes: tuple[Ints, Ints]) -> Ints:
    start = classes[0]
    cuts = [np.arange(one, two, BLOCK) for one, two in pairwise(start)]
    return np.append(np.concatenate(cuts), start[-1]).astype(np.int32)


def _bounds(own: Floats, queue: tuple[Floats, ...], start: Ints, member: Ints) -> Floats:
    """Return, for every block, the smallest `own`, mean and variance, and the largest variance and noise."""
    mean, variance, noise = queue[:3]
    least = [np.minimum.reduceat(column[member], start[:-1]) for column in (own, mean, variance)]
    most = [np.maximum.reduceat(column[member], start[:-1]) for column in (variance, noise)]
    return np.stack(least + most, axis=1)


def _minima(gap: Longs) -> Longs:
    """Return a table for range minima: row k, column i is the smallest of the 2ᵏ gaps that start at gap i."""
    rows = [gap]
    while 2 ** len(rows) <= len(gap):
        half, below = 2 ** (len(rows) - 1), rows[-1]
        rows.append(np.append(np.minimum(below[:-half], below[half:]), below[len(below) - half :]))
    return np.stack(rows)

"""The best matching of a whole queue, found among few of its pairs and proven for all of them.

Fair opponents stand near to each other in the order of strength, so a graph of neighbours holds most of what is
needed. Its matching comes with duals, which give every other pair a price; those that are worth more join the graph,
until there are none: then no matching of all pairs is better.
"""

from __future__ import annotations

from itertools import pairwise
from math import floor, log2
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...history.ragged import starts
from ..blossom.pricing import MOST, Prices, find_missing
from ..blossom.solve import match
from .weight import Worth, quality_of, weigh

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

NEAR = 4  # neighbours on either side, in the order of strength: among all, and
CLASSES = 16  # among those who are about as uncertain, who often suit each other best
BLOCK = 64  # items that are looked at together when pairs are priced
LARGEST = 58  # bits of a weight: duals may be a few times as large
FINEST = 44  # bits of a whole quality


class Edges(NamedTuple):
    """A graph: the two ends of every edge, the first before the second, and its weight."""

    ones: Ints
    twos: Ints
    weight: Longs


class Matching(NamedTuple):
    """A matching, with the duals that prove it the best of its graph (see `match`)."""

    mate: Ints
    dual: Longs
    total: Longs
    position: Ints
    gap: Longs


def best_pairs(queue: tuple[Floats, ...], known: tuple[Ints, Ints, Floats]) -> tuple[Ints, Floats]:
    """The pairs of a queue (see `Worth`) that stands in the order of means, as rows of two, and their qualities."""
    count = len(queue[0])
    if count < 2:
        return np.empty((0, 2), np.int32), np.empty(0)
    unit, bonus = _scale(count, queue[3], known[2])
    worth = Worth(_views(*queue), _views(*known), unit, bonus)
    classes = _classes(queue[1])
    edges = _weigh_edges(worth, *_neighbours(count, classes))
    guess = _initial_duals(worth, count)
    if count % 2:  # nobody, with whom anybody may be paired: then who is left over makes no large blossoms
        edges = _join_edges(edges, Edges(*_edges_to_nobody(count), np.full(count, 2 * bonus)))
        guess = np.append(guess, np.max(2 * bonus - guess))
    while True:
        matched = _solve(len(guess), edges, guess)
        missing = _missing_edges(worth, matched, queue, classes, (unit, bonus))
        if not len(missing[0]):
            break
        edges = _join_edges(edges, _weigh_edges(worth, *missing))
        guess = matched.dual + matched.total // 2  # without blossoms: what they ask is shared by those in them
    mate = matched.mate[:count]
    first = np.flatnonzero((mate > np.arange(count)) & (mate < count)).astype(np.int32)
    pairs = np.stack([first, mate[first]], axis=1)
    return pairs, np.array([quality_of(worth, one, two) for one, two in pairs.tolist()], np.float64)


def _views(*columns: NDArray[Any]) -> Any:
    """Columns as the kernels take them: uncompiled, they are faster with these than with arrays."""
    return tuple(memoryview(column) for column in columns)  # type: ignore[arg-type]


def _scale(count: int, wait: Floats, cost: Floats) -> tuple[float, int]:
    """How many whole numbers a quality is, and what any pair is worth: more than all that pairs may differ by."""
    finite = cost[np.isfinite(cost)]
    span = 1.0 + 2.0 * float(wait.max(initial=0.0)) + float(finite.max(initial=0.0)) + 1e-3
    unit = 2.0 ** min(FINEST, floor(LARGEST - log2((count + 4.0) * span)))
    return unit, int((count // 2 + 2) * span * unit)


def _classes(variance: Floats) -> tuple[Ints, Ints]:
    """The queue by how uncertain its items are, each class in the order of means: where they begin, and who it is."""
    count = len(variance)
    parts = CLASSES if count >= CLASSES and variance.min() < variance.max() else 1
    rank = np.empty(count, np.int64)
    rank[np.argsort(variance, kind="stable")] = np.arange(count)
    part = rank * parts // max(count, 1)
    return starts(np.bincount(part, minlength=parts)), np.argsort(part, kind="stable").astype(np.int32)


def _neighbours(count: int, classes: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Pairs of items that stand near to each other, among all or within a class."""
    everybody = np.arange(count, dtype=np.int32)
    groups = [everybody, *np.split(classes[1], classes[0][1:-1])] if len(classes[0]) > 2 else [everybody]
    near = [(group, step) for group in groups for step in range(1, min(NEAR, len(group) - 1) + 1)]
    ones = [group[:-step] for group, step in near]
    twos = [group[step:] for group, step in near]
    return np.concatenate([everybody[:0], *ones]), np.concatenate([everybody[:0], *twos])


def _edges_to_nobody(count: int) -> tuple[Ints, Ints]:
    """The pairs of everybody with nobody, who stands after all others."""
    return np.arange(count, dtype=np.int32), np.full(count, count, np.int32)


def _initial_duals(worth: Worth, count: int) -> Longs:
    """Half the weight of a match of each item with its like: what the duals are in a queue that has many of each."""
    weight = np.empty(count, np.int64)
    same = np.arange(count, dtype=np.int32)
    weigh(worth, *_views(same, same, weight))
    return np.maximum(weight, 0) // 2


def _weigh_edges(worth: Worth, ones: Ints, twos: Ints) -> Edges:
    """Pairs as edges with their weights, without those that may not be."""
    weight = np.empty(len(ones), np.int64)
    weigh(worth, *_views(ones, twos, weight))
    allowed = weight >= 0
    return Edges(ones[allowed], twos[allowed], weight[allowed])


def _join_edges(edges: Edges, more: Edges) -> Edges:
    """A graph with more edges."""
    ones, twos = np.concatenate([edges.ones, more.ones]), np.concatenate([edges.twos, more.twos])
    return Edges(ones, twos, np.concatenate([edges.weight, more.weight]))


def _solve(count: int, edges: Edges, guess: Longs) -> Matching:
    """The best matching of a graph."""
    ends = np.concatenate([edges.ones, edges.twos])
    order = np.argsort(ends, kind="stable")
    start = starts(np.bincount(ends, minlength=count))
    other = np.concatenate([edges.twos, edges.ones])[order]
    weight = np.concatenate([edges.weight, edges.weight])[order]
    longs = [np.zeros(count, np.int64) for _ in range(2)]
    found = Matching(np.empty(count, np.int32), guess.copy(), longs[0], np.empty(count, np.int32), longs[1])
    columns = start, other, weight, found.dual, found.total, found.mate, found.position, found.gap
    match(*_views(*columns))
    return found


def _missing_edges(
    worth: Worth, matched: Matching, queue: tuple[Floats, ...], classes: tuple[Ints, Ints], scale: tuple[float, int]
) -> tuple[Ints, Ints]:
    """The pairs that are worth more than what the duals of a matching ask."""
    count = len(queue[0])
    unit, bonus = scale
    start, member = _blocks(classes), classes[1]
    own = (matched.dual[:count] - bonus) / (2.0 * unit) - queue[3]
    ones, twos = np.empty(count * MOST, np.int32), np.empty(count * MOST, np.int32)
    prices = Prices(
        worth,
        _views(matched.dual, matched.position, _minima(matched.gap)),
        _views(own, _bounds(own, queue, start, member)),
        _views(start, member),
        _views(ones, twos, np.empty(count * MOST, np.int64)),
    )
    found = find_missing(prices)
    return ones[:found], twos[:found]


def _blocks(classes: tuple[Ints, Ints]) -> Ints:
    """Where the classes begin when they are cut into blocks."""
    start = classes[0]
    cuts = [np.arange(one, two, BLOCK) for one, two in pairwise(start)]
    return np.append(np.concatenate(cuts), start[-1]).astype(np.int32)


def _bounds(own: Floats, queue: tuple[Floats, ...], start: Ints, member: Ints) -> Floats:
    """Of every block the least price, mean and variance, and the largest variance and noise."""
    mean, variance, noise = queue[:3]
    least = [np.minimum.reduceat(column[member], start[:-1]) for column in (own, mean, variance)]
    most = [np.maximum.reduceat(column[member], start[:-1]) for column in (variance, noise)]
    return np.stack(least + most, axis=1)


def _minima(gap: Longs) -> Longs:
    """In row k the least of 2ᵏ neighbouring gaps, from each of them on."""
    rows = [gap]
    while 2 ** len(rows) <= len(gap):
        half, below = 2 ** (len(rows) - 1), rows[-1]
        rows.append(np.append(np.minimum(below[:-half], below[half:]), below[len(below) - half :]))
    return np.stack(rows)

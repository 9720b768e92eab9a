"""What the duals of a matching ask of every pair, and the pairs that are worth more: edges that the graph lacks.

Where there is none, no matching of the complete graph is heavier than the one that was found among few edges.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from ...model import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import exp
    from cython.cimports.prowess.matchmaking.pairing.weight import Worth, cost_of, weight_of
else:
    from math import exp

    from ..pairing.weight import Worth, cost_of, weight_of

MOST = 6  # so many missing edges of an item with those after it are named at a time
ROOM = cython.declare(cython.Py_ssize_t, MOST)
TOLERANCE = cython.declare(cython.double, 1e-9)  # of what is only estimated; prices themselves are exact


@cython.final
@cython.cclass
class Prices:
    """The price of every pair of a queue in the order of means.

    Exactly, it is the `dual` of both and the least of the gaps between their positions; `gaps` holds the least of 1,
    2, 4, … of them. In units of quality, above what any pair is worth, it is at least the `own` of both. The queue is
    divided into blocks of items that are alike, in the order of means, each of which has a row of `bounds`: the least
    `own` of its items, the least mean, the least and the largest variance, and the largest noise. The missing edges
    are written to `ones` and `twos`, and by how much each is above its price to `above`.
    """

    worth: Worth
    dual: cython.const[cython.longlong][::1]
    position: cython.const[cython.int][::1]
    gaps: cython.const[cython.longlong][:, ::1]
    own: cython.const[cython.double][::1]
    bounds: cython.const[cython.double][:, ::1]
    start: cython.const[cython.int][::1]
    member: cython.const[cython.int][::1]
    ones: cython.int[::1]
    twos: cython.int[::1]
    above: cython.longlong[::1]
    found: cython.Py_ssize_t

    def __init__(self, worth: Worth, exact: Any, estimates: Any, blocks: Any, missing: Any) -> None:
        self.worth = worth
        self.dual, self.position, self.gaps = exact
        self.own, self.bounds = estimates
        self.start, self.member = blocks
        self.ones, self.twos, self.above = missing
        self.found = 0


@cython.ccall
def find_missing(prices: Prices) -> cython.Py_ssize_t:
    """Write down the pairs whose weight is above their price, and say how many they are.

    Of each item with those after it, only the `MOST` that are furthest above: more follow when these are in the graph.
    """
    for one in range(len(prices.own)):
        first = prices.found
        for block in range(len(prices.start) - 1):
            if prices.member[prices.start[block + 1] - 1] > one and _near(prices, one, block):
                _look_into(prices, one, block, first)
    return prices.found


@cython.cfunc
@cython.exceptval(check=False)
def _near(prices: Prices, one: cython.Py_ssize_t, block: cython.Py_ssize_t) -> cython.bint:
    """Whether any later item of a block may be worth its price with this one, by the bounds of the block."""
    worth = prices.worth
    gap = max(prices.bounds[block, 1] - worth.mean[one], 0.0)
    least = prices.own[one] + prices.bounds[block, 0] + worth.near * gap - TOLERANCE
    noise = worth.noise[one] + prices.bounds[block, 4]
    variance = worth.variance[one] + prices.bounds[block, 2]
    wide = (worth.variance[one] + prices.bounds[block, 3]) * (1.0 + TOLERANCE)
    least = max(least, worth.least[one])
    return least <= 0.0 or least * least * variance <= noise * exp(-(gap / wide * gap)) * (1.0 + TOLERANCE)


@cython.cfunc
@cython.exceptval(check=False)
def _look_into(
    prices: Prices, one: cython.Py_ssize_t, block: cython.Py_ssize_t, first: cython.Py_ssize_t
) -> cython.void:
    """The missing edges between an item and those after it in a block."""
    worth = prices.worth
    for at in range(prices.start[block], prices.start[block + 1]):
        two = prices.member[at]
        gap = worth.mean[two] - worth.mean[one]
        least = prices.own[one] + prices.own[two] + worth.near * gap - TOLERANCE
        need = max(worth.least[one], worth.least[two])
        if two <= one or _too_far(worth, one, two, gap * gap, max(least, need)):
            continue
        between = _between(prices, one, two)
        if not _too_far(worth, one, two, gap * gap, max(least + between / (2.0 * worth.unit), need)):
            _note(prices, one, two, between, first)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _too_far(
    worth: Worth, one: cython.Py_ssize_t, two: cython.Py_ssize_t, square: cython.double, least: cython.double
) -> cython.bint:
    """Whether the quality of a pair is certainly below this: q² = (N/V) e⁻ˣ with x = Δ²/V, and eˣ ≥ 1 + x + x²/2."""
    variance = (worth.variance[one] + worth.variance[two]) * (1.0 + TOLERANCE)
    noise = worth.noise[one] + worth.noise[two]
    return least > 0.0 and least * least * (variance + square + 0.5 * square * (square / variance)) > noise


@cython.cfunc
@cython.exceptval(check=False)
def _note(
    prices: Prices,
    one: cython.Py_ssize_t,
    two: cython.Py_ssize_t,
    between: cython.longlong,
    first: cython.Py_ssize_t,
) -> cython.void:
    """Write down a pair if it is above its price, in the order of by how much, and at most `MOST` from the first on."""
    weight = weight_of(prices.worth, one, two, cost_of(prices.worth, one, two))
    above = weight - prices.dual[one] - prices.dual[two] - between
    at = prices.found
    if weight < 0 or above <= 0:
        return
    if at == first + ROOM:
        at -= 1
        if prices.above[at] >= above:
            return
    else:
        prices.found += 1
    while at > first and prices.above[at - 1] < above:
        prices.twos[at] = prices.twos[at - 1]
        prices.above[at] = prices.above[at - 1]
        at -= 1
    prices.ones[prices.found - 1] = one
    prices.twos[at] = two
    prices.above[at] = above


@cython.cfunc
@cython.exceptval(check=False)
def _between(prices: Prices, one: cython.Py_ssize_t, two: cython.Py_ssize_t) -> cython.longlong:
    """What the blossoms that hold both items ask."""
    low = min(prices.position[one], prices.position[two])
    high = max(prices.position[one], prices.position[two])
    level = 0
    while (cython.cast(cython.Py_ssize_t, 2) << level) <= high - low:
        level += 1
    return min(prices.gaps[level, low], prices.gaps[level, high - (cython.cast(cython.Py_ssize_t, 1) << level)])

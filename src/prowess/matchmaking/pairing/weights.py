"""The weights of pairs of a queue, and the search for pairs that weigh more than their price.

A pair weighs more if its match is fairer or the two have waited longer, and less if the two have met. An additional
pair always outweighs any difference between pairs. A matching that was found among few edges gives every item a number,
its dual (see `blossom/solve.py`), and the duals set a price for every pair. If no pair weighs more than its price, no
matching of the complete graph is heavier. Weights are integers, so that duals are exact.
"""

from __future__ import annotations

from typing import Any

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ...model import _cython as cython

if not cython.compiled:
    from math import exp, fabs, floor, sqrt


TIE = 1e-7  # cost of the largest gap in strength; of two equally fair pairs, the one with the smaller gap is chosen
MOST = 6  # largest number of missing edges that one call of `find_missing` reports for each item
ROOM = cython.declare(cython.Py_ssize_t, MOST)
TOLERANCE = cython.declare(cython.double, 1e-9)  # tolerance of the bounds; prices themselves are exact


@cython.final
@cython.cclass
class PairWeights:
    """A queue, sorted by mean performance, with everything that the weights of pairs depend on.

    `wait` is the value that an item's waiting time adds to a pair. An item is only paired if the square of the gap
    between both means is at most `widest` times the sum of both variances. The pairs of item i that have a cost are at
    the indices from `start[i]` to `start[i + 1]`: `partner` is the later item of the pair, and `cost` is the cost,
    infinite for a forbidden pair. `wait` and `cost` are in units of quality, which `unit` scales to integers. `bonus`
    is added to the weight of every pair.

    >>> from array import array
    >>> queue = [array("d", [a, b]) for a, b in ((25, 26), (34.7, 34.7), (17.4, 17.4), (0, 0), (9, 9))]
    >>> no_costs = array("i", [0, 0, 0]), array("i", [0]), array("d", [0])
    >>> round(quality_of(PairWeights(queue, no_costs, 2**40, 0), 0, 1), 3)
    0.703
    """

    mean: cython.const[cython.double][::1]
    variance: cython.const[cython.double][::1]
    noise: cython.const[cython.double][::1]
    wait: cython.const[cython.double][::1]
    widest: cython.const[cython.double][::1]
    start: cython.const[cython.int][::1]
    partner: cython.const[cython.int][::1]
    cost: cython.const[cython.double][::1]
    unit: cython.double
    near: cython.double
    bonus: cython.longlong

    def __init__(self, queue: Any, costs: Any, unit: float, bonus: int) -> None:
        self.mean, self.variance, self.noise, self.wait, self.widest = queue
        self.start, self.partner, self.cost = costs
        self.unit = unit
        self.bonus = bonus
        width = self.mean[len(self.mean) - 1] - self.mean[0]
        self.near = TIE / width if width > 0.0 else 0.0


@cython.ccall
@cython.exceptval(check=False)
def quality_of(weights: PairWeights, one: cython.Py_ssize_t, two: cython.Py_ssize_t) -> cython.double:
    """Return the quality of a pair by TrueSkill, equation (7), as `Model.quality` does."""
    variance = weights.variance[one] + weights.variance[two]
    gap = weights.mean[one] - weights.mean[two]
    return sqrt((weights.noise[one] + weights.noise[two]) / variance) * exp(-0.5 * (gap / variance * gap))


@cython.cfunc
@cython.exceptval(check=False)
def _weight(weights: PairWeights, one: cython.Py_ssize_t, two: cython.Py_ssize_t) -> cython.longlong:
    """Return the weight of a pair, an even number; −1 if the pair is not allowed. `one` must come before `two`."""
    cost = _cost(weights, one, two)
    if cost > 1e300 or _is_uneven(weights, one, two):
        return -1
    value = quality_of(weights, one, two) + weights.wait[one] + weights.wait[two] - cost
    value -= weights.near * fabs(weights.mean[one] - weights.mean[two])
    # The matching algorithm halves differences of weights; even weights keep the results whole.
    return 2 * (weights.bonus + cython.cast(cython.longlong, floor(value * weights.unit + 0.5)))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _is_uneven(weights: PairWeights, one: cython.Py_ssize_t, two: cython.Py_ssize_t) -> cython.bint:
    """Return whether one of the two does not accept a match of this evenness."""
    gap = weights.mean[two] - weights.mean[one]
    widest = min(weights.widest[one], weights.widest[two])
    return gap * gap > widest * (weights.variance[one] + weights.variance[two])


@cython.cfunc
@cython.exceptval(check=False)
def _cost(weights: PairWeights, one: cython.Py_ssize_t, two: cython.Py_ssize_t) -> cython.double:
    # The search is a bisection. A pair that is not listed costs 0.
    low = weights.start[one]
    high = weights.start[one + 1]
    while low < high:
        middle = (low + high) // 2
        if weights.partner[middle] == two:
            return weights.cost[middle]
        if weights.partner[middle] < two:
            low = middle + 1
        else:
            high = middle
    return 0.0


@cython.ccall
def weigh(
    weights: PairWeights,
    ones: cython.const[cython.int][::1],
    twos: cython.const[cython.int][::1],
    out: cython.longlong[::1],
) -> cython.void:
    """Fill `out` with the weights of pairs, −1 for pairs that are not allowed.

    Each item in `ones` comes before its partner in `twos`.
    """
    for k in range(len(ones)):
        out[k] = _weight(weights, ones[k], twos[k])


@cython.final
@cython.cclass
class Prices:
    """The prices of all pairs of a queue that is sorted by mean performance.

    The price of a pair is the sum of both items' `dual`, plus the smallest gap between their positions (see
    `Blossoms.unroll`). Row k of `gaps` has the minima of all runs of 2ᵏ neighbouring gaps. `own` is the dual of an item
    in units of quality, without the bonus and the value of waiting. A pair can weigh more than its price only if its
    quality exceeds the sum of both items' `own`.

    The queue is divided into blocks of similar items. Each block has a row of `bounds`: the least `own` of its items,
    the least mean, the least and the largest variance, and the largest noise. `ones` and `twos` receive the two items
    of each missing edge, and `above` the amount by which its weight exceeds its price.
    """

    weights: PairWeights
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
    count: cython.Py_ssize_t

    def __init__(self, weights: PairWeights, exact: Any, estimates: Any, blocks: Any, missing: Any) -> None:
        self.weights = weights
        self.dual, self.position, self.gaps = exact
        self.own, self.bounds = estimates
        self.start, self.member = blocks
        self.ones, self.twos, self.above = missing
        self.count = 0


@cython.ccall
def find_missing(prices: Prices) -> cython.Py_ssize_t:
    """Write the pairs that weigh more than their price to `ones` and `twos`; return their number.

    For each item, only the `MOST` pairs with the largest excess are written; the next call finds the others.
    """
    for one in range(len(prices.own)):
        first = prices.count
        for block in range(len(prices.start) - 1):
            if prices.member[prices.start[block + 1] - 1] > one and _may_exceed(prices, one, block):
                _price_block(prices, one, block, first)
    return prices.count


@cython.cfunc
@cython.exceptval(check=False)
def _may_exceed(prices: Prices, one: cython.Py_ssize_t, block: cython.Py_ssize_t) -> cython.bint:
    """Return whether the bounds allow item `one` and a later item of the block to weigh more than their price."""
    weights = prices.weights
    gap = max(prices.bounds[block, 1] - weights.mean[one], 0.0)
    least = prices.own[one] + prices.bounds[block, 0] + weights.near * gap - TOLERANCE
    noise = weights.noise[one] + prices.bounds[block, 4]
    variance = weights.variance[one] + prices.bounds[block, 2]
    wide = (weights.variance[one] + prices.bounds[block, 3]) * (1.0 + TOLERANCE)
    # The tolerance makes the bounds safe against rounding, which must not hide a pair.
    if gap * gap > weights.widest[one] * wide:
        return False
    return least <= 0.0 or least * least * variance <= noise * exp(-(gap / wide * gap)) * (1.0 + TOLERANCE)


@cython.cfunc
@cython.exceptval(check=False)
def _price_block(
    prices: Prices, one: cython.Py_ssize_t, block: cython.Py_ssize_t, first: cython.Py_ssize_t
) -> cython.void:
    weights = prices.weights
    for at in range(prices.start[block], prices.start[block + 1]):
        two = prices.member[at]
        gap = weights.mean[two] - weights.mean[one]
        least = prices.own[one] + prices.own[two] + weights.near * gap - TOLERANCE
        if two <= one or _is_uneven(weights, one, two) or _too_far(weights, one, two, gap * gap, least):
            continue
        # Finding the smallest gap is slow, so this is done only for pairs that exceed the rest of the price.
        between = _between(prices, one, two)
        if not _too_far(weights, one, two, gap * gap, least + between / (2.0 * weights.unit)):
            _add_missing(prices, one, two, between, first)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _too_far(
    weights: PairWeights, one: cython.Py_ssize_t, two: cython.Py_ssize_t, square: cython.double, least: cython.double
) -> cython.bint:
    """Return whether the quality of a pair is certainly below `least`.

    N is the sum of both noises, V the sum of both variances and Δ the difference of the means. The bound follows from
    the quality q² = (N/V) e⁻ˣ with x = Δ²/V, and eˣ ≥ 1 + x + x²/2.
    """
    # The bound avoids exp, which is slow, because almost all pairs of a block are tested.
    variance = (weights.variance[one] + weights.variance[two]) * (1.0 + TOLERANCE)
    noise = weights.noise[one] + weights.noise[two]
    return least > 0.0 and least * least * (variance + square + 0.5 * square * (square / variance)) > noise


@cython.cfunc
@cython.exceptval(check=False)
def _add_missing(
    prices: Prices,
    one: cython.Py_ssize_t,
    two: cython.Py_ssize_t,
    between: cython.longlong,
    first: cython.Py_ssize_t,
) -> cython.void:
    """Insert a missing edge into the list that begins at `first`, sorted by excess; keep at most `MOST` edges."""
    weight = _weight(prices.weights, one, two)
    above = weight - prices.dual[one] - prices.dual[two] - between
    at = prices.count
    if weight < 0 or above <= 0:
        return
    if at == first + ROOM:
        at -= 1
        if prices.above[at] >= above:
            return
    else:
        prices.count += 1
    while at > first and prices.above[at - 1] < above:
        prices.twos[at] = prices.twos[at - 1]
        prices.above[at] = prices.above[at - 1]
        at -= 1
    prices.ones[prices.count - 1] = one
    prices.twos[at] = two
    prices.above[at] = above


@cython.cfunc
@cython.exceptval(check=False)
def _between(prices: Prices, one: cython.Py_ssize_t, two: cython.Py_ssize_t) -> cython.longlong:
    """Return the part of the price that comes from blossoms that contain both items."""
    low = min(prices.position[one], prices.position[two])
    high = max(prices.position[one], prices.position[two])
    level = 0
    while (cython.cast(cython.Py_ssize_t, 2) << level) <= high - low:
        level += 1
    # Two overlapping ranges whose length is a power of two cover all gaps between the positions.
    return min(prices.gaps[level, low], prices.gaps[level, high - (cython.cast(cython.Py_ssize_t, 1) << level)])

"""What a pair is worth: how fair its match would be, how long the two have waited, how often they have met.

As whole numbers, so that duals are exact. Whatever pairs are worth, one pair more is worth more than that.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from ...model import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import exp, fabs, floor, sqrt
else:
    from math import exp, fabs, floor, sqrt

TIE = 1e-7  # what the whole width of a queue costs: of pairs that are equally fair the nearer, also where none is fair


@cython.final
@cython.cclass
class Worth:
    """A queue in the order of the means of its items' performances, and how their pairs are judged.

    `wait` is what it is worth to pair an item, `least` the quality below which it is not paired. What is known against
    the pairs of an item with some of those after it stands at `start[i]:start[i + 1]`: the other, in `known`, and the
    `cost`, which is infinite for a pair that may never be. All is counted in units of quality, as whole numbers in
    shares of `unit`; `bonus` is what any pair is worth.

    >>> from array import array
    >>> queue = [array("d", [a, b]) for a, b in ((25, 26), (34.7, 34.7), (17.4, 17.4), (0, 0), (0, 0))]
    >>> nothing_known = array("i", [0, 0, 0]), array("i", [0]), array("d", [0])
    >>> round(quality_of(Worth(queue, nothing_known, 2**40, 0), 0, 1), 3)
    0.703
    """

    def __init__(self, queue: Any, known: Any, unit: float, bonus: int) -> None:
        self.mean, self.variance, self.noise, self.wait, self.least = queue
        self.start, self.known, self.cost = known
        self.unit = unit
        self.bonus = bonus
        width = self.mean[len(self.mean) - 1] - self.mean[0]
        self.near = TIE / width if width > 0.0 else 0.0


def quality_of(worth: Worth, one: cython.Py_ssize_t, two: cython.Py_ssize_t) -> cython.double:
    """TrueSkill, equation (7), for two teams: the same as `Model.quality`."""
    variance = worth.variance[one] + worth.variance[two]
    gap = worth.mean[one] - worth.mean[two]
    return sqrt((worth.noise[one] + worth.noise[two]) / variance) * exp(-0.5 * (gap / variance * gap))


def weight_of(worth: Worth, one: cython.Py_ssize_t, two: cython.Py_ssize_t, cost: cython.double) -> cython.longlong:
    """The weight of a pair, an even number; −1 if the pair may not be."""
    value = quality_of(worth, one, two)
    if value < worth.least[one] or value < worth.least[two] or cost > 1e300:
        return -1
    value += worth.wait[one] + worth.wait[two] - cost
    value -= worth.near * fabs(worth.mean[one] - worth.mean[two])
    return 2 * (worth.bonus + cython.cast(cython.longlong, floor(value * worth.unit + 0.5)))


def cost_of(worth: Worth, one: cython.Py_ssize_t, two: cython.Py_ssize_t) -> cython.double:
    """What is known against a pair, of which the first comes first in the order."""
    low = worth.start[one]
    high = worth.start[one + 1]
    while low < high:
        middle = (low + high) // 2
        if worth.known[middle] == two:
            return worth.cost[middle]
        if worth.known[middle] < two:
            low = middle + 1
        else:
            high = middle
    return 0.0


@cython.ccall
def weigh(
    worth: Worth,
    ones: cython.const[cython.int][::1],
    twos: cython.const[cython.int][::1],
    weights: cython.longlong[::1],
) -> cython.void:
    """The weights of some pairs, of which the first comes first in the order; −1 for those that may not be."""
    for k in range(len(ones)):
        weights[k] = weight_of(worth, ones[k], twos[k], cost_of(worth, ones[k], twos[k]))

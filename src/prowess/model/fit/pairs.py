"""Kernels that loop over all pairs of teams in every match, for wrong predictions, ranks and log losses."""

from __future__ import annotations

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from ..maths.normal import cdf

if not cython.compiled:
    from math import log, sqrt

LOW = cython.declare(cython.double, 1e-280)  # take the logarithm of a product of probabilities when it falls below this


@cython.ccall
def count_wrong(
    start: cython.const[cython.int][::1],
    place: cython.const[cython.int][::1],
    strength: cython.const[cython.double][::1],
    ties: cython.double,
    wrong: cython.double[::1],
    drawn: cython.double[::1],
) -> cython.void:
    """Fill `wrong` and `drawn` with counts of pairs of teams in each match.

    `wrong` counts the pairs that were predicted in the wrong order, and `drawn` the pairs that share a place. A pair
    with equal strengths but different places counts as `ties` wrong pairs.

    >>> import numpy as np
    >>> wrong, drawn = np.empty(1), np.empty(1)
    >>> start, place = np.array([0, 3], np.int32), np.array([1, 2, 2], np.int32)
    >>> count_wrong(start, place, np.array([1.0, 3.0, 1.0]), 0.5, wrong, drawn)
    >>> wrong, drawn
    (array([1.5]), array([1.]))
    """
    for match in range(len(wrong)):
        bad = shared = 0.0
        for i in range(start[match], start[match + 1]):
            for j in range(start[match], i):
                if place[i] == place[j]:
                    shared += 1.0
                elif strength[i] == strength[j]:
                    bad += ties
                elif (place[i] < place[j]) != (strength[i] > strength[j]):
                    bad += 1.0
        wrong[match] = bad
        drawn[match] = shared


@cython.ccall
def count_ahead(
    start: cython.const[cython.int][::1],
    key: cython.const[cython.double][::1],
    ahead: cython.int[::1],
    level: cython.int[::1],
) -> cython.void:
    """Count, for each team, the teams of its match with a lower key (`ahead`) or an equal key (`level`).

    A team does not count itself. The counts are stored in `ahead` and `level`.

    >>> import numpy as np
    >>> ahead, level = np.empty(3, np.int32), np.empty(3, np.int32)
    >>> count_ahead(np.array([0, 3], np.int32), np.array([2.0, 1.0, 2.0]), ahead, level)
    >>> ahead, level
    (array([1, 0, 1], dtype=int32), array([1, 0, 1], dtype=int32))
    """
    before: cython.int  # untyped, these sums would be Python objects, which is 20 times slower
    beside: cython.int
    for match in range(len(start) - 1):
        for i in range(start[match], start[match + 1]):
            before = beside = 0
            for j in range(start[match], start[match + 1]):
                before += key[j] < key[i]
                beside += key[j] == key[i]
            ahead[i] = before
            level[i] = beside - 1


@cython.ccall
def count_losses(
    start: cython.const[cython.int][::1],
    place: cython.const[cython.int][::1],
    strength: cython.const[cython.double][::1],
    variance: cython.const[cython.double][::1],
    least: cython.double,
    loss: cython.double[::1],
    decided: cython.double[::1],
) -> cython.void:
    """Fill `loss` with Σ −ln P over the pairs of teams in each match that do not share a place.

    Also fill `decided` with the number of these pairs.

    P is the probability of the order in which a pair finished: Φ(Δ/√(v₁ + v₂)), but at least `least`. Probabilities are
    multiplied as long as the product does not underflow, because computing a logarithm for each probability would
    double the time.

    >>> import numpy as np
    >>> loss, decided = np.empty(1), np.empty(1)
    >>> start, place = np.array([0, 2], np.int32), np.array([1, 2], np.int32)
    >>> count_losses(start, place, np.array([1.0, 1.0]), np.ones(2), 1e-6, loss, decided)
    >>> loss.round(3), decided
    (array([0.693]), array([1.]))
    """
    for match in range(len(loss)):
        total = pairs = 0.0
        product = 1.0
        for i in range(start[match], start[match + 1]):
            for j in range(start[match], i):
                if place[i] != place[j]:
                    gap = strength[i] - strength[j] if place[i] < place[j] else strength[j] - strength[i]
                    p = max(_chance(gap, variance[i] + variance[j]), least)
                    pairs += 1.0
                    if product * p < LOW:
                        total -= log(product)
                        product = 1.0
                    product *= p
        loss[match] = total - log(product)
        decided[match] = pairs


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _chance(gap: cython.double, variance: cython.double) -> cython.double:
    if variance > 0.0:
        return cdf(gap / sqrt(variance))
    return 0.5 if gap == 0.0 else 1.0 if gap > 0.0 else 0.0

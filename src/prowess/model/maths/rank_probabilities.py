"""Exact rank probabilities of any number of teams with independent normal performances and a margin.

The rank of team i is 1 plus the number of teams j with t_j > t_i + ε. Given t_i = x, the events that the other teams
are ahead of team i are independent of each other. Therefore the number of teams ahead is Poisson-binomial. Its
distribution is a product of polynomials with two terms, from which the factor of team i is divided out. All teams use
the same grid of x (`quadrature.py`).

If performances are rounded to cells of half width ε with a random phase, x is the centre of the cell of team i, and the
density of t_i is averaged over the cell.
"""

from __future__ import annotations

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from .normal import cdf, log_pdf

if not cython.compiled:
    from math import exp, fabs

NOTHING = cython.declare(cython.double, 1e-30)  # smaller probabilities do not change any sum


@cython.ccall
def first_alone(
    means: cython.const[cython.double][::1],
    deviations: cython.const[cython.double][::1],
    margins: cython.const[cython.double][::1],
    wanted: cython.const[cython.int][::1],
    bases: cython.const[cython.double][::1],
    offsets: cython.const[cython.double][::1],
    weights: cython.const[cython.double][::1],
    cell: cython.double,
    ahead: cython.double[::1],
    out: cython.double[::1],
) -> cython.void:
    """Add to `out`, for each wanted team, the probability that all others perform worse by more than the margin.

    `ahead` is scratch memory of n + 1 cells for n teams.
    """
    n = len(means)
    for k in range(len(weights)):
        # Products from both ends: dividing team i out of the whole product would fail if a factor underflows to 0.
        ahead[n] = 1.0
        for i in range(n - 1, -1, -1):  # the product over all teams from i on
            ahead[i] = ahead[i + 1] * cdf(((bases[k] - means[i]) + offsets[k] - margins[i]) / deviations[i])
        below = weights[k]  # and over all teams before i
        for i in range(n):
            if wanted[i]:
                out[i] += below * ahead[i + 1] * _density((bases[k] - means[i]) + offsets[k], deviations[i], cell)
            below *= cdf(((bases[k] - means[i]) + offsets[k] - margins[i]) / deviations[i])
            if below == 0.0:
                break


@cython.ccall
def rank_matrix(
    means: cython.const[cython.double][::1],
    deviations: cython.const[cython.double][::1],
    margins: cython.const[cython.double][::1],
    wanted: cython.const[cython.int][::1],
    bases: cython.const[cython.double][::1],
    offsets: cython.const[cython.double][::1],
    weights: cython.const[cython.double][::1],
    cell: cython.double,
    ahead: cython.double[::1],
    count: cython.double[::1],
    span: cython.int[::1],
    out: cython.double[:, ::1],
) -> cython.void:
    """Add to `out`, for each wanted team and each r, P(exactly r others perform better by more than the margin)."""
    n = len(means)
    for k in range(len(weights)):
        for i in range(n):
            ahead[i] = cdf(((means[i] - bases[k]) - offsets[k] - margins[i]) / deviations[i])
        _count(ahead, n, count, span)
        for i in range(n):
            if wanted[i]:
                mass = weights[k] * _density((bases[k] - means[i]) + offsets[k], deviations[i], cell)
                if mass > NOTHING:
                    _add_without(count, n, span, ahead[i], mass, out[i])


@cython.cfunc
def _density(x: cython.double, deviation: cython.double, cell: cython.double) -> cython.double:
    """Return the normal density at a distance x from the mean, averaged over a cell of half width `cell`."""
    t = fabs(x) / deviation
    e = cell / deviation
    # The difference of two nearly equal values of Φ would lose its digits.
    if e * max(t, 1.0) < 1e-3:
        return exp(log_pdf(t)) / deviation * (1.0 + e * e * (t * t - 1.0) / 6.0)
    return (cdf(e - t) - cdf(-e - t)) / (2.0 * cell)


@cython.cfunc
@cython.exceptval(check=False)
def _count(
    ahead: cython.double[::1], n: cython.Py_ssize_t, count: cython.double[::1], span: cython.int[::1]
) -> cython.void:
    """Fill `count` with the distribution of how many of n independent events occur, with the probabilities `ahead`.

    `span` gets the first and the last number of events whose probability is not negligible; all others count as 0.
    """
    low = high = 0
    count[0] = 1.0
    for i in range(n):
        p = ahead[i]
        count[high + 1] = count[high] * p
        for r in range(high, low, -1):
            count[r] = count[r] * (1.0 - p) + count[r - 1] * p
        count[low] *= 1.0 - p
        if count[high + 1] > NOTHING:
            high += 1
        while low < high and count[low] < NOTHING:
            low += 1
    span[0] = low
    span[1] = high


@cython.cfunc
@cython.exceptval(check=False)
def _add_without(
    count: cython.double[::1],
    n: cython.Py_ssize_t,
    span: cython.int[::1],
    p: cython.double,
    mass: cython.double,
    out: cython.double[::1],
) -> cython.void:
    # The polynomial division starts at the end from which rounding errors shrink.
    part = 0.0
    inverse = 1.0 / max(p, 1.0 - p)
    if p <= 0.5:
        for r in range(span[0], min(span[1] + 1, n)):
            part = max((count[r] - p * part) * inverse, 0.0)
            out[r] += mass * part
    else:
        for r in range(span[1] - 1, max(span[0] - 2, -1), -1):
            part = max((count[r + 1] - (1.0 - p) * part) * inverse, 0.0)
            out[r] += mass * part

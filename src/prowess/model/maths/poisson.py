"""Special functions of counts: the Poisson distribution, with a known or a log-normal rate.

Throughout this module, the rate is e^x with x ~ N(m, v). All functions accept means up to ±1e30, variances from 1e-60
to 1e60 and counts up to 1e30. `math.lgamma` is not used, because its results differ from C's lgamma in the last bit.
"""

from __future__ import annotations

import math
from array import array

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from .elementary import exp, exp_all, expm1, log, log_all
from .normal import cdf, log_pdf

if not cython.compiled:
    from math import fabs, floor, sqrt

    from .normal import NODE, NODE_WEIGHT

HALF_LOG_2PI = cython.declare(cython.double, 0.91893853320467274178)
REACH = cython.declare(cython.double, 8.7)  # integrate over this many standard deviations
PANEL = cython.declare(cython.double, 3.4)  # width of a Gauss–Legendre panel, in standard deviations
TABLE = cython.declare(cython.Py_ssize_t, 256)
LARGEST_LOG = cython.declare(cython.double, 700.0)  # counts are capped at e⁷⁰⁰
LOG_2 = cython.declare(cython.double, 0.69314718055994530942)
SMALL_STEP = cython.declare(cython.double, 1e-5)  # cubic convergence: a further step would be below rounding errors
MOST_STEPS = cython.declare(cython.Py_ssize_t, 100)
TINY = cython.declare(cython.double, 1e-300)
# Rows of the table of `tilt_all`, after c.
HALF = cython.declare(cython.Py_ssize_t, 1)
ROOT = cython.declare(cython.Py_ssize_t, 2)
LOG = cython.declare(cython.Py_ssize_t, 3)
GROWN = cython.declare(cython.Py_ssize_t, 4)
LOW = cython.declare(cython.Py_ssize_t, 5)
HIGH = cython.declare(cython.Py_ssize_t, 6)
FOUND = cython.declare(cython.Py_ssize_t, 7)
LOG_FACTORIALS = cython.declare(cython.double[::1], array("d", [math.log(math.factorial(n)) for n in range(256)]))


@cython.cfunc
@cython.exceptval(check=False)
def _stirling(n: cython.double) -> cython.double:
    """Return the correction of Stirling's formula: log n! − ((n + ½) log n − n + ½ log 2π), for n ≥ 16."""
    y = 1.0 / (n * n)
    return (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y / 1188.0)))) / n


def log_factorial(n: cython.double) -> cython.double:
    """Return log n! for whole n ≥ 0.

    >>> round(log_factorial(10), 9), round(log_factorial(1e6), 6)
    (15.104412573, 12815518.384658)
    """
    if n < TABLE:
        return LOG_FACTORIALS[cython.cast(cython.Py_ssize_t, n)]
    return (n + 0.5) * log(n) - n + HALF_LOG_2PI + _stirling(n)


@cython.cfunc
@cython.exceptval(check=False)
def _excess(t: cython.double) -> cython.double:
    """Return t − log(1 + t) for small |t| by a series, because the subtraction would lose digits."""
    total = 0.0
    for k in range(14, 1, -1):
        total = 1.0 / k - t * total
    return t * t * total


def log_pmf(n: cython.double, log_rate: cython.double, rate: cython.double) -> cython.double:
    """Return the log of the Poisson probability of a count, given the log of the rate and the rate.

    For large counts, the probability is computed relative to the peak of the distribution, because n log λ − λ − log n!
    would lose digits.

    >>> round(log_pmf(2.0, 0.0, 1.0), 6)
    -1.693147
    """
    if n < TABLE:
        return n * log_rate - rate - log_factorial(n)
    far = (rate - n) / n
    # Below 0.05 the first omitted term of the series is less than the rounding error.
    far = n * _excess(far) if fabs(far) < 0.05 else (rate - n) - n * (log_rate - log(n))
    return -0.5 * log(n) - HALF_LOG_2PI - _stirling(n) - far


@cython.cfunc
@cython.exceptval(check=False)
def _held(c: cython.double, half: cython.double, level: cython.double) -> cython.double:
    """Return the positive root y of (y + level − c)(1 + y) = half.

    This is the equation of `tilt`, with `level` in place of log y.
    """
    b = 0.5 * (1.0 + level - c)
    k = c - level + half
    root = sqrt(max(b * b + k, 0.0))
    # Of two equivalent formulas, use the one that keeps its digits.
    return k / (root + b) if b > 0.0 else root - b


@cython.cfunc
@cython.exceptval(check=False)
def _omega(c: cython.double) -> cython.double:
    """Return the root y of y + log y = c by a series at c = 1, accurate to one per cent for −1 ≤ c ≤ 6."""
    return 1.0 + (c - 1.0) * (0.5 + (c - 1.0) * (0.0625 - (c - 1.0) / 192.0))


@cython.cfunc
@cython.exceptval(check=False)
def _start(c: cython.double, half: cython.double) -> cython.double:
    """Return a starting point for the root search in `tilt`, within a few per cent of the root."""
    if c + half < -1.0:
        y = exp(c + half)
        return exp(c + half / (1.0 + y) - y)
    if half > 1.5:
        y = _held(c, half, 0.0)
        y = _held(c, half, log(y if y > 0.3 else 0.3))
        return y if y > 0.1 else 0.1
    if c < 5.0:
        y = _omega(c if c > -1.0 else -1.0)
        y = _omega(c + half / (1.0 + y))
        return y if y > 0.1 else 0.1
    y = log(c)
    return c - y + (y + half) / (1.0 + c)


def tilt(mean: cython.double, variance: cython.double, count: cython.double) -> cython.double:
    """Return y = v e^κ, which determines the normal posterior of a log-rate after a count s.

    The posterior is the normal q that is nearest to p = N(x; m, v) Poisson(s; e^x) by KL(q‖p).

    By Guo, Sanner, Graepel, Buntine (2012), equation (19), κ = m + v (s − e^κ) + v/(2 (1 + v e^κ)). q has the mean κ −
    v'/2 and the variance v' = v/(1 + y).

    With c = m + v s + log v the equation becomes y + log y = c + v/(2 (1 + y)), in which nothing overflows. The left
    side minus the right side grows with log y. Halley's method converges cubically, so the search ends after a step
    below 1e-5. A bracket of the root limits the steps.

    >>> y = tilt(0.5, 2.0, 3.0)
    >>> kappa = math.log(y / 2.0)
    >>> abs(0.5 + 2.0 * (3.0 - math.exp(kappa)) + 2.0 / (2.0 * (1.0 + y)) - kappa) < 1e-14
    True
    """
    c = mean + variance * count + log(variance)
    half = 0.5 * variance
    y = _start(c, half)
    low, high = -1e300, 1e300
    # 1 + y rounds to 1, so the starting point is the root.
    if y < TINY:
        return y
    u = log(y)
    for _ in range(MOST_STEPS):
        beyond = _beyond(c, half, y, u)
        step = _halley(half, y, beyond)
        if fabs(step) < SMALL_STEP:
            return _last_step(y, step)
        low = u if beyond > 0.0 else low
        high = high if beyond > 0.0 else u
        u = u + step if low < u + step < high else 0.5 * (low + high)
        y = exp(u)
    return y


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _beyond(c: cython.double, half: cython.double, y: cython.double, u: cython.double) -> cython.double:
    """Return the right side minus the left side of the equation of `tilt`, with u = log y."""
    return c + half / (1.0 + y) - y - u


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _halley(half: cython.double, y: cython.double, beyond: cython.double) -> cython.double:
    """Return a step of Halley's method in u = log y."""
    share = 1.0 / (1.0 + y)
    bend = half * y * share * share
    slope = 1.0 + y + bend
    bend = 0.5 * beyond * (y + bend * (1.0 - y) * share)
    # A denominator near 0 would make the step useless, so Halley's second-order term may at most halve the denominator.
    bend = bend if bend > -0.5 * slope * slope else 0.0
    return beyond * slope / (slope * slope + bend)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _last_step(y: cython.double, step: cython.double) -> cython.double:
    """Return y e^step, by a series that is exact for a small step."""
    return y * (1.0 + step * (1.0 + step * (0.5 + step / 6.0)))


def tilt_all(work: cython.double[::1], stride: cython.Py_ssize_t, lanes: cython.Py_ssize_t) -> cython.void:
    """Solve the equation of `tilt` for many lanes at once; a lane that has found its root waits for the others.

    The rows of `work`, each of `stride` cells, are c, half the variance, and the root y.
    """
    searching = 0
    for lane in range(lanes):
        y = _start(work[lane], work[HALF * stride + lane])
        work[ROOT * stride + lane] = y
        work[LOG * stride + lane] = y if y >= TINY else 1.0
        work[LOW * stride + lane] = -1e300
        work[HIGH * stride + lane] = 1e300
        work[FOUND * stride + lane] = 0.0 if y >= TINY else 1.0
        searching += 1 if y >= TINY else 0
    log_all(work, LOG * stride, lanes)
    steps = 0
    while searching > 0 and steps < MOST_STEPS:
        steps += 1
        searching = _search(work, stride, lanes)


@cython.cfunc
@cython.exceptval(check=False)
def _search(work: cython.double[::1], stride: cython.Py_ssize_t, lanes: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Take a step in every lane; return how many lanes have not yet found the root."""
    searching = 0
    for lane in range(lanes):
        half = work[HALF * stride + lane]
        y = work[ROOT * stride + lane]
        u = work[LOG * stride + lane]
        low = work[LOW * stride + lane]
        high = work[HIGH * stride + lane]
        found = work[FOUND * stride + lane]
        beyond = _beyond(work[lane], half, y, u)
        step = _halley(half, y, beyond)
        last = _last_step(y, step)
        small = 1.0 if fabs(step) < SMALL_STEP else 0.0
        y = last if small > found else y  # the root is set only once
        low = u if beyond > 0.0 else low
        high = high if beyond > 0.0 else u
        middle = 0.5 * (low + high)
        step += u
        step = step if step > low else middle
        step = step if step < high else middle
        found = small if small > found else found
        work[ROOT * stride + lane] = y
        work[LOG * stride + lane] = step
        work[GROWN * stride + lane] = step
        work[LOW * stride + lane] = low
        work[HIGH * stride + lane] = high
        work[FOUND * stride + lane] = found
        searching += 0 if found > 0.0 else 1
    if searching > 0:
        exp_all(work, GROWN * stride, lanes)
        for lane in range(lanes):
            grown = work[GROWN * stride + lane]
            y = work[ROOT * stride + lane]
            work[ROOT * stride + lane] = y if work[FOUND * stride + lane] > 0.0 else grown
    return searching


def mixed_pmf(n: cython.double, mean: cython.double, variance: cython.double) -> cython.double:
    """Return P(S = n) for a count S with a log-normal rate; a variance of 0 gives the Poisson distribution.

    As a function of g, Poisson(n; e^g) is 1/n times the density of the logarithm of a Gamma(n) variable. Therefore P(S
    = n) is a mean over the logarithm of a Gamma(n) variable.

    >>> round(mixed_pmf(2.0, 0.5, 0.0), 6), round(mixed_pmf(2.0, 0.5, 0.4), 6)
    (0.261357, 0.201708)
    """
    if variance == 0.0:
        # At such a rate e^mean would overflow, and every count that occurs in practice has probability 0.
        return exp(log_pmf(n, mean, exp(mean))) if mean < 700.0 else 0.0
    if n == 0.0:
        return mixed_cdf(0.0, mean, variance)
    return _log_gamma_mean(n, mean, sqrt(variance), True) / n


def mixed_cdf(n: cython.double, mean: cython.double, variance: cython.double) -> cython.double:
    """Return P(S ≤ n) for a count S with a log-normal rate.

    This is the probability that the logarithm of a Gamma(n + 1) variable exceeds x, the log of the rate.

    >>> round(mixed_cdf(2.0, 0.5, 0.0), 6), round(mixed_cdf(2.0, 0.5, 0.4), 6)
    (0.770694, 0.693736)
    """
    return min(_log_gamma_mean(n + 1.0, mean, sqrt(variance), False), 1.0)


@cython.ccall
def medians(
    means: cython.const[cython.double][::1], variances: cython.const[cython.double][::1], out: cython.double[::1]
) -> cython.void:
    """Fill `out` with median counts for many log-normal rates. The median is the lowest n with P(S ≤ n) ≥ ½.

    P(S ≤ n) ≥ ½ if m is at most the median of g + √v z, where g is the logarithm of a Gamma(n + 1) variable and z is
    standard normal. The median of that sum lies between the mean of g, which is above log(n + ½), and the median of g,
    which is at most log(n + log 2) (Choi, 1994). Therefore the median of S is e^m, rounded. P(S ≤ n) has to be computed
    only if the fractional part of e^m lies between ½ and log 2.

    >>> out = array("d", [0.0, 0.0])
    >>> medians(array("d", [0.5, 0.5]), array("d", [0.0, 0.4]), out)
    >>> list(out)
    [1.0, 2.0]
    """
    for k in range(len(out)):
        rate = exp(min(means[k], LARGEST_LOG))
        count = floor(rate)
        if rate - count > LOG_2 or (rate - count >= 0.5 and mixed_cdf(count, means[k], variances[k]) < 0.5):
            count += 1.0
        out[k] = count


@cython.cfunc
@cython.exceptval(check=False)
def _log_gamma_mean(
    n: cython.double, mean: cython.double, deviation: cython.double, density: cython.bint
) -> cython.double:
    """Return E[f(g)], where g is the logarithm of a Gamma(n) variable.

    If `density` is true, f is the density of N(mean, deviation²), otherwise its distribution function. With
    d = g − log n, the density of g is proportional to exp(−n (e^d − 1 − d)). The product of f and the density of g is
    integrated in panels, which are as wide as the smoothness of these two functions allows.
    """
    root = sqrt(n)
    shift = mean - log(n)
    # For small n the lower tail falls only like e^(n d), and e⁻³⁸ is below the rounding error.
    start = max(-REACH / root - 38.0 / n, shift - REACH * deviation)
    end = REACH / root
    total = 0.0
    if density:
        end = min(end, shift + REACH * deviation)
    while start < end:
        half = 1.0 / root
        if start < shift + REACH * deviation and deviation > 0.0:
            # The integrand is a product of two bells, of widths 1/√n and `deviation`.
            half = deviation / sqrt(1.0 + n * deviation * deviation)
        half = 0.5 * min(PANEL * half, end - start)
        for k in range(8):
            left = _log_gamma_node(n, start + half - half * NODE[k], shift, deviation, density)
            right = _log_gamma_node(n, start + half + half * NODE[k], shift, deviation, density)
            total += half * NODE_WEIGHT[k] * (left + right)
        start += 2.0 * half
        # A panel narrower than the rounding of `start` would never reach the end.
        if half == 0.0 or start + half == start:
            break
    if n < TABLE:
        return total * exp(n * log(n) - n - log_factorial(n - 1.0))
    # n log n − n − log Γ(n) would lose digits for large n.
    return total * root * exp(-HALF_LOG_2PI - _stirling(n))


@cython.cfunc
@cython.exceptval(check=False)
def _log_gamma_node(
    n: cython.double, d: cython.double, shift: cython.double, deviation: cython.double, density: cython.bint
) -> cython.double:
    fall = expm1(d) - d
    # e^d − 1 − d would lose digits.
    if fabs(d) < 0.03:
        fall = d * d * (0.5 + d * (1.0 / 6.0 + d * (1.0 / 24.0 + d * (1.0 / 120.0 + d / 720.0))))
    fall = exp(-n * fall)
    if deviation == 0.0:
        return fall
    if density:
        return fall * exp(log_pdf((d - shift) / deviation)) / deviation
    return fall * cdf((d - shift) / deviation)

"""Who scores more, when scores are counts: P(S₀ > S₁) and P(S₀ = S₁) for Sᵢ ~ Poisson(exp xᵢ), xᵢ ~ N(mᵢ, vᵢ).

The team of the smaller variance is the outer one: its x is integrated last, and what is integrated then is as smooth as
its own normal distribution. For an x of a low rate, the other team's scores are a table of probabilities; for a high
rate the integral over the other's x runs across the ridge where the two rates meet (`ridge.py`). Gauss–Hermite alone
would miss both. Accurate to 1e-8 for every mean and variance; variances of 0 give the Skellam distribution.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import ceil, exp, fabs, log, sqrt
    from cython.cimports.prowess.model.maths.normal import NODE, NODE_WEIGHT, cdf, log_pdf
    from cython.cimports.prowess.model.maths.poisson_high_rate import Ridge, along
else:
    from math import ceil, exp, fabs, log, sqrt

    from .normal import NODE, NODE_WEIGHT, cdf, log_pdf
    from .poisson_high_rate import Ridge, along

__all__ = ["chances"]

REACH = cython.declare(cython.double, 6.3)  # standard deviations of x that are looked at
FINE = cython.declare(cython.double, 0.72)  # step of a trapezoidal rule, and
PANEL = cython.declare(cython.double, 4.2)  # width of a Gauss–Legendre panel, in standard deviations of the integrand
WIDE = cython.declare(cython.double, 2.0)  # above this standard deviation panels are better than one step for all
LOWEST = cython.declare(cython.double, -23.0)  # the logarithm of a rate of which only a score of 0 comes
LOW_RATE = cython.declare(cython.double, 50.0)
LOG_LOW_RATE = cython.declare(cython.double, 3.9120230054281460586)

INVERSE = cython.declare(cython.double[::1], array("d", [1.0 / (n + 1) for n in range(129)]))


@cython.final
@cython.cclass
class _Duel:
    """The two teams' x, the outer team's first, and what is known of who scores more."""

    mean: cython.double
    variance: cython.double
    ridge: Ridge  # the other team's x, and the probabilities at high rates
    size: cython.Py_ssize_t  # how many scores the tables hold: more than a low rate gives
    some_low: cython.bint
    outer: cython.double[::1]
    inner: cython.double[::1]
    win: cython.double
    draw: cython.double

    def __init__(self) -> None:
        self.ridge = Ridge()
        self.outer = array("d", bytes(8 * 128))
        self.inner = array("d", bytes(8 * 128))


@cython.ccall
def chances(
    means: cython.const[cython.double][::1],
    variances: cython.const[cython.double][::1],
    win: cython.double[::1],
    draw: cython.double[::1],
) -> cython.void:
    """P(win) of the first team and P(draw) of every match, from the means and variances of both teams' x in a row.

    >>> win, draw = array("d", [0.0]), array("d", [0.0])
    >>> chances(array("d", [0.3, 0.0]), array("d", [0.0, 0.0]), win, draw)
    >>> round(win[0], 6), round(draw[0], 6)
    (0.447818, 0.274683)
    """
    k: cython.Py_ssize_t
    duel: _Duel = _Duel()
    for k in range(len(win)):
        _meet(duel, means[2 * k], variances[2 * k], means[2 * k + 1], variances[2 * k + 1])
        win[k] = duel.win
        draw[k] = duel.draw


@cython.cfunc
@cython.exceptval(check=False)
def _meet(
    duel: _Duel, mean: cython.double, variance: cython.double, mean_1: cython.double, variance_1: cython.double
) -> cython.void:
    """One match: the outer integral, and the tables for its low rates; the same from both sides."""
    swap: cython.bint = variance > variance_1 or (variance == variance_1 and mean > mean_1)
    ridge: Ridge = duel.ridge
    top: cython.double
    behind: cython.double = 0.0
    n: cython.Py_ssize_t
    duel.mean = mean_1 if swap else mean
    duel.variance = variance_1 if swap else variance
    ridge.mean = mean if swap else mean_1
    ridge.variance = variance if swap else variance_1
    ridge.win = ridge.draw = ridge.loss = 0.0
    duel.some_low = False
    top = exp(min(duel.mean + REACH * sqrt(duel.variance), LOG_LOW_RATE))
    duel.size = cython.cast(cython.Py_ssize_t, top + 8.0 * sqrt(top) + 12.0)
    for n in range(duel.size):
        duel.outer[n] = duel.inner[n] = 0.0
    _integrate(duel, True)
    if duel.some_low:
        _integrate(duel, False)
        for n in range(duel.size):
            ridge.win += duel.outer[n] * behind
            ridge.draw += duel.outer[n] * duel.inner[n]
            behind += duel.inner[n]
            ridge.loss += duel.outer[n] * max(1.0 - behind, 0.0)
    ridge.win = max(ridge.win, 0.0)
    ridge.loss = max(ridge.loss, 0.0)
    top = ridge.win + ridge.draw + ridge.loss
    duel.win = (ridge.loss if swap else ridge.win) / top
    duel.draw = ridge.draw / top


@cython.cfunc
@cython.exceptval(check=False)
def _integrate(duel: _Duel, outer: cython.bint) -> cython.void:
    """Over the x of the outer or the other team: one node where it is known, even steps, or panels where it is wide."""
    mean: cython.double = duel.mean if outer else duel.ridge.mean
    variance: cython.double = duel.variance if outer else duel.ridge.variance
    deviation: cython.double = sqrt(variance)
    rate: cython.double = exp(min(duel.mean + 3.0 * sqrt(duel.variance), LOG_LOW_RATE))
    k: cython.Py_ssize_t
    count: cython.Py_ssize_t
    step: cython.double
    scale: cython.double
    if variance * (1.0 + rate) < 1e-12 or deviation < 1e-13 * fabs(mean):
        _take(duel, outer, mean, 1.0)
    elif deviation <= (WIDE if outer else 1.3):
        scale = 0.8 * max(1.0, deviation) if not outer or mean - 3.0 * deviation < LOG_LOW_RATE else 0.0
        if not outer:
            scale += 0.5 * rate
        step = FINE / sqrt(1.0 + variance * scale)
        count = cython.cast(cython.Py_ssize_t, ceil(REACH / step))
        for k in range(-count, count + 1):
            _take(duel, outer, mean + k * step * deviation, step * exp(log_pdf(k * step)))
    else:
        _panels(duel, outer, mean, deviation)


@cython.cfunc
@cython.exceptval(check=False)
def _panels(duel: _Duel, outer: cython.bint, mean: cython.double, deviation: cython.double) -> cython.void:
    """Panels as wide as the integrand is smooth; what lies below all of them scores 0."""
    k: cython.Py_ssize_t
    end: cython.double = mean + REACH * deviation
    start: cython.double = max(mean - REACH * deviation, LOWEST)
    half: cython.double
    offset: cython.double
    if not outer:
        end = min(end, log(duel.size + 8.0 * sqrt(duel.size)))
    if start == LOWEST:
        _take(duel, outer, 2.0 * LOWEST, cdf((LOWEST - mean) / deviation))
    while start < end:
        half = _width(start, deviation, outer)
        half = 0.5 * min(min(half, max(_width(start + half, deviation, outer), 0.3 * half)), end - start)
        for k in range(8):
            offset = half * NODE[k]
            _take(duel, outer, start + half - offset, _weight(start + half - offset - mean, deviation, half, k))
            _take(duel, outer, start + half + offset, _weight(start + half + offset - mean, deviation, half, k))
        start += 2.0 * half
        if half == 0.0:
            break


@cython.cfunc
@cython.exceptval(check=False)
def _width(x: cython.double, deviation: cython.double, outer: cython.bint) -> cython.double:
    """How wide a panel may be at x: by the deviation, and by the likelihood of a low rate."""
    extra: cython.double = 0.0
    if x < LOG_LOW_RATE + 0.6:
        extra = 0.8
    if not outer:
        extra += 0.5 * min(exp(min(x, 10.0)), 2.0 * LOW_RATE)
    return PANEL * deviation / sqrt(1.0 + deviation * deviation * extra)


@cython.cfunc
@cython.exceptval(check=False)
def _weight(x: cython.double, deviation: cython.double, half: cython.double, k: cython.Py_ssize_t) -> cython.double:
    return exp(log_pdf(x / deviation)) / deviation * half * NODE_WEIGHT[k]


@cython.cfunc
@cython.exceptval(check=False)
def _take(duel: _Duel, outer: cython.bint, x: cython.double, weight: cython.double) -> cython.void:
    """One node of x: into a table by its rate, or, if the rate is high and x the outer one, along the ridge."""
    n: cython.Py_ssize_t
    rate: cython.double
    part: cython.double
    table: cython.double[::1]
    if outer and x > LOG_LOW_RATE:
        along(duel.ridge, x, weight)
        return
    if x > 6.0:  # no score of the table is that low
        return
    if outer:
        duel.some_low = True
    table = duel.outer if outer else duel.inner
    rate = exp(x)
    part = weight * exp(-rate)
    for n in range(duel.size):
        table[n] += part
        part *= rate * INVERSE[n]
        if part < 1e-18 and n > rate:
            break

"""Who scores more, when scores are counts: P(S₀ > S₁) and P(S₀ = S₁) for Sᵢ ~ Poisson(exp xᵢ), xᵢ ~ N(mᵢ, vᵢ).

The team of the smaller variance is the outer one: its x is integrated last, and what is integrated then is as smooth as
its own normal distribution. For an x of a low rate, the other team's scores are a table of probabilities; for a high
rate the integral over the other's x runs across the ridge where the two rates meet. Gauss–Hermite alone would miss
both. Accurate to 1e-8 for every mean and variance; variances of 0 give the Skellam distribution.

A high rate a against another one, S₁ ~ Poisson(e^y), y ~ N(m, v): write p = √a, q = e^(y/2): the probabilities live on
the ridge p ≈ q, where the two rates meet. With the scaled Bessel functions I₀, I₁ of 2pq,

    P(S₀ = S₁) = exp(−(p − q)²) I₀,        ∂/∂q (P(S₀ < S₁) − P(S₀ > S₁)) = 2 exp(−(p − q)²) (q I₀ + p I₁).

Where y is less certain than the ridge is wide, the second is integrated by parts, with the distribution of y. Where it
is more certain, P(S₀ > S₁) itself is, by its expansion around the ridge.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import ceil, exp, fabs, log, sqrt
    from cython.cimports.prowess.model.maths.normal import NODE, NODE_WEIGHT, cdf, log_pdf, mills
else:
    from math import ceil, exp, fabs, log, sqrt

    from .normal import NODE, NODE_WEIGHT, cdf, log_pdf, mills

REACH = cython.declare(cython.double, 6.3)  # standard deviations of x that are looked at
FINE = cython.declare(cython.double, 0.72)  # step of a trapezoidal rule, and
PANEL = cython.declare(cython.double, 4.2)  # width of a Gauss–Legendre panel, in standard deviations of the integrand
WIDE = cython.declare(cython.double, 2.0)  # above this standard deviation panels are better than one step for all
LOWEST = cython.declare(cython.double, -23.0)  # the logarithm of a rate of which only a score of 0 comes
LOW_RATE = cython.declare(cython.double, 50.0)
LOG_LOW_RATE = cython.declare(cython.double, 3.9120230054281460586)

INVERSE = cython.declare(cython.double[::1], array("d", [1.0 / (n + 1) for n in range(129)]))
HIGHEST = cython.declare(cython.double, 40.0)  # the logarithm of a rate that is its score
WIDTH = cython.declare(cython.double, 4.6)  # how far from p the ridge reaches
HALF_SQRT_PI = cython.declare(cython.double, 0.88622692545275801365)
SQRT_HALF = cython.declare(cython.double, 0.70710678118654752440)
INV_SQRT_2PI = cython.declare(cython.double, 0.39894228040143267794)


@cython.cclass
class Ridge:
    """What is believed of the other team's y, and the probabilities so far of the team whose rates are looked at."""

    def __init__(self) -> None:
        self.mean = self.variance = 0.0
        self.win = self.draw = self.loss = 0.0
        self.zero = self.one = 0.0  # the Bessel functions


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
    ridge = duel.ridge
    behind = 0.0
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
    mean = duel.mean if outer else duel.ridge.mean
    variance = duel.variance if outer else duel.ridge.variance
    deviation = sqrt(variance)
    rate = exp(min(duel.mean + 3.0 * sqrt(duel.variance), LOG_LOW_RATE))
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
    end = mean + REACH * deviation
    start = max(mean - REACH * deviation, LOWEST)
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
    extra = 0.0
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


def along(ridge: Ridge, x: cython.double, weight: cython.double) -> cython.void:
    """Add the probabilities at x = log a, for a rate a of 50 or more, with this weight.

    >>> ridge = Ridge()
    >>> ridge.mean, ridge.variance = 4.5, 0.1
    >>> along(ridge, 4.5, 1.0)
    >>> round(ridge.win + ridge.draw / 2, 3), round(ridge.draw, 3)
    (0.495, 0.013)
    """
    deviation = sqrt(ridge.variance)
    if x > HIGHEST:
        _beyond(ridge, x, weight)
        return
    p = exp(0.5 * x)
    if deviation * p >= 1.4:
        _by_parts(ridge, p, deviation, weight)
    elif deviation * p < 1e-6:
        _at(ridge, p, ridge.mean, weight)
    else:
        _by_steps(ridge, p, deviation, weight)


@cython.cfunc
@cython.exceptval(check=False)
def _beyond(ridge: Ridge, x: cython.double, weight: cython.double) -> cython.void:
    """A rate so high that its logarithm has no more than normal noise, of variance 2/a against a rate like it."""
    noise = exp(-x)
    spread = sqrt(ridge.variance + 2.0 * noise)
    gap = x - ridge.mean
    ahead = 0.5
    if spread > 0.0:
        ahead = cdf(gap / spread)
        ridge.draw += weight * noise * exp(log_pdf(gap / spread)) / spread
    elif gap != 0.0:
        ahead = 1.0 if gap > 0.0 else 0.0
    ridge.win += weight * ahead
    ridge.loss += weight * (1.0 - ahead)


@cython.cfunc
@cython.exceptval(check=False)
def _by_parts(ridge: Ridge, p: cython.double, deviation: cython.double, weight: cython.double) -> cython.void:
    """Across the ridge in even steps of q, with the distribution of y = 2 log q."""
    step = FINE / sqrt(2.0 + 4.0 / (deviation * p * deviation * p))
    count = cython.cast(cython.Py_ssize_t, ceil(WIDTH / step))
    ahead = 0.0
    behind = 0.0
    draw = 0.0
    for k in range(-count, count + 1):
        q = p + k * step
        _bessel(ridge, 2.0 * p * q)
        height = exp(-(k * step) * (k * step))
        z = (2.0 * log(q) - ridge.mean) / deviation
        bell = exp(log_pdf(z))
        tail = bell * mills(fabs(z))
        draw += height * ridge.zero * bell / q
        height *= q * ridge.zero + p * ridge.one
        ahead += height * (1.0 - tail if z > 0.0 else tail)
        behind += height * (tail if z > 0.0 else 1.0 - tail)
    draw *= step / deviation
    ridge.win += weight * (step * ahead - draw)
    ridge.loss += weight * (step * behind - draw)
    ridge.draw += weight * 2.0 * draw


@cython.cfunc
@cython.exceptval(check=False)
def _by_steps(ridge: Ridge, p: cython.double, deviation: cython.double, weight: cython.double) -> cython.void:
    """Over y in even steps."""
    step = FINE / sqrt(1.0 + 0.5 * deviation * p * deviation * p)
    count = cython.cast(cython.Py_ssize_t, ceil(REACH / step))
    for k in range(-count, count + 1):
        _at(ridge, p, ridge.mean + k * step * deviation, weight * step * exp(log_pdf(k * step)))


@cython.cfunc
@cython.exceptval(check=False)
def _at(ridge: Ridge, p: cython.double, y: cython.double, weight: cython.double) -> cython.void:
    """Two known rates, p² a high one: off the ridge all is clear."""
    q = exp(0.5 * min(y, 2.0 * HIGHEST))
    ahead = 0.0
    draw = 0.0
    if fabs(p - q) < WIDTH + 2.0:
        _bessel(ridge, 2.0 * p * q)
        draw = ridge.zero * exp(-(p - q) * (p - q))
        ahead = _lead(ridge, p * q, p - q)
    elif p > q:
        ahead = 1.0
    else:
        ahead = -1.0
    ridge.draw += weight * draw
    ridge.win += weight * 0.5 * (1.0 - draw + ahead)
    ridge.loss += weight * 0.5 * (1.0 - draw - ahead)


@cython.cfunc
@cython.exceptval(check=False)
def _lead(ridge: Ridge, g: cython.double, d: cython.double) -> cython.double:
    """P(S₀ > S₁) − P(S₀ < S₁) on the ridge, with g = pq and d = p − q, the Bessel functions being known.

    It is 2√g ∫₀ᵈ exp(−s²) (I₀ + I₁ + I₀ s²/2g)/√(1 + s²/4g) ds, the integrand being expanded in powers of s²/4g.
    """
    both = ridge.zero + ridge.one
    quarter = 0.25 / g
    bell = exp(-d * d)
    moment = HALF_SQRT_PI - SQRT_HALF * bell * mills(fabs(d) / SQRT_HALF)
    power = 0.5 * d * bell
    term = 1.0
    if d < 0.0:
        moment = -moment
    total = both * moment
    for k in range(1, 8):
        moment = (k - 0.5) * moment - power
        power *= d * d
        last = term
        term *= (0.5 - k) / k * quarter
        total += (both * term + 2.0 * ridge.zero * quarter * last) * moment
    return 2.0 * sqrt(g) * total


@cython.cfunc
@cython.exceptval(check=False)
def _bessel(ridge: Ridge, z: cython.double) -> cython.void:
    """The modified Bessel functions exp(−z) I₀(z) and exp(−z) I₁(z) by their expansion for large z."""
    t = 1.0 / z
    root = INV_SQRT_2PI * sqrt(t)
    zero = 0.0
    one = 0.0
    if z < 150.0:
        zero = t * (0.227108001708984375 + t * (0.57250142097473144531 + t * (1.7277275025844573975
               + t * (6.0740420012734830379 + t * 24.380529699556063861))))  # fmt: skip
        one = t * (0.277576446533203125 + t * (0.67659258842468261719 + t * (1.9935317337512969971
              + t * (6.8839142681099474430 + t * 27.248827311268541962))))  # fmt: skip
    zero = 1.0 + t * (0.125 + t * (0.0703125 + t * (0.0732421875 + t * (0.112152099609375 + zero))))
    one = 1.0 - t * (0.375 + t * (0.1171875 + t * (0.1025390625 + t * (0.144195556640625 + one))))
    ridge.zero = root * zero
    ridge.one = root * one

"""A high rate against another one: P(S₀ > S₁) and P(S₀ = S₁) for S₀ ~ Poisson(a), S₁ ~ Poisson(e^y), y ~ N(m, v).

Write p = √a, q = e^(y/2): the probabilities live on the ridge p ≈ q, where the two rates meet. With the scaled Bessel
functions I₀, I₁ of 2pq,

    P(S₀ = S₁) = exp(−(p − q)²) I₀,        ∂/∂q (P(S₀ < S₁) − P(S₀ > S₁)) = 2 exp(−(p − q)²) (q I₀ + p I₁).

Where y is less certain than the ridge is wide, the second is integrated by parts, with the distribution of y. Where it
is more certain, P(S₀ > S₁) itself is, by its expansion around the ridge.
"""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import ceil, exp, fabs, log, sqrt
    from cython.cimports.prowess.model.maths.normal import cdf, log_pdf, mills
else:
    from math import ceil, exp, fabs, log, sqrt

    from .normal import cdf, log_pdf, mills

__all__ = ["Ridge", "along"]

REACH = cython.declare(cython.double, 6.3)  # standard deviations of y that are looked at
FINE = cython.declare(cython.double, 0.72)  # step of a trapezoidal rule, in standard deviations of the integrand
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


@cython.ccall
@cython.exceptval(check=False)
def along(ridge: Ridge, x: cython.double, weight: cython.double) -> cython.void:
    """Add the probabilities at x = log a, for a rate a of 50 or more, with this weight.

    >>> ridge = Ridge()
    >>> ridge.mean, ridge.variance = 4.5, 0.1
    >>> along(ridge, 4.5, 1.0)
    >>> round(ridge.win + ridge.draw / 2, 3), round(ridge.draw, 3)
    (0.495, 0.013)
    """
    p: cython.double
    deviation: cython.double = sqrt(ridge.variance)
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
    noise: cython.double = exp(-x)
    spread: cython.double = sqrt(ridge.variance + 2.0 * noise)
    gap: cython.double = x - ridge.mean
    ahead: cython.double = 0.5
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
    step: cython.double = FINE / sqrt(2.0 + 4.0 / (deviation * p * deviation * p))
    count: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, ceil(WIDTH / step))
    k: cython.Py_ssize_t
    q: cython.double
    z: cython.double
    bell: cython.double
    tail: cython.double
    height: cython.double
    ahead: cython.double = 0.0
    behind: cython.double = 0.0
    draw: cython.double = 0.0
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
    step: cython.double = FINE / sqrt(1.0 + 0.5 * deviation * p * deviation * p)
    count: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, ceil(REACH / step))
    k: cython.Py_ssize_t
    for k in range(-count, count + 1):
        _at(ridge, p, ridge.mean + k * step * deviation, weight * step * exp(log_pdf(k * step)))


@cython.cfunc
@cython.exceptval(check=False)
def _at(ridge: Ridge, p: cython.double, y: cython.double, weight: cython.double) -> cython.void:
    """Two known rates, p² a high one: off the ridge all is clear."""
    q: cython.double = exp(0.5 * min(y, 2.0 * HIGHEST))
    ahead: cython.double = 0.0
    draw: cython.double = 0.0
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
    k: cython.Py_ssize_t
    both: cython.double = ridge.zero + ridge.one
    quarter: cython.double = 0.25 / g
    bell: cython.double = exp(-d * d)
    moment: cython.double = HALF_SQRT_PI - SQRT_HALF * bell * mills(fabs(d) / SQRT_HALF)
    power: cython.double = 0.5 * d * bell
    term: cython.double = 1.0
    last: cython.double
    total: cython.double
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
    t: cython.double = 1.0 / z
    root: cython.double = INV_SQRT_2PI * sqrt(t)
    zero: cython.double = 0.0
    one: cython.double = 0.0
    if z < 150.0:
        zero = t * (0.227108001708984375 + t * (0.57250142097473144531 + t * (1.7277275025844573975
               + t * (6.0740420012734830379 + t * 24.380529699556063861))))  # fmt: skip
        one = t * (0.277576446533203125 + t * (0.67659258842468261719 + t * (1.9935317337512969971
              + t * (6.8839142681099474430 + t * 27.248827311268541962))))  # fmt: skip
    zero = 1.0 + t * (0.125 + t * (0.0703125 + t * (0.0732421875 + t * (0.112152099609375 + zero))))
    one = 1.0 - t * (0.375 + t * (0.1171875 + t * (0.1025390625 + t * (0.144195556640625 + one))))
    ridge.zero = root * zero
    ridge.one = root * one

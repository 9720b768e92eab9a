"""Win and draw probabilities of counts: P(S₀ > S₁) and P(S₀ = S₁) for Sᵢ ~ Poisson(exp xᵢ), xᵢ ~ N(mᵢ, vᵢ).

The team with the smaller variance is called the outer team. The outer team's x is integrated last, so that the
integrand is as smooth as the normal distribution of this x. If the outer team's rate is low, the probabilities of the
other team's scores are tabulated. If that rate is high, the integral over the other team's x crosses the ridge where
the two rates are equal. Gauss–Hermite quadrature alone would be inaccurate in both cases. The results are accurate to
1e-8 for every mean and variance; variances of 0 give the Skellam distribution.

For a high rate a and S₁ ~ Poisson(e^y), y ~ N(m, v), write p = √a, q = e^(y/2): the probabilities change on the ridge
p ≈ q. With the scaled Bessel functions I₀, I₁ of 2pq,

    P(S₀ = S₁) = exp(−(p − q)²) I₀,        ∂/∂q (P(S₀ < S₁) − P(S₀ > S₁)) = 2 exp(−(p − q)²) (q I₀ + p I₁).

If the standard deviation of y exceeds the width of the ridge, the second formula is integrated by parts, with the
distribution function of y. For a narrower distribution of y, P(S₀ > S₁) itself is integrated, by its expansion around
the ridge.
"""

from __future__ import annotations

from array import array

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from .normal import cdf, log_pdf, mills

if not cython.compiled:
    from math import ceil, exp, fabs, log, sqrt

    from .normal import NODE, NODE_WEIGHT

REACH = cython.declare(cython.double, 6.3)  # integrate over this many standard deviations of x
STEP = cython.declare(cython.double, 0.72)  # step of the trapezoidal rule, in standard deviations of the integrand
PANEL = cython.declare(cython.double, 4.2)  # width of a Gauss–Legendre panel, in standard deviations of the integrand
WIDE_DEVIATION = cython.declare(cython.double, 2.0)  # for larger standard deviations, use panels instead of even steps
LOWEST = cython.declare(cython.double, -23.0)  # a team with this log rate always scores 0
LOW_RATE = cython.declare(cython.double, 50.0)
LOG_LOW_RATE = cython.declare(cython.double, 3.9120230054281460586)

INVERSE = cython.declare(cython.double[::1], array("d", [1.0 / (n + 1) for n in range(129)]))
HIGHEST = cython.declare(cython.double, 40.0)  # above this log rate, the score is treated as equal to its rate
RIDGE_WIDTH = cython.declare(cython.double, 4.6)  # half the width of the ridge, in units of p
HALF_SQRT_PI = cython.declare(cython.double, 0.88622692545275801365)
SQRT_HALF = cython.declare(cython.double, 0.70710678118654752440)
INV_SQRT_2PI = cython.declare(cython.double, 0.39894228040143267794)


@cython.cclass
class Ridge:
    """The belief about the log-rate y of the other team, and the win, draw and loss probabilities added up so far."""

    def __init__(self) -> None:
        self.mean = self.variance = 0.0
        self.win = self.draw = self.loss = 0.0
        self.bessel_0 = self.bessel_1 = 0.0


@cython.final
@cython.cclass
class _ScorePair:
    """The beliefs about the log-rates x of both teams, and the probabilities of their match."""

    mean: cython.double
    variance: cython.double
    ridge: Ridge  # the other team's log-rate, and the probabilities at high rates
    size: cython.Py_ssize_t  # size of the tables; at a low rate higher scores are impossible in practice
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
    """Fill `win` with P(win) of the first team, and `draw` with P(draw), for every match.

    `means` and `variances` describe the log-rate of each team: first team, second team, first team of the next match,
    and so on.

    >>> win, draw = array("d", [0.0]), array("d", [0.0])
    >>> chances(array("d", [0.3, 0.0]), array("d", [0.0, 0.0]), win, draw)
    >>> round(win[0], 6), round(draw[0], 6)
    (0.447818, 0.274683)
    """
    pair: _ScorePair = _ScorePair()
    for k in range(len(win)):
        _compute_match(pair, means[2 * k], variances[2 * k], means[2 * k + 1], variances[2 * k + 1])
        win[k] = pair.win
        draw[k] = pair.draw


@cython.cfunc
@cython.exceptval(check=False)
def _compute_match(
    pair: _ScorePair, mean: cython.double, variance: cython.double, mean_1: cython.double, variance_1: cython.double
) -> cython.void:
    # The team with the smaller variance is integrated last, so the result does not depend on the order of the teams.
    swap: cython.bint = variance > variance_1 or (variance == variance_1 and mean > mean_1)
    ridge = pair.ridge
    behind = 0.0
    pair.mean = mean_1 if swap else mean
    pair.variance = variance_1 if swap else variance
    ridge.mean = mean if swap else mean_1
    ridge.variance = variance if swap else variance_1
    ridge.win = ridge.draw = ridge.loss = 0.0
    pair.some_low = False
    top = exp(min(pair.mean + REACH * sqrt(pair.variance), LOG_LOW_RATE))
    pair.size = cython.cast(cython.Py_ssize_t, top + 8.0 * sqrt(top) + 12.0)
    for n in range(pair.size):
        pair.outer[n] = pair.inner[n] = 0.0
    _integrate(pair, True)
    if pair.some_low:
        _integrate(pair, False)
        for n in range(pair.size):
            ridge.win += pair.outer[n] * behind
            ridge.draw += pair.outer[n] * pair.inner[n]
            behind += pair.inner[n]
            ridge.loss += pair.outer[n] * max(1.0 - behind, 0.0)
    ridge.win = max(ridge.win, 0.0)
    ridge.loss = max(ridge.loss, 0.0)
    # Dividing by the sum removes the quadrature error that win, draw and loss have in common.
    top = ridge.win + ridge.draw + ridge.loss
    pair.win = (ridge.loss if swap else ridge.win) / top
    pair.draw = ridge.draw / top


@cython.cfunc
@cython.exceptval(check=False)
def _integrate(pair: _ScorePair, outer: cython.bint) -> cython.void:
    """Integrate over the log-rate x of the outer team if `outer` is true, otherwise of the other team.

    A known x needs only one node. If the variance of x is large, the integral uses panels, otherwise even steps.
    """
    mean = pair.mean if outer else pair.ridge.mean
    variance = pair.variance if outer else pair.ridge.variance
    deviation = sqrt(variance)
    rate = exp(min(pair.mean + 3.0 * sqrt(pair.variance), LOG_LOW_RATE))
    # Such a small variance changes the probabilities by at most 1e-12, or is lost in the rounding of the nodes.
    if variance * (1.0 + rate) < 1e-12 or deviation < 1e-13 * fabs(mean):
        _add_node(pair, outer, mean, 1.0)
    elif deviation <= (WIDE_DEVIATION if outer else 1.3):
        scale = 0.8 * max(1.0, deviation) if not outer or mean - 3.0 * deviation < LOG_LOW_RATE else 0.0
        if not outer:
            scale += 0.5 * rate
        # The likelihood of a low rate makes the integrand narrower than the normal density.
        step = STEP / sqrt(1.0 + variance * scale)
        count = cython.cast(cython.Py_ssize_t, ceil(REACH / step))
        for k in range(-count, count + 1):
            _add_node(pair, outer, mean + k * step * deviation, step * exp(log_pdf(k * step)))
    else:
        _add_panels(pair, outer, mean, deviation)


@cython.cfunc
@cython.exceptval(check=False)
def _add_panels(pair: _ScorePair, outer: cython.bint, mean: cython.double, deviation: cython.double) -> cython.void:
    """Do the work of `_integrate` in panels; the smoother the integrand, the wider the panel.

    Below the first panel the rate is so low that the score is 0.
    """
    end = mean + REACH * deviation
    start = max(mean - REACH * deviation, LOWEST)
    if not outer:
        end = min(end, log(pair.size + 8.0 * sqrt(pair.size)))
    if start == LOWEST:
        _add_node(pair, outer, 2.0 * LOWEST, cdf((LOWEST - mean) / deviation))
    while start < end:
        half = _panel_width(start, deviation, outer)
        # A panel whose integrand gets narrower towards its end is shortened.
        half = 0.5 * min(min(half, max(_panel_width(start + half, deviation, outer), 0.3 * half)), end - start)
        for k in range(8):
            offset = half * NODE[k]
            _add_node(pair, outer, start + half - offset, _weight(start + half - offset - mean, deviation, half, k))
            _add_node(pair, outer, start + half + offset, _weight(start + half + offset - mean, deviation, half, k))
        start += 2.0 * half
        if half == 0.0:
            break


@cython.cfunc
@cython.exceptval(check=False)
def _panel_width(x: cython.double, deviation: cython.double, outer: cython.bint) -> cython.double:
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
def _add_node(pair: _ScorePair, outer: cython.bint, x: cython.double, weight: cython.double) -> cython.void:
    """Add one node x of the integral to a team's table; high rates of the outer team go to the ridge instead."""
    if outer and x > LOG_LOW_RATE:
        add_high_rate(pair.ridge, x, weight)
        return
    if x > 6.0:  # scores of such rates are beyond the table
        return
    if outer:
        pair.some_low = True
    table = pair.outer if outer else pair.inner
    rate = exp(x)
    part = weight * exp(-rate)
    for n in range(pair.size):
        table[n] += part
        part *= rate * INVERSE[n]
        # Terms grow until the score reaches the rate, so a tiny term before that is no reason to stop.
        if part < 1e-18 and n > rate:
            break


def add_high_rate(ridge: Ridge, x: cython.double, weight: cython.double) -> cython.void:
    """Add the probabilities for a high rate e^x of the outer team (50 or more) to the ridge's sums, times `weight`.

    >>> ridge = Ridge()
    >>> ridge.mean, ridge.variance = 4.5, 0.1
    >>> add_high_rate(ridge, 4.5, 1.0)
    >>> round(ridge.win + ridge.draw / 2, 3), round(ridge.draw, 3)
    (0.495, 0.013)
    """
    deviation = sqrt(ridge.variance)
    if x > HIGHEST:
        _add_normal_limit(ridge, x, weight)
        return
    p = exp(0.5 * x)
    # The standard deviation of q is about deviation · p/2; the ridge is about 1 wide in q.
    if deviation * p >= 1.4:
        _integrate_by_parts(ridge, p, deviation, weight)
    elif deviation * p < 1e-6:
        _add_known_rates(ridge, p, ridge.mean, weight)
    else:
        _integrate_by_steps(ridge, p, deviation, weight)


@cython.cfunc
@cython.exceptval(check=False)
def _add_normal_limit(ridge: Ridge, x: cython.double, weight: cython.double) -> cython.void:
    """Add the limit for very high rates a = e^x, where the log ratio of two scores has normal noise of variance 2/a."""
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
def _integrate_by_parts(ridge: Ridge, p: cython.double, deviation: cython.double, weight: cython.double) -> cython.void:
    """Add the probabilities for a high rate p², integrated by parts over the ridge in even steps of q.

    This function is used if the belief about the other team's y = 2 log q is wider than the ridge.
    """
    step = STEP / sqrt(2.0 + 4.0 / (deviation * p * deviation * p))
    count = cython.cast(cython.Py_ssize_t, ceil(RIDGE_WIDTH / step))
    ahead = behind = draw = 0.0
    for k in range(-count, count + 1):
        q = p + k * step
        _bessel(ridge, 2.0 * p * q)
        height = exp(-(k * step) * (k * step))
        z = (2.0 * log(q) - ridge.mean) / deviation
        bell = exp(log_pdf(z))
        tail = bell * mills(fabs(z))
        draw += height * ridge.bessel_0 * bell / q
        height *= q * ridge.bessel_0 + p * ridge.bessel_1
        ahead += height * (1.0 - tail if z > 0.0 else tail)
        behind += height * (tail if z > 0.0 else 1.0 - tail)
    draw *= step / deviation
    ridge.win += weight * (step * ahead - draw)
    ridge.loss += weight * (step * behind - draw)
    ridge.draw += weight * 2.0 * draw


@cython.cfunc
@cython.exceptval(check=False)
def _integrate_by_steps(ridge: Ridge, p: cython.double, deviation: cython.double, weight: cython.double) -> cython.void:
    """Add the probabilities for a high rate p², integrated over the other team's y in even steps.

    This function is used if the belief about y is narrower than the ridge.
    """
    step = STEP / sqrt(1.0 + 0.5 * deviation * p * deviation * p)
    count = cython.cast(cython.Py_ssize_t, ceil(REACH / step))
    for k in range(-count, count + 1):
        _add_known_rates(ridge, p, ridge.mean + k * step * deviation, weight * step * exp(log_pdf(k * step)))


@cython.cfunc
@cython.exceptval(check=False)
def _add_known_rates(ridge: Ridge, p: cython.double, y: cython.double, weight: cython.double) -> cython.void:
    """Add the probabilities for two known rates, p² (a high rate) and e^y.

    Away from the ridge, the result is certain.
    """
    # e^(y/2) of a far higher rate would overflow; the other team wins anyway.
    q = exp(0.5 * min(y, 2.0 * HIGHEST))
    ahead = draw = 0.0
    if fabs(p - q) < RIDGE_WIDTH + 2.0:
        _bessel(ridge, 2.0 * p * q)
        draw = ridge.bessel_0 * exp(-(p - q) * (p - q))
        ahead = _win_minus_loss(ridge, p * q, p - q)
    elif p > q:
        ahead = 1.0
    else:
        ahead = -1.0
    ridge.draw += weight * draw
    ridge.win += weight * 0.5 * (1.0 - draw + ahead)
    ridge.loss += weight * 0.5 * (1.0 - draw - ahead)


@cython.cfunc
@cython.exceptval(check=False)
def _win_minus_loss(ridge: Ridge, g: cython.double, d: cython.double) -> cython.double:
    """Return P(S₀ > S₁) − P(S₀ < S₁) on the ridge, for g = pq and d = p − q. Call `_bessel` first.

    The difference is 2√g ∫₀ᵈ exp(−s²) (I₀ + I₁ + I₀ s²/2g)/√(1 + s²/4g) ds, with the integrand expanded in powers of
    s²/4g.
    """
    both = ridge.bessel_0 + ridge.bessel_1
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
        total += (both * term + 2.0 * ridge.bessel_0 * quarter * last) * moment
    return 2.0 * sqrt(g) * total


@cython.cfunc
@cython.exceptval(check=False)
def _bessel(ridge: Ridge, z: cython.double) -> cython.void:
    """Set the scaled modified Bessel functions exp(−z) I₀(z) and exp(−z) I₁(z), by an expansion for large z."""
    t = 1.0 / z
    root = INV_SQRT_2PI * sqrt(t)
    bessel_0 = bessel_1 = 0.0
    # For larger z these terms are below 1e-11.
    if z < 150.0:
        bessel_0 = t * (0.227108001708984375 + t * (0.57250142097473144531 + t * (1.7277275025844573975
               + t * (6.0740420012734830379 + t * 24.380529699556063861))))  # fmt: skip
        bessel_1 = t * (0.277576446533203125 + t * (0.67659258842468261719 + t * (1.9935317337512969971
              + t * (6.8839142681099474430 + t * 27.248827311268541962))))  # fmt: skip
    bessel_0 = 1.0 + t * (0.125 + t * (0.0703125 + t * (0.0732421875 + t * (0.112152099609375 + bessel_0))))
    bessel_1 = 1.0 - t * (0.375 + t * (0.1171875 + t * (0.1025390625 + t * (0.144195556640625 + bessel_1))))
    ridge.bessel_0 = root * bessel_0
    ridge.bessel_1 = root * bessel_1

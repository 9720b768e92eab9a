"""Integrals of logistic curves over a normal distribution, which have no closed form.

Throughout this module z ~ N(m, v), σ(z) = 1/(1 + e⁻ᶻ) is the probability of a win, and σ(−z) that of a loss. The
likelihood ℓ(z) of a draw is √(σ(z)σ(−z)). With L = log ℓ and averages E over the posterior ℓ(z)N(z; m, v), the
log-evidence has the derivatives d₁ = E L′ and d₂ = E L″ + var L′. Here L″ is −σ(z)σ(−z) in all three cases, L′ is
σ(−z) for a win, σ(−z) − ½ for a draw and −σ(z) for a loss, so var L′ is the variance of σ(−z).

**Up to v = 16**, the integrals are sums over equally spaced nodes c ± (j + ½)h, where c = |m|. The error of such a sum
decreases exponentially with 1/h. The normal density limits h to 0.72 √v, and the poles of σ at ±πi limit it to about ½,
for relative errors below 2e-12. At equally spaced nodes e⁻ᶻ is a geometric sequence, and so are the ratios of densities
at neighbouring nodes: a pair of nodes needs one division and no exponential function. The nodes reach far enough to the
left for e⁻²ᶻ times the density, and sums are kept in units of powers of e⁻ᶜ: so the numbers of an upset, and those of
an almost certain win, have full relative accuracy, too.

**Above v = 16**, Gauss–Legendre panels begin at z = 0 and become wider with the distance from it. Exponential factors
of ℓ are merged with the density, so that nothing overflows. The mirror image of a loss is a win.
"""

from __future__ import annotations

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from .elementary import exp, exp_all, log, log1p

if not cython.compiled:
    from math import fabs, sqrt

    from .normal import NODE, NODE_WEIGHT

# Rows of the table of `add_nodes`: the mean m and the variance v, which are given, and the sums, which are the result.
GAP = cython.declare(cython.Py_ssize_t, 3)
VARIANCE = cython.declare(cython.Py_ssize_t, 4)
NEAR = cython.declare(cython.Py_ssize_t, 5)  # e⁻ᶜ
# Sums of σⁱ(z) (σ(−z)/e⁻ᶜ)ʲ over the density.
SUM_30 = cython.declare(cython.Py_ssize_t, 6)
SUM_21 = cython.declare(cython.Py_ssize_t, 7)
SUM_12 = cython.declare(cython.Py_ssize_t, 8)
SUM_03 = cython.declare(cython.Py_ssize_t, 9)
# The same over the density times √(σ(z)σ(−z)/e⁻ᶜ).
DRAW_20 = cython.declare(cython.Py_ssize_t, 10)
DRAW_11 = cython.declare(cython.Py_ssize_t, 11)
DRAW_02 = cython.declare(cython.Py_ssize_t, 12)
# Rows of working space: the number of the last node; the density at a node, the ratio of the next density to it, and
# the ratio of two such ratios; e^−(j + ½)h and e⁻ʰ.
LAST = cython.declare(cython.Py_ssize_t, 13)
BELL = cython.declare(cython.Py_ssize_t, 14)
FALL = cython.declare(cython.Py_ssize_t, 15)
BEND = cython.declare(cython.Py_ssize_t, 16)
DECAY = cython.declare(cython.Py_ssize_t, 17)
STEP = cython.declare(cython.Py_ssize_t, 18)

WIDE = cython.declare(cython.double, 16.0)  # variances above this need panels
LARGEST = cython.declare(cython.double, 700.0)  # c is cut off here, so that e⁻ᶜ and its inverse are numbers
FOUR_PI2 = cython.declare(cython.double, 39.478417604357434475)
PI2 = cython.declare(cython.double, 9.8696044010893586188)
SPACING = cython.declare(cython.double, 0.72)  # the largest distance of nodes, in standard deviations
NARROW = cython.declare(cython.double, 0.36)  # up to this standard deviation, the poles do not matter
ACCURACY = cython.declare(cython.double, 38.0)  # a simple pole would cause an error of e⁻³⁸
SPAN = cython.declare(cython.double, 8.0)  # integrate over this many standard deviations
PANEL = cython.declare(cython.double, 3.4)  # width of a panel, in standard deviations
DECAYS = cython.declare(cython.double, 8.0)  # an exponential tail decreases by e⁻⁸ within a panel, or less
REACH = cython.declare(cython.double, 8.7)  # the panels reach this far
EXPONENT = cython.declare(cython.double, 76.0)  # or to where an exponential tail has decreased by e⁻³⁸
UNDERFLOW = cython.declare(cython.double, 38.6)  # the density is 0 beyond
BEND_WIDTH = cython.declare(cython.double, 4.0)  # width of the panels at z = 0
SMOOTH = cython.declare(cython.double, 64.0)  # beyond this, σ differs from 1 or 0 by less than rounding errors
VERY_WIDE = cython.declare(cython.double, 1e6)  # above this standard deviation, E L″ + var L′ would lose its digits
SQRT_2PI = cython.declare(cython.double, 2.5066282746310005024)

# Cells of the result of `measure_wide`: v′/v is the share of the variance that is left.
LOG_Z = cython.declare(cython.Py_ssize_t, 0)
D1 = cython.declare(cython.Py_ssize_t, 1)
D2 = cython.declare(cython.Py_ssize_t, 2)
LEFT = cython.declare(cython.Py_ssize_t, 3)
# Sums over the nodes: of σ(z) and its first two moments, of σ²(z)σ(−z) and σ(z)σ²(−z), and of σ(−z).
WINS = cython.declare(cython.Py_ssize_t, 4)
FIRST = cython.declare(cython.Py_ssize_t, 5)
SECOND = cython.declare(cython.Py_ssize_t, 6)
WINS_21 = cython.declare(cython.Py_ssize_t, 7)
WINS_12 = cython.declare(cython.Py_ssize_t, 8)
LOSSES = cython.declare(cython.Py_ssize_t, 9)
ODDS = cython.declare(cython.Py_ssize_t, 10)  # e^−|z| at the 16 nodes of a panel
DENSITY = cython.declare(cython.Py_ssize_t, 26)  # and the density there
CELLS = 42  # how many cells `measure_wide` needs


def add_nodes(
    work: cython.double[::1], stride: cython.Py_ssize_t, lanes: cython.Py_ssize_t, draws: cython.bint
) -> cython.void:
    """Set the sums for wins and losses, or for draws, from the means and variances in `work`.

    The sums of lanes whose variance is above 16 are meaningless; use `measure_wide` for these.
    """
    if lanes == 1:
        _place(work, stride, 1)
        if draws:
            _add_draws(work, stride, 1, _most(work, stride, 1))
        else:
            _add(work, stride, 1, _most(work, stride, 1))
    else:
        _place(work, stride, lanes)
        if draws:
            _add_draws(work, stride, lanes, _most(work, stride, lanes))
        else:
            _add(work, stride, lanes, _most(work, stride, lanes))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _place(work: cython.double[::1], s: cython.Py_ssize_t, lanes: cython.Py_ssize_t) -> cython.void:
    """Choose the distance h of the nodes and their number, and set the first terms of all sequences."""
    for lane in range(lanes):
        centre = fabs(work[GAP * s + lane])
        variance = work[VARIANCE * s + lane]
        narrow = 1.0 if variance <= WIDE else 0.0
        variance = variance if variance <= WIDE else WIDE
        width = sqrt(variance)
        spacing = FOUR_PI2 * width / (2.0 * ACCURACY * variance + PI2)
        spacing = spacing if width > NARROW else SPACING
        # The derivatives of an upset need σ²(−z)N(z; c, v). Its peak is at c − 2v, or near 0 if this is negative.
        beyond = 2.0 * variance if centre > 2.0 * variance else centre
        beyond = beyond / (width if width > 0.0 else 1.0)
        work[LAST * s + lane] = narrow * (SPAN + beyond) / spacing
        work[BELL * s + lane] = 1.0
        work[FALL * s + lane] = -spacing * spacing
        work[DECAY * s + lane] = -0.5 * spacing * width
        work[NEAR * s + lane] = -(centre if centre < LARGEST else LARGEST)
    exp_all(work, FALL * s, lanes)
    exp_all(work, DECAY * s, lanes)
    exp_all(work, NEAR * s, lanes)
    for lane in range(lanes):
        work[BEND * s + lane] = work[FALL * s + lane]
        work[STEP * s + lane] = work[DECAY * s + lane] * work[DECAY * s + lane]


@cython.cfunc
@cython.exceptval(check=False)
def _most(work: cython.double[::1], s: cython.Py_ssize_t, lanes: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the largest number of pairs of nodes that a lane needs."""
    most = 0.0
    for i in range(lanes):
        most = max(most, work[LAST * s + i])
    return cython.cast(cython.Py_ssize_t, most) + 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _add(
    work: cython.double[::1], s: cython.Py_ssize_t, lanes: cython.Py_ssize_t, nodes: cython.Py_ssize_t
) -> cython.void:
    for lane in range(lanes):
        work[SUM_30 * s + lane] = work[SUM_21 * s + lane] = work[SUM_12 * s + lane] = work[SUM_03 * s + lane] = 0.0
    for j in range(nodes):
        number: cython.double = j
        for lane in range(lanes):
            bell = work[BELL * s + lane]
            fall = work[FALL * s + lane]
            decay = work[DECAY * s + lane]
            near = work[NEAR * s + lane]
            # Lanes that need fewer nodes wait for the others.
            weight = bell if number <= work[LAST * s + lane] else 0.0
            work[BELL * s + lane] = bell * fall
            work[FALL * s + lane] = fall * work[BEND * s + lane]
            work[DECAY * s + lane] = decay * work[STEP * s + lane]
            # To the right of c, σ is 1/above and σ(−z)/e⁻ᶜ is decay/above. To the left, σ is decay/below and σ(−z)/e⁻ᶜ
            # is 1/below. One division is enough for both.
            above = 1.0 + near * decay
            below = decay + near
            inverse = 1.0 / (above * below)
            right = below * inverse
            left = above * inverse
            right = right * right * right
            left = left * left * left
            cube = decay * decay * decay
            inner = weight * decay
            work[SUM_30 * s + lane] += weight * (right + cube * left)
            work[SUM_21 * s + lane] += inner * (right + decay * left)
            work[SUM_12 * s + lane] += inner * (decay * right + left)
            work[SUM_03 * s + lane] += weight * (cube * right + left)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _add_draws(
    work: cython.double[::1], s: cython.Py_ssize_t, lanes: cython.Py_ssize_t, nodes: cython.Py_ssize_t
) -> cython.void:
    for lane in range(lanes):
        work[DRAW_20 * s + lane] = work[DRAW_11 * s + lane] = work[DRAW_02 * s + lane] = 0.0
    for j in range(nodes):
        number: cython.double = j
        for lane in range(lanes):
            bell = work[BELL * s + lane]
            fall = work[FALL * s + lane]
            decay = work[DECAY * s + lane]
            near = work[NEAR * s + lane]
            weight = bell * sqrt(decay) if number <= work[LAST * s + lane] else 0.0
            work[BELL * s + lane] = bell * fall
            work[FALL * s + lane] = fall * work[BEND * s + lane]
            work[DECAY * s + lane] = decay * work[STEP * s + lane]
            above = 1.0 + near * decay
            below = decay + near
            inverse = 1.0 / (above * below)
            right = below * inverse
            left = above * inverse
            right = right * right * right
            left = left * left * left
            square = decay * decay
            # For c = 0 the first and the last sum are equal to the last bit, so a draw of equal teams moves nothing.
            work[DRAW_20 * s + lane] += weight * (right + square * left)
            work[DRAW_11 * s + lane] += weight * decay * (right + left)
            work[DRAW_02 * s + lane] += weight * (square * right + left)


def measure_wide(
    gap: cython.double, variance: cython.double, result: cython.double, out: cython.double[::1]
) -> cython.void:
    """Set log Z, d₁, d₂ and v′/v for a result (1, ½ or 0) of z ~ N(gap, variance), for variances of 1 or more.

    The first four cells of `out` are the results; the others, up to `CELLS`, are working space.

    >>> from array import array
    >>> out = array("d", [0.0] * CELLS)
    >>> measure_wide(0.0, 1e6, 1.0, out)
    >>> [float(f"{x:.6g}") for x in out[:4]]
    [-0.693147, 0.000797883, -6.36618e-07, 0.363382]
    """
    sign = -1.0 if result == 0.0 else 1.0
    mean = sign * gap
    if result == 0.5:
        # e^(−z/2) N(z; m, v) is proportional to N(z; m − v/2, v).
        sign = -1.0 if gap > 0.0 else 1.0
        sign = 0.0 if gap == 0.0 else sign
        _measure_wins(fabs(gap) - 0.5 * variance, variance, out)
        if fabs(gap) >= 0.5 * variance:
            out[LOG_Z] += 0.125 * variance - 0.5 * fabs(gap)
            out[D1] = 0.5 - out[D1]
        else:
            out[LOG_Z] -= 0.5 * gap * (gap / variance)
            out[D1] = (fabs(gap) - out[D1]) / variance
    elif mean >= -0.5 * variance:
        _measure_wins(mean, variance, out)
        if mean < 0.0:
            out[LOG_Z] -= 0.5 * mean * (mean / variance)
            out[D1] = (out[D1] - mean) / variance
    else:
        # An upset: e^z N(z; m, v) is proportional to N(z; m + v, v), and its mirror image is a win.
        _measure_wins(-(mean + variance), variance, out)
        if mean + variance > 0.0:
            out[LOG_Z] -= 0.5 * mean * (mean / variance)
            out[D1] = (-out[D1] - mean) / variance
        else:
            out[LOG_Z] += mean + 0.5 * variance
            out[D1] = 1.0 - out[D1]
    out[D1] *= sign


@cython.cfunc
@cython.exceptval(check=False)
def _measure_wins(mean: cython.double, variance: cython.double, out: cython.double[::1]) -> cython.void:
    """Set the results for the likelihood σ(z), for a mean of at least −v/2.

    If the mean is negative, the log-evidence lacks the term −m²/(2v), and the mean of the posterior takes the place of
    d₁. This posterior mean is close to 0, so d₁ is found without losing digits.
    """
    width = sqrt(variance)
    if mean - UNDERFLOW * width > SMOOTH:
        # A certain win: σ(−z) is e⁻ᶻ wherever the density is not 0.
        slope = exp(0.5 * variance - mean) if mean > variance else 0.0
        out[LOG_Z] = -slope
        out[D1] = slope
        out[D2] = -slope
        out[LEFT] = 1.0
        return
    _add_panels(mean, variance, out)
    first = out[FIRST] / out[WINS]
    out[LEFT] = min((out[SECOND] / out[WINS] - first * first) / variance, 1.0)
    lost = 1.0 - out[LEFT]
    out[D2] = -lost / variance
    if mean < 0.0:
        out[LOG_Z] = log(out[WINS] / (SQRT_2PI * width))
        out[D1] = first
        return
    slope = (out[WINS_21] + out[WINS_12]) / out[WINS]
    out[LOG_Z] = -log1p(out[LOSSES] / out[WINS])
    out[D1] = slope
    if lost * width < 1.0 and width < VERY_WIDE:
        # The subtraction 1 − v′/v has lost more digits than this one.
        out[D2] = min((out[WINS_12] - out[WINS_21]) / out[WINS] - slope * slope, 0.0)


@cython.cfunc
@cython.exceptval(check=False)
def _add_panels(mean: cython.double, variance: cython.double, out: cython.double[::1]) -> cython.void:
    """Set the sums over all panels, for the likelihood σ(z)."""
    width = sqrt(variance)
    centre = mean if mean > 0.0 else 0.0
    tilt = (centre - mean) / variance
    # To the left, σ(z) is e^z; but for a positive mean the sum of σ(−z), which is 1 there, needs more panels.
    rise = mean / variance if mean >= 0.0 else 1.0 + mean / variance
    start = -EXPONENT / (rise + sqrt(rise * rise + EXPONENT / variance))
    start = max(start, centre - UNDERFLOW * width)
    stop = centre + REACH * width
    if tilt > 0.0:
        stop = min(stop, EXPONENT / (tilt + sqrt(tilt * tilt + EXPONENT / variance)))
    for k in range(WINS, WINS + 6):
        out[k] = 0.0
    widest = min(PANEL * width, DECAYS / tilt) if tilt > 0.0 else PANEL * width
    edge = max(start, 0.0)
    while edge < stop:
        end = min(edge + _panel_width(edge, widest), stop)
        _add_panel(edge, end, centre, tilt, variance, out)
        edge = end
    widest = min(PANEL * width, DECAYS / rise) if rise > 0.0 else PANEL * width
    edge = 0.0
    while edge > start:
        end = max(edge - _panel_width(-edge, widest), start)
        _add_panel(end, edge, centre, tilt, variance, out)
        edge = end


@cython.cfunc
@cython.exceptval(check=False)
def _panel_width(distance: cython.double, widest: cython.double) -> cython.double:
    """Return the width of a panel at this distance from 0."""
    if distance >= SMOOTH:
        return widest
    return min(max(distance, BEND_WIDTH), widest)


@cython.cfunc
@cython.exceptval(check=False)
def _add_panel(
    low: cython.double,
    high: cython.double,
    centre: cython.double,
    tilt: cython.double,
    variance: cython.double,
    out: cython.double[::1],
) -> cython.void:
    """Add the nodes of a panel; the density is exp(−(z − centre)²/(2v) − tilt · z)."""
    half = 0.5 * (high - low)
    middle = 0.5 * (high + low)
    for lane in range(8):
        right = middle + half * NODE[lane]
        left = middle - half * NODE[lane]
        out[ODDS + lane] = -fabs(right)
        out[ODDS + 8 + lane] = -fabs(left)
        out[DENSITY + lane] = -0.5 * (right - centre) * (right - centre) / variance - tilt * right
        out[DENSITY + 8 + lane] = -0.5 * (left - centre) * (left - centre) / variance - tilt * left
    exp_all(out, ODDS, 32)
    for k in range(16):
        node = k % 8
        z = middle + (half if k < 8 else -half) * NODE[node]
        far = z - centre
        odds = out[ODDS + k]
        more = 1.0 / (1.0 + odds)
        win = more if z >= 0.0 else odds * more
        loss = odds * more if z >= 0.0 else more
        weight = half * NODE_WEIGHT[node] * out[DENSITY + k]
        out[LOSSES] += weight * loss
        weight *= win
        out[WINS] += weight
        out[FIRST] += weight * far
        out[SECOND] += weight * far * far
        weight *= loss
        out[WINS_21] += weight * win
        out[WINS_12] += weight * loss

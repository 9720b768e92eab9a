"""Special functions of the normal distribution. No other module computes such functions.

φ is the standard normal density and Φ its distribution function. All functions have a relative accuracy of about 1e-13
for every argument up to 1e100: no formula divides underflowed numbers or subtracts nearly equal ones. There are two
building blocks:

- the Mills ratio Φ(−x)/φ(x), a rational function for x < 5;
- the ratios ρ₀, ρ₁, ρ₂ of the Mills ratio's continued fraction, which are also the moments of the tail. For x ≥ 5, a
  rational function gives ρ₂, and ρ₁ and ρ₀ follow from ρ₂ by adding positive numbers.

`tools/mills_rational.py` computes the coefficients of both rational functions.
"""

from __future__ import annotations

from array import array

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from .elementary import exp, exp_all, expm1, expm1_all, log, log_all

if not cython.compiled:
    from math import fabs

HALF_LOG_2PI = cython.declare(cython.double, 0.91893853320467274178)
INV_SQRT_2PI = cython.declare(cython.double, 0.39894228040143267794)
SQRT_HALF_PI = cython.declare(cython.double, 1.2533141373155002512)
LEAST_Z = cython.declare(cython.double, 1e-290)  # smaller probabilities are computed as exp(base) · mass
SMALL = cython.declare(cython.double, 1e-3)  # below this, a series gives log(1 − x)
FAR = cython.declare(cython.double, 5.0)  # above this the differences in `above` and `_ratios` would lose digits

# Nodes and weights of Gauss–Legendre quadrature on [−1, 1] with 16, 8 and 6 nodes; only the positive nodes.
NODE = cython.declare(cython.double[::1], array("d", [
    0.09501250983763744018532, 0.28160355077925891323046, 0.45801677765722738634242, 0.61787624440264374844667,
    0.75540440835500303389510, 0.86563120238783174388047, 0.94457502307323257607799, 0.98940093499164993259615,
    0.18343464249564980493948, 0.52553240991632898581774, 0.79666647741362673959155, 0.96028985649753623168356,
    0.2386191860831969086305, 0.6612093864662645136614, 0.9324695142031520278123, 0.0,
]))  # fmt: skip
NODE_WEIGHT = cython.declare(cython.double[::1], array("d", [
    0.18945061045506849628540, 0.18260341504492358886676, 0.16915651939500253818931, 0.14959598881657673208150,
    0.12462897125553387205248, 0.09515851168249278480993, 0.06225352393864789286284, 0.02715245941175409485178,
    0.36268378337836198296515, 0.31370664587788728733796, 0.22238103445337447054436, 0.10122853629037625915253,
    0.46791393457269104738987, 0.36076157304813860756983, 0.1713244923791703450403, 0.0,
]))  # fmt: skip


@cython.cclass
class Truncated:
    """The moments of normal variables of variance 1, given that each lies in an interval; one variable per lane.

    `t` is the mean of the variable, `mean` its new mean, `shift` is `mean` − t, `left` is the new variance and `lost`
    is 1 − `left`, each with full relative accuracy. The functions `probability` and `log_z` compute the probability of
    the interval from the other attributes.
    """

    def __init__(self, lanes: int = 1) -> None:
        self.t, self.mean, self.shift, self.left, self.lost = (array("d", bytes(8 * lanes)) for _ in range(5))
        # `z` is 0 if the probability is known only as exp(base) · mass, a form that cannot underflow.
        self.z, self.cut_off, self.base, self.mass = (array("d", bytes(8 * lanes)) for _ in range(4))
        self.r0 = self.r1 = self.r2 = 0.0
        self.bells, self.grown, self.spread = (array("d", bytes(64)) for _ in range(3))  # at the nodes of a quadrature


def mills(x: cython.double) -> cython.double:
    """Return the Mills ratio Φ(−x)/φ(x) for x ≥ 0; the ratio approaches 1/x for large x."""
    return _near_mills(x) if x < FAR else 1.0 / (x + 1.0 / (x + 2.0 * _second(x)))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _near_mills(x: cython.double) -> cython.double:
    """Return the Mills ratio for 0 ≤ x ≤ 5."""
    # Even and odd powers are summed separately, because two short chains of additions are faster.
    y = x * x
    return (
        (1.2533141373155002142
        + y * (0.84815798201551972523
        + y * (0.071626679733414597991
        + y * 0.0010157158617363689782)))
        + x * (1.4563391316470548176
        + y * (0.30438702785133897682
        + y * (0.010980091990795391027
        + y * 0.000044008170555810173721)))
    ) / (
        (1.0
        + y * (1.7404862178188328134
        + y * (0.315294367502870765
        + y * (0.011024163075383955161
        + y * 0.000044008208888584335345))))
        + x * (1.9598750692370958417
        + y * (0.91759677716534184951
        + y * (0.072641246040371217112
        + y * 0.0010157136331937576825)))
    )  # fmt: skip


@cython.cfunc
@cython.exceptval(check=False)
def _second(x: cython.double) -> cython.double:
    """Return the ratio ρ₂ (see `_ratios`) for x ≥ 5; the ratio approaches 1/x for large x."""
    y = 1.0 / (x * x)
    return (
        0.99999999999999998792
        + y * (74.534125155440819473
        + y * (1954.3437730358477694
        + y * (22022.519217556385143
        + y * (103625.66898103636279
        + y * (162383.74413625302771
        + y * 36715.896139562090119)))))
    ) / (
        x
        * (1.0
        + y * (77.534125155440670191
        + y * (2165.9461485024711867
        + y * (27099.141034560678798
        + y * (152958.78697295143455
        + y * (340688.1681145303118
        + y * 197182.9326783019945))))))
    )  # fmt: skip


@cython.cfunc
@cython.exceptval(check=False)
def _ratios(x: cython.double, out: Truncated) -> cython.void:
    """Set the ratios ρₖ = 1/(x + (k + 1) ρₖ₊₁) of the tail beyond x ≥ 0, for k = 0, 1, 2.

    With Jₙ = ∫₀^∞ yⁿ/n! exp(−x y − y²/2) dy, ρₖ = Jₖ/Jₖ₋₁ and J₋₁ = 1: ρ₀ is the Mills ratio, ρ₁ the mean excess.
    """
    if x < FAR:
        out.r0 = mills(x)
        out.r1 = 1.0 / out.r0 - x
        out.r2 = 0.5 * (1.0 / out.r1 - x)
    else:
        # 1/ρ₀ − x would lose digits, so the ratios are computed backwards from ρ₂.
        out.r2 = _second(x)
        out.r1 = 1.0 / (x + 2.0 * out.r2)
        out.r0 = 1.0 / (x + out.r1)


def log_pdf(x: cython.double) -> cython.double:
    """Return log φ(x), the logarithm of the standard normal density."""
    return -0.5 * x * x - HALF_LOG_2PI


def cdf(x: cython.double) -> cython.double:
    """Return the normal distribution function Φ(x) with full relative accuracy, even in the lower tail.

    >>> round(cdf(1.96), 6), cdf(-40.0) < 1e-300
    (0.975002, True)
    """
    tail = INV_SQRT_2PI * exp(-0.5 * x * x) * mills(fabs(x))
    return 1.0 - tail if x > 0.0 else tail


def probability(cut: Truncated, lane: cython.Py_ssize_t) -> cython.double:
    """Return the probability of the interval."""
    return cut.z[lane] if cut.z[lane] > 0.0 else exp(cut.base[lane]) * cut.mass[lane]


def log_z(cut: Truncated, lane: cython.Py_ssize_t) -> cython.double:
    """Return the log-probability of the interval.

    A probability near 1 is computed from the probability outside the interval.
    """
    if cut.cut_off[lane] < SMALL:
        return log1m(cut.cut_off[lane])
    return log(cut.z[lane]) if cut.z[lane] > LEAST_Z else cut.base[lane] + log(cut.mass[lane])


def log_z_all(cut: Truncated, out: cython.double[::1], lanes: cython.Py_ssize_t) -> cython.void:
    """Fill `out` with the log-probabilities of the intervals of all lanes."""
    rare = 0
    for lane in range(lanes):
        out[lane] = cut.z[lane]
    log_all(out, 0, lanes)
    for lane in range(lanes):
        near_1 = log1m(cut.cut_off[lane])
        out[lane] = near_1 if cut.cut_off[lane] < SMALL else out[lane]
        rare += 1 if cut.z[lane] <= LEAST_Z else 0
    if rare > 0:
        for i in range(lanes):
            if cut.z[i] <= LEAST_Z:
                out[i] = log_z(cut, i)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def log1m(x: cython.double) -> cython.double:
    """Return log(1 − x) for 0 ≤ x < 0.001, by a series."""
    return -x * (1.0 + x * (1.0 / 2 + x * (1.0 / 3 + x * (1.0 / 4 + x * (1.0 / 5 + x * (1.0 / 6))))))


def above(t: cython.double, out: Truncated) -> cython.void:
    """Set the moments of x ~ N(t, 1), given that x > 0, in the first lane."""
    out.t[0] = t
    _above_all(out, 1)


def above_all(out: Truncated, lanes: cython.Py_ssize_t) -> cython.void:
    """Set the moments of x ~ N(t, 1), given that x > 0. `shift` and `lost` are TrueSkill's functions V and W."""
    if lanes == 1:
        _above_all(out, 1)
    else:
        _above_all(out, lanes)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _above_all(out: Truncated, lanes: cython.Py_ssize_t) -> cython.void:
    rare = 0
    for lane in range(lanes):
        size = fabs(out.t[lane])
        size = size if size < FAR else FAR
        out.z[lane] = -0.5 * size * size
    if lanes == 1:
        out.z[0] = exp(out.z[0])
    else:
        exp_all(out.z, 0, lanes)
    for lane in range(lanes):
        size = fabs(out.t[lane])
        density = INV_SQRT_2PI * out.z[lane]
        _set_above(out, lane, density, density * _near_mills(size if size < FAR else FAR))
        rare += 0 if size < FAR else 1
    if rare > 0:
        for i in range(lanes):
            if not fabs(out.t[i]) < FAR:
                _above_far(out, i)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _set_above(out: Truncated, lane: cython.Py_ssize_t, density: cython.double, tail: cython.double) -> cython.void:
    """Set the moments from the density φ(t) and the tail Φ(−|t|)."""
    t = out.t[lane]
    rest = 1.0 - tail
    z = rest if t > 0.0 else tail
    shift = density / z
    lost = shift * (t + shift)
    out.cut_off[lane] = tail if t > 0.0 else rest
    out.z[lane] = z
    out.shift[lane] = shift
    out.mean[lane] = t + shift
    out.lost[lane] = lost
    out.left[lane] = 1.0 - lost


@cython.cfunc
@cython.exceptval(check=False)
def _above_far(out: Truncated, lane: cython.Py_ssize_t) -> cython.void:
    """Set the moments for |t| ≥ 5."""
    t = out.t[lane]
    if t > 0.0:
        density = INV_SQRT_2PI * exp(-0.5 * t * t)
        _set_above(out, lane, density, density * mills(t))
        return
    # 1 − lost would lose digits, because in the tail the new variance is only about 1/t².
    _ratios(-t, out)
    out.cut_off[lane] = 1.0
    out.z[lane] = 0.0
    out.base[lane] = log_pdf(t)
    out.mass[lane] = out.r0
    out.shift[lane] = out.r1 - t
    out.mean[lane] = out.r1
    out.left[lane] = out.r1 * (2.0 * out.r2 - out.r1)
    out.lost[lane] = 1.0 - out.left[lane]


def within(t: cython.double, e: cython.double, out: Truncated, lane: cython.Py_ssize_t) -> cython.void:
    """Set the moments of x ~ N(t, 1), given that |x| ≤ e.

    For e = 0, the interval is the point x = 0, and `log_z` returns the log density log φ(t).
    """
    size = fabs(t)
    if e == 0.0:
        out.mean[lane] = out.left[lane] = out.z[lane] = 0.0
        out.lost[lane] = out.mass[lane] = out.cut_off[lane] = 1.0
        out.shift[lane] = -size
        out.base[lane] = log_pdf(t)
    elif e > 1.0 and size <= e:
        _within_inner(size, e, out, lane)
    elif size * e <= 6.0:
        _within_narrow(size, e, out, lane)
    else:
        _within_edge(size, e, out, lane)
    if t < 0.0:
        out.mean[lane] = -out.mean[lane]
        out.shift[lane] = -out.shift[lane]


@cython.cfunc
@cython.exceptval(check=False)
def _within_inner(t: cython.double, e: cython.double, out: Truncated, lane: cython.Py_ssize_t) -> cython.void:
    """Handle the case 0 ≤ t ≤ e and e > 1, where most of the distribution lies inside the interval."""
    near = INV_SQRT_2PI * exp(-0.5 * (e - t) * (e - t))
    far = INV_SQRT_2PI * exp(-0.5 * (e + t) * (e + t))
    out.cut_off[lane] = near * mills(e - t) + far * mills(e + t)
    out.z[lane] = 1.0 - out.cut_off[lane]
    # This is far − near, written so that it keeps its digits for small t.
    out.shift[lane] = near * expm1(-2.0 * t * e) / out.z[lane]
    out.mean[lane] = t + out.shift[lane]
    out.lost[lane] = ((e - t) * near + (e + t) * far) / out.z[lane] + out.shift[lane] * out.shift[lane]
    out.left[lane] = 1.0 - out.lost[lane]


@cython.cfunc
@cython.exceptval(check=False)
def _within_narrow(t: cython.double, e: cython.double, out: Truncated, lane: cython.Py_ssize_t) -> cython.void:
    """Integrate the density exp(t x − x²/2) on [−e, e] by Gauss–Legendre quadrature, even and odd parts separately."""
    total = first = second = 0.0
    start, count = 0, 8
    if e < 0.2 and t * e < 0.4:  # here 6 nodes are as accurate as 16; the fourth has the weight 0
        start, count = 12, 4
    elif e < 0.5 and t * e < 1.3:  # here 8 nodes are as accurate as 16
        start, count = 8, 4
    _set_nodes(t, e, out, start, count)
    for k in range(count):
        total += out.bells[k]
        first += out.grown[k]
        second += out.spread[k]
    out.mean[lane] = first / total
    out.shift[lane] = out.mean[lane] - t
    out.left[lane] = second / total - out.mean[lane] * out.mean[lane]
    out.lost[lane] = 1.0 - out.left[lane]
    out.base[lane] = log_pdf(t)
    out.mass[lane] = e * total
    out.z[lane] = 0.0
    out.cut_off[lane] = 1.0


@cython.cfunc
@cython.exceptval(check=False)
def _set_nodes(
    t: cython.double, e: cython.double, out: Truncated, start: cython.Py_ssize_t, count: cython.Py_ssize_t
) -> cython.void:
    """Set the terms of the integrals of 1, x and x² at the nodes of a quadrature on [−e, e]."""
    for lane in range(count):
        x = NODE[start + lane] * e
        out.bells[lane] = -0.5 * x * x
        out.grown[lane] = t * x
    exp_all(out.bells, 0, count)
    expm1_all(out.grown, 0, count)
    for lane in range(count):
        x = NODE[start + lane] * e
        bell = NODE_WEIGHT[start + lane] * out.bells[lane]
        grown = out.grown[lane]
        shrunk = grown / (1.0 + grown)
        even = bell * (2.0 + grown * shrunk)  # 2 cosh(t x)
        odd = bell * (grown + shrunk)  # 2 sinh(t x)
        out.bells[lane] = even
        out.grown[lane] = odd * x
        out.spread[lane] = even * x * x


@cython.cfunc
@cython.exceptval(check=False)
def _within_edge(t: cython.double, e: cython.double, out: Truncated, lane: cython.Py_ssize_t) -> cython.void:
    """Handle the case t > e and t e > 6, where the density is concentrated at the edge e, like a normal tail."""
    # The tail beyond −e, relative to the density at e, is subtracted from the tail beyond e.
    cut = exp(-2.0 * t * e)
    width = 2.0 * e
    _ratios(t + e, out)
    j0 = cut * out.r0
    j1 = j0 * (out.r1 + width)
    j2 = j0 * (2.0 * out.r1 * out.r2 + 2.0 * width * out.r1 + width * width)
    _ratios(t - e, out)
    out.mass[lane] = out.r0 - j0
    y = (out.r0 * out.r1 - j1) / out.mass[lane]
    out.mean[lane] = e - y
    out.shift[lane] = (e - t) - y
    out.left[lane] = (2.0 * out.r0 * out.r1 * out.r2 - j2) / out.mass[lane] - y * y
    out.lost[lane] = 1.0 - out.left[lane]
    out.base[lane] = log_pdf(t - e)
    out.z[lane] = 0.0
    out.cut_off[lane] = 1.0


def central_width(p: cython.double) -> cython.double:
    """Return the half width e of the central interval with P(|x| ≤ e) = p for x ~ N(0, 1), where 0 ≤ p < 1.

    The formula Φ⁻¹((p + 1)/2) is not used, because p + 1 would lose the digits of a small p.

    >>> round(central_width(0.1), 12), central_width(1e-300) > 0
    (0.125661346855, True)
    """
    e = SQRT_HALF_PI * p
    step = e
    spent = 0
    moments = Truncated()
    if p > 0.5:
        e = 1.0
    while fabs(step) > 1e-16 * e and spent < 100:
        if p <= 0.5:  # P(|x| ≤ e) is concave in e, so Newton approaches the root from below
            within(0.0, e, moments, 0)
            step = (p - exp(log_z(moments, 0))) / (2.0 * INV_SQRT_2PI * exp(-0.5 * e * e))
        else:  # log P(x > e) is concave too: after one step, Newton approaches the root from above
            step = (log(mills(e)) + log_pdf(e) - log(0.5 * (1.0 - p))) * mills(e)
        e += step
        spent += 1
    return e

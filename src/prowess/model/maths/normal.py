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

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import exp, expm1, fabs, log, log1p
else:
    from math import exp, expm1, fabs, log, log1p

HALF_LOG_2PI = cython.declare(cython.double, 0.91893853320467274178)
INV_SQRT_2PI = cython.declare(cython.double, 0.39894228040143267794)
SQRT_HALF_PI = cython.declare(cython.double, 1.2533141373155002512)
FAR = cython.declare(cython.double, 5.0)  # above this the differences in `above` and `_ratios` would lose digits

# Nodes and weights of Gauss–Legendre quadrature on [−1, 1] with 16, 8 and 6 nodes; only the positive nodes.
NODE = cython.declare(cython.double[::1], array("d", [
    0.09501250983763744018532, 0.28160355077925891323046, 0.45801677765722738634242, 0.61787624440264374844667,
    0.75540440835500303389510, 0.86563120238783174388047, 0.94457502307323257607799, 0.98940093499164993259615,
    0.18343464249564980493948, 0.52553240991632898581774, 0.79666647741362673959155, 0.96028985649753623168356,
    0.2386191860831969086305, 0.6612093864662645136614, 0.9324695142031520278123,
]))  # fmt: skip
NODE_WEIGHT = cython.declare(cython.double[::1], array("d", [
    0.18945061045506849628540, 0.18260341504492358886676, 0.16915651939500253818931, 0.14959598881657673208150,
    0.12462897125553387205248, 0.09515851168249278480993, 0.06225352393864789286284, 0.02715245941175409485178,
    0.36268378337836198296515, 0.31370664587788728733796, 0.22238103445337447054436, 0.10122853629037625915253,
    0.46791393457269104738987, 0.36076157304813860756983, 0.1713244923791703450403,
]))  # fmt: skip


@cython.cclass
class Truncated:
    """The moments of a normal variable of variance 1 and mean t, given that the variable lies in an interval.

    `mean` is the new mean, `shift` is `mean` − t, `left` is the new variance and `lost` is 1 − `left`, each with full
    relative accuracy. The functions `probability` and `log_z` compute the probability of the interval from the other
    attributes.
    """

    def __init__(self) -> None:
        self.shift = 0.0
        self.mean = 0.0
        self.left = 1.0
        self.lost = 0.0
        self.z = 1.0  # 0 if the probability is known only as exp(base) · mass, a form that cannot underflow
        self.base = self.mass = self.cut_off = 0.0
        self.r0 = self.r1 = self.r2 = 0.0


def mills(x: cython.double) -> cython.double:
    """Return the Mills ratio Φ(−x)/φ(x) for x ≥ 0; the ratio approaches 1/x for large x."""
    y = x * x
    if x < FAR:  # even and odd powers are summed separately, because two short chains of additions are faster
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
    return 1.0 / (x + 1.0 / (x + 2.0 * _second(x)))


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


def probability(cut: Truncated) -> cython.double:
    """Return the probability of the interval."""
    return cut.z if cut.z > 0.0 else exp(cut.base) * cut.mass


def log_z(cut: Truncated) -> cython.double:
    """Return the log-probability of the interval.

    A probability near 1 is computed from the probability outside the interval.
    """
    if cut.cut_off < 1e-3:
        return log1p(-cut.cut_off)
    return log(cut.z) if cut.z > 1e-290 else cut.base + log(cut.mass)


def above(t: cython.double, out: Truncated) -> cython.void:
    """Set the moments of x ~ N(t, 1), given that x > 0. `shift` and `lost` are TrueSkill's functions V and W."""
    if t > -FAR:
        density = INV_SQRT_2PI * exp(-0.5 * t * t)
        tail = density * mills(fabs(t))
        out.cut_off = tail if t > 0.0 else 1.0 - tail
        out.z = 1.0 - tail if t > 0.0 else tail
        out.shift = density / out.z
        out.mean = t + out.shift
        out.lost = out.shift * out.mean
        out.left = 1.0 - out.lost
    else:
        # 1 − lost would lose digits, because in the tail the new variance is only about 1/t².
        _ratios(-t, out)
        out.cut_off = 1.0
        out.z = 0.0
        out.base = log_pdf(t)
        out.mass = out.r0
        out.shift = out.r1 - t
        out.mean = out.r1
        out.left = out.r1 * (2.0 * out.r2 - out.r1)
        out.lost = 1.0 - out.left


def within(t: cython.double, e: cython.double, out: Truncated) -> cython.void:
    """Set the moments of x ~ N(t, 1), given that |x| ≤ e.

    For e = 0, the interval is the point x = 0, and `log_z` returns the log density log φ(t).
    """
    size = fabs(t)
    if e == 0.0:
        out.mean = out.left = out.z = 0.0
        out.lost = out.mass = out.cut_off = 1.0
        out.shift = -size
        out.base = log_pdf(t)
    elif e > 1.0 and size <= e:
        _within_inner(size, e, out)
    elif size * e <= 6.0:
        _within_narrow(size, e, out)
    else:
        _within_edge(size, e, out)
    if t < 0.0:
        out.mean = -out.mean
        out.shift = -out.shift


@cython.cfunc
@cython.exceptval(check=False)
def _within_inner(t: cython.double, e: cython.double, out: Truncated) -> cython.void:
    """Handle the case 0 ≤ t ≤ e and e > 1, where most of the distribution lies inside the interval."""
    near = INV_SQRT_2PI * exp(-0.5 * (e - t) * (e - t))
    far = INV_SQRT_2PI * exp(-0.5 * (e + t) * (e + t))
    out.cut_off = near * mills(e - t) + far * mills(e + t)
    out.z = 1.0 - out.cut_off
    # This is far − near, written so that it keeps its digits for small t.
    out.shift = near * expm1(-2.0 * t * e) / out.z
    out.mean = t + out.shift
    out.lost = ((e - t) * near + (e + t) * far) / out.z + out.shift * out.shift
    out.left = 1.0 - out.lost


@cython.cfunc
@cython.exceptval(check=False)
def _within_narrow(t: cython.double, e: cython.double, out: Truncated) -> cython.void:
    """Integrate the density exp(t x − x²/2) on [−e, e] by Gauss–Legendre quadrature, even and odd parts separately."""
    total = first = second = 0.0
    start, stop = 0, 8
    if e < 0.2 and t * e < 0.4:  # here 6 nodes are as accurate as 16
        start, stop = 12, 15
    elif e < 0.5 and t * e < 1.3:  # here 8 nodes are as accurate as 16
        start, stop = 8, 12
    for k in range(start, stop):
        x = NODE[k] * e
        bell = NODE_WEIGHT[k] * exp(-0.5 * x * x)
        grown = expm1(t * x)
        shrunk = grown / (1.0 + grown)
        even = bell * (2.0 + grown * shrunk)  # 2 cosh(t x)
        odd = bell * (grown + shrunk)  # 2 sinh(t x)
        total += even
        first += odd * x
        second += even * x * x
    out.mean = first / total
    out.shift = out.mean - t
    out.left = second / total - out.mean * out.mean
    out.lost = 1.0 - out.left
    out.base = log_pdf(t)
    out.mass = e * total
    out.z = 0.0
    out.cut_off = 1.0


@cython.cfunc
@cython.exceptval(check=False)
def _within_edge(t: cython.double, e: cython.double, out: Truncated) -> cython.void:
    """Handle the case t > e and t e > 6, where the density is concentrated at the edge e, like a normal tail."""
    # The tail beyond −e, relative to the density at e, is subtracted from the tail beyond e.
    cut = exp(-2.0 * t * e)
    width = 2.0 * e
    _ratios(t + e, out)
    j0 = cut * out.r0
    j1 = j0 * (out.r1 + width)
    j2 = j0 * (2.0 * out.r1 * out.r2 + 2.0 * width * out.r1 + width * width)
    _ratios(t - e, out)
    out.mass = out.r0 - j0
    y = (out.r0 * out.r1 - j1) / out.mass
    out.mean = e - y
    out.shift = (e - t) - y
    out.left = (2.0 * out.r0 * out.r1 * out.r2 - j2) / out.mass - y * y
    out.lost = 1.0 - out.left
    out.base = log_pdf(t - e)
    out.z = 0.0
    out.cut_off = 1.0


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
            within(0.0, e, moments)
            step = (p - exp(log_z(moments))) / (2.0 * INV_SQRT_2PI * exp(-0.5 * e * e))
        else:  # log P(x > e) is concave too: after one step, Newton approaches the root from above
            step = (log(mills(e)) + log_pdf(e) - log(0.5 * (1.0 - p))) * mills(e)
        e += step
        spent += 1
    return e

"""The exponential function and the logarithm, for one number or for a column of numbers.

All models use these functions instead of those of the C library: compilers vectorise them, and they give the same bits
on every platform, compiled or not. The error of `exp` and `log` is below 0.9 units in the last place, that of `expm1`
and `log1p` below 3 and 2. `tools/elementary_polynomials.py` computes the coefficients.
"""

from __future__ import annotations

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if not cython.compiled:
    from .._cython import exponent, mantissa, power_of_two

INV_LN2 = cython.declare(cython.double, 1.442695040888963407)
LN2_HIGH = cython.declare(cython.double, 0.6931471803691238165)  # the first 32 bits, so that small multiples are exact
LN2_LOW = cython.declare(cython.double, 1.908214929270587816e-10)
# Adding this number to a small one rounds it to a whole number, which is then in the last bits of the sum.
SHIFT = cython.declare(cython.double, 6755399441055744.0)
LEAST = cython.declare(cython.double, -746.0)  # e^x rounds to 0 below this
MOST = cython.declare(cython.double, 710.0)  # e^x overflows above this
LARGE = cython.declare(cython.double, 700.0)  # `expm1` treats larger arguments like this one
SQRT_2 = cython.declare(cython.double, 1.414213562373095049)
SMALLEST = cython.declare(cython.double, 2.2250738585072014e-308)  # the smallest number with a full mantissa
LIFT = cython.declare(cython.double, 18014398509481984.0)  # 2⁵⁴ lifts smaller numbers above it
INF = cython.declare(cython.double, float("inf"))
NAN = cython.declare(cython.double, float("nan"))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _whole(x: cython.double) -> cython.double:
    """Return the whole number k nearest to x/ln 2, so that e^x = 2ᵏ eʳ with |r| ≤ ln 2/2."""
    return (x * INV_LN2 + SHIFT) - SHIFT


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _rest(x: cython.double, k: cython.double) -> cython.double:
    """Return eʳ − 1 for r = x − k ln 2."""
    near = x - k * LN2_HIGH
    r = near - k * LN2_LOW
    error = (near - r) - k * LN2_LOW  # the rounding error of r
    # Short chains of operations (Estrin's scheme) keep the processor busy.
    r2 = r * r
    r4 = r2 * r2
    low = (0.5 + 0.16666666666666670986 * r) + r2 * (0.041666666666666669752 + 0.008333333333326140884 * r)
    middle = (0.0013888888888883752417 + 0.00019841269874800491981 * r) + r2 * (
        0.000024801587325533363819 + 2.7557255425746434282e-6 * r
    )
    high = (2.7557273661348636219e-7 + 2.5105206373957011116e-8 * r) + r2 * 2.09146793765839351e-9
    return r + (r2 * (low + r4 * (middle + r4 * high)) + error)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _exp(x: cython.double) -> cython.double:
    # Comparisons with NaN are false, so NaN stays NaN.
    x = LEAST if x < LEAST else x
    x = MOST if x > MOST else x
    k = _whole(x)
    # 2ᵏ is applied in two steps, because k reaches beyond the range of exponents.
    half = (0.5 * k + SHIFT) - SHIFT
    return (1.0 + _rest(x, k)) * power_of_two(half + SHIFT) * power_of_two((k - half) + SHIFT)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _expm1(x: cython.double) -> cython.double:
    x = -LARGE if x < -LARGE else x
    x = LARGE if x > LARGE else x
    k = _whole(x)
    scale = power_of_two(k + SHIFT)
    return scale * _rest(x, k) + (scale - 1.0)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _log(x: cython.double) -> cython.double:
    """Return log x = k ln 2 + log m for x = 2ᵏ m with √½ ≤ m < √2, by a series in s = (m − 1)/(m + 1)."""
    normal = x * LIFT if x < SMALLEST else x
    k = exponent(normal) - (54.0 if x < SMALLEST else 0.0)
    m = mantissa(normal)
    k = k + 1.0 if m > SQRT_2 else k
    f = (0.5 * m if m > SQRT_2 else m) - 1.0
    s = f / (2.0 + f)
    z = s * s
    z2 = z * z
    low = (0.66666666666666696862 + 0.3999999999989950449 * z) + z2 * (
        0.28571428625975484921 + 0.22222211134795079855 * z
    )
    high = (0.1818288912526172208 + 0.15331721600556041269 * z) + z2 * 0.1461644968504340586
    series = z * (low + z2 * z2 * high)
    # log m = f − f²/2 + s (f²/2 + series); the largest terms are added last.
    half = 0.5 * f * f
    result = k * LN2_HIGH - ((half - (s * (half + series) + k * LN2_LOW)) - f)
    result = -INF if x == 0.0 else result
    result = x if x == INF else result
    return result if x >= 0.0 else NAN


def exp(x: cython.double) -> cython.double:
    """Return e^x.

    >>> round(exp(1.0), 12), exp(-800.0), exp(800.0)
    (2.718281828459, 0.0, inf)
    """
    return _exp(x)


def expm1(x: cython.double) -> cython.double:
    """Return e^x − 1 for x ≤ 700, without loss of digits near 0.

    >>> expm1(1e-20), round(expm1(1.0), 12)
    (1e-20, 1.718281828459)
    """
    return _expm1(x)


def log(x: cython.double) -> cython.double:
    """Return the natural logarithm of x; −inf for 0 and NaN for negative numbers.

    >>> log(10.0), log(0.0)
    (2.302585092994046, -inf)
    """
    return _log(x)


def log1p(x: cython.double) -> cython.double:
    """Return log(1 + x) for x ≥ 0, without loss of digits.

    >>> log1p(1e-20), round(log1p(1.0), 12)
    (1e-20, 0.69314718056)
    """
    return _log1p(x)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _log1p(x: cython.double) -> cython.double:
    y = 1.0 + x
    correction = (x - (y - 1.0)) / y  # of the rounding of 1 + x
    return _log(y) + (correction if x < INF else 0.0)


def exp_all(x: cython.double[::1], first: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.void:
    """Replace `count` numbers of a column, from the cell `first` on, by e^x."""
    if count == 1:
        x[first] = _exp(x[first])
        return
    for lane in range(first, first + count):
        x[lane] = _exp(x[lane])


def log_all(x: cython.double[::1], first: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.void:
    """Replace `count` numbers of a column, from the cell `first` on, by log x."""
    if count == 1:
        x[first] = _log(x[first])
        return
    for lane in range(first, first + count):
        x[lane] = _log(x[lane])


def log1p_all(x: cython.double[::1], first: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.void:
    """Replace `count` numbers x ≥ 0 of a column, from the cell `first` on, by log(1 + x)."""
    if count == 1:
        x[first] = _log1p(x[first])
        return
    for lane in range(first, first + count):
        x[lane] = _log1p(x[lane])


def expm1_all(x: cython.double[::1], first: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.void:
    """Replace `count` numbers of a column, from the cell `first` on, by e^x − 1."""
    for lane in range(first, first + count):
        x[lane] = _expm1(x[lane])

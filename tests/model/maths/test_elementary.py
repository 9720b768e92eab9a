"""`exp`, `expm1`, `log` and `log1p` agree with mpmath; columns have the bits of single numbers, compiled or not."""

import math
import sys
from array import array

import mpmath
import numpy as np
import pytest

from prowess.model.maths import elementary
from tests.pure import load

TINY, NORMAL, HUGE = math.ulp(0.0), sys.float_info.min, sys.float_info.max
LN2 = math.log(2)
COUNT = 400  # numbers of each kind
MOST_ERROR = {"exp": 0.9, "expm1": 3.0, "log": 0.9, "log1p": 2.0}  # in units in the last place

functions = pytest.mark.parametrize("name", MOST_ERROR)


def positive(rng):
    """Return positive numbers of all sizes, from the smallest to the largest double."""
    bits = rng.integers(1, 0x7FEF_FFFF_FFFF_FFFF, COUNT)
    return [*bits.view(np.float64), *rng.integers(1, 2**52, COUNT // 4).view(np.float64)]


def arguments(name):
    rng = np.random.default_rng(8)
    if name == "exp":
        near = [*rng.uniform(-2, 2, COUNT), *(rng.choice([-1, 1], COUNT) * np.exp2(rng.uniform(-1074, 2, COUNT)))]
        # At odd multiples of ln 2/2, the remainder is largest; at −708.4, results become subnormal.
        edges = [math.nextafter(0.5 * k * LN2, side) for k in range(-2149, 2047) for side in (-1e9, 1e9)]
        chosen = rng.choice(edges, COUNT)
        return [*near, *chosen, *rng.uniform(-745.1, 709.78, COUNT), *rng.uniform(-745.1, -708.3, COUNT)]
    if name == "expm1":
        small = rng.choice([-1, 1], COUNT) * np.exp2(rng.uniform(-1000, 2, COUNT))
        return [*small, *rng.uniform(-2, 2, COUNT), *rng.uniform(-40, 700, COUNT)]
    numbers = [*positive(rng), TINY, 3 * TINY, math.nextafter(NORMAL, 0), NORMAL, HUGE]
    numbers += [*np.exp2(rng.uniform(-60, 60, COUNT)), *rng.uniform(0.4, 3, COUNT)]
    numbers += [1 + sign * 2.0**-k for k in range(1, 53) for sign in (-0.5, 1)]
    return numbers + [math.nextafter(root, side) for root in (2**0.5, 0.5**0.5) for side in (0, 2)]


def error(name, x, result):
    """Return the error of a result, in units in the last place of the exact value."""
    exact = getattr(mpmath, name)(mpmath.mpf(x))
    if exact == 0:
        return abs(result) / TINY
    _, exponent = mpmath.frexp(exact)
    return float(abs(mpmath.mpf(result) - exact) / mpmath.mpf(2) ** max(exponent - 53, -1074))


def bits(numbers):
    return array("d", numbers).tobytes()


@functions
def test_functions_agree_with_mpmath_over_their_whole_range(name):
    function = getattr(elementary, name)
    with mpmath.workprec(1200):  # 1 + x is then exact for the smallest x
        worst = max((error(name, x, function(x)), x) for x in map(float, arguments(name)))
    assert worst[0] < MOST_ERROR[name], worst


@pytest.mark.parametrize(
    ("name", "x", "wanted"),
    [
        ("exp", 0.0, 1.0),
        ("exp", -0.0, 1.0),
        ("exp", TINY, 1.0),
        ("exp", math.inf, math.inf),
        ("exp", 709.79, math.inf),
        ("exp", HUGE, math.inf),
        ("exp", -745.2, 0.0),
        ("exp", -HUGE, 0.0),
        ("exp", -math.inf, 0.0),
        ("exp", math.nan, math.nan),
        ("expm1", 0.0, 0.0),
        ("expm1", 1e-20, 1e-20),
        ("expm1", -HUGE, -1.0),
        ("expm1", math.nan, math.nan),
        ("log", 1.0, 0.0),
        ("log", 0.0, -math.inf),
        ("log", -0.0, -math.inf),
        ("log", math.inf, math.inf),
        ("log", -TINY, math.nan),
        ("log", -1.0, math.nan),
        ("log", -math.inf, math.nan),
        ("log", math.nan, math.nan),
        ("log1p", 0.0, 0.0),
        ("log1p", TINY, TINY),
        ("log1p", 1e-20, 1e-20),
        ("log1p", math.inf, math.inf),
        ("log1p", math.nan, math.nan),
    ],
)
def test_values_at_the_limits_are_exact(name, x, wanted):
    column = array("d", [x] * 3)
    getattr(elementary, f"{name}_all")(column, 0, 3)
    for result in (getattr(elementary, name)(x), *column):
        assert result == wanted or (math.isnan(result) and math.isnan(wanted))


def special(name):
    limits = [0.0, TINY, NORMAL, HUGE, math.inf, math.nan]
    return limits if name == "log1p" else [*limits, *(-x for x in limits)]


@functions
def test_column_of_any_length_has_the_bits_of_single_numbers(name):
    numbers = [*map(float, arguments(name)), *special(name) * 8]
    np.random.default_rng(3).shuffle(numbers)
    wanted = [getattr(elementary, name)(x) for x in numbers]
    for length in range(1, 71):
        first = 11 * length % (len(numbers) - 72)
        column = array("d", numbers[first : first + 72])
        getattr(elementary, f"{name}_all")(column, 1, length)
        expected = [numbers[first], *wanted[first + 1 : first + 1 + length], *numbers[first + 1 + length : first + 72]]
        assert bits(column) == bits(expected), length


@functions
def test_both_modes_of_the_functions_give_the_same_bits(name):
    numbers = [*map(float, arguments(name)), *special(name)]
    pure = load().model.maths.elementary
    results = []
    for package in (elementary, pure):
        column = array("d", numbers)
        getattr(package, f"{name}_all")(column, 0, len(column))
        results += [bits(column), bits([getattr(package, name)(x) for x in numbers])]
    assert len(set(results)) == 1

"""Write truncated.csv and special.csv with mpmath: moments of truncated normals, and special functions.

    python tests/golden/truncated.py

For x ~ N(m, v) given x > eps (kind win) or |x| ≤ eps (kind draw), truncated.csv has the mean and variance of x,
variance_ratio = variance/v, shift = (mean − m)/√v and log_z, the log-probability of the condition.
Draws with eps = 0 are left out: their mean and variance are exactly 0, and their log_z is −inf.
special.csv has the functions cdf, log_cdf and inverse_cdf of the standard normal, and mills, the ratio Φ(−x)/φ(x).
Arguments are exact doubles. Values have 20 digits, or are 0 if they underflow a double. Every value is computed
twice, the second time with twice the digits, and both must agree.
"""

import csv
import itertools
import math
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import NormalDist

import mpmath as mp

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.oracles.truncated import density, log1m, truncated, upper

HERE = Path(__file__).parent
DIGITS = 200  # with |m|/√v = 1e12 and eps/√v = 1e-18, a hundred digits cancel
SIZES = (1e-6, 1e-3, 0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 30.0, 50.0, 100.0, 1e3, 1e4, 1e5, 1e6)
MEANS = (0.0, *SIZES, *(-size for size in SIZES))
VARIANCES = (1e-12, 1e-9, 1e-6, 1e-3, 0.1, 1.0, 10.0, 100.0, 1e3, 1e6, 1e9, 1e12)
MARGINS = (0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 1.0, 3.0, 10.0, 100.0, 1e3, 1e6)


def main() -> None:
    """Write both files."""
    rng = random.Random(2010)
    rows = [moment_row(kind, *case) for kind in ("win", "draw") for case in moment_cases(kind, rng)]
    columns = ("kind", "m", "v", "eps", "mean", "variance", "variance_ratio", "shift", "log_z")
    write("truncated.csv", columns, rows)
    write("special.csv", ("function", "x", "value"), special_rows(rng))


def moment_cases(kind: str, rng: random.Random) -> list[tuple[float, float, float]]:
    """Return about 1,500 triples (m, v, eps): corner cases, a thinned grid, random triples and moderate ones."""
    extremes = itertools.product((0.0, 1e-6, 1e6, -1e6), (1e-12, 1.0, 1e12), (0.0, 1e-12, 1e-6, 1.0, 1e6))
    grid = list(itertools.product(MEANS, VARIANCES, MARGINS))
    cases = dict.fromkeys([*extremes, *rng.sample(grid, 850)])
    cases |= dict.fromkeys(anywhere(rng) for _ in range(250))
    cases |= dict.fromkeys(ordinary(rng) for _ in range(400))
    return [case for case in cases if kind == "win" or case[2] > 0]


def anywhere(rng: random.Random) -> tuple[float, float, float]:
    """Draw a triple evenly over the orders of magnitude."""
    m = rng.choice((-1, 1)) * 10 ** rng.uniform(-6, 6)
    return short(m), short(10 ** rng.uniform(-12, 12)), short(10 ** rng.uniform(-12, 6))


def ordinary(rng: random.Random) -> tuple[float, float, float]:
    """Draw a triple of moderate values, where implementations switch between formulas."""
    v = 10 ** rng.uniform(-2, 3)
    t, e = rng.choice((rng.uniform(-8, 8), rng.uniform(-45, 45))), 10 ** rng.uniform(-6, 1.3)
    return short(t * math.sqrt(v)), short(v), short(e * math.sqrt(v))


def short(x: float) -> float:
    """Return a double near x that prints in seven digits."""
    return float(f"{x:.7g}")


def moment_row(kind: str, m: float, v: float, eps: float) -> list[str]:
    """Return the moments of one case as text."""
    lo, hi = (eps, mp.inf) if kind == "win" else (-eps, eps)
    return [kind, repr(m), repr(v), repr(eps), *twice(lambda: truncated(m, v, lo, hi, mp.mp.dps))]


def twice(compute: Callable[[], tuple[mp.mpf, ...]]) -> list[str]:
    """Return the values of `compute` as text, after checking that twice the digits give the same text."""
    single, double = ([text(x) for x in at(compute, digits)] for digits in (DIGITS, 2 * DIGITS))
    if single != double:
        raise SystemExit(f"{DIGITS} digits are not enough: {single} against {double}")
    return single


def at(compute: Callable[[], tuple[mp.mpf, ...]], digits: int) -> tuple[mp.mpf, ...]:
    """Return the values of `compute` with the given number of digits."""
    with mp.workdps(digits):
        return compute()


def text(x: mp.mpf) -> str:
    """Format a number with twenty digits, or as 0 below the smallest double."""
    return "0" if abs(x) < mp.mpf("1e-330") else mp.nstr(x, 20)


def special_rows(rng: random.Random) -> Iterator[list[str]]:
    """Return all rows of special.csv."""
    functions = {
        "cdf": (lambda x: upper(-x), tails(rng, 38.5)),
        "log_cdf": (log_cdf, [*tails(rng, 38.5), *(-(10.0**k) for k in range(2, 9))]),
        "inverse_cdf": (inverse_cdf, probabilities(rng)),
        "mills": (lambda x: upper(x) / density(x), halves(rng)),
    }
    for name, (function, arguments) in functions.items():
        for x in sorted(dict.fromkeys(arguments)):
            yield [name, repr(x), *twice(lambda f=function, x=x: (f(mp.mpf(x)),))]


def tails(rng: random.Random, end: float) -> list[float]:
    """Return small and large arguments on both sides of 0."""
    steps = [i / 4 for i in range(int(-4 * end), int(4 * end) + 1)]
    near = [sign * 10.0**-k for sign in (-1, 1) for k in range(1, 20, 3)]
    return steps + near + [short(rng.uniform(-end, end)) for _ in range(100)]


def halves(rng: random.Random) -> list[float]:
    """Return arguments for the Mills ratio, from −37 to 1e8."""
    steps = [i / 4 for i in range(-4 * 37, 4 * 40 + 1)]
    return steps + [short(10 ** rng.uniform(-8, 8)) for _ in range(150)] + [10.0**k for k in range(-8, 9)]


def probabilities(rng: random.Random) -> list[float]:
    """Return probabilities from 1e-300 to 1 − 1e-16."""
    low = [10.0**-k for k in (300, 250, 200, 150, 100, 60, 40, 30, 20, 16, 12, 9, 8, 7, 6, 5, 4, 3, 2, 1)]
    high = [1 - 10.0**-k for k in range(1, 17)]
    middle = [i / 40 for i in range(1, 40)] + [0.5 + sign * 10.0**-k for sign in (-1, 1) for k in range(2, 16)]
    return low + high + middle + [short(10 ** rng.uniform(-300, 0)) for _ in range(50)]


def log_cdf(x: mp.mpf) -> mp.mpf:
    """Return log Φ(x)."""
    return log1m(upper(x)) if x > 0 else mp.log(upper(-x))


def inverse_cdf(p: mp.mpf) -> mp.mpf:
    """Return Φ⁻¹(p), found by Newton's method on log Φ of the smaller tail."""
    if p > 0.5:
        return -inverse_lower(1 - p)
    return inverse_lower(p)


def inverse_lower(p: mp.mpf) -> mp.mpf:
    """Return the x ≤ 0 with Φ(x) = p."""
    x, goal = mp.mpf(NormalDist().inv_cdf(float(p))), mp.log(p)
    for _ in range(12):
        cdf = upper(-x)
        x -= (mp.log(cdf) - goal) * cdf / density(x)
    return x


def write(name: str, columns: tuple[str, ...], rows) -> None:
    """Write a CSV file beside this script."""
    rows = list(rows)
    with (HERE / name).open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *rows])
    print(f"{name}: {len(rows)} rows, {(HERE / name).stat().st_size} bytes")


if __name__ == "__main__":
    main()

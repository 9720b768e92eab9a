"""Compute and print the coefficients of the polynomials in `prowess.model.maths.elementary`.

    python tools/elementary_polynomials.py

`exp` needs (eʳ − 1 − r)/r² for |r| ≤ ln 2/2. `log` needs (log((1 + s)/(1 − s)) − 2s)/s³ as a polynomial in s², for
s = (m − 1)/(m + 1) and √½ ≤ m ≤ √2. Both polynomials interpolate the function at Chebyshev nodes, in 60 digits.
"""

import mpmath as mp

mp.mp.dps = 60


def interpolate(function, low, high, degree):
    """Return the coefficients of the interpolating polynomial, lowest degree first."""
    count = degree + 1
    nodes = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    matrix = mp.matrix(count, count)
    for i, x in enumerate(nodes):
        for k in range(count):
            matrix[i, k] = x**k
    return list(mp.lu_solve(matrix, mp.matrix([function(x) for x in nodes])))


def show(name, function, low, high, degree):
    """Print the coefficients and the largest error on a fine grid."""
    coefficients = interpolate(function, low, high, degree)
    grid = [low + (high - low) * (k + mp.mpf(1) / 3) / 1000 for k in range(1000)]
    worst = max(abs(mp.polyval(coefficients[::-1], x) - function(x)) for x in grid)
    print(name, "largest error", mp.nstr(worst, 3))
    print(*(mp.nstr(c, 20) for c in coefficients), sep="\n  ")


if __name__ == "__main__":
    half = mp.log(2) / 2
    show("exp", lambda r: (mp.exp(r) - 1 - r) / r**2 if abs(r) > 1e-20 else mp.mpf(1) / 2, -half, half, 10)
    ratio = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)
    show("log", lambda z: (2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 2) / z, mp.mpf(0), ratio**2, 6)

"""Find the rational approximation of the Mills ratio that `prowess.model.gauss` holds; prints its coefficients.

    python tools/mills_rational.py

The ratio Φ(−x)/φ(x) on [0, 5] is approximated by P(x)/Q(x), degrees 7 and 8, by least squares on Chebyshev nodes of
the relative error (Sanathanan–Koerner iteration) in 60 digits. All coefficients come out positive, so that Horner's
rule loses nothing to cancellation.
"""

import mpmath as mp

mp.mp.dps = 60
UPPER, P_DEGREE, Q_DEGREE = mp.mpf(5), 7, 8


def mills(x):
    """Φ(−x)/φ(x)."""
    return mp.sqrt(mp.pi / 2) * mp.erfc(x / mp.sqrt(2)) * mp.exp(x * x / 2)


def fit():
    """The coefficients of P and Q, lowest first, Q[0] = 1."""
    count = 3 * (P_DEGREE + Q_DEGREE + 1)
    nodes = [UPPER / 2 * (1 + mp.cos(mp.pi * (2 * k + 1) / (2 * count))) for k in range(count)]
    weights = [mp.mpf(1)] * count
    for _ in range(6):
        a, b = mp.matrix(count, P_DEGREE + Q_DEGREE + 1), mp.matrix(count, 1)
        for i, x in enumerate(nodes):
            b[i] = weights[i]
            for k in range(P_DEGREE + 1):
                a[i, k] = weights[i] * x**k / mills(x)
            for k in range(1, Q_DEGREE + 1):
                a[i, P_DEGREE + k] = -weights[i] * x**k
        solution = mp.lu_solve(a, b)
        p, q = list(solution[: P_DEGREE + 1]), [mp.mpf(1), *solution[P_DEGREE + 1 :]]
        weights = [1 / mp.polyval(q[::-1], x) for x in nodes]
    return p, q


if __name__ == "__main__":
    p, q = fit()
    grid = [UPPER * k / 1000 for k in range(1001)]
    worst = max(abs(mp.polyval(p[::-1], x) / mp.polyval(q[::-1], x) / mills(x) - 1) for x in grid)
    print("P", *(mp.nstr(c, 20) for c in p), sep="\n  ")
    print("Q", *(mp.nstr(c, 20) for c in q), sep="\n  ")
    print("largest relative error", mp.nstr(worst, 3))

"""Compute and print the coefficients of the two rational approximations in `prowess.model.maths.normal`.

    python tools/mills_rational.py

For 0 ≤ x ≤ 5, the Mills ratio Φ(−x)/φ(x) is approximated by P(x)/Q(x). For x ≥ 5, it follows from the ratio ρ₂ of its
continued fraction, and x ρ₂ is approximated by P(y)/Q(y) with y = 1/x². Both fits minimise the squared relative error
on Chebyshev nodes (Sanathanan–Koerner iteration), in 60 digits. All coefficients are positive, so no digits are lost to
cancellation.
"""

import mpmath as mp

mp.mp.dps = 60


def mills(x):
    """Return the Mills ratio Φ(−x)/φ(x)."""
    return mp.sqrt(mp.pi / 2) * mp.erfc(x / mp.sqrt(2)) * mp.exp(x * x / 2)


def far(y):
    """Return x ρ₂(x) at y = 1/x², from 1/ρ₀ = x + ρ₁ and 1/ρ₁ = x + 2ρ₂; at y = 0 it is 1."""
    if y < mp.mpf(10) ** -8:  # ρ₂ = 1/x − 3/x³ + …; the recurrence would lose its digits
        return 1 - 3 * y + 21 * y**2 - 207 * y**3
    x = 1 / mp.sqrt(y)
    with mp.workdps(120):
        first = 1 / mills(x) - x
        return x * (1 / first - x) / 2


def fit(function, upper, p_degree, q_degree):
    """Return the coefficients of P and Q on [0, upper], lowest degree first, with Q[0] = 1."""
    count = 3 * (p_degree + q_degree + 1)
    nodes = [upper / 2 * (1 + mp.cos(mp.pi * (2 * k + 1) / (2 * count))) for k in range(count)]
    values = [function(x) for x in nodes]
    weights = [mp.mpf(1)] * count
    for _ in range(6):
        a, b = mp.matrix(count, p_degree + q_degree + 1), mp.matrix(count, 1)
        for i, x in enumerate(nodes):
            b[i] = weights[i]
            for k in range(p_degree + 1):
                a[i, k] = weights[i] * x**k / values[i]
            for k in range(1, q_degree + 1):
                a[i, p_degree + k] = -weights[i] * x**k
        solution = mp.lu_solve(a, b)
        p, q = list(solution[: p_degree + 1]), [mp.mpf(1), *solution[p_degree + 1 :]]
        weights = [1 / mp.polyval(q[::-1], x) for x in nodes]
    return p, q


def show(name, function, upper, p_degree, q_degree):
    """Print the coefficients and the largest relative error on a fine grid."""
    p, q = fit(function, upper, p_degree, q_degree)
    grid = [upper * k / 1000 for k in range(1, 1001)]
    worst = max(abs(mp.polyval(p[::-1], x) / mp.polyval(q[::-1], x) / function(x) - 1) for x in grid)
    print(name, "largest relative error", mp.nstr(worst, 3))
    print("P", *(mp.nstr(c, 20) for c in p), sep="\n  ")
    print("Q", *(mp.nstr(c, 20) for c in q), sep="\n  ")


if __name__ == "__main__":
    show("Mills ratio, x below 5:", mills, mp.mpf(5), 7, 8)
    show("x times the second ratio, x from 5:", far, 1 / mp.mpf(25), 6, 6)

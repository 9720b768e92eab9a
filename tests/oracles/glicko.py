"""Glicko and Glicko-2 as in Glickman's papers, for one player and the games of one rating period."""

from math import exp, log, pi, sqrt

Q = log(10.0) / 400.0
SCALE = 400.0 / log(10.0)


def g(rd):
    return 1.0 / sqrt(1.0 + 3.0 * Q**2 * rd**2 / pi**2)


def expected(r, other, rd):
    return 1.0 / (1.0 + 10.0 ** (-g(rd) * (r - other) / 400.0))


def glicko(r, rd, games):
    """Return rating and deviation after games (opponent's rating and deviation, score): Stout (2025), equation (8)."""
    information = Q**2 * sum(g(d) ** 2 * expected(r, o, d) * (1.0 - expected(r, o, d)) for o, d, _ in games)
    precision = 1.0 / rd**2 + information
    return r + Q / precision * sum(g(d) * (s - expected(r, o, d)) for o, d, s in games), sqrt(1.0 / precision)


def glicko2(r, rd, sigma, games, tau=0.5, tolerance=1e-12):
    """Return rating, deviation and volatility: Glickman, Example of the Glicko-2 system, steps 2 to 8."""
    phi = rd / SCALE
    v = 1.0 / sum(g(d) ** 2 * expected(r, o, d) * (1.0 - expected(r, o, d)) for o, d, _ in games)
    total = sum(g(d) * (s - expected(r, o, d)) for o, d, s in games)
    sigma = volatility(phi, sigma, v, v * total, tau, tolerance)
    phi = 1.0 / sqrt(1.0 / (phi**2 + sigma**2) + 1.0 / v)
    return r + SCALE * phi**2 * total, SCALE * phi, sigma


def volatility(phi, sigma, v, delta, tau, tolerance=1e-12):
    """Return the new volatility by the Illinois algorithm (step 5)."""
    a = log(sigma**2)

    def f(x):
        return exp(x) * (delta**2 - phi**2 - v - exp(x)) / (2.0 * (phi**2 + v + exp(x)) ** 2) - (x - a) / tau**2

    low = a
    if delta**2 > phi**2 + v:
        high = log(delta**2 - phi**2 - v)
    else:
        k = 1
        while f(a - k * tau) < 0.0:
            k += 1
        high = a - k * tau
    at_low, at_high = f(low), f(high)
    while abs(high - low) > tolerance:
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = f(middle)
        if at_middle * at_high <= 0.0:
            low, at_low = high, at_high
        else:
            at_low /= 2.0
        high, at_high = middle, at_middle
    return exp(low / 2.0)

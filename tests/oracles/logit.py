"""The log-evidence of `Logit` and its derivatives, by integration in 34 digits with mpmath."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import mpmath
from mpmath import mpf

DIGITS = 34
REACH = 15  # standard deviations; beyond, a density is below 1e-48 of its peak
NEAR = (1, 2, 3, *(round(4 * 1.5**k) for k in range(30)))  # ends of panels around 0, where the logistic curve bends


@cache
def _nodes() -> list[tuple[mpf, mpf]]:
    """Return 24 nodes and weights of Gauss–Legendre quadrature on [−1, 1]."""
    with mpmath.workdps(DIGITS):
        return mpmath.calculus.quadrature.GaussLegendre(mpmath.mp).calc_nodes(4, int(DIGITS * 3.33))


def _panels(gap: mpf, variance: mpf) -> list[mpf]:
    """Return the ends of panels that are narrow near 0, and near the peaks of N(gap, variance) times e^(k z/2).

    The tails of the logistic curve, and of its powers, are such exponential functions.
    """
    width = mpmath.sqrt(variance)
    tilted = [(k, gap + k * variance / 2) for k in range(-4, 5)]
    peaks = [peak for k, peak in tilted if k * peak <= 0]
    ends = {peak + k * width for peak in peaks for k in range(-REACH, REACH + 1, 3)} | set(peaks)
    low, high = min(ends), max(ends)
    if any(k * peak > 0 for k, peak in tilted):  # a tilted density has its peak where the curve bends
        low, high = min(low, -REACH * width), max(high, REACH * width)
    ends |= {sign * end for end in NEAR for sign in (-1, 1)} | {mpf(0)}
    least = min(width, mpf(1)) / 2
    chosen = [low]
    for end in sorted(end for end in ends if low < end <= high):
        if end - chosen[-1] > least:
            chosen.append(end)
    return chosen


@cache
def moments(gap: float, variance: float) -> dict[float, tuple[float, float, float, float]]:
    """Return, by result, log Z, its first two derivatives by the gap, and the share of the variance that is left.

    The likelihood of the result 1, ½ or 0 is σ(z), √(σ(z)σ(−z)) or σ(−z) for z ~ N(gap, variance), where σ(z) is
    1/(1 + e^−z).
    """
    with mpmath.workdps(DIGITS):
        m, v = mpf(gap), mpf(variance)
        sums = {result: [mpf(0)] * 6 for result in (1.0, 0.5, 0.0)}
        panels = _panels(m, v)
        for low, high in pairwise(panels):
            for node, weight in _nodes():
                x = (low + high) / 2 + (high - low) / 2 * node
                odds = mpmath.exp(-x)
                win, loss = 1 / (1 + odds), odds / (1 + odds)
                density = (high - low) * weight * mpmath.exp(-((x - m) ** 2) / (2 * v))
                averaged = 1, win, loss, win * loss, win * win, loss * loss
                for result, like in ((1.0, win), (0.5, mpmath.sqrt(averaged[3])), (0.0, loss)):
                    p = density * like
                    sums[result] = [total + p * value for total, value in zip(sums[result], averaged, strict=True)]
        return {result: _derivatives(result, m, v, *sums[result]) for result in sums}


def _derivatives(
    result: float, m: mpf, v: mpf, z: mpf, wins: mpf, losses: mpf, both: mpf, wins_2: mpf, losses_2: mpf
) -> tuple[float, float, float, float]:
    # With L the log-likelihood, the derivatives are E L′ and E L″ + var L′; L′ varies as σ(z) and as σ(−z) do.
    slope = (result * losses - (1 - result) * wins) / z
    spread = losses_2 / z - (losses / z) ** 2 if m > 0 else wins_2 / z - (wins / z) ** 2
    bend = spread - both / z
    log_z = mpmath.log(z / 2 / mpmath.sqrt(2 * mpmath.pi * v))
    return float(log_z), float(slope), float(bend), float(1 + v * bend)

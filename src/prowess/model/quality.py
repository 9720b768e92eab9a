"""Match quality: the probability of a draw relative to that of a match between equal and certain teams.

TrueSkill, equation (7), for any number of teams. With one row of A for each pair of neighbours, both matrices of the
formula are tridiagonal; their factors are found without a subtraction, their determinants in logarithms, in one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

from ..errors import Error

__all__ = ["quality"]


def quality(means: Sequence[float], variances: Sequence[float], noises: Sequence[float]) -> float:
    """√(det(β²AAᵀ)/det(β²AAᵀ + AΣAᵀ)) exp(−½ μᵀAᵀ(β²AAᵀ + AΣAᵀ)⁻¹Aμ), from the teams' prior performances.

    `noises` is the part of each variance that is performance noise. The order of the teams does not matter.

    >>> round(quality([25, 25], [86.8, 86.8], [17.36, 17.36]), 3)
    0.447
    """
    if min(noises) <= 0.0:
        raise Error("match quality needs performance noise; give the model a beta above 0")
    log_noise, _ = _factor(noises, [0.0] * len(noises))
    log_all, square = _factor(variances, means)
    return exp(0.5 * (log_noise - log_all - square))


def _factor(variances: Sequence[float], means: Sequence[float]) -> tuple[float, float]:
    """log det and yᵀM⁻¹y of the covariance M of the neighbours' differences y.

    The pivots are d = V' + e with e = V e/d of the step before: sums and products of positive numbers only.
    """
    log_det = square = solved = 0.0
    pivot, rest = 1.0, 1.0
    for k in range(len(variances) - 1):
        rest = variances[k] * (rest / pivot if k else 1.0)
        solved = means[k] - means[k + 1] + (variances[k] / pivot * solved if k else 0.0)
        pivot = variances[k + 1] + rest
        log_det += log(pivot)
        square += solved / pivot * solved
    return log_det, square

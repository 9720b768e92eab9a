"""Match quality: the draw probability, divided by that of a match between equal teams with known skills.

The formula is equation (7) of the TrueSkill paper, for any number of teams. The matrix A has one row for each pair of
neighbouring teams, so both matrices of the formula (see `quality`) are tridiagonal. Their factors and log-determinants
are computed in one pass, without subtractions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Error

Floats = NDArray[np.float64]


def quality(means: Sequence[float], variances: Sequence[float], noises: Sequence[float]) -> float:
    """Return the quality of a match, from 0 to 1, for the teams' performances.

    The quality is √(det(β²AAᵀ)/det(β²AAᵀ + AΣAᵀ)) exp(−½ μᵀAᵀ(β²AAᵀ + AΣAᵀ)⁻¹Aμ), equation (7) of the TrueSkill paper.

    `noises` is the part of each variance that is performance noise. The order of the teams does not matter.

    >>> round(quality([25, 25], [86.8, 86.8], [17.36, 17.36]), 3)
    0.447
    """
    check_noise(min(noises))
    # Determinants of thousands of teams would overflow; their logarithms do not.
    log_noise, _ = _factor(noises, [0.0] * len(noises))
    log_all, square = _factor(variances, means)
    return exp(0.5 * (log_noise - log_all - square))


def qualities(match_start: NDArray[np.int32], means: Floats, variances: Floats, noises: Floats) -> Floats:
    """Return the quality of every match of a history; the arguments are columns over all teams of the history.

    Matches with the same number of teams are computed together.

    >>> import numpy as np
    >>> team = np.full(5, 25.0), np.full(5, 86.8), np.full(5, 17.36)
    >>> qualities(np.array([0, 2, 5], np.int32), *team).round(3)
    array([0.447, 0.2  ])
    """
    teams = np.diff(match_start)
    result = np.ones(len(teams))
    for size in np.unique(teams[teams > 1]):
        match = np.flatnonzero(teams == size)
        team = match_start[match] + np.arange(size)[:, None]
        result[match] = np.exp(log_qualities(means[team], variances[team], noises[team]))
    return result


def log_qualities(means: Floats, variances: Floats, noises: Floats) -> Floats:
    """Return the logarithm of the quality of many matches: rows are teams, columns are matches.

    The logarithm still distinguishes matches that are so one-sided that their quality underflows to 0.

    >>> import numpy as np
    >>> np.exp(log_qualities(np.full((2, 1), 25.0), np.full((2, 1), 86.8), np.full((2, 1), 17.36))).round(3)
    array([0.447])
    """
    check_noise(noises.min(initial=1.0))
    log_noise, _ = _factor(noises, np.zeros((len(noises), 1)), np.log)
    log_all, square = _factor(variances, means, np.log)
    result: Floats = 0.5 * (log_noise - log_all - square)
    return result


def check_noise(least: float) -> None:
    """Raise an `Error` if there is no performance noise. Without noise, the quality of unequal teams would be 0.

    >>> check_noise(0.0)
    Traceback (most recent call last):
    ...
    prowess.Error: match quality needs performance noise; give the model a beta above 0
    """
    if least <= 0.0:
        raise Error("match quality needs performance noise; give the model a beta above 0")


def _factor(variances: Any, means: Any, log: Callable[[Any], Any] = log) -> tuple[Any, Any]:
    """Return log det M and yᵀM⁻¹y for the differences y between neighbouring teams, which have the covariance M.

    The arguments describe one match or many. The pivots are d_k = V_(k+1) + e_k with e_k = V_k e_(k-1) / d_(k-1): sums
    and products of positive numbers only.
    """
    log_det = square = solved = 0.0
    pivot, rest = 1.0, 1.0
    for k in range(len(variances) - 1):
        # M is tridiagonal, so its factors take linear time and no matrix.
        rest = variances[k] * (rest / pivot if k else 1.0)
        solved = means[k] - means[k + 1] + (variances[k] / pivot * solved if k else 0.0)
        pivot = variances[k + 1] + rest
        log_det = log_det + log(pivot)
        square = square + solved / pivot * solved
    return log_det, square

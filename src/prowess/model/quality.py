"""Match quality: the probability of a draw relative to that of a match between equal and certain teams.

TrueSkill, equation (7), for any number of teams. With one row of A for each pair of neighbours, both matrices of the
formula are tridiagonal; their factors are found without a subtraction, their determinants in logarithms, in one pass.
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
    """√(det(β²AAᵀ)/det(β²AAᵀ + AΣAᵀ)) exp(−½ μᵀAᵀ(β²AAᵀ + AΣAᵀ)⁻¹Aμ), from the teams' prior performances.

    `noises` is the part of each variance that is performance noise. The order of the teams does not matter.

    >>> round(quality([25, 25], [86.8, 86.8], [17.36, 17.36]), 3)
    0.447
    """
    check_noise(min(noises))
    log_noise, _ = _factor(noises, [0.0] * len(noises))
    log_all, square = _factor(variances, means)
    return exp(0.5 * (log_noise - log_all - square))


def qualities(match_start: NDArray[np.int32], means: Floats, variances: Floats, noises: Floats) -> Floats:
    """The quality of every match of a history, from columns over its teams; matches of one size are one calculation.

    >>> import numpy as np
    >>> team = np.full(5, 25.0), np.full(5, 86.8), np.full(5, 17.36)
    >>> qualities(np.array([0, 2, 5], np.int32), *team).round(3)
    array([0.447, 0.2  ])
    """
    teams = np.diff(match_start)
    found = np.ones(len(teams))
    for size in np.unique(teams[teams > 1]):
        match = np.flatnonzero(teams == size)
        team = match_start[match] + np.arange(size)[:, None]
        found[match] = np.exp(log_qualities(means[team], variances[team], noises[team]))
    return found


def log_qualities(means: Floats, variances: Floats, noises: Floats) -> Floats:
    """The logarithm of the quality of many matches, a row for each team and a column for each match.

    It tells two matches apart that are so one-sided that the quality of both is 0.

    >>> import numpy as np
    >>> np.exp(log_qualities(np.full((2, 1), 25.0), np.full((2, 1), 86.8), np.full((2, 1), 17.36))).round(3)
    array([0.447])
    """
    check_noise(noises.min(initial=1.0))
    log_noise, _ = _factor(noises, np.zeros((len(noises), 1)), np.log)
    log_all, square = _factor(variances, means, np.log)
    found: Floats = 0.5 * (log_noise - log_all - square)
    return found


def check_noise(least: float) -> None:
    """Without noise in performances, no match of teams that differ would be fair at all.

    >>> check_noise(0.0)
    Traceback (most recent call last):
    ...
    prowess.Error: match quality needs performance noise; give the model a beta above 0
    """
    if least <= 0.0:
        raise Error("match quality needs performance noise; give the model a beta above 0")


def _factor(variances: Any, means: Any, log: Callable[[Any], Any] = log) -> tuple[Any, Any]:
    """log det and yᵀM⁻¹y of the covariance M of the neighbours' differences y; of one match, or of columns of them.

    The pivots are d = V' + e with e = V e/d of the step before: sums and products of positive numbers only.
    """
    log_det = square = solved = 0.0
    pivot, rest = 1.0, 1.0
    for k in range(len(variances) - 1):
        rest = variances[k] * (rest / pivot if k else 1.0)
        solved = means[k] - means[k + 1] + (variances[k] / pivot * solved if k else 0.0)
        pivot = variances[k + 1] + rest
        log_det = log_det + log(pivot)
        square = square + solved / pivot * solved
    return log_det, square

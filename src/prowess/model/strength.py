"""What was expected of every team, as one number: the mean of its performance before the match."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import Error
from .forecasts import Forecasts

__all__ = ["performance", "strength"]

Floats = NDArray[np.float64]


def strength(forecasts: Forecasts) -> Floats:
    """The expected performance of every team; the team with the higher one is expected to finish ahead.

    Offence and defence of a team make one number: the defence counts once for each opponent, whose scores it takes
    part in, and so by 1/(k − 1) where k teams meet.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["ann"], ["bob"]]}])
    >>> strength(pw.TrueSkill().fit(history).forecasts).round(2)
    array([25. , 25. , 29.4, 20.6])
    """
    _check(forecasts)
    if forecasts.mean.ndim == 1:
        return forecasts.mean
    return forecasts.mean[:, 0] + _share(forecasts) * forecasts.mean[:, 1]


def performance(forecasts: Forecasts) -> Floats:
    """The variance of every team's performance, in the same sense: what is not known of skill, and noise.

    Among more than two teams also the normal noise of scores; of two, `win` and `draw` tell of it.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
    >>> performance(pw.TrueSkill().fit(history).forecasts).round(2)
    array([86.81, 86.81])
    """
    _check(forecasts)
    found: Floats
    if forecasts.variance.ndim == 1:
        found = forecasts.outcome.performance(forecasts.variance)
    else:
        found = forecasts.variance[:, 0] + _share(forecasts) ** 2 * forecasts.variance[:, 1]
    if forecasts.scatter is None or not forecasts.scatter.any():
        return found
    return found + np.repeat(forecasts.scatter, np.diff(forecasts.history.match_start))


def _check(forecasts: Forecasts) -> None:
    """A comparison keeps the chances of two teams alone; kernels that count teams would read beyond their end."""
    if len(forecasts.mean) != forecasts.history.teams:
        raise Error("these forecasts hold win and draw alone: a measure of performances cannot have chances=True")


def _share(forecasts: Forecasts) -> Floats:
    """How much a team's defence counts: 1/(k − 1)."""
    teams = np.diff(forecasts.history.match_start)
    return np.repeat(1.0 / np.maximum(teams - 1, 1), teams)

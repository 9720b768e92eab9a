"""How far predicted places are from those that were taken, where the first places count most."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...model.fit.forecasts import Forecasts, strength
from ...model.fit.pairs import count_ahead
from .tally import Tally, views

__all__ = ["place_error"]


def place_error(forecasts: Forecasts) -> Tally:
    """√(Σᵢ (xᵢ − yᵢ)²/√i) of every match: Nikolenko, Sirotkin (2010), section 5.

    i counts the teams as they finished, x is a team's place and y the predicted one. Teams that are tied have the mean
    of the places, and of the weights 1/√i, that they share.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["ann"]]}])
    >>> place_error(pw.TrueSkill().fit(history).forecasts).values.round(3)
    array([0.653, 1.307])
    """
    start = forecasts.history.match_start
    if not len(forecasts):
        return Tally(np.zeros(0), np.zeros(0))
    before, beside = _standing(start, forecasts.history.place)
    ahead, level = _standing(start, -strength(forecasts))
    discount = np.cumsum(1.0 / np.sqrt(np.arange(1, np.diff(start).max() + 1)))
    discount = np.concatenate([[0.0], discount])
    weight = (discount[before + beside + 1] - discount[before]) / (beside + 1)
    off = weight * (before + 0.5 * beside - (ahead + 0.5 * level)) ** 2
    return Tally(np.sqrt(np.add.reduceat(off, start[:-1])), np.ones(len(forecasts)))


def _standing(start: NDArray[np.int32], key: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """How many teams of its match are before each team by a key, the lowest first, and how many others beside it."""
    ahead, level = np.empty(len(key), np.int32), np.empty(len(key), np.int32)
    count_ahead(*views(start, np.ascontiguousarray(key, np.float64), ahead, level))
    return ahead, level

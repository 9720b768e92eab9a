"""How far predicted places are from those that were taken, where the first places count most."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...model.forecasts import Forecasts
from .strength import strength
from .tally import Floats, Tally

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
    history = forecasts.history
    match = np.repeat(np.arange(len(history)), np.diff(history.match_start))
    taken, order = _mid_ranks(history.match_start, match, history.place)
    predicted, _ = _mid_ranks(history.match_start, match, -strength(forecasts))
    off = order * (taken - predicted) ** 2
    return Tally(np.sqrt(np.bincount(match, off, minlength=len(history))), np.ones(len(history)))


def _mid_ranks(
    start: NDArray[np.int32], match: NDArray[np.intp], key: NDArray[np.int32] | Floats
) -> tuple[Floats, Floats]:
    """The place of every team in its match by a key, lowest first, and its weight 1/√i; those who tie share both."""
    by = np.lexsort((key, match))
    place = np.arange(len(key)) - np.repeat(start[:-1], np.diff(start)) + 1.0
    fresh = np.ones(len(key), bool)
    fresh[1:] = (match[by][1:] != match[by][:-1]) | (key[by][1:] != key[by][:-1])
    group = np.cumsum(fresh) - 1
    size = np.bincount(group)
    rank, weight = np.empty(len(key)), np.empty(len(key))
    rank[by] = (np.bincount(group, place) / size)[group]
    weight[by] = (np.bincount(group, 1.0 / np.sqrt(place)) / size)[group]
    return rank, weight

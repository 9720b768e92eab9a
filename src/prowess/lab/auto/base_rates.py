"""Forecasts that ignore who plays: they use only the share of draws and of home wins so far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...history import History
from ...history.ragged import Floats

PSEUDO = 1.0  # results of each kind that are assumed at the start


def base_rate_losses(history: History) -> Floats:
    """Return the loss of every match if only the shares of earlier results are known, in nats.

    Matches of two teams are won by the home team, drawn, or won by the visitors; without a home team both are equally
    likely to win. In other matches, each order of two teams is equally likely.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["ann"]], "ranks": [1, 1]}])
    >>> base_rate_losses(history).round(3)
    array([1.099, 1.386])
    """
    if not len(history) or (np.diff(history.match_start) != 2).any():
        return np.full(len(history), np.log(2.0))
    first, second = history.place[::2], history.place[1::2]
    home: NDArray[np.int64] = np.full(len(history), -1) if history.home is None else history.home.astype(np.int64)
    drawn = first == second
    won_by_home = np.where(home == 1, second < first, first < second) & (home >= 0)
    losses = np.empty(len(history))
    for at_home in (False, True):
        chosen = (home >= 0) == at_home
        draws = _earlier(drawn[chosen])
        wins = _earlier(won_by_home[chosen])
        total = np.arange(len(draws)) + 3.0 * PSEUDO
        draw = (draws + PSEUDO) / total
        win = (wins + PSEUDO) / total if at_home else 0.5 * (1.0 - draw)
        loss = 1.0 - draw - win
        actual = np.where(drawn[chosen], draw, np.where(won_by_home[chosen], win, loss))
        losses[chosen] = -np.log(actual)
    return losses


def _earlier(happened: NDArray[np.bool_]) -> Floats:
    return np.cumsum(happened) - happened.astype(np.float64)

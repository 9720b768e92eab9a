"""Forecasts that ignore who plays: they use only the shares of draws and of home wins in earlier matches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...history import History
from ...history.ragged import Floats

PSEUDO = 1.0  # each kind of result is assumed to have happened this often before the first match


def base_rate_losses(history: History) -> Floats:
    """Return each match's loss, in nats, if forecasts use only the shares of results in earlier matches.

    The results of a match with a home team are a home win, a draw and an away win. Without a home team, only the
    share of draws is used, and both teams are equally likely to win. If any match of the history has more than two
    teams, the loss of every match is log 2, as for a coin toss.

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

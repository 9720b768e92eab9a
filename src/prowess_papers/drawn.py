"""How often neighbours in the final order share their place: what draw margins are made of."""

from __future__ import annotations

import numpy as np

from prowess.history import History
from prowess.history.ragged import owners
from prowess.lab.measures.tally import Floats

__all__ = ["draw_rate", "drawn_neighbours"]


def drawn_neighbours(history: History) -> Floats:
    """How many neighbours of each match, by place, share their place.

    >>> history = History.from_matches([{"teams": [["a"], ["b"], ["c"]], "ranks": [1, 2, 2]}])
    >>> drawn_neighbours(history)
    array([1.])
    """
    match = owners(history.match_start)
    places = np.unique(match.astype(np.int64) * (1 + history.place.max(initial=0)) + history.place)
    different = np.bincount(places // (1 + history.place.max(initial=0)), minlength=len(history))
    return (np.diff(history.match_start) - different).astype(np.float64)


def draw_rate(history: History) -> float:
    """The share of drawn pairs among neighbouring teams: the "empirical draw probability" of Herbrich et al. (2006).

    It looks at all matches that it is given, also at those still to be predicted, as the paper does.

    >>> draw_rate(History.from_matches([{"teams": [["a"], ["b"], ["c"]], "ranks": [1, 2, 2]}]))
    0.5
    """
    pairs = len(history.place) - len(history)
    return float(drawn_neighbours(history).sum()) / pairs

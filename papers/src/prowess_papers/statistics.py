"""Statistics that several papers use: intervals of means over matches, and how often neighbours draw."""

from __future__ import annotations

from math import sqrt

import numpy as np

from prowess.history import History
from prowess.history.ragged import Floats, owners
from prowess.lab.interval import Interval
from prowess.lab.measures.tally import Tally, Where

# These functions compute 95 % intervals by the delta method, which can compare measures over different matches. The
# resampled histories of `lab.bootstrap` can only compare measures over the same matches.


def mean_interval(tally: Tally, where: Where = None) -> Interval:
    """Return the mean of a measure over the selected matches, with its interval.

    >>> print(mean_interval(Tally(np.array([0.0, 1.0, 1.0, 0.0]), np.ones(4))))
    0.50 (0.01 to 0.99)
    """
    return Interval.normal(tally.mean(where), sqrt(float(np.sum(_influence(tally, where) ** 2))))


def difference_interval(first: Tally, other: Tally, where: Where = None, against: Where = None) -> Interval:
    """Return the difference of the means of two measures; `against` selects other matches for the second measure.

    >>> both = Tally(np.array([0.0, 1.0, 1.0, 0.0]), np.ones(4))
    >>> difference_interval(both, both)
    Interval(value=0.0, low=0.0, high=0.0)
    """
    against = where if against is None else against
    apart = _influence(first, where) - _influence(other, against)
    return Interval.normal(first.mean(where) - other.mean(against), sqrt(float(np.sum(apart**2))))


def _influence(tally: Tally, where: Where) -> Floats:
    """Return how much each match moves the mean, to first order: (total − mean · weight)/Σ weight."""
    chosen = np.zeros(len(tally))
    chosen[slice(None) if where is None else where] = 1.0
    moved: Floats = chosen * (tally.total - tally.mean(where) * tally.weight) / float(tally.weight @ chosen)
    return moved


def drawn_neighbours(history: History) -> Floats:
    """Return, for each match, how many pairs of neighbours in the finishing order share a place.

    >>> history = History.from_matches([{"teams": [["a"], ["b"], ["c"]], "ranks": [1, 2, 2]}])
    >>> drawn_neighbours(history)
    array([1.])
    """
    match = owners(history.match_start)
    places = np.unique(match.astype(np.int64) * (1 + history.place.max(initial=0)) + history.place)
    different = np.bincount(places // (1 + history.place.max(initial=0)), minlength=len(history))
    return (np.diff(history.match_start) - different).astype(np.float64)


def draw_rate(history: History) -> float:
    """Return the share of pairs of neighbouring teams that drew.

    This is the "empirical draw probability" of Herbrich et al. (2006). As in the paper, it is computed from all
    matches, including matches that are predicted later.

    >>> draw_rate(History.from_matches([{"teams": [["a"], ["b"], ["c"]], "ranks": [1, 2, 2]}]))
    0.5
    """
    pairs = len(history.place) - len(history)
    return float(drawn_neighbours(history).sum()) / pairs

"""How sure a mean over matches is, without drawing: 95 % intervals by the linear part of each match (delta method).

For a measure over some matches against another over others, which resampled histories of `lab.bootstrap` do not tell.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from prowess.lab.interval import Interval
from prowess.lab.measures.tally import Floats, Tally, Where

__all__ = ["difference", "mean"]


def mean(tally: Tally, where: Where = None) -> Interval:
    """The mean of a measure over some matches.

    >>> print(mean(Tally(np.array([0.0, 1.0, 1.0, 0.0]), np.ones(4))))
    0.50 (0.01 to 0.99)
    """
    return Interval.normal(tally.mean(where), sqrt(float(np.sum(_influence(tally, where) ** 2))))


def difference(one: Tally, other: Tally, where: Where = None, against: Where = None) -> Interval:
    """By how much the mean of a measure is above that of another; the second may be over other matches (`against`).

    A match that counts in both moves both, which the interval takes into account.

    >>> both = Tally(np.array([0.0, 1.0, 1.0, 0.0]), np.ones(4))
    >>> difference(both, both)
    Interval(value=0.0, low=0.0, high=0.0)
    """
    against = where if against is None else against
    apart = _influence(one, where) - _influence(other, against)
    return Interval.normal(one.mean(where) - other.mean(against), sqrt(float(np.sum(apart**2))))


def _influence(tally: Tally, where: Where) -> Floats:
    """By how much each match moves the ratio of the two sums: (total − mean·weight)/Σ weight, its linear part."""
    chosen = np.zeros(len(tally))
    chosen[slice(None) if where is None else where] = 1.0
    moved: Floats = chosen * (tally.total - tally.mean(where) * tally.weight) / float(tally.weight @ chosen)
    return moved

"""How well forecasts rank: the area under the receiver operating characteristic."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...model.fit.forecasts import Forecasts
from .probabilities import two_teams
from .tally import Floats, Where

__all__ = ["auc", "auc_of", "placements"]

DRAWN = ("skip", "negative")


def auc(forecasts: Forecasts, where: Where = None, *, drawn: str = "skip") -> float:
    """The probability that a match which the first team won was given a higher chance than one that it did not win.

    `drawn`: "skip" looks at matches with a winner only, as Guo et al. (2012) say; "negative" counts a draw as not won,
    as their published numbers do.

    >>> import prowess as pw
    >>> matches = [{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["ann"]], "ranks": [2, 1]}] * 3
    >>> auc(pw.TrueSkill().fit(pw.History.from_matches(matches)).forecasts)
    1.0
    """
    if drawn not in DRAWN:
        raise Error(f'drawn must be "skip" or "negative", not {drawn!r}')
    _, result = two_teams(forecasts, where)
    counts = ~result.drawn if drawn == "skip" else np.ones(len(result.drawn), bool)
    if not counts.any():
        raise Error("none of these matches has two teams and a winner: there is nothing to rank")
    return auc_of(result.expected[counts], result.won[counts].astype(np.float64))


def auc_of(p: Floats, won: Floats) -> float:
    """The area by the ranks of the forecasts, which may be tied; ½ where all were won, or none.

    >>> import numpy as np
    >>> auc_of(np.array([0.9, 0.8, 0.3, 0.8]), np.array([1.0, 0.0, 0.0, 1.0]))
    0.875
    """
    wins = float(won.sum())
    if not 0.0 < wins < len(won):
        return 0.5
    order, placed = placements(p, won)
    return float(placed @ won[order]) / wins


def placements(p: Floats, won: Floats) -> tuple[NDArray[np.intp], Floats]:
    """The order of the matches by what they were given, and in that order, where each stands among the other kind.

    For a match that was won, that is the share of the others that were given less; for one of the others, the share of
    those won that were given more; the same counts half. The mean of either is the area: DeLong et al. (1988).

    >>> import numpy as np
    >>> placements(np.array([0.9, 0.8, 0.3, 0.8]), np.array([1.0, 0.0, 0.0, 1.0]))
    (array([2, 1, 3, 0]), array([1.  , 0.75, 0.75, 1.  ]))
    """
    order = np.argsort(p)
    given, kind = p[order], won[order]
    level = np.zeros(len(p), np.intp)
    np.cumsum(given[1:] != given[:-1], out=level[1:])
    wins = np.bincount(level, kind)
    rest = np.bincount(level, 1.0 - kind)
    below = (np.cumsum(rest) - 0.5 * rest) / max(float(rest.sum()), 1.0)
    above = 1.0 - (np.cumsum(wins) - 0.5 * wins) / max(float(wins.sum()), 1.0)
    return order, np.where(kind > 0, below[level], above[level])

"""How well forecasts rank: the area under the receiver operating characteristic."""

from __future__ import annotations

import numpy as np

from ...errors import Error
from ...model.forecasts import Forecasts
from .probabilities import two_teams
from .tally import Floats, Where

__all__ = ["auc", "auc_of"]

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
    match, result = two_teams(forecasts)
    chosen = np.zeros(len(forecasts), bool)
    chosen[slice(None) if where is None else where] = True
    counts = chosen[match] & ~(result.drawn & (drawn == "skip"))
    return auc_of(result.expected[counts], result.won[counts].astype(np.float64))


def auc_of(p: Floats, won: Floats) -> float:
    """The area by the ranks of the forecasts, which may be tied; ½ where there is nothing to tell apart.

    >>> import numpy as np
    >>> auc_of(np.array([0.9, 0.8, 0.3, 0.8]), np.array([1.0, 0.0, 0.0, 1.0]))
    0.875
    """
    levels, at = np.unique(p, return_inverse=True)
    wins = np.bincount(at, won, minlength=len(levels))
    rest = np.bincount(at, 1.0 - won, minlength=len(levels))
    below = np.cumsum(rest) - rest
    pairs = float(wins.sum() * rest.sum())
    return float((wins * (below + 0.5 * rest)).sum()) / pairs if pairs else 0.5

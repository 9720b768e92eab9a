"""How far predicted scores are from those that were seen."""

from __future__ import annotations

import numpy as np

from ...errors import Error
from ...model.fit.forecasts import Forecasts
from .tally import Floats, Tally, by_size

__all__ = ["expected_scores", "score_error"]


def score_error(forecasts: Forecasts, *, point: str = "median") -> Tally:
    """The mean absolute error of a team's predicted score: Guo et al. (2012), section 5.2.

    `point`: the "median" of what is expected, which is best by this measure; the "mean"; or the "plug-in" rate of the
    paper.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [3, 1]}] * 2)
    >>> model = pw.PoissonOD(mu=0, sigma=0.5, beta=0.1)
    >>> score_error(model.fit(history).forecasts, point="mean").values.round(3)
    array([1.   , 0.558])
    """
    history = forecasts.history
    if history.score is None:
        raise Error("the matches of this history have no scores to be compared with")
    off = np.abs(expected_scores(forecasts, point) - history.score)
    seen = ~np.isnan(off)
    first = history.match_start[:-1]
    total = np.add.reduceat(np.where(seen, off, 0.0), first) if len(first) else np.zeros(0)
    weight = np.add.reduceat(seen.astype(np.float64), first) if len(first) else np.zeros(0)
    return Tally(total, weight)


def expected_scores(forecasts: Forecasts, point: str = "median") -> Floats:
    """The score that was predicted of every team.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [3, 1]}])
    >>> expected_scores(pw.PoissonOD(mu=0, sigma=0.5, beta=0.1).fit(history).forecasts, "plug-in")
    array([1., 1.])
    """
    score = getattr(forecasts.outcome, "score", None)
    if score is None:
        raise Error(f"{forecasts.outcome!r} predicts no scores; models with offence and defence do")
    ways = score.points(*opposed(forecasts))
    if point not in ways:
        raise Error(f"point must be one of {', '.join(map(repr, ways))}, not {point!r}")
    found: Floats = ways[point]()
    return found


def opposed(forecasts: Forecasts) -> tuple[Floats, Floats]:
    """Mean and variance of x, through which a team's score is seen: offence less the mean of the others' defence."""
    mean, variance = (np.array(column[:, 0]) for column in (forecasts.mean, forecasts.variance))
    for _, team in by_size(forecasts.history.match_start):
        share = 1.0 / (team.shape[1] - 1)
        mean[team] -= share * _others(forecasts.mean[:, 1][team])
        variance[team] += share**2 * _others(forecasts.variance[:, 1][team])
    return mean, variance


def _others(column: Floats) -> Floats:
    """The sum over all other teams of the match, a row a match: what is added is never subtracted again."""
    found = np.zeros(column.shape)
    found[:, 1:] = np.cumsum(column, axis=1)[:, :-1]
    found[:, :-1] += np.cumsum(column[:, ::-1], axis=1)[:, -2::-1]
    return found

"""How far predicted places are from those that were taken, where the first places count most."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...model.fit.forecasts import Forecasts, strength
from ...model.fit.pairs import count_ahead
from .tally import Floats, Tally, by_team_count, memoryviews


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
    before, beside = _ahead_and_level(start, forecasts.history.place)
    ahead, level = _ahead_and_level(start, -strength(forecasts))
    discount = np.cumsum(1.0 / np.sqrt(np.arange(1, np.diff(start).max() + 1)))
    discount = np.concatenate([[0.0], discount])
    weight = (discount[before + beside + 1] - discount[before]) / (beside + 1)
    off = weight * (before + 0.5 * beside - (ahead + 0.5 * level)) ** 2
    return Tally(np.sqrt(np.add.reduceat(off, start[:-1])), np.ones(len(forecasts)))


def _ahead_and_level(start: NDArray[np.int32], key: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """How many teams of its match are before each team by a key, the lowest first, and how many others beside it."""
    ahead, level = np.empty(len(key), np.int32), np.empty(len(key), np.int32)
    count_ahead(*memoryviews(start, np.ascontiguousarray(key, np.float64), ahead, level))
    return ahead, level


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
    ways = score.points(*score_levels(forecasts))
    if point not in ways:
        raise Error(f"point must be one of {', '.join(map(repr, ways))}, not {point!r}", field="point", value=point)
    found: Floats = ways[point]()
    return found


def score_levels(forecasts: Forecasts) -> tuple[Floats, Floats]:
    """Mean and variance of x, through which a team's score is seen: offence less the mean of the others' defence."""
    mean, variance = (np.array(column[:, 0]) for column in (forecasts.mean, forecasts.variance))
    for _, team in by_team_count(forecasts.history.match_start):
        share = 1.0 / (team.shape[1] - 1)
        mean[team] -= share * _sum_of_others(forecasts.mean[:, 1][team])
        variance[team] += share**2 * _sum_of_others(forecasts.variance[:, 1][team])
    return mean, variance


def _sum_of_others(column: Floats) -> Floats:
    """The sum over all other teams of the match, a row a match: what is added is never subtracted again."""
    found = np.zeros(column.shape)
    found[:, 1:] = np.cumsum(column, axis=1)[:, :-1]
    found[:, :-1] += np.cumsum(column[:, ::-1], axis=1)[:, -2::-1]
    return found

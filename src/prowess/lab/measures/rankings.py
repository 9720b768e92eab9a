"""Measures of matches of any number of teams: the order of pairs of teams, their places, and their scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history.ragged import Floats
from ...model.fit.forecasts import Forecasts, performance, strength
from ...model.fit.pairs import count_ahead, count_losses, count_wrong
from ...validate import probability
from .probabilities import surprise, two_teams
from .tally import Tally, by_team_count, memoryviews

PAIRS = 1_000_000  # pairs of teams processed at a time, which limits the memory


def pair_error(forecasts: Forecasts, *, ties: float = 0.5, drawn: float | None = None, pooled: bool = False) -> Tally:
    """Return each match's share of pairs of teams not in the expected order: Nikolenko, Sirotkin (2011).

    Teams are expected to finish in the order of their expected performances. `ties`: the error of a pair with equal
    expected performances, from 0 (right) to 1 (wrong, as in the TrueSkill paper). `drawn`: the error of a pair of teams
    that share a place; None leaves such pairs out. With `pooled`, every pair has the same weight, so that large matches
    count more; otherwise every match has the same weight.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["ann"], ["cat"]]}])
    >>> pair_error(pw.TrueSkill().fit(history).forecasts).values.round(3)
    array([0.5  , 0.667])
    """
    history = forecasts.history
    wrong: Any = np.empty(len(forecasts))
    shared: Any = np.empty(len(forecasts))
    start, place, expected = memoryviews(history.match_start, history.place, np.ascontiguousarray(strength(forecasts)))
    count_wrong(start, place, expected, probability("ties", ties), wrong, shared)
    teams = np.diff(history.match_start).astype(np.float64)
    pairs = teams * (teams - 1.0) / 2.0
    # A drawn pair has no order that could be wrong.
    if drawn is None:
        return _pair_tally(wrong, pairs - shared, pooled)
    return _pair_tally(wrong + probability("drawn", drawn) * shared, pairs, pooled)


def pair_log_loss(forecasts: Forecasts, *, least: float = 1e-6, pooled: bool = False) -> Tally:
    """Return each match's mean of −ln P over its pairs of teams, in nats.

    P is the forecast probability of the order in which the two teams of a pair finished. Pairs that share a place are
    left out.

    For two teams, P is win / (win + loss) of the forecast. For more teams, P is computed from the normally distributed
    performances of the pair, without a draw margin, or from the distribution of their scores. Probabilities below
    `least` count as `least`, so that the loss of a single surprise is not infinite. `pooled` is the same as in
    `pair_error`.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["ann"], ["cat"]]}])
    >>> pair_log_loss(pw.TrueSkill().fit(history).forecasts).values.round(3)
    array([0.693, 0.983])
    """
    history, least = forecasts.history, probability("least", least, ends=False)
    loss: Any = np.empty(len(forecasts))
    decided: Any = np.empty(len(forecasts))
    expected, spread = memoryviews(*(np.ascontiguousarray(of(forecasts)) for of in (strength, performance)))
    start, place = memoryviews(history.match_start, history.place)
    count_losses(start, place, expected, spread, least, loss, decided)
    two, result = two_teams(forecasts)
    if len(two):
        p = np.where(result.won, result.win, result.loss)
        either = result.win + result.loss
        # Drawn pairs are not counted, so the probabilities are conditional on the pair not being drawn.
        p = np.divide(p, either, out=np.full(len(p), 0.5), where=either > 0)
        loss[two] = np.where(result.drawn, 0.0, surprise(p, least))
    if forecasts.outcome.later and forecasts.mean.ndim == 2:
        _add_score_losses(forecasts, least, loss)
    return _pair_tally(loss, decided, pooled)


def _add_score_losses(forecasts: Forecasts, least: float, loss: Floats) -> None:
    """Write each match's −Σ ln P over its pairs of teams to `loss`, for matches of more than two teams.

    P is the probability of the order in which the pair finished, given by the distribution of the two scores. This
    function is for models whose scores are not normally distributed. The scores of a pair depend on the defences of the
    other teams, which are treated as known. The two offences are independent.
    """
    place, mean, variance = forecasts.history.place, score_levels(forecasts)[0], performance(forecasts)
    for match, team in by_team_count(forecasts.history.match_start):
        i, j = np.triu_indices(team.shape[1], 1)
        # A match of 2,000 teams has two million pairs.
        rows = max(1, PAIRS // len(i))
        for first in range(0, len(match) if team.shape[1] > 2 else 0, rows):
            some = team[first : first + rows]
            pair = np.stack([some[:, i], some[:, j]], axis=-1)
            at, which = np.nonzero(place[pair[..., 0]] != place[pair[..., 1]])
            pair = pair[at, which]
            traits = np.zeros((2, len(pair), 2, 2))  # means, then variances, of both traits; defences stay 0
            traits[0, :, :, 0], traits[1, :, :, 0] = mean[pair], variance[pair]
            win, draw = np.empty(len(pair)), np.empty(len(pair))
            forecasts.outcome.chances(traits[0].ravel(), traits[1].ravel(), win, draw)
            # P(draw) may round to 1.
            either = np.maximum(1.0 - draw, np.finfo(np.float64).tiny)
            ahead = np.clip(win / either, 0.0, 1.0)
            p = np.where(place[pair[:, 0]] < place[pair[:, 1]], ahead, 1.0 - ahead)
            loss[match[first : first + rows]] = np.bincount(at, surprise(p, least), minlength=len(some))


def _pair_tally(total: Floats, weight: Floats, pooled: bool) -> Tally:
    if pooled:
        return Tally(total, weight)
    counts = weight > 0
    return Tally(np.divide(total, weight, out=np.zeros(len(total)), where=counts), counts.astype(np.float64))


def place_error(forecasts: Forecasts) -> Tally:
    """Return the place error √(Σᵢ (xᵢ − yᵢ)²/√i) of every match: Nikolenko, Sirotkin (2010), section 5.

    The index i numbers the teams in the order in which they finished, x is a team's place, and y is its predicted
    place. Errors at the first places count most. Tied teams share the mean of their places, and the mean of their
    weights 1/√i.

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
    # Teams that share a place share the mean weight of the places they occupy.
    weight = (discount[before + beside + 1] - discount[before]) / (beside + 1)
    off = weight * (before + 0.5 * beside - (ahead + 0.5 * level)) ** 2
    return Tally(np.sqrt(np.add.reduceat(off, start[:-1])), np.ones(len(forecasts)))


def _ahead_and_level(start: NDArray[np.int32], key: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Count, for every team, the teams of its match with a lower key, and the other teams with an equal key."""
    ahead, level = np.empty(len(key), np.int32), np.empty(len(key), np.int32)
    count_ahead(*memoryviews(start, np.ascontiguousarray(key, np.float64), ahead, level))
    return ahead, level


def score_error(forecasts: Forecasts, *, point: str = "median") -> Tally:
    """Return each match's mean absolute error of the teams' predicted scores: Guo et al. (2012), section 5.2.

    `point` is the kind of point forecast: the "median", which is best by this measure, the "mean", or the "plug-in"
    rate of the paper.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [3, 1]}] * 2)
    >>> model = pw.PoissonOD(mu=0, sigma=0.5, beta=0.1)
    >>> score_error(model.fit(history).forecasts, point="mean").values.round(3)
    array([1.   , 0.558])
    """
    history = forecasts.history
    if history.score is None:
        raise Error("the score error needs a history with scores")
    off = np.abs(expected_scores(forecasts, point) - history.score)
    if not len(forecasts):
        return Tally(np.zeros(0), np.zeros(0))
    seen, first = ~np.isnan(off), history.match_start[:-1]
    return Tally(*(np.add.reduceat(column, first) for column in (np.where(seen, off, 0.0), seen.astype(np.float64))))


def expected_scores(forecasts: Forecasts, point: str = "median") -> Floats:
    """Return the predicted score of every team; `point` is the kind of point forecast, as in `score_error`.

    Raises `Error` if the model does not predict scores.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [3, 1]}])
    >>> expected_scores(pw.PoissonOD(mu=0, sigma=0.5, beta=0.1).fit(history).forecasts, "plug-in")
    array([1., 1.])
    """
    score = getattr(forecasts.outcome, "score", None)
    if score is None:
        raise Error("this model does not predict scores; use a model with offence and defence, such as PoissonOD")
    points = score.points(*score_levels(forecasts))
    if point not in points:
        raise Error(f"point must be one of {', '.join(map(repr, points))}, not {point!r}", field="point", value=point)
    return np.asarray(points[point]())


def score_levels(forecasts: Forecasts) -> tuple[Floats, Floats]:
    """Return the mean and variance of every team's score level: its offence minus its opponents' mean defence."""
    mean, variance = (np.array(column[:, 0]) for column in (forecasts.mean, forecasts.variance))
    for _, team in by_team_count(forecasts.history.match_start):
        share = 1.0 / (team.shape[1] - 1)
        mean[team] -= share * _sum_of_others(forecasts.mean[:, 1][team])
        variance[team] += share**2 * _sum_of_others(forecasts.variance[:, 1][team])
    return mean, variance


def _sum_of_others(column: Floats) -> Floats:
    # Nothing is subtracted from the total, because a huge value would swallow the others.
    sums = np.zeros(column.shape)
    sums[:, 1:] = np.cumsum(column, axis=1)[:, :-1]
    sums[:, :-1] += np.cumsum(column[:, ::-1], axis=1)[:, -2::-1]
    return sums

"""Measures of the forecast win, draw and loss probabilities in matches of two teams."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history.ragged import Floats
from ...model.fit.forecasts import Forecasts
from ...validate import probability
from .tally import Tally, Where, resolve_where


class Result(NamedTuple):
    """Matches of two teams: the forecast for the first team, and its result."""

    win: Floats
    draw: Floats
    loss: Floats
    won: NDArray[np.bool_]
    drawn: NDArray[np.bool_]

    @property
    def sides(self) -> list[tuple[Floats, NDArray[np.bool_]]]:
        """For win, loss and draw: the forecast probabilities, and whether this was the result."""
        return [(self.win, self.won), (self.loss, ~self.won & ~self.drawn), (self.draw, self.drawn)]

    @property
    def expected(self) -> Floats:
        """The first team's expected score, P(win) + ½ P(draw)."""
        return self.win + 0.5 * self.draw


def two_teams(forecasts: Forecasts, where: Where = None) -> tuple[NDArray[np.intp], Result]:
    """Return the indices of the two-team matches that `where` selects (by default all), and their `Result`."""
    history = forecasts.history
    match = np.arange(len(history))[resolve_where(where, len(history))]
    win, draw = forecasts.win, forecasts.draw
    if where is None and history.teams == 2 * len(history):  # the usual case, which needs no copy
        first, second = history.place[::2], history.place[1::2]
    else:
        match = match[np.diff(history.match_start)[match] == 2]
        at = history.match_start[match]
        first, second = history.place[at], history.place[at + 1]
        win, draw = win[match], draw[match]
    # The difference may be slightly negative by rounding.
    return match, Result(win, draw, np.maximum(1.0 - win - draw, 0.0), first < second, first == second)


def surprise(p: Floats, least: float) -> Floats:
    """Return the surprise −ln p of each probability p; probabilities below `least` count as `least`."""
    return -np.log(np.maximum(p, least))


def _tally(forecasts: Forecasts, match: NDArray[np.intp], values: Floats) -> Tally:
    # Matches of two teams have weight 1, and all others weight 0.
    if len(match) == len(forecasts):
        return Tally(values, np.ones(len(match)))
    total, weight = np.zeros(len(forecasts)), np.zeros(len(forecasts))
    total[match], weight[match] = values, 1.0
    return Tally(total, weight)


def log_loss(forecasts: Forecasts, *, least: float = 1e-6) -> Tally:
    """Return −ln P(actual result) of every match of two teams, in nats; the result is a win, draw or loss.

    Probabilities below `least` count as `least`. Without this limit, the loss of a model that expects no draws would be
    infinite after a single draw.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2)
    >>> log_loss(pw.TrueSkill(draw_probability=0).fit(history).forecasts).values.round(3)
    array([0.693, 0.271])
    """
    match, result = two_teams(forecasts)
    actual = np.where(result.drawn, result.draw, np.where(result.won, result.win, result.loss))
    return _tally(forecasts, match, surprise(actual, probability("least", least, ends=False)))


def information_gain(forecasts: Forecasts, *, least: float = 1e-6) -> Tally:
    """Return how much more information each forecast has than a coin toss, in bits: Guo et al. (2012), section 5.2.

    With the expected score p = P(win) + ½ P(draw), the gain is 1 + log₂ p if the first team wins, 1 + log₂(1 − p) if it
    loses, and 1 + ½ log₂(p(1 − p)) after a draw. Probabilities below `least` count as `least`.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2)
    >>> information_gain(pw.TrueSkill(draw_probability=0).fit(history).forecasts).values.round(3)
    array([0.   , 0.609])
    """
    least = probability("least", least, ends=False)
    match, result = two_teams(forecasts)
    win, loss = (-surprise(p, least) / np.log(2.0) for p in (result.expected, 1.0 - result.expected))
    bits = np.where(result.drawn, 0.5 * (win + loss), np.where(result.won, win, loss))
    return _tally(forecasts, match, 1.0 + bits)


def brier(forecasts: Forecasts) -> Tally:
    """Return each match's sum of squared errors of the win, draw and loss probabilities, 0 to 2: Brier (1950).

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2)
    >>> brier(pw.TrueSkill(draw_probability=0).fit(history).forecasts).values.round(3)
    array([0.5  , 0.113])
    """
    match, result = two_teams(forecasts)
    win, loss, draw = result.sides
    return _tally(forecasts, match, np.sum([(p - happened) ** 2 for p, happened in (win, draw, loss)], axis=0))


def sharpness(forecasts: Forecasts) -> Tally:
    """Return the entropy of each forecast of win, draw and loss, in bits: lower is sharper, 0 is certain.

    Sharpness does not say whether the forecast is right, but of two calibrated models, the sharper one is better.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2)
    >>> sharpness(pw.TrueSkill(draw_probability=0).fit(history).forecasts).values.round(3)
    array([1.  , 0.79])
    """
    match, result = two_teams(forecasts)
    tiny = np.finfo(np.float64).tiny  # 0 log 0 = 0
    parts = [-p * np.log2(np.maximum(p, tiny)) for p in (result.win, result.draw, result.loss)]
    return _tally(forecasts, match, np.sum(parts, axis=0))


def auc(forecasts: Forecasts, where: Where = None, *, drawn: str = "skip") -> float:
    """Return the area under the ROC curve: how often a won match had a higher forecast than a match not won.

    `drawn`: "skip" uses only matches with a winner, as the text of Guo et al. (2012) says; "negative" counts a draw as
    not won, as their published numbers do.

    >>> import prowess as pw
    >>> matches = [{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["ann"]], "ranks": [2, 1]}] * 3
    >>> auc(pw.TrueSkill().fit(pw.History.from_matches(matches)).forecasts)
    1.0
    """
    if drawn not in ("skip", "negative"):
        raise Error(f'drawn must be "skip" or "negative", not {drawn!r}', field="drawn", value=drawn)
    _, result = two_teams(forecasts, where)
    counts = ~result.drawn if drawn == "skip" else np.ones(len(result.drawn), bool)
    if not counts.any():
        raise Error("the AUC needs matches of two teams with a winner, and there are none")
    return auc_of(result.expected[counts], result.won[counts].astype(np.float64))


def auc_of(p: Floats, won: Floats) -> float:
    """Return the area under the ROC curve, computed from ranks; ½ if all matches or none were won.

    Equal forecasts share a rank.

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
    """Return the order of the matches by forecast and, in that order, their placements: DeLong et al. (1988).

    The placement of a won match is the share of lost or drawn matches with a lower forecast. The placement of any other
    match is the share of won matches with a higher forecast. Equal forecasts count half. The mean placement of won
    matches equals the area under the curve, and so does the mean placement of all other matches.

    >>> import numpy as np
    >>> placements(np.array([0.9, 0.8, 0.3, 0.8]), np.array([1.0, 0.0, 0.0, 1.0]))
    (array([2, 1, 3, 0]), array([1.  , 0.75, 0.75, 1.  ]))
    """
    order = np.argsort(p)
    sorted_p, kind = p[order], won[order]
    level = np.zeros(len(p), np.intp)
    np.cumsum(sorted_p[1:] != sorted_p[:-1], out=level[1:])
    wins = np.bincount(level, kind)
    rest = np.bincount(level, 1.0 - kind)
    below = (np.cumsum(rest) - 0.5 * rest) / max(float(rest.sum()), 1.0)
    above = 1.0 - (np.cumsum(wins) - 0.5 * wins) / max(float(wins.sum()), 1.0)
    return order, np.where(kind > 0, below[level], above[level])

"""Measures of the probabilities that were given to win, draw and loss in matches of two teams."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...model.fit.forecasts import Forecasts
from ...validate import number
from .tally import Floats, Tally, Where, resolve_where


class Result(NamedTuple):
    """Matches of two teams: what was forecast of the first team, and how it went."""

    win: Floats
    draw: Floats
    loss: Floats
    won: NDArray[np.bool_]
    drawn: NDArray[np.bool_]

    @property
    def happened(self) -> Floats:
        """The probability of what happened."""
        return np.where(self.drawn, self.draw, np.where(self.won, self.win, self.loss))

    @property
    def expected(self) -> Floats:
        """P(win) + ½ P(draw): the score expected of the first team."""
        return self.win + 0.5 * self.draw


def two_teams(forecasts: Forecasts, where: Where = None) -> tuple[NDArray[np.intp], Result]:
    """The matches of two teams, all or of those chosen (a match as often as it is chosen): forecasts and results."""
    history = forecasts.history
    match = np.arange(len(history))[resolve_where(where, len(history))]
    win, draw = forecasts.win, forecasts.draw
    if where is None and history.teams == 2 * len(history):  # by far the most frequent case: nothing to be copied
        first, second = history.place[::2], history.place[1::2]
    else:
        match = match[np.diff(history.match_start)[match] == 2]
        at = history.match_start[match]
        first, second = history.place[at], history.place[at + 1]
        win, draw = win[match], draw[match]
    return match, Result(win, draw, np.maximum(1.0 - win - draw, 0.0), first < second, first == second)


def check_probability(name: str, value: float) -> float:
    """A probability that is neither 0 nor 1."""
    found = number(name, value)
    if not 0.0 < found < 1.0:
        raise Error(f"{name} must be a probability between 0 and 1, not {value!r}", field=name, value=value)
    return found


def surprise(p: Floats, least: float) -> Floats:
    """−ln p, where a probability counts as at least `least`."""
    return -np.log(np.maximum(p, least))


def _tally(forecasts: Forecasts, match: NDArray[np.intp], values: Floats) -> Tally:
    """The values of some matches, each of weight 1; the others weigh nothing."""
    if len(match) == len(forecasts):
        return Tally(values, np.ones(len(match)))
    total, weight = np.zeros(len(forecasts)), np.zeros(len(forecasts))
    total[match], weight[match] = values, 1.0
    return Tally(total, weight)


def log_loss(forecasts: Forecasts, *, least: float = 1e-6) -> Tally:
    """−ln P(what happened) of the three results win, draw and loss of two teams, in nats.

    A probability counts as at least `least`: a system that has seen no draw yet gives it none.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2)
    >>> log_loss(pw.TrueSkill(draw_probability=0).fit(history).forecasts).values.round(3)
    array([0.693, 0.271])
    """
    match, result = two_teams(forecasts)
    return _tally(forecasts, match, surprise(result.happened, check_probability("least", least)))


def information_gain(forecasts: Forecasts, *, least: float = 1e-6) -> Tally:
    """How much more a forecast knew than a toss of a coin, in bits: Guo et al. (2012), section 5.2.

    With p = P(win) + ½ P(draw): 1 + log₂ p if the first team wins, 1 + log₂(1 − p) if it loses, and for a draw
    1 + ½ log₂(p(1 − p)). A probability counts as at least `least`.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2)
    >>> information_gain(pw.TrueSkill(draw_probability=0).fit(history).forecasts).values.round(3)
    array([0.   , 0.609])
    """
    least = check_probability("least", least)
    match, result = two_teams(forecasts)
    win, loss = (-surprise(p, least) / np.log(2.0) for p in (result.expected, 1.0 - result.expected))
    bits = np.where(result.drawn, 0.5 * (win + loss), np.where(result.won, win, loss))
    return _tally(forecasts, match, 1.0 + bits)


def brier(forecasts: Forecasts) -> Tally:
    """The sum of the squared errors of the three probabilities of win, draw and loss: Brier (1950); 0 to 2.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2)
    >>> brier(pw.TrueSkill(draw_probability=0).fit(history).forecasts).values.round(3)
    array([0.5  , 0.113])
    """
    match, result = two_teams(forecasts)
    lost = ~result.won & ~result.drawn
    sides = ((result.win, result.won), (result.draw, result.drawn), (result.loss, lost))
    return _tally(forecasts, match, np.sum([(p - happened) ** 2 for p, happened in sides], axis=0))


def sharpness(forecasts: Forecasts) -> Tally:
    """How much a forecast leaves open: the entropy of win, draw and loss, in bits; lower is sharper, 0 is certain.

    It says nothing of whether the forecast is right: of two calibrated systems the sharper one is better.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2)
    >>> sharpness(pw.TrueSkill(draw_probability=0).fit(history).forecasts).values.round(3)
    array([1.  , 0.79])
    """
    match, result = two_teams(forecasts)
    tiny = np.finfo(np.float64).tiny  # 0 log 0 = 0
    parts = [-p * np.log2(np.maximum(p, tiny)) for p in (result.win, result.draw, result.loss)]
    return _tally(forecasts, match, np.sum(parts, axis=0))


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
        raise Error(f'drawn must be "skip" or "negative", not {drawn!r}', field="drawn", value=drawn)
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

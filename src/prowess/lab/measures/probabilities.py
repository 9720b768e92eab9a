"""Measures of the probabilities that were given to win, draw and loss in matches of two teams."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...model.fit.forecasts import Forecasts
from ...validate import number
from .tally import Floats, Tally, Where, picked

__all__ = ["brier", "information_gain", "log_loss", "sharpness"]


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
    match = np.arange(len(history))[picked(where, len(history))]
    win, draw = forecasts.win, forecasts.draw
    if where is None and history.teams == 2 * len(history):  # by far the most frequent case: nothing to be copied
        first, second = history.place[::2], history.place[1::2]
    else:
        match = match[np.diff(history.match_start)[match] == 2]
        at = history.match_start[match]
        first, second = history.place[at], history.place[at + 1]
        win, draw = win[match], draw[match]
    return match, Result(win, draw, np.maximum(1.0 - win - draw, 0.0), first < second, first == second)


def probability(name: str, value: float) -> float:
    """A probability that is neither 0 nor 1."""
    found = number(name, value)
    if not 0.0 < found < 1.0:
        raise Error(f"{name} must be a probability between 0 and 1, not {value!r}")
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
    return _tally(forecasts, match, surprise(result.happened, probability("least", least)))


def information_gain(forecasts: Forecasts, *, least: float = 1e-6) -> Tally:
    """How much more a forecast knew than a toss of a coin, in bits: Guo et al. (2012), section 5.2.

    With p = P(win) + ½ P(draw): 1 + log₂ p if the first team wins, 1 + log₂(1 − p) if it loses, and for a draw
    1 + ½ log₂(p(1 − p)). A probability counts as at least `least`.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2)
    >>> information_gain(pw.TrueSkill(draw_probability=0).fit(history).forecasts).values.round(3)
    array([0.   , 0.609])
    """
    least = probability("least", least)
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

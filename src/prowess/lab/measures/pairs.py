"""Measures over all pairs of teams of a match, whatever their number."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...checks import number
from ...model.forecasts import Forecasts
from ...model.pairs import count_losses, count_wrong
from .probabilities import probability, surprise, two_teams
from .strength import performance, strength
from .tally import Floats, Tally

__all__ = ["pair_error", "pair_log_loss"]


def pair_error(forecasts: Forecasts, *, ties: float = 0.5, drawn: float | None = None, pooled: bool = False) -> Tally:
    """The share of pairs of teams whose order the expected performances got wrong: Nikolenko, Sirotkin (2011).

    `ties`: how much it counts that both were expected to perform alike (in the TrueSkill paper that is wrong: 1).
    `drawn`: how much a pair that shares its place counts; None leaves such pairs out. `pooled`: every pair weighs the
    same, and so matches weigh by their pairs; otherwise every match weighs the same.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["ann"], ["cat"]]}])
    >>> pair_error(pw.TrueSkill().fit(history).forecasts).values.round(3)
    array([0.5  , 0.667])
    """
    history = forecasts.history
    wrong: Any = np.empty(len(forecasts))
    shared: Any = np.empty(len(forecasts))
    expected = np.ascontiguousarray(strength(forecasts))
    count_wrong(history.match_start, history.place, expected, number("ties", ties), wrong, shared)
    teams = np.diff(history.match_start).astype(np.float64)
    pairs = teams * (teams - 1.0) / 2.0
    if drawn is None:
        return _weighed(wrong, pairs - shared, pooled)
    return _weighed(wrong + number("drawn", drawn) * shared, pairs, pooled)


def pair_log_loss(forecasts: Forecasts, *, least: float = 1e-6, pooled: bool = False) -> Tally:
    """−ln P(order) of the pairs of teams that do not share a place, whatever the number of teams (nats).

    For two teams P is win / (win + loss) as it was forecast; for more it follows from the normal performances of the
    two. A probability counts as at least `least`, so that one surprise is not infinitely bad.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["ann"], ["cat"]]}])
    >>> pair_log_loss(pw.TrueSkill().fit(history).forecasts).values.round(3)
    array([0.693, 0.983])
    """
    history, least = forecasts.history, probability("least", least)
    loss: Any = np.empty(len(forecasts))
    decided: Any = np.empty(len(forecasts))
    expected, spread = (np.ascontiguousarray(of(forecasts)) for of in (strength, performance))
    count_losses(history.match_start, history.place, expected, spread, least, loss, decided)
    two, result = two_teams(forecasts)
    if len(two):
        p = np.where(result.won, result.win, result.loss)
        either = result.win + result.loss
        p = np.divide(p, either, out=np.full(len(p), 0.5), where=either > 0)
        loss[two] = np.where(result.drawn, 0.0, surprise(p, least))
    return _weighed(loss, decided, pooled)


def _weighed(total: Floats, weight: Floats, pooled: bool) -> Tally:
    """A tally in which every pair weighs the same, or every match."""
    if pooled:
        return Tally(total, weight)
    counts = weight > 0
    return Tally(np.divide(total, weight, out=np.zeros(len(total)), where=counts), counts.astype(np.float64))

"""Measures over all pairs of teams of a match, whatever their number."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import Error
from ...model.fit.forecasts import Forecasts, performance, strength
from ...model.fit.pairs import count_losses, count_wrong
from ...validate import number
from .places import score_levels
from .probabilities import check_probability, surprise, two_teams
from .tally import Floats, Tally, by_team_count, memoryviews

PAIRS = 1_000_000  # pairs of teams that are looked at together


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
    start, place, expected = memoryviews(history.match_start, history.place, np.ascontiguousarray(strength(forecasts)))
    count_wrong(start, place, expected, _check_share("ties", ties), wrong, shared)
    teams = np.diff(history.match_start).astype(np.float64)
    pairs = teams * (teams - 1.0) / 2.0
    if drawn is None:
        return _weigh(wrong, pairs - shared, pooled)
    return _weigh(wrong + _check_share("drawn", drawn) * shared, pairs, pooled)


def pair_log_loss(forecasts: Forecasts, *, least: float = 1e-6, pooled: bool = False) -> Tally:
    """−ln P(order) of the pairs of teams that do not share a place, whatever the number of teams (nats).

    For two teams P is win / (win + loss) as it was forecast; for more it follows from the normal performances of the
    two, without a margin, or from their counts. A probability counts as at least `least`, so that one surprise is not
    infinitely bad. `pooled` as in `pair_error`.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["ann"], ["cat"]]}])
    >>> pair_log_loss(pw.TrueSkill().fit(history).forecasts).values.round(3)
    array([0.693, 0.983])
    """
    history, least = forecasts.history, check_probability("least", least)
    loss: Any = np.empty(len(forecasts))
    decided: Any = np.empty(len(forecasts))
    expected, spread = memoryviews(*(np.ascontiguousarray(of(forecasts)) for of in (strength, performance)))
    start, place = memoryviews(history.match_start, history.place)
    count_losses(start, place, expected, spread, least, loss, decided)
    two, result = two_teams(forecasts)
    if len(two):
        p = np.where(result.won, result.win, result.loss)
        either = result.win + result.loss
        p = np.divide(p, either, out=np.full(len(p), 0.5), where=either > 0)
        loss[two] = np.where(result.drawn, 0.0, surprise(p, least))
    if forecasts.outcome.later and forecasts.mean.ndim == 2:
        _add_count_losses(forecasts, least, loss)
    return _weigh(loss, decided, pooled)


def _add_count_losses(forecasts: Forecasts, least: float, loss: Floats) -> None:
    """−Σ ln P(order) of matches of more than two teams by the distribution of their scores, which are not normal.

    Of two teams, what is common to both (the others' defences) is taken as known; the rest of each is its own.
    """
    place, mean, variance = forecasts.history.place, score_levels(forecasts)[0], performance(forecasts)
    for match, team in by_team_count(forecasts.history.match_start):
        i, j = np.triu_indices(team.shape[1], 1)
        rows = max(1, PAIRS // len(i))
        for first in range(0, len(match) if team.shape[1] > 2 else 0, rows):
            some = team[first : first + rows]
            pair = np.stack([some[:, i], some[:, j]], axis=-1)
            at, which = np.nonzero(place[pair[..., 0]] != place[pair[..., 1]])
            pair = pair[at, which]
            traits = np.zeros((2, len(pair), 2, 2))  # mean and variance of offences, each against no defence
            traits[0, :, :, 0], traits[1, :, :, 0] = mean[pair], variance[pair]
            win, draw = np.empty(len(pair)), np.empty(len(pair))
            forecasts.outcome.chances(traits[0].ravel(), traits[1].ravel(), win, draw)
            either = np.maximum(1.0 - draw, np.finfo(np.float64).tiny)
            ahead = np.clip(win / either, 0.0, 1.0)
            p = np.where(place[pair[:, 0]] < place[pair[:, 1]], ahead, 1.0 - ahead)
            loss[match[first : first + rows]] = np.bincount(at, surprise(p, least), minlength=len(some))


def _check_share(name: str, value: float) -> float:
    """How much a pair counts: from 0, right, to 1, wrong."""
    found = number(name, value)
    if not 0.0 <= found <= 1.0:
        raise Error(f"{name} must lie between 0 (right) and 1 (wrong), not {value!r}", field=name, value=value)
    return found


def _weigh(total: Floats, weight: Floats, pooled: bool) -> Tally:
    """A tally in which every pair weighs the same, or every match."""
    if pooled:
        return Tally(total, weight)
    counts = weight > 0
    return Tally(np.divide(total, weight, out=np.zeros(len(total)), where=counts), counts.astype(np.float64))

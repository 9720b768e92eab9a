"""How the matches of a simulated league end, given how the teams perform: `play`, by the kind of the outcome.

An outcome of your own that only has a forecast for two teams is played by it. For anything else give it a process:
`play.register(MyOutcome)` over a function of the outcome, the field and a random generator that returns a `Played`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from ...errors import Error
from ...model.components.interfaces import Outcome
from ...model.components.outcome import Duel, GaussianScore, OffenceDefence, Pairwise
from ...model.components.outcome.place_forecast import Rounded, one_margin
from ...model.score_distribution import NormalScores
from ...validate import LARGEST
from .options import Floats, Ints
from .team_strength import Field, Sheet

__all__ = ["Played", "by_forecast", "in_order", "play"]


@dataclass(frozen=True, eq=False)
class Played:
    """What came out: a rank (lower is better) or a score (higher is better) of every team, and its performance.

    >>> Played(np.array([[30.0], [25.0]]), rank=np.array([1.0, 2.0])).score is None
    True
    """

    performance: Floats
    rank: Floats | None = None
    score: Floats | None = None


@singledispatch
def play(outcome: Outcome, field: Field, rng: np.random.Generator) -> Played:
    """Draw the results of all matches by the process of an outcome.

    By itself: places in the order of the performances (of the first trait), as in TrueSkill. Neighbours in that order
    who are no further apart than the margin share a place, and so does a chain of them: with performances 10, 9 and 8
    and a margin of 1, all three do. A margin that follows from the places (`Spread`, `TwoValued`) is that of the
    forecast, made before they are known.

    >>> import prowess as pw
    >>> from prowess.lab.simulate import simulate
    >>> history = simulate(pw.TrueSkill(draw_probability=0.9), 1000, teams=2).history
    >>> drawn = (history.place.reshape(-1, 2) == 1).all(axis=1)
    >>> bool(0.4 < drawn.mean() < 0.7)          # of equals nine in ten are drawn
    True
    """
    if type(outcome).forecast is Outcome.forecast:
        performance = field.performances(rng)
        return Played(performance, rank=in_order(field, performance[:, 0], None))
    if (field.counts != 2).any():
        raise Error(
            f"how {type(outcome).__name__} makes places of more than two teams is not known; play with teams=2, or say "
            f"it: pw.lab.play.register({type(outcome).__name__})"
        )
    return Played(field.mean, rank=by_forecast(outcome, field, rng, ()))


@play.register
def _(outcome: Rounded, field: Field, rng: np.random.Generator) -> Played:
    """Performances rounded to a grid of step 2ε, whose phase is random in every match."""
    performance = field.performances(rng)
    margin = _one_margins(field)
    step, phase = 2.0 * margin[field.match], rng.random(len(margin))[field.match]
    cells = np.divide(performance[:, 0], step, out=performance[:, 0].copy(), where=step > 0.0) + phase
    return Played(performance, rank=-np.where(step > 0.0, np.floor(cells), performance[:, 0]))


def _one_margins(field: Field) -> Floats:
    """The one margin of every match; that of two teams is what lies between them."""
    if (field.counts == 2).all():
        first = np.arange(0, len(field.mean), 2)
        return field.margins(first, first + 1)
    found = np.empty(len(field.counts))
    sheet = None
    for match in field.each():
        sheet = field.sheet(match, match + 1, sheet)
        sheet.board.margin.measure(sheet.board, False)
        found[match] = one_margin(sheet.board)
    return found


def in_order(field: Field, performance: Floats, margin: Floats | None) -> Floats:
    """Ranks by performance, neighbours within the margin tied; the margin of each match, or None for the outcome's.

    >>> import prowess as pw
    >>> field = Field(pw.TrueSkill(), np.array([0, 4], np.int32), np.arange(5), np.zeros((4, 1)), np.ones((4, 1)))
    >>> in_order(field, np.array([5.0, 9.0, 10.0, 8.0]), np.array([1.0]))
    array([2., 1., 1., 1.])
    """
    match: Ints = field.match.astype(np.int64)
    order = np.lexsort((-performance, match))
    upper, lower = order[:-1], order[1:]
    same = match[upper] == match[lower]
    apart = np.ones(len(order), bool)
    within = field.margins(upper[same], lower[same]) if margin is None else margin[match[upper[same]]]
    apart[1:][same] = performance[upper[same]] - performance[lower[same]] > within
    rank = np.empty(len(order))
    rank[order] = np.cumsum(apart)
    return rank


def by_forecast(outcome: Outcome, field: Field, rng: np.random.Generator, memory: tuple[float, ...]) -> Floats:
    """Ranks of matches of two teams by what the outcome itself forecasts of them where skills are known."""
    traits = field.mean.shape[1]
    sheet = field.sheet(0, 1)
    board = sheet.board
    for place, known in enumerate(memory):
        board.memory[place] = known
    win, draw = np.empty(len(field.counts)), np.empty(len(field.counts))
    mean, variance = field.mean.reshape(-1, 2 * traits), field.variance.reshape(-1, 2 * traits)
    for match in field.each():
        sheet.mean[: 2 * traits] = mean[match]
        sheet.variance[: 2 * traits] = sheet.noise[: 2 * traits] = variance[match]
        outcome.forecast(board)
        win[match], draw[match] = board.win, board.draw
    if not ((win >= 0.0) & (draw >= 0.0) & (win + draw <= 1.0 + 1e-9)).all():
        raise Error(f"{outcome!r} has no forecast of win and draw by which matches could be played")
    luck = rng.random(len(win))
    first = np.where(luck < win + draw, 0.0, 1.0)
    second = np.where(luck < win, 1.0, 0.0)
    return np.stack([first, second], axis=1).ravel()


@play.register(Duel)
@play.register(Pairwise)
def _(outcome: Outcome, field: Field, rng: np.random.Generator) -> Played:
    two = field.counts == 2
    if two.all():
        return Played(field.mean, rank=by_forecast(outcome, field, rng, (field.draws, 0.0)))
    performance = field.mean + np.sqrt(outcome.performance(field.variance)) * rng.standard_normal(field.mean.shape)
    rank = in_order(field, performance[:, 0], _margins(outcome, field))
    if two.any():
        pairs = two[field.match]
        performance[pairs] = field.mean[pairs]
        rank[pairs] = by_forecast(outcome, field.part(two), rng, (field.draws, 0.0))
    return Played(performance, rank=rank)


def _margins(outcome: Outcome, field: Field) -> Floats:
    """The margin of every match, found by a forecast of two teams of its mean variance."""
    margin = np.zeros(len(field.counts))
    if field.draws == 0.0:
        return margin
    variance = np.add.reduceat(field.variance[:, 0], field.match_start[:-1]) / field.counts
    sheet = Sheet(field.model, 2, 1)
    for match, own in enumerate(variance.tolist()):
        sheet.board.memory[0], sheet.board.memory[1] = field.draws, 0.0
        sheet.variance[:2] = sheet.noise[:2] = own
        outcome.predict(sheet.board)
        margin[match] = sheet.board.margin.between(sheet.board, 0, 1)
    return margin


REPLAYS = 1000  # after so many attempts a match stays as it is: the draw that it should have been is next to impossible


@play.register
def _(outcome: GaussianScore, field: Field, rng: np.random.Generator) -> Played:
    """sᵢ ~ N(c + tᵢ, γ²/2): the level c of a match says nothing, so it is drawn at random, as wide as the scores."""
    performance = field.performances(rng)
    sheet = _average(field)
    sheet.variance[:2] = 0.0
    added = outcome.performances(sheet.board)[1][0]
    level = rng.normal(0.0, performance.std() + added**0.5, len(field.counts))
    score = rng.normal(performance[:, 0], added**0.5) + level[field.match]
    return Played(performance, score=score)


@play.register
def _(outcome: OffenceDefence, field: Field, rng: np.random.Generator) -> Played:
    """A score by x, a team's offence less the mean of the others' defences.

    Where a draw of two teams is f times as likely as the scores say, matches are played again: one that was not drawn
    counts with probability 1/f, or, if f is below 1, a draw with probability f.
    """
    performance, score = _scored(outcome, field, rng)
    factor = float(getattr(outcome.score, "draw_factor", 1.0))
    again = np.zeros(len(field.counts), bool) if factor == 1.0 else field.counts == 2
    for _ in range(REPLAYS):
        first = field.match_start[:-1][again]
        drawn = score[first] == score[first + 1]
        again[again] = rng.random(len(first)) >= np.where(drawn, min(factor, 1.0), min(1.0 / factor, 1.0))
        if not again.any():
            break
        teams = again[field.match]
        performance[teams], score[teams] = _scored(outcome, field.part(again), rng)
    return Played(performance, score=score)


def _scored(outcome: OffenceDefence, field: Field, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Performances and scores, by the score's own distribution where x is known."""
    performance = field.performances(rng)
    x = performance[:, 0] - _others(field, performance[:, 1])
    part: Any = outcome.score
    found = part.distribution(_average(field).board, x, np.zeros(len(x)))
    if isinstance(found, NormalScores):
        return performance, rng.normal(found.mean, found.sigma)
    try:
        logarithm = found.logarithms(rng, x)
    except Error as error:
        raise Error(f"scores of {part!r} cannot be simulated: {error}") from None
    return performance, np.rint(np.exp(np.minimum(logarithm, np.log(LARGEST))))


def _others(field: Field, defence: Floats) -> Floats:
    """The mean defence of all other teams of a match."""
    total = np.add.reduceat(defence, field.match_start[:-1])
    found: Floats = (total[field.match] - defence) / (field.counts[field.match] - 1)
    return found


def _average(field: Field) -> Sheet:
    """Two teams whose noise is the mean of the league's."""
    sheet = Sheet(field.model, 2, 1)
    sheet.noise[: 2 * field.mean.shape[1]] = field.variance.mean()
    return sheet

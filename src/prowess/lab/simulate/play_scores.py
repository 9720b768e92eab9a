"""How matches end where scores are modelled: Guo, Sanner, Graepel, Buntine (2012), section 3.

Where γ is "estimated", a league that has not begun has no scores to estimate it from: as in the forecast of a first
match, γ² is then the mean noise β²Σα² of the teams.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...checks import LARGEST
from ...errors import Error
from ...model.outcome import GaussianScore, OffenceDefence
from ...model.score_distribution import NormalScores
from .field import Field
from .options import Floats
from .play import Played, play
from .sheet import Sheet

__all__: list[str] = []

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

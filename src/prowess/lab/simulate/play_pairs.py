"""How matches end in systems that know an expected score: Elo, Glicko, Gaussian Elo, Harkness.

Two teams win, draw or lose as the system itself would forecast if it knew their skills: win = E − D/2 with
D = 2δE(1 − E), where δ is given (`draws`). More teams have normal performances, whose pairwise probabilities are near
those; there the margin is that at which equals draw with probability δ/2. Harkness forecasts nothing by itself; it is
played by the forecast that `pw.outcome.Opposition` gives it.
"""

from __future__ import annotations

import numpy as np

from ...model.bases import Outcome
from ...model.outcome import Duel, Pairwise
from .field import Field
from .options import Floats
from .play import Played, by_forecast, in_order, play
from .sheet import Sheet

__all__: list[str] = []


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

"""A season that begins for all players of a ladder at once."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from ...validate import number
from ..components.absorb import Constant
from ..components.drift import Seasons, Still
from ..engine.rate import carry_over
from ..rating import Rating

if TYPE_CHECKING:
    from ..model import Model
    from .ladder import Ladder

__all__ = ["new_season", "usual_tau"]

AT_ONCE = 1e-30  # the shortest break that `Seasons` knows


def new_season(ladder: Ladder, carry: float, season_tau: float | None) -> None:
    """Take every belief through the break between two seasons; what never moves in a match does not move here."""
    model = ladder.model
    tau = usual_tau(model, carry) if season_tau is None else season_tau
    through = model.replace(drift=Seasons(Still(), gap=AT_ONCE, carry=carry, season_tau=tau))
    steady = model.absorb.certain or isinstance(model.absorb, Constant)
    ladder.state[: len(ladder)] = ladder.settled  # open rating periods end by the model's own drift, before the break
    carry_over(through.pipeline, ladder.table, len(ladder), steady)


def usual_tau(model: Model, carry: float) -> float:
    """The move of a break that leaves newcomers as uncertain as they were: σ√(1 − carry²).

    >>> import prowess as pw
    >>> round(usual_tau(pw.TrueSkill(sigma=10), 0.8), 9)
    6.0
    """
    parts = model.rating()
    sigma = next((part.sigma for part in parts.parts.values() if isinstance(part, Rating)), parts.sigma)
    return float((sigma or 0.0) * sqrt(max(0.0, 1.0 - number("carry", carry) ** 2)))

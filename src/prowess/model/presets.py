"""The rating systems by name, each with the constants of its paper."""

from __future__ import annotations

from ..checks import number, scale
from .drift import PerMatch
from .model import Model
from .outcome import Margin, Order
from .prior import Normal

__all__ = ["TrueSkill"]


def TrueSkill(  # a preset reads like the class that it stands in for
    mu: float = 25.0,
    sigma: float = 25.0 / 3.0,
    beta: float = 25.0 / 6.0,
    tau: float = 25.0 / 300.0,
    draw_probability: float | None = None,
    margin: float | Margin | None = None,
) -> Model:
    """TrueSkill: Herbrich, Minka, Graepel (2006); sums of performances, places by EP, drift before every match.

    The defaults are the paper's, and those of other implementations: one match in ten between equals is drawn.
    Give `margin` instead of `draw_probability` to set the draw margin ε itself (a number or a policy).

    >>> model = TrueSkill(draw_probability=0.05)
    >>> model.params["beta"] == 25 / 6
    True
    """
    if draw_probability is None and margin is None:
        draw_probability = 0.1
    return Model(
        prior=Normal(number("mu", mu), scale("sigma", sigma, zero=True)),
        drift=PerMatch(scale("tau", tau, zero=True)),
        noise=scale("beta", beta),
        outcome=Order(draw_probability=draw_probability, margin=margin),
    )

"""TrueSkill, with its own constants and with those of its extensions' experiments."""

from __future__ import annotations

from ...validate import number, scale
from ..components.drift import PerMatch
from ..components.outcome import Margin, Order
from ..components.prior import Normal
from ..components.team import Mean
from ..model import Model


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


def TSa(
    mu: float = 3000.0,
    sigma: float = 1000.0,
    beta: float = 400.0,
    tau: float = 0.0,
    draw_probability: float | None = None,
    margin: float | Margin | None = None,
) -> Model:
    """TrueSkill with the constants of Nikolenko and Sirotkin (2011), section 5: its first baseline, without drift.

    >>> TSa().rating()
    Rating(mu=3000.0, sigma=1000.0)
    """
    return TrueSkill(mu, sigma, beta, tau, draw_probability, margin)


def TSb(
    mu: float = 3000.0,
    sigma: float = 1000.0,
    beta: float = 400.0,
    tau: float = 0.0,
    draw_probability: float | None = None,
    margin: float | Margin | None = None,
) -> Model:
    """`TSa` with the average of the players' performances instead of the sum: the second baseline of the 2011 paper.

    >>> TSb(beta=300).team
    Mean()
    """
    return TrueSkill(mu, sigma, beta, tau, draw_probability, margin).replace(team=Mean())

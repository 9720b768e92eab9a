"""Place performances: tournaments of many teams on few places (Nikolenko and Sirotkin, 2010 and 2011)."""

from __future__ import annotations

import warnings

from ...validate import number, scale
from ..components.absorb import Constant
from ..components.drift import PerMatch
from ..components.interfaces import TeamFunction
from ..components.outcome import Margin, Outcome, Places, PlacesML, Spread
from ..components.prior import Normal
from ..components.team import FullSquad, LeaderBonus, Sum
from ..model import Model


def _model(
    outcome: type[Outcome],
    team: TeamFunction,
    mu: float,
    sigma: float,
    beta: float,
    tau: float,
    margin: float | Margin | None,
    leader_bonus: float,
) -> Model:
    return Model(
        prior=Normal(number("mu", mu), scale("sigma", sigma, zero=True)),
        drift=PerMatch(scale("tau", tau, zero=True)),
        noise=scale("beta", beta),
        team=LeaderBonus(team, leader_bonus),
        outcome=outcome(margin=Spread() if margin is None else margin),  # type: ignore[call-arg]
    )


def TS2a(
    mu: float = 3000.0,
    sigma: float = 1000.0,
    beta: float = 400.0,
    tau: float = 0.0,
    margin: float | Margin | None = None,
    leader_bonus: float = 0.0,
) -> Model:
    """Place performances and the sum of the players' performances: Nikolenko and Sirotkin (2011), sections 3 to 5.

    `margin` is half the distance of neighbouring places: a number, or a policy; unless given, the tournament's places
    are spread over its teams' prior performances (`pw.outcome.Spread`).

    >>> TS2a(margin=50.0).params["margin"]
    50.0
    """
    return _model(Places, Sum(), mu, sigma, beta, tau, margin, leader_bonus)


def TS2b(
    mu: float = 3000.0,
    sigma: float = 1000.0,
    beta: float = 400.0,
    tau: float = 0.0,
    margin: float | Margin | None = None,
    size: int = 6,
    discount: float = 0.02,
    leader_bonus: float = 0.0,
) -> Model:
    """Place performances and the average of a squad of six, less 2 % for each player missing: the 2011 paper.

    >>> TS2b(size=5).params["size"]
    5
    """
    return _model(Places, FullSquad(size, discount), mu, sigma, beta, tau, margin, leader_bonus)


TS2 = TS2b


def TS2c(
    mu: float = 3000.0,
    sigma: float = 300.0,
    beta: float = 400.0,
    tau: float = 0.0,
    margin: float | Margin | None = None,
    size: int = 6,
    discount: float = 0.02,
    leader_bonus: float = 0.0,
) -> Model:
    """`TS2b` with the same fixed uncertainty for everyone, always: the best model of the 2011 paper.

    >>> TS2c().absorb
    Constant()
    """
    return TS2b(mu, sigma, beta, tau, margin, size, discount, leader_bonus).replace(absorb=Constant())


def TS3(
    mu: float = 3000.0,
    sigma: float = 1000.0,
    beta: float = 400.0,
    tau: float = 0.0,
    margin: float | Margin | None = None,
    size: int = 6,
    discount: float = 0.02,
    leader_bonus: float = 0.0,
) -> Model:
    """Place performances by maximum likelihood: Nikolenko and Sirotkin (2010), section 4.

    It barely learns where the margin is small against the spread of the teams' priors: the places follow the prior
    means, and only the uncertainties shrink.

    >>> TS3(margin=200.0).params["margin"]
    200.0
    """
    if isinstance(margin, (int, float)) and margin < sigma / 10:
        warnings.warn(
            f"TS3 barely learns with a margin of {margin:g}, which is small against sigma {sigma:g}: see its docstring",
            stacklevel=2,
        )
    return _model(PlacesML, FullSquad(size, discount), mu, sigma, beta, tau, margin, leader_bonus)

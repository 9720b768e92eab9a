"""Scores instead of places: Guo, Sanner, Graepel, Buntine (2012)."""

from __future__ import annotations

from ...validate import number, scale
from ..components.drift import PerMatch
from ..components.outcome import GaussianScore, OffenceDefence, Outcome, PoissonScore
from ..components.prior import Normal
from ..model import Model


def _model(outcome: Outcome, mu: float, sigma: float, beta: float, tau: float) -> Model:
    return Model(
        prior=Normal(number("mu", mu), scale("sigma", sigma, zero=True)),
        drift=PerMatch(scale("tau", tau, zero=True)),
        noise=beta,
        outcome=outcome,
    )


def GaussianOD(
    mu: float = 25.0,
    sigma: float = 25.0 / 3.0,
    beta: float = 25.0 / 6.0,
    tau: float = 0.0,
    gamma: float | str = "estimated",
) -> Model:
    """A score is offence less the opponents' defence, and noise of deviation `gamma`: Guo et al. (2012), equation (20).

    `gamma` is a number, or estimated from the scores of earlier matches.

    >>> model = GaussianOD(gamma=10.0)
    >>> [[ann], [bob]] = model.rate([[model.rating()], [model.rating()]], scores=[12, 3])
    >>> ann.offence.mu > 25 > ann.defence.mu
    True
    """
    return _model(OffenceDefence(GaussianScore(gamma)), mu, sigma, beta, tau)


def GaussianSD(
    mu: float = 25.0,
    sigma: float = 25.0 / 3.0,
    beta: float = 25.0 / 6.0,
    tau: float = 0.0,
    gamma: float | str = "estimated",
) -> Model:
    """The difference of two scores is that of their skills, with noise `gamma`: Guo et al. (2012), (22) and (23).

    >>> model = GaussianSD(gamma=10.0)
    >>> [[ann], [bob]] = model.rate([[model.rating()], [model.rating()]], scores=[12, 3])
    >>> ann.mu > 25 > bob.mu
    True
    """
    return _model(GaussianScore(gamma), mu, sigma, beta, tau)


def PoissonOD(
    mu: float = 25.0,
    sigma: float = 25.0 / 3.0,
    beta: float = 25.0 / 6.0,
    tau: float = 0.0,
    prediction: str = "integrated",
) -> Model:
    """A score is a count whose log-rate is offence less the opponents' defence: Guo et al. (2012), section 3.

    The paper's priors are far too wide for log-rates; skills of about 0.3 around 0 suit most sports better:
    `PoissonOD(mu=0, sigma=0.3, beta=0.1)`. The paper predicts by "plug-in", as if rates were known.

    >>> model = PoissonOD(mu=0, sigma=0.3, beta=0.1)
    >>> model.predict([[model.rating()], [model.rating()]]).draw > 0.2
    True
    """
    return _model(OffenceDefence(PoissonScore(prediction)), mu, sigma, beta, tau)

"""The systems before TrueSkill, as told in A Manifesto of Skill (2025); teams and free-for-alls duel."""

from __future__ import annotations

from collections.abc import Callable

from ...validate import number
from ...validate import scale as scale_of
from ..components import absorb
from ..components.absorb import Newton, Rule, Share, Step, Volatile
from ..components.drift import Idle, PerPeriod
from ..components.outcome import Duel, Logistic, Opposition, Probit
from ..components.prior import Normal, Point
from ..components.team import Mean
from ..model import Model


def Harkness(mu: float = 1500.0, step: float = 50.0, period: float = 30.0) -> Model:
    """Harkness: after an event a rating is the mean of the opponents' plus `step` for each win more than losses.

    Stout (2025), equation (1). It has no memory: the old rating does not count. All matches of a `period` (days, or
    units of plain-number times) are one event.

    >>> model = Harkness()
    >>> model.rate([[model.rating(1600)], [model.rating(1400)]])
    [[Rating(mu=1450.0)], [Rating(mu=1550.0)]]
    """
    return Model(
        prior=Point(number("mu", mu)),
        noise=0.0,
        outcome=Duel(Opposition()),
        team=Mean(),
        absorb=absorb.Harkness(step),
        period=period,
    )


def Elo(mu: float = 1500.0, k: float | Rule | Callable[[float, float], float] = 32.0, scale: float = 400.0) -> Model:
    """Elo: a rating moves by K times the surprise, on a logistic scale of base 10: Stout (2025), section 3.

    `k` is a number, or a rule by matches played and rating (`pw.absorb.Fide()`, or any function of the two).

    >>> model = Elo(k=20)
    >>> [[ann], [bob]] = model.rate([[model.rating(1613)], [model.rating(1609)]], ranks=[2, 1])
    >>> round(ann.mu, 2), round(bob.mu, 2), ann.sigma
    (1602.88, 1619.12, None)
    """
    return Model(prior=Point(number("mu", mu)), noise=0.0, outcome=Duel(Logistic(scale)), team=Mean(), absorb=Step(k))


def GaussianElo(mu: float = 1500.0, alpha: float = 0.07, beta: float = 200.0) -> Model:
    """Elo with normal performances: the baseline of Herbrich, Minka, Graepel (2006), equation (1) and section 4.

    A rating moves by αβ√π times the surprise, about 25 points a game with the defaults.

    >>> model = GaussianElo()
    >>> round(model.rate([[model.rating()], [model.rating()]])[0][0].mu, 2)
    1512.41
    """
    return Model(
        prior=Point(number("mu", mu)),
        noise=scale_of("beta", beta),
        outcome=Duel(Probit()),
        team=Mean(),
        absorb=Share(alpha),
    )


def Glicko(mu: float = 1500.0, sigma: float = 350.0, c: float = 34.6, period: float | None = 30.0) -> Model:
    """Glicko: ratings with deviations, all games of a rating period together: Glickman (1999), Stout (2025), section 4.

    `sigma` is Glicko's RD; before a period its square grows by `c`², up to 350². `period` is in days, or in units of
    plain-number times; None rates every match by itself.

    >>> model = Glicko(c=0)
    >>> opponents = {"b": model.rating(1400, 30), "c": model.rating(1550, 100), "d": model.rating(1700, 300)}
    >>> import prowess as pw
    >>> games = [{"teams": [["a"], ["b"]], "time": 1}, {"teams": [["c"], ["a"]], "time": 1},
    ...          {"teams": [["d"], ["a"]], "time": 1}]
    >>> fit = model.fit(pw.History.from_matches(games), start={"a": model.rating(1500, 200)} | opponents)
    >>> round(fit["a"].mu, 1), round(fit["a"].sigma, 1)
    (1464.1, 151.4)
    """
    return Model(
        prior=Normal(number("mu", mu), scale_of("sigma", sigma)),
        noise=0.0,
        outcome=Duel(Logistic()),
        drift=PerPeriod(c, cap=max(350.0, sigma)),
        team=Mean(),
        absorb=Newton(),
        period=period,
    )


def Glicko2(
    mu: float = 1500.0,
    sigma: float = 350.0,
    volatility: float = 0.06,
    tau: float = 0.5,
    period: float | None = 30.0,
) -> Model:
    """Glicko-2: Glicko with a volatility for each player, which `tau` keeps in bounds: Glickman (2001).

    >>> model = Glicko2()
    >>> model.rating()
    Rating(mu=1500.0, sigma=350.0, volatility=0.06)
    """
    return Model(
        prior=Normal(number("mu", mu), scale_of("sigma", sigma)),
        noise=0.0,
        outcome=Duel(Logistic()),
        drift=Idle(),
        team=Mean(),
        absorb=Volatile(volatility, tau),
        period=period,
    )

"""The rating systems by name, each with the constants from its paper.

`PRESETS` is the only list of rating systems: conformance tests, documentation, command line and service all read this
list. Plugins add presets through the entry point group `prowess.presets`. `TrueSkill2` is not in the list, because it
needs the names of columns; the command line takes them from its options.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..errors import Error
from ..plugins import Extensible
from ..validate import number
from ..validate import scale as positive
from .components import absorb
from .components.absorb import Constant, Newton, Rule, Share, Step, Volatile
from .components.drift import Idle, PerMatch, PerPeriod
from .components.facet import By, Experience, Facet, Shared
from .components.interfaces import TeamFunction
from .components.outcome import (
    Duel,
    GaussianScore,
    Logistic,
    Margin,
    OffenceDefence,
    Opposition,
    Order,
    Outcome,
    Places,
    PlacesML,
    PoissonScore,
    Probit,
    Spread,
)
from .components.prior import Normal, Point
from .components.statistic import Statistic
from .components.team import FullSquad, LeaderBonus, Mean, Sum
from .model import Model
from .statistic_words import parse_statistics


def Harkness(mu: float = 1500.0, step: float = 50.0, period: float = 30.0) -> Model:
    """Harkness: after an event, a rating is the opponents' mean rating plus `step` times (wins − losses).

    See Stout (2025), equation (1). The old rating is ignored. All matches of a `period` (days, or units of plain-number
    times) are one event.

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
    """Elo: a rating moves by K times (actual − expected score). See Stout (2025), section 3.

    The expected score is logistic to base 10. `k` is a number or a rule. A rule is `pw.absorb.Fide()`, or any function
    that returns K for the number of matches played and the rating.

    >>> model = Elo(k=20)
    >>> [[ann], [bob]] = model.rate([[model.rating(1613)], [model.rating(1609)]], ranks=[2, 1])
    >>> round(ann.mu, 2), round(bob.mu, 2), ann.sigma
    (1602.88, 1619.12, None)
    """
    # The noise is 0, because the logistic curve already contains all of it.
    return Model(prior=Point(number("mu", mu)), noise=0.0, outcome=Duel(Logistic(scale)), team=Mean(), absorb=Step(k))


def GaussianElo(mu: float = 1500.0, alpha: float = 0.07, beta: float = 200.0) -> Model:
    """Gaussian Elo: Elo with normal performances, the baseline of Herbrich, Minka, Graepel (2006), section 4.

    Equation (1) moves a rating by αβ√π times (actual − expected score). With the defaults, this is at most about 25
    points per game.

    >>> model = GaussianElo()
    >>> round(model.rate([[model.rating()], [model.rating()]])[0][0].mu, 2)
    1512.41
    """
    return Model(
        prior=Point(number("mu", mu)),
        noise=positive("beta", beta),
        outcome=Duel(Probit()),
        team=Mean(),
        absorb=Share(alpha),
    )


def Glicko(mu: float = 1500.0, sigma: float = 350.0, c: float = 34.6, period: float | None = 30.0) -> Model:
    """Glicko: ratings with a deviation, updated once per rating period. See Glickman (1999); Stout (2025), section 4.

    `sigma` is Glicko's rating deviation (RD). The square of the deviation grows by `c`² before each period, up to 350².
    `period` is in days, or in units of plain-number times; None updates after every match.

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
        prior=Normal(number("mu", mu), positive("sigma", sigma)),
        noise=0.0,
        outcome=Duel(Logistic()),
        # Glicko's cap of 350 must not shrink a larger initial sigma.
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
    """Glicko-2: like Glicko, with a volatility for each player. See Glickman (2001).

    The volatility changes slowly if `tau` is small.

    >>> model = Glicko2()
    >>> model.rating()
    Rating(mu=1500.0, sigma=350.0, volatility=0.06)
    """
    return Model(
        prior=Normal(number("mu", mu), positive("sigma", sigma)),
        noise=0.0,
        outcome=Duel(Logistic()),
        drift=Idle(),
        team=Mean(),
        absorb=Volatile(volatility, tau),  # in periods with matches, this rule also adds the volatility
        period=period,
    )


def _gaussian(
    mu: float,
    sigma: float,
    noise: float,
    tau: float,
    outcome: Outcome,
    team: TeamFunction = Sum(),
) -> Model:
    # Checked here, so that an error names the parameter of the preset and not that of the component.
    prior = Normal(number("mu", mu), positive("sigma", sigma, zero=True))
    drift = PerMatch(positive("tau", tau, zero=True))
    return Model(prior=prior, noise=noise, outcome=outcome, drift=drift, team=team)


def TrueSkill(
    mu: float = 25.0,
    sigma: float = 25.0 / 3.0,
    beta: float = 25.0 / 6.0,
    tau: float = 25.0 / 300.0,
    draw_probability: float | str | None = None,
    margin: float | Margin | None = None,
) -> Model:
    """TrueSkill: a team's performance is the sum of its players' performances. Skills drift before every match.

    See Herbrich, Minka, Graepel (2006). The defaults are those of the paper and of other implementations; equal teams
    draw one match in ten. `draw_probability="learnt"` starts with the same share and then learns the share of draws
    from the league's matches, by `pw.outcome.LearntDraws`. Give `margin` instead of `draw_probability` to set the draw
    margin ε itself (a number or a policy).

    >>> model = TrueSkill(draw_probability=0.05)
    >>> model.params["beta"] == 25 / 6
    True
    >>> TrueSkill(draw_probability="learnt").replace(draw_memory=200).params["margin"]
    LearntDraws(draw_start=0.1, draw_memory=200)
    """
    if draw_probability is None and margin is None:
        # Only one of margin and draw probability may be set, so the default applies only if neither is given.
        draw_probability = 0.1
    outcome = Order(draw_probability=draw_probability, margin=margin)
    return _gaussian(mu, sigma, positive("beta", beta), tau, outcome)


def TrueSkill2(
    modes: str | Sequence[str] = (),
    statistics: str | Sequence[str | Statistic] = (),
    squads: str | Sequence[str] | None = None,
    experience: Sequence[float] = (20.0, 200.0),
    mu: float = 25.0,
    sigma: float = 25.0 / 3.0,
    beta: float = 25.0 / 6.0,
    tau: float = 25.0 / 300.0,
    draw_probability: float | str | None = None,
) -> Model:
    """A model of team shooters: TrueSkill with game modes, individual statistics, squads and experience.

    It is modelled on the published report on TrueSkill 2 (Minka, Cleven, Zaykov 2018), and does not claim to reproduce
    it. `modes` are columns by which each player's skill differs, such as "mode". `statistics` are columns such as
    "kills" or "deaths:lower", in the words of `pw.compose`, or statistics; their scale differs by the modes. `squads`
    is a column with the size or the kind of a player's squad, or several columns, which have effects. `experience` has
    the scales of the learning curve, in matches; () leaves it out. Tune the numbers with `pw.tune`.

    >>> model = TrueSkill2("mode", ["kills", "deaths:lower"], squads="squad")
    >>> [facet.kind for facet in model.facets], [statistic.per for statistic in model.statistics]
    (['by', 'shared', 'experience'], [('mode',), ('mode',)])
    """
    names = (modes,) if isinstance(modes, str) else tuple(modes)
    words = (statistics,) if isinstance(statistics, str | Statistic) else tuple(statistics)
    facets: list[Facet] = [By(name, 0.2 * sigma) for name in names]
    groups = () if squads is None else (squads,) if isinstance(squads, str) else tuple(squads)
    facets += [Shared(name, 0.2 * sigma) for name in groups]
    facets += [Experience(tuple(experience), 0.3 * sigma)] if len(experience) else []
    found: list[Statistic] = []
    for one in words:
        if isinstance(one, Statistic):
            found.append(one)
            continue
        for word in parse_statistics(one):
            statistic: Any = word.build()
            found.append(replace(statistic, per=names) if statistic.per == () else statistic)
    model = TrueSkill(mu, sigma, beta, tau, draw_probability)
    return model.replace(facets=tuple(facets), statistics=tuple(found))


def TSa(
    mu: float = 3000.0,
    sigma: float = 1000.0,
    beta: float = 400.0,
    tau: float = 0.0,
    draw_probability: float | str | None = None,
    margin: float | Margin | None = None,
) -> Model:
    """TSa: TrueSkill without drift, with the constants of Nikolenko and Sirotkin (2011), section 5.

    >>> TSa().rating()
    Rating(mu=3000.0, sigma=1000.0)
    """
    return TrueSkill(mu, sigma, beta, tau, draw_probability, margin)


def TSb(
    mu: float = 3000.0,
    sigma: float = 1000.0,
    beta: float = 400.0,
    tau: float = 0.0,
    draw_probability: float | str | None = None,
    margin: float | Margin | None = None,
) -> Model:
    """TSb: like `TSa`, but a team's performance is the average of its players' performances (2011, section 5).

    >>> TSb(beta=300).team
    Mean()
    """
    return TrueSkill(mu, sigma, beta, tau, draw_probability, margin).replace(team=Mean())


def _or_spread(margin: float | Margin | None) -> float | Margin:
    return Spread() if margin is None else margin


def TS2a(
    mu: float = 3000.0,
    sigma: float = 1000.0,
    beta: float = 400.0,
    tau: float = 0.0,
    margin: float | Margin | None = None,
    leader_bonus: float = 0.0,
) -> Model:
    """TS2a: every place has its own performance level; a team's performance is the sum of its players' performances.

    See Nikolenko and Sirotkin (2011), sections 3 to 5. `margin` is half the distance between neighbouring places: a
    number or a policy. By default, places are spread over the prior performances of the teams (`pw.outcome.Spread`).
    `leader_bonus` increases the weight of each team's best player (see `pw.team.LeaderBonus`).

    >>> TS2a(margin=50.0).params["margin"]
    50.0
    """
    team = LeaderBonus(Sum(), leader_bonus)
    return _gaussian(mu, sigma, positive("beta", beta), tau, Places(margin=_or_spread(margin)), team)


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
    """TS2b: like `TS2a`, but a team performs like its average player, minus a discount for each missing player.

    See Nikolenko and Sirotkin (2011), section 5. A full team has `size` players; `discount` is 0.02 (2 %) by default.

    >>> TS2b(size=5).params["size"]
    5
    """
    team = LeaderBonus(FullSquad(size, discount), leader_bonus)
    return _gaussian(mu, sigma, positive("beta", beta), tau, Places(margin=_or_spread(margin)), team)


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
    """TS2c, the best model of the 2011 paper: like `TS2b`, but all players have the same constant uncertainty.

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
    """TS3: each place's performance is estimated by maximum likelihood. See Nikolenko and Sirotkin (2010), section 4.

    The model barely learns if the margin is small compared with the spread of the teams' priors. Then the
    estimated performances of the places are close to the teams' prior means: ratings hardly move, and only the
    uncertainties shrink.

    >>> TS3(margin=200.0).params["margin"]
    200.0
    """
    # Such a model seems to work, because its uncertainties shrink, but its ratings hardly change.
    if isinstance(margin, (int, float)) and margin < sigma / 10:
        warnings.warn(
            f"TS3 barely learns if the margin ({margin:g}) is far below sigma ({sigma:g}); use a larger margin, or TS2",
            stacklevel=2,
        )
    team = LeaderBonus(FullSquad(size, discount), leader_bonus)
    return _gaussian(mu, sigma, positive("beta", beta), tau, PlacesML(margin=_or_spread(margin)), team)


def GaussianOD(
    mu: float = 25.0,
    sigma: float = 25.0 / 3.0,
    beta: float = 25.0 / 6.0,
    tau: float = 0.0,
    gamma: float | str = "estimated",
    rounding: float | None = None,
    base_score: float | str | None = None,
    unscored: str = "error",
) -> Model:
    """Gaussian-OD: a score is the team's offence minus the opponents' defence, plus noise.

    See Guo et al. (2012), equation (20).

    `gamma`, the standard deviation of the noise, is a number, or "estimated" from the scores of earlier matches. The
    paper's model never forecasts a draw; with `rounding=1`, scores are whole numbers, and differences that round to 0
    are draws. `base_score` is the mean score of a team in a match of equal teams, a number, or "learnt" from earlier
    matches; in the paper, skills have to explain the level of scores. A match in which a score is missing is an error;
    with `unscored="order"`, the model learns from the places in such a match.

    >>> model = GaussianOD(gamma=10.0)
    >>> [[ann], [bob]] = model.rate([[model.rating()], [model.rating()]], scores=[12, 3])
    >>> ann.offence.mu > 25 > ann.defence.mu
    True
    >>> model.replace(base_score=90).predict([[model.rating()], [model.rating()]]).scores
    array([90., 90.])
    """
    return _gaussian(mu, sigma, beta, tau, OffenceDefence(GaussianScore(gamma, rounding, unscored, base_score)))


def GaussianSD(
    mu: float = 25.0,
    sigma: float = 25.0 / 3.0,
    beta: float = 25.0 / 6.0,
    tau: float = 0.0,
    gamma: float | str = "estimated",
    rounding: float | None = None,
    unscored: str = "error",
) -> Model:
    """Gaussian-SD: a score difference is the difference of skills, plus noise.

    See Guo et al. (2012), equations (22) and (23). `gamma`, `rounding` and `unscored` are as in
    `GaussianOD`.

    >>> model = GaussianSD(gamma=10.0)
    >>> [[ann], [bob]] = model.rate([[model.rating()], [model.rating()]], scores=[12, 3])
    >>> ann.mu > 25 > bob.mu
    True
    >>> model.predict([[ann], [bob]]).draw, round(model.replace(rounding=1).predict([[ann], [bob]]).draw, 3)
    (0.0, 0.025)
    """
    return _gaussian(mu, sigma, beta, tau, GaussianScore(gamma, rounding, unscored))


def PoissonOD(
    mu: float = 25.0,
    sigma: float = 25.0 / 3.0,
    beta: float = 25.0 / 6.0,
    tau: float = 0.0,
    prediction: str = "integrated",
    base_rate: float | str | None = None,
    unscored: str = "error",
) -> Model:
    """Poisson-OD: a score is a count whose log-rate is offence minus defence.

    See Guo et al. (2012), section 3.

    The paper's priors are far too wide for log-rates; `PoissonOD(mu=0, sigma=0.3, beta=0.1)` suits most sports better.
    `prediction="plug-in"` predicts as the paper does, as if the rates were known. `base_rate` is the mean score of a
    team in a match of equal teams, a number, or "learnt" from earlier matches; in the paper, skills have to explain the
    level of scores. With `unscored="order"`, the model learns from the result of a match of two teams in which a score
    is missing, instead of raising an error.

    >>> model = PoissonOD(mu=0, sigma=0.3, beta=0.1)
    >>> model.predict([[model.rating()], [model.rating()]]).draw > 0.2
    True
    >>> model.replace(base_rate=90.0).predict([[model.rating()], [model.rating()]]).scores
    array([90., 90.])
    """
    score = PoissonScore(prediction, base_rate=base_rate, unscored=unscored)
    return _gaussian(mu, sigma, beta, tau, OffenceDefence(score))


def _check_preset(_: str, plugin: object) -> Callable[..., Model]:
    if not callable(plugin) or not isinstance(plugin(), Model):
        raise Error(f"a preset must be a function that returns a Model when called without arguments, not {plugin!r}")
    return plugin


BUILT_IN: dict[str, Callable[..., Model]] = {
    "Harkness": Harkness,
    "Elo": Elo,
    "GaussianElo": GaussianElo,
    "Glicko": Glicko,
    "Glicko2": Glicko2,
    "TrueSkill": TrueSkill,
    "TSa": TSa,
    "TSb": TSb,
    "TS2": TS2,
    "TS2a": TS2a,
    "TS2b": TS2b,
    "TS2c": TS2c,
    "TS3": TS3,
    "GaussianOD": GaussianOD,
    "GaussianSD": GaussianSD,
    "PoissonOD": PoissonOD,
}
PRESETS: Extensible[Callable[..., Model]] = Extensible(BUILT_IN, "prowess.presets", _check_preset)


def preset(name: str) -> Callable[..., Model]:
    """Return the preset with a name, ignoring case; raise `Error` for an unknown name.

    >>> preset("trueskill") is TrueSkill
    True
    """
    # The names are listed without importing plugins; only the chosen one is imported.
    for proper in PRESETS.names:
        if proper.lower() == name.lower():
            return PRESETS[proper]
    raise Error(f"unknown model {name!r}; choose one of {', '.join(PRESETS)}", field="model", value=name)

"""The models that the automatic choice can build: a family and its components, with parameters in common units.

Parameters are ratios with the same meaning in every family. Therefore a new family can start from the values that were
tuned for another family, and the usual values come from other leagues. `beta` is the noise of a performance, divided
by the spread of the skills; drifts are shares of that spread.

The usual values and their spreads were found by tuning the leagues that `prowess papers best` uses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log, pi, sqrt

from ...model.components.absorb import Newton
from ...model.components.drift import PerMatch, PerTime, Seasons, Still
from ...model.components.facet import By, Covariate, Experience, Facet, Shared
from ...model.components.home import Home
from ...model.components.interfaces import Drift, Outcome, Prior, TeamFunction
from ...model.components.outcome import (
    Duel,
    GaussianScore,
    LearntDraws,
    Logistic,
    OffenceDefence,
    Order,
    Places,
    PlacesML,
    PoissonScore,
)
from ...model.components.prior import Newcomers, Normal
from ...model.components.statistic import Statistic
from ...model.components.team import FullSquad, Mean, Sum
from ...model.model import Model
from .facts import Facts
from .parameters import Parameter

CENTRE, SPREAD = 25.0, 25.0 / 3.0  # TrueSkill's well-known scale, for families in which results set no scale
# The logistic distribution to base 10 with scale 400 describes the difference of two players' performances. This is the
# standard deviation of the noise of one player.
LOGISTIC_NOISE = 400.0 / log(10.0) * pi / sqrt(3.0) / sqrt(2.0)
# Log-rates of goals have no noise of their own. With this value, `beta` means about the same as in other families.
COUNT_NOISE = 0.5
MATCHES = 10  # the level of newcomers is updated when a newcomer has played this many matches

# In large fields, a lower beta would gain a little, but rank teams with one lucky match above all others.
BETA = Parameter("beta", 1.8, 0.6, 0.2, 100.0)
TAU = Parameter("tau", 0.09, 1.0, 1e-5, 1.0)  # per match
TAU_YEAR = Parameter("tau_year", 0.4, 0.8, 1e-3, 10.0)  # per square root of a year
HOME = Parameter("home", 0.25, 0.35, -5.0, 5.0, "plain")
HOME_TAU = Parameter("home_tau", 0.005, 1.0, 1e-5, 0.3)
LEVEL_SIGMA = Parameter("level_sigma", 0.35, 0.7, 0.01, 5.0)
LEVEL_TAU = Parameter("level_tau", 0.15, 0.8, 1e-3, 3.0)
CARRY = Parameter("carry", 0.85, 1.0, 0.01, 0.999, "logit")
SEASON_TAU = Parameter("season_tau", 0.12, 0.8, 1e-3, 3.0)
MARGIN = Parameter("margin", 0.1, 1.0, 1e-3, 5.0)
NOISE = Parameter("noise", 0.9, 0.2, 0.05, 2.0)
DRAW_MEMORY = Parameter("draw_memory", 700.0, 1.0, 10.0, 1e5)  # matches
DRAW_FACTOR = Parameter("draw_factor", 1.1, 0.1, 0.001, 5.0)
# Of facets: the spread of their rows, relative to the spread of the skills (of a covariate, per standard deviation of
# its column), and the drift, relative to the spread of the rows, per match or per square root of a year.
FACETS = {
    "by": ("deviations by {}", 0.3, 0.1),
    "slope": ("slopes by {}", 0.2, 0.02),
    "shared": ("effects of {}", 0.3, 0.02),
    "covariate": ("a weight of {}", 0.2, 0.002),
    "experience": ("a learning curve", 0.3, 0.002),
    "statistic": ("{} as a statistic", 1.0, 2.0),  # these are OMEGA and GAMMA
}
# Of statistics: how much they grow with the performance, in their own standard deviations, and their noise.
OMEGA, GAMMA = (0.7, 0.02, 50.0), (0.7, 0.05, 100.0)
FACET_SIGMA = (1.0, 0.003, 5.0)  # spread on a logarithmic scale, least and most
FACET_TAU = (1.5, 1e-4, 5.0)


FacetKey = tuple[str, str]  # a kind, such as "by", and a column; or "experience" and its scales, such as "10.0,100.0"

FAMILIES = {
    "order": "TrueSkill",
    "logistic": "Glicko updated after every match",
    "places": "TS2",
    "places_ml": "TS3",
    "difference": "score differences (Gaussian-SD)",
    "scores": "offence and defence (Gaussian-OD)",
    "counts": "goals by offence and defence (Poisson-OD)",
}


@dataclass(frozen=True)
class Design:
    """The structure of a model. The search decides on the structure, and then tunes its parameters.

    `family` is "order", "logistic", "places", "places_ml", "difference", "scores" or "counts"; `drift` is "none",
    "match" or "time"; `home` is "none", "fixed" or "learnt"; `team` is "sum", "mean" or "squad". `draws` is
    "given" (a fixed share of draws) or "learnt". `newcomers` says whether the level of newcomers is learnt. `seasons`
    is the length of a break between seasons, or None.

    >>> history_facts = Facts(True, 2.0, 1, True, 0.25, True, True, True, 1.0, 1.3, 1.2, 1.7, 7.0, 365.25, 60.0)
    >>> design = Design("counts", drift="time", home="learnt")
    >>> [one.name for one in design.parameters(history_facts)]
    ['beta', 'tau_year', 'home_tau', 'draw_factor']
    """

    family: str = "order"
    drift: str = "match"
    home: str = "none"
    draws: str = "given"
    newcomers: bool = False
    seasons: float | None = None
    team: str = "sum"
    facets: tuple[FacetKey, ...] = ()

    def replace(self, **changes: object) -> Design:
        """Return this design with some fields changed.

        >>> Design().replace(family="counts").family
        'counts'
        """
        return replace(self, **changes)  # type: ignore[arg-type]

    def parts(self, facts: Facts) -> tuple[str, ...]:
        """Describe the components of the model in short phrases.

        >>> facts = Facts(True, 2.0, 1, True, 0.1, False, False, False, 0.0, 0.0, 0.0, 0.0, None, 365.25, None)
        >>> Design(home="learnt").parts(facts)
        ('TrueSkill', 'a learnt home advantage', 'skills that drift with every match')
        """
        names = [FAMILIES[self.family]]
        if facts.largest_team > 1:
            names.append(
                {"sum": "teams as sums of their players", "mean": "teams as the mean of their players"}.get(
                    self.team, "teams as full squads"
                )
            )
        if self.home != "none":
            names.append(f"a {self.home} home advantage")
        if self.draws == "learnt" and self.family == "order":
            names.append("a learnt share of draws")
        drifts = {
            "match": "skills that drift with every match",
            "time": "skills that drift with time",
            "none": "skills that do not drift",
        }
        names.append(drifts[self.drift])
        if self.newcomers:
            names.append("a learnt level of newcomers")
        if self.seasons is not None:
            names.append("seasons with carry-over")
        return (*names, *self.facet_parts)

    @property
    def facet_parts(self) -> tuple[str, ...]:
        """Describe the facets of the model in short phrases.

        >>> Design(facets=(("by", "surface"),)).facet_parts
        ('deviations by surface',)
        """
        return tuple(FACETS[kind][0].format(column) for kind, column in self.facets)

    def parameters(self, facts: Facts) -> tuple[Parameter, ...]:
        """Return the parameters to tune, in a fixed order."""
        found = [BETA]
        found += {"none": [], "match": [TAU], "time": [TAU_YEAR]}[self.drift]
        found += {"none": [], "fixed": [HOME], "learnt": [HOME_TAU]}[self.home]
        found += [LEVEL_SIGMA, LEVEL_TAU] if self.newcomers else []
        found += [CARRY, SEASON_TAU] if self.seasons is not None else []
        for kind, column in self.facets:
            _, sigma, tau = FACETS[kind]
            if kind == "statistic" and facts.statistic_of(column).kind == "quit":
                continue
            if kind == "statistic":
                found += [Parameter(f"{column} omega", sigma, *OMEGA), Parameter(f"{column} gamma", tau, *GAMMA)]
                continue
            found += [Parameter(f"{kind} {column} sigma", sigma, *FACET_SIGMA)]
            found += [] if self.drift == "none" else [Parameter(f"{kind} {column} tau", tau, *FACET_TAU)]
        return (*found, *self._own_parameters(facts))

    def _own_parameters(self, facts: Facts) -> tuple[Parameter, ...]:
        if self.family == "order":
            share = Parameter("draw_probability", min(max(facts.draws, 0.002), 0.9), 0.3, 1e-4, 0.95, "logit")
            return (DRAW_MEMORY,) if self.draws == "learnt" else (share,)
        if self.family in ("places", "places_ml"):
            return (MARGIN,)
        if self.family in ("difference", "scores"):
            return (NOISE,)
        return (DRAW_FACTOR,) if self.family == "counts" else ()

    def build(self, facts: Facts, values: dict[str, float]) -> Model:
        """Return the model with these values of its parameters.

        >>> facts = Facts(True, 2.0, 1, True, 0.1, False, False, False, 0.0, 0.0, 0.0, 0.0, None, 365.25, None)
        >>> Design().build(facts, {"beta": 0.5, "tau": 0.01, "draw_probability": 0.1}).params["beta"] == 25 / 6
        True
        """
        outcome, noise, sigma, performance_noise = self._outcome(facts, values)
        mu = CENTRE if self.family in ("order", "places", "places_ml") else 1500.0 if self.family == "logistic" else 0.0
        prior: Prior = Normal(mu, sigma)
        if self.newcomers:
            prior = Newcomers(prior, sigma * values["level_sigma"], sigma * values["level_tau"], MATCHES)
        model = Model(
            prior=prior,
            noise=noise,
            outcome=outcome,
            drift=self._drift(facts, values, sigma),
            team=self._team(facts),
            home=self._home(values, sigma, performance_noise),
            facets=tuple(
                self._facet(kind, column, facts, values, sigma) for kind, column in self.facets if kind != "statistic"
            ),
        )
        model = model.replace(absorb=Newton()) if self.family == "logistic" else model
        whole = sqrt(sigma**2 + performance_noise**2)
        names = [column for kind, column in self.facets if kind == "statistic"]
        return model.replace(statistics=tuple(self._statistic(name, facts, values, whole) for name in names))

    def _outcome(self, facts: Facts, values: dict[str, float]) -> tuple[Outcome, float, float, float]:
        """Return the outcome, β, the newcomers' σ, and the noise of one team's performance in this family's units."""
        beta = values["beta"]
        if self.family == "order":
            return self._order(facts, values), SPREAD * beta, SPREAD, SPREAD * beta
        if self.family in ("places", "places_ml"):
            own = Places if self.family == "places" else PlacesML
            return own(margin=SPREAD * values["margin"]), SPREAD * beta, SPREAD, SPREAD * beta
        if self.family == "logistic":
            return Duel(Logistic()), 0.0, LOGISTIC_NOISE / beta, LOGISTIC_NOISE
        if self.family == "counts":
            counts = PoissonScore(draw_factor=values["draw_factor"], base_rate="learnt", unscored="order")
            return OffenceDefence(counts), 0.0, COUNT_NOISE / beta, COUNT_NOISE
        spread = facts.difference_spread if self.family == "difference" else facts.score_spread
        gamma = spread * values["noise"]
        if self.family == "difference":
            score = GaussianScore(gamma, rounding=facts.score_step or None, unscored="order")
            return score, 0.0, gamma / sqrt(2.0) / beta, gamma / sqrt(2.0)
        score = GaussianScore(gamma, rounding=facts.score_step or None, unscored="order", base_score="learnt")
        return OffenceDefence(score), 0.0, gamma / sqrt(2.0) / beta, gamma

    def _order(self, facts: Facts, values: dict[str, float]) -> Order:
        if self.draws == "learnt":
            start = min(max(facts.draws, 0.002), 0.9)
            return Order(margin=LearntDraws(start, values["draw_memory"]))
        return Order(draw_probability=values["draw_probability"])

    def _drift(self, facts: Facts, values: dict[str, float], sigma: float) -> Drift:
        drift: Drift = Still()
        if self.drift == "match":
            drift = PerMatch(sigma * values["tau"])
        elif self.drift == "time":
            # However long a player pauses, the rating never becomes less certain than a newcomer's.
            drift = PerTime(sigma * values["tau_year"] / sqrt(facts.year), cap=sigma)
        if self.seasons is None:
            return drift
        return Seasons(drift, self.seasons, values["carry"], sigma * values["season_tau"])

    def _home(self, values: dict[str, float], sigma: float, noise: float) -> Home | None:
        if self.home == "none":
            return None
        if self.home == "fixed":
            return Home(noise * values["home"])
        return Home(HOME.usual * noise, HOME.spread * noise, sigma * values["home_tau"])

    def _facet(self, kind: str, column: str, facts: Facts, values: dict[str, float], sigma: float) -> Facet:
        spread = sigma * values[f"{kind} {column} sigma"]
        tau = spread * values.get(f"{kind} {column} tau", 0.0)
        tau /= sqrt(facts.year) if self.drift == "time" else 1.0
        if kind == "experience":
            return Experience(tuple(map(float, column.split(","))), spread, tau)
        if kind in ("covariate", "slope"):
            unit = facts.spread_of(column)
            numbers = (spread / unit, tau / unit)
            return Covariate(column, *numbers) if kind == "covariate" else By(column, *numbers, numeric=True)
        return By(column, spread, tau) if kind == "by" else Shared(column, spread, tau)

    def _statistic(self, column: str, facts: Facts, values: dict[str, float], performance: float) -> Statistic:
        statistic = facts.statistic_of(column)
        if statistic.kind == "quit":
            return statistic
        omega, gamma = values[f"{column} omega"] / performance, values[f"{column} gamma"]
        return replace(statistic, omega=omega, gamma=gamma)  # type: ignore[type-var]

    def _team(self, facts: Facts) -> TeamFunction:
        if self.team == "squad":
            return FullSquad(facts.largest_team)
        return Mean() if self.team == "mean" or self.family == "logistic" else Sum()


def facet_key(facet: Facet) -> FacetKey:
    """Return how a design refers to a facet.

    >>> facet_key(By("rest", numeric=True)), facet_key(Experience((10, 100)))
    (('slope', 'rest'), ('experience', '10.0,100.0'))
    """
    return facet.kind, ",".join(map(str, facet.arguments))

"""The models that were tried on each data set, with the search ranges of their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from prowess.model.components.drift import PerMatch, PerTime, Seasons
from prowess.model.components.home import Home
from prowess.model.components.outcome import Order, Outcome, PlacesML
from prowess.model.components.prior import Newcomers, Normal
from prowess.model.components.team import Weighted
from prowess.model.model import Model
from prowess.model.presets import GaussianOD, GaussianSD, PoissonOD

# A carry-over above 1 would compound from season to season, and a home advantage without uncertainty cannot follow a
# change. A model with either is good in the years it was tuned on, and bad ten years later. So no range allows them.
Ranges = Mapping[str, tuple[float, float]]
BREAK = 60.0  # a break of this many days ends a season


@dataclass(frozen=True)
class Candidate:
    """A starting model and the ranges of its parameters.

    >>> CANDIDATES["afl"]["differences, drift by day"].model.params["carry"]
    0.6
    """

    model: Model
    ranges: Ranges


def _football() -> tuple[dict[str, Candidate], dict[str, Candidate]]:
    """Return models of goal differences, and models of both clubs' goals, for a league with seasons."""
    # Skills drift by day or by match, and the level of newcomers is fixed or learnt.
    ranges = {
        "sigma": (0.05, 0.5),
        "season_tau": (0.005, 0.3),
        "carry": (0.6, 1.0),
        "home_mu": (0.0, 0.5),
        "home_sigma": (0.02, 0.3),
        "home_tau": (0.0003, 0.01),
        "draw_factor": (0.8, 1.5),
    }
    level = {"level_sigma": (0.005, 0.5), "level_tau": (0.005, 0.5)}
    first = Normal(0.0, 0.15)
    # Promoted clubs are the newcomers; the level is learnt from each promoted club after one season of 38 matches.
    learnt = Newcomers(first, level_sigma=0.1, level_tau=0.05, matches=38)
    by_day, by_match = Seasons(PerTime(0.004), BREAK, 1.0, 0.05), Seasons(PerMatch(0.014), BREAK, 1.0, 0.05)
    # beta is 0, because the Poisson distribution already contains all the noise. The draw factor is above 1, because
    # football has more draws than independent scores would give.
    model = PoissonOD(mu=0.0, beta=0.0).replace(home=Home(0.2, 0.05, 0.001), draw_factor=1.1, prior=first, drift=by_day)
    # A difference that rounds to 0 is a draw, so that differences predict draws as well.
    difference = GaussianSD(mu=0.0, beta=0.0, gamma=1.6, rounding=1.0).replace(
        prior=Newcomers(Normal(0.0, 0.3), level_sigma=0.1, level_tau=0.05, matches=38),
        drift=PerMatch(0.04),
        home=Home(0.3, 0.2, 0.002),
    )
    wide = {
        "sigma": (0.05, 1.0),
        "gamma": (1.0, 2.5),
        "tau": (0.003, 0.3),
        "home_mu": (0.0, 1.0),
        "home_sigma": (0.02, 0.5),
        "home_tau": (0.0005, 0.05),
    }
    daily, each = ranges | {"tau": (0.0005, 0.02)}, ranges | level | {"tau": (0.001, 0.1)}
    return {"goal differences, newcomers": Candidate(difference, level | wide)}, {
        "goals, drift by day": Candidate(model, daily),
        "goals, drift by day, newcomers": Candidate(model.replace(prior=learnt), daily | level),
        "goals, drift by match, newcomers": Candidate(model.replace(prior=learnt, drift=by_match), each),
    }


def _australian() -> tuple[dict[str, Candidate], dict[str, Candidate]]:
    """Return models of point differences, and models of both clubs' points, for a league with seasons."""
    ranges = {
        "sigma": (1.0, 100.0),
        "season_tau": (0.1, 30.0),
        "carry": (0.2, 1.0),
        "home_mu": (0.0, 25.0),
        "home_sigma": (0.05, 20.0),
        "gamma": (20.0, 50.0),
    }
    by_day, by_match = Seasons(PerTime(1.0), BREAK, 0.6, 5.0), Seasons(PerMatch(3.0), BREAK, 0.6, 8.0)
    difference = GaussianSD(mu=0.0, sigma=12.0, beta=0.0, gamma=36.0).replace(home=Home(8.0, 2.0), drift=by_day)
    points = GaussianOD(mu=0.0, sigma=40.0, beta=0.0, gamma=25.0).replace(home=Home(5.0, 2.0), drift=by_match)
    differences = {
        "differences, drift by day": Candidate(difference, ranges | {"tau": (0.05, 5.0)}),
        "differences, drift by match": Candidate(difference.replace(drift=by_match), ranges | {"tau": (0.2, 15.0)}),
    }
    wide = ranges | {"sigma": (5.0, 500.0)}
    return differences, {
        "points, drift by day": Candidate(points.replace(drift=by_day), wide | {"tau": (0.02, 3.0)}),
        "points, drift by match": Candidate(points, wide | {"tau": (0.1, 15.0)}),
    }


def _international() -> dict[str, Candidate]:
    # Nations that joined late are far weaker than the first nations, so the level of newcomers may be learnt.
    ranges = {
        "sigma": (0.2, 1.5),
        "tau": (0.002, 0.02),
        "home_mu": (0.0, 0.7),
        "home_sigma": (0.002, 0.3),
        "home_tau": (0.00002, 0.01),
        "draw_factor": (0.9, 1.3),
    }
    level = {"level_sigma": (0.01, 1.0), "level_tau": (0.03, 1.0)}
    first = Normal(0.0, 0.6)
    model = PoissonOD(mu=0.0, beta=0.0).replace(
        home=Home(0.3, 0.05, 0.001), draw_factor=1.1, prior=first, drift=PerTime(0.007)
    )
    found = {"goals, drift by day": Candidate(model, ranges)}
    # Nations play only a few matches a year, so the level is learnt from a nation after 10 or 20 matches instead of 38.
    for matches in (10, 20):
        prior = Newcomers(first, level_sigma=0.1, level_tau=0.3, matches=matches)
        found[f"goals, newcomers by {matches} matches"] = Candidate(model.replace(prior=prior), ranges | level)
    return found


def _races() -> dict[str, Candidate]:
    # Many teams of a driver and a car share the last place.
    ranges = {"beta": (0.3, 6.0), "tau": (0.0003, 0.1), "season_tau": (0.05, 2.0), "carry": (0.5, 1.0)}
    level = {"level_sigma": (0.05, 2.0), "level_tau": (0.01, 1.0)}
    first = Normal(0.0, 1.0)
    learnt = Newcomers(first, level_sigma=0.3, level_tau=0.1, matches=10)
    outcomes: dict[str, tuple[Outcome, dict[str, tuple[float, float]]]] = {
        "neighbours": (Order(draw_probability=0.05), {"draw_probability": (0.001, 0.3)}),
        "places": (PlacesML(margin=0.3), {"margin": (0.03, 3.0)}),
    }
    found = {}
    for name, (outcome, own) in outcomes.items():
        # Weights cannot be tuned, so each weight of the car is a separate candidate.
        for weight in (2.0, 4.0):
            model = Model(
                prior=learnt,
                drift=Seasons(PerTime(0.01), BREAK, 0.9, 0.3),
                noise=1.0,
                team=Weighted((1.0, weight)),
                outcome=outcome,
            )
            found[f"{name}, car × {weight:g}, newcomers"] = Candidate(model, ranges | own | level)
            found[f"{name}, car × {weight:g}"] = Candidate(model.replace(prior=first), ranges | own)
    return found


def _votes() -> dict[str, Candidate]:
    # Votes count as scores, and a team has three members: model, answer and side.
    ranges = {"sigma": (0.1, 2.0), "draw_factor": (0.1, 1.5)}
    model = PoissonOD(mu=0.0, sigma=0.5, beta=0.0).replace(home=Home(0.0, 0.3), draw_factor=0.5)
    return {
        f"votes, weights {', '.join(f'{weight:g}' for weight in weights)}": Candidate(
            model.replace(team=Weighted(weights)), ranges
        )
        for weights in ((1.0, 1.0, 0.0), (1.0, 1.0, 1.0), (1.0, 2.0, 2.0))
    }


CANDIDATES: dict[str, dict[str, Candidate]] = {
    "premier_league": _football()[0] | _football()[1],
    "premier_league_scores": _football()[1],
    "afl": _australian()[0],
    "afl_scores": _australian()[1],
    "international_football": _international(),
    "f1": _races(),
    "llm_comparisons": _votes(),
}

"""The models for the simulated league with rosters: the papers' models, and all combinations of their parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from prowess.model.components.absorb import Constant, Moment
from prowess.model.components.interfaces import TeamFunction
from prowess.model.components.outcome import Order, Outcome, Places, PlacesML, Spread
from prowess.model.components.prior import Normal
from prowess.model.components.team import FullSquad, LeaderBonus, Mean, Sum
from prowess.model.model import Model

from ..paper import load_published

GRAPHS: dict[str, Callable[..., Outcome]] = {"chain": Order, "places": Places, "places by ML": PlacesML}
TEAMS = ("sum", "mean", "squad", "squad with leader")


class Parts(NamedTuple):
    """A model, given by its parts: graph, team function, policy for ε ("draws" or "spread"), and whether σ is fixed.

    >>> Parts("chain", "sum", "draws").name
    'chain, sum, ε by draws'
    """

    graph: str
    team: str
    policy: str
    fixed: bool = False

    @property
    def name(self) -> str:
        """The name of the model in the comparison."""
        return f"{self.graph}, {self.team}, ε by {self.policy}{', fixed σ' if self.fixed else ''}"


FIVE = {  # the models of the 2011 paper, section 4
    "TSa": Parts("chain", "sum", "draws"),
    "TSb": Parts("chain", "mean", "draws"),
    "TS2a": Parts("places", "sum", "spread"),
    "TS2b": Parts("places", "squad", "spread"),
    "TS2c": Parts("places", "squad", "spread", True),
}
SIX = {  # the models of the 2010 paper, section 5
    "1 TrueSkill": Parts("chain", "sum", "draws"),
    "2 TS2": Parts("places", "sum", "spread"),
    "3 TS2 incomplete": Parts("places", "squad", "spread"),
    "4 TS2 leader": Parts("places", "squad with leader", "spread"),
    "5 TS3 incomplete": Parts("places by ML", "squad", "spread"),
    "6 TS3 leader": Parts("places by ML", "squad with leader", "spread"),
}


def _team(name: str) -> TeamFunction:
    constants = load_published("tournaments")["icml2011"]["constants"]
    # For more than six players the plain average is used: the papers' rule fails if the means sum to less than 0.
    squad = FullSquad(constants["size"], constants["discount"], "mean")
    if name in ("sum", "mean"):
        return Sum() if name == "sum" else Mean()
    if name == "squad":
        return squad
    return LeaderBonus(squad, load_published("tournaments")["extensions2010"]["leader_bonus"])


def model(parts: Parts, draws: float) -> Model:
    """Return the model with the given parts and the 2011 paper's constants.

    `draws` is the share of ties among teams that finished next to each other.

    >>> model(FIVE["TS2c"], 0.5).params["sigma"]
    300.0
    """
    constants = load_published("tournaments")["icml2011"]["constants"]
    how = {"draw_probability": draws} if parts.policy == "draws" else {"margin": Spread()}
    return Model(
        prior=Normal(constants["mu"], constants["fixed_sigma" if parts.fixed else "sigma"]),
        noise=constants["beta"],
        team=_team(parts.team),
        outcome=GRAPHS[parts.graph](**how),
        absorb=Constant() if parts.fixed else Moment(),
    )


def models(draws: float) -> dict[Parts, Model]:
    """Return all combinations of graph, team function, policy for ε, and variable or fixed σ.

    >>> len(models(0.5))
    40
    """
    both = [
        Parts(graph, team, policy, fixed)
        for graph in ("chain", "places")
        for team in TEAMS
        for policy in ("draws", "spread")
        for fixed in (False, True)
    ]
    # One ε for all tournaments does not suit TS3, so it is run only with ε by spread.
    third = [Parts("places by ML", team, "spread", fixed) for team in TEAMS for fixed in (False, True)]
    return {parts: model(parts, draws) for parts in (*both, *third)}

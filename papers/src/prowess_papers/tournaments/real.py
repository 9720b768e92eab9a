"""The models for the real results, each with the papers' constants and with tuned constants.

In these results, a team counts as one player.

The tuned constants are in `tuned.toml`, which explains how they were found.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from prowess.model.components.absorb import Constant, Moment
from prowess.model.components.drift import PerTime, Still
from prowess.model.components.outcome import Margin, Order, Outcome, Places, PlacesML, Spread, TwoValued
from prowess.model.components.prior import Newcomers, Normal
from prowess.model.model import Model
from prowess.model.presets import Elo

from ..paper import load_published

KINDS: dict[str, Callable[..., Outcome]] = {"TSa": Order, "TS2": Places, "TS3": PlacesML}
POLICIES = ("draws", "number", "two values", "spread")
MU, BETA = 3000.0, 400.0


class Variant(NamedTuple):
    """A model, given by its kind ("TSa", "TS2" or "TS3"), σ (fixed or not), policy for ε, and source of constants.

    `source` is "paper" for the papers' constants, "tuned" for tuned constants, or "newcomers" for tuned constants and a
    learnt newcomers' level.

    >>> Variant("TS2", True, "spread", "paper").name
    'TS2c, ε by spread'
    """

    kind: str
    fixed: bool
    policy: str
    source: str

    @property
    def name(self) -> str:
        """The name of the model in the comparison; the letter c means a fixed σ, as in TS2c."""
        ending = {"paper": "", "tuned": ", tuned", "newcomers": ", tuned with newcomers"}[self.source]
        return f"{_lettered(self.kind, self.fixed)}, ε by {self.policy}{ending}"


def _lettered(kind: str, fixed: bool) -> str:
    return f"{kind.removesuffix('a')}c" if fixed else kind


ELO = {"Elo, K = 32": 32.0, "Elo, tuned": 210.0}


@cache
def _tuned() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("tuned.toml").read_text(encoding="utf-8"))


def model(variant: Variant, draws: float) -> Model:
    """Return the model of a variant; `draws` is the share of tied neighbouring teams, for ε by draws.

    >>> model(Variant("TS2", True, "spread", "paper"), 0.5).params["sigma"]
    300.0
    """
    kind, absorb = KINDS[variant.kind], Constant() if variant.fixed else Moment()
    if variant.source == "paper":
        constants = load_published("tournaments")["icml2011"]["constants"]
        prior = Normal(MU, constants["fixed_sigma" if variant.fixed else "sigma"])
        outcome = kind(draw_probability=draws) if variant.policy == "draws" else kind(margin=Spread())
        return Model(prior=prior, noise=BETA, outcome=outcome, absorb=absorb)
    found = _tuned()[variant.kind]["fixed" if variant.fixed else "variable"][variant.policy][variant.source]
    if variant.policy == "spread":
        margin: float | Margin = Spread(least=found["least"])
    else:
        margin = TwoValued(*found["epsilon"]) if variant.policy == "two values" else found["epsilon"]
    first = Normal(MU, found["sigma"])
    return Model(
        prior=Newcomers(first, found["level"], matches=found["matches"]) if "level" in found else first,
        noise=BETA,
        drift=PerTime(found["tau"]) if "tau" in found else Still(),
        outcome=kind(margin=margin),
        absorb=absorb,
    )


def factorial(draws: float) -> dict[Variant, Model]:
    """Return models of every kind, with variable or fixed σ, every policy for ε, and the papers' or tuned constants.

    Three kinds of models are left out. The papers print no constants for the policies that set ε to one or two fixed
    numbers. All teams have one player, so tuning ε by draws would be the same as tuning it as a number. A model with a
    fixed σ does not know how much it has learnt about a newcomer, so it cannot learn the newcomers' level.

    >>> len(factorial(0.5))
    39
    """
    variants = [
        Variant(kind, fixed, policy, source)
        for kind in KINDS
        for fixed in (False, True)
        for policy in POLICIES
        for source in ("paper", "tuned", "newcomers")
        if (policy in ("draws", "spread") if source == "paper" else policy != "draws")
        and not (fixed and source == "newcomers")
    ]
    return {variant: model(variant, draws) for variant in variants}


def elos() -> dict[str, Model]:
    """Return Elo with K = 32, as in chess, and with a tuned K.

    >>> list(elos())
    ['Elo, K = 32', 'Elo, tuned']
    """
    return {name: Elo(k=k) for name, k in ELO.items()}


# The models of Tables 1 and 2 of the 2011 paper, by their names there; models with the papers' constants come first.
MAIN = {
    "TSa": Variant("TSa", False, "draws", "paper").name,
    "TSa spread": Variant("TSa", False, "spread", "paper").name,
    "TS2": Variant("TS2", False, "spread", "paper").name,
    "TS2c": Variant("TS2", True, "spread", "paper").name,
    "TS3": Variant("TS3", False, "spread", "paper").name,
    "TS3c": Variant("TS3", True, "spread", "paper").name,
    "Elo": "Elo, K = 32",
    "TSa tuned": Variant("TSa", False, "number", "tuned").name,
    "TS2 tuned": Variant("TS2", False, "number", "tuned").name,
    "TS2c tuned": Variant("TS2", True, "number", "tuned").name,
    "TS3 tuned": Variant("TS3", False, "spread", "newcomers").name,
    "TS3c tuned": Variant("TS3", True, "spread", "tuned").name,
    "Elo tuned": "Elo, tuned",
}
FIGURE = ("TSa", "TS2", "TS2c", "Elo tuned", "TS2 tuned")  # the models whose lines are in Figure 5 of the 2011 paper
# Published models to compare with; for a team of one, sum and average are the same.
THEIRS = {"TSa": "TSb", "TS2": "TS2b", "TS2c": "TS2c"}

# The steps from the papers' constants to the tuned constants, one change at a time.
STEPS: dict[str, tuple[float, float | str, float]] = {  # (σ₀, ε, τ per √day)
    "the papers' constants, ε by draws": (1000.0, "draws", 0.0),
    "ε by spread": (1000.0, "spread", 0.0),
    "ε = 0.1": (1000.0, 0.1, 0.0),
    "ε = 0.1, drift of 10 points per √day": (1000.0, 0.1, 10.0),
    "ε = 0.1, drift, σ₀ = 20,000": (20000.0, 0.1, 10.0),
}


def steps(draws: float) -> dict[tuple[str, str], Model]:
    """Return the models of `STEPS` by step and kind, which is "TSa" (a chain) or "TS2" (places).

    `draws` is the share of tied neighbouring teams, for ε by draws.

    >>> steps(0.5)["ε = 0.1", "TS2"].params["margin"]
    0.1
    """
    return {
        (step, kind): Model(
            prior=Normal(MU, sigma),
            noise=BETA,
            drift=PerTime(tau) if tau else Still(),
            outcome=KINDS[kind](draw_probability=draws)
            if epsilon == "draws"
            else KINDS[kind](margin=Spread() if epsilon == "spread" else epsilon),
        )
        for step, (sigma, epsilon, tau) in STEPS.items()
        for kind in ("TSa", "TS2")
    }

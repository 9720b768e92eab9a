"""The parameters that the search found, and the models with these parameters."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from prowess.model.model import Model

from .candidates import CANDIDATES

FILE = Path(__file__).with_name("found.toml")


@dataclass(frozen=True)
class TunedModel:
    """A model with tuned parameters, and how they were found: candidate, number of trials, seed, training loss."""

    model: Model
    candidate: str
    trials: int
    seed: int
    loss: float


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def load_tuned(name: str) -> TunedModel:
    """Return the tuned model of a data set.

    >>> load_tuned("afl").model.params["carry"] < 1
    True
    """
    if name == "chgk":
        return _tournament_model()
    found = _tables()[name]
    model = CANDIDATES[name][found["candidate"]].model.replace(**found["values"])
    return TunedModel(model, found["candidate"], found["trials"], found["seed"], found["loss"])


def _tournament_model() -> TunedModel:
    """Return the model that the tournament experiment found: places (TS2) with a single margin, and drift."""
    from ..tournaments.real import Variant, model

    # If ε is a fixed number, the share of draws has no effect, so any value will do.
    variant = Variant("TS2", False, "number", "tuned")
    return TunedModel(model(variant, draws=0.5), variant.name, 110, 0, float("nan"))


def without_parts(model: Model, roles: tuple[str, ...] = ()) -> dict[str, Model]:
    """Return copies of a model with the same parameters, each without one component or one role of its teams.

    >>> list(without_parts(load_tuned("afl").model))
    ['without home advantage', 'without seasons']
    >>> list(without_parts(load_tuned("f1").model, ("driver", "car")))[:2]
    ['without the driver', 'without the car']
    """
    found = {}
    for k, role in enumerate(roles):
        weights = list(model.params["weights"])
        # A role with weight 0 has no effect, so it cannot be removed.
        if weights[k]:
            weights[k] = 0.0
            found[f"without the {role}"] = model.replace(weights=tuple(weights))
    if model.home is not None:
        found["without home advantage"] = model.replace(home=None)
    if model.drift.inner is not None:
        found["without seasons"] = model.replace(drift=model.drift.inner)
    if model.prior.inner is not None:
        found["without learning of newcomers"] = model.replace(prior=model.prior.inner)
    if model.params.get("draw_factor", 1.0) != 1.0:
        found["without a factor for draws"] = model.replace(draw_factor=1.0)
    return found

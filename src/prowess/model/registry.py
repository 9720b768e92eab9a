"""The registry of components by name, and the names of a model's parameters."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..errors import Error
from ..plugins import Extensible
from .components import absorb as absorbs
from .components import drift as drifts
from .components import margin as margins
from .components import outcome as outcomes
from .components import prior as priors
from .components import team as teams
from .components.home import Home
from .components.interfaces import Absorb, Drift, Outcome, Prior, TeamFunction
from .engine.board import Margin
from .params import change, parameters

BASES = {"prior": Prior, "drift": Drift, "team": TeamFunction, "outcome": Outcome, "absorb": Absorb}


def _check_component(name: str, plugin: object) -> type:
    if not isinstance(plugin, type) or not dataclasses.is_dataclass(plugin):
        raise Error(f"a component must be a frozen dataclass, not {plugin!r}")
    if not issubclass(plugin, (*BASES.values(), Margin)):
        raise Error(f"a component must be a {', '.join(base.__name__ for base in BASES.values())} or Margin")
    if plugin.__name__ != name:
        # saved models refer to components by class name
        raise Error(f"its name must equal the name of its class, {plugin.__name__}")
    return plugin


COMPONENTS: Extensible[type] = Extensible(
    {
        name: getattr(module, name)
        for module in (priors, drifts, teams, outcomes, absorbs, margins)
        for name in module.__all__
        if dataclasses.is_dataclass(getattr(module, name))
    }
    | {"Home": Home},
    "prowess.components",
    _check_component,
)

# Names of the model's own parameters. A component's parameter of the same name gets a prefix.
RESERVED = {"noise", "beta", "caution", "period", "home", *BASES, *parameters(Home())}


def addresses(parts: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return the component and the key of every parameter, by its unique name.

    >>> import prowess as pw
    >>> addresses(vars(pw.TrueSkill()))["tau"]
    ('drift', 'tau')
    """
    pairs = [(part, key) for part in BASES for key in parameters(parts[part])]
    counts = Counter(key for _, key in pairs)
    unique = {key for key, times in counts.items() if times == 1 and key not in RESERVED}
    return {key if key in unique else f"{part}_{key}": (part, key) for part, key in pairs}


def replace_fields(own: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a model after changing components or parameters.

    >>> import prowess as pw
    >>> replace_fields(vars(pw.TrueSkill()), {"tau": 1.0})["drift"]
    PerMatch(tau=1.0)
    """
    rest = {("noise" if name == "beta" else name): value for name, value in changes.items()}
    parts = dict(own) | {name: rest.pop(name) for name in list(rest) if name in own}
    for _ in range(2):  # a component that is set here brings parameters, which may be set in the same call
        by_part: dict[str, dict[str, Any]] = {}
        for name, (part, key) in addresses(parts).items():
            if name in rest:
                by_part.setdefault(part, {})[key] = rest.pop(name)
        parts |= {part: change(parts[part], new) for part, new in by_part.items()}
    hosted = {key: rest.pop(key) for key in parameters(Home()) if key in rest}
    if hosted:
        parts["home"] = dataclasses.replace(parts["home"] or Home(), **hosted)
    if rest:
        names = ["noise", "beta", *addresses(own), *parameters(Home()), "caution", "period", "home", *BASES]
        unknown = next(iter(rest))
        raise Error(f"unknown parameter {unknown!r}; choose one of {', '.join(names)}", field=unknown)
    return parts

"""The parts of a model by name: of which kind each is, what their parameters are called, and a change of some."""

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
    """A component is saved under the name of its class, so that is the name under which it must be registered."""
    if not isinstance(plugin, type) or not dataclasses.is_dataclass(plugin):
        raise Error(f"a component is a frozen dataclass, not {plugin!r}")
    if not issubclass(plugin, (*BASES.values(), Margin)):
        raise Error(f"a component is a {', '.join(base.__name__ for base in BASES.values())} or Margin")
    if plugin.__name__ != name:
        raise Error(f"its name must be that of the class, {plugin.__name__}")
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

OWN = {"noise", "beta", "caution", "period", "home", *BASES, *parameters(Home())}  # names that a model itself has


def addresses(parts: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """The part and the key of every parameter, by a name that no other has.

    >>> import prowess as pw
    >>> addresses(vars(pw.TrueSkill()))["tau"]
    ('drift', 'tau')
    """
    found = [(part, key) for part in BASES for key in parameters(parts[part])]
    often = Counter(key for _, key in found)
    unique = {key for key, times in often.items() if times == 1 and key not in OWN}
    return {key if key in unique else f"{part}_{key}": (part, key) for part, key in found}


def changed(own: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a model with other parts, or with other parameters of them.

    >>> import prowess as pw
    >>> changed(vars(pw.TrueSkill()), {"tau": 1.0})["drift"]
    PerMatch(tau=1.0)
    """
    rest = {("noise" if name == "beta" else name): value for name, value in changes.items()}
    parts = dict(own) | {name: rest.pop(name) for name in list(rest) if name in own}
    taken: dict[str, dict[str, Any]] = {}
    for name, (part, key) in addresses(parts).items():
        if name in rest:
            taken.setdefault(part, {})[key] = rest.pop(name)
    parts |= {part: change(parts[part], new) for part, new in taken.items()}
    hosted = {key: rest.pop(key) for key in parameters(Home()) if key in rest}
    if hosted:
        parts["home"] = dataclasses.replace(parts["home"] or Home(), **hosted)
    if rest:
        names = ["noise", "beta", *addresses(own), *parameters(Home()), "caution", "period", "home", *BASES]
        unknown = next(iter(rest))
        raise Error(f"no parameter or part is called {unknown!r}; there are {', '.join(names)}", field=unknown)
    return parts

"""Components as values: their parameters by name, a changed copy, and a form that can be written to a file.

Every component is a frozen dataclass whose fields are its parameters, under the names that users know. A field may hold
a component itself (the margin of an outcome, the team function that gets a leader bonus): its parameters are found too.
"""

from __future__ import annotations

import dataclasses
from math import isfinite
from typing import Any

from ..errors import Error

__all__ = ["change", "fields_of", "parameters", "read_spec", "spec"]

# Parameters that stand for the same thing: setting one unsets the other.
EITHER = {"draw_probability": "margin", "margin": "draw_probability"}


def parameters(component: Any) -> dict[str, Any]:
    """The parameters of a component by name, and those of the components among them; None means not set.

    A name that stands both outside and inside means the outer parameter.

    >>> from prowess.model.team import FullSquad, LeaderBonus
    >>> parameters(FullSquad())
    {'size': 6, 'discount': 0.02, 'larger': 'top'}
    >>> list(parameters(LeaderBonus(FullSquad())))
    ['squad', 'leader_bonus', 'size', 'discount', 'larger']
    """
    own = fields_of(component)
    found = dict(own)
    for value in own.values():
        found |= {name: inner for name, inner in parameters(value).items() if name not in found}
    return found


def fields_of(component: Any) -> dict[str, Any]:
    """A component's own parameters; none of what is no component.

    >>> fields_of(25.0)
    {}
    """
    if not dataclasses.is_dataclass(component) or isinstance(component, type):
        return {}
    return {field.name: getattr(component, field.name) for field in dataclasses.fields(component)}


def change(component: Any, changes: dict[str, Any]) -> Any:
    """A copy of a component with other parameters, its own or those of the components among them.

    >>> from prowess.model.team import FullSquad, LeaderBonus
    >>> change(LeaderBonus(FullSquad(6, 0.02)), {"leader_bonus": 0.2, "size": 5})
    LeaderBonus(squad=FullSquad(size=5, discount=0.02, larger='top'), leader_bonus=0.2)
    """
    own = fields_of(component)
    given = {name: value for name, value in changes.items() if name in own}
    rest = {name: value for name, value in changes.items() if name not in own}
    others = {EITHER[name]: None for name in given if EITHER.get(name) in own and EITHER[name] not in given}
    for name, value in (own | given | others).items():
        inside = {key: rest.pop(key) for key in parameters(value) if key in rest}
        if inside:
            given[name] = change(value, inside)
    try:
        return dataclasses.replace(component, **given, **rest, **others)
    except TypeError as error:
        raise Error(f"{type(component).__name__} cannot take {_listed(changes)}: {error}") from None


def _listed(changes: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in changes.items())


def spec(component: Any, known: dict[str, type]) -> dict[str, Any]:
    """A component as plain data, if it is one of the known classes.

    >>> from prowess.model.prior import Normal
    >>> spec(Normal(25.0, 8.0), {"Normal": Normal})
    {'is': 'Normal', 'mu': 25.0, 'sigma': 8.0}
    """
    name = type(component).__name__
    if known.get(name) is not type(component):
        raise Error(f"{name} is no part of prowess, so it cannot be written to a file")
    return {"is": name} | {key: _plain(value, known) for key, value in fields_of(component).items()}


def read_spec(plain: Any, known: dict[str, type]) -> Any:
    """The component that `spec` wrote down.

    >>> from prowess.model.prior import Normal
    >>> read_spec({"is": "Normal", "mu": 25.0, "sigma": 8.0}, {"Normal": Normal})
    Normal(mu=25.0, sigma=8.0)
    """
    if not isinstance(plain, dict) or plain.get("is") not in known:
        raise Error(f"no component of prowess: {plain!r}")
    values = {key: _component(value, known) for key, value in plain.items() if key != "is"}
    try:
        return known[plain["is"]](**values)
    except TypeError as error:
        raise Error(f"{plain['is']} cannot take {_listed(values)}: {error}") from None


def _plain(value: Any, known: dict[str, type]) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else repr(value)
    if isinstance(value, tuple):
        return [_plain(part, known) for part in value]
    return spec(value, known)


def _component(value: Any, known: dict[str, type]) -> Any:
    if isinstance(value, dict):
        return read_spec(value, known)
    if isinstance(value, list):
        return tuple(_component(part, known) for part in value)
    return float(value) if value in ("inf", "-inf") else value

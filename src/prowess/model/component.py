"""Components as values: their parameters by name, a changed copy, and a form that can be written to a file.

Every component is a frozen dataclass whose fields are its parameters, under the names that users know.
"""

from __future__ import annotations

import dataclasses
from math import isfinite
from typing import Any

from ..errors import Error

__all__ = ["change", "parameters", "read_spec", "spec"]

# Parameters that stand for the same thing: setting one unsets the other.
EITHER = {"draw_probability": "margin", "margin": "draw_probability"}


def parameters(component: Any) -> dict[str, Any]:
    """The parameters of a component by name; None means not set.

    >>> from prowess.model.prior import Normal
    >>> parameters(Normal(25.0, 8.0))
    {'mu': 25.0, 'sigma': 8.0}
    """
    if not dataclasses.is_dataclass(component):
        return {}
    return {field.name: getattr(component, field.name) for field in dataclasses.fields(component)}


def change(component: Any, changes: dict[str, Any]) -> Any:
    """A copy of a component with other parameters.

    >>> from prowess.model.prior import Normal
    >>> change(Normal(25.0, 8.0), {"sigma": 4.0})
    Normal(mu=25.0, sigma=4.0)
    """
    had = parameters(component)
    others = {EITHER[name]: None for name in changes if EITHER.get(name) in had and EITHER[name] not in changes}
    try:
        return dataclasses.replace(component, **changes, **others)
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
    return {"is": name} | {key: _plain(value, known) for key, value in parameters(component).items()}


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

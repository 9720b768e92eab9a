"""Components as values: their parameters by name, a changed copy, and a form that can be written to a file.

Every component is a frozen dataclass whose fields are its parameters, under the names that users know. A field may hold
a component itself (the margin of an outcome, the team function that gets a leader bonus): its parameters are found too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import exp, isfinite, log
from typing import TYPE_CHECKING, Any

from ..errors import Error
from ..validate import number

if TYPE_CHECKING:
    from .model import Model

# Parameters that stand for the same thing: setting one unsets the other.
EITHER = {"draw_probability": "margin", "margin": "draw_probability"}


def parameters(component: Any) -> dict[str, Any]:
    """The parameters of a component by name, and those of the components among them; None means not set.

    A name that stands both outside and inside means the outer parameter.

    >>> from prowess.model.components.team import FullSquad, LeaderBonus
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

    >>> from prowess.model.components.team import FullSquad, LeaderBonus
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


def spec(component: Any, known: Mapping[str, type]) -> dict[str, Any]:
    """A component as plain data, if it is one of the known classes.

    >>> from prowess.model.components.prior import Normal
    >>> spec(Normal(25.0, 8.0), {"Normal": Normal})
    {'is': 'Normal', 'mu': 25.0, 'sigma': 8.0}
    """
    name = type(component).__name__
    if known.get(name) is not type(component):
        raise Error(f"{name} is no part of prowess, so it cannot be written to a file")
    return {"is": name} | {key: _plain(value, known) for key, value in fields_of(component).items()}


def read_spec(plain: Any, known: Mapping[str, type]) -> Any:
    """The component that `spec` wrote down.

    >>> from prowess.model.components.prior import Normal
    >>> read_spec({"is": "Normal", "mu": 25.0, "sigma": 8.0}, {"Normal": Normal})
    Normal(mu=25.0, sigma=8.0)
    """
    if not isinstance(plain, dict) or plain.get("is") not in known:
        raise Error(f"no component of prowess or of an installed package: {plain!r}", value=plain)
    values = {key: _component(value, known) for key, value in plain.items() if key != "is"}
    try:
        return known[plain["is"]](**values)
    except TypeError as error:
        raise Error(f"{plain['is']} cannot take {_listed(values)}: {error}") from None


def _plain(value: Any, known: Mapping[str, type]) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else repr(value)
    if isinstance(value, tuple):
        return [_plain(part, known) for part in value]
    return spec(value, known)


def _component(value: Any, known: Mapping[str, type]) -> Any:
    if isinstance(value, dict):
        return read_spec(value, known)
    if isinstance(value, list):
        return tuple(_component(part, known) for part in value)
    return float(value) if value in ("inf", "-inf") else value


UNITS = ("one", "value", "sigma")
SETS = ("", "origin", "scale")


@dataclass(frozen=True)
class Range:
    """From where to where a parameter may be tuned, on a plain or a logarithmic scale.

    The bounds are numbers by themselves ("one"), times the present value of the parameter ("value"), or times the
    deviation of skills ("sigma"). That is the newcomers' deviation, but for outcomes that know a `typical` one; without
    either it is the scale of the outcome, the noise, or the present value. `sets` says what of all performances the
    parameter sets: their "origin" or their "scale".

    >>> Range(1.0 / 30, 3, log=True, unit="sigma").at(value=4.0, sigma=6.0)
    Range(low=0.2, high=18.0, log=True, unit='one', sets='')
    """

    low: float
    high: float
    log: bool = False
    unit: str = "one"
    sets: str = ""

    def __post_init__(self) -> None:
        low, high = number("the low end of a range", self.low), number("the high end of a range", self.high)
        if not low < high:
            raise Error(f"a range goes from a lower to a higher number, not from {low:g} to {high:g}")
        if self.log and low <= 0:
            raise Error(f"a logarithmic range must lie above 0, not begin at {low:g}")
        if self.unit not in UNITS or self.sets not in SETS:
            raise Error(f"the unit of a range must be one of {', '.join(UNITS)}, and sets one of origin, scale or ''")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    def at(self, value: float, sigma: float) -> Range | None:
        """The range in numbers, wide enough to hold the present value; None where there is nothing to measure by.

        On a logarithmic scale the present value may also be 0, just below the range.

        >>> Range(0.1, 10, log=True, unit="value").at(value=0.0, sigma=1.0) is None
        True
        """
        unit = {"one": 1.0, "value": abs(value), "sigma": sigma or abs(value)}[self.unit]
        if unit == 0 or (self.log and value < 0):
            return None
        low, high = self.low * unit, self.high * unit
        low = low if self.log and value == 0 else min(low, value)
        return replace(self, low=low, high=max(high, value), unit="one")

    def share(self, value: float) -> float:
        """Where a value lies in the range: 0 at its low end, 1 at its high end.

        >>> Range(1, 100, log=True).share(10.0)
        0.5
        """
        if self.log:
            return log(max(value, self.low) / self.low) / log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def value(self, share: float) -> float:
        """The value at a share of the way from the low to the high end.

        >>> round(Range(1, 100, log=True).value(0.5), 9)
        10.0
        """
        if self.log:
            return self.low * exp(share * log(self.high / self.low))
        return self.low + share * (self.high - self.low)


def ranges(component: Any) -> dict[str, Range]:
    """The ranges that a component declares for its parameters, and those of the components among them.

    >>> from prowess.model.components.team import FullSquad, LeaderBonus
    >>> list(ranges(LeaderBonus(FullSquad())))
    ['leader_bonus', 'discount']
    """
    own = fields_of(component)
    found = {name: span for name, span in getattr(component, "tunable", {}).items() if name in own}
    for value in own.values():
        found |= {name: span for name, span in ranges(value).items() if name not in own and name not in found}
    return found


def resolved(declared: Mapping[str, Range], present: Mapping[str, Any], sigma: float) -> dict[str, Range]:
    """The declared ranges in numbers, for parameters that are numbers at present.

    >>> resolved({"k": Range(0.5, 2, unit="value"), "mu": Range(0, 1)}, {"k": 32.0, "mu": "learnt"}, 1.0)
    {'k': Range(low=16.0, high=64.0, log=False, unit='one', sets='')}
    """
    found = {name: span.at(float(present[name]), sigma) for name, span in declared.items() if _real(present.get(name))}
    return {name: span for name, span in found.items() if span is not None}


def _real(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


OWN = {  # of the parameters that a model itself has
    "beta": Range(0.01, 10, log=True, unit="sigma", sets="scale"),
    "period": Range(0.1, 10, log=True, unit="value"),
}


def tunable(model: Model, addresses: Mapping[str, tuple[str, str]]) -> dict[str, Range]:
    """What the parts of a model declare, in numbers: `Model.tunable`.

    `addresses` are the part and the key of every parameter by name. What the outcome sets comes first.
    """
    found = {name: ranges(getattr(model, part)).get(key) for name, (part, key) in addresses.items()}
    order = sorted(found, key=lambda name: addresses[name][0] != "outcome")
    declared = {name: span for name in order if (span := found[name]) is not None}
    declared |= {name: span for name, span in OWN.items() if name != "beta" or model.noise}
    return resolved(declared | ranges(model.home), model.params, _unit(model))


def _unit(model: Model) -> float:
    """By what skills are measured: the deviation that is usual, or that of newcomers, or another scale."""
    newcomer = model.rating()
    first = newcomer.parts.get(model.outcome.traits[0], newcomer)
    given = parameters(model.outcome)
    scales = (given[name] for name, span in ranges(model.outcome).items() if span.sets == "scale")
    return float(model.outcome.typical or first.sigma or next(scales, model.noise))


def identified(model: Model) -> dict[str, Range]:
    """The tunable parameters that results can tell: for each thing that the outcome is blind to, one less.

    The first that sets it is left as it is, of outcome, newcomers and noise: Glicko's `scale`, TrueSkill's `sigma`.

    >>> import prowess as pw
    >>> list(identified(pw.TrueSkill()))
    ['draw_probability', 'tau', 'beta']
    """
    found = model.tunable
    kept = {next((name for name, span in found.items() if span.sets == what), "") for what in model.outcome.blind}
    return {name: span for name, span in found.items() if name not in kept}

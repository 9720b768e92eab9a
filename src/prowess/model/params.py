"""Parameters of components: reading, changing and serializing parameters, and ranges for tuning.

Every component is a frozen dataclass whose fields are its parameters. A field may be a component itself, such as the
margin of an outcome or the team function inside a leader bonus. The parameters of inner components are included.
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

# A draw probability and a margin exclude each other: setting one unsets the other.
ALTERNATIVES = {"draw_probability": "margin", "margin": "draw_probability"}


def parameters(component: Any) -> dict[str, Any]:
    """Return the parameters of a component and of its inner components, by name; None means not set.

    If a component and an inner component share a parameter name, the name refers to the outer parameter.

    >>> from prowess.model.components.team import FullSquad, LeaderBonus
    >>> parameters(FullSquad())
    {'size': 6, 'discount': 0.02, 'larger': 'top'}
    >>> list(parameters(LeaderBonus(FullSquad())))
    ['squad', 'leader_bonus', 'size', 'discount', 'larger']
    """
    own = fields_of(component)
    result = dict(own)
    for value in own.values():
        # A name that occurs twice refers to the outer component.
        result |= {name: inner for name, inner in parameters(value).items() if name not in result}
    return result


def fields_of(component: Any) -> dict[str, Any]:
    """Return a component's own parameters; {} for a value that is not a component.

    >>> fields_of(25.0)
    {}
    """
    if not dataclasses.is_dataclass(component) or isinstance(component, type):
        return {}
    return {field.name: getattr(component, field.name) for field in dataclasses.fields(component)}


def describe(component: Any) -> str:
    """Return a component as in Python, with its parameters.

    Compiled dataclasses have no `__repr__` of their own: the one that Cython 3.3 generates raises an AttributeError in
    every thread but the one that imported the module.

    >>> import prowess as pw
    >>> describe(pw.drift.PerMatch(0.1))
    'PerMatch(tau=0.1)'
    """
    values = ", ".join(f"{name}={value!r}" for name, value in fields_of(component).items())
    return f"{type(component).__name__}({values})"


def change(component: Any, changes: dict[str, Any]) -> Any:
    """Return a copy of a component with changed parameters: its own, or parameters of its inner components.

    A shorthand (see `shorthands` of the component) is replaced by the values that it stands for.

    >>> from prowess.model.components.team import FullSquad, LeaderBonus
    >>> change(LeaderBonus(FullSquad(6, 0.02)), {"leader_bonus": 0.2, "size": 5})
    LeaderBonus(squad=FullSquad(size=5, discount=0.02, larger='top'), leader_bonus=0.2)
    """
    own = fields_of(component)
    changes = _spell_out(component, changes)
    new = {name: value for name, value in changes.items() if name in own}
    rest = {name: value for name, value in changes.items() if name not in own}
    # Setting the margin of a model must unset its draw probability, because only one of them may be given.
    others = {
        ALTERNATIVES[name]: None for name in new if ALTERNATIVES.get(name) in own and ALTERNATIVES[name] not in new
    }
    for name, value in (own | new | others).items():
        inside = {key: rest.pop(key) for key in parameters(value) if key in rest}
        if inside:
            new[name] = change(value, inside)
    try:
        return dataclasses.replace(component, **new, **rest, **others)
    except TypeError as error:
        raise Error(f"{type(component).__name__} does not accept {_list(changes)}: {error}") from None


def spell_out(component: Any) -> Any:
    """Return a component in which each shorthand (see `shorthands`) is replaced by the values that it stands for.

    >>> from prowess.model.components.outcome import Order
    >>> spell_out(Order(draw_probability="learnt")).margin
    LearntDraws(draw_start=0.1, draw_memory=500.0)
    """
    own = fields_of(component)
    full = _spell_out(component, own)
    return component if full == own else dataclasses.replace(component, **full)


def _spell_out(component: Any, values: dict[str, Any]) -> dict[str, Any]:
    shorthands = getattr(component, "shorthands", {})
    full = dict(values)
    for name, value in values.items():
        if isinstance(value, str) and value in shorthands.get(name, {}):
            full |= shorthands[name][value]
    return full


def _list(changes: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in changes.items())


def spec(component: Any, registered: Mapping[str, type]) -> dict[str, Any]:
    """Return a component as plain data; raise an `Error` if its class is not `registered`.

    >>> from prowess.model.components.prior import Normal
    >>> spec(Normal(25.0, 8.0), {"Normal": Normal})
    {'is': 'Normal', 'mu': 25.0, 'sigma': 8.0}
    """
    name = type(component).__name__
    if registered.get(name) is not type(component):
        raise Error(f"{name} is not a registered component, so it cannot be saved")
    return {"is": name} | {key: _plain(value, registered) for key, value in fields_of(component).items()}


def read_spec(plain: Any, registered: Mapping[str, type]) -> Any:
    """Read a component that `spec` wrote.

    >>> from prowess.model.components.prior import Normal
    >>> read_spec({"is": "Normal", "mu": 25.0, "sigma": 8.0}, {"Normal": Normal})
    Normal(mu=25.0, sigma=8.0)
    """
    if not isinstance(plain, dict) or plain.get("is") not in registered:
        raise Error(f"unknown component: {plain!r}; is a package missing?", value=plain)
    values = {key: _component(value, registered) for key, value in plain.items() if key != "is"}
    try:
        return registered[plain["is"]](**values)
    except TypeError as error:
        raise Error(f"{plain['is']} does not accept {_list(values)}: {error}") from None


def _plain(value: Any, registered: Mapping[str, type]) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        # JSON has no infinity, so it is written as text; `_component` reads the text back.
        return value if isfinite(value) else repr(value)
    if isinstance(value, tuple):
        return [_plain(part, registered) for part in value]
    return spec(value, registered)


def _component(value: Any, registered: Mapping[str, type]) -> Any:
    if isinstance(value, dict):
        return read_spec(value, registered)
    if isinstance(value, list):
        return tuple(_component(part, registered) for part in value)
    return float(value) if value in ("inf", "-inf") else value


UNITS = ("one", "value", "sigma")
SETS = ("", "origin", "scale")


@dataclass(frozen=True)
class Range:
    """The range in which a parameter may be tuned, on a linear or a logarithmic scale.

    The `unit` of the bounds is 1 ("one"), the current value of the parameter ("value"), or the standard deviation of
    skills ("sigma"). The standard deviation of skills is the first of the following numbers that is known and not 0:
    the outcome's `typical` deviation, the newcomers' sigma, the outcome's scale, the noise, the current value. `sets`
    is "origin" or "scale" if the parameter sets the origin or the scale of all performances.

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
            raise Error(f"a range must go from a lower to a higher number, not from {low:g} to {high:g}")
        if self.log and low <= 0:
            raise Error(f"a logarithmic range must begin above 0, not at {low:g}")
        if self.unit not in UNITS or self.sets not in SETS:
            raise Error(f"a range needs `unit`, one of {', '.join(UNITS)}, and `sets`, one of 'origin', 'scale' or ''")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    def at(self, value: float, sigma: float) -> Range | None:
        """Return the range in plain numbers, widened to include the current value; None if the unit is 0.

        On a logarithmic scale the current value may also be 0, which is below the range.

        >>> Range(0.1, 10, log=True, unit="value").at(value=0.0, sigma=1.0) is None
        True
        """
        unit = {"one": 1.0, "value": abs(value), "sigma": sigma or abs(value)}[self.unit]
        if unit == 0 or (self.log and value < 0):
            return None
        low, high = self.low * unit, self.high * unit
        # A logarithmic range cannot include 0.
        low = low if self.log and value == 0 else min(low, value)
        return replace(self, low=low, high=max(high, value), unit="one")

    def share(self, value: float) -> float:
        """Return the position of a value in the range, from 0 at the low end to 1 at the high end.

        >>> Range(1, 100, log=True).share(10.0)
        0.5
        """
        if self.log:
            return log(max(value, self.low) / self.low) / log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def value(self, share: float) -> float:
        """Return the value at a position between 0 (low end) and 1 (high end).

        >>> round(Range(1, 100, log=True).value(0.5), 9)
        10.0
        """
        if self.log:
            return self.low * exp(share * log(self.high / self.low))
        return self.low + share * (self.high - self.low)


def ranges(component: Any) -> dict[str, Range]:
    """Return the ranges that a component and its inner components declare.

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
    """Return the declared ranges in plain numbers, for parameters whose current values are numbers.

    >>> resolved({"k": Range(0.5, 2, unit="value"), "mu": Range(0, 1)}, {"k": 32.0, "mu": "learnt"}, 1.0)
    {'k': Range(low=16.0, high=64.0, log=False, unit='one', sets='')}
    """
    found = {name: span.at(float(present[name]), sigma) for name, span in declared.items() if _real(present.get(name))}
    return {name: span for name, span in found.items() if span is not None}


def _real(value: Any) -> bool:
    # bool is a subclass of int, and an infinite cap has no neighbouring values to try.
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


MODEL_RANGES = {
    "beta": Range(0.01, 10, log=True, unit="sigma", sets="scale"),
    "period": Range(0.1, 10, log=True, unit="value"),
}


def tunable(
    model: Model, addresses: Mapping[str, tuple[str, str]], facets: Mapping[str, tuple[int, str]]
) -> dict[str, Range]:
    """Return the ranges of all tunable parameters of a model, the outcome's parameters first (see `Model.tunable`).

    `addresses` maps the name of every parameter to its component and key; `facets` does this for those of the facets
    and statistics.
    """
    found = {name: ranges(getattr(model, part)).get(key) for name, (part, key) in addresses.items()}
    # `identified` fixes the first parameter that sets the scale, and that should be the outcome's.
    order = sorted(found, key=lambda name: addresses[name][0] != "outcome")
    declared = {name: span for name in order if (span := found[name]) is not None}
    declared |= {name: span for name, span in MODEL_RANGES.items() if name != "beta" or model.noise}
    declared |= ranges(model.home)
    of_facets = {name: ranges(model.additions[index]).get(key) for name, (index, key) in facets.items()}
    declared |= {name: span for name, span in of_facets.items() if span is not None}
    return resolved(declared, model.params, skill_sigma(model))


def skill_sigma(model: Model) -> float:
    """Return the standard deviation of skills, as `Range` defines it: the natural unit of widths and drifts.

    >>> import prowess as pw
    >>> skill_sigma(pw.TSa()), skill_sigma(pw.Elo()), skill_sigma(pw.PoissonOD())
    (1000.0, 400.0, 0.3)
    """
    newcomer = model.rating()
    first = newcomer.parts.get(model.outcome.traits[0], newcomer)
    values = parameters(model.outcome)
    scales = (values[name] for name, span in ranges(model.outcome).items() if span.sets == "scale")
    return float(model.outcome.typical or first.sigma or next(scales, model.noise))


def identified(model: Model) -> dict[str, Range]:
    """Return the tunable parameters that results can determine.

    If the outcome does not depend on the origin (or the scale) of performances, the first parameter that sets this
    origin (or scale) is left out. Examples are Glicko's `scale` and TrueSkill's `sigma`.

    >>> import prowess as pw
    >>> list(identified(pw.TrueSkill()))
    ['draw_probability', 'tau', 'beta']
    """
    spans = model.tunable
    fixed = {next((name for name, span in spans.items() if span.sets == what), "") for what in model.outcome.blind}
    return {name: span for name, span in spans.items() if name not in fixed}

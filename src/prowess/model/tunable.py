"""Parameters that may be tuned: each component declares which of its own these are, and between which bounds.

A component's class has an attribute `tunable`: a `Range` for each parameter by name. Parameters of components inside
(the margin of an outcome, the squad of a leader bonus) are found as `component.parameters` finds them.

Some parameters set what results do not show. Who finishes ahead depends on differences of performances alone, so the
newcomers' mean changes nothing; and a model in which all lengths (sigma, beta, tau, the margin) are twice as long
forecasts the same. An outcome says in `blind` which of "origin" and "scale" its results do not show, a range says in
`sets` which of them its parameter sets, and `identified` leaves one parameter for each as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import exp, isfinite, log
from typing import TYPE_CHECKING, Any

from ..checks import number
from ..errors import Error
from .component import fields_of, parameters

if TYPE_CHECKING:
    from .model import Model

__all__ = ["UNITS", "Range", "identified", "ranges", "resolved", "tunable"]

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

    >>> from prowess.model.team import FullSquad, LeaderBonus
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

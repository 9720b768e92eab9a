"""The parameters that are tuned, each with the range in which it is looked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ...errors import Error
from ...model.params import Range, identified
from ...validate import number

if TYPE_CHECKING:
    from ...model.model import Model
    from .objective import Attempt

__all__ = ["Wanted", "asked_for", "that_matter"]

Wanted = Iterable[str] | Mapping[str, Range | tuple[float, float] | None] | None


def asked_for(model: Model, wanted: Wanted) -> dict[str, Range] | None:
    """The ranges of parameters that a user names, or gives ranges for; None for None.

    >>> import prowess as pw
    >>> asked_for(pw.TrueSkill(), {"beta": (2, 5)})
    {'beta': Range(low=2.0, high=5.0, log=True, unit='one', sets='')}
    """
    if wanted is None:
        return None
    wanted = [wanted] if isinstance(wanted, str) else wanted
    named = dict(wanted) if isinstance(wanted, Mapping) else dict.fromkeys(wanted)
    if not named:
        raise Error("no parameters to tune: name some, or leave `parameters` out")
    return {name: _range(model, name, ends) for name, ends in named.items()}


def _range(model: Model, name: str, ends: Range | tuple[float, float] | None) -> Range:
    """The range of one parameter: as declared, or as given, if the model takes both its ends."""
    known, value = model.tunable, model.params.get(name)
    if name not in known and (ends is None or type(value) not in (int, float)):
        have = "needs a range: (low, high)" if type(value) in (int, float) else "is no number that this model has"
        raise Error(f"{name!r} {have}; to be tuned by name there are {', '.join(known)}")
    if ends is None:
        return known[name]
    if not isinstance(ends, Range):
        try:
            low, high = ends
        except (TypeError, ValueError):
            raise Error(f"the range of {name} must be (low, high) or a Range, not {ends!r}") from None
        declared = known.get(name)
        low, high = number(f"the low end of {name}", low), number(f"the high end of {name}", high)
        ends = Range(low, high, log=declared is not None and declared.log and low > 0)
    if ends.unit != "one":
        raise Error(f"the range of {name} must be given in numbers, not by {ends.unit}")
    for end in (ends.low, ends.high):
        try:
            model.replace(**{name: end})
        except Error as error:
            raise Error(f"{name} cannot be tuned from {ends.low:g} to {ends.high:g}: {error}") from None
    return ends


def that_matter(model: Model, loss: float, attempt: Attempt) -> tuple[dict[str, Range], list[str]]:
    """The parameters that results can tell and that change something, and those that change nothing.

    Each is tried at the far end of its range.

    A leader bonus changes nothing where all play alone, nor does a home advantage where nobody is at home.
    """
    space = identified(model)
    values = model.params
    far = [{name: span.low if span.share(values[name]) > 0.5 else span.high} for name, span in space.items()]
    tried = attempt(far)
    kept = {name: span for (name, span), one in zip(space.items(), tried, strict=True) if abs(one.loss - loss) > 1e-12}
    if not kept:
        raise Error(f"none of {', '.join(space) or 'its parameters'} changes a forecast: there is nothing to tune")
    return kept, [name for name in space if name not in kept]

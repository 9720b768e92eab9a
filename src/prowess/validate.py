"""Validation of numbers: they must be finite, and small enough for every formula to stay finite.

The `value` of an `Error` is the rejected value, and its `field` is the name of the parameter. By default `field` equals
`name`, which begins the message; pass `field` if `name` is a phrase and not the name of the parameter.
"""

from __future__ import annotations

from math import isfinite
from numbers import Integral
from typing import Any

from .errors import Error

LARGEST = 1e30
SMALLEST = 1e-30


def number(name: str, value: Any, *, field: str | None = None) -> float:
    """Return the value as a number; raise `Error` unless it is finite and between -1e30 and 1e30.

    >>> number("mu", 25)
    25.0
    """
    result = _real(value)
    if result is None or not abs(result) <= LARGEST:
        what = "a finite number" if result is None or not isfinite(result) else f"within ±{LARGEST:g}"
        raise invalid(name, f"be {what}", value, field)
    return result


def scale(name: str, value: Any, *, zero: bool = False, field: str | None = None) -> float:
    """Return the value as a positive number; raise `Error` unless it is between 1e-30 and 1e30.

    If `zero` is true, 0 and positive numbers below 1e-30 are allowed, too, and returned as 0.

    >>> scale("beta", 4), scale("sigma", 1e-300, zero=True)
    (4.0, 0.0)
    """
    result = _real(value)
    if result is None or not isfinite(result) or result < 0 or (result == 0 and not zero):
        least = "of at least" if zero else "above"
        raise invalid(name, f"be a finite number {least} 0", value, field)
    if result > LARGEST or (result < SMALLEST and not zero):
        raise invalid(name, f"lie between {SMALLEST:g} and {LARGEST:g}", value, field)
    return result if result >= SMALLEST else 0.0


def whole(name: str, value: Any, least: int = 0, *, field: str | None = None) -> int:
    """Return the value as a whole number; raise `Error` if it is below `least` or not whole.

    >>> whole("players", 100, 2)
    100
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise invalid(name, f"be a whole number of at least {least}", value, field)
    return int(value)


def probability(name: str, value: Any, *, ends: bool = True) -> float:
    """Return the value as a number; raise `Error` unless it lies between 0 and 1.

    0 and 1 themselves are allowed only if `ends` is true.

    >>> probability("ties", 1)
    1.0
    """
    result = _real(value)
    if result is None or not 0.0 <= result <= 1.0 or (not ends and result in (0.0, 1.0)):
        raise invalid(name, "lie between 0 and 1", value)
    return result


def team_index(name: str, value: Any, teams: int) -> int:
    """Return the value as a team index, counted from 0; raise `Error` if the match has no team with this index.

    >>> team_index("home", 1, 2)
    1
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or not 0 <= int(value) < teams:
        raise invalid(name, f"be the index of a team, 0 to {teams - 1}", value)
    return int(value)


def invalid(name: str, must: str, value: Any, field: str | None = None) -> Error:
    """Return the error for a value that breaks a rule: "`name` must …, not …".

    >>> print(invalid("size", "be even", 3))
    size must be even, not 3
    """
    return Error(f"{name} must {must}, not {value!r}", field=field or name, value=value)


def _real(value: Any) -> float | None:
    # Text and booleans are not numbers, although float() accepts some of them.
    if isinstance(value, (bool, str, bytes)):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None

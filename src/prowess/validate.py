"""The one rule for numbers that users give: finite, within the range in which every formula stays finite."""

from __future__ import annotations

from math import isfinite
from numbers import Integral
from typing import Any

from .errors import Error

__all__ = ["LARGEST", "SMALLEST", "number", "scale", "team_index", "whole"]

LARGEST = 1e30
SMALLEST = 1e-30


def number(name: str, value: Any) -> float:
    """A finite number of at most 1e30 either way.

    >>> number("mu", 25)
    25.0
    """
    result = _real(value)
    if result is None or not abs(result) <= LARGEST:
        what = "a finite number" if result is None or not isfinite(result) else f"within ±{LARGEST:g}"
        raise Error(f"{name} must be {what}, not {value!r}")
    return result


def scale(name: str, value: Any, *, zero: bool = False) -> float:
    """A positive number between 1e-30 and 1e30; where `zero` is allowed, what is smaller than that counts as 0.

    >>> scale("beta", 4), scale("sigma", 1e-300, zero=True)
    (4.0, 0.0)
    """
    result = _real(value)
    if result is None or not isfinite(result) or result < 0 or (result == 0 and not zero):
        raise Error(f"{name} must be a finite number {'of at least' if zero else 'above'} 0, not {value!r}")
    if result > LARGEST or (result < SMALLEST and not zero):
        raise Error(f"{name} must lie between {SMALLEST:g} and {LARGEST:g}, not {value!r}")
    return result if result >= SMALLEST else 0.0


def whole(name: str, value: Any, least: int = 0) -> int:
    """A whole number that is not too small.

    >>> whole("players", 100, 2)
    100
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise Error(f"{name} must be a whole number of at least {least}, not {value!r}")
    return int(value)


def team_index(name: str, value: Any, teams: int) -> int:
    """The index of one of the teams of a match, counted from 0.

    >>> team_index("home", 1, 2)
    1
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or not 0 <= int(value) < teams:
        raise Error(f"{name} must be the index of a team, 0 to {teams - 1}, not {value!r}")
    return int(value)


def _real(value: Any) -> float | None:
    """The value as a float; None for what is no number (text and truth values are none)."""
    if isinstance(value, (bool, str, bytes)):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None

"""What the options of a simulation have in common: checks, and numbers that are fixed, drawn or given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history.ragged import Floats
from ...validate import number, whole

__all__ = ["Count", "Floats", "Ints", "check_share", "per_match"]

Ints = NDArray[np.int64]
Count = int | tuple[int, int] | list[int] | NDArray[np.integer]


def check_share(name: str, value: Any) -> float:
    """A probability.

    >>> check_share("switching", 0.1)
    0.1
    """
    if not 0.0 <= number(name, value) <= 1.0:
        raise Error(f"{name} must lie between 0 and 1, not {value!r}", field=name, value=value)
    return float(value)


def per_match(name: str, given: Any, matches: int, least: int, rng: np.random.Generator) -> Ints:
    """A number for every match: the same for all, drawn between two ends (a tuple), or given for each (a column).

    >>> rng = np.random.default_rng(1)
    >>> per_match("teams", 2, 3, 2, rng), per_match("teams", [2, 8, 4], 3, 2, rng)
    (array([2, 2, 2]), array([2, 8, 4]))
    >>> bool((per_match("teams", (2, 4), 1000, 2, rng) <= 4).all())
    True
    """
    if isinstance(given, tuple):
        if len(given) != 2:
            raise Error(
                f"{name} must be a number, the two ends (least, most) or a list of {matches}, not {given!r}",
                field=name,
                value=given,
            )
        low, high = whole(f"the least of {name}", given[0], least), whole(f"the most of {name}", given[1], least)
        if low > high:
            raise Error(f"{name} must have its least number first, not {given!r}", field=name, value=given)
        return rng.integers(low, high + 1, matches)
    if isinstance(given, (list, np.ndarray)):
        found = np.asarray(given)
        if found.shape != (matches,) or found.dtype.kind not in "iu" or (found < least).any():
            raise Error(
                f"{name} must have one whole number of at least {least} for each of the {matches} matches",
                field=name,
                value=given,
            )
        return found.astype(np.int64)
    return np.full(matches, whole(name, given, least), np.int64)

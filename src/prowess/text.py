"""Numbers in sentences: one row is left out, two rows are."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["capital", "count", "listed"]


def count(number: int, one: str, many: str) -> str:
    """Give a number and what it counts, in the singular or in the plural.

    >>> count(1, "row is", "rows are"), count(1200, "row is", "rows are")
    ('1 row is', '1,200 rows are')
    """
    return f"{number:,} {one if number == 1 else many}"


def listed(names: Iterable[object], last: str = "and") -> str:
    """One; one and two; one, two and three.

    >>> listed(["Elo"]), listed([1500, 1600, 1700], "or")
    ('Elo', '1500, 1600 or 1700')
    """
    *most, end = map(str, names)
    return f"{', '.join(most)} {last} {end}" if most else end


def capital(text: str, names: Iterable[str] = ()) -> str:
    """A text with a capital at its beginning, unless it begins with one of some names.

    >>> capital("there is no match"), capital("ann plays twice", ["bob", "ann"])
    ('There is no match', 'ann plays twice')
    """
    named = any(re.match(rf"{re.escape(name)}(?!\w)", text) for name in names)
    return text if named else text[:1].upper() + text[1:]

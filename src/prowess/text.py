"""Numbers in sentences: one row is left out, two rows are."""

from __future__ import annotations

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


def capital(text: str) -> str:
    """Return a text with a capital letter at its beginning.

    >>> capital("there is no match")
    'There is no match'
    """
    return text[:1].upper() + text[1:]

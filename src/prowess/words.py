"""Words of sentences that messages, reports and pages have in common."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["listed"]


def listed(names: Iterable[object], last: str = "and") -> str:
    """One; one and two; one, two and three.

    >>> listed(["Elo"]), listed([1500, 1600, 1700], "or")
    ('Elo', '1500, 1600 or 1700')
    """
    *most, end = map(str, names)
    return f"{', '.join(most)} {last} {end}" if most else end

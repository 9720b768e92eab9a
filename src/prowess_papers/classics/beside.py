"""Ours beside theirs: a number to the digits that were printed."""

from __future__ import annotations

__all__ = ["beside"]


def beside(what: str, printed: str, ours: float | None) -> dict[str, str]:
    """A row of a table: what it is, what is printed, what we find to as many digits, and whether they agree.

    They agree if they differ by no more than one in the last digit: who prints a number has often rounded on the way.

    >>> beside("a third", "0.333", 1 / 3)
    {'what': 'a third', 'printed': '0.333', 'ours': '0.333', 'agrees': 'yes'}
    """
    places = len(printed.partition(".")[2])
    assert ours is not None  # a system without uncertainty has no σ, and is not asked for it
    agrees = abs(ours - float(printed)) <= 1.0001 * 10.0**-places
    return {"what": what, "printed": printed, "ours": f"{ours:.{places}f}", "agrees": "yes" if agrees else "no"}

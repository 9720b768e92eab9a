"""Cells and names as messages show them: quoted, and no longer than one can read."""

from collections.abc import Iterable

__all__ = ["quoted", "some"]

LONGEST = 80  # letters of a cell
MOST = 30  # names in a list


def quoted(value: object) -> str:
    """Quote a value, as much of it as one can read.

    >>> quoted("3x"), len(quoted("x" * 1000))
    ("'3x'", 84)
    """
    if not isinstance(value, str):
        return repr(value)
    return repr(value) if len(value) <= LONGEST else f"{value[:LONGEST]!r} …"


def some(names: Iterable[str]) -> str:
    """Give names one after another, the first of them where there are many.

    >>> some(["date", "winner"]), some(map(str, range(1000)))[-9:]
    ('date, winner', '28, 29, …')
    """
    found = list(names)
    return ", ".join([*found[:MOST], *["…"] * (len(found) > MOST)])

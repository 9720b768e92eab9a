"""Cells and names as messages show them: quoted, and no longer than one can read."""

from collections.abc import Iterable

__all__ = ["listed", "quoted"]

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


def listed(names: Iterable[str]) -> str:
    """Quote names one after another, the first of them where there are many.

    >>> listed(["date", "winner"]), listed(map(str, range(1000)))[-12:]
    ("'date', 'winner'", "28', '29', …")
    """
    some = list(names)
    return ", ".join([*map(quoted, some[:MOST]), *["…"] * (len(some) > MOST)])

"""New names that may be known ones, written in another way."""

from __future__ import annotations

from collections.abc import Sequence

from .spelling import plain_spelling
from .twins import one_letter_apart

__all__ = ["alike"]

MANY = 20_000  # names that are compared letter by letter, at the most


def alike(new: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """Of new names, those that are spelt almost like a known one, and which: n log n, as in `one_letter_apart`.

    >>> alike(["jose", "Jhon Smith", "Ada"], ["José", "John Smith", "Bob"])
    {'jose': 'José', 'Jhon Smith': 'John Smith'}
    """
    plain = [*map(plain_spelling, known), *map(plain_spelling, new)]
    spelt = dict(zip(plain[: len(known)], known, strict=True))
    found = {name: spelt[one] for name, one in zip(new, plain[len(known) :], strict=True) if one in spelt}
    for one, other in one_letter_apart(plain) if new and len(plain) <= MANY else ():
        if one < len(known) <= other:
            found.setdefault(new[other - len(known)], known[one])
    return {name: found[name] for name in new if name in found}

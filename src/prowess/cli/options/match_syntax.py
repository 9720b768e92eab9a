"""A match as somebody types it: "ann, bob vs cat"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ...errors import Error

__all__ = ["match_of", "roster"]

# What stands between teams, the clearest first: a text is cut at the first of these that is in it.
BETWEEN = (r"\s+(?:vs?\.?|against)\s+", r"\s+[-–—:]\s+", r"\s*[–—]\s*|-|\s+vs?\.?\s*|:")
WITHIN = r"\s*[,;&+/]\s*|\s+and\s+"
QUOTED = re.compile(r'"([^"]*)"')

Known = Callable[[str], bool]


def match_of(text: str, known: Known) -> list[list[str]]:
    """The teams of a match; a name that holds a separator stays whole if it is known, or in quotation marks.

    >>> match_of("ann, bob vs cat", lambda name: False)
    [['ann', 'bob'], ['cat']]
    >>> match_of("Smith, Jo & bob - Saint-Malo", {"Smith, Jo", "bob", "Saint-Malo"}.__contains__)
    [['Smith, Jo', 'bob'], ['Saint-Malo']]
    >>> match_of('"A & B" vs c', lambda name: False)
    [['A & B'], ['c']]
    """
    masked, quoted = _masked(text)

    def team(part: str) -> bool:
        return all(name and known(name) for name in _names(part, quoted, known))

    for separator in BETWEEN:
        parts = _joined(masked, separator, team)
        if len(parts) > 1:
            return [_whole(_names(part, quoted, known), text) for part in parts]
    raise Error(f'{text!r} is no match: write the teams as "ann, bob vs cat, dan", or use --team for each of them')


def roster(text: str, known: Known) -> list[str]:
    """The players of one team.

    >>> roster("ann, bob & cat", lambda name: False)
    ['ann', 'bob', 'cat']
    """
    masked, quoted = _masked(text)
    return _whole(_names(masked, quoted, known), text)


def _whole(names: list[str], text: str) -> list[str]:
    if not all(names):
        raise Error(f"{text!r}: a name is missing")
    return names


def _masked(text: str) -> tuple[str, list[str]]:
    """The text with a private character for each quoted name, so that none is cut."""
    quoted: list[str] = QUOTED.findall(text)
    numbers = iter(range(len(quoted)))
    return QUOTED.sub(lambda _: chr(0xE000 + next(numbers)), text), quoted


def _names(part: str, quoted: Sequence[str], known: Known) -> list[str]:
    """The names of a team, with the quoted ones back in their places."""

    def whole(name: str) -> str:
        return "".join(quoted[ord(c) - 0xE000] if 0 <= ord(c) - 0xE000 < len(quoted) else c for c in name).strip()

    return [whole(name) for name in _joined(part, WITHIN, lambda name: known(whole(name)))]


def _joined(text: str, separator: str, known: Known) -> list[str]:
    """The parts of a text; as many as make something that is known are one part."""
    pieces = re.split(f"({separator})", text.strip(), flags=re.IGNORECASE)
    found = []
    first = 0
    while first < len(pieces):
        last = len(pieces)
        while last > first + 1 and not known("".join(pieces[first:last])):
            last -= 2
        found.append("".join(pieces[first:last]))
        first = last + 1
    return found

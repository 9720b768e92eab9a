"""A match as somebody types it: "ann, bob vs cat"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ...errors import Error

# What stands between teams, the clearest first: a text is cut at the first of these that is in it.
BETWEEN = (r"\s+(?:vs?\.?|against)\s+", r"\s+[-–—:]\s+", r"\s*[–—]\s*|-|\s+vs?\.?\s*|:")
WITHIN = r"\s*[,;&+/]\s*|\s+and\s+"
QUOTED = re.compile(r'"([^"]*)"')

Known = Callable[[str], bool]


def parse_match(text: str, known: Known) -> list[list[str]]:
    """The teams of a match; a name that holds a separator stays whole if it is known, or in quotation marks.

    >>> parse_match("ann, bob vs cat", lambda name: False)
    [['ann', 'bob'], ['cat']]
    >>> parse_match("Smith, Jo & bob - Saint-Malo", {"Smith, Jo", "bob", "Saint-Malo"}.__contains__)
    [['Smith, Jo', 'bob'], ['Saint-Malo']]
    >>> parse_match('"A & B" vs c', lambda name: False)
    [['A & B'], ['c']]
    """
    masked, quoted = _mask_quoted(text)

    def team(part: str) -> bool:
        return all(name and known(name) for name in _split_names(part, quoted, known))

    for separator in BETWEEN:
        parts = _split_known(masked, separator, team)
        if len(parts) > 1:
            return [_check_complete(_split_names(part, quoted, known), text) for part in parts]
    raise Error(f'{text!r} is no match: write the teams as "ann, bob vs cat, dan", or use --team for each of them')


def parse_team(text: str, known: Known) -> list[str]:
    """The players of one team.

    >>> parse_team("ann, bob & cat", lambda name: False)
    ['ann', 'bob', 'cat']
    """
    masked, quoted = _mask_quoted(text)
    return _check_complete(_split_names(masked, quoted, known), text)


def _check_complete(names: list[str], text: str) -> list[str]:
    if not all(names):
        raise Error(f"{text!r}: a name is missing")
    return names


def _mask_quoted(text: str) -> tuple[str, list[str]]:
    """The text with a private character for each quoted name, so that none is cut."""
    quoted: list[str] = QUOTED.findall(text)
    numbers = iter(range(len(quoted)))
    return QUOTED.sub(lambda _: chr(0xE000 + next(numbers)), text), quoted


def _split_names(part: str, quoted: Sequence[str], known: Known) -> list[str]:
    """The names of a team, with the quoted ones back in their places."""

    def whole(name: str) -> str:
        return "".join(quoted[ord(c) - 0xE000] if 0 <= ord(c) - 0xE000 < len(quoted) else c for c in name).strip()

    return [whole(name) for name in _split_known(part, WITHIN, lambda name: known(whole(name)))]


def _split_known(text: str, separator: str, known: Known) -> list[str]:
    """The parts of a text; as many as make something that is known are one part."""
    pieces = re.split(f"({separator})", text.strip(), flags=re.IGNORECASE)
    parts = []
    first = 0
    while first < len(pieces):
        last = len(pieces)
        while last > first + 1 and not known("".join(pieces[first:last])):
            last -= 2
        parts.append("".join(pieces[first:last]))
        first = last + 1
    return parts

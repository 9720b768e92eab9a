"""Parser for matches typed by a user, such as "ann, bob vs cat"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ...errors import Error

# Team separators, least ambiguous first. A text is split only at the first kind that it contains.
BETWEEN = (r"\s+(?:vs?\.?|against)\s+", r"\s+[-–—:]\s+", r"\s*[–—]\s*|-|\s+vs?\.?\s*|:")
WITHIN = r"\s*[,;&+/]\s*|\s+and\s+"
QUOTED = re.compile(r'"([^"]*)"')
FIRST_MASK = 0xE000  # from Unicode's private use area

IsName = Callable[[str], bool]


def parse_match(text: str, is_name: IsName) -> list[list[str]]:
    """Parse a match into teams. A name that contains a separator must be quoted, or `is_name` must return true for it.

    >>> parse_match("ann, bob vs cat", lambda name: False)
    [['ann', 'bob'], ['cat']]
    >>> parse_match("Smith, Jo & bob - Saint-Malo", {"Smith, Jo", "bob", "Saint-Malo"}.__contains__)
    [['Smith, Jo', 'bob'], ['Saint-Malo']]
    >>> parse_match('"A & B" vs c', lambda name: False)
    [['A & B'], ['c']]
    """
    masked, quoted = _mask_quoted(text)

    def is_team(part: str) -> bool:
        return all(name and is_name(name) for name in _split_names(part, quoted, is_name))

    for separator in BETWEEN:
        parts = _split(masked, separator, is_team)
        if len(parts) > 1:
            return [_check_complete(_split_names(part, quoted, is_name), text) for part in parts]
    raise Error(
        f'can\'t read {text!r} as a match; write the teams as "ann, bob vs cat, dan", or give each team with --team'
    )


def parse_team(text: str, is_name: IsName) -> list[str]:
    """Return the players of one team.

    >>> parse_team("ann, bob & cat", lambda name: False)
    ['ann', 'bob', 'cat']
    """
    masked, quoted = _mask_quoted(text)
    return _check_complete(_split_names(masked, quoted, is_name), text)


def _check_complete(names: list[str], text: str) -> list[str]:
    if not all(names):
        raise Error(f"{text!r}: a name is missing; add it, or remove the extra separator")
    return names


def _mask_quoted(text: str) -> tuple[str, list[str]]:
    # Each quoted name becomes one private-use character, so that it is not split.
    quoted: list[str] = QUOTED.findall(text)
    numbers = iter(range(len(quoted)))
    return QUOTED.sub(lambda _: chr(FIRST_MASK + next(numbers)), text), quoted


def _split_names(part: str, quoted: Sequence[str], is_name: IsName) -> list[str]:
    masks = {FIRST_MASK + number: name for number, name in enumerate(quoted)}
    names = _split(part, WITHIN, lambda name: is_name(name.translate(masks).strip()))
    return [name.translate(masks).strip() for name in names]


def _split(text: str, separator: str, is_whole: IsName) -> list[str]:
    """Split a text at a separator, but not inside the longest pieces that `is_whole` accepts."""
    pieces = re.split(f"({separator})", text.strip(), flags=re.IGNORECASE)
    parts = []
    first = 0
    while first < len(pieces):
        last = len(pieces)
        while last > first + 1 and not is_whole("".join(pieces[first:last])):
            # Texts and separators alternate, so a step of 2 drops one of each.
            last -= 2
        parts.append("".join(pieces[first:last]))
        first = last + 1
    return parts

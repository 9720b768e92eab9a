"""Parsing of form fields: numbers, and lists of names with bullets, numbers, commas and plus signs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from math import isfinite
from typing import NamedTuple

from starlette.datastructures import FormData

from ....errors import Error
from ....history import name_of
from ....history.names.index import NameIndex
from ....store.write.posts import LONGEST

LETTERS = 7_000  # characters of a list: servers accept URLs of 64 kB, and a character may take nine bytes there
_LINE = re.compile(r"[\r\n]+")
_BULLET = re.compile(r"^(?:\d{1,3}\s?[.):](?=\s*\D)|[-–—*•·](?=\s))\s*")  # "1. ", "2) ", "- "
_SEPARATOR = re.compile(r"[,;\t]")
_PLUS = re.compile(r"\s+[+&]\s+")
_TIGHT_PLUS = re.compile(r"[+&]")
_SEPARATOR_OR_PLUS = re.compile(r"\s+[+&]\s+|[,;\t]")

Known = NameIndex  # the players of a league, whose names may contain separators


def form_texts(form: FormData) -> dict[str, str]:
    """Return the fields of a form as text, without its CSRF token.

    >>> form_texts(FormData([("title", "Darts"), ("token", "abc")]))
    {'title': 'Darts'}
    """
    return {name: str(value) for name, value in form.items() if name != "token"}


def parse_number(text: str) -> float | None:
    """Parse a number with a decimal point or comma; return None if it is not a finite number.

    >>> parse_number(" 2,5 "), parse_number("−3"), parse_number("soon"), parse_number("inf")
    (2.5, -3.0, None, None)
    """
    try:
        value = float(text.strip().replace(",", ".").replace("−", "-"))
    except ValueError:
        return None
    return value if isfinite(value) else None


def parse_count(text: str, default: int, least: int, most: int, field: str) -> int:
    """Parse a whole number from `least` to `most`; an empty text is the default.

    >>> parse_count("", 2, 2, 64, "teams"), parse_count("3", 2, 2, 64, "teams")
    (2, 3)
    """
    digits = text.strip()
    if not digits:
        return default
    number = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else -1
    if not least <= number <= most:
        raise Error.in_field(field, f"enter a whole number from {least} to {most}, not {digits[:20]!r}", value=text)
    return number


class NameList(NamedTuple):
    """The names in a list, without duplicates, and the names that were listed more than once."""

    names: list[str]
    repeated: list[str]


def parse_names(text: str, known: Known, field: str = "players") -> NameList:
    """Parse names, one per line; a single line is split at commas, semicolons and tabs.

    Numbers and bullets before a name are dropped, unless a known name begins with them. A name that means a player is
    returned as the player's exact name.

    >>> parse_names("1. ann\\n2. bob\\n\\n- cat\\nbob", NameIndex(["Ánn"]))
    NameList(names=['Ánn', 'bob', 'cat'], repeated=['bob'])
    >>> players = NameIndex(["Smith, J.", "Ada Lee"])
    >>> parse_names("ann, bob; cat", players).names, parse_names("Smith, J.", players).names
    (['ann', 'bob', 'cat'], ['Smith, J.'])
    >>> parse_names("lee, ada", players).names
    ['Ada Lee']
    """
    return _unique(_check(_names(text, known, field), known, field))


def parse_queue(text: str, known: Known) -> tuple[list[list[str]], list[str]]:
    """Parse a queue, where `+` or `&` joins partners on one line; return the groups and the repeated names.

    >>> parse_queue("ann\\nbob + cat\\nR&D", NameIndex(["ann"]))
    ([['ann'], ['bob', 'cat'], ['R&D']], [])
    """
    groups: list[list[str]] = []
    seen: dict[str, None] = {}
    repeated: dict[str, None] = {}
    for line in _names(text, known, "players"):
        group = []
        for name in _check(_partners(line, known) or [line], known, "players"):
            (repeated if name in seen else seen)[name] = None
            group += [name] if name not in repeated else []
        groups += [group] if group else []
    return groups, list(repeated)


def parse_groups(text: str, known: Known, field: str) -> list[list[str]]:
    """Parse groups of names, one per line, with `+`, `&`, commas, semicolons or tabs between the names.

    >>> parse_groups("ann + bob\\ncat, dan", NameIndex(["ann"]), "together")
    [['ann', 'bob'], ['cat', 'dan']]
    """
    lines = [_partners(line, known) or _parts(_SEPARATOR_OR_PLUS, line, known) for line in _lines(text, known, field)]
    return [_unique(_check(line, known, field)).names for line in lines]


def _names(text: str, known: Known, field: str) -> list[str]:
    lines = _lines(text, known, field)
    return _parts(_SEPARATOR, lines[0], known) if len(lines) == 1 and not known.is_one_name(lines[0]) else lines


def _lines(text: str, known: Known, field: str) -> list[str]:
    if len(text) > LETTERS:
        raise Error.in_field(field, f"the list is too long: at most {LETTERS:,} characters")
    return _parts(_LINE, text, known)


def _parts(between: re.Pattern[str], text: str, known: Known) -> list[str]:
    parts = (part.strip() for part in between.split(text))
    unmarked = (part if part in known else _BULLET.sub("", part, 1) for part in parts)
    return [part for part in unmarked if part]


def _partners(line: str, known: Known) -> list[str]:
    if known.is_one_name(line):
        return []
    names = [part.strip() for part in _PLUS.split(line)]
    if len(names) == 1:  # "R&D" may be one name, unless both parts are known names
        names = [part.strip() for part in _TIGHT_PLUS.split(line)]
        if not all(map(known.finds, names)):
            return []
    return [name for name in names if name] if len(names) > 1 else []


def _check(names: Iterable[str], known: Known, field: str) -> list[str]:
    try:
        checked = [name_of(name, "a player's name") for name in names]
    except Error as error:
        raise error.within(f"{field}: ", field=field) from None
    for name in checked:
        if len(name) > LONGEST:
            message = f"{name[:20]!r}… has {len(name):,} characters; a name has at most {LONGEST}"
            raise Error.in_field(field, message, value=name)
    return [known.resolve(name) for name in checked]


def _unique(names: Iterable[str]) -> NameList:
    counts = Counter(names)
    return NameList(list(counts), [name for name, count in counts.items() if count > 1])

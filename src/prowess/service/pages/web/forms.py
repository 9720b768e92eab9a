"""Parsing of what people type into forms: numbers, and lists of names, one a line, with whatever lists bring along."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass
from math import isfinite

from starlette.datastructures import FormData

from ....errors import Error
from ....history import name_of
from ....store.write.posts import LONGEST

LETTERS = 7_000  # of a list: servers take URLs of 64 kB, and a letter may be nine bytes of one
_LINE = re.compile(r"[\r\n]+")
_MARK = re.compile(r"^(?:\d{1,3}\s?[.):](?=\s*\D)|[-–—*•·](?=\s))\s*")  # "1. ", "2) ", "- "
_BETWEEN = re.compile(r"[,;\t]")
_AND = re.compile(r"\s+[+&]\s+")
_TIGHT = re.compile(r"[+&]")
_ANY = re.compile(r"\s+[+&]\s+|[,;\t]")

Known = Container[str]  # names of players, whatever separators they contain


def form_texts(form: FormData) -> dict[str, str]:
    """Return the fields of a form as text, without its CSRF token.

    >>> form_texts(FormData([("title", "Darts"), ("token", "abc")]))
    {'title': 'Darts'}
    """
    return {name: str(value) for name, value in form.items() if name != "token"}


def field_and_message(error: Error) -> tuple[str, str]:
    """Return the field that an error is about, empty if it names none, and what to write beside it.

    >>> field_and_message(Error.in_field("title", "give the league a title"))
    ('title', 'give the league a title')
    """
    return error.field or "", error.detail()


def parse_number(text: str) -> float | None:
    """Read a number with a point or a comma and any minus; None where it is none, or not finite.

    >>> parse_number(" 2,5 "), parse_number("−3"), parse_number("soon"), parse_number("inf")
    (2.5, -3.0, None, None)
    """
    try:
        value = float(text.strip().replace(",", ".").replace("−", "-"))
    except ValueError:
        return None
    return value if isfinite(value) else None


def parse_count(text: str, default: int, least: int, most: int, field: str) -> int:
    """Read a whole number from a query.

    >>> parse_count("", 2, 2, 64, "teams"), parse_count("3", 2, 2, 64, "teams")
    (2, 3)
    """
    plain = text.strip()
    if not plain:
        return default
    number = int(plain) if plain.isascii() and plain.isdecimal() and len(plain) < 10 else -1
    if not least <= number <= most:
        raise Error.in_field(field, f"give a whole number from {least} to {most}, not {plain[:20]!r}", value=text)
    return number


@dataclass(frozen=True)
class NameList:
    """The names of a list, each once, and those that it had more than once.

    >>> NameList(["ann"], []).names
    ['ann']
    """

    names: list[str]
    repeated: list[str]


def parse_names(text: str, known: Known, field: str = "players") -> NameList:
    """Read names, one a line; a single line is split at commas, semicolons and tabs.

    Numbers and bullets before a name are dropped, unless a known name begins with them.

    >>> parse_names("1. ann\\n2. bob\\n\\n- cat\\nbob", {"ann"})
    NameList(names=['ann', 'bob', 'cat'], repeated=['bob'])
    >>> parse_names("ann, bob; cat", {"ann"}).names, parse_names("Smith, J.", {"Smith, J."}).names
    (['ann', 'bob', 'cat'], ['Smith, J.'])
    """
    return _unique(_check(_list(text, known, field), field))


def parse_queue(text: str, known: Known, field: str = "players") -> tuple[list[list[str]], list[str]]:
    """Read a queue: a line has one name, or several with `+` or `&` who play together; returns repeated names, too.

    >>> parse_queue("ann\\nbob + cat\\nR&D", {"ann"})
    ([['ann'], ['bob', 'cat'], ['R&D']], [])
    """
    groups: list[list[str]] = []
    seen: dict[str, None] = {}
    repeated: dict[str, None] = {}
    for line in _list(text, known, field):
        group = []
        for name in _check(_joint(line, known) or [line], field):
            (repeated if name in seen else seen)[name] = None
            group += [name] if name not in repeated else []
        groups += [group] if group else []
    return groups, list(repeated)


def parse_groups(text: str, known: Known, field: str) -> list[list[str]]:
    """Read groups of names, one a line, with `+`, `&`, commas, semicolons or tabs between the names.

    >>> parse_groups("ann + bob\\ncat, dan", {"ann"}, "together")
    [['ann', 'bob'], ['cat', 'dan']]
    """
    lines = [_joint(line, known) or _parts(_ANY, line, known) for line in _lines(text, known, field)]
    return [_unique(_check(line, field)).names for line in lines]


def _list(text: str, known: Known, field: str) -> list[str]:
    lines = _lines(text, known, field)
    return _parts(_BETWEEN, lines[0], known) if len(lines) == 1 and lines[0] not in known else lines


def _lines(text: str, known: Known, field: str) -> list[str]:
    if len(text) > LETTERS:
        raise Error.in_field(field, f"this is too long for an address: at most {LETTERS:,} letters")
    return _parts(_LINE, text, known)


def _parts(between: re.Pattern[str], text: str, known: Known) -> list[str]:
    parts = (part.strip() for part in between.split(text))
    bare = (part if part in known else _MARK.sub("", part, 1) for part in parts)
    return [part for part in bare if part]


def _joint(line: str, known: Known) -> list[str]:
    if line in known:
        return []
    apart = [part.strip() for part in _AND.split(line)]
    if len(apart) == 1:  # without blanks it may be a name, unless all of its parts are
        apart = [part.strip() for part in _TIGHT.split(line)]
        if any(part not in known for part in apart):
            return []
    return [part for part in apart if part] if len(apart) > 1 else []


def _check(names: Iterable[str], field: str) -> list[str]:
    try:
        checked = [name_of(name, "a player's name") for name in names]
    except Error as error:
        raise error.within(f"{field}: ", field=field) from None
    for name in checked:
        if len(name) > LONGEST:
            message = f"a name has at most {LONGEST} letters, and {name[:20]!r}… has {len(name):,}"
            raise Error.in_field(field, message, value=name)
    return checked


def _unique(names: Iterable[str]) -> NameList:
    counts = Counter(names)
    return NameList(list(counts), [name for name, count in counts.items() if count > 1])

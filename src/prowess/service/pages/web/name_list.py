"""Names out of text that somebody pasted: one a line, with whatever lists bring along."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass

from ....errors import Error
from ....history import name_of
from ....store.write.prepare import LONGEST

__all__ = ["LETTERS", "Pasted", "grouped", "pasted", "queued"]

LETTERS = 7_000  # of a list: servers take addresses of 64 kB, and a letter may be nine bytes of one
_LINE = re.compile(r"[\r\n]+")
_MARK = re.compile(r"^(?:\d{1,3}\s?[.):](?=\s*\D)|[-–—*•·](?=\s))\s*")  # "1. ", "2) ", "- "
_BETWEEN = re.compile(r"[,;\t]")
_AND = re.compile(r"\s+[+&]\s+")
_TIGHT = re.compile(r"[+&]")
_ANY = re.compile(r"\s+[+&]\s+|[,;\t]")

Known = Container[str]  # names that stand for somebody, whatever signs they hold


@dataclass(frozen=True)
class Pasted:
    """The names of a list, each once, and those that stood there more than once.

    >>> Pasted(["ann"], []).text
    'ann'
    """

    names: list[str]
    repeated: list[str]

    @property
    def text(self) -> str:
        """The list as it is written: one name a line."""
        return "\n".join(self.names)


def pasted(text: str, known: Known, what: str = "players") -> Pasted:
    """The names in a text, one a line; a single line is split at commas, semicolons and tabs.

    Numbers and signs of lists before a name are dropped, unless somebody is called just so.

    >>> pasted("1. ann\\n2. bob\\n\\n- cat\\nbob", {"ann"})
    Pasted(names=['ann', 'bob', 'cat'], repeated=['bob'])
    >>> pasted("ann, bob; cat", {"ann"}).names, pasted("Smith, J.", {"Smith, J."}).names
    (['ann', 'bob', 'cat'], ['Smith, J.'])
    """
    return _once(_checked(_list(text, known, what), what))


def queued(text: str, known: Known, what: str = "players") -> tuple[list[list[str]], list[str]]:
    """Who is there, one a line or several with `+` or `&` between them who play together; and who stands there twice.

    >>> queued("ann\\nbob + cat\\nR&D", {"ann"})
    ([['ann'], ['bob', 'cat'], ['R&D']], [])
    """
    found: list[list[str]] = []
    seen: dict[str, None] = {}
    repeated: dict[str, None] = {}
    for line in _list(text, known, what):
        group = []
        for name in _checked(_joint(line, known) or [line], what):
            (repeated if name in seen else seen)[name] = None
            group += [name] if name not in repeated else []
        found += [group] if group else []
    return found, list(repeated)


def grouped(text: str, known: Known, what: str) -> list[list[str]]:
    """Groups of names, one a line, with `+`, `&`, commas, semicolons or tabs between the names.

    >>> grouped("ann + bob\\ncat, dan", {"ann"}, "together")
    [['ann', 'bob'], ['cat', 'dan']]
    """
    lines = [_joint(line, known) or _parts(_ANY, line, known) for line in _lines(text, known, what)]
    return [_once(_checked(line, what)).names for line in lines]


def _list(text: str, known: Known, what: str) -> list[str]:
    """The items of a list: its lines, or what a single line enumerates."""
    lines = _lines(text, known, what)
    return _parts(_BETWEEN, lines[0], known) if len(lines) == 1 and lines[0] not in known else lines


def _lines(text: str, known: Known, what: str) -> list[str]:
    """The lines that hold something, without the marks of lists."""
    if len(text) > LETTERS:
        raise Error(f"{what}: this is too long for an address: at most {LETTERS:,} letters")
    return _parts(_LINE, text, known)


def _parts(between: re.Pattern[str], text: str, known: Known) -> list[str]:
    """What stands between some signs, where that is something, without the marks of lists."""
    parts = (part.strip() for part in between.split(text))
    bare = (part if part in known else _MARK.sub("", part, 1) for part in parts)
    return [part for part in bare if part]


def _joint(line: str, known: Known) -> list[str]:
    """The players of a line who play together; none if it is a single name."""
    if line in known:
        return []
    apart = [part.strip() for part in _AND.split(line)]
    if len(apart) == 1:  # without blanks it may be a name, unless all of its parts are
        apart = [part.strip() for part in _TIGHT.split(line)]
        if any(part not in known for part in apart):
            return []
    return [part for part in apart if part] if len(apart) > 1 else []


def _checked(names: Iterable[str], what: str) -> list[str]:
    """Names, if all can be those of players."""
    found = [name_of(name, f"{what}: a player's name") for name in names]
    for name in found:
        if len(name) > LONGEST:
            raise Error(f"{what}: a name has at most {LONGEST} letters, and {name[:20]!r}… has {len(name):,}")
    return found


def _once(names: Iterable[str]) -> Pasted:
    found: dict[str, int] = {}
    for name in names:
        found[name] = found.get(name, 0) + 1
    return Pasted(list(found), [name for name, often in found.items() if often > 1])

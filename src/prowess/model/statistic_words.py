"""Statistics in plain words, as `pw.compose` and the command line take them: "kills", "deaths:lower:per=mode+map".

A colon in the name of a column is written twice: "K::D:lower" is the column "K:D".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import Error
from ..history.context.columns import clean_name
from ..validate import invalid
from .components.statistic import Counts, Points, Quit, Statistic, Times

KINDS: dict[str, Callable[[str], Statistic]] = {"points": Points, "counts": Counts, "times": Times, "quit": Quit}
DIRECTIONS = {"lower": True, "higher": False}
PER = "per="
ESCAPED = "::"  # a colon in the name of a column
_PART = re.compile(r"(?:^|:)((?:[^:]|::)*)")
OPTIONS = (*KINDS, *DIRECTIONS, "bounded", f"{PER}COLUMN")


@dataclass(frozen=True)
class StatisticWord:
    """A statistic in words: a column and options. What is None was not said.

    >>> StatisticWord("deaths", lower=True, per=("mode", "map")).text, StatisticWord("K:D").text
    ('deaths:lower:per=mode+map', 'K::D')
    """

    column: str
    kind: str | None = None
    lower: bool | None = None
    bounded: bool | None = None
    per: tuple[str, ...] | None = None

    @property
    def text(self) -> str:
        """The words, as `parse_statistics` reads them."""
        directions = [word for word, lower in DIRECTIONS.items() if lower is self.lower]
        options = [self.kind, *directions, "bounded" if self.bounded else None]
        parts = [self.column, *options, PER + "+".join(self.per) if self.per else None]
        return ":".join(part.replace(":", ESCAPED) for part in parts if part)

    def spell(self, find: Callable[[str], str]) -> StatisticWord:
        """Return the words with the names of columns that `find` returns.

        >>> StatisticWord("Kills", per=("Mode",)).spell(str.lower).text
        'kills:per=mode'
        """
        per = None if self.per is None else tuple(map(find, self.per))
        return replace(self, column=find(self.column), per=per)

    def build(self, own: Statistic | None = None) -> Statistic:
        """Return the statistic; a statistic that a model already has keeps everything that the words do not change.

        >>> StatisticWord("kills", bounded=True).build(Points("kills", gamma=3.0)).gamma
        3.0
        """
        if own is None or self.kind not in (None, own.kind):
            own = KINDS[self.kind or "points"](self.column)
        changes: dict[str, Any] = {"lower": self.lower, "bounded": self.bounded, "per": self.per}
        changes = {name: value for name, value in changes.items() if value is not None}
        if own.yes_no and not changes.keys() <= {"bounded"}:
            message = f"{self.text!r}: a quit is only yes or no, so it has no direction and no scale; leave out "
            option = next((word for word, lower in DIRECTIONS.items() if lower is self.lower), "per")
            raise Error(message + option, field="statistic", value=self.text)
        return replace(own, **changes)  # type: ignore[type-var]


def parse_statistics(value: object) -> list[StatisticWord]:
    """Parse one or more statistics: text with commas, or a list of texts.

    >>> [word.text for word in parse_statistics("kills, deaths:LOWER, goals:counts:per=mode")]
    ['kills', 'deaths:lower', 'goals:counts:per=mode']
    >>> parse_statistics("K::D:lower")[0].column
    'K:D'
    """
    texts = value.split(",") if isinstance(value, str) else value
    if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
        raise invalid("a statistic", "be the name of a column, such as 'kills' or 'deaths:lower'", value, "statistic")
    words = list(dict.fromkeys(_parse(text) for text in texts if text.strip()))
    columns = [word.column for word in words]
    for column in columns:
        if columns.count(column) > 1:
            raise Error(f"the statistic {column!r} is given twice; give it once", field="statistic", value=column)
    return words


def _parse(text: str) -> StatisticWord:
    column, *options = (part.replace(ESCAPED, ":").strip() for part in _PART.findall(text))
    settings: dict[str, Any] = {}
    for option in options:
        name, value = _parse_option(option)
        if name is None:
            listed = ", ".join(OPTIONS)
            message = f"{text.strip()!r}: unknown option {option!r} of a statistic; choose from {listed}"
            note = f"; write {ESCAPED} for a colon in the name of a column"
            raise Error(message + note, field="statistic", value=option)
        if settings.setdefault(name, value) != value:
            raise Error(f"{text.strip()!r}: {name} is given twice; give it once", field="statistic", value=option)
    if not clean_name(column):
        message = f"{text.strip()!r}: the name of the column is missing; write it first, such as kills:bounded"
        raise Error(message, field="statistic", value=text)
    return StatisticWord(clean_name(column), **settings)


def _parse_option(option: str) -> tuple[str | None, Any]:
    """Return the field of an option and its value; the field is None if the option is unknown."""
    word = option.lower()
    if word in KINDS:
        return "kind", word
    if word in DIRECTIONS:
        return "lower", DIRECTIONS[word]
    if word == "bounded":
        return "bounded", True
    names = tuple(filter(None, map(clean_name, option[len(PER) :].split("+")))) if word.startswith(PER) else ()
    return ("per", names) if names else (None, None)

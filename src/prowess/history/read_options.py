"""How to read what can be read in two ways: each choice is open until the user makes it, and the reading says what it
took."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypedDict, get_args

from ..errors import Error
from .names import nearest

Duplicates = Literal["once", "keep"]
Walkovers = Literal["skip", "count"]
_WORDS = {"decimal": (".", ","), "duplicates": get_args(Duplicates), "walkovers": get_args(Walkovers)}


class Reading(TypedDict, total=False):
    """The keywords of `History.read` and its relatives; `Choices` says what they mean."""

    columns: Mapping[str, str | None] | None
    time_format: str | None
    utc: bool
    day_first: bool | None
    decimal: str | None
    rosters: str | None
    unplaced: tuple[str, ...]
    absent: tuple[str, ...]
    duplicates: Duplicates | None
    walkovers: Walkovers | None
    skip_problems: bool
    separator: str | None
    encoding: str | None
    header: bool | None
    sheet: str | None


def _choice(default: Any, help: str, metavar: str | None = None) -> Any:
    return field(default=default, metadata={"help": help, "metavar": metavar})


@dataclass(frozen=True)
class Choices:
    """What the user says about a file; None leaves a choice to what the file looks like.

    >>> Choices(day_first=True).day_first, Choices().day_first
    (True, None)
    >>> Choices(decimal=";")
    Traceback (most recent call last):
    ...
    prowess.Error: decimal must be '.' or ',', not ';'
    """

    columns: Mapping[str, str | None] | None = _choice(
        None, "Say which column is what, as winner=won; may be repeated.", "ROLE=NAME"
    )
    time_format: str | None = _choice(None, "How dates are written, as %d.%m.%Y; or number, unix, excel.")
    utc: bool = _choice(False, "Read times of different zones as instants.")
    day_first: bool | None = _choice(None, "Read 03/04/2026 as 3 April, or as March 4.")
    decimal: str | None = _choice(None, "The decimal mark: '.' or ','.", "MARK")
    rosters: str | None = _choice(None, "What separates the players in a cell; '' keeps cells whole.", "MARK")
    unplaced: tuple[str, ...] = _choice((), "More words for places of those who share the last one, as DNF.", "WORD")
    absent: tuple[str, ...] = _choice((), "Words for places of those who did not take part, as DNS.", "WORD")
    duplicates: Duplicates | None = _choice(None, "Count repeated rows once, or keep them: once, keep.")
    walkovers: Walkovers | None = _choice(None, "Leave walkovers out, or count them as matches: skip, count.")
    skip_problems: bool = _choice(False, "Leave out what cannot be read, and say so.")
    separator: str | None = _choice(None, "What separates the cells of a text file.", "MARK")
    encoding: str | None = _choice(None, "The encoding of a text file, as utf-8 or cp1252.", "NAME")
    header: bool | None = _choice(None, "Whether the first line names the columns; without names they are 1, 2, ….")
    sheet: str | None = _choice(None, "The sheet of a workbook.", "NAME")

    @classmethod
    def of(cls, reading: Mapping[str, Any]) -> "Choices":
        """The choices that keywords name; one that there is not is an Error that names the nearest.

        >>> Choices.of({"colums": {"winner": "won"}})
        Traceback (most recent call last):
        ...
        prowess.Error: there is no keyword 'colums'; did you mean `columns`?
        """
        options = [option.name for option in fields(cls)]
        for name in reading:
            if name not in options:
                near = nearest(name, options, 1)
                right = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(options)}"
                raise Error(f"there is no keyword {name!r}; {right}", field=name)
        return cls(**reading)

    def __post_init__(self) -> None:
        """Raise an Error for a choice that there is not."""
        columns, separator = self.columns, self.separator
        if columns is not None and not isinstance(columns, Mapping):
            right = "map roles to columns, such as {'winner': 'won', 'loser': 'lost'}"
            raise Error(f"columns must {right}, not {columns!r}", field="columns", value=columns)
        if self.time_format is not None and not isinstance(self.time_format, str):
            raise self._error("time_format", "text, such as '%d.%m.%Y'")
        if separator is not None and (not isinstance(separator, str) or len(separator) != 1 or not separator.isascii()):
            raise self._error("separator", "a single character, such as ';'")
        for name, words in _WORDS.items():
            if getattr(self, name) not in (None, *words):
                raise self._error(name, " or ".join(map(repr, words)))
        for option in fields(self):
            self._check_type(option.name, option.default)

    def _check_type(self, name: str, default: object) -> None:
        value = getattr(self, name)
        if name in ("unplaced", "absent"):
            if not isinstance(value, tuple) or not all(isinstance(word, str) and word.strip() for word in value):
                raise self._error(name, "a tuple of words, such as ('DNF', 'DSQ')")
        elif name in ("utc", "skip_problems", "day_first", "header"):
            if not isinstance(value, bool) and (value is not None or default is not None):
                raise self._error(name, "True or False")
        elif name in ("rosters", "encoding", "sheet") and not isinstance(value, str | None):
            raise self._error(name, "text")

    def _error(self, name: str, right: str) -> Error:
        value = getattr(self, name)
        return Error(f"{name} must be {right}, not {value!r}", field=name, value=value)

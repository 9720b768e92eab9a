"""Options for reading files; options that the user does not set are inferred from the contents of the file."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypedDict, get_args

from ..errors import Error
from .names.aliases import Aliases
from .names.spelling import nearest
from .read_limits import UNLIMITED, ReadLimits

Duplicates = Literal["once", "keep"]
Walkovers = Literal["skip", "count"]
ScoreUnit = Literal["sets", "games", "points"]
Seeds = Literal["drop", "keep"]
Placeholders = Literal["skip", "keep"]
Totals = Literal["matches", "score"]
Shootouts = Literal["win", "draw"]
Fixtures = Literal["skip", "count"]
_WORDS = {"decimal": (".", ","), "duplicates": get_args(Duplicates), "walkovers": get_args(Walkovers)}
_WORDS |= {"score_unit": get_args(ScoreUnit), "seeds": get_args(Seeds), "placeholders": get_args(Placeholders)}
_WORDS |= {"totals": get_args(Totals), "shootouts": get_args(Shootouts), "fixtures": get_args(Fixtures)}


class Reading(TypedDict, total=False):
    """The keywords of `History.read` and similar methods; `Choices` explains them."""

    columns: Mapping[str, str | None] | None
    aliases: Mapping[str, str] | str | os.PathLike[str] | None
    context: Sequence[str] | None
    time_format: str | None
    utc: bool
    day_first: bool | None
    decimal: str | None
    rosters: str | None
    unplaced: tuple[str, ...]
    absent: tuple[str, ...]
    duplicates: Duplicates | None
    walkovers: Walkovers | None
    score_unit: ScoreUnit | None
    seeds: Seeds | None
    placeholders: Placeholders | None
    lowest_wins: bool | None
    totals: Totals | None
    shootouts: Shootouts | None
    fixtures: Fixtures | None
    skip_problems: bool | None
    separator: str | None
    encoding: str | None
    header: bool | None
    sheet: str | None
    limits: bool | ReadLimits


class IfPresent(tuple[str, ...]):
    """Names of context columns that are kept if the file has them; other names are ignored.

    >>> Choices(context=IfPresent(["season"])).context
    ('season',)
    """


class Besides(tuple[str, ...]):
    """Names of context columns that are kept besides those that are kept by default, even if they say little.

    >>> Choices(context=Besides(["minutes"])).context
    ('minutes',)
    """


def _choice(default: Any, help: str, metavar: str | None = None) -> Any:
    return field(default=default, metadata={"help": help, "metavar": metavar})


@dataclass(frozen=True)
class Choices:
    """The options that the user sets for a file; None means that the contents decide.

    >>> Choices(day_first=True).day_first, Choices().day_first
    (True, None)
    >>> Choices(decimal=";")
    Traceback (most recent call last):
    ...
    prowess.Error: decimal must be '.' or ',', not ';'
    """

    columns: Mapping[str, str | None] | None = _choice(
        None, "Map a role to a column, such as winner=won; may be repeated.", "ROLE=NAME"
    )
    aliases: Mapping[str, str] | None = _choice(
        None, "A file with two columns, alias and player's name; each alias counts as that player.", "FILE"
    )
    context: Sequence[str] | None = _choice(
        None, "Columns to keep with the matches, such as surface,round; the word none keeps no columns.", "NAME,…"
    )
    time_format: str | None = _choice(None, "Format of dates, such as %d.%m.%Y, or one of number, unix, excel.")
    utc: bool = _choice(False, "Convert times in different zones to UTC.")
    day_first: bool | None = _choice(None, "Read 03/04/2026 as 3 April, or as 4 March.")
    decimal: str | None = _choice(None, "The decimal mark: '.' or ','.", "MARK")
    rosters: str | None = _choice(None, "Separator between players in a cell; '' reads each cell as one name.", "MARK")
    unplaced: tuple[str, ...] = _choice((), "More words that mean the last place, such as DNF.", "WORD")
    absent: tuple[str, ...] = _choice((), "Words that mean that a player was absent, such as DNS.", "WORD")
    duplicates: Duplicates | None = _choice(
        None, "Count duplicate rows once (once), or count each row as a match (keep)."
    )
    walkovers: Walkovers | None = _choice(None, "Leave walkovers out (skip), or count them as matches (count).")
    score_unit: ScoreUnit | None = _choice(None, "What to count in a match of several sets: sets, games or points.")
    seeds: Seeds | None = _choice(
        None, "Drop the seeds or ranks beside names, such as [1] in 'Finn [1]', or keep them as a part of the name."
    )
    placeholders: Placeholders | None = _choice(
        None, "Leave out the matches of names that stand for nobody, such as TBD (skip), or rate these names (keep)."
    )
    lowest_wins: bool | None = _choice(None, "Whether the lowest score wins, as in golf, or the highest.")
    totals: Totals | None = _choice(
        None, "Count a row with the wins and draws of a period as that many matches (matches), or as one (score)."
    )
    shootouts: Shootouts | None = _choice(
        None, "Count a shoot-out as a win of the side that won it (win), or as a draw (draw)."
    )
    fixtures: Fixtures | None = _choice(
        None, "Leave out scores of 0-0 after the last other result (skip), or count them as draws (count)."
    )
    skip_problems: bool | None = _choice(
        False,
        "Skip all unreadable rows, or reject a file that has any; by default, a few unreadable rows are skipped.",
    )
    separator: str | None = _choice(None, "Separator of the cells of a text file.", "MARK")
    encoding: str | None = _choice(None, "The encoding of a text file, such as utf-8 or cp1252.", "NAME")
    header: bool | None = _choice(
        None, "Whether the first line has the column names; if not, the columns are named 1, 2, …."
    )
    sheet: str | None = _choice(None, "The sheet of a workbook.", "NAME")
    limits: bool | ReadLimits = _choice(True, "Read the file even if it unpacks to an extreme size.")

    @classmethod
    def of(cls, reading: Mapping[str, Any]) -> "Choices":
        """Make choices from keywords; an unknown keyword raises an `Error` that suggests a similar one.

        >>> Choices.of({"colums": {"winner": "won"}})
        Traceback (most recent call last):
        ...
        prowess.Error: unknown keyword 'colums'; did you mean `columns`?
        """
        options = [option.name for option in fields(cls)]
        for name in reading:
            if name not in options:
                near = nearest(name, options, 1)
                right = f"did you mean `{near[0]}`?" if near else f"keywords are {', '.join(options)}"
                raise Error(f"unknown keyword {name!r}; {right}", field=name)
        return cls(**reading)

    def __post_init__(self) -> None:
        """Raise an `Error` for an invalid value."""
        if self.columns is not None and not isinstance(self.columns, Mapping):
            right = "map roles to columns, such as {'winner': 'won', 'loser': 'lost'}"
            raise Error(f"columns must {right}, not {self.columns!r}", field="columns", value=self.columns)
        if self.aliases is not None and not isinstance(self.aliases, Aliases):
            if not isinstance(self.aliases, Mapping):
                right = "map aliases to names, such as {'Jeevo': 'Deevo'}"
                raise Error(f"aliases must {right}, not {self.aliases!r}", field="aliases", value=self.aliases)
            object.__setattr__(self, "aliases", Aliases(self.aliases))
        if isinstance(self.context, list):
            object.__setattr__(self, "context", tuple(self.context))
        for option in fields(self):
            value = getattr(self, option.name)
            right = self._requirement(option.name, value, option.default)
            if right:
                raise Error(f"{option.name} must be {right}, not {value!r}", field=option.name, value=value)

    @property
    def read_limits(self) -> ReadLimits:
        """The limits for the file: the defaults, no limits, or limits given by the caller."""
        if isinstance(self.limits, ReadLimits):
            return self.limits
        return ReadLimits() if self.limits else UNLIMITED

    @staticmethod
    def _requirement(name: str, value: object, default: object) -> str:
        if name in ("unplaced", "absent"):
            valid = isinstance(value, tuple) and all(isinstance(word, str) and word.strip() for word in value)
            return "" if valid else "a tuple of words, such as ('DNF', 'DSQ')"
        if name in ("columns", "aliases") or (value is None and default is None):
            return ""
        if name == "context":
            valid = isinstance(value, tuple) and all(isinstance(word, str) for word in value)
            return "" if valid else "a list of columns, such as ['surface', 'round']"
        if name in _WORDS:
            return "" if value in _WORDS[name] else " or ".join(map(repr, _WORDS[name]))
        if name == "skip_problems" and value is None:
            return ""  # None means that a few rows may be left out; it is the default of the command line
        if name in ("utc", "skip_problems", "day_first", "header", "lowest_wins"):
            return "" if isinstance(value, bool) else "True or False"
        if name == "limits":
            return "" if isinstance(value, (bool, ReadLimits)) else "True, False or ReadLimits"
        if name == "separator":
            valid = isinstance(value, str) and len(value) == 1 and value.isascii()
            return "" if valid else "a single character, such as ';'"
        example = ", such as '%d.%m.%Y'" if name == "time_format" else ""
        return "" if isinstance(value, str) else f"text{example}"

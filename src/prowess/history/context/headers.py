"""Context columns in written tables: their cells, and headers from which the reader infers the same columns.

A header is the plain name of a column if the reader would infer its level correctly. If not, the header states the
level, as in `side [team]`. Tables are written in chunks, so a first pass over all chunks collects the traits of the
columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...frames import escape_formula
from ..columns.roles.aliases import ROUND
from ..columns.roles.layout import Layout, recognise
from ..columns.roles.side_pairs import find_side_columns
from ..names.spelling import plain_name
from ..ragged import owners
from .columns import EXACT, FIELDS, LEVELS, ContextColumn, Kind, Level, column_at, marked_header, parse_marked_header

if TYPE_CHECKING:
    import polars as pl

    from ..history import History

# Text that the reader may take for a number, in any country's notation.
_NUMERIC = re.compile(r"[+-]?[\d.,][\d.,' \u00a0\u202f]*(?:[eE][+-]?\d+)?")
_DIGIT = re.compile(r"\d")
_UNNAMED = re.compile(r"\d+|_duplicated_\d+|unnamed: \d+|column\d+", re.IGNORECASE)
Headers = Mapping[str, tuple[str, ...]]  # the headers of each column: one, or one per team


@dataclass(frozen=True)
class ColumnTraits:
    """The traits of a column that the reader can see in its cells; `|` combines the traits of several chunks."""

    level: Level
    kind: Kind
    differs: bool  # whether teams of a match, or players of a team, have different values, which shows the level
    several: bool  # whether there are two different values
    repeated: bool  # whether a value occurs twice
    fractional: bool = False  # whether a number is not whole
    huge: bool = False  # whether a number is too large to be an exact whole number
    numeric: bool = False  # whether a text looks like a number
    digits: bool = False  # whether a text has a digit, and may look like a time

    @classmethod
    def of(cls, column: ContextColumn, level: Level, history: History) -> ColumnTraits:
        """Return the traits of a column of a history."""
        used, times = np.unique(column.code[column.code >= 0], return_counts=True)
        new = partial(
            cls, level, column.kind, _differs(column.code, level, history), len(used) > 1, bool((times > 1).any())
        )
        if not isinstance(column.values, tuple):
            values = column.values[used]
            return new(fractional=bool((values != np.floor(values)).any()), huge=bool((np.abs(values) >= EXACT).any()))
        texts = [column.values[code] for code in used]
        return new(
            numeric=any(_NUMERIC.fullmatch(text) for text in texts), digits=any(_DIGIT.search(text) for text in texts)
        )

    def __or__(self, other: ColumnTraits) -> ColumnTraits:
        """Combine the traits of a column in two chunks.

        A column with numbers in one chunk and text in the other is a text column.
        """
        finer = max(self, other, key=lambda traits: LEVELS.index(traits.level))
        mixed = self.kind != other.kind
        flags = ("several", "repeated", "fractional", "huge", "numeric", "digits")
        joined: dict[str, Any] = {
            name: getattr(self, name) or getattr(other, name) or (mixed and name == "numeric") for name in flags
        }
        differs = (self.differs or other.differs) if self.level == other.level else finer.differs
        return replace(finer, kind="category" if mixed else self.kind, differs=differs, **joined)

    def is_plain(self, wide: bool, timed: bool) -> bool:
        """Return whether the reader infers the right level and kind from the cells, and keeps the column by default."""
        if not self.several or not (self.repeated or self.fractional) or (self.level == "player" and wide):
            return False
        return (self.differs or wide) and not self.numeric and (timed or not self.digits)


Traits = Mapping[str, ColumnTraits]


def context_traits(history: History) -> dict[str, ColumnTraits]:
    """Return the traits of all context columns of a history."""
    contexts = ((level, getattr(history, field)) for level, field in FIELDS.items())
    return {
        name: ColumnTraits.of(column, level, history) for level, context in contexts for name, column in context.items()
    }


def join_traits(left: Traits, right: Traits) -> dict[str, ColumnTraits]:
    """Return the traits of all columns, combined from two chunks."""
    return {**left, **{name: left[name] | traits if name in left else traits for name, traits in right.items()}}


def _differs(code: NDArray[Any], level: Level, history: History) -> bool:
    if level == "match":
        return True
    start = history.match_start if level == "team" else history.team_start
    return bool((code != code[start[:-1]][owners(start)]).any())


def choose_headers(columns: Traits, others: Sequence[str], sides: int, timed: bool) -> Headers:
    """Return headers for the context columns of a table; `others` are the headers of its other columns.

    For a file with a row per match, `sides` is the number of teams; for any other file, it is 0. `timed` is true if the
    matches have times.
    """
    layout = recognise(others)
    marked = {
        name for name, traits in columns.items() if not (traits.is_plain(sides > 0, timed) and _is_free(name, others))
    }
    while True:
        headers = {name: _headers(name, traits, sides, layout, name in marked) for name, traits in columns.items()}
        doubtful = _misread(columns, headers, marked, layout, others) - marked
        if not doubtful:
            return headers
        marked |= doubtful


def _is_free(name: str, others: Sequence[str]) -> bool:
    """Return whether a name is not the name of a role, and has no other meaning in a table."""
    plain = plain_name(name)
    if not plain or plain in ROUND.split() or _UNNAMED.fullmatch(name) or parse_marked_header(name) is not None:
        return False
    if escape_formula(name) != name or name[0] in "\"'#":
        return False
    return recognise([*others, name]) == recognise(others)


def _headers(name: str, traits: ColumnTraits, sides: int, layout: Layout, marked: bool) -> tuple[str, ...]:
    by_team = sides > 0 and traits.level != "match"
    if marked:
        kind: Kind | None = "category" if traits.numeric else None
        mark = partial(marked_header, name, traits.level, kind)
        return tuple(map(mark, range(1, sides + 1))) if by_team else (mark(),)
    if not by_team:
        return (name,)
    between = " " if " " in name else "_"
    if "home" in layout.roles:
        return tuple(f"{side}{between}{name}" for side in ("home", "away"))
    return tuple(f"{name}{between if between in name else ''}{number}" for number in range(1, sides + 1))


def _misread(columns: Traits, headers: Headers, marked: set[str], layout: Layout, others: Sequence[str]) -> set[str]:
    """Return the columns that the reader would misinterpret, given all other columns of the file."""
    owner = {header: name for name, parts in headers.items() for header in parts if name not in marked}
    plain = [name for name in columns if name not in marked]
    every = [*others, *(header for parts in headers.values() for header in parts)]
    if len(set(map(str.casefold, every))) < len(every) or recognise([*others, *owner]) != recognise(others):
        return set(plain)
    if not layout.sides:
        return set()
    groups = {group.columns: group.name for group in find_side_columns(layout, list(owner))}
    expected = {headers[name]: name for name in plain if columns[name].level != "match"}
    wrong = [parts for parts in {**groups, **expected} if groups.get(parts) != expected.get(parts)]
    return {owner[header] for parts in wrong for header in parts}


def context_cells(history: History, columns: Traits, headers: Headers, sides: int) -> Iterator[pl.Series]:
    """Yield the written context columns, named by their headers.

    A column has a cell for each match if `sides` is above 0, otherwise a cell for each entry (see `choose_headers`).
    """
    for name, traits in columns.items():
        level = traits.level if sides else "player"
        column = column_at(history, name, level)
        parts = headers[name]
        if column is None:
            rows = len(history) if sides else history.entries
            yield from (_cells(ContextColumn.of([None] * rows), traits, header) for header in parts)
        elif len(parts) == 1:
            yield _cells(column, traits, parts[0])
        else:
            yield from (_cells(_side(column, history, number), traits, header) for number, header in enumerate(parts))


def _side(column: ContextColumn, history: History, number: int) -> ContextColumn:
    # A match with fewer teams has a missing value.
    present = np.diff(history.match_start) > number
    team = np.where(present, history.match_start[:-1] + number, 0)
    return replace(column, code=np.where(present, column.code[team], -1))


def _cells(column: ContextColumn, traits: ColumnTraits, header: str) -> pl.Series:
    import polars as pl

    if traits.kind == "category":
        return column.as_text().to_series(header).cast(pl.String)
    if not isinstance(column.values, tuple):
        series = column.to_series(header)
        return series if traits.fractional or traits.huge else series.cast(pl.Int64)
    return pl.Series(header, [None] * len(column), pl.Float64 if traits.fractional or traits.huge else pl.Int64)

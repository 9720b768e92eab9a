"""The context of a league's matches in memory: columns that grow with the league, and filters by values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History
from ...history.context.columns import EMPTY, Context, ContextColumn, Kind
from ...history.names.spelling import plain_letters
from ...history.ragged import Ints, gather

GROWTH = 1 / 16  # free space reserved at the end of a column, as a share of its length
MIN_GROWTH = 256  # minimum number of free rows
MATCH, TEAM, ENTRY = range(3)  # levels, from coarse to fine

MOST_CHOICES = 30  # a column with more values is not offered as a list from which visitors choose

Codes = NDArray[np.signedinteger[Any]]
Mask = NDArray[np.bool_]
Rows = NDArray[np.integer[Any]]
ContextFilters = Mapping[str, Sequence[str]]  # the accepted values of each column; "" accepts missing values
NO_FILTERS: ContextFilters = {}
Starts = tuple[Ints, Ints]  # `match_start` and `team_start` of a history


class AppendColumn:
    """A column that can grow. Appending values does not change existing views.

    >>> column = AppendColumn(np.array([1, 2]))
    >>> before = column.view
    >>> column.append(np.array([3]))
    >>> before, column.view
    (array([1, 2]), array([1, 2, 3]))
    """

    def __init__(self, first: NDArray[Any]) -> None:
        self._cells = first[:0].copy()
        self._length = 0
        self.append(first)

    def __len__(self) -> int:
        return self._length

    @property
    def nbytes(self) -> int:
        """Size in bytes, including the free rows at the end."""
        return self._cells.nbytes

    @property
    def view(self) -> NDArray[Any]:
        """A read-only view of the current rows."""
        view = self._cells[: self._length]
        view.flags.writeable = False
        return view

    def append(self, more: NDArray[Any]) -> None:
        """Append rows."""
        length = self._length + len(more)
        if length > len(self._cells):
            room = int(length * (1 + GROWTH)) + MIN_GROWTH
            cells = np.empty((room, *self._cells.shape[1:]), self._cells.dtype)
            cells[: self._length] = self._cells[: self._length]
            self._cells = cells
        self._cells[self._length : length] = more
        self._length = length


@dataclass(eq=False)
class GrowingColumn:
    """A context column of a league: the code of every row, and the distinct values in order of appearance."""

    level: int
    kind: Kind
    code: AppendColumn
    number: dict[str | float, int] = field(default_factory=dict)  # the code of each value
    filled: int = 0  # rows with a value
    _values: tuple[str, ...] | NDArray[np.float64] = ()

    @property
    def nbytes(self) -> int:
        """Approximate size in bytes."""
        return self.code.nbytes + sum(100 + (len(value) if isinstance(value, str) else 0) for value in self.number)

    def encode(self, column: ContextColumn) -> Codes:
        """Encode the rows of another column with the codes of this column; new values get new codes."""
        code = column.code
        if len(code) < len(column.values):  # a slice has all values of its history, but uses few of them
            present, code = np.unique(code, return_inverse=True)
            values = [None if one < 0 else column.values[one] for one in present.tolist()]
        else:
            values = [*column.values, None]
        translate = [-1 if value is None else self._code(value) for value in values]
        codes: Codes = np.array(translate, _smallest(len(self.number)))[code.reshape(-1)]
        return codes

    def _code(self, value: str | float) -> int:
        plain = value if isinstance(value, str) else float(value)
        return self.number.setdefault(plain, len(self.number))

    def append(self, code: Codes) -> None:
        """Append rows."""
        self._widen()
        self.code.append(code)
        self.filled += int(np.count_nonzero(code >= 0))

    def put(self, rows: Rows, code: Codes) -> None:
        """Replace rows; existing views are not changed."""
        self._widen()
        changed = self.code.view.copy()
        changed[rows] = code
        self.code = AppendColumn(changed)
        self.filled = int(np.count_nonzero(changed >= 0))

    def refine(self, level: int, starts: Starts) -> None:
        """Convert the column to a finer level, for all matches that it has so far."""
        self.code = AppendColumn(spread(self.code.view, self.level, level, starts))
        self.level, self.filled = level, int(np.count_nonzero(self.code.view >= 0))

    def _widen(self) -> None:
        kind, view = _smallest(len(self.number)), self.code.view
        if np.dtype(kind).itemsize > view.dtype.itemsize:
            self.code = AppendColumn(view.astype(kind))

    def head(self, rows: int) -> GrowingColumn:
        """Return a copy of the first rows."""
        code = self.code.view[:rows]
        return GrowingColumn(self.level, self.kind, AppendColumn(code), self.number, int(np.count_nonzero(code >= 0)))

    @property
    def view(self) -> ContextColumn:
        """The column as it is now."""
        if len(self._values) < len(self.number):
            values: Any = tuple(self.number) if self.kind == "category" else np.array(list(self.number), np.float64)
            self._values = values
        return ContextColumn(self.code.view, self._values)


class ContextTable:
    """The context columns of all matches of a league. Appending matches does not change existing views.

    >>> from prowess import History
    >>> table = ContextTable()
    >>> teams = [["ann"], ["bob"]]
    >>> table.append(History.from_matches([{"teams": teams, "context": {"side": "left"}}]), None)
    >>> table.append(History.from_matches([{"teams": teams}]), None)
    >>> table.views[0]["side"].to_list()
    ['left', None]
    """

    def __init__(self) -> None:
        self.columns: dict[str, GrowingColumn] = {}

    @property
    def nbytes(self) -> int:
        """Approximate size in bytes."""
        return sum(column.nbytes for column in self.columns.values())

    def append(self, history: History, before: Starts | None) -> None:
        """Append the context of new matches.

        `before` has `match_start` and `team_start` of all earlier matches of the league.
        """
        new = columns_of(history)
        if not new and not self.columns:
            return
        for name, (level, column) in new.items():
            self._prepare(name, level, column.kind, before)
        starts, rows = (history.match_start, history.team_start), _rows(history)
        for name, own in self.columns.items():
            if name in new:
                level, column = new[name]
                own.append(spread(own.encode(column), level, own.level, starts))
            else:
                own.append(np.full(rows[own.level], -1, np.int8))

    def _prepare(self, name: str, level: int, kind: Kind, before: Starts | None) -> None:
        """Create a column if it is missing; convert it to the level of the new matches if that level is finer."""
        own = self.columns.get(name)
        if own is None or (own.kind != kind and not own.filled):
            rows = 0 if before is None else (len(before[0]) - 1, len(before[1]) - 1, int(before[1][-1]))[level]
            self.columns[name] = GrowingColumn(level, kind, AppendColumn(np.full(rows, -1, np.int8)))
        elif own.level < level:
            assert before is not None
            own.refine(level, before)

    def replace(self, matches: NDArray[np.intp], history: History, starts: Starts) -> None:
        """Replace the context of the matches at some indices with the context of a history that has the same teams."""
        _, teams = gather(starts[0], matches)
        _, entries = gather(starts[1], teams)
        rows = (matches, teams, entries)
        for own in self.columns.values():
            if (own.code.view[rows[own.level]] >= 0).any():
                own.put(rows[own.level], np.full(len(rows[own.level]), -1, np.int8))
        for name, (level, column) in columns_of(history).items():
            self._prepare(name, level, column.kind, starts)
            own = self.columns[name]
            code = spread(own.encode(column), level, own.level, (history.match_start, history.team_start))
            own.put(rows[own.level], code)

    def head(self, rows: Sequence[int]) -> ContextTable:
        """Return a copy of the first rows; `rows` says how many matches, teams and entries to copy."""
        other = ContextTable()
        other.columns = {name: column.head(rows[column.level]) for name, column in self.columns.items()}
        return other

    @property
    def views(self) -> tuple[Context, Context, Context]:
        """The contexts of matches, teams and entries as they are now; columns without a value are left out."""
        levels: tuple[dict[str, ContextColumn], ...] = ({}, {}, {})
        for name, column in self.columns.items():
            if column.filled:
                levels[column.level][name] = column.view
        match, team, entry = (Context(columns) if columns else EMPTY for columns in levels)
        return match, team, entry


def columns_of(history: History) -> dict[str, tuple[int, ContextColumn]]:
    """Return the context columns of a history with their levels."""
    levels = enumerate((history.context, history.team_context, history.entry_context))
    return {name: (level, column) for level, context in levels for name, column in context.items()}


def _rows(history: History) -> tuple[int, int, int]:
    return len(history), history.teams, history.entries


def _smallest(values: int) -> type[np.signedinteger[Any]]:
    return next((kind for kind in (np.int8, np.int16) if values <= np.iinfo(kind).max + 1), np.int32)


def spread(code: Codes, level: int, target: int, starts: Starts) -> Codes:
    """Convert codes to a finer level if necessary: teams get the value of their match, entries the value of their team.

    >>> starts = np.array([0, 2]), np.array([0, 1, 3])
    >>> spread(np.array([7], np.int8), MATCH, ENTRY, starts)
    array([7, 7, 7], dtype=int8)
    """
    match_start, team_start = starts
    if level == MATCH < target:
        code = np.repeat(code, np.diff(match_start))
    if level < ENTRY == target:
        code = np.repeat(code, np.diff(team_start))
    return code


class Choices(NamedTuple):
    """A column with few distinct values: its name, its level, and the sorted values with their numbers of rows."""

    name: str
    level: int
    kind: Kind
    values: list[tuple[str | float, int]]


@dataclass(frozen=True, eq=False)
class ContextView:
    """The context of a league at one revision, for filters.

    `match` has the match of each team, and `team` the team of each entry.
    """

    history: History
    match: NDArray[np.int32]
    team: NDArray[np.int32]

    @cached_property
    def columns(self) -> dict[str, tuple[int, ContextColumn]]:
        """The columns by name, with their levels."""
        return columns_of(self.history)

    @cached_property
    def choices(self) -> list[Choices]:
        """The columns with 2 to 30 distinct values, fewest values first."""
        found = []
        for name, (level, column) in self.columns.items():
            if len(column.values) <= 4 * MOST_CHOICES:  # some values may have no rows any more
                counts = np.bincount(column.code.astype(np.intp) + 1, minlength=len(column.values) + 1)[1:].tolist()
                values = [(_plain(value), n) for value, n in zip(column.values, counts, strict=True) if n]
                if 2 <= len(values) <= MOST_CHOICES:
                    found.append(Choices(name, level, column.kind, sorted(values)))
        return sorted(found, key=lambda one: len(one.values))

    def match_mask(self, filters: ContextFilters, first: int, last: int) -> Mask:
        """Return a mask of the matches from `first` up to `last`: true if a match passes all filters.

        A match passes a filter if the match, or any of its teams or entries, has an accepted value in the column.
        """
        chosen = np.ones(last - first, np.bool_)
        match_start, team_start = self.history.match_start, self.history.team_start
        teams = int(match_start[first]), int(match_start[last])
        entries = int(team_start[teams[0]]), int(team_start[teams[1]])
        for name, values in filters.items():
            level, column = self._column(name)
            begin, end = ((first, last), teams, entries)[level]
            rows: Rows = begin + np.flatnonzero(_accepts(name, column, values)[column.code[begin:end]])
            if level == ENTRY:
                rows = self.team[rows]
            if level >= TEAM:
                rows = self.match[rows]
            found = np.zeros(last - first, np.bool_)
            found[rows - first] = True
            chosen &= found
        return chosen

    def entry_mask(self, filters: ContextFilters, entry: Rows, team: Rows, match: Rows) -> Mask:
        """Return a mask of the entries that have an accepted value in every filtered column.

        An entry passes a filter if the entry, its team or its match has an accepted value. `team` and `match` have the
        team and the match of each entry.
        """
        chosen = np.ones(len(entry), np.bool_)
        for name, values in filters.items():
            level, column = self._column(name)
            chosen &= _accepts(name, column, values)[column.code[(match, team, entry)[level]]]
        return chosen

    def _column(self, name: str) -> tuple[int, ContextColumn]:
        found = self.columns.get(name)
        if found is None:
            known = ", ".join(self.columns)
            text = f"unknown context column; this league has {known}" if known else "the matches have no context"
            raise Error.in_field(name, text, value=name)
        return found


def _accepts(name: str, column: ContextColumn, values: Sequence[str]) -> Mask:
    # The last element is for a missing value (code -1).
    accepted = np.zeros(len(column.values) + 1, np.bool_)
    for value in values:
        if not value:
            accepted[-1] = True
        elif isinstance(column.values, tuple):
            same = [code for code, text in enumerate(column.values) if text == value]
            letters = plain_letters(value)
            accepted[same or [code for code, text in enumerate(column.values) if plain_letters(text) == letters]] = True
        else:
            accepted[:-1] |= column.values == _number(name, value)
    return accepted


def _number(name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise Error.in_field(name, f"a number is needed, not {value!r}", value=value) from None


def _plain(value: str | float) -> str | float:
    return value if isinstance(value, str) else float(value)

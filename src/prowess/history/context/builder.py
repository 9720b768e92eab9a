"""Convert the context of matches from Python mappings to columns, and back."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, repeat
from typing import Any, SupportsFloat

import numpy as np

from ...errors import Error
from ...text import count
from ..names.spelling import is_unicode
from ..ragged import Ints
from .columns import LONGEST_NAME, MOST_COLUMNS, BadValueError, Context, ContextColumn, Encoder, clean_name

_LISTS = (list, tuple, np.ndarray)
_NUMBERS = frozenset((int, float, type(None)))


@dataclass
class _Part:
    """The codes of one column in consecutive matches."""

    first: int
    matches: int
    level: int
    code: Ints


@dataclass
class ContextBuilder:
    """Collects the context of matches, which are added in chunks, into the three contexts of a history.

    A value is a scalar for the match, a list with a value for each team, or a list of lists with a value for each
    player. If matches give a column at different levels, the column gets the finest of these levels.

    >>> builder = ContextBuilder()
    >>> builder.add([{"surface": "clay", "side": ["blue", "red"]}], [2], [1, 1])
    >>> builder.finish(np.array([0, 2], np.int32), np.array([0, 1, 2], np.int32))
    (Context(surface: category), Context(side: category), Context())
    """

    _names: dict[str, str] = field(default_factory=dict)
    _encoders: dict[str, Encoder] = field(default_factory=dict)
    _parts: dict[str, list[_Part]] = field(default_factory=dict)

    def add(self, contexts: Sequence[Any], teams: Sequence[int], sizes: Sequence[int], first: int = 0) -> None:
        """Add the contexts of a chunk of matches; None means that a match has no context.

        `first` is the index of the chunk's first match. `teams` has the number of teams of each match, and `sizes` the
        number of players of each team.

        If an `Error` is raised, its attribute `match` is counted from the start of the first chunk.
        """
        for match, context in enumerate(contexts):
            if context is not None and not isinstance(context, Mapping):
                message = f"context must be a mapping such as {{'surface': 'clay'}}, not {context!r}"
                raise Error(message, field="context", match=first + match, value=context)
        for spelt in dict.fromkeys(chain.from_iterable(context for context in contexts if context)):
            values = [None if context is None else context.get(spelt) for context in contexts]
            try:
                name = self._name(spelt, contexts)
                self._add_column(name, values, teams, sizes, first)
            except Error as error:
                raise error.within("", match=first + (error.match or 0)) from None

    def _name(self, spelt: object, contexts: Sequence[Any]) -> str:
        match = next(match for match, context in enumerate(contexts) if context and spelt in context)
        if not isinstance(spelt, str) or not is_unicode(spelt) or not spelt.strip():
            raise Error(f"the name of a context must be text, not {spelt!r}", field="context", match=match, value=spelt)
        name = clean_name(spelt)
        if (other := self._names.setdefault(name, spelt)) != spelt:
            message = f"{other!r} and {spelt!r} name the same context: use one of them"
            raise Error(message, field="context", match=match, value=spelt)
        if len(name) > LONGEST_NAME:
            message = f"the name of a context has at most {LONGEST_NAME} characters, not {len(name)}: {name!r}"
            raise Error(message, field="context", match=match, value=spelt)
        if len(self._names) > MOST_COLUMNS:
            message = f"matches have at most {MOST_COLUMNS} columns of context; {name!r} is one too many"
            raise Error(message, field="context", match=match, value=spelt)
        return name

    def _add_column(self, name: str, values: list[Any], teams: Sequence[int], sizes: Sequence[int], first: int) -> None:
        what = f"context {name!r}"
        level, flat = _flatten(what, values, teams, sizes)
        encoder = self._encoders.setdefault(name, Encoder(what))
        try:
            code = encoder.encode(flat)
        except BadValueError as bad:
            match, team = _owner(bad.index, level, teams, sizes)
            raise bad.error.within("", match=match, team=team) from None
        self._parts.setdefault(name, []).append(_Part(first, len(values), level, np.array(code, np.int32)))

    def finish(self, match_start: Ints, team_start: Ints) -> tuple[Context, Context, Context]:
        """Return three contexts: of the matches, of their teams, and of their entries."""
        columns: tuple[dict[str, ContextColumn], ...] = ({}, {}, {})
        for name, parts in self._parts.items():
            level = max(part.level for part in parts)
            # `start` holds the first row of each match at this level and, at the end, the number of rows.
            start = (np.arange(len(match_start)), match_start, team_start[match_start])[level]
            code = np.full(start[-1], -1, np.int32)
            for part in parts:
                last = part.first + part.matches
                code[start[part.first] : start[last]] = _spread(part, level, match_start, team_start)
            columns[level][name] = self._encoders[name].column(code)
        match, team, entry = map(Context.of, columns)
        return match, team, entry


def with_statistics(context: Any, statistics: Any, sizes: Sequence[int]) -> Any:
    """Return the context of a match together with its statistics, which are columns of the players.

    `sizes` are the numbers of players in the teams. Each statistic has a number, or None, for each player.

    >>> with_statistics({"map": "Ardennes"}, {"kills": [[9, 4], [5, 6]]}, [2, 2])
    {'map': 'Ardennes', 'kills': [[9, 4], [5, 6]]}
    >>> with_statistics(None, {"kills": [9, 5]}, [2, 2])
    Traceback (most recent call last):
    ...
    prowess.Error: statistics 'kills' must have a number for each player, such as [[9, 4], [5, 6]], not [9, 5]
    """
    if statistics is None:
        return context
    if not isinstance(statistics, Mapping):
        message = f"statistics must be a mapping such as {{'kills': [[9, 4], [5, 6]]}}, not {statistics!r}"
        raise Error(message, field="statistics", value=statistics)
    if context is not None and not isinstance(context, Mapping):
        return context  # the reader of the context raises the error
    known = {clean_name(name) for name in context or {} if isinstance(name, str)}
    for name, values in statistics.items():
        what = f"statistics {name!r}"
        if isinstance(name, str) and clean_name(name) in known:
            raise Error(f"{what} is in the context, too; give it once", field="statistics", value=name)
        is_nested = isinstance(values, _LISTS) and all(isinstance(team, _LISTS) for team in values)
        if not is_nested or list(map(len, values)) != list(sizes):
            example = [[9, 4][: size or 1] for size in sizes[:2]] if max(sizes, default=0) < 2 else [[9, 4], [5, 6]]
            message = f"{what} must have a number for each player, such as {example}, not {values!r}"
            raise Error(message, field="statistics", value=values)
        if _NUMBERS.issuperset(map(type, chain.from_iterable(values))):
            continue
        for team, player in ((team, player) for team, some in enumerate(values) for player in some):
            if player is not None and (isinstance(player, bool | str) or not isinstance(player, SupportsFloat)):
                message = f"{what} must have a number for each player, not {player!r}"
                raise Error(message, field="statistics", team=team, value=player)
    return {**(context or {}), **statistics}


def _spread(part: _Part, level: int, match_start: Ints, team_start: Ints) -> Ints:
    code, span = part.code, match_start[part.first : part.first + part.matches + 1]
    if part.level == 0 < level:
        code = np.repeat(code, np.diff(span))
    if part.level < 2 == level:
        code = np.repeat(code, np.diff(team_start[span[0] : span[-1] + 1]))
    return code


def _flatten(what: str, values: list[Any], teams: Sequence[int], sizes: Sequence[int]) -> tuple[int, list[Any]]:
    # A list with only missing values does not make the level finer, because a history does not store such a list.
    if not any(isinstance(value, _LISTS) for value in values):
        return 0, values
    values, level, first = list(values), 0, 0
    for match, (value, size) in enumerate(zip(values, teams, strict=True)):
        if isinstance(value, _LISTS):
            finer = _level(what, match, value, sizes[first : first + size])
            if all(map(_is_missing, value if finer == 1 else chain.from_iterable(value))):
                values[match] = None
            else:
                level = max(level, finer)
        first += size
    if level == 0:
        return 0, values
    by_team = chain.from_iterable(
        value if isinstance(value, _LISTS) else repeat(value, size) for value, size in zip(values, teams, strict=True)
    )
    if level == 1:
        return 1, list(by_team)
    by_entry = (
        value if isinstance(value, _LISTS) else repeat(value, size) for value, size in zip(by_team, sizes, strict=True)
    )
    return 2, list(chain.from_iterable(by_entry))


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _level(what: str, match: int, value: Any, sizes: Sequence[int]) -> int:
    if len(value) != len(sizes):
        lengths = f"{count(len(value), 'value', 'values')} for {count(len(sizes), 'team', 'teams')}"
        message = f"{what} has {lengths}: give one value for the match, or one for each team"
        raise Error(message, field="context", match=match, value=value)
    lists = [isinstance(inner, _LISTS) for inner in value]
    if not any(lists):
        return 1
    if not all(lists):
        message = f"{what} mixes values and lists: give a value for each team, or a list for each team, not {value!r}"
        raise Error(message, field="context", match=match, value=value)
    for team, (inner, size) in enumerate(zip(value, sizes, strict=True)):
        if len(inner) != size:
            lengths = f"{count(len(inner), 'value', 'values')} for {count(size, 'player', 'players')}"
            message = f"{what} of team {team + 1} has {lengths}: give one value for each player"
            raise Error(message, field="context", match=match, team=team, value=inner)
    return 2


def _owner(index: int, level: int, teams: Sequence[int], sizes: Sequence[int]) -> tuple[int, int | None]:
    """Return the match of a value and, unless the value belongs to the whole match, its team within the match."""
    if level == 0:
        return index, None
    team = index if level == 1 else bisect_right([*accumulate(sizes, initial=0)], index) - 1
    starts = [*accumulate(teams, initial=0)]
    match = bisect_right(starts, team) - 1
    return match, team - starts[match]


def plain_context(contexts: Sequence[Context], teams: slice, entries: Sequence[slice], match: int) -> dict[str, Any]:
    """Return the context of one match as a plain mapping, without columns that have no value in this match."""
    by_match, by_team, by_entry = contexts
    plain: dict[str, Any] = {name: column[match] for name, column in by_match.items() if column.code[match] >= 0}
    plain |= {name: column[teams].to_list() for name, column in by_team.items() if (column.code[teams] >= 0).any()}
    for name, column in by_entry.items():
        if (column.code[entries[0].start : entries[-1].stop] >= 0).any():
            plain[name] = [column[entry].to_list() for entry in entries]
    return plain

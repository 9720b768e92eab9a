"""Plain matches as most are given, many at a time: a fraction of the work of looking at one after another."""

from collections.abc import Collection
from datetime import date, datetime
from itertools import chain
from math import nan
from typing import Any

from ..errors import Error
from ..validate import LARGEST
from .builders_list import KEYS, Lists
from .names import name_of
from .times import Kind, Stamp, agree, parse_time

__all__ = ["add_usual"]

_KEYS = frozenset(KEYS)
_NONE = type(None)
_NOTHING = {_NONE}
_DICTS = {dict}
_LISTS = frozenset((list, tuple))
_NUMBERS = frozenset((int, float))


class _UnusualError(Exception):
    """Something needs a closer look."""


def add_usual(lists: Lists, matches: list[Any]) -> bool:
    """Add matches of plain lists, text and numbers; False, and nothing is added, where one needs a closer look.

    >>> lists = Lists(None, False)
    >>> add_usual(lists, [{"teams": [["ann"], ["bob"]]}]), add_usual(lists, [{"teams": [["ann"], [None]]}])
    (True, False)
    >>> lists.teams
    [2]
    """
    if set(map(type, matches)) != _DICTS:
        return False
    keys = set().union(*matches)
    if not keys <= _KEYS:
        return False
    given = {}
    for key in keys:
        column = [match.get(key) for match in matches]
        if set(map(type, column)) != _NOTHING:
            given[key] = column
    try:
        _add(lists, len(matches), given)
    except (_UnusualError, Error):
        return False
    return True


def _add(lists: Lists, matches: int, given: dict[str, list[Any]]) -> None:
    """Read all columns, then add them."""
    teams = _of_kind(_LISTS, given.pop("teams", [None]))
    rosters = _of_kind(_LISTS, list(chain.from_iterable(teams)))
    names = _of_kind({str}, list(chain.from_iterable(rosters)))
    counts, sizes = list(map(len, teams)), list(map(len, rosters))
    times, stamp = _times(lists, given.pop("time", None))
    rank = _results(given.get("ranks"), counts)
    score = _results(given.get("scores"), counts)
    weight = _weights(given.get("weights"), teams, counts, sizes)
    importance = _filled(given.get("importance"), _NUMBERS, 1.0, matches)
    if "importance" in given:
        _within_limits(importance)
    home = _homes(given.get("home"), counts)
    ids = [name and name_of(name, "the id of a match") for name in _filled(given.get("id"), {str}, "", matches)]
    different = {name: name_of(name) for name in dict.fromkeys(names)}
    number = lists.number
    code = {name: number.setdefault(key, len(number)) for name, key in different.items()}
    lists.teams += counts
    lists.sizes += sizes
    lists.player += [code[name] for name in names]
    lists.rank += rank
    lists.score += score
    lists.time += times
    lists.stamp = stamp
    lists.weight += weight
    lists.importance += importance
    lists.home += home
    lists.ids += ids
    lists.given |= given.keys()


def _of_kind(kinds: Collection[type], values: list[Any]) -> list[Any]:
    """Give values that are all of some types, and not of others derived from them: a truth value is no number."""
    if not set(map(type, values)).issubset(kinds):
        raise _UnusualError
    return values


def _within_limits(values: list[Any]) -> None:
    if not all(map(LARGEST.__ge__, map(abs, values))):  # NaN is not
        raise _UnusualError


def _filled(column: list[Any] | None, kinds: Collection[type], usual: Any, matches: int) -> list[Any]:
    """Give one value for each match, the usual one where it has none."""
    if column is None:
        return [usual] * matches
    _of_kind({*kinds, _NONE}, column)
    if "" in column:  # an id that is empty
        raise _UnusualError
    return [usual if value is None else value for value in column]


def _results(column: list[Any] | None, counts: list[int]) -> list[Any]:
    """Give ranks or scores of all teams, NaN where a match has none."""
    if column is None:
        return [nan] * sum(counts)
    said = _of_kind(_LISTS, [values for values in column if values is not None])
    numbers = _of_kind(_NUMBERS, list(chain.from_iterable(said)))
    _within_limits(numbers)
    if len(said) < len(column):
        column = [[nan] * count if values is None else values for values, count in zip(column, counts, strict=True)]
        numbers = list(chain.from_iterable(column))
    if list(map(len, column)) != counts:
        raise _UnusualError
    return numbers


def _weights(column: list[Any] | None, teams: list[Any], counts: list[int], sizes: list[int]) -> list[Any]:
    """Give weights of all entries, 1 where a match has none."""
    if column is None:
        return [1.0] * sum(sizes)
    if _NONE in map(type, column):
        column = [
            [[1.0] * len(roster) for roster in team] if values is None else values
            for values, team in zip(column, teams, strict=True)
        ]
    rosters = _of_kind(_LISTS, list(chain.from_iterable(_of_kind(_LISTS, column))))
    if list(map(len, column)) != counts or list(map(len, rosters)) != sizes:
        raise _UnusualError
    weights = _of_kind(_NUMBERS, list(chain.from_iterable(rosters)))
    _within_limits(weights)
    return weights


def _homes(column: list[Any] | None, counts: list[int]) -> list[int]:
    """Give the team of each match that plays at home, -1 for none."""
    if column is None:
        return [-1] * len(counts)
    _of_kind({int, _NONE}, column)
    if not all(home is None or 0 <= home < count for home, count in zip(column, counts, strict=True)):
        raise _UnusualError
    return [-1 if home is None else home for home in column]


def _times(lists: Lists, column: list[Any] | None) -> tuple[list[float], Stamp | None]:
    """Give the times as numbers, and what they have in common with those before."""
    if lists.teams and bool(lists.time) != (column is not None):
        raise _UnusualError
    if column is None:
        return [], None
    kinds = set(map(type, column))
    read: list[tuple[Kind, str | None, float]]
    if kinds == {str}:
        meaning = {text: parse_time(text, lists.time_format) for text in set(column)}
        read = [meaning[text] for text in column]
    elif kinds <= {int, float, date, datetime}:
        read = [parse_time(value, lists.time_format) for value in column]
    else:
        raise _UnusualError
    stamp = lists.stamp
    for kind, zone in dict.fromkeys((kind, zone) for kind, zone, _ in read):
        stamp = agree(stamp or Stamp(kind, zone), Stamp(kind, zone), lists.utc)
    return [number for _, _, number in read], stamp

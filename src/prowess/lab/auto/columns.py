"""Which columns of a history the automatic choice may try as facets or statistics.

A forecast may use only what is known before the match. A file does not say this, so a column that may reveal the result
is no facet unless the user names it: numbers such as kills or laps, columns whose values are missing for some sides of
a match, such as the reason for retiring, and columns whose values say too much about the results. Numbers of players or
teams may be statistics, which forecasts never use.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...history import History
from ...history.context.columns import FIELDS, ContextColumn, Level, column_at
from ...history.ragged import owners
from ...text import join_words
from .revealing import MOST_GAIN, MOST_GAIN_OF_RATINGS, coded_values, is_score_text, reveals_result
from .score_columns import follows_from_scores

Kind = Literal["by", "shared", "covariate", "statistic"]

MOST_VALUES = 100  # a column with more values than this is not tried for deviations of players
LEAST_MATCHES = 20  # a value counts if it occurs in this many matches
MOST_COLUMNS = 20  # further columns are not tried
PRESENT = 0.5  # a column must have values for this share of the matches
UNEVEN = 0.02  # if more than this share of the matches has values for some sides only, these may reveal the result
REPEATS = 1.2  # if players have fewer values than this on average, a column only names the players again


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words in the name of a column that say when its values are known. Columns of numbers need a word of the first kind.
BEFORE = _words("""
    age altitude budget distance draft elo experience favorite favourite grid handicap height komi latency length odds
    ping price ranking rating rest salary seed stake temperature tokens travel wind words
""")
AFTER = _words("""
    assist assists attendance award awards blocks card cards comment comments damage death deaths diff difference
    duration fastest finish finished finishing forfeit foul fouls games gap goal goals interval kd kda kill kills lap
    laps loser loss losses lost margin minute minutes moves mvp note notes order outcome overtime passes penalties
    penalty period periods pits place places plusminus point points pos position possession rank ratio reason rebounds
    result results ret retired save saves score scores second seconds set sets shot shots stats status steals stops
    streak tackles time total turnovers turns walkover win winner wins won yards
""")
NAMES = _words("date day id ids index key line name no num number player row season uid week year")
SIDES = re.compile(r"[^0-9a-z]+|(?<=[a-z])(?=[0-9])|(?<=[0-9])(?=[a-z])")


@dataclass(frozen=True)
class Column:
    """A column of the context, and the kinds of facets for which it is worth trying, or that it is a statistic.

    >>> Column("surface", ("by",)).options
    {'a deviation of each player': ('by', 'surface')}
    """

    name: str
    kinds: tuple[Kind, ...]
    allowed: bool = False  # the user says that the values are known before a match

    @property
    def options(self) -> dict[str, tuple[Kind, str]]:
        """The facets to try, by a description."""
        words = {"by": "a deviation of each player", "shared": "an effect of each value", "covariate": "a weight"}
        words |= {"statistic": "a statistic of each player"}
        return {words[kind]: (kind, self.name) for kind in self.kinds}


@dataclass(frozen=True)
class Columns:
    """The columns to try, and those that are left out because they may be known only after the match.

    Columns of numbers that may be known only after the match are tried as `statistics`.
    """

    usable: tuple[Column, ...] = ()
    doubtful: tuple[str, ...] = ()
    statistics: tuple[Column, ...] = ()

    @classmethod
    def of(cls, history: History, allowed: Collection[str] = ()) -> Columns:
        """Find the columns of a history; `allowed` names columns that the user knows to be known before a match.

        >>> context = {"surface": "clay", "kills": [3, 5], "map": "Frost"}
        >>> other = context | {"surface": "hard", "kills": [1, 9]}
        >>> teams = [["ann"], ["bob"]]
        >>> matches = [{"teams": teams, "context": context}, {"teams": teams, "context": other}] * 30
        >>> found = Columns.of(History.from_matches(matches))
        >>> [column.name for column in found.usable], [column.name for column in found.statistics]
        (['surface'], ['kills'])
        """
        usable: list[Column] = []
        doubtful: list[str] = []
        statistics: list[Column] = []
        for name, level, column in _columns(history):
            kinds = _kinds(history, name, level, column)
            if not kinds:
                continue
            if name in allowed or not _may_be_late(history, name, level, column):
                usable.append(Column(name, kinds, name in allowed))
            elif column.kind == "number" and level != "match" and len(statistics) < MOST_COLUMNS:
                statistics.append(Column(name, ("statistic",)))
            else:
                doubtful.append(name)
        usable.sort(key=lambda column: not column.allowed)
        return cls(tuple(usable[:MOST_COLUMNS]), tuple(doubtful), tuple(statistics))

    def without(self, facets: Collection[tuple[str, str]]) -> Columns:
        """Return the columns without the facets, pairs of a kind and a column, that the model has anyway.

        >>> Columns((Column("side", ("shared", "by")), Column("map", ("by",)))).without([("by", "map")]).usable
        (Column(name='side', kinds=('shared', 'by'), allowed=False),)
        """
        left = (
            replace(column, kinds=tuple(kind for kind in column.kinds if (kind, column.name) not in facets))
            for column in self.usable
        )
        return replace(self, usable=tuple(column for column in left if column.kinds))


def revealing_columns(history: History, names: Collection[str]) -> tuple[str, ...]:
    """Return those of the named columns that say more about the results than is known before a match.

    >>> match = {"teams": [["ann"], ["bob"]]}
    >>> matches = [match | {"context": {"FT": "1"}}, match | {"ranks": [2, 1], "context": {"FT": "2"}}] * 50
    >>> revealing_columns(History.from_matches(matches), ["FT", "surface"])
    ('FT',)
    """
    named = ((name, level, column) for name, level, column in _columns(history) if name in names)
    return tuple(name for name, level, column in named if _says_too_much(history, name, level, column))


def revealing_text(names: Collection[str]) -> str:
    """Return a remark on columns that a model uses although they may contain the result.

    >>> revealing_text(["FT"])[:55]
    'FT says more about the results than is known before mos'
    """
    says, it = ("says", "it contains") if len(names) == 1 else ("say", "they contain")
    return (
        f"{join_words(names)} {says} more about the results than is known before most matches. If {it} the result, the "
        "forecasts are better than they can be before a match."
    )


def _columns(history: History) -> Iterator[tuple[str, Level, ContextColumn]]:
    for level, field in FIELDS.items():
        for name, column in getattr(history, field).items():
            yield name, level, column


def words_of(name: str) -> set[str]:
    """Return the words of a column's name, in lowercase.

    >>> sorted(words_of("reasonRetired")), sorted(words_of("best_of 3"))
    (['reason', 'retired'], ['3', 'best', 'of'])
    """
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return {word for word in SIDES.split(split) if word}


def _kinds(history: History, name: str, level: Level, column: ContextColumn) -> tuple[Kind, ...]:
    """Return the kinds of facets that a column could be, whenever its values are known."""
    words = words_of(name)
    if (column.code >= 0).mean() < PRESENT or (words & NAMES and column.kind == "number"):
        return ()
    common = _common_values(history, name, level, column)
    whole = column.kind == "category" or bool(np.all(np.asarray(column.values) % 1 == 0))
    if column.kind == "number" and level != "match":
        return ("covariate",) if common > 1 or len(column.values) > LEAST_MATCHES else ()
    if not whole or common < 2 or not _differs_from_players(history, name, level):
        return ()
    few: tuple[Kind, ...] = ("by",) if common <= MOST_VALUES and len(column.values) <= 2 * MOST_VALUES else ()
    return few if level == "match" else ("shared", *few)


def _common_values(history: History, name: str, level: Level, column: ContextColumn) -> int:
    """Return how many values occur in at least `LEAST_MATCHES` matches, or rows of a finer level."""
    counts = np.bincount(column.code[column.code >= 0], minlength=len(column.values))
    return int((counts >= LEAST_MATCHES).sum())


def _differs_from_players(history: History, name: str, level: Level) -> bool:
    """Return whether a column is more than another name of the players, such as their numbers or their home cities."""
    column = column_at(history, name, "player")
    if column is None:
        return False
    first = history.team_start[history.match_start[:-1]]
    last = history.team_start[history.match_start[1:]] - 1
    # A column of a match can name the first or the last player of each match.
    for entry in (first, last) if level == "match" else (np.arange(history.entries),):
        known = entry[column.code[entry] >= 0]
        pairs = np.unique(history.player[known].astype(np.int64) * len(column.values) + column.code[known])
        players = np.unique(pairs // len(column.values))
        if len(pairs) < REPEATS * len(players):
            return False
    return True


def _may_be_late(history: History, name: str, level: Level, column: ContextColumn) -> bool:
    """Return whether a column may be known only after the match, and may reveal the result."""
    words = words_of(name)
    if words & AFTER and not words & BEFORE:
        return True
    if level != "match" and ((column.kind == "number" and not words & BEFORE) or _is_uneven(history, level, column)):
        return True
    return _says_too_much(history, name, level, column)


def _says_too_much(history: History, name: str, level: Level, column: ContextColumn) -> bool:
    """Return whether the values say more about the results than is known before a match; ratings may say more."""
    most = MOST_GAIN_OF_RATINGS if words_of(name) & BEFORE else MOST_GAIN
    if is_score_text(column) or reveals_result(history, level, column, most):
        return True
    return follows_from_scores(history, level, coded_values(column))


def _is_uneven(history: History, level: Level, column: ContextColumn) -> bool:
    """Return whether values are often missing for some sides of a match only."""
    team = np.arange(history.teams) if level == "team" else owners(history.team_start)
    match: NDArray[Any] = owners(history.match_start)[team]
    known, every = (np.bincount(match, weights, len(history)) for weights in (column.code >= 0, np.ones(len(match))))
    return bool(((known > 0) & (known < every)).mean() > UNEVEN)

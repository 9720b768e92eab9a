"""Find teams in columns that usually hold one name per cell, such as "Ann / Bob" in Home and Away."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from ...errors import Option
from ..cells.comma_names import are_surnames_first
from ..cells.rosters import rosters, separator_in_cells
from ..cells.text import intern_clean
from ..cells.words import ALSO_IN_NAMES, ROSTER_SEPARATORS
from ..names.spelling import plain_name
from ..ragged import Ints, gather, starts
from ..read_context import Rows, Table, quote_value

if TYPE_CHECKING:
    import polars as pl

Players = tuple[Ints, Ints, "pl.Series"]  # the size of each team, its players as indices, and the names
Team = tuple[str, ...]
# Marks between the names of a team; those that are frequent within names need more evidence.
_MARKS = (
    *ROSTER_SEPARATORS, "／", "＆", "、", "，", "；", *ALSO_IN_NAMES,
    " i ", " en ", " og ", " och ", " ve ", " mit ", " with ", " avec ", " con ", " x ", "-",
)  # fmt: skip
_FREQUENT = frozenset((",", "，", "-", " - "))
# A word in the heading of a column whose cells hold two names.
_PAIRS = re.compile(
    r"(?:pair|paar[e]?|doppel|double|doublette|couple|coppi[ae]|pareja|dupla|koppel|dubbel|dvojice)s?(?![^\W\d_])"
    r"|(?<![^\W\d_])(?:duos?|par|para|pary|pari|casal|çift|páros)(?![^\W\d_])|пар[аы]|ペア|组合",
    re.IGNORECASE,
)
# Headers of columns with the second player of a boat or car.
_SECOND = (
    "crew crewname codriver navigator copilote copilota copilot beifahrer vorschoter vorschoterin equipier prodiere"
)
_LISTS = r"^[\[{].*[\]}]$"
_SAMPLE = 2000  # names of a sample that shows whether a file has teams
_LARGEST = 8  # maximum number of names in a team
_MOST = 0.9  # fraction of the names that must be teams, unless other names are their players
_RECURS = 0.1  # minimum fraction of the players who must recur in other teams


def split_joined(table: Table, columns: Sequence[str], code: Ints, match: Rows, names: "pl.Series") -> Players | None:
    """Return the players if the names are teams; None if each name is one player or club.

    `code` is the name of each entry, and `match` its match. Names are teams if nearly all have the same mark between
    two or more words, and if these words recur in other names, but never on both sides of a match, or if the header of
    the `columns` is a word such as Pair. A few names are teams if the other names are their players. A club such as
    "Brighton & Hove Albion" shares no words with other clubs.
    """
    import polars as pl

    choice, sample = table.choices.rosters, names.head(_SAMPLE)
    if choice == "" or sample.is_empty():
        return None
    if 2 * int(sample.str.contains(_LISTS).sum()) >= len(sample):
        cells = Table(pl.DataFrame({"name": names}), table.title, choices=table.choices)
        (lists,), _ = rosters(cells, ["name"], sure=True)
        table.remarks.extend(remark for remark in cells.remarks if remark not in table.remarks)
        return _players(lists.fill_null([]), code)
    find = partial(_find_mark, table, columns, code, match, names)
    marks = separator_in_cells(choice) if choice else table.decide("separator of joined names", find)
    mark, *others = (marks or "").split("\0")
    written = names
    for other in others:
        names = names.str.replace_all(other, mark, literal=True)
    if not mark or not names.str.contains(mark, literal=True).any():
        return None
    first = quote_value(written.filter(names.str.contains(mark, literal=True))[0])
    option = Option("rosters", "")
    table.note("rosters", f"{first} is split into several players; use ", option, " to read each cell as one name")
    return _players(pl.Series([_members(name, mark) for name in names], dtype=pl.List(pl.String)), code)


def join_crews(table: Table) -> Table:
    """Return the table with both names of a boat or car in one column, if a column such as Crew has the second.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"Helm": ["Ann", "Bob"], "Crew": ["Cleo", "Dan"], "R1": [1, 2]})
    >>> join_crews(Table(frame, "the frame")).frame["Helm"].to_list()
    ['Ann + Cleo', 'Bob + Dan']
    """
    import polars as pl

    columns = table.frame.columns
    found = [(who, column) for who, column in pairwise(columns) if plain_name(column) in _SECOND.split()]
    if len(found) != 1 or table.choices.rosters == "" or {*table.frame.select(found[0]).dtypes} != {pl.String}:
        return table
    who, second = found[0]
    pairs = table.frame.select(found[0]).drop_nulls()
    if pairs[second].is_in(pairs[who].implode()).any() or pairs[second].n_unique() < pairs.n_unique():
        return table  # the label of a team, which several players share
    names = f"{who} and {second}: both names of a row are a team; use "
    table.note("partners", names, Option("rosters", ""), f" to rate {who} alone", column=second)
    joined = pl.concat_str(who, second, separator=" + ", ignore_nulls=True)
    return replace(table, frame=table.frame.with_columns(joined).drop(second))


def _players(lists: "pl.Series", code: Ints) -> Players:
    number, names = intern_clean(lists.explode())
    size = lists.list.len().to_numpy().astype(np.int32)
    _, entry = gather(starts(size), code)
    return size[code], number[entry], names


def _members(name: str, mark: str) -> Team:
    parts = tuple(part.strip() for part in name.split(mark))
    return parts if all(parts) else (name,)


def _find_mark(table: Table, columns: Sequence[str], code: Ints, match: Rows, names: "pl.Series") -> str | None:
    """Return the mark between the names of teams, or several marks joined by "\\0"; None if the names are no teams."""
    sample = names.head(_SAMPLE)
    some = sample.filter(sample.str.contains("|".join(map(re.escape, _MARKS))))
    paired, found = len(some) > 0 and all(map(_PAIRS.search, columns)), list[str]()
    text = "\0".join(some)
    for mark in [mark for mark in _MARKS if mark in text]:
        marked = some.filter(some.str.contains(mark, literal=True))
        most = len(marked) >= _MOST * len(sample)
        if 2 * len(marked) >= len(sample) and _are_teams(mark, code, match, names):
            return mark
        if most and paired and not (mark in _FREQUENT and are_surnames_first(names, False)):
            return mark
        if mark not in _FREQUENT and _are_of_others(mark, marked, code, match, names):
            found.append(mark)
        elif mark not in _FREQUENT and (most or _meet_each_other(mark, code, match, names)):
            text = f"{quote_value(marked[0])} is read as one name; use "
            table.note("single-name", text, Option("rosters", mark.strip()), " to split it")
    return "\0".join(found) or None


def _are_of_others(mark: str, marked: "pl.Series", code: Ints, match: Rows, names: "pl.Series") -> bool:
    """Return whether most of the names with a mark are lists of other names."""
    teams, others = [_members(name, mark) for name in marked], set(names)
    known = sum(len(team) > 1 and others.issuperset(team) for team in teams)
    return 2 * known >= len(teams) and not _meet_themselves([_members(name, mark) for name in names], code, match)


def _meet_each_other(mark: str, code: Ints, match: Rows, names: "pl.Series") -> bool:
    """Return whether names with a mark meet mostly such names, as pairs do among singles; clubs meet all clubs."""
    code, match = code[: 5 * _SAMPLE], match[: 5 * _SAMPLE]
    number = np.bincount(match, names.str.contains(mark, literal=True).to_numpy()[code])
    return bool((number == np.bincount(match))[number > 0].mean() >= (0.5 if mark == "/" else _MOST))


def _are_teams(mark: str, code: Ints, match: Rows, names: "pl.Series") -> bool:
    teams = [_members(name, mark) for name in names]
    several = {team for team in teams if 1 < len(team) <= _LARGEST and all(any(map(str.isalpha, n)) for n in team)}
    most = len(several) >= _MOST * len(teams)
    if 2 * len(several) < len(teams) or mark in ROSTER_SEPARATORS:
        return most and mark in ROSTER_SEPARATORS
    alone = {team[0] for team in teams if len(team) == 1}
    partners: dict[str, set[frozenset[str]]] = defaultdict(set)
    for team in several:
        for player in team:
            partners[player].add(frozenset(team))
    recurring = {name for name, others in partners.items() if len(others) > 1 or name in alone}
    if len(recurring) < max(2, _RECURS * len(partners)) or not (most or 2 * len(alone & partners.keys()) >= len(alone)):
        return False
    firsts, lasts = ({team[side] for team in several} & recurring for side in (0, -1))
    if mark in _FREQUENT and (3 * len(firsts & lasts) < len(recurring) or are_surnames_first(names, False)):
        return False
    return bool(firsts and lasts) and not _meet_themselves(teams, code, match)


def _meet_themselves(teams: list[Team], code: Ints, match: Rows) -> bool:
    """Return whether a word is on both sides of a match, so that it cannot be a player."""
    index = {name: number for number, name in enumerate(dict.fromkeys(chain.from_iterable(teams)))}
    players = np.array([index[name] for team in teams for name in team])
    size = np.array([len(team) for team in teams], np.int32)
    _, entry = gather(starts(size), code)
    key = np.repeat(match, size[code]) * len(index) + players[entry]
    return len(np.unique(key)) < len(key)

"""Find teams in columns that usually hold one name per cell, such as "Ann / Bob" in Home and Away."""

import re
from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import Option
from ..cells.comma_names import are_surnames_first
from ..cells.rosters import rosters
from ..cells.text import intern_clean
from ..cells.words import ALSO_IN_NAMES, ROSTER_SEPARATORS
from ..ragged import Ints, gather, starts
from ..read_context import Table, quote_value

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
_LISTS = r"^[\[{].*[\]}]$"
_SAMPLE = 2000  # names of a sample that shows whether a file has teams
_LARGEST = 8  # maximum number of names in a team
_MOST = 0.9  # fraction of the names that must be teams, unless other names are their players
_RECURS = 0.1  # minimum fraction of the players who must recur in other teams


def split_joined(table: Table, code: Ints, match: NDArray[np.intp], names: "pl.Series") -> Players | None:
    """Return the players if the names are teams; None if each name is one player or club.

    `code` is the name of each entry, and `match` its match. Names are teams if nearly all have the same mark between
    two or more words, and if these words recur in other names, but never on both sides of a match. A club such as
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
    mark = choice or table.decide("separator of joined names", lambda: _find_mark(table, code, match, names))
    if mark is None or not names.str.contains(mark, literal=True).any():
        return None
    first = quote_value(names.filter(names.str.contains(mark, literal=True))[0])
    option = Option("rosters", "")
    table.note("rosters", f"{first} is split into several players; use ", option, " to read each cell as one name")
    return _players(pl.Series([_members(name, mark) for name in names], dtype=pl.List(pl.String)), code)


def _players(lists: "pl.Series", code: Ints) -> Players:
    number, names = intern_clean(lists.explode())
    size = lists.list.len().to_numpy().astype(np.int32)
    _, entry = gather(starts(size), code)
    return size[code], number[entry], names


def _members(name: str, mark: str) -> Team:
    parts = tuple(part.strip() for part in name.split(mark))
    return parts if all(parts) else (name,)


def _find_mark(table: Table, code: Ints, match: NDArray[np.intp], names: "pl.Series") -> str | None:
    sample = names.head(_SAMPLE)
    if 2 * int(sample.str.contains("|".join(map(re.escape, _MARKS))).sum()) < len(sample):
        return None
    for mark in _MARKS:
        marked = names.filter(names.str.contains(mark, literal=True))
        if 2 * len(marked) >= len(names) and _are_teams(mark, code, match, names):
            return mark
        if len(marked) >= _MOST * len(names) and mark not in _FREQUENT:
            text = f"{quote_value(marked[0])} is read as one name; use "
            table.note("single-name", text, Option("rosters", mark.strip()), " to split it")
    return None


def _are_teams(mark: str, code: Ints, match: NDArray[np.intp], names: "pl.Series") -> bool:
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


def _meet_themselves(teams: list[Team], code: Ints, match: NDArray[np.intp]) -> bool:
    """Return whether a word is on both sides of a match, so that it cannot be a player."""
    index = {name: number for number, name in enumerate(dict.fromkeys(chain.from_iterable(teams)))}
    players = np.array([index[name] for team in teams for name in team])
    size = np.array([len(team) for team in teams], np.int32)
    _, entry = gather(starts(size), code)
    key = np.repeat(match, size[code]) * len(index) + players[entry]
    return len(np.unique(key)) < len(key)

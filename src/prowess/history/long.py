"""From a file with a row per player, or per team, per match to a draft: the rows of a match are gathered."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .cells import intern, labels, names, numbers, rosters, yes_no
from .draft import Draft
from .layout import Layout
from .ragged import Floats, Ints, gather, owners, starts
from .table import Table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Rows", "long_draft"]


class Rows:
    """The rows of a table in the order of matches and teams, each as it first appears."""

    def __init__(self, table: Table, layout: Layout) -> None:
        """Sort the rows, and note where matches and teams begin."""
        self.table = table
        match, matches = intern(labels(table, layout.roles["match"]))
        first = np.arange(len(match))  # of each row, the first row of its team
        if "team" in layout.roles and {"player", "players"} & layout.roles.keys():
            team, different = intern(labels(table, layout.roles["team"]))
            key = match.astype(np.int64) * len(different) + team
            _, index, inverse = np.unique(key, return_index=True, return_inverse=True)
            first = index[inverse]
        self.order = np.lexsort((first, match))
        match, first = match[self.order], first[self.order]
        new_team = np.ones(len(match), bool)
        new_team[1:] = first[1:] != first[:-1]
        self.team_start = np.append(np.flatnonzero(new_team), len(match)).astype(np.int32)
        self.match_start = starts(np.bincount(match[new_team], minlength=len(matches)))
        self.match_row_start = self.team_start[self.match_start]

    def of(self, match: int) -> NDArray[np.intp]:
        """Give the rows of a match."""
        return self.order[self.match_row_start[match] : self.match_row_start[match + 1]]

    def one(self, values: NDArray[Any], column: str, of: str) -> NDArray[Any]:
        """Give the one value in the rows of each match or team, from the value in each row of the file."""
        values, start, first = self._ordered(values, of)
        wrong = np.flatnonzero(_differ(values, values[first]))
        if len(wrong):
            other = "; `columns={'team': None}` makes each player a team of his own" * (of == "team")

            def right(index: int) -> str:
                before = int(self.order[first[wrong[index]]])
                said = f"{self.table.row_name(before)} has {self.table.frame[column][before]!r}"
                return f"{said}, and it must be the same in all rows of a {of}{other}"

            self.table.reject(self.order[wrong], column, right)
        return values[start[:-1]]

    def agree(self, values: NDArray[Any], of: str) -> bool:
        """Tell whether there is one value in the rows of each match or team."""
        values, _, first = self._ordered(values, of)
        return not _differ(values, values[first]).any()

    def _ordered(self, values: NDArray[Any], of: str) -> tuple[NDArray[Any], Ints, Ints]:
        """Give the values in order, where each match or team starts, and the first row of that of each row."""
        start = self.team_start if of == "team" else self.match_row_start
        return values[self.order], start, np.repeat(start[:-1], np.diff(start))


def _differ(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell where two columns differ; NaN is NaN."""
    differs: NDArray[np.bool_] = (one != other) & ((one == one) | (other == other))
    return differs


def long_draft(table: Table, layout: Layout) -> tuple[Draft, Rows]:
    """Make a draft, and give the rows, by which the caller reads what belongs to a match as a whole."""
    rows = Rows(table, layout)
    roles = layout.roles
    size, player, different, note = _players(table, layout, rows)
    entry_row = np.repeat(rows.order, size)
    first_row = rows.order[rows.match_row_start[:-1]]
    score, summed = _scores(rows, roles["score"]) if "score" in roles else (None, "")
    listed = not {"rank", "score"} & roles.keys()
    order = "no rank or score: the rows of a match stand in the order of the result" if listed else ""
    draft = Draft(
        match_start=rows.match_start,
        team_start=starts(size)[rows.team_start],
        player=player,
        names=different.to_list(),
        where=lambda match, entry: table.where(int(first_row[match] if entry is None else entry_row[entry])),
        rows=lambda match, entry: rows.of(match) if entry is None else entry_row[[entry]],
        rank=rows.one(numbers(table, roles["rank"]), roles["rank"], "team") if "rank" in roles else None,
        score=score,
        weight=np.repeat(numbers(table, roles["weight"])[rows.order], size) if "weight" in roles else None,
        home=_home(rows, roles["home"]) if "home" in roles else None,
        listed=listed,
        may_be_alone=True,
        recognised="\n".join(filter(None, (note, summed, order))),
    )
    return draft, rows


def _players(table: Table, layout: Layout, rows: Rows) -> tuple[Ints, Ints, "pl.Series", str]:
    """Give the number of players in each ordered row, the players of all rows, and how rosters were split."""
    if "players" not in layout.roles:
        code, different = intern(names(table, layout.roles["player" if "player" in layout.roles else "team"]))
        return np.ones(len(code), np.int32), code[rows.order], different, ""
    column = layout.roles["players"]
    [lists], separator = rosters(table, [column], sure=True)
    table.require(lists.list.len() > 0, column, "a team needs at least one player")
    lists = lists.fill_null([])
    size = lists.list.len().to_numpy().astype(np.int32)
    code, different = intern(lists.explode().drop_nulls())
    _, entries = gather(starts(size), rows.order)
    return size[rows.order], code[entries], different, f"rosters are split at {separator!r}" if separator else ""


def _scores(rows: Rows, column: str) -> tuple[Floats, str]:
    """Give the scores of the teams: what all rows of a team say, or, once rows of one team differ, their sums.

    Whether a column holds scores of teams or of players is one decision for the file: two players with 3 points each
    are a team with 6 where other teams show that points are counted by player.
    """
    values = numbers(rows.table, column)[rows.order]
    first = values[rows.team_start[:-1]]
    if not len(values) or np.array_equal(values, np.repeat(first, np.diff(rows.team_start)), equal_nan=True):
        return first, ""
    return np.add.reduceat(values, rows.team_start[:-1]), f"{column} differs within a team: a team's score is the sum"


def _home(rows: Rows, column: str) -> Ints:
    """Give the index of the home team in each match, -1 where there is none."""
    home = rows.one(yes_no(rows.table, column), column, "team")
    teams = np.flatnonzero(home)
    match = owners(rows.match_start)[teams]
    index = np.full(len(rows.match_start) - 1, -1, np.int32)
    index[match] = teams - rows.match_start[match]
    twice = np.flatnonzero(match[1:] == match[:-1])
    if len(twice):
        wrong = rows.order[rows.team_start[teams[twice + 1]]]
        rows.table.reject(wrong, column, "two teams of this match are at home: at most one is")
    return index

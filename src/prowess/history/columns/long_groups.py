"""The rows of a table with a row per player per match, gathered by match and by team."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Option
from ..cells.labels import labels
from ..cells.text import intern, text_of
from ..ragged import Ints, pair_codes, starts
from ..read_context import Message, Table
from .layout import Layout

MOST = 0.9  # of the rows: what holds for so many is how the file is meant


def match_codes(table: Table, layout: Layout) -> Ints:
    """Give the number of each row's match.

    A name may come again, "Monaco" every year: where the season or the day splits a match into matches of several rows
    each, they tell matches apart as well.
    """
    code, _ = intern(labels(table, layout.roles["match"]))
    if "match" in layout.mapped or not len(code):
        return code
    time = layout.roles.get("time")
    used = [layout.roles["match"]]
    for column in dict.fromkeys((*layout.parts, *([time] if time else []))):
        if column in used or table.frame[column].dtype.is_nested():
            continue
        part, _ = intern(text_of(table, column).fill_null(""))
        _, first, finer, size = np.unique(
            pair_codes(code, part), return_index=True, return_inverse=True, return_counts=True
        )
        apart = _splits(code, first, finer, size)
        if table.decide(f"whether {column} tells matches apart", lambda: apart or None):  # noqa: B023
            code = finer.astype(np.int32)
            used.append(column)
    if len(used) > 1:
        alone = Option("columns", {"match": used[0]})
        table.note("match-columns", f"matches are told apart by {' and '.join(used)}; ", alone, " takes that alone")
    return code


def _splits(code: Ints, first: NDArray[np.intp], finer: NDArray[np.intp], size: NDArray[np.intp]) -> bool:
    """Tell whether matches fall into finer ones, nearly all of several rows: one row alone may be a slip."""
    if len(size) == code.max() + 1:
        return False
    split = (np.bincount(code[first]) > 1)[code]
    return bool((size[finer][split] > 1).mean() >= MOST)


class Rows:
    """The rows of a table in the order of matches and teams, each as it first appears."""

    def __init__(self, table: Table, match: Ints, team: Ints | None) -> None:
        """Sort the rows by the numbers of their matches and teams, and note where these begin."""
        self.table = table
        first_of_match = _first(match)
        first = np.arange(len(match)) if team is None else _first(pair_codes(match, team))
        self.order = np.lexsort((first, first_of_match))
        ordered, first = first_of_match[self.order], first[self.order]
        new_team = np.ones(len(match), bool)
        new_team[1:] = first[1:] != first[:-1]
        new_match = np.ones(len(match), bool)
        new_match[1:] = ordered[1:] != ordered[:-1]
        self.team_start = np.append(np.flatnonzero(new_team), len(match)).astype(np.int32)
        self.match_start = starts(np.bincount(np.cumsum(new_match)[new_team] - 1, minlength=new_match.sum()))
        self.match_row_start = self.team_start[self.match_start]

    def of(self, match: int) -> NDArray[np.intp]:
        """Give the rows of a match."""
        return self.order[self.match_row_start[match] : self.match_row_start[match + 1]]

    def one(self, values: NDArray[Any], column: str, of: str) -> NDArray[Any]:
        """Give the one value in the rows of each match or team, from the value in each row of the file."""
        values, start, first = self._ordered(values, of)
        wrong = np.flatnonzero(_differ(values, values[first]))
        if len(wrong):
            other = ("; ", Option("columns", {"team": None}), " makes each player a team of his own")

            def right(index: int) -> Message:
                before = int(self.order[first[wrong[index]]])
                earlier = f"{self.table.row_name(before)} has {self.table.frame[column][before]!r}"
                return (f"{earlier}, and it must be the same in all rows of a {of}", *(other if of == "team" else ()))

            self.table.reject(self.order[wrong], column, right)
        return values[start[:-1]]

    def earliest(self, values: NDArray[Any], column: str) -> NDArray[Any]:
        """Give the one time of each match; where most matches have several, the earliest."""
        ordered, start, first = self._ordered(values, "match")
        differ = np.add.reduceat(_differ(ordered, ordered[first]), start[:-1]) if len(ordered) else np.zeros(0)
        most = bool(2 * np.count_nonzero(differ) > np.count_nonzero(np.diff(start) > 1))
        if not self.table.decide(f"whether a match has several times in {column}", lambda: most):
            return self.one(values, column, "match")
        self.table.note(
            "earliest-time", f"the rows of a match differ in {column}: the earliest is its time", column=column
        )
        least: NDArray[Any] = np.minimum.reduceat(ordered, start[:-1])
        return least

    def mostly_agree(self, values: NDArray[Any], of: str) -> bool:
        """Tell whether there is one value in the rows of most matches or teams that have several."""
        values, start, first = self._ordered(values, of)
        differs = np.flatnonzero(_differ(values, values[first]))
        several = int(np.count_nonzero(np.diff(start) > 1))
        return 2 * len(np.unique(np.searchsorted(start, differs, side="right"))) < max(several, 1)

    def agree(self, values: NDArray[Any], of: str) -> bool:
        """Tell whether there is one value in the rows of each match or team."""
        values, _, first = self._ordered(values, of)
        return not _differ(values, values[first]).any()

    def _ordered(self, values: NDArray[Any], of: str) -> tuple[NDArray[Any], Ints, Ints]:
        """Give the values in order, where each match or team starts, and the first row of that of each row."""
        start = self.team_start if of == "team" else self.match_row_start
        return values[self.order], start, np.repeat(start[:-1], np.diff(start))


def _first(key: NDArray[Any]) -> NDArray[np.intp]:
    """Give for each element the index of the first that equals it."""
    _, index, inverse = np.unique(key, return_index=True, return_inverse=True)
    first: NDArray[np.intp] = index[inverse]
    return first


def _differ(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell where two columns differ; NaN is NaN."""
    differs: NDArray[np.bool_] = (left != right) & ((left == left) | (right == right))
    return differs

"""From a file with a row per match to a draft: the sides are columns."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import Error
from .aliases import CHESS, DRAWS
from .cells import intern, labels, names, numbers, rosters, yes_no
from .draft import Draft
from .layout import Layout, plain_name
from .ragged import Floats, Ints, starts
from .table import Table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["wide_draft"]

_DRAW, _UNKNOWN = 2, -1  # beside the sides 0 and 1


def wide_draft(table: Table, layout: Layout) -> Draft:
    """Make a draft whose match `i` is row `i`; time, importance and ids are left to the caller."""
    size, codes, different, note = _teams(table, layout)
    there = size.reshape(-1) > 0
    home = None
    if layout.shape.endswith("home/away"):
        home = np.zeros(len(size), np.int32)
        if "neutral" in layout.roles:
            home[yes_no(table, layout.roles["neutral"])] = -1
    score = _by_side(table, [side.score for side in layout.sides])
    rank = _ranks(table, layout)
    return Draft(
        match_start=starts((size > 0).sum(axis=1)),
        team_start=starts(size.reshape(-1)[there]),
        player=codes,
        names=different.to_list(),
        where=lambda match, entry: table.where(match),
        rows=lambda match, entry: np.array([match]),
        rank=None if rank is None else rank.reshape(-1)[there],
        score=None if score is None else score.reshape(-1)[there],
        home=home,
        recognised=note,
    )


def _teams(table: Table, layout: Layout) -> tuple[Ints, Ints, "pl.Series", str]:
    """Give the sizes of the teams (a row per match, 0 where a side is empty), and their players one after another."""
    import polars as pl

    columns = [side.column for side in layout.sides]
    if len(columns) == 2 and not layout.sides[0].roster:  # the common case, without lists
        code, different = intern(pl.concat([names(table, column) for column in columns]))
        player = np.ascontiguousarray(code.reshape(2, -1).T).reshape(-1)
        return np.ones((len(table.frame), 2), np.int32), player, different, ""
    lists, separator = rosters(table, columns, split=layout.sides[0].roster)
    for column, one in zip(columns[:2], lists, strict=False):  # any further side may be empty in some matches
        table.require(one.list.len() > 0, column, "a match needs at least two teams")
    lists = [one.fill_null([]) for one in lists]
    size = np.stack([one.list.len().to_numpy() for one in lists], axis=1).astype(np.int32)
    together = pl.select(pl.concat_list(lists)).to_series().explode().drop_nulls()  # null is all that is left of []
    code, different = intern(together)
    whole = ", ".join(f"player{number}={column}" for number, column in enumerate(columns, 1))
    return size, code, different, f"rosters are split at {separator!r} ({whole} keeps them whole)" if separator else ""


def _by_side(table: Table, columns: list[str | None]) -> Floats | None:
    """Give the numbers of the sides, a row per match; None where the sides have no such column."""
    given = [numbers(table, column) for column in columns if column is not None]
    return np.stack(given, axis=1) if given else None


def _ranks(table: Table, layout: Layout) -> Floats | None:
    if layout.shape.endswith("winner/loser"):
        rank = np.tile([1.0, 2.0], (len(table.frame), 1))
        if "draw" in layout.roles:
            rank[yes_no(table, layout.roles["draw"])] = 1
        return rank
    if "winner" in layout.roles:
        return _from_winner(table, layout)
    return _by_side(table, [side.rank for side in layout.sides])


def _from_winner(table: Table, layout: Layout) -> Floats:
    """Read who won: the text of the winner's cell, or a word for the side, or a word for a draw."""
    column = layout.roles["winner"]
    if len(layout.sides) > 2:
        raise Error(
            f"{table.title}: column {column!r} names a winner among {len(layout.sides)} sides, which leaves the"
            " order of the others open: give ranks or scores"
        )
    text = labels(table, column).str.strip_chars()
    code, different = intern(text)
    word = np.array([_side_word(one, layout) for one in different], np.int8)[code]
    first, second = (_is_cell(table, side.column, text) for side in layout.sides)
    # Players called "1" and "2" make a winner "1" ambiguous: it is a name where every winner is one.
    every = (first | second | (word == _DRAW)).all()
    side = np.where((first | second) & (every | (word == _UNKNOWN)), np.where(first, 0, 1), word)
    wrong = np.flatnonzero(side == _UNKNOWN)
    if len(wrong):
        sides = " or ".join(repr(side.column) for side in layout.sides)
        table.reject(wrong, column, f"it must name the winner, or {sides}, or be 'draw'")
    return np.stack([np.where(side == 1, 2.0, 1.0), np.where(side == 0, 2.0, 1.0)], axis=1)


def _is_cell(table: Table, column: str, text: "pl.Series") -> NDArray[np.bool_]:
    """Tell where a text is what the cell of a side holds."""
    if table.frame[column].dtype.is_nested():
        return np.zeros(len(text), bool)
    return (text == labels(table, column).str.strip_chars()).to_numpy()


def _side_word(text: str, layout: Layout) -> int:
    """Give the side that a word stands for, or whether it stands for a draw."""
    for number, side in enumerate(layout.sides):
        if plain_name(text) in side.words or text == CHESS[number]:
            return number
    return _DRAW if text.casefold() in DRAWS or plain_name(text) in DRAWS else _UNKNOWN

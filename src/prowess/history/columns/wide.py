"""From a file with a row per match to a draft: the sides are columns."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..cells.labels import intern_names, yes_no
from ..cells.rosters import rosters
from ..cells.text import intern, text_of
from ..cells.words import BYES
from ..names import plain_name
from ..ragged import Ints, starts
from ..read_context import Table
from .duplicates import leave_out_mirrored, leave_out_repeated
from .layout import Layout, Side
from .raw_matches import RawMatches
from .wide_results import read_results

if TYPE_CHECKING:
    import polars as pl

_NAMELESS = re.compile(r"\d*|_duplicated_\d+|Unnamed: \d+|Column\d+", re.IGNORECASE)
_AT_HOME = {
    **dict.fromkeys(("h", "home", "vs", "heim"), 0),
    **dict.fromkeys(("a", "away", "at", "gast"), 1),
    **dict.fromkeys(("n", "neutral", ""), -1),
}


def read_wide(table: Table, layout: Layout) -> RawMatches:
    """Make a draft whose match `i` is row `i`; time, importance and ids are left to the caller."""
    size, codes, different = _teams(table, layout)
    _leave_out_byes(table, len(layout.sides), codes, different)
    present = size > 0
    result = read_results(table, layout, present)
    leave_out_repeated(table, layout, size, codes)
    if layout.shape.endswith("as one side saw it"):
        leave_out_mirrored(table, layout, codes, result)
    flat = present.reshape(-1)
    return RawMatches(
        match_start=starts(present.sum(axis=1)),
        team_start=starts(size.reshape(-1)[flat]),
        player=codes,
        names=different.to_list(),
        where=lambda match, entry: table.where(match),
        rows=lambda match, entry: np.array([match]),
        rank=None if result.rank is None else result.rank.reshape(-1)[flat],
        score=None if result.score is None else result.score.reshape(-1)[flat],
        home=_home(table, layout),
    )


def _leave_out_byes(table: Table, sides: int, player: Ints, different: "pl.Series") -> None:
    """Leave out who had nobody to play against."""
    bye = different.str.to_lowercase().is_in(list(BYES)).to_numpy()
    if sides == 2 and bye.any() and len(player) == 2 * len(table.frame):
        rows = np.flatnonzero(bye[player].reshape(-1, 2).any(axis=1))
        table.leave_out(rows, "byes", "byes: ")


def _teams(table: Table, layout: Layout) -> tuple[Ints, Ints, "pl.Series"]:
    """Give the sizes of the teams (a row per match, 0 where a side is empty), and their players one after another."""
    import polars as pl

    sides = layout.sides
    columns = [side.column for side in sides]
    if len(columns) == 2 and not any(side.roster or side.more for side in sides):  # the common case, without lists
        player, different = intern_names(table, columns)
        return np.ones((len(table.frame), 2), np.int32), player, different
    if any(side.more for side in sides):
        lists = [_members(table, side) for side in sides]
    else:
        lists, _ = rosters(table, columns, split=sides[0].roster)
    for column, names in zip(columns[:2], lists, strict=False):  # any further side may be empty in some matches
        table.require(names.list.len() > 0, column, "a match needs at least two teams")
    lists = [names.fill_null([]) for names in lists]
    size = np.stack([names.list.len().to_numpy() for names in lists], axis=1).astype(np.int32)
    together = pl.select(pl.concat_list(lists)).to_series().explode().drop_nulls()  # null is all that is left of []
    code, different = intern(together)
    return size, code, different


def _members(table: Table, side: Side) -> "pl.Series":
    """Read the players of a side from columns of their own; where one is empty the team is smaller."""
    import polars as pl

    columns = [text_of(table, column) for column in (side.column, *side.more)]
    return pl.select(pl.concat_list(columns).list.drop_nulls()).to_series()


def add_venue(table: Table, layout: Layout) -> Layout:
    """Find the column, mostly one without a name, in which @ says that the first side was the guest."""
    if "venue" in layout.roles or not layout.shape.endswith(("winner/loser", "as one side saw it")):
        return layout
    for column in table.frame.columns:
        if _NAMELESS.fullmatch(column) and not table.frame[column].dtype.is_nested():
            cells = set(text_of(table, column).drop_nulls().head(1000).str.to_lowercase())
            if "@" in cells and cells <= {"@", "n", "vs", "vs."}:
                return replace(layout, roles={**layout.roles, "venue": column})
    return layout


def _home(table: Table, layout: Layout) -> Ints | None:
    """Give the index of the home team of each match, -1 on neutral ground."""
    if layout.shape.endswith("home/away"):
        home = np.zeros(len(table.frame), np.int32)
        if "neutral" in layout.roles:
            home[yes_no(table, layout.roles["neutral"])] = -1
        return home
    if "venue" not in layout.roles:
        return None
    code, different = intern(text_of(table, layout.roles["venue"]).fill_null(""))
    meaning = _AT_HOME | ({"": 0} if "@" in set(different) else {})
    spelt = [meaning.get("at" if word == "@" else plain_name(word)) for word in different]
    return None if None in spelt else np.array(spelt, np.int32)[code]  # other words name a ground

"""Find who played together in a file with a row per player or team: by a column such as Pair, or Player 1 and 2."""

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import Option
from ..cells.places import ranks
from ..cells.text import intern, text_of
from ..names.spelling import plain_name
from ..ragged import Floats, Ints, pair_codes
from ..read_context import Problems, Table
from .roles.aliases import LONG, TOGETHER
from .roles.headers import SIDE
from .roles.layout import Layout
from .shapes.grids import Grid, Kinds, are_places

if TYPE_CHECKING:
    import polars as pl

MOST = 0.9  # fraction of the teams that must have several players, and whose players must have the same result
KNOWN = 0.75  # if the header says that players form teams, some partners may be missing
LEAST = 4  # minimum number of such teams, unless the header says that players form teams
SAMPLE = 200  # number of rows that rule out most columns
_PLACES = frozenset(f"{LONG['rank']} pl plc".split())


def find_teams(table: Table, layout: Layout, match: Ints, value: Floats | None, ranked: bool) -> Layout:
    """Return the layout with the column that divides the players of each match into teams, if there is one.

    `value` is the place (if `ranked`) or the score of each row. Partners share their result. If the header is a word
    for a team, such as Pair, each of them may have another score.
    """
    import polars as pl

    if "player" not in layout.roles or {"team", "players"} & {*layout.roles, *(table.choices.columns or {})}:
        return layout

    head = replace(table, frame=table.frame.head(SAMPLE))

    def search() -> str | None:
        others = [column for column in layout.unused(table.frame.columns) if column not in layout.parts]
        others = [column for column in others if table.frame[column].dtype in (pl.String, pl.Int64)]
        others.sort(key=lambda column: plain_name(column) not in TOGETHER.split())
        for column in others:
            known = plain_name(column) in TOGETHER.split()
            if value is None and not known:
                continue
            sample = text_of(head, column)
            if not known and not sample.str.contains(r"\p{L}").any():
                continue
            values = None if value is None or (known and not ranked) else value
            few = None if values is None else values[:SAMPLE]
            fits = _are_teams(match[:SAMPLE], sample, few, known)
            if fits and _are_teams(match, text_of(table, column), values, known):
                return column
        return None

    column = table.decide("which column has the teams", search) if len(match) else None
    if column is None:
        _note_possible_teams(head, layout, match[:SAMPLE])
        return layout
    text = f"players with the same {column} in a match are a team; use "
    table.note("teammates", text, Option("columns", {"team": None}), " to rate each player alone", column=column)
    return layout.with_roles(team=column)


def read_partners(table: Table, kinds: Kinds) -> Grid | None:
    """Return a table with a row per team of each match, and its roles, if it has columns of names and of places.

    The places start again in each match, so Player 1 and Player 2 are partners and not opponents.
    """
    import polars as pl

    members = [column for column in kinds["name"] if SIDE.fullmatch(plain_name(column))]
    places = [column for column in table.frame.columns if plain_name(column) in _PLACES]
    if len(members) < 2 or len(places) != 1:
        return None
    rank = ranks(replace(table, problems=Problems(), remarks=[]), places[0]).rank
    others = [column for column in chain.from_iterable(kinds.values()) if column not in (*members, *places)]
    for match in others if not np.isnan(rank).any() else ():
        code, _ = intern(text_of(table, match).fill_null(""))
        if np.bincount(code).min() > 1 and are_places(code, rank):
            team = pl.concat_str([text_of(table, name) for name in members], separator=" + ", ignore_nulls=True)
            frame = table.frame.with_columns(pl.select(team).to_series().alias("+".join(members)))
            text = f"{' and '.join(members)} are partners: places in {places[0]!r} start again in each match"
            table.note("partners", text, column=places[0])
            reserved = {**table.reserved, **dict.fromkeys(members, False)}
            roles = {"match": match, "players": frame.columns[-1], "rank": places[0]}
            return replace(table, frame=frame, reserved=reserved), roles
    return None


def _note_possible_teams(table: Table, layout: Layout, match: Ints) -> None:
    import polars as pl

    # If each match has the same labels, such as Dark and Light, partners may have scores of their own.
    for column in layout.unused(table.frame.columns):
        if column in layout.parts or table.frame[column].dtype != pl.String:
            continue
        text = text_of(table, column)
        if plain_name(column) in TOGETHER.split():  # damaged rows may hide that players form teams
            label, _ = intern(text.fill_null(""))
            possible = 4 * len(np.unique(pair_codes(match, label))) <= 3 * len(label)
        else:
            two = text.n_unique() == 2 and text.str.contains(r"\p{L}").any()
            possible = two and _are_teams(match, text, None, True)
        if possible:
            option = Option("columns", {"team": column})
            table.note("no-teams", f"if players with the same {column} were a team, use ", option, column=column)


def _are_teams(match: Ints, text: "pl.Series", value: Floats | None, known: bool) -> bool:
    label, _ = intern(text.fill_null(""))
    _, first, team, size = np.unique(
        pair_codes(match, label), return_index=True, return_inverse=True, return_counts=True
    )
    several = size > 1
    teams = np.bincount(match[first])
    most = KNOWN if known else MOST
    if not len(several) or several.mean() < most or (teams[teams > 0] > 1).mean() < MOST or text.has_nulls():
        return False
    if value is None:
        return True
    result = np.nan_to_num(value, nan=-1e9)
    equal = np.ones(len(size), bool)
    np.logical_and.at(equal, team, result == result[first][team])
    if equal[several].mean() < MOST:
        return False
    return known or (int(np.count_nonzero(several)) >= LEAST and _varies(match[first], label[first], result[first]))


def _varies(match: Ints, label: Ints, result: Floats) -> bool:
    """Return whether teams with the same label have different results: one of them won, and another one lost."""
    lowest = np.full(int(match.max()) + 1, np.inf)
    np.minimum.at(lowest, match, result)
    best: NDArray[np.bool_] = result == lowest[match]
    once = np.bincount(label)[label] == 1
    both = np.intersect1d(label[best], label[~best])
    return bool(len(both) or once.mean() >= MOST)

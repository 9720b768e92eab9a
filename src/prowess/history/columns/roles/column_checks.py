"""Add remarks on columns that may have been misread: ignored names, uneven sides, numbers in place of names."""

import re
from dataclasses import replace
from difflib import get_close_matches

import numpy as np

from ....errors import Error, Option
from ...cells.text import text_of
from ...names.spelling import plain_name
from ...read_context import Table, list_names
from ..raw_matches import RawMatches
from .aliases import LONG, NAME_STEMS, RESULT
from .layout import Layout

_MEMBER = re.compile(f"(?:{'|'.join(NAME_STEMS.split())})[1-9]")
_ROWS = 1000  # rows in which ignored columns are compared with the players


def check_columns(table: Table, layout: Layout, draft: RawMatches) -> None:
    """Add remarks on columns that may have been misread. Call this before the matches are checked."""
    _note_ignored_names(table, layout, draft)
    _note_ignored_rosters(table, layout)
    _note_uneven_sides(table, layout)
    _note_unnamed(table, layout)
    _note_numbered_players(table, draft)
    _note_single_number(table, draft)
    _note_odd_match(table, layout, draft)


def _note_odd_match(table: Table, layout: Layout, draft: RawMatches) -> None:
    # If a single match has another number of teams than all others, a cell that names a team may be damaged.
    teams = np.diff(draft.match_start)
    usual = int(np.bincount(teams).argmax()) if len(teams) else 0
    odd = np.flatnonzero(teams != usual)
    if len(odd) == 1 and len(teams) > 2 and "team" in layout.roles and draft.rows is not None:
        row = int(draft.rows(int(odd[0]), None)[0])
        text = f"{table.row_name(row)}: this match has {teams[odd[0]]} teams, but all others have {usual}"
        table.note("odd-match", text, column=layout.roles["team"], row=row)


def _note_ignored_names(table: Table, layout: Layout, draft: RawMatches) -> None:
    import polars as pl

    # If the cells are players who are not listed in the row, the heading of the column may be misspelt.
    sides = [column for side in layout.sides for column in (side.column, *side.more)]
    sides += [layout.roles[role] for role in ("player", "players", "team") if role in layout.roles and not sides]
    used = {*layout.roles.values(), *layout.also, *layout.parts, *sides}
    sample = replace(table, frame=table.frame.head(_ROWS))
    others = [
        column
        for column in sample.frame.columns
        if column not in used and plain_name(column) not in RESULT.split() and sample.frame[column].dtype == pl.String
    ]
    if not others or any(sample.frame[column].dtype.is_nested() for column in sides):
        return
    listed = list(zip(*(text_of(sample, column).fill_null("") for column in sides), strict=True))
    players = set(draft.names)
    for column in others:
        if players.isdisjoint(cell.strip() for cell in sample.frame[column].drop_nulls().to_list()):
            continue
        cells = [(cell, row) for cell, row in zip(text_of(sample, column), listed, strict=True) if cell]
        known = [(cell, row) for cell, row in cells if cell in players and not cell.isdigit()]
        missing = {cell for cell, row in known if not any(cell in side for side in row)}
        if len(missing) > 1 and 2 * sum(cell in missing for cell, _ in cells) > len(cells):
            text = f"column {column!r} is not used, although it holds names of players, such as {min(missing)!r}; "
            option = Option("columns", {"player2": column})
            table.note("ignored-names", f"{text}if they played, map it, as in ", option, column=column)


def _note_ignored_rosters(table: Table, layout: Layout) -> None:
    import polars as pl

    # If no other column lists a team's players, a column with several names in most cells is probably the roster.
    if layout.sides or "team" not in layout.roles or {"player", "players"} & layout.roles.keys():
        return
    sample = replace(table, frame=table.frame.head(_ROWS))
    members = [name for name in layout.unused(sample.frame.columns) if _MEMBER.fullmatch(plain_name(name))]
    if len(members) > 1 and "team" not in layout.mapped:
        text = f"{table.title}: columns {list_names(members)} may list the players of a team, but a player needs a row"
        option = Option("columns", {"team": layout.roles["team"]})
        raise Error(f"{text}, or all players of a team one column; to rate the teams, use ", option, field=members[0])
    for column in layout.unused(sample.frame.columns):
        if sample.frame[column].dtype != pl.String:
            continue
        cells = text_of(sample, column).drop_nulls()
        lists = cells.str.contains(r"\p{L}+\s*[,;/&+|]\s*\p{L}")
        if len(cells) and 2 * lists.sum() > len(cells):
            text = f"column {column!r} is not used, although it may list the players of a team, such as {cells[0]!r}; "
            option = Option("columns", {"players": column})
            table.note("ignored-rosters", f"{text}if it does, map it, as in ", option, column=column)


def _note_uneven_sides(table: Table, layout: Layout) -> None:
    # A side with fewer columns suggests that the heading of a partner is misspelt.
    if len(layout.sides) != 2 or len({len(side.more) for side in layout.sides}) == 1:
        return
    few, many = sorted(layout.sides, key=lambda side: len(side.more))
    names = ["+".join((side.column, *side.more)) for side in (few, many)]
    missing = [column.lower().replace(_stem(many.column), _stem(few.column)) for column in many.more]
    unused = {column.lower(): column for column in layout.unused(table.frame.columns)}
    near = [unused[found] for name in missing for found in get_close_matches(name, unused, 1)]
    more = f"; column {near[0]!r} is not used, and its name may be misspelt" if near else ""
    text = f"one side has the columns {names[0]}, but the other has {names[1]}{more}"
    table.note("uneven-sides", text, column=near[0] if near else None)


def _stem(column: str) -> str:
    """Return the part of a column name before the first digit, "_" or space: "winner" for "Winner1_name"."""
    return re.split(r"[\d_ ]", column.lower(), maxsplit=1)[0]


def _note_single_number(table: Table, draft: RawMatches) -> None:
    # If a single name is a number, two cells of its row may be swapped.
    digits = np.flatnonzero([name.lstrip("+-").isdigit() for name in draft.names])
    entries = np.flatnonzero(draft.player == digits[0]) if len(digits) == 1 and len(draft.names) > 2 else digits
    if len(entries) == 1 and draft.rows is not None:
        entry = int(entries[0])
        row = int(draft.rows(int(draft.match_of_team[draft.team_of(entry)]), entry)[0])
        name = draft.names[draft.player[entry]]
        text = f"{name!r} is the only name that is a number; two cells of this row may be swapped"
        table.note("single-number", f"{table.row_name(row)}: {text}", row=row)


def _note_numbered_players(table: Table, draft: RawMatches) -> None:
    """Add a remark if all player names are numbers, and a column headed like a place or a score holds text."""
    import polars as pl

    if not draft.names or not all(name.isdigit() for name in draft.names[:_ROWS]):
        return
    results = f"{LONG['rank']} {LONG['score']}".split()
    for column in table.frame.columns:
        if plain_name(column) in results and table.frame[column].dtype == pl.String:
            cells = text_of(replace(table, frame=table.frame.head(_ROWS)), column).drop_nulls()
            if len(cells) and cells.str.contains(r"\p{L}{3}").all():
                text = f"all player names are numbers, but column {column!r} holds texts such as {cells[0]!r}"
                text += "; if these are names, use "
                option = Option("columns", {"player": column})
                table.note("names-for-places", text, option, column=column)


def _note_unnamed(table: Table, layout: Layout) -> None:
    # In a file without a header, no column has a name.
    unused = [column for column in layout.unused(table.frame.columns) if column.isdigit()]
    named = "no-header" not in {remark.code for remark in table.remarks}
    if unused and len(unused) < len(table.frame.columns) and named:
        subject = f"columns {list_names(unused)} have no name and are"
        if len(unused) == 1:
            subject = f"column {unused[0]} has no name and is"
        table.note("unnamed-ignored", f"{subject} not used", column=unused[0], number=len(unused))

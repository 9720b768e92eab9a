"""The order of matches that times do not tell: numbers of games or rounds, and scores of 0-0 after the last result."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Option
from ...text import count
from ..cells.numbers import numbers
from ..cells.rounds import round_order
from ..cells.text import text_of
from ..cells.words import MISSING
from ..names.spelling import plain_name
from ..ragged import Floats, Ints
from ..read_context import Table
from ..times import show_time
from .context_columns import PARTIAL
from .long import RowGroups
from .raw_matches import RawMatches
from .roles.aliases import GAME_NUMBER, PARTS, ROUND
from .roles.layout import Layout

CHECKED = "whether the last results are checked"  # the name of a decision (see `Table.decide`)
SAMPLE = 1000  # number of rows that show the order of the numbers in a large table
LEAST = 10.0  # if most matches have at least this many points, a score of 0-0 is hardly a result


def number_order(table: Table, layout: Layout, rows: RowGroups | None, time: NDArray[Any]) -> tuple[str, Floats] | None:
    """Return the column with the numbers of the matches, and these numbers, if they are not in the order of the rows.

    Numbers tell the order if they descend from row to row, if they are 1, 2, 3, … in any order, or if they descend on
    each day of a file with the latest day first. Other numbers may mean anything, such as tables or random ids.
    """
    if (mapped := layout.roles.get("order")) is not None:
        values = numbers(table, mapped)
        return mapped, values if rows is None else values[rows.first_row]
    if "order" in (table.choices.columns or {}):
        return None
    used = {*layout.roles.values(), *(name for side in layout.sides for name in (side.column, *side.more))}
    used -= {layout.roles.get("match", ""), layout.roles.get("id", "")}
    for column in table.frame.columns:
        is_round = plain_name(column) in ROUND.split()
        is_number = plain_name(column) in GAME_NUMBER.split() or column.strip() in "#№"
        if rows is not None and column != layout.roles.get("match"):
            continue  # the number may belong to the player
        if column in used or not (is_round or is_number) or table.frame[column].dtype.is_nested():
            continue
        head = _numbers(replace(table, frame=table.frame.head(SAMPLE)), column, is_round)
        if len(table.frame) > SAMPLE and (head is None or (rows is None and (_steps(head, time) > 0).any())):
            continue  # the numbers of a large table are searched only if they descend
        order = _numbers(table, column, is_round)
        if order is None:
            continue
        order = order if rows is None else order[rows.first_row]
        step = np.diff(order)
        if not (step < 0).any():
            return None
        dense = is_number and np.ptp(order) == len(order) - 1 == len(np.unique(order)) - 1
        if dense or not (_steps(order, time) > 0).any():
            return column, order
    return None


def _steps(numbers: Floats, time: NDArray[Any]) -> Floats:
    """Return the steps from row to row, within each day if the latest of several days comes first."""
    step, later = np.diff(numbers), np.diff(time[: len(numbers)])
    within = later == 0
    return step[within] if within.sum() > 1 and not within.all() and (later <= 0).all() else step


def _numbers(table: Table, column: str, is_round: bool) -> Floats | None:
    text = text_of(table, column)
    if is_round:
        return round_order(text)
    whole = text.str.extract(r"^\s*(?:\p{L}{2,}[. ]*)?[.# ]*(\d+)[. ]*$").cast(int, strict=False)  # such as "Match 12"
    return None if whole.has_nulls() else whole.to_numpy().astype(np.float64)


def check_last_results(table: Table, layout: Layout, draft: RawMatches) -> None:
    """Raise an `Error` if several matches after the last other result have a score of 0-0: they may be fixtures.

    The user's choice leaves them out, or counts them as draws. Places, a status or another column of results show that
    the matches have been played.
    """
    checked = bool({PARTIAL, CHECKED} & table.decided.keys()) or "rank" in layout.roles
    if checked or draft.score is None or draft.rows is None or table.choices.fixtures == "count" or not len(draft):
        return
    table.decide(CHECKED, lambda: True)
    start = draft.match_start[:-1]
    high, low = _extremes(draft.score, start)
    zero = (high == 0) & (low == 0) & (np.diff(draft.match_start) == 2)
    other = ~zero & ~np.isnan(high)
    if not zero.any() or (time := _times(table, layout, draft)) is None:
        return
    late = np.flatnonzero(zero & (time > time[other].max())) if other.any() else np.flatnonzero(zero)
    if not len(late):
        return
    rows: NDArray[Any] = np.concatenate([draft.rows(match, None) for match in late.tolist()])
    stated = [column for column in (layout.roles.get("status"), *layout.also) if column is not None]
    if any(_are_filled(table, column, rows) for column in stated):
        return
    skip, draws, row = Option("fixtures", "skip"), Option("fixtures", "count"), int(rows.min())
    if table.choices.fixtures == "skip":
        words = "match to come (0-0)", "matches to come (0-0)"
        table.leave_out(rows, "not-played", *words, ("; use ", draws, " to count them as draws"), number=len(late))
    elif len(late) == 1 and (not other.any() or np.median(high[other]) < LEAST):
        text = f"{table.row_name(row)}: the last match is read as a draw, 0-0; use "
        table.note("late-draw", text, skip, " if it has not been played", number=1, row=row)
        draft.remarks += tuple(table.remarks[-1:])
    else:
        last = "the file has no other result"
        if other.any():
            row_of = int(draft.rows(int(np.flatnonzero(other)[time[other].argmax()]), None)[0])
            moment = draft.times and show_time(draft.times.kind, draft.times.zone, int(time[other].max()))
            last = f"the last other result is in {table.row_name(row_of)}{f' ({moment})' if moment else ''}"
        matches = count(len(late), "match has", "matches have")
        text = f"{matches} the score 0-0, and {last}; use "
        raise table.error(row, text, skip, " if they have not been played, or ", draws, " if they are draws")


def _are_filled(table: Table, column: str, rows: NDArray[Any]) -> bool:
    cells = text_of(table, column).gather(rows).str.strip_chars().str.to_lowercase()
    return not cells.is_null().any() and not cells.is_in(list(MISSING)).any()


def _extremes(values: Floats, start: Ints) -> tuple[Floats, Floats]:
    """Return the highest and the lowest value of each match."""
    if len(values) == 2 * len(start):
        return np.fmax(values[::2], values[1::2]), np.fmin(values[::2], values[1::2])
    return np.fmax.reduceat(values, start), np.fmin.reduceat(values, start)


def _times(table: Table, layout: Layout, draft: RawMatches) -> Floats | None:
    """Return the time of each match; if there are no times, the number of its round."""
    if draft.times is not None:
        return np.asarray(draft.times.number, np.float64)
    columns = [name for name in table.frame.columns if plain_name(name) in f"{ROUND} {PARTS[2]}".split()]
    return round_order(text_of(table, columns[0])) if columns and layout.sides else None

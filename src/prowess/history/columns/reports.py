"""Find rows that report a match again: a row per goal, line-up or viewer, and forms that both players fill in."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cells.dates.columns import read_times
from ..cells.text import text_of
from ..context.columns import parse_marked_header
from ..names.spelling import plain_name
from ..ragged import Floats, pair_codes
from ..read_context import Message, Problems, Table
from .duplicates import KEEP, VARIED, Meetings, note_both_views, repeated_codes, time_columns
from .roles.aliases import COMMON, LONG, MATCH_NUMBERS, PARTS_OF_MATCHES
from .roles.layout import Layout, Shape

MOST = 0.9  # fraction of the matches that must agree to decide how a file is read
LEAST = 3  # minimum number of matches that are reported twice
SURE = 2 / 3  # if at least this fraction of the rows has a second report, every match may have one
DOUBTFUL = 1 / 3  # if at least this fraction of the rows has a second report, a remark says so
SAMPLE = 1000  # rows that are tried first
_OWN = r"(?i)\b(?:your?|my|me|[dm]ein\w*|ihr|votre|[mt]on|[tm]u|[mt]i|su|[mst]eu|[mt]io|tuo|ваш\w*|мо[йяё]|你|あなた)"
HOUR = 3_600_000_000  # in microseconds
SOON, LATE = HOUR, 12 * HOUR  # the second report mostly comes soon, sometimes later
_IDS = frozenset(f"{LONG['match']} {COMMON['id']} {MATCH_NUMBERS}".split())
_SURE_IDS = frozenset(f"{COMMON['id']} {MATCH_NUMBERS}".split())
_PARTS = frozenset(PARTS_OF_MATCHES.split())


def leave_out_reports(table: Table, layout: Layout, meetings: Meetings, result: Floats | None) -> None:
    """Leave out the rows that report a match again; report those with another result as problems."""
    if table.choices.duplicates == "keep" or len(layout.sides) != 2 or len(table.frame) < 2 or result is None:
        return
    _leave_out_listed(table, layout, meetings, result)
    if layout.shape in (Shape.SIDES, Shape.ONE_VIEW, Shape.WINNER_LOSER):
        _leave_out_second(table, layout, meetings, result)


def _leave_out_listed(table: Table, layout: Layout, meetings: Meetings, result: Floats) -> None:
    """Leave out rows that list the same sides with the same id, or on the same date with the same score."""
    when = [column for column in time_columns(table, layout) if column != layout.roles.get("id")]
    identity = _identity(table, layout)
    if identity is not None and table.frame[identity].head(SAMPLE).is_unique().all():
        return
    if identity is not None and not _names_matches(table, identity, when, meetings):
        identity = None
    scored = len(np.unique(result[:SAMPLE])) > VARIED
    if identity is None and not (when and (scored or _has_clock(table, layout))):
        return  # without scores, players who meet twice on a day often have the same result
    same = when if identity is None else [identity, *when]
    rows = meetings.repeated(same)
    rows = rows[~np.isnan(result[rows]).any(axis=1)]
    codes = meetings.codes(same)[rows] + meetings.forward[rows]
    again = repeated_codes(codes)
    rows, codes = rows[again], codes[again]
    _, first, group = np.unique(codes, return_index=True, return_inverse=True)
    other = np.unique(group[(result[rows] != result[rows][first[group]]).any(axis=1)])
    if identity is None:
        usual = not len(other) and len(first) >= LEAST and 2 * len(rows) >= len(table.frame)
        usual = usual and int(table.frame[rows].hash_rows().n_unique()) > len(first)
    else:
        least = 1 if plain_name(identity) in _SURE_IDS else LEAST  # "game" may be the name of a game
        usual = len(first) >= least and len(first) - len(other) > len(other) <= max(1, (1 - MOST) * len(first))
    usual = usual and len(rows) > 0 and not _are_parts(table, layout, rows, group)
    if not table.decide("whether matches are listed several times", lambda: usual or None):
        return
    for number in other:
        _reject(table, rows[group == number])
    kept = np.isin(group, other)
    kept[first] = True
    by = "" if identity is None else f" with the same {identity}"
    words = f"row lists a match again{by} and is", f"rows list a match again{by} and are"
    table.leave_out(rows[~kept], "repeated-matches", *words, KEEP)


def _identity(table: Table, layout: Layout) -> str | None:
    plain = [column for column in layout.unused(table.frame.columns) if parse_marked_header(column) is None]
    free = (column for column in plain if plain_name(column) in _IDS)
    column = layout.roles.get("id") or next(free, None)
    return None if column is None or table.frame[column].dtype.is_nested() else column


def _names_matches(table: Table, identity: str, when: list[str], meetings: Meetings) -> bool:
    """Return whether rows with the same id and time nearly always have the same sides, unlike those of a tournament."""
    key = table.frame.head(SAMPLE).select(identity, *when).hash_rows().to_numpy()
    _, code, size = np.unique(key, return_inverse=True, return_counts=True)
    _, sides = np.unique(meetings.codes([])[:SAMPLE], return_inverse=True)
    _, first = np.unique(pair_codes(code, sides), return_index=True)
    alone = np.bincount(code[first]) == 1
    return bool((size > 1).any() and alone[size > 1].mean() >= MOST)


def _reject(table: Table, rows: NDArray[np.intp]) -> None:
    """Report rows of one match that have different results; each message names another of the rows."""

    def right(index: int) -> Message:
        other = table.row_name(int(rows[index - 1] if index else rows[-1]))
        return (f"{other} has another result of the same match; correct one of them", *KEEP)

    table.reject(rows, None, right)


def _are_parts(table: Table, layout: Layout, rows: NDArray[np.intp], group: NDArray[np.intp]) -> bool:
    """Return whether a column numbers or names the parts of a match, such as games or maps, so each row is one."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(group[order]) != 0))
    number = np.empty(len(rows), np.intp)
    number[order] = np.arange(len(rows)) - np.repeat(starts, np.diff(np.append(starts, len(rows)))) + 1
    counted = [str(value) for value in number.tolist()]
    for column in layout.unused(table.frame.columns):
        if table.frame[column].dtype.is_nested():
            continue
        cells = text_of(table, column)[rows].to_list()
        differ = plain_name(column) in _PARTS and len(set(zip(group.tolist(), cells, strict=True))) == len(rows)
        if differ or cells == counted:
            return True
    return False


def _leave_out_second(table: Table, layout: Layout, meetings: Meetings, result: Floats) -> None:
    """If both players fill in a form after each match, leave out the second report of each match."""
    some = min(SAMPLE, len(table.frame))
    is_form = re.search(_OWN, layout.sides[0].column) is not None
    often = is_form or len(np.unique(meetings.codes([])[:some])) <= (1 - DOUBTFUL / 2) * some
    if not often or not _has_clock(table, layout):
        return
    soon, late = (24 * HOUR, 24 * HOUR) if is_form else (SOON, LATE)
    forward = meetings.forward
    by_winner = layout.shape == Shape.WINNER_LOSER  # both reports have the same columns

    def pairs(rows: int, limit: int, by_player: bool = False) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        part = replace(table, frame=table.frame.head(rows), remarks=[], problems=Problems(), left_out=[])
        times = read_times(part, layout.roles["time"], layout.roles.get("clock"))
        if times is None or times.kind != "timestamp":
            return np.zeros(0, np.intp), np.zeros(0, np.intp)
        codes = meetings.codes([])[:rows] + forward[:rows] * by_player
        return _reports(codes, None if by_winner or by_player else forward[:rows], times.number, limit)

    one, two = pairs(some, soon)
    same = np.count_nonzero(_agree(result, forward, one, two))
    share = 2 * len(one) / some
    varied = not by_winner or len(np.unique(result[:some])) > VARIED  # one player may win twice in an hour
    usual = varied and len(one) >= LEAST and share >= SURE and len(one) - same <= max(1, (1 - MOST) * len(one))
    usual = usual or (is_form and same > 0 and 2 * same >= len(one))
    doubtful = same >= max(2, MOST * len(one)) and share >= DOUBTFUL
    if not table.decide("whether both players report a match", lambda: usual or None):
        if table.choices.duplicates is None and doubtful:
            note_both_views(table, 2 * len(one), int(np.append(one, two).min()))
        if table.choices.duplicates != "once" or not doubtful:
            return
    one, two = pairs(len(table.frame), late)
    agree = _agree(result, forward, one, two)
    contradictions = [*zip(one[~agree], two[~agree], strict=True)]
    if is_form:  # a player who reports two results on a day has perhaps corrected the first of them
        first, last = pairs(len(table.frame), late, by_player=True)
        once = ~(np.isin(first, [one[agree], two[agree]]) & np.isin(last, [one[agree], two[agree]]))
        once &= ~_agree(result, forward, first, last)
        contradictions += zip(first[once], last[once], strict=True)
    for rows in contradictions:
        _reject(table, np.array(sorted(rows)))
    said = "a match that the other player reported, too, and"
    table.leave_out(two[agree], "mirrored-rows", f"row reports {said} is", f"rows report {said} are", KEEP)


def _has_clock(table: Table, layout: Layout) -> bool:
    import polars as pl

    if "time" not in layout.roles:
        return False
    cells = table.frame[layout.roles["time"]].head(100)
    written = cells.dtype == pl.String and bool(cells.str.contains(r"\d:\d").any())
    return written or isinstance(cells.dtype, pl.Datetime) or "clock" in layout.roles


def _reports(
    sides: NDArray[np.uint64], forward: NDArray[np.bool_] | None, time: NDArray[Any], limit: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows that report a match first, and the rows of the other players that report it next."""
    order = np.lexsort((time, sides))
    sides, time = sides[order], time[order]
    linked = (sides[1:] == sides[:-1]) & (np.diff(time) <= limit)
    if forward is not None:
        linked &= forward[order][1:] != forward[order][:-1]
    # In a chain of reports, every second link is between two matches.
    place = np.arange(len(linked))
    start = np.maximum.accumulate(np.where(linked, 0, place + 1)) if len(linked) else place
    first = np.flatnonzero(linked & ((place - start) % 2 == 0))
    return order[first], order[first + 1]


def _agree(
    result: Floats, forward: NDArray[np.bool_], one: NDArray[np.intp], two: NDArray[np.intp]
) -> NDArray[np.bool_]:
    swapped = (forward[one] != forward[two])[:, None]
    theirs = np.where(swapped, result[two][:, ::-1], result[two])
    equal: NDArray[np.bool_] = (result[one] == theirs).all(axis=1)
    return equal

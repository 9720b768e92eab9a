"""Rows that repeat a match: duplicate rows, and rows with the other side's view of a match."""

import numpy as np
from numpy.typing import NDArray

from ...errors import Option
from ...text import count
from ..names import plain_name
from ..ragged import Floats, Ints, mix_bits, starts
from ..read_context import Table
from .aliases import PARTS
from .layout import Layout

_ROUNDS = frozenset(word for words in PARTS for word in words.split())
_KEEP = ("; ", Option("duplicates", "keep"), " counts them")
MOST = 0.9  # fraction of the rows that decides how a file is meant


def leave_out_repeated(table: Table, layout: Layout, size: Ints, player: Ints) -> None:
    """Leave out duplicate rows, unless they are probably separate matches.

    A duplicate counts as a mistake only if the row has a time and more than the two players. If the same players also
    meet twice at one time with different results, several matches at a time are usual, and duplicates count.
    """
    choice = table.choices.duplicates
    if choice == "keep" or len(table.frame) < 2:
        return
    when = _time_columns(table, layout)
    if not when and choice is None:
        return
    hashes = table.frame.hash_rows()
    if hashes.n_unique() == len(hashes):
        return
    repeated = ~hashes.is_first_distinct().to_numpy()
    if choice is None:
        meeting = _meetings(table, when, size, player)[~repeated]
        usual = len(table.frame.columns) <= len(when) + 2 or len(np.unique(meeting)) < len(meeting)
        if table.decide("whether rows that repeat are matches", lambda: usual):
            number, row = int(np.count_nonzero(repeated)), int(repeated.argmax())
            text = f"{count(number, 'duplicate row', 'duplicate rows')}; each is counted as a match; "
            once = Option("duplicates", "once")
            table.note("repeated-rows-counted", text, once, " counts them once", number=number, row=row)
            return
    table.leave_out(np.flatnonzero(repeated), "repeated-rows", "duplicate row", "duplicate rows", _KEEP)


def _time_columns(table: Table, layout: Layout) -> list[str]:
    """Return the columns that identify a match: a day or an id; a plain number may be a week or a round."""
    import polars as pl

    columns = [layout.roles[role] for role in ("id", "clock") if role in layout.roles]
    if "time" in layout.roles:
        day = table.frame[layout.roles["time"]]
        written = day.dtype == pl.String and bool(day.head(100).str.contains(r"[^0-9.]|\..*\.").any())
        if written or day.dtype.is_temporal():
            columns.append(layout.roles["time"])
    return columns


def _meetings(table: Table, when: list[str], size: Ints, player: Ints) -> NDArray[np.uint64]:
    """Return a number for each match, equal for matches of the same players at the same time."""
    mixed = mix_bits(player.astype(np.uint64))  # makes different sets of players have different sums
    start = starts(size.sum(axis=1))
    total = np.add.reduceat(np.append(mixed, np.uint64(0)), start[:-1])
    meeting: NDArray[np.uint64] = np.bitwise_xor(table.frame.select(when).hash_rows().to_numpy(), total)
    return meeting


def leave_out_mirrored(table: Table, layout: Layout, player: Ints, result: Floats | None) -> None:
    """Leave out the second row of each match if nearly every match is listed twice, once from each side's view."""
    rounds = [column for column in table.frame.columns if plain_name(column) in _ROUNDS]
    when = _time_columns(table, layout) or rounds
    if not when or table.choices.duplicates == "keep" or not len(table.frame) or len(player) != 2 * len(table.frame):
        return
    forward = player[0::2] < player[1::2]
    meeting = _meetings(table, when, np.ones((len(table.frame), 2), np.int32), player)
    if result is not None:
        low, high = np.where(forward, result.T, result.T[::-1])
        meeting = meeting ^ (low * 31.0 + high * 1e6).view(np.uint64)
    _, group = np.unique(meeting, return_inverse=True)
    ahead = np.bincount(group, forward)
    behind = np.bincount(group, ~forward)
    both = bool(np.minimum(ahead, behind)[group].astype(bool).mean() >= MOST)
    if not table.decide("whether matches are seen by both sides", lambda: both):
        return
    first = np.zeros(len(ahead), bool)
    first[group[::-1]] = forward[::-1]  # the direction of the first row of each meeting is written last
    kept = np.where(ahead == behind, first, ahead > behind)[group] == forward
    view = "a match from the other side's view and"
    words = f"row repeats {view} is", f"rows repeat {view} are"
    table.leave_out(np.flatnonzero(~kept), "mirrored-rows", *words, _KEEP)

"""Rows that tell of a match for the second time: repeated rows, and rows in which the other side tells it again."""

import numpy as np
from numpy.typing import NDArray

from ...errors import Option
from ...text import count
from ..names import plain_name
from ..ragged import Ints, starts
from ..read_context import Table
from .aliases import PARTS
from .layout import Layout
from .wide_results import SideResults

_ROUNDS = frozenset(word for words in PARTS for word in words.split())
_KEEP = ("; ", Option("duplicates", "keep"), " counts them")
MOST = 0.9  # of the rows: what holds for so many is how the file is meant


def leave_out_repeated(table: Table, layout: Layout, size: Ints, player: Ints) -> None:
    """Leave out rows that repeat another in every cell, unless they may well be matches of their own.

    A slip is what says when it was, and more than who won, twice. Somebody who meets the same opponents twice at one
    time with different results shows that this is usual, and then equal rows are matches of their own.
    """
    if table.choices.duplicates == "keep" or len(table.frame) < 2:
        return
    when = _when(table, layout)
    if not when and table.choices.duplicates is None:
        return
    hashes = table.frame.hash_rows()
    if hashes.n_unique() == len(hashes):
        return
    repeated = ~hashes.is_first_distinct().to_numpy()
    if table.choices.duplicates is None:
        meeting = _meetings(table, when, size, player)[~repeated]
        usual = len(table.frame.columns) <= len(when) + 2 or len(np.unique(meeting)) < len(meeting)
        if table.decide("whether rows that repeat are matches", lambda: usual):
            number = int(np.count_nonzero(repeated))
            text = f"{count(number, 'row repeats', 'rows repeat')} another in every cell: each counts as a match; "
            once = Option("duplicates", "once")
            table.note(
                "repeated-rows-counted", text, once, " counts them once", number=number, row=int(repeated.argmax())
            )
            return
    words = "row repeats another in every cell and is", "rows repeat another in every cell and are"
    table.leave_out(np.flatnonzero(repeated), "repeated-rows", "repeated: ", *words, more=_KEEP)


def _when(table: Table, layout: Layout) -> list[str]:
    """Give the columns that say which match it was: a day or an id; a plain number may be a week or a round."""
    import polars as pl

    columns = [layout.roles[role] for role in ("id", "clock") if role in layout.roles]
    if "time" in layout.roles:
        day = table.frame[layout.roles["time"]]
        if day.dtype.is_temporal() or (
            day.dtype == pl.String and bool(day.head(100).str.contains(r"[^0-9.]|\..*\.").any())
        ):
            columns.append(layout.roles["time"])
    return columns


def _meetings(table: Table, when: list[str], size: Ints, player: Ints) -> NDArray[np.uint64]:
    """Give a number for each match, equal where the same players meet at the same time."""
    scattered = mix_bits(player.astype(np.uint64))  # so that sums tell sets apart
    start = starts(size.sum(axis=1))
    total = np.add.reduceat(np.append(scattered, np.uint64(0)), start[:-1])
    when_it_was: NDArray[np.uint64] = table.frame.select(when).hash_rows().to_numpy()
    meeting: NDArray[np.uint64] = np.bitwise_xor(when_it_was, total)
    return meeting


def leave_out_mirrored(table: Table, layout: Layout, player: Ints, result: SideResults) -> None:
    """Where nearly every match stands twice, once as each side saw it, leave the second view out."""
    rounds = [column for column in table.frame.columns if plain_name(column) in _ROUNDS]
    when = _when(table, layout) or rounds
    if not when or table.choices.duplicates == "keep" or not len(table.frame) or len(player) != 2 * len(table.frame):
        return
    first_side, second_side = player[0::2], player[1::2]
    forward = first_side < second_side
    meeting = _meetings(table, when, np.ones((len(table.frame), 2), np.int32), player)
    column = result.score if result.score is not None else result.rank
    if column is not None:
        low = np.where(forward, column[:, 0], column[:, 1])
        high = np.where(forward, column[:, 1], column[:, 0])
        meeting = meeting ^ (low * 31.0 + high * 1e6).view(np.uint64)
    _, group = np.unique(meeting, return_inverse=True)
    ahead = np.bincount(group, forward)
    behind = np.bincount(group, ~forward)
    both = bool(np.minimum(ahead, behind)[group].astype(bool).mean() >= MOST)
    if not table.decide("whether matches are seen by both sides", lambda: both):
        return
    first = np.zeros(len(ahead), bool)
    first[group[::-1]] = forward[::-1]  # how the first row of each meeting is turned
    kept = np.where(ahead == behind, first, ahead > behind)[group] == forward
    what = "of a match that another row tells of, and"
    words = f"row tells {what} is", f"rows tell {what} are"
    table.leave_out(np.flatnonzero(~kept), "mirrored-rows", "seen by both sides: ", *words, more=_KEEP)


def mix_bits(word: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread the bits of each word over all of it: Steele, Lea, Flood (2014), SplitMix.

    >>> [f"{word:x}" for word in mix_bits(np.array([0, 1], np.uint64))]
    ['e220a8397b1dcdaf', '910a2dec89025cc1']
    """
    word = word + np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))

"""Split the matches of a file with a row per player by a second column, such as the heats of an event."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Option
from ..cells.text import intern, text_of
from ..names.spelling import plain_name
from ..ragged import Floats, Ints, pair_codes
from ..read_context import Table
from .roles.aliases import EVENTS, HEATS, TABLES
from .roles.layout import Layout

MOST = 0.9  # fraction of the groups that must agree to decide how the file is read
FEW = 3  # with more groups, the last one may differ
_EVENTS, _HEATS, _TABLES = (frozenset(words.split()) for words in (EVENTS, HEATS, TABLES))


def split_matches(table: Table, layout: Layout, match: Ints, rank: Floats | None) -> tuple[Ints, bool]:
    """Return the number of the match of each row, and whether a second column splits the matches.

    The rows of an event are several matches if its players recur, if places start again in each heat, or if there are
    tables; a time counts for the whole event, even if it was swum in heats.
    """
    if "match" not in layout.roles or "match" in layout.mapped or not len(match):
        return match, False
    split, first = False, layout.roles["match"]
    words = _HEATS | _TABLES | (_EVENTS if plain_name(first) in _HEATS else frozenset())
    for column in layout.unused(table.frame.columns):
        plain = plain_name(column)
        if plain not in words or table.frame[column].dtype.is_nested():
            continue
        part, _ = intern(text_of(table, column).fill_null(""))
        finer = np.unique(pair_codes(match, part), return_inverse=True)[1].astype(np.int32)
        parts = _are_matches(table, layout, match, finer, rank, plain in _TABLES)
        if table.decide(f"whether {column} divides matches", lambda: parts or None):  # noqa: B023
            match, split = finer, True
            alone = Option("columns", {"match": first})
            inner, outer = (first, column) if plain in _EVENTS else (column, first)
            text = f"each {inner} of {outer} is a match of its own; use "
            table.note("match-columns", text, alone, f" to use only {first}", column=column)
    return match, split


def _are_matches(table: Table, layout: Layout, match: Ints, finer: Ints, rank: Floats | None, are_tables: bool) -> bool:
    _, first, size = np.unique(finer, return_index=True, return_counts=True)
    several = (np.bincount(match[first]) > 1)[match[first]]
    if not several.any() or not _nearly_all(size[several] > 1):
        return False
    if are_tables and "team" not in layout.roles:
        return True
    column = next((layout.roles[role] for role in ("player", "team") if role in layout.roles), None)
    if column is None:
        return False
    player, _ = intern(text_of(table, column).fill_null(""))
    again, still = (_count_repeated(pair_codes(code, player)) for code in (match, finer))
    if again > 1 and still <= (1 - MOST) * again:
        return True
    return rank is not None and _start_again(finer, several, rank)


def _count_repeated(codes: NDArray[Any]) -> int:
    return len(codes) - len(np.unique(codes))


def _start_again(finer: Ints, several: NDArray[np.bool_], rank: Floats) -> bool:
    """Return whether each part of a match has a first place."""
    best = np.full(len(several), np.inf)
    np.fmin.at(best, finer, rank)
    return _nearly_all(best[several] == 1)


def _nearly_all(right: NDArray[np.bool_]) -> bool:
    # The last part of a file may be cut off.
    return bool(right.mean() >= MOST or (len(right) > FEW and right[:-1].all()))

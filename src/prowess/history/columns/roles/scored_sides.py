"""Find sides by the headers of their scores, such as `red` and `red_score`, whatever the sides are called."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ...cells.numbers import numbers
from ...cells.text import text_of
from ...names.spelling import plain_name
from ...read_context import Problems, Table
from ..shapes.grids import Kinds
from .aliases import HOME_AWAY
from .headers import SCORE_HEADERS, are_alike, header_words, may_be_score

SIMILAR = 4  # the scores of two sides differ at most by this factor on average
SEVERAL = 5  # one side hardly wins more matches than this if it wins all of them
_NUMBER = r"^\s*[-+]?\d[\d.,]*\s*$"
_SIGNS = ("得分", "比分", "分数", "分", "点")  # for scores, without a blank before them


def scored_sides(sample: Table, kinds: Kinds) -> dict[str, str] | None:
    """Return the roles of sides and scores; None unless each of several scores names its own side.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"red": ["ann", "bob"], "tan": ["bob", "ann"], "red_pts": [3, 1], "tan_pts": [2, 4]})
    >>> scored_sides(Table(frame, "the frame"), {"time": [], "result": []})
    {'player1': 'red', 'score1': 'red_pts', 'player2': 'tan', 'score2': 'tan_pts'}
    """
    others = [column for column in sample.frame.columns if column not in (*kinds["time"], *kinds["result"])]
    # The headers tell so much that a few damaged cells of a column do not matter: they are problems.
    numbers, texts = ([column for column in others if _mostly(sample, column, cell)] for cell in (_NUMBER, r"\p{L}"))
    sides = {column: side for column in numbers if (side := _side_words(column))}
    members = {score: [name for name in texts if side <= _words(name)] for score, side in sides.items()}
    members = {score: names for score, names in members.items() if names}
    used = [name for names in members.values() for name in names]
    sizes = {len(names) for names in members.values()}
    if len(members) < 2 or len(sizes) > 1 or len(set(used)) < len(used) or not _recur(sample, members):
        return None
    order = sorted(members, key=lambda score: sample.frame.columns.index(members[score][0]))
    word = "player" if sizes == {1} else "team"
    venues = {venue: score for score in order for venue in ("home", "away") if _is_venue(venue, members[score])}
    if len(venues) == len(order):
        return {venue: members[score][0] for venue, score in venues.items()} | {
            f"{venue}_score": score for venue, score in venues.items()
        }
    return {
        role: column
        for number, score in enumerate(order, 1)
        for role, column in ((f"{word}{number}", "+".join(members[score])), (f"score{number}", score))
    }


def share_unit(table: Table, pair: Sequence[str]) -> bool:
    """Return whether two columns of numbers may be the scores of two sides, by their headers or else their sizes."""
    if are_alike(*pair) or not all(map(may_be_score, pair)):
        return all(map(may_be_score, pair))
    first, second = (numbers(replace(table, problems=Problems(), remarks=[]), column) for column in pair)
    low, high = sorted(1 + np.nanmean(np.abs(values)) for values in (first, second))
    decided = (lead := np.sign(first - second))[~np.isnan(lead) & (lead != 0)]
    return bool(high <= SIMILAR * low) and (len(decided) <= SEVERAL or abs(decided.sum()) < len(decided))


def _is_venue(venue: str, names: list[str]) -> bool:
    return len(names) == 1 and plain_name(names[0]) in HOME_AWAY[venue].split()


def _side_words(column: str) -> frozenset[str]:
    """Return the words of a header of scores that name the side; empty if it is not a header of scores."""
    sign = next((sign for sign in _SIGNS if column.strip().endswith(sign)), None)
    if sign is not None:
        return _words(column.strip().removesuffix(sign))
    words = _words(column)
    return words - SCORE_HEADERS if words & SCORE_HEADERS else frozenset()


def _words(column: str) -> frozenset[str]:
    return frozenset(filter(None, map(plain_name, header_words(column))))


def _mostly(sample: Table, column: str, pattern: str) -> bool:
    if sample.frame[column].dtype.is_nested():
        return False
    cells = text_of(sample, column).drop_nulls()
    return len(cells) < 2 * int(cells.str.contains(pattern).sum())


def _recur(sample: Table, members: Mapping[str, list[str]]) -> bool:
    # Players are sometimes on one side and sometimes on another.
    held = [{cell for name in names for cell in text_of(sample, name).drop_nulls()} for names in members.values()]
    return any(one & other for one, other in pairwise(held))

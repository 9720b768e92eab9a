"""Find sides by the headers of their scores, such as `red` and `red_score`, whatever the sides are called."""

from collections.abc import Mapping
from itertools import pairwise

from ..cells.text import text_of
from ..names import plain_name
from ..read_context import Table
from .aliases import HOME_AWAY, SCORE_WORDS, SCORES, SCORES_ALONE
from .grids import Kinds
from .headers import header_words

_SCORES = frozenset((*SCORES, *SCORES_ALONE.split(), *SCORE_WORDS.split(), "reti", "golos", "pontos", "punti"))
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


def _is_venue(venue: str, names: list[str]) -> bool:
    return len(names) == 1 and plain_name(names[0]) in HOME_AWAY[venue].split()


def _side_words(column: str) -> frozenset[str]:
    """Return the words of a header of scores that name the side; empty if it is not a header of scores."""
    sign = next((sign for sign in _SIGNS if column.strip().endswith(sign)), None)
    if sign is not None:
        return _words(column.strip().removesuffix(sign))
    words = _words(column)
    return words - _SCORES if words & _SCORES else frozenset()


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

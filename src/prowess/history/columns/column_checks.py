"""What columns hold, where their names alone would give them a role that they cannot play, or where they contradict."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..cells.numbers import numbers_together
from ..cells.places import ranks, seconds, words
from ..cells.results import PLAYED, pair_results
from ..cells.text import text_of
from ..cells.win_loss import word_results
from ..cells.words import YES_NO
from ..names import plain_name
from ..ragged import Floats
from ..read_context import Problems, Table
from .aliases import LONG
from .layout import Layout
from .wide_results import read_result_column

if TYPE_CHECKING:
    import polars as pl

SAMPLE = 1000  # rows that are looked at
BLANK = 0.2  # of the rows have no team: it is a club, which some have
_TIME = frozenset(("time", "zeit", "tiempo", "temps", "tempo", "время"))


def sample_of(table: Table) -> Table:
    """Give the first rows of a table, in which nothing is noted."""
    return replace(table, frame=table.frame.head(SAMPLE), remarks=[], problems=Problems(), left_out=[])


def unfit_columns(table: Table) -> dict[str, set[str]]:
    """Give for roles of a file with a row per player the columns that cannot play them, whatever they are called.

    A time such as 38:12 is how long somebody took, and no moment; a position such as "goalkeeper" is no place; a club
    that some do not have is no team; and a result that is no win and no loss says nothing.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"race": ["a", "a"], "position": ["left", "right"], "time": ["38:12", "41:05"]})
    >>> unfit_columns(Table(frame, "races"))
    {'rank': {'position'}, 'moment': {'time'}}
    """
    unfit: dict[str, set[str]] = {}
    names = {column: plain_name(column) for column in table.frame.columns if not table.frame[column].dtype.is_nested()}
    for role, holds in (("rank", _holds_places), ("result", _holds_wins), ("team", _is_filled)):
        for column in (column for column, name in names.items() if name in LONG[role].split()):
            if not holds(sample_of(table), column):
                unfit.setdefault(role, set()).add(column)
    match = next((column for name in LONG["match"].split() for column in names if names[column] == name), None)
    for column in (column for column, name in names.items() if name in _TIME):
        taken = _holds_durations(sample_of(table), column, match)
        unfit.setdefault("moment" if taken else "duration", set()).add(column)
    return unfit


def _holds_places(sample: Table, column: str) -> bool:
    """Tell whether at least half of the cells that hold something can be read as places, or as words instead."""
    filled = sample.frame[column].count()
    ranks(sample, column)
    return 2 * len(sample.problems) <= filled


def _holds_wins(sample: Table, column: str) -> bool:
    text = text_of(sample, column)
    return bool(2 * np.count_nonzero(word_results(sample, column, YES_NO).state == PLAYED) > text.count())


def _is_filled(sample: Table, column: str) -> bool:
    """Tell whether nearly everybody has a team; a row that ends before it says nothing."""
    import polars as pl

    columns = sample.frame.columns
    after = [text_of(sample, other).is_not_null() for other in columns[columns.index(column) + 1 :]]
    text = text_of(sample, column)
    if after:
        text = text.filter(text.is_not_null() | pl.DataFrame(after).select(pl.any_horizontal(pl.all())).to_series())
    return text.null_count() <= BLANK * len(text)


def _holds_durations(sample: Table, column: str, match: str | None) -> bool:
    """Tell whether a column says how long somebody took: 38:12, or numbers that differ in nearly every match."""
    import polars as pl

    if sample.frame[column].dtype != pl.String:
        return False
    text = text_of(sample, column)
    cells = text.drop_nulls()
    taken = np.array([seconds(cell) for cell in cells], np.float64)
    unplaced, absent = words(sample, column)
    read = np.count_nonzero(~np.isnan(taken)) + np.count_nonzero(unplaced | absent)
    if not len(cells) or 2 * read < len(cells):
        return False
    return bool(cells.str.contains(":").any()) or (match is not None and _differ(text, sample.frame[match]))


def _differ(values: "pl.Series", match: "pl.Series") -> bool:
    """Tell whether values differ within nearly all matches of several rows."""
    import polars as pl

    frame = pl.DataFrame({"match": match.cast(pl.String), "value": values}).drop_nulls()
    counts = frame.group_by("match").agg(pl.len().alias("rows"), pl.col("value").n_unique().alias("different"))
    several = counts.filter(pl.col("rows") > 1)
    return bool(len(several)) and bool((several["different"] > 1).mean() > 1 - BLANK)  # type: ignore[operator]


MOST = 0.9  # of the matches: so often two columns must say the same


def reconcile_results(table: Table, layout: Layout) -> Layout:
    """Give the layout in which the result is what its columns agree on.

    Scores or ranks of the sides that contradict a column for who won are something else, such as places in a ranking
    of the world. Beside who won, a column such as 2-1 gives the scores, if it says the same.
    """
    mapped = layout.mapped & {"winner", "score", *(role for role in layout.roles if role.startswith(("score", "rank")))}
    if not layout.also or len(layout.sides) != 2 or mapped or not len(table.frame):
        return layout
    if "winner" not in layout.roles:
        layout = _by_winner(table, layout)
    if "winner" in layout.roles:
        for column in layout.also:
            if column != layout.roles["winner"] and _scores_agree(table, layout, column):
                return _with(layout, {"score": column})
    return layout


def _with(layout: Layout, roles: Mapping[str, str]) -> Layout:
    return replace(layout, roles={**layout.roles, **roles})


def _by_winner(table: Table, layout: Layout) -> Layout:
    """Take a column for who won where the scores or ranks of the sides say otherwise."""
    order = _order(table, layout)
    for column in layout.also:
        who = _who_won(table, _with(layout, {"winner": column}))
        both = ~np.isnan(who) & ~np.isnan(order)
        if np.count_nonzero(both) < MOST * max(1, int(np.count_nonzero(~np.isnan(order)))):
            continue
        if (who[both] == order[both]).mean() >= MOST:
            return layout
        results = [name for side in layout.sides for name in (side.score, side.rank) if name is not None]
        sides = tuple(replace(side, score=None, rank=None) for side in layout.sides)
        roles = {role: used for role, used in layout.roles.items() if used not in results}
        text = f"{' and '.join(results)} contradict {column!r}, which says who won: they are not used"
        table.note("contradicting-results", text, column=column)
        return replace(layout, roles={**roles, "winner": column}, sides=sides)
    return layout


def _who_won(table: Table, layout: Layout) -> Floats:
    """Give 1 where the first side won, −1 where the second did, 0 for draws, NaN where nothing says so."""
    rank = read_result_column(sample_of(table), layout).rank
    assert rank is not None
    return np.sign(rank[:, 1] - rank[:, 0])


def _order(table: Table, layout: Layout) -> Floats:
    """Give the same by the scores or ranks of the sides."""
    sample = sample_of(table)
    scores = [side.score for side in layout.sides if side.score is not None]
    if scores:
        first, second = numbers_together(sample, scores)
        return np.sign(first - second)
    first, second = (ranks(sample, side.rank).rank for side in layout.sides if side.rank is not None)
    return np.sign(second - first)


def _scores_agree(table: Table, layout: Layout, column: str) -> bool:
    """Tell whether a column holds scores of both sides, and they say who won as the result does."""
    who = _who_won(table, layout)
    scores = pair_results(sample_of(table), column, decided=True)
    both = (scores.state == PLAYED) & ~np.isnan(who)
    decided = both & (scores.sign != 0)  # a shoot-out decides what the score leaves open
    if not scores.scored or not decided.any() or both.sum() < MOST * np.count_nonzero(~np.isnan(who)):
        return False
    return bool((scores.sign == who)[decided].mean() >= MOST)

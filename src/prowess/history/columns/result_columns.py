"""Where several columns may say how a match ended: which of them does, and whether they agree."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..cells.numbers import numbers_together
from ..cells.places import ranks
from ..cells.results import PLAYED, pair_results
from ..ragged import Floats
from ..read_context import Table
from .column_checks import sample_of
from .layout import Layout
from .wide_results import told

__all__ = ["agreed"]

MOST = 0.9  # of the matches: so often two columns must say the same


def agreed(table: Table, layout: Layout) -> Layout:
    """Give the layout in which the result is what its columns agree on.

    Scores or ranks of the sides that contradict a column for who won are something else, such as places in a ranking
    of the world. Beside who won, a column such as 2-1 gives the scores, if it says the same.
    """
    said = layout.mapped & {"winner", "score", *(role for role in layout.roles if role.startswith(("score", "rank")))}
    if not layout.also or len(layout.sides) != 2 or said or not len(table.frame):
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
        known = ~np.isnan(who) & ~np.isnan(order)
        if np.count_nonzero(known) < MOST * max(1, int(np.count_nonzero(~np.isnan(order)))):
            continue
        if (who[known] == order[known]).mean() >= MOST:
            return layout
        results = [one for side in layout.sides for one in (side.score, side.rank) if one is not None]
        sides = tuple(replace(side, score=None, rank=None) for side in layout.sides)
        roles = {role: used for role, used in layout.roles.items() if used not in results}
        text = f"{' and '.join(results)} contradict {column!r}, which says who won: they are not used"
        table.note("contradicting-results", text, column=column)
        return replace(layout, roles={**roles, "winner": column}, sides=sides)
    return layout


def _who_won(table: Table, layout: Layout) -> Floats:
    """Give 1 where the first side won, −1 where the second did, 0 for draws, NaN where nothing says so."""
    rank = told(sample_of(table), layout).rank
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

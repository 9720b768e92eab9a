"""How many matches of a history each player has played at each value of the facets."""

from __future__ import annotations

from math import inf

import numpy as np

from ...history import History
from ...history.ragged import owners
from ..ladder.facet_rows import enter_facets
from ..ladder.ladder import Ladder


def count_deviations(ladder: Ladder, history: History, time: float = inf) -> None:
    """Set the number of matches of each player's deviations to those of a history up to a time.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "context": {"mode": "1v1"}}] * 2)
    >>> ladder = pw.TrueSkill().replace(facets=(pw.facet.By("mode", sigma=3.0),)).fit(history).ladder
    >>> count_deviations(ladder, history[:1])
    >>> ladder.deviations["matches"].to_list()
    [1, 1]
    """
    if not any(facet.personal for facet in ladder.model.facets):
        return
    match = owners(history.match_start)[owners(history.team_start)]
    players = np.array([ladder.rows.get(name, -1) for name in history.players], np.int32)[history.player]
    counted = players >= 0
    if history.importance is not None:
        counted &= history.importance[match] > 0.0
    if history.time is not None:
        counted &= ~(history.time[match] > time)
    # Values and players without a row in the ladder get one in the copy.
    columns = enter_facets(ladder.copy(), history, players)
    for rows, column in zip(ladder.facets[: len(ladder.model.facets)], columns, strict=False):
        if rows.facet.personal:
            row = np.asarray(column.row)
            number = np.bincount(row[counted & (row >= 0)], minlength=len(rows))
            rows.state[: len(rows), -1] = number[: len(rows)]

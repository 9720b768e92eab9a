"""The results of "What? Where? When?", the evaluated spans, and functions that list the teams in another order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from prowess.errors import Error
from prowess.history import History
from prowess.history.ragged import gather, owners
from prowess.lab.slices import Mask

FILE = "chgk_team_results.csv.gz"
COLUMNS = {"match": "tournament_id", "player": "team_id", "rank": "position", "time": "date"}


def read(folder: Path) -> History:
    """Read the tournaments, in which every team is one player. Tournaments of a single team are left out.

    >>> read(Path("no such folder"))
    Traceback (most recent call last):
    ...
    prowess.Error: no such folder: chgk_team_results.csv.gz not found
    """
    if not (folder / FILE).exists():
        raise Error(f"{folder}: {FILE} not found")
    return History.read(folder / FILE, columns=COLUMNS)


@dataclass(frozen=True)
class Spans:
    """The spans that are evaluated: `last` gives the number of tournaments, at the end of the history, in each span.

    In the 2011 paper, Table 1 uses `last[0]`, and Table 2 uses all tournaments and all three spans. The 2010 paper uses
    `last[1]`. The last `last[0]` tournaments were not used for tuning. `window` is the width of the sliding window in
    charts, in tournaments.

    >>> Spans((300, 150, 50), 50).names
    ('all', 'last 300', 'last 150', 'last 50')
    """

    last: tuple[int, int, int]
    window: int

    @property
    def names(self) -> tuple[str, ...]:
        """The column names of Table 2 of the 2011 paper: all tournaments, then each span."""
        return ("all", *(f"last {many}" for many in self.last))

    def mask(self, history: History, many: int | None = None) -> Mask:
        """Return a mask of the last tournaments of a history, by default `last[0]` of them.

        >>> Spans((2, 1, 1), 1).mask(History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3))
        array([False,  True,  True])
        """
        return np.arange(len(history)) >= len(history) - (self.last[0] if many is None else many)


def mirrored(history: History) -> History:
    """Return the same results with the teams of every match listed in reverse order.

    >>> mirrored(History.from_matches([{"teams": [["ann"], ["bob", "cat"]]}]))[0]["teams"]
    [['bob', 'cat'], ['ann']]
    """
    return _listed(history, -np.arange(history.teams))


def shuffled(history: History, seed: int) -> History:
    """Return the same results with the teams of every match listed in random order.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"], ["cat"]]}])
    >>> sorted(shuffled(history, 1)[0]["teams"])
    [['ann'], ['bob'], ['cat']]
    """
    return _listed(history, np.random.default_rng(seed).random(history.teams))


def shuffled_ties(history: History, seed: int) -> History:
    """Return the same results with the teams of every match listed by place, and tied teams in random order.

    >>> shuffled_ties(History.from_matches([{"teams": [["ann"], ["bob"]], "ranks": [2, 1]}]), 1)[0]["teams"]
    [['bob'], ['ann']]
    """
    return _listed(history, np.random.default_rng(seed).random(history.teams), history.place)


def _listed(history: History, *keys: NDArray[np.integer] | NDArray[np.float64]) -> History:
    # The last key is the primary sort key within a match, as in `np.lexsort`.
    order = np.lexsort((*keys, owners(history.match_start)))
    team_start, entry = gather(history.team_start, order)
    return replace(
        history,
        team_start=team_start,
        player=history.player[entry],
        place=history.place[order],
        score=None if history.score is None else history.score[order],
        weight=None if history.weight is None else history.weight[entry],
        home=None,  # in a tournament nobody is at home
    )

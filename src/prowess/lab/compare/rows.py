"""The rows of a comparison: every scored match of every run, what happened there, and measures over any of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import Error
from ...history import History
from ...history.ragged import gather
from ...model.bases import Outcome
from ...model.forecasts import Forecasts
from ..catalogue import Measure
from ..measures import Tally
from ..measures.tally import Floats
from ..protocols import Run
from ..stream import TEAMS
from ..sums import Groups, Sums, sums_of
from .scored import Scored, larger

__all__ = ["Index", "Rows"]

Index = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Rows:
    """The scored matches: their indices in the history, the run of each, and their results.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3)
    >>> rows = Rows.of(history, [Run(slice(0, 2)), Run(slice(1, 3))])
    >>> rows.match, rows.run, len(rows.results)
    (array([0, 1, 1, 2]), array([0, 0, 1, 1]), 4)
    """

    history: History
    match: Index
    run: Index
    labels: tuple[str, ...]
    results: History

    @classmethod
    def of(cls, history: History, runs: Sequence[Run]) -> Rows:
        """The rows of some runs, one run after the other."""
        each = [run.rows(history) for run in runs]
        match = np.concatenate([np.zeros(0, np.intp), *each])
        number = np.repeat(np.arange(len(runs)), [len(rows) for rows in each])
        return cls(history, match, number, tuple(run.label for run in runs), _results(history, match))

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.match)

    def pick(self, where: ArrayLike | None) -> Index:
        """The rows whose matches a mask over the history chooses; all without a mask.

        >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3)
        >>> Rows.of(history, [Run(slice(1, 3))]).pick([True, False, True])
        array([1])
        """
        if where is None:
            return np.arange(len(self))
        mask = np.asarray(where)
        if mask.dtype != bool or mask.shape != (len(self.history),):
            raise Error(
                f"where must be a mask of {len(self.history)} truth values, one for each match of the history, not "
                f"{mask.dtype} of shape {mask.shape}"
            )
        picked = np.flatnonzero(mask[self.match])
        if not len(picked):
            raise Error("none of the matches of `where` was scored: choose others")
        return picked

    def tally(self, scored: Scored, measure: Measure, picked: Index) -> Tally:
        """What every picked row adds to a measure."""
        if measure.name in scored.tallies:
            return Tally(*(larger(column, picked) for column in scored.tallies[measure.name]))
        total, weight = np.empty(len(picked)), np.empty(len(picked))
        for here, forecasts in self.parts(scored, picked):
            tally = measure.tallied(forecasts)
            total[here], weight[here] = tally.total, tally.weight
        return Tally(total, weight)

    def sums(self, scored: Scored, measure: Measure, picked: Index, groups: Groups) -> Sums:
        """What every group of picked rows adds to a measure."""
        if measure.name in scored.tallies:
            return sums_of(self.tally(scored, measure, picked), groups)
        return measure.added(lambda: self.parts(scored, picked), groups)

    def parts(self, scored: Scored, picked: Index) -> Iterator[tuple[slice, Forecasts]]:
        """The chances that a model gave in the picked rows, some rows at a time, so that they stay in the cache."""
        every = len(picked) == len(self)
        step = max(1, TEAMS * len(self) // max(self.results.teams, 1))
        for first in range(0, len(picked), step):
            here = slice(first, min(first + step, len(picked)))
            rows = picked[here]
            results = self.results[here] if every else self.results.take(rows)
            win, draw = (larger(column, here if every else rows) for column in (scored.win, scored.draw))
            none: Floats = np.empty(0)
            yield here, Forecasts(results, Outcome(), none, none, np.broadcast_to(0.0, len(win)), (win, draw))


def _results(history: History, match: Index) -> History:
    """Who finished where in these matches, without players and times: any order of them is a history."""
    start, place = history.match_start, history.place
    if len(match) != len(history) or (match != np.arange(len(history))).any():
        start, teams = gather(start, match)
        place = place[teams]
    nobody = np.broadcast_to(np.int32(0), len(place) + 1)
    return replace(
        history,
        match_start=start,
        team_start=nobody,
        player=np.empty(0, np.int32),
        place=place,
        score=None,
        time=None,
        time_kind=None,
        time_zone=None,
        weight=None,
        importance=None,
        home=None,
        ids=None,
        players=(),
        recognised="",
    )

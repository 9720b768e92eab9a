"""What was measured: models, the matches that they were scored on, and every measure of them on resampled histories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import Error
from ...history import History
from ...history.ragged import gather
from ...model.components.interfaces import Outcome
from ...model.fit.forecasts import Forecasts
from ...model.model import Model
from ..bootstrap import Resampled, Resampling, View
from ..forecast_chunks import TEAMS
from ..interval import Interval
from ..measures import Tally
from ..measures.aggregate import Groups, Sums, sums_of
from ..measures.registry import MEASURES, Measure
from ..measures.tally import Floats
from ..protocols import Protocol, Run
from .scoring import Scored, larger

__all__ = ["Index", "Measured", "Rows"]


@dataclass(frozen=True, eq=False, repr=False)
class Measured:
    """Models and their columns over the scored matches; measures are computed when somebody asks, and kept."""

    models: Mapping[str, Model]
    measures: tuple[Measure, ...]
    protocol: Protocol
    rows: Rows
    scored: Mapping[str, Scored]
    resampling: Resampling

    @property
    def history(self) -> History:
        """The history that the models were compared on.

        >>> import prowess as pw
        >>> pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]), ["elo"]).history
        History(1 match, 2 players, places)
        """
        return self.rows.history

    def __len__(self) -> int:
        """Count the scored matches; one that several runs scored counts for each of them."""
        return len(self.rows)

    def known(self, model: str) -> str:
        """The name of a model, if it is one of these.

        >>> import prowess as pw
        >>> pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]), ["elo"]).known("Elo")
        'Elo'
        """
        if model not in self.models:
            raise Error(f"no model is called {model!r}; there are {', '.join(self.models)}")
        return model

    @cached_property
    def _all(self) -> View:
        return self.resampling.view(np.arange(len(self)), self.rows.match, self.history)

    def view(self, where: ArrayLike | None = None) -> View:
        """The rows that a mask chooses, grouped and resampled.

        >>> import prowess as pw
        >>> pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3), ["elo"]).view().picked
        array([0, 1, 2])
        """
        return (
            self._all if where is None else self.resampling.view(self.rows.pick(where), self.rows.match, self.history)
        )

    @cached_property
    def _known(self) -> dict[Measure, dict[str, Resampled]]:
        """What has been found for all rows, by measure and model."""
        return {}

    def resampled(self, measure: str | Measure | None = None, where: ArrayLike | None = None) -> dict[str, Resampled]:
        """A measure of every model that it can be told of, also on every resampled history.

        >>> import prowess as pw
        >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo"])
        >>> len(found.resampled("brier")["Elo"].values)
        1000
        """
        return self.found(self.measure(measure), self.view(where))

    def found(self, measure: Measure, view: View) -> dict[str, Resampled]:
        """A measure of all models that it can be told of, over a view of the rows.

        >>> import prowess as pw
        >>> made = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3), ["elo"])
        >>> list(made.found(made.measure("brier"), made.view()))
        ['Elo']
        """
        if view is self._all and measure in self._known:
            return self._known[measure]
        sums = {
            name: self.rows.sums(self.scored[name], measure, view.picked, view.groups)
            for name, model in self.models.items()
            if measure.fits(model)
        }
        found = view.draws.measures({name: one for name, one in sums.items() if not np.isnan(one.value)})
        if view is self._all:
            self._known[measure] = found
        return found

    def measure(self, name: str | Measure | None = None) -> Measure:
        """One of the measures by name; the first without one.

        >>> import prowess as pw
        >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}]), ["elo"])
        >>> found.measure().title
        'log loss'
        """
        if name is None:
            return self.measures[0]
        for measure in self.measures:
            if name in (measure, measure.name):
                return measure
        other, known = MEASURES.get(name) if isinstance(name, str) else name, [one.name for one in self.measures]
        kept = any(measure.chances for measure in self.measures)
        if kept and isinstance(other, Measure) and other.chances and other.name not in known:
            return other  # the columns that it needs are there
        raise Error(f"{getattr(name, 'name', name)!r} was not measured; there are {', '.join(known)}")

    def intervals(self, measure: str | Measure | None = None, where: ArrayLike | None = None) -> dict[str, Interval]:
        """A measure of every model that it can be told of, with its interval, the best model first.

        >>> import prowess as pw
        >>> found = pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"])
        >>> list(found.intervals("brier"))
        ['Glicko', 'Elo']
        """
        wanted = self.measure(measure)
        found = {name: one.interval for name, one in self.resampled(wanted, where).items()}
        if not found:
            raise Error(f"{wanted.name} can be told of none of these matches: choose others, or another measure")
        sign = -1.0 if wanted.higher else 1.0
        return dict(sorted(found.items(), key=lambda item: sign * item[1].value))

    @property
    def best(self) -> str:
        """The model that is best by the first measure.

        >>> import prowess as pw
        >>> pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"]).best
        'Glicko'
        """
        return next(iter(self.intervals()))

    @cached_property
    def sureness(self) -> float:
        """The share of resampled histories on which the best model is the best, too; where n are, it counts 1/n.

        >>> import prowess as pw
        >>> pw.lab.compare(pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9), ["elo", "glicko"]).sureness
        1.0
        """
        found = self.resampled()
        values = np.stack([one.values for one in found.values()])
        if np.isnan(values).any():
            return float("nan")
        first = values == (np.max if self.measure().higher else np.min)(values, axis=0)
        return float(np.mean(first[list(found).index(self.best)] / first.sum(axis=0)))


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
        remarks=(),
    )

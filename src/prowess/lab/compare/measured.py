"""What was measured: models, the matches that they were scored on, and every measure of them on resampled histories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ...errors import Error
from ...history import History
from ...model.model import Model
from ..bootstrap import Resampled, Resampling, View
from ..catalogue import MEASURES, Measure
from ..interval import Interval
from ..protocols import Protocol
from .rows import Rows
from .scored import Scored

__all__ = ["Measured"]


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

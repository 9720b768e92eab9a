"""Learning curves: the measures of every system on every split, and differences paired over the splits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from prowess.errors import Error
from prowess.history import History
from prowess.history.ragged import Floats
from prowess.lab import measures
from prowess.lab.interval import Interval
from prowess.lab.parallel import run_tasks
from prowess.model.model import Model

from .splits import Split

if TYPE_CHECKING:
    import polars as pl

MEASURES = ("information_gain", "auc", "score_mae", "log_loss")


class Measurement(NamedTuple):
    """The measures of a system on the test matches of a split; None if a measure does not apply."""

    information_gain: float
    auc: float
    score_mae: float | None = None
    log_loss: float | None = None


System = Callable[[Split], Measurement]
Unit = TypeVar("Unit")


def model_system(model: Model | Callable[[History], Model]) -> System:
    """Return a system from a model, or from a function that builds it from training matches, measured as in the paper.

    The AUC uses only matches with a winner.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [2, 1]}] * 3)
    >>> round(model_system(pw.TrueSkill())(Split.of(history, [0, 1], [2])).information_gain, 3)
    0.802
    """

    def measured(split: Split) -> Measurement:
        forecasts = split.forecasts(model if isinstance(model, Model) else model(split.train))
        scores = getattr(forecasts.outcome, "score", None) is not None
        return Measurement(
            measures.information_gain(forecasts).mean(),
            measures.auc(forecasts),
            measures.score_error(forecasts).mean() if scores else None,
            # A model that never forecasts a draw gets no log loss, because every draw would cost ln 10⁶.
            measures.log_loss(forecasts).mean() if forecasts.draw.any() else None,
        )

    return measured


@dataclass(frozen=True, eq=False)
class Curves:
    """The measures of every system for every share of training matches in every unit (a season or a random sample).

    `values` has axes for systems, percents, units and measures; NaN means that a system does not predict scores.

    >>> import numpy as np
    >>> curves = Curves(("a", "b"), (10, 20), np.arange(16.0).reshape(2, 2, 1, 4))
    >>> curves.mean("b", "auc")
    array([ 9., 13.])
    """

    systems: tuple[str, ...]
    percents: tuple[int, ...]
    values: Floats

    def units(self, chosen: NDArray[np.bool_]) -> Curves:
        """Return the curves of the chosen units."""
        return Curves(self.systems, self.percents, self.values[:, :, chosen])

    def of(self, system: str, measure: str) -> Floats:
        """Return the values of a measure for a system, with a row per percentage and a column per unit."""
        found: Floats = self.values[self.systems.index(system), :, :, MEASURES.index(measure)]
        return found

    def has(self, system: str, measure: str) -> bool:
        """Return whether a measure applies to a system."""
        return system in self.systems and not np.isnan(self.of(system, measure)).any()

    def mean(self, system: str, measure: str) -> Floats:
        """Return the mean over the units, for every percentage."""
        found: Floats = self.of(system, measure).mean(axis=1)
        return found

    def error(self, system: str, measure: str) -> Floats:
        """Return the standard error of the mean, for every percentage."""
        units = self.of(system, measure)
        count = units.shape[1]
        found: Floats = units.std(axis=1, ddof=1) / sqrt(count) if count > 1 else np.zeros(len(units))
        return found

    def difference(self, one: str, other: str, measure: str, percents: Sequence[int] | None = None) -> Interval:
        """Return how much higher the curve of one system lies than the curve of another, averaged over percentages.

        >>> import numpy as np
        >>> values = np.zeros((2, 1, 3, 4)); values[0, 0, :, 0] = 1.0, 2.0, 3.0
        >>> print(Curves(("a", "b"), (10,), values).difference("a", "b", "information_gain"))
        2.0 (-0.5 to 4.5)
        """
        at = [self.percents.index(percent) for percent in self.percents if percents is None or percent in percents]
        # Differences are paired by season, because seasons differ more than models do.
        gaps = (self.of(one, measure) - self.of(other, measure))[at].mean(axis=0)
        return Interval.student(gaps)

    def frame(self) -> pl.DataFrame:
        """Return a frame with a row for every point: system, measure, percent, mean, stderr.

        >>> import numpy as np
        >>> Curves(("a",), (10,), np.ones((1, 1, 2, 4))).frame().row(0)
        ('a', 'information_gain', 10, 1.0, 0.0)
        """
        import polars as pl

        rows = [
            (system, measure, percent, float(mean), float(error))
            for system in self.systems
            for measure in MEASURES
            if self.has(system, measure)
            for percent, mean, error in zip(
                self.percents, self.mean(system, measure), self.error(system, measure), strict=True
            )
        ]
        return pl.DataFrame(rows, ["system", "measure", "percent", "mean", "stderr"], orient="row")


def learning_curves(
    systems: Mapping[str, System],
    split: Callable[[int, Unit], Split],
    percents: Sequence[int],
    units: Sequence[Unit],
    *,
    label: str = "learning curves",
    jobs: int | None = None,
    progress: bool | None = None,
) -> Curves:
    """Measure every system on the split of every percentage and unit.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "scores": [2, 1]}] * 10)
    >>> first = lambda percent, unit: Split.of(history, list(range(percent // 10)), [9])
    >>> learning_curves({"TrueSkill": model_system(pw.TrueSkill())}, first, [10, 50], [1]).mean("TrueSkill", "auc")
    array([0.5, 0.5])
    """
    if not units or not percents:
        raise Error("a learning curve needs a share of training matches, and a season or random split")
    tasks = [(percent, unit) for percent in percents for unit in units]

    def measured(percent: int, unit: Unit) -> list[Measurement]:
        made = split(percent, unit)
        return [system(made) for system in systems.values()]

    found = run_tasks(measured, tasks, jobs=jobs, label=label, progress=progress)
    # The conversion turns None into NaN.
    values = np.array(found, dtype=np.float64).reshape(len(percents), len(units), len(systems), len(MEASURES))
    return Curves(tuple(systems), tuple(percents), values.transpose(2, 0, 1, 3))

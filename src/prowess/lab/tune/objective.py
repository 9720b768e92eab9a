"""What tuning makes small: a measure of the forecasts of a span of matches, as a function of a model's parameters."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import Error
from ...history import History
from ...text import join_words
from ..extras import extra
from ..forecast_chunks import forecast_parts
from ..measures import Tally
from ..measures.registry import MEASURES, Measure, measure_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model.fit.forecasts import Forecasts
    from ...model.model import Model

__all__ = ["Attempt", "Objective", "Tried", "loss_of", "tallied", "workers"]


class Tried(NamedTuple):
    """What came of a set of parameters: a loss, or the error with which the model failed."""

    loss: float
    error: str = ""


Attempt = Callable[[Sequence[Mapping[str, float]]], list[Tried]]  # tries sets of parameters


@dataclass(frozen=True, eq=False)
class Objective:
    """The mean of a measure over a history, of which the matches before `first` are learnt from and not scored.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9)
    >>> objective = Objective(pw.TrueSkill(draw_probability=0.01), history, MEASURES["log_loss"], first=1)
    >>> objective({"beta": 2.0}).loss < objective({"beta": 4.0}).loss
    True
    """

    model: Model
    history: History
    measure: Measure
    first: int

    def __call__(self, values: Mapping[str, float]) -> Tried:
        """The loss with some parameters; a set with which the model cannot work is no reason to stop."""
        try:
            loss = self.loss(self.model.replace(**values))
        except Error as error:
            return Tried(np.inf, str(error))
        return Tried(loss) if isfinite(loss) else Tried(np.inf, f"the loss is {loss}")

    def loss(self, model: Model) -> float:
        """The loss of a model: the measure, or less the measure where more is better.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> round(Objective(pw.Elo(), history, MEASURES["log_loss"], first=0).loss(pw.Elo()), 3)
        0.693
        """
        mean = tallied(self.measure, model, self.history).mean(slice(self.first, None))
        return -mean if self.measure.higher else mean


def tallied(measure: Measure, model: Model, history: History) -> Tally:
    """A measure of every match, forecast before it was learnt from.

    >>> import prowess as pw
    >>> tallied(MEASURES["brier"], pw.Elo(), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])).values
    array([0.5])
    """
    with warnings.catch_warnings():  # that EP did not converge somewhere says nothing to who tunes
        warnings.simplefilter("ignore")
        found = [measure.tallied(part.forecasts) for part in forecast_parts(model, history)]
    totals, weights = [tally.total for tally in found], [tally.weight for tally in found]
    return Tally(np.concatenate([*totals, np.zeros(0)]), np.concatenate([*weights, np.zeros(0)]))


def loss_of(wanted: str | Measure | Callable[[Forecasts], Tally] | None, history: History) -> Measure:
    """The measure that was asked for by name or as a function; by default the log loss, of pairs if teams are many.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}])
    >>> loss_of(None, history).titled, loss_of("information_gain", history).higher
    ('log loss (nats)', True)
    """
    if wanted is None:
        wanted = "log_loss" if bool((np.diff(history.match_start) == 2).all()) else "pair_log_loss"
    found = measure_of(wanted)
    if found.tally is None or found.neutral:
        able = join_words(
            name for name, measure in MEASURES.items() if measure.tally is not None and not measure.neutral
        )
        raise Error(f"tuning needs a measure that is a mean over matches, not {found.name!r}; there are {able}")
    return found


@contextmanager
def workers(objective: Objective, jobs: int) -> Iterator[Attempt]:
    """A function that tries sets of parameters, in so many processes, which share the columns of the history.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9)
    >>> with workers(Objective(pw.Elo(), history, MEASURES["log_loss"], first=1), jobs=1) as attempt:
    ...     [round(tried.loss, 2) for tried in attempt([{"k": 10.0}, {"k": 100.0}])]
    [0.58, 0.21]
    """
    if jobs == 1:
        yield lambda sets: [objective(values) for values in sets]
        return
    joblib = extra("joblib", "joblib")
    with joblib.Parallel(n_jobs=jobs) as parallel:  # it maps large columns into the memory of all processes
        yield lambda sets: parallel(joblib.delayed(objective)(values) for values in sets)

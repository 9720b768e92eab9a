"""What tuning makes small: a measure of the forecasts of a span of matches, as a function of a model's parameters."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import Error
from ..history import History
from .extras import extra
from .measures import Tally, log_loss, pair_log_loss

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model.forecasts import Forecasts
    from ..model.model import Model

__all__ = ["Measure", "Objective", "Tried", "usual_measure", "workers"]

Measure = Callable[["Forecasts"], Tally]


class Tried(NamedTuple):
    """What came of a set of parameters: a loss, or the error with which the model failed."""

    loss: float
    error: str = ""


@dataclass(frozen=True, eq=False)
class Objective:
    """The mean of a measure over a history, of which the matches before `first` are learnt from and not scored.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9)
    >>> objective = Objective(pw.TrueSkill(draw_probability=0.01), history, log_loss, first=1)
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
            with warnings.catch_warnings():  # that EP did not converge somewhere says nothing to who tunes
                warnings.simplefilter("ignore")
                loss = self.loss(self.model.replace(**values))
        except Error as error:
            return Tried(np.inf, str(error))
        return Tried(loss) if isfinite(loss) else Tried(np.inf, f"the loss is {loss}")

    def loss(self, model: Model) -> float:
        """The loss of a model.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> round(Objective(pw.Elo(), history, log_loss, first=0).loss(pw.Elo()), 3)
        0.693
        """
        return self.measure(model.fit(self.history, progress=False).forecasts).mean(slice(self.first, None))


def usual_measure(history: History) -> Measure:
    """The log loss of win, draw and loss; if a match has more teams than two, that of pairs of teams.

    >>> usual_measure(History.from_matches([{"teams": [["ann"], ["bob"]]}])).__name__
    'log_loss'
    """
    return log_loss if bool((np.diff(history.match_start) == 2).all()) else pair_log_loss


@contextmanager
def workers(objective: Objective, jobs: int) -> Iterator[Callable[[Sequence[Mapping[str, float]]], list[Tried]]]:
    """A function that tries sets of parameters, in so many processes, which share the columns of the history.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9)
    >>> with workers(Objective(pw.Elo(), history, log_loss, first=1), jobs=1) as attempt:
    ...     [round(tried.loss, 2) for tried in attempt([{"k": 10.0}, {"k": 100.0}])]
    [0.58, 0.21]
    """
    if jobs == 1:
        yield lambda sets: [objective(values) for values in sets]
        return
    joblib = extra("joblib", "joblib")
    with joblib.Parallel(n_jobs=jobs) as parallel:  # it maps large columns into the memory of all processes
        yield lambda sets: parallel(joblib.delayed(objective)(values) for values in sets)

"""The loss that tuning minimises, as a function of a model's parameters, and the plan of a tuning run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import Error, Option, Piece
from ...history import History
from ...model.ladder.facet_rows import check_columns
from ...model.model import Model
from ...optional import import_extra
from ...text import join_words
from ..bootstrap import Resampling
from ..forecast_chunks import forecast_chunks
from ..interval import Interval
from ..measures import Tally
from ..measures.registry import MEASURES, Measure, find_measure
from ..parallel import SharedHistory
from ..slices import count_before
from .study import TrialResult, history_fingerprint, model_fingerprint, qualified_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model.fit.forecasts import Forecasts

Evaluate = Callable[[Sequence[Mapping[str, float]]], list[TrialResult]]  # a function that evaluates sets of parameters
CutPoint = float | str | date  # a number of matches, a share of them below 1, or a date
MIN_SCORED = 10  # minimum number of matches to tune on, and to evaluate on


@dataclass(frozen=True, eq=False)
class Objective:
    """The mean of a measure over a history; the matches before `first` are learnt from, but not scored.

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

    def __call__(self, values: Mapping[str, float]) -> TrialResult:
        """Return the loss with the given parameters. If the model fails, the loss is infinite and the error is set."""
        try:
            loss = self.loss(self.model.replace(**values))
        except Error as error:
            return TrialResult(np.inf, str(error))
        return TrialResult(loss) if isfinite(loss) else TrialResult(np.inf, f"the loss is {loss}")

    def loss(self, model: Model) -> float:
        """Return a model's loss: the measure, negated if higher is better.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> round(Objective(pw.Elo(), history, MEASURES["log_loss"], first=0).loss(pw.Elo()), 3)
        0.693
        """
        mean = forecast_tally(self.measure, model, self.history).mean(slice(self.first, None))
        return -mean if self.measure.higher else mean


def forecast_tally(measure: Measure, model: Model, history: History) -> Tally:
    """Return a measure of each match's forecast, which is made before the model learns from the match.

    >>> import prowess as pw
    >>> forecast_tally(MEASURES["brier"], pw.Elo(), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])).values
    array([0.5])
    """
    tallies = [Tally(np.zeros(0), np.zeros(0))]
    with warnings.catch_warnings():  # bad parameters are tried on purpose, so their warnings are noise
        warnings.simplefilter("ignore")
        tallies += [measure.tallied(chunk.forecasts) for chunk in forecast_chunks(model, history)]
    return Tally(
        *(np.concatenate(columns) for columns in zip(*((own.total, own.weight) for own in tallies), strict=True))
    )


def choose_loss(requested: str | Measure | Callable[[Forecasts], Tally] | None, history: History) -> Measure:
    """Return the requested measure; by default log loss, or pair log loss if matches have more than two teams.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}])
    >>> choose_loss(None, history).titled, choose_loss("information_gain", history).higher
    ('log loss (nats)', True)
    """
    if requested is None:
        requested = "log_loss" if bool((np.diff(history.match_start) == 2).all()) else "pair_log_loss"
    measure = find_measure(requested)
    if measure.tally is None or measure.neutral:
        able = join_words(own.name for own in MEASURES.values() if own.tally is not None and not own.neutral)
        message = f"tuning needs a measure that is a mean over matches, not {measure.name!r}; available: {able}"
        raise Error(message, field="measure", value=measure.name)
    return measure


@contextmanager
def workers(objective: Objective, jobs: int) -> Iterator[Evaluate]:
    """Yield a function that evaluates sets of parameters in `jobs` processes, which share the history's columns.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9)
    >>> with workers(Objective(pw.Elo(), history, MEASURES["log_loss"], first=1), jobs=1) as attempt:
    ...     [round(result.loss, 2) for result in attempt([{"k": 10.0}, {"k": 100.0}])]
    [0.58, 0.21]
    """
    if jobs == 1:
        yield lambda sets: [objective(values) for values in sets]
        return
    joblib = import_extra("joblib", "joblib", "lab")
    with joblib.Parallel(n_jobs=jobs) as parallel:  # joblib shares large columns through memory maps
        yield lambda sets: parallel(joblib.delayed(objective)(values) for values in sets)


@dataclass(frozen=True, eq=False)
class Plan:
    """The plan of a tuning run: the objective on the training span, the current loss, and the whole history.

    `present` is the tally of all matches with the current parameters. The result is evaluated on the matches after the
    training span.
    """

    objective: Objective
    loss: float
    history: History
    present: Tally

    @property
    def end(self) -> int:
        """The index of the first match after the training span."""
        return len(self.objective.history)

    @property
    def matches(self) -> tuple[int, int, int]:
        """The numbers of matches in the burn-in, in the scored training span, and after it (for evaluation)."""
        first = self.objective.first
        return first, self.end - first, len(self.history) - self.end

    @property
    def subject(self) -> dict[str, Any]:
        """The properties that must be the same as in a stored study to continue it.

        The history is compared only up to the end of the training span, so later matches may be new.
        """
        return {
            "history": history_fingerprint(self.history[: self.end]),
            "first": self.objective.first,
            "model": model_fingerprint(self.objective.model),
            "measure": qualified_name(self.objective.measure.tally),
        }

    def gain(self, model: Model, seed: int) -> Interval:
        """Return how much better a model predicts the later matches than the current model: a paired difference."""
        if model == self.objective.model:
            return Interval(0.0, 0.0, 0.0)
        measure = self.objective.measure
        try:
            new = forecast_tally(measure, model, self.history)
        except Error as error:
            raise error.within("the best parameters fail on later matches; narrow their ranges: ") from None
        before, after = (Tally(own.total[self.end :], own.weight[self.end :]) for own in (self.present, new))
        return Resampling(seed=seed).difference(*((after, before) if measure.higher else (before, after)))


def make_plan(model: Model, history: History, train: CutPoint, burn_in: CutPoint, measure: Measure) -> Plan:
    """Split a history and measure the current parameters; raises the model's error if it cannot use the history.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 100)
    >>> make_plan(pw.Elo(), history, 0.6, 0.1, pw.lab.MEASURES["log_loss"]).matches
    (6, 54, 40)
    """
    check_columns(model, history)
    end = count_before(history, train, "train")
    first = count_before(history[:end], burn_in, "burn_in")
    present = forecast_tally(measure, model, history)
    remedy: tuple[Piece, ...] = "try ", Option("train", 0.6), " and ", Option("burn_in", 0.1), ", or a longer history"
    if len(present) and not present.weight.any():
        remedy = (f"{measure.name} does not apply to any of these matches: choose another measure",)
    for span, where in (("training", slice(first, end)), ("later", slice(end, None))):
        scored = int((present.weight[where] > 0).sum())
        if scored < MIN_SCORED:
            message = f"the {span} span has {scored} of {len(history)} matches to score, but needs {MIN_SCORED}; "
            raise Error(message, *remedy, field="train")
    objective = Objective(model, SharedHistory.of(history[:end], model.context_columns).history, measure, first)
    return Plan(objective, objective.loss(model), history, present)

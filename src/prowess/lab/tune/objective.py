"""What tuning makes small: a measure of the forecasts of a span of matches, as a function of a model's parameters."""

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
from ...model.model import Model
from ...optional import import_extra
from ...text import join_words
from ..bootstrap import Resampling
from ..compare.scoring import SharedHistory
from ..forecast_chunks import forecast_chunks
from ..interval import Interval
from ..measures import Tally
from ..measures.registry import MEASURES, Measure, find_measure
from ..slices import count_before
from .study import TrialResult, history_fingerprint, model_fingerprint, qualified_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model.fit.forecasts import Forecasts

Evaluate = Callable[[Sequence[Mapping[str, float]]], list[TrialResult]]  # tries sets of parameters


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

    def __call__(self, values: Mapping[str, float]) -> TrialResult:
        """The loss with some parameters; a set with which the model cannot work is no reason to stop."""
        try:
            loss = self.loss(self.model.replace(**values))
        except Error as error:
            return TrialResult(np.inf, str(error))
        return TrialResult(loss) if isfinite(loss) else TrialResult(np.inf, f"the loss is {loss}")

    def loss(self, model: Model) -> float:
        """The loss of a model: the measure, or less the measure where more is better.

        >>> import prowess as pw
        >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> round(Objective(pw.Elo(), history, MEASURES["log_loss"], first=0).loss(pw.Elo()), 3)
        0.693
        """
        mean = forecast_tally(self.measure, model, self.history).mean(slice(self.first, None))
        return -mean if self.measure.higher else mean


def forecast_tally(measure: Measure, model: Model, history: History) -> Tally:
    """A measure of every match, forecast before it was learnt from.

    >>> import prowess as pw
    >>> forecast_tally(MEASURES["brier"], pw.Elo(), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])).values
    array([0.5])
    """
    with warnings.catch_warnings():  # that EP did not converge somewhere says nothing to who tunes
        warnings.simplefilter("ignore")
        found = [measure.tallied(part.forecasts) for part in forecast_chunks(model, history)]
    totals, weights = [tally.total for tally in found], [tally.weight for tally in found]
    return Tally(np.concatenate([*totals, np.zeros(0)]), np.concatenate([*weights, np.zeros(0)]))


def choose_loss(wanted: str | Measure | Callable[[Forecasts], Tally] | None, history: History) -> Measure:
    """The measure that was asked for by name or as a function; by default the log loss, of pairs if teams are many.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}])
    >>> choose_loss(None, history).titled, choose_loss("information_gain", history).higher
    ('log loss (nats)', True)
    """
    if wanted is None:
        wanted = "log_loss" if bool((np.diff(history.match_start) == 2).all()) else "pair_log_loss"
    found = find_measure(wanted)
    if found.tally is None or found.neutral:
        able = join_words(
            name for name, measure in MEASURES.items() if measure.tally is not None and not measure.neutral
        )
        raise Error(
            f"tuning needs a measure that is a mean over matches, not {found.name!r}; there are {able}",
            field="measure",
            value=found.name,
        )
    return found


@contextmanager
def workers(objective: Objective, jobs: int) -> Iterator[Evaluate]:
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
    joblib = import_extra("joblib", "joblib", "lab")
    with joblib.Parallel(n_jobs=jobs) as parallel:  # it maps large columns into the memory of all processes
        yield lambda sets: parallel(joblib.delayed(objective)(values) for values in sets)


CutPoint = float | str | date  # a number of matches, a share of them below 1, or a date
LEAST = 10  # matches that must be scored, to tune on and to judge by


@dataclass(frozen=True, eq=False)
class Plan:
    """A training span with an objective, the loss of the present parameters on it, and what to judge by later.

    `present` is the measure of all matches with the present parameters.
    """

    objective: Objective
    loss: float
    history: History
    present: Tally

    @property
    def end(self) -> int:
        """The first match that is not looked at."""
        return len(self.objective.history)

    @property
    def matches(self) -> tuple[int, int, int]:
        """How many matches are learnt from before any is scored, are scored, and are left."""
        first = self.objective.first
        return first, self.end - first, len(self.history) - self.end

    @property
    def belongs(self) -> dict[str, Any]:
        """What a study of this is a study of; later matches may be added to the history."""
        return {
            "history": history_fingerprint(self.history[: self.end]),
            "first": self.objective.first,
            "model": model_fingerprint(self.objective.model),
            "measure": qualified_name(self.objective.measure.tally),
        }

    def gain(self, found: Model, seed: int) -> Interval:
        """How much better another model predicts the matches that were left: paired, resampled by blocks of time."""
        if found == self.objective.model:
            return Interval(0.0, 0.0, 0.0)
        measure = self.objective.measure
        try:
            new = forecast_tally(measure, found, self.history)
        except Error as error:
            raise error.within("the parameters that were found fail on later matches; narrow their ranges: ") from None
        before, later = (Tally(one.total[self.end :], one.weight[self.end :]) for one in (self.present, new))
        return Resampling(seed=seed).difference(*((later, before) if measure.higher else (before, later)))


def make_plan(model: Model, history: History, train: CutPoint, burn_in: CutPoint, measure: Measure) -> Plan:
    """Cut a history, and measure the present parameters; if the model cannot use the history, its own error says so.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 100)
    >>> make_plan(pw.Elo(), history, 0.6, 0.1, pw.lab.MEASURES["log_loss"]).matches
    (6, 54, 40)
    """
    end = count_before(history, train, "train")
    first = count_before(history[:end], burn_in, "burn_in")
    present = forecast_tally(measure, model, history)
    for what, where in (("the training span", slice(first, end)), ("the later span", slice(end, None))):
        scored = int((present.weight[where] > 0).sum())
        if scored < LEAST:
            raise Error(
                f"of {len(history)} matches {what} has {scored} to score, and at least {LEAST} are needed; ",
                *_remedy(measure, present),
                field="train",
            )
    objective = Objective(model, SharedHistory.of(history[:end]).history, measure, first)
    return Plan(objective, objective.loss(model), history, present)


def _remedy(measure: Measure, present: Tally) -> tuple[Piece, ...]:
    """What to do, if there are too few matches to score."""
    if len(present) and not present.weight.any():
        return (f"{measure.name} can be told of none of these matches: choose another measure",)
    return "try ", Option("train", 0.6), " and ", Option("burn_in", 0.1), ", or take a longer history"

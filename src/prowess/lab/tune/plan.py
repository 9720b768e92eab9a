"""What is tuned on, and what it is judged by: a history cut in matches that are learnt from, scored, and left."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from ...errors import Error, Option, Piece
from ...history import History
from ...model.model import Model
from ..bootstrap import Resampling
from ..compare.scoring import Shared
from ..interval import Interval
from ..measures import Tally
from ..measures.registry import Measure
from ..slices import count_before
from .objective import Objective, tallied
from .study import of_history, of_model, title

__all__ = ["Plan", "Until", "planned"]

Until = float | str | date  # a number of matches, a share of them below 1, or a date
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
            "history": of_history(self.history[: self.end]),
            "first": self.objective.first,
            "model": of_model(self.objective.model),
            "measure": title(self.objective.measure.tally),
        }

    def gain(self, found: Model, seed: int) -> Interval:
        """How much better another model predicts the matches that were left: paired, resampled by blocks of time."""
        if found == self.objective.model:
            return Interval(0.0, 0.0, 0.0)
        measure = self.objective.measure
        try:
            new = tallied(measure, found, self.history)
        except Error as error:
            raise Error(f"the parameters that were found fail on later matches; narrow their ranges: {error}") from None
        before, later = (Tally(one.total[self.end :], one.weight[self.end :]) for one in (self.present, new))
        return Resampling(seed=seed).difference(*((later, before) if measure.higher else (before, later)))


def planned(model: Model, history: History, train: Until, burn_in: Until, measure: Measure) -> Plan:
    """Cut a history, and measure the present parameters; if the model cannot use the history, its own error says so.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 100)
    >>> planned(pw.Elo(), history, 0.6, 0.1, pw.lab.MEASURES["log_loss"]).matches
    (6, 54, 40)
    """
    end = count_before(history, train, "train")
    first = count_before(history[:end], burn_in, "burn_in")
    present = tallied(measure, model, history)
    for what, where in (("the training span", slice(first, end)), ("the later span", slice(end, None))):
        scored = int((present.weight[where] > 0).sum())
        if scored < LEAST:
            raise Error(
                f"of {len(history)} matches {what} has {scored} to score, and at least {LEAST} are needed; ",
                *_remedy(measure, present),
            )
    objective = Objective(model, Shared.of(history[:end]).history, measure, first)
    return Plan(objective, objective.loss(model), history, present)


def _remedy(measure: Measure, present: Tally) -> tuple[Piece, ...]:
    """What to do, if there are too few matches to score."""
    if len(present) and not present.weight.any():
        return (f"{measure.name} can be told of none of these matches: choose another measure",)
    return ("try ", Option("train", 0.6), " and ", Option("burn_in", 0.1), ", or take a longer history")

"""What is tuned on, and what it is judged by: a history cut in matches that are learnt from, scored, and left."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from ..checks import number
from ..errors import Error
from ..history import History
from ..model.model import Model
from .fingerprint import of_history, of_model, title
from .measures import Tally, information_gain
from .objective import Measure, Objective, usual_measure
from .tuning import Gain, gain_between

__all__ = ["Plan", "planned"]

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
            "history": of_history(self.objective.history),
            "first": self.objective.first,
            "model": of_model(self.objective.model),
            "measure": title(self.objective.measure),
        }

    def gain(self, found: Model, seed: int) -> Gain:
        """How much better another model predicts the matches that were left."""
        later = slice(self.end, None)
        if found == self.objective.model:
            return Gain(0.0, 0.0, 0.0, int((self.present.weight[later] > 0).sum()))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                after = self.objective.measure(found.fit(self.history, progress=False).forecasts)
        except Error as error:
            raise Error(f"the parameters that were found fail on later matches; narrow their ranges: {error}") from None
        return gain_between(Tally(*_later(self.present, later)), Tally(*_later(after, later)), seed)


def _later(tally: Tally, later: slice) -> tuple[Any, Any]:
    return tally.total[later], tally.weight[later]


def planned(model: Model, history: History, train: Any, burn_in: Any, measure: Measure | None) -> Plan:
    """Cut a history, and measure the present parameters; if the model cannot use the history, its own error says so.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 100)
    >>> planned(pw.Elo(), history, 0.6, 0.1, None).matches
    (6, 54, 40)
    """
    if not isinstance(model, Model) or not isinstance(history, History):
        raise Error(f"tune needs a Model and a History, not {type(model).__name__} and {type(history).__name__}")
    if measure is information_gain:
        raise Error("information_gain is a gain, and tuning makes a loss small: take log_loss or pair_log_loss")
    end = _index(history, train, "train")
    span = history[:end]
    first = _index(span, burn_in, "burn_in")
    measure = measure or usual_measure(history)
    present = measure(model.fit(history, progress=False).forecasts)
    if not isinstance(present, Tally):
        raise Error(f"a measure to tune by must return a Tally, which {title(measure)} does not")
    counts = present.weight > 0
    for what, where in (("the training span", slice(first, end)), ("the later span", slice(end, None))):
        scored = int(counts[where].sum())
        if scored < LEAST:
            raise Error(
                f"of {len(history)} matches {what} has {scored} to score, and at least {LEAST} are needed; "
                "change `train` or `burn_in`, or take a longer history"
            )
    objective = Objective(model, span, measure, first)
    return Plan(objective, objective.loss(model), history, present)


def _index(history: History, where: Any, name: str) -> int:
    """The first match after so many, after a share of them (below 1), or at or after a time."""
    if not isinstance(where, (int, float)):
        return len(history.between(end=where))
    given = number(name, where)
    if given < 0 or (given >= 1 and given != int(given)):
        raise Error(f"{name} must be a number of matches, a share of them below 1, or a date, not {where!r}")
    return min(int(given) if given >= 1 else round(given * len(history)), len(history))

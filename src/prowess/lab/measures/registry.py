"""The measures by name: title, unit, which direction is better, and how to aggregate them over matches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import Error
from ...history import History
from ...model.fit.forecasts import Forecasts
from ...model.model import Model
from .. import measures
from .aggregate import Groups, Parts, Sums, area_sums, calibration_sums
from .tally import Tally, ratio


@dataclass(frozen=True)
class Measure:
    """A measure with its name, title and unit; `higher` means that higher is better.

    Most measures are means of a `tally` over the matches. Measures that are not means have `sums`: the contributions of
    groups of matches. `chances` means that the measure needs only the win and draw probabilities of two teams, `scores`
    that it needs predicted scores, and `neutral` that neither direction is better, so that it cannot select a model.

    >>> from functools import partial
    >>> strict = Measure("strict", "pair error, ties wrong", tally=partial(measures.pair_error, ties=1))
    >>> strict.titled, MEASURES["log_loss"].titled
    ('pair error, ties wrong', 'log loss (nats)')
    """

    name: str
    title: str
    unit: str = ""
    higher: bool = False
    tally: Callable[[Forecasts], Tally] | None = None
    sums: Callable[[Parts, Groups], Sums] | None = None
    chances: bool = False
    scores: bool = False
    neutral: bool = False

    def __post_init__(self) -> None:
        """Check that there is exactly one way to compute the measure."""
        if (self.tally is None) == (self.sums is None):
            message = f"the measure {self.name!r} needs either a tally or sums, not both"
            raise Error(message, field="measure", value=self.name)

    @property
    def titled(self) -> str:
        """The title with the unit.

        >>> MEASURES["auc"].titled
        'AUC'
        """
        return f"{self.title} ({self.unit})" if self.unit else self.title

    @property
    def better(self) -> str:
        """The better direction: "higher" or "lower".

        >>> MEASURES["auc"].better
        'higher'
        """
        return "higher" if self.higher else "lower"

    def fits(self, model: Model) -> bool:
        """Return whether the measure can be computed for a model.

        >>> import prowess as pw
        >>> MEASURES["score_error"].fits(pw.Elo()), MEASURES["score_error"].fits(pw.PoissonOD())
        (False, True)
        """
        return not self.scores or hasattr(model.outcome, "score")

    def best(self, values: Mapping[str, float]) -> str:
        """Return the name of the model with the best value.

        >>> MEASURES["auc"].best({"Elo": 0.7, "Glicko": 0.72}), MEASURES["brier"].best({"Elo": 0.7, "Glicko": 0.72})
        ('Glicko', 'Elo')
        """
        return (max if self.higher else min)(values, key=lambda name: values[name])

    def tallied(self, forecasts: Forecasts) -> Tally:
        """Return the contribution of every match; raises `Error` if the measure is not a mean over matches.

        >>> import prowess as pw
        >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> MEASURES["brier"].tallied(pw.Elo().fit(history).forecasts).values
        array([0.5])
        """
        if self.tally is None:
            message = f"{self.name} is not a mean over matches, so it has no value for a single match"
            raise Error(message, field="measure", value=self.name)
        tally = self.tally(forecasts)
        if not isinstance(tally, Tally) or len(tally) != len(forecasts):
            message = f"the measure {self.name} must return a Tally with a total and a weight for every match"
            raise Error(message, field="measure", value=self.name)
        return tally

    def added(self, parts: Parts, groups: Groups) -> Sums:
        """Return the sums of this measure for each group of matches. `parts` yields the forecasts in chunks."""
        if self.sums is not None:
            return self.sums(parts, groups)
        sums = np.zeros((groups.number, 2))
        for where, forecasts in parts():
            tally = self.tallied(forecasts)
            sums += Groups(groups.of[where], groups.number).sum_columns(tally.total, tally.weight)
        return Sums(sums, ratio)


MEASURES: Mapping[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("log_loss", "log loss", "nats", tally=measures.log_loss, chances=True),
        Measure("information_gain", "information gain", "bits", True, measures.information_gain, chances=True),
        Measure("brier", "Brier score", tally=measures.brier, chances=True),
        Measure("auc", "AUC", higher=True, sums=area_sums, chances=True),
        Measure("pair_error", "pair error", tally=measures.pair_error),
        Measure("calibration_error", "calibration error", sums=calibration_sums, chances=True),
        Measure("pair_log_loss", "pair log loss", "nats", tally=measures.pair_log_loss),
        Measure("place_error", "place error", tally=measures.place_error),
        Measure("score_error", "score error", "points", tally=measures.score_error, scores=True),
        Measure("sharpness", "sharpness", "bits", tally=measures.sharpness, chances=True, neutral=True),
    )
}
TWO_TEAMS = ("log_loss", "information_gain", "brier", "auc", "pair_error", "calibration_error")
MORE_TEAMS = ("pair_error", "pair_log_loss", "place_error")


def choose_measures(
    requested: Iterable[str | Measure | Callable[[Forecasts], Tally]] | None,
    history: History,
    models: Mapping[str, Model],
) -> tuple[Measure, ...]:
    """Return the requested measures, or by default the measures that suit the history and the models.

    >>> import prowess as pw
    >>> history = History.from_matches([{"teams": [["ann"], ["bob"], ["cat"]]}])
    >>> [measure.name for measure in choose_measures(None, history, {"Elo": pw.Elo()})]
    ['pair_error', 'pair_log_loss', 'place_error']
    """
    teams = np.diff(history.match_start)
    scored = history.score is not None and any(map(MEASURES["score_error"].fits, models.values()))
    if requested is None:
        requested = (*(TWO_TEAMS if (teams == 2).all() else MORE_TEAMS), *(["score_error"] if scored else []))
    listed: Any = requested if isinstance(requested, Iterable) and not isinstance(requested, str) else [requested]
    chosen = [find_measure(item) for item in listed]
    if not chosen:
        raise Error("no measure to compare by: leave `measures` out for the default ones", field="measures")
    first, names = chosen[0], [measure.name for measure in chosen]
    # The first measure selects the best model.
    if first.neutral:
        message = f"{first.name} cannot decide which forecasts are better: put another measure first"
        raise Error(message, field="measures", value=first.name)
    if first.chances and len(history) and not (teams == 2).any():
        message = f"{first.name} needs matches of two teams, and this history has none: put another measure first"
        raise Error(message, field="measures", value=first.name)
    for measure in chosen:
        problem = ""
        # A measure is a column of the tables that `Comparison` returns.
        if measure.name in ("label", "matches", "model"):
            problem = f"a measure cannot be named {measure.name!r}: tables have a column of that name"
        elif names.count(measure.name) > 1:
            problem = f"the measure {measure.name!r} is listed twice"
        elif measure.scores and not scored:
            problem = f"{measure.name} needs a history with scores and a model that predicts them, such as PoissonOD"
        if problem:
            raise Error(problem, field="measures", value=measure.name)
    return tuple(chosen)


def find_measure(requested: str | Measure | Callable[[Forecasts], Tally]) -> Measure:
    """Return a measure, given by name, as a `Measure`, or as a function of forecasts for which lower is better.

    >>> find_measure("brier").title, find_measure(measures.information_gain).higher
    ('Brier score', True)
    >>> find_measure(measures.pair_error).name
    'pair_error'
    """
    if isinstance(requested, Measure):
        return requested
    if callable(requested):
        name: str = getattr(requested, "__name__", "measure")
        # The function of a built-in measure keeps the title and direction of that measure.
        named = Measure(name, name.replace("_", " "), tally=requested)
        return next((measure for measure in MEASURES.values() if measure.tally is requested), named)
    if not isinstance(requested, str) or requested not in MEASURES:
        message = f"no measure named {requested!r}; available: {', '.join(MEASURES)}"
        raise Error(message, field="measure", value=requested)
    return MEASURES[requested]

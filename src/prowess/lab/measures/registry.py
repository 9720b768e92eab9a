"""The measures by name: what they are called, in which unit, which way is better, and how they add up over matches."""

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
from . import Tally
from .aggregate import Groups, Parts, Sums, area_sums, calibration_sums, ratio


@dataclass(frozen=True)
class Measure:
    """A measure with its name, title and unit; `higher` says that more is better.

    Most are means of a `tally` over the matches. The others have `sums`, which says what groups of matches add.
    `chances` says that win and draw of two teams are all that it looks at, `scores` that it needs predicted scores,
    `neutral` that neither more nor less of it is better, so that no model can be chosen by it.

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
        """A measure must measure."""
        if (self.tally is None) == (self.sums is None):
            raise Error(f"the measure {self.name!r} needs either a tally or sums", field="measure", value=self.name)

    @property
    def titled(self) -> str:
        """The title with the unit.

        >>> MEASURES["auc"].titled
        'AUC'
        """
        return f"{self.title} ({self.unit})" if self.unit else self.title

    def fits(self, model: Model) -> bool:
        """Whether it can be told of a model.

        >>> import prowess as pw
        >>> MEASURES["score_error"].fits(pw.Elo()), MEASURES["score_error"].fits(pw.PoissonOD())
        (False, True)
        """
        return not self.scores or hasattr(model.outcome, "score")

    def best(self, values: Mapping[str, float]) -> str:
        """The name of the best value.

        >>> MEASURES["auc"].best({"Elo": 0.7, "Glicko": 0.72}), MEASURES["brier"].best({"Elo": 0.7, "Glicko": 0.72})
        ('Glicko', 'Elo')
        """
        return (max if self.higher else min)(values, key=lambda name: values[name])

    def tallied(self, forecasts: Forecasts) -> Tally:
        """What every match adds to it, where it is a mean over matches.

        >>> import prowess as pw
        >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> MEASURES["brier"].tallied(pw.Elo().fit(history).forecasts).values
        array([0.5])
        """
        if self.tally is None:
            raise Error(
                f"{self.name} is not a mean over matches: it cannot be told of one match",
                field="measure",
                value=self.name,
            )
        found = self.tally(forecasts)
        if not isinstance(found, Tally) or len(found) != len(forecasts):
            raise Error(
                f"a measure must return a Tally, with a total and a weight for every match, which {self.name} does not",
                field="measure",
                value=self.name,
            )
        return found

    def added(self, parts: Parts, groups: Groups) -> Sums:
        """What every group of matches adds to the measure, from forecasts that come in parts."""
        if self.sums is not None:
            return self.sums(parts, groups)
        found = np.zeros((groups.number, 2))
        for where, forecasts in parts():
            tally = self.tallied(forecasts)
            for side, column in enumerate((tally.total, tally.weight)):
                found[:, side] += np.bincount(groups.of[where], column, groups.number)
        return Sums(found, ratio)


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
TAKEN = ("label", "matches", "model")  # columns of tables
MORE_TEAMS = ("pair_error", "pair_log_loss", "place_error")


def choose_measures(
    wanted: Iterable[str | Measure | Callable[[Forecasts], Tally]] | None, history: History, models: Mapping[str, Model]
) -> tuple[Measure, ...]:
    """The measures that were asked for, or those that suit the history and the models.

    >>> import prowess as pw
    >>> history = History.from_matches([{"teams": [["ann"], ["bob"], ["cat"]]}])
    >>> [measure.name for measure in choose_measures(None, history, {"Elo": pw.Elo()})]
    ['pair_error', 'pair_log_loss', 'place_error']
    """
    if wanted is None:
        names: list[Any] = list(TWO_TEAMS if (np.diff(history.match_start) == 2).all() else MORE_TEAMS)
        if history.score is not None and any(MEASURES["score_error"].fits(model) for model in models.values()):
            names.append("score_error")
        wanted = names
    every: Any = wanted if isinstance(wanted, Iterable) and not isinstance(wanted, str) else [wanted]
    found = [find_measure(one) for one in every]
    if not found:
        raise Error(
            "there is no measure to compare by: leave `measures` out for those that suit the history", field="measures"
        )
    if found[0].neutral:
        raise Error(
            f"{found[0].name} says nothing of which forecasts are right: put another measure first",
            field="measures",
            value=found[0].name,
        )
    if found[0].chances and len(history) and not (np.diff(history.match_start) == 2).any():
        raise Error(
            f"{found[0].name} is of matches of two teams, and here are none: put another first",
            field="measures",
            value=found[0].name,
        )
    for measure in found:
        if measure.name in TAKEN:
            raise Error(
                f"a measure cannot be called {measure.name!r}: tables have a column of that name",
                field="measures",
                value=measure.name,
            )
        if [other.name for other in found].count(measure.name) > 1:
            raise Error(f"the measure {measure.name!r} is named twice", field="measures", value=measure.name)
        if measure.scores and (history.score is None or not any(map(measure.fits, models.values()))):
            raise Error(
                f"{measure.name} needs a history with scores and a model that predicts them, such as PoissonOD",
                field="measures",
                value=measure.name,
            )
    return tuple(found)


def find_measure(wanted: str | Measure | Callable[[Forecasts], Tally]) -> Measure:
    """A measure by its name, as it is, or made of a function of forecasts, of which less is better.

    >>> find_measure("brier").title, find_measure(measures.information_gain).higher
    ('Brier score', True)
    >>> find_measure(measures.pair_error).name
    'pair_error'
    """
    if isinstance(wanted, Measure):
        return wanted
    if callable(wanted):
        known = [measure for measure in MEASURES.values() if measure.tally is wanted]
        name: str = getattr(wanted, "__name__", "measure")
        return known[0] if known else Measure(name, name.replace("_", " "), tally=wanted)
    if not isinstance(wanted, str) or wanted not in MEASURES:
        raise Error(f"no measure is called {wanted!r}; there are {', '.join(MEASURES)}", field="measure", value=wanted)
    return MEASURES[wanted]

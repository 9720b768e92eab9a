"""The measures by name: what they are called, in which unit, which way is better, and how they add up over matches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History
from ...model.fit.forecasts import Forecasts
from ...model.model import Model
from .. import measures
from . import Tally
from .aggregate import Groups, Sums, ratio
from .calibration import DECIDE, Calibration, binned, bins_of, edges_of, has_draws, pooled
from .probabilities import Result, two_teams
from .ranking import placements
from .tally import Floats

__all__ = [
    "GROUPED",
    "MEASURES",
    "MOST",
    "Measure",
    "areas",
    "calibration_errors",
    "calibration_of",
    "chosen",
    "measure_of",
]

BINS = 10

Parts = Callable[[], Iterator[tuple[slice, Forecasts]]]  # forecasts of all matches, some in a row at a time


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
            raise Error(f"the measure {self.name!r} needs either a tally or sums")

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
            raise Error(f"{self.name} is not a mean over matches: it cannot be told of one match")
        found = self.tally(forecasts)
        if not isinstance(found, Tally) or len(found) != len(forecasts):
            raise Error(
                f"a measure must return a Tally, with a total and a weight for every match, which {self.name} does not"
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


def area_sums(parts: Parts, groups: Groups) -> Sums:
    """The area under the curve as two means, over matches that the first team won and over those that it lost.

    The structural components of DeLong, DeLong and Clarke-Pearson (1988): resampled, their means give the area but for
    terms of the order 1/n.
    """
    found = [(where, *two_teams(forecasts)) for where, forecasts in parts()]
    group = np.concatenate([groups.of[where][match] for where, match, _ in found])
    drawn = np.concatenate([result.drawn for _, _, result in found])
    p = np.concatenate([result.expected for _, _, result in found])[~drawn]
    won = np.concatenate([result.won for _, _, result in found])[~drawn].astype(np.float64)
    order, placed = placements(p, won)
    group, won = group[~drawn][order], won[order]
    columns = (placed * won, won, placed * (1.0 - won), 1.0 - won)
    sums: Floats = np.stack([np.bincount(group, column, groups.number) for column in columns], axis=1, dtype=np.float64)
    area = float(ratio(sums.sum(axis=0)[:2]))
    return Sums(sums, lambda drawn: np.clip(ratio(drawn[..., :2]) + ratio(drawn[..., 2:]) - area, 0.0, 1.0))


def calibration_sums(parts: Parts, groups: Groups) -> Sums:
    """The expected calibration error: in every bin, the number of forecasts, and the sums of expected and happened."""
    results = [two_teams(forecasts)[1] for _, forecasts in parts()]
    draws = any(map(has_draws, results))
    step = 1 + len(groups.of) // DECIDE
    some = np.concatenate([side[::step] for one in results for side in (one.win, one.loss, one.draw)[: 2 + draws]])
    if not len(some):
        return Sums(np.zeros((groups.number, 3)), _distance)  # no two teams anywhere
    edges = edges_of(some, BINS)
    bins = len(edges) + 1
    found = np.zeros((3, groups.number * bins))
    for where, forecasts in parts():
        match, p, seen = pooled(forecasts, draws=draws)
        at = groups.of[where][match] * bins + bins_of(p, edges)
        for side, column in enumerate((None, p, seen)):
            found[side] += np.bincount(at, column, groups.number * bins)
    shaped = found.reshape(3, groups.number, bins).transpose(1, 0, 2).reshape(groups.number, 3 * bins)
    return Sums(shaped, _distance, _distance_by_chance)


def _distance(sums: Floats) -> Floats:
    """How far expected and happened are apart, on average over the forecasts."""
    count, expected, happened = np.split(sums, 3, axis=-1)
    return ratio(np.stack([np.abs(expected - happened).sum(axis=-1), count.sum(axis=-1)], axis=-1))


def _distance_by_chance(drawn: Floats, whole: Floats) -> Floats:
    """The same, if all bins were right: how far resampled bins are from those of all matches."""
    count, expected, happened = np.split(drawn, 3, axis=-1)
    off = expected - happened - np.subtract(*np.split(whole, 3)[1:])
    return ratio(np.stack([np.abs(off).sum(axis=-1), count.sum(axis=-1)], axis=-1))


def calibration_of(sums: Sums) -> Calibration:
    """The bins behind a calibration error.

    >>> calibration_of(Sums(np.array([[4.0, 3.0, 2.0], [6.0, 3.0, 4.0]]), _distance)).happened
    array([0.6])
    """
    return binned(*np.split(sums.parts.sum(axis=0), 3))


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


def chosen(
    wanted: Iterable[str | Measure | Callable[[Forecasts], Tally]] | None, history: History, models: Mapping[str, Model]
) -> tuple[Measure, ...]:
    """The measures that were asked for, or those that suit the history and the models.

    >>> import prowess as pw
    >>> history = History.from_matches([{"teams": [["ann"], ["bob"], ["cat"]]}])
    >>> [measure.name for measure in chosen(None, history, {"Elo": pw.Elo()})]
    ['pair_error', 'pair_log_loss', 'place_error']
    """
    if wanted is None:
        names: list[Any] = list(TWO_TEAMS if (np.diff(history.match_start) == 2).all() else MORE_TEAMS)
        if history.score is not None and any(MEASURES["score_error"].fits(model) for model in models.values()):
            names.append("score_error")
        wanted = names
    every: Any = wanted if isinstance(wanted, Iterable) and not isinstance(wanted, str) else [wanted]
    found = [measure_of(one) for one in every]
    if not found:
        raise Error("there is no measure to compare by: leave `measures` out for those that suit the history")
    if found[0].neutral:
        raise Error(f"{found[0].name} says nothing of which forecasts are right: put another measure first")
    if found[0].chances and len(history) and not (np.diff(history.match_start) == 2).any():
        raise Error(f"{found[0].name} is of matches of two teams, and here are none: put another first")
    for measure in found:
        if measure.name in TAKEN:
            raise Error(f"a measure cannot be called {measure.name!r}: tables have a column of that name")
        if [other.name for other in found].count(measure.name) > 1:
            raise Error(f"the measure {measure.name!r} is named twice")
        if measure.scores and (history.score is None or not any(map(measure.fits, models.values()))):
            raise Error(f"{measure.name} needs a history with scores and a model that predicts them, such as PoissonOD")
    return tuple(found)


def measure_of(wanted: str | Measure | Callable[[Forecasts], Tally]) -> Measure:
    """A measure by its name, as it is, or made of a function of forecasts, of which less is better.

    >>> measure_of("brier").title, measure_of(measures.information_gain).higher, measure_of(measures.pair_error).name
    ('Brier score', True, 'pair_error')
    """
    if isinstance(wanted, Measure):
        return wanted
    if callable(wanted):
        known = [measure for measure in MEASURES.values() if measure.tally is wanted]
        name: str = getattr(wanted, "__name__", "measure")
        return known[0] if known else Measure(name, name.replace("_", " "), tally=wanted)
    if not isinstance(wanted, str) or wanted not in MEASURES:
        raise Error(f"no measure is called {wanted!r}; there are {', '.join(MEASURES)}")
    return MEASURES[wanted]


MOST = DECIDE // 3  # matches of a group: of more forecasts only some decide where the bins lie
ForecastParts = Iterator[tuple[slice, Forecasts]]
Index = NDArray[np.intp]


def areas(p: Floats, won: NDArray[np.bool_], group: Index, number: int) -> Floats:
    """The area under the curve in every group: by the ranks of its forecasts; NaN where all were won, or none.

    >>> areas(np.array([0.9, 0.8, 0.3, 0.8, 0.5]), np.array([1, 0, 0, 1, 1], bool), np.array([0, 0, 0, 0, 1]), 2)
    array([0.875,   nan])
    """
    if not len(p):
        return np.full(number, np.nan)
    order = np.lexsort((p, group))
    p, group, wins = p[order], group[order], won[order].astype(np.float64)
    level = np.zeros(len(p), np.intp)
    np.cumsum((p[1:] != p[:-1]) | (group[1:] != group[:-1]), out=level[1:])
    won_at, lost_at = np.bincount(level, wins), np.bincount(level, 1.0 - wins)
    of = np.zeros(len(won_at), np.intp)
    of[level] = group
    won_in, lost_in = (np.bincount(of, column, number) for column in (won_at, lost_at))
    before = np.cumsum(lost_in) - lost_in  # in the groups before
    below = np.cumsum(lost_at) - 0.5 * lost_at - before[of]
    return ratio(np.stack([np.bincount(of, won_at * below, number), won_in * lost_in], axis=-1))


def calibration_errors(p: Floats, seen: Floats, group: Index, number: int) -> Floats:
    """The expected calibration error of every group, in bins of its own that hold equally many of its forecasts.

    >>> p, seen = np.array([0.2, 0.8, 0.5]), np.array([0.0, 1.0, 0.0])
    >>> calibration_errors(p, seen, np.array([0, 0, 1]), 2).round(3)
    array([0.2, 0.5])
    """
    if not len(p):
        return np.full(number, np.nan)
    order = np.lexsort((p, group))
    p, group, seen = p[order], group[order], seen[order]
    size = np.bincount(group, minlength=number)
    first = np.cumsum(size) - size
    at: Index = group * BINS
    for share in np.linspace(0, 1, BINS + 1)[1:-1]:
        edge = _quantiles(p, first, size, share)
        at += p >= edge[group]
    off = np.bincount(at, p - seen, number * BINS).reshape(number, BINS)
    return ratio(np.stack([np.abs(off).sum(axis=1), size], axis=-1))


def _quantiles(p: Floats, first: Index, size: Index, share: float) -> Floats:
    """A quantile of every group of sorted numbers, as NumPy has it: on the line between two neighbours."""
    last = np.maximum(size - 1, 0)
    place = share * last
    floor = place.astype(np.intp)
    low = p[np.minimum(first + floor, len(p) - 1)]
    high = p[np.minimum(first + np.minimum(floor + 1, last), len(p) - 1)]
    part = place - floor
    found: Floats = np.where(part < 0.5, low + (high - low) * part, high - (high - low) * (1.0 - part))
    return found


def _area_values(parts: ForecastParts, groups: Groups) -> Floats:
    group, result = _results(parts, groups)
    told = ~result.drawn
    return areas(result.expected[told], result.won[told], group[told], groups.number)


def _calibration_values(parts: ForecastParts, groups: Groups) -> Floats:
    """Draws count in the groups in which one was given a chance, or came."""
    group, result = _results(parts, groups)
    drawn = np.bincount(group, (result.draw > 0) | result.drawn, groups.number)[group] > 0
    sides = [(result.win, result.won), (result.loss, ~result.won & ~result.drawn)]
    p = np.concatenate([side for side, _ in sides] + [result.draw[drawn]])
    seen = np.concatenate([came for _, came in sides] + [result.drawn[drawn]]).astype(np.float64)
    return calibration_errors(p, seen, np.concatenate([group, group, group[drawn]]), groups.number)


def _results(parts: ForecastParts, groups: Groups) -> tuple[Index, Result]:
    """The results of all matches of two teams, and their groups."""
    found = [(groups.of[where], *two_teams(forecasts)) for where, forecasts in parts]
    group = np.concatenate([of[match] for of, match, _ in found])
    columns = zip(*(result for _, _, result in found), strict=True)
    return group, Result(*map(np.concatenate, columns))


GROUPED: Mapping[Callable[..., Sums] | None, Callable[[ForecastParts, Groups], Floats]] = {
    area_sums: _area_values,
    calibration_sums: _calibration_values,
}

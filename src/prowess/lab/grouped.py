"""Measures that are no means over matches, of many groups of matches at once: thousands of labels cost one sort."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from ..model.forecasts import Forecasts
from .catalogue import BINS, area_sums, calibration_sums
from .measures.calibration import DECIDE
from .measures.probabilities import Result, two_teams
from .measures.tally import Floats
from .sums import Groups, Sums, ratio

__all__ = ["GROUPED", "MOST", "areas", "calibration_errors"]

MOST = DECIDE // 3  # matches of a group: of more forecasts only some decide where the bins lie
Parts = Iterator[tuple[slice, Forecasts]]
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


def _area_values(parts: Parts, groups: Groups) -> Floats:
    group, result = _results(parts, groups)
    told = ~result.drawn
    return areas(result.expected[told], result.won[told], group[told], groups.number)


def _calibration_values(parts: Parts, groups: Groups) -> Floats:
    """Draws count in the groups in which one was given a chance, or came."""
    group, result = _results(parts, groups)
    drawn = np.bincount(group, (result.draw > 0) | result.drawn, groups.number)[group] > 0
    sides = [(result.win, result.won), (result.loss, ~result.won & ~result.drawn)]
    p = np.concatenate([side for side, _ in sides] + [result.draw[drawn]])
    seen = np.concatenate([came for _, came in sides] + [result.drawn[drawn]]).astype(np.float64)
    return calibration_errors(p, seen, np.concatenate([group, group, group[drawn]]), groups.number)


def _results(parts: Parts, groups: Groups) -> tuple[Index, Result]:
    """The results of all matches of two teams, and their groups."""
    found = [(groups.of[where], *two_teams(forecasts)) for where, forecasts in parts]
    group = np.concatenate([of[match] for of, match, _ in found])
    columns = zip(*(result for _, _, result in found), strict=True)
    return group, Result(*map(np.concatenate, columns))


GROUPED: Mapping[Callable[..., Sums] | None, Callable[[Parts, Groups], Floats]] = {
    area_sums: _area_values,
    calibration_sums: _calibration_values,
}

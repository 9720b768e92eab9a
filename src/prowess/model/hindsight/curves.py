"""Skill curves: what a whole history says about a skill at any time, at matches and between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...history import History
from ..engine.chains import Chain

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# From the times before and after steps to a, c and q of the drift s ← a s + c + N(0, q), with a column for each trait.
Transition = Callable[[Floats, Floats], tuple[Floats, Floats, Floats]]
Law = tuple[tuple[Floats, Floats], Transition]  # mean and variance of every chain at its start, and the drift


def log_integral(mean: Floats, variance: Floats, precision: Floats, push: Floats) -> Floats:
    """Return log ∫ N(x; mean, variance) exp(push x − ½ precision x²) dx.

    >>> log_integral(np.array(1.0), np.array(2.0), np.array(0.0), np.array(0.5)).round(3)
    np.float64(0.75)
    """
    share = 1.0 + variance * precision
    return 0.5 * (push * (variance * push + 2.0 * mean) - precision * mean * mean) / share - 0.5 * np.log(share)


@dataclass(frozen=True, eq=False)
class Visits:
    """All visits to a kind of chains, in the order of the matches.

    `row` is the chain of every visit (−1 if there is none), `match` the index of its match, `time` the time of the
    match (NaN if unknown) and `weight` its importance. There are `chains` chains, and some may have no visits.
    """

    row: Ints
    match: NDArray[np.integer[Any]]
    time: Floats
    weight: Floats
    chains: int

    @cached_property
    def by_chain(self) -> tuple[Ints, Ints]:
        """All visits that count, sorted by chain and in the order of time, and where each chain begins."""
        counted = np.flatnonzero((self.row >= 0) & (self.weight > 0.0))
        order = counted[np.argsort(self.row[counted], kind="stable")]
        start = np.searchsorted(self.row[order], np.arange(self.chains + 1))
        return order, start

    def visits(self, chain: int) -> Ints:
        """Return the visits of a chain, in the order of time."""
        order, start = self.by_chain
        return order[start[chain] : start[chain + 1]]

    def count_before(self, chains: Ints, times: Floats) -> Ints:
        """Return how many visits of each chain are not after a time; visits without a time never are."""
        order, start = self.by_chain
        if len(np.unique(times)) == 1 and len(chains) > 1:
            done = np.concatenate([[0], np.cumsum(~(self.time[order] > times[0]))])
            before: Ints = done[start[chains + 1]] - done[start[chains]]
            return before
        found = [
            np.searchsorted(self.time[self.visits(chain)], time, side="right")
            if time == time
            else len(self.visits(chain))
            for chain, time in zip(chains.tolist(), times.tolist(), strict=True)
        ]
        return np.array(found, np.int64)


def visits_of(history: History, row: NDArray[np.integer[Any]], match: NDArray[np.integer[Any]], chains: int) -> Visits:
    """Return the visits of the matches at given indices of a history to the chains in `row`."""
    time = np.full(len(history), np.nan) if history.time is None else history.time.astype(np.float64)
    weight = np.ones(len(history)) if history.importance is None else history.importance
    return Visits(row.astype(np.int64), match, time[match], weight[match], chains)


@dataclass(frozen=True, eq=False)
class ConstantCurves(Visits):
    """The curves of skills that do not drift: the belief about each chain is N(`mean`, `variance`) at all times."""

    mean: Floats
    variance: Floats

    def at_visits(self, visits: Ints) -> tuple[Floats, Floats]:
        """Return means and variances at some visits, given all matches."""
        return self.mean[self.row[visits]], self.variance[self.row[visits]]

    def at(self, chains: Ints, times: Floats) -> tuple[Floats, Floats]:
        """Return means and variances of chains, given all matches; they are the same at all `times`."""
        return self.mean[chains], self.variance[chains]


@dataclass(frozen=True, eq=False)
class Curves(Visits):
    """The messages of all visits to a kind of chains, one row each, with a column for each trait.

    The forward messages are N(`mean`, `variance`); `precision` and `push` belong to the sites, and `later_precision`
    and `later_push` to the messages from later visits. A chain without visits has the belief N(`prior_mean`,
    `prior_variance`), which has a row for each chain.
    """

    mean: Floats
    variance: Floats
    precision: Floats
    push: Floats
    later_precision: Floats
    later_push: Floats
    prior_mean: Floats
    prior_variance: Floats
    transition: Transition

    @classmethod
    def of(cls, chain: Chain, visits: Visits, law: Law, first: int = 0) -> Curves:
        """Return the curves of the visits from `first` on of a chain whose forward messages have been kept."""
        row = visits.row
        cells = slice(2 * chain.traits * first, 2 * chain.traits * (first + len(row)))
        parts = (part[cells].reshape(-1, chain.traits, 2) for part in (chain.forward, chain.sites, chain.messages))
        pairs: list[Any] = [column for part in parts for column in (part[..., 0], part[..., 1])]
        # A row that occurs several times in a match is visited once; the other places have no forward message.
        unvisited = np.isnan(pairs[0][:, 0])
        if unvisited.any():
            row = np.where(unvisited, -1, row)
            pairs = [np.where(unvisited[:, None], 0.0, part) for part in pairs]
        prior, transition = law
        columns: list[Any] = [row, visits.match, visits.time, visits.weight, visits.chains, *pairs, *prior, transition]
        return cls(*columns)

    @property
    def log_evidence(self) -> float:
        """What the visits add to the log-evidence, beside that of each match given all others."""
        w = self.weight[:, None]
        copies = np.maximum(w - 1.0, 0.0)
        mean, variance = tilt(
            self.mean,
            self.variance,
            self.later_precision + copies * self.precision,
            self.later_push + copies * self.push,
        )
        apart = log_integral(mean, variance, self.precision, self.push)
        return float((log_integral(self.mean, self.variance, w * self.precision, w * self.push) - w * apart).sum())

    def slope(self, low: Law, high: Law) -> float:
        """Return the change of the log-evidence between two laws of these chains that hardly differ.

        At the fixed point of all messages, the evidence may be differentiated with the sites held fixed: of every
        visit, only the mean and the variance of the forward message change.
        """
        order, start = self.by_chain
        if not len(order):
            return 0.0
        first = np.isin(np.arange(len(order)), start)
        before = np.concatenate([order[:1], order[:-1]])
        w = self.weight[before, None]
        mean, variance = tilt(
            self.mean[before], self.variance[before], w * self.precision[before], w * self.push[before]
        )
        earlier = np.where(first, self.time[order], self.time[before])
        moments = []
        for (prior_mean, prior_variance), transition in (low, high):
            a, c, q = transition(earlier, self.time[order])
            m = np.where(first[:, None], prior_mean[self.row[order]], mean)
            v = np.where(first[:, None], prior_variance[self.row[order]], variance)
            moments.append((a * m + c, a * a * v + q))
        w = self.weight[order, None]
        precision = self.later_precision[order] + w * self.precision[order]
        push = self.later_push[order] + w * self.push[order]
        share = 1.0 / (1.0 + precision * self.variance[order])
        pull = (push - precision * self.mean[order]) * share
        by_variance = 0.5 * (pull * pull - precision * share)
        change = (moments[1][0] - moments[0][0]) * pull + (moments[1][1] - moments[0][1]) * by_variance
        return float(change.sum())

    def at_visits(self, visits: Ints) -> tuple[Floats, Floats]:
        """Return means and variances at some visits, given all matches."""
        w = self.weight[visits, None]
        precision = self.later_precision[visits] + w * self.precision[visits]
        push = self.later_push[visits] + w * self.push[visits]
        return tilt(self.mean[visits], self.variance[visits], precision, push)

    def at(self, chains: Ints, times: Floats) -> tuple[Floats, Floats]:
        """Return means and variances of chains at times, given all matches.

        Between two visits, the belief after the earlier one is carried forward and the message of the later one back.
        """
        order, start = self.by_chain
        before = self.count_before(chains, times)
        has_earlier = before > 0
        has_later = before < start[chains + 1] - start[chains]
        last = len(order) - 1
        at_visit = np.append(order, 0)
        earlier = at_visit[np.clip(start[chains] + before - 1, 0, max(last, 0))]
        later = at_visit[np.clip(start[chains] + before, 0, max(last, 0))]
        mean, variance = self._carried(chains, earlier, has_earlier, times)
        precision, push = self._brought(later, has_later, times)
        return tilt(mean, variance, precision, push)

    def _carried(
        self, chains: Ints, earlier: Ints, has_earlier: NDArray[np.bool_], times: Floats
    ) -> tuple[Floats, Floats]:
        """Return the beliefs after earlier visits, carried forward to the times, or the prior if there are none."""
        w = self.weight[earlier, None]
        mean, variance = tilt(
            self.mean[earlier], self.variance[earlier], w * self.precision[earlier], w * self.push[earlier]
        )
        a, c, q = self.transition(self.time[earlier], times)
        # What a drift adds at every match belongs to the next match.
        _, _, at_match = self.transition(times, times)
        known = has_earlier[:, None]
        return (
            np.where(known, a * mean + c, self.prior_mean[chains]),
            np.where(known, a * a * variance + np.maximum(q - at_match, 0.0), self.prior_variance[chains]),
        )

    def _brought(self, later: Ints, has_later: NDArray[np.bool_], times: Floats) -> tuple[Floats, Floats]:
        """Return what later visits say about the times: a precision, and the precision times the mean."""
        w = self.weight[later, None]
        known = has_later[:, None]
        precision = np.where(known, self.later_precision[later] + w * self.precision[later], 0.0)
        push = np.where(known, self.later_push[later] + w * self.push[later], 0.0)
        a, c, q = self.transition(times, self.time[later])
        share = a / (1.0 + q * precision)
        return a * precision * share, (push - c * precision) * share


def tilt(mean: Floats, variance: Floats, precision: Floats, push: Floats) -> tuple[Floats, Floats]:
    """Return mean and variance of N(mean, variance) times exp(push x − ½ precision x²).

    >>> tilt(np.array(0.0), np.array(1.0), np.array(1.0), np.array(1.0))
    (np.float64(0.5), np.float64(0.5))
    """
    share = 1.0 / (1.0 + variance * precision)
    return (mean + variance * push) * share, variance * share

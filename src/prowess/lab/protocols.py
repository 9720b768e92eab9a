"""Protocols: which matches a model learns from, and which it is scored on.

Forecasts are always made before their match, in chronological order, from earlier matches only. If a match is scored
but models must not learn from it, it has importance 0 in the history of its run: it is forecast, but no rating changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Error
from ..history import History
from ..validate import probability, whole
from .slices import Mask, count_before, experience, seasons


@dataclass(frozen=True, eq=False)
class Run:
    """One pass of a model over selected matches of a history, in which all players start as newcomers.

    `matches` is a slice or increasing indices. `learnt` and `scored` are masks over the selected matches; None means
    all of these matches.

    >>> import numpy as np
    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3)
    >>> run = Run(slice(0, 3), learnt=np.array([True, True, False]), scored=np.array([False, False, True]))
    >>> run.of(history).importance, run.rows(history)
    (array([1., 1., 0.]), array([2]))
    """

    matches: slice | NDArray[np.intp]
    learnt: Mask | None = None
    scored: Mask | None = None
    label: str = ""

    def of(self, history: History) -> History:
        """Return the history to rate: the run's matches, with importance 0 for matches that are not learnt from.

        >>> Run(slice(1, 3)).of(History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3))
        History(2 matches, 2 players, places)
        """
        if isinstance(self.matches, slice):
            part = history if self.matches == slice(0, len(history)) else history[self.matches]
        else:
            part = history.take(self.matches)
        if self.learnt is None:
            return part
        # With importance 0 a match is still forecast, but not learnt from.
        own = np.ones(len(part)) if part.importance is None else part.importance
        return replace(part, importance=np.where(self.learnt, own, 0.0))

    def rows(self, history: History) -> NDArray[np.intp]:
        """Return the indices of the scored matches in the whole history.

        >>> Run(slice(1, 3)).rows(History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3))
        array([1, 2])
        """
        every = np.arange(len(history))[self.matches]
        return every if self.scored is None else every[self.scored]


class Protocol:
    """The base class of protocols, which split a history into runs.

    >>> Protocol().runs(History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    Traceback (most recent call last):
    ...
    prowess.Error: Protocol must define the method runs()
    """

    def runs(self, history: History) -> tuple[Run, ...]:
        """Return the runs that every model makes."""
        raise Error(f"{type(self).__name__} must define the method runs()")


@dataclass(frozen=True)
class Prequential(Protocol):
    """Forecast every match, score it, then learn from it. The first matches, the burn-in, are not scored.

    `burn_in`: a number of matches, a share of all matches (below 1), or a date.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 4)
    >>> [run] = Prequential(burn_in=0.5).runs(history)
    >>> run.rows(history)
    array([2, 3])
    """

    burn_in: float | str | date = 0

    def runs(self, history: History) -> tuple[Run, ...]:
        """Return one run over all matches."""
        first = count_before(history, self.burn_in, "burn_in")
        return (Run(slice(0, len(history)), scored=np.arange(len(history)) >= first if first else None, label="all"),)

    def __str__(self) -> str:
        """Describe the protocol."""
        if self.burn_in == 0:
            return "every match was forecast before the model learnt the result, and was scored"
        if isinstance(self.burn_in, (str, date)):
            span = f"until {self.burn_in}"
        else:
            span = f"{self.burn_in:,.0f} matches" if self.burn_in >= 1 else f"{100 * self.burn_in:g} % of the matches"
        return f"every match was forecast before the model learnt the result, and was scored after a burn-in ({span})"


@dataclass(frozen=True)
class SeasonSplits(Protocol):
    """Learn from the first matches of every season and score the last: Guo et al. (2012), section 5.1.

    `train`: the share of a season's matches from which models learn. `test`: the share at the end of the season that is
    scored; None scores all matches from which models do not learn. With `reset`, all players start every season as
    newcomers; otherwise models also learn from all matches of earlier seasons. A season is a calendar year, or the time
    between breaks of `gap` days, unless `seasons` labels every match. `known`: score only matches whose players all
    appeared in earlier learnt matches.

    >>> days = [f"{year}-01-0{day}" for year in (2025, 2026) for day in range(1, 6)]
    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]], "time": day} for day in days])
    >>> [(run.label, run.rows(history).tolist()) for run in SeasonSplits(train=0.6, test=0.2).runs(history)]
    [('2025', [4]), ('2026', [9])]
    """

    train: float = 0.8
    reset: bool = True
    seasons: Sequence[Any] | None = None
    test: float | None = None
    gap: float | None = None
    known: bool = False

    def __post_init__(self) -> None:
        """Check the shares, and store the labels as a tuple, so that protocols can be compared."""
        _check_shares(self.train, self.test)
        if self.seasons is not None:
            object.__setattr__(self, "seasons", tuple(np.asarray(self.seasons).tolist()))

    def runs(self, history: History) -> tuple[Run, ...]:
        """Return a run for every season."""
        labels = seasons(history, self.gap) if self.seasons is None else self.seasons
        season, names = label_codes(history, labels)
        # Seasons may overlap in time, so matches are numbered within each season.
        by = np.argsort(season, kind="stable")
        size = np.bincount(season, minlength=len(names))
        rank = np.empty(len(season), np.intp)
        rank[by] = np.arange(len(season)) - np.repeat(np.cumsum(size) - size, size)
        shares = np.array([_shares(int(count), self.train, self.test) for count in size], np.intp).reshape(-1, 2)
        learnt, scored = rank < shares[season, 0], rank >= (size - shares[:, 1])[season]
        runs = []
        for index, name in enumerate(names):
            own = np.flatnonzero(season == index)
            if self.reset:
                run = Run(_span(own), learnt[own], scored[own], name)
            else:
                own = np.arange(own[-1] + 1)
                here = season[own] == index
                run = Run(_span(own), (season[own] < index) | (here & learnt[own]), here & scored[own], name)
            runs.append(_only_known_players(run, history) if self.known else run)
        return tuple(runs)

    def __str__(self) -> str:
        """Describe the protocol."""
        start = "every season began without ratings" if self.reset else "models also learnt from earlier seasons"
        return f"in every season {_describe_shares(self, 'the first')}; {start}{KNOWN * self.known}"


@dataclass(frozen=True)
class RandomSplits(Protocol):
    """Repeat several times: learn from a random part of the matches and score others, in chronological order.

    `train`: the share of all matches that is drawn as training matches. All other matches are scored: each is forecast
    from the training matches before it. `test`: if given, this share of the matches, at the end of the history, is
    scored in every split, and the matches to learn from are drawn from all earlier matches. `known`: score only matches
    whose players all appeared in earlier learnt matches. Guo et al. (2012), section 5.1, use random splits for the Halo
    matches.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 10)
    >>> [run.rows(history).tolist() for run in RandomSplits(times=2, train=0.5, test=0.2).runs(history)]
    [[8, 9], [8, 9]]
    >>> [len(run.rows(history)) for run in RandomSplits(times=3, train=0.7, seed=1).runs(history)]
    [3, 3, 3]
    """

    times: int = 10
    train: float = 0.8
    seed: int = 0
    test: float | None = None
    known: bool = False

    def __post_init__(self) -> None:
        """Check the shares and the number of splits."""
        _check_shares(self.train, self.test)
        whole("times", self.times, 1)
        whole("seed", self.seed)

    def runs(self, history: History) -> tuple[Run, ...]:
        """Return one run over all matches for each of the `times` random splits."""
        many = len(history)
        train, test = _shares(many, self.train, self.test)
        pool = many if self.test is None else many - test
        runs = []
        for time in range(self.times):
            learnt = np.zeros(many, bool)
            # One generator per split, so that the first splits stay the same if more are requested.
            learnt[np.random.default_rng([self.seed, time]).permutation(pool)[:train]] = True
            scored = ~learnt if self.test is None else np.arange(many) >= pool
            run = Run(slice(0, many), learnt, scored, f"split {time + 1}")
            runs.append(_only_known_players(run, history) if self.known else run)
        return tuple(runs)

    def __str__(self) -> str:
        """Describe the protocol."""
        return f"{self.times} times {_describe_shares(self, 'a random')}{KNOWN * self.known}"


KNOWN = "; only matches whose players had all played before were scored"


def _check_shares(train: float, test: float | None) -> None:
    probability("train", train, ends=False)
    if test is not None and train + probability("test", test, ends=False) > 1.0 + 1e-9:
        message = f"train and test must add up to at most 1, but {train:g} + {test:g} is more"
        raise Error(message, field="test", value=test)


def _shares(many: int, train: float, test: float | None) -> tuple[int, int]:
    # Both numbers are rounded half to even.
    # The inner rounding removes errors of floating-point products.
    first, last = (round(round(many * share, 6)) for share in (train, test or 0.0))
    return first, many - first if test is None else min(last, many - first)


def label_codes(history: History, labels: Any) -> tuple[NDArray[np.intp], list[str]]:
    """Number the distinct labels in order of first appearance; return each match's number, and the distinct labels.

    >>> label_codes(History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3), ["b", "a", "b"])
    (array([0, 1, 0]), ['b', 'a'])
    """
    column = np.asarray(labels)
    if column.shape != (len(history),):
        raise Error(f"labels must have one entry per match: expected {len(history)}, got {column.size}", field="labels")
    if column.dtype.kind in "OfM":  # the dtypes that can have missing values; NaN does not equal itself
        missing = [label is None or (label != label) is True for label in column.tolist()]
        if any(missing):
            match = missing.index(True)
            raise Error(f"every match needs a label, but match {match + 1} has none", field="labels", match=match)
    if column.dtype == object:
        column = np.array([str(label) for label in column])  # values of different types cannot be sorted
    names, first, at = np.unique(column, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.intp)
    place[order] = np.arange(len(order))
    return place[at], [str(name) for name in names[order]]


def _span(index: NDArray[np.intp]) -> slice | NDArray[np.intp]:
    first, last = int(index[0]), int(index[-1]) + 1
    # A slice shares the history's memory; an index copies it.
    return slice(first, last) if last - first == len(index) else index


def _only_known_players(run: Run, history: History) -> Run:
    assert run.scored is not None
    return replace(run, scored=run.scored & (experience(run.of(history)) > 0))


def _describe_shares(protocol: SeasonSplits | RandomSplits, which: str) -> str:
    scored = "the others were" if protocol.test is None else f"the last {100 * protocol.test:g} % were"
    return f"models learnt from {which} {100 * protocol.train:g} % of the matches, and {scored} scored"

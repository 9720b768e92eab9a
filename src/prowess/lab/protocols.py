"""Protocols: which matches a model learns from, and on which it is then scored.

Forecasts are always made before their match, in the order of time, from nothing but earlier matches. A match that is
scored but not learnt from has importance 0 in the history of its run: the sweep forecasts it, and nothing changes.
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
from ..validate import scale, whole
from .slices import Mask, count_before, experience, seasons


@dataclass(frozen=True, eq=False)
class Run:
    """One pass of a model, from newcomers on: matches of a history, those it learns from, and those it is scored on.

    `matches` are a slice or rising indices; `learnt` and `scored` are masks over them, None for all.

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
        """The history to be swept: the matches of the run, those that are not learnt with importance 0.

        >>> Run(slice(1, 3)).of(History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3))
        History(2 matches, 2 players, places)
        """
        if isinstance(self.matches, slice):
            part = history if self.matches == slice(0, len(history)) else history[self.matches]
        else:
            part = history.take(self.matches)
        if self.learnt is None:
            return part
        own = np.ones(len(part)) if part.importance is None else part.importance
        return replace(part, importance=np.where(self.learnt, own, 0.0))

    def rows(self, history: History) -> NDArray[np.intp]:
        """The indices of the scored matches in the whole history.

        >>> Run(slice(1, 3)).rows(History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3))
        array([1, 2])
        """
        every = np.arange(len(history))[self.matches]
        return every if self.scored is None else every[self.scored]


class Protocol:
    """The base of protocols: they make the runs of a history.

    >>> Protocol().runs(History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    Traceback (most recent call last):
    ...
    prowess.Error: Protocol needs a method runs
    """

    def runs(self, history: History) -> tuple[Run, ...]:
        """The runs that are made with every model."""
        raise Error(f"{type(self).__name__} needs a method runs")


@dataclass(frozen=True)
class Prequential(Protocol):
    """Every match is forecast, scored and then learnt from; the first ones are only learnt from: the burn-in.

    `burn_in`: a number of matches, a share of them below 1, or a date.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 4)
    >>> [run] = Prequential(burn_in=0.5).runs(history)
    >>> run.rows(history)
    array([2, 3])
    """

    burn_in: float | str | date = 0

    def runs(self, history: History) -> tuple[Run, ...]:
        """One run over everything."""
        first = count_before(history, self.burn_in, "burn_in")
        return (Run(slice(0, len(history)), scored=np.arange(len(history)) >= first if first else None, label="all"),)

    def __str__(self) -> str:
        """Say what is done."""
        start = "" if self.burn_in == 0 else f" after a burn-in ({_describe_burn_in(self.burn_in)})"
        return f"every match was forecast before it was learnt from, and scored{start}"


@dataclass(frozen=True)
class SeasonSplits(Protocol):
    """Within every season, the first matches are learnt from and the last are scored: Guo et al. (2012), section 5.1.

    `train`: the share of a season's matches that is learnt from; `test`: the share, at its end, that is scored, None
    for all the rest. `reset`: every season begins with newcomers; otherwise all earlier seasons have been learnt from,
    to their end. A season is a calendar year, or what lies between breaks of `gap` days; or `seasons` holds
    the label of every match. `known`: score only matches whose players have all been learnt of.

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
        """Check the shares, and keep labels as a value."""
        _check_shares(self.train, self.test)
        if self.seasons is not None:
            object.__setattr__(self, "seasons", tuple(np.asarray(self.seasons).tolist()))

    def runs(self, history: History) -> tuple[Run, ...]:
        """A run for every season."""
        labels = seasons(history, self.gap) if self.seasons is None else self.seasons
        season, names = label_codes(history, labels)
        by = np.argsort(season, kind="stable")
        size = np.bincount(season, minlength=len(names))
        rank = np.empty(len(season), np.intp)
        rank[by] = np.arange(len(season)) - np.repeat(np.cumsum(size) - size, size)
        shares = np.array([_shares(int(count), self.train, self.test) for count in size], np.intp).reshape(-1, 2)
        learnt, scored = rank < shares[season, 0], rank >= (size - shares[:, 1])[season]
        found = []
        for index, name in enumerate(names):
            own = np.flatnonzero(season == index)
            if self.reset:
                run = Run(_span(own), learnt[own], scored[own], name)
            else:
                own = np.arange(own[-1] + 1)
                here = season[own] == index
                run = Run(_span(own), (season[own] < index) | (here & learnt[own]), here & scored[own], name)
            found.append(_only_known_players(run, history, self.known))
        return tuple(found)

    def __str__(self) -> str:
        """Say what is done."""
        start = "every season began with newcomers" if self.reset else "earlier seasons were learnt from, too"
        return (
            f"in every season {_describe_shares(self.train, self.test, 'first')}; {start}{_describe_known(self.known)}"
        )


@dataclass(frozen=True)
class RandomSplits(Protocol):
    """Again and again, a random part of the matches is learnt from, and others are scored, in the order of time.

    `train`: the share of all matches that is drawn to be learnt from. The rest is scored: a scored match is forecast
    from those of the drawn matches that came before it. With `test` the scored matches are always the last ones, that
    share of all, and what is learnt from is drawn among those before them. `known`: score only matches whose players
    have all been learnt of. Guo et al. (2012), section 5.1, do so with the Halo matches.

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
        """So many runs over everything."""
        many = len(history)
        train, test = _shares(many, self.train, self.test)
        pool = many if self.test is None else many - test
        found = []
        for time in range(self.times):
            learnt = np.zeros(many, bool)
            learnt[np.random.default_rng([self.seed, time]).permutation(pool)[:train]] = True
            scored = ~learnt if self.test is None else np.arange(many) >= pool
            found.append(
                _only_known_players(Run(slice(0, many), learnt, scored, f"split {time + 1}"), history, self.known)
            )
        return tuple(found)

    def __str__(self) -> str:
        """Say what is done."""
        return f"{self.times} times {_describe_shares(self.train, self.test, 'random')}{_describe_known(self.known)}"


def _check_shares(train: float, test: float | None) -> None:
    """Shares between 0 and 1 which leave room for each other."""
    for name, share in (("train", train), ("test", 0.5 if test is None else test)):
        if not 0.0 < scale(name, share) < 1.0:
            raise Error(
                f"{name} must be a share of the matches between 0 and 1, not {share!r}", field=name, value=share
            )
    if test is not None and train + test > 1.0 + 1e-9:
        raise Error(
            f"train and test must not be more than all matches, but {train:g} + {test:g} is more than 1",
            field="test",
            value=test,
        )


def _shares(many: int, train: float, test: float | None) -> tuple[int, int]:
    """How many of the matches are learnt from, and how many scored, each to the nearest number, halves to even."""
    first, last = (round(round(many * share, 6)) for share in (train, test or 0.0))  # 0.7 · 185 is 129.5
    return first, many - first if test is None else min(last, many - first)


def label_codes(history: History, labels: Any) -> tuple[NDArray[np.intp], list[str]]:
    """The number of every match's label, in the order in which they first appear, and the labels.

    >>> label_codes(History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3), ["b", "a", "b"])
    (array([0, 1, 0]), ['b', 'a'])
    """
    given = np.asarray(labels)
    if given.shape != (len(history),):
        raise Error(
            f"a label is needed for each of the {len(history)} matches, not {given.size} of them", field="labels"
        )
    if given.dtype.kind in "OfM":  # of which some may be missing; NaN is not itself
        missing = [label is None or (label != label) is True for label in given.tolist()]
    else:
        missing = []
    if any(missing):
        raise Error(
            f"a label is needed for each match, and match {missing.index(True) + 1} has none",
            field="labels",
            match=missing.index(True),
        )
    if given.dtype == object:
        given = np.array([str(label) for label in given])  # of different kinds, which have no order
    names, first, at = np.unique(given, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.intp)
    place[order] = np.arange(len(order))
    return place[at], [str(name) for name in names[order]]


def _span(index: NDArray[np.intp]) -> slice | NDArray[np.intp]:
    """Neighbours as a slice, which costs nothing."""
    first, last = int(index[0]), int(index[-1]) + 1
    return slice(first, last) if last - first == len(index) else index


def _only_known_players(run: Run, history: History, wanted: bool) -> Run:
    """Without the scored matches of players of whom nothing was learnt before."""
    if not wanted or run.scored is None:
        return run
    return replace(run, scored=run.scored & (experience(run.of(history)) > 0))


def _describe_burn_in(burn_in: float | str | date) -> str:
    """A burn-in in words."""
    if isinstance(burn_in, (str, date)):
        return f"until {burn_in}"
    return f"{burn_in:,.0f} matches" if burn_in >= 1 else f"{100 * burn_in:g} % of the matches"


def _describe_shares(train: float, test: float | None, which: str) -> str:
    """What is learnt from and what is scored, in words."""
    scored = "the others were scored" if test is None else f"the last {100 * test:g} % were scored"
    drawn = f"a random {100 * train:g} %" if which == "random" else f"the first {100 * train:g} %"
    return f"{drawn} of the matches were learnt from and {scored}"


def _describe_known(known: bool) -> str:
    return ", where all players had been learnt of" if known else ""

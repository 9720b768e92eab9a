"""Fits models to a history and returns the loss of every scored match, quickly enough for hundreds of models."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History
from ...history.ragged import Floats
from ...model.fit.forecasts import performance, strength
from ...model.fit.pairs import count_losses
from ...model.model import Model
from ...optional import import_extra
from ..forecast_chunks import forecast_chunks
from ..measures import log_loss
from ..measures.tally import memoryviews
from ..parallel import SharedHistory
from .designs import Design
from .facts import Facts
from .parameters import Values

LEAST = 1e-6  # smallest probability, as in the measures: a single surprise must not cost an infinite loss
COSTLY = 3000  # matches scored while tuning, if forecasts (such as sums of Poisson terms) take longer than the fit
GROUP = 16  # in large matches, every team is compared only with the teams of a group of about this size


class OutOfTime(Exception):
    """Raised when the time limit of the search is reached."""


@dataclass(eq=False)
class Evaluator:
    """Evaluates designs on the matches of a history, and counts the fits.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 9)
    >>> evaluator = Evaluator(history, Facts.of(history, 9), first=2)
    >>> [losses] = evaluator.losses(Design(), [Values({})], stop=9)
    >>> len(losses), bool(losses[0] > losses[-1]), evaluator.fits
    (7, True, 1)
    """

    history: History
    facts: Facts
    first: int  # earlier matches are learnt from, but not scored
    sparse_until: int = 0  # before this match, costly forecasts are scored only for some of the matches
    deadline: float = float("inf")
    columns: tuple[str, ...] = ()  # columns of the context that models may need
    parallel: Any = None  # a `joblib.Parallel` that evaluates several sets of values at the same time
    fits: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.history = SharedHistory.of(self.history, self.columns).history
        self._parts: dict[int, History] = {len(self.history): self.history}

    def losses(self, design: Design, sets: Sequence[Values], stop: int) -> list[Floats | None]:
        """For each set of values, return the losses of the scored matches before `stop`, or None if the model fails."""
        parameters = design.parameters(self.facts)
        tasks = [(design, values.of(parameters), stop) for values in sets]
        if self.parallel is None or len(sets) < 2:
            return [self._losses_or_none(*task) for task in tasks]
        if monotonic() > self.deadline:
            raise OutOfTime
        self.fits += len(sets)
        alone = replace(self, parallel=None)
        run = import_extra("joblib", "joblib", "lab").delayed(Evaluator._losses_or_none)
        return list(self.parallel(run(alone, *task) for task in tasks))

    def _losses_or_none(self, design: Design, values: dict[str, float], stop: int) -> Floats | None:
        if monotonic() > self.deadline:
            raise OutOfTime
        try:
            losses = self.model_losses(design.build(self.facts, values), stop)
        except Error:
            return None
        return losses if np.isfinite(losses).all() else None

    def scored(self, model: Model, stop: int) -> NDArray[np.intp]:
        """Return the indices of the matches before `stop` that are scored for a model.

        If the model's forecasts are slow, only some of the matches before `sparse_until` are scored.

        >>> import prowess as pw
        >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 5)
        >>> Evaluator(history, Facts.of(history, 5), first=2).scored(pw.Elo(), 5)
        array([2, 3, 4])
        """
        step = max(1, (self.sparse_until - self.first) // COSTLY) if model.outcome.later else 1
        sparse = np.arange(self.first, min(stop, self.sparse_until), step)
        return np.concatenate([sparse, np.arange(max(self.first, self.sparse_until), stop)])

    def model_losses(self, model: Model, stop: int) -> Floats:
        """Fit a model and return the losses of the scored matches before `stop`.

        The loss is the log loss, or the mean loss over pairs of teams if matches may have more than two teams.

        >>> import prowess as pw
        >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}])
        >>> Evaluator(history, Facts.of(history, 1), first=0).model_losses(pw.Elo(), 1).round(3)
        array([0.693])
        """
        self.fits += 1
        with warnings.catch_warnings():  # unsuitable models are tried, too, and their warnings do not help the user
            warnings.simplefilter("ignore")
            if not self.facts.two_teams:
                return self._pair_losses(model, stop)
            return self._log_losses(model, stop)

    def until(self, stop: int) -> History:
        """Return the matches before `stop`, always the same object, which keeps what fits compute about a history.

        >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 5)
        >>> evaluator = Evaluator(history, Facts.of(history, 5), first=2)
        >>> evaluator.until(3) is evaluator.until(3), len(evaluator.until(3))
        (True, 3)
        """
        if stop not in self._parts:
            self._parts[stop] = self.history[:stop]
        return self._parts[stop]

    def _log_losses(self, model: Model, stop: int) -> Floats:
        scored = self.scored(model, stop)
        parts = []
        for chunk in forecast_chunks(model, self.until(stop)):
            end = chunk.first + len(chunk.forecasts)
            own = scored[np.searchsorted(scored, chunk.first) : np.searchsorted(scored, end)] - chunk.first
            if len(own):
                forecasts = chunk.forecasts if len(own) == len(chunk.forecasts) else chunk.forecasts.take(own)
                parts.append(log_loss(forecasts, least=LEAST).total)
        return np.concatenate(parts) if parts else np.zeros(0)

    def _pair_losses(self, model: Model, stop: int) -> Floats:
        """Return each match's mean loss over pairs of teams; in large matches, only over pairs within small groups."""
        chunks = [chunk.forecasts for chunk in forecast_chunks(model, self.until(stop))]
        order, start, match = self._groups
        teams = int(self.history.match_start[stop])
        groups = int(np.searchsorted(start, teams))
        expected, spread = (
            np.concatenate([of(one) for one in chunks])[order[:teams]] for of in (strength, performance)
        )
        loss: Any = np.empty(groups)
        decided: Any = np.empty(groups)
        place = self.history.place[order[:teams]]
        begins, places, means, variances = memoryviews(start[: groups + 1], place, expected, spread)
        count_losses(begins, places, means, variances, LEAST, loss, decided)
        total, pairs = (np.bincount(match[:groups], column, minlength=stop) for column in (loss, decided))
        return np.divide(total, pairs, out=np.zeros(stop), where=pairs > 0)[self.first : stop]

    @cached_property
    def _groups(self) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.intp]]:
        """Return the shuffled order of the teams, the starts of the groups in that order, and the match of every group.

        The teams of a match are shuffled, because files list teams by place; otherwise a group would contain only teams
        that finished close together.
        """
        rng = np.random.default_rng(0)
        start = self.history.match_start
        sizes = np.diff(start)
        order = np.lexsort((rng.random(self.history.teams), np.repeat(np.arange(len(sizes)), sizes)))
        counts = np.where(sizes > 2 * GROUP, sizes // GROUP, 1)
        match = np.repeat(np.arange(len(sizes)), counts)
        within = np.arange(len(match)) - np.repeat(np.cumsum(counts) - counts, counts)
        begins = start[:-1][match] + within * sizes[match] // counts[match]
        return order, np.append(begins, start[-1]).astype(np.int32), match

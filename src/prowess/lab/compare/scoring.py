"""The forecasts of one model for the scored matches, as compact columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import Error
from ...history import History
from ...history.ragged import Floats, gather
from ...model.components.interfaces import Outcome
from ...model.fit.forecasts import Forecasts
from ...model.model import Model
from ..forecast_chunks import TEAMS, ForecastChunk, Refit, forecast_chunks
from ..measures import Tally
from ..measures.aggregate import Groups, Sums, group_sums
from ..measures.registry import Measure
from ..parallel import SharedHistory
from ..protocols import Run

Index = NDArray[np.intp]
Column = NDArray[Any]  # a column of numbers in the smallest type that represents them exactly


@dataclass(frozen=True, eq=False)
class Rows:
    """The scored matches: their indices in the history, the run that scored each of them, and their results.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3)
    >>> rows = Rows.of(history, [Run(slice(0, 2)), Run(slice(1, 3))])
    >>> rows.match, rows.run, len(rows.results)
    (array([0, 1, 1, 2]), array([0, 0, 1, 1]), 4)
    """

    history: History
    match: Index
    run: Index
    labels: tuple[str, ...]
    results: History

    @classmethod
    def of(cls, history: History, runs: Sequence[Run]) -> Rows:
        """Return the rows of all runs, one run after the other."""
        each = [run.rows(history) for run in runs]
        match = np.concatenate([np.zeros(0, np.intp), *each])
        number = np.repeat(np.arange(len(runs)), [len(rows) for rows in each])
        return cls(history, match, number, tuple(run.label for run in runs), _results(history, match))

    def __len__(self) -> int:
        return len(self.match)

    def pick(self, where: ArrayLike | None) -> Index:
        """Return the rows whose matches a mask over the history selects; without a mask, all rows.

        >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3)
        >>> Rows.of(history, [Run(slice(1, 3))]).pick([True, False, True])
        array([1])
        """
        if where is None:
            return np.arange(len(self))
        mask = np.asarray(where)
        if mask.dtype != bool or mask.shape != (len(self.history),):
            message = f"where must be a mask with one boolean for each of the {len(self.history)} matches"
            raise Error(f"{message}, not {mask.dtype} of shape {mask.shape}", field="where")
        picked = np.flatnonzero(mask[self.match])
        if not len(picked):
            message = "`where` selects only matches whose forecasts were not evaluated, such as those of the burn-in"
            raise Error(f"{message}; select other matches", field="where")
        return picked

    def tally(self, scored: ModelScores, measure: Measure, picked: Index) -> Tally:
        """Return the contribution of every picked row to a measure."""
        if measure.name in scored.tallies:
            return Tally(*(unpack(column, picked) for column in scored.tallies[measure.name]))
        total, weight = np.empty(len(picked)), np.empty(len(picked))
        for here, forecasts in self.parts(scored, picked):
            tally = measure.tallied(forecasts)
            total[here], weight[here] = tally.total, tally.weight
        return Tally(total, weight)

    def sums(self, scored: ModelScores, measure: Measure, picked: Index, groups: Groups) -> Sums:
        """Return the contribution of every group of picked rows to a measure."""
        if measure.name in scored.tallies:
            return group_sums(self.tally(scored, measure, picked), groups)
        return measure.added(lambda: self.parts(scored, picked), groups)

    def parts(self, scored: ModelScores, picked: Index) -> Iterator[tuple[slice, Forecasts]]:
        """Yield slices of `picked` with the forecasts of their rows, in chunks that fit into the processor's cache."""
        every = len(picked) == len(self)
        step = max(1, TEAMS * len(self) // max(self.results.teams, 1))
        for first in range(0, len(picked), step):
            here = slice(first, min(first + step, len(picked)))
            rows = picked[here]
            results = self.results[here] if every else self.results.take(rows)
            win, draw = (unpack(column, here if every else rows) for column in (scored.win, scored.draw))
            empty: Floats = np.empty(0)
            yield here, Forecasts(results, Outcome(), empty, empty, np.broadcast_to(0.0, len(win)), (win, draw))


def _results(history: History, match: Index) -> History:
    """Return a history of the given matches, in the given order, with their places but without players and times."""
    start, place = history.match_start, history.place
    if len(match) != len(history) or (match != np.arange(len(history))).any():
        start, teams = gather(start, match)
        place = place[teams]
    empty_teams = np.broadcast_to(np.int32(0), len(place) + 1)
    return History(match_start=start, team_start=empty_teams, player=np.empty(0, np.int32), place=place)


@dataclass(frozen=True, eq=False)
class ModelScores:
    """One model's forecasts for the scored matches: P(win) and P(draw) of two-team matches, and a tally per measure.

    >>> ModelScores(np.array([0.5, 0.6]), np.array(0.0), {}).unconverged
    0
    """

    win: Column
    draw: Column
    tallies: dict[str, tuple[Column, Column]]
    unconverged: int = 0


def score_run(
    name: str,
    model: Model,
    shared: SharedHistory,
    run: Run,
    measures: Sequence[Measure],
    refit: Refit | None = None,
) -> ModelScores:
    """Score one model on one run of the protocol, with refits if there are any; this is the task of a worker process.

    Measures that need only win and draw probabilities get no tally, because they are computed later from these.

    >>> import prowess as pw
    >>> from prowess.lab import MEASURES
    >>> shared = SharedHistory.of(History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2))
    >>> scores = score_run("Elo", pw.Elo(), shared, Run(slice(0, 2)), [MEASURES["brier"], MEASURES["pair_error"]])
    >>> scores.win.round(3), list(scores.tallies)
    (array([0.5  , 0.546]), ['pair_error'])
    """
    history = run.of(shared.history)
    chunks = forecast_chunks(model, history) if refit is None else refit.chunks(model, history)
    return collect_scores(name, model, chunks, run, measures)


def collect_scores(
    name: str, model: Model, chunks: Iterable[ForecastChunk], run: Run, measures: Sequence[Measure]
) -> ModelScores:
    """Return the scores of one model on a run, computed from forecasts that arrive in chunks.

    >>> import prowess as pw
    >>> from prowess.lab import MEASURES
    >>> chunks = forecast_chunks(pw.Elo(), History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2))
    >>> collect_scores("Elo", pw.Elo(), chunks, Run(slice(0, 2)), [MEASURES["brier"]]).win.round(3)
    array([0.5  , 0.546])
    """
    chances = any(measure.chances for measure in measures)
    counted = [measure for measure in measures if not measure.chances and measure.fits(model)]
    parts: list[list[Column]] = []  # the columns of each chunk
    rows: list[int] = []
    unconverged = 0
    try:
        for chunk in chunks:
            unconverged += chunk.unconverged
            forecasts = chunk.forecasts
            if run.scored is not None:
                index = np.flatnonzero(run.scored[chunk.first : chunk.first + len(forecasts)])
                forecasts = forecasts if len(index) == len(forecasts) else forecasts.take(index)
            columns = [forecasts.win, forecasts.draw] if chances else []
            for measure in counted:
                tally = _tally(measure, forecasts)
                columns += [tally.total, tally.weight]
            parts.append([pack(column) for column in columns])
            rows.append(len(forecasts))
    except Error as error:
        raise error.within(f"{name}: ") from error
    joined = iter([concat_columns(columns, rows) for columns in map(list, zip(*parts, strict=True))])
    win, draw = (next(joined), next(joined)) if chances else (np.zeros(()), np.zeros(()))
    tallies = {measure.name: (next(joined), next(joined)) for measure in counted}
    return ModelScores(win, draw, tallies, unconverged)


def _tally(measure: Measure, forecasts: Forecasts) -> Tally:
    # A chunk may contain no match with known scores, although other chunks do, or no match that the run scores.
    if measure.scores and forecasts.history.score is None:
        return Tally(np.zeros(len(forecasts)), np.zeros(len(forecasts)))
    return measure.tallied(forecasts)


def pack(column: Floats) -> Column:
    """Return a column in the smallest type that represents its numbers exactly; a single number if all are equal.

    >>> pack(np.array([0.5, 1.0])).dtype, pack(np.array([0.1, 1.0])).dtype, pack(np.ones(3)).shape
    (dtype('float16'), dtype('float64'), ())
    """
    if len(column) and (column == column[0]).all():
        return np.array(column[0])
    with np.errstate(over="ignore"):
        for kind in (np.float16, np.float32):
            # In most columns, the first values already show that this type is too small.
            if _same_numbers(column[:100].astype(kind), column[:100]):
                smaller = column.astype(kind)
                if _same_numbers(smaller, column):
                    return smaller
    return column


def _same_numbers(one: Column, other: Column) -> bool:
    # The comparison in which NaN equals NaN is slower, so it is tried last.
    return bool((one == other).all()) or np.array_equal(one, other, equal_nan=True)


def unpack(column: Column, rows: slice | NDArray[np.intp]) -> Floats:
    """Return the numbers in the given rows of a packed column.

    >>> unpack(np.array(0.5), np.array([3, 4])), unpack(np.array([1, 2], np.float16), slice(1, 2))
    (array([0.5, 0.5]), array([2.]))
    """
    if column.ndim:
        return np.asarray(column[rows], np.float64)
    return np.full(rows.stop - rows.start if isinstance(rows, slice) else len(rows), float(column))


def concat_columns(columns: Sequence[Column], rows: Sequence[int]) -> Column:
    """Concatenate packed columns; `rows` holds the length of each column.

    >>> concat_columns([np.array(0.5), np.array([1.0, 2.0], np.float16)], [2, 2])
    array([0.5, 0.5, 1. , 2. ], dtype=float16)
    >>> concat_columns([np.array(0.5), np.array(0.5)], [2, 2])
    array(0.5)
    """
    if not any(column.ndim for column in columns) and all(column == columns[0] for column in columns):
        return columns[0]
    # Append an infinity, which fits every type, so that `pack` does not reduce the column to one number.
    kinds = [column.dtype if column.ndim else pack(np.append(column, np.inf)).dtype for column in columns]
    whole = np.empty(sum(rows), np.result_type(*kinds))
    first = 0
    for column, count in zip(columns, rows, strict=True):
        whole[first : first + count] = column
        first += count
    return whole


def concat_scores(runs: Sequence[ModelScores], rows: Sequence[int]) -> ModelScores:
    """Concatenate the columns of all runs of a model; `rows` holds the number of matches that each run scored.

    >>> one = ModelScores(np.array([0.5, 0.6]), np.array(0.0), {})
    >>> concat_scores([one, one], [2, 2]).win
    array([0.5, 0.6, 0.5, 0.6])
    """
    if len(runs) == 1:
        return runs[0]
    tallies = {}
    for name in runs[0].tallies:
        total, weight = (concat_columns([run.tallies[name][side] for run in runs], rows) for side in (0, 1))
        tallies[name] = total, weight
    win, draw = concat_columns([run.win for run in runs], rows), concat_columns([run.draw for run in runs], rows)
    return ModelScores(win, draw, tallies, sum(run.unconverged for run in runs))

"""What one model forecast of the matches that are scored, as columns that take little room, and how they are found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History
from ...model.fit.forecasts import Forecasts
from ...model.model import Model
from ..forecast_chunks import Part, forecast_parts
from ..measures.registry import Measure
from ..measures.tally import Floats
from ..protocols import Run
from ..slices import Mask

__all__ = ["Column", "Scored", "Shared", "gathered", "joined", "larger", "score", "smaller"]

Column = NDArray[Any]  # of numbers that are those of a float64 column, in a smaller type


@dataclass(frozen=True, eq=False)
class Shared:
    """A history on its way to the workers: without names, and it says how large it is.

    By its size Dask sees that it should travel once, and not with every task; joblib's own processes map its columns
    into their memory.

    >>> import sys
    >>> shared = Shared.of(History.from_matches([{"teams": [["ann"], ["bob"]]}]))
    >>> shared.history.players, sys.getsizeof(shared) > 36
    ((), True)
    """

    history: History

    @classmethod
    def of(cls, history: History) -> Shared:
        """Leave out what a sweep does not need."""
        return cls(replace(history, players=(), ids=None, remarks=()))

    def __sizeof__(self) -> int:
        """Count the bytes of the columns."""
        return self.history.nbytes


@dataclass(frozen=True, eq=False)
class Scored:
    """The columns of one model over the scored matches: win and draw of two teams, and tallies by measure.

    >>> Scored(np.array([0.5, 0.6]), np.array(0.0), {}).unconverged
    0
    """

    win: Column
    draw: Column
    tallies: dict[str, tuple[Column, Column]]
    unconverged: int = 0


def score(name: str, model: Model, shared: Shared, run: Run, measures: Sequence[Measure]) -> Scored:
    """Make one run with one model; this is what a worker does, and what it sends back.

    >>> import prowess as pw
    >>> from prowess.lab import MEASURES
    >>> shared = Shared.of(History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2))
    >>> found = score("Elo", pw.Elo(), shared, Run(slice(0, 2)), [MEASURES["brier"], MEASURES["pair_error"]])
    >>> found.win.round(3), list(found.tallies)
    (array([0.5  , 0.546]), ['pair_error'])
    """
    return gathered(name, model, forecast_parts(model, run.of(shared.history)), run, measures)


def gathered(name: str, model: Model, made: Iterable[Part], run: Run, measures: Sequence[Measure]) -> Scored:
    """The columns of one model over the scored matches of a run, from forecasts that come in parts.

    >>> import prowess as pw
    >>> from prowess.lab import MEASURES
    >>> parts = forecast_parts(pw.Elo(), History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2))
    >>> gathered("Elo", pw.Elo(), parts, Run(slice(0, 2)), [MEASURES["brier"]]).win.round(3)
    array([0.5  , 0.546])
    """
    chances = any(measure.chances for measure in measures)
    counted = [measure for measure in measures if not measure.chances and measure.fits(model)]
    parts: list[list[Column]] = []  # for every part of the matches, its columns
    rows: list[int] = []
    unconverged = 0
    try:
        for part in made:
            unconverged += part.unconverged
            forecasts = _of_scored(part.forecasts, run.scored, part.first)
            columns = [forecasts.win, forecasts.draw] if chances else []
            for measure in counted:
                tally = measure.tallied(forecasts)
                columns += [tally.total, tally.weight]
            parts.append([smaller(column) for column in columns])
            rows.append(len(forecasts))
    except Error as error:
        raise Error(f"{name}: {error}") from error
    found = [end_to_end([columns.pop(0) for columns in parts], rows) for _ in range(2 * chances + 2 * len(counted))]
    win, draw = (found.pop(0), found.pop(0)) if chances else (np.zeros(()), np.zeros(()))
    tallies = {measure.name: (found[2 * k], found[2 * k + 1]) for k, measure in enumerate(counted)}
    return Scored(win, draw, tallies, unconverged)


def _of_scored(forecasts: Forecasts, scored: Mask | None, first: int) -> Forecasts:
    """The forecasts of the scored matches among these."""
    if scored is None:
        return forecasts
    index = np.flatnonzero(scored[first : first + len(forecasts)])
    return forecasts if len(index) == len(forecasts) else forecasts.take(index)


def smaller(column: Floats) -> Column:
    """The same numbers in the smallest type that holds each of them exactly; one number, where all are the same.

    >>> smaller(np.array([0.5, 1.0])).dtype, smaller(np.array([0.1, 1.0])).dtype, smaller(np.ones(3)).shape
    (dtype('float16'), dtype('float64'), ())
    """
    if len(column) and (column == column[0]).all():
        return np.array(column[0])
    with np.errstate(over="ignore"):
        for kind in (np.float16, np.float32):
            if _alike(column[:100].astype(kind), column[:100]):  # most columns can be told by their beginning
                found = column.astype(kind)
                if _alike(found, column):
                    return found
    return column


def _alike(one: Column, other: Column) -> bool:
    """Whether the numbers are the same; that NaN is NaN is asked only where something differs."""
    return bool((one == other).all()) or np.array_equal(one, other, equal_nan=True)


def larger(column: Column, rows: slice | NDArray[np.intp]) -> Floats:
    """The numbers of some rows, as they were before they took little room.

    >>> larger(np.array(0.5), np.array([3, 4])), larger(np.array([1, 2], np.float16), slice(1, 2))
    (array([0.5, 0.5]), array([2.]))
    """
    if column.ndim:
        return np.asarray(column[rows], np.float64)
    return np.full(rows.stop - rows.start if isinstance(rows, slice) else len(rows), float(column))


def end_to_end(columns: Sequence[Column], rows: Sequence[int]) -> Column:
    """Columns one after the other, in the smallest type that holds all of them; `rows` says how long each is.

    >>> end_to_end([np.array(0.5), np.array([1.0, 2.0], np.float16)], [2, 2])
    array([0.5, 0.5, 1. , 2. ], dtype=float16)
    >>> end_to_end([np.array(0.5), np.array(0.5)], [2, 2])
    array(0.5)
    """
    first = columns[0]
    if not any(column.ndim for column in columns) and all(column == first for column in columns):
        return first
    kinds = [column.dtype if column.ndim else smaller(np.append(column, np.inf)).dtype for column in columns]
    found = np.empty(sum(rows), np.result_type(*kinds))
    at = 0
    for column, many in zip(columns, rows, strict=True):
        found[at : at + many] = column
        at += many
    return found


def joined(runs: Sequence[Scored], rows: Sequence[int]) -> Scored:
    """The columns of all runs of a model, one after the other; `rows` says how many matches each run scored.

    >>> one = Scored(np.array([0.5, 0.6]), np.array(0.0), {})
    >>> joined([one, one], [2, 2]).win
    array([0.5, 0.6, 0.5, 0.6])
    """
    if len(runs) == 1:
        return runs[0]
    tallies = {
        name: (
            end_to_end([run.tallies[name][0] for run in runs], rows),
            end_to_end([run.tallies[name][1] for run in runs], rows),
        )
        for name in runs[0].tallies
    }
    win, draw = end_to_end([run.win for run in runs], rows), end_to_end([run.draw for run in runs], rows)
    return Scored(win, draw, tallies, sum(run.unconverged for run in runs))

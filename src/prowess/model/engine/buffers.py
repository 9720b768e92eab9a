"""The data that a sweep reads and writes: a history's columns, a ladder's state, and the record of the forecasts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from ...history.times import DAY

LINE = 64  # bytes in a line of the processor's cache


def aligned(rows: int, width: int) -> Any:
    """Return an array of NaN whose rows lie in as few lines of the cache as possible, because they are read at random.

    >>> aligned(2, 3).shape, aligned(2, 5).strides
    ((2, 3), (64, 8))
    """
    line = LINE // 8
    stride = 4 if width <= 4 else -(-width // line) * line
    cells = from_line(np.full(rows * stride + line, np.nan), rows * stride)
    return cells.reshape(rows, stride)[:, :width]


def from_line(cells: Any, size: int) -> Any:
    """Return `size` of the given numbers, from the first one on that begins a line of the cache.

    >>> from_line(np.zeros(100), 90).ctypes.data % LINE
    0
    """
    first = -(cells.ctypes.data // 8) % (LINE // 8)
    return cells[first : first + size]


@cython.final
@cython.cclass
class Columns:
    """A history's columns, as buffers for the kernels."""

    def __init__(self, history: Any, rows: Any) -> None:
        """Store the columns of a history; `rows` has the row of each entry's player in the state."""
        none = np.empty(0)
        self.facets: list[FacetColumn | StatisticColumn] = []
        self.match_start = memoryview(history.match_start)
        self.team_start = memoryview(history.team_start)
        self.rows = rows
        self.player = memoryview(rows)
        self.place = memoryview(history.place)
        self.has_home = history.home is not None
        self.has_score = history.score is not None
        self.has_weight = history.weight is not None
        self.has_importance = history.importance is not None
        self.has_time = history.time is not None
        self.unit = 1.0 if history.time_kind == "number" else DAY
        self.home = memoryview(history.home.astype(np.float64) if self.has_home else none)
        self.score = memoryview(history.score if self.has_score else none)
        self.weight = memoryview(history.weight if self.has_weight else none)
        self.importance = memoryview(history.importance if self.has_importance else none)
        self.time = memoryview(history.time.astype(np.float64) if self.has_time else none)
        self.matches = len(history.match_start) - 1
        self.teams = len(history.place)
        self.entries = len(history.player)
        # If all matches have equally many teams and entries, it is known where they begin, without reading it. If all
        # teams have equally many entries, so it is for teams.
        self.match_teams = _common_size(history.match_start)
        self.match_entries = _common_size(history.team_start[history.match_start]) if self.match_teams else 0
        self.team_entries = _common_size(history.team_start)


def _common_size(start: Any) -> int:
    """Return the size of all groups of rows that begin at these rows; 0 if sizes differ, or if there is no group."""
    size = int(start[1]) if len(start) > 1 else 0
    return size if (np.diff(start) == size).all() else 0


def columns_of(history: Any, rows: Any, facets: list[FacetColumn | StatisticColumn] | None = None) -> Columns:
    """Return the columns of a history, which keeps them for later fits if the rows are its player numbers.

    Columns with `facets` are not kept, because they depend on the model.

    >>> import prowess as pw
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])
    >>> columns_of(history, history.player) is columns_of(history, history.player)
    True
    """
    if rows is not history.player or facets:
        columns = Columns(history, rows)
        columns.facets = facets or []
        return columns
    if "_columns" not in history.__dict__:
        history.__dict__["_columns"] = Columns(history, rows)
    return history.__dict__["_columns"]


@cython.final
@cython.cclass
class FacetColumn:
    """The row of a facet for every entry or every team of a history, and its weight; by default all weights are 1.

    A row of −1 means that the value is missing; a lower number is an unknown value, whose row has its prior belief.
    """

    def __init__(self, rows: Any, weights: Any = None, by_team: bool = False) -> None:
        self.row = memoryview(rows)
        self.has_weight = weights is not None
        self.weight = memoryview(np.empty(0) if weights is None else weights)
        self.by_team = by_team


@cython.final
@cython.cclass
class StatisticColumn:
    """A statistic of every entry of a history (NaN if it is missing), and the row of the kind of its match.

    `noise` has factors for the variance of the noise, by default 1. If values are to be scaled, the kernels fill the
    column `scaled`, match by match; otherwise it has the values themselves.
    """

    def __init__(self, rows: Any, values: Any, noise: Any = None, is_scaled: bool = False) -> None:
        self.row = memoryview(rows)
        self.value = memoryview(values)
        self.has_noise = noise is not None
        self.noise = memoryview(np.empty(0) if noise is None else noise)
        self.scaled = memoryview(np.full(len(values), np.nan) if is_scaled else values)


@cython.final
@cython.cclass
class Table:
    """A ladder's state, with a row for every player (`StateLayout`), and the league's memory.

    Row r begins at the cell r · `stride`. `facets` are the tables of the model's facets, whose rows have the belief,
    the time of the last match and the number of matches.
    """

    def __init__(self, state: Any, memory: Any, facets: list[Table] | None = None) -> None:
        self.facets = facets or []
        self.stride = state.strides[0] // 8
        cells = max((len(state) - 1) * self.stride + state.shape[1], 0)
        self.cells = memoryview(as_strided(state, (cells,), (8,)))
        self.memory = memoryview(memory)


@cython.final
@cython.cclass
class Record:
    """The results of a sweep: forecasts, the log-evidence, and optionally the beliefs before and after every match.

    A record covers the matches from `first` to `last` of a history; by default, all matches. A `silent` record stays
    empty, for callers that need only the final state. `fill` are the columns to fill (see `sizes`); by default, new
    ones.
    """

    def __init__(
        self,
        columns: Columns,
        traits: int = 1,
        after: bool = False,
        silent: bool = False,
        before: bool = False,
        fill: list[Any] | None = None,
        first: int = 0,
        last: int = -1,
        deviations: int = 0,
        statistics: bool = False,
    ) -> None:
        belief = 2 * traits  # mean and variance of each trait, as in a `StateLayout`
        last = columns.matches if last < 0 else last
        self.first_match = first
        self.first_team = columns.match_start[first]
        matches = 0 if silent else last - first
        teams = 0 if silent else columns.match_start[last] - columns.match_start[first]
        if fill is None:
            fill = [np.empty(size) for size in sizes(matches, teams, traits)]
        self.mean, self.variance, self.win, self.draw, self.log_evidence = fill
        # Only models of scores fill this column, and only for matches of three or more teams.
        self.scatter = np.zeros(matches)
        self.before = np.empty((columns.entries if before else 0, belief))
        self.after = np.empty((columns.entries if after else 0, belief))
        # The deviations of every entry, in the order of the facets (see `facets`).
        self.rows_before, self.rows_after = (
            np.full((columns.entries if kept else 0, belief * deviations), np.nan) for kept in (before, after)
        )
        # The shares of the changes of all means that come from statistics.
        self.shares = np.zeros((columns.entries if after and statistics else 0, traits))
        self.has_before = before
        self.has_after = after
        self.silent = silent
        self.unconverged = []
        self.at = 0
        self._mean = memoryview(self.mean)
        self._variance = memoryview(self.variance)
        self._win = memoryview(self.win)
        self._draw = memoryview(self.draw)
        self._scatter = memoryview(self.scatter)
        self._log_evidence = memoryview(self.log_evidence)
        self._before = memoryview(self.before)
        self._after = memoryview(self.after)
        self._rows_before = memoryview(self.rows_before)
        self._rows_after = memoryview(self.rows_after)
        self._shares = memoryview(self.shares)


def sizes(matches: int, teams: int, traits: int) -> list[int]:
    """Return the sizes of the columns of a record: mean, variance, win, draw, log-evidence.

    >>> sizes(10, 20, 2)
    [40, 40, 10, 10, 10]
    """
    return [teams * traits] * 2 + [matches] * 3

"""What the sweep reads and writes: a history's columns, the players' state, and the record of a pass."""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from ...history.times import DAY


@cython.final
@cython.cclass
class Columns:
    """A history's columns as the kernel reads them."""

    def __init__(self, history: Any, rows: Any) -> None:
        """`rows` are the rows of the entries' players in the state."""
        none = np.empty(0)
        self.match_start = memoryview(history.match_start)
        self.team_start = memoryview(history.team_start)
        self.player = memoryview(rows)
        self.place = memoryview(history.place)
        self.has_home = history.home is not None
        self.has_score = history.score is not None
        self.has_weight = history.weight is not None
        self.has_importance = history.importance is not None
        self.has_time = history.time is not None
        self.unit = 1.0 if history.time_kind == "number" else DAY
        self.home = memoryview(history.home.astype(np.int32) if self.has_home else np.empty(0, np.int32))
        self.score = memoryview(history.score if self.has_score else none)
        self.weight = memoryview(history.weight if self.has_weight else none)
        self.importance = memoryview(history.importance if self.has_importance else none)
        self.time = memoryview(history.time.astype(np.float64) if self.has_time else none)
        self.matches = len(history.match_start) - 1
        self.teams = len(history.place)
        self.entries = len(history.player)


@cython.final
@cython.cclass
class Table:
    """What is believed of every player, a row of the state each (`StateLayout`), and of the league, its memory."""

    def __init__(self, state: Any, memory: Any) -> None:
        self.cells = memoryview(state.reshape(-1))
        self.memory = memoryview(memory)


@cython.final
@cython.cclass
class Record:
    """What a sweep writes down: forecasts before it learns, the log-evidence, and (if asked) beliefs before and after.

    One that is `silent` holds nothing: for who wants to know where everybody stands, and no more.
    """

    def __init__(
        self, columns: Columns, traits: int = 1, after: bool = False, silent: bool = False, before: bool = False
    ) -> None:
        belief = 2 * traits  # mean and variance of each, as at the start of a `StateLayout`
        matches = 0 if silent else columns.matches
        teams = 0 if silent else columns.teams
        self.mean = np.empty(teams * traits)
        self.variance = np.empty(teams * traits)
        self.win = np.empty(matches)
        self.draw = np.empty(matches)
        self.scatter = np.empty(matches)
        self.log_evidence = np.empty(matches)
        self.before = np.empty((columns.entries if before else 0, belief))
        self.after = np.empty((columns.entries if after else 0, belief))
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

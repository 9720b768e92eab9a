"""The sweep, which rates all matches of a history in one chronological pass.

Only `load_player` and `store_player` copy between a player's row of the state and an entry of the board. In a model
with rating periods, a row keeps the belief at the start of the open period and the sums over the period's matches. The
period is closed when the player has a match in a later period, or when the rating is read (then `now` is NaN).

A match in an open period is loaded twice. It is loaded first for its forecast, as if the period ended just before the
match, so that the forecast equals the prediction of a ladder. It is loaded again to learn from its result, with the
beliefs at the start of the period.

If an error occurs, the state stays as it was before the match that caused the error.
"""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import floor
    from cython.cimports.prowess.model.engine.board import Board
    from cython.cimports.prowess.model.engine.pipeline import Pipeline
else:
    from math import floor

    from .._cython import prefetch
    from .board import Board
    from .pipeline import Pipeline

from ...history.times import DAY

AHEAD = cython.declare(cython.Py_ssize_t, 16)  # rows of players are prefetched this many entries ahead
MONDAY = cython.declare(cython.double, 4.0)  # days from the origin of times, a Thursday, to the first Monday
NAN = cython.declare(cython.double, float("nan"))


@cython.final
@cython.cclass
class Columns:
    """A history's columns, as buffers for the kernels."""

    def __init__(self, history: Any, rows: Any) -> None:
        """Store the columns of a history; `rows` has the row of each entry's player in the state."""
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
    """A ladder's state, with a row for every player (`StateLayout`), and the league's memory."""

    def __init__(self, state: Any, memory: Any) -> None:
        self.cells = memoryview(state.reshape(-1))
        self.memory = memoryview(memory)


@cython.final
@cython.cclass
class Record:
    """The results of a sweep: forecasts, the log-evidence, and optionally the beliefs before and after every match.

    A `silent` record stays empty, for callers that need only the final state.
    """

    def __init__(
        self, columns: Columns, traits: int = 1, after: bool = False, silent: bool = False, before: bool = False
    ) -> None:
        belief = 2 * traits  # mean and variance of each trait, as in a `StateLayout`
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


def load_player(
    pipeline: Pipeline,
    board: Board,
    e: cython.Py_ssize_t,
    table: Table,
    row: cython.Py_ssize_t,
    now: cython.double,
    unit: cython.double,
    settle: cython.bint,
) -> cython.bint:
    """Copy the belief about a player to entry e of the board. `now` is NaN if times are unknown.

    If `settle` is true, close an open rating period on the board even if `now` is in this period. Return whether `now`
    is in the period that was closed.
    """
    early = False
    traits = pipeline.traits
    base = row * pipeline.width
    then = table.cells[base + pipeline.last_seen]
    # The comparison is false for NaN: if a time is unknown, the elapsed time is 0.
    board.elapsed[e] = (now - then) / unit if now >= then else 0.0
    board.played[e] = 0.0
    board.games[e] = 1.0
    # A mean of NaN marks a player without matches.
    if table.cells[base] != table.cells[base]:
        pipeline.prior.welcome(board, e)
        pipeline.absorb.welcome(board, e)
    else:
        board.played[e] = table.cells[base + pipeline.matches]
        for k in range(traits):
            board.mu[e * traits + k] = table.cells[base + 2 * k]
            board.var[e * traits + k] = table.cells[base + 2 * k + 1]
        for k in range(pipeline.extras):
            board.extra[e * pipeline.extras + k] = table.cells[base + pipeline.first_extra + k]
        if pipeline.period > 0.0:
            early = _count_periods(pipeline, board, e, table, base, now, unit, settle)
    board.settled[e] = 1.0 if early else 0.0
    for k in range(e * traits, (e + 1) * traits):
        board.before_mu[k] = board.mu[k]
        board.before[k] = board.var[k]
    return early


def periods_between(
    period: cython.double, then: cython.double, now: cython.double, unit: cython.double
) -> cython.double:
    """Return the number of rating periods from `then` to `now`; 0 if one of the two times is NaN.

    `unit` is the length of a day in the unit of the times, or 1 if times are plain numbers. Periods are counted from a
    Monday, so weeks begin on Mondays.

    >>> periods_between(7.0, 6.0, 7.0, 1.0), periods_between(7.0, 7.0, 13.9, 1.0)
    (1.0, 0.0)
    """
    origin = MONDAY * unit if unit > 1.0 else 0.0
    span = period * unit
    return floor((now - origin) / span) - floor((then - origin) / span) if now >= then else 0.0


@cython.cfunc
def _count_periods(
    pipeline: Pipeline,
    board: Board,
    e: cython.Py_ssize_t,
    table: Table,
    base: cython.Py_ssize_t,
    now: cython.double,
    unit: cython.double,
    settle: cython.bint,
) -> cython.bint:
    """Set `elapsed` in rating periods, and close the player's open period if `now` is in a later period.

    If `settle` is true, close the period in any case; return whether `now` is in the period that was closed.
    """
    games = table.cells[base + pipeline.games]
    still_open = _still_open(pipeline, table, base, now, unit)
    board.elapsed[e] = periods_between(pipeline.period, table.cells[base + pipeline.last_seen], now, unit)
    if still_open and not settle:
        board.elapsed[e] = table.cells[base + pipeline.passed]
    elif games > 0.0:
        _close_period(pipeline, board, e, table, base)
    return still_open and settle


@cython.cfunc
@cython.exceptval(check=False)
def _still_open(
    pipeline: Pipeline, table: Table, base: cython.Py_ssize_t, now: cython.double, unit: cython.double
) -> cython.bint:
    then = table.cells[base + pipeline.last_seen]
    games = table.cells[base + pipeline.games]
    return games > 0.0 and now >= then and periods_between(pipeline.period, then, now, unit) == 0.0


@cython.cfunc
def _close_period(
    pipeline: Pipeline, board: Board, e: cython.Py_ssize_t, table: Table, base: cython.Py_ssize_t
) -> cython.bint:
    """End a player's rating period on the board `past`: apply the drift, then absorb the sums over its matches."""
    past = board.past
    traits = pipeline.traits
    first = base + pipeline.pending
    past.played[0] = board.played[e]
    past.games[0] = table.cells[base + pipeline.games]
    past.elapsed[0] = table.cells[base + pipeline.passed]
    for k in range(traits):
        past.mu[k] = board.mu[e * traits + k]
        past.var[k] = board.var[e * traits + k]
        past.g1[k] = table.cells[first + k]
        past.g2[k] = table.cells[first + traits + k]
        # Only `Moment` uses `kept`, and it does not allow rating periods.
        past.kept[k] = 1.0
        past.before[k] = past.var[k]
    i = e * pipeline.extras
    for k in range(pipeline.extras):
        past.extra[k] = board.extra[i + k]
    pipeline.drift.widen(past)
    pipeline.absorb_all(past)
    for k in range(traits):
        board.mu[e * traits + k] = past.mu[k]
        board.var[e * traits + k] = past.var[k]
    for k in range(pipeline.extras):
        board.extra[i + k] = past.extra[k]
    return False


def store_player(
    pipeline: Pipeline,
    board: Board,
    e: cython.Py_ssize_t,
    table: Table,
    row: cython.Py_ssize_t,
    now: cython.double,
    unit: cython.double,
) -> cython.void:
    """Count the match, and store the belief about a player or add the match to the open rating period."""
    base = row * pipeline.width
    if pipeline.in_period(now):
        _add_to_period(pipeline, board, e, table, base, now, unit)
    else:
        _store_belief(pipeline, board, e, board.var, table, base)
        # The sums of an open period were absorbed when the player was loaded.
        for k in range(base + pipeline.pending, base + pipeline.width):
            table.cells[k] = 0.0
    table.cells[base + pipeline.matches] = board.played[e] + 1.0
    # A match without a time does not change the time of the last match.
    if now == now:
        table.cells[base + pipeline.last_seen] = now


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _store_belief(
    pipeline: Pipeline,
    board: Board,
    e: cython.Py_ssize_t,
    variance: cython.double[::1],
    table: Table,
    base: cython.Py_ssize_t,
) -> cython.void:
    for k in range(pipeline.traits):
        table.cells[base + 2 * k] = board.mu[e * pipeline.traits + k]
        table.cells[base + 2 * k + 1] = variance[e * pipeline.traits + k]
    for k in range(pipeline.extras):
        table.cells[base + pipeline.first_extra + k] = board.extra[e * pipeline.extras + k]


@cython.cfunc
@cython.exceptval(check=False)
def _add_to_period(
    pipeline: Pipeline,
    board: Board,
    e: cython.Py_ssize_t,
    table: Table,
    base: cython.Py_ssize_t,
    now: cython.double,
    unit: cython.double,
) -> cython.void:
    traits = pipeline.traits
    first = base + pipeline.pending
    if not _still_open(pipeline, table, base, now, unit):
        # The drift is applied when the period closes, so the variance before it is stored.
        _store_belief(pipeline, board, e, board.before, table, base)
        for k in range(first, base + pipeline.passed):
            table.cells[k] = 0.0
        table.cells[base + pipeline.passed] = board.elapsed[e]
    for k in range(traits):
        table.cells[first + k] += board.importance * board.g1[e * traits + k]
        table.cells[first + traits + k] += board.importance * board.g2[e * traits + k]
    table.cells[base + pipeline.games] += board.importance


def load_memory(
    pipeline: Pipeline, board: Board, table: Table, now: cython.double, unit: cython.double, settle: cython.bint
) -> cython.bint:
    """Copy the league's memory to the board; close the rating period of the home advantage if that period is over.

    If `settle` is true, close the period in any case; return whether `now` is in the period that was closed.
    """
    board.home_settled = False
    for k in range(pipeline.memories):
        board.memory[k] = table.memory[k]
    # The last two cells hold the number of games in the home advantage's open period, and the time of the last game.
    if not pipeline.learns_home or pipeline.period == 0.0 or board.memory[pipeline.memories - 2] == 0.0:
        return False
    is_over = now != now or periods_between(pipeline.period, board.memory[pipeline.memories - 1], now, unit) > 0.0
    if is_over or settle:
        pipeline.close_home(board)
    board.home_settled = settle and not is_over
    return board.home_settled


def store_memory(pipeline: Pipeline, board: Board, table: Table) -> cython.void:
    """Copy the league's memory from the board to the table."""
    for k in range(pipeline.memories):
        table.memory[k] = board.memory[k]


@cython.cfunc
def _load_match(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    match: cython.Py_ssize_t,
    now: cython.double,
    settle: cython.bint,
) -> cython.bint:
    """Copy a match to the board; return whether `settle` has closed rating periods to which the match belongs."""
    first = columns.match_start[match]
    entry = columns.team_start[first]
    board.time = now
    board.teams = columns.match_start[match + 1] - first
    board.entries = columns.team_start[first + board.teams] - entry
    board.importance = columns.importance[match] if columns.has_importance else 1.0
    board.home = columns.home[match] if columns.has_home else -1
    early = load_memory(pipeline, board, table, now, columns.unit, settle)
    for j in range(board.teams):
        board.start[j + 1] = columns.team_start[first + j + 1] - entry
        board.place[j] = columns.place[first + j]
        board.score[j] = columns.score[first + j] if columns.has_score else NAN
    for e in range(board.entries):
        for k in range(e * pipeline.traits, (e + 1) * pipeline.traits):
            board.alpha[k] = columns.weight[entry + e] if columns.has_weight else 1.0
        if load_player(pipeline, board, e, table, columns.player[entry + e], now, columns.unit, settle):
            early = True
    return early


@cython.cfunc
def _record_forecast(
    pipeline: Pipeline, board: Board, columns: Columns, record: Record, match: cython.Py_ssize_t
) -> cython.bint:
    first = columns.match_start[match] * pipeline.traits
    for k in range(board.teams * pipeline.traits):
        record._mean[first + k] = board.mean[k]
        record._variance[first + k] = board.variance[k]
    record._win[match] = board.win if board.teams == 2 else NAN
    record._draw[match] = board.draw if board.teams == 2 else NAN
    record._scatter[match] = 0.0 if board.teams == 2 else pipeline.outcome.scatter(board)
    return False


@cython.cfunc
def _record_open(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    record: Record,
    match: cython.Py_ssize_t,
    now: cython.double,
) -> cython.bint:
    """Record the beliefs before a match about players with an open rating period, as if the period ended now.

    The beliefs about all other players are set to NaN here; `_record_before` fills these in after the drift.
    """
    for e in range(columns.team_start[columns.match_start[match]], columns.team_start[columns.match_start[match + 1]]):
        row = columns.player[e]
        record._before[e, 0] = NAN
        if pipeline.period > 0.0 and _still_open(pipeline, table, row * pipeline.width, now, columns.unit):
            load_player(pipeline, board, 0, table, row, NAN, 1.0, True)
            _record_belief(board, 0, record._before, e)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _record_before(pipeline: Pipeline, board: Board, record: Record, entry: cython.Py_ssize_t) -> cython.void:
    """Record the beliefs that `_record_open` left out, including the drift up to the match."""
    for e in range(board.entries):
        if record._before[entry + e, 0] != record._before[entry + e, 0]:
            _record_belief(board, e, record._before, entry + e)


@cython.cfunc
def _record_after(
    pipeline: Pipeline, board: Board, columns: Columns, table: Table, record: Record, entry: cython.Py_ssize_t
) -> cython.bint:
    for e in range(board.entries):
        row = columns.player[entry + e]
        for k in range(pipeline.last_seen):  # these cells hold the belief
            record._after[entry + e, k] = table.cells[row * pipeline.width + k]
        if pipeline.period > 0.0 and table.cells[row * pipeline.width] == table.cells[row * pipeline.width]:
            load_player(pipeline, board, e, table, row, NAN, 1.0, True)
            _record_belief(board, e, record._after, entry + e)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _record_belief(
    board: Board, e: cython.Py_ssize_t, beliefs: cython.double[:, ::1], row: cython.Py_ssize_t
) -> cython.void:
    for k in range(board.traits):
        beliefs[row, 2 * k] = board.mu[e * board.traits + k]
        beliefs[row, 2 * k + 1] = board.var[e * board.traits + k]


@cython.cfunc
def _learn(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    match: cython.Py_ssize_t,
    now: cython.double,
    early: cython.bint,
) -> cython.double:
    """Learn from the match on the board; return the log-evidence of its forecast.

    If rating periods were closed early for the forecast, the match is loaded again with the beliefs at their start.
    """
    if not early:
        return pipeline.learn(board)
    evidence = pipeline.outcome.evidence(board)
    _load_match(pipeline, board, columns, table, match, now, False)
    pipeline.forecast(board)
    pipeline.learn(board)
    return evidence


def sweep(
    pipeline: Pipeline, board: Board, columns: Columns, table: Table, record: Record, start: int, stop: int
) -> None:
    """Rate the matches from `start` to `stop`, one after the other.

    Each match is loaded, forecast, recorded (unless the record is silent), learnt from, and stored. If an error occurs,
    the state stays as it was before the match `record.at`, which caused the error.
    """
    match: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    e: cython.Py_ssize_t
    now: cython.double
    for match in range(start, stop):
        record.at = match
        now = columns.time[match] if columns.has_time else NAN
        entry = columns.team_start[columns.match_start[match]]
        # Players' rows are scattered over a table larger than the CPU caches: without prefetching, rating would wait
        # for memory.
        for e in range(entry + AHEAD, min(entry + AHEAD + board.entries, columns.entries)):
            prefetch(cython.address(table.cells[columns.player[e] * pipeline.width]))
        if record.has_before:
            _record_open(pipeline, board, columns, table, record, match, now)
        early = _load_match(pipeline, board, columns, table, match, now, not record.silent)
        pipeline.forecast(board)
        if record.has_before:
            _record_before(pipeline, board, record, entry)
        if not record.silent:
            _record_forecast(pipeline, board, columns, record, match)
        evidence = 0.0
        # A match of importance 0 is forecast, but changes nothing, not even the number of matches.
        if board.importance > 0.0:
            evidence = _learn(pipeline, board, columns, table, match, now, early)
            if not board.converged:
                record.unconverged.append(match)
            if not pipeline.in_period(now):
                pipeline.absorb_all(board)
            # Every step that can fail comes before the first store, so that an error leaves the state unchanged.
            for e in range(board.entries):
                store_player(pipeline, board, e, table, columns.player[entry + e], now, columns.unit)
            store_memory(pipeline, board, table)
        if not record.silent:
            record._log_evidence[match] = evidence
        if record.has_after:
            _record_after(pipeline, board, columns, table, record, entry)

"""The sweep, which rates all matches of a history in one chronological pass.

Matches without a common player are rated together, as the lanes of a board (see `schedule`). If every match depends on
the one before it, as with a learnt home advantage, the board has one lane.

Only `load_player` and `store_player` copy between a player's row of the state and an entry of the board. In a model
with rating periods, a row keeps the belief at the start of the open period and the sums over the period's matches. The
period is closed when the player has a match in a later period, or when the rating is read (then `now` is NaN).

A match in an open period is loaded twice. It is loaded first for its forecast, as if the period ended just before the
match, so that the forecast equals the prediction of a ladder. It is loaded again to learn from its result, with the
beliefs at the start of the period.

If an error occurs in `sweep`, the state stays as it was before the match that caused the error.
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
    from cython.cimports.prowess.model.engine.board import Board, copy_lane
    from cython.cimports.prowess.model.engine.pipeline import Pipeline
    from cython.cimports.prowess.model.engine.schedule import Schedule
else:
    from math import floor

    from .._cython import prefetch
    from .board import Board, copy_lane
    from .pipeline import Pipeline
    from .schedule import Schedule

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
    lane: cython.Py_ssize_t,
    table: Table,
    row: cython.Py_ssize_t,
    now: cython.double,
    unit: cython.double,
    settle: cython.bint,
) -> cython.bint:
    """Copy the belief about a player to entry e of a lane of the board. `now` is NaN if times are unknown.

    If `settle` is true, close an open rating period on the board even if `now` is in this period. Return whether `now`
    is in the period that was closed.
    """
    early = False
    s = board.stride
    cell = e * s + lane
    first = e * pipeline.traits * s + lane
    base = row * pipeline.width
    then = table.cells[base + pipeline.last_seen]
    # A mean of NaN marks a player without matches.
    is_new = table.cells[base] != table.cells[base]
    # The comparison is false for NaN: if a time is unknown, the elapsed time is 0.
    board.elapsed[cell] = (now - then) / unit if now >= then else 0.0
    board.games[cell] = 1.0
    if is_new:
        _welcome(pipeline, board, e, lane)
    else:
        board.played[cell] = table.cells[base + pipeline.matches]
        for k in range(pipeline.traits):
            board.mu[first + k * s] = table.cells[base + 2 * k]
            board.var[first + k * s] = table.cells[base + 2 * k + 1]
        for k in range(pipeline.extras):
            board.extra[(e * pipeline.extras + k) * s + lane] = table.cells[base + pipeline.first_extra + k]
        if pipeline.period > 0.0:
            early = _count_periods(pipeline, board, e, lane, table, base, now, unit, settle)
    board.settled[cell] = 1.0 if early else 0.0
    for k in range(pipeline.traits):
        board.before_mu[first + k * s] = board.mu[first + k * s]
        board.before[first + k * s] = board.var[first + k * s]
    return early


@cython.cfunc
def _welcome(pipeline: Pipeline, board: Board, e: cython.Py_ssize_t, lane: cython.Py_ssize_t) -> cython.bint:
    """Set the belief about a newcomer."""
    s = board.stride
    board.played[e * s + lane] = 0.0
    if pipeline.newcomer[0] == pipeline.newcomer[0]:
        for k in range(pipeline.traits):
            board.mu[(e * pipeline.traits + k) * s + lane] = pipeline.newcomer[2 * k]
            board.var[(e * pipeline.traits + k) * s + lane] = pipeline.newcomer[2 * k + 1]
        for k in range(pipeline.extras):
            board.extra[(e * pipeline.extras + k) * s + lane] = pipeline.newcomer[pipeline.first_extra + k]
        return False
    single = board
    if s > 1:
        single = board.single
        copy_lane(board, lane, single, 0)
    pipeline.prior.welcome(single, e)
    pipeline.absorb.welcome(single, e)
    if s > 1:
        copy_lane(single, 0, board, lane)
    return False


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
    lane: cython.Py_ssize_t,
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
    cell = e * board.stride + lane
    board.elapsed[cell] = periods_between(pipeline.period, table.cells[base + pipeline.last_seen], now, unit)
    if still_open and not settle:
        board.elapsed[cell] = table.cells[base + pipeline.passed]
    elif games > 0.0:
        _close_period(pipeline, board, e, lane, table, base)
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
    pipeline: Pipeline,
    board: Board,
    e: cython.Py_ssize_t,
    lane: cython.Py_ssize_t,
    table: Table,
    base: cython.Py_ssize_t,
) -> cython.bint:
    """End a player's rating period on the board `past`: apply the drift, then absorb the sums over its matches."""
    s = board.stride
    past = board.past
    traits = pipeline.traits
    pending = base + pipeline.pending
    first = e * traits * s + lane
    extra = e * pipeline.extras * s + lane
    past.played[0] = board.played[e * s + lane]
    past.games[0] = table.cells[base + pipeline.games]
    past.elapsed[0] = table.cells[base + pipeline.passed]
    for k in range(traits):
        past.mu[k] = board.mu[first + k * s]
        past.var[k] = board.var[first + k * s]
        past.g1[k] = table.cells[pending + k]
        past.g2[k] = table.cells[pending + traits + k]
        # Only `Moment` uses `kept`, and it does not allow rating periods.
        past.kept[k] = 1.0
        past.before[k] = past.var[k]
    for k in range(pipeline.extras):
        past.extra[k] = board.extra[extra + k * s]
    pipeline.drift.widen(past)
    pipeline.absorb_all(past)
    for k in range(traits):
        board.mu[first + k * s] = past.mu[k]
        board.var[first + k * s] = past.var[k]
    for k in range(pipeline.extras):
        board.extra[extra + k * s] = past.extra[k]
    return False


def store_player(
    pipeline: Pipeline,
    board: Board,
    e: cython.Py_ssize_t,
    lane: cython.Py_ssize_t,
    table: Table,
    row: cython.Py_ssize_t,
    now: cython.double,
    unit: cython.double,
) -> cython.void:
    """Count the match, and store the belief about a player or add the match to the open rating period."""
    base = row * pipeline.width
    if pipeline.in_period(now):
        _add_to_period(pipeline, board, e, lane, table, base, now, unit)
    else:
        _store_belief(pipeline, board, e, lane, board.var, table, base)
        # The sums of an open period were absorbed when the player was loaded.
        for k in range(base + pipeline.pending, base + pipeline.width):
            table.cells[k] = 0.0
    table.cells[base + pipeline.matches] = board.played[e * board.stride + lane] + 1.0
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
    lane: cython.Py_ssize_t,
    variance: cython.double[::1],
    table: Table,
    base: cython.Py_ssize_t,
) -> cython.void:
    s = board.stride
    for k in range(pipeline.traits):
        table.cells[base + 2 * k] = board.mu[(e * pipeline.traits + k) * s + lane]
        table.cells[base + 2 * k + 1] = variance[(e * pipeline.traits + k) * s + lane]
    for k in range(pipeline.extras):
        table.cells[base + pipeline.first_extra + k] = board.extra[(e * pipeline.extras + k) * s + lane]


@cython.cfunc
@cython.exceptval(check=False)
def _add_to_period(
    pipeline: Pipeline,
    board: Board,
    e: cython.Py_ssize_t,
    lane: cython.Py_ssize_t,
    table: Table,
    base: cython.Py_ssize_t,
    now: cython.double,
    unit: cython.double,
) -> cython.void:
    s = board.stride
    traits = pipeline.traits
    pending = base + pipeline.pending
    importance = board.importances[lane]
    if not _still_open(pipeline, table, base, now, unit):
        # The drift is applied when the period closes, so the variance before it is stored.
        _store_belief(pipeline, board, e, lane, board.before, table, base)
        for k in range(pending, base + pipeline.passed):
            table.cells[k] = 0.0
        table.cells[base + pipeline.passed] = board.elapsed[e * s + lane]
    for k in range(traits):
        table.cells[pending + k] += importance * board.g1[(e * traits + k) * s + lane]
        table.cells[pending + traits + k] += importance * board.g2[(e * traits + k) * s + lane]
    table.cells[base + pipeline.games] += importance


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


@cython.final
@cython.cclass
class _Window:
    """The matches that are being rated, in the order of `order`, and how they change the league's memory.

    In blocks, `memory` holds the memory before each match from `first` on, or what each match adds to it. If `blocks`
    is false, one match is rated after the other.
    """

    def __init__(self, pipeline: Pipeline, order: Any, blocks: bool, matches: int = 0) -> None:
        self.order = order
        self.blocks = blocks
        self.memory = memoryview(np.empty(max(matches * pipeline.memories, 1)))
        self.first = 0


@cython.cfunc
def _load_block(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    window: _Window,
    first: cython.Py_ssize_t,
    settle: cython.bint,
) -> cython.bint:
    """Copy matches to the board; return whether `settle` has closed rating periods to which a match belongs."""
    early = False
    s = board.stride
    if window.blocks:
        _load_memories(pipeline, board, window, first)
    else:
        now = columns.time[window.order[first]] if columns.has_time else NAN
        early = load_memory(pipeline, board, table, now, columns.unit, settle)
    if s == 1:
        return _load_match(pipeline, board, columns, table, window.order[first], settle) or early
    for lane in range(board.lanes):
        board.importances[lane] = columns.importance[window.order[first + lane]] if columns.has_importance else 1.0
    for lane in range(board.lanes):
        board.homes[lane] = columns.home[window.order[first + lane]] if columns.has_home else -1.0
    for lane in range(board.lanes):
        board.times[lane] = columns.time[window.order[first + lane]] if columns.has_time else NAN
    for j in range(board.teams):
        for lane in range(board.lanes):
            board.place[j * s + lane] = columns.place[columns.match_start[window.order[first + lane]] + j]
            board.score[j * s + lane] = NAN
        if columns.has_score:
            for lane in range(board.lanes):
                board.score[j * s + lane] = columns.score[columns.match_start[window.order[first + lane]] + j]
    for k in range(board.entries * pipeline.traits):
        for lane in range(board.lanes):
            board.alpha[k * s + lane] = 1.0
    if columns.has_weight:
        for k in range(board.entries * pipeline.traits):
            for lane in range(board.lanes):
                entry = columns.team_start[columns.match_start[window.order[first + lane]]]
                board.alpha[k * s + lane] = columns.weight[entry + k // pipeline.traits]
    if pipeline.period > 0.0:
        for e in range(board.entries):
            for lane in range(board.lanes):
                row = board.rows[e * s + lane] // pipeline.width
                if load_player(pipeline, board, e, lane, table, row, board.times[lane], columns.unit, settle):
                    early = True
    else:
        _load_beliefs(pipeline, board, columns, table)
    return early


@cython.cfunc
def _load_match(
    pipeline: Pipeline, board: Board, columns: Columns, table: Table, match: cython.Py_ssize_t, settle: cython.bint
) -> cython.bint:
    """Copy one match to a board with one lane; the return value is that of `_load_block`."""
    early = False
    team = columns.match_start[match]
    entry = columns.team_start[team]
    now = columns.time[match] if columns.has_time else NAN
    board.times[0] = now
    board.importances[0] = columns.importance[match] if columns.has_importance else 1.0
    board.homes[0] = columns.home[match] if columns.has_home else -1.0
    for j in range(board.teams):
        board.place[j] = columns.place[team + j]
        board.score[j] = columns.score[team + j] if columns.has_score else NAN
    for e in range(board.entries):
        for k in range(e * pipeline.traits, (e + 1) * pipeline.traits):
            board.alpha[k] = columns.weight[entry + e] if columns.has_weight else 1.0
        if load_player(pipeline, board, e, 0, table, columns.player[entry + e], now, columns.unit, settle):
            early = True
    return early


@cython.cfunc
def _load_beliefs(pipeline: Pipeline, board: Board, columns: Columns, table: Table) -> cython.bint:
    """Copy the beliefs about all players to the board, in a model without rating periods.

    Many short loops do the same as `load_player` for each player, but wait less for memory.
    """
    s = board.stride
    traits = pipeline.traits
    for e in range(board.entries):
        newcomers = 0
        row = e * s
        for k in range(traits):
            cell = (e * traits + k) * s
            for lane in range(board.lanes):
                base = board.rows[row + lane]
                mu = table.cells[base + 2 * k]
                var = table.cells[base + 2 * k + 1]
                board.mu[cell + lane] = mu
                board.var[cell + lane] = var
                newcomers += 0 if mu == mu else 1
        for lane in range(board.lanes):
            board.played[row + lane] = table.cells[board.rows[row + lane] + pipeline.matches]
        for lane in range(board.lanes):
            board.elapsed[row + lane] = 0.0
        if columns.has_time:
            for lane in range(board.lanes):
                then = table.cells[board.rows[row + lane] + pipeline.last_seen]
                # The comparison is false for NaN: if a time is unknown, the elapsed time is 0.
                elapsed = (board.times[lane] - then) / columns.unit
                board.elapsed[row + lane] = elapsed if elapsed >= 0.0 else 0.0
        for k in range(pipeline.extras):
            for lane in range(board.lanes):
                value = table.cells[board.rows[row + lane] + pipeline.first_extra + k]
                board.extra[(e * pipeline.extras + k) * s + lane] = value
        if newcomers > 0:
            for lane in range(board.lanes):
                # A mean of NaN marks a player without matches.
                if board.mu[e * traits * s + lane] != board.mu[e * traits * s + lane]:
                    _welcome(pipeline, board, e, lane)
        for k in range(traits):
            cell = (e * traits + k) * s
            for lane in range(board.lanes):
                board.before_mu[cell + lane] = board.mu[cell + lane]
                board.before[cell + lane] = board.var[cell + lane]
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _set_shape(board: Board, columns: Columns, match: cython.Py_ssize_t) -> cython.void:
    first = columns.match_start[match]
    board.teams = columns.match_start[match + 1] - first
    board.entries = columns.team_start[first + board.teams] - columns.team_start[first]
    for j in range(board.teams + 1):
        board.start[j] = columns.team_start[first + j] - columns.team_start[first]


@cython.cfunc
def _record_forecasts(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    record: Record,
    window: _Window,
    first: cython.Py_ssize_t,
) -> cython.bint:
    s = board.stride
    for lane in range(board.lanes):
        match = window.order[first + lane]
        cell = columns.match_start[match] * pipeline.traits
        for k in range(board.teams * pipeline.traits):
            record._mean[cell + k] = board.mean[k * s + lane]
            record._variance[cell + k] = board.variance[k * s + lane]
        record._win[match] = board.wins[lane] if board.teams == 2 else NAN
        record._draw[match] = board.draws[lane] if board.teams == 2 else NAN
        record._scatter[match] = 0.0
        if board.teams != 2 and pipeline.scatters:
            single = board
            if s > 1:
                single = board.single
                copy_lane(board, lane, single, 0)
            record._scatter[match] = pipeline.outcome.scatter(single)
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
            load_player(pipeline, board, 0, 0, table, row, NAN, 1.0, True)
            _record_belief(board, 0, 0, record._before, e)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _record_before(
    board: Board,
    columns: Columns,
    record: Record,
    window: _Window,
    first: cython.Py_ssize_t,
) -> cython.void:
    """Record the beliefs that `_record_open` left out, including the drift up to the match."""
    for lane in range(board.lanes):
        entry = columns.team_start[columns.match_start[window.order[first + lane]]]
        for e in range(board.entries):
            if record._before[entry + e, 0] != record._before[entry + e, 0]:
                _record_belief(board, e, lane, record._before, entry + e)


@cython.cfunc
def _record_after(
    pipeline: Pipeline, board: Board, columns: Columns, table: Table, record: Record, match: cython.Py_ssize_t
) -> cython.bint:
    for e in range(columns.team_start[columns.match_start[match]], columns.team_start[columns.match_start[match + 1]]):
        row = columns.player[e]
        for k in range(pipeline.last_seen):  # these cells hold the belief
            record._after[e, k] = table.cells[row * pipeline.width + k]
        if pipeline.period > 0.0 and table.cells[row * pipeline.width] == table.cells[row * pipeline.width]:
            load_player(pipeline, board, 0, 0, table, row, NAN, 1.0, True)
            _record_belief(board, 0, 0, record._after, e)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _record_belief(
    board: Board,
    e: cython.Py_ssize_t,
    lane: cython.Py_ssize_t,
    beliefs: cython.double[:, ::1],
    row: cython.Py_ssize_t,
) -> cython.void:
    for k in range(board.traits):
        beliefs[row, 2 * k] = board.mu[(e * board.traits + k) * board.stride + lane]
        beliefs[row, 2 * k + 1] = board.var[(e * board.traits + k) * board.stride + lane]


@cython.cfunc
def _rate_block(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    record: Record,
    window: _Window,
    first: cython.Py_ssize_t,
    lanes: cython.Py_ssize_t,
) -> cython.bint:
    """Rate the matches from `first` on that are in the lanes of a board: load, forecast, record, learn, store."""
    single = board.single if board.single is not None else board
    board.lanes = lanes
    _set_shape(board, columns, window.order[first])
    if record.has_before:
        for lane in range(lanes):
            match = window.order[first + lane]
            _record_open(
                pipeline, single, columns, table, record, match, columns.time[match] if columns.has_time else NAN
            )
    early = _load_block(pipeline, board, columns, table, window, first, not record.silent)
    pipeline.forecast(board)
    if record.has_before:
        _record_before(board, columns, record, window, first)
    if not record.silent:
        _record_forecasts(pipeline, board, columns, record, window, first)
        if window.blocks and pipeline.mixes:
            # The share of draws among earlier matches is not yet known; see `_mix_draws`.
            for lane in range(lanes):
                record._draw[window.order[first + lane]] = board.losses[lane]
    # A match of importance 0 is forecast, but changes nothing, not even the number of matches. The schedule never mixes
    # such matches with others.
    if board.importances[0] > 0.0:
        _learn(pipeline, board, columns, table, record, window, first, early)
        _store_block(pipeline, board, columns, table, record, window, first)
    elif not record.silent:
        for lane in range(lanes):
            record._log_evidence[window.order[first + lane]] = 0.0
    if record.has_after:
        for lane in range(lanes):
            _record_after(pipeline, single, columns, table, record, window.order[first + lane])
    return False


@cython.cfunc
def _learn(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    record: Record,
    window: _Window,
    first: cython.Py_ssize_t,
    early: cython.bint,
) -> cython.bint:
    """Learn from the matches on the board, and record the log-evidence of their forecasts.

    If rating periods were closed early for the forecast, the matches are loaded again with the beliefs at their start.
    """
    pipeline.learn(board)
    if not record.silent:
        for lane in range(board.lanes):
            record._log_evidence[window.order[first + lane]] = board.evidences[lane]
    if early:
        _load_block(pipeline, board, columns, table, window, first, False)
        pipeline.forecast(board)
        pipeline.learn(board)
    for lane in range(board.lanes):
        if board.unconverged[lane] > 0.0:
            record.unconverged.append(window.order[first + lane])
    # Times are known for all matches of a history or for none.
    if not pipeline.in_period(board.times[0]):
        pipeline.absorb_all(board)
    return False


@cython.cfunc
def _store_block(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    record: Record,
    window: _Window,
    first: cython.Py_ssize_t,
) -> cython.bint:
    """Store the beliefs after the matches on the board; every step that can fail has been taken before."""
    s = board.stride
    traits = pipeline.traits
    if pipeline.period > 0.0 or s == 1:
        for lane in range(board.lanes):
            entry = columns.team_start[columns.match_start[window.order[first + lane]]]
            for e in range(board.entries):
                row = columns.player[entry + e]
                store_player(pipeline, board, e, lane, table, row, board.times[lane], columns.unit)
    else:
        for e in range(board.entries):
            for lane in range(board.lanes):
                base = board.rows[e * s + lane]
                for k in range(traits):
                    table.cells[base + 2 * k] = board.mu[(e * traits + k) * s + lane]
                    table.cells[base + 2 * k + 1] = board.var[(e * traits + k) * s + lane]
                for k in range(pipeline.extras):
                    table.cells[base + pipeline.first_extra + k] = board.extra[(e * pipeline.extras + k) * s + lane]
                table.cells[base + pipeline.matches] = board.played[e * s + lane] + 1.0
                # A match without a time does not change the time of the last match.
                if board.times[lane] == board.times[lane]:
                    table.cells[base + pipeline.last_seen] = board.times[lane]
    if not window.blocks:
        store_memory(pipeline, board, table)
    elif pipeline.mixes:
        _keep_memories(pipeline, board, window, first)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _load_memories(
    pipeline: Pipeline,
    board: Board,
    window: _Window,
    first: cython.Py_ssize_t,
) -> cython.void:
    """Load the league's memory before each match if scores alone determine it, else zeros, to which matches add."""
    for lane in range(board.lanes):
        cell = (window.order[first + lane] - window.first) * pipeline.memories
        for k in range(pipeline.memories):
            board.memory[k * board.stride + lane] = window.memory[cell + k] if pipeline.tallies else 0.0


@cython.cfunc
@cython.exceptval(check=False)
def _keep_memories(
    pipeline: Pipeline,
    board: Board,
    window: _Window,
    first: cython.Py_ssize_t,
) -> cython.void:
    for lane in range(board.lanes):
        cell = (window.order[first + lane] - window.first) * pipeline.memories
        for k in range(pipeline.memories):
            window.memory[cell + k] = board.memory[k * board.stride + lane]


@cython.cfunc
def _tally(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    window: _Window,
    stop: cython.Py_ssize_t,
) -> cython.bint:
    """Compute the league's memory before each match of a window, from the scores of the earlier matches."""
    for k in range(pipeline.memories):
        board.memory[k] = table.memory[k]
    for match in range(window.first, stop):
        cell = (match - window.first) * pipeline.memories
        for k in range(pipeline.memories):
            window.memory[cell + k] = board.memory[k]
        if columns.has_importance and columns.importance[match] == 0.0:
            continue
        team = columns.match_start[match]
        board.teams = columns.match_start[match + 1] - team
        missing = 0
        for j in range(board.teams):
            board.score[j] = columns.score[team + j] if columns.has_score else NAN
            missing += 0 if board.score[j] == board.score[j] else 1
        if missing == 0:
            pipeline.outcome.tally(board)
    for k in range(pipeline.memories):
        table.memory[k] = board.memory[k]
    return False


@cython.cfunc
def _mix_draws(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    record: Record,
    window: _Window,
    stop: cython.Py_ssize_t,
) -> cython.bint:
    """Add what the matches of a window have added to the league's memory, and complete the forecasts of draws."""
    match: cython.Py_ssize_t = window.first
    while match < stop:
        board.lanes = min(pipeline.lanes, stop - match)
        for lane in range(board.lanes):
            cell = (match + lane - window.first) * pipeline.memories
            learns = not columns.has_importance or columns.importance[match + lane] > 0.0
            for k in range(pipeline.memories):
                board.memory[k * board.stride + lane] = table.memory[k]
                table.memory[k] += window.memory[cell + k] if learns else 0.0
            if not record.silent:
                board.wins[lane] = record._win[match + lane]
                board.losses[lane] = record._draw[match + lane]
        if not record.silent:
            pipeline.outcome.mix_draws(board)
            for lane in range(board.lanes):
                record._win[match + lane] = board.wins[lane]
                record._draw[match + lane] = board.draws[lane]
        match += board.lanes
    return False


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _prefetch_row(pipeline: Pipeline, table: Table, row: cython.Py_ssize_t) -> cython.void:
    # A row may lie in two lines of the cache.
    prefetch(cython.address(table.cells[row * pipeline.width]))
    prefetch(cython.address(table.cells[(row + 1) * pipeline.width - 1]))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _block_entries(columns: Columns, plan: Schedule, b: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the number of entries of every match in a block."""
    match = plan.order[plan.block_start[b]]
    return columns.team_start[columns.match_start[match + 1]] - columns.team_start[columns.match_start[match]]


@cython.cfunc
@cython.exceptval(check=False)
def _find_rows(
    pipeline: Pipeline, board: Board, columns: Columns, table: Table, plan: Schedule, b: cython.Py_ssize_t
) -> cython.void:
    """Set `next_rows` to the cells where the players of a block begin in the table, and prefetch them.

    Players are scattered over a table larger than the CPU caches: without prefetching, rating would wait for memory.
    """
    if b >= plan.blocks:
        return
    first = plan.block_start[b]
    size = _block_entries(columns, plan, b)
    if size > plan.large:
        return
    for lane in range(plan.block_start[b + 1] - first):
        entry = columns.team_start[columns.match_start[plan.order[first + lane]]]
        for e in range(size):
            row = columns.player[entry + e]
            board.next_rows[e * board.stride + lane] = row * pipeline.width
            _prefetch_row(pipeline, table, row)


@cython.cfunc
def _rate_window(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    record: Record,
    window: _Window,
    plan: Schedule,
    w: cython.Py_ssize_t,
) -> cython.bint:
    """Rate the matches of a window of the schedule, in blocks."""
    stop = plan.window_start[w + 1]
    window.first = plan.window_start[w]
    if pipeline.tallies:
        _tally(pipeline, board.single, columns, table, window, stop)
    _find_rows(pipeline, board, columns, table, plan, plan.window_block[w])
    for b in range(plan.window_block[w], plan.window_block[w + 1]):
        first = plan.block_start[b]
        size = _block_entries(columns, plan, b)
        if size <= plan.large:
            for i in range(size * board.stride):
                board.rows[i] = board.next_rows[i]
        _find_rows(pipeline, board, columns, table, plan, b + 1)
        _rate_block(
            pipeline,
            board if size <= plan.large else board.single,
            columns,
            table,
            record,
            window,
            first,
            plan.block_start[b + 1] - first,
        )
    if pipeline.mixes:
        _mix_draws(pipeline, board, columns, table, record, window, stop)
    return False


def sweep(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    record: Record,
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
) -> None:
    """Rate the matches from `start` to `stop`, one after the other.

    If an error occurs, the state stays as it was before the match `record.at`, which caused the error.
    """
    match: cython.Py_ssize_t
    window: _Window = _Window(pipeline, memoryview(np.arange(start, stop, dtype=np.int32)), False)
    for match in range(start, stop):
        record.at = match
        entry = columns.team_start[columns.match_start[match]]
        for e in range(entry + AHEAD, min(entry + AHEAD + board.entries, columns.entries)):
            _prefetch_row(pipeline, table, columns.player[e])
        _rate_block(pipeline, board, columns, table, record, window, match - start, 1)


def sweep_blocks(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    record: Record,
    plan: Schedule,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Rate the matches of the windows from `first` to `last` of a schedule, in blocks.

    If an error occurs, some of the matches have been rated, and others have not.
    """
    w: cython.Py_ssize_t
    most = 0
    for w in range(first, last):
        most = max(most, plan.window_start[w + 1] - plan.window_start[w])
    window: _Window = _Window(pipeline, plan.order, True, most)
    known = len(record.unconverged)
    for w in range(first, last):
        _rate_window(pipeline, board, columns, table, record, window, plan, w)
    record.unconverged[known:] = sorted(record.unconverged[known:])

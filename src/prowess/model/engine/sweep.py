"""The sweep, which rates all matches of a history in one chronological pass.

Matches without a common player are rated together, as the lanes of a board (see `schedule`). A match in an open rating
period is loaded twice. It is loaded first for its forecast, as if the period ended just before the match, so that the
forecast equals the prediction of a ladder. It is loaded again to learn from its result, with the beliefs at the start
of the period.

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
    from cython.cimports.prowess.model.engine.board import Board, copy_beliefs, copy_lane
    from cython.cimports.prowess.model.engine.buffers import Columns, Record, Table
    from cython.cimports.prowess.model.engine.pipeline import Pipeline
    from cython.cimports.prowess.model.engine.players import (
        is_open,
        load_memory,
        load_player,
        store_memory,
        store_player,
        welcome,
    )
    from cython.cimports.prowess.model.engine.schedule import Schedule
else:
    from .._cython import prefetch
    from .board import Board, copy_beliefs, copy_lane
    from .buffers import Columns, Record, Table
    from .pipeline import Pipeline
    from .players import is_open, load_memory, load_player, store_memory, store_player, welcome
    from .schedule import Schedule

AHEAD = cython.declare(cython.Py_ssize_t, 16)  # rows of players are prefetched this many entries ahead
NAN = cython.declare(cython.double, float("nan"))


@cython.final
@cython.cclass
class _Window:
    """The matches that are being rated, in the order of `order`, and how they change the league's memory.

    In blocks, row k of the table `memory` has number k of the league's memory before each match from `first` on, or
    what each match adds to it. If `blocks` is false, one match is rated after the other.
    """

    def __init__(self, pipeline: Pipeline, order: Any, blocks: bool, matches: int = 0) -> None:
        self.order = order
        self.blocks = blocks
        self.memory = memoryview(np.empty((max(pipeline.level, 1), max(matches, 1))))
        self.first = 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _first_team(columns: Columns, match: cython.Py_ssize_t) -> cython.Py_ssize_t:
    return match * columns.match_teams if columns.match_teams > 0 else columns.match_start[match]


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _first_entry(columns: Columns, match: cython.Py_ssize_t) -> cython.Py_ssize_t:
    if columns.match_entries > 0:
        return match * columns.match_entries
    return columns.team_start[columns.match_start[match]]


@cython.cfunc
def _place_matches(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    window: _Window,
    first: cython.Py_ssize_t,
    matches: cython.Py_ssize_t,
) -> cython.bint:
    """Set the shape of the board, and where its matches begin in the columns of the history."""
    board.matches = board.lanes = matches
    if board.stride > 1:
        board.lanes = (matches + pipeline.vector - 1) // pipeline.vector * pipeline.vector
    for lane in range(matches):
        board.match[lane] = window.order[first + lane]
    for lane in range(matches, board.lanes):
        board.match[lane] = window.order[first + matches - 1]
    for lane in range(board.lanes):
        board.first_team[lane] = _first_team(columns, board.match[lane])
    for lane in range(board.lanes):
        board.first_entry[lane] = _first_entry(columns, board.match[lane])
    team = board.first_team[0]
    board.teams = columns.match_start[board.match[0] + 1] - team
    board.entries = columns.team_start[team + board.teams] - columns.team_start[team]
    for j in range(board.teams + 1):
        board.start[j] = columns.team_start[team + j] - columns.team_start[team]
    return False


@cython.cfunc
def _load_block(
    pipeline: Pipeline, board: Board, columns: Columns, table: Table, window: _Window, settle: cython.bint
) -> cython.bint:
    """Copy matches to the board; return whether `settle` has closed rating periods to which a match belongs."""
    early = False
    newcomers = 0
    if pipeline.serial and window.blocks:
        pass  # the memory stays on the board `single`
    elif window.blocks:
        _load_memories(pipeline, board, window)
    else:
        now = columns.time[board.match[0]] if columns.has_time else NAN
        early = load_memory(pipeline, board, table, now, columns.unit, settle)
    if board.stride == 1:
        return _load_match(pipeline, board, columns, table, settle) or early
    _load_results(pipeline, board, columns)
    if pipeline.period > 0.0 and columns.has_time:
        for e in range(board.entries):
            for i in range(board.lanes):
                row = board.rows[e * board.stride + i] // table.stride
                if load_player(pipeline, board, e, i, table, row, board.times[i], columns.unit, settle):
                    early = True
        return early
    for e in range(board.entries):
        newcomers += _load_entry(pipeline, board, e, columns, table)
        if pipeline.period > 0.0:
            _close_periods(pipeline, board, e, columns, table)
    if pipeline.greets:
        _greet_players(pipeline, board, newcomers > 0)
    return early


@cython.cfunc
@cython.exceptval(check=False)
def _load_results(pipeline: Pipeline, board: Board, columns: Columns) -> cython.void:
    """Copy everything but the beliefs to a board with lanes. Columns that the history lacks keep their defaults."""
    s = board.stride
    if columns.has_importance:
        for lane in range(board.lanes):
            board.importances[lane] = columns.importance[board.match[lane]]
    if columns.has_home:
        for lane in range(board.lanes):
            board.homes[lane] = columns.home[board.match[lane]]
    if columns.has_time:
        for lane in range(board.lanes):
            board.times[lane] = columns.time[board.match[lane]]
    for j in range(board.teams):
        for lane in range(board.lanes):
            board.place[j * s + lane] = columns.place[board.first_team[lane] + j]
        if columns.has_score:
            for lane in range(board.lanes):
                board.score[j * s + lane] = columns.score[board.first_team[lane] + j]
    if columns.has_weight:
        for e in range(board.entries):
            for k in range(e * pipeline.traits, (e + 1) * pipeline.traits):
                for lane in range(board.lanes):
                    board.alpha[k * s + lane] = columns.weight[board.first_entry[lane] + e]
    elif pipeline.refills:
        for k in range(board.entries * pipeline.traits):
            for lane in range(board.lanes):
                board.alpha[k * s + lane] = 1.0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _prefetch_row(table: Table, row: cython.Py_ssize_t) -> cython.void:
    # Rows of up to eight numbers lie in one line of the cache (see `aligned`). Of longer rows, most numbers do, too.
    prefetch(cython.address(table.cells[row * table.stride]))


@cython.cfunc
def _load_match(pipeline: Pipeline, board: Board, columns: Columns, table: Table, settle: cython.bint) -> cython.bint:
    """Copy one match to a board with one lane; the return value is that of `_load_block`."""
    early = False
    match = board.match[0]
    team = board.first_team[0]
    entry = board.first_entry[0]
    now = columns.time[match] if columns.has_time else NAN
    board.times[0] = now
    board.importances[0] = columns.importance[match] if columns.has_importance else 1.0
    board.homes[0] = columns.home[match] if columns.has_home else -1.0
    for j in range(board.teams):
        board.place[j] = columns.place[team + j]
        board.score[j] = columns.score[team + j] if columns.has_score else NAN
    for e in range(board.entries):
        if e + AHEAD < board.entries:
            _prefetch_row(table, columns.player[entry + e + AHEAD])
        for k in range(e * pipeline.traits, (e + 1) * pipeline.traits):
            board.alpha[k] = columns.weight[entry + e] if columns.has_weight else 1.0
        if load_player(pipeline, board, e, 0, table, columns.player[entry + e], now, columns.unit, settle):
            early = True
    return early


@cython.cfunc
def _load_entry(
    pipeline: Pipeline, board: Board, e: cython.Py_ssize_t, columns: Columns, table: Table
) -> cython.Py_ssize_t:
    """Copy the beliefs about the players at position e of all matches to the board; return the number of newcomers.

    The loops do the same as `load_player` for each player without an open rating period, but wait less for memory. A
    newcomer keeps a mean of NaN if newcomers depend on earlier matches.
    """
    s = board.stride
    traits = pipeline.traits
    newcomers = 0
    row = e * s
    for k in range(traits):
        cell = (e * traits + k) * s
        for lane in range(board.lanes):
            base = board.rows[row + lane]
            mu = table.cells[base + 2 * k]
            board.mu[cell + lane] = mu
            board.var[cell + lane] = table.cells[base + 2 * k + 1]
            newcomers += 0 if mu == mu else 1
    for lane in range(board.lanes):
        board.played[row + lane] = table.cells[board.rows[row + lane] + pipeline.matches]
    if pipeline.refills:
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
    if newcomers > 0 and not pipeline.greets:
        for i in range(board.lanes):
            # A mean of NaN marks a player without matches.
            if board.mu[e * traits * s + i] != board.mu[e * traits * s + i]:
                welcome(pipeline, board, e, i)
    if pipeline.keeps_before:
        for k in range(traits):
            cell = (e * traits + k) * s
            for lane in range(board.lanes):
                board.before_mu[cell + lane] = board.mu[cell + lane]
                board.before[cell + lane] = board.var[cell + lane]
    return newcomers


@cython.cfunc
def _greet_players(pipeline: Pipeline, board: Board, newcomers: cython.bint) -> cython.bint:
    """Welcome the newcomers of one match after the other, and let the prior learn from the other players.

    The memory of the prior stays on the board `single`.
    """
    single = board.single
    single.entries = board.entries
    for i in range(board.matches):
        copy_beliefs(board, i, single, 0)
        if newcomers:
            for e in range(board.entries):
                if single.mu[e * pipeline.traits] != single.mu[e * pipeline.traits]:
                    welcome(pipeline, single, e, 0)
            copy_beliefs(single, 0, board, i)
        if board.importances[i] > 0.0:
            pipeline.prior.meet(single)
    if newcomers:
        for i in range(board.matches, board.lanes):
            copy_beliefs(single, 0, board, i)
        if pipeline.keeps_before:
            for k in range(board.entries * pipeline.traits):
                for lane in range(board.lanes):
                    board.before_mu[k * board.stride + lane] = board.mu[k * board.stride + lane]
                    board.before[k * board.stride + lane] = board.var[k * board.stride + lane]
    return False


@cython.cfunc
def _close_periods(
    pipeline: Pipeline, board: Board, e: cython.Py_ssize_t, columns: Columns, table: Table
) -> cython.bint:
    """Close the rating periods that an earlier history has left open, because these matches have no time."""
    still_open = 0
    s = board.stride
    for lane in range(board.lanes):
        board.games[e * s + lane] = 1.0
        board.settled[e * s + lane] = 0.0
        # The comparison is false for the NaN of a newcomer.
        still_open += 1 if table.cells[board.rows[e * s + lane] + pipeline.games] > 0.0 else 0
    if still_open > 0:
        for i in range(board.lanes):
            row = board.rows[e * s + i] // table.stride
            load_player(pipeline, board, e, i, table, row, NAN, columns.unit, False)
    return False


@cython.cfunc
def _record_forecasts(pipeline: Pipeline, board: Board, record: Record) -> cython.bint:
    s = board.stride
    for k in range(board.teams * pipeline.traits):
        for lane in range(board.matches):
            cell = (board.first_team[lane] - record.first_team) * pipeline.traits + k
            record._mean[cell] = board.mean[k * s + lane]
            record._variance[cell] = board.variance[k * s + lane]
    if board.teams == 2:
        for lane in range(board.matches):
            match = board.match[lane] - record.first_match
            record._win[match] = board.wins[lane]
            record._draw[match] = board.draws[lane]
        return False
    for i in range(board.matches):
        match = board.match[i] - record.first_match
        record._win[match] = record._draw[match] = NAN
        if pipeline.scatters:
            if s == 1:
                board.scatters[0] = pipeline.outcome.scatter(board)
            elif not pipeline.serial:
                copy_lane(board, i, board.single, 0)
                board.scatters[i] = pipeline.outcome.scatter(board.single)
            record._scatter[match] = board.scatters[i]
    return False


@cython.cfunc
def _record_open(
    pipeline: Pipeline, board: Board, columns: Columns, table: Table, record: Record, match: cython.Py_ssize_t
) -> cython.bint:
    """Record the beliefs before a match about players with an open rating period, as if the period ended now.

    The beliefs about all other players are set to NaN here; `_record_before` fills these in after the drift.
    """
    now = columns.time[match] if columns.has_time else NAN
    for e in range(_first_entry(columns, match), _first_entry(columns, match + 1)):
        row = columns.player[e]
        record._before[e, 0] = NAN
        if pipeline.period > 0.0 and is_open(pipeline, table, row * table.stride, now, columns.unit):
            load_player(pipeline, board, 0, 0, table, row, NAN, 1.0, True)
            _record_belief(board, 0, 0, record._before, e)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _record_before(board: Board, record: Record) -> cython.void:
    """Record the beliefs that `_record_open` left out, including the drift up to the match."""
    for i in range(board.matches):
        entry = board.first_entry[i]
        for e in range(board.entries):
            if record._before[entry + e, 0] != record._before[entry + e, 0]:
                _record_belief(board, e, i, record._before, entry + e)


@cython.cfunc
def _record_after(
    pipeline: Pipeline, board: Board, columns: Columns, table: Table, record: Record, match: cython.Py_ssize_t
) -> cython.bint:
    for e in range(_first_entry(columns, match), _first_entry(columns, match + 1)):
        row = columns.player[e]
        for k in range(pipeline.last_seen):  # these cells hold the belief
            record._after[e, k] = table.cells[row * table.stride + k]
        if pipeline.period > 0.0 and table.cells[row * table.stride] == table.cells[row * table.stride]:
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
    matches: cython.Py_ssize_t,
) -> cython.bint:
    """Rate the matches from `first` on that are in the lanes of a board: load, forecast, record, learn, store."""
    single = board.single if board.single is not None else board
    serial = pipeline.serial and board.stride > 1
    _place_matches(pipeline, board, columns, window, first, matches)
    if record.has_before:
        for i in range(matches):
            _record_open(pipeline, single, columns, table, record, board.match[i])
    early = _load_block(pipeline, board, columns, table, window, not record.silent)
    if serial:
        pipeline.advance(board)
        pipeline.rate_serially(board, record.silent)
    else:
        pipeline.forecast(board)
    if record.has_before:
        _record_before(board, record)
    if not record.silent:
        _record_forecasts(pipeline, board, record)
        if window.blocks and pipeline.mixes:
            # The share of draws among earlier matches is not yet known; see `_mix_draws`.
            for lane in range(matches):
                record._draw[board.match[lane] - record.first_match] = board.losses[lane]
    # A match of importance 0 is forecast, but changes nothing, not even the number of matches. The schedule never mixes
    # such matches with others.
    if board.importances[0] > 0.0:
        if serial:
            pipeline.spread(board)
        else:
            pipeline.learn(board)
        _learn(pipeline, board, columns, table, record, window, early)
        _store_block(pipeline, board, columns, table, window)
    else:
        _skip_block(pipeline, board, record, window)
    if record.has_after:
        for i in range(matches):
            _record_after(pipeline, single, columns, table, record, board.match[i])
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _skip_block(pipeline: Pipeline, board: Board, record: Record, window: _Window) -> cython.void:
    """Record that nothing was learnt from matches of importance 0."""
    if not record.silent:
        for lane in range(board.matches):
            record._log_evidence[board.match[lane] - record.first_match] = 0.0
    if window.blocks and pipeline.mixes:
        for k in range(pipeline.level):
            for lane in range(board.matches):
                window.memory[k, board.match[lane] - window.first] = 0.0


@cython.cfunc
def _learn(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    record: Record,
    window: _Window,
    early: cython.bint,
) -> cython.bint:
    """Record the log-evidence of the forecasts, and update the beliefs on the board.

    If rating periods were closed early for the forecast, the matches are loaded again with the beliefs at their start.
    """
    unconverged = 0.0
    if not record.silent:
        for lane in range(board.matches):
            record._log_evidence[board.match[lane] - record.first_match] = board.evidences[lane]
    if early:
        _load_block(pipeline, board, columns, table, window, False)
        pipeline.forecast(board)
        pipeline.learn(board)
    for lane in range(board.matches):
        unconverged += board.unconverged[lane]
    if unconverged > 0.0:
        for i in range(board.matches):
            if board.unconverged[i] > 0.0:
                record.unconverged.append(board.match[i])
    # Times are known for all matches of a history or for none.
    if not pipeline.in_period(board.times[0]):
        pipeline.absorb_all(board)
    return False


@cython.cfunc
def _store_block(pipeline: Pipeline, board: Board, columns: Columns, table: Table, window: _Window) -> cython.bint:
    """Store the beliefs after the matches on the board; every step that can fail has been taken before."""
    s = board.stride
    if (pipeline.period > 0.0 and columns.has_time) or s == 1:
        for i in range(board.matches):
            for e in range(board.entries):
                row = columns.player[board.first_entry[i] + e]
                store_player(pipeline, board, e, i, table, row, board.times[i], columns.unit)
    else:
        for e in range(board.entries):
            _store_entry(pipeline, board, e, columns, table)
    if not window.blocks:
        store_memory(pipeline, board, table)
    elif pipeline.mixes:
        for k in range(pipeline.level):
            for lane in range(board.matches):
                window.memory[k, board.match[lane] - window.first] = board.memory[k * s + lane]
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _store_entry(pipeline: Pipeline, board: Board, e: cython.Py_ssize_t, columns: Columns, table: Table) -> cython.void:
    """Store the beliefs about the players at position e of all matches; they have no open rating periods."""
    s = board.stride
    for k in range(pipeline.traits):
        cell = (e * pipeline.traits + k) * s
        for lane in range(board.matches):
            base = board.rows[e * s + lane] + 2 * k
            table.cells[base] = board.mu[cell + lane]
            table.cells[base + 1] = board.var[cell + lane]
    for k in range(pipeline.extras):
        cell = (e * pipeline.extras + k) * s
        for lane in range(board.matches):
            table.cells[board.rows[e * s + lane] + pipeline.first_extra + k] = board.extra[cell + lane]
    if pipeline.period > 0.0:
        for i in range(board.matches):
            # Newcomers have NaN there.
            if table.cells[board.rows[e * s + i] + pipeline.games] != 0.0:
                for k in range(board.rows[e * s + i] + pipeline.pending, board.rows[e * s + i] + pipeline.width):
                    table.cells[k] = 0.0
    for lane in range(board.matches):
        table.cells[board.rows[e * s + lane] + pipeline.matches] = board.played[e * s + lane] + 1.0
    if columns.has_time:
        for lane in range(board.matches):
            # A match without a time does not change the time of the last match.
            base = board.rows[e * s + lane] + pipeline.last_seen
            time = board.times[lane]
            table.cells[base] = time if time == time else table.cells[base]


@cython.cfunc
@cython.exceptval(check=False)
def _load_memories(pipeline: Pipeline, board: Board, window: _Window) -> cython.void:
    """Load the league's memory before each match if scores alone determine it, else zeros, to which matches add."""
    for k in range(pipeline.level):
        for lane in range(board.lanes):
            board.memory[k * board.stride + lane] = 0.0
        if pipeline.tallies:
            for lane in range(board.lanes):
                board.memory[k * board.stride + lane] = window.memory[k, board.match[lane] - window.first]


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
    for k in range(pipeline.level):
        board.memory[k] = table.memory[k]
    for match in range(window.first, stop):
        for k in range(pipeline.level):
            window.memory[k, match - window.first] = board.memory[k]
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
    for k in range(pipeline.level):
        table.memory[k] = board.memory[k]
    return False


@cython.cfunc
def _mix_draws(
    pipeline: Pipeline, board: Board, table: Table, record: Record, window: _Window, stop: cython.Py_ssize_t
) -> cython.bint:
    """Add what the matches of a window have added to the league's memory, and complete the forecasts of draws."""
    match: cython.Py_ssize_t = window.first
    while match < stop:
        board.lanes = board.matches = min(pipeline.lanes, stop - match)
        for k in range(pipeline.level):
            total: cython.double = table.memory[k]
            for i in range(board.matches):
                board.memory[k * board.stride + i] = total
                total += window.memory[k, match + i - window.first]
            table.memory[k] = total
        if not record.silent:
            cell = match - record.first_match
            for lane in range(board.matches):
                board.wins[lane] = record._win[cell + lane]
                board.losses[lane] = record._draw[cell + lane]
            pipeline.outcome.mix_draws(board)
            for lane in range(board.matches):
                record._win[cell + lane] = board.wins[lane]
                record._draw[cell + lane] = board.draws[lane]
        match += board.matches
    return False


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _block_entries(columns: Columns, plan: Schedule, b: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the number of entries of every match in a block."""
    match = plan.order[plan.block_start[b]]
    return _first_entry(columns, match + 1) - _first_entry(columns, match)


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
    matches = plan.block_start[b + 1] - first
    size = _block_entries(columns, plan, b)
    if size > plan.large:
        return
    for i in range(matches):
        entry = _first_entry(columns, plan.order[first + i])
        for e in range(size):
            row = columns.player[entry + e]
            board.next_rows[e * board.stride + i] = row * table.stride
            _prefetch_row(table, row)
    for i in range(matches, (matches + pipeline.vector - 1) // pipeline.vector * pipeline.vector):
        for e in range(size):
            board.next_rows[e * board.stride + i] = board.next_rows[e * board.stride + matches - 1]


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
            board.rows, board.next_rows = board.next_rows, board.rows
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
        _mix_draws(pipeline, board, table, record, window, stop)
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
        entry = _first_entry(columns, match)
        for e in range(entry + AHEAD, min(entry + AHEAD + board.entries, columns.entries)):
            _prefetch_row(table, columns.player[e])
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
    window: _Window = _Window(pipeline, plan.order, True, most if pipeline.tallies or pipeline.mixes else 0)
    known = len(record.unconverged)
    if pipeline.ordered:
        load_memory(pipeline, board.single, table, NAN, columns.unit, False)
    for w in range(first, last):
        _rate_window(pipeline, board, columns, table, record, window, plan, w)
    if pipeline.ordered:
        # The outcome's part of the memory, if it does not stay on the board, is already in the table.
        for k in range(0 if pipeline.serial else pipeline.level, pipeline.memories):
            table.memory[k] = board.single.memory[k]
    record.unconverged[known:] = sorted(record.unconverged[known:])

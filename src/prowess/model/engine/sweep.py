"""The sweep, which rates all matches of a history in one chronological pass.

Matches without a common player are rated together, as the lanes of a board (see `schedule`). A match in an open rating
period is loaded twice. It is loaded first for its forecast, as if the period ended just before the match, so that the
forecast equals the prediction of a ladder. It is loaded again to learn from its result, with the beliefs at the start
of the period.

If an error occurs in `sweep`, the state stays as it was before the match that caused the error.
"""

from __future__ import annotations

import numpy as np

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from .blocks import (
    Window,
    block_entries,
    find_rows,
    first_entry,
    load_block,
    place_matches,
    prefetch_row,
    store_block,
    take_rows,
)
from .board import Board, copy_lane
from .buffers import Columns, Record, Table
from .facets import Deviations
from .pipeline import Pipeline
from .players import is_open, load_memory, load_player
from .schedule import Schedule
from .statistics import Statistics

AHEAD = cython.declare(cython.Py_ssize_t, 16)  # rows of players are prefetched this many entries ahead
NAN = cython.declare(cython.double, float("nan"))


def record_forecasts(pipeline: Pipeline, board: Board, record: Record) -> cython.bint:
    """Record the forecasts of all matches on the board."""
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
    for e in range(first_entry(columns, match), first_entry(columns, match + 1)):
        row = columns.player[e]
        record._before[e, 0] = NAN
        if pipeline.period > 0.0 and is_open(pipeline, table, row * table.stride, now, columns.unit):
            load_player(pipeline, board, 0, 0, table, row, NAN, 1.0, True)
            _record_belief(board, 0, 0, record._before, e)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _record_before(pipeline: Pipeline, board: Board, record: Record) -> cython.void:
    """Record the beliefs that `_record_open` left out, including the drift up to the match."""
    skills = board
    if pipeline.has_deviations:
        deviations: Deviations = board.deviations
        skills = deviations.skills
        _record_deviations(board, record._rows_before)
    for i in range(board.matches):
        entry = board.first_entry[i]
        for e in range(board.entries):
            if record._before[entry + e, 0] != record._before[entry + e, 0]:
                _record_belief(skills, e, i, record._before, entry + e)


@cython.cfunc
@cython.exceptval(check=False)
def _record_deviations(board: Board, beliefs: cython.double[:, ::1]) -> cython.void:
    """Record the deviations of all entries; NaN for those that have none in their match."""
    deviations: Deviations = board.deviations
    for f in range(len(deviations.boards)):
        rows: Board = deviations.boards[f]
        first = f * 2 * board.traits
        for i in range(board.matches):
            for e in range(board.entries):
                for k in range(board.traits):
                    cell = (e * board.traits + k) * board.stride + i
                    known = rows.rows[e * board.stride + i] != -1
                    beliefs[board.first_entry[i] + e, first + 2 * k] = rows.mu[cell] if known else NAN
                    beliefs[board.first_entry[i] + e, first + 2 * k + 1] = rows.var[cell] if known else NAN


@cython.cfunc
@cython.exceptval(check=False)
def _record_shares(board: Board, record: Record) -> cython.void:
    """Record which share of the change of every mean comes from the statistics."""
    statistics: Statistics = board.statistics
    for i in range(board.matches):
        for e in range(board.entries):
            for k in range(board.traits):
                share = statistics.share[(e * board.traits + k) * board.stride + i]
                record._shares[board.first_entry[i] + e, k] = share


@cython.cfunc
def _record_after(
    pipeline: Pipeline, board: Board, columns: Columns, table: Table, record: Record, match: cython.Py_ssize_t
) -> cython.bint:
    for e in range(first_entry(columns, match), first_entry(columns, match + 1)):
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
    window: Window,
    first: cython.Py_ssize_t,
    matches: cython.Py_ssize_t,
) -> cython.bint:
    """Rate the matches from `first` on that are in the lanes of a board: load, forecast, record, learn, store."""
    single = board.single if board.single is not None else board
    serial = pipeline.serial and board.stride > 1
    place_matches(pipeline, board, columns, window, first, matches)
    if record.has_before:
        for i in range(matches):
            _record_open(pipeline, single, columns, table, record, board.match[i])
    early = load_block(pipeline, board, columns, table, window, not record.silent)
    if serial:
        pipeline.advance(board)
        pipeline.rate_serially(board, record.silent, False)
    else:
        pipeline.forecast(board)
    if record.has_before:
        _record_before(pipeline, board, record)
    if not record.silent:
        record_forecasts(pipeline, board, record)
        if window.blocks and pipeline.mixes:
            # The share of draws among earlier matches is not yet known; see `_mix_draws`.
            for lane in range(matches):
                record._draw[board.match[lane] - record.first_match] = board.losses[lane]
    # A match of importance 0 is forecast, but changes nothing, not even the number of matches. The schedule never mixes
    # such matches with others.
    if board.importances[0] > 0.0:
        if serial:
            pipeline.learn_players(board)
        else:
            pipeline.learn(board)
        _learn(pipeline, board, columns, table, record, window, early)
        store_block(pipeline, board, columns, table, window)
    else:
        _skip_block(pipeline, board, record, window)
    if record.has_after and pipeline.has_deviations:
        _record_deviations(board, record._rows_after)
    if record.has_after and pipeline.has_statistics and board.importances[0] > 0.0:
        _record_shares(board, record)
    if record.has_after:
        for i in range(matches):
            _record_after(pipeline, single, columns, table, record, board.match[i])
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _skip_block(pipeline: Pipeline, board: Board, record: Record, window: Window) -> cython.void:
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
    window: Window,
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
        load_block(pipeline, board, columns, table, window, False)
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


def tally(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    window: Window,
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


def scale_statistics(board: Board, columns: Columns, first: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Scale the statistics of the matches of a window, each by those of the earlier matches."""
    statistics: Statistics = board.statistics
    for match in range(first, stop):
        entry = first_entry(columns, match)
        last = first_entry(columns, match + 1)
        statistics.scale(entry, last)
        if not columns.has_importance or columns.importance[match] > 0.0:
            statistics.count(entry, last)
    return False


@cython.cfunc
def _mix_draws(
    pipeline: Pipeline, board: Board, table: Table, record: Record, window: Window, stop: cython.Py_ssize_t
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
def _rate_window(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    record: Record,
    window: Window,
    plan: Schedule,
    w: cython.Py_ssize_t,
) -> cython.bint:
    """Rate the matches of a window of the schedule, in blocks."""
    stop = plan.window_start[w + 1]
    window.first = plan.window_start[w]
    if pipeline.tallies:
        tally(pipeline, board.single, columns, table, window, stop)
    if pipeline.has_statistics:
        scale_statistics(board, columns, window.first, stop)
    find_rows(pipeline, board, columns, table, plan, plan.window_block[w])
    for b in range(plan.window_block[w], plan.window_block[w + 1]):
        first = plan.block_start[b]
        size = block_entries(columns, plan, b)
        if size <= plan.large:
            take_rows(pipeline, board)
        find_rows(pipeline, board, columns, table, plan, b + 1)
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
    statistics: Statistics
    pipeline.find_facets(board, columns.facets, table.facets, columns.unit)
    window: Window = Window(pipeline, memoryview(np.arange(start, stop, dtype=np.int32)), False)
    for match in range(start, stop):
        record.at = match
        entry = first_entry(columns, match)
        for e in range(entry + AHEAD, min(entry + AHEAD + board.entries, columns.entries)):
            prefetch_row(table, columns.player[e])
        if pipeline.has_statistics:
            statistics = board.statistics
            statistics.scale(entry, first_entry(columns, match + 1))
        _rate_block(pipeline, board, columns, table, record, window, match - start, 1)
        if pipeline.has_statistics and board.importances[0] > 0.0:
            statistics.count(entry, first_entry(columns, match + 1))


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
    pipeline.find_facets(board, columns.facets, table.facets, columns.unit)
    for w in range(first, last):
        most = max(most, plan.window_start[w + 1] - plan.window_start[w])
    window: Window = Window(pipeline, plan.order, True, most if pipeline.tallies or pipeline.mixes else 0)
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

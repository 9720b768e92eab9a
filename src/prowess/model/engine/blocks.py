"""Copies blocks of matches: from a history's columns and a ladder's state to a board, and the beliefs back.

The loops over lanes do the same as `load_player` and `store_player` for each player, but wait less for memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from .board import Board, copy_beliefs
from .buffers import Columns, Table
from .facets import Deviations
from .pipeline import Pipeline
from .players import load_memory, load_player, store_memory, store_player, welcome
from .schedule import Schedule

if not cython.compiled:
    from .._cython import prefetch

AHEAD = cython.declare(cython.Py_ssize_t, 16)  # rows of players are prefetched this many entries ahead
NAN = cython.declare(cython.double, float("nan"))


@cython.final
@cython.cclass
class Window:
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
def _team_start(columns: Columns, team: cython.Py_ssize_t) -> cython.int:
    if columns.team_entries > 0:
        return cython.cast(cython.int, team * columns.team_entries)
    return columns.team_start[team]


def first_entry(columns: Columns, match: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the first entry of a match, or the number of entries for the number of matches."""
    if columns.match_entries > 0:
        return match * columns.match_entries
    return columns.team_start[columns.match_start[match]]


def place_matches(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    window: Window,
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
        board.first_entry[lane] = first_entry(columns, board.match[lane])
    team = board.first_team[0]
    board.teams = _first_team(columns, board.match[0] + 1) - team
    for j in range(board.teams + 1):
        board.start[j] = _team_start(columns, team + j) - _team_start(columns, team)
    board.entries = board.start[board.teams]
    return False


def load_block(
    pipeline: Pipeline, board: Board, columns: Columns, table: Table, window: Window, settle: cython.bint
) -> cython.bint:
    """Copy matches to the board; return whether `settle` has closed rating periods to which a match belongs."""
    early = _load_players(pipeline, board, columns, table, window, settle)
    if pipeline.has_facets:
        pipeline.load_rows(board)
    return early


@cython.cfunc
def _load_players(
    pipeline: Pipeline, board: Board, columns: Columns, table: Table, window: Window, settle: cython.bint
) -> cython.bint:
    """Copy everything but the rows of the facets to the board; the return value is that of `load_block`."""
    early = False
    newcomers = 0
    if pipeline.serial and window.blocks:
        pass  # the memory stays on the board `single`
    elif window.blocks:
        load_memories(pipeline, board, window)
    else:
        now = columns.time[board.match[0]] if columns.has_time else NAN
        early = load_memory(pipeline, board, table, now, columns.unit, settle)
    if board.stride == 1:
        return _load_match(pipeline, board, columns, table, settle) or early
    load_results(pipeline, board, columns)
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


def load_results(pipeline: Pipeline, board: Board, columns: Columns) -> cython.void:
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


def prefetch_row(table: Table, row: cython.Py_ssize_t) -> cython.void:
    """Prefetch a row of the state.

    Rows of up to eight numbers lie in one line of the cache (see `aligned`). Of longer rows, most numbers do, too.
    """
    prefetch(cython.address(table.cells[row * table.stride]))


@cython.cfunc
def _load_match(pipeline: Pipeline, board: Board, columns: Columns, table: Table, settle: cython.bint) -> cython.bint:
    """Copy one match to a board with one lane; the return value is that of `load_block`."""
    early = False
    entry = board.first_entry[0]
    load_result(pipeline, board, columns)
    for e in range(board.entries):
        if e + AHEAD < board.entries:
            prefetch_row(table, columns.player[entry + e + AHEAD])
        if load_player(pipeline, board, e, 0, table, columns.player[entry + e], board.times[0], columns.unit, settle):
            early = True
    return early


def load_result(pipeline: Pipeline, board: Board, columns: Columns) -> cython.void:
    """Copy everything but the beliefs to a board with one lane."""
    match = board.match[0]
    team = board.first_team[0]
    entry = board.first_entry[0]
    board.times[0] = columns.time[match] if columns.has_time else NAN
    board.importances[0] = columns.importance[match] if columns.has_importance else 1.0
    board.homes[0] = columns.home[match] if columns.has_home else -1.0
    for j in range(board.teams):
        board.place[j] = columns.place[team + j]
        board.score[j] = columns.score[team + j] if columns.has_score else NAN
    for e in range(board.entries):
        for k in range(e * pipeline.traits, (e + 1) * pipeline.traits):
            board.alpha[k] = columns.weight[entry + e] if columns.has_weight else 1.0


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


def load_memories(pipeline: Pipeline, board: Board, window: Window) -> cython.void:
    """Load the league's memory before each match if scores alone determine it, else zeros, to which matches add."""
    for k in range(pipeline.level):
        for lane in range(board.lanes):
            board.memory[k * board.stride + lane] = 0.0
        if pipeline.tallies:
            for lane in range(board.lanes):
                board.memory[k * board.stride + lane] = window.memory[k, board.match[lane] - window.first]


def store_block(pipeline: Pipeline, board: Board, columns: Columns, table: Table, window: Window) -> cython.bint:
    """Store the beliefs after the matches on the board; every step that can fail has been taken before."""
    store_rows(pipeline, board, columns, table)
    if not window.blocks:
        store_memory(pipeline, board, table)
    elif pipeline.mixes:
        for k in range(pipeline.level):
            for lane in range(board.matches):
                window.memory[k, board.match[lane] - window.first] = board.memory[k * board.stride + lane]
    return False


def store_rows(pipeline: Pipeline, board: Board, columns: Columns, table: Table) -> cython.bint:
    """Store the beliefs about players, and the rows of the facets, but not the league's memory."""
    s = board.stride
    if (pipeline.period > 0.0 and columns.has_time) or s == 1:
        for i in range(board.matches):
            for e in range(board.entries):
                row = columns.player[board.first_entry[i] + e]
                store_player(pipeline, board, e, i, table, row, board.times[i], columns.unit)
    else:
        for e in range(board.entries):
            _store_entry(pipeline, board, e, columns, table)
    if pipeline.has_facets:
        pipeline.store_rows(board)
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
        base = board.rows[e * s + lane]
        table.cells[base + pipeline.matches] = board.played[e * s + lane] + 1.0
        # A match without a time does not change the time of the last match.
        time = board.times[lane]
        then = table.cells[base + pipeline.last_seen]
        table.cells[base + pipeline.last_seen] = time if time == time else then


def block_entries(columns: Columns, plan: Schedule, b: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the number of entries of every match in a block."""
    match = plan.order[plan.block_start[b]]
    return first_entry(columns, match + 1) - first_entry(columns, match)


def find_rows(
    pipeline: Pipeline, board: Board, columns: Columns, table: Table, plan: Schedule, b: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Set `next_rows` to the cells where the players of a block begin in the table, and prefetch them.

    Return the number of matches in the block; 0 after the last block, or if the only match of the block is large.

    Players are scattered over a table larger than the CPU caches: without prefetching, rating would wait for memory.
    """
    if b < 0 or b >= plan.blocks:
        return 0
    first = plan.block_start[b]
    matches = plan.block_start[b + 1] - first
    size = block_entries(columns, plan, b)
    if size > plan.large:
        return 0
    for i in range(matches):
        match = plan.order[first + i]
        prefetch(cython.address(columns.place[_first_team(columns, match)]))
        if columns.has_time:
            prefetch(cython.address(columns.time[match]))
        entry = first_entry(columns, match)
        board.next_entry[i] = entry
        for e in range(size):
            row = columns.player[entry + e]
            board.next_rows[e * board.stride + i] = row * table.stride
            prefetch_row(table, row)
    lanes = (matches + pipeline.vector - 1) // pipeline.vector * pipeline.vector
    for i in range(matches, lanes):
        for e in range(size):
            board.next_rows[e * board.stride + i] = board.next_rows[e * board.stride + matches - 1]
    if pipeline.has_deviations:
        deviations: Deviations = board.deviations
        deviations.find_next(board, matches, lanes, size)
    return matches


def take_rows(pipeline: Pipeline, board: Board) -> cython.void:
    """Make the block that `find_rows` has found the present one."""
    board.rows, board.next_rows = board.next_rows, board.rows
    if pipeline.has_deviations:
        deviations: Deviations = board.deviations
        deviations.take_next()

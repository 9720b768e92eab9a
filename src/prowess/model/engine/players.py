"""Copies a player between a row of a ladder's state and an entry of a board, and the league's memory likewise.

In a model with rating periods, a row keeps the belief at the start of the open period and the sums over the period's
matches. The period is closed when the player has a match in a later period, or when the rating is read (then `now` is
NaN).
"""

from __future__ import annotations

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from .board import Board, copy_lane
from .buffers import Table
from .pipeline import Pipeline

if not cython.compiled:
    from math import floor

MONDAY = cython.declare(cython.double, 4.0)  # days from the origin of times, a Thursday, to the first Monday


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
    base = row * table.stride
    then = table.cells[base + pipeline.last_seen]
    # A mean of NaN marks a player without matches.
    is_new = table.cells[base] != table.cells[base]
    # The comparison is false for NaN: if a time is unknown, the elapsed time is 0.
    board.elapsed[cell] = (now - then) / unit if now >= then else 0.0
    board.games[cell] = 1.0
    if is_new:
        welcome(pipeline, board, e, lane)
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


def welcome(pipeline: Pipeline, board: Board, e: cython.Py_ssize_t, lane: cython.Py_ssize_t) -> cython.bint:
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
    still_open = is_open(pipeline, table, base, now, unit)
    cell = e * board.stride + lane
    board.elapsed[cell] = periods_between(pipeline.period, table.cells[base + pipeline.last_seen], now, unit)
    if still_open and not settle:
        board.elapsed[cell] = table.cells[base + pipeline.passed]
    elif games > 0.0:
        _close_period(pipeline, board, e, lane, table, base)
    return still_open and settle


def is_open(
    pipeline: Pipeline, table: Table, base: cython.Py_ssize_t, now: cython.double, unit: cython.double
) -> cython.bint:
    """Return whether the player in a row of the table has an open rating period, and `now` is in this period."""
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
    base = row * table.stride
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
    if not is_open(pipeline, table, base, now, unit):
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

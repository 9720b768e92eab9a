"""The sweep: a history through a model, match after match, as columns in and columns out.

`believe` and `keep` are the only way between a player's row of the state and an entry of the board. In a model with
rating periods a row keeps the belief at the start of the open period, and what its matches have said so far; the period
is closed when a later one is seen, or when somebody looks (a time that is not known).

An error anywhere leaves the state as it was before the match at which it arose.
"""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import floor
    from cython.cimports.prowess.model.engine.board import Board
    from cython.cimports.prowess.model.engine.buffers import Columns, Record, Table
    from cython.cimports.prowess.model.engine.pipeline import Pipeline
else:
    from math import floor

    from .._cython import prefetch
    from .board import Board
    from .buffers import Columns, Record, Table
    from .pipeline import Pipeline

AHEAD = cython.declare(cython.Py_ssize_t, 16)  # entries by which rows are fetched before they are needed
MONDAY = cython.declare(cython.double, 4.0)  # days from the origin of times, a Thursday, to the first start of a week
NAN = cython.declare(cython.double, float("nan"))


def load_player(
    pipeline: Pipeline,
    board: Board,
    e: cython.Py_ssize_t,
    table: Table,
    row: cython.Py_ssize_t,
    now: cython.double,
    unit: cython.double,
) -> cython.bint:
    """Lay what is believed of a player on the board; `now` is NaN where times are not known."""
    traits = pipeline.traits
    base = row * pipeline.width
    then = table.cells[base + pipeline.last_seen]
    board.elapsed[e] = (now - then) / unit if now >= then else 0.0
    board.played[e] = 0.0
    board.games[e] = 1.0
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
            _count_periods(pipeline, board, e, table, base, now, unit)
    for k in range(e * traits, (e + 1) * traits):
        board.before[k] = board.var[k]
    return False


def periods_between(
    period: cython.double, then: cython.double, now: cython.double, unit: cython.double
) -> cython.double:
    """The number of rating periods from one time to a later one; 0 where one of them is not known.

    A unit above 1 is a day in the units of the times, and then periods of a week begin on Mondays.

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
) -> cython.bint:
    """Measure the time since the last match in rating periods; close the one that was open if it has passed."""
    games = table.cells[base + pipeline.games]
    board.elapsed[e] = periods_between(pipeline.period, table.cells[base + pipeline.last_seen], now, unit)
    if games > 0.0 and _still_open(pipeline, table, base, now, unit):
        board.elapsed[e] = table.cells[base + pipeline.passed]
    elif games > 0.0:
        _close_period(pipeline, board, e, table, base)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _still_open(
    pipeline: Pipeline, table: Table, base: cython.Py_ssize_t, now: cython.double, unit: cython.double
) -> cython.bint:
    """Whether the period in which a player was last seen is that of a match at this time."""
    then = table.cells[base + pipeline.last_seen]
    games = table.cells[base + pipeline.games]
    return games > 0.0 and now >= then and periods_between(pipeline.period, then, now, unit) == 0.0


@cython.cfunc
def _close_period(
    pipeline: Pipeline, board: Board, e: cython.Py_ssize_t, table: Table, base: cython.Py_ssize_t
) -> cython.bint:
    """End a rating period: drift, then absorb all that its matches said, on a board of its own."""
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
    """Keep what is now believed of a player, or what the match said of her, and that she played."""
    base = row * pipeline.width
    if pipeline.in_period(now):
        _add_to_period(pipeline, board, e, table, base, now, unit)
    else:
        for k in range(pipeline.traits):
            table.cells[base + 2 * k] = board.mu[e * pipeline.traits + k]
            table.cells[base + 2 * k + 1] = board.var[e * pipeline.traits + k]
        for k in range(pipeline.extras):
            table.cells[base + pipeline.first_extra + k] = board.extra[e * pipeline.extras + k]
        for k in range(base + pipeline.pending, base + pipeline.width):
            table.cells[k] = 0.0
    table.cells[base + pipeline.matches] = board.played[e] + 1.0
    if now == now:
        table.cells[base + pipeline.last_seen] = now


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
    """Add what a match said of a player to the sums of the period, which is opened if need be."""
    traits = pipeline.traits
    first = base + pipeline.pending
    if not _still_open(pipeline, table, base, now, unit):
        for k in range(traits):
            table.cells[base + 2 * k] = board.mu[e * traits + k]
            table.cells[base + 2 * k + 1] = board.before[e * traits + k]
        for k in range(pipeline.extras):
            table.cells[base + pipeline.first_extra + k] = board.extra[e * pipeline.extras + k]
        for k in range(first, base + pipeline.passed):
            table.cells[k] = 0.0
        table.cells[base + pipeline.passed] = board.elapsed[e]
    for k in range(traits):
        table.cells[first + k] += board.importance * board.g1[e * traits + k]
        table.cells[first + traits + k] += board.importance * board.g2[e * traits + k]
    table.cells[base + pipeline.games] += board.importance


def load_memory(pipeline: Pipeline, board: Board, table: Table, now: cython.double, unit: cython.double) -> cython.bint:
    """Lay what is known of the league as a whole on the board; the home advantage has rating periods, too."""
    for k in range(pipeline.memories):
        board.memory[k] = table.memory[k]
    if not pipeline.learns_home or pipeline.period == 0.0 or board.memory[pipeline.memories - 2] == 0.0:
        return False
    if now != now or periods_between(pipeline.period, board.memory[pipeline.memories - 1], now, unit) > 0.0:
        pipeline.close_home(board)
    return False


def store_memory(pipeline: Pipeline, board: Board, table: Table) -> cython.void:
    """Keep what is now known of the league as a whole."""
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
) -> cython.bint:
    """Lay a match of the history on the board: its teams, its entries' beliefs, and what was seen."""
    first = columns.match_start[match]
    entry = columns.team_start[first]
    board.time = now
    board.teams = columns.match_start[match + 1] - first
    board.entries = columns.team_start[first + board.teams] - entry
    board.importance = columns.importance[match] if columns.has_importance else 1.0
    board.home = columns.home[match] if columns.has_home else -1
    load_memory(pipeline, board, table, now, columns.unit)
    for j in range(board.teams):
        board.start[j + 1] = columns.team_start[first + j + 1] - entry
        board.place[j] = columns.place[first + j]
        board.score[j] = columns.score[first + j] if columns.has_score else NAN
    for e in range(board.entries):
        for k in range(e * pipeline.traits, (e + 1) * pipeline.traits):
            board.alpha[k] = columns.weight[entry + e] if columns.has_weight else 1.0
        load_player(pipeline, board, e, table, columns.player[entry + e], now, columns.unit)


@cython.cfunc
def _write(pipeline: Pipeline, board: Board, columns: Columns, record: Record, match: cython.Py_ssize_t) -> cython.bint:
    """Write the forecasts of a match down; of more than two teams, what the comparison of two of them will need."""
    first = columns.match_start[match] * pipeline.traits
    for k in range(board.teams * pipeline.traits):
        record._mean[first + k] = board.mean[k]
        record._variance[first + k] = board.variance[k]
    record._win[match] = board.win if board.teams == 2 else NAN
    record._draw[match] = board.draw if board.teams == 2 else NAN
    record._scatter[match] = 0.0 if board.teams == 2 else pipeline.outcome.scatter(board)
    return False


@cython.cfunc
def _write_open(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    record: Record,
    match: cython.Py_ssize_t,
    now: cython.double,
) -> cython.bint:
    """Write down what is believed before a match of those whose rating period is open, as if it ended here.

    Of the others there is a NaN, in the place of what drift is yet to say of them.
    """
    for e in range(columns.team_start[columns.match_start[match]], columns.team_start[columns.match_start[match + 1]]):
        row = columns.player[e]
        record._before[e, 0] = NAN
        if pipeline.period > 0.0 and _still_open(pipeline, table, row * pipeline.width, now, columns.unit):
            load_player(pipeline, board, 0, table, row, NAN, 1.0)
            for k in range(pipeline.traits):
                record._before[e, 2 * k] = board.mu[k]
                record._before[e, 2 * k + 1] = board.var[k]
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _write_before(pipeline: Pipeline, board: Board, record: Record, entry: cython.Py_ssize_t) -> cython.void:
    """Write down what is believed of every entry as the match begins, drift included."""
    for e in range(board.entries):
        if record._before[entry + e, 0] != record._before[entry + e, 0]:
            for k in range(pipeline.traits):
                record._before[entry + e, 2 * k] = board.mu[e * pipeline.traits + k]
                record._before[entry + e, 2 * k + 1] = board.var[e * pipeline.traits + k]


@cython.cfunc
def _write_after(
    pipeline: Pipeline, board: Board, columns: Columns, table: Table, record: Record, entry: cython.Py_ssize_t
) -> cython.bint:
    """Write down what is believed of every entry now, as if the rating period ended here."""
    for e in range(board.entries):
        row = columns.player[entry + e]
        for k in range(pipeline.last_seen):  # the belief
            record._after[entry + e, k] = table.cells[row * pipeline.width + k]
        if pipeline.period > 0.0 and table.cells[row * pipeline.width] == table.cells[row * pipeline.width]:
            load_player(pipeline, board, e, table, row, NAN, 1.0)
            for k in range(pipeline.traits):
                record._after[entry + e, 2 * k] = board.mu[e * pipeline.traits + k]
                record._after[entry + e, 2 * k + 1] = board.var[e * pipeline.traits + k]
    return False


def sweep(
    pipeline: Pipeline, board: Board, columns: Columns, table: Table, record: Record, start: int, stop: int
) -> None:
    """Rate the matches from `start` to `stop`: for each, forecast, write that down (unless the record is silent),
    learn, keep.

    An error leaves the state as it was before the match at which it arose, `record.at`.
    """
    match: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    e: cython.Py_ssize_t
    now: cython.double
    for match in range(start, stop):
        record.at = match
        now = columns.time[match] if columns.has_time else NAN
        entry = columns.team_start[columns.match_start[match]]
        for e in range(entry + AHEAD, min(entry + AHEAD + board.entries, columns.entries)):
            prefetch(cython.address(table.cells[columns.player[e] * pipeline.width]))
        if record.has_before:
            _write_open(pipeline, board, columns, table, record, match, now)
        _load_match(pipeline, board, columns, table, match, now)
        pipeline.forecast(board)
        if record.has_before:
            _write_before(pipeline, board, record, entry)
        if not record.silent:
            _write(pipeline, board, columns, record, match)
        evidence = 0.0
        if board.importance > 0.0:
            evidence = pipeline.learn(board)
            if not board.converged:
                record.unconverged.append(match)
            if not pipeline.in_period(now):
                pipeline.absorb_all(board)
            for e in range(board.entries):
                store_player(pipeline, board, e, table, columns.player[entry + e], now, columns.unit)
            store_memory(pipeline, board, table)
        if not record.silent:
            record._log_evidence[match] = evidence
        if record.has_after:
            _write_after(pipeline, board, columns, table, record, entry)

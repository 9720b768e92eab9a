"""Rates a single match, from `Rating` objects or from rows of a state, with the same pipeline as a history."""

from __future__ import annotations

from typing import Any

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from ...errors import Error
from ..match_input import check_teams
from ..rating import Rating, read_rating, read_ratings, write_rating
from .board import Board
from .buffers import Table
from .pipeline import Pipeline
from .players import load_memory, load_player, store_memory, store_player
from .statistics import Statistics

if not cython.compiled:
    from math import floor

NAN = cython.declare(cython.double, float("nan"))


@cython.ccall
def build_board(pipeline: Pipeline, teams: Any, details: Any) -> Board:
    """Return a board with a match between teams of `Rating` objects; `details` is a `MatchDetails` or None."""
    return _build_board(pipeline, teams, details, None, NAN, 1.0)


@cython.cfunc
def _load_rows(pipeline: Pipeline, board: Board, facets: list, table: Table, unit: cython.double) -> cython.bint:
    """Load the rows of the facets for the match on a board; `facets` has a `FacetColumn` for every facet."""
    board.matches = board.lanes = 1
    board.first_entry[0] = board.first_team[0] = 0
    pipeline.find_facets(board, facets, table.facets, unit)
    return pipeline.load_rows(board)


@cython.ccall
def build_upcoming(
    pipeline: Pipeline,
    teams: Any,
    details: Any,
    table: Table,
    now: cython.double,
    unit: cython.double,
    facets: list | None = None,
) -> Board:
    """Return a board with an upcoming match of a ladder, with the beliefs with which a fit would forecast this match.

    A player is a row of the ladder's state or a `Rating`. `now` is the time of the match, or NaN. `unit` is the length
    of a day in the unit of the times, or 1 if times are plain numbers. `facets` are the rows of the match's context.
    """
    board = _build_board(pipeline, teams, details, table, now, unit)
    if pipeline.has_facets and facets is not None:
        _load_rows(pipeline, board, facets, table, unit)
    return board


@cython.cfunc
def _build_board(
    pipeline: Pipeline, teams: Any, details: Any, table: object, now: cython.double, unit: cython.double
) -> Board:
    count = j = e = 0
    # Lists and tuples are the usual case; `check_teams` raises the errors for everything else.
    if not isinstance(teams, (list, tuple)):
        check_teams(teams)
    for team in teams:
        if not isinstance(team, (list, tuple)):
            check_teams(teams)
        count += len(team)
    board = pipeline.board(len(teams), count)
    if table is not None:
        board.times[0] = now
        load_memory(pipeline, board, table, now, unit, True)
    for team in teams:
        if len(team) == 0:
            raise Error(f"team {j + 1} is empty; a team needs at least one player", field="teams", team=j)
        _start_team(board, j, e)
        for player in team:
            _add_entry(pipeline, board, e)
            if table is not None and not isinstance(player, Rating):
                load_player(pipeline, board, e, 0, table, player, now, unit, True)
            else:
                _write_player(pipeline, board, j, e, player)
            e += 1
        j += 1
    board.start[j] = e
    if j < 2:
        raise Error(f"a match needs at least two teams, not {j}", field="teams")
    _apply_details(pipeline, board, details)
    return board


@cython.cfunc
def _write_player(
    pipeline: Pipeline, board: Board, j: cython.Py_ssize_t, e: cython.Py_ssize_t, player: Any
) -> cython.bint:
    """Write a `Rating` to entry e of the board, in team j."""
    if not isinstance(player, Rating):
        message = (
            f"player {e - board.start[j] + 1} of team {j + 1} must be a Rating, such as model.rating(), not {player!r}"
        )
        if isinstance(player, str):
            message += "; pw.Ladder keeps the ratings of players by name"
        raise Error(message, field="teams", team=j, value=player)
    pipeline.absorb.welcome(board, e)
    try:
        write_rating(player, pipeline.kind, board, e)
    except Error as error:
        where = f"player {e - board.start[j] + 1} of team {j + 1}: "
        raise error.within(where, field="teams", team=j, value=player) from None
    board.elapsed[e] = board.played[e] = 0.0
    board.games[e] = 1.0
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _start_team(board: Board, j: cython.Py_ssize_t, e: cython.Py_ssize_t) -> cython.void:
    # By default, the order of the teams is the order of their places.
    board.start[j] = e
    board.place[j] = j + 1
    board.score[j] = NAN


@cython.cfunc
@cython.exceptval(check=False)
def _add_entry(pipeline: Pipeline, board: Board, e: cython.Py_ssize_t) -> cython.void:
    for k in range(e * pipeline.traits, (e + 1) * pipeline.traits):
        board.alpha[k] = 1.0


@cython.cfunc
def _apply_details(pipeline: Pipeline, board: Board, details: object) -> cython.bint:
    # Models with rating periods count elapsed time in periods.
    if details is not None:
        details.write(board)
        if details.elapsed is not None and pipeline.period > 0.0:
            for e in range(board.entries):
                board.elapsed[e] = floor(board.elapsed[e] / pipeline.period)
    return False


def rate(pipeline: Pipeline, teams: Any, details: Any) -> tuple[list[list[Rating]], bool]:
    """Return the new ratings of a match's players, nested like the teams, and whether EP converged."""
    board = build_board(pipeline, teams, details)
    if board.importances[0] > 0.0:
        pipeline.forecast(board)
        pipeline.learn(board)
        pipeline.absorb_all(board)
    rated = read_ratings(pipeline.kind, board)
    pipeline.release(board)
    return rated, board.unconverged[0] == 0.0


def record(
    pipeline: Pipeline,
    rows: list[list[int]],
    details: Any,
    table: Table,
    now: cython.double,
    unit: cython.double,
    facets: list | None = None,
) -> tuple[list[list[Rating]], bool]:
    """Rate one match between the players in `rows` of a ladder's state and store the result.

    `facets` are the rows of the match's context. The return value is the same as that of `rate`.
    """
    count = j = e = 0
    for team in rows:
        count += len(team)
    board = pipeline.board(len(rows), count)
    board.times[0] = now
    load_memory(pipeline, board, table, now, unit, False)
    for team in rows:
        _start_team(board, j, e)
        for row in team:
            load_player(pipeline, board, e, 0, table, row, now, unit, False)
            _add_entry(pipeline, board, e)
            e += 1
        j += 1
    board.start[j] = e
    _apply_details(pipeline, board, details)
    if (pipeline.has_facets or pipeline.has_statistics) and facets is not None:
        _load_rows(pipeline, board, facets, table, unit)
    if board.importances[0] > 0.0:
        if pipeline.has_statistics:
            statistics: Statistics = board.statistics
            statistics.scale(0, count)
        pipeline.forecast(board)
        pipeline.learn(board)
        if not pipeline.in_period(now):
            pipeline.absorb_all(board)
        if pipeline.has_statistics:
            statistics.count(0, count)
        before = _copy_rows(pipeline, rows, table) if pipeline.period > 0.0 else None
        try:
            _store_players(pipeline, board, rows, table, now, unit)
        except BaseException:  # a user-defined rule may fail while an open period is closed for display
            _restore_rows(pipeline, rows, table, before)
            raise
    rated = read_ratings(pipeline.kind, board)
    pipeline.release(board)
    return rated, board.unconverged[0] == 0.0


@cython.cfunc
def _store_players(
    pipeline: Pipeline, board: Board, rows: list, table: Table, now: cython.double, unit: cython.double
) -> cython.bint:
    # In models with rating periods, the beliefs are loaded again as if the period ended now, to return these ratings.
    e = 0
    for team in rows:
        for row in team:
            store_player(pipeline, board, e, 0, table, row, now, unit)
            if pipeline.period > 0.0:
                load_player(pipeline, board, e, 0, table, row, NAN, unit, True)
            e += 1
    store_memory(pipeline, board, table)
    if pipeline.has_facets:
        pipeline.store_rows(board)
    return False


@cython.cfunc
def _copy_rows(pipeline: Pipeline, rows: list, table: Table) -> list:
    # The rows are restored from this copy if an error occurs.
    return [[table.cells[row * table.stride + k] for k in range(pipeline.width)] for team in rows for row in team]


@cython.cfunc
def _restore_rows(pipeline: Pipeline, rows: list, table: Table, before: list) -> cython.bint:
    first: cython.Py_ssize_t
    for row, cells in zip([row for team in rows for row in team], before or (), strict=False):
        first = row * table.stride
        for k in range(pipeline.width):
            table.cells[first + k] = cells[k]
    return False


def read_memory(pipeline: Pipeline, table: Table) -> list[float]:
    """Return the league's memory, as if its rating period ended now."""
    board = pipeline.board(1, 1)
    load_memory(pipeline, board, table, NAN, 1.0, True)
    memory = [board.memory[k] for k in range(pipeline.memories)]
    pipeline.release(board)
    return memory


def read_row(pipeline: Pipeline, table: Table, row: cython.Py_ssize_t) -> Rating:
    """Return the rating in a row of a state, as if its rating period ended now."""
    board = pipeline.board(1, 1)
    load_player(pipeline, board, 0, 0, table, row, NAN, 1.0, True)
    rating = read_rating(pipeline.kind, board, 0)
    pipeline.release(board)
    return rating


def write_row(pipeline: Pipeline, table: Table, row: cython.Py_ssize_t, rating: Rating) -> None:
    """Write the rating of a player without matches into a row of a state."""
    board = pipeline.board(1, 1)
    pipeline.absorb.welcome(board, 0)
    write_rating(rating, pipeline.kind, board, 0)
    board.played[0] = 0.0
    _write_belief(pipeline, board, table, row)
    pipeline.release(board)


def settle_periods(pipeline: Pipeline, table: Table, rows: cython.Py_ssize_t) -> None:
    """End the open rating periods in the first `rows` rows of a state."""
    board = pipeline.board(1, 1)
    for row in range(rows):
        load_player(pipeline, board, 0, 0, table, row, NAN, 1.0, True)
        _write_belief(pipeline, board, table, row)
    pipeline.release(board)


def carry_over(pipeline: Pipeline, table: Table, rows: cython.Py_ssize_t, steady: cython.bint) -> None:
    """Apply the drift to the first `rows` rows of a state, as after a long break.

    All open rating periods end. If `steady` is true, the variances stay unchanged.
    """
    board = pipeline.board(1, 1)
    for row in range(rows):
        load_player(pipeline, board, 0, 0, table, row, NAN, 1.0, True)
        board.elapsed[0] = 1.0
        pipeline.drift.widen(board)
        if steady:
            for k in range(pipeline.traits):
                board.var[k] = board.before[k]
        _write_belief(pipeline, board, table, row)
    pipeline.release(board)


@cython.cfunc
@cython.exceptval(check=False)
def _write_belief(pipeline: Pipeline, board: Board, table: Table, row: cython.Py_ssize_t) -> cython.void:
    # `store_player` counts one match more, but none was played.
    board.played[0] -= 1.0
    store_player(pipeline, board, 0, 0, table, row, NAN, 1.0)

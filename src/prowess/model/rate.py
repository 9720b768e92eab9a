"""Rating objects in, rating objects out: one match, through the same pipeline as a whole history."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.board import Board
    from cython.cimports.prowess.model.rating import Rating, nested
    from cython.cimports.prowess.model.sweep import Pipeline
else:
    from .board import Board
    from .rating import Rating, nested
    from .sweep import Pipeline

from ..errors import Error
from .given import check_teams

__all__ = ["lay", "rate"]


@cython.ccall
def lay(pipeline: Pipeline, teams: Any, given: Any) -> Board:
    """Lay a match between players of these ratings on a board, with what was given of it (`given.Given`, or None)."""
    count: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t = 0
    e: cython.Py_ssize_t = 0
    rating: Rating
    board: Board
    if pipeline.traits != 1:
        raise Error(f"a Rating holds one skill, but this model has {', '.join(pipeline.outcome.traits)}; use fit")
    if not isinstance(teams, (list, tuple)):
        check_teams(teams)
    for team in teams:
        if not isinstance(team, (list, tuple)):
            check_teams(teams)
        count += len(team)
    board = pipeline.board(len(teams), count)
    for team in teams:
        if len(team) == 0:
            raise Error(f"team {j + 1} is empty; a team needs at least one player")
        board.start[j] = cython.cast(cython.int, e)
        board.place[j] = cython.cast(cython.int, j + 1)
        board.score[j] = float("nan")
        for player in team:
            if not isinstance(player, Rating):
                raise Error(f"player {e - board.start[j] + 1} of team {j + 1} must be a Rating, not {player!r}")
            rating = player
            if rating._sigma != rating._sigma:
                raise Error(f"player {e - board.start[j] + 1} of team {j + 1} has no sigma, which this model needs")
            rating.put(board, e)
            pipeline.absorb.welcome(board, e)
            board.alpha[e] = 1.0
            board.elapsed[e] = board.played[e] = 0.0
            e += 1
        j += 1
    board.start[j] = cython.cast(cython.int, e)
    if j < 2:
        raise Error(f"a match needs at least two teams, not {j}")
    if given is not None:
        given.put(board)
    return board


def rate(pipeline: Pipeline, teams: Any, given: Any) -> tuple[list[list[Rating]], bool]:
    """The new ratings of a match's players, nested like the teams, and whether they converged."""
    board: Board = lay(pipeline, teams, given)
    if board.importance > 0.0:
        pipeline.look(board)
        pipeline.learn(board)
    rated = nested(board, pipeline.caution)
    pipeline.put_back(board)
    return rated, board.converged

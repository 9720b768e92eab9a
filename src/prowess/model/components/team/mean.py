"""The average of the players' performances."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.components.interfaces import TeamFunction
    from cython.cimports.prowess.model.engine.board import Board, positive
else:
    from ...engine.board import Board, positive
    from ..interfaces import TeamFunction


__all__ = ["Mean"]


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Mean(TeamFunction):
    """A team performs as well as its average player; who played half of the match counts half (TSb).

    >>> Mean()
    Mean()
    """

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def weigh(self, board: Board) -> cython.bint:
        """α is the player's share of the match over the shares of the team."""
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        total: cython.double
        for j in range(board.teams):
            k = board.start[j] * board.traits
            if board.traits == 1 and board.start[j + 1] - board.start[j] == 1 and board.alpha[k] > 0.0:
                board.alpha[k] = 1.0
                continue
            total = 0.0
            for k in range(board.start[j] * board.traits, board.start[j + 1] * board.traits):
                total += board.alpha[k] / board.traits
            for k in range(board.start[j] * board.traits, board.start[j + 1] * board.traits):
                board.alpha[k] /= positive(total)

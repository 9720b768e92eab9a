"""Weights by role, which is the position in the listed team."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.components.interfaces import TeamFunction
    from cython.cimports.prowess.model.engine.board import Board
else:
    from ...engine.board import Board
    from ..interfaces import TeamFunction

from .... import errors, validate

__all__ = ["Weighted"]


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Weighted(TeamFunction):
    """The player at position i of her team counts `weights[i]` times: a captain, a goalkeeper, a second chair.

    The order in which a team's players are listed carries their roles; who plays a role does so by standing at its
    position. A team may be smaller than there are weights, not larger.

    >>> Weighted((1.0, 0.5))
    Weighted(weights=(1.0, 0.5))
    """

    weights: object

    def __post_init__(self) -> None:
        if not isinstance(self.weights, tuple) or not self.weights:
            raise errors.Error(f"weights must be a tuple of numbers, one for each position, not {self.weights!r}")
        for position, weight in enumerate(self.weights):
            validate.scale(f"weights[{position}]", weight, zero=True)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def weigh(self, board: Board) -> cython.bint:
        """α is the weight of the position times the share of the match that the player played."""
        j: cython.Py_ssize_t
        e: cython.Py_ssize_t
        k: cython.Py_ssize_t
        weights: tuple = self.weights
        for j in range(board.teams):
            if board.start[j + 1] - board.start[j] > len(weights):
                raise errors.Error(
                    f"team {j + 1} has {board.start[j + 1] - board.start[j]} players, but Weighted has weights for "
                    f"{len(weights)} positions; give it more"
                )
            for e in range(board.start[j], board.start[j + 1]):
                for k in range(e * board.traits, (e + 1) * board.traits):
                    board.alpha[k] *= weights[e - board.start[j]]

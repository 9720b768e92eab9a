"""The sum of the players' performances."""

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


__all__ = ["Sum"]


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Sum(TeamFunction):
    """A team performs as well as its players together (TrueSkill, section 2; TSa).

    >>> Sum()
    Sum()
    """

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def weigh(self, board: Board) -> cython.bint:
        """α is the share of the match that the player played, as it comes."""

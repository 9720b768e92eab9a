"""Two sides compared: the step that all pairwise outcomes are made of."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.components.interfaces import Outcome
    from cython.cimports.prowess.model.engine.board import Board
else:
    from ...engine.board import Board
    from ..interfaces import Outcome

from ..interfaces import missing

__all__ = ["Comparison", "verdict"]


@cython.cclass
class Comparison(Outcome):
    """What two sides learn when they meet: who finishes ahead depends on the difference of their ratings.

    >>> Comparison().stretch(0.0, 0.0)
    0.0
    """

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def chance(self, board: Board, gap: cython.double, variance: cython.double) -> cython.double:
        """The expected score E of a side that is `gap` above another; `variance` is that of both together.

        It is left on the board as `expected`, and 1 − E, to full accuracy, as `conceded`.
        """
        raise missing(self, "chance")

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def meet(
        self, board: Board, gap: cython.double, own: cython.double, other: cython.double, result: cython.double
    ) -> cython.bint:
        """What a side of variance `own`, `gap` above another of variance `other`, learns from a result of 1, ½ or 0.

        It is left on the board: `push` becomes d₁ and `pull` becomes d₂.
        """
        raise missing(self, "meet")

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def likelihood(
        self, board: Board, gap: cython.double, own: cython.double, other: cython.double, result: cython.double
    ) -> cython.double:
        """The log-likelihood of the result as this side sees it; sides of equal variance see the same."""
        raise missing(self, "likelihood")

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def stretch(self, least: cython.double, most: cython.double) -> cython.double:
        """Over how many points `meet` is smooth, if all variances lie between `least` and `most`; 0: not known.

        Where it is known, matches of thousands are cheap. Then `push` and `pull` must be linear in the result, by an
        amount that does not depend on the gap, and may depend on a side's own variance only if all are equal.
        """
        return 0.0

    def performance(self, variance: Any) -> Any:
        """The variance of a normal performance such that the better of two performances wins with about `chance`."""
        raise missing(self, "performance")


@cython.cfunc
@cython.exceptval(check=False)
def verdict(board: Board, team: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.double:
    """The score of a team against another: 1, ½ or 0."""
    if board.place[team] == board.place[other]:
        return 0.5
    return 1.0 if board.place[team] < board.place[other] else 0.0

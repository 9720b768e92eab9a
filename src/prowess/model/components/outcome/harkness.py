"""The outcome of the Harkness system (Stout 2025, equation (1))."""

from __future__ import annotations

from typing import Any, ClassVar

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import sqrt
    from cython.cimports.prowess.model.components.outcome.pairwise import Pairwise
    from cython.cimports.prowess.model.engine.board import Board
    from cython.cimports.prowess.model.maths.normal import above, cdf, log_z
else:
    from math import sqrt

    from ...engine.board import Board
    from ...maths.normal import above, cdf, log_z
    from .pairwise import Pairwise

from .... import validate
from ...params import Range

PHI_0 = cython.declare(cython.double, 0.39894228040143267794)


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Opposition(Pairwise):
    """Whom one met, and with what success: all that the Harkness system looks at.

    Nothing here is a derivative. `d1` is how far the other side's rating is above one's own, `d2` is wins less losses;
    `Harkness` makes a new rating of their sums. The system itself forecasts nothing. Its scale of a hundred percent to
    1000 points (ten points for a percent of the score) is taken for the slope between equals: the expected score is
    Φ(Δ/(φ(0) · span)), which rises by 1/span per point there.

    >>> from prowess.model.engine.board import Board
    >>> round(Opposition().chance(Board(), 100.0, 0.0), 3)
    0.599
    """

    span: object = 1000.0

    tunable: ClassVar[dict[str, Range]] = {"span": Range(0.1, 10, log=True, unit="value", sets="scale")}
    gradient = False

    def __post_init__(self) -> None:
        validate.scale("span", self.span)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def chance(self, board: Board, gap: cython.double, variance: cython.double) -> cython.double:
        """The slope of Φ at 0 is φ(0)."""
        z = gap / sqrt(_noise(self.span) + variance)
        board.expected = cdf(z)
        board.conceded = cdf(-z)
        return board.expected

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def meet(
        self, board: Board, gap: cython.double, own: cython.double, other: cython.double, result: cython.double
    ) -> cython.bint:
        """The other's rating, seen from one's own, and 1, 0 or −1."""
        board.push = -gap
        board.pull = 2.0 * result - 1.0
        return False

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def likelihood(
        self, board: Board, gap: cython.double, own: cython.double, other: cython.double, result: cython.double
    ) -> cython.double:
        """s log E + (1 − s) log(1 − E)."""
        z = gap / sqrt(_noise(self.span) + own + other)
        above(z, board.ahead)
        above(-z, board.behind)
        return result * log_z(board.ahead) + (1.0 - result) * log_z(board.behind)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def stretch(self, least: cython.double, most: cython.double) -> cython.double:
        """A straight line is smooth everywhere."""
        return 1e60

    def performance(self, variance: Any) -> Any:
        """Half of the variance that `chance` has beside the ratings' own."""
        return variance + 0.5 * _noise(self.span)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _noise(span: cython.double) -> cython.double:
    """The variance of the difference of two performances."""
    return PHI_0 * PHI_0 * span * span

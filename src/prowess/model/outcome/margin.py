"""Draw margins: how near two performances must be for a draw."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import sqrt
    from cython.cimports.prowess.model.board import Board, Margin
    from cython.cimports.prowess.model.gauss import central_width
else:
    from math import sqrt

    from ..board import Board, Margin
    from ..gauss import central_width

from ... import checks, errors

__all__ = ["Fixed", "FromDraws", "margin_from"]


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Fixed(Margin):
    """The same margin for every pair of teams.

    >>> Fixed(0.5)
    Fixed(epsilon=0.5)
    """

    epsilon: object

    def __post_init__(self) -> None:
        checks.scale("epsilon", self.epsilon, zero=True)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def between(self, board: Board, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.double:
        """ε."""
        return self.epsilon


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class FromDraws(Margin):
    """The margin at which equal teams draw with a given probability: ε = width · β√(Σα²), over both teams' players.

    >>> FromDraws(width=0.125)
    FromDraws(width=0.125)
    """

    width: object

    def __post_init__(self) -> None:
        checks.scale("width", self.width, zero=True)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def between(self, board: Board, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.double:
        """Performance noise is what makes equal teams differ, so the margin is measured by it."""
        width: cython.double = self.width
        return width * sqrt(board.noise[i * board.traits] + board.noise[j * board.traits])


def margin_from(draw_probability: Any, margin: Any) -> Margin:
    """The policy that a draw probability or a margin (a number or a policy) stands for; exactly one is given.

    >>> margin_from(None, 2)
    Fixed(epsilon=2.0)
    """
    if (draw_probability is None) == (margin is None):
        raise errors.Error("give either draw_probability or margin")
    if isinstance(margin, Margin):
        return margin
    if margin is not None:
        return Fixed(checks.scale("margin", margin, zero=True))
    probability = checks.number("draw_probability", draw_probability)
    if not 0.0 <= probability < 1.0:
        raise errors.Error(f"draw_probability must lie in [0, 1), not {draw_probability!r}")
    return FromDraws(central_width(probability))

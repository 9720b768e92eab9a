"""What is believed of newcomers."""

from __future__ import annotations

from typing import ClassVar

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.components.interfaces import Prior
    from cython.cimports.prowess.model.engine.board import Board
else:
    from ..engine.board import Board
    from .interfaces import Prior

from ... import validate
from ..params import Range
from .newcomers import Newcomers

__all__ = ["Newcomers", "Normal", "Point"]


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Normal(Prior):
    """Every newcomer's skill is N(mu, sigma²), in every trait.

    >>> Normal(25.0, 25 / 3).mu
    25.0
    """

    mu: object
    sigma: object

    tunable: ClassVar[dict[str, Range]] = {
        "mu": Range(-20, 20, unit="sigma", sets="origin"),
        "sigma": Range(0.02, 10, log=True, unit="sigma", sets="scale"),
    }

    def __post_init__(self) -> None:
        validate.number("mu", self.mu)
        validate.scale("sigma", self.sigma, zero=True)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def welcome(self, board: Board, entry: cython.Py_ssize_t) -> cython.bint:
        """Set the belief of a newcomer."""
        k: cython.Py_ssize_t
        mu: cython.double = self.mu
        sigma: cython.double = self.sigma
        for k in range(entry * board.traits, (entry + 1) * board.traits):
            board.mu[k] = mu
            board.var[k] = sigma * sigma


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Point(Prior):
    """Every newcomer is rated mu, and no uncertainty is kept (Elo, Harkness).

    >>> Point(1500.0)
    Point(mu=1500.0)
    """

    mu: object

    tunable: ClassVar[dict[str, Range]] = {"mu": Range(-20, 20, unit="sigma", sets="origin")}

    def __post_init__(self) -> None:
        validate.number("mu", self.mu)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def welcome(self, board: Board, entry: cython.Py_ssize_t) -> cython.bint:
        """Set the rating of a newcomer; its variance is 0."""
        k: cython.Py_ssize_t
        for k in range(entry * board.traits, (entry + 1) * board.traits):
            board.mu[k] = self.mu
            board.var[k] = 0.0
        return False

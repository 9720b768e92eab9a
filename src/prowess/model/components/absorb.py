"""Absorb rules: from the derivatives of a match's log-evidence to a player's new belief."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.components.interfaces import Absorb
    from cython.cimports.prowess.model.engine.board import Board
else:
    from ..engine.board import Board
    from .interfaces import Absorb

from .points import Fide, Harkness, Rule, Share, Step
from .volatile import Volatile

__all__ = ["Constant", "Fide", "Harkness", "Moment", "Newton", "Rule", "Share", "Step", "Volatile"]


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Moment(Absorb):
    """The exact moments: μ + σ²g₁ and σ² + σ⁴g₂ (TrueSkill and all its relatives).

    A match that counts w times has its likelihood message, of precision −g₂/(1 + σ²g₂), scaled by w.

    >>> Moment()
    Moment()
    """

    periods = False

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def absorb(self, board: Board) -> cython.bint:
        """σ² + σ⁴g₂ is σ² times `kept`, which never turns negative."""
        k: cython.Py_ssize_t
        again: cython.double
        scale: cython.double
        if board.importance == 1.0:
            for k in range(board.entries * board.traits):
                board.mu[k] += board.var[k] * board.g1[k]
                board.var[k] *= board.kept[k]
        else:
            for k in range(board.entries * board.traits):
                again = board.kept[k] / board.importance
                scale = again - board.var[k] * min(board.g2[k], 0.0)
                board.mu[k] += board.var[k] * board.g1[k] / scale
                board.var[k] *= again / scale


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Newton(Absorb):
    """A Newton step on the log-posterior: precision 1/σ² − g₂, mean μ + g₁/(1/σ² − g₂) (Glicko).

    >>> Newton()
    Newton()
    """

    periods = True

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def absorb(self, board: Board) -> cython.bint:
        """Written without 1/σ², so that a known skill (σ = 0) stays known."""
        k: cython.Py_ssize_t
        narrower: cython.double
        for k in range(board.entries * board.traits):
            narrower = board.var[k] / (1.0 - board.importance * board.var[k] * min(board.g2[k], 0.0))
            board.mu[k] += board.importance * narrower * board.g1[k]
            board.var[k] = narrower


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Constant(Absorb):
    """The mean moves by σ²g₁, the variance never does (TS2c): drift widens it for one match, and no longer.

    >>> Constant()
    Constant()
    """

    periods = True

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def absorb(self, board: Board) -> cython.bint:
        """A match that counts w times moves w times as far."""
        k: cython.Py_ssize_t
        for k in range(board.entries * board.traits):
            board.mu[k] += board.importance * board.var[k] * board.g1[k]
            board.var[k] = board.before[k]

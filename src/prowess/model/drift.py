"""Dynamics: how much a skill may have moved since it was last seen (MODELS: σ² ← σ² + γ²)."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.board import Board, Drift
else:
    from .board import Board, Drift

from .. import checks

__all__ = ["PerMatch", "PerTime", "Still"]


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Still(Drift):
    """Skills do not move.

    >>> Still()
    Still()
    """


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class PerMatch(Drift):
    """Before every match a skill moves by N(0, tau²), however long ago the last one was (TrueSkill, section 4).

    >>> PerMatch(25 / 300).tau > 0
    True
    """

    tau: object

    def __post_init__(self) -> None:
        checks.scale("tau", self.tau, zero=True)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def widen(self, board: Board) -> cython.bint:
        """σ² ← σ² + τ²."""
        k: cython.Py_ssize_t
        tau: cython.double = self.tau
        for k in range(board.entries * board.traits):
            board.var[k] += tau * tau


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class PerTime(Drift):
    """In t units of time (days, where times are dates) a skill moves by N(0, tau² t); sigma grows up to `cap`.

    A belief that is wider than `cap` already stays as it is.

    >>> PerTime(tau=0.5, cap=8.0)
    PerTime(tau=0.5, cap=8.0)
    """

    tau: object
    cap: object = float("inf")

    def __post_init__(self) -> None:
        checks.scale("tau", self.tau, zero=True)
        if self.cap != float("inf"):
            checks.scale("cap", self.cap)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def widen(self, board: Board) -> cython.bint:
        """σ² ← max(σ², min(σ² + τ² t, cap²))."""
        e: cython.Py_ssize_t
        k: cython.Py_ssize_t
        tau: cython.double = self.tau
        cap: cython.double = self.cap
        wider: cython.double
        for e in range(board.entries):
            for k in range(e * board.traits, (e + 1) * board.traits):
                wider = min(board.var[k] + tau * tau * board.elapsed[e], cap * cap)
                if wider > board.var[k]:
                    board.var[k] = wider

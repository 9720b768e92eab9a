"""Drift: how much a skill may have moved since it was last seen."""

from __future__ import annotations

from typing import ClassVar

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.components.interfaces import Drift
    from cython.cimports.prowess.model.engine.board import Board
else:
    from ..engine.board import Board
    from .interfaces import Drift

from ... import validate
from ..params import Range
from .seasons import Seasons

__all__ = ["Idle", "PerMatch", "PerPeriod", "PerTime", "Seasons", "Still"]


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

    tunable: ClassVar[dict[str, Range]] = {"tau": Range(1.0 / 3000, 1.0 / 3, log=True, unit="sigma")}

    def __post_init__(self) -> None:
        validate.scale("tau", self.tau, zero=True)

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

    tunable: ClassVar[dict[str, Range]] = {
        "tau": Range(1.0 / 100_000, 1.0 / 3, log=True, unit="sigma"),  # a unit of time may be a year, or a minute
        "cap": Range(0.3, 3, log=True, unit="value"),
    }

    def __post_init__(self) -> None:
        validate.scale("tau", self.tau, zero=True)
        if self.cap != float("inf"):
            validate.scale("cap", self.cap)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def widen(self, board: Board) -> cython.bint:
        """σ² ← max(σ², min(σ² + τ² t, cap²))."""
        e: cython.Py_ssize_t
        tau: cython.double = self.tau
        cap: cython.double = self.cap
        for e in range(board.entries):
            _widen(board, e, tau * tau * board.elapsed[e], cap)


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class PerPeriod(Drift):
    """In every rating period a skill moves by N(0, c²); sigma grows up to `cap` (Glicko: RD ← min(√(RD² + c²t), 350)).

    t is the number of periods since the player was last seen, and at least 1; in a model without periods every match is
    one. As in Glicko nobody is less certain than `cap`, not even who was given so.

    >>> PerPeriod(c=34.6)
    PerPeriod(c=34.6, cap=350.0)
    """

    c: object
    cap: object = 350.0

    tunable: ClassVar[dict[str, Range]] = {
        "c": Range(1.0 / 300, 1, log=True, unit="sigma"),
        "cap": Range(0.3, 3, log=True, unit="value"),
    }

    def __post_init__(self) -> None:
        validate.scale("c", self.c, zero=True)
        if self.cap != float("inf"):
            validate.scale("cap", self.cap)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def widen(self, board: Board) -> cython.bint:
        """σ² ← min(σ² + c² max(t, 1), cap²)."""
        e: cython.Py_ssize_t
        k: cython.Py_ssize_t
        c: cython.double = self.c
        cap: cython.double = self.cap
        for e in range(board.entries):
            for k in range(e * board.traits, (e + 1) * board.traits):
                board.var[k] += c * c * (max(board.elapsed[e], 1.0) if board.periods else 1.0)
                board.var[k] = min(board.var[k], cap * cap)
        return False


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Idle(Drift):
    """In every rating period that a player sits out her skill moves by her own volatility (Glicko-2, step 6).

    The volatility is that of `Volatile`, which moves beliefs in the periods that she plays; with other absorb rules, or
    without periods, nothing happens. Sigma grows up to `cap`, which Glicko-2 does not have.

    >>> Idle()
    Idle(cap=inf)
    """

    cap: object = float("inf")

    tunable: ClassVar[dict[str, Range]] = {"cap": Range(0.3, 3, log=True, unit="value")}

    def __post_init__(self) -> None:
        if self.cap != float("inf"):
            validate.scale("cap", self.cap)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def widen(self, board: Board) -> cython.bint:
        """σ² ← max(σ², min(σ² + (t − 1) volatility², cap²)), the volatility in points."""
        e: cython.Py_ssize_t
        cap: cython.double = self.cap
        move: cython.double
        if board.extras == 0 or not board.periods:
            return False
        for e in range(board.entries):
            move = board.extra[e * board.extras] * board.unit
            _widen(board, e, move * move * max(board.elapsed[e] - 1.0, 0.0), cap)
        return False


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _widen(board: Board, e: cython.Py_ssize_t, more: cython.double, cap: cython.double) -> cython.void:
    """Add to the variances of an entry, up to cap²; one that is wider already stays as it is."""
    k: cython.Py_ssize_t
    wider: cython.double
    for k in range(e * board.traits, (e + 1) * board.traits):
        wider = min(board.var[k] + more, cap * cap)
        if wider > board.var[k]:
            board.var[k] = wider

"""Seasons: what becomes of a skill in the break between two of them."""

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
from ...errors import Error
from ..params import Range

__all__ = ["Seasons"]


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Seasons(Drift):
    """Carry-over: after a break a skill has gone some way back to the mean, and moved.

    When a player returns after more than `gap` (days, where times are dates), μ ← m + carry (μ − m) and
    σ² ← carry² σ² + season_tau². The mean m is that of newcomers, as the model's prior has it before anything was
    learnt. With `carry` 1 a skill is carried over whole, with 0 every season starts anew; above 1 distances grow, as
    where the rich get richer. `within` is the drift of the season itself.

    >>> import prowess as pw
    >>> model = pw.TrueSkill().replace(drift=Seasons(pw.drift.PerMatch(0.1), carry=0.8, season_tau=1.0))
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]], "time": f"202{k}-05-01"} for k in (5, 6)])
    >>> model.fit(history).forecasts.mean.round(2)
    array([25.  , 25.  , 28.52, 21.48])
    """

    within: object
    gap: object = 60.0
    carry: object = 1.0
    season_tau: object = 0.0

    tunable: ClassVar[dict[str, Range]] = {
        "carry": Range(0, 1.25),
        "season_tau": Range(0.003, 1, log=True, unit="sigma"),
    }
    reverts = True

    def __post_init__(self) -> None:
        if not isinstance(self.within, Drift) or type(self.within) is Drift:
            raise Error(f"within must be a drift, such as Still() or PerMatch(0.1), not {self.within!r}")
        validate.scale("gap", self.gap)
        validate.scale("season_tau", self.season_tau, zero=True)
        if not 0.0 <= validate.number("carry", self.carry) <= 2.0:
            raise Error(f"carry must lie between 0 (start anew) and 2, where 1 carries all over; not {self.carry!r}")

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def widen(self, board: Board) -> cython.bint:
        """First the break, then the drift within."""
        e: cython.Py_ssize_t
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t
        gap: cython.double = self.gap
        carry: cython.double = self.carry
        tau: cython.double = self.season_tau
        within: Drift = self.within
        for e in range(board.entries):
            if board.elapsed[e] * board.span > gap:
                for k in range(board.traits):
                    i = e * board.traits + k
                    board.mu[i] = board.centre[k] + carry * (board.mu[i] - board.centre[k])
                    board.var[i] = carry * carry * board.var[i] + tau * tau
        return within.widen(board)

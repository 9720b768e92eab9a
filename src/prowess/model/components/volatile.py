"""The absorb rule of Glicko-2: rating, deviation and volatility move together.

Glickman (2012), *Example of the Glicko-2 system*.
"""

from __future__ import annotations

from typing import ClassVar

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import exp, fabs
    from cython.cimports.prowess.model.components.interfaces import Absorb
    from cython.cimports.prowess.model.engine.board import Board
else:
    from math import exp, fabs

    from ..engine.board import Board
    from .interfaces import Absorb

from ... import validate
from ..params import Range

__all__ = ["Volatile"]

STILL = cython.declare(cython.double, 1e-6)  # a Newton step after which no other is needed: its square is rounding
MOST_STEPS = cython.declare(cython.Py_ssize_t, 200)
FURTHEST = cython.declare(cython.double, 300.0)  # by which a squared volatility may change, as a logarithm


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Volatile(Absorb):
    """Glicko-2: every player has a volatility of her own, which grows when results are erratic.

    In a period that she plays, her volatility is found anew (`tau` limits how fast it changes), her variance grows by
    its square, and then she takes a Newton step, as in Glicko. In periods that she sits out her variance grows by the
    drift `Idle`, before forecasts are made. The volatility is on the scale of the paper, on which ratings are divided
    by 173.7178 = 400/ln 10: in points it is the volatility times the outcome's `unit`. Several traits share one.

    >>> Volatile()
    Volatile(volatility=0.06, tau=0.5)
    """

    volatility: object = 0.06
    tau: object = 0.5

    tunable: ClassVar[dict[str, Range]] = {
        "volatility": Range(0.003, 1, log=True),
        "tau": Range(0.03, 3, log=True),
    }
    extras: ClassVar[tuple[str, ...]] = ("volatility",)
    periods = True

    def __post_init__(self) -> None:
        validate.scale("volatility", self.volatility)
        validate.scale("tau", self.tau, zero=True)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def welcome(self, board: Board, entry: cython.Py_ssize_t) -> cython.bint:
        """A newcomer's volatility."""
        board.extra[entry * board.extras] = self.volatility
        return False

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def absorb(self, board: Board) -> cython.bint:
        """Steps 3 to 8 of the paper, in rating points."""
        e: cython.Py_ssize_t
        i: cython.Py_ssize_t
        own: cython.Py_ssize_t
        tau: cython.double = self.tau
        unit2: cython.double = board.unit * board.unit
        push: cython.double
        pull: cython.double
        move: cython.double
        wide: cython.double
        for e in range(board.entries):
            own = e * board.extras
            for i in range(e * board.traits, (e + 1) * board.traits):
                push = board.importance * board.g1[i]
                pull = board.importance * min(board.g2[i], 0.0)
                move = board.extra[own]
                move *= exp(0.5 * _growth(move * move, tau, board.var[i] / unit2, -pull * unit2, push * board.unit))
                board.extra[own] = move
                wide = board.var[i] + move * move * unit2
                board.var[i] = wide / (1.0 - wide * pull)
                board.mu[i] += board.var[i] * push
        return False


@cython.cfunc
@cython.exceptval(check=False)
def _growth(
    square: cython.double, tau: cython.double, wide: cython.double, known: cython.double, found: cython.double
) -> cython.double:
    """Step 5: the logarithm of new over old squared volatility, which is the root of the paper's f.

    `wide` is φ², `known` is 1/v = Σ g²E(1 − E) and `found` is Δ/v = Σ g(s − E): with these nothing overflows where a
    result was all but certain. With D = Δ² − φ² − v and P = φ² + v, f is a line of slope −1/τ² plus something between
    −½ and D/(8P): that brackets the root. Newton finds the root of the paper's Illinois algorithm in a third of its
    steps.
    """
    excess: cython.double = found * found - known * known * wide - known  # D/v²
    sure: cython.double = 1.0 + known * wide  # P/v
    low: cython.double = -min(0.5 * tau * tau, FURTHEST)
    high: cython.double = 0.0
    x: cython.double = 0.0
    y: cython.double = square
    step: cython.double = 1.0
    strictness: cython.double
    share: cython.double
    gain: cython.double
    value: cython.double
    slope: cython.double
    spent: cython.Py_ssize_t = 0
    if known <= 0.0 or tau == 0.0:
        return 0.0
    strictness = 1.0 / (tau * tau)
    if excess > 0.0:
        high = min(tau * tau * (excess / sure / 8.0) / known, FURTHEST)
    while fabs(step) > STILL and spent < MOST_STEPS:
        spent += 1
        if x != 0.0:
            y = square * exp(x)
        share = 1.0 / (sure + known * y)
        gain = 0.5 * y * share
        value = gain * (excess - known * known * y) * share - x * strictness
        slope = gain * (excess - 2.0 * known * y * (excess + known * sure) * share) * share - strictness
        if value > 0.0:
            low = max(low, x)
        else:
            high = min(high, x)
        step = -value / slope if slope < 0.0 else FURTHEST + FURTHEST
        if not low <= x + step <= high:
            step = 0.5 * (low + high) - x
        x += step
    return x

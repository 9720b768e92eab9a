"""The logistic outcome of Elo, Glicko and Glicko-2 (Stout 2025, equations (3) to (8); Glickman 1999)."""

from __future__ import annotations

from typing import Any, ClassVar

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import exp, fabs, log, log1p, sqrt
    from cython.cimports.prowess.model.components.outcome.comparison import verdict
    from cython.cimports.prowess.model.components.outcome.pairwise import Pairwise, remember
    from cython.cimports.prowess.model.engine.board import Board
else:
    from math import exp, fabs, log, log1p, sqrt

    from ...engine.board import Board
    from .comparison import verdict
    from .pairwise import Pairwise, remember

from .... import validate
from ...params import Range

# In the board's memo: the last |z|, and exp(−|z|).
DISTANCE = cython.declare(cython.Py_ssize_t, 0)
ODDS = cython.declare(cython.Py_ssize_t, 1)

LN10 = cython.declare(cython.double, 2.3025850929940456840)
THREE_OVER_PI2 = cython.declare(cython.double, 0.30396355092701331433)
# Φ(x/1.702) is nowhere further than 0.0095 from 1/(1 + e⁻ˣ), which no other normal distribution achieves.
NORMAL = 1.702 * 1.702


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Logistic(Pairwise):
    """The expected score is 1/(1 + 10^(−Δ/scale)): `scale` points more are odds of ten to one.

    An opponent's uncertainty is discounted as in Glicko: with q = ln 10/scale and g = 1/√(1 + 3q²v/π²) of her variance
    v, E = 1/(1 + exp(−q g Δ)), d₁ = q g (s − E) and d₂ = −q² g² E(1 − E). Ratings without uncertainty have g = 1: that
    is Elo. The forecast discounts by the variances of both.

    A draw counts as half a win and half a loss, so its log-likelihood ½ log E(1 − E) is no probability. The
    log-evidence of two teams is the mean of what both see, and d₁ is its derivative where their variances are equal.

    >>> from prowess.model.engine.board import Board
    >>> board, elo = Board(), Logistic()
    >>> elo.prepare(board)
    False
    >>> round(elo.chance(board, 200.0, 0.0), 4), round(elo.chance(board, 200.0, 2 * 350.0**2), 4)
    (0.7597, 0.6498)
    """

    scale: object = 400.0

    tunable: ClassVar[dict[str, Range]] = {"scale": Range(0.1, 10, log=True, unit="value", sets="scale")}

    def __post_init__(self) -> None:
        validate.scale("scale", self.scale)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def prepare(self, board: Board) -> cython.bint:
        """A whole point is worth 1/q rating points: K(s − E) is K d₁/q."""
        scale: cython.double = self.scale
        board.unit = scale / LN10
        board.sharpness = LN10 / scale
        return False

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def chance(self, board: Board, gap: cython.double, variance: cython.double) -> cython.double:
        """E with g(√(RD₁² + RD₂²)), which sums to one over both sides."""
        _expect(board, _slope(board, variance) * gap)
        return board.expected

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def evidence(self, board: Board) -> cython.double:
        """Two teams without uncertainty (Elo) have the same E in forecast and evidence; others as `Pairwise` does."""
        if board.teams != 2 or board.variance[0] + board.variance[1] > 0.0:
            return Pairwise.evidence(self, board)
        score = verdict(board, 0, 1)
        _learn(board, board.sharpness, score)
        board.d1[0] = board.push
        board.d1[1] = -board.push
        board.d2[0] = board.d2[1] = board.pull
        board.left[0] = board.left[1] = 1.0
        remember(board, score)
        return _log_likelihood(board, board.mean[0] - board.mean[1], score)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def meet(
        self, board: Board, gap: cython.double, own: cython.double, other: cython.double, result: cython.double
    ) -> cython.bint:
        """q g (s − E) and −q² g² E(1 − E)."""
        slope = _slope(board, other)
        _expect(board, slope * gap)
        _learn(board, slope, result)
        return False

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def likelihood(
        self, board: Board, gap: cython.double, own: cython.double, other: cython.double, result: cython.double
    ) -> cython.double:
        """s log E + (1 − s) log(1 − E)."""
        _expect(board, _slope(board, other) * gap)
        return _log_likelihood(board, gap, result)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def stretch(self, least: cython.double, most: cython.double) -> cython.double:
        """Four times 1/q: the nearest pole is π/q away from the real axis, and further for g below 1."""
        scale: cython.double = self.scale
        return 4.0 * scale / LN10

    def performance(self, variance: Any) -> Any:
        """E is a logistic distribution of the difference, of scale² 1/q² + 3v/π²; half of it comes from each side."""
        unit: float = self.scale / LN10
        return NORMAL * (0.5 * unit * unit + THREE_OVER_PI2 * variance)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _slope(board: Board, variance: cython.double) -> cython.double:
    """q g(√v)."""
    if variance == 0.0:
        return board.sharpness
    return board.sharpness / sqrt(1.0 + THREE_OVER_PI2 * board.sharpness * board.sharpness * variance)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _expect(board: Board, z: cython.double) -> cython.void:
    """E = 1/(1 + exp(−z)) and 1 − E; they are kept for when the same |z| is asked for again, from either side."""
    if fabs(z) != board.memo[DISTANCE]:
        board.memo[DISTANCE] = fabs(z)
        board.memo[ODDS] = exp(-board.memo[DISTANCE])
    more = 1.0 / (1.0 + board.memo[ODDS])
    board.expected = more if z >= 0.0 else board.memo[ODDS] * more
    board.conceded = board.memo[ODDS] * more if z >= 0.0 else more


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _learn(board: Board, slope: cython.double, result: cython.double) -> cython.void:
    """s − E, without cancellation, and −E(1 − E), times the slope and its square."""
    board.push = slope * (result * board.conceded - (1.0 - result) * board.expected)
    board.pull = -slope * slope * board.expected * board.conceded


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _log_likelihood(board: Board, gap: cython.double, result: cython.double) -> cython.double:
    """s log E + (1 − s) log(1 − E) of the E last asked for."""
    upset = 1.0 - result if gap >= 0.0 else result
    certain = log1p(board.memo[ODDS]) if board.memo[ODDS] < 1e-3 else log(1.0 + board.memo[ODDS])  # log is faster
    return -upset * board.memo[DISTANCE] - certain

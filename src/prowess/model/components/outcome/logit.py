"""The exact logistic outcome of two teams, for Bradley–Terry and Elo with uncertain ratings: `Logit`."""

from __future__ import annotations

from typing import Any, ClassVar

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

from .... import validate
from ....errors import Error
from ...engine.board import Board
from ...maths.elementary import exp, log, log1p_all
from ...maths.logistic_normal import add_nodes, measure_wide
from ...params import Range
from .pair_curves import LOGISTIC_VARIANCE
from .pairwise import Pairwise, count_draws

if not cython.compiled:
    from math import fabs

    from ...maths.logistic_normal import (
        D1,
        D2,
        DRAW_02,
        DRAW_11,
        DRAW_20,
        GAP,
        LARGEST,
        LEFT,
        LOG_Z,
        NEAR,
        SUM_03,
        SUM_12,
        SUM_21,
        SUM_30,
        VARIANCE,
        WIDE,
    )
    from .pairwise import CONCEDED, EXPECTED

LN10 = cython.declare(cython.double, 2.3025850929940456840)


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class Logit(Pairwise):
    """The first of two teams wins with probability 1/(1 + 10^(−x/scale)), where x is the difference of performances.

    This is the model of Bradley and Terry (1952) and of Elo, with normal beliefs about skills. Updates are exact: the
    new mean and variance of x are those of its prior N(m, v) times the probability of the result. These moments have no
    closed form. They are computed by quadrature, with a relative accuracy of about 1e-12 for every m and v. Use the
    absorb rule `Moment`, which is the default. The model's β may be 0, as in Bradley–Terry; a larger β adds normal
    noise to the performances.

    `Logistic` has the same curve, but its updates are those of Glicko, which approximate the exact ones: a step of
    Newton's method from the prior mean, in which a factor g makes the curve flatter if the opponent is uncertain. It
    also compares more than two teams, in pairs. Here, a match of more than two teams is an error; use `Order` or
    `Places` instead.

    A draw counts as half a win and half a loss: its log-likelihood is ½ log P + ½ log(1 − P), so it brings the teams
    closer together. This is not the logarithm of a probability, so if there are draws, compare the log-evidence only
    with that of other models that count draws in this way. Forecasts are made as in `Logistic`: if the expected score
    is E, a draw has the probability 2δE(1 − E), where δ is learnt from the draws so far.

    >>> import prowess as pw
    >>> model = pw.Model(prior=pw.Normal(1500, 200), noise=0, outcome=Logit(400))
    >>> ann, bob = model.rating(1600, 60), model.rating()
    >>> model.predict([[ann], [bob]]).win.round(4)
    array([0.6102, 0.3898])
    >>> [[ann], [bob]] = model.rate([[ann], [bob]])
    >>> round(ann.mu, 1), round(ann.sigma, 1), round(bob.mu, 1), round(bob.sigma, 1)
    (1606.3, 59.5, 1429.8, 180.7)
    """

    scale: object = 400.0

    tunable: ClassVar[dict[str, Range]] = {"scale": Range(0.1, 10, log=True, unit="value", sets="scale")}
    blocks = True
    laplace = False

    def __post_init__(self) -> None:
        validate.scale("scale", self.scale)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def prepare(self, board: Board) -> cython.bint:
        """Set `board.unit`, the factor of d₁ in a rating change, to 1/q for q = ln 10/scale, as `Logistic` does."""
        scale: cython.double = self.scale
        board.unit = scale / LN10
        return False

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def chance(self, board: Board, gap: cython.double, variance: cython.double) -> cython.double:
        """Return the expected score: the mean of 1/(1 + 10^(−x/scale)) over x ~ N(gap, variance).

        >>> from prowess.model.engine.board import Board
        >>> round(Logit(400.0).chance(Board(), 400.0, 0.0), 12) == round(10 / 11, 12)
        True
        """
        q = _slope(self.scale)
        board.work[GAP * board.stride] = q * gap
        board.work[VARIANCE * board.stride] = q * q * variance
        _expect(board, 1)
        board.expected = board.work[EXPECTED * board.stride]
        board.conceded = board.work[CONCEDED * board.stride]
        return board.expected

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def expect(self, board: Board) -> cython.bint:
        """Set the expected scores of both teams of every match.

        >>> from prowess.model.engine.board import Board
        >>> board = Board()
        >>> board.mean[0] = 400.0
        >>> Logit(400.0).expect(board)
        False
        >>> round(board.work[1] / board.work[2], 9)
        10.0
        """
        one = board.stride
        q = _slope(self.scale)
        for lane in range(board.lanes):
            board.work[GAP * one + lane] = q * (board.mean[lane] - board.mean[one + lane])
            board.work[VARIANCE * one + lane] = q * q * (board.variance[lane] + board.variance[one + lane])
        _expect(board, board.lanes)
        return False

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def evidence(self, board: Board) -> cython.double:
        """Learn from the result, given the sums that the forecast has left on the board."""
        if board.teams > 2:
            raise Error(
                f"Logit compares two teams, and this match has {board.teams}; use another outcome, such as Order()",
                field="teams",
            )
        _learn(board)
        _learn_rare(board)
        _scale(board, _slope(self.scale))
        count_draws(board)
        return board.evidences[0]

    def performance(self, variance: Any) -> Any:
        """Return the variance of a normal performance with about the same win probabilities.

        The logistic noise of the difference is replaced by normal noise.
        """
        unit: float = self.scale / LN10
        return variance + 0.5 * LOGISTIC_VARIANCE * unit * unit


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _slope(scale: cython.double) -> cython.double:
    """Return q = ln 10/scale. All sums and derivatives are computed for z = q x, and scaled at the end."""
    return LN10 / scale


@cython.cfunc
@cython.exceptval(check=False)
def _expect(board: Board, lanes: cython.Py_ssize_t) -> cython.void:
    """Set the expected scores from the rows `GAP` and `VARIANCE`; leave the sums for `_learn` on the board."""
    s = board.stride
    add_nodes(board.work, s, lanes, False)
    wide = 0
    for lane in range(lanes):
        near = board.work[NEAR * s + lane]
        more = _wins(board, lane)
        less = near * _losses(board, lane)
        inverse = 1.0 / (more + less)
        more *= inverse
        less *= inverse
        gap = board.work[GAP * s + lane]
        board.work[EXPECTED * s + lane] = more if gap >= 0.0 else less
        board.work[CONCEDED * s + lane] = less if gap >= 0.0 else more
        wide += 1 if board.work[VARIANCE * s + lane] > WIDE else 0
    if wide > 0:
        for i in range(lanes):
            if board.work[VARIANCE * s + i] > WIDE:
                gap = board.work[GAP * s + i]
                measure_wide(fabs(gap), board.work[VARIANCE * s + i], 0.0, board.memo)
                less = exp(board.memo[LOG_Z]) if gap != 0.0 else 0.5
                board.work[EXPECTED * s + i] = 1.0 - less if gap >= 0.0 else less
                board.work[CONCEDED * s + i] = less if gap >= 0.0 else 1.0 - less


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _wins(board: Board, lane: cython.Py_ssize_t) -> cython.double:
    """Return the sum of σ(z), the favourite's probability to win, from that of (σ(z) + σ(−z))² σ(z).

    For equal teams, this sum and that of `_losses` are equal to the last bit.
    """
    s = board.stride
    near = board.work[NEAR * s + lane]
    middle = near * near * board.work[SUM_12 * s + lane] + 2.0 * near * board.work[SUM_21 * s + lane]
    return board.work[SUM_30 * s + lane] + middle


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _losses(board: Board, lane: cython.Py_ssize_t) -> cython.double:
    """Return the sum of σ(−z), the favourite's probability to lose, in units of the row `NEAR`."""
    s = board.stride
    near = board.work[NEAR * s + lane]
    middle = board.work[SUM_21 * s + lane] + 2.0 * near * board.work[SUM_12 * s + lane]
    return near * near * board.work[SUM_03 * s + lane] + middle


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _side(gap: cython.double, lead: cython.double) -> cython.double:
    """Return 1 if the first team is the favourite, else −1. Of equal teams, the winner is the favourite."""
    side = 1.0 if lead >= 0.0 else -1.0
    side = 1.0 if gap > 0.0 else side
    return -1.0 if gap < 0.0 else side


@cython.cfunc
@cython.exceptval(check=False)
def _learn(board: Board) -> cython.void:
    """Set `d1` and `d2` of the first team, and the log-evidence, as if no match were a draw and no variance large."""
    one = board.stride
    for lane in range(board.lanes):
        gap = board.work[GAP * one + lane]
        near = board.work[NEAR * one + lane]
        sum_21 = board.work[SUM_21 * one + lane]
        sum_12 = board.work[SUM_12 * one + lane]
        lead: cython.double = board.place[one + lane] - board.place[lane]
        side = _side(gap, lead)
        upset = 1.0 if side * lead < 0.0 else 0.0
        wins = _wins(board, lane)
        losses = _losses(board, lane)
        both = sum_21 + near * sum_12  # of σ(z)σ(−z), in units of `near`
        total = losses if upset > 0.0 else wins
        inverse = 1.0 / total
        # E σ(−z); for an upset, whose d₁ is −E σ(z), the mean of σ(z) needs the other sums.
        mean = near * (sum_12 + near * board.work[SUM_03 * one + lane] if upset > 0.0 else both) * inverse
        push = -both * inverse if upset > 0.0 else mean
        bend = sum_12 if upset > 0.0 else sum_21
        square = board.work[SUM_03 * one + lane] if upset > 0.0 else sum_12
        board.d1[lane] = side * push
        board.d2[lane] = near * (near * square - bend) * inverse - mean * mean
        odds = near * losses / wins
        board.evidences[lane] = 1.0 / odds if upset > 0.0 else odds
    log1p_all(board.evidences, 0, board.lanes)
    for lane in range(board.lanes):
        gap = board.work[GAP * one + lane]
        lead: cython.double = board.place[one + lane] - board.place[lane]
        side = _side(gap, lead)
        beyond = fabs(gap) - LARGEST
        beyond = beyond if beyond > 0.0 else 0.0
        board.evidences[lane] = -board.evidences[lane] - (beyond if side * lead < 0.0 else 0.0)
        board.rests[lane] = 1.0 + board.work[VARIANCE * one + lane] * board.d2[lane]


@cython.cfunc
@cython.exceptval(check=False)
def _learn_rare(board: Board) -> cython.void:
    """Learn from draws, and from matches whose variance is large."""
    one = board.stride
    draws = 0
    wide = 0
    for lane in range(board.lanes):
        draws += 1 if board.place[lane] == board.place[one + lane] else 0
        wide += 1 if board.work[VARIANCE * one + lane] > WIDE else 0
    if draws > 0:
        add_nodes(board.work, one, board.lanes, True)
        for i in range(board.lanes):
            if board.place[i] == board.place[one + i]:
                _learn_draw(board, i)
    if wide > 0:
        for i in range(board.lanes):
            variance = board.work[VARIANCE * one + i]
            if variance > WIDE:
                lead: cython.double = board.place[one + i] - board.place[i]
                result = 0.5 if lead == 0.0 else 1.0 if lead > 0.0 else 0.0
                measure_wide(board.work[GAP * one + i], variance, result, board.memo)
                board.evidences[i] = board.memo[LOG_Z]
                board.d1[i] = board.memo[D1]
                board.d2[i] = board.memo[D2]
                board.rests[i] = board.memo[LEFT]


@cython.cfunc
@cython.exceptval(check=False)
def _learn_draw(board: Board, i: cython.Py_ssize_t) -> cython.void:
    s = board.stride
    gap = board.work[GAP * s + i]
    near = board.work[NEAR * s + i]
    sum_20 = board.work[DRAW_20 * s + i]
    sum_11 = board.work[DRAW_11 * s + i]
    sum_02 = board.work[DRAW_02 * s + i]
    total = sum_20 + near * (2.0 * sum_11 + near * sum_02)
    mean = near * (sum_11 + near * sum_02) / total
    # The difference of the means of σ²(−z) and σ²(z) is that of σ(−z) and σ(z), because these add up to 1.
    push = 0.5 * (near * near * sum_02 - sum_20) / total
    board.d1[i] = push if gap >= 0.0 else -push
    board.d2[i] = near * (near * sum_02 - sum_11) / total - mean * mean
    board.evidences[i] = log(total / (_wins(board, i) + near * _losses(board, i))) - 0.5 * fabs(gap)
    board.rests[i] = 1.0 + board.work[VARIANCE * s + i] * board.d2[i]


@cython.cfunc
@cython.exceptval(check=False)
def _scale(board: Board, q: cython.double) -> cython.void:
    """Set `d1`, `d2` and `left` of both teams from those of the difference z."""
    one = board.stride
    for lane in range(board.lanes):
        push = q * board.d1[lane]
        pull = q * q * board.d2[lane]
        first = board.variance[lane]
        second = board.variance[one + lane]
        left = board.rests[lane]
        inverse = 1.0 / (first + second if first + second > 0.0 else 1.0)
        board.d1[lane] = push
        board.d1[one + lane] = -push
        board.d2[lane] = pull
        board.d2[one + lane] = pull
        # Written as a sum of positive terms, because 1 + v d₂ would lose its digits.
        board.left[lane] = (second + first * left) * inverse if first > 0.0 else 1.0
        board.left[one + lane] = (first + second * left) * inverse if second > 0.0 else 1.0

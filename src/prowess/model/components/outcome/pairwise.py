"""Outcomes that compare two teams at a time: the base of Elo, Glicko, Gaussian Elo and Harkness.

Two teams are one comparison. Of more than two, every team is compared with each of the others and takes the average of
what these comparisons say. The log-evidence of more than two is that of neighbours in the finishing order, as if the
pairs were independent of each other: a score to compare models by, of which `d1` is not the derivative.

Draws are forecast by their share of the past: with the expected score E a match is drawn with
probability 2δE(1 − E), where δ is the number of draws so far over 1 + Σ 2E(1 − E), and at most 1. No draw so far: none
expected. Of more than two teams, neighbours in the finishing order are counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import sqrt
    from cython.cimports.prowess.model.components.outcome.comparison import (
        Comparison,
        compare_all,
        make_room,
        seat,
        verdict,
    )
    from cython.cimports.prowess.model.engine.board import Board, sort_by_place
    from cython.cimports.prowess.model.maths.normal import central_width
else:
    from math import sqrt

    from ...engine.board import Board, sort_by_place
    from ...maths.normal import central_width
    from .comparison import Comparison, compare_all, make_room, seat, verdict

from .... import validate
from ..margin import Fixed

if TYPE_CHECKING:
    from ...prediction import Prediction

# Places in the league's memory.
DRAWS = cython.declare(cython.Py_ssize_t, 0)
CHANCES = cython.declare(cython.Py_ssize_t, 1)


@cython.cclass
class Pairwise(Comparison):
    """An outcome that compares teams two by two; one of your own says `chance`, `meet`, `likelihood`, `performance`.

    >>> Pairwise().remembers
    ('draws', 'chances of a draw')
    """

    laplace = True

    @property
    def remembers(self) -> tuple[str, ...]:
        """How many pairs of teams drew, and Σ 2E(1 − E) over all of them."""
        return ("draws", "chances of a draw")

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def forecast(self, board: Board) -> cython.bint:
        """D = 2δE(1 − E), win = E − D/2, each without cancellation."""
        delta = _delta(board)
        self.chance(board, board.mean[0] - board.mean[1], board.variance[0] + board.variance[1])
        board.draw = 2.0 * delta * board.expected * board.conceded
        board.win = board.expected * (1.0 - delta * board.conceded)
        board.loss = board.conceded * (1.0 - delta * board.expected)
        return False

    def performances(self, board: Board) -> tuple[list[float], list[float], list[float]]:
        """Normal performances whose pairwise probabilities are near those of `chance`, and their noise."""
        means, variances, noises = super().performances(board)
        return means, [self.performance(variance) for variance in variances], [self.performance(v) for v in noises]

    def predict(self, board: Board) -> Prediction:
        """Places by normal performances, whose pairwise probabilities are near those of `chance`.

        One margin serves all: that at which two equal teams of average variance draw with probability δ/2.
        """
        from ...prediction import predict

        total: float = 0.0
        for j in range(board.teams):
            board.variance[j] = board.noise[j] = self.performance(board.variance[j])
            total += board.variance[j]
        margin: float = central_width(0.5 * _delta(board)) * sqrt(2.0 * total / board.teams)
        board.margin = Fixed(min(margin, validate.LARGEST))
        return predict(board)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def evidence(self, board: Board) -> cython.double:
        """One comparison of two teams, or the averages of all comparisons."""
        if board.teams == 2:
            log_z = _two(self, board)
        else:
            make_room(board)
            for j in range(board.teams):
                seat(board, j, j, board.mean[j], board.variance[j], 1.0)
            compare_all(self, board, board.teams, board.d1, board.d2)
            log_z = self.tell(board)
        for j in range(board.teams):
            board.left[j] = 1.0 / (1.0 - board.variance[j] * min(board.d2[j], 0.0))
        return log_z

    def tell(self, board: Board) -> cython.double:
        """The log-evidence of all neighbours in the finishing order, whose draws are remembered."""
        log_z = 0.0
        sort_by_place(board)
        for k in range(board.teams - 1):
            i = board.order[k]
            j = board.order[k + 1]
            gap = board.mean[i] - board.mean[j]
            score = verdict(board, i, j)
            log_z += 0.5 * self.likelihood(board, gap, board.variance[i], board.variance[j], score)
            log_z += 0.5 * self.likelihood(board, -gap, board.variance[j], board.variance[i], 1.0 - score)
            self.chance(board, gap, board.variance[i] + board.variance[j])
            remember(board, score)
        return log_z


@cython.cfunc
def _two(pair: Pairwise, board: Board) -> cython.double:
    """Two teams meet; the log-likelihood is the mean of what both see, which is the same for equal variances."""
    gap = board.mean[0] - board.mean[1]
    score = verdict(board, 0, 1)
    remember(board, score)  # before the expected score of the forecast is written over
    pair.meet(board, gap, board.variance[0], board.variance[1], score)
    board.d1[0] = board.push
    board.d2[0] = board.pull
    log_z = pair.likelihood(board, gap, board.variance[0], board.variance[1], score)
    pair.meet(board, -gap, board.variance[1], board.variance[0], 1.0 - score)
    board.d1[1] = board.push
    board.d2[1] = board.pull
    if board.variance[0] != board.variance[1]:
        log_z = 0.5 * (log_z + pair.likelihood(board, -gap, board.variance[1], board.variance[0], 1.0 - score))
    return log_z


@cython.cfunc
@cython.exceptval(check=False)
def _delta(board: Board) -> cython.double:
    """δ: draws so far over 1 + Σ 2E(1 − E), the number that there would be if δ were 1, and 1 for caution."""
    if board.memory[DRAWS] == 0.0:
        return 0.0
    return min(board.memory[DRAWS] / (board.memory[CHANCES] + 1.0), 1.0)


def remember(board: Board, score: cython.double) -> cython.void:
    """Count a pair of teams, whose expected scores are on the board."""
    if score == 0.5:
        board.memory[DRAWS] += 1.0
    board.memory[CHANCES] += 2.0 * board.expected * board.conceded

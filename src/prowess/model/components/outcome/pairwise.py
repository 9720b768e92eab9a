"""`Pairwise`, the base of outcomes that compare two teams at a time: Elo, Glicko, Gaussian Elo and Harkness.

In a match of more than two teams, every team is compared with each of the others, and the updates are averaged. The
log-evidence of the match is the sum over neighbours in the finishing order, as if these pairs were independent. Use
this log-evidence only to compare models: `d1` is not its derivative.

Draws are forecast from the share of draws in past matches. With the expected score E the probability of a draw is 2δE(1
− E), where δ is the number of draws so far divided by 1 + Σ 2E(1 − E), and at most 1. Before the first draw of a
league, no draw is expected. In matches of more than two teams, pairs of neighbours in the finishing order are counted.
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
        add_side,
        compare_all,
        reserve_sides,
        score_between,
    )
    from cython.cimports.prowess.model.engine.board import Board, sort_by_place
    from cython.cimports.prowess.model.maths.normal import central_width
else:
    from math import sqrt

    from ...engine.board import Board, sort_by_place
    from ...maths.normal import central_width
    from .comparison import Comparison, add_side, compare_all, reserve_sides, score_between

from .... import validate
from ..margin import Fixed

if TYPE_CHECKING:
    from ...prediction import Prediction

# Positions in the league's memory.
DRAWS = cython.declare(cython.Py_ssize_t, 0)
CHANCES = cython.declare(cython.Py_ssize_t, 1)


@cython.cclass
class Pairwise(Comparison):
    """An outcome that compares teams in pairs; a subclass defines `chance`, `meet`, `likelihood` and `performance`.

    >>> Pairwise().remembers
    ('draws', 'chances of a draw')
    """

    laplace = True

    @property
    def remembers(self) -> tuple[str, ...]:
        """The names of the numbers kept for the league: the number of drawn pairs, and Σ 2E(1 − E) over all pairs."""
        return ("draws", "chances of a draw")

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def forecast(self, board: Board) -> cython.bint:
        """Set P(draw) to D = 2δE(1 − E) and P(win) to E − D/2, for the expected score E and the draw rate δ."""
        delta = _draw_rate(board)
        self.chance(board, board.mean[0] - board.mean[1], board.variance[0] + board.variance[1])
        board.draw = 2.0 * delta * board.expected * board.conceded
        board.win = board.expected * (1.0 - delta * board.conceded)
        board.loss = board.conceded * (1.0 - delta * board.expected)
        return False

    def performances(self, board: Board) -> tuple[list[float], list[float], list[float]]:
        """Return mean, variance and noise of normal performances with about the same win probabilities as `chance`."""
        means, variances, noises = super().performances(board)
        return means, [self.performance(v) for v in variances], [self.performance(v) for v in noises]

    def predict(self, board: Board) -> Prediction:
        """Predict places from normal performances that give about the same win probabilities as `chance`.

        All pairs share one margin, at which two equal teams of average variance draw with probability δ/2.
        """
        from ...prediction import predict

        total: float = 0.0
        for j in range(board.teams):
            board.variance[j] = board.noise[j] = self.performance(board.variance[j])
            total += board.variance[j]
        margin: float = central_width(0.5 * _draw_rate(board)) * sqrt(2.0 * total / board.teams)
        board.margin = Fixed(min(margin, validate.LARGEST))
        return predict(board)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def evidence(self, board: Board) -> cython.double:
        """Learn from the result: compare two teams, or average the comparisons of all pairs of teams."""
        if board.teams == 2:
            log_z = _compare_two(self, board)
        else:
            reserve_sides(board)
            for j in range(board.teams):
                add_side(board, j, j, board.mean[j], board.variance[j], 1.0)
            compare_all(self, board, board.teams, board.d1, board.d2)
            log_z = self.neighbour_evidence(board)
        for j in range(board.teams):
            board.left[j] = 1.0 / (1.0 - board.variance[j] * min(board.d2[j], 0.0))
        return log_z

    def neighbour_evidence(self, board: Board) -> cython.double:
        """Return the log-evidence of all pairs of neighbours in the finishing order, and count the drawn pairs."""
        log_z = 0.0
        sort_by_place(board)
        for k in range(board.teams - 1):
            i = board.order[k]
            j = board.order[k + 1]
            gap = board.mean[i] - board.mean[j]
            score = score_between(board, i, j)
            log_z += 0.5 * self.likelihood(board, gap, board.variance[i], board.variance[j], score)
            log_z += 0.5 * self.likelihood(board, -gap, board.variance[j], board.variance[i], 1.0 - score)
            self.chance(board, gap, board.variance[i] + board.variance[j])
            count_draws(board, score)
        return log_z


@cython.cfunc
def _compare_two(pair: Pairwise, board: Board) -> cython.double:
    # The log-evidence is the mean of the log-likelihoods from both points of view.
    gap = board.mean[0] - board.mean[1]
    score = score_between(board, 0, 1)
    count_draws(board, score)  # must come first, because `meet` overwrites the expected score of the forecast
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
def _draw_rate(board: Board) -> cython.double:
    """Return the draw rate δ: the number of draws so far, divided by the number that δ = 1 would predict.

    The predicted number is Σ 2E(1 − E); adding 1 to this sum keeps the first estimates low.
    """
    if board.memory[DRAWS] == 0.0:
        return 0.0
    return min(board.memory[DRAWS] / (board.memory[CHANCES] + 1.0), 1.0)


def count_draws(board: Board, score: cython.double) -> cython.void:
    """Count a pair of teams in the league's memory; the expected scores of the two teams are on the board."""
    if score == 0.5:
        board.memory[DRAWS] += 1.0
    board.memory[CHANCES] += 2.0 * board.expected * board.conceded

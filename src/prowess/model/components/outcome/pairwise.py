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

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

from .... import validate
from ...engine.board import Board, sort_by_place
from ...maths.normal import central_width
from ..interfaces import evidence_by_lane
from ..margin import Fixed
from .comparison import Comparison, add_side, compare_all, reserve_sides, score_between

if TYPE_CHECKING:
    from ...prediction import Prediction

if not cython.compiled:
    from math import sqrt

# Positions in the league's memory.
DRAWS = cython.declare(cython.Py_ssize_t, 0)
CHANCES = cython.declare(cython.Py_ssize_t, 1)

# Rows of `board.work`: the expected scores of the first of two teams, and of the second.
EXPECTED = cython.declare(cython.Py_ssize_t, 1)
CONCEDED = cython.declare(cython.Py_ssize_t, 2)


@cython.cclass
class Pairwise(Comparison):
    """An outcome that compares teams in pairs; a subclass defines `chance`, `meet`, `likelihood` and `performance`.

    >>> Pairwise().remembers
    ('draws', 'chances of a draw')
    """

    laplace = True
    draws_apart = True
    reads_entries = False
    memory_from = "forecasts"

    @property
    def remembers(self) -> tuple[str, ...]:
        """The names of the numbers kept for the league: the number of drawn pairs, and Σ 2E(1 − E) over all pairs."""
        return ("draws", "chances of a draw")

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def forecast(self, board: Board) -> cython.bint:
        """Set P(draw) to D = 2δE(1 − E) and P(win) to E − D/2, for the expected score E and the draw rate δ."""
        s = board.stride
        self.expect(board)
        for lane in range(board.lanes):
            board.wins[lane] = board.work[EXPECTED * s + lane]
            board.losses[lane] = board.work[CONCEDED * s + lane]
        return self.mix_draws(board)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def mix_draws(self, board: Board) -> cython.bint:
        """Set `wins`, `draws` and `losses` from the expected scores in `wins` and `losses`, and from the draw rate."""
        for lane in range(board.lanes):
            delta = _draw_rate(board, lane)
            expected = board.wins[lane]
            conceded = board.losses[lane]
            board.draws[lane] = 2.0 * delta * expected * conceded
            board.wins[lane] = expected * (1.0 - delta * conceded)
            board.losses[lane] = conceded * (1.0 - delta * expected)
        return False

    def expect(self, board: Board) -> cython.bint:
        """Set the expected scores E and 1 − E of the first of two teams, in the rows `EXPECTED` and `CONCEDED`.

        >>> from prowess.model.components.outcome import Logistic
        >>> from prowess.model.engine.board import Board
        >>> board = Board()
        >>> Logistic().expect(board)
        False
        >>> list(board.work)[1:3]
        [0.5, 0.5]
        """
        s = board.stride
        for i in range(board.lanes):
            gap = board.mean[i] - board.mean[s + i]
            self.chance(board, gap, board.variance[i] + board.variance[s + i])
            board.work[EXPECTED * s + i] = board.expected
            board.work[CONCEDED * s + i] = board.conceded
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
        margin: float = central_width(0.5 * _draw_rate(board, 0)) * sqrt(2.0 * total / board.teams)
        board.margin = Fixed(min(margin, validate.LARGEST))
        return predict(board)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def evidence(self, board: Board) -> cython.double:
        """Learn from the result: compare two teams, or average the comparisons of all pairs of teams."""
        if board.teams == 2:
            self.compare_two(board)
            count_draws(board)
        elif board.stride > 1:
            evidence_by_lane(self, board)
        else:
            reserve_sides(board)
            for j in range(board.teams):
                add_side(board, j, j, board.mean[j], board.variance[j], 1.0)
            compare_all(self, board, board.teams, board.d1, board.d2)
            board.evidences[0] = self.neighbour_evidence(board)
        for j in range(board.teams):
            for lane in range(board.lanes):
                i = j * board.stride + lane
                pull = board.d2[i] if board.d2[i] < 0.0 else 0.0
                board.left[i] = 1.0 / (1.0 - board.variance[i] * pull)
        return board.evidences[0]

    def compare_two(self, board: Board) -> cython.bint:
        """Set `d1` and `d2` of both teams of every match.

        The log-evidence is the mean of the log-likelihoods from both points of view.

        >>> from prowess.model.components.outcome import Opposition
        >>> from prowess.model.engine.board import Board
        >>> board = Board()
        >>> board.mean[0], board.place[1] = 100.0, 1  # the first team wins
        >>> Opposition().compare_two(board)
        False
        >>> list(board.d1)
        [-100.0, 100.0]
        """
        one = board.stride
        for i in range(board.lanes):
            gap = board.mean[i] - board.mean[one + i]
            own = board.variance[i]
            other = board.variance[one + i]
            score = score_between(board, i, one + i)
            self.meet(board, gap, own, other, score)
            board.d1[i] = board.push
            board.d2[i] = board.pull
            board.evidences[i] = self.likelihood(board, gap, own, other, score)
            self.meet(board, -gap, other, own, 1.0 - score)
            board.d1[one + i] = board.push
            board.d2[one + i] = board.pull
            if own != other:
                back = self.likelihood(board, -gap, other, own, 1.0 - score)
                board.evidences[i] = 0.5 * (board.evidences[i] + back)
        return False

    def neighbour_evidence(self, board: Board) -> cython.double:
        """Return the log-evidence of all pairs of neighbours in the finishing order, and count the drawn pairs."""
        log_z = draws = chances = 0.0
        sort_by_place(board, 0)
        for k in range(board.teams - 1):
            i = board.order[k]
            j = board.order[k + 1]
            gap = board.mean[i] - board.mean[j]
            score = score_between(board, i, j)
            log_z += 0.5 * self.likelihood(board, gap, board.variance[i], board.variance[j], score)
            log_z += 0.5 * self.likelihood(board, -gap, board.variance[j], board.variance[i], 1.0 - score)
            self.chance(board, gap, board.variance[i] + board.variance[j])
            draws += 1.0 if score == 0.5 else 0.0
            chances += 2.0 * board.expected * board.conceded
        # Added in one step, because a block of matches is counted only after it was rated.
        board.memory[DRAWS] += draws
        board.memory[CHANCES] += chances
        return log_z


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _draw_rate(board: Board, lane: cython.Py_ssize_t) -> cython.double:
    """Return the draw rate δ: the number of draws so far, divided by the number that δ = 1 would predict.

    The predicted number is Σ 2E(1 − E); adding 1 to this sum keeps the first estimates low.
    """
    rate = board.memory[DRAWS * board.stride + lane] / (board.memory[CHANCES * board.stride + lane] + 1.0)
    return rate if rate < 1.0 else 1.0


def count_draws(board: Board) -> cython.void:
    """Count the matches of two teams in the league's memory."""
    s = board.stride
    for lane in range(board.lanes):
        drawn = 1.0 if board.place[lane] == board.place[s + lane] else 0.0
        board.memory[DRAWS * s + lane] += drawn
        board.memory[CHANCES * s + lane] += 2.0 * board.work[EXPECTED * s + lane] * board.work[CONCEDED * s + lane]

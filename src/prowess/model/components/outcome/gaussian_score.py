"""Scores with normal noise: Gaussian-SD if used alone, Gaussian-OD if used in `OffenceDefence`.

See Guo, Sanner, Graepel, Buntine (2012), sections 3, 4.3 and 4.4. All updates are exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

from .... import validate
from ....errors import Error
from ...engine.board import Board, measure_sides, set_chances
from ...maths.elementary import log, log_all
from ...maths.normal import above_all, probability
from ...params import Range
from ..interfaces import Score, check_unscored, evidence_by_lane, see_one
from .order import learn_order

if TYPE_CHECKING:
    from ...prediction import Prediction
    from ...score_distribution import ScoreDistribution

if not cython.compiled:
    from math import fabs, sqrt

HALF_LOG_2PI = cython.declare(cython.double, 0.91893853320467274178)

# Positions in the league's memory: the first two for differences (Gaussian-SD), the others for scores (Gaussian-OD).
DIFFERENCES = cython.declare(cython.Py_ssize_t, 0)
DIFFERENCE_SQUARES = cython.declare(cython.Py_ssize_t, 1)
SCORES = cython.declare(cython.Py_ssize_t, 0)
SCORE_MEAN = cython.declare(cython.Py_ssize_t, 1)
SCORE_SQUARES = cython.declare(cython.Py_ssize_t, 2)
MATCH_MEAN = cython.declare(cython.Py_ssize_t, 0)  # position in `board.memo` of the mean score of a match
SPREAD = cython.declare(cython.Py_ssize_t, 0)  # row of `board.work` with the noise variance γ² of each match


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class GaussianScore(Score):
    """Scores with normal noise of standard deviation γ around the performances.

    Used alone, this outcome models score differences (Gaussian-SD) with one skill: s₀ − s₁ ~ N(t₀ − t₁, γ²), equations
    (22) and (23). With more teams the model is sᵢ ~ N(c + tᵢ, γ²/2), where c is an unknown level common to all scores
    of the match. In `OffenceDefence` the model is s ~ N(x, γ²), equation (20).

    γ is a number, or "estimated" as in the paper. In `OffenceDefence` the estimate of γ² is the variance of the scores
    in earlier matches. If the outcome is used alone, the estimate is the mean square of score differences; no mean is
    subtracted, because the order of the teams is arbitrary. As long as there are no earlier scores, or all earlier
    scores are equal, γ² is the noise of the performances: the mean of β²Σα² over the teams.

    Normal scores are never equal, so draws have the probability 0. Real scores are whole numbers, or multiples of
    another number: give this number as `rounding`. Then a difference that rounds to 0 (a difference below rounding/2)
    is a draw. With more than two teams, a team is ahead of another if its score is higher by more than rounding/2.
    Rounding changes only forecasts, not the ratings: γ is the noise of scores as they are reported, so it includes the
    rounding. None (the default) and 0 mean that scores are not rounded.

    `base_score` is the mean score of a team in a match of equal teams: s ~ N(base_score + x, γ²) in `OffenceDefence`.
    Without a base score, equal teams are expected to score 0, and the skills have to explain the level of scores. If
    `base_score` is "learnt", it is the mean of all earlier scores, and 0 before the first match. Score differences have
    no level, so an outcome with a base score cannot be used alone.

    A match in which a score is missing is an error. With `unscored="order"` the model learns from the places in such a
    match: the winner's score was higher (by more than rounding/2), or in a draw the scores were equal (or differed by
    at most rounding/2). For two teams the update is exact; more teams are compared as in `Order`. Such a match does not
    count in the estimate of γ.

    >>> import prowess as pw
    >>> model = pw.Model(prior=pw.Normal(25, 25 / 3), noise=25 / 6, outcome=GaussianScore(5.0))
    >>> [[ann], [bob]] = model.rate([[model.rating()], [model.rating()]], scores=[7, 3])
    >>> round(ann.mu, 3), round(bob.mu, 3)
    (26.399, 23.601)
    >>> round(model.replace(rounding=1.0).predict([[ann], [bob]]).draw, 3)
    0.032
    """

    gamma: object = "estimated"
    rounding: object = None
    unscored: object = "error"
    base_score: object = None

    tunable: ClassVar[dict[str, Range]] = {"gamma": Range(0.1, 10, log=True, unit="value")}
    blocks = True
    reads_entries = False
    memory_from = "scores"
    scores = "difference"

    def __post_init__(self) -> None:
        if not isinstance(self.gamma, str):
            validate.scale("gamma", self.gamma)
        elif self.gamma != "estimated":
            raise validate.invalid("gamma", 'be a number above 0 or "estimated"', self.gamma)
        if self.rounding is not None:
            validate.scale("rounding", self.rounding, zero=True)
        check_unscored(self.unscored)
        if self.base_score is None or self.base_score == "learnt":
            return
        if isinstance(self.base_score, str):
            raise validate.invalid("base_score", 'be a number or "learnt"', self.base_score)
        validate.number("base_score", self.base_score)

    @property
    def whole(self) -> bool:
        """Whether a model can use the outcome alone: not with a base score, because score differences have no level.

        >>> GaussianScore().whole, GaussianScore(base_score=90.0).whole
        (True, False)
        """
        return self.base_score is None

    @property
    def has_base(self) -> bool:
        """Whether there is a base score, given or learnt.

        >>> GaussianScore().has_base, GaussianScore(base_score="learnt").has_base
        (False, True)
        """
        return self.base_score is not None

    @property
    def remembers(self) -> tuple[str, ...]:
        """The names of the numbers kept for the league in order to estimate γ; () if γ is given.

        The numbers are the number of score differences, and the sum of their squares.

        >>> GaussianScore().remembers, GaussianScore(5.0).remembers
        (('differences', 'difference_squares'), ())
        """
        return ("differences", "difference_squares") if isinstance(self.gamma, str) else ()

    @property
    def habits(self) -> tuple[str, ...]:
        """The names of the numbers kept for the league, if used in `OffenceDefence`.

        The numbers are the number of scores, their mean, and the sum of squared deviations from the mean. The tuple is
        empty if γ is given and no base score is learnt.

        >>> GaussianScore().habits, GaussianScore(5.0).habits
        (('scores', 'score_mean', 'score_squares'), ())
        """
        return ("scores", "score_mean", "score_squares") if self._remembers_scores() else ()

    @cython.cfunc
    @cython.exceptval(check=False)
    def _remembers_scores(self) -> cython.bint:
        return isinstance(self.gamma, str) or isinstance(self.base_score, str)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def base_level(self, board: Board) -> cython.double:
        """Return the base score; 0 if there is none, or before the first scores."""
        if self.base_score is None:
            return 0.0
        if isinstance(self.base_score, str):
            return board.memory[SCORE_MEAN * board.stride + board.lane]
        base: cython.double = self.base_score
        return base

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def forecast(self, board: Board) -> cython.bint:
        """Set `win`, `draw` and `loss` by equation (24), extended to include uncertain skills and rounding."""
        one = board.stride
        self._set_spread(board, False)
        for lane in range(board.lanes):
            board.gaps[lane] = board.mean[lane] - board.mean[one + lane]
            board.sharpnesses[lane] = (
                board.variance[lane] + board.variance[one + lane] + board.work[SPREAD * one + lane]
            )
        _set_chances(board, self._margin())
        return False

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def evidence(self, board: Board) -> cython.double:
        """Learn from the score difference by equations (22) and (23), or their extension to more teams."""
        unscored = self.check(board)
        if board.stride > 1 and (unscored or board.teams > 2):
            evidence_by_lane(self, board)
            return board.evidences[0]
        self._set_spread(board, False)
        if unscored:
            return learn_order(board, 0.5 * board.work[SPREAD], self._margin())
        if board.teams == 2:
            _learn_two(board)
        else:
            board.evidences[0] = _learn_many(board, 0.5 * board.work[SPREAD])
        if board.stride == 1:
            self.tally(board)
        return board.evidences[0]

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def tally(self, board: Board) -> cython.bint:
        """Update the number of score differences, and the sum of their squares, if γ is estimated."""
        if isinstance(self.gamma, str):
            _remember_differences(board)
        return False

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def seen(self, board: Board, score: cython.double, mean: cython.double, variance: cython.double) -> cython.double:
        """Update the belief about x from a score, by equation (20)."""
        return see_one(self, board, score, mean, variance)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def seen_all(self, board: Board) -> cython.bint:
        """Update the beliefs about x from scores s ~ N(x, γ²), by equation (20)."""
        self._set_spread(board, True)
        for lane in range(board.lanes):
            spread = board.work[SPREAD * board.stride + lane]
            total = board.x_variance[lane] + spread
            beyond = board.x_score[lane] - board.x_mean[lane]
            pull = 1.0 / total
            board.pulls[lane] = pull
            board.pushes[lane] = beyond * pull
            board.rests[lane] = spread * pull
            board.evidences[lane] -= 0.5 * beyond * beyond * pull + HALF_LOG_2PI
            board.x_variance[lane] = total
        log_all(board.x_variance, 0, board.lanes)
        for lane in range(board.lanes):
            board.evidences[lane] -= 0.5 * board.x_variance[lane]
        return False

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def foresee_all(self, board: Board) -> cython.bint:
        """Set `win`, `draw` and `loss` by equation (21), extended to include uncertain skills and rounding."""
        one = board.stride
        two = 2 * one
        three = 3 * one
        self._set_spread(board, True)
        for lane in range(board.lanes):
            first = board.mean[lane] - board.mean[three + lane]
            board.gaps[lane] = first - (board.mean[two + lane] - board.mean[one + lane])
            first = board.variance[lane] + board.variance[three + lane]
            second = board.variance[two + lane] + board.variance[one + lane]
            board.sharpnesses[lane] = first + second + 2.0 * board.work[SPREAD * one + lane]
        _set_chances(board, self._margin())
        return False

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def remember(self, board: Board) -> cython.bint:
        """Update the running mean and variance of all scores, if γ is estimated or the base score learnt."""
        if self._remembers_scores():
            _remember_scores(board)
        return False

    @cython.cfunc
    @cython.exceptval(-1.0, check=True)
    def _margin(self) -> cython.double:
        """Return the largest difference of scores that is a draw."""
        if self.rounding is None:
            return 0.0
        rounding: cython.double = self.rounding
        return 0.5 * rounding

    def rounding_margin(self) -> float:
        """Return the largest score difference that is a draw: half the step to which differences are rounded.

        >>> GaussianScore(rounding=1.0).rounding_margin()
        0.5
        """
        return self._margin()

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def _set_spread(self, board: Board, single: cython.bint) -> cython.bint:
        """Set the row `SPREAD`: the noise variance γ² of a score if `single` is true, else of a score difference."""
        s = board.stride
        if isinstance(self.gamma, str):
            return _estimate_spread(board, SCORE_SQUARES if single else DIFFERENCE_SQUARES, 1.0 if single else 0.0)
        gamma: cython.double = self.gamma
        for lane in range(board.lanes):
            board.work[SPREAD * s + lane] = gamma * gamma
        return False

    @cython.cfunc
    @cython.exceptval(-1.0, check=True)
    def _between(self, board: Board) -> cython.double:
        """Return the noise variance γ² of a score difference."""
        self._set_spread(board, False)
        return board.work[SPREAD]

    @cython.cfunc
    @cython.exceptval(-1.0, check=True)
    def _around(self, board: Board) -> cython.double:
        """Return the noise variance γ² of a single score."""
        self._set_spread(board, True)
        return board.work[SPREAD]

    def performances(self, board: Board) -> tuple[list[float], list[float], list[float]]:
        """Return mean, variance and noise of each team's performance; the last two include the noise of a score."""
        half = self.scatter(board)
        means, variances, noises = super().performances(board)
        return means, [variance + half for variance in variances], [noise + half for noise in noises]

    def scatter(self, board: Board) -> float:
        """Return the noise variance of a single score: γ²/2, because γ² is the variance of a score difference."""
        return 0.5 * self._between(board)

    def predict(self, board: Board) -> Prediction:
        """Predict places and score differences. Scores cannot be predicted, because their common level is unknown."""
        from ...prediction import predict_differences

        return predict_differences(board, self._between(board), self._margin())

    def added(self, board: Board) -> float | None:
        """Return γ², the noise variance of a score around x."""
        return self._around(board)

    def distribution(self, board: Board, mean: Any, variance: Any) -> ScoreDistribution:
        """Return the normal distribution of each team's score; scores may be negative."""
        from ...score_distribution import NormalScores

        return NormalScores(mean, (variance + self._around(board)) ** 0.5)


@cython.cfunc
def _estimate_spread(board: Board, row: cython.Py_ssize_t, lost: cython.double) -> cython.bint:
    """Set the row `SPREAD` to estimates of γ²: the sum of squares in a row of the memory, per degree of freedom.

    The number of scores or differences is in the first row of the memory; estimating a mean has `lost` degrees of
    freedom.
    """
    s = board.stride
    early = 0
    for lane in range(board.lanes):
        squares = board.memory[row * s + lane]
        freedom = board.memory[lane] - lost
        board.work[SPREAD * s + lane] = squares / (freedom if freedom >= 1.0 else 1.0)
        early += 0 if freedom >= 1.0 else 1
        early += 0 if squares > 0.0 else 1
    if early > 0:
        for i in range(board.lanes):
            if board.memory[i] - lost < 1.0 or not board.memory[row * s + i] > 0.0:
                board.work[SPREAD * s + i] = _mean_noise(board, i)
    return False


@cython.cfunc
def _mean_noise(board: Board, lane: cython.Py_ssize_t) -> cython.double:
    """Return the mean performance noise of a match, the estimate of γ² while there are no scores, or all are equal."""
    total = 0.0
    for k in range(board.teams * board.traits):
        total += board.noise[k * board.stride + lane]
    if total > 0.0:
        return total / (board.teams * board.traits)
    raise Error("gamma cannot be estimated before the first scores if beta is 0; give gamma, or a beta above 0")


@cython.cfunc
@cython.exceptval(check=False)
def _set_chances(board: Board, margin: cython.double) -> cython.void:
    """Set P(win), P(draw) and P(loss) of score differences with means `gaps` and variances `sharpnesses`.

    Differences up to `margin` are draws. The smallest probability has full relative accuracy.
    """
    for lane in range(board.lanes):
        board.sharpnesses[lane] = 1.0 / sqrt(board.sharpnesses[lane])
        board.gaps[lane] *= board.sharpnesses[lane]
        board.edges[lane] = margin * board.sharpnesses[lane]
    if margin > 0.0:
        measure_sides(board)
        set_chances(board)
        return
    for lane in range(board.lanes):
        board.behind.t[lane] = -fabs(board.gaps[lane])
    above_all(board.behind, board.lanes)
    rare = 0
    for lane in range(board.lanes):
        rare += 1 if board.behind.z[lane] == 0.0 else 0
    if rare > 0:
        for i in range(board.lanes):
            board.behind.z[i] = probability(board.behind, i)
    for lane in range(board.lanes):
        tail = board.behind.z[lane]
        rest = 1.0 - tail
        board.wins[lane] = rest if board.gaps[lane] > 0.0 else tail
        board.losses[lane] = tail if board.gaps[lane] > 0.0 else rest
        board.draws[lane] = 0.0


@cython.cfunc
@cython.exceptval(check=False)
def _learn_two(board: Board) -> cython.void:
    """Set `d1` and `d2` by equations (22) and (23): the derivatives of the log density of the score difference."""
    one = board.stride
    for lane in range(board.lanes):
        spread = board.work[SPREAD * one + lane]
        first = board.variance[lane]
        second = board.variance[one + lane]
        total = first + second + spread
        inverse = 1.0 / total
        beyond = (board.score[lane] - board.score[one + lane]) - (board.mean[lane] - board.mean[one + lane])
        board.d1[lane] = beyond * inverse
        board.d1[one + lane] = -beyond * inverse
        board.d2[lane] = -inverse
        board.d2[one + lane] = -inverse
        board.left[lane] = (second + spread) * inverse
        board.left[one + lane] = (first + spread) * inverse
        board.pushes[lane] = beyond * beyond * inverse
        board.evidences[lane] = total
    log_all(board.evidences, 0, board.lanes)
    for lane in range(board.lanes):
        board.evidences[lane] = -0.5 * (board.pushes[lane] + board.evidences[lane]) - HALF_LOG_2PI


@cython.cfunc
@cython.exceptval(check=False)
def _learn_many(board: Board, half: cython.double) -> cython.double:
    """Learn from the scores sᵢ ~ N(c + tᵢ, γ²/2) of all teams, where the prior of the common level c is flat.

    The log-evidence is the log density of the differences between the first score and the others. For a team with prior
    performance N(m, v) and score s, let w = v + γ²/2 and r = s − m. The derivative d₁ is (r − r̄)/w, where r̄ is the
    mean of r over all teams with weights 1/w.
    """
    base = board.score[0] - board.mean[0]  # subtracted from all others, so that large scores keep their digits
    total = level = 0.0
    log_z = HALF_LOG_2PI  # integrating over the common level leaves one density fewer than there are teams
    for j in range(board.teams):
        inverse = 1.0 / (board.variance[j] + half)
        total += inverse
        level += inverse * ((board.score[j] - board.mean[j]) - base)
    level /= total
    for j in range(board.teams):
        inverse = 1.0 / (board.variance[j] + half)
        others = total - inverse
        if inverse > others:  # the subtraction has lost digits; this happens for at most one team
            others = 0.0
            for k in range(board.teams):
                if k != j:
                    others += 1.0 / (board.variance[k] + half)
        gap = (board.score[j] - board.mean[j]) - base - level
        board.d1[j] = gap * inverse
        board.d2[j] = -inverse * (others / total)
        board.left[j] = inverse * (half + board.variance[j] * (inverse / total))
        log_z -= 0.5 * (gap * board.d1[j] - log(inverse)) + HALF_LOG_2PI
    return log_z - 0.5 * log(total)


@cython.cfunc
@cython.exceptval(check=False)
def _squares(board: Board) -> cython.double:
    """Return the sum of squares Σ(s − s̄)² of the scores of a match, and store the mean score s̄ in `board.memo`."""
    mean = squares = 0.0
    for j in range(board.teams):
        mean += board.score[j * board.stride + board.lane]
    mean /= board.teams
    for j in range(board.teams):
        beyond = board.score[j * board.stride + board.lane] - mean
        squares += beyond * beyond
    board.memo[MATCH_MEAN] = mean
    return squares


@cython.cfunc
@cython.exceptval(check=False)
def _remember_differences(board: Board) -> cython.void:
    """Update the number of score differences, and the sum of their squares, with the scores of the match in `lane`.

    The sum of squares of k scores has k − 1 degrees of freedom, and the mean square of a difference is twice the
    variance.
    """
    board.memory[DIFFERENCES * board.stride + board.lane] += board.teams - 1
    board.memory[DIFFERENCE_SQUARES * board.stride + board.lane] += 2.0 * _squares(board)


@cython.cfunc
@cython.exceptval(check=False)
def _remember_scores(board: Board) -> cython.void:
    """Update the number, the mean and the sum of squared deviations of all scores by Welford's method."""
    number = SCORES * board.stride + board.lane
    mean = SCORE_MEAN * board.stride + board.lane
    squares = _squares(board)
    moved = board.memo[MATCH_MEAN] - board.memory[mean]
    before = board.memory[number]
    share = board.teams / (before + board.teams)
    board.memory[number] = before + board.teams
    board.memory[mean] += moved * share
    board.memory[SCORE_SQUARES * board.stride + board.lane] += squares + moved * moved * before * share

"""Scores that are counts: Poisson-OD as a part of `OffenceDefence`.

See Guo, Sanner, Graepel, Buntine (2012), sections 3 and 4.2.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, ClassVar

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

from .... import validate
from ....errors import Error
from ...engine.board import Board, positive
from ...maths.elementary import exp, log, log_all
from ...maths.normal import log_pdf
from ...maths.poisson import log_pmf, tilt, tilt_all
from ...maths.poisson_pairs import chances
from ...params import Range
from ..interfaces import Score, check_unscored, see_one

if TYPE_CHECKING:
    from ...score_distribution import ScoreDistribution

if not cython.compiled:
    from math import floor, sqrt

PREDICTIONS = ("integrated", "plug-in")

# Positions in the league's memory.
SCORES = cython.declare(cython.Py_ssize_t, 0)
SCORE_SUM = cython.declare(cython.Py_ssize_t, 1)

# A learnt base rate has a log-normal prior with this median and this variance of its logarithm. It covers most sports,
# and after one match the scores matter more.
LOG_START = cython.declare(cython.double, 0.69314718055994530942)  # log 2
START_VARIANCE = cython.declare(cython.double, 1.0)

# The belief about x, given the order of two scores, is integrated with 37 nodes over ±7.2 standard deviations.
SIDE_NODES = cython.declare(cython.Py_ssize_t, 18)
STEP = cython.declare(cython.double, 0.4)
LEAST_REST = cython.declare(cython.double, 0.4 * 0.4 / 12.0)  # the nodes cannot resolve smaller variances
NAN = cython.declare(cython.double, float("nan"))
# Rows of `board.work`, as in `tilt_all`.
HALF = cython.declare(cython.Py_ssize_t, 1)
ROOT = cython.declare(cython.Py_ssize_t, 2)
LOG = cython.declare(cython.Py_ssize_t, 3)
KAPPA = cython.declare(cython.Py_ssize_t, 4)
UNCERTAINTY = cython.declare(cython.double, 1e-8)  # error of the probabilities that `chances` computes


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class PoissonScore(Score):
    """Scores that are counts: s ~ Poisson(eˣ).

    `base_rate` is the mean score of a team in a match of equal teams: s ~ Poisson(base_rate · eˣ). Without a base rate,
    equal teams have the rate 1, and the skills have to explain the level of scores. If `base_rate` is "learnt", it is
    estimated from the scores of earlier matches: it is the median of the posterior of the rate, given the mean of these
    scores and a weak prior around 2.

    The posterior p of x is approximated by the normal distribution q with the smallest KL(q‖p).

    If `prediction` is "integrated", forecasts are integrated over the uncertainty of x. With "plug-in", as in the
    paper, forecasts use the rates e^mean and are over-confident. In both cases, win and draw probabilities are computed
    on demand.

    Real leagues have more draws, or fewer, than independent scores would give. `draw_factor` multiplies the probability
    of a draw between two teams, relative to win and loss. The draw factor changes only forecasts, not the ratings.

    A match in which a score is missing is an error. With `unscored="order"` the model learns from the result of a match
    of two teams without scores. The mean and variance of both teams' x, given that one count was higher or that both
    were equal, have no closed form and are integrated numerically. The integration takes about a hundred times as long
    as learning from scores. Such a match does not change a learnt base rate.

    >>> PoissonScore("plug-in").prediction
    'plug-in'
    """

    prediction: object = "integrated"
    draw_factor: object = 1.0
    base_rate: object = None
    unscored: object = "error"

    tunable: ClassVar[dict[str, Range]] = {"draw_factor": Range(0.3, 3, log=True)}
    blocks = True
    reads_entries = False
    memory_from = "scores"
    later = True
    typical = 0.3  # usual standard deviation of log-rates

    def __post_init__(self) -> None:
        if self.prediction not in PREDICTIONS:
            raise validate.invalid("prediction", 'be "integrated" or "plug-in"', self.prediction)
        validate.scale("draw_factor", self.draw_factor)
        check_unscored(self.unscored)
        if self.base_rate is None or self.base_rate == "learnt":
            return
        if isinstance(self.base_rate, str):
            raise validate.invalid("base_rate", 'be a number above 0 or "learnt"', self.base_rate)
        validate.scale("base_rate", self.base_rate)

    @property
    def has_base(self) -> bool:
        """Whether there is a base rate, given or learnt.

        >>> PoissonScore().has_base, PoissonScore(base_rate=1.4).has_base
        (False, True)
        """
        return self.base_rate is not None

    @property
    def habits(self) -> tuple[str, ...]:
        """The names of the numbers kept for the league: the number of scores, and their sum.

        The tuple is empty unless the base rate is learnt.

        >>> PoissonScore().habits, PoissonScore(base_rate="learnt").habits
        ((), ('scores', 'score_sum'))
        """
        return ("scores", "score_sum") if isinstance(self.base_rate, str) else ()

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def base_level(self, board: Board) -> cython.double:
        """Return the logarithm of the base rate; 0 if there is none."""
        if self.base_rate is None:
            return 0.0
        if isinstance(self.base_rate, str):
            s = board.stride
            return _learnt_level(board.memory[SCORES * s + board.lane], board.memory[SCORE_SUM * s + board.lane])
        rate: cython.double = self.base_rate
        return log(rate)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def remember(self, board: Board) -> cython.bint:
        """Update the number and the sum of all scores, if the base rate is learnt."""
        if isinstance(self.base_rate, str):
            s = board.stride
            for j in range(board.teams):
                board.memory[SCORES * s + board.lane] += 1.0
                board.memory[SCORE_SUM * s + board.lane] += board.score[j * s + board.lane]
        return False

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def check(self, board: Board) -> cython.bint:
        """Check the scores as `Score.check` does, and raise `Error` for a score that is not a count."""
        if Score.check(self, board):
            return True
        wrong = 0
        for j in range(board.teams):
            for lane in range(board.lanes):
                i = j * board.stride + lane
                wrong += 1 if board.score[i] < 0.0 else 0
                wrong += 1 if floor(board.score[i]) != board.score[i] else 0
        if wrong > 0:
            _reject_scores(board)
        return False

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def seen(self, board: Board, score: cython.double, mean: cython.double, variance: cython.double) -> cython.double:
        """Update the belief about x from a score; return a lower bound of the log-evidence (see `seen_all`)."""
        return see_one(self, board, score, mean, variance)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def seen_all(self, board: Board) -> cython.bint:
        """Update the beliefs about x from scores, by equations (14) to (19); add a lower bound of the log-evidence.

        The change of the mean, m′ − m, is computed as v s − y or as κ − v′/2 − m (see `tilt`): the formula that
        subtracts smaller numbers loses fewer digits.
        """
        if board.lanes == 1:
            variance = positive(board.x_variance[0])
            y = tilt(board.x_mean[0], variance, board.x_score[0])
            kappa = _set_posterior(board, 0, y, log(y / variance), log(1.0 + y))
            board.evidences[0] += log_pmf(board.x_score[0], kappa, y / variance)
        else:
            _find_roots(board)
            _set_posteriors(board)
        return False

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def foresee_all(self, board: Board) -> cython.bint:
        """Set no forecasts, because `chances` computes them on demand."""
        for lane in range(board.lanes):
            board.wins[lane] = board.draws[lane] = board.losses[lane] = NAN
        return False

    def seen_order(
        self,
        board: Board,
        lead: cython.int,
        mean: cython.double,
        variance: cython.double,
        mean_1: cython.double,
        variance_1: cython.double,
    ) -> float:
        """Update the belief about a team's x from the order of two unknown counts; return the log-evidence.

        First, P(result | x) is integrated over the other team's x. Then the moments of x are integrated by the
        trapezoidal rule. Unlike numerical derivatives of log P, the moments do not magnify errors: the new mean lies
        among the nodes, and the new variance is positive. Errors of P matter only for a result that was less likely
        than these errors; such a result hardly changes the belief. If a draw would increase the variance, the variance
        stays unchanged.
        """
        deviation = sqrt(positive(variance))
        count: cython.Py_ssize_t = 2 * SIDE_NODES + 2
        own: cython.Py_ssize_t = 1 if lead < 0 else 0  # a loss is computed as the other team's win, to keep digits
        means = array("d", [mean_1, mean_1] * count)
        variances = array("d", [variance_1, variance_1] * count)
        win = array("d", bytes(8 * count))
        draw = array("d", bytes(8 * count))
        for k in range(count - 1):
            means[2 * k + own] = mean + deviation * STEP * (k - SIDE_NODES)
            variances[2 * k + own] = 0.0
        means[2 * count - 2 + own] = mean  # the last pair is the forecast of the match
        variances[2 * count - 2 + own] = variance
        chances(means, variances, win, draw)
        _set_moments(board, deviation, draw if lead == 0 else win)
        return log((draw if lead == 0 else win)[count - 1] + UNCERTAINTY)

    def chances(self, mean: Any, variance: Any, win: Any, draw: Any) -> None:
        """Fill P(win) and P(draw) of many matches, integrated over both teams' x or computed from the plug-in rates."""
        chances(mean, self._used(variance), win, draw)
        if self.draw_factor != 1.0:
            win /= 1.0 + (self.draw_factor - 1.0) * draw
            draw *= self.draw_factor / (1.0 + (self.draw_factor - 1.0) * draw)

    def points(self, mean: Any, variance: Any) -> dict[str, Any]:
        """Return functions that compute point forecasts of counts: "median", "mean", and "plug-in", the rate e^mean.

        >>> import numpy as np
        >>> {name: find().round(2) for name, find in PoissonScore().points(np.zeros(1), np.ones(1)).items()}
        {'median': array([1.]), 'mean': array([1.65]), 'plug-in': array([1.])}
        """
        from ...score_distribution import CountScores

        counts = CountScores(mean, self._used(variance) ** 0.5)
        rates = CountScores(mean, 0.0 * variance)
        return {"median": lambda: counts.medians, "mean": lambda: counts.means, "plug-in": lambda: rates.means}

    def score_noise(self, board: Board) -> float:
        """Return 1/rate for the base rate: about the variance of the logarithm of a count with this rate.

        >>> from prowess.model.engine.board import Board
        >>> round(PoissonScore(base_rate=2.0).score_noise(Board()), 6)
        0.5
        """
        return exp(-self.base_level(board))

    def distribution(self, board: Board, mean: Any, variance: Any) -> ScoreDistribution:
        """Return the distribution of the counts, with a log-normal rate or with the plug-in rate."""
        from ...score_distribution import CountScores

        return CountScores(mean, self._used(variance) ** 0.5)

    def _used(self, variance: Any) -> Any:
        return variance if self.prediction == "integrated" else 0.0 * variance


@cython.cfunc
def _find_roots(board: Board) -> cython.bint:
    """Set y (see `tilt`) of every lane in the row `ROOT`, and the logarithms of y/v and of 1 + y."""
    s = board.stride
    certain = 0
    for lane in range(board.lanes):
        variance = board.x_variance[lane]
        certain += 0 if variance > 0.0 else 1
        board.work[lane] = variance
    if certain > 0:
        positive(0.0)
    log_all(board.work, 0, board.lanes)
    for lane in range(board.lanes):
        variance = board.x_variance[lane]
        board.work[lane] += board.x_mean[lane] + variance * board.x_score[lane]
        board.work[HALF * s + lane] = 0.5 * variance
    tilt_all(board.work, s, board.lanes)
    for lane in range(board.lanes):
        y = board.work[ROOT * s + lane]
        board.work[KAPPA * s + lane] = y / board.x_variance[lane]
        board.work[LOG * s + lane] = 1.0 + y
    log_all(board.work, KAPPA * s, board.lanes)
    log_all(board.work, LOG * s, board.lanes)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _set_posteriors(board: Board) -> cython.void:
    s = board.stride
    for lane in range(board.lanes):
        y = board.work[ROOT * s + lane]
        kappa = _set_posterior(board, lane, y, board.work[KAPPA * s + lane], board.work[LOG * s + lane])
        board.work[KAPPA * s + lane] = kappa
        board.work[ROOT * s + lane] = y / board.x_variance[lane]
    for i in range(board.lanes):
        board.evidences[i] += log_pmf(board.x_score[i], board.work[KAPPA * s + i], board.work[ROOT * s + i])


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _set_posterior(
    board: Board, lane: cython.Py_ssize_t, y: cython.double, log_rate: cython.double, log_1y: cython.double
) -> cython.double:
    """Set the update of the belief about x from a score, given y (see `tilt`), log(y/v) and log(1 + y); return κ.

    Of the log-evidence, only the logarithm of the Poisson probability at κ is still missing.
    """
    mean = board.x_mean[lane]
    variance = board.x_variance[lane]
    score = board.x_score[lane]
    inverse = 1.0 / variance
    rest = 1.0 / (1.0 + y)
    half = 0.5 * variance * rest
    near = variance * score - y
    far = log_rate - half - mean
    moved = near if y < 1.0 else far
    kappa = mean + moved + half
    board.rests[lane] = rest
    board.pulls[lane] = y * inverse * rest
    board.pushes[lane] = moved * inverse
    square = moved * moved * inverse
    board.evidences[lane] -= half * score + 0.5 * (square - y * rest + log_1y)
    return kappa if y < 1.0 else log_rate


@cython.cfunc
def _reject_scores(board: Board) -> cython.bint:
    """Raise `Error` for the first score that is not a count."""
    for j in range(board.teams):
        for n in range(board.lanes):
            i = j * board.stride + n
            score = board.score[i]
            if score < 0.0 or floor(score) != score:
                message = f"PoissonScore needs whole scores of at least 0; team {j + 1} has {score:g}"
                raise Error(message, field="scores", team=j, value=score)
    return False


@cython.cfunc
def _set_moments(board: Board, deviation: cython.double, likelihood: cython.double[::1]) -> cython.bint:
    """Set `push`, `pull` and `rest` from the likelihoods of the result at the nodes of x."""
    total = first = second = 0.0
    for k in range(2 * SIDE_NODES + 1):
        node = STEP * (k - SIDE_NODES)
        weight = (likelihood[k] + UNCERTAINTY) * exp(log_pdf(node))
        total += weight
        first += weight * node
    first /= total
    for k in range(2 * SIDE_NODES + 1):
        node = STEP * (k - SIDE_NODES)
        weight = (likelihood[k] + UNCERTAINTY) * exp(log_pdf(node))
        second += weight * (node - first) * (node - first)
    board.push = first / deviation
    board.rest = min(max(second / total, LEAST_REST), 1.0)
    board.pull = (1.0 - board.rest) / (deviation * deviation)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _learnt_level(scores: cython.double, total: cython.double) -> cython.double:
    """Return the posterior mean of the logarithm of a rate, after a number of scores with this sum.

    The sum is a Poisson variable whose log-rate is the level plus the log of the number of scores.
    """
    if scores == 0.0:
        return LOG_START
    exposure = log(scores)
    y = tilt(LOG_START + exposure, START_VARIANCE, total)
    return log(y / START_VARIANCE) - 0.5 * START_VARIANCE / (1.0 + y) - exposure

"""Two skills, offence and defence: a team's score depends on its own offence and the others' defence.

See Guo, Sanner, Graepel, Buntine (2012), section 3.1. The score of team i depends on x, its offence oᵢ minus the mean
of the others' defences dⱼ. Between two teams, this gives two independent updates.

Among three or more teams, with h = 1/(k − 1), team i's score depends on xᵢ = oᵢ − h Σ_{j≠i} dⱼ = (oᵢ + h dᵢ) − h D,
where D is the sum of all defences. Every score contributes a normal message about its x; this message is called the
site of the score. Given D, the teams are independent of each other, except that their defences add up to D. Therefore
the posterior of all skills can be computed from five sums over the teams. Every variance in these sums is a sum of
positive terms.

The site of a score is updated from the messages of all other sites to its x. Each update minimises KL(q‖p) over one
site of the joint normal q, so repeated sweeps over all sites descend to the minimum. For Gaussian scores, the minimum
is the exact posterior and is reached after one sweep.

All means are relative to the prior means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

from ....errors import Error
from ...engine.board import Board, make_scratch
from ...maths.elementary import log, log1p
from ..interfaces import Outcome, Score, check_component, evidence_by_lane
from .order import learn_order

if TYPE_CHECKING:
    from ...prediction import Prediction

if not cython.compiled:
    from math import fabs, sqrt

MOST_SWEEPS = cython.declare(cython.Py_ssize_t, 1000)
TOLERANCE = cython.declare(cython.double, 1e-10)  # stop when no x moves further than this, in standard deviations

# Rows of the board's scratch table, one column per team. The team's site: precision, and precision times mean.
PI = cython.declare(cython.Py_ssize_t, 0)
TAU = cython.declare(cython.Py_ssize_t, 1)
# The team's contribution to the five sums: the precision of D; the slope, the constant and the variance of the sum of
# all defences as a linear function of D; and the pull on x.
PRECISION = cython.declare(cython.Py_ssize_t, 2)
SLOPE = cython.declare(cython.Py_ssize_t, 3)
CONSTANT = cython.declare(cython.Py_ssize_t, 4)
VARIANCE = cython.declare(cython.Py_ssize_t, 5)
PULL = cython.declare(cython.Py_ssize_t, 6)
# Offsets of the rows with the same five numbers, summed over all later teams, and (in column 0) over all earlier teams.
AFTER = cython.declare(cython.Py_ssize_t, 5)
BEFORE = cython.declare(cython.Py_ssize_t, 10)
MEAN = cython.declare(cython.Py_ssize_t, 17)  # the prior mean of the team's x
ROWS = cython.declare(cython.Py_ssize_t, 18)

# Positions in `board.memo`: the sum of the teams' terms of the log-evidence, and the belief about the sum of the
# other teams' defences.
TERMS = cython.declare(cython.Py_ssize_t, 0)
OTHERS_MEAN = cython.declare(cython.Py_ssize_t, 1)
OTHERS_VARIANCE = cython.declare(cython.Py_ssize_t, 2)

MEMORY = cython.declare(cython.Py_ssize_t, 8)  # first row of `board.work` that keeps the league's memory
EVIDENCE = cython.declare(cython.Py_ssize_t, 15)  # row of `board.work` that keeps the log-evidence of the forecast


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class OffenceDefence(Outcome):
    """Each score depends on the team's offence and the others' defence: Gaussian-OD or Poisson-OD, by `score`.

    The team function combines the players' offences, and, separately, the players' defences. With more than two teams,
    each score depends on the mean of the others' defences.

    >>> import prowess as pw
    >>> outcome = OffenceDefence(pw.outcome.GaussianScore(5.0))
    >>> outcome.traits
    ('offence', 'defence')
    """

    score: object

    traits: ClassVar[tuple[str, ...]] = ("offence", "defence")
    blind: ClassVar[tuple[str, ...]] = ("origin",)  # scores depend only on offence minus defence
    scores = "each"

    @property
    def blocks(self) -> bool:
        """The attribute `blocks` of the score's likelihood."""
        return self.score.blocks

    @property
    def reads_entries(self) -> bool:
        """The attribute `reads_entries` of the score's likelihood."""
        return self.score.reads_entries

    @property
    def memory_from(self) -> str:
        """The attribute `memory_from` of the score's likelihood."""
        return self.score.memory_from

    def __post_init__(self) -> None:
        check_component("score", self.score, Score, "a likelihood of scores, such as PoissonScore()")

    @property
    def remembers(self) -> tuple[str, ...]:
        """The names of the numbers that the score's likelihood keeps for the league.

        >>> import prowess as pw
        >>> OffenceDefence(pw.outcome.GaussianScore()).remembers
        ('scores', 'score_mean', 'score_squares')
        """
        return self.score.habits

    @property
    def typical(self) -> float:
        """The usual standard deviation of skills, as given by the score's likelihood.

        >>> import prowess as pw
        >>> OffenceDefence(pw.outcome.PoissonScore()).typical
        0.3
        """
        return self.score.typical

    @property
    def later(self) -> bool:
        """Whether `win` and `draw` of a whole history are computed on demand.

        >>> import prowess as pw
        >>> OffenceDefence(pw.outcome.PoissonScore()).later
        True
        """
        return self.score.later

    @property
    def has_base(self) -> bool:
        """Whether the score's likelihood has a base level.

        >>> import prowess as pw
        >>> OffenceDefence(pw.outcome.PoissonScore(base_rate=2.7)).has_base
        True
        """
        return self.score.has_base

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def add_base(self, board: Board) -> cython.bint:
        """Add the base level of scores to all offences, so that every x has it."""
        score: Score = self.score
        for i in range(board.lanes):
            board.lane = i
            board.x_mean[i] = score.base_level(board)
        board.lane = 0
        _raise_offences(board)
        return False

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def forecast(self, board: Board) -> cython.bint:
        """Forecast the result from both teams' x (offence minus the other team's defence), which are independent."""
        score: Score = self.score
        return score.foresee_all(board)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def evidence(self, board: Board) -> cython.double:
        """Learn from all scores. Two teams learn by equations (6) to (8).

        If the base level of scores is learnt, this match first updates the level, and then the skills. Otherwise the
        skills of the league's first players would have to explain a level that is still unknown. In this case, an
        estimated γ includes this match, too. The log-evidence is that of the forecast, which was made without this
        match.
        """
        score: Score = self.score
        unscored = score.check(board)
        if board.stride > 1 and (unscored or board.teams > 2):
            evidence_by_lane(self, board)
            return board.evidences[0]
        if unscored:
            return _learn_places(board, score)
        _learn_scores(board, score)
        if _move_levels(board, score):
            for lane in range(board.lanes):
                board.work[EVIDENCE * board.stride + lane] = board.evidences[lane]
            _raise_offences(board)
            _learn_scores(board, score)
            for lane in range(board.lanes):
                board.evidences[lane] = board.work[EVIDENCE * board.stride + lane]
        return board.evidences[0]

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def tally(self, board: Board) -> cython.bint:
        """Update the league's memory from the scores of a match."""
        score: Score = self.score
        return score.remember(board)

    def chances(self, mean: Any, variance: Any, win: Any, draw: Any) -> None:
        """Fill P(win) of the first team and P(draw) for many two-team matches, from recorded forecasts.

        `mean` and `variance` hold, for every match, the offence and defence of the first team, then those of the second
        team.

        >>> import numpy as np, prowess as pw
        >>> win, draw = np.empty(1), np.empty(1)
        >>> OffenceDefence(pw.outcome.PoissonScore()).chances(np.array([0.5, 0, 0.5, 0]), np.full(4, 0.1), win, draw)
        >>> win.round(3), draw.round(3)
        (array([0.398]), array([0.204]))
        """
        means, variances = mean.reshape(-1, 4), variance.reshape(-1, 4)
        gaps = means[:, ::2] - means[:, :0:-2]
        spreads = variances[:, ::2] + variances[:, :0:-2]
        self.score.chances(gaps.ravel(), spreads.ravel(), win, draw)

    def performances(self, board: Board) -> tuple[list[float], list[float], list[float]]:
        """Return mean, variance and noise of the performance that decides the place of each team.

        With k teams, this performance is the team's offence plus 1/(k − 1) times its own defence. The variance and the
        noise include the noise of a score.
        """
        h = 1.0 / (board.teams - 1)
        noise = self.score.score_noise(board)
        teams = range(0, 2 * board.teams, 2)
        means, variances, noises = board.mean, board.variance, board.noise
        return (
            [means[t] + h * means[t + 1] for t in teams],
            [variances[t] + h * h * variances[t + 1] + noise for t in teams],
            [noises[t] + h * h * noises[t + 1] + noise for t in teams],
        )

    def scatter(self, board: Board) -> float:
        """Return the variance of a score's noise, if that noise is normal."""
        return self.score.added(board) or 0.0

    def predict(self, board: Board) -> Prediction:
        """Predict scores and places."""
        from ...prediction import predict_scores

        return predict_scores(board, self.score)


@cython.cfunc
@cython.exceptval(check=False)
def _raise_offences(board: Board) -> cython.void:
    """Add `x_mean` to the offence of every team."""
    for j in range(board.teams):
        for lane in range(board.lanes):
            board.mean[2 * j * board.stride + lane] += board.x_mean[lane]


@cython.cfunc
def _move_levels(board: Board, score: Score) -> cython.bint:
    """Update the memory with the scores of every match; set `x_mean` to the change of the base level.

    Return whether a level has changed.
    """
    s = board.stride
    changed = False
    # In blocks, the memory has been updated before, and without a base level there is nothing else to update.
    if board.memories == 0 or (s > 1 and not score.has_base):
        return False
    for i in range(board.lanes):
        board.lane = i
        for k in range(board.memories if s > 1 else 0):
            board.work[(MEMORY + k) * s + i] = board.memory[k * s + i]
        before = score.base_level(board)
        score.remember(board)
        board.x_mean[i] = score.base_level(board) - before
        if board.x_mean[i] != 0.0:
            changed = True
        else:
            # Where the level stays, the skills are not learnt again, so nothing else may change either.
            for k in range(board.memories if s > 1 else 0):
                board.memory[k * s + i] = board.work[(MEMORY + k) * s + i]
    board.lane = 0
    return changed


@cython.cfunc
def _learn_scores(board: Board, score: Score) -> cython.bint:
    """Fill `d1`, `d2` and `left` of all teams and traits from all scores, and set the log-evidence."""
    if board.teams != 2:
        board.evidences[0] = learn_many(board, score)
        return False
    one = board.stride
    two = 2 * one
    three = 3 * one
    for lane in range(board.lanes):
        board.evidences[lane] = 0.0
    _learn_score(board, score, 0, three, 0)
    return _learn_score(board, score, two, one, one)


@cython.cfunc
def _learn_score(
    board: Board,
    score: Score,
    offence: cython.Py_ssize_t,
    defence: cython.Py_ssize_t,
    points: cython.Py_ssize_t,
) -> cython.bint:
    """Learn from one score, which depends on the offence of one team minus the defence of the other.

    The arguments are the cells of the offence, the defence and the score in the first lane.
    """
    for lane in range(board.lanes):
        board.x_mean[lane] = board.mean[offence + lane] - board.mean[defence + lane]
        board.x_variance[lane] = board.variance[offence + lane] + board.variance[defence + lane]
        board.x_score[lane] = board.score[points + lane]
    score.seen_all(board)
    _update_traits(board, offence, defence)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _update_traits(board: Board, offence: cython.Py_ssize_t, defence: cython.Py_ssize_t) -> cython.void:
    """Set `d1`, `d2` and `left` of the two traits of x, from `pushes`, `pulls` and `rests`."""
    for lane in range(board.lanes):
        first = board.variance[offence + lane]
        second = board.variance[defence + lane]
        total = first + second
        inverse = 1.0 / (total if total > 0.0 else 1.0)
        rest = board.rests[lane]
        board.d1[offence + lane] = board.pushes[lane]
        board.d1[defence + lane] = -board.pushes[lane]
        board.d2[offence + lane] = -board.pulls[lane]
        board.d2[defence + lane] = -board.pulls[lane]
        board.left[offence + lane] = (second + first * rest) * inverse if total > 0.0 else 1.0
        board.left[defence + lane] = (first + second * rest) * inverse if total > 0.0 else 1.0


@cython.cfunc
@cython.exceptval(check=False)
def _copy_update(board: Board) -> cython.void:
    board.pushes[0], board.pulls[0], board.rests[0] = board.push, board.pull, board.rest


@cython.cfunc
def _learn_places(board: Board, score: Score) -> cython.double:
    """Learn from the places of a match without scores; return the log-evidence of the places."""
    noise = score.added(board)
    if noise is not None:
        return learn_order(board, noise, score.rounding_margin())
    if board.teams != 2:
        message = (
            f"{type(score).__name__} needs the scores of all {board.teams} teams; without scores, it compares only two"
        )
        raise Error(message, field="scores")
    lead: cython.int = (board.place[0] < board.place[1]) - (board.place[0] > board.place[1])
    mean = board.mean[0] - board.mean[3]
    variance = board.variance[0] + board.variance[3]
    mean_1 = board.mean[2] - board.mean[1]
    variance_1 = board.variance[2] + board.variance[1]
    log_z: cython.double = score.seen_order(board, lead, mean, variance, mean_1, variance_1)
    _copy_update(board)
    _update_traits(board, 0, 3)
    score.seen_order(board, -lead, mean_1, variance_1, mean, variance)
    _copy_update(board)
    _update_traits(board, 2, 1)
    return log_z


@cython.ccall
def learn_many(board: Board, score: Score) -> cython.double:
    """Fill `d1`, `d2` and `left` of both traits of three or more teams; return a lower bound of the log-evidence.

    For normal scores the bound is exact.
    """
    h = 1.0 / (board.teams - 1)
    spent = 0
    moved = 1.0
    make_scratch(board, ROWS, board.team_capacity)
    _start_sites(board, h)
    while moved > TOLERANCE and spent < MOST_SWEEPS:
        moved = _sweep(board, score, h)
        spent += 1
    board.unconverged[0] = 0.0 if moved <= TOLERANCE else 1.0
    return board.memo[TERMS] + _learn_defences(board, h)


@cython.cfunc
@cython.exceptval(check=False)
def _start_sites(board: Board, h: cython.double) -> cython.void:
    """Set the prior mean of every team's x, and start with sites of precision 0."""
    # The other teams' defences are summed from both ends. Subtracting the team's own defence from the total would lose
    # digits if one defence is huge.
    total = 0.0
    for j in range(board.teams - 1, -1, -1):
        board.scratch[MEAN, j] = board.mean[2 * j] - h * total
        total += board.mean[2 * j + 1]
    total = 0.0
    for j in range(board.teams):
        board.scratch[MEAN, j] -= h * total
        total += board.mean[2 * j + 1]
        board.scratch[PI, j] = board.scratch[TAU, j] = 0.0
        _set_terms(board, j, h)


@cython.cfunc
@cython.exceptval(check=False)
def _set_terms(board: Board, j: cython.Py_ssize_t, h: cython.double) -> cython.void:
    """Compute the contribution of team j to the five sums, from the site of the team."""
    offence = board.variance[2 * j]
    defence = board.variance[2 * j + 1]
    pi = board.scratch[PI, j]
    # These formulas divide by no variance, so variances of 0 need no special case.
    share = 1.0 / (1.0 + pi * (offence + h * h * defence))
    board.scratch[PRECISION, j] = h * h * pi * share
    board.scratch[SLOPE, j] = h * h * pi * share * defence
    board.scratch[CONSTANT, j] = h * defence * board.scratch[TAU, j] * share
    board.scratch[VARIANCE, j] = defence * (1.0 + pi * offence) * share
    board.scratch[PULL, j] = h * board.scratch[TAU, j] * share


@cython.cfunc
def _sweep(board: Board, score: Score, h: cython.double) -> cython.double:
    """Update the site of every team in turn; return the largest move of any team's x.

    Also store the sum of all teams' contributions to the log-evidence in `board.memo`.
    """
    moved = 0.0
    board.memo[TERMS] = 0.0
    for row in range(PRECISION, PULL + 1):
        board.scratch[row + BEFORE, 0] = board.scratch[row + AFTER, board.teams - 1] = 0.0
        for j in range(board.teams - 2, -1, -1):
            board.scratch[row + AFTER, j] = board.scratch[row + AFTER, j + 1] + board.scratch[row, j + 1]
    for j in range(board.teams):
        _sum_other_defences(board, j)
        moved = max(moved, _update_site(board, score, j, h))
        _set_terms(board, j, h)
        for row in range(PRECISION, PULL + 1):
            board.scratch[row + BEFORE, 0] += board.scratch[row, j]
    return moved


@cython.cfunc
@cython.exceptval(check=False)
def _sum_other_defences(board: Board, j: cython.Py_ssize_t) -> cython.void:
    """Store the belief about the sum of the other teams' defences in `board.memo`, from all scores but team j's.

    The precision of D, the sum of all defences, is `precision` + (1 − `slope`)²/`whole`. The defence of team j is
    subtracted from D. Without the score of team j, the defence of team j is known only through D.
    """
    own = board.variance[2 * j + 1]
    precision = board.scratch[PRECISION + BEFORE, 0] + board.scratch[PRECISION + AFTER, j]
    slope = board.scratch[SLOPE + BEFORE, 0] + board.scratch[SLOPE + AFTER, j]
    constant = board.scratch[CONSTANT + BEFORE, 0] + board.scratch[CONSTANT + AFTER, j]
    variance = board.scratch[VARIANCE + BEFORE, 0] + board.scratch[VARIANCE + AFTER, j]
    pull = board.scratch[PULL + BEFORE, 0] + board.scratch[PULL + AFTER, j]
    whole = variance + own
    scale = precision * whole + (1.0 - slope) * (1.0 - slope)
    board.memo[OTHERS_MEAN] = board.memo[OTHERS_VARIANCE] = 0.0
    if whole > 0.0:
        total = ((1.0 - slope) * constant - pull * whole) / scale
        part = (variance + own * slope) / whole
        board.memo[OTHERS_MEAN] = total - (own / whole) * ((1.0 - slope) * total - constant)
        board.memo[OTHERS_VARIANCE] = part * part * (whole / scale) + variance * (own / whole)


@cython.cfunc
def _update_site(board: Board, score: Score, j: cython.Py_ssize_t, h: cython.double) -> cython.double:
    """Update the site of team j from its score; return how far the team's x moved, in standard deviations.

    Moves below the rounding error of x count as 0, because a large x cannot converge any further.
    """
    offence = board.variance[2 * j]
    others = h * h * board.memo[OTHERS_VARIANCE]
    own = h * h * board.variance[2 * j + 1]
    variance = offence + others
    prior = board.scratch[MEAN, j]
    mean = -h * board.memo[OTHERS_MEAN]
    board.memo[TERMS] += score.seen(board, board.score[j], prior + mean, variance)
    pi = board.pull / board.rest
    tau = (board.push + mean * board.pull) / board.rest
    twice = tau * tau * (own - others) / (1.0 + pi * (offence + own)) - 2.0 * tau * mean + pi * mean * mean
    board.memo[TERMS] += 0.5 * (twice * board.rest + log1p(pi * variance) - log1p(pi * (offence + own)))
    more = pi - board.scratch[PI, j]
    push = fabs(tau - board.scratch[TAU, j] - (mean + variance * board.push) * more)
    variance *= board.rest
    push = max(push * variance - 1e-14 * (fabs(prior) + fabs(mean)), 0.0)
    board.scratch[PI, j] = pi
    board.scratch[TAU, j] = tau
    board.d1[2 * j] = board.push
    board.d2[2 * j] = -board.pull
    # Written as a sum of positive terms, because 1 + v d₂ would lose its digits.
    board.left[2 * j] = (others + offence * board.rest) / (others + offence) if variance > 0.0 else 1.0
    return max(fabs(more) * variance, push / sqrt(variance) if variance > 0.0 else 0.0)


@cython.cfunc
@cython.exceptval(check=False)
def _learn_defences(board: Board, h: cython.double) -> cython.double:
    """Learn every defence from all scores; return the term of the log-evidence that all teams share."""
    before: cython.double = 0.0
    push = 0.0
    for row in range(PRECISION, PULL + 1):
        board.scratch[row + BEFORE, 0] = 0.0
    for j in range(board.teams - 1, -1, -1):
        board.scratch[VARIANCE + AFTER, j] = board.scratch[VARIANCE + BEFORE, 0]
        for row in range(PRECISION, PULL + 1):
            board.scratch[row + BEFORE, 0] += board.scratch[row, j]
        push += board.d1[2 * j]
    precision = board.scratch[PRECISION + BEFORE, 0]
    rise = 1.0 - board.scratch[SLOPE + BEFORE, 0]
    constant = board.scratch[CONSTANT + BEFORE, 0]
    variance = board.scratch[VARIANCE + BEFORE, 0]
    pull = board.scratch[PULL + BEFORE, 0]
    scale = precision * variance + rise * rise
    for j in range(board.teams):
        board.d1[2 * j + 1] = -h * (push - board.d1[2 * j])
        _set_defence(board, j, rise, before + board.scratch[VARIANCE + AFTER, j], variance, scale)
        before += board.scratch[VARIANCE, j]
    square = pull * pull * variance - constant * constant * precision - 2.0 * pull * rise * constant
    return 0.5 * (square / scale - log(scale))


@cython.cfunc
@cython.exceptval(check=False)
def _set_defence(
    board: Board,
    j: cython.Py_ssize_t,
    rise: cython.double,
    others: cython.double,
    total: cython.double,
    scale: cython.double,
) -> cython.void:
    """Set `left` and `d2` of team j's defence.

    Both numbers follow from the variance of the defence for a known D, and from the uncertainty of D, the sum of all
    defences.
    """
    variance = board.variance[2 * j + 1]
    board.left[2 * j + 1] = 1.0
    board.d2[2 * j + 1] = 0.0
    if variance > 0.0:
        kept = board.scratch[VARIANCE, j] / variance
        tied = board.scratch[PRECISION, j] + kept * rise / total
        board.left[2 * j + 1] = min(kept * (others / total) + tied * tied * variance * (total / scale), 1.0)
        board.d2[2 * j + 1] = (board.left[2 * j + 1] - 1.0) / variance

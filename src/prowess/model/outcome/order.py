"""TrueSkill's outcome: teams finish in the order of their performances, and draw where these are near.

Herbrich, Minka, Graepel (2006), sections 2 and 3. Two teams have a closed form. Three or more are a chain of
neighbours, each pair with its own factor, on which expectation propagation runs forward and backward until its messages
stand still. Tied teams are chained in the order in which they are listed, as in every implementation of TrueSkill.
"""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import fabs, log, log1p, sqrt
    from cython.cimports.prowess.model.board import Board, Outcome, compare, positive
    from cython.cimports.prowess.model.gauss import Truncated, above, log_z, within
else:
    from math import fabs, log, log1p, sqrt

    from ..board import Board, Outcome, compare, positive
    from ..gauss import Truncated, above, log_z, within

from ... import checks, errors
from .margin import margin_from

__all__ = ["Order"]

MOST_SWEEPS = 10**9

# Rows of the board's scratch, in the order of the chain: position k holds the k-th best team.
VAR = cython.declare(cython.Py_ssize_t, 0)  # prior variance
GAP = cython.declare(cython.Py_ssize_t, 1)  # prior mean less that of the next team
EPS = cython.declare(cython.Py_ssize_t, 2)  # margin to the next team
UP_PI = cython.declare(cython.Py_ssize_t, 3)  # message from the factor above: precision,
UP_TAU = cython.declare(cython.Py_ssize_t, 4)  # and precision times mean, as all means here from the team's prior mean
DOWN_PI = cython.declare(cython.Py_ssize_t, 5)  # message from the factor below
DOWN_TAU = cython.declare(cython.Py_ssize_t, 6)
TIED = cython.declare(cython.Py_ssize_t, 7)  # 1 if drawn with the next team
# The cavities of the factor between k and k + 1: what is known of the two teams without it.
UPPER_VAR = cython.declare(cython.Py_ssize_t, 8)
UPPER_MEAN = cython.declare(cython.Py_ssize_t, 9)
LOWER_VAR = cython.declare(cython.Py_ssize_t, 10)
LOWER_MEAN = cython.declare(cython.Py_ssize_t, 11)
SHARPNESS = cython.declare(cython.Py_ssize_t, 12)  # one over the standard deviation of their difference


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class Order(Outcome):
    """Places by performance: ahead means better by more than the margin, tied means nearer than it.

    The margin is given itself (a number or a policy), or follows from the probability that two equal teams draw.
    EP stops when no message of the chain moves by more than `tolerance` (in standard deviations of what is known), and
    reports a match in which it still does after `sweeps` sweeps.

    >>> Order(draw_probability=0.1).tolerance
    1e-09
    """

    draw_probability: object = None
    margin: object = None
    tolerance: object = 1e-9
    sweeps: object = 1000

    def __post_init__(self) -> None:
        margin_from(self.draw_probability, self.margin)
        checks.scale("tolerance", self.tolerance)
        if type(self.sweeps) is not int or not 1 <= self.sweeps <= MOST_SWEEPS:
            raise errors.Error(f"sweeps must be a whole number from 1 to {MOST_SWEEPS}, not {self.sweeps!r}")

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def prepare(self, board: Board) -> cython.bint:
        """The margin's policy is made once."""
        board.margin = margin_from(self.draw_probability, self.margin)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def evidence(self, board: Board) -> cython.double:
        """Equations (3) to (6) and Figure 1."""
        changed: cython.bint = board.margin.measure(board, True)
        if board.teams == 2:
            if changed:
                compare(board)
            return _two(board)
        _lay_out(board)
        return _chain(board, self.tolerance, self.sweeps)


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def _two(board: Board) -> cython.double:
    """Two teams: the difference of their performances is a truncated normal, found by the forecast unless they drew."""
    inverse: cython.double = board.sharpness * board.sharpness  # of the variance of the difference
    side: cython.double = 1.0
    point: cython.double = 0.0
    cut: Truncated = board.cut
    if board.place[0] < board.place[1]:
        cut = board.ahead
    elif board.place[0] > board.place[1]:
        cut = board.behind
        side = -1.0
    else:
        within(board.gap, board.edge, cut)
        if board.edge == 0.0:
            point = -log(board.sharpness)  # the density of a point, in the units of the performances
    board.d1[0] = side * cut.shift * board.sharpness
    board.d1[1] = -board.d1[0]
    board.d2[0] = board.d2[1] = -cut.lost * inverse
    board.left[0] = (board.variance[1] + board.variance[0] * cut.left) * inverse
    board.left[1] = (board.variance[0] + board.variance[1] * cut.left) * inverse
    return log_z(cut) - point


@cython.cfunc
@cython.exceptval(-1, check=False)
def _lay_out(board: Board) -> cython.bint:
    """Sort the teams by place, stably (places count from 1 to the number of teams), and lay out the chain."""
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    team: cython.Py_ssize_t
    below: cython.Py_ssize_t
    for j in range(board.teams):
        board.work[VAR, j] = 0.0
    for j in range(board.teams):  # count the places; the row is needed for nothing else yet
        board.work[VAR, board.place[j] - 1] += 1.0
    k = 0
    for j in range(board.teams):
        team = cython.cast(cython.Py_ssize_t, board.work[VAR, j])
        board.work[VAR, j] = k
        k += team
    for j in range(board.teams):
        k = cython.cast(cython.Py_ssize_t, board.work[VAR, board.place[j] - 1])
        board.work[VAR, board.place[j] - 1] += 1.0
        board.order[k] = cython.cast(cython.int, j)
    for k in range(board.teams):
        team = board.order[k]
        board.work[VAR, k] = positive(board.variance[team])
        board.work[UP_PI, k] = board.work[UP_TAU, k] = board.work[DOWN_PI, k] = board.work[DOWN_TAU, k] = 0.0
        if k + 1 < board.teams:
            below = board.order[k + 1]
            board.work[GAP, k] = board.mean[team] - board.mean[below]
            board.work[EPS, k] = board.margin.between(board, team, below)
            board.work[TIED, k] = 1.0 if board.place[team] == board.place[below] else 0.0


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def _chain(board: Board, tolerance: cython.double, sweeps: cython.Py_ssize_t) -> cython.double:
    """Forward and backward over the chain to convergence; then the teams' posteriors, and the log-evidence."""
    k: cython.Py_ssize_t
    team: cython.Py_ssize_t
    pi: cython.double
    tau: cython.double
    still: cython.double = tolerance * tolerance
    moved: cython.double = still + 1.0
    spent: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t = board.teams - 1
    evidence: cython.double = 0.0
    while moved > still and spent < sweeps:
        moved = 0.0
        for k in range(last):
            moved = max(moved, _pass(board, k))
        for k in range(last - 2, -1, -1):
            moved = max(moved, _pass(board, k))
        spent += 1
    board.converged = moved <= still
    for k in range(last):
        evidence += _factor_evidence(board, k)
    for k in range(board.teams):
        team = board.order[k]
        pi = board.work[UP_PI, k] + board.work[DOWN_PI, k]
        tau = board.work[UP_TAU, k] + board.work[DOWN_TAU, k]
        board.left[team] = 1.0 / (1.0 + board.work[VAR, k] * pi)
        board.d1[team] = tau * board.left[team]
        board.d2[team] = -pi * board.left[team]
        evidence += _log_integral(0.0, board.work[VAR, k], pi, tau)
    return evidence


@cython.cfunc
@cython.exceptval(check=False)
def _truncate(board: Board, k: cython.Py_ssize_t) -> cython.void:
    """Condition the difference of teams k and k + 1 on what was seen: fills the cut and the cavities."""
    upper_var: cython.double = board.work[VAR, k] / (1.0 + board.work[VAR, k] * board.work[UP_PI, k])
    lower_var: cython.double = board.work[VAR, k + 1] / (1.0 + board.work[VAR, k + 1] * board.work[DOWN_PI, k + 1])
    upper_mean: cython.double = upper_var * board.work[UP_TAU, k]
    lower_mean: cython.double = lower_var * board.work[DOWN_TAU, k + 1]
    sharpness: cython.double = 1.0 / sqrt(upper_var + lower_var)
    gap: cython.double = board.work[GAP, k] + upper_mean - lower_mean
    if board.work[TIED, k] == 0.0:
        above((gap - board.work[EPS, k]) * sharpness, board.cut)
    else:
        within(gap * sharpness, board.work[EPS, k] * sharpness, board.cut)
    board.work[UPPER_VAR, k] = upper_var
    board.work[LOWER_VAR, k] = lower_var
    board.work[UPPER_MEAN, k] = upper_mean
    board.work[LOWER_MEAN, k] = lower_mean
    board.work[SHARPNESS, k] = sharpness


@cython.cfunc
@cython.exceptval(check=False)
def _pass(board: Board, k: cython.Py_ssize_t) -> cython.double:
    """Renew the two messages of the factor between k and k + 1; returns how far they moved, squared."""
    _truncate(board, k)
    upper_var: cython.double = board.work[UPPER_VAR, k]
    lower_var: cython.double = board.work[LOWER_VAR, k]
    inverse: cython.double = board.work[SHARPNESS, k] * board.work[SHARPNESS, k]
    push: cython.double = board.cut.shift * board.work[SHARPNESS, k]
    pull: cython.double = board.cut.lost * inverse
    left: cython.double = (lower_var + upper_var * board.cut.left) * inverse
    more: cython.double = 1.0 / left
    mean: cython.double = board.work[UPPER_MEAN, k]
    pi: cython.double = pull * more
    tau: cython.double = (push + mean * pull) * more
    size: cython.double = fabs(board.work[GAP, k]) + fabs(mean) + fabs(board.work[LOWER_MEAN, k])
    moved: cython.double = _moved(
        mean + upper_var * push, upper_var * left, pi - board.work[DOWN_PI, k], tau - board.work[DOWN_TAU, k], size
    )
    board.work[DOWN_PI, k] = pi
    board.work[DOWN_TAU, k] = tau
    left = (upper_var + lower_var * board.cut.left) * inverse
    more = 1.0 / left
    mean = board.work[LOWER_MEAN, k]
    pi = pull * more
    tau = (mean * pull - push) * more
    moved = max(
        moved,
        _moved(
            mean - lower_var * push,
            lower_var * left,
            pi - board.work[UP_PI, k + 1],
            tau - board.work[UP_TAU, k + 1],
            size,
        ),
    )
    board.work[UP_PI, k + 1] = pi
    board.work[UP_TAU, k + 1] = tau
    return moved


@cython.cfunc
@cython.exceptval(check=False)
def _moved(
    mean: cython.double, var: cython.double, more_pi: cython.double, more_tau: cython.double, size: cython.double
) -> cython.double:
    """How far a message that grew by (more_pi, more_tau) moved the belief N(mean, var), in its variances.

    Where the means are large against their deviations, they cannot come to rest beyond the rounding of numbers of their
    `size`, which does not count.
    """
    push: cython.double = max(var * fabs(more_tau - mean * more_pi) - 1e-14 * size, 0.0)
    return max(more_pi * var * more_pi * var, push * push / var)


@cython.cfunc
@cython.exceptval(check=False)
def _factor_evidence(board: Board, k: cython.Py_ssize_t) -> cython.double:
    """log Z of a factor, less what its two messages already say of it."""
    _truncate(board, k)
    evidence: cython.double = log_z(board.cut)
    if board.work[TIED, k] != 0.0 and board.work[EPS, k] == 0.0:
        evidence += log(board.work[SHARPNESS, k])
    evidence -= _log_integral(
        board.work[UPPER_MEAN, k], board.work[UPPER_VAR, k], board.work[DOWN_PI, k], board.work[DOWN_TAU, k]
    )
    evidence -= _log_integral(
        board.work[LOWER_MEAN, k], board.work[LOWER_VAR, k], board.work[UP_PI, k + 1], board.work[UP_TAU, k + 1]
    )
    return evidence


@cython.cfunc
@cython.exceptval(check=False)
def _log_integral(mean: cython.double, var: cython.double, pi: cython.double, tau: cython.double) -> cython.double:
    """log ∫ N(x; mean, var) exp(τx − πx²/2) dx."""
    square: cython.double = var * tau * tau + 2.0 * mean * tau - pi * mean * mean
    return 0.5 * (square / (1.0 + var * pi) - log1p(var * pi))

"""TrueSkill's outcome: teams finish in the order of their performances, and draw where these are near.

Herbrich, Minka, Graepel (2006), sections 2 and 3. Two teams have a closed form. Three or more are a chain of
neighbours, each pair with its own factor, on which expectation propagation runs forward and backward until its messages
stand still. Tied teams are chained in the order in which they are listed, as in every implementation of TrueSkill.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import exp, fabs, log, log1p, sqrt
    from cython.cimports.prowess.model.board import Board, Outcome
    from cython.cimports.prowess.model.gauss import above, cdf, within
else:
    from math import exp, fabs, log, log1p, sqrt

    from ..board import Board, Outcome
    from ..gauss import above, cdf, within

from ... import errors
from .margin import margin_from

__all__ = ["Order"]

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


@cython.dataclasses.dataclass(frozen=True)
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
    tolerance: cython.double = 1e-9
    sweeps: cython.Py_ssize_t = 1000

    def __post_init__(self) -> None:
        margin_from(self.draw_probability, self.margin)
        if not self.tolerance > 0.0 or self.sweeps < 1:
            raise errors.Error(f"tolerance must be above 0 and sweeps at least 1, not {self.tolerance}, {self.sweeps}")

    @cython.ccall
    def prepare(self, board: Board) -> cython.void:
        """The margin's policy is made once."""
        board.margin = margin_from(self.draw_probability, self.margin)

    @cython.ccall
    def forecast(self, board: Board) -> cython.void:
        """P(first team ahead) and P(draw), of the difference of the performances."""
        spread: cython.double = sqrt(_positive(board.variance[0] + board.variance[1]))
        gap: cython.double = (board.mean[0] - board.mean[1]) / spread
        margin: cython.double = board.margin.between(board, 0, 1) / spread
        board.win = cdf(gap - margin)
        board.loss = cdf(-gap - margin)
        board.draw = 1.0 - board.win - board.loss
        if board.draw < 1e-8:  # the difference has lost its digits
            board.draw = exp(within(gap, margin, board.cut)) if margin > 0.0 else 0.0

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def evidence(self, board: Board) -> cython.double:
        """Equations (3) to (6) and Figure 1."""
        if board.teams == 2:
            return _two(board)
        _lay_out(board)
        return _chain(board, self.tolerance, self.sweeps)


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def _positive(variance: cython.double) -> cython.double:
    """The variance of a difference, which must not vanish."""
    if variance > 0.0:
        return variance
    raise errors.Error(
        "two teams whose performances are known exactly (beta 0 and sigma 0, or no player with a weight) cannot be "
        "compared; give the model a beta above 0"
    )


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def _two(board: Board) -> cython.double:
    """Two teams: the difference of their performances is a truncated normal."""
    upper: cython.Py_ssize_t = 0 if board.place[0] <= board.place[1] else 1
    lower: cython.Py_ssize_t = 1 - upper
    square: cython.double = _positive(board.variance[0] + board.variance[1])
    spread: cython.double = sqrt(square)
    margin: cython.double = board.margin.between(board, upper, lower)
    gap: cython.double = board.mean[upper] - board.mean[lower]
    log_z: cython.double
    if board.place[0] != board.place[1]:
        log_z = above((gap - margin) / spread, board.cut)
    else:
        log_z = within(gap / spread, margin / spread, board.cut)
        if margin == 0.0:
            log_z -= log(spread)
    board.d1[upper] = board.cut.shift / spread
    board.d1[lower] = -board.d1[upper]
    board.d2[0] = board.d2[1] = -board.cut.lost / square
    board.left[0] = (board.variance[1] + board.variance[0] * board.cut.left) / square
    board.left[1] = (board.variance[0] + board.variance[1] * board.cut.left) / square
    return log_z


@cython.cfunc
@cython.exceptval(check=True)
def _lay_out(board: Board) -> cython.void:
    """Sort the teams by place, stably (places count from 1 to the number of teams), and lay out the chain."""
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    team: cython.Py_ssize_t
    below: cython.Py_ssize_t
    work = board.work
    for j in range(board.teams):
        work[VAR, j] = 0.0
    for j in range(board.teams):  # count the places; the row is needed for nothing else yet
        work[VAR, board.place[j] - 1] += 1.0
    k = 0
    for j in range(board.teams):
        team = cython.cast(cython.Py_ssize_t, work[VAR, j])
        work[VAR, j] = k
        k += team
    for j in range(board.teams):
        k = cython.cast(cython.Py_ssize_t, work[VAR, board.place[j] - 1])
        work[VAR, board.place[j] - 1] += 1.0
        board.order[k] = cython.cast(cython.int, j)
    for k in range(board.teams):
        team = board.order[k]
        work[VAR, k] = _positive(board.variance[team])
        work[UP_PI, k] = work[UP_TAU, k] = work[DOWN_PI, k] = work[DOWN_TAU, k] = 0.0
        if k + 1 < board.teams:
            below = board.order[k + 1]
            work[GAP, k] = board.mean[team] - board.mean[below]
            work[EPS, k] = board.margin.between(board, team, below)
            work[TIED, k] = 1.0 if board.place[team] == board.place[below] else 0.0


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def _chain(board: Board, tolerance: cython.double, sweeps: cython.Py_ssize_t) -> cython.double:
    """Forward and backward over the chain to convergence; then the teams' posteriors, and the log-evidence."""
    k: cython.Py_ssize_t
    team: cython.Py_ssize_t
    pi: cython.double
    tau: cython.double
    moved: cython.double = tolerance + 1.0
    spent: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t = board.teams - 1
    log_z: cython.double = 0.0
    while moved > tolerance and spent < sweeps:
        moved = 0.0
        for k in range(last):
            moved = max(moved, _pass(board, k))
        for k in range(last - 2, -1, -1):
            moved = max(moved, _pass(board, k))
        spent += 1
    board.converged = moved <= tolerance
    for k in range(last):
        log_z += _factor_evidence(board, k)
    for k in range(board.teams):
        team = board.order[k]
        pi = board.work[UP_PI, k] + board.work[DOWN_PI, k]
        tau = board.work[UP_TAU, k] + board.work[DOWN_TAU, k]
        board.left[team] = 1.0 / (1.0 + board.work[VAR, k] * pi)
        board.d1[team] = tau * board.left[team]
        board.d2[team] = -pi * board.left[team]
        log_z += _log_integral(0.0, board.work[VAR, k], pi, tau)
    return log_z


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def _truncate(board: Board, k: cython.Py_ssize_t) -> cython.double:
    """Condition the difference of teams k and k + 1 on what was seen: fills the cut and the cavities, returns log Z."""
    work = board.work
    above_var: cython.double = work[VAR, k] / (1.0 + work[VAR, k] * work[UP_PI, k])
    below_var: cython.double = work[VAR, k + 1] / (1.0 + work[VAR, k + 1] * work[DOWN_PI, k + 1])
    spread: cython.double = sqrt(above_var + below_var)
    log_z: cython.double
    work[UPPER_VAR, k] = above_var
    work[LOWER_VAR, k] = below_var
    work[UPPER_MEAN, k] = above_var * work[UP_TAU, k]
    work[LOWER_MEAN, k] = below_var * work[DOWN_TAU, k + 1]
    gap: cython.double = work[GAP, k] + work[UPPER_MEAN, k] - work[LOWER_MEAN, k]
    if work[TIED, k] == 0.0:
        return above((gap - work[EPS, k]) / spread, board.cut)
    log_z = within(gap / spread, work[EPS, k] / spread, board.cut)
    return log_z - log(spread) if work[EPS, k] == 0.0 else log_z


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def _pass(board: Board, k: cython.Py_ssize_t) -> cython.double:
    """Renew the two messages of the factor between k and k + 1; returns how far they moved."""
    _truncate(board, k)
    work = board.work
    square: cython.double = work[UPPER_VAR, k] + work[LOWER_VAR, k]
    push: cython.double = board.cut.shift / sqrt(square)
    pull: cython.double = board.cut.lost / square
    left: cython.double = (work[LOWER_VAR, k] + work[UPPER_VAR, k] * board.cut.left) / square
    pi: cython.double = pull / left
    tau: cython.double = (push + work[UPPER_MEAN, k] * pull) / left
    moved: cython.double = _moved(
        work[UPPER_MEAN, k] + work[UPPER_VAR, k] * push,
        work[UPPER_VAR, k] * left,
        pi - work[DOWN_PI, k],
        tau - work[DOWN_TAU, k],
    )
    work[DOWN_PI, k] = pi
    work[DOWN_TAU, k] = tau
    left = (work[UPPER_VAR, k] + work[LOWER_VAR, k] * board.cut.left) / square
    pi = pull / left
    tau = (work[LOWER_MEAN, k] * pull - push) / left
    moved = max(
        moved,
        _moved(
            work[LOWER_MEAN, k] - work[LOWER_VAR, k] * push,
            work[LOWER_VAR, k] * left,
            pi - work[UP_PI, k + 1],
            tau - work[UP_TAU, k + 1],
        ),
    )
    work[UP_PI, k + 1] = pi
    work[UP_TAU, k + 1] = tau
    return moved


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def _moved(mean: cython.double, var: cython.double, more_pi: cython.double, more_tau: cython.double) -> cython.double:
    """How far a message that grew by (more_pi, more_tau) moved the belief N(mean, var), in its standard deviations.

    A mean that is large against its deviation cannot come to rest beyond its rounding, which does not count.
    """
    push: cython.double = var * fabs(more_tau - mean * more_pi) - 1e-14 * fabs(mean)
    return max(fabs(more_pi) * var, push / sqrt(var))


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def _factor_evidence(board: Board, k: cython.Py_ssize_t) -> cython.double:
    """log Z of a factor, less what its two messages already say of it."""
    log_z: cython.double = _truncate(board, k)
    work = board.work
    log_z -= _log_integral(work[UPPER_MEAN, k], work[UPPER_VAR, k], work[DOWN_PI, k], work[DOWN_TAU, k])
    log_z -= _log_integral(work[LOWER_MEAN, k], work[LOWER_VAR, k], work[UP_PI, k + 1], work[UP_TAU, k + 1])
    return log_z


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def _log_integral(
    mean: cython.double, var: cython.double, pi: cython.double, tau: cython.double
) -> cython.double:
    """log ∫ N(x; mean, var) exp(τx − πx²/2) dx."""
    square: cython.double = var * tau * tau + 2.0 * mean * tau - pi * mean * mean
    return 0.5 * (square / (1.0 + var * pi) - log1p(var * pi))

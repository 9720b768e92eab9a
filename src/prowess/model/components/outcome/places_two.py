"""Expectation propagation for two teams, as in `places` but with only a few dozen operations.

The two teams' distances from their places mirror each other, whatever the variances are, because these distances depend
only on the difference of the performances. Therefore one EP site is enough for both teams: the site of the better team,
or of the first team in a tie.
"""

from __future__ import annotations

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

from ...engine.board import Board, positive
from ...maths.elementary import log
from ...maths.normal import above, log_z, within

if not cython.compiled:
    from math import fabs, sqrt

    from . import ep_chain

# If the squared gap or margin, in variances, is above this, `learn_two` would lose too many digits.
LARGEST_SQUARE = cython.declare(cython.double, 1e6)


def is_well_scaled(board: Board, epsilon: cython.double) -> cython.bint:
    """Return whether `learn_two` is accurate for a match: gap, margin and variance must not differ too much in size."""
    var = positive(board.variance[0] + board.variance[1])
    gap = board.mean[0] - board.mean[1]
    square = epsilon * epsilon
    return (
        gap * gap < LARGEST_SQUARE * var
        and square < LARGEST_SQUARE * var
        and var < LARGEST_SQUARE * LARGEST_SQUARE * LARGEST_SQUARE * square
    )


def learn_two(
    board: Board, epsilon: cython.double, tolerance: cython.double, sweeps: cython.Py_ssize_t
) -> cython.double:
    """Fill `d1`, `d2` and `left` of two teams; return the log-evidence. The match must pass `is_well_scaled`."""
    tied: cython.bint = board.place[0] == board.place[1]
    gap = board.mean[0] - board.mean[1]
    var = positive(board.variance[0] + board.variance[1])
    least = min(board.variance[0], board.variance[1])
    whole = tau = new_tau = 0.0
    pi = new_pi = 3.0 / (epsilon * epsilon)  # the first site of u is uniform on [−ε, ε]
    still = tolerance * tolerance
    far = still + 1.0
    spent = 0
    if board.place[0] > board.place[1]:
        gap = -gap
    while far > still and spent < sweeps:
        if new_pi < 0.1 * pi:  # damped, as in `places._update_message`
            new_pi = pi + 0.9 * (new_pi - pi)
            new_tau = tau + 0.9 * (new_tau - tau)
        pi = new_pi
        tau = new_tau
        whole = _condition(board, gap, var, tau / pi, 1.0 / pi, epsilon, tied)
        if whole == 0.0:
            return _learn_nothing(board)
        new_pi = board.cut.lost[0] / (whole * board.cut.left[0])
        if board.cut.left[0] < 0.5:  # of two equivalent formulas, the one that keeps its digits
            new_tau = (sqrt(whole) * board.cut.mean[0] / board.cut.left[0] - board.gaps[0]) / whole
        else:
            new_tau = (sqrt(whole) * board.cut.shift[0] + board.gaps[0] * board.cut.lost[0]) / (
                whole * board.cut.left[0]
            )
        far = _squared_move(pi, tau, new_pi, new_tau, least, fabs(gap) + epsilon)
        spent += 1
    board.unconverged[0] = 0.0 if far <= still else 1.0
    return _finish(board, whole, pi, tau, epsilon, tied)


@cython.cfunc
@cython.exceptval(check=False)
def _condition(
    board: Board,
    gap: cython.double,
    var: cython.double,
    site_mean: cython.double,
    site_var: cython.double,
    epsilon: cython.double,
    tied: cython.bint,
) -> cython.double:
    """Condition the distance u of a team from its place on |u| ≤ ε; return the prior variance of u.

    If the result was certain, return 0.

    t and t' are the performances of the teams, l and l' the performances of their places; u = t − l and u' = t' − l'
    are the distances. If the teams did not tie, the difference l − l' is first conditioned on the result, l > l' + 2ε.
    Set `gap` to the prior mean of u, and `edge` to the variance of the message about l − l'.
    """
    board.gaps[0] = gap - site_mean
    board.edges[0] = 0.0
    if not tied:
        spread = sqrt(var + 2.0 * site_var)
        above((board.gaps[0] - site_mean - 2.0 * epsilon) / spread, board.ahead)
        # The result was certain, and the variance of the message below would overflow.
        if board.ahead.lost[0] < 1e-100:
            return 0.0
        board.gaps[0] = site_mean - spread / board.ahead.mean[0]
        board.edges[0] = spread * spread * board.ahead.left[0] / board.ahead.lost[0]
    whole = var + site_var + board.edges[0]
    spread = sqrt(whole)
    within(board.gaps[0] / spread, epsilon / spread, board.cut, 0)
    return whole


@cython.cfunc
@cython.exceptval(check=False)
def _squared_move(
    pi: cython.double,
    tau: cython.double,
    new_pi: cython.double,
    new_tau: cython.double,
    least: cython.double,
    size: cython.double,
) -> cython.double:
    """Return the squared move of a site, relative to the variance `least` plus the variance of the old site.

    A move of the mean below the rounding error of numbers as large as `size` counts as 0. If the site almost vanished,
    return 1.
    """
    # The site almost vanished, so its mean is meaningless; the sweeps continue.
    if new_pi < 1e-3 * pi:
        return 1.0
    scale = least + 1.0 / pi
    push = max(fabs(new_tau / new_pi - tau / pi) - 1e-14 * size, 0.0)
    return max((1.0 / new_pi - 1.0 / pi) / scale * ((1.0 / new_pi - 1.0 / pi) / scale), push * push / scale)


@cython.cfunc
@cython.exceptval(check=False)
def _learn_nothing(board: Board) -> cython.double:
    """Leave both teams unchanged, because the result was certain; return the log-probability of the result."""
    board.unconverged[0] = 0.0
    board.d1[0] = board.d1[1] = board.d2[0] = board.d2[1] = 0.0
    board.left[0] = board.left[1] = 1.0
    return log_z(board.ahead, 0)


@cython.cfunc
@cython.exceptval(check=False)
def _finish(
    board: Board,
    whole: cython.double,
    pi: cython.double,
    tau: cython.double,
    epsilon: cython.double,
    tied: cython.bint,
) -> cython.double:
    """Fill `d1`, `d2` and `left` of both teams, and return the log-evidence.

    The log-evidence is the sum of the terms of both teams' factors and sites and, unless the teams tied, the term for
    the order of their places.
    """
    rest = 1.0 / pi + board.edges[0]
    push = board.cut.shift[0] / sqrt(whole)
    messages = ep_chain.log_integral(board.gaps[0], whole, pi, tau)
    site = ep_chain.log_mass(pi, tau) - log(2.0 * epsilon)
    board.d1[0] = push if board.place[0] <= board.place[1] else -push
    board.d1[1] = -board.d1[0]
    board.d2[0] = board.d2[1] = -board.cut.lost[0] / whole
    board.left[0] = (board.variance[1] + rest + board.variance[0] * board.cut.left[0]) / whole
    board.left[1] = (board.variance[0] + rest + board.variance[1] * board.cut.left[0]) / whole
    if tied:
        return 2.0 * log_z(board.cut, 0) - messages + site
    return 2.0 * (log_z(board.cut, 0) - messages + site) + log_z(board.ahead, 0)

"""Expectation propagation along a chain of normal variables, shared by `Order` and `Places`.

An element of the chain is the performance of a team or of a place. The factor between two neighbours states the result:
the upper element is better by more than a margin or, in a draw, the two elements are closer than the margin.
Expectation propagation (EP) passes messages forward and backward until they converge. All means are relative to a
reference value near the element, so that large means keep their digits.

The chains of all matches on a board run at the same time. Element k of a lane is in the cell k · stride + lane.
"""

from __future__ import annotations

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

from .... import validate
from ...engine.board import Board, make_scratch
from ...maths.elementary import log, log_all
from ...maths.normal import above_all, log_z_all, within

if not cython.compiled:
    from math import fabs, sqrt

MOST_SWEEPS = 10**9
TWO_PI = cython.declare(cython.double, 6.283185307179586477)

# Rows of the board's scratch table. An outcome may use the rows from ROWS on for itself.
PI = cython.declare(cython.Py_ssize_t, 0)  # precision of an element's prior
TAU = cython.declare(cython.Py_ssize_t, 1)  # precision times mean of that prior
GAP = cython.declare(cython.Py_ssize_t, 2)  # reference value of the element, minus that of the next element
EPS = cython.declare(cython.Py_ssize_t, 3)  # margin to the next element
TIED = cython.declare(cython.Py_ssize_t, 4)  # 1 if the result is a draw with the next element, else 0
# The messages to an element from the factors above and below it: precision, and precision times mean.
UP_PI = cython.declare(cython.Py_ssize_t, 5)
UP_TAU = cython.declare(cython.Py_ssize_t, 6)
DOWN_PI = cython.declare(cython.Py_ssize_t, 7)
DOWN_TAU = cython.declare(cython.Py_ssize_t, 8)
# The cavities of the factor between elements k and k + 1: the beliefs about both without the factor's messages.
UPPER_VAR = cython.declare(cython.Py_ssize_t, 9)
UPPER_MEAN = cython.declare(cython.Py_ssize_t, 10)
LOWER_VAR = cython.declare(cython.Py_ssize_t, 11)
LOWER_MEAN = cython.declare(cython.Py_ssize_t, 12)
SHARPNESS = cython.declare(cython.Py_ssize_t, 13)  # one over the standard deviation of their difference
ROWS = cython.declare(cython.Py_ssize_t, 14)

# Rows of `board.work`.
ACTIVE = cython.declare(cython.Py_ssize_t, 0)  # 1 if the messages of the lane are still updated, else 0
MOVE = cython.declare(cython.Py_ssize_t, 1)  # square of the largest move in the last sweep


def check_run(tolerance: object, sweeps: object) -> None:
    """Raise `Error` for an invalid tolerance or number of sweeps.

    >>> check_run(1e-9, 1000)
    """
    validate.scale("tolerance", tolerance)
    if type(sweeps) is not int or not 1 <= sweeps <= MOST_SWEEPS:
        raise validate.invalid("sweeps", f"be a whole number from 1 to {MOST_SWEEPS}", sweeps)


def reserve(board: Board, more: cython.Py_ssize_t) -> cython.bint:
    """Enlarge the board's scratch table to hold a chain of all teams and `more` additional rows; activate all lanes."""
    for lane in range(board.lanes):
        board.work[ACTIVE * board.stride + lane] = 1.0
    return make_scratch(board, ROWS + more, board.team_capacity * board.stride)


def set_prior(board: Board, cell: cython.Py_ssize_t, pi: cython.double, tau: cython.double) -> cython.void:
    """Set the prior of an element: precision, and precision times mean."""
    board.scratch[PI, cell] = pi
    board.scratch[TAU, cell] = tau


def set_factor(
    board: Board, cell: cython.Py_ssize_t, gap: cython.double, margin: cython.double, tied: cython.bint
) -> cython.void:
    """Set the factor between an element and the next, and clear all messages to the element."""
    board.scratch[GAP, cell] = gap
    board.scratch[EPS, cell] = margin
    board.scratch[TIED, cell] = 1.0 if tied else 0.0
    board.scratch[UP_PI, cell] = board.scratch[UP_TAU, cell] = 0.0
    board.scratch[DOWN_PI, cell] = board.scratch[DOWN_TAU, cell] = 0.0


def message_pi(board: Board, cell: cython.Py_ssize_t) -> cython.double:
    """Return the precision of the product of both messages to an element."""
    return board.scratch[UP_PI, cell] + board.scratch[DOWN_PI, cell]


def message_tau(board: Board, cell: cython.Py_ssize_t) -> cython.double:
    """Return the precision times the mean of the product of both messages to an element."""
    return board.scratch[UP_TAU, cell] + board.scratch[DOWN_TAU, cell]


def sweep(board: Board, length: cython.Py_ssize_t) -> cython.void:
    """Update all messages of the active lanes, forward then backward; set `MOVE` of every lane."""
    for lane in range(board.lanes):
        board.work[MOVE * board.stride + lane] = 0.0
    for k in range(length - 1):
        _update_messages(board, k)
    # The forward pass ended with the last factor, so the backward pass skips it.
    for k in range(length - 3, -1, -1):
        _update_messages(board, k)


def add_evidence(board: Board, length: cython.Py_ssize_t) -> cython.void:
    """Set `evidences` to the part of the log-evidence that the factors of the chain contribute."""
    for lane in range(board.lanes):
        board.evidences[lane] = 0.0
    for k in range(length - 1):
        _add_factor_evidence(board, k)


def squared_move(
    mean: cython.double, var: cython.double, more_pi: cython.double, more_tau: cython.double, size: cython.double
) -> cython.double:
    """Return the squared move of N(mean, var), in units of var, if a message changes by (more_pi, more_tau).

    A move below the rounding error of numbers as large as `size` counts as 0, because messages cannot converge any
    further.
    """
    return _squared_move(mean, var, more_pi, more_tau, size)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _squared_move(
    mean: cython.double, var: cython.double, more_pi: cython.double, more_tau: cython.double, size: cython.double
) -> cython.double:
    rounding = 1e-14 * size
    push = var * fabs(more_tau - mean * more_pi) - rounding
    push = push if push > 0.0 else 0.0
    squeeze = var * more_pi
    moved = push * push / var
    counts = 1.0 if squeeze * squeeze * var > rounding * rounding else 0.0
    squeezed = squeeze * squeeze * counts
    return squeezed if squeezed > moved else moved


def log_integral(mean: cython.double, var: cython.double, pi: cython.double, tau: cython.double) -> cython.double:
    """Return the log of the integral of a normal density times a message: log ∫ N(x; mean, var) exp(τx − πx²/2) dx."""
    return 0.5 * (_peak(mean, var, pi, tau) - log(1.0 + var * pi))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _peak(mean: cython.double, var: cython.double, pi: cython.double, tau: cython.double) -> cython.double:
    """Return twice the logarithm of that integral, without the term that comes from the width of the product."""
    return (var * tau * tau + 2.0 * mean * tau - pi * mean * mean) / (1.0 + var * pi)


def log_mass(pi: cython.double, tau: cython.double) -> cython.double:
    """Return the log of the integral of a message: log ∫ exp(τx − πx²/2) dx."""
    return 0.5 * (tau * tau / pi + log(TWO_PI / pi))


@cython.cfunc
@cython.exceptval(check=False)
def _truncate(board: Board, k: cython.Py_ssize_t) -> cython.void:
    """Condition the difference of elements k and k + 1 on the result; store the moments in `board.cut`.

    Also set the factor's cavities: the beliefs about both elements without the factor's messages.
    """
    s = board.stride
    ties = 0
    for lane in range(board.lanes):
        i = k * s + lane
        o = i + s
        upper_var = 1.0 / (board.scratch[PI, i] + board.scratch[UP_PI, i])
        lower_var = 1.0 / (board.scratch[PI, o] + board.scratch[DOWN_PI, o])
        upper_mean = upper_var * (board.scratch[TAU, i] + board.scratch[UP_TAU, i])
        lower_mean = lower_var * (board.scratch[TAU, o] + board.scratch[DOWN_TAU, o])
        sharpness = 1.0 / sqrt(upper_var + lower_var)
        gap = board.scratch[GAP, i] + upper_mean - lower_mean
        tied = board.scratch[TIED, i]
        board.cut.t[lane] = (gap - board.scratch[EPS, i]) * sharpness * (1.0 - tied)
        board.scratch[UPPER_VAR, i] = upper_var
        board.scratch[LOWER_VAR, i] = lower_var
        board.scratch[UPPER_MEAN, i] = upper_mean
        board.scratch[LOWER_MEAN, i] = lower_mean
        board.scratch[SHARPNESS, i] = sharpness
        ties += 1 if tied > 0.0 else 0
    above_all(board.cut, board.lanes)
    if ties > 0:
        _truncate_ties(board, k)


@cython.cfunc
@cython.exceptval(check=False)
def _truncate_ties(board: Board, k: cython.Py_ssize_t) -> cython.void:
    for n in range(board.lanes):
        i = k * board.stride + n
        if board.scratch[TIED, i] != 0.0 and board.work[ACTIVE * board.stride + n] != 0.0:
            gap = board.scratch[GAP, i] + board.scratch[UPPER_MEAN, i] - board.scratch[LOWER_MEAN, i]
            sharpness = board.scratch[SHARPNESS, i]
            within(gap * sharpness, board.scratch[EPS, i] * sharpness, board.cut, n)


@cython.cfunc
@cython.exceptval(check=False)
def _update_messages(board: Board, k: cython.Py_ssize_t) -> cython.void:
    """Update both messages of the factor between elements k and k + 1, and the largest move of each lane."""
    s = board.stride
    _truncate(board, k)
    for lane in range(board.lanes):
        i = k * s + lane
        o = i + s
        # A lane that has converged keeps its messages; a sum instead of a condition lets compilers vectorise the loop.
        active = board.work[ACTIVE * s + lane]
        waits = 1.0 - active
        upper_var = board.scratch[UPPER_VAR, i]
        lower_var = board.scratch[LOWER_VAR, i]
        upper_mean = board.scratch[UPPER_MEAN, i]
        lower_mean = board.scratch[LOWER_MEAN, i]
        sharpness = board.scratch[SHARPNESS, i]
        inverse = sharpness * sharpness
        push = board.cut.shift[lane] * sharpness
        pull = board.cut.lost[lane] * inverse
        size = fabs(board.scratch[GAP, i]) + fabs(upper_mean) + fabs(lower_mean) + board.scratch[EPS, i]
        # Written as a sum of positive terms, because 1 − upper_var · pull would lose its digits.
        left = (lower_var + upper_var * board.cut.left[lane]) * inverse
        pi = pull / left
        tau = (push + upper_mean * pull) / left
        old_pi = board.scratch[DOWN_PI, i]
        old_tau = board.scratch[DOWN_TAU, i]
        far = _squared_move(upper_mean + upper_var * push, upper_var * left, pi - old_pi, tau - old_tau, size)
        board.scratch[DOWN_PI, i] = active * pi + waits * old_pi
        board.scratch[DOWN_TAU, i] = active * tau + waits * old_tau
        left = (upper_var + lower_var * board.cut.left[lane]) * inverse
        pi = pull / left
        tau = (lower_mean * pull - push) / left
        old_pi = board.scratch[UP_PI, o]
        old_tau = board.scratch[UP_TAU, o]
        other = _squared_move(lower_mean - lower_var * push, lower_var * left, pi - old_pi, tau - old_tau, size)
        board.scratch[UP_PI, o] = active * pi + waits * old_pi
        board.scratch[UP_TAU, o] = active * tau + waits * old_tau
        far = far if far > other else other
        most = board.work[MOVE * s + lane]
        board.work[MOVE * s + lane] = far if far > most else most


@cython.cfunc
@cython.exceptval(check=False)
def _add_factor_evidence(board: Board, k: cython.Py_ssize_t) -> cython.void:
    """Add the log of a factor's normalising constant, minus the log-evidence of its two messages."""
    s = board.stride
    _truncate(board, k)
    log_z_all(board.cut, board.pushes, board.lanes)
    for lane in range(board.lanes):
        i = k * s + lane
        o = i + s
        upper = 1.0 + board.scratch[UPPER_VAR, i] * board.scratch[DOWN_PI, i]
        lower = 1.0 + board.scratch[LOWER_VAR, i] * board.scratch[UP_PI, o]
        # With a margin of 0 a tie has a density, not a probability, and a density depends on the scale.
        sharpness = board.scratch[SHARPNESS, i]
        inverse = sharpness * sharpness if board.scratch[TIED, i] != 0.0 else 1.0
        board.pulls[lane] = upper * lower * (inverse if board.scratch[EPS, i] == 0.0 else 1.0)
    log_all(board.pulls, 0, board.lanes)
    for lane in range(board.lanes):
        i = k * s + lane
        o = i + s
        upper = _peak(
            board.scratch[UPPER_MEAN, i],
            board.scratch[UPPER_VAR, i],
            board.scratch[DOWN_PI, i],
            board.scratch[DOWN_TAU, i],
        )
        lower = _peak(
            board.scratch[LOWER_MEAN, i], board.scratch[LOWER_VAR, i], board.scratch[UP_PI, o], board.scratch[UP_TAU, o]
        )
        board.evidences[lane] += board.pushes[lane] + 0.5 * (board.pulls[lane] - upper - lower)

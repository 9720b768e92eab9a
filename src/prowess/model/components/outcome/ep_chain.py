"""Expectation propagation along a chain of normal variables, shared by `Order` and `Places`.

An element of the chain is the performance of a team or of a place. The factor between two neighbours states the result:
the upper element is better by more than a margin or, in a draw, the two elements are closer than the margin.
Expectation propagation (EP) passes messages forward and backward until they converge. All means are relative to a
reference value near the element, so that large means keep their digits.
"""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import fabs, log, log1p, sqrt
    from cython.cimports.prowess.model.engine.board import Board, make_scratch
    from cython.cimports.prowess.model.maths.normal import above, log_z, within
else:
    from math import fabs, log, log1p, sqrt

    from ...engine.board import Board, make_scratch
    from ...maths.normal import above, log_z, within

from .... import validate

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


def check_run(tolerance: object, sweeps: object) -> None:
    """Raise `Error` for an invalid tolerance or number of sweeps.

    >>> check_run(1e-9, 1000)
    """
    validate.scale("tolerance", tolerance)
    if type(sweeps) is not int or not 1 <= sweeps <= MOST_SWEEPS:
        raise validate.invalid("sweeps", f"be a whole number from 1 to {MOST_SWEEPS}", sweeps)


def reserve(board: Board, more: cython.Py_ssize_t) -> cython.bint:
    """Enlarge the board's scratch table to hold a chain of all teams and `more` additional rows."""
    return make_scratch(board, ROWS + more, board.team_capacity)


def set_prior(board: Board, k: cython.Py_ssize_t, pi: cython.double, tau: cython.double) -> cython.void:
    """Set the prior of an element: precision, and precision times mean."""
    board.scratch[PI, k] = pi
    board.scratch[TAU, k] = tau


def set_factor(
    board: Board, k: cython.Py_ssize_t, gap: cython.double, margin: cython.double, tied: cython.bint
) -> cython.void:
    """Set the factor between element k and the next, and clear all messages to element k."""
    board.scratch[GAP, k] = gap
    board.scratch[EPS, k] = margin
    board.scratch[TIED, k] = 1.0 if tied else 0.0
    board.scratch[UP_PI, k] = board.scratch[UP_TAU, k] = board.scratch[DOWN_PI, k] = board.scratch[DOWN_TAU, k] = 0.0


def message_pi(board: Board, k: cython.Py_ssize_t) -> cython.double:
    """Return the precision of the product of both messages to an element."""
    return board.scratch[UP_PI, k] + board.scratch[DOWN_PI, k]


def message_tau(board: Board, k: cython.Py_ssize_t) -> cython.double:
    """Return the precision times the mean of the product of both messages to an element."""
    return board.scratch[UP_TAU, k] + board.scratch[DOWN_TAU, k]


def sweep(board: Board, length: cython.Py_ssize_t) -> cython.double:
    """Update all messages, forward then backward; return the square of the largest move."""
    far = 0.0
    for k in range(length - 1):
        far = max(far, _update_messages(board, k))
    # The forward pass ended with the last factor, so the backward pass skips it.
    for k in range(length - 3, -1, -1):
        far = max(far, _update_messages(board, k))
    return far


def evidence(board: Board, length: cython.Py_ssize_t) -> cython.double:
    """Return the part of the log-evidence that the factors of the chain contribute."""
    evidence = 0.0
    for k in range(length - 1):
        evidence += _factor_evidence(board, k)
    return evidence


def squared_move(
    mean: cython.double, var: cython.double, more_pi: cython.double, more_tau: cython.double, size: cython.double
) -> cython.double:
    """Return the squared move of N(mean, var), in units of var, if a message changes by (more_pi, more_tau).

    A move below the rounding error of numbers as large as `size` counts as 0, because messages cannot converge any
    further.
    """
    rounding = 1e-14 * size
    push = max(var * fabs(more_tau - mean * more_pi) - rounding, 0.0)
    squeeze = var * more_pi
    if squeeze * squeeze * var <= rounding * rounding:
        return push * push / var
    return max(squeeze * squeeze, push * push / var)


def log_integral(mean: cython.double, var: cython.double, pi: cython.double, tau: cython.double) -> cython.double:
    """Return the log of the integral of a normal density times a message: log ∫ N(x; mean, var) exp(τx − πx²/2) dx."""
    square = var * tau * tau + 2.0 * mean * tau - pi * mean * mean
    return 0.5 * (square / (1.0 + var * pi) - log1p(var * pi))


def log_mass(pi: cython.double, tau: cython.double) -> cython.double:
    """Return the log of the integral of a message: log ∫ exp(τx − πx²/2) dx."""
    return 0.5 * (tau * tau / pi + log(TWO_PI / pi))


@cython.cfunc
@cython.exceptval(check=False)
def _truncate(board: Board, k: cython.Py_ssize_t) -> cython.void:
    """Condition the difference of elements k and k + 1 on the result; store the moments in `board.cut`.

    Also set the factor's cavities: the beliefs about both elements without the factor's messages.
    """
    upper_var = 1.0 / (board.scratch[PI, k] + board.scratch[UP_PI, k])
    lower_var = 1.0 / (board.scratch[PI, k + 1] + board.scratch[DOWN_PI, k + 1])
    upper_mean = upper_var * (board.scratch[TAU, k] + board.scratch[UP_TAU, k])
    lower_mean = lower_var * (board.scratch[TAU, k + 1] + board.scratch[DOWN_TAU, k + 1])
    sharpness = 1.0 / sqrt(upper_var + lower_var)
    gap = board.scratch[GAP, k] + upper_mean - lower_mean
    if board.scratch[TIED, k] == 0.0:
        above((gap - board.scratch[EPS, k]) * sharpness, board.cut)
    else:
        within(gap * sharpness, board.scratch[EPS, k] * sharpness, board.cut)
    board.scratch[UPPER_VAR, k] = upper_var
    board.scratch[LOWER_VAR, k] = lower_var
    board.scratch[UPPER_MEAN, k] = upper_mean
    board.scratch[LOWER_MEAN, k] = lower_mean
    board.scratch[SHARPNESS, k] = sharpness


@cython.cfunc
@cython.exceptval(check=False)
def _update_messages(board: Board, k: cython.Py_ssize_t) -> cython.double:
    """Update both messages of the factor between elements k and k + 1; return the squared move of the messages."""
    _truncate(board, k)
    upper_var = board.scratch[UPPER_VAR, k]
    lower_var = board.scratch[LOWER_VAR, k]
    inverse = board.scratch[SHARPNESS, k] * board.scratch[SHARPNESS, k]
    push = board.cut.shift * board.scratch[SHARPNESS, k]
    pull = board.cut.lost * inverse
    # Written as a sum of positive terms, because 1 − upper_var · pull would lose its digits.
    left = (lower_var + upper_var * board.cut.left) * inverse
    more = 1.0 / left
    mean = board.scratch[UPPER_MEAN, k]
    pi = pull * more
    tau = (push + mean * pull) * more
    size = fabs(board.scratch[GAP, k]) + fabs(mean) + fabs(board.scratch[LOWER_MEAN, k]) + board.scratch[EPS, k]
    far = squared_move(
        mean + upper_var * push,
        upper_var * left,
        pi - board.scratch[DOWN_PI, k],
        tau - board.scratch[DOWN_TAU, k],
        size,
    )
    board.scratch[DOWN_PI, k] = pi
    board.scratch[DOWN_TAU, k] = tau
    left = (upper_var + lower_var * board.cut.left) * inverse
    more = 1.0 / left
    mean = board.scratch[LOWER_MEAN, k]
    pi = pull * more
    tau = (mean * pull - push) * more
    far = max(
        far,
        squared_move(
            mean - lower_var * push,
            lower_var * left,
            pi - board.scratch[UP_PI, k + 1],
            tau - board.scratch[UP_TAU, k + 1],
            size,
        ),
    )
    board.scratch[UP_PI, k + 1] = pi
    board.scratch[UP_TAU, k + 1] = tau
    return far


@cython.cfunc
@cython.exceptval(check=False)
def _factor_evidence(board: Board, k: cython.Py_ssize_t) -> cython.double:
    """Return the log of a factor's normalising constant, minus the log-evidence of its two messages."""
    _truncate(board, k)
    evidence = log_z(board.cut)
    # With a margin of 0 a tie has a density, not a probability, and a density depends on the scale.
    if board.scratch[TIED, k] != 0.0 and board.scratch[EPS, k] == 0.0:
        evidence += log(board.scratch[SHARPNESS, k])
    evidence -= log_integral(
        board.scratch[UPPER_MEAN, k], board.scratch[UPPER_VAR, k], board.scratch[DOWN_PI, k], board.scratch[DOWN_TAU, k]
    )
    evidence -= log_integral(
        board.scratch[LOWER_MEAN, k],
        board.scratch[LOWER_VAR, k],
        board.scratch[UP_PI, k + 1],
        board.scratch[UP_TAU, k + 1],
    )
    return evidence

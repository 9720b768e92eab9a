"""Offence and defence among three or more teams.

With h = 1/(k − 1), team i scores by xᵢ = oᵢ − h Σ_{j≠i} dⱼ = (oᵢ + h dᵢ) − h D, where D is the sum of all defences.
Every score leaves a normal message (a site) on its x. Given D the teams are independent of each other, but for D being
their sum: so the posterior of all skills follows from five sums over the teams, in which every variance is a sum of
positive terms. A site is renewed from what all others say of its x. Each renewal minimises KL(q‖p) over one site of the
joint normal q, so the sweeps descend to its minimum. For Gaussian scores that is the exact posterior, after one sweep.

Means are taken from the prior means throughout.
"""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import fabs, log, log1p, sqrt
    from cython.cimports.prowess.model.components.outcome.score_base import Score
    from cython.cimports.prowess.model.engine.board import Board
else:
    from math import fabs, log, log1p, sqrt

    from ...engine.board import Board
    from .score_base import Score

__all__ = ["several"]

MOST_SWEEPS = cython.declare(cython.Py_ssize_t, 1000)
TOLERANCE = cython.declare(cython.double, 1e-10)  # in standard deviations of x

# Rows of the board's scratch: the site of every team, its precision and precision times mean,
PI = cython.declare(cython.Py_ssize_t, 0)
TAU = cython.declare(cython.Py_ssize_t, 1)
# what it adds to the five sums: the precision of D, the slope and the constant of the sum of defences by D, that sum's
# variance, and the pull on x,
SHARP = cython.declare(cython.Py_ssize_t, 2)
SLOPE = cython.declare(cython.Py_ssize_t, 3)
START = cython.declare(cython.Py_ssize_t, 4)
SPREAD = cython.declare(cython.Py_ssize_t, 5)
DRAG = cython.declare(cython.Py_ssize_t, 6)
# and the same five, summed over all teams after it.
AFTER = cython.declare(cython.Py_ssize_t, 5)
MEAN = cython.declare(cython.Py_ssize_t, 12)  # the prior mean of its x


@cython.ccall
@cython.exceptval(-1.0, check=True)
def several(board: Board, score: Score) -> cython.double:
    """Fill `d1`, `d2` and `left` of both traits of every team; returns the log-evidence, or its lower bound."""
    h: cython.double = 1.0 / (board.teams - 1)
    spent: cython.Py_ssize_t = 0
    moved: cython.double = 1.0
    _lay_out(board, h)
    while moved > TOLERANCE and spent < MOST_SWEEPS:
        moved = _sweep(board, score, h)
        spent += 1
    board.converged = moved <= TOLERANCE
    return board.edge + _defences(board, h)


@cython.cfunc
@cython.exceptval(check=False)
def _lay_out(board: Board, h: cython.double) -> cython.void:
    """The prior means of all x, by sums from both ends (one defence may dwarf the others), and sites without a say."""
    j: cython.Py_ssize_t
    total: cython.double = 0.0
    for j in range(board.teams - 1, -1, -1):
        board.work[MEAN, j] = board.mean[2 * j] - h * total
        total += board.mean[2 * j + 1]
    total = 0.0
    for j in range(board.teams):
        board.work[MEAN, j] -= h * total
        total += board.mean[2 * j + 1]
        board.work[PI, j] = board.work[TAU, j] = 0.0
        _weigh(board, j, h)


@cython.cfunc
@cython.exceptval(check=False)
def _weigh(board: Board, j: cython.Py_ssize_t, h: cython.double) -> cython.void:
    """What team j adds to the five sums, by its site."""
    offence: cython.double = board.variance[2 * j]
    defence: cython.double = board.variance[2 * j + 1]
    pi: cython.double = board.work[PI, j]
    share: cython.double = 1.0 / (1.0 + pi * (offence + h * h * defence))
    board.work[SHARP, j] = h * h * pi * share
    board.work[SLOPE, j] = h * h * pi * share * defence
    board.work[START, j] = h * defence * board.work[TAU, j] * share
    board.work[SPREAD, j] = defence * (1.0 + pi * offence) * share
    board.work[DRAG, j] = h * board.work[TAU, j] * share


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def _sweep(board: Board, score: Score, h: cython.double) -> cython.double:
    """Renew the site of every team, each with what the renewed ones before it say; returns how far they moved.

    Leaves the sum of the teams' terms of the log-evidence in `board.edge`.
    """
    j: cython.Py_ssize_t
    row: cython.Py_ssize_t
    moved: cython.double = 0.0
    board.edge = 0.0
    for row in range(SHARP, DRAG + 1):
        board.work[row + AFTER, board.teams - 1] = 0.0
        for j in range(board.teams - 2, -1, -1):
            board.work[row + AFTER, j] = board.work[row + AFTER, j + 1] + board.work[row, j + 1]
    sharp: cython.double = 0.0
    slope: cython.double = 0.0
    start: cython.double = 0.0
    spread: cython.double = 0.0
    drag: cython.double = 0.0
    for j in range(board.teams):
        _others(
            board,
            board.variance[2 * j + 1],
            sharp + board.work[SHARP + AFTER, j],
            slope + board.work[SLOPE + AFTER, j],
            start + board.work[START + AFTER, j],
            spread + board.work[SPREAD + AFTER, j],
            drag + board.work[DRAG + AFTER, j],
        )
        moved = max(moved, _renew(board, score, j, h))
        _weigh(board, j, h)
        sharp += board.work[SHARP, j]
        slope += board.work[SLOPE, j]
        start += board.work[START, j]
        spread += board.work[SPREAD, j]
        drag += board.work[DRAG, j]
    return moved


@cython.cfunc
@cython.exceptval(check=False)
def _others(
    board: Board,
    own: cython.double,
    sharp: cython.double,
    slope: cython.double,
    start: cython.double,
    spread: cython.double,
    drag: cython.double,
) -> cython.void:
    """The sum of the others' defences by all that is known without a team's own score: leaves `gap` ± √`sharpness`.

    D has the precision sharp + (1 − slope)²/whole; the team's own defence, of which only D tells, is taken off again.
    """
    whole: cython.double = spread + own
    scale: cython.double = sharp * whole + (1.0 - slope) * (1.0 - slope)
    total: cython.double
    part: cython.double
    board.gap = board.sharpness = 0.0
    if whole > 0.0:
        total = ((1.0 - slope) * start - drag * whole) / scale
        part = (spread + own * slope) / whole
        board.gap = total - (own / whole) * ((1.0 - slope) * total - start)
        board.sharpness = part * part * (whole / scale) + spread * (own / whole)


@cython.cfunc
@cython.exceptval(-1.0, check=True)
def _renew(board: Board, score: Score, j: cython.Py_ssize_t, h: cython.double) -> cython.double:
    """Renew the site of team j from its score; returns how far its x moved, in standard deviations.

    Where x is large against its deviation it cannot come to rest beyond the rounding of its size, which does not count.
    """
    offence: cython.double = board.variance[2 * j]
    others: cython.double = h * h * board.sharpness
    own: cython.double = h * h * board.variance[2 * j + 1]
    variance: cython.double = offence + others
    prior: cython.double = board.work[MEAN, j]
    mean: cython.double = -h * board.gap
    board.edge += score.seen(board, board.score[j], prior + mean, variance)
    pi: cython.double = board.pull / board.rest
    tau: cython.double = (board.push + mean * board.pull) / board.rest
    twice: cython.double = (
        tau * tau * (own - others) / (1.0 + pi * (offence + own)) - 2.0 * tau * mean + pi * mean * mean
    )
    board.edge += 0.5 * (twice * board.rest + log1p(pi * variance) - log1p(pi * (offence + own)))
    more: cython.double = pi - board.work[PI, j]
    push: cython.double = fabs(tau - board.work[TAU, j] - (mean + variance * board.push) * more)
    variance *= board.rest
    push = max(push * variance - 1e-14 * (fabs(prior) + fabs(mean)), 0.0)
    board.work[PI, j] = pi
    board.work[TAU, j] = tau
    board.d1[2 * j] = board.push
    board.d2[2 * j] = -board.pull
    board.left[2 * j] = (others + offence * board.rest) / (others + offence) if variance > 0.0 else 1.0
    return max(fabs(more) * variance, push / sqrt(variance) if variance > 0.0 else 0.0)


@cython.cfunc
@cython.exceptval(check=False)
def _defences(board: Board, h: cython.double) -> cython.double:
    """What all scores say of every defence; returns the term of the log-evidence that the teams share."""
    j: cython.Py_ssize_t
    sharp: cython.double = 0.0
    slope: cython.double = 0.0
    start: cython.double = 0.0
    spread: cython.double = 0.0
    drag: cython.double = 0.0
    push: cython.double = 0.0
    for j in range(board.teams - 1, -1, -1):
        board.work[SPREAD + AFTER, j] = spread
        sharp += board.work[SHARP, j]
        slope += board.work[SLOPE, j]
        start += board.work[START, j]
        spread += board.work[SPREAD, j]
        drag += board.work[DRAG, j]
        push += board.d1[2 * j]
    scale: cython.double = sharp * spread + (1.0 - slope) * (1.0 - slope)
    before: cython.double = 0.0
    for j in range(board.teams):
        board.d1[2 * j + 1] = -h * (push - board.d1[2 * j])
        _defence(board, j, h, 1.0 - slope, before + board.work[SPREAD + AFTER, j], spread, scale)
        before += board.work[SPREAD, j]
    return 0.5 * (
        (drag * drag * spread - start * start * sharp - 2.0 * drag * (1.0 - slope) * start) / scale - log(scale)
    )


@cython.cfunc
@cython.exceptval(check=False)
def _defence(
    board: Board,
    j: cython.Py_ssize_t,
    h: cython.double,
    rise: cython.double,
    others: cython.double,
    spread: cython.double,
    scale: cython.double,
) -> cython.void:
    """What is left of the variance of a defence: as a part of D that is known, and by what is not known of D."""
    variance: cython.double = board.variance[2 * j + 1]
    kept: cython.double
    tied: cython.double
    board.left[2 * j + 1] = 1.0
    board.d2[2 * j + 1] = 0.0
    if variance > 0.0:
        kept = board.work[SPREAD, j] / variance
        tied = board.work[SHARP, j] + kept * rise / spread
        board.left[2 * j + 1] = min(kept * (others / spread) + tied * tied * variance * (spread / scale), 1.0)
        board.d2[2 * j + 1] = (board.left[2 * j + 1] - 1.0) / variance

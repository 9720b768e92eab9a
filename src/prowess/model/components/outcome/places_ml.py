"""TS3's outcome: the performance of each place is a maximum-likelihood estimate.

See Nikolenko, Sirotkin (2010), section 4. A team in place k performed within ε of that place's performance x_k, and
places lie at least 2ε apart. First, find the x that make the prior performances most likely. Then condition every
team's performance t on |t − x_k| ≤ ε, as if x were known.

With y_k = x_k + 2kε the constraint becomes y_1 ≥ y_2 ≥ …, and every term is log-concave in y. This problem is an
isotonic regression. At the optimum, runs of neighbouring places (pools) share one y. The usual algorithm, pooling
adjacent violators, finds the pools by merging; this algorithm finds the pools by splitting (minimum lower sets;
Robertson, Wright, Dykstra, 1988).

The algorithm starts with one block of all places and evaluates the slope of every place's log-likelihood at some y. The
leading places whose slopes have the largest sum belong above y, the others below, so the block is split after these
leading places. If the block does not split, y takes a Newton step within a bracket. One evaluation costs one truncation
per team and covers all places of the block, so thousands of places cost little more than a few places.
"""

from __future__ import annotations

from typing import ClassVar

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

from ...engine.board import Board, make_scratch, positive, sort_by_place
from ...maths.elementary import log
from ...maths.normal import above, log_z, within
from ...params import Range
from ..margin import DRAW_RANGES, margin_from
from .place_forecast import RoundedPlaces, match_margin, tie_width

if not cython.compiled:
    from math import fabs, sqrt

MOST_STEPS = cython.declare(cython.Py_ssize_t, 1000)  # limit for each pool; bisection needs a few hundred steps
SMALL_STEP = cython.declare(cython.double, 1e-10)  # stop at smaller steps, relative to the smallest deviation in a pool
INFINITY = cython.declare(cython.double, float("inf"))
ROUNDING = cython.declare(cython.double, 1e-15)
ONE_SIDED = cython.declare(cython.double, 400.0)  # beyond this, the far edge of the interval contributes only exp(−800)

# Rows of the board's scratch table. One column per team, sorted by place:
MEAN = cython.declare(cython.Py_ssize_t, 0)  # prior mean
SHARPNESS = cython.declare(cython.Py_ssize_t, 1)  # one over the prior standard deviation
# One column per place, best first:
END = cython.declare(cython.Py_ssize_t, 2)  # index after the place's last team
SLOPE = cython.declare(cython.Py_ssize_t, 3)  # derivative d/dy of the log-likelihood of the place's teams, at POINT
CURVATURE = cython.declare(cython.Py_ssize_t, 4)  # the negative second derivative
# One column per block, at the index of its best place:
LAST = cython.declare(cython.Py_ssize_t, 5)  # index of the block's worst place
ORIGIN = cython.declare(cython.Py_ssize_t, 6)  # near the block's y; LOW, HIGH and POINT are relative to it
LOW = cython.declare(cython.Py_ssize_t, 7)  # LOW and HIGH bracket y
HIGH = cython.declare(cython.Py_ssize_t, 8)
POINT = cython.declare(cython.Py_ssize_t, 9)  # where the block is evaluated; at the end the block's y
SLOPE_SIZE = cython.declare(cython.Py_ssize_t, 10)  # sum of the absolute slopes of the block's teams
SHARPEST = cython.declare(cython.Py_ssize_t, 11)  # largest SHARPNESS of the block's teams
ROWS = cython.declare(cython.Py_ssize_t, 12)


@cython.dataclasses.dataclass(frozen=True, repr=False)
@cython.final
@cython.cclass
class PlacesML(RoundedPlaces):
    """Places by maximum likelihood: a team performs within ε of its place, and places are at least 2ε apart (TS3).

    Give the margin ε (a number or a policy), or the probability that two equal teams draw; a match has one margin. The
    log-evidence is the maximised log-likelihood, and `d1` is its derivative with respect to a team's mean. `d2` is not
    the second derivative; it gives the variance of the team for known performances of the places.

    TS3 barely learns if ε is small compared to the standard deviations of the priors. In that case, the estimated
    performances of the places follow the teams' prior means, or lie 2ε apart where these are out of order. As a result,
    no mean moves far, but every sigma shrinks as if the team's performance had been observed. At TrueSkill's defaults
    and a margin of 0.74, a win moves a newcomer's mean by 0.6, and sigma from 8.3 to 3.7. A good margin is about the
    priors' standard deviation divided by the number of places.

    >>> import prowess as pw
    >>> model = pw.TrueSkill(tau=0).replace(outcome=PlacesML(margin=5.0))
    >>> rated = model.rate([[model.rating()], [model.rating()], [model.rating()]], ranks=[1, 2, 2])
    >>> [round(player.mu, 2) for [player] in rated]
    [29.84, 22.58, 22.58]
    """

    draw_probability: object = None
    margin: object = None

    tunable: ClassVar[dict[str, Range]] = DRAW_RANGES
    likelihood = False

    def __post_init__(self) -> None:
        margin_from(self.draw_probability, self.margin, tie_width)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def evidence(self, board: Board) -> cython.double:
        """Learn from the places by steps 2 to 4 of the paper's algorithm."""
        board.margin.measure(board, True)
        sort_by_place(board, 0)
        return maximise_likelihood(board, match_margin(board))


@cython.ccall
def maximise_likelihood(board: Board, epsilon: cython.double) -> cython.double:
    """Find the most likely performances of the places, and condition every team on its place's performance.

    The performances x of the places maximise Π P(|t − x| ≤ ε) over all teams t. `board.order` must list the teams from
    the best place to the worst. Return the maximum of the log-likelihood.
    """
    places = _sort_teams(board)
    best = 0
    _start_block(board, places, epsilon)
    while best < places:
        best = _solve_block(board, best, places, epsilon)
    return _condition_all(board, places, epsilon)


@cython.cfunc
def _sort_teams(board: Board) -> cython.Py_ssize_t:
    k = 0
    make_scratch(board, ROWS, board.team_capacity)
    for j in range(board.teams):
        board.scratch[MEAN, j] = board.mean[board.order[j]]
        board.scratch[SHARPNESS, j] = 1.0 / sqrt(positive(board.variance[board.order[j]]))
        if j > 0 and board.place[board.order[j]] != board.place[board.order[j - 1]]:
            k += 1
        board.scratch[END, k] = j + 1
    return k + 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _offset(places: cython.Py_ssize_t, k: cython.Py_ssize_t) -> cython.double:
    """Return the distance of place k from the middle of all places, in units of ε."""
    return places - 1.0 - 2.0 * k


@cython.cfunc
@cython.exceptval(check=False)
def _start_block(board: Board, places: cython.Py_ssize_t, epsilon: cython.double) -> cython.void:
    """Start with all places in one block, at a point y near the mean of its teams' optima.

    The mean is weighted by precision. The precision includes the variance ε²/3 of a uniform distribution over ±ε. The
    bracket of y is wider than the range of the optima, because Newton steps may overshoot.
    """
    j = 0
    guess: cython.double = board.scratch[MEAN, 0] - _offset(places, 0) * epsilon
    low: cython.double = guess
    high: cython.double = guess
    widest = shares = 0.0
    beyond: cython.double = 0.0
    for k in range(places):
        while j < board.scratch[END, k]:
            optimum = board.scratch[MEAN, j] - _offset(places, k) * epsilon
            variance = board.variance[board.order[j]]
            widest = max(widest, variance)
            variance += epsilon * epsilon / 3.0
            low = min(low, optimum)
            high = max(high, optimum)
            shares += 1.0 / variance
            beyond += (optimum - guess) / variance
            j += 1
    guess = min(max(guess + beyond / shares, low), high)
    board.scratch[LAST, 0] = places - 1
    board.scratch[ORIGIN, 0] = guess
    board.scratch[POINT, 0] = 0.0
    board.scratch[LOW, 0] = low - guess - sqrt(widest)
    board.scratch[HIGH, 0] = high - guess + sqrt(widest)


@cython.cfunc
@cython.exceptval(check=False)
def _solve_block(
    board: Board, best: cython.Py_ssize_t, places: cython.Py_ssize_t, epsilon: cython.double
) -> cython.Py_ssize_t:
    """Find the optimum y of a block, or split the block; return the best place of the next block to solve."""
    last = cython.cast(cython.Py_ssize_t, board.scratch[LAST, best])
    steps = 0
    step = board.scratch[HIGH, best] - board.scratch[LOW, best]
    before = step
    while steps < MOST_STEPS:
        _evaluate(board, best, places, epsilon)
        if _split(board, best):
            return best
        slope = _sum(board, SLOPE, best, last)
        # The slope is a difference of large sums. If it is below their rounding error, its sign means nothing.
        if fabs(slope) <= ROUNDING * board.scratch[SLOPE_SIZE, best]:
            return last + 1
        board.scratch[LOW if slope > 0.0 else HIGH, best] = board.scratch[POINT, best]
        before, step = fabs(step), _step(board, best, before)
        if not _move_point(board, best, step) or fabs(step) * board.scratch[SHARPEST, best] <= SMALL_STEP:
            return last + 1
        steps += 1
    board.unconverged[0] = 1.0
    return last + 1


@cython.cfunc
@cython.exceptval(check=False)
def _move_point(board: Board, best: cython.Py_ssize_t, step: cython.double) -> cython.bint:
    """Move the point of a block by a step, and the origin to the point; return whether the point moved.

    POINT keeps the digits that the origin cannot hold. If a step is lost in rounding, the point does not move.
    """
    origin = board.scratch[ORIGIN, best]
    here = board.scratch[POINT, best] + step
    moved: cython.bint = here != board.scratch[POINT, best]
    board.scratch[ORIGIN, best] += here
    origin = board.scratch[ORIGIN, best] - origin
    board.scratch[POINT, best] = here - origin
    board.scratch[LOW, best] -= origin
    board.scratch[HIGH, best] -= origin
    return moved


@cython.cfunc
@cython.exceptval(check=False)
def _evaluate(board: Board, best: cython.Py_ssize_t, places: cython.Py_ssize_t, epsilon: cython.double) -> cython.void:
    j = cython.cast(cython.Py_ssize_t, board.scratch[END, best - 1]) if best > 0 else 0
    sharpest: cython.double = 0.0
    size: cython.double = 0.0
    for k in range(best, cython.cast(cython.Py_ssize_t, board.scratch[LAST, best]) + 1):
        board.scratch[SLOPE, k] = board.scratch[CURVATURE, k] = 0.0
        while j < board.scratch[END, k]:
            _condition(board, j, best, _offset(places, k), epsilon)
            sharpness = board.scratch[SHARPNESS, j]
            sharpest = max(sharpest, sharpness)
            board.scratch[SLOPE, k] -= board.cut.shift[0] * sharpness
            board.scratch[CURVATURE, k] += board.cut.lost[0] * sharpness * sharpness
            size += fabs(board.cut.shift[0]) * sharpness
            j += 1
    board.scratch[SLOPE_SIZE, best] = size
    board.scratch[SHARPEST, best] = sharpest


@cython.cfunc
@cython.exceptval(check=False)
def _condition(
    board: Board,
    j: cython.Py_ssize_t,
    best: cython.Py_ssize_t,
    centre: cython.double,
    epsilon: cython.double,
) -> cython.void:
    """Condition a team's performance t on |t − x| ≤ ε, where x belongs to its place; store the moments in `board.cut`.

    If only one edge of the interval matters, measure distances from that edge, because x ± ε would lose digits for a
    large ε.
    """
    sharpness = board.scratch[SHARPNESS, j]
    ahead = (board.scratch[MEAN, j] - board.scratch[ORIGIN, best]) - board.scratch[POINT, best]
    t = (ahead - centre * epsilon) * sharpness
    if fabs(t) * epsilon * sharpness <= ONE_SIDED:
        within(t, epsilon * sharpness, board.cut, 0)
    elif t < 0.0:
        above((ahead - (centre - 1.0) * epsilon) * sharpness, board.cut)
    else:
        above(((centre + 1.0) * epsilon - ahead) * sharpness, board.cut)
        board.cut.shift[0] = -board.cut.shift[0]


@cython.cfunc
@cython.exceptval(check=False)
def _sum(board: Board, row: cython.Py_ssize_t, best: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.double:
    total: cython.double = 0.0
    for k in range(best, last + 1):
        total += board.scratch[row, k]
    return total


@cython.cfunc
@cython.exceptval(check=False)
def _find_split(board: Board, best: cython.Py_ssize_t, last: cython.Py_ssize_t, up: cython.bint) -> cython.Py_ssize_t:
    """Return the last place above the best split of a block, where the places above have the largest sum of slopes.

    Sum from the best place if `up`, otherwise from the worst place. The direction affects only rounding. Return `last`
    if the block should not be split because the sum above the split is not positive or the sum below is not negative.
    """
    split = last
    slope: cython.double = 0.0
    most: cython.double = 0.0
    for k in range(last - best):
        slope += board.scratch[SLOPE, best + k] if up else -board.scratch[SLOPE, last - k]
        if slope > most:
            most = slope
            split = best + k if up else last - k - 1
    return split if _sum(board, SLOPE, best, split) > 0.0 > _sum(board, SLOPE, split + 1, last) else last


@cython.cfunc
@cython.exceptval(check=False)
def _split(board: Board, best: cython.Py_ssize_t) -> cython.bint:
    """Split a block where the leading places have the largest sum of slopes; return whether the block was split.

    The sum starts at the end of the block where small slopes are not lost in the rounding of large ones.
    """
    last = cython.cast(cython.Py_ssize_t, board.scratch[LAST, best])
    down: cython.bint = _sum(board, SLOPE, best, last) <= 0.0
    split = _find_split(board, best, last, down)
    if split == last:
        # Rounding can hide a split from one direction.
        split = _find_split(board, best, last, not down)
    if split == last:
        return False
    board.scratch[LAST, best] = split
    board.scratch[LAST, split + 1] = last
    board.scratch[ORIGIN, split + 1] = board.scratch[ORIGIN, best]
    board.scratch[POINT, split + 1] = board.scratch[HIGH, split + 1] = board.scratch[POINT, best]
    board.scratch[LOW, split + 1] = board.scratch[LOW, best]
    board.scratch[LOW, best] = board.scratch[POINT, best]
    board.scratch[SHARPEST, split + 1] = board.scratch[SHARPEST, best]
    _move_point(board, split + 1, _step(board, split + 1, INFINITY))
    _move_point(board, best, _step(board, best, INFINITY))
    return True


@cython.cfunc
@cython.exceptval(check=False)
def _step(board: Board, best: cython.Py_ssize_t, before: cython.double) -> cython.double:
    """Return Newton's step; if it leaves the bracket or exceeds half of `before`, return a bisection step."""
    last = cython.cast(cython.Py_ssize_t, board.scratch[LAST, best])
    low = board.scratch[LOW, best] - board.scratch[POINT, best]
    high = board.scratch[HIGH, best] - board.scratch[POINT, best]
    slope = _sum(board, SLOPE, best, last)
    curvature = _sum(board, CURVATURE, best, last)
    half = 0.5 * (low + high)
    # The curvature of a wide interval can underflow to 0.
    newton = slope / curvature if curvature > 0.0 else half
    if low < newton < high and 2.0 * fabs(newton) <= before:
        return newton
    return newton if curvature > 0.0 and fabs(newton) * board.scratch[SHARPEST, best] <= SMALL_STEP else half


@cython.cfunc
@cython.exceptval(check=False)
def _condition_all(board: Board, places: cython.Py_ssize_t, epsilon: cython.double) -> cython.double:
    """Condition every team on its place's performance; return the log-likelihood (a log density if ε is 0)."""
    j = best = 0
    likelihood = 0.0
    for k in range(places):
        if k > board.scratch[LAST, best]:
            best = k
        while j < board.scratch[END, k]:
            _condition(board, j, best, _offset(places, k), epsilon)
            sharpness = board.scratch[SHARPNESS, j]
            team = board.order[j]
            board.d1[team] = board.cut.shift[0] * sharpness
            board.d2[team] = -board.cut.lost[0] * sharpness * sharpness
            board.left[team] = board.cut.left[0]
            likelihood += log_z(board.cut, 0)
            likelihood += log(sharpness) if epsilon == 0.0 else 0.0
            j += 1
    return likelihood

"""TS3's outcome: the performance that each place took is a maximum-likelihood estimate.

Nikolenko, Sirotkin (2010), section 4. A team on place k performed within ε of that place's performance x_k, and places
lie at least 2ε apart. The x that make the prior performances most likely are found first; then every team is
conditioned on |t − x_k| ≤ ε as if x were known.

With y_k = x_k + 2kε the places' constraint is y_1 ≥ y_2 ≥ …, and every term is log-concave in y: isotonic regression.
Its optimum is a chain of pools, runs of neighbouring places that share one y: those that pooling adjacent violators
finds by merging. Here they are found by splitting (minimum lower sets; Robertson, Wright, Dykstra, 1988). Look at a
block of places at some y: the best of them, as many as together pull upwards most, belong above y and the others below.
Where nothing splits off, y takes a Newton step within a bracket. One look costs one truncation per team and serves all
places of the block, so that thousands of places cost little more than a few; merging them one by one would not.
"""

from __future__ import annotations

from typing import ClassVar

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import fabs, log, sqrt
    from cython.cimports.prowess.model.components.outcome.place_forecast import Rounded, one_margin
    from cython.cimports.prowess.model.engine.board import Board, make_scratch, positive, sort_by_place
    from cython.cimports.prowess.model.maths.normal import above, log_z, within
else:
    from math import fabs, log, sqrt

    from ...engine.board import Board, make_scratch, positive, sort_by_place
    from ...maths.normal import above, log_z, within
    from .place_forecast import Rounded, one_margin

from ...params import Range
from ..margin import margin_from
from .place_forecast import tie_width

MOST_LOOKS = cython.declare(
    cython.Py_ssize_t, 1000
)  # at a pool; halving the bracket alone needs a few hundred at worst
NEAR = cython.declare(cython.double, 1e-10)  # a step this small, in the least deviation of a pool's teams, is the last
INFINITY = cython.declare(cython.double, float("inf"))
ROUNDING = cython.declare(cython.double, 1e-15)
ONE_SIDED = cython.declare(cython.double, 400.0)  # beyond this the far edge of an interval takes part by exp(−800)

# Rows of the board's scratch. Of a team, in the order of the places:
MEAN = cython.declare(cython.Py_ssize_t, 0)  # prior mean
SHARPNESS = cython.declare(cython.Py_ssize_t, 1)  # one over its standard deviation
# Of a place, from the best on:
END = cython.declare(cython.Py_ssize_t, 2)  # one past its last team
PULL = cython.declare(cython.Py_ssize_t, 3)  # slope of its teams' log-likelihood in y where it is looked at,
GRIP = cython.declare(cython.Py_ssize_t, 4)  # and second derivative, negated
# Of a block, at its best place:
LAST = cython.declare(cython.Py_ssize_t, 5)  # its worst place
GUESS = cython.declare(cython.Py_ssize_t, 6)  # near its y; the rest is counted from here, or digits would be lost
LOW = cython.declare(cython.Py_ssize_t, 7)  # y lies between these
HIGH = cython.declare(cython.Py_ssize_t, 8)
LOOK = cython.declare(cython.Py_ssize_t, 9)  # where it is looked at, and in the end y
SIZE = cython.declare(cython.Py_ssize_t, 10)  # sum of what its teams pull, either way
SHARPEST = cython.declare(cython.Py_ssize_t, 11)  # greatest sharpness of its teams
ROWS = cython.declare(cython.Py_ssize_t, 12)


@cython.dataclasses.dataclass(frozen=True)
@cython.final
@cython.cclass
class PlacesML(Rounded):
    """Places by maximum likelihood: within ε of a performance for each place, places at least 2ε apart (TS3).

    The margin ε is given itself (a number or a policy), or follows from the probability that two equal teams draw; it
    is one for the whole match. The log-evidence is the maximised log-likelihood, of which `d1` is the derivative by a
    team's mean; `d2` is not its second derivative but tells the variance of the team given the places' performances.

    TS3 barely learns where ε is small against the priors' deviations: places follow the prior means and, where these
    are out of order, crowd 2ε apart, so that no mean moves far, while every sigma shrinks as if its team's performance
    had been seen. At TrueSkill's defaults and a margin of 0.74, a win moves a newcomer's mean by 0.6, and her sigma
    from 8.3 to 3.7. Margins of the order of the deviations over the number of places work.

    >>> import prowess as pw
    >>> model = pw.TrueSkill(tau=0).replace(outcome=PlacesML(margin=5.0))
    >>> rated = model.rate([[model.rating()], [model.rating()], [model.rating()]], ranks=[1, 2, 2])
    >>> [round(player.mu, 2) for [player] in rated]
    [29.84, 22.58, 22.58]
    """

    draw_probability: object = None
    margin: object = None

    tunable: ClassVar[dict[str, Range]] = {
        "draw_probability": Range(0.001, 0.9, log=True),
        "margin": Range(1.0 / 3000, 3, log=True, unit="sigma"),
    }

    def __post_init__(self) -> None:
        margin_from(self.draw_probability, self.margin, tie_width)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def evidence(self, board: Board) -> cython.double:
        """Steps 2 to 4 of the algorithm."""
        board.margin.measure(board, True)
        sort_by_place(board)
        return most_likely(board, one_margin(board))


@cython.ccall
def most_likely(board: Board, epsilon: cython.double) -> cython.double:
    """Maximise Π P(|t − x| ≤ ε) over the places' x and condition every team on its x; returns the log of the maximum.

    The board's `order` holds the teams from the best place to the worst.
    """
    places = _lay_out(board)
    best = 0
    _surround(board, places, epsilon)
    while best < places:
        best = _settle(board, best, places, epsilon)
    return _condition_all(board, places, epsilon)


@cython.cfunc
def _lay_out(board: Board) -> cython.Py_ssize_t:
    """Lay out the teams from place to place; returns how many places there are."""
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
def _centre(places: cython.Py_ssize_t, k: cython.Py_ssize_t) -> cython.double:
    """x_k − y in margins. y is counted from the middle of the places: between two, their common edge is y itself."""
    return places - 1.0 - 2.0 * k


@cython.cfunc
@cython.exceptval(check=False)
def _surround(board: Board, places: cython.Py_ssize_t, epsilon: cython.double) -> cython.void:
    """Make all places one block: y lies between the points that the teams want, near their mean by precision.

    For the mean, the interval counts by its variance ε²/3. The bracket has room on both sides: Newton may overshoot.
    """
    j = 0
    guess: cython.double = board.scratch[MEAN, 0] - _centre(places, 0) * epsilon
    low: cython.double = guess
    high: cython.double = guess
    widest = 0.0
    shares = 0.0
    beyond: cython.double = 0.0
    for k in range(places):
        while j < board.scratch[END, k]:
            wish = board.scratch[MEAN, j] - _centre(places, k) * epsilon
            variance = board.variance[board.order[j]]
            widest = max(widest, variance)
            variance += epsilon * epsilon / 3.0
            low = min(low, wish)
            high = max(high, wish)
            shares += 1.0 / variance
            beyond += (wish - guess) / variance
            j += 1
    guess = min(max(guess + beyond / shares, low), high)
    board.scratch[LAST, 0] = places - 1
    board.scratch[GUESS, 0] = guess
    board.scratch[LOOK, 0] = 0.0
    board.scratch[LOW, 0] = low - guess - sqrt(widest)
    board.scratch[HIGH, 0] = high - guess + sqrt(widest)


@cython.cfunc
@cython.exceptval(check=False)
def _settle(
    board: Board, best: cython.Py_ssize_t, places: cython.Py_ssize_t, epsilon: cython.double
) -> cython.Py_ssize_t:
    """Find the y of a block, or split it; returns the best place of the block that is to be settled next."""
    last = cython.cast(cython.Py_ssize_t, board.scratch[LAST, best])
    looks = 0
    step = board.scratch[HIGH, best] - board.scratch[LOW, best]
    before = step
    while looks < MOST_LOOKS:
        _look(board, best, places, epsilon)
        if _split(board, best):
            return best
        pull = _sum(board, PULL, best, last)
        if fabs(pull) <= ROUNDING * board.scratch[SIZE, best]:
            return last + 1
        board.scratch[LOW if pull > 0.0 else HIGH, best] = board.scratch[LOOK, best]
        before, step = fabs(step), _step(board, best, before)
        if not _move(board, best, step) or fabs(step) * board.scratch[SHARPEST, best] <= NEAR:
            return last + 1
        looks += 1
    board.converged = False
    return last + 1


@cython.cfunc
@cython.exceptval(check=False)
def _move(board: Board, best: cython.Py_ssize_t, step: cython.double) -> cython.bint:
    """Look elsewhere, and count from near there: what is left of LOOK are the digits that the guess cannot hold.

    Returns whether that is anywhere else at all: a step may be lost in rounding.
    """
    origin = board.scratch[GUESS, best]
    here = board.scratch[LOOK, best] + step
    moved: cython.bint = here != board.scratch[LOOK, best]
    board.scratch[GUESS, best] += here
    origin = board.scratch[GUESS, best] - origin
    board.scratch[LOOK, best] = here - origin
    board.scratch[LOW, best] -= origin
    board.scratch[HIGH, best] -= origin
    return moved


@cython.cfunc
@cython.exceptval(check=False)
def _look(board: Board, best: cython.Py_ssize_t, places: cython.Py_ssize_t, epsilon: cython.double) -> cython.void:
    """What the teams of a block say to its y: how those of each place pull, and how fast that changes."""
    j = cython.cast(cython.Py_ssize_t, board.scratch[END, best - 1]) if best > 0 else 0
    sharpest: cython.double = 0.0
    size: cython.double = 0.0
    for k in range(best, cython.cast(cython.Py_ssize_t, board.scratch[LAST, best]) + 1):
        board.scratch[PULL, k] = board.scratch[GRIP, k] = 0.0
        while j < board.scratch[END, k]:
            _condition(board, j, best, _centre(places, k), epsilon)
            sharpness = board.scratch[SHARPNESS, j]
            sharpest = max(sharpest, sharpness)
            board.scratch[PULL, k] -= board.cut.shift * sharpness
            board.scratch[GRIP, k] += board.cut.lost * sharpness * sharpness
            size += fabs(board.cut.shift) * sharpness
            j += 1
    board.scratch[SIZE, best] = size
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
    """Condition a team of a block on |t − x| ≤ ε: fills the cut, of which `shift`, `left` and `lost` are asked for.

    Where one edge of the interval decides alone, the team is measured from there: x ± ε would lose it if ε is large.
    """
    sharpness = board.scratch[SHARPNESS, j]
    ahead = (board.scratch[MEAN, j] - board.scratch[GUESS, best]) - board.scratch[LOOK, best]
    t = (ahead - centre * epsilon) * sharpness
    if fabs(t) * epsilon * sharpness <= ONE_SIDED:
        within(t, epsilon * sharpness, board.cut)
    elif t < 0.0:
        above((ahead - (centre - 1.0) * epsilon) * sharpness, board.cut)
    else:
        above(((centre + 1.0) * epsilon - ahead) * sharpness, board.cut)
        board.cut.shift = -board.cut.shift


@cython.cfunc
@cython.exceptval(check=False)
def _sum(board: Board, row: cython.Py_ssize_t, best: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.double:
    """The sum of a row over places."""
    total: cython.double = 0.0
    for k in range(best, last + 1):
        total += board.scratch[row, k]
    return total


@cython.cfunc
@cython.exceptval(check=False)
def _find(board: Board, best: cython.Py_ssize_t, last: cython.Py_ssize_t, up: cython.bint) -> cython.Py_ssize_t:
    """The last of the places that together pull up most, by sums from the best, or of the others down, from the worst.

    That is the same, but for rounding. Gives `last` unless the ones pull up and the others down.
    """
    split = last
    pull: cython.double = 0.0
    most: cython.double = 0.0
    for k in range(last - best):
        pull += board.scratch[PULL, best + k] if up else -board.scratch[PULL, last - k]
        if pull > most:
            most = pull
            split = best + k if up else last - k - 1
    return split if _sum(board, PULL, best, split) > 0.0 > _sum(board, PULL, split + 1, last) else last


@cython.cfunc
@cython.exceptval(check=False)
def _split(board: Board, best: cython.Py_ssize_t) -> cython.bint:
    """Split a block where the places above pull up most, if the others pull down; returns whether it is split.

    It is looked for first from the end that all together pull away from, so that little is not lost in what is great.
    """
    last = cython.cast(cython.Py_ssize_t, board.scratch[LAST, best])
    down: cython.bint = _sum(board, PULL, best, last) <= 0.0
    split = _find(board, best, last, down)
    if split == last:
        split = _find(board, best, last, not down)
    if split == last:
        return False
    board.scratch[LAST, best] = split
    board.scratch[LAST, split + 1] = last
    board.scratch[GUESS, split + 1] = board.scratch[GUESS, best]
    board.scratch[LOOK, split + 1] = board.scratch[HIGH, split + 1] = board.scratch[LOOK, best]
    board.scratch[LOW, split + 1] = board.scratch[LOW, best]
    board.scratch[LOW, best] = board.scratch[LOOK, best]
    board.scratch[SHARPEST, split + 1] = board.scratch[SHARPEST, best]
    _move(board, split + 1, _step(board, split + 1, INFINITY))
    _move(board, best, _step(board, best, INFINITY))
    return True


@cython.cfunc
@cython.exceptval(check=False)
def _step(board: Board, best: cython.Py_ssize_t, before: cython.double) -> cython.double:
    """Newton's step, if it stays in the bracket and is at most half the step before last; else half the bracket."""
    last = cython.cast(cython.Py_ssize_t, board.scratch[LAST, best])
    low = board.scratch[LOW, best] - board.scratch[LOOK, best]
    high = board.scratch[HIGH, best] - board.scratch[LOOK, best]
    pull = _sum(board, PULL, best, last)
    grip = _sum(board, GRIP, best, last)
    half = 0.5 * (low + high)
    newton = pull / grip if grip > 0.0 else half
    if low < newton < high and 2.0 * fabs(newton) <= before:
        return newton
    return newton if grip > 0.0 and fabs(newton) * board.scratch[SHARPEST, best] <= NEAR else half


@cython.cfunc
@cython.exceptval(check=False)
def _condition_all(board: Board, places: cython.Py_ssize_t, epsilon: cython.double) -> cython.double:
    """Every team given its place's performance; returns the log-likelihood, for a margin of 0 that of points."""
    j = 0
    best = 0
    likelihood = 0.0
    for k in range(places):
        if k > board.scratch[LAST, best]:
            best = k
        while j < board.scratch[END, k]:
            _condition(board, j, best, _centre(places, k), epsilon)
            sharpness = board.scratch[SHARPNESS, j]
            team = board.order[j]
            board.d1[team] = board.cut.shift * sharpness
            board.d2[team] = -board.cut.lost * sharpness * sharpness
            board.left[team] = board.cut.left
            likelihood += log_z(board.cut)
            likelihood += log(sharpness) if epsilon == 0.0 else 0.0
            j += 1
    return likelihood

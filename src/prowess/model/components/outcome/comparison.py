"""The comparison of two sides, and of all sides of a match with each other.

A side is a team, or a single player in the outcome `Duel`. In a small match, all pairs of sides are compared. A large
match has too many pairs: 2,000 teams of six players make 144 million pairs.

The update of a side of rating x from all others is the sum of two parts. The first part depends only on the results, so
one sum for each place is enough. The second part is a smooth function of x. The range of ratings is divided into
pieces, the function is computed exactly at Chebyshev nodes in every piece, and barycentric interpolation gives its
value for every side. The contribution of a side's own team is computed in the same way and subtracted.

For a given range of ratings, the cost is linear in the number of sides, and never above the cost of comparing all
pairs. The results agree with a comparison of all pairs to 1e-12.
"""

from __future__ import annotations

from array import array
from math import cos, pi
from typing import Any

# kernel
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

from ...engine.board import Board, make_scratch
from ..interfaces import Outcome, missing

if not cython.compiled:
    from math import ceil, fabs

INTERPOLATE_FROM = cython.declare(cython.Py_ssize_t, 128)  # with at least this many sides, sums are interpolated
NODES = cython.declare(cython.Py_ssize_t, 24)  # interpolation nodes per piece, enough for an accuracy of 1e-12
NODE = cython.declare(cython.double[::1], array("d", [cos(pi * k / 23) for k in range(24)]))

# Rows of the board's scratch, one column per side.
RATING = cython.declare(cython.Py_ssize_t, 0)  # including home advantage and offset
VARIANCE = cython.declare(cython.Py_ssize_t, 1)  # variance of the side's performance
SHARE = cython.declare(cython.Py_ssize_t, 2)  # weight of the side as an opponent
PUSH = cython.declare(cython.Py_ssize_t, 3)  # the side's update, summed over its comparisons
PULL = cython.declare(cython.Py_ssize_t, 4)
# The effect of winning instead of losing, against each team (a column per team) and each place (a column per place).
TEAM_PUSH = cython.declare(cython.Py_ssize_t, 5)
TEAM_PULL = cython.declare(cython.Py_ssize_t, 6)
TEAM_SHARE = cython.declare(cython.Py_ssize_t, 7)
PLACE_PUSH = cython.declare(cython.Py_ssize_t, 8)
PLACE_PULL = cython.declare(cython.Py_ssize_t, 9)
# The update of a side that loses to all sides, computed at each node of a piece; one column per node.
NODE_PUSH = cython.declare(cython.Py_ssize_t, 10)
NODE_PULL = cython.declare(cython.Py_ssize_t, 11)
TEAM = cython.declare(cython.Py_ssize_t, 12)  # index of the side's team
ROWS = cython.declare(cython.Py_ssize_t, 13)


@cython.cclass
class Comparison(Outcome):
    """An outcome that compares two sides: who finishes ahead depends on the difference of their ratings.

    >>> Comparison().stretch(0.0, 0.0)
    0.0
    """

    def chance(self, board: Board, gap: cython.double, variance: cython.double) -> cython.double:
        """Return the expected score E of a side rated `gap` above another; `variance` is the sum of both variances.

        Set `expected` on the board to E, and `conceded` to 1 − E, to full accuracy.
        """
        raise missing(self, "chance")

    def meet(
        self, board: Board, gap: cython.double, own: cython.double, other: cython.double, result: cython.double
    ) -> cython.bint:
        """Learn from the result (1, ½ or 0) of a side rated `gap` above its opponent.

        The variances of the side and its opponent are `own` and `other`.

        Set `push` and `pull` on the board; they become the derivatives d₁ and d₂.
        """
        raise missing(self, "meet")

    def likelihood(
        self, board: Board, gap: cython.double, own: cython.double, other: cython.double, result: cython.double
    ) -> cython.double:
        """Return the log-likelihood of the result from this side's point of view.

        If the variances are equal, both sides' points of view give the same number.
        """
        raise missing(self, "likelihood")

    def stretch(self, least: cython.double, most: cython.double) -> cython.double:
        """Return a length, in rating points, over which `meet` is smooth enough to interpolate; 0 if unknown.

        The length must be valid for all variances from `least` to `most`. A known length makes matches of thousands of
        sides cheap. Return a length above 0 only if `push` and `pull` are linear in the result, with a slope that does
        not depend on the gap. If all sides have the same variance, `push` and `pull` may also depend on the variance of
        the side itself.
        """
        return 0.0

    def performance(self, variance: Any) -> Any:
        """Return the variance of normal performances that give about the same win probabilities as `chance`."""
        raise missing(self, "performance")


def score_between(board: Board, team: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.double:
    """Return the score of a team against another: 1, ½ or 0."""
    if board.place[team] == board.place[other]:
        return 0.5
    return 1.0 if board.place[team] < board.place[other] else 0.0


def reserve_sides(board: Board) -> cython.bint:
    """Enlarge the board's scratch table to hold all sides."""
    return make_scratch(board, ROWS, max(board.entry_capacity, board.team_capacity, NODES))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _team(board: Board, side: cython.Py_ssize_t) -> cython.Py_ssize_t:
    return cython.cast(cython.Py_ssize_t, board.scratch[TEAM, side])


def add_side(
    board: Board,
    side: cython.Py_ssize_t,
    team: cython.Py_ssize_t,
    rating: cython.double,
    variance: cython.double,
    share: cython.double,
) -> cython.void:
    """Add a side to the comparisons. The sides of a team must be added one after another."""
    board.scratch[TEAM, side] = team
    board.scratch[RATING, side] = rating
    board.scratch[VARIANCE, side] = variance
    board.scratch[SHARE, side] = share


def compare_all(
    pair: Comparison, board: Board, sides: cython.Py_ssize_t, push: cython.double[::1], pull: cython.double[::1]
) -> cython.bint:
    """Compare every side with all sides of other teams.

    Fill `push` and `pull` with the average of each side's comparisons, weighted by the opponents' shares of the match.
    """
    stretch = 0.0
    least: cython.double = board.scratch[VARIANCE, 0]
    most: cython.double = least
    for k in range(sides):
        board.scratch[PUSH, k] = board.scratch[PULL, k] = 0.0
        least = min(least, board.scratch[VARIANCE, k])
        most = max(most, board.scratch[VARIANCE, k])
    if sides >= INTERPOLATE_FROM:
        stretch = pair.stretch(least, most)
    total = _sum_shares(board, sides)
    if stretch > 0.0:
        _compare_interpolated(pair, board, sides, stretch)
    else:
        _compare_each(pair, board, sides)
    for k in range(sides):
        # If no opponent played any part of the match, there is nothing to learn.
        rest = total - board.scratch[TEAM_SHARE, _team(board, k)]
        push[k] = board.scratch[PUSH, k] / rest if rest > 0.0 else 0.0
        pull[k] = board.scratch[PULL, k] / rest if rest > 0.0 else 0.0
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _sum_shares(board: Board, sides: cython.Py_ssize_t) -> cython.double:
    total: cython.double = 0.0
    for k in range(board.teams):
        board.scratch[TEAM_SHARE, k] = 0.0
    for k in range(sides):
        board.scratch[TEAM_SHARE, _team(board, k)] += board.scratch[SHARE, k]
        total += board.scratch[SHARE, k]
    return total


@cython.cfunc
def _compare_each(pair: Comparison, board: Board, sides: cython.Py_ssize_t) -> cython.bint:
    for i in range(sides):
        for k in range(sides):
            if board.scratch[TEAM, k] != board.scratch[TEAM, i] and board.scratch[SHARE, k] > 0.0:
                pair.meet(
                    board,
                    board.scratch[RATING, i] - board.scratch[RATING, k],
                    board.scratch[VARIANCE, i],
                    board.scratch[VARIANCE, k],
                    score_between(board, _team(board, i), _team(board, k)),
                )
                board.scratch[PUSH, i] += board.scratch[SHARE, k] * board.push
                board.scratch[PULL, i] += board.scratch[SHARE, k] * board.pull
    return False


@cython.cfunc
def _compare_interpolated(
    pair: Comparison, board: Board, sides: cython.Py_ssize_t, stretch: cython.double
) -> cython.bint:
    """Compute the update of every side with one interpolated sum instead of a sum over all pairs.

    First treat every comparison as a loss, then add the effect of wins and draws, which depends only on the place.
    These sums count a side and its team-mates as opponents who drew, so the contribution of the side's own team is
    subtracted.
    """
    first = 0
    _sum_win_effects(pair, board, sides)
    for i in range(sides):
        team = _team(board, i)
        board.scratch[PUSH, i] = board.scratch[PLACE_PUSH, board.place[team] - 1] - 0.5 * board.scratch[TEAM_PUSH, team]
        board.scratch[PULL, i] = board.scratch[PLACE_PULL, board.place[team] - 1] - 0.5 * board.scratch[TEAM_PULL, team]
    _add_losses(pair, board, 0, sides, stretch, 1.0)
    for i in range(1, sides + 1):
        if i == sides or board.scratch[TEAM, i] != board.scratch[TEAM, first]:
            _add_losses(pair, board, first, i, stretch, -1.0)
            first = i
    return False


@cython.cfunc
def _sum_win_effects(pair: Comparison, board: Board, sides: cython.Py_ssize_t) -> cython.bint:
    """Sum, for each team and for each place, the effect of winning instead of losing.

    The sum for a place includes the full effect of all teams behind that place, and half the effect of the teams in it.
    """
    push: cython.double = 0.0
    pull: cython.double = 0.0
    for k in range(board.teams):
        board.scratch[PLACE_PUSH, k] = board.scratch[PLACE_PULL, k] = 0.0
        board.scratch[TEAM_PUSH, k] = board.scratch[TEAM_PULL, k] = 0.0
    for k in range(sides):
        team = _team(board, k)
        pair.meet(board, 0.0, board.scratch[VARIANCE, k], board.scratch[VARIANCE, k], 1.0)
        board.scratch[TEAM_PUSH, team] += board.scratch[SHARE, k] * board.push
        board.scratch[TEAM_PULL, team] += board.scratch[SHARE, k] * board.pull
        pair.meet(board, 0.0, board.scratch[VARIANCE, k], board.scratch[VARIANCE, k], 0.0)
        board.scratch[TEAM_PUSH, team] -= board.scratch[SHARE, k] * board.push
        board.scratch[TEAM_PULL, team] -= board.scratch[SHARE, k] * board.pull
    for team in range(board.teams):
        board.scratch[PLACE_PUSH, board.place[team] - 1] += board.scratch[TEAM_PUSH, team]
        board.scratch[PLACE_PULL, board.place[team] - 1] += board.scratch[TEAM_PULL, team]
    for place in range(board.teams - 1, -1, -1):
        push += board.scratch[PLACE_PUSH, place]
        pull += board.scratch[PLACE_PULL, place]
        board.scratch[PLACE_PUSH, place] = push - 0.5 * board.scratch[PLACE_PUSH, place]
        board.scratch[PLACE_PULL, place] = pull - 0.5 * board.scratch[PLACE_PULL, place]
    return False


@cython.cfunc
def _add_losses(
    pair: Comparison,
    board: Board,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    stretch: cython.double,
    sign: cython.double,
) -> cython.bint:
    """Add to each side in `first:last` its update from losing to all sides in `first:last`, times `sign`.

    Interpolate if this is cheaper than adding up all pairs.
    """
    low: cython.double = board.scratch[RATING, first]
    high: cython.double = low
    pieces: cython.Py_ssize_t
    for i in range(first, last):
        low = min(low, board.scratch[RATING, i])
        high = max(high, board.scratch[RATING, i])
    # Interpolation needs one sum over all sides per node; comparing all pairs needs one sum per side.
    if (high - low) / stretch * NODES + NODES < last - first:
        pieces = max(cython.cast(cython.Py_ssize_t, ceil((high - low) / stretch)), 1)
        for i in range(pieces):
            left = low + (high - low) * i / pieces
            right = low + (high - low) * (i + 1) / pieces
            _interpolate_piece(pair, board, first, last, left, right, i + 1 == pieces, sign)
        return False
    for i in range(first, last):
        _sum_losses(pair, board, board.scratch[RATING, i], board.scratch[VARIANCE, i], first, last, 0)
        board.scratch[PUSH, i] += sign * board.scratch[NODE_PUSH, 0]
        board.scratch[PULL, i] += sign * board.scratch[NODE_PULL, 0]
    return False


@cython.cfunc
def _sum_losses(
    pair: Comparison,
    board: Board,
    rating: cython.double,
    variance: cython.double,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    node: cython.Py_ssize_t,
) -> cython.bint:
    push: cython.double = 0.0
    pull: cython.double = 0.0
    for k in range(first, last):
        pair.meet(board, rating - board.scratch[RATING, k], variance, board.scratch[VARIANCE, k], 0.0)
        push += board.scratch[SHARE, k] * board.push
        pull += board.scratch[SHARE, k] * board.pull
    board.scratch[NODE_PUSH, node] = push
    board.scratch[NODE_PULL, node] = pull
    return False


@cython.cfunc
def _interpolate_piece(
    pair: Comparison,
    board: Board,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    left: cython.double,
    right: cython.double,
    closed: cython.bint,
    sign: cython.double,
) -> cython.bint:
    evaluated = False
    for i in range(first, last):
        if left <= board.scratch[RATING, i] and (board.scratch[RATING, i] < right or closed):
            # Some pieces contain no side, so the nodes are evaluated on first use.
            if not evaluated:
                for node in range(NODES):
                    _sum_losses(pair, board, _node(left, right, node), board.scratch[VARIANCE, i], first, last, node)
                evaluated = True
            _interpolate(board, i, left, right, sign)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _node(left: cython.double, right: cython.double, node: cython.Py_ssize_t) -> cython.double:
    # A Chebyshev point of the second kind.
    return 0.5 * (left + right) + 0.5 * (right - left) * NODE[node]


@cython.cfunc
@cython.exceptval(check=False)
def _interpolate(
    board: Board, side: cython.Py_ssize_t, left: cython.double, right: cython.double, sign: cython.double
) -> cython.void:
    # In the barycentric formula the signs of the weights alternate, and the first and last weight are halved.
    push: cython.double = 0.0
    pull: cython.double = 0.0
    total = 0.0
    for node in range(NODES):
        away = board.scratch[RATING, side] - _node(left, right, node)
        if fabs(away) < 1e-300:  # the side lies on a node, where the formula would divide by 0
            push = board.scratch[NODE_PUSH, node]
            pull = board.scratch[NODE_PULL, node]
            total = 1.0
            break
        weight = (1.0 - 2.0 * (node % 2)) / away
        if node == 0 or node == NODES - 1:
            weight *= 0.5
        push += weight * board.scratch[NODE_PUSH, node]
        pull += weight * board.scratch[NODE_PULL, node]
        total += weight
    board.scratch[PUSH, side] += sign * (push / total)
    board.scratch[PULL, side] += sign * (pull / total)

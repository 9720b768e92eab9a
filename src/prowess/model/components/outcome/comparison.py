"""Comparisons: of two sides, and of all sides of a match with each other, be they thousands.

A side is a team, or a player where players duel. In a small match all pairs of sides meet. In a large one that would be
too much: 2,000 teams of six are 144 million pairs. But what a side at x learns from all others is a part that counts
results, for which sums by place are enough, plus a smooth function of x, which is interpolated. The range of ratings is
cut into pieces; the function is summed exactly at Chebyshev nodes in every piece, and barycentric interpolation gives
it at every side. A side's own team is taken out again by the same sum over that team. For a given range of ratings the
cost is linear in the number of sides, it is never above that of all pairs, and the results are the same to 1e-12.
"""

from __future__ import annotations

from array import array
from math import cos, pi
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from ... import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import ceil, fabs
    from cython.cimports.prowess.model.components.interfaces import Outcome
    from cython.cimports.prowess.model.engine.board import Board, make_scratch
else:
    from math import ceil, fabs

    from ...engine.board import Board, make_scratch
    from ..interfaces import Outcome

from ..interfaces import missing

CROWD = cython.declare(cython.Py_ssize_t, 128)  # sides from which on sums are interpolated
NODES = cython.declare(cython.Py_ssize_t, 24)
NODE = cython.declare(cython.double[::1], array("d", [cos(pi * k / 23) for k in range(24)]))

# Rows of the board's scratch, a column a side.
AT = cython.declare(cython.Py_ssize_t, 0)  # rating, with all that shifts it
SPREAD = cython.declare(cython.Py_ssize_t, 1)  # variance of the performance
SHARE = cython.declare(cython.Py_ssize_t, 2)  # how much the side counts as an opponent
PUSH = cython.declare(cython.Py_ssize_t, 3)  # the sums of what it learns
PULL = cython.declare(cython.Py_ssize_t, 4)
# By how much winning against a team moves others, a column a team, and so for all teams on a place, a column a place.
TEAM_PUSH = cython.declare(cython.Py_ssize_t, 5)
TEAM_PULL = cython.declare(cython.Py_ssize_t, 6)
TEAM_SHARE = cython.declare(cython.Py_ssize_t, 7)
PLACE_PUSH = cython.declare(cython.Py_ssize_t, 8)
PLACE_PULL = cython.declare(cython.Py_ssize_t, 9)
# Sums at the nodes of a piece, a column a node.
NODE_PUSH = cython.declare(cython.Py_ssize_t, 10)
NODE_PULL = cython.declare(cython.Py_ssize_t, 11)
TEAM = cython.declare(cython.Py_ssize_t, 12)  # the side's team
ROWS = cython.declare(cython.Py_ssize_t, 13)


@cython.cclass
class Comparison(Outcome):
    """What two sides learn when they meet: who finishes ahead depends on the difference of their ratings.

    >>> Comparison().stretch(0.0, 0.0)
    0.0
    """

    def chance(self, board: Board, gap: cython.double, variance: cython.double) -> cython.double:
        """The expected score E of a side that is `gap` above another; `variance` is that of both together.

        It is left on the board as `expected`, and 1 − E, to full accuracy, as `conceded`.
        """
        raise missing(self, "chance")

    def meet(
        self, board: Board, gap: cython.double, own: cython.double, other: cython.double, result: cython.double
    ) -> cython.bint:
        """What a side of variance `own`, `gap` above another of variance `other`, learns from a result of 1, ½ or 0.

        It is left on the board: `push` becomes d₁ and `pull` becomes d₂.
        """
        raise missing(self, "meet")

    def likelihood(
        self, board: Board, gap: cython.double, own: cython.double, other: cython.double, result: cython.double
    ) -> cython.double:
        """The log-likelihood of the result as this side sees it; sides of equal variance see the same."""
        raise missing(self, "likelihood")

    def stretch(self, least: cython.double, most: cython.double) -> cython.double:
        """Over how many points `meet` is smooth, if all variances lie between `least` and `most`; 0: not known.

        Where it is known, matches of thousands are cheap. Then `push` and `pull` must be linear in the result, by an
        amount that does not depend on the gap, and may depend on a side's own variance only if all are equal.
        """
        return 0.0

    def performance(self, variance: Any) -> Any:
        """The variance of a normal performance such that the better of two performances wins with about `chance`."""
        raise missing(self, "performance")


def verdict(board: Board, team: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.double:
    """The score of a team against another: 1, ½ or 0."""
    if board.place[team] == board.place[other]:
        return 0.5
    return 1.0 if board.place[team] < board.place[other] else 0.0


def make_room(board: Board) -> cython.bint:
    """Make room in the scratch for as many sides as there can be."""
    return make_scratch(board, ROWS, max(board.entry_capacity, board.team_capacity, NODES))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _team(board: Board, side: cython.Py_ssize_t) -> cython.Py_ssize_t:
    return cython.cast(cython.Py_ssize_t, board.scratch[TEAM, side])


def seat(
    board: Board,
    side: cython.Py_ssize_t,
    team: cython.Py_ssize_t,
    at: cython.double,
    spread: cython.double,
    share: cython.double,
) -> cython.void:
    """Put a side where all can see it; sides come team by team."""
    board.scratch[TEAM, side] = team
    board.scratch[AT, side] = at
    board.scratch[SPREAD, side] = spread
    board.scratch[SHARE, side] = share


def compare_all(
    pair: Comparison, board: Board, sides: cython.Py_ssize_t, push: cython.double[::1], pull: cython.double[::1]
) -> cython.bint:
    """Every seated side meets all sides of other teams: the averages of what it learns go to `push` and `pull`."""
    stretch = 0.0
    least: cython.double = board.scratch[SPREAD, 0]
    most: cython.double = least
    for k in range(sides):
        board.scratch[PUSH, k] = board.scratch[PULL, k] = 0.0
        least = min(least, board.scratch[SPREAD, k])
        most = max(most, board.scratch[SPREAD, k])
    if sides >= CROWD:
        stretch = pair.stretch(least, most)
    total = _count_shares(board, sides)
    if stretch > 0.0:
        _meet_crowd(pair, board, sides, stretch)
    else:
        _meet_each(pair, board, sides)
    for k in range(sides):
        rest = total - board.scratch[TEAM_SHARE, _team(board, k)]
        push[k] = board.scratch[PUSH, k] / rest if rest > 0.0 else 0.0
        pull[k] = board.scratch[PULL, k] / rest if rest > 0.0 else 0.0
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _count_shares(board: Board, sides: cython.Py_ssize_t) -> cython.double:
    """The shares of every team, and of all."""
    total: cython.double = 0.0
    for k in range(board.teams):
        board.scratch[TEAM_SHARE, k] = 0.0
    for k in range(sides):
        board.scratch[TEAM_SHARE, _team(board, k)] += board.scratch[SHARE, k]
        total += board.scratch[SHARE, k]
    return total


@cython.cfunc
def _meet_each(pair: Comparison, board: Board, sides: cython.Py_ssize_t) -> cython.bint:
    """All pairs of sides, one by one."""
    for i in range(sides):
        for k in range(sides):
            if board.scratch[TEAM, k] != board.scratch[TEAM, i] and board.scratch[SHARE, k] > 0.0:
                pair.meet(
                    board,
                    board.scratch[AT, i] - board.scratch[AT, k],
                    board.scratch[SPREAD, i],
                    board.scratch[SPREAD, k],
                    verdict(board, _team(board, i), _team(board, k)),
                )
                board.scratch[PUSH, i] += board.scratch[SHARE, k] * board.push
                board.scratch[PULL, i] += board.scratch[SHARE, k] * board.pull
    return False


@cython.cfunc
def _meet_crowd(pair: Comparison, board: Board, sides: cython.Py_ssize_t, stretch: cython.double) -> cython.bint:
    """All pairs at once: results by place, and the rest as if everybody had lost, own teams taken out (as drawn)."""
    first = 0
    _count_results(pair, board, sides)
    for i in range(sides):
        team = _team(board, i)
        board.scratch[PUSH, i] = board.scratch[PLACE_PUSH, board.place[team] - 1] - 0.5 * board.scratch[TEAM_PUSH, team]
        board.scratch[PULL, i] = board.scratch[PLACE_PULL, board.place[team] - 1] - 0.5 * board.scratch[TEAM_PULL, team]
    _add_lost(pair, board, 0, sides, stretch, 1.0)
    for i in range(1, sides + 1):
        if i == sides or board.scratch[TEAM, i] != board.scratch[TEAM, first]:
            _add_lost(pair, board, first, i, stretch, -1.0)
            first = i
    return False


@cython.cfunc
def _count_results(pair: Comparison, board: Board, sides: cython.Py_ssize_t) -> cython.bint:
    """What a win adds to a loss, by teams, and by places: all below a place count whole, those on it half."""
    push: cython.double = 0.0
    pull: cython.double = 0.0
    for k in range(board.teams):
        board.scratch[PLACE_PUSH, k] = board.scratch[PLACE_PULL, k] = 0.0
        board.scratch[TEAM_PUSH, k] = board.scratch[TEAM_PULL, k] = 0.0
    for k in range(sides):
        team = _team(board, k)
        pair.meet(board, 0.0, board.scratch[SPREAD, k], board.scratch[SPREAD, k], 1.0)
        board.scratch[TEAM_PUSH, team] += board.scratch[SHARE, k] * board.push
        board.scratch[TEAM_PULL, team] += board.scratch[SHARE, k] * board.pull
        pair.meet(board, 0.0, board.scratch[SPREAD, k], board.scratch[SPREAD, k], 0.0)
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
def _add_lost(
    pair: Comparison,
    board: Board,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    stretch: cython.double,
    sign: cython.double,
) -> cython.bint:
    """Add to each of these sides what it would learn from losing to all of them, by pieces where that pays."""
    i: cython.Py_ssize_t
    pieces: cython.Py_ssize_t
    left: cython.double
    right: cython.double
    low: cython.double = board.scratch[AT, first]
    high: cython.double = low
    for i in range(first, last):
        low = min(low, board.scratch[AT, i])
        high = max(high, board.scratch[AT, i])
    if (high - low) / stretch * NODES + NODES < last - first:
        pieces = max(cython.cast(cython.Py_ssize_t, ceil((high - low) / stretch)), 1)
        for i in range(pieces):
            left = low + (high - low) * i / pieces
            right = low + (high - low) * (i + 1) / pieces
            _add_piece(pair, board, first, last, left, right, i + 1 == pieces, sign)
        return False
    for i in range(first, last):
        _sum_lost(pair, board, board.scratch[AT, i], board.scratch[SPREAD, i], first, last, 0)
        board.scratch[PUSH, i] += sign * board.scratch[NODE_PUSH, 0]
        board.scratch[PULL, i] += sign * board.scratch[NODE_PULL, 0]
    return False


@cython.cfunc
def _sum_lost(
    pair: Comparison,
    board: Board,
    at: cython.double,
    own: cython.double,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    node: cython.Py_ssize_t,
) -> cython.bint:
    """What a side at this rating would learn from losing to all of these; it is left in the columns of a node."""
    push: cython.double = 0.0
    pull: cython.double = 0.0
    for k in range(first, last):
        pair.meet(board, at - board.scratch[AT, k], own, board.scratch[SPREAD, k], 0.0)
        push += board.scratch[SHARE, k] * board.push
        pull += board.scratch[SHARE, k] * board.pull
    board.scratch[NODE_PUSH, node] = push
    board.scratch[NODE_PULL, node] = pull
    return False


@cython.cfunc
def _add_piece(
    pair: Comparison,
    board: Board,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    left: cython.double,
    right: cython.double,
    closed: cython.bint,
    sign: cython.double,
) -> cython.bint:
    """The same for the sides whose ratings lie from left to right, by interpolation between nodes."""
    found = False
    for i in range(first, last):
        if left <= board.scratch[AT, i] and (board.scratch[AT, i] < right or closed):
            if not found:
                for node in range(NODES):
                    _sum_lost(pair, board, _node(left, right, node), board.scratch[SPREAD, i], first, last, node)
                found = True
            _interpolate(board, i, left, right, sign)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _node(left: cython.double, right: cython.double, node: cython.Py_ssize_t) -> cython.double:
    """Chebyshev points of the second kind."""
    return 0.5 * (left + right) + 0.5 * (right - left) * NODE[node]


@cython.cfunc
@cython.exceptval(check=False)
def _interpolate(
    board: Board, side: cython.Py_ssize_t, left: cython.double, right: cython.double, sign: cython.double
) -> cython.void:
    """The barycentric formula: weights alternate, and those of the ends are halved."""
    push: cython.double = 0.0
    pull: cython.double = 0.0
    total = 0.0
    for node in range(NODES):
        away = board.scratch[AT, side] - _node(left, right, node)
        if fabs(away) < 1e-300:  # on the node itself
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

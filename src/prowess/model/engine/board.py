"""The `Board`: everything about one match while it is rated.

A model's components never change; everything that changes from match to match is on the board. New
information for a component becomes an attribute of the board, so that no signature has to change.

With `traits` skills per player (one, or offence and defence), a board has columns

====================================  ============================================================================
of a team `j`                         `start[j]` first entry, `place[j]`, `score[j]`
of a team and trait `j * traits + k`  `offset` α₀; prior performance N(`mean`, `variance`) with its `noise` β²Σα²; the
                                      outcome's results `d1`, `d2`, `left`
of an entry `e` (a player in a team)  `elapsed[e]` since the last match, `played[e]` matches before this one
of an entry and trait                 weight `alpha`; belief N(`mu`, `var`); what the match says about it: `g1`, `g2`,
                                      `kept`
====================================  ============================================================================

`left` is u = v′/v, the share of the variance of a team's performance that the outcome leaves; `kept` is the same for a
player's skill. `games` is the number of matches summed in a player's `g1` and `g2`: one, except in rating periods.
`before` is a variance before the drift. `extra` holds further columns of an entry (a volatility). `memory` is what the
model has learnt about the league; the newcomers' level starts at `memory[level]`. N(`centre`, `centre_var`) is the
usual skill for drifts and priors, `beta` the noise of one player, `unit` the factor by which rules scale `g1`, `span`
the length of a unit of `elapsed`. `side` and `past` are boards of one entry, for the home advantage and for a rating
period that ends; `periods` says whether `elapsed` counts rating periods.

The rest belongs to the outcome. `sort_by_place` fills `order`. A comparison sets `expected` and `conceded`,
or `push` and `pull`; a single score sets `push`, `pull` and `rest`. `memo` keeps a few numbers from one step of an
outcome to the next. `scratch` is a table whose rows the outcome names, and enlarges as needed (`make_scratch`).
"""

from __future__ import annotations

from array import array
from typing import ClassVar

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import sqrt
    from cython.cimports.prowess.model.maths.normal import Truncated, above
else:
    from math import sqrt

    from ..maths.normal import Truncated, above

from ...errors import Error
from ..params import Range

MEMO = 4  # numbers that an outcome may keep for its next step


def _doubles(count: int) -> array[float]:
    return array("d", bytes(8 * max(count, 1)))


def _columns(number: int, count: int) -> list[array[float]]:
    return [_doubles(count) for _ in range(number)]


def _ints(count: int) -> array[int]:
    return array("i", bytes(4 * max(count, 1)))


def _table(rows: int, columns: int) -> memoryview:
    return memoryview(bytearray(8 * rows * columns)).cast("d", (rows, columns))


@cython.cclass
class Board:
    """One match: its entries with their beliefs, its teams with their performances, and its result.

    >>> board = Board(teams=2, entries=3)
    >>> board.teams, len(board.mean), len(board.mu)
    (2, 2, 3)
    """

    def __init__(self, teams: int = 2, entries: int = 2, traits: int = 1, extras: int = 0, memory: int = 0) -> None:
        self.teams = teams
        self.entries = entries
        self.traits = traits
        self.extras = extras
        self.team_capacity = teams
        self.entry_capacity = entries
        self.home = -1
        self.importance = 1.0
        self.time = float("nan")
        self.win = self.draw = self.loss = float("nan")
        self.epsilon = 0.0
        self.beta = 0.0
        self.unit = 1.0
        self.converged = True
        self.periods = False
        self.start, self.place = _ints(teams + 1), _ints(teams)
        self.order = _ints(2 * teams + 2)  # the second half is for counting
        self.score = _doubles(teams)
        self.offset, self.noise, self.mean, self.variance = _columns(4, teams * traits)
        self.d1, self.d2, self.left = _columns(3, teams * traits)
        self.elapsed, self.played, self.games = _columns(3, entries)
        self.alpha, self.mu, self.var, self.before = _columns(4, entries * traits)
        self.g1, self.g2, self.kept = _columns(3, entries * traits)
        self.extra, self.memory = _doubles(entries * extras), _doubles(memory)
        self.centre, self.centre_var = _columns(2, traits)
        self.level = 0
        self.span = 1.0
        self.side = None
        self.past = None
        self.margin = Margin()
        self.cut = Truncated()
        self.ahead = Truncated()
        self.behind = Truncated()
        self.sharpness = self.gap = self.edge = 0.0
        self.expected = self.conceded = 0.5
        self.push = self.pull = 0.0
        self.rest = 1.0
        self.memo = array("d", [float("nan")] * MEMO)  # NaN is unequal to every number, so an unset memo is not used
        self.scratch = _table(1, 1)

    def holds(self, teams: cython.Py_ssize_t, entries: cython.Py_ssize_t) -> cython.bint:
        """Return whether a match of this size fits.

        >>> Board(teams=2, entries=4).holds(3, 3)
        False
        """
        return teams <= self.team_capacity and entries <= self.entry_capacity


def make_scratch(board: Board, rows: cython.Py_ssize_t, columns: cython.Py_ssize_t) -> cython.bint:
    """Enlarge the board's scratch to at least this size; its content may be lost."""
    if board.scratch.shape[0] < rows or board.scratch.shape[1] < columns:
        board.scratch = _table(rows, columns)
    return False


def sort_by_place(board: Board) -> cython.void:
    """Sort the teams by place into `board.order`, stably (places count from 1 to the number of teams)."""
    k = 0
    # A counting sort is linear and stable; the second half of `order` holds the counts.
    counts = board.teams - 1  # the count of place 1 is in the next cell
    for j in range(board.teams):
        board.order[board.teams + j] = 0
    for j in range(board.teams):
        board.order[counts + board.place[j]] += 1
    for j in range(board.teams):
        count = board.order[board.teams + j]
        board.order[board.teams + j] = k
        k += count
    for j in range(board.teams):
        k = board.order[counts + board.place[j]]
        board.order[counts + board.place[j]] += 1
        board.order[k] = j


def positive(variance: cython.double) -> cython.double:
    """Return the variance of a performance, or of the difference of two; raise `Error` if it is 0."""
    if variance > 0.0:
        return variance
    raise Error("teams without uncertainty (beta and sigma 0) cannot be compared; give the model a beta above 0")


def compare(board: Board) -> cython.bint:
    """Compare two prior performances: set `gap` and `edge` (the margin) in standard deviations, and both cuts."""
    board.sharpness = 1.0 / sqrt(positive(board.variance[0] + board.variance[1]))
    board.gap = (board.mean[0] - board.mean[1]) * board.sharpness
    board.edge = board.margin.between(board, 0, 1) * board.sharpness
    above(board.gap - board.edge, board.ahead)
    above(-board.gap - board.edge, board.behind)
    return False


@cython.cclass
class Margin:
    """How much better a team must perform than another to finish ahead of it; the default is 0.

    >>> Margin().between(Board(), 0, 1)
    0.0
    """

    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that can be tuned, with their ranges

    def measure(self, board: Board, seen: cython.bint) -> cython.bint:
        """Set `board.epsilon`, the part that all pairs of a match share, before the first call of `between`.

        Places may be used only if `seen` is true; a forecast may use only the prior performances. Return whether the
        margin differs from that of the forecast.
        """
        return False

    def between(self, board: Board, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.double:
        """Return the margin ε between teams `i` and `j`; teams of equal `noise` have equal margins to all others."""
        return 0.0

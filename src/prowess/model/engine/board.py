"""The `Board`: everything about one match while it is rated.

The components of a model are frozen values; what changes from match to match stands on the board. A component that
needs something new finds it as an attribute of the board, so that no signature ever has to change.

A board holds three kinds of columns. With `traits` skills per player (one, or offence and defence):

====================================  ============================================================================
of a team `j`                         `start[j]` first entry, `place[j]`, `score[j]`
of a team and trait `j * traits + k`  `offset` α₀; prior performance N(`mean`, `variance`) with its `noise` β²Σα²; the
                                      outcome's answer `d1`, `d2`, `left`
of an entry `e` (a player in a team)  `elapsed[e]` since her last match, `played[e]` matches before this one
of an entry and trait                 her weight `alpha`; belief N(`mu`, `var`); what the match says of it: `g1`, `g2`,
                                      `kept`
====================================  ============================================================================

`left` is u = v′/v, the share of the variance that the outcome leaves of a team's performance; `kept` is the same of a
player's skill. `games` is how many matches a player's `g1` and `g2` are the sum of: one, but for rating periods.
`before` is a variance before the drift. `extra` holds further columns of an entry (a volatility). `memory` is what the
model has learnt of the league as a whole; from `level` on it is that of newcomers. N(`centre`, `centre_var`) is what a
drift or a prior takes for the usual skill, `beta` the noise of one player, `unit` how many points a whole game is worth
to an outcome that counts in points, `span` how much time a unit of `elapsed` is. `side` and `past` are boards of one
entry, for the home advantage and for a rating period that ends; `periods` tells whether `elapsed` is counted in such.

The rest is the outcome's. `sort_by_place` fills `order`. A comparison of two sides answers with `expected` and
`conceded`, or with `push` and `pull`; a single score with `push`, `pull` and `rest`. `memo` holds a few numbers that
one step of an outcome leaves for the next. `scratch` is a table whose rows the outcome that needs it names for itself,
and makes as large as it needs (`make_scratch`).
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

MEMO = 4  # numbers that an outcome may leave for its next step


def _doubles(count: int) -> array[float]:
    return array("d", bytes(8 * max(count, 1)))


def _ints(count: int) -> array[int]:
    return array("i", bytes(4 * max(count, 1)))


def _table(rows: int, columns: int) -> memoryview:
    return memoryview(bytearray(8 * rows * columns)).cast("d", (rows, columns))


@cython.cclass
class Board:
    """One match: its entries with their beliefs, its teams with their performances, and what was seen.

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
        self.start = _ints(teams + 1)
        self.place = _ints(teams)
        self.order = _ints(2 * teams + 2)  # the second half is for counting
        self.score = _doubles(teams)
        self.offset = _doubles(teams * traits)
        self.noise = _doubles(teams * traits)
        self.mean = _doubles(teams * traits)
        self.variance = _doubles(teams * traits)
        self.d1 = _doubles(teams * traits)
        self.d2 = _doubles(teams * traits)
        self.left = _doubles(teams * traits)
        self.elapsed = _doubles(entries)
        self.played = _doubles(entries)
        self.games = _doubles(entries)
        self.alpha = _doubles(entries * traits)
        self.mu = _doubles(entries * traits)
        self.var = _doubles(entries * traits)
        self.g1 = _doubles(entries * traits)
        self.g2 = _doubles(entries * traits)
        self.kept = _doubles(entries * traits)
        self.before = _doubles(entries * traits)
        self.extra = _doubles(entries * extras)
        self.memory = _doubles(memory)
        self.centre = _doubles(traits)
        self.centre_var = _doubles(traits)
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
        self.memo = array("d", [float("nan")] * MEMO)
        self.scratch = _table(1, 1)

    def holds(self, teams: cython.Py_ssize_t, entries: cython.Py_ssize_t) -> cython.bint:
        """Whether a match of this size fits.

        >>> Board(teams=2, entries=4).holds(3, 3)
        False
        """
        return teams <= self.team_capacity and entries <= self.entry_capacity


def make_scratch(board: Board, rows: cython.Py_ssize_t, columns: cython.Py_ssize_t) -> cython.bint:
    """Make the board's scratch at least this large; what it held may be lost."""
    if board.scratch.shape[0] < rows or board.scratch.shape[1] < columns:
        board.scratch = _table(rows, columns)
    return False


def sort_by_place(board: Board) -> cython.void:
    """Sort the teams by place into `board.order`, stably (places count from 1 to the number of teams)."""
    k = 0
    counts = board.teams - 1  # where that of place 1 stands, less 1
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
    """The variance of a performance, or of the difference of two, which must not vanish."""
    if variance > 0.0:
        return variance
    raise Error(
        "two teams whose performances are known exactly (beta 0 and sigma 0, or no player with a weight) cannot be "
        "compared; give the model a beta above 0"
    )


def compare(board: Board) -> cython.bint:
    """Two teams' prior performances: the `gap` and the margin (`edge`) in standard deviations, and both cuts."""
    board.sharpness = 1.0 / sqrt(positive(board.variance[0] + board.variance[1]))
    board.gap = (board.mean[0] - board.mean[1]) * board.sharpness
    board.edge = board.margin.between(board, 0, 1) * board.sharpness
    above(board.gap - board.edge, board.ahead)
    above(-board.gap - board.edge, board.behind)
    return False


@cython.cclass
class Margin:
    """By how much a team's performance must exceed another's to finish ahead of it: here not at all.

    >>> Margin().between(Board(), 0, 1)
    0.0
    """

    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that may be tuned, and from where to where

    def measure(self, board: Board, seen: cython.bint) -> cython.bint:
        """Find what all pairs of a match share (`board.epsilon`), before the first of them is asked for.

        A forecast is made before the places are `seen`: then nothing but the prior performances may be looked at.
        Returns whether the margin is another one now than in the forecast.
        """
        return False

    def between(self, board: Board, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.double:
        """The margin ε between teams `i` and `j`; teams of equal `noise` have equal margins to all others."""
        return 0.0

"""The `Board`: everything about one match while it is rated.

A model's components never change; all data that change from match to match are attributes of the board. To give a
component new information, add an attribute to the board; signatures do not change.

With `traits` skills per player (one, or offence and defence), a board has columns

====================================  ============================================================================
of a team `j`                         `start[j]` first entry, `place[j]`, `score[j]`
of a team and trait `j * traits + k`  `offset` α₀; prior performance N(`mean`, `variance`) with its `noise` β²Σα²; the
                                      outcome's results `d1`, `d2`, `left`
of an entry `e` (a player in a team)  `elapsed[e]` since the last match, `played[e]` matches before this one
of an entry and trait                 weight `alpha`; belief N(`mu`, `var`); the update by the match: `g1`, `g2`,
                                      `kept`
====================================  ============================================================================

`left` is v′/v, the share of the variance of a team's performance that remains after the outcome; `kept` is the same
share for a player's skill. `games` is the number of matches summed in a player's `g1` and `g2`: one, except in rating
periods. `before_mu` and `before` are the mean and the variance of an entry before the drift. `settled` is 1 for an
entry whose rating period was closed early for a forecast, so that its belief already includes the drift; `home_settled`
is the same flag for the home advantage. `extra` holds further columns of an entry, such as a volatility.

`memory` holds the numbers that the model has learnt about the league; those about the newcomers' level start at
`memory[level]`. N(`centre`, `centre_var`) is the prior belief about a newcomer, before anything was learnt. `beta` is
the noise of one player, `unit` the factor by which absorb rules scale `g1`, `span` the length of a unit of `elapsed`,
and `periods` is true if `elapsed` counts rating periods. `side` is a board with one entry for the home advantage, and
`past` is a board for a player whose rating period is being closed.

The other attributes are working memory for the outcome. `sort_by_place` fills `order`. Outcomes that compare two sides
set `expected` and `conceded`, or `push` and `pull`. Outcomes that learn from single scores set `push`, `pull` and
`rest`. `memo` keeps a few numbers between the steps of an outcome. `scratch` is a table, which each outcome enlarges as
needed (`make_scratch`) and whose rows have names: the constants of the outcome's module.
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
    from cython.cimports.prowess.model.maths.normal import Truncated, above, probability, within
else:
    from math import sqrt

    from ..maths.normal import Truncated, above, probability, within

from ...errors import Error
from ..params import Range, describe

MEMO = 4  # how many numbers an outcome may keep between its steps


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
    """The data of one match: entries with their beliefs, teams with their performances, and the result.

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
        self.home_settled = False
        self.start, self.place = _ints(teams + 1), _ints(teams)
        self.order = _ints(2 * teams + 2)  # the second half holds counters while sorting
        self.score = _doubles(teams)
        self.offset, self.noise, self.mean, self.variance = _columns(4, teams * traits)
        self.d1, self.d2, self.left = _columns(3, teams * traits)
        self.elapsed, self.played, self.games = _columns(3, entries)
        self.settled = _doubles(entries)
        self.alpha, self.mu, self.var, self.before_mu, self.before = _columns(5, entries * traits)
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
        self.memo = array("d", [float("nan")] * MEMO)  # NaN equals no number, so an unset memo is never reused
        self.scratch = _table(1, 1)

    def holds(self, teams: cython.Py_ssize_t, entries: cython.Py_ssize_t) -> cython.bint:
        """Return whether a match of this size fits on the board.

        >>> Board(teams=2, entries=4).holds(3, 3)
        False
        """
        return teams <= self.team_capacity and entries <= self.entry_capacity


def make_scratch(board: Board, rows: cython.Py_ssize_t, columns: cython.Py_ssize_t) -> cython.bint:
    """Enlarge the board's scratch table to at least this size. The content of the table may be lost."""
    if board.scratch.shape[0] < rows or board.scratch.shape[1] < columns:
        board.scratch = _table(rows, columns)
    return False


def sort_by_place(board: Board) -> cython.void:
    """Sort the teams by place into `board.order`; tied teams keep their order. Places count from 1 on."""
    k = 0
    # A counting sort is linear and stable; the second half of `order` holds the counts.
    counts = board.teams - 1  # places count from 1, so the count of place 1 is one cell further
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
    """Return `variance` if it is above 0; raise `Error` otherwise, because then no team has any uncertainty."""
    if variance > 0.0:
        return variance
    raise Error("teams without uncertainty (beta and sigma 0) cannot be compared; give the model a beta above 0")


def compare(board: Board) -> cython.bint:
    """Compare the prior performances of the two teams of a match.

    Set `sharpness`, which is one over the standard deviation of the difference of the performances. Set `gap` (the
    difference of the means) and `edge` (the margin) in these standard deviations. Also set the moments of the
    difference if the first team wins (`ahead`) or loses (`behind`).
    """
    board.sharpness = 1.0 / sqrt(positive(board.variance[0] + board.variance[1]))
    board.gap = (board.mean[0] - board.mean[1]) * board.sharpness
    board.edge = board.margin.between(board, 0, 1) * board.sharpness
    measure_sides(board)
    return False


def measure_sides(board: Board) -> cython.void:
    """Set the moments of the difference if the first team wins (`ahead`) or loses (`behind`), from `gap` and `edge`."""
    above(board.gap - board.edge, board.ahead)
    above(-board.gap - board.edge, board.behind)


def set_chances(board: Board) -> cython.void:
    """Set `win`, `draw` and `loss` of two teams from the moments of their difference (see `measure_sides`)."""
    board.win = probability(board.ahead)
    board.loss = probability(board.behind)
    board.draw = 1.0 - board.win - board.loss
    if board.draw < 1e-8:  # the subtraction has lost digits
        within(board.gap, board.edge, board.cut)
        board.draw = probability(board.cut) if board.edge > 0.0 else 0.0


@cython.cclass
class Margin:
    """A draw margin: how much better than another team a team must perform to finish ahead. The default is 0.

    >>> Margin().between(Board(), 0, 1)
    0.0
    """

    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that can be tuned, with their ranges
    remembers: ClassVar[tuple[str, ...]] = ()  # the numbers kept for the league, at the start of `board.memory`

    def __repr__(self) -> str:
        return describe(self)

    def measure(self, board: Board, seen: cython.bint) -> cython.bint:
        """Set `board.epsilon`, the part of the margin that all pairs of a match share. Call `measure` before `between`.

        If `seen` is true, the places are known and may be used; a forecast may use only the prior performances. Return
        whether the margin differs from the margin of the forecast.
        """
        return False

    def between(self, board: Board, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.double:
        """Return the margin ε between teams `i` and `j`.

        Teams of equal `noise` must have equal margins to all others.
        """
        return 0.0

    def learn(self, board: Board) -> cython.bint:
        """Update the league's memory after a match of two teams, whose forecast is on the board.

        Margins that do not learn do nothing.
        """
        return False

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
The rest is scratch of the outcome: `order` and `work`; `lane` and `seat` of one that compares all players with each
other; `expected`, `conceded`, `push`, `pull`, `distance`, `odds` of comparisons of two; `push`, `pull` and `rest` of
one score.
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

__all__ = ["Board", "Margin", "compare", "positive"]

WORK_ROWS = 21


def _doubles(count: int) -> array[float]:
    return array("d", bytes(8 * max(count, 1)))


def _ints(count: int) -> array[int]:
    return array("i", bytes(4 * max(count, 1)))


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
        self.order = _ints(teams + 2)
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
        self.distance = 0.0
        self.odds = 1.0
        self.lane = self.seat = None
        self.work = memoryview(bytearray(8 * WORK_ROWS * max(teams, 1))).cast("d", (WORK_ROWS, max(teams, 1)))

    @cython.ccall
    @cython.exceptval(-1, check=True)
    def holds(self, teams: cython.Py_ssize_t, entries: cython.Py_ssize_t) -> cython.bint:
        """Whether a match of this size fits.

        >>> Board(teams=2, entries=4).holds(3, 3)
        False
        """
        return teams <= self.team_capacity and entries <= self.entry_capacity


@cython.ccall
@cython.exceptval(-1.0, check=True)
def positive(variance: cython.double) -> cython.double:
    """The variance of a performance, or of the difference of two, which must not vanish."""
    if variance > 0.0:
        return variance
    raise Error(
        "two teams whose performances are known exactly (beta 0 and sigma 0, or no player with a weight) cannot be "
        "compared; give the model a beta above 0"
    )


@cython.ccall
@cython.exceptval(-1, check=False)
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

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def measure(self, board: Board, seen: cython.bint) -> cython.bint:
        """Find what all pairs of a match share (`board.epsilon`), before the first of them is asked for.

        A forecast is made before the places are `seen`: then nothing but the prior performances may be looked at.
        Returns whether the margin is another one now than in the forecast.
        """
        return False

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def between(self, board: Board, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.double:
        """The margin ε between teams `i` and `j`; teams of equal `noise` have equal margins to all others."""
        return 0.0

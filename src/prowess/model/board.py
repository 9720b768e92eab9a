"""The `Board`: everything about one match while it is rated, and the bases of the components that work on it.

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
model has learnt of the league as a whole, `beta` the noise of one player, `unit` how many points a whole game is worth
to an outcome that counts in points. `side` and `past` are boards of one entry, for the home advantage and for a rating
period that ends. `order` and `work` are scratch of the outcome.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, ClassVar

try:
    import cython
except ModuleNotFoundError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.libc.math import sqrt
    from cython.cimports.prowess.model.gauss import Truncated, above, probability, within
else:
    from math import sqrt

    from .gauss import Truncated, above, probability, within

from ..errors import Error

if TYPE_CHECKING:
    from .prediction import Prediction

__all__ = ["Absorb", "Board", "Drift", "Margin", "Outcome", "Prior", "TeamFunction", "compare", "positive"]

WORK_ROWS = 13


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
        self.unit = 1.0
        self.beta = 0.0
        self.converged = True
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
        self.side = None
        self.past = None
        self.margin = Margin()
        self.cut = Truncated()
        self.ahead = Truncated()
        self.behind = Truncated()
        self.sharpness = self.gap = self.edge = 0.0
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


def missing(component: object, method: str) -> Error:
    """A part of a model that does not do what such a part is for."""
    return Error(f"{type(component).__name__} needs a method {method}; see CONTRIBUTING.md")


@cython.cclass
class Prior:
    """What is believed of a player who has not been seen before.

    >>> import prowess as pw
    >>> class Known(pw.Prior):
    ...     def welcome(self, board, entry):
    ...         board.mu[entry], board.var[entry] = 30.0, 1.0
    >>> pw.TrueSkill().replace(prior=Known()).rating()
    Rating(mu=30.0, sigma=1.0)
    """

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def welcome(self, board: Board, entry: cython.Py_ssize_t) -> cython.bint:
        """Set the belief of a newcomer."""
        raise missing(self, "welcome")


@cython.cclass
class Drift:
    """How skills move while nobody looks: before a match, beliefs widen.

    >>> import prowess as pw
    >>> class Leap(pw.Drift):
    ...     def widen(self, board):
    ...         for entry in range(board.entries):
    ...             board.var[entry] += 1.0
    >>> model = pw.TrueSkill().replace(drift=Leap())
    >>> model.predict([[pw.Rating(25, 0)], [pw.Rating(25, 0)]]).sigma.round(3)
    array([4.285, 4.285])
    """

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def widen(self, board: Board) -> cython.bint:
        """Widen the beliefs of all entries."""


@cython.cclass
class TeamFunction:
    """How a team's performance is made of its players': t = α₀ + Σ α p, where α may look at the prior means.

    >>> import prowess as pw
    >>> class Captain(pw.TeamFunction):
    ...     def weigh(self, board):
    ...         for team in range(board.teams):
    ...             board.alpha[board.start[team]] *= 2.0
    >>> model = pw.TrueSkill().replace(team=Captain())
    >>> model.predict([[pw.Rating(25, 1)] * 2, [pw.Rating(25, 1)]]).mean
    array([75., 50.])
    """

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def weigh(self, board: Board) -> cython.bint:
        """Turn `alpha` of every entry, which comes as the share of the match that she played, into her weight.

        A function with a constant part also sets `offset` of every team.
        """
        raise missing(self, "weigh")


@cython.cclass
class Margin:
    """By how much a team's performance must exceed another's to finish ahead of it: here not at all.

    >>> Margin().between(Board(), 0, 1)
    0.0
    """

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


@cython.cclass
class Outcome:
    """P(what was seen | team performances): the only part of a model that looks at all teams at once.

    >>> Outcome().traits
    ('skill',)
    """

    traits: ClassVar[tuple[str, ...]] = ("skill",)
    whole = True  # whether it is an outcome by itself, or only a part of one
    gradient = True  # whether `d1` and `d2` are derivatives of a log-evidence, so that a home advantage can be learnt
    laplace = False  # whether `d2` is the curvature at the prior mean, and not what an exact posterior loses
    duels = False  # whether `evidence` fills `g1`, `g2` and `kept` of the entries itself
    later = False  # whether `win` and `draw` of a whole history wait until somebody asks, for `chances`

    @property
    def remembers(self) -> tuple[str, ...]:
        """What the outcome learns of the league as a whole: the names of its numbers in `board.memory`, at first 0.

        >>> Outcome().remembers
        ()
        """
        return ()

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def prepare(self, board: Board) -> cython.bint:
        """Put what the outcome needs for every match on a new board, once."""

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def forecast(self, board: Board) -> cython.bint:
        """For two teams: set `win` (of the first team), `draw` and `loss`, from the prior performances alone.

        It always comes before `evidence`, which may use what it left on the board: here `sharpness` (one over the
        standard deviation of the difference), by which `gap` and `edge` (the margin) are standardised, and the moments
        of the difference if the first team is `ahead` or `behind`.
        """
        board.margin.measure(board, False)
        compare(board)
        board.win = probability(board.ahead)
        board.loss = probability(board.behind)
        board.draw = 1.0 - board.win - board.loss
        if board.draw < 1e-8:  # the difference has lost its digits
            within(board.gap, board.edge, board.cut)
            board.draw = probability(board.cut) if board.edge > 0.0 else 0.0
        return False

    def performances(self, board: Board) -> tuple[list[float], list[float], list[float]]:
        """Mean, variance and noise of one performance for each team, by which the teams finish: here the first trait.

        >>> import prowess as pw
        >>> board = Board(teams=2, entries=2)
        >>> board.variance[0] = 2.0
        >>> Outcome().performances(board)
        ([0.0, 0.0], [2.0, 0.0], [0.0, 0.0])
        """
        teams = range(0, board.teams * board.traits, board.traits)
        means, variances, noises = board.mean, board.variance, board.noise
        return [means[t] for t in teams], [variances[t] for t in teams], [noises[t] for t in teams]

    def predict(self, board: Board) -> Prediction:
        """What is expected of a match of any number of teams: places by performances and the margin, exactly."""
        from .prediction import predict

        return predict(board)

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def evidence(self, board: Board) -> cython.double:
        """Fill `d1`, `d2` and `left` of every team and return the log-evidence."""
        raise missing(self, "evidence")


@cython.cclass
class Absorb:
    """How a player's belief takes up what a match, or a rating period, says of it.

    >>> import prowess as pw
    >>> class Deaf(pw.Absorb):
    ...     def absorb(self, board):
    ...         pass
    >>> model = pw.TrueSkill(tau=0).replace(absorb=Deaf())
    >>> model.rate([[pw.Rating(25, 8)], [pw.Rating(30, 4)]])
    [[Rating(mu=25.0, sigma=8.0)], [Rating(mu=30.0, sigma=4.0)]]
    """

    extras: ClassVar[tuple[str, ...]] = ()
    certain = False  # whether there is no sigma
    periods = True  # whether `g1` and `g2` may be sums over a rating period

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def welcome(self, board: Board, entry: cython.Py_ssize_t) -> cython.bint:
        """Set the `extra` columns of a newcomer, `entry * extras` and on: here to 0."""
        k: cython.Py_ssize_t
        for k in range(entry * board.extras, (entry + 1) * board.extras):
            board.extra[k] = 0.0
        return False

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def absorb(self, board: Board) -> cython.bint:
        """Turn `g1`, `g2` and `kept` of every entry into its new `mu` and `var`."""
        raise missing(self, "absorb")

"""The `Board`: everything about the matches that are rated together.

A model's components never change; all data that change from match to match are attributes of the board. To give a
component new information, add an attribute to the board; signatures do not change.

A board holds `matches` matches of one shape, which have no players in common, in `lanes` lanes. Every column has one
cell per lane: row r of lane i is the cell r · `stride` + i. A board with one lane has the stride 1, so row r is the
cell r. Components that you write yourself always get such a board. Functions that take the number of lanes and the
stride as arguments are called with constants for such a board: compilers then remove their loops over lanes.

Processors work on several lanes at a time, so the number of lanes is rounded up: the last lanes repeat the last match,
and their results are not used. A loop over `lane` must not depend on the order of the lanes: `setup.py` tells the
compiler so, which otherwise would compare the addresses of all columns before every loop.

With `traits` skills per player (one, or offence and defence), a board has columns

====================================  ============================================================================
of a team `j`                         `start[j]` first entry (equal in all lanes), `place[j]`, `score[j]`
of a team and trait `j * traits + k`  `offset` α₀; prior performance N(`mean`, `variance`) with its `noise` β²Σα², and
                                      the variance `added` by home advantage and effects; the outcome's results
                                      `d1`, `d2`, `left`
of an entry `e` (a player in a team)  `elapsed[e]` since the last match, `played[e]` matches before this one
of an entry and trait                 weight `alpha`; belief N(`mu`, `var`); the update by the match: `g1`, `g2`,
                                      `kept`
of a match                            `importance`, `home` (the team with the home advantage, or −1), `time`; the
                                      forecast `win`, `draw`, `loss`; `converged`; `scatters` (`Outcome.scatter`); in
                                      a sweep also its index `match` in the history, `first_team` and `first_entry`
====================================  ============================================================================

A number of a match, such as `win`, is the number in the first lane; the column of all lanes has the plural as its name,
`wins`.

`left` is v′/v, the share of the variance of a team's performance that remains after the outcome; `kept` is the same
share for a player's skill. `games` is the number of matches summed in a player's `g1` and `g2`: one, except in rating
periods. `before_mu` and `before` are the mean and the variance of an entry before the drift. `settled` is 1 for an
entry whose rating period was closed early for a forecast, so that its belief already includes the drift; `home_settled`
is the same flag for the home advantage. `extra` holds further columns of an entry, such as a volatility, and `slope`
the factor of a mean in `Drift.transition`.

`memory` holds the numbers that the model has learnt about the league; those about the newcomers' level start at
`memory[level]`. If `is_fixed` is true, matches do not change these numbers, which stay those in `fixed`. If `carries`
is true, matches are not rated at all (see `Pipeline.carry_levels`). N(`centre`, `centre_var`) is the prior belief about
a newcomer, before anything was learnt. `beta` is the noise of one player, `unit` the factor by which absorb rules scale
`g1`, `span` the length of a unit of `elapsed`, and `periods` is true if `elapsed` counts rating periods. `side` is a
board with one entry for the home advantage, `past` is a board for a player whose rating period is being closed, and
`single` is a board with one lane, for components that work on one match at a time. `deviations` and `effects` hold the
rows of the model's facets (see `facets`), `statistics` has the messages of individual statistics, `home_chain` those
about the home advantage in a pass of `smoothing`, and `shift` what the effects add to the mean of each team.

The other attributes are working memory for the outcome. `sort_by_place` fills `order`. Outcomes that compare two sides
set `expected` and `conceded`, or `push` and `pull`. Outcomes that learn from single scores set `push`, `pull` and
`rest`, or their columns. `work` has `WORK` rows with a cell per lane. `memo` keeps a few numbers between the steps of
an outcome. `scratch` is a table, which each outcome enlarges as needed (`make_scratch`). The rows of both tables have
names: the constants of the outcome's module.
"""

from __future__ import annotations

from array import array
from typing import ClassVar

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from ...errors import Error
from ..maths.normal import Truncated, above_all, probability, within
from ..params import Range, describe

if not cython.compiled:
    from math import sqrt

WORK = 20  # rows of the table `work`
MEMO = 42  # how many numbers an outcome may keep between its steps
# Columns whose rows are a power of two apart share the same lines of the processor's cache; padding avoids this.
PADDING = 8
NAN = cython.declare(cython.double, float("nan"))


def _doubles(count: int) -> array[float]:
    return array("d", bytes(8 * max(count, 1)))


def _columns(number: int, count: int) -> list[array[float]]:
    return [_doubles(count) for _ in range(number)]


def _ints(count: int) -> array[int]:
    return array("i", bytes(4 * max(count, 1)))


def _indices(count: int) -> array[int]:
    return array("q", bytes(8 * max(count, 1)))


def _table(rows: int, columns: int) -> memoryview:
    return memoryview(bytearray(8 * rows * columns)).cast("d", (rows, columns))


@cython.cclass
class Board:
    """The data of matches: entries with their beliefs, teams with their performances, and the results.

    >>> board = Board(teams=2, entries=3)
    >>> board.teams, len(board.mean), len(board.mu)
    (2, 2, 3)
    >>> board.win = 0.5
    >>> board.wins[0]
    0.5
    """

    def __init__(
        self, teams: int = 2, entries: int = 2, traits: int = 1, extras: int = 0, memory: int = 0, lanes: int = 1
    ) -> None:
        self.teams = teams
        self.entries = entries
        self.traits = traits
        self.extras = extras
        self.memories = memory
        self.lanes = self.matches = lanes
        self.stride = stride = lanes + PADDING if lanes > 1 else 1
        self.team_capacity = teams
        self.entry_capacity = entries
        self.beta = 0.0
        self.unit = 1.0
        self.periods = False
        self.home_settled = False
        # cells of a team
        self.start, self.place = _ints(teams + 1), _ints(teams * stride)
        self.order = _ints((2 * teams + 2) * stride)  # the second half holds counters while sorting
        self.score = _doubles(teams * stride)
        self.offset, self.noise, self.mean, self.variance = _columns(4, teams * traits * stride)
        self.d1, self.d2, self.left = _columns(3, teams * traits * stride)
        self.added, self.shift = _doubles(teams * traits * stride), _doubles(teams * traits)
        # cells of an entry
        self.rows, self.next_rows = _indices(entries * stride), _indices(entries * stride)
        self.elapsed, self.played = _columns(2, entries * stride)
        self.games = array("d", [1.0]) * max(entries * stride, 1)
        self.settled = _doubles(entries * stride)
        self.alpha, self.mu, self.var, self.before_mu, self.before = _columns(5, entries * traits * stride)
        self.g1, self.g2, self.kept, self.slope = _columns(4, entries * traits * stride)
        self.extra = _doubles(entries * extras * stride)
        # cells of a match
        self.match, self.first_team, self.first_entry, self.next_entry = (_indices(stride) for _ in range(4))
        self.importances, self.homes, self.times, self.epsilons = _columns(4, stride)
        self.wins, self.draws, self.losses, self.evidences = _columns(4, stride)
        self.sharpnesses, self.gaps, self.edges, self.unconverged, self.scatters = _columns(5, stride)
        self.x_mean, self.x_variance, self.x_score, self.pushes, self.pulls, self.rests = _columns(6, stride)
        self.memory = _doubles(memory * stride)
        self.fixed, self.is_fixed, self.carries = _doubles(memory), False, False
        # the league and the model
        self.centre, self.centre_var = _columns(2, traits)
        self.level = 0
        self.span = 1.0
        self.side = None
        self.past = None
        self.single = None
        self.deviations = None
        self.effects = None
        self.statistics = None
        self.home_chain = None
        # working memory
        self.margin = Margin()
        self.cut, self.ahead, self.behind = Truncated(stride), Truncated(stride), Truncated(stride)
        self.expected = self.conceded = 0.5
        self.push = self.pull = 0.0
        self.rest = 1.0
        self.lane = 0
        self.work = _doubles(WORK * stride)
        self.memo = array("d", [float("nan")] * MEMO)  # NaN equals no number, so an unset memo is never reused
        self.scratch = _table(1, 1)
        self.clear()

    def clear(self) -> cython.void:
        """Set the numbers of all lanes to their defaults: importance 1, no home team, no time, no forecast.

        >>> board = Board()
        >>> board.importance = 2.0
        >>> board.clear()
        >>> board.importance, board.home
        (1.0, -1)
        """
        for lane in range(self.stride):
            self.importances[lane] = 1.0
            self.homes[lane] = -1.0
            self.times[lane] = NAN
            self.wins[lane] = self.draws[lane] = self.losses[lane] = NAN
            self.unconverged[lane] = 0.0

    def holds(self, teams: cython.Py_ssize_t, entries: cython.Py_ssize_t) -> cython.bint:
        """Return whether a match of this size fits on the board.

        >>> Board(teams=2, entries=4).holds(3, 3)
        False
        """
        return teams <= self.team_capacity and entries <= self.entry_capacity

    @property
    def importance(self) -> float:
        """The importance of the match; in the first lane."""
        return self.importances[0]

    @importance.setter
    def importance(self, value: float) -> None:
        self.importances[0] = value

    @property
    def home(self) -> int:
        """The index of the team with the home advantage; −1 if there is none; in the first lane."""
        return int(self.homes[0])

    @home.setter
    def home(self, value: int) -> None:
        self.homes[0] = value

    @property
    def time(self) -> float:
        """The time of the match; NaN if it is unknown; in the first lane."""
        return self.times[0]

    @time.setter
    def time(self, value: float) -> None:
        self.times[0] = value

    @property
    def win(self) -> float:
        """The forecast probability that the first of two teams wins; in the first lane."""
        return self.wins[0]

    @win.setter
    def win(self, value: float) -> None:
        self.wins[0] = value

    @property
    def draw(self) -> float:
        """The forecast probability of a draw; in the first lane."""
        return self.draws[0]

    @draw.setter
    def draw(self, value: float) -> None:
        self.draws[0] = value

    @property
    def loss(self) -> float:
        """The forecast probability that the first of two teams loses; in the first lane."""
        return self.losses[0]

    @loss.setter
    def loss(self, value: float) -> None:
        self.losses[0] = value

    @property
    def epsilon(self) -> float:
        """The part of the margin that all pairs of the match share; in the first lane."""
        return self.epsilons[0]

    @epsilon.setter
    def epsilon(self, value: float) -> None:
        self.epsilons[0] = value

    @property
    def sharpness(self) -> float:
        """One over the standard deviation of the difference of two performances; in the first lane."""
        return self.sharpnesses[0]

    @sharpness.setter
    def sharpness(self, value: float) -> None:
        self.sharpnesses[0] = value

    @property
    def gap(self) -> float:
        """The difference of two mean performances, in standard deviations; in the first lane."""
        return self.gaps[0]

    @gap.setter
    def gap(self, value: float) -> None:
        self.gaps[0] = value

    @property
    def edge(self) -> float:
        """The margin of a draw, in standard deviations; in the first lane."""
        return self.edges[0]

    @edge.setter
    def edge(self, value: float) -> None:
        self.edges[0] = value

    @property
    def converged(self) -> bool:
        """Whether EP converged; in the first lane."""
        return self.unconverged[0] == 0.0

    @converged.setter
    def converged(self, value: bool) -> None:
        self.unconverged[0] = 0.0 if value else 1.0


def make_scratch(board: Board, rows: cython.Py_ssize_t, columns: cython.Py_ssize_t) -> cython.bint:
    """Enlarge the board's scratch table to at least this size. The content of the table may be lost."""
    if board.scratch.shape[0] < rows or board.scratch.shape[1] < columns:
        board.scratch = _table(rows, columns)
    return False


def copy_lane(source: Board, lane: cython.Py_ssize_t, target: Board, other: cython.Py_ssize_t) -> cython.void:
    """Copy everything about the match in a lane of `source` to the lane `other` of `target`."""
    target.teams = source.teams
    target.entries = source.entries
    for j in range(source.teams + 1):
        target.start[j] = source.start[j]
    for j in range(source.teams):
        i, o = j * source.stride + lane, j * target.stride + other
        target.place[o] = source.place[i]
        target.score[o] = source.score[i]
    for j in range(source.teams * source.traits):
        i, o = j * source.stride + lane, j * target.stride + other
        target.offset[o], target.noise[o] = source.offset[i], source.noise[i]
        target.mean[o], target.variance[o] = source.mean[i], source.variance[i]
        target.d1[o], target.d2[o], target.left[o] = source.d1[i], source.d2[i], source.left[i]
        target.added[o] = source.added[i]
    for e in range(source.entries):
        i, o = e * source.stride + lane, e * target.stride + other
        target.elapsed[o], target.played[o] = source.elapsed[i], source.played[i]
        target.games[o], target.settled[o] = source.games[i], source.settled[i]
    for e in range(source.entries * source.traits):
        i, o = e * source.stride + lane, e * target.stride + other
        target.alpha[o], target.mu[o], target.var[o] = source.alpha[i], source.mu[i], source.var[i]
        target.before_mu[o], target.before[o] = source.before_mu[i], source.before[i]
        target.g1[o], target.g2[o], target.kept[o] = source.g1[i], source.g2[i], source.kept[i]
        target.slope[o] = source.slope[i]
    for e in range(source.entries * source.extras):
        target.extra[e * target.stride + other] = source.extra[e * source.stride + lane]
    # The rest of the memory belongs to the prior and the home advantage, which never work on copies.
    for k in range(source.level):
        target.memory[k * target.stride + other] = source.memory[k * source.stride + lane]
    target.importances[other], target.homes[other] = source.importances[lane], source.homes[lane]
    target.times[other], target.epsilons[other] = source.times[lane], source.epsilons[lane]
    target.wins[other], target.draws[other] = source.wins[lane], source.draws[lane]
    target.losses[other], target.evidences[other] = source.losses[lane], source.evidences[lane]
    target.sharpnesses[other], target.unconverged[other] = source.sharpnesses[lane], source.unconverged[lane]
    target.gaps[other], target.edges[other] = source.gaps[lane], source.edges[lane]


def copy_beliefs(source: Board, lane: cython.Py_ssize_t, target: Board, other: cython.Py_ssize_t) -> cython.void:
    """Copy the beliefs about the players of a match, and their numbers of matches, to another lane or board."""
    for e in range(source.entries):
        target.played[e * target.stride + other] = source.played[e * source.stride + lane]
    for k in range(source.entries * source.traits):
        target.mu[k * target.stride + other] = source.mu[k * source.stride + lane]
        target.var[k * target.stride + other] = source.var[k * source.stride + lane]
    for k in range(source.entries * source.extras):
        target.extra[k * target.stride + other] = source.extra[k * source.stride + lane]


def copy_teams(source: Board, lane: cython.Py_ssize_t, target: Board) -> cython.void:
    """Copy a match from a lane of `source` to `target`, a board with one lane, but only what concerns whole teams."""
    s = source.stride
    for j in range(source.teams):
        target.place[j] = source.place[j * s + lane]
        target.score[j] = source.score[j * s + lane]
    for j in range(source.teams * source.traits):
        target.mean[j] = source.mean[j * s + lane]
        target.variance[j] = source.variance[j * s + lane]
        target.noise[j] = source.noise[j * s + lane]
    target.importances[0] = source.importances[lane]
    target.homes[0] = source.homes[lane]
    target.times[0] = source.times[lane]


def copy_forecast(source: Board, target: Board, lane: cython.Py_ssize_t) -> cython.void:
    """Copy the forecast of a match from `source`, a board with one lane, to a lane of `target`."""
    s = target.stride
    for j in range(source.teams * source.traits):
        target.mean[j * s + lane] = source.mean[j]
        target.variance[j * s + lane] = source.variance[j]
        target.added[j * s + lane] = source.added[j]
    target.wins[lane] = source.wins[0]
    target.draws[lane] = source.draws[0]
    target.losses[lane] = source.losses[0]


def copy_results(source: Board, target: Board, lane: cython.Py_ssize_t) -> cython.void:
    """Copy what the outcome has learnt from a match on `source`, a board with one lane, to a lane of `target`."""
    s = target.stride
    for j in range(source.teams * source.traits):
        target.d1[j * s + lane] = source.d1[j]
        target.d2[j * s + lane] = source.d2[j]
        target.left[j * s + lane] = source.left[j]
    target.evidences[lane] = source.evidences[0]
    target.unconverged[lane] = source.unconverged[0]


def is_weighted(board: Board) -> cython.bint:
    """Return whether a match on the board has another importance than 1."""
    count = 0
    for lane in range(board.lanes):
        count += 0 if board.importances[lane] == 1.0 else 1
    return count > 0


def sort_by_place(board: Board, lane: cython.Py_ssize_t) -> cython.void:
    """Sort the teams of a lane by place into `board.order`; tied teams keep their order. Places count from 1 on."""
    k: cython.Py_ssize_t = 0
    s = board.stride
    # A counting sort is linear and stable; the second half of `order` holds the counts.
    counts = (board.teams - 1) * s + lane  # places count from 1, so the count of place 1 is one row further
    half = board.teams * s + lane
    for j in range(board.teams):
        board.order[half + j * s] = 0
    for j in range(board.teams):
        board.order[counts + board.place[j * s + lane] * s] += 1
    for j in range(board.teams):
        count = board.order[half + j * s]
        board.order[half + j * s] = k
        k += count
    for j in range(board.teams):
        k = board.order[counts + board.place[j * s + lane] * s]
        board.order[counts + board.place[j * s + lane] * s] += 1
        board.order[k * s + lane] = j


def positive(variance: cython.double) -> cython.double:
    """Return `variance` if it is above 0; raise `Error` otherwise, because then no team has any uncertainty."""
    if variance > 0.0:
        return variance
    raise Error("teams without uncertainty (beta and sigma 0) cannot be compared; give the model a beta above 0")


def add_variances(board: Board) -> cython.bint:
    """Compare the prior performances of the two teams of every match.

    Set `sharpnesses`, which is one over the standard deviation of the difference of the performances, and `gaps`, the
    difference of the means in these standard deviations. Raise `Error` if a standard deviation is 0.
    """
    if board.stride == 1:
        return _add_variances(board, 1, 1)
    return _add_variances(board, board.lanes, board.stride)


@cython.cfunc
@cython.inline
@cython.exceptval(-1, check=False)
def _add_variances(board: Board, lanes: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.bint:
    certain = 0
    for lane in range(lanes):
        total = board.variance[lane] + board.variance[other + lane]
        certain += 0 if total > 0.0 else 1
        sharpness = 1.0 / sqrt(total if total > 0.0 else 1.0)
        board.sharpnesses[lane] = sharpness
        board.gaps[lane] = (board.mean[lane] - board.mean[other + lane]) * sharpness
    if certain > 0:
        positive(0.0)
    return False


def compare(board: Board) -> cython.bint:
    """Compare the prior performances of the two teams of every match, and their margin.

    Set `sharpnesses`, `gaps` and `edges` (see `measure_gaps`), and the moments of the difference if the first team wins
    (`ahead`) or loses (`behind`).
    """
    measure_gaps(board)
    measure_sides(board)
    return False


def measure_gaps(board: Board) -> cython.bint:
    """Set `sharpnesses` and `gaps` (see `add_variances`), and `edges`, the margin in the same standard deviations."""
    add_variances(board)
    board.margin.fill_edges(board)
    for lane in range(board.lanes):
        board.edges[lane] *= board.sharpnesses[lane]
    return False


def measure_sides(board: Board) -> cython.void:
    """Set the moments of the difference if the first team wins (`ahead`) or loses (`behind`), from gaps and edges."""
    if board.stride == 1:
        _place_sides(board, 1)
    else:
        _place_sides(board, board.lanes)
    above_all(board.ahead, board.lanes)
    above_all(board.behind, board.lanes)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _place_sides(board: Board, lanes: cython.Py_ssize_t) -> cython.void:
    for lane in range(lanes):
        gap = board.gaps[lane]
        edge = board.edges[lane]
        board.ahead.t[lane] = gap - edge
        board.behind.t[lane] = -gap - edge


def set_chances(board: Board) -> cython.void:
    """Set `wins`, `draws` and `losses` of two teams from the moments of their difference (see `measure_sides`)."""
    if board.stride == 1:
        _set_chances(board, 1)
    else:
        _set_chances(board, board.lanes)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _set_chances(board: Board, lanes: cython.Py_ssize_t) -> cython.void:
    rare = 0
    for lane in range(lanes):
        win = board.ahead.z[lane]
        loss = board.behind.z[lane]
        draw = 1.0 - win - loss
        has_draws = 1.0 if board.edges[lane] > 0.0 else 0.0  # without a margin, draws have no probability
        board.wins[lane] = win
        board.losses[lane] = loss
        board.draws[lane] = draw if has_draws > 0.0 else 0.0
        rare += 1 if has_draws > 0.0 and draw < 1e-8 else 0  # the subtraction has lost digits
        rare += 1 if win == 0.0 else 0  # the probability of a far tail is not in `z`
        rare += 1 if loss == 0.0 else 0
    if rare > 0:
        for i in range(lanes):
            _set_rare_chances(board, i)


@cython.cfunc
@cython.exceptval(check=False)
def _set_rare_chances(board: Board, lane: cython.Py_ssize_t) -> cython.void:
    board.wins[lane] = probability(board.ahead, lane)
    board.losses[lane] = probability(board.behind, lane)
    if board.edges[lane] > 0.0:
        board.draws[lane] = 1.0 - board.wins[lane] - board.losses[lane]
        if board.draws[lane] < 1e-8:
            within(board.gaps[lane], board.edges[lane], board.cut, lane)
            board.draws[lane] = probability(board.cut, lane)


@cython.cclass
class Margin:
    """A draw margin: how much better than another team a team must perform to finish ahead. The default is 0.

    >>> Margin().between(Board(), 0, 1)
    0.0
    """

    tunable: ClassVar[dict[str, Range]] = {}  # the parameters that can be tuned, with their ranges
    remembers: ClassVar[tuple[str, ...]] = ()  # the numbers kept for the league, at the start of `board.memory`
    blocks = False  # whether the methods work on all lanes of a board; otherwise boards have one lane
    reads_entries = True  # whether the methods read the board's columns of entries, and not only those of teams
    sees_places = False  # whether the places of a match change its margin

    def __repr__(self) -> str:
        return describe(self)

    @property
    def follows_means(self) -> bool:
        """Whether the margin may depend on the prior performances; without a `measure` of its own, it cannot.

        >>> Margin().follows_means
        False
        """
        return any("measure" in vars(kind) for kind in type(self).__mro__[:-2])

    def measure(self, board: Board, seen: cython.bint) -> cython.bint:
        """Set `board.epsilon`, the part of the margin that all pairs of a match share. Call `measure` before `between`.

        If `seen` is true, the places are known and may be used; a forecast may use only the prior performances. Return
        whether the margin differs from the margin of the forecast.
        """
        return False

    def between(self, board: Board, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.double:
        """Return the margin ε between teams `i` and `j`; on a board of several lanes, these are the teams' cells.

        Teams of equal `noise` must have equal margins to all others.
        """
        return 0.0

    def fill_edges(self, board: Board) -> cython.bint:
        """Set `edges` to the margin between the two teams of every match."""
        for i in range(board.lanes):
            board.edges[i] = self.between(board, i, board.stride + i)
        return False

    def learn(self, board: Board) -> cython.bint:
        """Update the league's memory after a match of two teams, whose forecast is on the board.

        Margins that do not learn do nothing.
        """
        return False

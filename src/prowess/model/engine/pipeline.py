"""The pipeline, which runs all steps of rating a match.

The steps are: beliefs → drift → team function → outcome → players. `rate`, `fit`, `predict` and the ladder all use the
same pipeline, so their results cannot disagree. A pipeline works on a `Board`; `sweep` copies beliefs to the board and
back.
"""

from __future__ import annotations

from array import array
from contextlib import suppress
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.engine.board import Board
    from cython.cimports.prowess.model.rating import Kind
else:
    from ..rating import Kind
    from .board import Board

from ...errors import Error
from ..components.absorb import Moment, Newton
from .state_layout import StateLayout

NAN = cython.declare(cython.double, float("nan"))
RUNAWAY = cython.declare(cython.double, 1e60)  # larger than any rating that inputs within ±1e30 can produce


@cython.final
@cython.cclass
class Pipeline:
    """The components of a model, combined to compute how a match changes the beliefs about its players."""

    def __init__(self, model: Any, kind: Kind) -> None:
        self.prior = model.prior
        self.drift = model.drift
        self.beta = model.noise
        self.team = model.team
        self.outcome = model.outcome
        self.absorb = model.absorb
        self.kind = kind
        self.period = model.period or 0.0
        self.duels = model.outcome.duels
        self.has_base = model.outcome.has_base
        self.traits = len(kind.traits)
        self.extras = len(kind.extras)
        self.layout = StateLayout(kind.traits, kind.extras, self.period > 0.0)
        self.last_seen = self.layout.last_seen
        self.matches = self.layout.matches
        self.first_extra = self.layout.first_extra
        self.pending = self.layout.pending
        self.games = self.layout.games
        self.passed = self.layout.passed
        self.width = self.layout.width
        self.level = len(model.outcome.remembers)
        self.home_memory = self.level + (2 * self.traits if model.prior.learns else 0)
        self.centred = model.prior.learns or model.drift.reverts
        self.has_home = model.home is not None
        self.learns_home = self.has_home and model.home.learnt
        self.home_mu = model.home.home_mu if self.has_home else 0.0
        self.home_variance = model.home.home_sigma**2 if self.has_home else 0.0
        self.home_drift = model.home.home_tau**2 if self.has_home else 0.0
        # `Moment` needs the exact change of the variance, which Laplace outcomes and sums over a period do not give.
        self.home_absorb = Newton() if model.outcome.laplace or self.period > 0.0 else Moment()
        self.memories = self.home_memory
        if self.learns_home:  # belief; with periods also the sums, the number of games and the last time
            self.memories += 2 * self.traits + (2 * self.traits + 2 if self.period > 0.0 else 0)
        self.first_memory = array("d", self.memory() or [0.0])
        self.spare = []

    def memory(self) -> list[float]:
        """Return the initial memory of a league."""
        memory = [0.0] * self.memories
        if self.learns_home:
            home = slice(self.home_memory, self.home_memory + 2 * self.traits)
            memory[home] = [self.home_mu, self.home_variance] * self.traits
        return memory

    def board(self, teams: cython.Py_ssize_t, entries: cython.Py_ssize_t) -> Board:
        """Return a board for a match of this size: a released board if possible, otherwise a new one.

        Threads never share a board.
        """
        board: Board = None
        with suppress(IndexError):  # the list may be empty, or another thread may take the last board
            board = self.spare.pop()
        if board is None or not board.holds(teams, entries):
            board = self._new(teams, entries)
            board.side = self._new(1, 1) if self.has_home else None
            board.past = self._new(1, 1) if self.period > 0.0 else None
        board.teams = teams
        board.entries = entries
        board.importance = 1.0
        board.home = -1
        board.time = NAN
        board.home_settled = False
        if self.period > 0.0:
            for e in range(entries):
                board.settled[e] = 0.0
        board.converged = True
        for k in range(self.memories):
            board.memory[k] = self.first_memory[k]
        return board

    def _new(self, teams: int, entries: int) -> Board:
        board = Board(teams, entries, self.traits, self.extras, self.memories)
        board.beta = self.beta
        board.periods = self.period > 0.0
        board.span = self.period or 1.0
        board.level = self.level
        if self.centred:
            self.prior.welcome(board, 0)  # the memory is still empty, so this is the prior before anything was learnt
            for k in range(self.traits):
                board.centre[k], board.centre_var[k] = board.mu[k], board.var[k]
        self.outcome.prepare(board)
        return board

    def release(self, board: Board) -> None:
        """Keep a board for reuse by later matches."""
        self.spare.append(board)

    def forecast(self, board: Board) -> cython.bint:
        """Apply the drift and compute the teams' prior performances; for two teams, forecast win, draw and loss."""
        # The prior learns from beliefs before the drift, because drift hides how much the matches have reduced the
        # variance.
        if self.centred:
            self.prior.meet(board)
        self.drift.widen(board)
        if self.period > 0.0:
            self.undo_drift(board)
        self.pool_teams(board)
        if board.teams == 2:
            self.outcome.forecast(board)

    def undo_drift(self, board: Board) -> cython.void:
        """Undo the drift of beliefs that already included the drift up to the match (see `Board.settled`)."""
        for e in range(board.entries):
            if board.settled[e] > 0.0:
                for k in range(e * self.traits, (e + 1) * self.traits):
                    board.mu[k] = board.before_mu[k]
                    board.var[k] = board.before[k]

    def pool_teams(self, board: Board) -> cython.bint:
        """Compute the team performances N(α₀ + Σ αμ, Σ α²(σ² + β²)), including home advantage and base level."""
        traits = self.traits
        self.team.weigh(board)
        for k in range(traits):
            e = 0
            for j in range(board.teams):
                mean = board.offset[j * traits + k]
                skills = squares = 0.0
                while e < board.start[j + 1]:
                    alpha = board.alpha[e * traits + k]
                    mean += alpha * board.mu[e * traits + k]
                    skills += alpha * alpha * board.var[e * traits + k]
                    squares += alpha * alpha
                    e += 1
                board.noise[j * traits + k] = self.beta * self.beta * squares
                board.mean[j * traits + k] = mean
                board.variance[j * traits + k] = self.beta * self.beta * squares + skills
        if self.has_home and board.home >= 0:
            self.add_home(board)
        if self.has_base:
            self.outcome.add_base(board)

    def add_home(self, board: Board) -> cython.void:
        """Load the belief about the home advantage into `board.side`, and add the advantage to the home team."""
        first = board.home * self.traits
        for k in range(self.traits):
            board.side.mu[k] = self.home_mu
            board.side.var[k] = self.home_variance
            if self.learns_home:
                cell = self.home_memory + 2 * k
                board.side.mu[k] = board.memory[cell]
                board.side.var[k] = board.memory[cell + 1] + (0.0 if board.home_settled else self.home_drift)
            board.mean[first + k] += board.side.mu[k]
            board.variance[first + k] += board.side.var[k]

    def learn(self, board: Board) -> cython.double:
        """Compute `g1`, `g2` and `kept` of every player from the result; return the log-evidence.

        Beliefs do not change yet.
        """
        board.converged = True
        log_z = self.outcome.evidence(board)
        # An outcome that compares players directly has already filled their results.
        if not self.duels:
            self.spread(board)
        if self.learns_home and board.home >= 0:
            self.learn_home(board)
        return log_z

    def absorb_all(self, board: Board) -> cython.bint:
        """Update every player's belief; raise `Error` if ratings diverge."""
        self.absorb.absorb(board)
        for k in range(board.entries * self.traits):
            # Raised here, the error can name the match. Later the numbers would overflow far from the cause.
            if not -RUNAWAY < board.mu[k] < RUNAWAY:
                raise Error("the ratings diverge from match to match; the components of this model are incompatible")
        return False

    def learn_home(self, board: Board) -> cython.bint:
        """Learn the home advantage as if it were the skill of one more, noiseless player of the home team."""
        side = board.side
        side.importance = board.importance
        for k in range(self.traits):
            t = board.home * self.traits + k
            side.g1[k] = board.d1[t]
            side.g2[k] = board.d2[t]
            side.kept[k] = 1.0
            if side.var[k] > 0.0 and not self.duels:
                side.kept[k] = (_rest(board, board.home, k, -1) + side.var[k] * board.left[t]) / board.variance[t]
        if self.in_period(board.time):
            self.gather_home(board)
            return False
        return self.absorb_home(board)

    def in_period(self, now: cython.double) -> cython.bint:
        """Return whether a match at this time belongs to a rating period. A match without a time is rated at once."""
        return self.period > 0.0 and now == now

    def gather_home(self, board: Board) -> cython.void:
        """Add the derivatives of a match for the home advantage to the sums of the open rating period."""
        first = self.home_memory + 2 * self.traits
        for k in range(self.traits):
            board.memory[first + 2 * k] += board.importance * board.side.g1[k]
            board.memory[first + 2 * k + 1] += board.importance * board.side.g2[k]
        board.memory[self.memories - 2] += board.importance
        board.memory[self.memories - 1] = board.time

    def close_home(self, board: Board) -> cython.bint:
        """End the rating period of the home advantage: update the advantage from the sums, then clear the sums."""
        first = self.home_memory + 2 * self.traits
        side = board.side
        side.importance = 1.0
        for k in range(self.traits):
            side.mu[k] = board.memory[self.home_memory + 2 * k]
            side.var[k] = board.memory[self.home_memory + 2 * k + 1] + self.home_drift
            side.g1[k] = board.memory[first + 2 * k]
            side.g2[k] = board.memory[first + 2 * k + 1]
        for k in range(first, self.memories):
            board.memory[k] = 0.0
        return self.absorb_home(board)

    def absorb_home(self, board: Board) -> cython.bint:
        """Update the home advantage in the league's memory from `board.side`."""
        self.home_absorb.absorb(board.side)
        for k in range(self.traits):
            board.memory[self.home_memory + 2 * k] = board.side.mu[k]
            board.memory[self.home_memory + 2 * k + 1] = board.side.var[k]
        return False

    def spread(self, board: Board) -> cython.void:
        """Derive `g1`, `g2` and `kept` of every player from the team's results: g₁ = α d₁ and g₂ = α² d₂.

        v is the variance of the team's performance, and u the share of v that remains after the outcome. With r =
        α²σ²/v, the share (1 − r) + r u of the variance of a player's skill is kept. If a player has most of the team's
        variance, 1 − r is computed as a sum over the other players, because a subtraction would lose digits. At most
        one player per team has most of the variance, so the cost stays linear.
        """
        traits = self.traits
        for k in range(traits):
            j = 0
            for e in range(board.entries):
                if e == board.start[j + 1]:
                    j += 1
                t = j * traits + k
                i = e * traits + k
                alpha = board.alpha[i]
                own = alpha * alpha * board.var[i]
                rest = board.variance[t] - own
                if own > rest:
                    rest = _rest(board, j, k, e)
                    if self.has_home and j == board.home:
                        rest += board.side.var[k]
                board.g1[i] = alpha * board.d1[t]
                board.g2[i] = alpha * alpha * board.d2[t]
                board.kept[i] = 1.0
                if own > 0.0:
                    board.kept[i] = min((rest + own * board.left[t]) / board.variance[t], 1.0)


@cython.cfunc
@cython.exceptval(check=False)
def _rest(board: Board, j: cython.Py_ssize_t, k: cython.Py_ssize_t, without: cython.Py_ssize_t) -> cython.double:
    """Return the variance of a team's performance in one trait, without the skill of the entry `without`."""
    rest = board.noise[j * board.traits + k]
    for f in range(board.start[j], board.start[j + 1]):
        if f != without:
            alpha = board.alpha[f * board.traits + k]
            rest += alpha * alpha * board.var[f * board.traits + k]
    return rest

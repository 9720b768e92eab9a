"""The sweep: a history through a model, match after match, as columns in and columns out.

`Pipeline` is the one place where the steps of a match are put together: beliefs → drift → team function → outcome →
players. `rate`, `fit`, `predict` and the ladder all go through it, so they cannot differ.

An error anywhere leaves the state as it was before the match at which it arose.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from . import _cython as cython

if cython.compiled:
    from cython.cimports.prowess.model.board import Absorb, Board, Drift, Outcome, Prior, TeamFunction
    from cython.cimports.prowess.model.columns import Columns, Record, Table
    from cython.cimports.prowess.model.rating import nested
else:
    from ._cython import prefetch
    from .board import Absorb, Board, Drift, Outcome, Prior, TeamFunction
    from .columns import Columns, Record, Table
    from .rating import Rating, nested


__all__ = ["Pipeline"]

AHEAD = cython.declare(cython.Py_ssize_t, 16)  # entries by which rows are fetched before they are needed
NAN = cython.declare(cython.double, float("nan"))


@cython.final
@cython.cclass
class Pipeline:
    """A model's components put together: what happens to the beliefs of a match's players."""

    def __init__(
        self,
        prior: Prior,
        drift: Drift,
        beta: float,
        team: TeamFunction,
        outcome: Outcome,
        absorb: Absorb,
        caution: float,
    ) -> None:
        self.prior = prior
        self.drift = drift
        self.beta = beta
        self.team = team
        self.outcome = outcome
        self.absorb = absorb
        self.caution = caution
        self.traits = len(outcome.traits)
        self.extras = len(absorb.extras)
        self.width = 2 * self.traits + 2 + self.extras
        self.spare = []

    @cython.ccall
    def board(self, teams: cython.Py_ssize_t, entries: cython.Py_ssize_t) -> Board:
        """A board that holds a match of this size: one that lies about, or a new one (threads never share one)."""
        board: Board = self.spare.pop() if self.spare else None
        if board is None or not board.holds(teams, entries):
            board = Board(teams, entries, self.traits, self.extras)
            self.outcome.prepare(board)
        board.teams = teams
        board.entries = entries
        board.importance = 1.0
        board.home = -1
        board.time = NAN
        board.converged = True
        return board

    def put_back(self, board: Board) -> None:
        """Let the next match use this board."""
        self.spare.append(board)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def look(self, board: Board) -> cython.bint:
        """From beliefs to the prior performances of the teams, and the forecast for two of them."""
        self.drift.widen(board)
        self.pool(board)
        if board.teams == 2:
            self.outcome.forecast(board)

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def pool(self, board: Board) -> cython.bint:
        """Team performances: N(α₀ + Σ αμ, Σ α²(σ² + β²)), by the team function."""
        j: cython.Py_ssize_t
        e: cython.Py_ssize_t
        k: cython.Py_ssize_t
        traits: cython.Py_ssize_t = self.traits
        alpha: cython.double
        mean: cython.double
        skills: cython.double
        squares: cython.double
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

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def learn(self, board: Board) -> cython.double:
        """From prior performances and what was seen to new beliefs; returns the log-evidence."""
        board.converged = True
        log_z: cython.double = self.outcome.evidence(board)
        self.spread(board)
        self.absorb.absorb(board)
        return log_z

    @cython.cfunc
    @cython.exceptval(check=False)
    def spread(self, board: Board) -> cython.void:
        """From teams to players: g₁ = α d₁, g₂ = α² d₂, and the share of a player's variance that is kept.

        With r = α²σ²/v that share is (1 − r) + r u. Where the player is most of the team's variance, 1 − r is summed
        from the others' terms: the subtraction would lose it. At most one player of a team is: the cost stays linear.
        """
        e: cython.Py_ssize_t
        f: cython.Py_ssize_t
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        t: cython.Py_ssize_t
        traits: cython.Py_ssize_t = self.traits
        alpha: cython.double
        own: cython.double
        rest: cython.double
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
                    rest = board.noise[t]
                    for f in range(board.start[j], board.start[j + 1]):
                        if f != e:
                            alpha = board.alpha[f * traits + k]
                            rest += alpha * alpha * board.var[f * traits + k]
                    alpha = board.alpha[i]
                board.g1[i] = alpha * board.d1[t]
                board.g2[i] = alpha * alpha * board.d2[t]
                board.kept[i] = 1.0
                if own > 0.0:
                    board.kept[i] = min((rest + own * board.left[t]) / board.variance[t], 1.0)

    @cython.cfunc
    @cython.inline
    @cython.exceptval(-1, check=False)
    def believe(
        self,
        board: Board,
        e: cython.Py_ssize_t,
        table: Table,
        row: cython.Py_ssize_t,
        now: cython.double,
        unit: cython.double,
    ) -> cython.bint:
        """Lay what is believed of a player on the board; `now` is NaN where times are not known."""
        k: cython.Py_ssize_t
        base: cython.Py_ssize_t = row * self.width
        last: cython.Py_ssize_t = base + 2 * self.traits
        board.elapsed[e] = (now - table.cells[last]) / unit if now >= table.cells[last] else 0.0
        board.played[e] = 0.0
        if table.cells[base] != table.cells[base]:
            self.prior.welcome(board, e)
            self.absorb.welcome(board, e)
            return False
        board.played[e] = table.cells[last + 1]
        for k in range(self.traits):
            board.mu[e * self.traits + k] = table.cells[base + 2 * k]
            board.var[e * self.traits + k] = table.cells[base + 2 * k + 1]
        for k in range(self.extras):
            board.extra[e * self.extras + k] = table.cells[last + 2 + k]
        return False

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def keep(
        self,
        board: Board,
        e: cython.Py_ssize_t,
        table: Table,
        row: cython.Py_ssize_t,
        now: cython.double,
    ) -> cython.void:
        """Keep what is now believed of a player, and that she played."""
        k: cython.Py_ssize_t
        base: cython.Py_ssize_t = row * self.width
        last: cython.Py_ssize_t = base + 2 * self.traits
        table.cells[last + 1] = board.played[e] + 1.0
        if now == now:
            table.cells[last] = now
        for k in range(self.traits):
            table.cells[base + 2 * k] = board.mu[e * self.traits + k]
            table.cells[base + 2 * k + 1] = board.var[e * self.traits + k]
        for k in range(self.extras):
            table.cells[last + 2 + k] = board.extra[e * self.extras + k]

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def load(
        self,
        board: Board,
        columns: Columns,
        table: Table,
        match: cython.Py_ssize_t,
        now: cython.double,
    ) -> cython.bint:
        """Lay a match of the history on the board: its teams, its entries' beliefs, and what was seen."""
        first: cython.Py_ssize_t = columns.match_start[match]
        entry: cython.Py_ssize_t = columns.team_start[first]
        j: cython.Py_ssize_t
        e: cython.Py_ssize_t
        k: cython.Py_ssize_t
        board.time = now
        board.teams = columns.match_start[match + 1] - first
        board.entries = columns.team_start[first + board.teams] - entry
        board.importance = columns.importance[match] if columns.has_importance else 1.0
        board.home = columns.home[match] if columns.has_home else -1
        for j in range(board.teams):
            board.start[j + 1] = cython.cast(cython.int, columns.team_start[first + j + 1] - entry)
            board.place[j] = columns.place[first + j]
            board.score[j] = columns.score[first + j] if columns.has_score else NAN
        for e in range(board.entries):
            for k in range(e * self.traits, (e + 1) * self.traits):
                board.alpha[k] = columns.weight[entry + e] if columns.has_weight else 1.0
            self.believe(board, e, table, columns.player[entry + e], now, columns.unit)

    @cython.cfunc
    @cython.exceptval(check=False)
    def write(self, board: Board, columns: Columns, record: Record, match: cython.Py_ssize_t) -> cython.void:
        """Write the forecasts of a match down."""
        first: cython.Py_ssize_t = columns.match_start[match] * self.traits
        k: cython.Py_ssize_t
        for k in range(board.teams * self.traits):
            record._mean[first + k] = board.mean[k]
            record._variance[first + k] = board.variance[k]
        record._win[match] = board.win if board.teams == 2 else NAN
        record._draw[match] = board.draw if board.teams == 2 else NAN

    def sweep(self, board: Board, columns: Columns, table: Table, record: Record, start: int, stop: int) -> None:
        """Rate the matches from `start` to `stop`: for each, forecast, write that down, learn, keep.

        An error leaves the state as it was before the match at which it arose, `record.at`.
        """
        match: cython.Py_ssize_t
        entry: cython.Py_ssize_t
        e: cython.Py_ssize_t
        k: cython.Py_ssize_t
        now: cython.double
        for match in range(start, stop):
            record.at = match
            now = columns.time[match] if columns.has_time else NAN
            entry = columns.team_start[columns.match_start[match]]
            for e in range(entry + AHEAD, min(entry + AHEAD + board.entries, columns.entries)):
                prefetch(cython.address(table.cells[columns.player[e] * self.width]))
            self.load(board, columns, table, match, now)
            self.look(board)
            self.write(board, columns, record, match)
            record._log_evidence[match] = 0.0
            if board.importance > 0.0:
                record._log_evidence[match] = self.learn(board)
                if not board.converged:
                    record.unconverged.append(match)
                for e in range(board.entries):
                    self.keep(board, e, table, columns.player[entry + e], now)
            if record.has_after:
                for e in range(board.entries):
                    for k in range(2 * self.traits):
                        record._after[entry + e, k] = table.cells[columns.player[entry + e] * self.width + k]

    def record(
        self,
        rows: list[list[int]],
        given: Any,
        table: Table,
        now: cython.double,
        unit: cython.double,
    ) -> tuple[list[list[Rating]], bool]:
        """Learn from one match between the players of these rows; gives what `rate` gives."""
        count: cython.Py_ssize_t = 0
        j: cython.Py_ssize_t = 0
        e: cython.Py_ssize_t = 0
        k: cython.Py_ssize_t
        for team in rows:
            count += len(team)
        board: Board = self.board(len(rows), count)
        board.time = now
        for team in rows:
            board.start[j] = cython.cast(cython.int, e)
            board.place[j] = cython.cast(cython.int, j + 1)
            board.score[j] = NAN
            for row in team:
                self.believe(board, e, table, row, now, unit)
                for k in range(e * self.traits, (e + 1) * self.traits):
                    board.alpha[k] = 1.0
                e += 1
            j += 1
        board.start[j] = cython.cast(cython.int, e)
        if given is not None:
            given.put(board)
        if board.importance > 0.0:
            self.look(board)
            self.learn(board)
            e = 0
            for team in rows:
                for row in team:
                    self.keep(board, e, table, row, now)
                    e += 1
        rated = nested(board, self.caution)
        self.put_back(board)
        return rated, board.converged

"""The pipeline, which runs all steps of rating a match.

The steps are: beliefs → drift → team function → outcome → players. `rate`, `fit`, `predict` and the ladder all use the
same pipeline, so their results cannot disagree. A pipeline works on all matches of a `Board` at once; `sweep` copies
beliefs to the board and back.
"""

from __future__ import annotations

from array import array
from contextlib import suppress
from typing import Any

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from ...errors import Error
from ..components.absorb import Moment, Newton
from ..components.interfaces import Outcome, evidence_by_lane, forecast_by_lane
from ..rating import Kind
from .board import Board, copy_forecast, copy_lane, copy_results, copy_teams
from .chains import Chain
from .facets import Deviations, Effects, Part
from .spread import kept_share, spread
from .state_layout import StateLayout
from .statistics import Observer, Statistics

if not cython.compiled:
    from math import fabs

NAN = cython.declare(cython.double, float("nan"))
LANES = 64  # the number of matches on a board; more lanes gain nothing
VECTOR = 4  # the number of lanes that a processor with AVX2 works on at a time
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
        self.scatters = type(model.outcome).scatter is not Outcome.scatter
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
        parts = [Part(facet, i, model.drift.by_time, kind.traits) for i, facet in enumerate(model.facets)]
        self.personal = [part for part, facet in zip(parts, model.facets, strict=True) if facet.personal]
        self.common = [part for part, facet in zip(parts, model.facets, strict=True) if not facet.personal]
        self.has_deviations, self.has_effects = bool(self.personal), bool(self.common)
        # Whether only differences between performances count, so that what all teams share has no effect.
        self.levels_cancel = self.traits == 1 and "origin" in model.outcome.blind
        self.has_facets = self.has_deviations or self.has_effects
        first = len(parts)
        self.observers = [Observer(one, first + i, kind.traits) for i, one in enumerate(model.statistics)]
        self.has_statistics = bool(self.observers)
        self.laplace = model.outcome.laplace
        # Whether passes that need no forecasts can do without them: nothing else may depend on them.
        self.derives = model.outcome.blocks and self.level == 0 and not self.has_statistics
        self.drift_blocks = model.drift.blocks
        self.team_blocks = model.team.blocks
        self.outcome_blocks = model.outcome.blocks
        self.absorb_blocks = model.absorb.blocks
        self._choose_lanes(model)
        self.spare = []
        self.spare_blocks = []
        self.newcomer = array("d", [NAN] * self.first_extra + [0.0] * self.extras)
        if model.prior.blocks and model.absorb.blocks:
            board = self.board(1, 1)
            self.prior.welcome(board, 0)
            self.absorb.welcome(board, 0)
            for k in range(self.traits):
                self.newcomer[2 * k], self.newcomer[2 * k + 1] = board.mu[k], board.var[k]
            for k in range(self.extras):
                self.newcomer[self.first_extra + k] = board.extra[k]
            self.release(board)

    def _choose_lanes(self, model: Any) -> None:
        """Decide how many matches are rated at once, from what a match tells the model about the league.

        Numbers that depend on scores alone are known before the matches are rated (`tallies`); draw shares that only
        forecasts need are counted after that (`mixes`). If outcomes depend on what the match before has taught, they
        are computed one after the other, and everything else in lanes (`serial`); so are outcomes without lanes. If
        newcomers depend on it, they are welcomed one after the other (`greets`). If such a model has rating periods, or
        another component without lanes, a board has one lane.
        """
        self.greets = model.prior.inner is not None and model.prior.inner.blocks
        in_lanes = (self.greets or model.prior.blocks) and all(
            part.blocks for part in (model.drift, model.team, model.absorb)
        )
        memory_from = model.outcome.memory_from if self.level > 0 and model.outcome.blocks else None
        learns = self.learns_home or self.has_effects or (self.level > 0 and memory_from not in ("scores", "forecasts"))
        one_by_one = (learns or not model.outcome.blocks) and not model.outcome.reads_entries
        self.serial = one_by_one and in_lanes and self.period == 0.0
        self.tallies = memory_from == "scores" and not learns
        self.mixes = memory_from == "forecasts" and not learns
        alone = (learns and not self.serial) or (model.prior.learns and not (self.greets and in_lanes))
        self.lanes = 1 if alone else LANES
        self.ordered = (self.serial and learns) or self.greets  # whether blocks keep the order of the matches
        self.vector = VECTOR if in_lanes and (self.serial or model.outcome.blocks) else 1
        # Whether a component may change weights or elapsed times, so that every block needs the defaults again.
        self.refills = self.vector == 1 or not model.team.plain
        # Most components do not need the beliefs before the drift.
        self.keeps_before = self.vector == 1 or self.period > 0.0 or model.absorb.keeps_variance

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
            board = self.new_board(teams, entries)
            self.add_rows(board, teams, entries, 1)
            board.side = self.new_board(1, 1) if self.has_home else None
            board.past = self.new_board(1, 1) if self.period > 0.0 else None
        board.teams = teams
        board.entries = entries
        board.home_settled = False
        board.is_fixed = board.carries = False
        board.home_chain = None
        board.clear()
        if self.period > 0.0:
            for e in range(entries):
                board.settled[e] = 0.0
        self.forget_rows(board)
        for k in range(self.memories):
            board.memory[k] = self.first_memory[k]
        return board

    def block(self, plan: Any) -> Board:
        """Return a board with many lanes for the blocks of a schedule; its board `single` holds even larger matches."""
        teams, entries = plan.small_teams, plan.small_entries
        board: Board = None
        with suppress(IndexError):
            board = self.spare_blocks.pop()
        if board is None or not board.holds(teams, entries) or not board.single.holds(plan.teams, plan.entries):
            board = self.new_board(teams, entries, self.lanes)
            self.add_rows(board, teams, entries, self.lanes)
            board.single = self.board(plan.teams, plan.entries)
            board.side = board.single.side
            board.past = board.single.past
        # Columns that the history lacks keep these values in all blocks.
        board.clear()
        for i in range(len(board.score)):
            board.score[i] = NAN
        for i in range(len(board.elapsed)):
            board.elapsed[i] = 0.0
        for i in range(len(board.alpha)):
            board.alpha[i] = 1.0
        return board

    def new_board(self, teams: int, entries: int, lanes: int = 1) -> Board:
        """Return a new board for matches of this size, prepared for the outcome but without rows of facets."""
        board = Board(teams, entries, self.traits, self.extras, self.memories, lanes)
        board.beta = self.beta
        board.periods = self.period > 0.0
        board.span = self.period or 1.0
        board.level = self.level
        if self.centred:
            first = Board(1, 1, self.traits, self.extras, self.memories)
            first.level = self.level
            self.prior.welcome(first, 0)  # the memory is still empty, so this is the prior before anything was learnt
            for k in range(self.traits):
                board.centre[k], board.centre_var[k] = first.mu[k], first.var[k]
        self.outcome.prepare(board)
        return board

    def add_rows(self, board: Board, teams: cython.Py_ssize_t, entries: cython.Py_ssize_t, lanes: int) -> None:
        """Give a new board room for the rows of the facets."""
        if self.has_deviations:
            board.deviations = Deviations(self.personal, entries, self.traits, lanes)
        if self.has_effects and lanes == 1:
            scores = self.outcome.scores == "each"
            size = teams, entries, self.traits
            known = self.levels_cancel, self.duels, scores, self.has_statistics
            board.effects = Effects(self.common, *size, *known, self.home_absorb)
        if self.has_statistics:
            size = teams, entries, self.traits, board.stride, self.memories
            board.statistics = Statistics(self.observers, *size, self.duels, self.laplace)

    def forget_rows(self, board: Board) -> cython.void:
        """Let a board forget the rows of an earlier match, so that a match without context has none."""
        deviations: Deviations
        effects: Effects
        if self.has_deviations:
            deviations = board.deviations
            deviations.is_loaded = False
        if self.has_effects:
            effects = board.effects
            effects.is_known = False
        if self.has_statistics:
            statistics: Statistics = board.statistics
            statistics.is_loaded = False

    def find_facets(self, board: Board, columns: list, tables: list, unit: cython.double) -> cython.bint:
        """Tell a board, and its board `single`, where the rows of the facets are for the matches to come."""
        deviations: Deviations
        effects: Effects
        if self.has_deviations:
            deviations = board.deviations
            deviations.set_sources(columns, tables, unit)
        if self.has_effects and board.stride == 1:
            effects = board.effects
            effects.set_sources(columns, tables, unit)
        if self.has_statistics:
            statistics: Statistics = board.statistics
            statistics.set_sources(columns, tables)
        if (self.has_facets or self.has_statistics) and board.stride > 1:
            self.find_facets(board.single, columns, tables, unit)
        return False

    def load_rows(self, board: Board) -> cython.bint:
        """Load the deviations of the players on the board."""
        if self.has_deviations:
            deviations: Deviations = board.deviations
            deviations.load(board)
        return False

    def store_rows(self, board: Board) -> cython.bint:
        """Store the rows of the facets after the matches on the board; `rate_serially` has stored effects."""
        deviations: Deviations
        effects: Effects
        if self.has_deviations:
            deviations = board.deviations
            if deviations.is_loaded:
                deviations.store(board)
        if self.has_effects and board.stride == 1:
            effects = board.effects
            if effects.is_known:
                effects.store(board)
        return False

    def release(self, board: Board) -> None:
        """Keep a board for reuse by later matches."""
        (self.spare if board.stride == 1 else self.spare_blocks).append(board)

    def forecast(self, board: Board) -> cython.bint:
        """Apply the drift and compute the teams' prior performances; for two teams, forecast win, draw and loss."""
        self.advance(board)
        self.add_levels(board)
        return self.forecast_teams(board)

    def forecast_teams(self, board: Board) -> cython.bint:
        """Forecast win, draw and loss of two teams from their prior performances."""
        if board.teams != 2:
            return False
        if self.outcome_blocks or board.stride == 1:
            return self.outcome.forecast(board)
        return forecast_by_lane(self.outcome, board)

    def advance(self, board: Board) -> cython.bint:
        """Apply the drift, and compute the teams' performances from the beliefs about their players alone."""
        # The prior learns from beliefs before the drift, because drift hides how much the matches have reduced the
        # variance. In a block, `sweep` lets the prior learn.
        if self.centred and board.stride == 1 and board.importances[0] > 0.0:
            self.prior.meet(board)
        self.drift_players(board, False)
        if self.period > 0.0:
            self.undo_drift(board)
        return self.fold_players(board)

    def drift_players(self, board: Board, describes: cython.bint) -> cython.bint:
        """Apply the drift to the beliefs about all players, or only describe it (see `Drift.transition`)."""
        if self.drift_blocks or board.stride == 1:
            return self.drift.transition(board) if describes else self.drift.widen(board)
        for i in range(board.lanes):
            copy_lane(board, i, board.single, 0)
            if describes:
                self.drift.transition(board.single)
            else:
                self.drift.widen(board.single)
            copy_lane(board.single, 0, board, i)
        return False

    def fold_players(self, board: Board) -> cython.bint:
        """Add the deviations to the skills, and compute the teams' performances from their players alone."""
        if self.has_deviations:
            deviations: Deviations = board.deviations
            if deviations.is_loaded:
                deviations.fold(board)
        return self.combine_players(board)

    def undo_drift(self, board: Board) -> cython.void:
        """Undo the drift of beliefs that already included the drift up to the match (see `Board.settled`)."""
        for e in range(board.entries):
            for lane in range(board.lanes):
                if board.settled[e * board.stride + lane] > 0.0:
                    for k in range(e * self.traits, (e + 1) * self.traits):
                        board.mu[k * board.stride + lane] = board.before_mu[k * board.stride + lane]
                        board.var[k * board.stride + lane] = board.before[k * board.stride + lane]

    def pool_teams(self, board: Board) -> cython.bint:
        """Compute the team performances N(α₀ + Σ αμ, Σ α²(σ² + β²)), including home advantage and base level."""
        self.combine_players(board)
        return self.add_levels(board)

    def combine_players(self, board: Board) -> cython.bint:
        """Compute the team performances from the beliefs about their players."""
        if self.team_blocks or board.stride == 1:
            self.team.weigh(board)
        else:
            for i in range(board.matches):
                copy_lane(board, i, board.single, 0)
                self.team.weigh(board.single)
                copy_lane(board.single, 0, board, i)
        return self.pool_players(board)

    def pool_players(self, board: Board) -> cython.bint:
        """Compute the team performances from the beliefs about their players and their weights."""
        if board.stride == 1:
            _pool(board, self.beta * self.beta, 1, 1)
        else:
            _pool(board, self.beta * self.beta, board.lanes, board.stride)
        return False

    def add_levels(self, board: Board) -> cython.bint:
        """Add the home advantage, effects and the base level of scores to the team performances."""
        if self.has_home:
            self.add_home(board)
        if self.has_effects and board.stride == 1:
            effects: Effects = board.effects
            if effects.is_known:
                effects.prepare(board)
            self.add_effects(effects, board, board, 0)
        if self.has_base:
            self.outcome.add_base(board)
        return False

    def add_home(self, board: Board) -> cython.void:
        """Load the belief about the home advantage into `board.side`, and add the advantage to the home teams."""
        self.load_home(board)
        for k in range(self.traits):
            if board.stride > 1:
                _add_home(board, k)
                continue
            for j in range(board.teams):
                board.added[j * self.traits + k] = 0.0
            if board.homes[0] >= 0.0:
                team = cython.cast(cython.Py_ssize_t, board.homes[0]) * self.traits + k
                board.side.noise[k] = board.variance[team]
                board.mean[team] += board.side.mu[k]
                board.variance[team] += board.side.var[k]
                board.added[team] = board.side.var[k]

    def load_home(self, board: Board) -> cython.void:
        """Load the belief about the home advantage into `board.side`, with its drift."""
        side = board.side
        for k in range(self.traits):
            side.mu[k] = self.home_mu
            side.var[k] = self.home_variance
            if self.learns_home:
                side.mu[k] = board.memory[self.home_memory + 2 * k]
                side.var[k] = board.memory[self.home_memory + 2 * k + 1]
                side.var[k] += 0.0 if board.home_settled else self.home_drift
        if board.home_chain is None or board.homes[0] < 0.0:
            return
        chain: Chain = board.home_chain
        if chain.backward:
            for k in range(self.traits):
                precision = board.memory[self.home_memory + 2 * k]
                shrink = 1.0 / (1.0 + self.home_drift * precision)
                side.mu[k] = precision * shrink
                side.var[k] = board.memory[self.home_memory + 2 * k + 1] * shrink
        side.importances[0] = board.importances[0]
        chain.visit[0] = board.match[0]
        chain.enter(side, 0, 1)

    def add_effects(self, effects: Effects, board: Board, source: Board, lane: cython.Py_ssize_t) -> cython.void:
        """Add the effects of the match in a lane of `source` to its teams on a board with one lane."""
        if not self.has_home:
            for k in range(board.teams * self.traits):
                board.added[k] = 0.0
        if effects.is_known:
            effects.add(board, source, lane)
        else:
            for k in range(board.teams * self.traits):
                board.shift[k] = 0.0

    def learn(self, board: Board) -> cython.double:
        """Compute `g1`, `g2` and `kept` of every player from the result; return the log-evidence.

        Beliefs do not change yet.
        """
        statistics: Statistics = board.statistics  # None if the model has no statistics
        observed = self.has_statistics and statistics.is_loaded
        if observed:
            self.score_forecast(board, statistics)
            statistics.observe(board, 0, board.lanes, board.effects if self.has_effects else None)
            self.apply_statistics(board, statistics, board, 0)
        self.learn_teams(board)
        if observed:
            for lane in range(board.lanes):
                board.evidences[lane] = statistics.evidences[lane]
        self.learn_players(board)
        return board.evidences[0]

    def score_forecast(self, board: Board, statistics: Statistics) -> cython.bint:
        """Compute the log-evidence of the results without the statistics, as it was forecast; nothing else changes."""
        for k in range(self.level):
            for lane in range(board.lanes):
                statistics.memory[k * board.stride + lane] = board.memory[k * board.stride + lane]
        if self.outcome_blocks or board.stride == 1:
            board.evidences[0] = self.outcome.evidence(board)
        else:
            evidence_by_lane(self.outcome, board)
        for lane in range(board.lanes):
            statistics.evidences[lane] = board.evidences[lane]
        for k in range(self.level):
            for lane in range(board.lanes):
                board.memory[k * board.stride + lane] = statistics.memory[k * board.stride + lane]
        return False

    def apply_statistics(
        self, board: Board, statistics: Statistics, source: Board, lane: cython.Py_ssize_t
    ) -> cython.bint:
        """Change the performances of the teams on a board by what the statistics of their players say.

        A board with one lane has the match in a lane of `source`, whose players the statistics are about.
        """
        statistics.move_teams(board, lane)
        if self.duels:
            statistics.fold(board)
        if self.learns_home and board.homes[0] >= 0.0:
            for k in range(self.traits):
                team = cython.cast(cython.Py_ssize_t, board.homes[0]) * self.traits + k
                board.side.noise[k] = statistics.own[team * statistics.stride + lane]
        if self.has_effects:
            effects: Effects = board.effects
            if effects.is_known:
                for k in range(board.teams * self.traits):
                    others = board.added[k] - effects.own[k]
                    effects.bare[k] = statistics.own[k * statistics.stride + lane] + (others if others > 0.0 else 0.0)
                statistics.tell(effects, source, lane)
        # An outcome may use what its forecast has left on the board, which must be that of the changed performances.
        return self.forecast_teams(board)

    def learn_players(self, board: Board) -> cython.bint:
        """Compute `g1`, `g2` and `kept` of every player, and of the rows of the facets, from the teams' results."""
        statistics: Statistics = board.statistics
        observed = self.has_statistics and statistics.is_loaded
        # An outcome that compares players directly has already filled their results.
        if observed:
            statistics.spread(board)
        elif not self.duels:
            spread(board)
        if self.has_deviations:
            deviations: Deviations = board.deviations
            if deviations.is_loaded:
                deviations.unfold(board)
        return False

    def learn_teams(self, board: Board) -> cython.bint:
        """Compute `d1`, `d2` and `left` of every team from the result, and learn the home advantage and effects."""
        for lane in range(board.lanes):
            board.unconverged[lane] = 0.0
        if self.outcome_blocks or board.stride == 1:
            board.evidences[0] = self.outcome.evidence(board)
        else:
            evidence_by_lane(self.outcome, board)
        return self.learn_levels(board)

    def derive(self, board: Board) -> cython.bint:
        """Do what `forecast_teams` and `learn` do, but without forecasts and log-evidence; `derives` must be true."""
        for lane in range(board.lanes):
            board.unconverged[lane] = 0.0
        self.outcome.derive(board)
        self.learn_levels(board)
        return self.learn_players(board)

    def learn_levels(self, board: Board) -> cython.bint:
        """Learn the home advantage and the effects from `d1`, `d2` and `left` of the teams."""
        if self.learns_home and board.homes[0] >= 0.0:
            self.learn_home(board)
        if self.has_effects:
            effects: Effects = board.effects
            if effects.is_known:
                effects.learn(board)
        return False

    def rate_serially(self, board: Board, silent: cython.bint, backward: cython.bint) -> cython.bint:
        """Forecast one match after the other and learn from its result, on the board `single`.

        The league's memory stays on that board. If `silent` is true, neither `scatters` nor `evidences` are needed. If
        `backward` is true, the last match comes first.
        """
        single = board.single
        single.teams = board.teams
        for j in range(board.teams + 1):
            single.start[j] = board.start[j]
        effects: Effects
        statistics: Statistics = board.statistics
        if self.has_effects:
            effects = single.effects
            effects.prepare(board)
        elif self.has_statistics:
            statistics.observe(board, 0, board.lanes, None)
        # Without a memory, the forecasts can be scored in lanes. Nothing but the evidence depends on their scores.
        scores_later: cython.bint = self.has_statistics and self.outcome_blocks and self.level == 0
        for n in range(board.matches):
            i = board.matches - 1 - n if backward else n
            if single.is_fixed:
                for k in range(self.level):
                    single.memory[k] = single.fixed[k]
            copy_teams(board, i, single)
            single.match[0] = board.match[i]
            if self.has_home:
                self.add_home(single)
            if self.has_effects:
                self.add_effects(effects, single, board, i)
            if single.carries:
                self.carry_levels(single)
                continue
            if self.has_base:
                self.outcome.add_base(single)
            if board.teams == 2:
                self.outcome.forecast(single)
            elif self.scatters and not silent:
                board.scatters[i] = self.outcome.scatter(single)
            copy_forecast(single, board, i)
            if single.importances[0] > 0.0:
                if self.has_statistics:
                    if not scores_later:
                        self.score_forecast(single, single.statistics)
                    if self.has_effects:
                        statistics.observe(board, i, i + 1, effects)
                    self.apply_statistics(single, statistics, board, i)
                self.learn_teams(single)
                if self.has_statistics and not scores_later:
                    single.evidences[0] = _first_evidence(single.statistics)
                if self.has_effects:
                    effects.store(single)
            elif single.is_fixed:
                self.pass_by_levels(single)
            copy_results(single, board, i)
        if self.has_effects:
            effects.write_back()
        # The lanes that remain are copies of the last match.
        if self.has_statistics and self.has_effects and board.importances[0] > 0.0:
            statistics.observe(board, board.matches, board.lanes, effects)
        for i in range(board.matches, board.lanes):
            copy_forecast(single, board, i)
            copy_results(single, board, i)
        if scores_later and not silent and board.importances[0] > 0.0:
            statistics.swap_results(board)
            if board.teams == 2:
                self.outcome.forecast(board)  # an outcome may use what its forecast leaves on the board
            self.outcome.evidence(board)
            statistics.swap_results(board)
        return False

    def pass_by_levels(self, board: Board) -> cython.void:
        """Leave the home advantage and the effects of a match of importance 0, in a pass of `smoothing`."""
        if board.home_chain is not None and board.homes[0] >= 0.0:
            chain: Chain = board.home_chain
            chain.pass_by(board.side, 0, 1)
        if self.has_effects:
            effects: Effects = board.effects
            effects.pass_by()

    def carry_levels(self, board: Board) -> cython.bint:
        """Carry the messages about home advantage and effects on, in a pass of `smoothing` that visits no matches."""
        if board.importances[0] > 0.0:
            if self.learns_home and board.homes[0] >= 0.0:
                self.absorb_home(board)
            if self.has_effects:
                effects: Effects = board.effects
                effects.pass_by()
                effects.store(board)
        return False

    def absorb_all(self, board: Board) -> cython.bint:
        """Update every belief on the board; raise `Error` if ratings diverge."""
        self.absorb_rows(board)
        if self.has_deviations and board.deviations is not None:
            deviations: Deviations = board.deviations
            if deviations.is_loaded:
                for f in range(len(deviations.boards)):
                    self.absorb_rows(deviations.boards[f])
        return False

    def absorb_rows(self, board: Board) -> cython.bint:
        """Update the beliefs about all entries of a board."""
        runaways = 0
        if self.absorb_blocks or board.stride == 1:
            self.absorb.absorb(board)
        else:
            for i in range(board.matches):
                copy_lane(board, i, board.single, 0)
                self.absorb.absorb(board.single)
                copy_lane(board.single, 0, board, i)
        for k in range(board.entries * self.traits):
            for lane in range(board.lanes):
                runaways += 0 if fabs(board.mu[k * board.stride + lane]) < RUNAWAY else 1
        if runaways > 0:
            # Raised here, the error can name the match. Later the numbers would overflow far from the cause.
            raise Error("the ratings diverge from match to match; the components of this model are incompatible")
        return False

    def learn_home(self, board: Board) -> cython.bint:
        """Learn the home advantage as if it were the skill of one more, noiseless player of the home team.

        For this player, the performance of the others is noise.
        """
        side = board.side
        home = cython.cast(cython.Py_ssize_t, board.homes[0])
        side.importances[0] = board.importances[0]
        for k in range(self.traits):
            t = home * self.traits + k
            side.g1[k] = board.d1[t]
            side.g2[k] = board.d2[t]
            side.kept[k] = 1.0
            if side.var[k] > 0.0 and not self.duels:
                others = board.added[t] - side.var[k]  # the variance that effects have added
                rest = side.noise[k] + (others if others > 0.0 else 0.0)
                side.kept[k] = kept_share(side.var[k], rest, board.variance[t], board.left[t])
        if self.in_period(board.times[0]):
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
            board.memory[first + 2 * k] += board.importances[0] * board.side.g1[k]
            board.memory[first + 2 * k + 1] += board.importances[0] * board.side.g2[k]
        board.memory[self.memories - 2] += board.importances[0]
        board.memory[self.memories - 1] = board.times[0]

    def close_home(self, board: Board) -> cython.bint:
        """End the rating period of the home advantage: update the advantage from the sums, then clear the sums."""
        first = self.home_memory + 2 * self.traits
        side = board.side
        side.importances[0] = 1.0
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
        if board.home_chain is None:
            self.home_absorb.absorb(board.side)
        else:
            chain: Chain = board.home_chain
            chain.finish(board.side, 0, 1)
        for k in range(self.traits):
            board.memory[self.home_memory + 2 * k] = board.side.mu[k]
            board.memory[self.home_memory + 2 * k + 1] = board.side.var[k]
        return False


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _pool(board: Board, beta2: cython.double, lanes: cython.Py_ssize_t, s: cython.Py_ssize_t) -> cython.void:
    """Compute the team performances from the players' beliefs."""
    for j in range(board.teams):
        for k in range(board.traits):
            team = (j * board.traits + k) * s
            for lane in range(lanes):
                board.mean[team + lane] = board.offset[team + lane]
                board.variance[team + lane] = 0.0
                board.noise[team + lane] = 0.0
            for e in range(board.start[j], board.start[j + 1]):
                entry = (e * board.traits + k) * s
                for lane in range(lanes):
                    alpha = board.alpha[entry + lane]
                    board.mean[team + lane] += alpha * board.mu[entry + lane]
                    board.variance[team + lane] += alpha * alpha * board.var[entry + lane]
                    board.noise[team + lane] += alpha * alpha
            for lane in range(lanes):
                noise = beta2 * board.noise[team + lane]
                board.noise[team + lane] = noise
                board.variance[team + lane] += noise


@cython.cfunc
@cython.exceptval(check=False)
def _add_home(board: Board, k: cython.Py_ssize_t) -> cython.void:
    """Add a given home advantage of trait k to the home teams of all lanes. A learnt one is added match by match."""
    mean = board.side.mu[k]
    for j in range(board.teams):
        team = (j * board.traits + k) * board.stride
        for lane in range(board.lanes):
            board.mean[team + lane] += mean if board.homes[lane] == j else 0.0


@cython.cfunc
@cython.exceptval(check=False)
def _first_evidence(statistics: Statistics) -> cython.double:
    return statistics.evidences[0]

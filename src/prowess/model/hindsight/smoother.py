"""Runs passes over a history, forward and backward, until the messages of all matches agree (see `engine.chains`)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History
from ...history.ragged import owners
from ...progress import track
from ..engine.board import PADDING, Board
from ..engine.breaks import Breaks
from ..engine.buffers import Record, columns_of
from ..engine.chains import smooth_walk
from ..engine.schedule import Schedule, schedule, schedule_part
from ..engine.smoothing import Chains, find_pools, shift_players, visit_blocks, visit_matches
from ..fit.sweeps import CHUNK, run_sweep
from ..ladder.facet_rows import enter_facets
from ..ladder.ladder import Ladder
from ..ladder.record import enter_players
from ..model import Model
from .curves import log_integral, tilt
from .merge import Merged

Floats = NDArray[np.float64]

GROWING = 5  # after this many sweeps in which beliefs moved further than before, new messages are damped


class Smoother:
    """The messages of all matches of a history, and the passes that refine them.

    `ladder` is what a pass carries along: after a pass forward, it has the ratings after the last match. Passes visit
    the matches from `first` to `last`; by default, all matches. `before` has the ratings before the history, and
    `start` the state from which a pass forward begins. Skills of players who have played also cross the `breaks`.

    If equal matches of the `original` history are `merged`, passes visit those of the merged `history`. `rows` are the
    rows of the players of its entries in the ladder, and `original_rows` those of the original history.
    """

    def __init__(
        self, ladder: Ladder, history: History, breaks: Breaks | None = None, merged: Merged | None = None
    ) -> None:
        """Prepare the passes; the ladder has the players' ratings before the history, and is changed by the passes."""
        self.breaks = breaks or Breaks()
        self.before = ladder.copy()
        self.ladder, self.original, self.merged = ladder, history, merged
        self.model = ladder.model
        pipeline = self.model.pipeline
        self.original_rows = players = enter_players(ladder, history)
        facets: list[Any] = enter_facets(ladder, history, players)
        if merged is not None:
            history, players, facets = merged.history, players[merged.entry], merged.columns(facets)
        self.columns: Any = columns_of(history, players, facets)
        self.history, self.rows = history, players
        teams, entries = np.diff(history.match_start), np.diff(history.team_start[history.match_start])
        self.plan = schedule(history, pipeline.lanes, pipeline.ordered) if pipeline.lanes > 1 else None
        self.board: Board
        cells = int(entries.max(initial=1)) * pipeline.traits
        if self.plan is None:
            self.board = pipeline.board(int(teams.max(initial=2)), int(entries.max(initial=2)))
        else:
            self.board = pipeline.block(self.plan)
            cells = max(cells, self.plan.small_entries * pipeline.traits * (pipeline.lanes + PADDING))
        effects = int(max(teams.max(initial=2), entries.max(initial=2))) * pipeline.traits
        effects *= sum(max(part.number, 1) for part in pipeline.common)
        freezes, players_at_most = self.model.team.looks, len(ladder.state)
        self.chains = Chains(pipeline, self.columns, players_at_most, cells, effects, freezes, self.breaks)
        self.first, self.last = 0, len(history)
        self.start = copy_state(ladder)
        self.before_state = self.start[0].copy()  # NaN marks newcomers
        self.unconverged: list[int] = []
        self.moved = float("inf")
        self.sweeps = 0
        self._grown = 0
        self.level = Level(self) if has_level(self.model, self.breaks) else None
        self.cohorts = Cohorts(self) if self.model.prior.learns else None

    def choose(self, first: int, last: int) -> None:
        """Let the next passes visit the matches from `first` to `last`."""
        pipeline = self.model.pipeline
        self.first, self.last = first, last
        if self.plan is not None:
            self.plan = schedule_part(self.history, pipeline.lanes, pipeline.ordered, first, last)
        self.level = Level(self) if self.level is not None else None
        if self.cohorts is not None:
            self.cohorts = Cohorts(self)

    # --- passes -------------------------------------------------------------------------------------------------

    def forward(self, online: bool = False, updates: bool = True, visits: bool = True, silent: bool = True) -> Record:
        """Visit all matches from the first to the last one."""
        self._restore(online)
        self.chains.start_pass(online=online, updates=updates, visits=visits)
        record = self._run(Record(self.columns, self.model.pipeline.traits, silent=silent))
        if online and self.merged is not None:
            self._remember_original()
        return record

    def _remember_original(self) -> None:
        """Let later passes use the league's memory after all original matches, in their order."""
        level = self.model.pipeline.level
        if level:
            ladder = self.before.copy()
            run_sweep(ladder, self.original, False, silent=True)
            self.ladder.memory[:level] = ladder.memory[:level]

    def _restore(self, online: bool) -> None:
        """Begin a pass forward. What the league's memory and the statistics have learnt stays, except `online`."""
        self.ladder.state[:] = self.start[0]
        learnt = 0 if online else self.model.pipeline.home_memory
        self.ladder.memory[learnt:] = self.start[1][learnt:]
        for rows, state in zip(self.ladder.facets, self.start[2:], strict=True):
            if online or rows.facet in self.model.facets:
                rows.state[:] = state

    def prepare_online(self, needed: bool) -> None:
        """Let the first pass fix what later passes keep: the league's memory, weights, margins and limited drifts."""
        if needed:
            self.forward(online=True)

    def carry(self) -> None:
        """Compute all messages along the chains from the sites, without visiting any match."""
        for chain in self.chains.all:
            chain.keep(np.full(len(chain.sites), np.nan))
        self.forward(updates=False, visits=False)
        self._clear()
        self.chains.start_pass(backward=True, visits=False)
        self._run(Record(self.columns, self.model.pipeline.traits, silent=True))

    def go_on(self, record: Record) -> None:
        """Visit matches for the first time, after a pass forward over all earlier ones, and record the forecasts."""
        self.chains.start_pass(online=True)
        self._run(record)

    def backward(self) -> Record:
        """Visit all matches from the last to the first one. The numbers of matches are those after a pass forward."""
        self._clear()
        self.chains.start_pass(backward=True)
        return self._run(Record(self.columns, self.model.pipeline.traits, silent=True))

    def _clear(self) -> None:
        """Begin a pass backward: nothing is known from later matches."""
        layout = self.ladder.layout
        self.ladder.state[:, : layout.last_seen] = np.nan
        self.ladder.memory[self.model.pipeline.home_memory :] = 0.0
        for rows in self.ladder.facets:
            if rows.facet in self.model.facets:
                rows.state[:, : 2 * len(layout.traits)] = np.nan

    def _run(self, record: Record) -> Record:
        pipeline, table = self.model.pipeline, self.ladder.table
        if self.first == self.last:
            return record
        # Forecasts of draws by their share among earlier matches are not made in blocks (see `Pipeline.mixes`).
        plan = None if pipeline.mixes and (self.chains.online or not record.silent) else self.plan
        single: Any = self.board if self.board.stride == 1 else self.board.single
        try:
            for first, last in self._chunks(plan):
                if plan is None:
                    visit_matches(pipeline, single, self.columns, table, record, self.chains, first, last)
                else:
                    visit_blocks(pipeline, self.board, self.columns, table, record, plan, self.chains, first, last)
        except Error:
            run_sweep(self.before.copy(), self.original, False, silent=True)  # raises the same error, with its match
            raise
        return record

    def _chunks(self, plan: Schedule | None) -> list[tuple[int, int]]:
        """Return parts of a pass, as ranges of matches or of windows of the schedule, in the order of the pass.

        Kernels hold the interpreter lock, so Ctrl-C and the other threads of a service wait until a part ends.
        """
        starts = np.arange(self.first, self.last + 1) if plan is None else plan.starts
        done = self.history.team_start[self.history.match_start[starts]]  # entries before each step
        cuts = np.searchsorted(done, np.arange(done[0] + CHUNK, done[-1], CHUNK))
        first = self.first if plan is None else 0
        chunks = list(pairwise((first + np.unique([0, *cuts, len(done) - 1])).tolist()))
        return chunks[::-1] if self.chains.backward else chunks

    def read(self) -> Record:
        """Visit all matches without changing anything, and keep the messages from earlier matches of all visits."""
        for chain in self.chains.all:
            chain.keep(np.full(len(chain.sites), np.nan))
        return self.forward(updates=False, silent=False)

    def sweep(self) -> float:
        """Pass forward and backward; return the largest change of a belief."""
        self._start_sweep()
        record = self.forward(online=self.sweeps == 0)
        if self.level is not None:
            self.level.see_forward()
        self.backward()
        self.unconverged = sorted(record.unconverged)
        self._end_sweep()
        # In a league without loops, the second sweep is exact; a shift before it would only disturb it.
        if self.level is not None and self.sweeps > 1:
            self.level.shift()
        if self.cohorts is not None:
            self.cohorts.learn()
        return self.moved

    def sweep_back(self) -> float:
        """Pass backward and forward again, after a pass forward; return the largest change of a belief."""
        self._start_sweep()
        if self.level is not None:
            self.level.see_forward()
        self.backward()
        if self.level is not None:
            self.level.shift()
        if self.cohorts is not None:
            self.cohorts.learn()
        self.forward()
        self._end_sweep()
        return self.moved

    def _start_sweep(self) -> None:
        for chain in self.chains.all:
            chain.start_sweep()

    def _end_sweep(self) -> None:
        moved = max(chain.moved for chain in self.chains.all)
        self._grown = self._grown + 1 if moved > self.moved else 0
        if self._grown >= GROWING:
            for chain in self.chains.all:
                chain.damps = True
        self.moved = moved
        self.sweeps += 1

    def run(
        self, tolerance: float, sweeps: int, progress: bool | None, report: Callable[[float], None] | None = None
    ) -> bool:
        """Sweep at most `sweeps` times, until no belief moves by more than `tolerance`; return whether that was so.

        `report` is called after every sweep, with the share of the work that is done.
        """
        for _ in track(range(sweeps), "sweeping", lambda: self._share(tolerance), progress):
            if self.sweep() < tolerance:
                break
            if report is not None:
                report(self._share(tolerance))
        return self.moved < tolerance

    def _share(self, tolerance: float) -> float:
        """Return about how much of the way to the tolerance is done: in every sweep, beliefs move less by a factor."""
        return (
            min(max(log(max(self.moved, 1e-300)) / log(tolerance), 0.0), 1.0)
            if self.sweeps and tolerance < 1.0
            else 0.0
        )


class Cohorts:
    """The level of newcomers, which a model may learn (see `Newcomers`): a chain with a visit for each newcomer.

    The skills of newcomers scatter around the level L as in the prior `first`, and between two newcomers L moves by
    N(0, level_tau²). A newcomer's later matches say (P, T) about the skill at the first match, so they say
    P/(1 + v₀P) and (T − P m₀)/(1 + v₀P) about L. In return, the prior of each newcomer is N(m₀, v₀) plus what all
    others say about L.
    """

    def __init__(self, smoother: Smoother) -> None:
        """Find the newcomers among the matches that passes visit, in the order of their first matches."""
        self.smoother = smoother
        model, pipeline = smoother.model, smoother.model.pipeline
        prior: Any = model.prior
        counted = counted_entries(smoother)
        newcomers = counted[np.isnan(smoother.before_state[smoother.rows[counted], 0])]
        _, first = np.unique(smoother.rows[newcomers], return_index=True)
        self.rows = smoother.rows[newcomers[np.sort(first)]]
        self.variance, self.step = prior.level_sigma**2, prior.level_tau**2
        board = pipeline.board(1, 1)
        prior.first.welcome(board, 0)
        self.mean = np.array(board.mu[: pipeline.traits])
        self.own = np.array(board.var[: pipeline.traits])
        model.drift.transition(board)
        self.drift = np.array(board.var[: pipeline.traits])  # before the first match
        pipeline.release(board)
        has_one = has_level(model.replace(prior=prior.first), smoother.breaks) and not len(smoother.before)
        self.shifts = has_one and not len(Level(smoother).parts)
        self.sites = np.zeros((2, pipeline.traits, len(self.rows)))
        self._walk()

    def learn(self) -> None:
        """Learn the level after a pass backward, and set the priors of the newcomers."""
        smoother, layout = self.smoother, self.smoother.ladder.layout
        traits = len(layout.traits)
        later = smoother.ladder.state[self.rows, : 2 * traits].reshape(-1, traits, 2)
        share = 1.0 / (1.0 + (self.own + self.drift) * later[..., 0])
        self.sites[0] = (later[..., 0] * share).T
        self.sites[1] = ((later[..., 1] - later[..., 0] * self.mean) * share).T
        self._walk()
        if self.shifts and len(self.rows):
            # Only the prior of the level determines the common level of all skills (see `Level`).
            precision, push = (self.messages[:, 2:, 0] + self.sites[:, :, 0].T).sum(0)
            delta = -push / precision if precision > 0.0 else 0.0
            shift_entries(smoother, np.full(len(smoother.ladder.state), delta))
            self.sites[1] += self.sites[0] * delta
            self._walk()
        mean, variance = tilt(*self.messages.transpose(1, 0, 2))
        state = smoother.start[0][self.rows]
        state[:, layout.means], state[:, layout.variances] = self.mean + mean.T, self.own + variance.T
        state[:, layout.last_seen], state[:, layout.matches] = np.nan, 0.0
        smoother.start[0][self.rows] = state

    def resume(self, sites: Floats) -> None:
        """Continue with the sites of an earlier fit."""
        self.sites = sites.copy()
        self._walk()

    def _walk(self) -> None:
        """Compute the messages along the chain of the level."""
        walks = [smooth_walk(p, t, self.variance, self.step) for p, t in self.sites.transpose(1, 0, 2)]
        self.messages = np.array(walks)

    @property
    def log_evidence(self) -> float:
        """What the level adds to the log-evidence of the chains of the players."""
        mean, variance, precision, push = self.messages.transpose(1, 0, 2)
        cavity = tilt(mean, variance, precision, push)
        return float((log_integral(mean, variance, *self.sites) - log_integral(*cavity, *self.sites)).sum())

    def remember(self, memory: Floats) -> None:
        """Write the level after the last newcomer to the memory of a ladder, as `Newcomers` does."""
        if len(self.rows):
            level, traits = self.smoother.model.pipeline.level, len(self.mean)
            mean, variance = tilt(*self.messages[:, :2, -1].T, *self.sites[:, :, -1])
            memory[level : level + 2 * traits] = np.stack([mean, variance - self.variance], 1).ravel()


def counted_entries(smoother: Smoother) -> NDArray[np.int64]:
    """Return the entries of the matches that passes visit, without those of matches that do not count."""
    history = smoother.history
    first = history.team_start[history.match_start]
    counted = np.arange(int(first[smoother.first]), int(first[smoother.last]))
    if history.importance is not None:
        counted = counted[np.repeat(history.importance > 0.0, np.diff(first))[counted]]
    return counted


def copy_state(ladder: Ladder) -> list[Floats]:
    """Return copies of all numbers of a ladder: the state, the memory, and the state of each facet."""
    return [ladder.state.copy(), ladder.memory.copy(), *(rows.state.copy() for rows in ladder.facets)]


def has_level(model: Model, breaks: Breaks) -> bool:
    """Return whether results depend on differences alone, so that hardly anything but the priors sets the level.

    >>> import prowess as pw
    >>> has_level(pw.TrueSkill(), Breaks()), has_level(pw.PoissonOD(), Breaks())
    (True, True)
    """
    if "origin" not in model.outcome.blind or model.drift.reverts or model.prior.learns or model.statistics:
        return False
    return not model.team.positions and bool((breaks.carry == 1.0).all())


def _resistance(model: Model, history: History) -> Floats:
    """Return how much each match resists a shift of all skills, relative to the precisions of its sites.

    A shift by δ moves the difference of two teams by δ times the gap between the sums of their weights α, so even teams
    do not resist. The site of an entry has a precision of α² times the curvature of the likelihood.
    """
    if not history.teams:
        return np.zeros(len(history))
    weight = np.ones(history.entries) if history.weight is None else history.weight
    starts, matches = history.team_start[:-1], history.match_start[:-1]
    sums, squares = model.team.sums(weight, starts)
    gap = np.maximum.reduceat(sums, matches) - np.minimum.reduceat(sums, matches)
    resistance: Floats = gap**2 / np.add.reduceat(squares, matches)
    return resistance


class Level:
    """The common level of the skills of all players who are connected by matches.

    If only differences between teams count, all messages together leave the level to the priors, and passes find it
    slowly. At the fixed point, the sum of (E s₁ − m₀)/v₀ over all chains is 0, with the prior N(m₀, v₀) at the first
    match of each player. Between sweeps, `shift` moves all messages to where this holds.

    Some matches have a part in the level, too: the gradients of their entries do not sum to 0 if the teams have
    different sums of weights, or if a match counts less than once, so that it is in no belief as a whole. The sum over
    all chains is then that of the gradients w (τ − π E s) of these entries. Uneven teams also resist a shift.
    """

    def __init__(self, smoother: Smoother) -> None:
        """Find the pools of players, and the first match of each player among those that passes visit."""
        self.smoother = smoother
        players = len(smoother.ladder.state)
        self.pools = find_pools(smoother.columns, players, smoother.last)
        counted = counted_entries(smoother)
        visit = np.full(players, -1)
        visit[smoother.rows[counted[::-1]]] = counted[::-1]  # in reverse order, so that the earliest one remains
        self.rows = np.flatnonzero(visit >= 0)
        self.visits = visit[self.rows]
        self.prior: Floats | None = None
        history = smoother.history
        match = owners(history.match_start)[owners(history.team_start)][counted]
        counts = np.ones(len(history)) if history.importance is None else history.importance
        resistance = _resistance(smoother.model, history)
        takes_part = ((counts < 1.0) | (resistance > 0.0))[match]
        self.parts = counted[takes_part]  # entries of matches that have a part in the level
        self.counts, self.resistance = (column[match[takes_part]] for column in (counts, resistance))
        self.part_forward: Floats | None = None

    def see_forward(self) -> None:
        """Remember the messages from earlier matches where they are needed, after a pass forward.

        Passes do not change those at the first match of each player.
        """
        messages = self.smoother.chains.players.messages.reshape(-1, self.smoother.model.pipeline.traits, 2)
        if self.prior is None:
            self.prior = messages[self.visits]
        self.part_forward = messages[self.parts]

    def shift(self) -> None:
        """Move the sites and the messages from later matches, after a pass backward."""
        assert self.prior is not None
        assert self.part_forward is not None
        traits = self.smoother.model.pipeline.traits
        later = self.smoother.ladder.state[self.rows, : 2 * traits].reshape(-1, traits, 2)
        self._shift(self.prior, later, self.part_forward)

    def shift_settled(self) -> None:
        """Move the sites and the messages from later matches, if all messages of the first matches are known."""
        history, players = self.smoother.history, self.smoother.chains.players
        pairs = [cells.reshape(-1, players.traits, 2)[self.visits] for cells in (players.sites, players.messages)]
        if history.importance is not None:
            sizes = np.diff(history.team_start[history.match_start])
            pairs[0] = pairs[0] * np.repeat(history.importance, sizes)[self.visits][:, None, None]
        forward = players.forward.reshape(-1, players.traits, 2)
        self._shift(forward[self.visits], pairs[0] + pairs[1], forward[self.parts])

    def _shift(self, prior: Floats, later: Floats, part_forward: Floats) -> None:
        """Move all messages; `prior` and `later` are those to and from the first match of each player."""
        precision, push = later[..., 0], later[..., 1]
        mean, variance = prior[..., 0], prior[..., 1]
        share = 1.0 / (1.0 + variance * precision)
        size = len(self.pools)
        pool = self.pools[self.rows]
        pull = np.bincount(pool, ((push - precision * mean) * share).sum(1), size)
        weight = np.bincount(pool, (precision * share).sum(1), size)
        if len(self.parts):
            pool = self.pools[self.smoother.rows[self.parts]]
            gradients, precisions = self._gradients(part_forward)
            pull -= np.bincount(pool, gradients, size)
            weight += np.bincount(pool, self.resistance * precisions, size)
        delta = np.divide(-pull, weight, out=np.zeros(size), where=weight > 0.0)
        shift_entries(self.smoother, delta[self.pools])

    def _gradients(self, forward: Floats) -> tuple[Floats, Floats]:
        """Return gradients and precisions of the entries that have a part in the level, summed over the traits."""
        players = self.smoother.chains.players
        sites, later = (cells.reshape(-1, players.traits, 2)[self.parts] for cells in (players.sites, players.messages))
        precision, push = self.counts[:, None] * sites[..., 0], self.counts[:, None] * sites[..., 1]
        mean, _ = tilt(forward[..., 0], forward[..., 1], later[..., 0] + precision, later[..., 1] + push)
        return (push - precision * mean).sum(1), precision.sum(1)


def shift_entries(smoother: Smoother, delta: Floats) -> None:
    """Move the sites of the players, and the messages from later matches, by a distance of every player."""
    history = smoother.history
    first, last = (int(history.team_start[history.match_start[match]]) for match in (smoother.first, smoother.last))
    shift_players(smoother.chains.players, smoother.columns, delta, first, last)

"""Runs passes over a history, forward and backward, until the messages of all matches agree (see `engine.chains`)."""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History
from ...progress import steps
from ..components.drift import Seasons
from ..components.team import Mean, Sum
from ..engine.board import PADDING, Board
from ..engine.buffers import Record, columns_of
from ..engine.schedule import schedule
from ..engine.smoothing import Chains, find_pools, visit_blocks, visit_matches
from ..fit.sweeps import run_sweep
from ..ladder.facet_rows import enter_facets
from ..ladder.ladder import Ladder
from ..ladder.record import enter_players

Floats = NDArray[np.float64]

GROWING = 5  # after this many sweeps in which beliefs moved further than before, new messages are damped


class Smoother:
    """The messages of all matches of a history, and the passes that refine them.

    `ladder` is what a pass carries along: after a pass forward, it has the ratings after the last match.
    """

    def __init__(self, ladder: Ladder, history: History) -> None:
        """Prepare the passes; the ladder has the players' ratings before the history, and is changed by the passes."""
        self.before = ladder.copy()
        self.ladder, self.history = ladder, history
        self.model = ladder.model
        pipeline = self.model.pipeline
        players = enter_players(ladder, history)
        self.columns = columns_of(history, players, enter_facets(ladder, history, players))
        self.rows = players
        in_blocks = pipeline.lanes > 1
        self.plan = schedule(history, pipeline.lanes, pipeline.ordered) if in_blocks else None
        teams, entries = np.diff(history.match_start), np.diff(history.team_start[history.match_start])
        self.board: Board
        cells = int(entries.max(initial=1)) * pipeline.traits
        if self.plan is None:
            self.board = pipeline.board(int(teams.max(initial=2)), int(entries.max(initial=2)))
        else:
            self.board = pipeline.block(self.plan)
            cells = max(cells, self.plan.small_entries * pipeline.traits * (pipeline.lanes + PADDING))
        effects = int(max(teams.max(initial=2), entries.max(initial=2))) * pipeline.traits
        effects *= sum(max(part.number, 1) for part in pipeline.common)
        self.chains = Chains(pipeline, self.columns, len(ladder.state), cells, effects, self.model.team.looks)
        self.start = [ladder.state.copy(), ladder.memory.copy(), *(rows.state.copy() for rows in ladder.facets)]
        self.unconverged: list[int] = []
        self.moved = float("inf")
        self.sweeps = 0
        self._grown = 0
        self._level = Level(self) if self._has_level() else None

    # --- passes -------------------------------------------------------------------------------------------------

    def forward(self, online: bool = False, updates: bool = True, visits: bool = True, silent: bool = True) -> Record:
        """Visit all matches from the first to the last one."""
        self.ladder.state[:] = self.start[0]
        home = self.model.pipeline.home_memory
        self.ladder.memory[0 if online else home :] = self.start[1][0 if online else home :]
        for rows, state in zip(self.ladder.facets, self.start[2:], strict=True):
            if online or rows.facet in self.model.facets:
                rows.state[:] = state
        self.chains.start_pass(online=online, updates=updates, visits=visits)
        return self._run(silent)

    def backward(self) -> Record:
        """Visit all matches from the last to the first one. The numbers of matches are those after a pass forward."""
        layout = self.ladder.layout
        self.ladder.state[:, : layout.last_seen] = np.nan
        self.ladder.memory[self.model.pipeline.home_memory :] = 0.0
        for rows in self.ladder.facets:
            if rows.facet in self.model.facets:
                rows.state[:, : 2 * len(layout.traits)] = np.nan
        self.chains.start_pass(backward=True)
        return self._run(True)

    def _run(self, silent: bool) -> Record:
        pipeline = self.model.pipeline
        record = Record(self.columns, pipeline.traits, silent=silent)
        table = self.ladder.table
        if not len(self.history):
            return record
        try:
            if self.plan is None:
                last = len(self.history)
                visit_matches(pipeline, self.board, self.columns, table, record, self.chains, 0, last)
            else:
                last = self.plan.windows
                visit_blocks(pipeline, self.board, self.columns, table, record, self.plan, self.chains, 0, last)
        except Error:
            run_sweep(self.before.copy(), self.history, False, silent=True)  # raises the same error, with its match
            raise
        return record

    def read(self) -> Record:
        """Visit all matches without changing anything, and keep the messages from earlier matches of all visits."""
        for chain in self.chains.all:
            chain.keep(np.full(len(chain.sites), np.nan))
        return self.forward(updates=False, silent=False)

    def sweep(self) -> float:
        """Pass forward and backward; return the largest change of a belief."""
        for chain in self.chains.all:
            chain.start_sweep()
        record = self.forward(online=self.sweeps == 0)
        if self._level is not None:
            self._level.see_first()
        self.backward()
        self.unconverged = sorted(record.unconverged)
        moved = max(chain.moved for chain in self.chains.all)
        self._grown = self._grown + 1 if moved > self.moved else 0
        if self._grown >= GROWING:
            for chain in self.chains.all:
                chain.damps = True
        self.moved = moved
        self.sweeps += 1
        # In a league without loops, the second sweep is exact; a shift before it would only disturb it.
        if self._level is not None and self.sweeps > 1:
            self._level.shift()
        return moved

    def run(self, tolerance: float, sweeps: int, progress: bool | None) -> bool:
        """Sweep until no belief moves by more than `tolerance`, at most `sweeps` times; return whether that happened."""
        last = self.sweeps + sweeps
        for _ in _watch(self, tolerance, sweeps, progress):
            if self.sweep() < tolerance or self.sweeps >= last:
                break
        return self.moved < tolerance

    # --- the common level ---------------------------------------------------------------------------------------

    def _has_level(self) -> bool:
        """Return whether only the priors determine the common level of all skills, so that it can be set directly."""
        model, history = self.model, self.history
        if "origin" not in model.outcome.blind or model.drift.reverts or model.prior.learns:
            return False
        if isinstance(model.team, Mean):
            return True
        if not isinstance(model.team, Sum):
            return False
        weight = np.ones(history.entries) if history.weight is None else history.weight
        total = np.add.reduceat(weight, history.team_start[:-1])
        first = total[history.match_start[:-1]]
        return bool((total == np.repeat(first, np.diff(history.match_start))).all())


class Level:
    """The common level of the skills of all players who are connected by matches.

    If only differences between teams count, all messages together leave the level to the priors, and passes find it
    slowly. At the fixed point, the sum of (E s₁ − m₀)/v₀ over all chains is 0, with the prior N(m₀, v₀) at the first
    match of each player. Between sweeps, `shift` moves all messages to where this holds.
    """

    def __init__(self, smoother: Smoother) -> None:
        self.smoother = smoother
        players = len(smoother.ladder.state)
        self.pools = find_pools(smoother.columns, players)
        counted = np.arange(len(smoother.rows))
        importance = smoother.history.importance
        if importance is not None:
            matches = np.repeat(np.arange(len(importance)), np.diff(smoother.history.team_start[smoother.history.match_start]))
            counted = counted[importance[matches] > 0.0]
        first = np.full(players, -1)
        first[smoother.rows[counted[::-1]]] = counted[::-1]
        self.rows = np.flatnonzero(first >= 0)
        self.first = first[self.rows]
        self.prior: Floats | None = None

    def see_first(self) -> None:
        """Remember the messages at the first match of each player, after a pass forward; they never change."""
        if self.prior is None:
            traits = self.smoother.model.pipeline.traits
            self.prior = self.smoother.chains.players.messages.reshape(-1, traits, 2)[self.first]

    def shift(self) -> None:
        """Move the sites and the messages from later matches, after a pass backward."""
        assert self.prior is not None
        players, traits = self.smoother.chains.players, self.smoother.model.pipeline.traits
        later = self.smoother.ladder.state[self.rows, : 2 * traits].reshape(-1, traits, 2)
        precision, push = later[..., 0], later[..., 1]
        mean, variance = self.prior[..., 0], self.prior[..., 1]
        share = 1.0 / (1.0 + variance * precision)
        size = len(self.pools)
        pool = self.pools[self.rows]
        pull = np.bincount(pool, ((push - precision * mean) * share).sum(1), size)
        weight = np.bincount(pool, (precision * share).sum(1), size)
        delta = np.divide(-pull, weight, out=np.zeros(size), where=weight > 0.0)
        by_entry = delta[self.pools[self.smoother.rows]][:, None]
        for cells in (players.sites, players.messages):
            pairs = cells.reshape(-1, traits, 2)
            pairs[..., 1] += pairs[..., 0] * by_entry


def _watch(smoother: Smoother, tolerance: float, sweeps: int, progress: bool | None) -> Iterator[Any]:
    """Yield once for each sweep, with a progress bar that shows how far the beliefs still move."""
    yield from steps(range(sweeps), "sweeping", progress)

"""Passes over a history, forward or backward, that refine the messages of its chains (see `chains`).

A pass visits every match: it loads the messages that it carries, turns them into the beliefs about the players without
this match, learns from the result as `sweep` does, and stores what the match says about each player. The first pass
forward, before there are messages from later matches, is the fit of `sweep`.

The rows of the table hold what the pass carries: in a pass forward, the belief after the last match of each player, as
in a ladder; in a pass backward, the precision and the precision times mean of everything from the next match on.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

# kernel: lanes
# mypy: ignore-errors
try:
    import cython
except ModuleNotFoundError:
    from .. import _cython as cython

from .blocks import (
    Window,
    block_entries,
    find_rows,
    first_entry,
    load_block,
    load_memories,
    load_result,
    load_results,
    place_matches,
    store_rows,
    take_rows,
)
from .board import Board, Margin
from .breaks import Breaks
from .buffers import Columns, Record, Table
from .chains import Chain
from .facets import Deviations, Part, RowSource
from .pipeline import Pipeline
from .players import load_memory
from .schedule import Schedule
from .statistics import Statistics
from .sweep import record_forecasts, scale_statistics, tally

NAN = cython.declare(cython.double, float("nan"))


@cython.final
@cython.cclass
class FixedMargin(Margin):
    """A draw margin whose value for every match is already on the board."""

    blocks = True
    reads_entries = False

    @cython.ccall
    @cython.exceptval(-1.0, check=True)
    def between(self, board: Board, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.double:
        """Return the margin of the match."""
        return board.epsilons[i % board.stride]


@cython.final
@cython.cclass
class Chains:
    """All chains of a history: those of the players, of the deviations of each facet, and of all effects.

    The first pass is `online`: the league's memory and the scales of statistics grow with every match. All later passes
    use what the first one has left: the memory in the table, and in the columns `alpha` and `offset` the weights of
    team functions that depend on the beliefs, in `epsilon` margins that do, and in `step` the variances that a limited
    drift has added. In every pass, players also cross the `breaks` between their matches.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        columns: Columns,
        players: int,
        cells: int,
        effects: int,
        freezes: bool,
        breaks: Breaks,
    ) -> None:
        """Make room for the messages; the table has `players` rows.

        Boards have at most `cells` cells for entries and traits, and a match has at most `effects` effects on all
        traits together. The visits of the effects of the facets begin at `visit_start`.

        If `freezes` is true, weights of players depend on beliefs, so those of the first pass are kept.
        """
        traits = pipeline.traits
        self.players = Chain(columns.entries, traits, cells)
        self.deviations = [Chain(columns.entries, traits, cells) for _ in pipeline.personal]
        self.effects, self.visit_start = None, array("q", [0])
        total = 0
        for part in pipeline.common:
            column = columns.facets[part.index]
            visits = columns.teams if column.by_team else columns.entries
            total += columns.matches * part.number if part.number > 0 else visits
            self.visit_start.append(total)
        if pipeline.has_effects:
            self.effects = Chain(total, traits, effects)
        self.home = Chain(columns.matches, traits, traits) if pipeline.learns_home else None
        kinds = len(self.deviations) + (effects // traits if pipeline.has_effects else 0) + pipeline.learns_home
        repeats = columns.has_importance and bool((np.asarray(columns.importance) > 1.0).any())
        for chain in self.all:
            chain.kinds, chain.repeats = kinds, repeats
        self.freezes = freezes
        self.breaks = breaks
        self.measures = False
        self.limits = pipeline.drift.capped
        self.alpha = array("d", bytes(8 * columns.entries * traits if freezes else 0))
        self.offset = array("d", bytes(8 * columns.teams * traits if freezes else 0))
        self.epsilon = array("d")
        self.step = array("d", bytes(8 * columns.entries * traits if self.limits else 0))
        self.match_of = memoryview(np.empty(0, np.int32))  # the match of every entry; only `settle` needs it
        self.next_step = array("d", bytes(8 * players * traits if self.limits else 0))
        self.online, self.backward, self.updates, self.visits = True, False, True, True

    @property
    def all(self) -> list[Chain]:
        """All chains, first those of the players."""
        common = (chain for chain in (self.effects, self.home) if chain is not None)
        return [self.players, *self.deviations, *common]

    def start_pass(
        self, backward: bool = False, updates: bool = True, visits: bool = True, online: bool = False
    ) -> None:
        """Choose the direction of the next pass, whether it updates sites, and whether it visits the matches at all.

        A pass that does not visit the matches only carries the messages on.
        """
        self.backward, self.updates, self.visits, self.online = backward, updates, visits, online
        for chain in self.all:
            chain.backward, chain.updates = backward, updates and visits

    def prefetch_next(self, board: Board, matches: cython.Py_ssize_t, entries: cython.Py_ssize_t) -> cython.void:
        """Prefetch what is known about the players of the next block."""
        self.players.prefetch_next(board, matches, entries)
        for f in range(len(self.deviations)):
            chain: Chain = self.deviations[f]
            chain.prefetch_next(board, matches, entries)


@cython.cfunc
def _load_back(pipeline: Pipeline, board: Board, columns: Columns, table: Table, chains: Chains) -> cython.bint:
    """Load the messages from later matches, carried back over the time up to them, to `mu` and `var`."""
    s = board.stride
    traits = pipeline.traits
    if s == 1:
        load_result(pipeline, board, columns)
        for e in range(board.entries):
            board.rows[e] = columns.player[board.first_entry[0] + e] * table.stride
    else:
        load_results(pipeline, board, columns)
    for e in range(board.entries):
        for lane in range(board.lanes):
            base = board.rows[e * s + lane]
            played = table.cells[base + pipeline.matches] - 1.0
            board.played[e * s + lane] = played if played == played else 0.0
            # The comparison is false for NaN: without a later match, or without times, the elapsed time is 0.
            elapsed = (table.cells[base + pipeline.last_seen] - board.times[lane]) / columns.unit
            board.elapsed[e * s + lane] = elapsed if elapsed >= 0.0 else 0.0
    pipeline.drift_players(board, True)
    if chains.limits:
        _swap_steps(board, table, chains)
    if chains.breaks.count > 0:
        _cross_back(pipeline, board, columns, table, chains.breaks)
    for k in range(board.entries * traits):
        e = k // traits
        trait = k - e * traits
        for lane in range(board.lanes):
            i = k * s + lane
            base = board.rows[e * s + lane] + 2 * trait
            precision = table.cells[base]
            push = table.cells[base + 1]
            push = push if precision == precision else 0.0
            precision = precision if precision == precision else 0.0
            a = board.slope[i]
            shrink = a / (1.0 + board.var[i] * precision)
            push = (push - board.mu[i] * precision) * shrink
            board.mu[i] = a * precision * shrink
            board.var[i] = push
    if pipeline.has_deviations:
        deviations: Deviations = board.deviations
        deviations.load(board)
        for f in range(len(deviations.boards)):
            _carry_rows_back(deviations.sources[f], deviations.boards[f], board, columns.unit)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _swap_steps(board: Board, table: Table, chains: Chains) -> cython.void:
    """Take the variances that a limited drift has added before the next matches of the players; keep those of these.

    A player has one next match, so `next_step` needs one cell for each player and trait.
    """
    for k in range(board.entries * board.traits):
        e = k // board.traits
        for i in range(board.matches):
            row = board.rows[e * board.stride + i] // table.stride * board.traits + k - e * board.traits
            board.var[k * board.stride + i] = chains.next_step[row]
            if board.importances[i] > 0.0:
                chains.next_step[row] = chains.step[board.first_entry[i] * board.traits + k]


@cython.cfunc
@cython.exceptval(check=False)
def _carry_rows_back(source: RowSource, rows: Board, board: Board, unit: cython.double) -> cython.void:
    """Replace the rows of a facet, which `Deviations.load` has loaded, by the messages from later matches."""
    s = board.stride
    cells = source.table.cells
    part = source.part
    last_seen = 2 * board.traits
    for e in range(board.entries):
        for lane in range(board.lanes):
            base = rows.rows[e * s + lane]
            first = base if base >= 0 else 0
            rows.played[e * s + lane] -= 1.0
            elapsed = (cells[first + last_seen] - board.times[lane]) / unit
            elapsed = elapsed if elapsed >= 0.0 else 0.0
            elapsed = elapsed if board.times[lane] == board.times[lane] else board.elapsed[e * s + lane]
            rows.elapsed[e * s + lane] = elapsed if part.per_time else 1.0
        for k in range(board.traits):
            for lane in range(board.lanes):
                i = (e * board.traits + k) * s + lane
                base = rows.rows[e * s + lane]
                first = base if base >= 0 else 0
                precision = cells[first + 2 * k]
                is_known = 1.0 if precision == precision and base >= 0 else 0.0
                precision = precision if is_known > 0.0 else 0.0
                push = cells[first + 2 * k + 1] if is_known > 0.0 else 0.0
                shrink = 1.0 / (1.0 + part.drift * rows.elapsed[e * s + lane] * precision)
                rows.mu[i] = precision * shrink
                rows.var[i] = push * shrink


@cython.cfunc
def _cross_back(pipeline: Pipeline, board: Board, columns: Columns, table: Table, breaks: Breaks) -> cython.bint:
    """Put the breaks between these matches and the later matches of their players before the drift on the board."""
    for e in range(board.entries):
        for i in range(board.lanes):
            row = columns.player[board.first_entry[i] + e] * table.stride
            if breaks.cross(board.times[i], table.cells[row + pipeline.last_seen]):
                _put_break(board, breaks, e, i)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _put_break(board: Board, breaks: Breaks, e: cython.Py_ssize_t, lane: cython.Py_ssize_t) -> cython.void:
    """Put the combined break of an entry before the drift s ← a s + c + N(0, q) that is described on the board."""
    for k in range(board.traits):
        i = (e * board.traits + k) * board.stride + lane
        a = board.slope[i]
        board.mu[i] += a * (1.0 - breaks.kept) * breaks.centre[k]
        board.var[i] += a * a * breaks.added
        board.slope[i] = a * breaks.kept


@cython.cfunc
def _cross_forward(pipeline: Pipeline, board: Board, columns: Columns, table: Table, breaks: Breaks) -> cython.bint:
    """Apply the breaks between the last matches of the players and these matches to the beliefs about them."""
    for e in range(board.entries):
        for i in range(board.lanes):
            row = columns.player[board.first_entry[i] + e] * table.stride
            # Without an earlier match, this time is NaN, and there is no break.
            if breaks.cross(table.cells[row + pipeline.last_seen], columns.time[board.match[i]]):
                for k in range(board.traits):
                    cell = (e * board.traits + k) * board.stride + i
                    board.mu[cell] = breaks.centre[k] + breaks.kept * (board.mu[cell] - breaks.centre[k])
                    board.var[cell] = breaks.kept * breaks.kept * board.var[cell] + breaks.added
    return False


@cython.cfunc
def _drift_forward(pipeline: Pipeline, board: Board, columns: Columns, table: Table, chains: Chains) -> cython.bint:
    """Apply breaks and the drift to the beliefs about all players.

    A limited drift adds the same variances in every pass.
    """
    if chains.breaks.count > 0:
        _cross_forward(pipeline, board, columns, table, chains.breaks)
    if not chains.limits:
        return pipeline.drift_players(board, False)
    s = board.stride
    chain = chains.players
    cells = board.entries * board.traits
    for k in range(cells):
        for lane in range(board.lanes):
            board.before_mu[k * s + lane] = board.mu[k * s + lane]
            board.before[k * s + lane] = board.var[k * s + lane]
    if chains.online:
        pipeline.drift_players(board, False)
        for k in range(cells):
            for lane in range(board.lanes):
                chain.first[k * s + lane] = board.mu[k * s + lane]
                chain.second[k * s + lane] = board.var[k * s + lane]
    pipeline.drift_players(board, True)
    for k in range(cells):
        for i in range(k * s, k * s + board.lanes):
            at = board.first_entry[i - k * s] * board.traits + k
            spread = board.slope[i] * board.slope[i] * board.before[i]
            if chains.online:
                chains.step[at] = max(chain.second[i] - spread, 0.0)
                board.mu[i] = chain.first[i]
                board.var[i] = chain.second[i]
            else:
                board.mu[i] += board.slope[i] * board.before_mu[i]
                board.var[i] = spread + chains.step[at]
    return False


@cython.cfunc
def _enter(pipeline: Pipeline, board: Board, chains: Chains) -> cython.bint:
    """Replace the carried messages of players and deviations by the cavities."""
    chains.players.find_entries(board)
    chains.players.enter(board, 0, board.entries)
    if pipeline.has_deviations:
        deviations: Deviations = board.deviations
        for f in range(len(deviations.boards)):
            chain: Chain = chains.deviations[f]
            chain.find_entries(board)
            chain.enter(deviations.boards[f], 0, board.entries)
    return False


@cython.cfunc
def _leave(pipeline: Pipeline, board: Board, chains: Chains, learns: cython.bint) -> cython.bint:
    """Update the sites of players and deviations if `learns` is true, and carry the messages on."""
    _leave_rows(chains.players, board, board, chains, learns)
    if pipeline.has_deviations:
        deviations: Deviations = board.deviations
        for f in range(len(deviations.boards)):
            _leave_rows(chains.deviations[f], deviations.boards[f], board, chains, learns)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _leave_rows(chain: Chain, rows: Board, board: Board, chains: Chains, learns: cython.bint) -> cython.void:
    if learns:
        chain.leave(rows, 0, board.entries)
    else:
        chain.pass_by(rows, 0, board.entries)
    if chains.backward:
        # Storing a row adds 1 to its number of matches, but there is one less before this match.
        for e in range(board.entries):
            for lane in range(board.lanes):
                rows.played[e * board.stride + lane] -= 1.0


@cython.cfunc
def _pool(pipeline: Pipeline, board: Board, chains: Chains) -> cython.bint:
    """Compute the performances of the teams from their players; keep the weights of the first pass if they matter."""
    s = board.stride
    traits = pipeline.traits
    if chains.measures:
        for lane in range(board.lanes):
            board.epsilons[lane] = chains.epsilon[board.match[lane]]
    if not chains.freezes:
        return pipeline.fold_players(board)
    if chains.online:
        pipeline.fold_players(board)
    for k in range(board.entries * traits):
        for i in range(board.lanes):
            at = board.first_entry[i] * traits + k
            if chains.online:
                chains.alpha[at] = board.alpha[k * s + i]
            else:
                board.alpha[k * s + i] = chains.alpha[at]
    for k in range(board.teams * traits):
        for i in range(board.lanes):
            at = board.first_team[i] * traits + k
            if chains.online:
                chains.offset[at] = board.offset[k * s + i]
            else:
                board.offset[k * s + i] = chains.offset[at]
    if chains.online:
        return False
    if pipeline.has_deviations:
        deviations: Deviations = board.deviations
        deviations.fold(board)
    return pipeline.pool_players(board)


@cython.cfunc
def _visit_block(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    record: Record,
    window: Window,
    chains: Chains,
    first: cython.Py_ssize_t,
    matches: cython.Py_ssize_t,
) -> cython.bint:
    """Visit the matches from `first` on that are in the lanes of a board."""
    serial = pipeline.serial and board.stride > 1
    place_matches(pipeline, board, columns, window, first, matches)
    if chains.backward:
        _load_memory(pipeline, board, columns, table, window)
        _load_back(pipeline, board, columns, table, chains)
    else:
        load_block(pipeline, board, columns, table, window, False)
        if pipeline.centred and board.stride == 1 and board.importances[0] > 0.0 and chains.online:
            pipeline.prior.meet(board)
        _drift_forward(pipeline, board, columns, table, chains)
    _enter(pipeline, board, chains)
    # A match of importance 0 is forecast, but changes nothing. The schedule never mixes such matches with others.
    counts = board.importances[0] > 0.0
    if chains.visits:
        _pool(pipeline, board, chains)
        _learn(pipeline, board, record, chains, serial, counts)
        _record(board, record, counts)
        if chains.online and chains.measures:
            for i in range(board.matches):
                chains.epsilon[board.match[i]] = board.epsilons[i]
    elif serial:
        pipeline.rate_serially(board, True, chains.backward)
    elif pipeline.learns_home or pipeline.has_effects:
        pipeline.add_levels(board)
        pipeline.carry_levels(board)
    _leave(pipeline, board, chains, counts and chains.visits and chains.updates)
    if counts:
        store_rows(pipeline, board, columns, table)
        if not window.blocks:
            for k in range(0 if chains.online else pipeline.home_memory, pipeline.memories):
                table.memory[k] = board.memory[k]
    return False


@cython.cfunc
def _learn(
    pipeline: Pipeline, board: Board, record: Record, chains: Chains, serial: cython.bint, counts: cython.bint
) -> cython.bint:
    """Forecast the matches on the board and, if they count, learn from their results."""
    if serial:
        pipeline.rate_serially(board, record.silent, chains.backward)
    else:
        pipeline.add_levels(board)
        if counts and record.silent and pipeline.derives:
            return pipeline.derive(board)
        pipeline.forecast_teams(board)
    if not record.silent:
        record_forecasts(pipeline, board, record)
    if counts and serial:
        pipeline.learn_players(board)
    elif counts:
        pipeline.learn(board)
    elif board.stride == 1:
        pipeline.pass_by_levels(board)
    return False


@cython.cfunc
def _load_memory(pipeline: Pipeline, board: Board, columns: Columns, table: Table, window: Window) -> cython.bint:
    """Load the league's memory to the board, unless it stays on the board `single`."""
    if not window.blocks:
        load_memory(pipeline, board, table, NAN, columns.unit, False)
    elif not pipeline.serial:
        load_memories(pipeline, board, window)
    return False


@cython.cfunc
def _record(board: Board, record: Record, counts: cython.bint) -> cython.bint:
    """Record the log-evidence of the matches on the board, and matches for which EP did not converge."""
    unconverged = 0.0
    if not record.silent:
        for lane in range(board.matches):
            record._log_evidence[board.match[lane] - record.first_match] = board.evidences[lane] if counts else 0.0
    if not counts:
        return False
    for lane in range(board.matches):
        unconverged += board.unconverged[lane]
    if unconverged > 0.0:
        for i in range(board.matches):
            if board.unconverged[i] > 0.0:
                record.unconverged.append(board.match[i])
    return False


@cython.cfunc
def _visit_window(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    record: Record,
    window: Window,
    plan: Schedule,
    chains: Chains,
    w: cython.Py_ssize_t,
) -> cython.bint:
    """Visit the matches of a window of the schedule, in blocks."""
    stop = plan.window_start[w + 1]
    window.first = plan.window_start[w]
    if chains.online:
        if pipeline.tallies:
            tally(pipeline, board.single, columns, table, window, stop)
        if pipeline.has_statistics:
            scale_statistics(board, columns, window.first, stop)
    first_block = plan.window_block[w]
    blocks = plan.window_block[w + 1] - first_block
    step = -1 if chains.backward else 1
    find_rows(pipeline, board, columns, table, plan, first_block + blocks - 1 if chains.backward else first_block)
    for n in range(blocks):
        b = first_block + (blocks - 1 - n if chains.backward else n)
        first = plan.block_start[b]
        size = block_entries(columns, plan, b)
        if size <= plan.large:
            take_rows(pipeline, board)
        found = find_rows(pipeline, board, columns, table, plan, b + step)
        if found > 0:
            chains.prefetch_next(board, found, block_entries(columns, plan, b + step))
        _visit_block(
            pipeline,
            board if size <= plan.large else board.single,
            columns,
            table,
            record,
            window,
            chains,
            first,
            plan.block_start[b + 1] - first,
        )
    return False


def _prepare(pipeline: Pipeline, board: Board, columns: Columns, table: Table, chains: Chains) -> None:
    """Tell a board, and its board `single`, where the rows are, and whether the league's memory changes."""
    pipeline.find_facets(board, columns.facets, table.facets, columns.unit)
    single = board if board.stride == 1 else board.single
    single.is_fixed = not chains.online
    single.carries = not chains.visits
    single.home_chain = chains.home
    if pipeline.has_effects:
        single.effects.set_chain(chains.effects, chains.visit_start)
    for k in range(pipeline.memories):
        single.fixed[k] = table.memory[k]
    if single.margin.sees_places:
        chains.measures = True
        if len(chains.epsilon) == 0:
            chains.epsilon = array("d", bytes(8 * columns.matches))
    if not chains.online and chains.measures:
        board.margin = single.margin = FixedMargin()


def visit_blocks(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    record: Record,
    plan: Schedule,
    chains: Chains,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Visit the matches of the windows from `first` to `last` of a schedule, in blocks; backward, the last come first.

    If an error occurs, some of the matches have been visited, and others have not.
    """
    w: cython.Py_ssize_t
    most = 0
    _prepare(pipeline, board, columns, table, chains)
    for w in range(first, last):
        most = max(most, plan.window_start[w + 1] - plan.window_start[w])
    window: Window = Window(pipeline, plan.order, True, most if pipeline.tallies else 0)
    if pipeline.tallies and not chains.online:
        for k in range(pipeline.level):
            for m in range(most):
                window.memory[k, m] = table.memory[k]
    if pipeline.ordered:
        load_memory(pipeline, board.single, table, NAN, columns.unit, False)
    for w in range(first, last):
        _visit_window(
            pipeline,
            board,
            columns,
            table,
            record,
            window,
            plan,
            chains,
            first + last - 1 - w if chains.backward else w,
        )
    if pipeline.ordered:
        first_cell = 0 if pipeline.serial else pipeline.level
        for k in range(first_cell if chains.online else pipeline.home_memory, pipeline.memories):
            table.memory[k] = board.single.memory[k]


def visit_matches(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    record: Record,
    chains: Chains,
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
) -> None:
    """Visit the matches from `start` to `stop`, one after the other; backward, the last match comes first."""
    match: cython.Py_ssize_t
    statistics: Statistics
    _prepare(pipeline, board, columns, table, chains)
    window: Window = Window(pipeline, memoryview(np.arange(start, stop, dtype=np.int32)), False)
    for n in range(start, stop):
        match = start + stop - 1 - n if chains.backward else n
        record.at = match
        if pipeline.has_statistics and chains.online:
            statistics = board.statistics
            statistics.scale(first_entry(columns, match), first_entry(columns, match + 1))
        _visit_block(pipeline, board, columns, table, record, window, chains, match - start, 1)
        if pipeline.has_statistics and chains.online and board.importances[0] > 0.0:
            statistics.count(first_entry(columns, match), first_entry(columns, match + 1))


@cython.final
@cython.cclass
class Links:
    """The next and the previous visit of every visit of a kind of chains; −1 if there is none.

    >>> links = Links(np.array([0, 1, 0, -1, 1]), np.array([True, True, True, True, True]))
    >>> links.next.tolist(), links.previous.tolist()
    ([2, 4, -1, -1, -1], [-1, -1, 0, -1, 1])
    """

    def __init__(self, rows: Any, counted: Any) -> None:
        """Link the visits with the same row that are counted."""
        visits = np.flatnonzero(counted & (rows >= 0))
        order = visits[np.argsort(rows[visits], kind="stable")].astype(np.int32)
        same = rows[order[1:]] == rows[order[:-1]]
        self.next, self.previous = np.full(len(rows), -1, np.int32), np.full(len(rows), -1, np.int32)
        self.next[order[:-1][same]] = order[1:][same]
        self.previous[order[1:][same]] = order[:-1][same]
        self.next_visit, self.previous_visit = memoryview(self.next), memoryview(self.previous)


@cython.final
@cython.cclass
class Queue:
    """The matches that are to be visited again, because a message to one of their players has moved.

    `links` has the links of the players' chains and of the deviations of each facet, and `match_of` the match of every
    entry. A neighbour is visited again if its beliefs move by more than `tolerance`.
    """

    def __init__(self, matches: int, match_of: Any, links: list[Links], tolerance: float) -> None:
        self.waiting = memoryview(np.zeros(matches + 1, np.int32))
        self.is_waiting = memoryview(np.zeros(max(matches, 1), np.int8))
        self.match_of = memoryview(match_of)
        self.links = links
        self.square = tolerance * tolerance
        self.head = self.tail = 0
        self.visits = 0

    def put(self, match: cython.Py_ssize_t) -> cython.void:
        """Let a match be visited, unless it is already waiting."""
        if self.is_waiting[match] == 0:
            self.is_waiting[match] = 1
            self.waiting[self.tail] = cython.cast(cython.int, match)
            self.tail = self.tail + 1 if self.tail + 1 < len(self.waiting) else 0

    def take(self) -> cython.Py_ssize_t:
        """Return the match that has waited longest; −1 if none is waiting."""
        if self.head == self.tail:
            return -1
        match = self.waiting[self.head]
        self.head = self.head + 1 if self.head + 1 < len(self.waiting) else 0
        self.is_waiting[match] = 0
        self.visits += 1
        return match


def settle(
    pipeline: Pipeline, board: Board, columns: Columns, table: Table, chains: Chains, queue: Queue, most: int
) -> None:
    """Visit the matches of a queue, and those whose messages move by that, until none waits or `most` were visited.

    All chains have their forward messages in `forward`, and those from later matches in `messages`.
    """
    match: cython.Py_ssize_t
    limit: cython.Py_ssize_t = queue.visits + most
    _prepare(pipeline, board, columns, table, chains)
    window: Window = Window(pipeline, memoryview(np.arange(columns.matches, dtype=np.int32)), False)
    while queue.visits < limit:
        match = queue.take()
        if match < 0:
            break
        _visit_again(pipeline, board, columns, table, window, chains, queue, match)


@cython.cfunc
def _visit_again(
    pipeline: Pipeline,
    board: Board,
    columns: Columns,
    table: Table,
    window: Window,
    chains: Chains,
    queue: Queue,
    match: cython.Py_ssize_t,
) -> cython.bint:
    """Visit a match, and send the messages of its players to their previous and next matches."""
    deviations: Deviations
    place_matches(pipeline, board, columns, window, match, 1)
    load_memory(pipeline, board, table, NAN, columns.unit, False)
    load_result(pipeline, board, columns)
    if pipeline.has_deviations:
        deviations = board.deviations
        deviations.load(board)
        for f in range(len(deviations.boards)):
            _load_forward(chains.deviations[f], deviations.boards[f], board)
    _load_forward(chains.players, board, board)
    _enter(pipeline, board, chains)
    _pool(pipeline, board, chains)
    pipeline.add_levels(board)
    pipeline.forecast_teams(board)
    pipeline.learn(board)
    if pipeline.has_deviations:
        deviations = board.deviations
        for f in range(len(deviations.boards)):
            _send(pipeline, chains.deviations[f], deviations.boards[f], board, columns, chains, queue, f)
    _send(pipeline, chains.players, board, board, columns, chains, queue, -1)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _load_forward(chain: Chain, rows: Board, board: Board) -> cython.void:
    """Load the forward messages of the entries of a match."""
    for k in range(board.entries * board.traits):
        at = 2 * (board.first_entry[0] * board.traits + k)
        rows.mu[k] = chain.seen[at]
        rows.var[k] = chain.seen[at + 1]


@cython.cfunc
def _send(
    pipeline: Pipeline,
    chain: Chain,
    rows: Board,
    board: Board,
    columns: Columns,
    chains: Chains,
    queue: Queue,
    f: cython.Py_ssize_t,
) -> cython.bint:
    """Update the sites of the rows of a match, and the messages to their previous and next visits."""
    traits = board.traits
    links: Links = queue.links[f + 1]
    first = board.first_entry[0]
    later = chain.later
    for i in range(2 * board.entries * traits):  # `leave` overwrites the messages from later matches
        later[i] = chain.message[2 * first * traits + i]
    chain.leave(rows, 0, board.entries)
    for i in range(2 * board.entries * traits):
        chain.message[2 * first * traits + i] = later[i]
    for k in range(board.entries * traits):
        chain.first[k] = rows.mu[k]
        chain.second[k] = rows.var[k]
    # Forward, from the beliefs after the match to the next visits.
    _measure_steps(pipeline, rows, board, columns, chains, links.next_visit, f, False)
    for k in range(board.entries * traits):
        to = links.next_visit[first + k // traits]
        if to >= 0:
            a = rows.slope[k]
            at = 2 * (to * traits + k % traits)
            mean = a * chain.first[k] + rows.mu[k]
            variance = a * a * chain.second[k] + rows.var[k]
            if _moves(chain, columns, queue, at, to, mean, variance, chain.message[at], chain.message[at + 1]):
                queue.put(queue.match_of[to])
            chain.seen[at] = mean
            chain.seen[at + 1] = variance
    # Backward, from everything from the match on to the previous visits.
    _measure_steps(pipeline, rows, board, columns, chains, links.previous_visit, f, True)
    for k in range(board.entries * traits):
        to = links.previous_visit[first + k // traits]
        if to >= 0:
            at = 2 * (to * traits + k % traits)
            own = 2 * (first * traits + k)
            precision = chain.message[own] + board.importances[0] * chain.site[own]
            push = chain.message[own + 1] + board.importances[0] * chain.site[own + 1]
            shrink = rows.slope[k] / (1.0 + rows.var[k] * precision)
            push = (push - rows.mu[k] * precision) * shrink
            precision *= rows.slope[k] * shrink
            if _moves(chain, columns, queue, at, to, chain.seen[at], chain.seen[at + 1], precision, push):
                queue.put(queue.match_of[to])
            chain.message[at] = precision
            chain.message[at + 1] = push
    return False


@cython.cfunc
def _measure_steps(
    pipeline: Pipeline,
    rows: Board,
    board: Board,
    columns: Columns,
    chains: Chains,
    neighbour: cython.int[::1],
    f: cython.Py_ssize_t,
    back: cython.bint,
) -> cython.bint:
    """Describe the drift between the visits of a match and neighbouring visits (see `Drift.transition`)."""
    traits = board.traits
    first = board.first_entry[0]
    for e in range(board.entries):
        to = neighbour[first + e]
        elapsed = 0.0
        if to >= 0 and columns.has_time:
            elapsed = (columns.time[chains.match_of[to]] - board.times[0]) / columns.unit
            elapsed = -elapsed if back else elapsed
        rows.elapsed[e] = elapsed if elapsed > 0.0 else 0.0
    if f >= 0:
        part: Part = pipeline.personal[f]
        for k in range(board.entries * traits):
            rows.slope[k] = 1.0
            rows.mu[k] = 0.0
            rows.var[k] = part.drift * (rows.elapsed[k // traits] if part.per_time else 1.0)
        return False
    pipeline.drift_players(board, True)
    if chains.limits:
        for k in range(board.entries * traits):
            to = first + k // traits if back else neighbour[first + k // traits]
            if to >= 0:
                board.var[k] = chains.step[to * traits + k % traits]
    if chains.breaks.count > 0:
        for e in range(board.entries):
            to = neighbour[first + e]
            if to >= 0:
                there = columns.time[chains.match_of[to]]
                here = board.times[0]
                if chains.breaks.cross(there if back else here, here if back else there):
                    _put_break(board, chains.breaks, e, 0)
    return False


@cython.cfunc
@cython.exceptval(check=False)
def _moves(
    chain: Chain,
    columns: Columns,
    queue: Queue,
    at: cython.Py_ssize_t,
    visit: cython.Py_ssize_t,
    mean: cython.double,
    variance: cython.double,
    precision: cython.double,
    push: cython.double,
) -> cython.bint:
    """Return whether new messages to a visit move its cavity by more than the tolerance."""
    share = 1.0 / (1.0 + variance * precision)
    mu = (mean + variance * push) * share
    var = variance * share
    share = 1.0 / (1.0 + chain.seen[at + 1] * chain.message[at])
    old_mu = (chain.seen[at] + chain.seen[at + 1] * chain.message[at + 1]) * share
    old_var = chain.seen[at + 1] * share
    smaller = var if var < old_var else old_var
    if smaller <= 0.0:
        return var != old_var or mu != old_mu
    wider = (var - old_var) / smaller
    return (mu - old_mu) * (mu - old_mu) > queue.square * smaller or wider * wider > queue.square


def shift_players(
    chain: Chain, columns: Columns, delta: Any, first: cython.Py_ssize_t, last: cython.Py_ssize_t
) -> None:
    """Move the sites and messages of the entries from `first` to `last` by the distance `delta` of each player.

    The messages are those from later matches.
    """
    distances: cython.double[::1] = memoryview(delta)
    for entry in range(first, last):
        distance = distances[columns.player[entry]]
        for at in range(2 * entry * chain.traits, 2 * (entry + 1) * chain.traits, 2):
            chain.site[at + 1] += chain.site[at] * distance
            chain.message[at + 1] += chain.message[at] * distance


def find_pools(columns: Columns, players: cython.Py_ssize_t, matches: cython.Py_ssize_t) -> Any:
    """Return a number for every player, which is the same for players who are connected by the first `matches` matches.

    >>> import prowess as pw
    >>> from prowess.model.engine.buffers import columns_of
    >>> history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}, {"teams": [["cat"], ["dan"]]}])
    >>> find_pools(columns_of(history, history.player), 4, 2).tolist()
    [0, 0, 2, 2]
    """
    pools = np.arange(players, dtype=np.int32)
    parent: cython.int[::1] = memoryview(pools)
    for match in range(matches):
        if columns.has_importance and columns.importance[match] == 0.0:
            continue
        root = _root(parent, columns.player[first_entry(columns, match)])
        for e in range(first_entry(columns, match) + 1, first_entry(columns, match + 1)):
            other = _root(parent, columns.player[e])
            low = min(root, other)
            parent[root] = parent[other] = cython.cast(cython.int, low)
            root = low
    for player in range(players):
        parent[player] = cython.cast(cython.int, _root(parent, player))
    return pools


@cython.cfunc
@cython.exceptval(check=False)
def _root(parent: cython.int[::1], player: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the first player of a pool, and shorten the way to it."""
    while parent[player] != player:
        parent[player] = parent[parent[player]]
        player = parent[player]
    return player

"""Runs sweeps over histories: in blocks if the model allows it, otherwise one match after the other."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import History
from ...history.lines import at_line
from ...progress import steps
from ..engine.board import Board
from ..engine.buffers import Columns, Record, columns_of, sizes
from ..engine.schedule import schedule
from ..engine.sweep import sweep, sweep_blocks
from ..ladder.facet_rows import enter_facets
from ..ladder.ladder import Ladder
from ..ladder.record import enter_players
from ..model import Model

Floats = NDArray[np.float64]

CHUNK = 200_000  # number of entries between checks for Ctrl-C and updates of the progress bar
FEW = 32  # fewer matches are rated one after the other, because a schedule would take longer


def run_sweep(
    ladder: Ladder, history: History, progress: bool | None, silent: bool = False, beliefs: bool = False
) -> Record:
    """Rate a history and return the record of the sweep. The ladder is updated in place.

    Unless `silent` is true, the record has forecasts and log-evidence. If `beliefs` is true, the record also has the
    ratings of every entry before and after its match.
    """
    players = enter_players(ladder, history)
    columns = columns_of(history, players, enter_facets(ladder, history, players))
    traits = ladder.model.pipeline.traits
    fill = None if silent else _output_columns(history, traits)
    deviations = len(ladder.model.pipeline.personal)
    observes = ladder.model.pipeline.has_statistics
    record = Record(columns, traits, beliefs, silent, beliefs, fill, deviations=deviations, statistics=observes)
    if len(history):
        _run_chunks(ladder, history, columns, record, progress)
    return record


def beliefs_before(model: Model, history: History) -> Floats:
    """Return the beliefs about every entry before its match: mean and variance of each trait.

    The history needs no player names.

    >>> import prowess as pw
    >>> beliefs_before(pw.TrueSkill(), pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 2))[:, 0].round(2)
    array([25. , 25. , 29.4, 20.6])
    """
    ladder = Ladder(model)
    ladder.reserve(int(history.player.max(initial=0)) + 1)
    columns = columns_of(history, history.player, enter_facets(ladder, history, history.player))
    record = Record(columns, model.pipeline.traits, False, True, True, deviations=len(model.pipeline.personal))
    if len(history):
        _run_chunks(ladder, history, columns, record, False)
    beliefs: Floats = record.before
    return beliefs


def _output_columns(history: History, traits: int) -> list[Floats]:
    """Return columns for the forecasts: those of an earlier fit if nobody uses them any more, otherwise new ones.

    Memory that the operating system has just handed out is slow, so tuning would wait for it in every fit.
    """
    # Taken out of the history, so that another thread cannot take the same columns before these are in use.
    kept: list[Floats] = history.__dict__.pop("_outputs", [])
    _renew(kept, sizes(len(history), history.teams, traits))
    columns = list(kept)
    history.__dict__["_outputs"] = kept
    return columns


def _renew(columns: list[Floats], needed: list[int]) -> None:
    """Replace columns of other sizes than those needed, and columns that are in use."""
    # A column is in use if there are more references than the list, the loop variable and the argument.
    if [len(column) for column in columns if sys.getrefcount(column) <= 3] != needed:
        columns[:] = [np.empty(size) for size in needed]


def _run_chunks(ladder: Ladder, history: History, columns: Columns, record: Record, progress: bool | None) -> None:
    pipeline = ladder.model.pipeline
    if pipeline.lanes == 1 or len(history) < FEW:
        _run_matches(ladder, history, columns, record, progress)
        return
    # To copy the whole state is faster than to find the rows that the history will change, unless these are few.
    rows = slice(None) if len(ladder.state) <= 4 * history.entries else np.unique(columns.rows)
    is_new = np.isnan(ladder.state[:, 0]).all()  # then nobody has a rating yet
    state, memory = np.nan if is_new else ladder.state[rows].copy(), ladder.memory.copy()
    facets = [np.nan if is_new else facet.state.copy() for facet in ladder.facets]

    def restore() -> None:
        ladder.state[rows], ladder.memory[:] = state, memory
        for facet, before in zip(ladder.facets, facets, strict=True):
            facet.state[:] = before

    try:
        _run_blocks(ladder, history, columns, record, progress)
    except Exception:
        # The matches are rated one after the other up to the one that causes the error, which then occurs again.
        restore()
        record.unconverged.clear()
        _run_matches(ladder, history, columns, record, progress)
    except BaseException:
        restore()
        raise


def _run_blocks(ladder: Ladder, history: History, columns: Columns, record: Record, progress: bool | None) -> None:
    """Rate the matches in blocks of matches without a common player."""
    pipeline = ladder.model.pipeline
    plan = schedule(history, pipeline.lanes, pipeline.ordered)
    board = pipeline.block(plan)
    for windows in _chunks(plan.windows, history, progress):
        sweep_blocks(pipeline, board, columns, ladder.table, record, plan, windows.start, windows.stop)
    pipeline.release(board)


def _run_matches(ladder: Ladder, history: History, columns: Columns, record: Record, progress: bool | None) -> None:
    """Rate one match after the other."""
    pipeline = ladder.model.pipeline
    board = _board(ladder.model, history)
    try:
        for matches in _chunks(len(history), history, progress):
            sweep(pipeline, board, columns, ladder.table, record, matches.start, matches.stop)
    except Error as error:
        match = record.at
        name = f" ({history.ids[match]})" if history.ids is not None and history.ids[match] else ""
        located = error.within(f"match {match + 1} of {len(history)}{name}: ", match=match)
        raise at_line(located, history, match) from error
    pipeline.release(board)


def _board(model: Model, history: History) -> Board:
    """Return a board with one lane that is large enough for all matches."""
    teams, entries = np.diff(history.match_start), np.diff(history.team_start[history.match_start])
    board: Board = model.pipeline.board(int(teams.max()), int(entries.max()))
    return board


def _chunks(count: int, history: History, progress: bool | None) -> Iterator[range]:
    # Between two chunks, Ctrl-C works and a progress bar moves. Chunks are measured in entries, because a match may
    # have two or thousands of them.
    chunk = max(1, CHUNK * count // history.entries)
    chunks = range(0, count, chunk)
    for first in chunks if progress is False else steps(chunks, "rating", progress):
        yield range(first, min(first + chunk, count))


def sweep_parts(model: Model, history: History, teams: int) -> Iterator[tuple[range, Record]]:
    """Rate a history that has matches, in parts of about `teams` teams; yield the matches and the record of each part.

    The history needs no player names. The columns of a record are used again for the part after the next one, unless
    they are still in use then. (A caller's loop variable holds them while the next part is rated.)
    """
    pipeline = model.pipeline
    outputs: list[list[Floats]] = [[], []]
    ladder = Ladder(model)
    ladder.reserve(int(history.player.max()) + 1)  # player numbers are row numbers, so no names have to be looked up
    columns = columns_of(history, history.player, enter_facets(ladder, history, history.player))
    in_blocks = pipeline.lanes > 1 and len(history) >= FEW
    plan = schedule(history, pipeline.lanes, pipeline.ordered) if in_blocks else None
    starts = np.arange(len(history) + 1) if plan is None else plan.starts
    board = _board(model, history) if plan is None else pipeline.block(plan)
    step = max(1, teams * (len(starts) - 1) // history.teams)
    for first in range(0, len(starts) - 1, step):
        last = min(first + step, len(starts) - 1)
        matches = range(int(starts[first]), int(starts[last]))
        part = int(history.match_start[matches.stop] - history.match_start[matches.start])
        outputs.reverse()
        _renew(outputs[0], sizes(len(matches), part, pipeline.traits))
        fill = list(outputs[0])
        record = Record(columns, pipeline.traits, fill=fill, first=matches.start, last=matches.stop)
        try:
            if plan is None:
                sweep(pipeline, board, columns, ladder.table, record, first, last)
            else:
                sweep_blocks(pipeline, board, columns, ladder.table, record, plan, first, last)
        except Error:
            again = Ladder(model)
            again.reserve(len(ladder.state))
            enter_facets(again, history, history.player)
            _run_matches(again, history, columns, Record(columns, silent=True), False)
            raise  # the line above raises the error again, with the number of the match
        yield matches, record
        del record, fill  # otherwise the columns would stay in use
    pipeline.release(board)

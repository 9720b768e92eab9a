"""Forecasts of a history in chunks, so that long histories need little memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..errors import Error
from ..history import History
from ..model.engine.sweep import Columns, Record, sweep
from ..model.fit.forecasts import Forecasts, read_forecasts
from ..model.ladder.ladder import Ladder
from ..model.model import Model

TEAMS = 32_768  # teams per chunk; a few columns of that length fit into the processor's cache


class ForecastChunk(NamedTuple):
    """Forecasts of consecutive matches from index `first` on; EP did not converge for `unconverged` of the matches."""

    first: int
    forecasts: Forecasts
    unconverged: int


def forecast_chunks(model: Model, history: History, teams: int = TEAMS) -> Iterator[ForecastChunk]:
    """Yield the same forecasts as `fit`, bit for bit, in chunks of equally many matches.

    A chunk has about `teams` teams on average. The history needs no player names.

    >>> import prowess as pw
    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3)
    >>> [chunk.forecasts.win.round(3).tolist() for chunk in forecast_chunks(pw.TrueSkill(), history, teams=4)]
    [[0.478, 0.754], [0.858]]
    """
    if not len(history):
        return
    ladder = Ladder(model)
    # Player numbers are used as row numbers, so that no names have to be looked up.
    ladder.reserve(int(history.player.max()) + 1)
    pipeline, table = model.pipeline, ladder.table
    sizes = np.diff(history.team_start[history.match_start])
    board = pipeline.board(int(np.diff(history.match_start).max()), int(sizes.max()))
    step = max(1, teams * len(history) // history.teams)
    for first in range(0, len(history), step):
        part = history[first : first + step]
        columns = Columns(part, part.player)
        record = Record(columns, pipeline.traits)
        try:
            sweep(pipeline, board, columns, table, record, 0, len(part))
        except Error as error:
            match = first + record.at
            raise error.within(f"match {match + 1} of {len(history)}: ", match=match) from error
        yield ForecastChunk(first, read_forecasts(model.outcome, part, record), len(record.unconverged))
    pipeline.release(board)

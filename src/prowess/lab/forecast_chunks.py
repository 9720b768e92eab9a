"""Forecasts of a history in chunks, so that long histories need little memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..history import History
from ..model.fit.forecasts import Forecasts, read_forecasts
from ..model.fit.sweeps import sweep_parts
from ..model.model import Model

TEAMS = 32_768  # teams per chunk; a few columns of that length fit into the processor's cache


class ForecastChunk(NamedTuple):
    """Forecasts of consecutive matches from index `first` on; EP did not converge for `unconverged` of the matches."""

    first: int
    forecasts: Forecasts
    unconverged: int


def forecast_chunks(model: Model, history: History, teams: int = TEAMS) -> Iterator[ForecastChunk]:
    """Yield the same forecasts as `fit`, bit for bit, in chunks of consecutive matches.

    A chunk has about `teams` teams, but at least those of a window of the schedule. The history needs no player names.

    >>> import prowess as pw
    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]]}] * 3)
    >>> [chunk.forecasts.win.round(3).tolist() for chunk in forecast_chunks(pw.TrueSkill(), history, teams=4)]
    [[0.478, 0.754], [0.858]]
    """
    if len(history):
        for matches, record in sweep_parts(model, history, teams):
            part = history[matches.start : matches.stop]
            yield ForecastChunk(matches.start, read_forecasts(model.outcome, part, record), len(record.unconverged))

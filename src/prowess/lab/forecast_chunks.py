"""Forecasts of a history in chunks, so that long histories need little memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..history import History
from ..model.fit.forecasts import Forecasts, read_forecasts
from ..model.fit.sweeps import sweep_parts
from ..model.hindsight.support import can_look_back
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


@dataclass(frozen=True)
class Refit:
    """How a model is refitted: every so many days, with the matches of the last `window` days (None: of all time).

    If the times of a history are plain numbers, both are in units of these numbers.

    >>> Refit(7.0).title(History.from_matches([{"teams": [["ann"], ["bob"]], "time": "2026-01-31"}]))
    'refitted every 7 days'
    """

    every: float
    window: float | None = None

    def title(self, history: History) -> str:
        """Describe the refits in a few words."""
        unit = "unit" if history.time_kind == "number" else "day"
        span = f"every {unit}" if self.every == 1.0 else f"every {self.every:g} {unit}s"
        return f"refitted {span}" + ("" if self.window is None else f" over {self.window:g} {unit}s")

    def suits(self, model: Model) -> bool:
        """Return whether a model can be refitted: whether it can be fitted in hindsight.

        >>> import prowess as pw
        >>> Refit(7.0).suits(pw.TrueSkill()), Refit(7.0).suits(pw.Elo())
        (True, False)
        """
        return can_look_back(model)

    def chunks(self, model: Model, history: History) -> Iterator[ForecastChunk]:
        """Yield the forecasts of `fit` with these refits, all in one chunk. The history needs no player names.

        >>> import prowess as pw
        >>> days = [{"teams": [["ann"], ["bob"]], "time": f"2026-01-{day:02}"} for day in (1, 12, 26)]
        >>> [chunk.forecasts.win.round(3) for chunk in Refit(7.0).chunks(pw.TrueSkill(), History.from_matches(days))]
        [array([0.478, 0.754, 0.836])]
        """
        if len(history):
            players = history.players or tuple(map(str, range(int(history.player.max()) + 1)))
            named = replace(history, players=players)
            fit = model.fit(named, refit=self.every, window=self.window, progress=False)
            yield ForecastChunk(0, fit.forecasts, len(fit.unconverged))

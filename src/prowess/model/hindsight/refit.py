"""Fits that look back: forecasts use the past as of the last refit, which fits all earlier matches at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...errors import Error
from ...history import History
from ...progress import steps
from ...validate import scale as check_scale
from ..engine.buffers import Record
from ..fit.fit import Fit, starting_ladder
from ..ladder.facet_rows import check_columns
from ..ladder.ladder import Ladder
from ..ladder.record import time_unit
from ..model import Model
from ..rating import Rating
from .smoother import Smoother, copy_state
from .support import check_model

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOVED = 1e-3  # a refit ends when no belief moves by more than this, in standard deviations
MOST_SWEEPS = 50
MONDAY = 4.0  # days from the origin of times, a Thursday, to the first Monday


def fit_refit(
    model: Model,
    history: History,
    start: Ladder | Mapping[str, Rating] | None,
    refit: float,
    window: float | None,
    progress: bool | None,
    scale: tuple[float, float] | None,
) -> Fit:
    """Rate a history with refits. This is the implementation of `Model.fit` with `refit`.

    >>> import prowess as pw
    >>> days = [{"teams": [["ann"], ["bob"]], "time": f"2026-01-{day:02}"} for day in (1, 12, 26)]
    >>> fit = fit_refit(pw.TrueSkill(), pw.History.from_matches(days), None, 7.0, None, False, None)
    >>> fit.forecasts.win.round(3)
    array([0.478, 0.754, 0.836])
    """
    check_model(model)
    check_columns(model, history)
    span = check_scale("refit", refit)
    back = None if window is None else check_scale("window", window)
    if history.time is None and len(history):
        raise Error("refit needs the times of the matches; give each match a time", field="refit", value=refit)
    before = starting_ladder(model, start, scale)
    smoother = Smoother(before.copy(), history)
    record = Record(smoother.columns, model.pipeline.traits)
    if len(history):
        _run(smoother, record, _refits(smoother, span), back, progress)
    record.unconverged = sorted(set(record.unconverged))
    fit = Fit(model, history, before, smoother.ladder, record)
    fit.refit = span
    return fit


def _refits(smoother: Smoother, span: float) -> NDArray[np.int64]:
    """Return the first match of every period, and the number of matches."""
    history, unit = smoother.history, time_unit(smoother.ladder.stamp)
    assert history.time is not None
    origin = MONDAY if unit > 1.0 else 0.0
    period = np.floor((history.time / unit - origin) / span)
    return np.concatenate([[0], np.flatnonzero(np.diff(period)) + 1, [len(history)]])


def _run(
    smoother: Smoother, record: Record, refits: NDArray[np.int64], back: float | None, progress: bool | None
) -> None:
    """Forecast the matches of one period after the other, and then fit all matches so far at once."""
    history, unit = smoother.history, time_unit(smoother.ladder.stamp)
    assert history.time is not None
    oldest = 0
    for number in steps(range(len(refits) - 1), "refitting", progress):
        first, last = int(refits[number]), int(refits[number + 1])
        smoother.choose(first, last)
        smoother.go_on(record)
        if last == len(history):
            break
        if back is not None:
            older = int(np.searchsorted(history.time[:last], history.time[last - 1] - back * unit))
            _leave_behind(smoother, oldest, older)
            oldest = older
        smoother.choose(oldest, last)
        for _ in range(MOST_SWEEPS):
            if smoother.sweep_back() < MOVED:
                break


def _leave_behind(smoother: Smoother, first: int, last: int) -> None:
    """Advance the state with which passes forward begin over matches that are visited no more."""
    if first == last:
        return
    now = copy_state(smoother.ladder)
    smoother.choose(first, last)
    smoother.forward(updates=False, visits=False)
    smoother.start[0] = smoother.ladder.state.copy()
    home = smoother.model.pipeline.home_memory
    smoother.start[1][home:] = smoother.ladder.memory[home:]
    for number, rows in enumerate(smoother.ladder.facets):
        if rows.facet in smoother.model.facets:
            smoother.start[2 + number] = rows.state.copy()
    smoother.ladder.state[:], smoother.ladder.memory[:] = now[0], now[1]
    for rows, state in zip(smoother.ladder.facets, now[2:], strict=True):
        rows.state[:] = state

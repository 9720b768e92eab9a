"""Rates consecutive histories one at a time, and keeps only the ladder and the current history in memory."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import Error, Remark
from ...history import History, show_time
from ...history.context.columns import column_names
from ...history.times import Stamp
from ...progress import track
from ...text import count
from ..ladder.facet_rows import no_column
from ..ladder.record import common_stamp
from .fit import starting_ladder
from .sweeps import run_sweep

if TYPE_CHECKING:
    from datetime import date

    from ..ladder.ladder import Ladder
    from ..model import Model
    from ..rating import Rating


@dataclass(frozen=True)
class Streamed:
    """The result of rating a stream: the final ladder, counts, the first and last time, and all remarks.

    `unconverged` is the number of matches in which EP did not converge.

    >>> import prowess as pw
    >>> weeks = [pw.History.from_matches([{"teams": [["ann"], ["bob"]], "time": week}]) for week in (1, 2)]
    >>> rated = pw.TrueSkill().fit_stream(weeks)
    >>> rated
    Streamed(2 matches, 2 players, 1.0 … 2.0)
    """

    ladder: Ladder
    matches: int
    unconverged: int
    first: date | float | None
    last: date | float | None
    remarks: tuple[Remark, ...] = ()

    @property
    def recognised(self) -> str:
        """The remarks of all histories as text, one per line.

        >>> import prowess as pw
        >>> pw.Elo().fit_stream([pw.History.from_matches([{"teams": [["ann"], ["bob"]]}])]).recognised
        'plain Python matches'
        """
        return "\n".join(map(str, self.remarks))

    def __repr__(self) -> str:
        parts = [count(self.matches, "match", "matches"), count(len(self.ladder), "player", "players")]
        if self.first is not None:
            parts.append(f"{self.first}" if self.first == self.last else f"{self.first} … {self.last}")
        return f"Streamed({', '.join(parts)})"


def fit_stream(
    model: Model,
    histories: Iterable[History],
    start: Ladder | Mapping[str, Rating] | None = None,
    progress: bool | None = None,
    scale: tuple[float, float] | None = None,
) -> Streamed:
    """Rate consecutive histories (`Model.fit_stream`). The ladder is the same as after one pass over all histories."""
    if isinstance(histories, History):
        raise Error("fit_stream needs several histories; use fit for one")
    ladder = starting_ladder(model, start, scale)
    past = _Past()
    # A file that is read in chunks knows how much of it has been read; other iterables do not.
    share = (lambda: histories.share) if hasattr(histories, "share") else lambda: 0.0
    for number, history in enumerate(track(histories, "rating", share, progress), 1):
        if not isinstance(history, History):
            kind = type(history).__name__
            raise Error(f"every item given to fit_stream must be a history, but item {number} is of type {kind}")
        if len(history):
            # Check before rating, so that an error leaves no chunk half rated.
            past.check(history, number)
            record = run_sweep(ladder, history, False, silent=True)
            past.columns.update(column_names(history))
            past.unconverged += len(record.unconverged)
            past.matches += len(history)
        for remark in history.remarks:
            past.remarks.setdefault(str(remark), remark)
    missing = [name for name in model.context_columns if name not in past.columns]
    if missing and past.matches:
        raise no_column(missing[0], sorted(past.columns))
    if past.unconverged:
        warnings.warn(f"in {past.unconverged} of {past.matches} matches EP did not converge", stacklevel=3)
    # A file that is read in chunks also knows which aliases did not occur.
    closing = histories.closing_remarks(ladder.names) if hasattr(histories, "closing_remarks") else ()
    remarks = (*past.remarks.values(), *closing)
    return Streamed(ladder, past.matches, past.unconverged, past.first, past.last, remarks)


class _Past:
    """The data kept about the histories rated so far: counts, times and remarks."""

    def __init__(self) -> None:
        self.matches = self.unconverged = 0
        self.stamp: Stamp | None = None
        self.time: float | None = None
        self.first: date | float | None = None
        self.columns: set[str] = set()
        self.remarks: dict[str, Remark] = {}  # keyed by their text, so that each is kept once

    @property
    def last(self) -> date | float | None:
        return None if self.stamp is None or self.time is None else show_time(*self.stamp, self.time)

    def check(self, history: History, number: int) -> None:
        if self.matches and (history.time is None) != (self.time is None):
            has, had = ("no times", "have") if history.time is None else ("times", "have none")
            raise Error(f"history {number} has {has}, but earlier ones {had}; give times to all matches or to none")
        if history.time is None or history.time_kind is None:
            return
        self.stamp = common_stamp(self.stamp, Stamp(history.time_kind, history.time_zone))
        if self.time is not None and history.time[0] < self.time:
            begins = show_time(*self.stamp, history.time[0])
            raise Error(
                f"history {number} begins at {begins}, before {self.last}; put histories in chronological order"
            )
        if self.time is None:
            self.first = show_time(*self.stamp, history.time[0])
        self.time = history.time[-1]

"""Rating a league anew from one of its matches on: what every correction of the past comes to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from sqlalchemy import Connection

from ...history import History
from ...model.fit.trace import run_sweep
from ...model.ladder.ladder import Ladder
from ..journal import journal
from ..journal.journal import Entry, Position, Rows
from ..leagues import League
from ..seasons import Season
from . import checkpoints
from .checkpoints import Checkpoint

__all__ = ["Replayed", "learn", "replay", "run"]


@dataclass(frozen=True, eq=False)
class Replayed:
    """The ladder of a league after all its matches, and the checkpoints that were passed on the way."""

    ladder: Ladder
    passed: Sequence[Checkpoint]


def replay(
    connection: Connection,
    league: League,
    seasons: Sequence[Season],
    since: Position,
    gone: Sequence[int] = (),
    come: Sequence[Entry] = (),
) -> Replayed:
    """Rate a league anew from a position on, without some of its matches and with others."""
    begin = checkpoints.before(connection, league, since)
    rows = journal.current(connection, league, begin.position).changed(gone, come)
    return run(league, seasons, begin, rows)


def run(league: League, seasons: Sequence[Season], begin: Checkpoint, rows: Rows) -> Replayed:
    """Go on from a checkpoint with all the matches after it."""
    history = rows.history(league)
    time, seq = rows.time[rows.order], rows.seq[rows.order]
    ladder = begin.ladder.copy()
    step = checkpoints.spacing(begin.matches + len(history))
    passed: list[Checkpoint] = []
    at = 0
    for stop, season in _stops(time, seasons, begin, step):
        learn(ladder, history[at:stop])
        at = stop
        if season is not None:
            season.begin(ladder)
        elif at < len(history):
            position = Position(float(time[at - 1]), int(seq[at - 1]))
            passed.append(Checkpoint(position, begin.matches + at, ladder.copy()))
    return Replayed(ladder, passed)


def _stops(
    time: np.ndarray[tuple[int], np.dtype[np.float64]], seasons: Sequence[Season], begin: Checkpoint, step: int
) -> Iterator[tuple[int, Season | None]]:
    """After how many matches something is to be done: a season begins, a checkpoint is taken, or that was all."""
    new = [one for one in seasons if one.start > begin.position.time]
    starts = [(int(np.searchsorted(time, one.start)), one) for one in new]
    regular: list[tuple[int, Season | None]] = [(stop, None) for stop in range(step, len(time), step)]
    return iter(
        sorted([*regular, *starts, (len(time), None)], key=lambda stop: (stop[0], stop[1] is not None, _start(stop[1])))
    )


def _start(season: Season | None) -> float:
    return -inf if season is None else season.start


def learn(ladder: Ladder, history: History) -> None:
    """Take a ladder through some matches, if there are any, without a word."""
    if len(history):
        run_sweep(ladder, history, False, silent=True)

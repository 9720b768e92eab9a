"""Rating a league again from one of its matches on: what every correction of the past needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from ...model.ladder.ladder import Ladder
from ..journal import journal
from ..journal.journal import START, Entry, JournalRows, Position
from ..leagues import League
from ..ratings import learn
from ..seasons import Season, stretches
from . import checkpoints
from .checkpoints import Checkpoint


@dataclass(frozen=True, eq=False)
class Replay:
    """The ladder of a league after all its matches, and the checkpoints that were passed on the way."""

    ladder: Ladder
    checkpoints: Sequence[Checkpoint]


def replay(
    connection: Connection,
    league: League,
    seasons: Sequence[Season],
    since: Position,
    gone: Sequence[int] = (),
    come: Sequence[Entry] = (),
) -> Replay:
    """Rate a league again from a position on, without the matches `gone` and with those that `come`."""
    begin = checkpoints.last_before(connection, league, since)
    rows = journal.current_rows(connection, league, begin.position).changed(gone, come)
    return replay_rows(league, seasons, rows, begin)


def replay_rows(
    league: League, seasons: Sequence[Season], rows: JournalRows, begin: Checkpoint | None = None
) -> Replay:
    """Rate all matches after a checkpoint; without one, all matches of the league."""
    begin = begin or Checkpoint(START, 0, Ladder(league.model))
    history = rows.history(league)
    ladder = begin.ladder.copy()
    step = checkpoints.spacing(begin.matches + len(history))
    passed: list[Checkpoint] = []
    new = [season for season in seasons if season.start > begin.position.time]
    for matches, end, season in stretches(history, new, range(step, len(history), step)):
        learn(ladder, matches)
        if season is not None:
            season.begin(ladder)
        elif end < len(history):
            row = rows.order[end - 1]
            position = Position(float(rows.time[row]), int(rows.seq[row]))
            passed.append(Checkpoint(position, begin.matches + end, ladder.copy()))
    return Replay(ladder, passed)

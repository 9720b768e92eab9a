"""Checkpoints: all beliefs of a league after one of its matches, so that a correction replays only what came after."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, not_, or_, select

from ...model.ladder.ladder import Ladder
from ..db import schema
from ..journal import journal
from ..journal.journal import START, Position
from ..leagues import League
from ..ratings import ladder_of

__all__ = ["Checkpoint", "before", "drop", "progress", "spacing", "take"]

LEAST = 5_000  # matches between two checkpoints, where a league is small
MOST = 16  # checkpoints of a league, where it is large
_CHECKPOINT = schema.checkpoint.c


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """What was believed after the match at a position, the so many-th of the league."""

    position: Position
    matches: int
    ladder: Ladder


def spacing(matches: int) -> int:
    """How many matches lie between two checkpoints of a league of so many: it doubles as the league grows.

    >>> spacing(10_000), spacing(100_000), spacing(1_000_000)
    (5000, 10000, 80000)
    """
    step = LEAST
    while matches > MOST * step:
        step *= 2
    return step


def before(connection: Connection, league: League, position: Position) -> Checkpoint:
    """The last checkpoint before a position; if there is none, the beginning."""
    query = (
        select(schema.checkpoint)
        .where(*_of(league), _before(position))
        .order_by(_CHECKPOINT.time.desc(), _CHECKPOINT.seq.desc())
        .limit(1)
    )
    row = connection.execute(query).first()
    if row is None:
        memory = Ladder(league.model).memory.tobytes()
        return Checkpoint(START, 0, ladder_of(league, [], b"", memory))
    names = json.loads(zlib.decompress(row.players))
    return Checkpoint(Position(row.time, row.seq), row.matches, ladder_of(league, names, row.state, row.memory))


def _of(league: League) -> tuple[ColumnElement[bool], ...]:
    return _CHECKPOINT.league_id == league.id, _CHECKPOINT.generation == league.generation


def _before(position: Position) -> ColumnElement[bool]:
    same = and_(_CHECKPOINT.time == position.time, _CHECKPOINT.seq < position.seq)
    return or_(_CHECKPOINT.time < position.time, same)


def take(connection: Connection, league: League, taken: Sequence[Checkpoint]) -> None:
    """Write checkpoints; where there are too many by now, every second one goes."""
    for one in taken:
        ladder = one.ladder
        row = {
            "league_id": league.id,
            "generation": league.generation,
            "time": one.position.time,
            "seq": one.position.seq,
            "matches": one.matches,
            "players": zlib.compress(json.dumps(ladder.names, ensure_ascii=False).encode(), 1),
            "state": ladder.state[: len(ladder)].tobytes(),
            "memory": ladder.memory.tobytes(),
        }
        connection.execute(insert(schema.checkpoint).values(row))
    if taken:
        _thin(connection, league)


def _thin(connection: Connection, league: League) -> None:
    query = select(_CHECKPOINT.time, _CHECKPOINT.seq).where(*_of(league)).order_by(_CHECKPOINT.time, _CHECKPOINT.seq)
    found = connection.execute(query).all()
    if len(found) > 2 * MOST:
        for time, seq in found[-2::-2]:  # the last one stays: most corrections are of what came lately
            connection.execute(
                delete(schema.checkpoint).where(*_of(league), _CHECKPOINT.time == time, _CHECKPOINT.seq == seq)
            )


def drop(connection: Connection, league: League, since: Position) -> None:
    """Take away the checkpoints from a position on: what they say of the league does not hold any longer."""
    connection.execute(delete(schema.checkpoint).where(*_of(league), not_(_before(since))))


def progress(connection: Connection, league: League) -> tuple[int, int]:
    """Return how many matches the last checkpoint has seen, and how many the league has after it.

    The latter are counted in the journal: `league.posted` minus those seen would also count matches that were deleted.
    """
    query = (
        select(_CHECKPOINT.time, _CHECKPOINT.seq, _CHECKPOINT.matches)
        .where(*_of(league))
        .order_by(_CHECKPOINT.time.desc(), _CHECKPOINT.seq.desc())
        .limit(1)
    )
    row = connection.execute(query).first()
    position, matches = (START, 0) if row is None else (Position(row.time, row.seq), row.matches)
    return matches, journal.count(connection, league, position)

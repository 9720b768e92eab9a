"""Checkpoints: all ratings of a league after one of its matches, so that a correction replays only what came after."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, delete, insert, not_, or_, select

from ...model.ladder.ladder import Ladder
from ..db import schema
from ..journal import journal
from ..journal.journal import START, Position
from ..leagues import League
from ..ratings import make_ladder

LEAST = 5_000  # matches between two checkpoints, where a league is small
MOST = 16  # checkpoints of a league, where it is large
_CHECKPOINT = schema.checkpoint.c


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The ladder of a league after the match at a position, which is number `matches` of the league."""

    position: Position
    matches: int
    ladder: Ladder


def spacing(matches: int) -> int:
    """Return how many matches lie between two checkpoints of a league of so many: it doubles as the league grows.

    >>> spacing(10_000), spacing(100_000), spacing(1_000_000)
    (5000, 10000, 80000)
    """
    step = LEAST
    while matches > MOST * step:
        step *= 2
    return step


def last_before(connection: Connection, league: League, position: Position) -> Checkpoint:
    """Return the last checkpoint before a position; if there is none, the beginning."""
    row = connection.execute(_latest(select(schema.checkpoint).where(*_of(league), _before(position)))).first()
    if row is None:
        memory = Ladder(league.model).memory.tobytes()
        return Checkpoint(START, 0, make_ladder(league, [], b"", memory))
    names = json.loads(zlib.decompress(row.players))
    return Checkpoint(Position(row.time, row.seq), row.matches, make_ladder(league, names, row.state, row.memory))


def _latest(query: Select[Any]) -> Select[Any]:
    return query.order_by(_CHECKPOINT.time.desc(), _CHECKPOINT.seq.desc()).limit(1)


def _of(league: League) -> tuple[ColumnElement[bool], ...]:
    return _CHECKPOINT.league_id == league.id, _CHECKPOINT.generation == league.generation


def _before(position: Position) -> ColumnElement[bool]:
    same = and_(_CHECKPOINT.time == position.time, _CHECKPOINT.seq < position.seq)
    return or_(_CHECKPOINT.time < position.time, same)


def save(connection: Connection, league: League, checkpoints: Sequence[Checkpoint]) -> None:
    """Write checkpoints; if the league has too many by now, every second one is deleted."""
    for checkpoint in checkpoints:
        ladder = checkpoint.ladder
        row = {
            "league_id": league.id,
            "generation": league.generation,
            "time": checkpoint.position.time,
            "seq": checkpoint.position.seq,
            "matches": checkpoint.matches,
            "players": zlib.compress(json.dumps(ladder.names, ensure_ascii=False).encode(), 1),
            "state": ladder.state[: len(ladder)].tobytes(),
            "memory": ladder.memory.tobytes(),
        }
        connection.execute(insert(schema.checkpoint).values(row))
    if checkpoints:
        _thin(connection, league)


def _thin(connection: Connection, league: League) -> None:
    query = select(_CHECKPOINT.time, _CHECKPOINT.seq).where(*_of(league)).order_by(_CHECKPOINT.time, _CHECKPOINT.seq)
    positions = connection.execute(query).all()
    if len(positions) > 2 * MOST:
        for time, seq in positions[-2::-2]:  # the last one stays: most corrections are of what came lately
            connection.execute(
                delete(schema.checkpoint).where(*_of(league), _CHECKPOINT.time == time, _CHECKPOINT.seq == seq)
            )


def drop_from(connection: Connection, league: League, since: Position) -> None:
    """Delete the checkpoints from a position on, which a change before them has made wrong."""
    connection.execute(delete(schema.checkpoint).where(*_of(league), not_(_before(since))))


def progress(connection: Connection, league: League) -> tuple[int, int]:
    """Return how many matches the last checkpoint has seen, and how many the league has after it.

    The latter are counted in the journal: `league.posted` minus those seen would also count matches that were deleted.
    """
    query = _latest(select(_CHECKPOINT.time, _CHECKPOINT.seq, _CHECKPOINT.matches).where(*_of(league)))
    row = connection.execute(query).first()
    position, matches = (START, 0) if row is None else (Position(row.time, row.seq), row.matches)
    return matches, journal.count(connection, league, position)

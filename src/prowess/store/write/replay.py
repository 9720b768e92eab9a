"""Replay a league: rate its matches again from a checkpoint on, after a correction of past matches.

A checkpoint stores all ratings of a league after one of its matches, so that only later matches are rated again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, delete, insert, literal, not_, select, tuple_

from ...model.engine_version import ENGINE_VERSION
from ...model.ladder.ladder import Ladder
from .. import facets, leagues, ratings, seasons
from ..db import schema
from ..db.database import Database, lock_league
from ..journal import journal
from ..journal.journal import END, START, Entry, JournalRows, Position
from ..leagues import League
from ..seasons import Season, stretches

MIN_SPACING = 5_000  # matches between two checkpoints of a small league
MAX_CHECKPOINTS = 16  # approximate number of checkpoints of a large league
_CHECKPOINT = schema.checkpoint.c
_POSITION = tuple_(_CHECKPOINT.time, _CHECKPOINT.seq)
_LATEST = (_CHECKPOINT.time.desc(), _CHECKPOINT.seq.desc())


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The ladder of a league after its first `matches` matches; `position` is the position of the last one."""

    position: Position
    matches: int
    ladder: Ladder


@dataclass(frozen=True, eq=False)
class Replay:
    """The ladder of a league after all its matches, and the checkpoints taken along the way."""

    ladder: Ladder
    checkpoints: Sequence[Checkpoint]


def replay(
    connection: Connection,
    league: League,
    seasons: Sequence[Season],
    since: Position,
    removed: Sequence[int] = (),
    added: Sequence[Entry] = (),
) -> Replay:
    """Rate a league again from a position on, without the matches in `removed` and with those in `added`."""
    begin = last_checkpoint(connection, league, since)
    rows = journal.current_rows(connection, league, begin.position).changed(removed, added)
    return replay_rows(league, seasons, rows, begin)


def replay_rows(
    league: League,
    seasons: Sequence[Season],
    rows: JournalRows,
    begin: Checkpoint | None = None,
    *,
    in_place: bool = False,
) -> Replay:
    """Rate matches that follow the checkpoint `begin`; without it, `rows` must have all matches of the league.

    With `in_place`, the ladder of the checkpoint itself is updated, and not copied first.
    """
    begin = begin or Checkpoint(START, 0, Ladder(league.model))
    history = rows.history(league)
    ladder = begin.ladder if in_place else begin.ladder.copy()
    step = spacing(begin.matches + len(history))
    passed: list[Checkpoint] = []
    new = [season for season in seasons if season.start > begin.position.time]
    for matches, end, season in stretches(history, new, range(step, len(history), step)):
        ratings.learn(ladder, matches)
        if season is not None:
            season.begin(ladder)
        elif end < len(history):
            passed.append(Checkpoint(rows.position(end - 1), begin.matches + end, ladder.copy()))
    return Replay(ladder, passed)


def spacing(matches: int) -> int:
    """Return the number of matches between two checkpoints; it doubles when a league would have too many checkpoints.

    >>> spacing(10_000), spacing(100_000), spacing(1_000_000)
    (5000, 10000, 80000)
    """
    step = MIN_SPACING
    while matches > MAX_CHECKPOINTS * step:
        step *= 2
    return step


def _of(league: League) -> tuple[ColumnElement[bool], ...]:
    return _CHECKPOINT.league_id == league.id, _CHECKPOINT.rating_set == league.rating_set


def last_checkpoint(connection: Connection, league: League, before: Position) -> Checkpoint:
    """Return the last checkpoint before a position; if there is none, an empty ladder at the start of the league."""
    query = select(schema.checkpoint).where(*_of(league), tuple(before) > _POSITION).order_by(*_LATEST).limit(1)
    row = connection.execute(query).first()
    if row is None:
        memory = facets.pack_memory(Ladder(league.model))
        return Checkpoint(START, 0, ratings.make_ladder(league, [], b"", memory=memory))
    return _read_checkpoint(league, row)


def list_checkpoints(connection: Connection, league: League) -> list[Checkpoint]:
    """Return all checkpoints of a league, in league order."""
    query = select(schema.checkpoint).where(*_of(league)).order_by(_CHECKPOINT.time, _CHECKPOINT.seq)
    return [_read_checkpoint(league, row) for row in connection.execute(query)]


def _read_checkpoint(league: League, row: Row[Any]) -> Checkpoint:
    names = unpack_names(row.players)
    size = 8 * league.model.pipeline.layout.width * len(names)  # packed rows of facets follow
    rows = facets.split(row.state[size:])
    ladder = ratings.make_ladder(league, names, row.state[:size], rows, row.memory)
    return Checkpoint(Position(row.time, row.seq), row.matches, ladder)


def checkpoint_positions(connection: Connection, league: League, before: Position) -> list[Position]:
    """Return the positions of the checkpoints before a position, the latest first."""
    query = select(_CHECKPOINT.time, _CHECKPOINT.seq).where(*_of(league), tuple(before) > _POSITION)
    return [Position(*row) for row in connection.execute(query.order_by(*_LATEST))]


def save_checkpoints(connection: Connection, league: League, checkpoints: Sequence[Checkpoint]) -> None:
    """Write checkpoints; if the league then has too many checkpoints, delete every second one."""
    for checkpoint in checkpoints:
        ladder = checkpoint.ladder
        row = {
            "league_id": league.id,
            "rating_set": league.rating_set,
            "time": checkpoint.position.time,
            "seq": checkpoint.position.seq,
            "matches": checkpoint.matches,
            "players": pack_names(ladder.names),
            "state": ladder.state[: len(ladder)].tobytes() + facets.join(facets.pack_players(ladder)),
            "memory": facets.pack_memory(ladder),
        }
        connection.execute(insert(schema.checkpoint).values(row))
    positions = checkpoint_positions(connection, league, END) if checkpoints else []
    if len(positions) > 2 * MAX_CHECKPOINTS:  # the last one stays, because most corrections concern recent matches
        connection.execute(delete(schema.checkpoint).where(*_of(league), _POSITION.in_(positions[1::2])))


def copy_checkpoint(connection: Connection, league: League, position: Position, rating_set: int) -> None:
    """Copy a checkpoint of a league into another rating set."""
    columns = [column for column in schema.checkpoint.columns if column.name != "rating_set"]
    here = (_CHECKPOINT.time == position.time, _CHECKPOINT.seq == position.seq)
    row = select(literal(rating_set), *columns).where(*_of(league), *here)
    names = ["rating_set", *(column.name for column in columns)]
    connection.execute(insert(schema.checkpoint).from_select(names, row))


def pack_names(names: Sequence[str]) -> bytes:
    """Pack the names of a checkpoint's players into bytes for the database.

    >>> unpack_names(pack_names(["ann", "Zoë"]))
    ['ann', 'Zoë']
    """
    return zlib.compress(json.dumps(names, ensure_ascii=False).encode(), 1)


def unpack_names(packed: bytes) -> list[str]:
    """Unpack the names of a checkpoint's players; the inverse of `pack_names`."""
    names: list[str] = json.loads(zlib.decompress(packed))
    return names


def drop_checkpoints(connection: Connection, league: League, since: Position) -> None:
    """Delete the checkpoints from a position on, after a change that has invalidated them."""
    connection.execute(delete(schema.checkpoint).where(*_of(league), not_(tuple(since) > _POSITION)))


class RatedGeneration(NamedTuple):
    """A league under one of its models, with the matches and the seasons that the model has rated."""

    league: League
    rows: JournalRows
    seasons: list[Season]


def rated_generations(connection: Connection, league: League) -> Iterator[RatedGeneration]:
    """Yield the league under each of its models, oldest first."""
    for number in range(1, league.generation + 1):
        revision = leagues.last_revision(connection, league, number)
        rated = replace(leagues.with_generation(connection, league, number), revision=revision)
        current = number == league.generation
        rows = journal.all_rows(connection, rated) if current else journal.rows_as_of(connection, rated, revision)
        yield RatedGeneration(rated, rows, seasons.list_seasons(connection, league, revision))


def rebuild(connection: Connection, rated: RatedGeneration) -> Ladder:
    """Rate all matches of a league under one of its models again, and replace its ratings and checkpoints."""
    league = rated.league
    replayed = replay_rows(league, rated.seasons, rated.rows)
    players = set(replayed.ladder.names) | set(ratings.list_players(connection, league))
    ratings.save(connection, league, replayed.ladder, dict.fromkeys(players, league.revision))
    leagues.update_generation(connection, league, engine_version=ENGINE_VERSION)
    drop_checkpoints(connection, league, START)
    save_checkpoints(connection, league, replayed.checkpoints)
    return replayed.ladder


def take_checkpoint(database: Database, name: str) -> int:
    """Take a checkpoint of a league if one is due; return the number of matches until the next checkpoint is due."""
    with database.reading() as connection:
        league, _, room = _room(connection, name)
    if room > 0:
        return room
    with database.writing() as connection:
        lock_league(connection, league.id)
        league, matches, room = _room(connection, name)  # another process may have taken the checkpoint
        if room > 0:
            return room
        time = max(time for time in (league.last_time, league.season_start) if time is not None)
        ladder = ratings.load_all(connection, league)
        save_checkpoints(connection, league, [Checkpoint(Position(time, league.posted), matches, ladder)])
    return spacing(matches)


def _room(connection: Connection, name: str) -> tuple[League, int, int]:
    """Return a league, its number of matches, and the number of matches until the next checkpoint is due."""
    league = leagues.find(connection, name)
    query = select(_CHECKPOINT.time, _CHECKPOINT.seq, _CHECKPOINT.matches).where(*_of(league)).order_by(*_LATEST)
    row = connection.execute(query.limit(1)).first()
    position, before = (START, 0) if row is None else (Position(row.time, row.seq), row.matches)
    # Count the matches in the journal, because `league.posted` includes deleted matches.
    after = journal.count(connection, league, position)
    return league, before + after, spacing(before + after) - after

"""What is believed of a league's players: rows of the store, and the ladder that they make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, bindparam, select, update

from ..model.ladder.ladder import Ladder
from . import clock
from .db import schema
from .db.raw_sql import Among, Quick, write_many
from .leagues import League

__all__ = ["differing", "keep", "ladder_of", "of_all", "of_players", "remember"]

_RATING = schema.rating.c
_OF_PLAYERS = Quick(
    select(_RATING.player, _RATING.state).where(
        _RATING.league_id == bindparam("league"),
        _RATING.generation == bindparam("generation"),
        Among(_RATING.player, "players"),
    )
)


def ladder_of(league: League, names: Iterable[str], state: bytes, memory: bytes | None = None) -> Ladder:
    """A ladder of these players; the state has their rows one after another."""
    ladder = Ladder(league.model)
    ladder.names = list(names)
    width = league.model.pipeline.layout.width
    ladder.state = np.frombuffer(state, np.float64).reshape(-1, width).copy() if state else ladder.state
    ladder.memory = np.frombuffer(league.memory if memory is None else memory, np.float64).copy()
    ladder.stamp = clock.stamp(league.clock)
    return ladder


def of_players(connection: Connection, league: League, players: Sequence[str]) -> Ladder:
    """The ladder of some players, as far as the league knows them."""
    return _ladder(
        league, _OF_PLAYERS(connection, league=league.id, generation=league.generation, players=list(players))
    )


def of_all(connection: Connection, league: League, generation: int | None = None) -> Ladder:
    """The ladder of all players of a league."""
    query = select(_RATING.player, _RATING.state).where(
        _RATING.league_id == league.id, _RATING.generation == (generation or league.generation)
    )
    return _ladder(league, connection.execute(query).all())


def _ladder(league: League, rows: Sequence[Any]) -> Ladder:
    known = [row for row in rows if row[1] is not None]
    return ladder_of(league, [row[0] for row in known], b"".join([row[1] for row in known]))


def keep(connection: Connection, league: League, ladder: Ladder, players: Mapping[str, int]) -> None:
    """Write what a ladder believes of some players, since which revision; nothing is believed of who is not in it."""
    cells, width, at = ladder.state.data.cast("B"), 8 * ladder.state.shape[1], ladder.rows
    rows = [
        (league.id, league.generation, name, revision, bytes(cells[at[name] * width : (at[name] + 1) * width]))
        if name in at
        else (league.id, league.generation, name, revision, None)
        for name, revision in players.items()
    ]
    write_many(connection, schema.rating, rows, replacing=True)


def remember(connection: Connection, league: League, ladder: Ladder) -> None:
    """Keep what the model has learnt of the league as a whole."""
    if len(ladder.memory):
        query = update(schema.generation).where(
            schema.generation.c.league_id == league.id, schema.generation.c.number == league.generation
        )
        connection.execute(query.values(memory=ladder.memory.tobytes()))


def differing(one: Ladder, other: Ladder) -> list[str]:
    """The players of whom two ladders of a model do not believe the same, to the last bit."""
    both = [name for name in one.names if name in other.rows]
    mine, theirs = (ladder.state[[ladder.rows[name] for name in both]] for ladder in (one, other))
    changed = (mine.view(np.int64) != theirs.view(np.int64)).any(axis=1)
    moved = [both[row] for row in np.flatnonzero(changed).tolist()]
    apart = (
        [name for name in one.names if name not in other.rows],
        [name for name in other.names if name not in one.rows],
    )
    return [*moved, *apart[0], *apart[1]]

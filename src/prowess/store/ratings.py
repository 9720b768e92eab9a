"""Ratings of a league's players: the rows of the store, and the ladder that they make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, bindparam, select, update

from ..errors import Error
from ..history import History
from ..model.fit.trace import run_sweep
from ..model.ladder.ladder import Ladder
from . import clock
from .db import schema
from .db.database import InList, RawStatement, write_many
from .errors import RatingError
from .leagues import League

_RATING = schema.rating.c
_OF_PLAYERS = RawStatement(
    select(_RATING.player, _RATING.state).where(
        _RATING.league_id == bindparam("league"),
        _RATING.generation == bindparam("generation"),
        InList(_RATING.player, "players"),
    )
)


def make_ladder(league: League, names: Iterable[str], state: bytes, memory: bytes | None = None) -> Ladder:
    """Return a ladder of these players; `state` has their rows one after another."""
    ladder = Ladder(league.model)
    ladder.names = list(names)
    width = league.model.pipeline.layout.width
    ladder.state = np.frombuffer(state, np.float64).reshape(-1, width).copy() if state else ladder.state
    ladder.memory = np.frombuffer(league.memory if memory is None else memory, np.float64).copy()
    ladder.stamp = clock.stamp(league.clock)
    return ladder


def load_players(connection: Connection, league: League, players: Sequence[str]) -> Ladder:
    """Return the ladder of some players; those without a match in the league are not in it."""
    return _ladder(
        league, _OF_PLAYERS(connection, league=league.id, generation=league.generation, players=list(players))
    )


def load_all(connection: Connection, league: League) -> Ladder:
    """Return the ladder of all players of a league."""
    query = select(_RATING.player, _RATING.state).where(
        _RATING.league_id == league.id, _RATING.generation == league.generation
    )
    return _ladder(league, connection.execute(query).all())


def changed_since(
    connection: Connection, league: League, revision: int, limit: int | None = None
) -> Sequence[Row[str, bytes | None]]:
    """Return the players whose ratings have changed since a revision and their rows, the latest change first."""
    query = (
        select(_RATING.player, _RATING.state)
        .where(_RATING.league_id == league.id, _RATING.generation == league.generation, _RATING.revision > revision)
        .order_by(_RATING.revision.desc(), _RATING.player)
        .limit(limit)
    )
    return connection.execute(query).all()


def _ladder(league: League, rows: Sequence[Any]) -> Ladder:
    rated = [row for row in rows if row[1] is not None]
    return make_ladder(league, [row[0] for row in rated], b"".join([row[1] for row in rated]))


def learn(ladder: Ladder, history: History) -> None:
    """Rate matches in place; a match that the model cannot rate is a `RatingError` with its id."""
    if len(history):
        try:
            run_sweep(ladder, history, False, silent=True)
        except Error as error:
            raise located(error, history) from error


def located(error: Error, history: History) -> Error:
    """Return the error of rating a history with the id of the match that cannot be rated."""
    if error.match is None or history.ids is None:
        return error
    return RatingError(error, history.ids[error.match])


def save(connection: Connection, league: League, ladder: Ladder, players: Mapping[str, int]) -> None:
    """Write the ratings of some players with the revisions that changed them; who is not in the ladder has none."""
    cells, width, at = ladder.state.data.cast("B"), 8 * ladder.state.shape[1], ladder.rows
    rows = [
        (league.id, league.generation, name, revision, bytes(cells[at[name] * width : (at[name] + 1) * width]))
        if name in at
        else (league.id, league.generation, name, revision, None)
        for name, revision in players.items()
    ]
    write_many(connection, schema.rating, rows, replacing=True)


def save_memory(connection: Connection, league: League, ladder: Ladder) -> None:
    """Write what the model has learnt of the league as a whole, if it learns such things."""
    if len(ladder.memory):
        query = update(schema.generation).where(
            schema.generation.c.league_id == league.id, schema.generation.c.number == league.generation
        )
        connection.execute(query.values(memory=ladder.memory.tobytes()))


def changed_players(after: Ladder, before: Ladder) -> list[str]:
    """Return the players whose rows differ between two ladders of a model in any bit, or who are in only one."""
    both = [name for name in after.names if name in before.rows]
    new, old = (ladder.state[[ladder.rows[name] for name in both]] for ladder in (after, before))
    changed = (new.view(np.int64) != old.view(np.int64)).any(axis=1)
    moved = [both[row] for row in np.flatnonzero(changed).tolist()]
    come = [name for name in after.names if name not in before.rows]
    return [*moved, *come, *(name for name in before.names if name not in after.rows)]

"""Ratings of a league's players: load them as a ladder, rate matches, save them, and list recent changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, Row, bindparam, select

from ..errors import Error
from ..history import History
from ..model.fit.sweeps import run_sweep
from ..model.fit.trace import Trace, trace
from ..model.ladder.ladder import Ladder
from ..model.rating import Rating
from . import facets, leagues
from .clock import STAMPS
from .db import schema
from .db.database import InList, RawStatement, write_many
from .errors import RatingError
from .leagues import League

MAX_UPDATE = 1_000  # maximum number of players in an update; after larger changes, clients read the leaderboard
_RATING = schema.rating.c
_STATES = select(_RATING.player, _RATING.state).where(
    _RATING.league_id == bindparam("league"), _RATING.rating_set == bindparam("rating_set")
)
_ALL = RawStatement(_STATES)
_OF_PLAYERS = RawStatement(_STATES.where(InList(_RATING.player, "players")))


def make_ladder(
    league: League,
    names: Iterable[str],
    state: bytes,
    rows: Iterable[tuple[int, bytes]] = (),
    memory: bytes | None = None,
) -> Ladder:
    """Return a ladder of the named players; `state` holds their rows of the state, one after another.

    `rows` are the packed rows of facets, with the index of the player. `memory` is what the model has learnt about the
    league as a whole; by default, the current memory of the league.
    """
    ladder = Ladder(league.model)
    ladder.names = list(names)
    width = league.model.pipeline.layout.width
    ladder.state = np.frombuffer(state, np.float64).reshape(-1, width).copy() if state else ladder.state
    facets.unpack_memory(ladder, league.memory if memory is None else memory)
    if ladder.facets:
        facets.unpack_players(ladder, rows)
    ladder.stamp = STAMPS[league.clock]
    return ladder


def load_players(connection: Connection, league: League, players: Sequence[str]) -> Ladder:
    """Return a ladder of the given players; players without a match in the league are left out."""
    rows = _OF_PLAYERS(connection, league=league.id, rating_set=league.rating_set, players=list(players))
    return ladder_of(league, rows)


def load_all(connection: Connection, league: League) -> Ladder:
    """Return the ladder of all players of a league."""
    return ladder_of(league, load_states(connection, league))


def load_states(connection: Connection, league: League) -> list[tuple[str, bytes | None]]:
    """Return the players of a league with their packed ratings, which are None for players without matches."""
    return _ALL(connection, league=league.id, rating_set=league.rating_set)


def list_players(connection: Connection, league: League) -> list[str]:
    """Return all players who have ever had a rating, including those whose matches were all deleted."""
    return [player for player, _ in load_states(connection, league)]


def ladder_of(league: League, rows: Iterable[Any]) -> Ladder:
    """Return a ladder from pairs of a player and a packed rating; players without matches are left out."""
    rated = [(player, state) for player, state in rows if state is not None]
    names = [player for player, _ in rated]
    if not league.model.facets:
        return make_ladder(league, names, b"".join([state for _, state in rated]))
    size = 8 * league.model.pipeline.layout.width  # the packed rows of facets follow
    state = b"".join([state[:size] for _, state in rated])
    return make_ladder(league, names, state, [(row, state[size:]) for row, (_, state) in enumerate(rated)])


def changed_since(
    connection: Connection, league: League, revision: int, limit: int | None = None
) -> Sequence[Row[str, bytes | None]]:
    """Return the players whose ratings have changed since a revision, with packed ratings, latest change first.

    With a `limit`, return only that many players.
    """
    changed = _RATING.revision > revision
    if league.set_revision > revision:  # revision 0 means that the rating is as old as its rating set
        changed |= _RATING.revision == 0
    query = (
        select(_RATING.player, _RATING.state)
        .where(_RATING.league_id == league.id, _RATING.rating_set == league.rating_set, changed)
        .order_by(_RATING.revision.desc(), _RATING.player)
        .limit(limit)
    )
    return connection.execute(query).all()


class PlayerRating(NamedTuple):
    """A player's name and current rating; the rating is None if the player has no matches."""

    player: str
    rating: Rating | None


@dataclass(frozen=True)
class RatingUpdate:
    """Players whose ratings have changed since an earlier revision, latest change last.

    `revision` is the league's current revision. `more` is true if too many ratings have changed to list all of them.

    >>> RatingUpdate(7, [], False).revision
    7
    """

    revision: int
    ratings: list[PlayerRating]
    more: bool


def updates_since(connection: Connection, league: League, revision: int) -> RatingUpdate:
    """Return the ratings of a league that have changed since a revision: the latest `MAX_UPDATE` changes."""
    changed = changed_since(connection, league, revision, MAX_UPDATE + 1)
    rows = changed[:MAX_UPDATE][::-1]
    ladder = ladder_of(league, rows)
    ratings = [PlayerRating(row.player, None if row.state is None else ladder[row.player]) for row in rows]
    return RatingUpdate(league.revision, ratings, len(changed) > MAX_UPDATE)


def learn(ladder: Ladder, history: History) -> None:
    """Rate matches, and update the ladder in place."""
    if len(history):
        with locating_errors(history):
            run_sweep(ladder, facets.with_own_levels(ladder.model, history), False, silent=True)


def learn_with_trace(ladder: Ladder, history: History) -> Trace:
    """Rate matches, update the ladder in place, and return the trace of the matches."""
    with locating_errors(history):
        traced = trace(ladder, facets.with_own_levels(ladder.model, history))
    return replace(traced, history=history)


@contextmanager
def locating_errors(history: History) -> Iterator[None]:
    """In a `with` block, convert the model's error about a match to a `RatingError` that has the id of the match."""
    try:
        yield
    except Error as error:
        if error.match is None or history.ids is None:
            raise
        raise RatingError(error, history.ids[error.match]) from error


def save(connection: Connection, league: League, ladder: Ladder, players: Mapping[str, int]) -> None:
    """Write the ratings of some players, and what the model has learnt about the league as a whole.

    `players` maps names to the revisions that changed the ratings. Players who are not in the ladder lose their rating.
    """
    save_players(connection, league, ladder, players)
    if league.has_memory:
        leagues.update_generation(connection, league, memory=facets.pack_memory(ladder))


def save_players(connection: Connection, league: League, ladder: Ladder, players: Mapping[str, int]) -> None:
    """Write the ratings of some players; `players` maps their names to the revisions that changed the ratings."""
    index, rows = ladder.rows, []
    packed = facets.pack_players(ladder, [index[name] for name in players if name in index])
    for name, revision in players.items():
        row = index.get(name)
        state = None if row is None else ladder.state[row].tobytes() + packed.get(row, b"")
        rows.append((league.id, league.rating_set, name, revision, state))
    write_many(connection, schema.rating, rows, replacing=True)


def changed_players(after: Ladder, before: Ladder) -> list[str]:
    """Return the players whose ratings differ in any bit between two ladders, or who are in only one of them."""
    both = [name for name in after.names if name in before.rows]
    new, old = (ladder.state[[ladder.rows[name] for name in both]] for ladder in (after, before))
    changed = (new.view(np.int64) != old.view(np.int64)).any(axis=1)
    if after.facets:
        new_rows, old_rows = facets.pack_players(after), facets.pack_players(before)
        differ = [new_rows.get(after.rows[name]) != old_rows.get(before.rows[name]) for name in both]
        changed |= np.array(differ, bool)
    moved = [both[row] for row in np.flatnonzero(changed).tolist()]
    added = [name for name in after.names if name not in before.rows]
    return [*moved, *added, *(name for name in before.names if name not in after.rows)]

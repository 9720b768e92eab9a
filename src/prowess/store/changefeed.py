"""The changefeed of leagues: whose ratings have changed since a revision, for those who follow them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, select

from ..model.rating import Rating
from .db import schema
from .leagues import League
from .ratings import changed_since, make_ladder

MOST = 1_000  # players of an update; for more, clients read the leaderboard


class PlayerRating(NamedTuple):
    """A player with the current rating; None for a player who has no match left."""

    player: str
    rating: Rating | None


@dataclass(frozen=True)
class RatingUpdate:
    """The players whose ratings have changed since a revision, the latest last; `more` if there are more than these.

    >>> RatingUpdate(7, [], False).revision
    7
    """

    revision: int
    ratings: list[PlayerRating]
    more: bool


def latest_revisions(connection: Connection) -> dict[str, int]:
    """Return the revision of every league."""
    return {
        row.name: row.revision for row in connection.execute(select(schema.league.c.name, schema.league.c.revision))
    }


def updates_since(connection: Connection, league: League, revision: int) -> RatingUpdate:
    """Return what has changed in a league since a revision."""
    changed = changed_since(connection, league, revision, MOST + 1)
    rows = changed[MOST - 1 :: -1] if len(changed) > MOST else changed[::-1]
    rated = [row for row in rows if row.state is not None]
    ladder = make_ladder(league, [row.player for row in rated], b"".join(bytes(row.state) for row in rated))
    ratings = [PlayerRating(row.player, None if row.state is None else ladder[row.player]) for row in rows]
    return RatingUpdate(league.revision, ratings, len(changed) > MOST)

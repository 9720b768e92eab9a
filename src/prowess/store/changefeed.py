"""What is new in leagues since a revision: for those who follow them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, select

from ..model.rating import Rating
from .db import schema
from .leagues import League
from .ratings import ladder_of

__all__ = ["News", "Rated", "revisions", "since"]

MOST = 1_000  # players whose ratings are told; who wants more looks at the leaderboard
_RATING = schema.rating.c


class Rated(NamedTuple):
    """A player and what is believed of her now; None of who has no match left."""

    player: str
    rating: Rating | None


@dataclass(frozen=True)
class News:
    """Whose ratings are others since a revision, the latest last; `more` if there are more than these.

    >>> News(7, [], False).revision
    7
    """

    revision: int
    ratings: list[Rated]
    more: bool


def revisions(connection: Connection) -> dict[str, int]:
    """The revision of every league."""
    return {
        row.name: row.revision for row in connection.execute(select(schema.league.c.name, schema.league.c.revision))
    }


def since(connection: Connection, league: League, revision: int) -> News:
    """What is new in a league since a revision."""
    query = (
        select(_RATING.player, _RATING.state)
        .where(_RATING.league_id == league.id, _RATING.generation == league.generation, _RATING.revision > revision)
        .order_by(_RATING.revision.desc(), _RATING.player)
        .limit(MOST + 1)
    )
    found = connection.execute(query).all()
    rows = found[MOST - 1 :: -1] if len(found) > MOST else found[::-1]
    known = [row for row in rows if row.state is not None]
    ladder = ladder_of(league, [row.player for row in known], b"".join(bytes(row.state) for row in known))
    ratings = [Rated(row.player, None if row.state is None else ladder[row.player]) for row in rows]
    return News(league.revision, ratings, len(found) > MOST)

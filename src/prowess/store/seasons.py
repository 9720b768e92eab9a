"""Seasons of a league: where they begin, and what is carried over into them."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from time import time

from sqlalchemy import Connection, insert, select

from ..errors import Error
from ..model.components.drift import Seasons, Still
from ..model.ladder.ladder import Ladder
from ..validate import scale
from . import clock
from .db import schema
from .errors import Conflict
from .leagues import League
from .slugs import storable
from .write.commands import NewSeason

__all__ = ["Season", "add", "listed", "season_of"]

LONGEST = 100  # letters of a name


@dataclass(frozen=True)
class Season:
    """A season of a league: matches from its start on belong to it, until the next begins."""

    start: float
    name: str
    carry: float
    tau: float | None
    revision: int = 0

    def begin(self, ladder: Ladder) -> None:
        """Take all players into the season."""
        ladder.new_season(self.carry, self.tau)


def listed(connection: Connection, league: League, revision: float = inf) -> list[Season]:
    """The seasons of a league, the first one first; only those that were known at a revision."""
    columns = schema.season.c
    query = select(columns.start, columns.name, columns.carry, columns.tau, columns.revision).where(
        columns.league_id == league.id
    )
    found = [Season(*row) for row in connection.execute(query.order_by(columns.start))]
    return [one for one in found if one.revision <= revision]


def season_of(connection: Connection, league: League, act: NewSeason) -> Season:
    """The season that is asked for, if it can be."""
    if league.clock == "none":
        raise Error.in_field("start", "a season begins at a time, and the matches of this league have none")
    start, name = clock.read(league.clock, act.start, "start"), act.name.strip()
    if not name or not storable(name, LONGEST):
        raise Error.in_field("name", f"a season needs a name of at most {LONGEST} letters, not {act.name!r}")
    Seasons(Still(), carry=act.carry, season_tau=0.0 if act.tau is None else act.tau)  # which checks them
    for one in listed(connection, league):
        if one.start == start or one.name == name:
            field, what = ("name", repr(name)) if one.name == name else ("start", clock.show(league.clock, start))
            raise Conflict.in_field(field, f"{what} is that of the season {one.name!r} already")
    if league.clock == "utc" and start > clock.now():
        raise Error.in_field("start", f"a season cannot begin in the future, at {clock.show(league.clock, start)}")
    tau = None if act.tau is None else scale("tau", act.tau, zero=True)
    return Season(start, name, float(act.carry), tau)


def add(connection: Connection, league: League, season: Season, revision: int, author: str) -> None:
    """Write a season down."""
    row = {"league_id": league.id, "start": season.start, "name": season.name, "carry": season.carry}
    more = {"tau": season.tau, "revision": revision, "author": author, "made_at": time()}
    connection.execute(insert(schema.season).values(row | more))

"""Seasons of a league: where they begin, what is carried over, and rating matches through them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, nextafter
from time import time
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, insert, select

from ..errors import Error
from ..history import History
from ..model.components.drift import Seasons, Still
from ..model.ladder.ladder import Ladder
from ..validate import scale
from . import clock
from .db import schema
from .errors import Conflict
from .leagues import League
from .ratings import learn
from .slugs import storable

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
        """Take all players of a ladder into the season."""
        ladder.new_season(self.carry, self.tau)


class Stretch(NamedTuple):
    """Matches without a break; how many matches of the history are rated after them, and which season begins then."""

    matches: History
    end: int
    season: Season | None


def stretches(history: History, seasons: Sequence[Season], stops: Iterable[int] = ()) -> Iterator[Stretch]:
    """Divide a history where its seasons begin and after so many matches as `stops` says, the first one first.

    The last match ends a stretch in any case. At the same place a stop comes before a season, so that a ladder that is
    kept there has not begun the season yet.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]], "time": day} for day in (1, 2, 3)])
    >>> [(end, season and season.name) for _, end, season in stretches(history, [Season(2, "II", 0.5, None)], [2])]
    [(1, 'II'), (2, None), (3, None)]
    """
    ends: list[tuple[int, Season | None]] = [(first_match(history, season), season) for season in seasons]
    ends += [(stop, None) for stop in (*stops, len(history))]
    at = 0
    for end, season in sorted(ends, key=lambda end: (end[0], end[1] is not None)):
        yield Stretch(history[at:end], end, season)
        at = end


def first_match(history: History, season: Season) -> int:
    """Return the index of the first match of a season, or the number of matches if it has none."""
    times = history.time
    # In the type of the times: NumPy would convert all of them otherwise.
    return 0 if times is None else int(np.searchsorted(times, times.dtype.type(season.start)))


def learn_through(ladder: Ladder, history: History, seasons: Sequence[Season]) -> None:
    """Rate matches in place, and begin the seasons on the way; those after the last match begin too."""
    for matches, _, season in stretches(history, seasons):
        learn(ladder, matches)
        if season is not None:
            season.begin(ladder)


def list_seasons(connection: Connection, league: League, revision: float = inf) -> list[Season]:
    """Return the seasons of a league, the first one first; only those that were known at a revision."""
    columns = schema.season.c
    query = select(columns.start, columns.name, columns.carry, columns.tau, columns.revision).where(
        columns.league_id == league.id
    )
    seasons = [Season(*row) for row in connection.execute(query.order_by(columns.start))]
    return [season for season in seasons if season.revision <= revision]


def end_of_season(seasons: Sequence[Season], name: str) -> float | None:
    """Return the last moment of a season, inf for the current one; None if there is no season of this name.

    >>> end_of_season([Season(1.0, "I", 0.5, None), Season(2.0, "II", 0.5, None)], "II")
    inf
    """
    names = [season.name for season in seasons]
    if name not in names:
        return None
    number = names.index(name) + 1
    return nextafter(seasons[number].start, -inf) if number < len(seasons) else inf


def build_season(
    connection: Connection, league: League, name: str, start: Any, carry: float, tau: float | None
) -> Season:
    """Return a new season of a league, checked but not written."""
    if league.clock == "none":
        raise Error.in_field("start", "a season begins at a time, and the matches of this league have none")
    moment, given = clock.parse(league.clock, start, "start"), name
    name = given.strip()
    if not name or not storable(name, LONGEST):
        raise Error.in_field("name", f"a season needs a name of at most {LONGEST} letters, not {given!r}")
    Seasons(Still(), carry=carry, season_tau=0.0 if tau is None else tau)  # which checks them
    for other in list_seasons(connection, league):
        if other.start == moment or other.name == name:
            field = "name" if other.name == name else "start"
            text = repr(name) if other.name == name else clock.show(league.clock, moment)
            raise Conflict.in_field(field, f"{text} is that of the season {other.name!r} already")
    if league.clock == "utc" and moment > clock.now():
        raise Error.in_field("start", f"a season cannot begin in the future, at {clock.show(league.clock, moment)}")
    return Season(moment, name, float(carry), None if tau is None else scale("tau", tau, zero=True))


def add(connection: Connection, league: League, season: Season, revision: int, author: str) -> None:
    """Write a season to the database."""
    row = {"league_id": league.id, "start": season.start, "name": season.name, "carry": season.carry}
    more = {"tau": season.tau, "revision": revision, "author": author, "made_at": time()}
    connection.execute(insert(schema.season).values(row | more))

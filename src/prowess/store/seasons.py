"""Seasons of a league: when they begin, how much rating is carried over, and how they divide a history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
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
from .leagues import League, storable

MAX_NAME = 100  # characters
_SEASON = schema.season.c


@dataclass(frozen=True)
class Season:
    """A season of a league: matches belong to it from its start until the next season begins.

    `carry` and `tau` have the same meaning as in `commands.NewSeason`.
    """

    start: float
    name: str
    carry: float
    tau: float | None
    revision: int = 0

    def begin(self, ladder: Ladder) -> None:
        """Start the season for all players of a ladder."""
        ladder.new_season(self.carry, self.tau)


class Stretch(NamedTuple):
    """Consecutive matches, the number of matches up to their end, and the season that begins after them, if any."""

    matches: History
    end: int
    season: Season | None


def stretches(history: History, seasons: Sequence[Season], stops: Iterable[int] = ()) -> Iterator[Stretch]:
    """Split a history at the start of each season, and after each number of matches in `stops` (ascending).

    The last match always ends a stretch. If a season begins at a stop, the stop comes first, so that a ladder saved at
    the stop does not include the new season.

    >>> history = History.from_matches([{"teams": [["ann"], ["bob"]], "time": day} for day in (1, 2, 3)])
    >>> [(end, season and season.name) for _, end, season in stretches(history, [Season(2, "II", 0.5, None)], [2])]
    [(1, 'II'), (2, None), (3, None)]
    """
    ends: list[tuple[int, Season | None]] = [(_first_match(history, season), season) for season in seasons]
    ends += [(stop, None) for stop in (*stops, len(history))]
    start = 0
    for end, season in sorted(ends, key=lambda end: (end[0], end[1] is not None)):
        yield Stretch(history[start:end], end, season)
        start = end


def _first_match(history: History, season: Season) -> int:
    times = history.time
    # Convert to the dtype of the times; otherwise NumPy would convert all of them.
    return 0 if times is None else int(np.searchsorted(times, times.dtype.type(season.start)))


def list_seasons(connection: Connection, league: League, revision: float = inf) -> list[Season]:
    """Return the seasons of a league that existed at a revision, in chronological order."""
    columns = [_SEASON[name] for name in Season.__dataclass_fields__]
    query = select(*columns).where(_SEASON.league_id == league.id).order_by(_SEASON.start)
    return [season for row in connection.execute(query) if (season := Season(*row)).revision <= revision]


def end_of_season(seasons: Sequence[Season], name: str) -> float | None:
    """Return the time at which a season ends: inf for the current season, None if no season has this name.

    >>> end_of_season([Season(1.0, "I", 0.5, None), Season(2.0, "II", 0.5, None)], "II")
    inf
    """
    for season, following in zip_longest(seasons, seasons[1:]):
        if season.name == name:
            return inf if following is None else nextafter(following.start, -inf)
    return None


def build_season(
    connection: Connection, league: League, name: str, start: Any, carry: float, tau: float | None
) -> Season:
    """Validate a new season of a league and return it, without writing it."""
    if league.clock == "none":
        raise Error.in_field("start", "matches in this league have no times, so it cannot have seasons", value=start)
    moment, title = clock.parse(league.clock, start, "start"), name.strip()
    if not title or not storable(title, MAX_NAME):
        text = f"a season needs a name of at most {MAX_NAME} characters, not {name!r}"
        raise Error.in_field("name", text, value=name)
    Seasons(Still(), carry=carry, season_tau=0.0 if tau is None else tau)  # raises an error for invalid values
    shown = clock.show(league.clock, moment)
    for other in list_seasons(connection, league):
        if other.name == title:
            raise Conflict.in_field("name", f"there is already a season named {title!r}", value=name)
        if other.start == moment:
            raise Conflict.in_field("start", f"season {other.name!r} already begins at {shown}", value=start)
    if league.clock == "utc" and moment > clock.now():
        raise Error.in_field("start", f"a season cannot begin in the future, at {shown}", value=start)
    return Season(moment, title, float(carry), None if tau is None else scale("tau", tau, zero=True))


def add(connection: Connection, league: League, season: Season, revision: int, author: str) -> None:
    """Write a season to the database."""
    row = {"league_id": league.id, "start": season.start, "name": season.name, "carry": season.carry}
    row |= {"tau": season.tau, "revision": revision, "author": author, "made_at": time()}
    connection.execute(insert(schema.season).values(row))

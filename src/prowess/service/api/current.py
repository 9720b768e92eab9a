"""The ratings of a league as they are now, for those who ask what may come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection

from ...counts import count
from ...errors import Error
from ...history import name_of
from ...history.times import DAY, parse_time
from ...store import leagues
from ...store.clock import Clock, read
from ...store.roll import Roll
from ...store.standings import Snapshot
from ..state import Service

__all__ = ["current", "day_of", "newcomers_of", "stamped"]


def current(here: Service, connection: Connection, league: str) -> Snapshot:
    """The standings of a league as they are now."""
    return here.standings.of(connection, leagues.find(connection, league))


def stamped(snapshot: Snapshot, told: dict[str, Any]) -> dict[str, Any]:
    """An answer with the league and the revision that it is by."""
    return {"league": snapshot.league, "revision": snapshot.revision} | told


def day_of(clock: Clock, given: str) -> float:
    """A time up to which something is asked for: a date stands for the whole day.

    >>> day_of("utc", "1970-01-01"), day_of("number", "7")
    (86399999999.0, 7.0)
    """
    number = read(clock, given, "at")
    whole = clock == "utc" and parse_time(given)[0] == "date"
    return number + DAY - 1 if whole else number


def newcomers_of(roll: Roll, names: Iterable[str], welcome: bool, field: str) -> list[str]:
    """Those of some names that a league does not know; where they are not welcome, that is an error.

    >>> newcomers_of(Roll(["ann"]), ["ann", "bob"], True, "teams")
    ['bob']
    >>> newcomers_of(Roll(["ann"]), ["anna"], False, "teams")
    Traceback (most recent call last):
    ...
    prowess.Error: teams: no player is called 'anna'; did you mean 'ann'? "newcomers": true takes unknown names
    """
    asked: dict[str, None] = {}
    for name in names:
        key = name_of(name, f"{field}: a player's name")
        if key in asked:
            raise Error(f"{field}: {key!r} is named twice; everybody plays once")
        asked[key] = None
    unknown = [name for name in asked if name not in roll]
    if unknown and not welcome:
        hint = roll.hint(unknown[0]) or f"; there are {count(len(roll), 'player', 'players')}."
        raise Error(f'{field}: no player is called {unknown[0]!r}{hint} "newcomers": true takes unknown names')
    return unknown

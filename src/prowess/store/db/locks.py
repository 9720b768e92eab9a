"""Locks of leagues and players.

SQLite has one writer at a time, which locks the database when its transaction begins. On PostgreSQL, a change that
depends on its own players alone takes a shared lock of the league and the locks of those players; any other change
locks the league exclusively. Locks are always taken in the same order, so that there is no deadlock, and are released
at the end of the transaction.
"""

from __future__ import annotations

from collections.abc import Collection
from zlib import crc32

from sqlalchemy import Connection, text

MOST = 256  # players whose locks are taken one by one: PostgreSQL has room for some thousands in all

_ALONE = text("SELECT pg_advisory_xact_lock(:league)")
_SHARED = text("SELECT pg_advisory_xact_lock_shared(:league)")
_PLAYERS = text(
    "SELECT count(pg_advisory_xact_lock(:league, player)) FROM unnest(CAST(:players AS integer[])) AS player"
)


def lock_league(connection: Connection, league: int) -> None:
    """Lock the league exclusively."""
    if connection.dialect.name == "postgresql":
        connection.execute(_ALONE, {"league": league})


def lock_players(connection: Connection, league: int, players: Collection[str]) -> None:
    """Lock some players of a league, which others may change at the same time as far as other players are concerned."""
    if connection.dialect.name != "postgresql":
        return
    if len(players) > MOST:
        lock_league(connection, league)
        return
    connection.execute(_SHARED, {"league": league})
    numbers = sorted({crc32(name.encode()) - 2**31 for name in players})
    connection.execute(_PLAYERS, {"league": league, "players": numbers})

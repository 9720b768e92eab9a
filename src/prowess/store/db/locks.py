"""Who may work on a league at the same time.

SQLite has one writer at a time, who was chosen when the transaction began. On PostgreSQL changes that depend on their
own players alone share a league, and take the locks of those players; all others have it for themselves. Everybody
takes locks in one order, so that nobody waits in a circle; they end with the transaction.
"""

from __future__ import annotations

from collections.abc import Collection
from zlib import crc32

from sqlalchemy import Connection, text

__all__ = ["MOST", "alone", "together"]

MOST = 256  # players whose locks are taken one by one: PostgreSQL has room for some thousands in all

_ALONE = text("SELECT pg_advisory_xact_lock(:league)")
_SHARED = text("SELECT pg_advisory_xact_lock_shared(:league)")
_PLAYERS = text(
    "SELECT count(pg_advisory_xact_lock(:league, player)) FROM unnest(CAST(:players AS integer[])) AS player"
)


def alone(connection: Connection, league: int) -> None:
    """Have a league for oneself."""
    if connection.dialect.name == "postgresql":
        connection.execute(_ALONE, {"league": league})


def together(connection: Connection, league: int, players: Collection[str]) -> None:
    """Share a league with those who change other players."""
    if connection.dialect.name != "postgresql":
        return
    if len(players) > MOST:
        alone(connection, league)
        return
    connection.execute(_SHARED, {"league": league})
    numbers = sorted({crc32(name.encode()) - 2**31 for name in players})
    connection.execute(_PLAYERS, {"league": league, "players": numbers})

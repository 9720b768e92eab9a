"""The audit log: what was done to leagues, models, seasons and keys, by whom, and when."""

from __future__ import annotations

import json
from dataclasses import dataclass
from time import time
from typing import Any

from sqlalchemy import Connection, insert, select

from .db.schema import audit


@dataclass(frozen=True)
class Entry:
    """Something that was done; `at` is in seconds since 1970.

    >>> Entry(1, 0.0, "ann", "create league", "darts", {"clock": "utc"}).action
    'create league'
    """

    id: int
    at: float
    actor: str
    action: str
    league: str | None
    detail: dict[str, Any]


def write(connection: Connection, actor: str, action: str, /, league: str | None = None, **detail: Any) -> None:
    """Write an entry in this transaction: it is kept if and only if what it describes is.

    >>> from prowess.store.db.database import Database
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/league.db")
    ...     database.migrate()
    ...     with database.writing() as connection:
    ...         write(connection, "ann", "create league", "darts", clock="utc")
    ...         [entry] = list_entries(connection)
    ...     database.close()
    >>> entry.actor, entry.action, entry.league, entry.detail
    ('ann', 'create league', 'darts', {'clock': 'utc'})
    """
    row = {
        "at": time(),
        "actor": actor,
        "action": action,
        "league": league,
        "detail": json.dumps(detail, ensure_ascii=False),
    }
    connection.execute(insert(audit).values(row))


def list_entries(connection: Connection, limit: int = 100, before: int | None = None) -> list[Entry]:
    """Return the last entries, newest first; `before` is the id of an entry, for the page after it."""
    query = select(audit).order_by(audit.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(audit.c.id < before)
    rows = connection.execute(query).mappings()
    return [Entry(**{**row, "detail": json.loads(row["detail"])}) for row in rows]

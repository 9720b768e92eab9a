"""The audit log: who changed leagues, models, seasons and keys, how, and when."""

from __future__ import annotations

import json
from dataclasses import dataclass
from time import time
from typing import Any

from sqlalchemy import Connection, insert, select

from .db.schema import audit


@dataclass(frozen=True)
class Entry:
    """An entry of the audit log; `at` is a Unix time in seconds.

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
    """Write an audit entry in the same transaction as the action, so that both are committed or neither."""
    text = json.dumps(detail, ensure_ascii=False)
    row = {"at": time(), "actor": actor, "action": action, "league": league, "detail": text}
    connection.execute(insert(audit).values(row))


def list_entries(connection: Connection, limit: int = 100, before: int | None = None) -> list[Entry]:
    """Return the latest `limit` audit entries, newest first; with `before`, only entries with a smaller id."""
    query = select(audit).order_by(audit.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(audit.c.id < before)
    rows = connection.execute(query).mappings()
    return [Entry(**{**row, "detail": json.loads(row["detail"])}) for row in rows]

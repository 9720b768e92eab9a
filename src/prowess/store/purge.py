"""Remove deleted leagues for good, once their grace period has ended.

The rows of a league are deleted in short transactions, so that other leagues hardly wait. A removal that is interrupted
continues the next time, in any process. Entries of the audit log stay.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, sleep, time

from sqlalchemy import Table, bindparam, delete, select, tuple_, update

from . import audit
from .db import schema
from .db.database import Database, lock_league, secure_delete

BATCH = 200  # rows deleted in one transaction
# The pause after a batch, as a multiple of the batch's duration. Writers of other leagues wait for SQLite's lock, and
# retry at growing intervals. While 100,000 matches were removed without pauses, a post took up to 2.8 s. With pauses,
# 99 % of posts took at most 61 ms, compared with 40 ms while nothing was removed (SQLite, two busy cores).
PAUSE = 4.0
# Tables whose rows belong to a league, in an order that foreign keys allow, with the number of rows to delete at once.
TABLES: dict[Table, int] = {
    schema.journal: BATCH,
    schema.rating: BATCH,
    schema.checkpoint: 1,
    schema.analysis: 20,
    schema.season: BATCH,
    schema.erasure: BATCH,
    schema.alias: BATCH,
    schema.alias_use: BATCH,
    schema.name_change: BATCH,
    schema.distinct_name: BATCH,
    schema.former_name: BATCH,
    schema.key: BATCH,
    schema.generation: BATCH,
}
_LEAGUE = schema.league.c
REMOVED = 0.0  # `purge_at` of a league whose removal has begun


def purge_deleted(database: Database, stopping: Callable[[], bool] = lambda: False) -> list[str]:
    """Remove all deleted leagues whose grace period has ended; stop early if `stopping` returns true.

    Return the names of the leagues whose removal began in this call.

    The id of a removed league stays reserved, because caches identify leagues by id.
    """
    with database.reading() as connection:
        due = _LEAGUE.purge_at <= time()
        rows = connection.execute(select(_LEAGUE.id, _LEAGUE.name).where(due, _LEAGUE.title != "")).all()
    purged = []
    for id, name in rows:
        if not stopping() and _begin(database, id, name):
            purged.append(name)
        for table, batch in TABLES.items():
            while not stopping() and _delete_batch(database, table, id, batch):
                pass
        if not stopping():
            with database.writing() as connection:
                connection.execute(update(schema.league).where(_LEAGUE.id == id).values(title=""))
    return purged


def _begin(database: Database, id: int, name: str) -> bool:
    """Free the name of a league and make its removal final; return False if another process is already removing it."""
    with database.writing() as connection:
        lock_league(connection, id)
        due = (_LEAGUE.id == id, _LEAGUE.purge_at <= time(), _LEAGUE.purge_at > REMOVED)
        # No valid name begins with a tilde, so nobody finds the league any more.
        values = {"name": f"~{id}", "public": False, "settings": "{}", "context_kinds": None, "purge_at": REMOVED}
        begun = connection.execute(update(schema.league).where(*due).values(values)).rowcount
        if begun:
            audit.write(connection, "", "purge league", name)
    return bool(begun)


def _delete_batch(database: Database, table: Table, league_id: int, batch: int) -> bool:
    own = table.c.league_id == bindparam("league")
    key = tuple_(*table.primary_key.columns)
    some = select(*table.primary_key.columns).where(own).limit(batch)
    start = monotonic()
    with database.writing() as connection, secure_delete(connection):
        deleted = connection.execute(delete(table).where(own, key.in_(some)), {"league": league_id}).rowcount
    if deleted:
        sleep(PAUSE * (monotonic() - start))
    return bool(deleted)

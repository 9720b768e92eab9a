"""Readers of a database: what one of them leaves behind does not hold up the next."""

import pytest
from sqlalchemy import select, text

from prowess.store import leagues
from prowess.store.db import schema
from prowess.store.db.database import Database


def test_failed_reader_leaves_no_old_snapshot_behind(database_url):
    database = Database(database_url)
    database.migrate()
    with database.writing() as connection:
        for number in range(20):
            leagues.create(connection, f"l{number}")
    kept = []

    def fail() -> None:
        with database.reading() as connection:
            kept.append(connection.execute(text("SELECT name FROM league")))  # and not read to its end
            raise ZeroDivisionError

    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            fail()
    with database.writing() as connection:
        leagues.change(connection, "l7", title="new")
    title = select(schema.league.c.title).where(schema.league.c.name == "l7")
    for _ in range(5):
        with database.reading() as connection:
            assert connection.execute(title).scalar() == "new"
    database.close()

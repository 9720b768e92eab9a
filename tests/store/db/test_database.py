"""Connections to SQLite and PostgreSQL: snapshots, indexes that queries use, and the check for write access."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import event, inspect, select, text

from prowess.store import leagues, ratings
from prowess.store.db import schema
from prowess.store.db.database import SHORT, TRIAL_BYTES, Database
from prowess.store.errors import Unavailable
from prowess.store.journal import journal
from prowess.store.write.commands import Post
from prowess.store.write.writer import perform


def test_connection_does_not_keep_an_old_snapshot_after_a_reader_fails(database_url):
    database = Database(database_url)
    database.migrate()
    with database.writing() as connection:
        for number in range(20):
            leagues.create(connection, f"l{number}")
    kept = []

    def fail() -> None:
        with database.reading() as connection:
            # The reader fails before it has read all rows.
            kept.append(connection.execute(text("SELECT name FROM league")))
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


def test_writer_locks_an_sqlite_file_before_it_reads(sqlite_url):
    """Otherwise SQLite would refuse to write what a transaction has decided on rows that another one has changed."""
    database = Database(sqlite_url)
    database.migrate()
    other = sqlite3.connect(database.url.database, timeout=0, isolation_level=None)
    with closing(other), database.writing(), pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("BEGIN IMMEDIATE")
    database.close()


@pytest.mark.parametrize("places", [1, 2, SHORT, 0])
def test_queries_for_lists_of_ids_of_any_length_use_an_index(sqlite_url, places):
    """SQLite has no statistics about this table, so without a hint it would read the whole league to find a few ids."""
    database = Database(sqlite_url)
    database.migrate()
    with database.reading() as connection:
        cursor = connection.connection.cursor()
        for statement, column in ((journal._FIRST_POSTS, "id"), (ratings._OF_PLAYERS, "player")):
            text = statement.text("sqlite", places)
            values = dict.fromkeys(["league", "rating_set"], 1)
            values |= {f"{column}s_{number}": "x" for number in range(1, places + 1)} or {f"{column}s": "[]"}
            cursor.execute(f"EXPLAIN QUERY PLAN {text}", values)
            assert f"{column}=?" in cursor.fetchall()[0][3]
    database.close()


def test_queries_for_lists_of_ids_of_any_length_find_all_rows(database_url):
    database = Database(database_url)
    database.migrate()
    names = [f"{number} 'quoted' \"and\" 😀" for number in range(200)]
    with database.writing() as connection:
        leagues.create(connection, "darts")
    perform(
        database,
        Post("darts", [{"teams": [[one], [other]]} for one, other in zip(names[::2], names[1::2], strict=True)]),
    )
    with database.reading() as connection:
        league = leagues.find(connection, "darts")
        for length in (0, 1, 2, 3, SHORT, SHORT + 1, 200):
            found = ratings.load_players(connection, league, [*names[:length], "nobody"])
            assert sorted(found.names) == sorted(names[:length])
    database.close()


def test_query_for_matches_after_a_position_uses_an_index(sqlite_url):
    """In a league without times, all matches have the same time, so the index search must include seq."""
    database = Database(sqlite_url)
    database.migrate()
    with database.reading() as connection:
        cursor = connection.connection.cursor()
        for statement in (journal._COUNT_AFTER, journal._CURRENT_AFTER):
            cursor.execute(f"EXPLAIN QUERY PLAN {statement.text('sqlite')}", {"league": 1, "time": 0.0, "seq": 1})
            assert "(time,seq)>(?,?)" in cursor.fetchall()[0][3]
    database.close()


def test_writability_check_leaves_nothing_in_the_database(database_url):
    database = Database(database_url)
    database.migrate()
    with database.reading() as connection:
        before = inspect(connection).get_table_names()
    for _ in range(3):
        database.check_writable()
    with database.reading() as connection:
        assert inspect(connection).get_table_names() == before
    database.close()


def test_writability_check_does_not_wait_for_another_writer(sqlite_url):
    database = Database(sqlite_url)
    database.migrate()
    with database.writing():
        database.check_writable()
    database.close()


def test_writability_check_writes_to_disk(sqlite_url):
    database = Database(sqlite_url)
    database.migrate()
    wal = Path(f"{database.url.database}-wal")
    with closing(database.engine.raw_connection()) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert wal.stat().st_size == 0
        database.check_writable()
        assert wal.stat().st_size > TRIAL_BYTES / 2
    database.close()


def test_writability_check_reports_a_read_only_database(database_url):
    database = Database(database_url)
    database.migrate()
    if database.dialect == "sqlite":
        database.engine.dispose()
        event.listen(database.engine, "connect", lambda raw, _: raw.execute("PRAGMA query_only=ON").close())
    else:
        event.listen(database.engine, "checkout", lambda raw, *_: raw.execute("SET TRANSACTION READ ONLY"))
    with pytest.raises(Unavailable, match="because it is read-only"):
        database.check_writable()
    database.close()

"""A database, SQLite or PostgreSQL: transactions that read or write, and one error for all that may fail in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, TimeoutError

from ...errors import Error
from ..clock import Clock
from ..errors import CommitUnknown, Unavailable, WriteClash

BUSY = 30.0  # seconds that a writer waits for another
DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}


class Database:
    """Where leagues are kept: the URL of a PostgreSQL database, or a file of SQLite.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     database = Database(f"sqlite:///{folder}/league.db")
    ...     database.migrate()
    ...     with database.reading() as connection:
    ...         connection.exec_driver_sql("SELECT count(*) FROM league").scalar()
    ...     database.close()
    0
    """

    def __init__(self, url: str) -> None:
        self.url = _url(url)
        self.dialect = self.url.get_backend_name()
        self.clocks: dict[str, Clock] = {}  # of leagues, by name; see `leagues.clock_of`
        # Two engines with connections of their own: one whose options differ from time to time is slower.
        self._readers = _engine(self.url, "DEFERRED", "REPEATABLE READ", 8, cache=8)
        self.engine = _engine(self.url, "IMMEDIATE", "READ COMMITTED", 4, cache=64)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database, whatever others write meanwhile."""
        with _translate_errors(self.dialect), self._readers.connect() as connection, connection.begin():
            try:
                yield connection
            except Error:
                raise
            except BaseException:
                connection.invalidate()  # a cursor that was half read would hold its snapshot for who comes next
                raise

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is durable when the block ends, and undone if it ends by an exception."""
        committing = False
        try:
            with _translate_errors(self.dialect), self.engine.connect() as connection, connection.begin():
                yield connection
                committing = True
        except Unavailable as error:
            if committing and self.dialect != "sqlite":  # a server may have committed, and not been able to say so
                raise CommitUnknown(error.summary, error.reason) from error
            raise

    def migrate(self) -> None:
        """Bring the tables to the form that this version of prowess needs; an empty database gets all of them."""
        from .migrate import migrate

        with _translate_errors(self.dialect):
            migrate(self.engine)

    def close(self) -> None:
        """Close all connections."""
        self._readers.dispose()
        self.engine.dispose()


def _url(database: str) -> URL:
    """The URL of a database; a plain path is a file of SQLite."""
    text = str(database).strip()
    if "://" not in text:
        text = f"sqlite:///{text}" if text else ""
    try:
        url = make_url(text)
    except ArgumentError:
        text = f"{database!r} is no database: give sqlite:///league.db or postgresql://user@host/name"
        raise Error(text, field="database") from None
    driver = DRIVERS.get(url.get_backend_name())
    if driver is None:
        text = f"{url.get_backend_name()} is no kind of database that can be used: it is sqlite or postgresql"
        raise Error(text, field="database")
    if driver == "sqlite" and url.database in (None, "", ":memory:"):
        text = "leagues are kept in a file: give its name, such as sqlite:///league.db"
        raise Error(text, field="database")
    if driver == "sqlite" and not Path(str(url.database)).parent.is_dir():
        text = f"{url.database}: there is no folder {Path(str(url.database)).parent}"
        raise Error(text, field="database")
    return url.set(drivername=driver)


def _engine(url: URL, begin: str, isolation: str, most: int, cache: int) -> Engine:
    """At most so many connections: how a transaction begins on SQLite, and what it sees on PostgreSQL.

    PostgreSQL has 100 for all, so that several processes need to be modest. Who needs one more waits. On SQLite each
    has a cache of so many MB.
    """
    options: dict[str, Any] = {"pool_size": most, "max_overflow": 2, "pool_timeout": BUSY, "hide_parameters": True}
    if url.get_backend_name() != "sqlite":
        return create_engine(url, isolation_level=isolation, **options)
    engine = create_engine(url, connect_args={"timeout": BUSY, "check_same_thread": False}, **options)
    event.listen(engine, "connect", partial(_open_file, cache))
    # A writer takes its turn at once: one that began as a reader could be refused later.
    event.listen(engine, "begin", lambda connection: connection.connection.execute(f"BEGIN {begin}"))
    return engine


def _open_file(cache: int, connection: Any, _: Any) -> None:
    """Durable commits that readers need not wait for."""
    connection.isolation_level = None  # transactions begin where we say
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"cache_size=-{cache * 1024}"):
        connection.execute(f"PRAGMA {pragma}").close()


@contextmanager
def _translate_errors(dialect: str) -> Iterator[None]:
    """Raise failures of the database as `Unavailable` or `WriteClash`; the transaction is rolled back by then."""
    try:
        yield
    except TimeoutError as error:
        raise Unavailable(f"all connections to the database ({dialect}) are busy", "try again") from error
    except (DBAPIError, sqlite3.Error, psycopg.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        if isinstance(cause, (sqlite3.IntegrityError, psycopg.IntegrityError)):
            raise WriteClash(str(cause)) from error
        reason = " ".join(str(cause).split()) or type(cause).__name__
        raise Unavailable(f"the database ({dialect}) cannot be used now", reason) from error

"""A database, SQLite or PostgreSQL: transactions that read or write, and one error for all that may fail in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError

from ..errors import Error
from .clock import Clock
from .errors import Unavailable

__all__ = ["BUSY", "Database"]

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
        options: dict[str, Any] = {"pool_size": 8, "max_overflow": 32, "hide_parameters": True}
        if self.dialect == "sqlite":
            options["connect_args"] = {"timeout": BUSY, "check_same_thread": False}
        self._clocks: dict[str, Clock] = {}
        self.engine = create_engine(self.url, **options)
        if self.dialect == "sqlite":
            event.listen(self.engine, "connect", _open_file)
            event.listen(self.engine, "begin", _begin)
            self._readers, self._writers = self.engine, self.engine.execution_options(begin="IMMEDIATE")
        else:
            self._readers = self.engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            self._writers = self.engine.execution_options(isolation_level="READ COMMITTED")

    def clock_of(self, league: str) -> Clock:
        """The clock of a league, which never changes."""
        from .leagues import find

        if league not in self._clocks:
            with self.reading() as connection:
                self._clocks[league] = find(connection, league).clock
        return self._clocks[league]

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database, whatever others write meanwhile."""
        with _told(self.dialect), self._readers.connect() as connection, connection.begin():
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
        with _told(self.dialect), self._writers.connect() as connection, connection.begin():
            yield connection

    def migrate(self) -> None:
        """Bring the tables to the form that this version of prowess needs; an empty database gets all of them."""
        from .migrate import migrate

        with _told(self.dialect):
            migrate(self.engine)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def _url(given: str) -> URL:
    """The URL of a database; a plain path is a file of SQLite."""
    text = str(given).strip()
    if "://" not in text:
        text = f"sqlite:///{text}" if text else ""
    try:
        url = make_url(text)
    except ArgumentError:
        raise Error(f"{given!r} is no database: give sqlite:///league.db or postgresql://user@host/name") from None
    driver = DRIVERS.get(url.get_backend_name())
    if driver is None:
        raise Error(f"{url.get_backend_name()} is no kind of database that can be used: it is sqlite or postgresql")
    if driver == "sqlite" and url.database in (None, "", ":memory:"):
        raise Error("leagues are kept in a file: give its name, such as sqlite:///league.db")
    if driver == "sqlite" and not Path(str(url.database)).parent.is_dir():
        raise Error(f"{url.database}: there is no folder {Path(str(url.database)).parent}")
    return url.set(drivername=driver)


def _open_file(connection: Any, _: Any) -> None:
    """Durable commits that readers need not wait for."""
    connection.isolation_level = None  # transactions begin where we say
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "cache_size=-65536"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin(connection: Connection) -> None:
    """A writer takes its turn at once: one that began as a reader could be refused later."""
    kind = connection.get_execution_options().get("begin", "DEFERRED")
    connection.exec_driver_sql(f"BEGIN {kind}")


@contextmanager
def _told(dialect: str) -> Iterator[None]:
    """Failures of the database as one error; what was written in between is undone by then."""
    try:
        yield
    except IntegrityError:
        raise
    except DBAPIError as error:
        raise Unavailable(f"the database ({dialect}) cannot be used now: {_reason(error)}") from error


def _reason(error: DBAPIError) -> str:
    """What the database said, in one line."""
    return " ".join(str(error.orig).split()) or type(error.orig).__name__

"""A SQLite or PostgreSQL database: transactions, locks, and prepared statements for the hot path."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import psycopg
from sqlalchemy import ColumnElement, Connection, Engine, Select, Table, Update, create_engine, event, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql.psycopg import dialect as psycopg_dialect
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, TimeoutError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import NullType

from ...errors import Error
from ..errors import CommitUnknown, Unavailable, WriteClash

if TYPE_CHECKING:
    from ..clock import Clock

BUSY = 30.0  # seconds that a writer waits for another one
SCRUB_WAIT = 2_000  # milliseconds that scrubbing waits for readers
TRIAL_BYTES = 40 * 1024  # written by `check_writable`
SQLITE_CAUSES = {
    sqlite3.SQLITE_BUSY: "another program keeps it locked",
    sqlite3.SQLITE_CANTOPEN: "its file cannot be opened",
    sqlite3.SQLITE_CORRUPT: "its file is damaged",
    sqlite3.SQLITE_FULL: "its disk is full",
    sqlite3.SQLITE_IOERR: "its disk has errors",
    sqlite3.SQLITE_NOTADB: "its file is damaged",
    sqlite3.SQLITE_READONLY: "it is read-only",
}
POSTGRESQL_CAUSES = {  # keyed by SQLSTATE
    "25006": "it is read-only",
    "53100": "its disk is full",
    "53300": "it has too many connections",
    "57P01": "it is shutting down",
    "57P03": "it is starting",
}
DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}


class Database:
    """The database of a service: a PostgreSQL URL, or a SQLite file.

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
        self.url = _parse_url(url)
        self.dialect = self.url.get_backend_name()
        self.clocks: dict[str, Clock] = {}  # the clock of each league, by name; see `leagues.clock_of`
        # Two engines: changing the isolation level of a pooled connection for each transaction is slower.
        self._readers = _engine(self.url, "DEFERRED", "REPEATABLE READ", pool=8, cache=8)
        self.engine = _engine(self.url, "IMMEDIATE", "READ COMMITTED", pool=4, cache=64)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction that reads one consistent snapshot, even while other transactions write."""
        with _translate_errors(self.dialect), self._readers.connect() as connection, connection.begin():
            try:
                yield connection
            except Error:
                raise
            except BaseException:
                connection.invalidate()  # a half-read cursor would keep its old snapshot, also for the next caller
                raise

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that is committed durably when the block ends, and rolled back if the block raises."""
        committing = False
        try:
            with _translate_errors(self.dialect), self.engine.connect() as connection, connection.begin():
                yield connection
                committing = True
        except Unavailable as error:
            if committing and self.dialect != "sqlite":  # the server may have committed before the connection was lost
                raise CommitUnknown(error.summary, error.reason) from error
            raise

    def migrate(self) -> None:
        """Upgrade the tables to this version of prowess; in an empty database, create all tables."""
        from .migrate import migrate

        with _translate_errors(self.dialect):
            migrate(self.engine)

    def scrub(self) -> bool:
        """Rewrite a SQLite file without its unused pages, and empty its WAL; return whether this succeeded.

        An open reader can prevent this. Posts wait until it is done. The file keeps its old pages until every reader
        that began earlier has finished. On PostgreSQL the method does nothing and returns True, because PostgreSQL's
        own vacuum removes unused rows.
        """
        if self.dialect != "sqlite":
            return True
        with _translate_errors(self.dialect), closing(self.engine.raw_connection()) as connection:
            connection.execute(f"PRAGMA busy_timeout={SCRUB_WAIT}")
            try:
                # Empty the WAL first: if a reader prevents that, VACUUM would only make the WAL longer.
                return _empty_wal(connection) and bool(connection.execute("VACUUM")) and _empty_wal(connection)
            finally:
                connection.execute(f"PRAGMA busy_timeout={BUSY * 1000:.0f}")

    def check_writable(self) -> None:
        """Check that the database can be written to: write a few pages and roll back.

        Raises `Unavailable` with the cause if the write fails. The check takes milliseconds.
        """
        with _translate_errors(self.dialect), closing(self.engine.raw_connection()) as connection:
            (_try_sqlite if self.dialect == "sqlite" else _try_postgresql)(connection)

    def reconnect(self) -> None:
        """Close all idle connections now, and each busy connection when it is returned to the pool."""
        self._readers.dispose()
        self.engine.dispose()

    def close(self) -> None:
        """Close all connections."""
        self.reconnect()


def _parse_url(database: str) -> URL:
    # A plain path is a SQLite file. Errors omit the URL, which may hold a password.
    address = str(database).strip()
    if "://" not in address:
        address = f"sqlite:///{address}" if address else ""
    try:
        url = make_url(address)
    except ArgumentError:
        message = f"{database!r} is not a database: give sqlite:///league.db or postgresql://user@host/name"
        raise Error(message, field="database") from None
    driver = DRIVERS.get(url.get_backend_name())
    if driver is None:
        raise Error(f"{url.get_backend_name()} is not supported: use sqlite or postgresql", field="database")
    if driver == "sqlite" and url.database in (None, "", ":memory:"):
        raise Error("leagues are stored in a file: give its name, such as sqlite:///league.db", field="database")
    if driver == "sqlite" and not (folder := Path(str(url.database)).parent).is_dir():
        raise Error(f"{url.database}: there is no folder {folder}; create it first", field="database")
    return url.set(drivername=driver)


def _engine(url: URL, begin: str, isolation: str, pool: int, cache: int) -> Engine:
    """Create an engine; `begin` and `cache` (MB per connection) are for SQLite, `isolation` for PostgreSQL.

    Pools are small, because PostgreSQL has 100 connections for all processes; callers wait until one is free.
    """
    options: dict[str, Any] = {"pool_size": pool, "max_overflow": 2, "pool_timeout": BUSY, "hide_parameters": True}
    if url.get_backend_name() != "sqlite":
        return create_engine(url, isolation_level=isolation, **options)
    engine = create_engine(url, connect_args={"timeout": BUSY, "check_same_thread": False}, **options)
    event.listen(engine, "connect", partial(_configure_sqlite, cache))
    # A writer locks at once: SQLite may refuse to upgrade a transaction that began as a reader.
    event.listen(engine, "begin", lambda connection: connection.connection.execute(f"BEGIN {begin}"))
    return engine


def _configure_sqlite(cache: int, connection: Any, _: Any) -> None:
    connection.isolation_level = None  # SQLAlchemy begins transactions, not the driver
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"cache_size=-{cache * 1024}"):
        connection.execute(f"PRAGMA {pragma}").close()


@contextmanager
def _translate_errors(dialect: str) -> Iterator[None]:
    # The transaction has already been rolled back.
    try:
        yield
    except TimeoutError as error:
        raise Unavailable(f"all connections to the database ({dialect}) are busy", "try again") from error
    except (DBAPIError, sqlite3.Error, psycopg.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        if isinstance(cause, (sqlite3.IntegrityError, psycopg.IntegrityError)):
            raise WriteClash(str(cause)) from error
        reason = " ".join(str(cause).split()) or type(cause).__name__
        raise Unavailable(f"the database ({dialect}) cannot be used now{_because(cause)}", reason) from error


def _because(cause: BaseException | None) -> str:
    """Describe the cause of an error without internal details; empty if only the database's own message is known."""
    if isinstance(cause, sqlite3.Error):
        known = SQLITE_CAUSES.get(getattr(cause, "sqlite_errorcode", 0) & 0xFF)  # without the extended error code
    else:
        state = getattr(cause, "sqlstate", None)  # None if the connection failed
        lost = isinstance(cause, psycopg.OperationalError) and state is None
        known = "it cannot be reached" if lost else POSTGRESQL_CAUSES.get(state or "")
    return f", because {known}" if known else ""


def _try_sqlite(connection: Any) -> None:
    # The table is larger than the cache, so that SQLite must write pages to the WAL, as a commit does.
    size, wait = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("cache_size", "busy_timeout"))
    try:
        connection.execute("PRAGMA busy_timeout=100")
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute("PRAGMA cache_size=1")
            connection.execute("CREATE TABLE writable (content BLOB)")
            connection.execute(f"INSERT INTO writable VALUES (zeroblob({TRIAL_BYTES}))")
        finally:
            connection.rollback()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:  # busy only means that another writer is active
            raise
    finally:
        connection.execute(f"PRAGMA cache_size={size}")
        connection.execute(f"PRAGMA busy_timeout={wait}")


def _try_postgresql(connection: Any) -> None:
    # An update of no rows fails on a read-only server. A query that fills a temporary file fails if the disk is full.
    with closing(connection.cursor()) as cursor:
        cursor.execute("UPDATE league SET name = name WHERE id < 0")
        cursor.execute("SET LOCAL work_mem = '64kB'")
        cursor.execute(f"SELECT count(*) FROM generate_series(1, {TRIAL_BYTES})")
    connection.rollback()


def _empty_wal(connection: Any) -> bool:
    [(blocked, _, _)] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return not blocked


@contextmanager
def secure_delete(connection: Connection) -> Iterator[None]:
    """Make SQLite overwrite with zeros the data that this transaction deletes or replaces."""
    if connection.dialect.name != "sqlite":
        yield
        return
    before = connection.exec_driver_sql("PRAGMA secure_delete").scalar()  # the default differs between builds of SQLite
    connection.exec_driver_sql("PRAGMA secure_delete=ON")
    try:
        yield
    finally:
        connection.exec_driver_sql(f"PRAGMA secure_delete={before}")


# Locks. SQLite has one writer at a time, which locks the database when its transaction begins. On PostgreSQL, a change
# that concerns only the ratings of certain players locks these players, and takes a shared lock of the league; any
# other change locks the league exclusively. Locks are always taken in the same order, so that there is no deadlock, and
# are released at the end of the transaction.

MAX_LOCKS = 256  # players locked individually: PostgreSQL has room for a few thousand locks in total
_LOCK_LEAGUE = text("SELECT pg_advisory_xact_lock(:league)")
_SHARE_LEAGUE = text("SELECT pg_advisory_xact_lock_shared(:league)")
_LOCK_PLAYERS = text(
    "SELECT count(pg_advisory_xact_lock(:league, player)) FROM unnest(CAST(:players AS integer[])) AS player"
)


def lock_league(connection: Connection, league: int) -> None:
    """Lock the league exclusively until the transaction ends.

    On SQLite this does nothing, because only one transaction writes at a time.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK_LEAGUE, {"league": league})


def lock_players(connection: Connection, league: int, players: Collection[str]) -> None:
    """Lock some players of a league, so that other transactions can change its other players at the same time."""
    if len(players) > MAX_LOCKS:
        lock_league(connection, league)
    elif connection.dialect.name == "postgresql":
        connection.execute(_SHARE_LEAGUE, {"league": league})
        numbers = sorted({crc32(name.encode()) - 2**31 for name in players})
        connection.execute(_LOCK_PLAYERS, {"league": league, "players": numbers})


# Statements of the hot path. SQLAlchemy generates the SQL of each statement once for SQLite and once for
# PostgreSQL, so that both databases share one schema. The SQL is then passed to the driver directly, because executing
# it through SQLAlchemy takes longer than rating a match.

_DIALECTS = {"sqlite": sqlite.dialect(paramstyle="named"), "postgresql": psycopg_dialect()}  # type: ignore[no-untyped-call]
_PLACEHOLDERS = {"sqlite": "?", "postgresql": "%s"}
SHORT = 64  # up to this many values of a list are passed to SQLite separately


class InList(ColumnElement[Any]):
    """The condition that a column has one of the values in a list.

    The list is passed as one parameter. On SQLite, short lists are passed as separate values, which is faster.

    >>> from sqlalchemy import select
    >>> from .schema import league
    >>> named = RawStatement(select(league.c.id).where(InList(league.c.name, "names")))
    >>> [named.text("sqlite", places).split("WHERE")[1] for places in (0, 2)]
    [' league.name IN (SELECT value FROM json_each(:names))', ' league.name IN (:names_1, :names_2)']
    """

    inherit_cache = False
    type = NullType()  # a Boolean would be compared with 1, and no index would be used

    def __init__(self, column: ColumnElement[Any], name: str) -> None:
        self.column, self.name = column, name


@compiles(InList, "sqlite")
def _for_sqlite(element: InList, compiler: SQLCompiler, places: int = 0, **options: Any) -> str:
    values = ", ".join(f":{element.name}_{number}" for number in range(1, places + 1))
    values = values or f"SELECT value FROM json_each(:{element.name})"
    return f"{compiler.process(element.column, **options)} IN ({values})"


@compiles(InList, "postgresql")
def _for_postgresql(element: InList, compiler: SQLCompiler, places: int = 0, **options: Any) -> str:
    return f"{compiler.process(element.column, **options)} = ANY(%({element.name})s)"


class RawStatement:
    """A SQL statement with named parameters; the parameter of an `InList` is a list.

    SQLite has no statistics and guesses which index to use; where it guesses wrong, `index` names the right index.

    >>> from sqlalchemy import bindparam, select
    >>> from .schema import league
    >>> RawStatement(select(league.c.id).where(league.c.name == bindparam("name"))).text("postgresql").split("WHERE")[1]
    ' league.name = %(name)s::VARCHAR'
    """

    def __init__(self, statement: Select[Any] | Update, index: str | None = None) -> None:
        self._statement, self._index = statement, index
        self._texts: dict[tuple[str, int], str] = {}

    def __call__(self, connection: Connection, **values: Any) -> list[Any]:
        """Run the statement and return its rows as the driver's own tuples."""
        dialect, places = connection.dialect.name, 0
        if dialect == "sqlite":
            places, values = _flatten_lists(values)
        with closing(connection.connection.cursor()) as cursor:
            cursor.execute(self.text(dialect, places), values)
            return list(cursor.fetchall()) if cursor.description else []

    def text(self, dialect: str, places: int = 0) -> str:
        """Return the SQL for a dialect.

        The list of an `InList` has `places` separate values; if `places` is 0, the list is one parameter.
        """
        sql = self._texts.get((dialect, places))
        if sql is None:
            sql = str(self._statement.compile(dialect=_DIALECTS[dialect], compile_kwargs={"places": places}))
            if self._index is not None and dialect == "sqlite":
                sql = sql.replace("\nWHERE", f" INDEXED BY {self._index}\nWHERE", 1)
            self._texts[dialect, places] = sql
        return sql


def _flatten_lists(values: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Replace each short list by separate values, and each long list by JSON.

    Return the number of values that replace the short list (0 if there is none), and the new parameters.
    """
    places, flat = 0, {}
    for name, value in values.items():
        if type(value) is not list:
            flat[name] = value
        elif 0 < len(value) <= SHORT:
            # The list is padded to 2, 4, 8 … values with copies of the last one, so that few statements are prepared.
            places = 1 << (len(value) - 1).bit_length()
            padded = value + value[-1:] * (places - len(value))
            flat |= {f"{name}_{number}": item for number, item in enumerate(padded, 1)}
        else:
            flat[name] = json.dumps(value)
    return places, flat


def write_many(
    connection: Connection, table: Table, rows: Sequence[tuple[Any, ...]], *, replacing: bool = False
) -> None:
    """Insert rows with values in column order; `replacing` overwrites rows with the same key."""
    if rows:
        with closing(connection.connection.cursor()) as cursor:
            cursor.executemany(_insertion(table, connection.dialect.name, replacing), rows)


@lru_cache
def _insertion(table: Table, dialect: str, replacing: bool) -> str:
    names = [column.name for column in table.columns]
    values = ", ".join([_PLACEHOLDERS[dialect]] * len(names))
    statement = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({values})"
    if not replacing:
        return statement
    key = [column.name for column in table.primary_key.columns]
    new = ", ".join(f"{name} = excluded.{name}" for name in names if name not in key)
    return f"{statement} ON CONFLICT ({', '.join(key)}) DO UPDATE SET {new}"

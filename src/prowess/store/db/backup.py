"""Everything that a database holds as one file, and back again into a database of either kind.

A backup is a SQLite file with the tables of the database as they were at one moment, whatever was written meanwhile. It
has the version of its database: an older one is restored step by step to that of the program.
"""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    ExceptionContext,
    MetaData,
    NullPool,
    Table,
    create_engine,
    event,
    func,
    insert,
    select,
    text,
)
from sqlalchemy.exc import DBAPIError

from ...atomic_files import replace_file
from ...errors import Error
from ...progress import following
from ..errors import WriteClash
from .database import Database
from .migrate import VERSION, check_known, go_to, hold, table_names, version_of

_HEAD = 100  # bytes with which a SQLite file begins, and where they say what it is
_MODE, _APPLICATION = slice(18, 20), slice(68, 72)
_APPLICATION_ID = 0x70726F62  # "prob", the mark of our backups


@dataclass(frozen=True)
class Copied:
    """What was copied: the version of the tables, and how many rows each of them has.

    >>> Copied("prowess_0001", {"league": 2, "journal": 1200}).rows["league"]
    2
    """

    version: str
    rows: dict[str, int]


def backup(database: Database, path: str | os.PathLike[str], *, progress: bool | None = None) -> Copied:
    """Copy all tables of a database as they are now into a file; others may go on writing to it.

    An earlier backup of this name is replaced when the new one is complete. Any other file is left alone.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/league.db")
    ...     database.migrate()
    ...     copied = backup(database, f"{folder}/copy.db")
    ...     database.close()
    >>> copied.rows["league"]
    0
    """
    with replace_file(path) as place:
        _check_target(Path(path))
        with database.reading() as source:
            check_known(source)
            version = version_of(source)
            if version is None:
                raise Error(f"{database.url.render_as_string()} is empty: there is nothing to back up")
            with _file(path, f"{place.resolve().as_uri()}?mode=rwc") as target:
                target.exec_driver_sql(f"PRAGMA application_id={_APPLICATION_ID}")
                target.exec_driver_sql("BEGIN")
                go_to(target, version)
                rows = copy_tables(source, target, "backup", progress)
                target.exec_driver_sql("COMMIT")
    return Copied(version, rows)


def restore(path: str | os.PathLike[str], database: Database, *, progress: bool | None = None) -> Copied:
    """Copy a backup into an empty database, wholly or not at all.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     old, new = Database(f"{folder}/old.db"), Database(f"{folder}/new.db")
    ...     old.migrate()
    ...     _ = backup(old, f"{folder}/copy.db")
    ...     copied = restore(f"{folder}/copy.db", new)
    ...     old.close()
    ...     new.close()
    >>> copied.rows["league"]
    0
    """
    if not Path(path).is_file():
        raise Error(f"{path}: there is no such file")
    with _file(path, f"{Path(path).resolve().as_uri()}?mode=ro") as source:
        version = _version_of_file(source, path)
        try:
            with database.writing() as target:
                hold(target)
                _make_empty(target, version)
                rows = copy_tables(source, target, "restore", progress)
                go_to(target, "head")
        except WriteClash as error:
            raise Error(f"{path}: the rows of this backup do not fit together: {error}") from error
    return Copied(version, rows)


@contextmanager
def _file(path: str | os.PathLike[str], uri: str) -> Iterator[Connection]:
    """A connection to a file that nobody else writes to; what fails in it is told of the file by its name."""

    def connect() -> sqlite3.Connection:
        made = sqlite3.connect(uri, uri=True, isolation_level=None)
        if uri.endswith("rwc"):
            made.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF")  # it is whole before it has its name
        return made

    def told(context: ExceptionContext) -> None:
        if isinstance(context.original_exception, sqlite3.Error):
            raise Error(f"{path}: {context.original_exception}") from context.original_exception

    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)
    event.listen(engine, "handle_error", told)
    with engine.connect() as connection:
        yield connection


def _check_target(path: Path) -> None:
    """A file is replaced only if it is a backup, and nobody has made a database of leagues of it since."""
    if not path.exists():
        return
    with path.open("rb") as file:
        start = file.read(_HEAD)
    if start[_APPLICATION] != _APPLICATION_ID.to_bytes(4, "big") or start[_MODE] != b"\1\1":
        raise Error(f"{path} is there already and is no backup: choose another name")


def _version_of_file(source: Connection, path: str | os.PathLike[str]) -> str:
    """The version of a backup that this program can restore."""
    source.exec_driver_sql("BEGIN")
    version = version_of(source)
    if version is None:
        raise Error(f"{path} is no backup of prowess")
    check_known(source, str(path))
    found = source.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    if found != "ok":
        raise Error(f"{path}: the file is damaged: {found}")
    return version


def _make_empty(target: Connection, version: str) -> None:
    """Bring a database without rows to the tables of a backup."""
    check_known(target)
    names = table_names(target)
    if names and target.dialect.name == "postgresql":
        target.exec_driver_sql(
            "LOCK TABLE " + ", ".join(f'"{name}"' for name in names)
        )  # nobody adds to them meanwhile
    full = [name for name in names if target.exec_driver_sql(f'SELECT 1 FROM "{name}" LIMIT 1').first()]
    if full:
        where = target.engine.url.render_as_string(hide_password=True)
        raise Error(f"{where} is not empty ({', '.join(full)}): restore into a new database")
    if version_of(target) not in (None, version):
        go_to(target, "base")
    go_to(target, version)


Rows = list[tuple[Any, ...]]
AT_ONCE = 2000
LARGE = {
    "checkpoint": 1,
    "analysis": 20,
}  # rows that hold the beliefs of a whole league, or an answer with all its points


def copy_tables(source: Connection, target: Connection, label: str, progress: bool | None = None) -> dict[str, int]:
    """Copy all rows, in the order of their keys, into tables of the same names that are there and empty.

    Both are in a transaction. Gives how many rows every table has.
    """
    tables = _tables(target)
    total = sum(source.execute(select(func.count()).select_from(table)).scalar_one() for table in tables)
    copied = Counter({table.name: 0 for table in tables})
    parts = ((table, rows) for table in tables for rows in _parts(source, table))
    for table, rows in following(parts, label, lambda: copied.total() / total, progress):
        _add(target, table, rows)
        copied[table.name] += len(rows)
    for table in tables:
        _go_on_counting(target, table)
    return dict(copied)


def _tables(target: Connection) -> list[Table]:
    """The tables, each after those that its rows refer to."""
    metadata = MetaData()
    metadata.reflect(target)
    return [table for table in metadata.sorted_tables if table.name != VERSION]


def _parts(source: Connection, table: Table) -> Iterator[Rows]:
    """The rows of a table as the driver gives them, some at a time."""
    query = str(select(table).order_by(*table.primary_key).compile(source))
    at_once = LARGE.get(table.name, AT_ONCE)
    with source.exec_driver_sql(query, execution_options={"stream_results": True, "yield_per": at_once}) as result:
        for rows in result.partitions(at_once):
            yield [tuple(row) for row in rows]


def _add(target: Connection, table: Table, rows: Rows) -> None:
    """Add rows in the fastest way that a database has."""
    if target.dialect.name == "sqlite":
        target.exec_driver_sql(str(insert(table).compile(target)), rows)
        return
    quote = target.dialect.identifier_preparer.quote
    query = f"COPY {quote(table.name)} ({', '.join(quote(column.name) for column in table.columns)}) FROM STDIN"
    driver: Any = target.connection.driver_connection
    try:
        with driver.cursor() as cursor, cursor.copy(query) as copy:
            for row in rows:
                copy.write_row(row)
    except target.dialect.loaded_dbapi.Error as error:
        raise DBAPIError.instance(query, None, error, target.dialect.loaded_dbapi.Error) from error


def _go_on_counting(target: Connection, table: Table) -> None:
    """Let PostgreSQL give the next row the number after the last one; SQLite does so by itself."""
    if target.dialect.name != "postgresql" or "id" not in table.primary_key:
        return
    name = target.dialect.identifier_preparer.quote(table.name)
    sequence = "SELECT setval(pg_get_serial_sequence(:name, 'id'), max(id)) FROM "
    target.execute(text(f"{sequence}{name} HAVING max(id) IS NOT NULL"), {"name": name})

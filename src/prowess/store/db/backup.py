"""Backup and restore: a whole database as one file, which can be restored to SQLite or PostgreSQL.

A backup is a SQLite file with a consistent snapshot of the tables and the version of the schema. A backup of an older
version is migrated when it is restored.
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

import sqlalchemy as sa
from sqlalchemy import Connection, Table, event, select
from sqlalchemy.exc import DBAPIError

from ...atomic_files import replace_file
from ...errors import Error
from ...progress import track
from ..errors import WriteClash
from .database import Database
from .migrate import VERSION_TABLE, check_version, lock_migrations, run_migrations, table_names, version_of

_HEADER = 100  # bytes at the start of a SQLite file, with the journal mode and the application id
_MODE, _APPLICATION = slice(18, 20), slice(68, 72)
_APPLICATION_ID = 0x70726F62  # "prob", which marks our backups
BATCH = 2000  # rows copied at a time
SMALL_BATCHES = {"checkpoint": 1, "analysis": 20}  # tables with large rows

PathLike = str | os.PathLike[str]
Rows = list[tuple[Any, ...]]


@dataclass(frozen=True)
class Copied:
    """The result of a backup or restore: the schema version, and the number of rows in each table.

    >>> Copied("prowess_0001", {"league": 2, "journal": 1200}).rows["league"]
    2
    """

    version: str
    rows: dict[str, int]


def backup(database: Database, path: PathLike, *, progress: bool | None = None) -> Copied:
    """Copy all tables of a database as they are now into a file; others may keep writing to the database.

    If the file is an earlier backup, it is replaced when the new backup is complete. Any other file is never
    overwritten. A progress bar appears after two seconds; `progress` shows it at once (true) or never (false).

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     old, new = Database(f"{folder}/old.db"), Database(f"{folder}/new.db")
    ...     old.migrate()
    ...     written = backup(old, f"{folder}/copy.db")
    ...     restored = restore(f"{folder}/copy.db", new)
    ...     old.close()
    ...     new.close()
    >>> written == restored, written.rows["league"]
    (True, 0)
    """
    with replace_file(path) as temporary:
        _check_target(Path(path))
        with database.reading() as source:
            check_version(source)
            version = version_of(source)
            if version is None:
                url = database.url.render_as_string()
                raise Error(f"{url} is empty: nothing to back up", field="database", value=url)
            with _open_file(path, f"{temporary.resolve().as_uri()}?mode=rwc") as target:
                target.exec_driver_sql(f"PRAGMA application_id={_APPLICATION_ID}")
                target.exec_driver_sql("BEGIN")
                run_migrations(target, version)
                rows = copy_tables(source, target, "backup", progress)
                target.exec_driver_sql("COMMIT")
    return Copied(version, rows)


def restore(path: PathLike, database: Database, *, progress: bool | None = None) -> Copied:
    """Copy a backup into an empty database, in one transaction; a backup of an older version is then migrated.

    The result has the schema version of the backup. `progress` has the same meaning as in `backup`.
    """
    if not Path(path).is_file():
        raise _file_error(path, "not found")
    with _open_file(path, f"{Path(path).resolve().as_uri()}?mode=ro") as source:
        version = _check_backup(source, path)
        try:
            with database.writing() as target:
                lock_migrations(target)
                _create_tables(target, version)
                rows = copy_tables(source, target, "restore", progress)
                run_migrations(target, "head")
        except WriteClash as error:
            raise _file_error(path, f"the backup is inconsistent: {error}") from error
    return Copied(version, rows)


def is_backup(path: PathLike) -> bool:
    """Return whether a file is a backup, and not a database that a service has used."""
    with open(path, "rb") as file:
        header = file.read(_HEADER)
    return header[_APPLICATION] == _APPLICATION_ID.to_bytes(4, "big") and header[_MODE] == b"\1\1"


def verify(path: PathLike) -> str:
    """Check that a backup is intact and that this program can restore it; return its version."""
    with _open_file(path, f"{Path(path).resolve().as_uri()}?mode=ro") as source:
        return _check_backup(source, path)


def _file_error(path: PathLike, reason: object) -> Error:
    return Error(f"{path}: {reason}", field="path", value=str(path))


@contextmanager
def _open_file(path: PathLike, uri: str) -> Iterator[Connection]:
    # No other process writes to the file. Errors of SQLite become an `Error` that names the file.
    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(uri, uri=True, isolation_level=None)
        if uri.endswith("rwc"):  # an incomplete file is discarded, so it needs no journal
            connection.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF")
        return connection

    def raise_error(context: sa.ExceptionContext) -> None:
        if isinstance(context.original_exception, sqlite3.Error):
            raise _file_error(path, context.original_exception) from context.original_exception

    engine = sa.create_engine("sqlite://", creator=connect, poolclass=sa.NullPool)
    event.listen(engine, "handle_error", raise_error)
    with engine.connect() as connection:
        yield connection


def _check_target(path: Path) -> None:
    # The file must not be replaced if it is not a backup, or if a service has used it as its database.
    if path.exists() and not is_backup(path):
        raise _file_error(path, "already exists and is not a backup: choose another name")


def _check_backup(source: Connection, path: PathLike) -> str:
    """Return the version of a backup; raises `Error` if this program cannot restore it."""
    source.exec_driver_sql("BEGIN")
    version = version_of(source)
    if version is None:
        raise _file_error(path, "not a prowess backup")
    check_version(source, str(path))
    problem = source.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    if problem != "ok":
        raise _file_error(path, f"the file is damaged: {problem}")
    return version


def _create_tables(target: Connection, version: str) -> None:
    check_version(target)
    names = table_names(target)
    if names and target.dialect.name == "postgresql":  # so that nobody adds rows while we check
        target.exec_driver_sql("LOCK TABLE " + ", ".join(f'"{name}"' for name in names))
    filled = [name for name in names if target.exec_driver_sql(f'SELECT 1 FROM "{name}" LIMIT 1').first()]
    if filled:
        url = target.engine.url.render_as_string(hide_password=True)
        message = f"{url} is not empty ({', '.join(filled)}): restore into a new database"
        raise Error(message, field="database", value=url)
    if version_of(target) not in (None, version):
        run_migrations(target, "base")
    run_migrations(target, version)


def copy_tables(source: Connection, target: Connection, label: str, progress: bool | None = None) -> dict[str, int]:
    """Copy all rows into empty tables of the same names, and return how many rows each table has."""
    metadata = sa.MetaData()
    metadata.reflect(target)
    tables = [table for table in metadata.sorted_tables if table.name != VERSION_TABLE]  # referenced tables come first
    total = sum(source.execute(select(sa.func.count()).select_from(table)).scalar_one() for table in tables)
    copied = Counter({table.name: 0 for table in tables})
    batches = ((table, rows) for table in tables for rows in _batches(source, table))
    for table, rows in track(batches, label, lambda: copied.total() / total, progress):
        _insert(target, table, rows)
        copied[table.name] += len(rows)
    for table in tables:
        if target.dialect.name == "postgresql" and "id" in table.primary_key:  # SQLite numbers the next row by itself
            name = target.dialect.identifier_preparer.quote(table.name)
            query = (
                f"SELECT setval(pg_get_serial_sequence(:name, 'id'), max(id)) FROM {name} HAVING max(id) IS NOT NULL"
            )
            target.execute(sa.text(query), {"name": name})
    return dict(copied)


def _batches(source: Connection, table: Table) -> Iterator[Rows]:
    # Values stay as the driver returns them, so that they are copied unchanged.
    query = str(select(table).order_by(*table.primary_key).compile(source))
    size = SMALL_BATCHES.get(table.name, BATCH)
    with source.exec_driver_sql(query, execution_options={"stream_results": True, "yield_per": size}) as result:
        for rows in result.partitions(size):
            yield [tuple(row) for row in rows]


def _insert(target: Connection, table: Table, rows: Rows) -> None:
    if target.dialect.name == "sqlite":
        target.exec_driver_sql(str(sa.insert(table).compile(target)), rows)
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

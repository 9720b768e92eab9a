"""Migrations: upgrade a database to the schema of this version, and reject databases of other programs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from threading import Lock
from time import sleep

from sqlalchemy import Connection, Engine, inspect, text

from ...errors import Error

MIGRATIONS = Path(__file__).with_name("migrations")
VERSION_TABLE = "alembic_version"
CREATING = 0.5  # seconds to wait while another process creates the tables of a new file
_PREFIX = "prowess_"  # prefix that distinguishes our revisions from other programs' Alembic revisions
_LOCK_ID = 0x70726F77657373  # "prowess", for PostgreSQL's advisory locks
_ALEMBIC = Lock()  # Alembic's `op` is global to the process


def head() -> str:
    """Return the newest revision.

    >>> head() >= "prowess_0001"
    True
    """
    return _PREFIX + max(step.name[:4] for step in MIGRATIONS.glob("versions/[0-9]*.py"))


def migrate(engine: Engine) -> None:
    """Create the tables in an empty database, or upgrade tables of an older version, in one transaction.

    Several processes may call this at once: one of them migrates, and the others wait until the migration is done.

    >>> from sqlalchemy import create_engine, inspect
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     engine = create_engine(f"sqlite:///{folder}/league.db")
    ...     migrate(engine)
    ...     print(inspect(engine).has_table("journal"))
    ...     engine.dispose()
    True
    """
    with engine.connect() as connection:
        if version_of(connection) == head():
            return
    with engine.connect() as connection, connection.begin():
        lock_migrations(connection)
        check_version(connection)
        run_migrations(connection, "head")


def check_file(file: Path) -> None:
    """Raise `Error` if a SQLite file exists but has no tables, because its name may be mistyped or the file damaged."""
    for attempt in range(2):
        if not file.is_file() or _has_tables(file):
            return
        if not attempt:
            sleep(CREATING)  # another process may be creating it
    message = f"{file} exists but is empty: check the path; to start a new database in it, use prowess serve --create"
    raise Error(message, field="database", value=str(file))


def _has_tables(file: Path) -> bool:
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        try:
            return bool(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        except sqlite3.DatabaseError:  # not empty, but damaged or of another kind, which is reported later
            return True


def version_of(connection: Connection) -> str | None:
    """Return the schema revision of a database; None if it was never migrated.

    >>> from sqlalchemy import create_engine
    >>> with create_engine("sqlite://").connect() as connection:
    ...     print(version_of(connection))
    None
    """
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    version: str | None = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
    return version


def table_names(connection: Connection) -> list[str]:
    """Return the names of all tables except Alembic's."""
    return sorted(set(inspect(connection).get_table_names()) - {VERSION_TABLE})


def lock_migrations(connection: Connection) -> None:
    """Block other migrations until the current transaction ends. Call this at the very start of the transaction."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:id)"), {"id": _LOCK_ID})
        return
    if getattr(connection.connection.driver_connection, "in_transaction", False):
        connection.exec_driver_sql("ROLLBACK")  # the transaction may have begun without a lock; it has read nothing yet
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def run_migrations(connection: Connection, target: str) -> None:
    """Upgrade to a revision (or `head`), or downgrade to `base` (no tables), within the current transaction."""
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    script = ScriptDirectory(str(MIGRATIONS))

    def steps(revision: str | tuple[str, ...], _: MigrationContext) -> Iterable[object]:
        find_steps = script._downgrade_revs if target == "base" else script._upgrade_revs
        return find_steps(target, revision)  # type: ignore[arg-type]

    context = MigrationContext.configure(connection, opts={"fn": steps})
    with _ALEMBIC, Operations.context(context):
        context.run_migrations()


def check_version(connection: Connection, name: str = "") -> None:
    """Raise `Error` if another program or a newer prowess wrote the database; `name` is its name in the message."""
    name = name or connection.engine.url.render_as_string(hide_password=True)
    version = version_of(connection)
    tables = table_names(connection) if version is None else []
    if tables:
        some = ", ".join(tables[:3]) + (", …" if len(tables) > 3 else "")
        message = f"{name} has tables of another program ({some}): use a separate database"
    elif version is not None and not version.startswith(_PREFIX):
        message = f"{name} belongs to another program (version {version}): use a separate database"
    elif version is not None and version > head():
        message = f"{name} was written by a newer prowess (version {version}; this one supports {head()})"
        message += ": pip install --upgrade prowess"
    else:
        return
    raise Error(message, field="database", value=version)

"""Bring a database to the tables that this version of the program works with."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from threading import Lock

from sqlalchemy import Connection, Engine, inspect, text

from ...errors import Error

STEPS = Path(__file__).with_name("migrations")
VERSION = "alembic_version"  # the table in which Alembic keeps how far a database has come
_FAMILY = "prowess_"  # with which the names of our steps begin, so that those of other programs are told apart
_PLACE = 0x70726F77657373  # of PostgreSQL's advisory lock: a number that is nobody else's ("prowess")
_ONE_AT_A_TIME = Lock()  # Alembic's `op` is one for all threads of a process


def head() -> str:
    """The name of the newest step.

    >>> head() >= "prowess_0001"
    True
    """
    return _FAMILY + max(step.name[:4] for step in STEPS.glob("versions/[0-9]*.py"))


def migrate(engine: Engine) -> None:
    """Make the tables of an empty database, or bring those of an older version up to date, wholly or not at all.

    Any number of processes may do so at once: one works, the others wait and find it done.

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
        hold(connection)
        check_known(connection)
        go_to(connection, "head")


def version_of(connection: Connection) -> str | None:
    """The last step that a database has seen; None if there was none.

    >>> from sqlalchemy import create_engine
    >>> with create_engine("sqlite://").connect() as connection:
    ...     print(version_of(connection))
    None
    """
    if not inspect(connection).has_table(VERSION):
        return None
    found: str | None = connection.execute(text(f"SELECT version_num FROM {VERSION}")).scalar()
    return found


def table_names(connection: Connection) -> list[str]:
    """The tables of a database, but for that of Alembic."""
    return sorted(set(inspect(connection).get_table_names()) - {VERSION})


def hold(connection: Connection) -> None:
    """Hold off all others who would migrate, until the transaction that has just begun is over."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:place)"), {"place": _PLACE})
        return
    if getattr(connection.connection.driver_connection, "in_transaction", False):
        connection.exec_driver_sql("ROLLBACK")  # it may have begun without a lock, and has read nothing yet
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def go_to(connection: Connection, target: str) -> None:
    """Go the steps up to the `head` or to an earlier one, in this transaction; or back to `base`, without any table."""
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    script = ScriptDirectory(str(STEPS))

    def steps(revision: str | tuple[str, ...], _: MigrationContext) -> Iterable[object]:
        way = script._downgrade_revs if target == "base" else script._upgrade_revs
        return way(target, revision)  # type: ignore[arg-type]

    context = MigrationContext.configure(connection, opts={"fn": steps})
    with _ONE_AT_A_TIME, Operations.context(context):
        context.run_migrations()


def check_known(connection: Connection, name: str = "") -> None:
    """Leave alone what another program, or a newer version of this one, has written; `name` is the database's."""
    name = name or connection.engine.url.render_as_string(hide_password=True)
    found = version_of(connection)
    if found is None:
        others = table_names(connection)
        some = ", ".join(others[:3]) + (", …" if len(others) > 3 else "")
        if others:
            raise Error(f"{name} holds tables of another program ({some}): use a database of its own")
    elif not found.startswith(_FAMILY):
        raise Error(f"{name} belongs to another program (version {found}): use a database of its own")
    elif found > head():
        newer = f"was written by a newer prowess (version {found}; this one knows {head()})"
        raise Error(f"{name} {newer}: pip install --upgrade prowess")

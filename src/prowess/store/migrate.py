"""Bring a database to the tables that this version of the program works with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from sqlalchemy import Connection, Engine, inspect, text

from ..errors import Error

__all__ = ["STEPS", "head", "migrate", "version_of"]

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
    with _ONE_AT_A_TIME, engine.connect() as connection, _alone(connection):
        found = version_of(connection)
        if found is None:
            _check_empty(connection)
        else:
            _check_known(connection, found)
        _run(connection, "head")


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


@contextmanager
def _alone(connection: Connection) -> Iterator[None]:
    """A transaction that holds off all others who would migrate."""
    with connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:place)"), {"place": _PLACE})
        else:
            driver = connection.connection.driver_connection
            assert driver is not None
            if driver.in_transaction:  # begun without a lock: nothing was read in it yet
                driver.execute("ROLLBACK")
            driver.execute("BEGIN IMMEDIATE")
        yield


def _run(connection: Connection, target: str) -> None:
    """Go the steps up to a target, or down to it where it is `base`."""
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    script = ScriptDirectory(str(STEPS))

    def steps(revision: str | tuple[str, ...], _: MigrationContext) -> Iterable[object]:
        if target == "base":
            return script._downgrade_revs(target, revision)  # type: ignore[arg-type]
        return script._upgrade_revs(target, revision)  # type: ignore[arg-type]

    context = MigrationContext.configure(connection, opts={"fn": steps})
    with Operations.context(context):
        context.run_migrations()


def _check_empty(connection: Connection) -> None:
    """Tables of another program are left alone."""
    names = sorted(set(inspect(connection).get_table_names()) - {VERSION})
    if names:
        some = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
        raise Error(f"{_name(connection)} holds tables of another program ({some}): use a database of its own")


def _check_known(connection: Connection, found: str) -> None:
    """What another program, or a newer version of this one, has written is left alone."""
    if not found.startswith(_FAMILY):
        raise Error(f"{_name(connection)} belongs to another program (version {found}): use a database of its own")
    if found > head():
        newer = f"was written by a newer prowess (version {found}; this one knows {head()})"
        raise Error(f"{_name(connection)} {newer}: pip install --upgrade prowess")


def _name(connection: Connection) -> str:
    return connection.engine.url.render_as_string(hide_password=True)

"""The options --database and --create, and the function that opens the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...errors import Error
from ...optional import import_extra
from ...service.settings import Settings

if TYPE_CHECKING:
    from ...store.db.database import Database

DEFAULT_URL = Settings.database
AUTHOR = "command line"  # the actor in the audit log
PACKAGES = {"sqlalchemy": "SQLAlchemy", "alembic": "Alembic", "psycopg": "psycopg"}
URL_HELP = "Database with the leagues: a file, sqlite:///FILE, or postgresql://USER@HOST/NAME."
CREATE_HELP = "Create the database even if its file exists and is empty; a missing file is always created."
Create = Annotated[bool, typer.Option("--create", help=CREATE_HELP)]
Url = Annotated[str, typer.Option("--database", metavar="URL", envvar="PROWESS_DATABASE", help=URL_HELP)]


@contextmanager
def open_database(url: str, *, new: bool = False, create: bool = False) -> Iterator[Database]:
    """Open a database for the duration of a block.

    A missing SQLite file raises an `Error`, unless `new` is set. An SQLite file without tables raises an `Error`,
    unless `create` is set.
    """
    # Check first, because an import error deep inside the store would not say what to install.
    for module, package in PACKAGES.items():
        if find_spec(module) is None:
            import_extra(module, package, "service")
    from ...store.db.database import Database
    from ...store.db.migrate import check_file

    database = Database(url)
    file = database.url.database
    # SQLite would silently create an empty database for a mistyped file name.
    if not new and database.dialect == "sqlite" and not Path(str(file)).is_file():
        raise Error(f"{file}: database not found; give its address with --database URL or PROWESS_DATABASE")
    if database.dialect == "sqlite" and not create:
        check_file(Path(str(file)))
    try:
        yield database
    finally:
        database.close()

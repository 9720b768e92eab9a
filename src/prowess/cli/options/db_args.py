"""The database that the verbs of the service share."""

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

DEFAULT_URL = Settings.database  # that of `prowess serve`
COMMAND_LINE = "command line"  # who did it, in the audit log
PACKAGES = {"sqlalchemy": "SQLAlchemy", "alembic": "Alembic", "psycopg": "psycopg"}
Url = Annotated[
    str,
    typer.Option(
        "--database",
        metavar="URL",
        envvar="PROWESS_DATABASE",
        help="Where the leagues are: a file, sqlite:///FILE, or postgresql://USER@HOST/NAME.",
    ),
]


@contextmanager
def open_database(url: str, *, new: bool = False) -> Iterator[Database]:
    """A database as long as a verb needs it; one that is not there is made only where it may be `new`."""
    for module, package in PACKAGES.items():
        if find_spec(module) is None:
            import_extra(module, package, "service")
    from ...store.db.database import Database

    database = Database(url)
    file = database.url.database
    if not new and database.dialect == "sqlite" and not Path(str(file)).is_file():
        raise Error(f"{file}: there is no such database; --database URL, or PROWESS_DATABASE, says where it is")
    try:
        yield database
    finally:
        database.close()

"""How to begin: the command that makes the first key of a database."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

from ..store.database import Database

__all__ = ["key_command"]


def key_command(database: Database) -> str:
    """The command that makes a key which may do everything, in whatever folder it is run.

    >>> key_command(Database("sqlite:////tmp/league.db"))
    'prowess key create NAME --scope admin --database sqlite:////tmp/league.db'
    """
    url = database.url
    if database.dialect == "sqlite":
        url = url.set(database=str(Path(str(url.database)).absolute()))
    place = url.render_as_string(hide_password=True)
    return f"prowess key create NAME --scope admin --database {quote(place)}"

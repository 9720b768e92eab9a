"""How to begin: the command that makes the first key of a database."""

from __future__ import annotations

from shlex import quote

from ..store.database import Database

__all__ = ["key_command"]


def key_command(database: Database) -> str:
    """The command that makes a key which may do everything.

    >>> key_command(Database("sqlite:///league.db"))
    'prowess key create NAME --scope admin --database sqlite:///league.db'
    """
    place = database.url.render_as_string(hide_password=True)
    return f"prowess key create NAME --scope admin --database {quote(place)}"

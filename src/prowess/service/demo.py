"""A league to look at: the example league in a database, and a key that may do everything."""

from __future__ import annotations

from ..examples import example_league
from ..store import keys, leagues
from ..store.changes import Post
from ..store.database import Database
from ..store.errors import NotFound
from ..store.leagues import Settings
from ..store.writer import perform

__all__ = ["LEAGUE", "fill"]

LEAGUE = "demo"
SETTINGS = Settings(provisional_matches=25, inactive_days=14.0)  # so that some are provisional, and some inactive


def fill(database: Database) -> str:
    """Put the example league into a database, unless it is there, and make a key; gives the key.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/league.db")
    ...     database.migrate()
    ...     key = fill(database)
    ...     with database.reading() as connection:
    ...         print(keys.find(connection, key).scope, leagues.find(connection, LEAGUE).posted > 0)
    ...     database.close()
    admin True
    """
    with database.writing() as connection:
        try:
            empty = leagues.find(connection, LEAGUE).posted == 0
        except NotFound:
            leagues.create(connection, LEAGUE, title="An invented league", settings=SETTINGS, author=LEAGUE)
            empty = True
        _, secret = keys.create(connection, LEAGUE, "admin", author=LEAGUE)
    if empty:
        perform(database, Post(LEAGUE, example_league(), author=LEAGUE, reason="the example league"))
    return secret

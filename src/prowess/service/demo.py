"""The demo of `prowess serve --demo`: an example league and an admin key."""

from __future__ import annotations

from ..examples import example_league
from ..store import keys, leagues
from ..store.db.database import Database
from ..store.errors import NotFound
from ..store.leagues import Settings
from ..store.write.commands import Post
from ..store.write.writer import perform

LEAGUE = "demo"
SETTINGS = Settings(provisional_matches=25, inactive_days=14.0)  # some players are inactive


def fill_demo(database: Database) -> str:
    """Create the example league in a database unless it exists, and return a new admin key.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     database = Database(f"{folder}/league.db")
    ...     database.migrate()
    ...     key = fill_demo(database)
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

"""A database with two leagues, for the tests of readers."""

import pytest

from prowess.store import leagues
from prowess.store.db.database import Database
from prowess.store.leagues import Preset


@pytest.fixture
def database(sqlite_url):
    made = Database(sqlite_url)
    made.migrate()
    with made.writing() as connection:
        for name in ("chess", "go"):
            leagues.create(connection, name, model=Preset(), clock="number")
    yield made
    made.close()

"""Databases without tables, for the tests of migrations and backups."""

import pytest

from tests.postgres import fresh


@pytest.fixture
def postgres_url(postgres):
    """The URL of a new database without tables on the session's PostgreSQL server."""
    with fresh(postgres, migrated=False) as url:
        yield url


@pytest.fixture
def sqlite_url(tmp_path):
    """The URL of a database file that does not exist yet."""
    return f"sqlite:///{tmp_path / 'prowess.db'}"

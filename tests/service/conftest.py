"""Fixtures for the tests of the service."""

from itertools import count

import pytest

from tests.service.app_client import served

_NUMBERS = count(1)


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """A service that the tests of a module share; each test creates its own league."""
    with served(f"sqlite:///{tmp_path_factory.mktemp('service') / 'prowess.db'}") as client:
        yield client


@pytest.fixture
def league(ask):
    """The API path of a new league."""
    name = f"league-{next(_NUMBERS)}"
    ask.create_league(name)
    return f"/api/leagues/{name}"

"""Fixtures for the tests of the service."""

from itertools import count

import pytest

from prowess.service.background import hindsights
from prowess.service.pages import player
from tests.service.app_client import served

_NUMBERS = count(1)


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """A service that the tests of a module share; each test creates its own league."""
    with served(f"sqlite:///{tmp_path_factory.mktemp('service') / 'prowess.db'}") as client:
        yield client


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """Let requests wait for hindsights as long as it takes on a busy machine."""
    monkeypatch.setattr(hindsights, "PATIENCE", 60.0)
    monkeypatch.setattr(player, "PATIENCE", 60.0)


@pytest.fixture
def league(ask):
    """The API path of a new league."""
    name = f"league-{next(_NUMBERS)}"
    ask.create_league(name)
    return f"/api/leagues/{name}"

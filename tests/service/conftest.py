"""What the tests of the service share."""

from itertools import count

import pytest

from tests.service.asking import served

_NUMBERS = count(1)


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """A service, which the tests of a module share: each has a league of its own."""
    with served(f"sqlite:///{tmp_path_factory.mktemp('service') / 'prowess.db'}") as asking:
        yield asking


@pytest.fixture
def league(ask):
    """The path of a new league."""
    name = f"league-{next(_NUMBERS)}"
    ask.found(name)
    return f"/api/leagues/{name}"

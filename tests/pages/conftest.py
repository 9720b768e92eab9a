"""What the tests of the pages share."""

import pytest

from tests.pages.looking import looked


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """A service, which the tests of a module share: each has a league of its own."""
    with looked(f"sqlite:///{tmp_path_factory.mktemp('pages') / 'prowess.db'}") as asking:
        yield asking

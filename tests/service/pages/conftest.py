"""What the tests of the pages share."""

from contextlib import ExitStack
from functools import cache

import pytest

from tests.service.pages.page_client import serve_pages


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """A service, which the tests of a module share: each has a league of its own."""
    with serve_pages(f"sqlite:///{tmp_path_factory.mktemp('pages') / 'prowess.db'}") as asking:
        yield asking


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """A running service with the demo league and one of odd names, for tests that change nothing."""
    from tests.service.pages.browser import site

    with site(tmp_path_factory.mktemp("site")) as found:
        yield found


@pytest.fixture(scope="module")
def chromium():
    """A browser; a module's own, because other tests of this process could run no event loop beside it."""
    from tests.service.pages.browser import browser

    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def visit_as(chromium, demo):
    """Somebody who looks at the demo site in a certain way; the tests of a module share her, page by page."""
    from tests.service.pages.browser import visiting

    with ExitStack() as stack:

        @cache
        def found(**how):
            return stack.enter_context(visiting(chromium, demo, allowed=(404, 422), **how))

        yield found

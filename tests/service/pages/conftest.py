"""Fixtures for the tests of the pages."""

from contextlib import ExitStack
from functools import cache

import pytest

from tests.service.pages.page_client import serve_pages


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """A service that the tests of a module share; each test creates its own league."""
    with serve_pages(f"sqlite:///{tmp_path_factory.mktemp('pages') / 'prowess.db'}") as asking:
        yield asking


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """A running service with the demo league and a league with unusual names, for read-only tests."""
    from tests.service.pages.browser import site

    with site(tmp_path_factory.mktemp("site")) as found:
        yield found


@pytest.fixture(scope="module")
def chromium():
    """A browser for one module; while it is open, no other event loop can run in this process."""
    from tests.service.pages.browser import browser

    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def visit_as(chromium, demo):
    """A function that visits the demo site with given browser options; a module reuses visits with equal options."""
    from tests.service.pages.browser import visiting

    with ExitStack() as stack:

        @cache
        def found(**how):
            return stack.enter_context(visiting(chromium, demo, allowed=(404, 422), **how))

        yield found

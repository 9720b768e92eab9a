"""Options and profiles of the whole suite."""

import os
import sys

import pytest
from hypothesis import HealthCheck, settings

SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile("default", max_examples=100, deadline=None, suppress_health_check=SLOW)
settings.register_profile("pure", max_examples=15, deadline=None, suppress_health_check=SLOW)


def pytest_addoption(parser):
    parser.addoption("--pure", action="store_true", help="run prowess uncompiled, from its sources, without Cython")


def pytest_configure(config):
    pure = config.getoption("--pure")
    settings.load_profile("pure" if pure else "default")
    if pure:
        from tests.pure import use_sources

        sys.modules["cython"] = None
        use_sources()
        import prowess

        assert prowess.kernel_mode() == "pure"


@pytest.fixture
def data():
    """The folder of real match histories that tests may read."""
    from pathlib import Path

    folder = os.environ.get("PROWESS_DATA")
    if folder and Path(folder).is_dir():
        return Path(folder)
    if os.environ.get("CI") == "true":
        pytest.fail("PROWESS_DATA must name the folder of match histories when CI=true")
    return pytest.skip("PROWESS_DATA does not name a folder")


@pytest.fixture(scope="session")
def postgres():
    """The URL of an empty database on a PostgreSQL server of the tests' own."""
    from tests.postgres import server

    with server() as url:
        yield url

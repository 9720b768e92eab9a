"""Options, Hypothesis profiles and fixtures for all tests."""

import os
import shutil
import sys
import tempfile

import pytest
from hypothesis import HealthCheck, settings

MEMORY = "/dev/shm"  # a folder in memory, on systems that have it
ENOUGH = 4 * 2**30  # bytes for temporary files
if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH:
    os.environ["TMPDIR"] = MEMORY  # on a disk, each commit to a database takes milliseconds
    tempfile.tempdir = None  # forget a folder that was chosen before
if "PYTEST_XDIST_WORKER" in os.environ:  # every core has a test process, so threads would only slow each other down
    os.environ |= {"POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
EXAMPLES = {"default": 40, "pure": 10, "thorough": 400}
for name, examples in EXAMPLES.items():
    settings.register_profile(name, max_examples=examples, deadline=None, suppress_health_check=SLOW)


def pytest_addoption(parser):
    parser.addoption("--pure", action="store_true", help="run prowess uncompiled, from its sources, without Cython")
    parser.addoption("--thorough", action="store_true", help="let Hypothesis try ten times as many examples")


def pytest_configure(config):
    pure = config.getoption("--pure")
    settings.load_profile("pure" if pure else "thorough" if config.getoption("--thorough") else "default")
    if pure:
        from tests.pure import use_sources

        sys.modules["cython"] = None
        use_sources()
        import prowess

        assert prowess.kernel_mode() == "pure"


def pytest_collection_modifyitems(config, items):
    """Skip tests that compare compiled with uncompiled code if nothing is compiled."""
    alone = [item for item in items if config.getoption("--pure") and item.name.startswith("test_both_modes")]
    if alone:
        config.hook.pytest_deselected(items=alone)
        items[:] = [item for item in items if item not in alone]


@pytest.fixture
def data():
    """The folder of real match histories that tests may read."""
    from pathlib import Path

    folder = os.environ.get("PROWESS_DATA")
    if folder and Path(folder).is_dir():
        return Path(folder).resolve()  # absolute, because a test may link to its files or change the working directory
    if os.environ.get("CI") == "true":
        pytest.fail("PROWESS_DATA must name the folder of match histories when CI=true")
    return pytest.skip("PROWESS_DATA does not name a folder")


@pytest.fixture
def on_disk(tmp_path_factory, monkeypatch):
    """Make `prowess doctor` believe that all files are on a disk; the files of the tests are usually in memory."""
    from prowess.service import doctor

    mounts = tmp_path_factory.mktemp("mounts") / "mountinfo"
    mounts.write_text("22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n")
    monkeypatch.setattr(doctor, "MOUNTS", mounts)


@pytest.fixture(scope="session")
def postgres():
    """The URL of an empty database on a PostgreSQL server started for the tests."""
    from tests.postgres import server

    with server() as url:
        yield url


@pytest.fixture
def postgres_url(postgres):
    """The URL of a new database on the session's PostgreSQL server, with tables and without rows."""
    from tests.postgres import fresh

    with fresh(postgres) as url:
        yield url


@pytest.fixture
def sqlite_url(tmp_path):
    """The URL of a new database file, with tables and without rows."""
    from tests.sqlite import copy_empty

    return copy_empty(tmp_path / "prowess.db")


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request):
    """The URL of a new database, with tables and without rows, for each kind of database in turn."""
    return request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "postgres_url")

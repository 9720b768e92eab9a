"""Fixtures for the tests of the store."""

import pytest

from prowess.store.write import long_corrections


@pytest.fixture
def take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat every correction as long.

    Long corrections prepare their ratings outside of the writer, in small batches.
    """
    for name, value in (("MAX_SHORT", 0), ("CHUNK", 2), ("MAX_ROWS", 2), ("BREATH", 0.0)):
        monkeypatch.setattr(long_corrections, name, value)

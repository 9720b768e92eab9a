"""Fixtures of the store's tests."""

import pytest

from prowess.store.write import long_corrections


@pytest.fixture
def take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make all corrections prepare their ratings beside the writer, a few matches and ratings at a time."""
    for name, value in (("MAX_SHORT", 0), ("CHUNK", 2), ("MAX_ROWS", 2), ("BREATH", 0.0)):
        monkeypatch.setattr(long_corrections, name, value)

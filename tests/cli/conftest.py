"""Fixtures shared by the tests of the command line."""

from pathlib import Path

import pytest


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory for commands."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PROWESS_DATABASE", raising=False)
    return tmp_path

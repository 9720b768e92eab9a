"""Options that name the database: a mistyped path must not create a new database."""

from pathlib import Path

import pytest

from prowess.store.db import migrate
from tests.cli.running import run


@pytest.mark.parametrize("verb", [("key", "list"), ("key", "create", "boss"), ("backup", "copy"), ("doctor",)])
def test_empty_file_is_refused_as_a_database(here: Path, monkeypatch: pytest.MonkeyPatch, verb: tuple[str]) -> None:
    monkeypatch.setattr(migrate, "CREATING", 0.01)
    file = Path("typo.db")
    file.touch()
    result = run(*verb, "--database", "typo.db")
    assert result.exit_code == 1
    assert "typo.db exists but is empty: check the path" in result.stderr
    assert "--create" in result.stderr
    assert file.read_bytes() == b""


def test_create_option_turns_an_empty_file_into_a_database(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "CREATING", 0.01)
    Path("typo.db").touch()
    Path("games.csv").write_text("winner,loser\nann,bob\n")
    imported = ("import", "games.csv", "--league", "darts", "--database", "typo.db")
    assert run(*imported).exit_code == 1
    assert run(*imported, "--create").exit_code == 0
    assert run(*imported).exit_code == 0
    assert run("key", "create", "boss", "--database", "missing.db").exit_code == 0, "a missing file is created"

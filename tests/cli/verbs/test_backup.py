"""`prowess backup` and `prowess restore`: their output, and the files that they refuse."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.running import run


def test_restored_database_has_the_content_of_the_backup(here: Path) -> None:
    run("key", "create", "phone")
    first = run("backup", "copy.bak")
    assert (first.exit_code, first.stdout) == (0, "")
    assert first.stderr == "wrote copy.bak: 0 leagues, 0 match revisions, 1 key\n"
    said = json.loads(run("backup", "copy.bak", "--json", "-q").stdout)
    assert said["file"] == "copy.bak"
    assert said["bytes"] == (here / "copy.bak").stat().st_size
    assert said["rows"]["key"] == 1
    again = run("restore", "copy.bak", "--database", "again.db")
    assert again.stderr == "restored copy.bak into sqlite:///again.db: 0 leagues, 0 match revisions, 1 key\n"
    assert run("key", "list", "--json").stdout == run("key", "list", "--json", "--database", "again.db").stdout
    for words, what in (
        (("restore", "copy.bak"), "error: sqlite:///prowess.db is not empty (audit, key): restore into a new database"),
        (("backup", "prowess.db"), "error: prowess.db: already exists and is not a backup: choose another name"),
        (("restore", "gone.bak", "--database", "new.db"), "error: gone.bak: not found"),
    ):
        result = run(*words)
        assert (result.exit_code, result.stderr) == (1, what + "\n")
    assert not (here / "new.db").exists()


@pytest.mark.parametrize("module", ["sqlalchemy", "alembic", "psycopg"])
def test_backup_without_the_service_packages_says_what_to_install(
    here: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    result = run("backup", "copy")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: this needs ")
    assert result.stderr.endswith(", which is not installed: pip install 'prowess[service]'\n")

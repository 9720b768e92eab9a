"""`prowess doctor`: its output, its exit codes, and `--repair`."""

import json
import os
import sqlite3
from pathlib import Path

import pytest

from tests.cli.running import LEAGUE, ruled, run


@pytest.fixture
def league(here: Path, on_disk: None) -> Path:
    """A database with a league and an admin key."""
    assert run("import", LEAGUE, "--league", "darts").exit_code == 0
    assert run("key", "create", "boss", "--scope", "admin").exit_code == 0
    file = here / "prowess.db"
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE key SET expires_at = created_at + 86400")
    connection.close()
    for path in here.glob("prowess.db*"):
        path.chmod(0o600)
    return file


def statuses(*words: object) -> dict[str, str]:
    return {check["name"]: check["status"] for check in json.loads(run("doctor", "--json", *words).stdout)["checks"]}


def damage(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE rating SET state = zeroblob(length(state)) WHERE player = 'Ada'")
    connection.close()


def test_doctor_finds_no_problems_in_a_healthy_service(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("PROWESS_CONNECTION_LIMIT", "100")
    result = run("doctor")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "✓ ratings" in result.stdout
    assert result.stdout.rstrip().endswith("No problems.")
    assert set(statuses().values()) == {"ok"}
    shown = ruled("doctor", columns=60)
    assert max(map(len, shown.splitlines())) <= 60


def test_doctor_exits_with_code_1_for_problems_and_0_for_warnings(league: Path) -> None:
    assert run("doctor", "--cors-origins", "*").exit_code == 0
    result = run("doctor", "--cors-origins", "*", PROWESS_RATE_LIMIT="0")
    assert result.exit_code == 1
    assert "! cors " in result.stdout
    assert "✗ limits " in result.stdout
    assert "1 problem, " in result.stdout
    assert run("doctor", "--database", "nofile.db").stderr.startswith("error: nofile.db: database not found")


def test_doctor_repair_rates_a_league_with_wrong_ratings_again(league: Path) -> None:
    damage(league)
    result = run("doctor")
    assert result.exit_code == 1
    assert "darts: 1 rating of 24 differs from a replay of the journal (Ada)." in result.stdout
    repaired = run("doctor", "--repair")
    assert (repaired.exit_code, repaired.stderr) == (0, "darts: rated all matches again\n")
    assert statuses()["ratings"] == "ok"
    assert "rated" not in run("doctor", "--repair").stderr


def test_doctor_checks_the_latest_backup(league: Path, here: Path) -> None:
    (here / "notes.txt").touch()
    assert statuses("--backups", "missing")["backup"] == "problem"
    assert statuses("--backups", here)["backup"] == "problem"
    run("backup", "old.backup")
    os.utime("old.backup", (0, 0))
    assert statuses("--backups", here)["backup"] == "problem"
    run("backup", "new.backup")
    assert statuses("--backups", here)["backup"] == "ok"
    whole = Path("new.backup").read_bytes()
    Path("new.backup").write_bytes(whole[: len(whole) // 2])
    assert statuses("--backups", here)["backup"] == "problem"


def test_doctor_reports_a_database_of_a_newer_version_without_further_checks(league: Path) -> None:
    with sqlite3.connect(league) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'prowess_9999'")
    connection.close()
    found = statuses()
    assert found["version"] == "problem"
    assert not {"keys", "journal", "ratings"} & set(found)


def test_doctor_reports_a_file_that_is_not_a_database(here: Path) -> None:
    (here / "prowess.db").write_text("not a database at all" * 99)
    result = run("doctor")
    assert result.exit_code == 1
    assert "The database cannot be read: file is not a database." in result.stdout

"""`prowess league`: its output, and its changes to the database."""

import json
from pathlib import Path

import pytest

from prowess.store import audit, leagues
from prowess.store.db.database import Database
from tests.cli.running import run


@pytest.fixture
def database(here: Path):
    made = Database("prowess.db")
    made.migrate()
    with made.writing() as connection:
        leagues.create(connection, "darts", title="Tuesday")
    yield made
    made.close()


def states():
    return {row["name"]: row["state"] for row in json.loads(run("league", "list", "--json").stdout)}


def test_league_command_can_rename_archive_and_delete_a_league(database):
    for words, said, state in (
        (("rename", "darts", "pub"), "renamed league 'darts' to 'pub'", {"pub": "active"}),
        (("archive", "pub"), "archived league 'pub'", {"pub": "archived"}),
        (("unarchive", "pub"), "unarchived league 'pub'", {"pub": "active"}),
        (("delete", "pub"), "deleted league 'pub'; until ", None),
        (("undelete", "pub"), "undeleted league 'pub'", {"pub": "active"}),
    ):
        result = run("league", *words)
        assert (result.exit_code, result.stdout) == (0, ""), result.output
        assert result.stderr.startswith(said)
        assert state is None or states() == state
    assert run("league", "archive", "darts").stderr == "error: league 'darts' is now named 'pub'\n"
    assert "Tuesday" in run("league", "list").stdout
    with database.reading() as connection:
        assert {entry.actor for entry in audit.list_entries(connection, 5)} == {"command line"}


def test_league_change_turns_automatic_model_switching_on_and_off(database):
    def setting():
        with database.reading() as connection:
            return leagues.find(connection, "darts").settings.auto_switch

    assert not setting()
    result = run("league", "change", "darts", "--auto-switch")
    assert result.stderr == "changed league 'darts': better models will replace its model\n"
    assert setting()
    assert run("league", "change", "darts", "--no-auto-switch").exit_code == 0
    assert not setting()
    result = run("league", "change", "darts")
    assert result.exit_code == 2
    assert "--auto-switch" in result.stderr


def test_purge_removes_deleted_leagues_after_their_grace_period(database):
    run("league", "delete", "darts")
    assert run("league", "purge").stderr == "removed 0 leagues\n"
    run("league", "undelete", "darts")
    run("league", "delete", "darts", "--grace", "0")
    result = run("league", "purge", "--json")
    assert json.loads(result.stdout) == {"removed": ["darts"]}
    assert result.stderr.endswith("removed 1 league: darts\n")
    assert states() == {}
    assert "no leagues; create one" in run("league", "list").stderr


def test_import_into_a_renamed_or_archived_league_is_refused(database, here: Path):
    (here / "new.csv").write_text("winner,loser,date\nann,bob,2026-01-01\n")
    run("league", "rename", "darts", "pub")
    assert "league 'darts' is now named 'pub'" in run("import", "new.csv", "--league", "darts").stderr
    run("league", "archive", "pub")
    assert "is archived, so it is read-only" in run("import", "new.csv", "--league", "pub").stderr

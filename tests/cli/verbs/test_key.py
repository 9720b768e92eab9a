"""`prowess key`: its output, and the database that it uses."""

import json
from pathlib import Path

from prowess.store import audit, keys, leagues
from prowess.store.db.database import Database
from tests.cli.running import ruled, run


def in_database(name: str = "prowess.db") -> Database:
    database = Database(name)
    database.migrate()
    return database


def test_key_create_prints_only_the_secret_on_standard_output(here: Path) -> None:
    result = run("key", "create", "phone")
    assert result.exit_code == 0, result.output
    secret = result.stdout.strip()
    assert result.stderr.startswith(
        "sqlite:///prowess.db: created key 1 (phone) with write access to all leagues; keep the secret"
    )
    database = in_database()
    with database.writing() as connection:
        found = keys.find(connection, secret)
        leagues.create(connection, "darts")
    assert found is not None
    assert (found.name, found.scope, found.league) == ("phone", "write", None)
    made = json.loads(run("key", "create", "ann", "--scope", "admin", "--league", "darts", "--json", "-q").stdout)
    assert (made["id"], made["scope"], made["league"], made["revoked"]) == (2, "admin", "darts", None)
    revoked = run("key", "revoke", 1)
    assert (revoked.exit_code, revoked.stdout, revoked.stderr) == (0, "", "revoked key 1 (phone)\n")
    with database.reading() as connection:
        assert keys.find(connection, secret) is None
        assert keys.find(connection, made["secret"]) == keys.list_keys(connection)[1]
        assert {entry.actor for entry in audit.list_entries(connection) if "key" in entry.action} == {"command line"}
    database.close()
    listed = json.loads(run("key", "list", "--json").stdout)
    assert [one["revoked"] is None for one in listed] == [False, True]
    assert not any(secret in repr(one) or "hash" in one for one in listed)


def test_key_list_fits_the_terminal(here: Path) -> None:
    in_database().close()
    assert run("key", "list").stderr == "no keys; create one with: prowess key create NAME\n"
    for name in ("李小龍 🎯", "\x1b[31mred", "a name that is much longer than all the others and goes on " * 2):
        assert run("key", "create", name, "--scope", "read").exit_code == 0
    shown = ruled("key", "list", columns=80)
    assert "\x1b" not in shown
    assert "李小龍 🎯" in shown
    assert max(map(len, shown.splitlines())) <= 80
    plain = run("key", "list").stdout.splitlines()
    assert plain[0].split() == ["id", "name", "scope", "league", "created", "used", "expires", "revoked"]
    assert len(plain) == 4


def test_key_command_takes_the_database_from_the_option_or_the_environment(here: Path) -> None:
    assert run("key", "create", "a", "--database", "sqlite:///one.db").exit_code == 0
    assert run("key", "create", "b", PROWESS_DATABASE="two.db").exit_code == 0
    assert sorted(one.name for one in here.glob("*.db")) == ["one.db", "two.db"]
    assert "b" in run("key", "list", "--database", "two.db").stdout.split()
    for words in (("key", "list"), ("key", "revoke", 1), ("backup", "copy")):
        result = run(*words)
        assert result.exit_code == 1
        assert result.stderr.startswith("error: prowess.db: database not found; give its address with --database URL")
    assert sorted(one.name for one in here.iterdir()) == ["one.db", "two.db"]


def test_wrong_usage_of_the_key_command_is_an_error(here: Path) -> None:
    result = run("key", "create", "a", "--scope", "root")
    assert result.exit_code == 2
    assert "must be one of read, write, admin" in result.output
    assert run("key", "create", "a", "--league", "darts").stderr == "error: no league named 'darts'\n"
    assert run("key", "revoke", 7).stderr == "error: key 7 not found\n"
    for words in (("key", "list", "--database", "mysql://x/y"), ("key", "list", "--database", "no/where.db")):
        result = run(*words)
        assert result.exit_code == 1
        assert len(result.stderr.splitlines()) == 1


def test_key_rotate_prints_only_the_new_secret(here: Path) -> None:
    first = run("key", "create", "phone", "--expires", "90d").stdout.strip()
    result = run("key", "rotate", 1, "--grace", "1h")
    second = result.stdout.strip()
    assert result.stderr == "rotated key 1 (phone); the old secret works for 1h more\n"
    cut = run("key", "rotate", 1, "--grace", "0")
    assert cut.stderr == "rotated key 1 (phone); the old secret no longer works\n"
    database = in_database()
    with database.reading() as connection:
        found = [keys.find(connection, secret) for secret in (first, second, cut.stdout.strip())]
    database.close()
    assert [key is not None for key in found] == [False, False, True]
    [row] = json.loads(run("key", "list", "--json").stdout)
    assert (row["used"], row["expires"] is not None) == (None, True)
    for words in (("create", "a", "--expires", "soon"), ("rotate", 1, "--grace", "31d"), ("rotate", 7)):
        assert run("key", *words).exit_code == 1


def test_revoking_the_last_admin_key_prints_a_note(here: Path) -> None:
    run("key", "create", "boss", "--scope", "admin")
    result = run("key", "revoke", 1)
    assert result.exit_code == 0
    assert (
        "this was the last admin key for all leagues; create another: prowess key create NAME --scope admin"
        in result.stderr
    )

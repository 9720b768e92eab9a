"""Keys: permissions, hashed secrets, and changes in the audit log."""

from hashlib import sha256

import pytest
from sqlalchemy import text

import prowess as pw
from prowess.store import audit, keys, leagues
from prowess.store.db.database import Database
from prowess.store.errors import NotFound


@pytest.fixture
def database(database_url):
    made = Database(database_url)
    made.migrate()
    with made.writing() as connection:
        leagues.create(connection, "chess", author="test")
        leagues.create(connection, "darts", author="test")
    yield made
    made.close()


def test_only_the_hash_of_a_secret_is_stored(database):
    with database.writing() as connection:
        made, secret = keys.create(connection, "phone", "write", "darts")
        _, other = keys.create(connection, "phone", "write", "darts")
    assert secret != other
    assert secret.startswith("pw_")
    assert len(secret) == 3 + 43
    with database.reading() as connection:
        assert keys.find(connection, secret) == made
        assert keys.find(connection, secret + "x") is None
        assert keys.find(connection, "") is None
        rows = [connection.execute(text(f'SELECT * FROM "{name}"')).all() for name in ("key", "audit")]
    kept = repr(rows).encode() + b"".join(bytes(row.hash) for row in rows[0])
    assert secret.encode() not in kept
    assert secret[3:].encode() not in kept
    assert bytes(rows[0][0].hash) == sha256(secret.encode()).digest()


def test_scope_and_league_limit_a_key(database):
    """Compare every scope of every kind of key with a table written by hand."""
    with database.writing() as connection:
        chess, darts = (leagues.find(connection, name).id for name in ("chess", "darts"))
        made = {
            (scope, of): keys.create(connection, "x", scope, of)[0]
            for scope in ("read", "write", "admin")
            for of in (None, "chess")
        }
    below = {"read": {"read"}, "write": {"read", "write"}, "admin": {"read", "write", "admin"}}
    for (scope, of), key in made.items():
        for asked in ("read", "write", "admin"):
            assert key.may(asked, chess) == (asked in below[scope])
            assert key.may(asked, darts) == (of is None and asked in below[scope])
            assert key.may(asked, None) == (of is None and asked in below[scope])


def test_revoked_key_is_not_found(database):
    with database.writing() as connection:
        made, secret = keys.create(connection, "phone", "admin", author="ann")
        kept, _ = keys.create(connection, "tablet", "read", "darts")
    with database.writing() as connection:
        gone = keys.revoke(connection, made.id, author="bob")
        assert keys.revoke(connection, made.id) == gone
    with database.reading() as connection:
        assert keys.find(connection, secret) is None
        assert keys.list_keys(connection) == [gone, kept]
        done = [entry for entry in audit.list_entries(connection) if "key" in entry.action]
    assert not gone.may("read", None)
    assert [(one.actor, one.action, one.league, one.detail) for one in done] == [
        ("bob", "revoke key", None, {"key": made.id, "name": "phone"}),
        ("", "create key", "darts", {"key": kept.id, "name": "tablet", "scope": "read"}),
        ("ann", "create key", None, {"key": made.id, "name": "phone", "scope": "admin"}),
    ]


def test_unknown_key_is_not_found(database):
    for id in (0, -1, 77, 2**63, 10**30):
        with pytest.raises(NotFound, match=f"key {id} not found"), database.writing() as connection:
            keys.revoke(connection, id)


WRONG = [
    ("", "read", None, "needs a name"),
    (" \n", "read", None, "needs a name"),
    ("x" * 201, "read", None, "needs a name"),
    ("a\0b", "read", None, "needs a name"),
    ("a\ud800", "read", None, "needs a name"),
    ("a", "root", None, "one of read, write, admin"),
    ("a", "read", "dart", "did you mean 'darts'"),
]


def test_invalid_names_and_scopes_are_refused(database):
    for name, scope, league, said in WRONG:
        with pytest.raises(pw.Error, match=said), database.writing() as connection:
            keys.create(connection, name, scope, league)
    with database.reading() as connection:
        assert keys.list_keys(connection) == []
        assert not any("key" in entry.action for entry in audit.list_entries(connection))


def test_audit_log_is_paged(database):
    with database.writing() as connection:
        for number in range(5):
            audit.write(connection, "ann", "count", detail=number, wörter="größer")
        first = audit.list_entries(connection, 3)
        then = audit.list_entries(connection, 3, first[-1].id)
    assert [one.detail["detail"] for one in (*first, *then) if one.action == "count"] == [4, 3, 2, 1, 0]
    assert first[0].detail["wörter"] == "größer"

"""Keys: permissions, hashed secrets, expiry, rotation, and entries in the audit log."""

from hashlib import sha256
from time import time

import pytest
from sqlalchemy import text

import prowess as pw
from prowess.store import audit, keys, leagues
from prowess.store.db.database import Database
from prowess.store.errors import Conflict, NotFound


@pytest.fixture
def database(database_url):
    made = Database(database_url)
    made.migrate()
    with made.writing() as connection:
        leagues.create(connection, "chess", author="test")
        leagues.create(connection, "darts", author="test")
    yield made
    made.close()


def test_only_the_hash_of_a_key_secret_is_stored(database):
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


def test_key_grants_only_permissions_within_its_scope_and_league(database):
    """Every scope includes the weaker scopes, and only keys for all leagues apply to other leagues."""
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


def test_revoked_key_is_not_found_by_its_secret_and_grants_nothing(database):
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


def test_revoking_an_unknown_key_raises_not_found(database):
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


def test_invalid_key_names_and_scopes_are_refused(database):
    for name, scope, league, said in WRONG:
        with pytest.raises(pw.Error, match=said), database.writing() as connection:
            keys.create(connection, name, scope, league)
    with database.reading() as connection:
        assert keys.list_keys(connection) == []
        assert not any("key" in entry.action for entry in audit.list_entries(connection))


def test_audit_log_is_returned_in_pages(database):
    with database.writing() as connection:
        for number in range(5):
            audit.write(connection, "ann", "count", detail=number, wörter="größer")
        first = audit.list_entries(connection, 3)
        then = audit.list_entries(connection, 3, first[-1].id)
    assert [one.detail["detail"] for one in (*first, *then) if one.action == "count"] == [4, 3, 2, 1, 0]
    assert first[0].detail["wörter"] == "größer"


def pass_time(monkeypatch, seconds):
    now = time()
    monkeypatch.setattr(keys, "time", lambda: now + seconds)


def test_expired_key_is_not_found_by_its_secret_and_grants_nothing(database, monkeypatch):
    with database.writing() as connection:
        made, secret = keys.create(connection, "guest", "admin", expires_at=time() + 3600)
        assert keys.find(connection, secret) == made
        assert made.may("admin", None)
    pass_time(monkeypatch, 3601)
    with database.reading() as connection:
        assert keys.find(connection, secret) is None
    assert not made.may("read", None)  # a cached key expires, too
    with pytest.raises(Conflict, match="is expired"), database.writing() as connection:
        keys.rotate(connection, made.id, 0)


@pytest.mark.parametrize(
    ("expires", "seconds"), [("", None), (" 90d ", 90 * 86_400), ("12 h", 12 * 3600), ("30m", 1800)]
)
def test_key_expiry_may_be_empty_or_a_duration(expires, seconds):
    found = keys.parse_expiry(expires)
    assert found is None if seconds is None else found == pytest.approx(time() + seconds, abs=5)


@pytest.mark.parametrize("expires", ["soon", "1y", "-3d", "2020-01-01", "0", "9" * 40])
def test_invalid_key_expiry_is_refused(expires):
    with pytest.raises(pw.Error) as refused:
        keys.parse_expiry(expires)
    assert refused.value.field == "expires"


def test_rotated_key_keeps_its_old_secret_for_a_while(database, monkeypatch):
    with database.writing() as connection:
        made, first = keys.create(connection, "phone", "write", "darts")
        rotated, second = keys.rotate(connection, made.id, 3600, author="ann")
        assert [keys.find(connection, secret) for secret in (first, second)] == [rotated, rotated]
        assert (rotated.id, rotated.scope, rotated.league) == (made.id, "write", "darts")
        assert rotated.old_until == pytest.approx(time() + 3600, abs=5)
        _, third = keys.rotate(connection, made.id, 600)
        assert [keys.find(connection, secret) is None for secret in (first, second, third)] == [True, False, False]
    pass_time(monkeypatch, 610)
    with database.writing() as connection:
        assert keys.find(connection, second) is None
        _, fourth = keys.rotate(connection, made.id, 0)
        assert [keys.find(connection, secret) is None for secret in (third, fourth)] == [True, False]
        entry = [entry for entry in audit.list_entries(connection) if entry.action == "rotate key"][-1]
        assert (entry.actor, entry.league, entry.detail["grace_hours"]) == ("ann", "darts", 1)
        keys.revoke(connection, made.id)
        assert keys.find(connection, fourth) is None
        with pytest.raises(Conflict, match="is revoked"):
            keys.rotate(connection, made.id, 0)
    for grace in (-1, 31 * 86_400, float("nan")):
        with pytest.raises(pw.Error, match="at most 30 more days"), database.writing() as connection:
            keys.rotate(connection, made.id, grace)


def test_revoking_the_last_admin_key_is_refused_if_keep_admin_is_set(database):
    with database.writing() as connection:
        first, _ = keys.create(connection, "boss", "admin")
        keys.create(connection, "guest", "admin", expires_at=time() - 1)
        keys.create(connection, "referee", "admin", "darts")
        keys.create(connection, "phone", "write")
        with pytest.raises(Conflict, match="'boss' is the last admin key"):
            keys.revoke(connection, first.id, keep_admin=True)
        second, _ = keys.create(connection, "deputy", "admin")
        assert not keys.revoke(connection, first.id, keep_admin=True).live
        # This is allowed without keep_admin, because the command line can create a new admin key.
        assert not keys.revoke(connection, second.id).live


def test_last_use_of_a_key_never_moves_back_in_time(database):
    with database.writing() as connection:
        ids = [keys.create(connection, name)[0].id for name in ("phone", "tablet")]
        keys.record_uses(connection, {ids[0]: 50.0, 77: 60.0})
        keys.record_uses(connection, {ids[0]: 40.0})
        assert [key.used_at for key in keys.list_keys(connection)] == [50.0, None]

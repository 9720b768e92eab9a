"""Keys over HTTP: admins manage their own league's keys, secrets are shown once, and expired keys are refused."""

import reprlib
from time import time

import pytest

from prowess.store import audit, keys

ALL = "/api/keys"


def find(ask, id):
    return next(key for key in ask.get(ALL).json()["keys"] if key["id"] == id)


def forget(ask):
    """Drop all cached keys, which would otherwise be used for up to a second."""
    ask.service.keys._entries.clear()


@pytest.fixture
def darts(ask, league):
    """The name of a new league, the API path of its keys, and the secret of its admin key."""
    name = league.rpartition("/")[2]
    return name, f"{league}/keys", ask.new_key("admin", name)


def test_new_key_works_and_its_secret_is_shown_only_once(ask, darts):
    name, path, _ = darts
    made = ask.post(ALL, {"name": " phone ", "league": name, "expires": "90d"}, status=201).json()
    assert (made["name"], made["scope"], made["league"], made["live"]) == ("phone", "write", name, True)
    assert made["expires_at"] is not None
    match = {"teams": [["ann"], ["bob"]]}
    ask.post(f"/api/leagues/{name}/matches", match, key=made["secret"], status=201)
    for listed in (ask.get(ALL), ask.get(path)):
        assert made["secret"] not in listed.text
        assert {key: value for key, value in made.items() if key != "secret"} in listed.json()["keys"]
    with ask.service.database.reading() as connection:
        entry = audit.list_entries(connection, 1)[0]
    assert (entry.actor, entry.action, entry.league) == ("office", "create key", name)


def test_revoked_key_stops_working(ask):
    made = ask.post(ALL, {"name": "x", "scope": "read"}, status=201).json()
    ask.get("/api/leagues", key=made["secret"])
    assert ask("DELETE", f"{ALL}/{made['id']}", status=200).json()["revoked_at"]
    assert ask("DELETE", f"{ALL}/{made['id']}", status=200).json()["live"] is False
    forget(ask)
    told = ask.get("/api/leagues", key=made["secret"], status=401).json()
    assert told["detail"].startswith("this key is unknown, revoked or expired")
    ask.post(f"{ALL}/{made['id']}/rotate", {}, status=409)
    ask("DELETE", f"{ALL}/999999", status=404)


def test_expired_key_is_refused_even_if_it_is_cached(ask, darts, monkeypatch):
    _, path, _ = darts
    made = ask.post(path, {"name": "guest", "scope": "admin", "expires": "30m"}, status=201).json()
    ask.get(path, key=made["secret"])
    now = time()
    monkeypatch.setattr(keys, "time", lambda: now + 1801)
    assert ask.service.keys.peek(made["secret"]) is not None
    ask.get(path, key=made["secret"], status=401)
    assert find(ask, made["id"])["live"] is False


def test_old_secret_of_a_rotated_key_works_only_during_the_grace_period(ask):
    made = ask.post(ALL, {"name": "game", "scope": "read"}, status=201).json()
    rotated = ask("POST", f"{ALL}/{made['id']}/rotate", status=200).json()
    assert rotated["old_secret_until"] is not None
    forget(ask)
    for secret in (made["secret"], rotated["secret"]):
        ask.get("/api/leagues", key=secret)
    cut = ask.post(f"{ALL}/{made['id']}/rotate", {"grace": "0"}, status=200).json()
    assert (cut["old_secret_until"], cut["id"]) == (None, made["id"])
    forget(ask)
    for secret in (made["secret"], rotated["secret"]):
        ask.get("/api/leagues", key=secret, status=401)
    ask.get("/api/leagues", key=cut["secret"])
    for grace in ("soon", "31d", "-1h"):
        ask.post(f"{ALL}/{made['id']}/rotate", {"grace": grace}, status=422)


def test_league_admin_can_manage_only_the_keys_of_that_league(ask, darts):
    name, path, admin = darts
    ask.create_league(f"{name}-b", public=False)
    other = ask.post(f"/api/leagues/{name}-b/keys", {"name": "theirs"}, status=201).json()
    everywhere = ask.post(ALL, {"name": "everywhere"}, status=201).json()
    mine = ask.post(path, {"name": "mine", "scope": "admin"}, key=admin, status=201).json()
    assert mine["league"] == name
    assert [key["name"] for key in ask.get(path, key=admin).json()["keys"]] == ["admin", "mine"]
    ask.post(path, {"name": "x", "league": f"{name}-b"}, key=admin, status=422)
    for id in (other["id"], everywhere["id"]):
        ask("DELETE", f"{path}/{id}", key=admin, status=404)
        ask("POST", f"{path}/{id}/rotate", key=admin, status=404)
        assert find(ask, id)["live"]
    for method, place in (("GET", ALL), ("POST", ALL), ("DELETE", f"{ALL}/{mine['id']}")):
        ask(method, place, key=admin, json={"name": "x"} if method == "POST" else None, status=403)
    ask.get(f"/api/leagues/{name}-b/keys", key=admin, status=404)
    for scope in ("read", "write"):
        ask.get(path, key=ask.new_key(scope, name), status=403)
    ask.get(path, key=None, status=401)


def test_expiring_admin_key_cannot_create_a_key_that_expires_later(ask, darts):
    """A temporary admin must not get permanent access by creating a new key or by rotating another key."""
    _, path, admin = darts
    guest = ask.post(path, {"name": "guest", "scope": "admin", "expires": "12h"}, key=admin, status=201).json()
    for expires in ("", "13h", "2999-01-01"):
        refused = ask.post(path, {"name": "x", "expires": expires}, key=guest["secret"], status=422).json()
        assert refused["errors"][0]["field"] == "expires"
    ask.post(path, {"name": "helper", "expires": "11h"}, key=guest["secret"], status=201)
    lasting = ask.get(path, key=admin).json()["keys"][0]
    ask("POST", f"{path}/{lasting['id']}/rotate", key=guest["secret"], status=403)
    ask("POST", f"{path}/{guest['id']}/rotate", key=guest["secret"], status=200)


def test_last_admin_key_for_all_leagues_cannot_be_revoked(ask):
    admins = [key for key in ask.get(ALL).json()["keys"] if key["scope"] == "admin" and key["league"] is None]
    [office] = [key for key in admins if key["live"]]
    refused = ask("DELETE", f"{ALL}/{office['id']}", status=409).json()
    assert "'office' is the last admin key for all leagues: create another one" in refused["detail"]
    ask.get(ALL)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": " "}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "a", "scope": "root"}, "scope"),
        ({"name": "a", "expires": "tomorrow"}, "expires"),
        ({"name": "a", "expires": "2020-01-01"}, "expires"),
        ({"name": "a", "league": "No Good"}, "league"),
        ({"name": "a", "secret": "mine"}, "secret"),
    ],
    ids=reprlib.repr,
)
def test_key_with_an_invalid_field_is_not_created(ask, body, field):
    before = ask.get(ALL).json()
    refused = ask.post(ALL, body, status=422).json()
    assert refused["errors"][0]["field"] == field
    assert ask.get(ALL).json() == before


def test_error_for_a_missing_key_names_the_command_that_creates_one(ask, darts):
    name, path, _ = darts
    for place, command in (
        (ALL, "prowess key create NAME --scope admin"),
        (path, f"prowess key create NAME --scope admin --league {name}"),
    ):
        for key, status in ((None, 401), (ask.new_key("write", name), 403)):
            assert f"`{command}` creates" in ask.get(place, key=key, status=status).json()["detail"]
    told = ask.post(f"/api/leagues/{name}/matches", {"teams": [["a"], ["b"]]}, key=None, status=401).json()
    assert f"`prowess key create NAME --league {name}` creates" in told["detail"]

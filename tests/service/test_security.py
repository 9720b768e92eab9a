"""Who may do what, against the rules written down once more."""

import asyncio

import pytest

from prowess.service.concurrency import TtlCache
from prowess.store import keys
from tests.service.running import SCOPES, bearing, filled, service


def allowed(key, scope, league):
    """Whether a key `scope@league` may do something: each scope may do what those before it may."""
    if key is None:
        return scope == "read" and league == "open"
    has, _, of = key.partition("@")
    strong = SCOPES.index(has) >= SCOPES.index(scope) and of in ("*", league)
    return strong or (scope == "read" and league == "open")


def expected(key, scope, league):
    if allowed(key, scope, league):
        return 200
    if key is None and scope != "read":
        return 401
    return 403 if allowed(key, "read", league) else 404


def test_every_key_does_what_its_scope_and_league_allow_and_nothing_else(tmp_path):
    with service(tmp_path) as (client, app):
        secrets = filled(app)
        for key in (None, *secrets):
            for league in ("open", "closed"):
                for scope in SCOPES:
                    found = client.post(f"/api/leagues/{league}/{scope}", headers=bearing(secrets.get(key)))
                    assert found.status_code == expected(key, scope, league), (key, scope, league)
                    if found.status_code == 200:
                        assert found.json() == {"league": league, "author": key or ""}
            for scope in SCOPES:
                found = client.post(f"/probe/everywhere/{scope}", headers=bearing(secrets.get(key)))
                good = key is not None and key.endswith("@*") and SCOPES.index(key[:-2]) >= SCOPES.index(scope)
                assert found.status_code == (200 if good else 401 if key is None else 403), (key, scope)


def test_a_private_league_looks_as_if_it_were_not_there(tmp_path):
    with service(tmp_path) as (client, app):
        stranger = bearing(filled(app)["admin@open"])
        for headers in ({}, stranger):
            hidden = client.post("/api/leagues/closed/read", headers=headers).json()
            missing = client.post("/api/leagues/nowhere/read", headers=headers).json()
            assert hidden.pop("request_id") != missing.pop("request_id")
            assert hidden == {**missing, "detail": missing["detail"].replace("nowhere", "closed")}


def test_an_unknown_key_is_refused_also_where_none_is_needed(tmp_path):
    with service(tmp_path) as (client, app):
        filled(app)
        long = b"Bearer " + 5_000 * b"x"
        for header in (b"Bearer nonsense", b"Bearer", b"Basic YTpi", b"nonsense", b"Bearer \xff", long):
            found = client.post("/api/leagues/open/read", headers={"Authorization": header})
            assert found.status_code == 401
            assert found.headers["www-authenticate"] == "Bearer"
            assert client.get("/healthz", headers={"Authorization": header}).status_code == 200
        assert max(map(len, app.state.service.keys._entries)) < 200, "what is too long is not kept in memory"


def test_a_revoked_key_is_forgotten_within_a_second(tmp_path):
    with service(tmp_path) as (client, app):
        secret = filled(app)["write@open"]
        assert client.post("/api/leagues/open/write", headers=bearing(secret)).status_code == 200
        here = app.state.service
        with here.database.writing() as connection:
            keys.revoke(connection, keys.find(connection, secret).id)
        here.keys._clock = lambda: 1e12  # a second later
        assert client.post("/api/leagues/open/write", headers=bearing(secret)).status_code == 401


def test_what_is_asked_at_once_is_looked_up_once():
    asked, now = [], [0.0]
    recent = TtlCache(lambda name: asked.append(name) or name.upper(), ttl=1.0, clock=lambda: now[0])

    async def ask():
        return await asyncio.gather(*(recent.get("ann") for _ in range(50)))

    assert set(asyncio.run(ask())) == {"ANN"}
    now[0] = 0.99
    assert asyncio.run(recent.get("ann")) == "ANN"
    assert asked == ["ann"]
    now[0] = 1.0
    asyncio.run(recent.get("ann"))
    assert asked == ["ann", "ann"]


def test_what_is_forgotten_while_it_is_looked_up_is_looked_up_again():
    answers = iter(["old", "new"])
    recent = TtlCache(lambda name: next(answers))

    async def ask():
        first = asyncio.ensure_future(recent.get("ann"))
        await asyncio.sleep(0)
        recent.invalidate("ann")
        return [await first, await recent.get("ann"), await recent.get("ann")]

    assert asyncio.run(ask()) == ["old", "new", "new"]


def test_an_error_is_not_remembered():
    tries = []

    def ask(name):
        tries.append(name)
        if len(tries) == 1:
            raise KeyError(name)
        return name

    recent = TtlCache(ask)
    with pytest.raises(KeyError):
        asyncio.run(recent.get("ann"))
    assert asyncio.run(recent.get("ann")) == "ann"

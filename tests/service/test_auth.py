"""Authentication and permissions agree with a second, independent implementation of the rules."""

from time import time

from prowess.service.auth import COOKIE
from prowess.store import keys
from tests.service.probe_app import SCOPES, bearing, filled, service


def allowed(key, scope, league):
    """Return whether a key, given as `scope@league`, grants a scope in a league; a scope includes all weaker ones."""
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


def test_key_allows_only_requests_within_its_scope_and_league(tmp_path):
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


def test_private_league_returns_404_without_access(tmp_path):
    with service(tmp_path) as (client, app):
        stranger = bearing(filled(app)["admin@open"])
        for headers in ({}, stranger):
            hidden = client.post("/api/leagues/closed/read", headers=headers).json()
            missing = client.post("/api/leagues/nowhere/read", headers=headers).json()
            assert hidden.pop("request_id") != missing.pop("request_id")
            assert hidden == {**missing, "detail": missing["detail"].replace("nowhere", "closed")}


def test_unknown_key_is_refused_even_where_no_key_is_needed(tmp_path):
    with service(tmp_path) as (client, app):
        filled(app)
        long = b"Bearer " + 5_000 * b"x"
        for header in (b"Bearer nonsense", b"Bearer", b"Basic YTpi", b"nonsense", b"Bearer \xff", long):
            found = client.post("/api/leagues/open/read", headers={"Authorization": header})
            assert found.status_code == 401
            assert found.headers["www-authenticate"] == "Bearer"
            assert client.get("/healthz", headers={"Authorization": header}).status_code == 200
        assert max(map(len, app.state.service.keys._entries)) < 200, "keys that are too long must not be cached"


def test_revoked_key_stops_working_within_a_second(tmp_path):
    with service(tmp_path) as (client, app):
        secret = filled(app)["write@open"]
        assert client.post("/api/leagues/open/write", headers=bearing(secret)).status_code == 200
        here = app.state.service
        with here.database.writing() as connection:
            keys.revoke(connection, keys.find(connection, secret).id)
        here.keys._clock = lambda: 1e12  # a second later
        assert client.post("/api/leagues/open/write", headers=bearing(secret)).status_code == 401


def test_expired_key_stops_working_at_once_even_if_it_is_cached(tmp_path, monkeypatch):
    with service(tmp_path) as (client, app):
        filled(app)
        now = time()
        with app.state.service.database.writing() as connection:
            _, secret = keys.create(connection, "guest", "read", "closed", expires_at=now + 60)
        app.state.service.keys._clock = lambda: 0.0  # the cache keeps all keys
        cookie = {"Cookie": f"{COOKIE}={secret}"}

        def ask():
            league = client.get("/api/leagues/closed", headers=bearing(secret))
            private, public = (client.get(f"/leagues/{name}/standings", headers=cookie) for name in ("closed", "open"))
            return league.status_code, private.status_code, "Sign out" in public.text

        assert ask() == (200, 200, True)
        monkeypatch.setattr(keys, "time", lambda: now + 61)
        assert ask() == (401, 404, False)

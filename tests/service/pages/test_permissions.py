"""Private leagues stay private, and keys are limited to their scope, on every page."""

import pytest
from fastapi.routing import APIRoute

from prowess.service.pages.charts import KINDS
from prowess.service.pages.routers import ROUTERS
from prowess.store import keys

ROUTES = [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]
ASKED = {"player": "?name=Zelda", "match": "?id=m1", "edit": "?id=m1", "delete": "?id=m1", "names": "?search=z"}
FILLED = {"id": "m1", "seen": "1", "once": "0" * 32, "title": "Forged", "what": "settings", "do": "record"}
FILLED |= {"name": "forged", "model": "Elo", "confirm": "1", "cancel": "1"}
NEEDS = {
    "enter": "write",
    "edit": "write",
    "delete": "write",
    "import": "write",
    "settings": "admin",
    "anonymise": "admin",
    "aliases": "admin",
    "keys": "admin",
    "switch": "admin",
}


def addresses(method, league):
    """Return the URLs of all pages of a league that accept an HTTP method."""
    for route in ROUTES:
        if method in route.methods and "{league}" in route.path:
            page = route.path.rpartition("/")[2].partition(".")[0]
            for kind in KINDS if "{kind}" in route.path else [""]:
                yield route.path.format(league=league, kind=kind, format="csv") + ASKED.get(page, "?name=Zelda")


@pytest.fixture(scope="module")
def secrets(ask):
    """Create a private league, and return keys with every kind of access to it."""
    ask.create_league("secret", public=False, title="Hush")
    ask.create_league("other")
    ask.post("/api/leagues/secret/matches", {"id": "m1", "teams": [["Zelda"], ["Yorick"]]}, status=201)
    revoked = ask.new_key("admin", "secret")
    with ask.service.database.writing() as connection:
        keys.revoke(connection, keys.find(connection, revoked).id)
    found = {scope: ask.new_key(scope, "secret") for scope in ("read", "write", "admin")}
    return found | {
        "without a key": None,
        "key of another league": ask.new_key("admin", "other"),
        "revoked key": revoked,
        "unknown key": "pw_wrong",
    }


STRANGERS = ["without a key", "key of another league", "revoked key", "unknown key"]


@pytest.mark.parametrize("who", STRANGERS)
def test_without_access_the_pages_of_a_private_league_look_like_those_of_a_missing_league(ask, secrets, who):
    ask.get("/leagues/secret/charts/curves.svg?name=Zelda")  # the chart is now cached
    asked = [("GET", *pair) for pair in zip(addresses("GET", "secret"), addresses("GET", "nowhere"), strict=True)]
    asked += [("POST", *pair) for pair in zip(addresses("POST", "secret"), addresses("POST", "nowhere"), strict=True)]
    for method, place, nowhere in asked:
        answers = []
        for one in (place, nowhere):
            page = one.partition("?")[0] if method == "POST" else one
            answers.append(
                ask.look(page, key=secrets[who]) if method == "GET" else ask.send(page, FILLED, key=secrets[who])
            )
        there, other = answers
        assert there.status_code in (404, 303, 401), (method, place, there.status_code)
        assert there.status_code == other.status_code, place
        plain = there.text.replace("secret", "nowhere").replace(there.headers["x-request-id"], "")
        assert plain == other.text.replace(other.headers["x-request-id"], ""), place
        assert "Yorick" not in there.text
        assert "Hush" not in there.text
        assert there.headers["cache-control"] == "no-store" or there.status_code == 303
        assert "etag" not in there.headers
    listed = [ask.look(f"/leagues{end}", key=secrets[who]).text for end in ("", ".json", ".csv")]
    assert not any("secret" in text or "Hush" in text for text in listed)


def test_pages_of_private_leagues_are_not_stored_in_shared_caches(ask, secrets):
    for place in addresses("GET", "secret"):
        page = ask.look(place, key=secrets["admin"])
        if page.status_code == 200 and "names" not in place:
            assert "Cookie" in page.headers["vary"], place
            assert "public" not in page.headers["cache-control"], place


def test_charts_become_private_when_their_league_becomes_private(ask):
    ask.create_league("turned")
    ask.post("/api/leagues/turned/matches", {"teams": [["Zelda"], ["Bob"]]}, status=201)
    charts = [f"/leagues/turned/charts/curves{end}?name=Zelda&revision=1" for end in (".svg", ".json")]
    tags = [ask.look(chart).headers["etag"] for chart in charts]
    ask("PATCH", "/api/leagues/turned", json={"public": False}, status=200)
    for chart, tag in zip(charts, tags, strict=True):
        assert ask.look(chart).status_code == 404
        assert ask.look(chart, headers={"If-None-Match": tag}).status_code == 404


@pytest.mark.parametrize("who", ["read", "write"])
def test_key_can_do_only_what_its_scope_allows(ask, secrets, who):
    before = ask.get("/api/leagues/secret").json()
    for route in ROUTES:
        page = route.path.rpartition("/")[2].partition(".")[0]
        needs = NEEDS.get(page, "write" if page == "models" and "POST" in route.methods else "read")
        if "{league}" not in route.path or "{kind}" in route.path or needs == "read":
            continue
        place = route.path.format(league="secret")
        if "GET" in route.methods:
            done = ask.look(place + ASKED.get(page, ""), key=secrets[who])
        elif who == "write" and needs == "write":
            continue
        else:
            done = ask.send(place, FILLED, key=secrets[who])
        allowed = who == needs
        assert (done.status_code == 403) is not allowed, (route.methods, place, done.status_code)
    assert ask.get("/api/leagues/secret").json() == before
    for method in (ask.look("/new", key=secrets["admin"]), ask.send("/new", FILLED, key=secrets["admin"])):
        assert method.status_code == 403  # the admin of a league cannot create another league


FORGED = [
    ({"Origin": "https://evil.example"}, {}),
    ({"Origin": "null"}, {}),
    ({"Origin": "http://[evil"}, {}),
    ({"Origin": ""}, {}),
    ({"Origin": "http://test.evil.example"}, {}),
    ({"Sec-Fetch-Site": "cross-site"}, {}),
    ({}, {"token": ""}),
    ({}, {"token": "é" * 64}),
    ({}, {"token": ["", ""]}),
]


@pytest.mark.parametrize(
    ("headers", "fields"),
    FORGED,
    ids=[
        "other origin",
        "null origin",
        "invalid origin",
        "empty origin",
        "origin that begins with our host",
        "cross-site",
        "empty token",
        "non-ASCII token",
        "two tokens",
    ],
)
def test_every_form_refuses_other_origins_and_wrong_tokens(ask, secrets, headers, fields):
    before = [ask.get(f"/api/leagues{league}").json() for league in ("", "/secret")]
    paths = [route.path.format(league="secret") for route in ROUTES if "POST" in route.methods]
    assert len(paths) > 8
    for path in paths:
        if path in ("/signin", "/signout") and not headers:
            continue  # signing in and out needs no token
        done = ask.send(path, FILLED | {"key": ask.admin} | fields, headers=headers)
        assert done.status_code == 403, path
        assert "set-cookie" not in done.headers
    assert [ask.get(f"/api/leagues{league}").json() for league in ("", "/secret")] == before


def test_get_requests_for_pages_change_nothing(ask, secrets):
    before = ask.get("/api/leagues/secret").json()
    for place in addresses("GET", "secret"):
        ask.look(f"{place}&confirm=1&do=record&cancel=1&title=Forged&what=season&model=Elo", key=secrets["admin"])
    assert ask.get("/api/leagues/secret").json() == before
    with ask.service.database.reading() as connection:
        assert [one.name for one in keys.list_keys(connection)].count("forged") == 0


COOKIES = [
    'theme={"dark": true, "x": [1, 2]}; prowess_key={}; other="',
    'a="unfinished; prowess_key={}',
    "=; ;;; prowess_key = {} ; ä=ö",
    'big="' + '\\"' * 20_000 + "; prowess_key={}",
    "$Version=1; prowess_key={}; $Path=/",
]


@pytest.mark.parametrize(
    "cookies", COOKIES, ids=["JSON value", "unclosed quote", "empty names", "large value", "old syntax"]
)
def test_unrelated_cookies_are_ignored(ask, cookies):
    sent = cookies.replace("{}", ask.admin, 1) if "{}" in cookies else cookies
    headers = {"Cookie": sent.encode("latin-1")}
    assert ask.look("/new", headers=headers).status_code == 200


def test_request_with_an_invalid_key_cookie_is_anonymous(ask):
    for secret in (b"\xff\xfe\xe4", b'"\\', b"x" * 60_000, b"", b"a b", b'"' + b'\\"' * 30_000 + b'"'):
        page = ask.look("/leagues", headers={"Cookie": b"prowess_key=" + secret})
        assert (page.status_code, "Sign in" in page.text) == (200, True)

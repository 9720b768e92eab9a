"""Signing in, and the protection of forms against other sites."""

from urllib.parse import urlencode

import pytest

from prowess.store import keys
from tests.service.pages.page_client import OURS, token

FIELDS = {"title": "Forged"}


def league_names(ask):
    return [one["name"] for one in ask.get("/api/leagues").json()["leagues"]]


def test_signing_in_stores_the_key_in_an_http_only_cookie(ask):
    done = ask.send("/signin", {"key": f" {ask.admin} ", "next": "/new"}, key=None)
    assert (done.status_code, done.headers["location"]) == (303, "/new")
    cookie = done.headers["set-cookie"]
    assert cookie.startswith(f"prowess_key={ask.admin};")
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie
    secure = ask.send("https://test/signin", {"key": ask.admin}, key=None, headers={"Origin": "https://test"})
    assert "Secure" in secure.headers["set-cookie"]
    out = ask.send("/signout", {})
    assert out.headers["set-cookie"].startswith('prowess_key="";')
    assert "Max-Age=0" in out.headers["set-cookie"]


@pytest.mark.parametrize("secret", ["", "pw_wrong", "x" * 300, "pw_ä", "<script>", "a\0b"])
def test_sign_in_page_reports_a_wrong_key(ask, secret):
    page = ask.send("/signin", {"key": secret, "next": "/new"}, key=None)
    assert page.status_code == 403
    assert "This key is unknown, was revoked or has expired" in page.text
    assert 'name="next" value="/new"' in page.text
    assert "set-cookie" not in page.headers


@pytest.mark.parametrize("place", ["//evil.example", "https://evil.example", "/\\evil.example", "/\t/evil", "x"])
def test_signing_in_redirects_only_to_pages_of_the_service(ask, place):
    assert ask.send("/signin", {"key": ask.admin, "next": place}, key=None).headers["location"] == "/"
    assert 'name="next" value="/"' in ask.look(f"/signin?{urlencode({'next': place})}").text


@pytest.mark.parametrize(
    ("headers", "fields"),
    [
        ({}, {"token": ""}),
        ({}, {"token": token("pw_other")}),
        ({"Origin": "https://evil.example"}, {}),
        ({"Origin": "null"}, {}),
        ({"Sec-Fetch-Site": "cross-site"}, {}),
        ({"Sec-Fetch-Site": "same-site"}, {}),
    ],
    ids=["empty token", "token of another key", "other origin", "null origin", "cross-site", "same-site"],
)
def test_form_from_another_origin_or_with_a_wrong_token_is_refused(ask, headers, fields):
    for path in ("/new", "/leagues/guarded/settings", "/leagues/guarded/import"):
        if "guarded" not in league_names(ask):
            ask.create_league("guarded")
        page = ask.send(path, FIELDS | fields, headers=headers)
        assert page.status_code == 403, path
    assert "forged" not in league_names(ask)
    assert ask.get("/api/leagues/guarded").json()["title"] == "guarded"


def test_form_without_origin_or_token_is_refused(ask):
    headers = {"Cookie": f"prowess_key={ask.admin}"}
    assert ask("POST", "/new", key=None, headers=headers, data=FIELDS | {"token": token(ask.admin)}).status_code == 403
    assert ask("POST", "/new", key=None, headers=headers | OURS, data=FIELDS).status_code == 403
    signed_out = ask.send("/new", FIELDS, key=None)
    assert (signed_out.status_code, "You are not signed in" in signed_out.text) == (401, True)
    for path in ("/signin", "/signout"):
        assert ask("POST", path, key=None, headers={"Origin": "https://evil.example"}).status_code == 403


def test_api_ignores_the_sign_in_cookie(ask):
    headers = {"Cookie": f"prowess_key={ask.admin}"}
    assert ask("POST", "/api/leagues", key=None, headers=headers, json={"name": "cookie"}).status_code == 401
    ask.create_league("hidden", public=False)
    assert ask("GET", "/api/leagues/hidden", key=None, headers=headers).status_code == 404


def test_visitor_with_a_revoked_key_must_sign_in_again(ask):
    secret = ask.new_key("admin")
    assert ask.look("/new", key=secret).status_code == 200
    with ask.service.database.writing() as connection:
        keys.revoke(connection, keys.find(connection, secret).id)
    ask.service.keys.invalidate(secret)  # otherwise the key would stay cached for up to a second
    assert ask.look("/new", key=secret).headers["location"] == "/signin?next=%2Fnew"
    assert ask.send("/new", FIELDS, key=secret).status_code == 401
    assert "Sign in" in ask.look("/leagues", key=secret).text  # public pages can still be read
    assert ask.send("/signin", {"key": secret}, key=secret).status_code == 403

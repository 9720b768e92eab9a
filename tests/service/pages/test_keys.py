"""The key pages for all leagues and for one league, and the forms that rename, archive and delete a league."""

import html
import re

import pytest

from tests.service.pages.page_client import words

FORM = {"what": "create", "name": "<b>phone</b>", "scope": "write", "expires": "90d"}


def secret_of(page):
    return html.unescape(re.search(r'<code id="secret">(.*?)</code>', page.text)[1])


@pytest.fixture(scope="module")
def darts(ask):
    ask.create_league("darts")
    return ask.new_key("admin", "darts")


@pytest.mark.parametrize("path", ["/keys", "/leagues/darts/keys"])
def test_key_can_be_created_rotated_and_revoked_on_a_page(ask, darts, path):
    league = {} if path.startswith("/leagues") else {"league": "darts"}
    page = ask.send(path, FORM | league)
    secret = secret_of(page)
    assert page.headers["cache-control"] == "no-store"
    assert "<b>phone</b>" not in page.text
    ask.post("/api/leagues/darts/matches", {"teams": [["ann"], ["bob"]]}, key=secret, status=201)
    assert secret not in ask.look(path, key=ask.admin).text
    id = ask.get(f"{path}.json").json()["keys"][-1]["id"]
    assert "Rotate" in words(ask.look(f"{path}?id={id}", key=ask.admin))
    rotated = ask.send(path, {"what": "rotate", "id": id, "grace": "1h"})
    assert secret_of(rotated) != secret
    assert "The old secret works until" in words(rotated)
    gone = ask.send(path, {"what": "revoke", "id": id})
    assert (gone.status_code, gone.headers["location"]) == (303, f"{path}?revoked={id}")
    assert "was revoked" in words(ask.look(gone.headers["location"], key=ask.admin))
    assert not ask.get(f"{path}.json").json()["keys"][-1]["live"]


def test_invalid_field_of_a_key_form_is_marked_and_all_input_is_kept(ask, darts):
    for fields, field in (({"expires": "soon"}, "expires"), ({"name": " "}, "name"), ({"league": "nowhere"}, "league")):
        page = ask.send("/keys", FORM | fields)
        assert page.status_code in (404, 422)
        assert re.search(rf'id="{field}"[^>]*aria-invalid="true"', page.text), field
        assert 'value="write" selected' in page.text
    assert ask.look("/keys?id=99999", key=ask.admin).status_code == 404
    office = next(key for key in ask.get("/api/keys").json()["keys"] if key["name"] == "office")
    refused = ask.send("/keys", {"what": "revoke", "id": office["id"]})
    assert "is the last admin key for all leagues" in words(refused)


def test_managing_keys_needs_an_admin_key_for_the_same_league(ask, darts):
    ask.create_league("chess", public=False)
    for path in ("/keys", "/leagues/chess/keys"):
        assert ask.look(path, key=darts).status_code in (403, 404)
        assert ask.send(path, FORM, key=darts).status_code in (403, 404)
    assert ask.look("/leagues/darts/keys", key=ask.new_key("write", "darts")).status_code == 403
    assert ask.send("/leagues/darts/keys", FORM, key=darts).status_code == 200
    theirs = ask.post("/api/leagues/chess/keys", {"name": "theirs"}, status=201).json()["id"]
    for what in ("rotate", "revoke"):
        assert ask.send("/leagues/darts/keys", {"what": what, "id": theirs}, key=darts).status_code == 404
    assert "theirs" not in ask.look("/leagues/darts/keys", key=darts).text
    assert "/leagues/darts/keys" in ask.look("/leagues/darts/settings", key=darts).text


@pytest.mark.parametrize(
    ("next", "command"),
    [
        ("/new", "prowess key create NAME --scope admin"),
        ("/keys", "prowess key create NAME --scope admin"),
        ("/leagues/darts/settings", "prowess key create NAME --scope admin --league darts"),
        ("/leagues/darts/enter", "prowess key create NAME --league darts"),
        ("/leagues", "prowess key create NAME"),
        ("/leagues/%22%3E/enter", "prowess key create NAME"),
    ],
)
def test_sign_in_page_shows_the_command_for_the_key_that_is_needed(ask, next, command):
    page = ask.look(f"/signin?next={next}")
    assert html.unescape(re.search("<pre><code>(.*?)</code></pre>", page.text)[1]) == command


def test_league_can_be_renamed_on_its_settings_page_and_redirects_from_its_old_name(ask):
    ask.create_league("first")
    path = "/leagues/first/settings"
    wrong = ask.send(path, {"what": "name", "name": "No Good"})
    assert (wrong.status_code, 'value="No Good"' in wrong.text) == (422, True)
    done = ask.send(path, {"what": "name", "name": "second"})
    assert done.headers["location"] == "/leagues/second/settings?done=name"
    assert "The league was renamed" in words(ask.look(done.headers["location"], key=ask.admin))
    for old in ("/leagues/first/standings?search=%20a", "/leagues/first"):
        moved = ask.look(old)
        assert (moved.status_code, moved.headers["location"]) == (308, old.replace("first", "second"))
    assert ask.send("/leagues/first/enter", {}).status_code == 308


def test_league_can_be_archived_and_unarchived_on_its_settings_page(ask):
    ask.create_league("shelf")
    path = "/leagues/shelf/settings"
    assert ask.send(path, {"what": "archive"}).status_code == 303
    page = ask.look("/leagues/shelf/standings", key=ask.admin)
    assert "This league is archived, so it is read-only" in words(page)
    assert "/leagues/shelf/enter" not in page.text
    assert "/leagues/shelf/standings" not in ask.look("/leagues").text
    assert "/leagues/shelf/standings" in ask.look("/leagues?show=archived").text
    assert "Archived leagues" in ask.look("/leagues").text
    assert ask.send(path, {"what": "unarchive"}).status_code == 303
    assert "archived" not in words(ask.look("/leagues/shelf/standings"))


def test_league_is_deleted_after_its_name_is_typed_and_can_be_restored(ask):
    ask.create_league("doomed")
    path = "/leagues/doomed/settings"
    for typed in ("", "doomd", "DOOMED"):
        page = ask.send(path, {"what": "delete", "confirm_name": typed})
        assert page.status_code == 422
        assert "Type doomed to confirm that you want" in words(page)
    assert ask.send(path, {"what": "delete", "confirm_name": " doomed "}).status_code == 303
    assert ask.look("/leagues/doomed/standings").status_code == 404
    assert "This league is deleted" in words(ask.look("/leagues/doomed/standings", key=ask.admin))
    page = ask.look(path, key=ask.admin)
    assert "Undelete the league" in page.text
    assert 'value="archive"' not in page.text
    assert "/leagues/doomed/settings#delete" in ask.look("/leagues?show=deleted", key=ask.admin).text
    done = ask.send(path, {"what": "undelete"})
    assert "The league was undeleted" in words(ask.look(done.headers["location"], key=ask.admin))
    assert ask.look("/leagues/doomed/standings").status_code == 200

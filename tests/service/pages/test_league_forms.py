"""The forms that create and change leagues keep all input if a field is invalid."""

import html
import re

import pytest

XSS = '"><script>alert(1)</script>'
MORE = {"model": "TrueSkill", "clock": "utc", "public": "on", "provisional_matches": "10", "inactive_days": "90"}


def league(ask, name):
    return ask.get(f"/api/leagues/{name}").json()


def alert(page):
    return html.unescape(re.search(r'role="alert"[^>]*>(.*?)</p>', page.text, re.S)[1])


def test_league_is_created_from_the_form(ask):
    done = ask.send("/new", MORE | {"title": "Žofie's Spaß", "name": ""})
    assert (done.status_code, done.headers["location"]) == (303, "/leagues/zofie-s-spass/import?founded=true")
    assert "The league was created" in ask.look(done.headers["location"], key=ask.admin).text
    told = league(ask, "zofie-s-spass")
    assert (told["title"], told["clock"], told["public"], told["model"]["name"]) == (
        "Žofie's Spaß",
        "utc",
        True,
        "TrueSkill",
    )
    fields = {"title": "R", "name": "rounds", "model": "Elo", "clock": "number"}
    assert ask.send("/new", fields | {"provisional_matches": "3", "inactive_days": "7,5"}).status_code == 303
    told = league(ask, "rounds")
    assert (told["clock"], told["public"], told["model"]["name"]) == ("number", False, "Elo")
    settings = {"provisional_matches": 3, "inactive_days": 7.5, "allow_future": False, "auto_switch": False}
    assert told["settings"] == settings | {"scale": [1500.0, 400.0], "ranking": None}


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"title": "", "name": ""}, "title", "Give the league a title"),
        ({"title": "T", "name": "No Good"}, "name", "lowercase letters"),
        ({"title": "T", "model": XSS}, "model", "script"),
        ({"title": "T", "clock": "sun"}, "clock", "must be one of utc, number, none"),
        ({"title": "T", "inactive_days": "-1"}, "inactive_days", "-1"),
        ({"title": "T", "provisional_matches": "2.5"}, "provisional_matches", "whole number"),
        ({"title": "x" * 501}, "title", "at most 500 characters"),
        ({"title": "Taken"}, "name", "already"),
    ],
)
def test_invalid_field_is_marked_and_all_input_is_kept(ask, fields, field, message):
    if fields["title"] == "Taken":
        ask.create_league("taken")
    page = ask.send("/new", MORE | {"name": "", "title": XSS} | fields)
    assert page.status_code == 422
    assert message.lower() in alert(page).lower()
    assert "<script>alert" not in page.text
    if field not in ("clock",):
        assert re.search(rf'id="{field}"[^>]*aria-invalid="true"', page.text)
    assert html.escape(fields["title"], quote=True).replace("&quot;", "&#34;") in page.text
    if fields["title"] == "Taken":
        assert 'value="taken"' in page.text


def test_creating_a_league_needs_a_global_admin_key(ask):
    ask.create_league("one")
    assert ask.look("/new").headers["location"] == "/signin?next=%2Fnew"
    for key in (ask.new_key("admin", "one"), ask.new_key("write")):
        page = ask.look("/new", key=key)
        assert (page.status_code, "in all leagues" in page.text) == (403, True)
        assert "Sign in with another key" in page.text
        assert ask.send("/new", MORE | {"title": "Mine"}, key=key).status_code == 403
    assert "mine" not in [one["name"] for one in ask.get("/api/leagues").json()["leagues"]]


def test_changing_settings_needs_an_admin_key_of_the_league(ask):
    ask.create_league("set")
    path, admin = "/leagues/set/settings", ask.new_key("admin", "set")
    assert ask.look(path, key=ask.new_key("write", "set")).status_code == 403
    assert ask.look(path, key=admin).status_code == 200
    fields = {"what": "settings", "title": XSS, "provisional_matches": "4", "inactive_days": "30"}
    assert ask.send(path, fields, key=admin).headers["location"] == f"{path}?done=settings"
    told = league(ask, "set")
    assert (told["title"], told["public"], told["settings"]["provisional_matches"]) == (XSS, False, 4)
    page = ask.look(f"{path}?done=settings", key=admin).text
    assert "Settings saved" in page
    assert "<script>alert" not in page
    assert ask.look("/leagues/set/standings").status_code == 404  # the league is private immediately
    wrong = ask.send(path, fields | {"inactive_days": "x", "title": "Kept"}, key=admin)
    assert (wrong.status_code, 'value="Kept"' in wrong.text) == (422, True)
    assert ask.get(f"{path}.json").json()["settings"]["inactive_days"] == 30


def test_new_season_is_previewed_before_it_is_created(ask):
    ask.create_league("year")
    ask.post("/api/leagues/year/matches", [{"teams": [["ann"], ["bob"]], "time": "2025-03-01"}], status=201)
    path = "/leagues/year/settings"
    fields = {"what": "season", "season": "2026", "start": "2026-01-01", "carry": "50"}
    before = ask.get("/api/leagues/year/leaderboard").json()["players"]
    page = ask.send(path, fields)
    assert page.text.count("/leagues/year/player?name=") == 2  # one link each for ann and bob
    assert league(ask, "year")["revision"] == 1
    done = ask.send(path, fields | {"confirm": "yes"})
    assert done.headers["location"] == f"{path}?done=season"
    assert [one["carry"] for one in ask.get(f"{path}.json").json()["seasons"]] == [0.5]
    after = ask.get("/api/leagues/year/leaderboard").json()["players"]
    assert abs(after[0]["mu"] - 25 - (before[0]["mu"] - 25) / 2) < 1e-9
    for wrong, field in (({"season": "2027", "carry": "120"}, "carry"), ({"start": "soon"}, "start"), ({}, "season")):
        page = ask.send(path, fields | wrong)
        assert page.status_code == 422
        assert re.search(rf'id="{field}"[^>]*aria-invalid="true"', page.text), field

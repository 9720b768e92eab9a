"""Unusual requests to pages get a page or a readable error."""

import time
from urllib.parse import quote

import pytest

from prowess.history.names.index import NameIndex
from prowess.service.pages import models, pairings
from prowess.service.pages.importing import preview
from prowess.service.pages.web.filters import day
from prowess.store.errors import Unavailable
from tests.service.pages.league_kinds import ensure_league
from tests.service.pages.page_client import serve_pages, words
from tests.service.pages.strict_html import Strict

ONCE = {"once": "0" * 32}
NUL = "a\0b"


def test_head_request_for_an_error_page_has_the_status_of_get_and_no_body(ask):
    for path, status in (("/leagues/nowhere/standings", 404), ("/new", 303), ("/leagues?x=%00", 422)):
        asked = [ask._browse(method, path, None, None) for method in ("GET", "HEAD")]
        assert [one.status_code for one in asked] == [status, status]
        assert asked[1].content == b""


def test_changing_the_league_title_changes_the_etag(ask):
    ask.create_league("titled", title="Old")
    tag = ask.look("/leagues/titled/standings").headers["etag"]
    again = {"If-None-Match": tag}
    assert ask.look("/leagues/titled/standings", headers=again).status_code == 304
    ask("PATCH", "/api/leagues/titled", json={"title": "New"}, status=200)
    assert "New" in ask.look("/leagues/titled/standings", headers=again).text


def test_times_are_shown_in_utc_whatever_the_time_zone_of_the_server(monkeypatch):
    for zone in ("Europe/Berlin", "America/New_York", "Pacific/Auckland"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        assert day("2026-01-31") == "31 Jan 2026"
        assert day("0001-01-01") == "1 Jan 1"
        assert day("2026-01-31T23:30:00Z") == "31 Jan 2026, 23:30"
    monkeypatch.undo()
    time.tzset()


def test_result_form_shows_no_more_teams_than_it_accepts(ask):
    ensure_league(ask, "one-match")
    page = ask.look("/leagues/one-match/enter?" + "&".join(f"team=t{at}" for at in range(60)), key=ask.admin)
    assert page.text.count('name="team"') == 40


@pytest.mark.parametrize(
    "meant",
    ["[" * 100_000, "[1]", '{"a": 1}', '["ann", "\\ud800"]', "null", "é"],
    ids=["deep nesting", "list of a number", "object", "lone surrogate", "null", "not JSON"],
)
def test_invalid_name_correction_in_a_form_causes_no_server_error(ask, meant):
    ensure_league(ask, "one-match")
    page = ask.send("/leagues/one-match/enter", ONCE | {"team": ["ann", "bob"], "meant": meant})
    assert page.status_code in (200, 422)
    assert Strict(page.text).faults == []


def test_input_field_with_an_invalid_time_refers_to_its_hint(ask):
    ensure_league(ask, "one-match")
    page = ask.send("/leagues/one-match/enter", ONCE | {"team": ["ann", "bob"], "time": "soon"})
    assert page.status_code == 422
    assert 'aria-describedby="problem time-hint"' in page.text
    assert Strict(page.text).faults == []


def test_lone_surrogate_in_an_uploaded_file_is_reported(ask):
    ensure_league(ask, "one-match")
    sent = b'[{"teams":[["\\ud800"],["b"]]}]'
    for fields in ({}, {"role.winner": "=teams"}):
        page = ask.send("/leagues/one-match/import", fields, files={"file": ("x.json", sent)})
        assert page.status_code == 422
        assert Strict(page.text).faults == []


def test_json_and_csv_requests_with_an_invalid_model_get_422(ask):
    ensure_league(ask, "one-match")
    for end in (".json", ".csv"):
        assert "nope" in ask("GET", f"/leagues/one-match/switch{end}?model=nope", status=422).json()["detail"]


def test_measures_chart_works_for_a_league_with_only_draws(ask):
    ensure_league(ask, "only-draws")
    ask.get("/leagues/only-draws/charts/measures.json")


def test_sign_in_works_from_a_very_long_url(ask):
    ensure_league(ask, "one-match")
    for letters in (3_000, 20_000):
        asked = ask.look(f"/leagues/one-match/enter?team={'a' * letters}").headers["location"]
        page = ask.look(asked)
        assert page.status_code == 200
        assert (f'value="/leagues/one-match/enter?team={"a" * letters}"' in page.text) is (letters < 8_000)


def test_similar_names_are_looked_up_only_for_the_first_few_unknown_names(ask, monkeypatch):
    ensure_league(ask, "one-match")
    near, asked = NameIndex.near, []
    monkeypatch.setattr(NameIndex, "near", lambda roll, name, count=1: asked.append(name) or near(roll, name, count))
    page = ask.look("/leagues/one-match/player?" + "&".join(f"name=an{at}" for at in range(100)))
    assert (page.status_code, len(asked)) == (404, 7)


def test_list_of_forbidden_pairs_ignores_players_who_are_not_present(ask, monkeypatch):
    ensure_league(ask, "one-match")
    made, barred = pairings.pair_rounds, []

    def seen(*given, never, **more):
        barred.extend(never)
        return made(*given, never=never, **more)

    monkeypatch.setattr(pairings, "pair_rounds", seen)
    others = "+".join(f"x{at}" for at in range(900)).replace("+", " + ")
    page = ask.look(
        "/leagues/one-match/pairings?players=ann%0Abob%0Acat&never=" + quote(f"ann + bob + {others}"[:6_900])
    )
    assert (page.status_code, barred) == (200, [("ann", "bob")])


def test_too_many_teams_in_a_form_are_refused(ask):
    ensure_league(ask, "one-match")
    page = ask.send("/leagues/one-match/enter", ONCE | {"team": [f"t{at}" for at in range(41)], "do": "record"})
    assert (page.status_code, "at most 40 teams" in page.text) == (422, True)


def test_number_of_concurrent_csv_downloads_is_limited(ask, monkeypatch):
    ensure_league(ask, "one-match")
    tables = ask.service.tables
    assert ask.look("/leagues/one-match/standings.csv").text.startswith("rank,")
    monkeypatch.setattr(tables, "_callers", tables._most)
    told = [ask.look(f"/leagues/one-match/standings{end}").status_code for end in (".csv", ".json", "")]
    assert told == [503, 200, 200]


def test_forms_with_a_nul_character_are_refused(database_url):
    """PostgreSQL rejects NUL in any parameter, even in a lookup; SQLite stores it."""
    with serve_pages(database_url) as ask:
        ensure_league(ask, "one-match")
        before = ask.get("/api/leagues/one-match").json()
        sent = [
            ("one-match/delete", {"id": NUL, "seen": "1"}, 404),
            ("one-match/edit", {"id": NUL, "seen": "1", "team": ["a", "b"], "do": "record"}, 404),
            ("one-match/delete", {"id": "m0", "seen": "1", "reason": NUL}, 422),
            ("one-match/enter", ONCE | {"team": ["a", "b"], "reason": NUL, "do": "record"}, 422),
            ("one-match/switch", {"model": "Elo", "reason": NUL}, 422),
        ]
        for path, fields, status in sent:
            page = ask.send(f"/leagues/{path}", fields)
            assert page.status_code == status, (path, fields)
            assert status == 404 or "the reason must be text" in words(page).lower(), path
            assert "database" not in words(page), path
        assert ask.look("/leagues/one-match/standings?generation=2147483648").status_code == 404
        assert ask.get("/api/leagues/one-match").json() == before


def test_unavailable_database_is_not_reported_as_a_form_error(ask, monkeypatch):
    ensure_league(ask, "one-match")

    def fail(*given):
        raise Unavailable("the database (postgresql) cannot be used now", "no route to 10.1.2.3")

    for module in (preview, models):
        monkeypatch.setattr(module, "preview", fail)
    monkeypatch.setattr(ask.service.writer, "submit", fail)
    pages = [
        ask.look("/leagues/one-match/switch?model=Elo", key=ask.admin),
        ask.send("/leagues/one-match/switch", {"model": "Elo"}),
        ask.send("/leagues/one-match/import", {}, files={"file": ("games.csv", "winner,loser\nann,bob\n")}),
    ]
    assert [page.status_code for page in pages] == [503, 503, 503]
    assert not [page for page in pages if "10.1.2.3" in page.text]

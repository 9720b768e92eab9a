"""Creating and changing leagues, models and seasons over HTTP."""

import json
import reprlib
from string import ascii_lowercase

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import prowess as pw
from prowess.model.presets import PRESETS
from prowess.service.api.schemas import leagues
from tests.service.app_client import served

MATCHES = [{"teams": [["ann"], ["bob"]], "time": "2026-01-01"}, {"teams": [["bob"], ["cat"]], "time": "2026-02-01"}]


def test_new_league_has_the_requested_values_and_cannot_be_created_twice(ask):
    made = ask.create_league(
        "tennis", title="Tennis ✓", clock="utc", public=False, model={"name": "elo", "parameters": {"k": 20}}
    )
    leagues.League.model_validate(made)
    assert made["model"] == {"name": "Elo", "parameters": {"k": 20}}
    settings = {"provisional_matches": 10, "inactive_days": 90.0, "allow_future": False, "auto_switch": False}
    assert made["settings"] == settings | {"scale": [1500.0, 400.0], "ranking": None}
    assert ask.get("/api/leagues/tennis").json() == made
    ask.post("/api/leagues", {"name": "tennis"}, status=409)


def test_model_parameters_of_a_league_may_be_options_of_compose(ask):
    words = {"drift": "time", "seasons": 60, "home_advantage": "learnt", "newcomer_level": "learnt", "beta": 3}
    made = ask.create_league("composed", model={"name": "TrueSkill", "parameters": words})
    assert made["model"] == {"name": "TrueSkill", "parameters": words}
    ask.post("/api/leagues/composed/matches", {"matches": MATCHES})
    model = pw.compose(pw.TrueSkill(), **words)
    expected = model.fit(pw.History.from_matches(MATCHES)).leaderboard()["shown"].to_list()
    found = ask.get("/api/leagues/composed/leaderboard").json()["players"]
    assert [row["shown"] for row in found] == pytest.approx(expected)
    for wrong in ({"drift": "daily"}, {"seasons": "season"}, {"history": "x"}, {"home_advantage": True}):
        ask.post("/api/leagues", {"name": "wrong", "model": {"name": "TrueSkill", "parameters": wrong}}, status=422)


def test_key_can_list_and_create_only_the_leagues_that_its_scope_allows(ask):
    ask.create_league("secret", public=False)
    ask.create_league("open")
    for key, status in ((None, 401), (ask.new_key("write"), 403), (ask.new_key("admin", "open"), 403)):
        ask.post("/api/leagues", {"name": "more"}, key=key, status=status)

    def seen(key):
        found = leagues.Leagues.model_validate(ask.get("/api/leagues", key=key).json())
        return {one.name for one in found.leagues} & {"secret", "open"}

    assert seen(None) == seen(ask.new_key("admin", "open")) == {"open"}
    assert seen(ask.new_key("read", "secret")) == seen(ask.admin) == {"open", "secret"}
    ask("GET", "/api/leagues/secret", key=None, status=404)
    ask("GET", "/api/leagues/nowhere", status=404)


def test_changing_a_league_needs_an_admin_key(ask, league):
    name = league.rpartition("/")[2]
    changed = {"title": "T", "public": False, "settings": {"inactive_days": 3}}
    ask("PATCH", league, json=changed, key=ask.new_key("write", name), status=403)
    told = ask("PATCH", league, json=changed, key=ask.new_key("admin", name), status=200).json()
    assert (told["title"], told["public"], told["revision"]) == ("T", False, 0)
    settings = {"provisional_matches": 10, "inactive_days": 3.0, "allow_future": False, "auto_switch": False}
    assert told["settings"] == settings | {"scale": [1500.0, 400.0], "ranking": None}
    assert ask("PATCH", league, json={}, status=200).json() == told


def test_invalid_field_is_reported_once(ask, league):
    told = ask.post(f"{league}/seasons", {"name": "I", "start": None}, status=422).json()
    assert [one["field"] for one in told["errors"]] == ["start"]


def test_error_for_an_invalid_league_name_explains_the_allowed_characters(ask):
    told = ask.post("/api/leagues", {"name": "Pub Darts"}, status=422).json()
    assert "lowercase letters" in told["detail"]


def test_write_with_an_unknown_query_parameter_is_refused(ask, league):
    match = {"id": "m1", "teams": [["ann"], ["bob"]], "time": "2026-01-31"}
    ask.post(f"{league}/matches", match, status=201)
    for method, path, body in (
        ("DELETE", "matches/m1", None),
        ("PUT", "matches/m1", match | {"ranks": [2, 1]}),
        ("POST", "matches", match | {"id": "m2"}),
        ("PUT", "model", {"name": "Elo"}),
        ("POST", "seasons", {"name": "I", "start": "2026-01-01"}),
        ("POST", "import", {}),
    ):
        told = ask(method, f"{league}/{path}?dryrun=true", json=body, status=422).json()
        assert told["errors"][0]["field"] == "dryrun"
        assert "dry_run" in told["detail"]
    assert ask.get(league).json()["revision"] == 1


def test_league_made_private_is_hidden_immediately(ask, league):
    ask.get(f"{league}/leaderboard", key=None)
    ask("PATCH", league, json={"public": False}, status=200)
    ask("GET", f"{league}/leaderboard", key=None, status=404)


def test_changing_the_model_rates_all_matches_again(ask, league):
    ask.post(f"{league}/matches", MATCHES, status=201)
    dry = ask("PUT", f"{league}/model", json={"name": "Elo"}, params={"dry_run": True}, status=200).json()
    assert ask.get(league).json()["generation"] == 1
    done = ask("PUT", f"{league}/model", json={"name": "Elo"}, params={"reason": "simpler"}, status=200).json()
    fit = pw.Elo().fit(pw.History.from_matches(MATCHES))
    for told in (dry, done):
        assert {one["player"]: one["after"]["mu"] for one in told["ratings"]} == {
            name: fit[name].mu for name in fit.ladder
        }
    found = leagues.Generations.model_validate(ask.get(f"{league}/generations", key=None).json())
    assert [(one.generation, one.model.name, one.reason) for one in found.generations][1:] == [(2, "Elo", "simpler")]


def test_new_season_moves_ratings_towards_the_initial_rating(ask, league):
    ask.post(f"{league}/matches", MATCHES, status=201)
    asked = {"name": "II", "start": "2026-03-01", "carry": 0.5}
    dry = ask.post(f"{league}/seasons?dry_run=1", asked, status=200).json()["ratings"]
    done = ask.post(f"{league}/seasons", asked, status=201).json()["ratings"]
    assert sorted(one["player"] for one in dry) == sorted(one["player"] for one in done) == ["ann", "bob", "cat"]
    for one in done:
        assert one["after"]["mu"] - 25 == pytest.approx((one["before"]["mu"] - 25) / 2)
    [told] = leagues.Seasons.model_validate(ask.get(f"{league}/seasons").json()).seasons
    assert (told.name, told.start, told.carry) == ("II", "2026-03-01T00:00:00Z", 0.5)
    ask.post(f"{league}/seasons", asked, status=409)
    ask.post(f"{league}/seasons", asked | {"name": " II ", "start": "2026-04-01"}, status=409)


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("POST", "/api/leagues", {"name": "No Good"}, "name"),
        ("POST", "/api/leagues", {}, "name"),
        ("POST", "/api/leagues", {"name": "a", "clock": "local"}, "clock"),
        ("POST", "/api/leagues", {"name": "a", "model": {"name": "Chess"}}, None),
        ("POST", "/api/leagues", {"name": "a", "model": {"name": "Elo", "parameters": {"k": -1}}}, "k"),
        ("POST", "/api/leagues", {"name": "a", "model": {"name": "Elo", "parameters": {"beta": {}}}}, "beta"),
        ("POST", "/api/leagues", {"name": "a", "title": "x" * 501}, "title"),
        ("POST", "/api/leagues", {"name": "a", "title": "\0"}, "title"),
        ("POST", "/api/leagues", {"name": "a", "settings": {"inactive_days": 0}}, "settings.inactive_days"),
        ("PATCH", "", {"public": "no"}, "public"),
        ("PATCH", "", {"settings": {"provisional_matches": 1.5}}, "settings.provisional_matches"),
        ("PUT", "/model", {"name": "Elo", "parameters": {"nonsense": 1}}, None),
        ("PUT", "/model", {"parameters": {"outcome": "Order"}}, "outcome"),
        ("POST", "/seasons", {"name": "", "start": "2026-01-01"}, "name"),
        ("POST", "/seasons", {"name": "I", "start": "soon"}, None),
        ("POST", "/seasons", {"name": "I", "start": "2026-01-01", "carry": 2}, "carry"),
    ],
    ids=reprlib.repr,
)
def test_invalid_requests_get_an_error_that_names_the_field(ask, league, method, path, body, field):
    url = path if path.startswith("/api") else league + path
    told = ask(method, url, json=body, status=422).json()
    if field is not None:
        assert told["errors"][0]["field"] == field
    ask("GET", "/api/leagues/a", status=404)


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(ascii_lowercase, max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(ascii_lowercase, max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)

PARAMETERS = st.sampled_from(
    ["mu", "sigma", "beta", "tau", "k", "period", "outcome", "team", "margin", "caution", "home"]
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(list(PRESETS)), st.dictionaries(PARAMETERS | st.text(ascii_lowercase), VALUES, max_size=3))
def test_arbitrary_model_parameters_cause_no_server_error(ask, name, parameters):
    ask.service.leagues.invalidate("fuzz")
    if ask("GET", "/api/leagues/fuzz").status_code == 404:
        ask.create_league("fuzz")
        ask.post("/api/leagues/fuzz/matches", MATCHES, status=201)
    body = json.dumps({"name": name, "parameters": parameters})
    headers = {"Content-Type": "application/json"}
    answer = ask("PUT", "/api/leagues/fuzz/model", content=body, headers=headers, params={"dry_run": True})
    assert answer.status_code in (200, 400, 422), answer.text


def test_renamed_league_redirects_from_its_old_name(ask):
    ask.create_league("before")
    ask.post("/api/leagues/before/matches", {"id": "a/b", "teams": [["ann"], ["bob"]]}, status=201)
    assert ask("PATCH", "/api/leagues/before", json={"name": "after"}, status=200).json()["name"] == "after"
    ask.get("/api/leagues/after/leaderboard")
    for method, path, body in (
        ("GET", "", None),
        ("GET", "/matches/a%2Fb?x=%20", None),
        ("POST", "/matches", {"teams": [["ann"], ["cat"]]}),
        ("PATCH", "", {"title": "x"}),
    ):
        moved = ask(method, f"/api/leagues/before{path}", json=body)
        assert moved.status_code == 308
        assert moved.headers["location"] == f"/api/leagues/after{path}"
        assert moved.headers["cache-control"] == "no-store", "another league may get this name later"
        assert moved.json()["detail"] == "league 'before' is now named 'after'"
    assert ask.get("/api/leagues/after").json()["revision"] == 1
    ask.create_league("before")
    assert ask.get("/api/leagues/before").json()["revision"] == 0
    for name in ("before", "No Good"):
        ask("PATCH", "/api/leagues/after", json={"name": name}, status=409 if name == "before" else 422)


def test_private_league_redirects_from_its_old_name_only_with_access(ask):
    ask.create_league("hidden", public=False)
    ask("PATCH", "/api/leagues/hidden", json={"name": "hidden-too"}, status=200)
    told = ask.get("/api/leagues/hidden", key=None, status=404)
    assert "hidden-too" not in told.text
    ask.get("/api/leagues/hidden", key=ask.new_key("read", "hidden-too"), status=308)


def names(ask, show, **rest):
    return [one["name"] for one in ask.get(f"/api/leagues?show={show}", **rest).json()["leagues"]]


def test_archived_league_is_readable_but_not_writable(ask):
    ask.create_league("olden")
    ask.post("/api/leagues/olden/matches", {"id": "m1", "teams": [["ann"], ["bob"]]}, status=201)
    assert ask("PATCH", "/api/leagues/olden", json={"archived": True}, status=200).json()["archived"]
    assert "olden" not in names(ask, "active")
    assert "olden" in names(ask, "archived", key=None)
    ask.get("/api/leagues/olden/leaderboard", key=None)
    match = {"teams": [["ann"], ["bob"]]}
    for query in ("", "?dry_run=true"):
        refused = ask.post(f"/api/leagues/olden/matches{query}", match, status=409).json()
        assert refused["detail"] == "league 'olden' is archived, so it is read-only; unarchive it first"
        ask("PUT", f"/api/leagues/olden/matches/m1{query}", json=match, status=409)
        ask("DELETE", f"/api/leagues/olden/matches/m1{query}", status=409)
        ask("PUT", f"/api/leagues/olden/model{query}", json={"name": "Elo"}, status=409)
    ask("PATCH", "/api/leagues/olden", json={"archived": False}, status=200)
    ask.post("/api/leagues/olden/matches", match, status=201)


def test_deleted_league_is_hidden_from_all_but_its_admins(ask):
    ask.create_league("gone")
    keys = {scope: ask.new_key(scope, "gone") for scope in ("read", "write", "admin")}
    for scope in ("read", "write"):
        ask("DELETE", "/api/leagues/gone", key=keys[scope], status=403)
    purge_at = ask("DELETE", "/api/leagues/gone", key=keys["admin"], status=200).json()["purge_at"]
    assert purge_at > "2026"
    for key in (
        None,
        keys["read"],
        keys["write"],
        ask.new_key("write"),
        ask.new_key("admin", ask.create_league("o")["name"]),
    ):
        ask.get("/api/leagues/gone", key=key, status=404)
        assert "gone" not in str([names(ask, show, key=key) for show in ("active", "archived", "deleted")])
    assert names(ask, "deleted", key=keys["admin"]) == ["gone"]
    ask.get("/api/leagues/gone/export.csv", key=keys["admin"])
    ask.post("/api/leagues/gone/matches", {"teams": [["ann"], ["bob"]]}, key=keys["admin"], status=409)
    ask.post("/api/leagues", {"name": "gone"}, status=409)
    back = ask("POST", "/api/leagues/gone/undelete", key=keys["admin"], status=200).json()
    assert back["purge_at"] is None
    ask.get("/api/leagues/gone", key=None)


def test_second_process_notices_that_a_league_was_renamed_archived_or_deleted(database_url):
    """Two apps have separate caches, like two worker processes."""
    with served(database_url) as one, served(database_url) as two:
        one.create_league("club")
        secret = one.new_key("write", "club")
        match = {"teams": [["ann"], ["bob"]]}
        two.post("/api/leagues/club/matches", match, key=secret, status=201)
        one("PATCH", "/api/leagues/club", json={"name": "team"}, status=200)
        assert two.post("/api/leagues/club/matches", match, key=secret).status_code == 308
        two.post("/api/leagues/team/matches", match, key=secret, status=201)
        one("PATCH", "/api/leagues/team", json={"archived": True}, status=200)
        two.post("/api/leagues/team/matches", match, key=secret, status=409)
        one("PATCH", "/api/leagues/team", json={"archived": False}, status=200)
        one("DELETE", "/api/leagues/team", status=200)
        assert two.post("/api/leagues/team/matches", match, key=secret).status_code in (404, 409)
        two.service.leagues.invalidate("team")  # drop the cached league, which would be used for up to a second
        two.post("/api/leagues/team/matches", match, key=secret, status=404)
        one("POST", "/api/leagues/team/undelete", status=200)
        two.service.leagues.invalidate("team")
        two.post("/api/leagues/team/matches", match, key=secret, status=201)
        assert one.get("/api/leagues/team").json()["revision"] == 3

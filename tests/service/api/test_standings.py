"""Leaderboards, players and matches over HTTP have the same numbers as a fit of the league's matches."""

import csv
from io import StringIO
from urllib.parse import quote

import pytest

import prowess as pw
from prowess.service.api.schemas import matches as match_schemas
from prowess.service.api.schemas import standings as schemas
from prowess.store.journal import journal

NAMES = ["ann", "Žofie ✓", "王/小明", 'a "b"', "x?y#z", "tab\tand\nbreak", "..", "%2F", "eve\u202e", "z" * 500]
MATCHES = [
    {
        "id": f"m{number}",
        "teams": [[NAMES[number % 10]], [NAMES[(3 * number + 1) % 10]]],
        "scores": [number % 4, 2],
        "time": f"2026-01-{number // 2 + 1:02d}T{number % 24:02d}:00:00Z",
    }
    for number in range(43)
    if number % 10 != (3 * number + 1) % 10
]


@pytest.fixture(scope="module")
def darts(ask):
    ask.create_league("darts")
    for match in MATCHES:
        ask.post("/api/leagues/darts/matches", match, status=201)
    return "/api/leagues/darts"


@pytest.fixture(scope="module")
def fit():
    return pw.TrueSkill().fit(pw.History.from_matches(MATCHES))


def pages(ask, url):
    """Return the rows of all pages of a leaderboard."""
    rows = []
    while url is not None:
        told = ask.get(url, key=None).json()
        schemas.Leaderboard.model_validate(told)
        rows += told["players"]
        url = told["next"]
    return rows


def shown(rows):
    return [(row["rank"], row["player"], row["mu"], row["sigma"], row["matches"]) for row in rows]


def expected(frame):
    """Return the leaderboard of the library, with ties sorted by name."""
    return frame.sort("rank", "player").select("rank", "player", "mu", "sigma", "matches").rows()


def test_leaderboard_equals_the_leaderboard_of_a_fit(ask, darts, fit):
    assert shown(pages(ask, f"{darts}/leaderboard?size=3")) == expected(fit.leaderboard(ranking="mean"))
    rows = list(csv.DictReader(StringIO(ask.get(f"{darts}/leaderboard.csv").text)))
    assert [(row["player"], float(row["mu"])) for row in rows] == [
        row[1:3] for row in expected(fit.leaderboard(ranking="mean"))
    ]


def test_leaderboard_pages_stay_at_one_revision_while_matches_are_posted(ask, league):
    matches = [{"teams": [[f"p{number}"], [f"p{number + 1}"]], "time": "2026-01-01"} for number in range(9)]
    ask.post(f"{league}/matches", matches, status=201)
    before = shown(pages(ask, f"{league}/leaderboard"))
    rows, url = [], f"{league}/leaderboard?size=4"
    while url is not None:
        told = ask.get(url).json()
        rows, url = rows + told["players"], told["next"]
        ask.post(f"{league}/matches", {"teams": [["p9"], ["p0"]], "time": "2026-02-01"}, status=201)
        ask("DELETE", f"{league}/matches/{ask.get(f'{league}/matches?limit=1').json()['matches'][0]['id']}", status=200)
    assert shown(rows) == before
    assert shown(pages(ask, f"{league}/leaderboard?revision=1&size=3")) == before
    assert pages(ask, f"{league}/leaderboard?revision=0") == []
    ask("GET", f"{league}/leaderboard?revision=99", status=422)


@pytest.mark.parametrize("at", ["2026-01-10", "2026-01-10T05:00:00Z", "2025-01-01", "2030-01-01"])
def test_leaderboard_can_be_read_at_a_past_time(ask, darts, fit, at):
    upto = at if "T" in at else f"{at}T23:59:59Z"
    past = [match for match in MATCHES if match["time"] <= upto]
    found = expected(pw.TrueSkill().fit(pw.History.from_matches(past)).leaderboard(ranking="mean")) if past else []
    assert shown(pages(ask, f"{darts}/leaderboard?size=4&at={at}")) == found


def test_leaderboard_is_filtered_by_name_number_of_matches_and_status(ask, darts):
    everybody = pages(ask, f"{darts}/leaderboard")
    assert [row["player"] for row in pages(ask, f"{darts}/leaderboard?search=%E5%B0%8F&size=1")] == ["王/小明"]
    few = [row for row in everybody if row["matches"] >= 9]
    assert 0 < len(few) < len(everybody)
    assert pages(ask, f"{darts}/leaderboard?min_matches=9&size=2") == few
    for provisional in (True, False):
        wanted = [row for row in everybody if row["provisional"] is provisional]
        assert pages(ask, f"{darts}/leaderboard?provisional={provisional}") == wanted
    assert pages(ask, f"{darts}/leaderboard?active=true") == [row for row in everybody if row["active"]]


def test_leaderboard_can_be_read_for_earlier_models_seasons_and_revisions(ask, league):
    matches = [{"teams": [["ann"], ["bob"]], "time": "2026-01-01"}, {"teams": [["ann"], ["cat"]], "time": "2026-02-01"}]
    ask.post(f"{league}/matches", matches, status=201)
    before = shown(pages(ask, f"{league}/leaderboard"))
    ask.post(f"{league}/seasons", {"name": "I", "start": "2026-01-15", "carry": 0.0}, status=201)
    ask.post(f"{league}/seasons", {"name": "II", "start": "2026-03-01"}, status=201)
    [ann] = [row for row in pages(ask, f"{league}/leaderboard?season=I") if row["player"] == "ann"]
    assert ann["mu"] == pytest.approx(pw.TrueSkill().fit(pw.History.from_matches(matches[:1]))["ann"].mu, abs=0.3)
    assert pages(ask, f"{league}/leaderboard?season=II") == pages(ask, f"{league}/leaderboard")
    ask("PUT", f"{league}/model", json={"name": "Elo"}, status=200)
    now, old = (ask.get(f"{league}/leaderboard?generation={number}").json() for number in (2, 1))
    assert (now["players"][0]["sigma"], old["generation"], old["revision"]) == (None, 1, 3)
    assert shown(pages(ask, f"{league}/leaderboard?revision=1")) == before
    ask.post(f"{league}/matches", {"teams": [["dan"], ["ann"]], "time": "2026-04-01"}, status=201)
    assert ask.get(now["next"] or f"{league}/leaderboard?generation=2&revision=4").json()["total"] == 3
    assert shown(pages(ask, f"{league}/leaderboard?generation=1&revision=1")) == before
    for generation, revision in ((1, 4), (2, 3), (2, 6)):
        ask("GET", f"{league}/leaderboard?generation={generation}&revision={revision}", status=422)
    ask("GET", f"{league}/leaderboard?season=III", status=404)
    ask("GET", f"{league}/leaderboard?generation=3", status=404)
    ask("GET", f"{league}/leaderboard?generation=1&at=2026-01-01", status=422)


@pytest.mark.parametrize("path", ["leaderboard", "leaderboard.csv", "players/ann", "matches", "matches/m1"])
def test_request_with_the_current_etag_gets_304_not_modified_until_the_league_changes(ask, league, path):
    match = {"id": "m1", "teams": [["ann"], ["bob"]]}
    ask.post(f"{league}/matches", match, status=201)
    first = ask.get(f"{league}/{path}")
    assert first.headers["cache-control"] == "no-cache"
    seen = {"If-None-Match": f'"x", {first.headers["etag"]}'}
    again = ask("GET", f"{league}/{path}", headers=seen, status=304)
    assert (again.content, again.headers["etag"]) == (b"", first.headers["etag"])
    ask("PATCH", league, json={"settings": {"provisional_matches": 1}}, status=200)
    changed = ask.get(f"{league}/{path}", headers=seen)
    ask.post(f"{league}/matches", {"teams": [["ann"], ["cat"]]}, status=201)
    later = ask.get(f"{league}/{path}", headers={"If-None-Match": changed.headers["etag"]})
    assert len({first.headers["etag"], changed.headers["etag"], later.headers["etag"]}) == 3


@pytest.mark.parametrize("name", NAMES)
def test_player_response_equals_the_explanation_of_a_fit(ask, darts, fit, name):
    url = f"{darts}/players/{quote(name, safe='')}".replace("/..", "/%2e%2e")
    told = ask.get(f"{url}?matches=100", key=None).json()
    schemas.Player.model_validate(told)
    why = fit.explain(name)
    assert (told["rating"]["mu"], told["rating"]["sigma"]) == (fit[name].mu, fit[name].sigma)
    assert [point["mu"] for point in told["curve"]] == fit.trajectory(name)["mu"].to_list()
    rows = told["matches"][::-1]
    assert [row["id"] for row in rows] == why.matches["id"].to_list()
    for key in ("expected", "actual", "moved"):
        assert [row[key] for row in rows] == pytest.approx(why.matches[key].to_list())
    assert sum(one["matches"] for one in told["opponents"]) == told["played"] == len(why.matches)
    only = ask.get(f"{url}?matches=0&curve=0").json()
    schemas.Player.model_validate(only)
    assert only["rating"] == told["rating"]
    listed = ask.get(f"{darts}/matches", params={"player": name, "limit": 2}).json()
    assert listed["matches"] == told["matches"][:2]


@pytest.mark.parametrize(
    "name",
    ["anna", "%00", "", "%20", "a" * 20_000, "%F0%9F%98%80", "ann/"],
    ids=["similar name", "NUL", "empty", "space", "long", "emoji", "slash"],
)
def test_unknown_player_returns_404(ask, darts, name):
    told = ask("GET", f"{darts}/players/{name}", status=404).json()
    if name == "anna":
        assert "did you mean 'ann'" in told["detail"]


def test_player_response_has_a_rating_for_each_trait(ask):
    ask.create_league("football", model={"name": "GaussianOD"})
    ask.post("/api/leagues/football/matches", MATCHES[:5], status=201)
    told = ask.get("/api/leagues/football/players/ann").json()
    schemas.Player.model_validate(told)
    assert told["rating"]["offence"]["sigma"] > 0
    schemas.Leaderboard.model_validate(ask.get("/api/leagues/football/leaderboard").json())
    match_schemas.MatchDetails.model_validate(ask.get("/api/leagues/football/matches/m1").json())


def test_matches_are_listed_newest_first_and_can_be_limited_by_time(ask, darts):
    found, url = [], f"{darts}/matches?limit=7"
    while url is not None:
        told = match_schemas.MatchList.model_validate(ask.get(url, key=None).json())
        found, url = found + told.matches, told.next
    assert [match["id"] for match in found] == [match["id"] for match in MATCHES][::-1]
    assert found[-1] == MATCHES[0] | {"scores": [0.0, 2.0]}
    some = ask.get(f"{darts}/matches?after=2026-01-04&before=2026-01-06T09:00:00Z").json()
    wanted = [match["id"] for match in MATCHES if "2026-01-04" <= match["time"] < "2026-01-06T09:00:00Z"]
    assert [match["id"] for match in some["matches"]] == wanted[::-1]
    assert some["total"] == len(wanted) > 2
    ask("GET", f"{darts}/matches?after=soon", status=422)
    ask("GET", f"{darts}/matches?player=nobody", status=404)


def test_match_response_has_the_forecast_and_explains_the_rating_changes(ask, darts, fit):
    told = ask.get(f"{darts}/matches/m20", key=None).json()
    match_schemas.MatchDetails.model_validate(told)
    number = [match["id"] for match in MATCHES].index("m20")
    assert {key: told[key] for key in MATCHES[number]} == MATCHES[number] | {"scores": told["scores"]}
    assert told["forecast"]["win"][0] == fit.forecasts.win[number]
    for row in told["players"]:
        why = fit.explain(row["player"]).matches.filter(id="m20").row(0, named=True)
        assert (row["before"]["mu"], row["after"]["mu"]) == (why["mu_before"], why["mu_after"])
        assert row["why"].startswith(row["player"])
    assert [(one["kind"], one["author"]) for one in told["revisions"]] == [("post", "office")]


def test_revisions_of_a_match_have_author_and_reason(ask, league):
    match = {"teams": [["ann"], ["bob"]], "time": "2026-01-31"}
    ask.post(f"{league}/matches", match | {"id": "a/b"}, status=201)
    writer = ask.new_key("write")
    ask("PUT", f"{league}/matches/a/b?reason=turned", json=match | {"ranks": [2, 1]}, key=writer, status=200)
    ask("DELETE", f"{league}/matches/a/b?reason=for%20fun", status=200)
    told = ask.get(f"{league}/matches/a/b").json()
    match_schemas.MatchDetails.model_validate(told)
    assert (told["deleted"], told["ranks"], told["players"]) == (True, [2, 1], [])
    said = [
        (one["kind"], one["author"], one["reason"], one["match"] and one["match"]["ranks"]) for one in told["revisions"]
    ]
    assert said == [
        ("post", "office", "", [1, 2]),
        ("edit", "write", "turned", [2, 1]),
        ("delete", "office", "for fun", None),
    ]
    ask("GET", f"{league}/matches/nothing", status=404)


def test_empty_league_has_empty_standings(ask, league):
    told = ask.get(f"{league}/leaderboard").json()
    assert (told["total"], told["players"], told["next"]) == (0, [], None)
    assert ask.get(f"{league}/leaderboard.csv").text.startswith("rank,player,mu,sigma,shown,matches,last_seen")
    assert ask.get(f"{league}/matches").json()["matches"] == []
    ask("GET", f"{league}/players/ann", status=404)


def test_request_after_a_post_does_not_rate_any_match_again(ask, monkeypatch):
    """A page reuses the matches that its own process has just rated, and does not read them from the journal."""
    ask.create_league("fresh")
    post = "/api/leagues/fresh/matches"
    ask.post(post, {"teams": [["ann"], ["bob"]]}, status=201)
    ask.get("/leagues/fresh/standings.json")
    asked = []
    changes_since = journal.changes_since
    monkeypatch.setattr(journal, "changes_since", lambda *args: asked.append(args) or changes_since(*args))
    ask.post(post, {"teams": [["bob"], ["ann"]]}, status=201)
    told = ask.get("/leagues/fresh/standings.json").json()["players"]
    assert [len(row["form"]) for row in told] == [2, 2]
    assert asked == []


@pytest.mark.parametrize("name", ["joao%20silva", "Silva,%20Jo%C3%A3o", "JO%C3%83O%20SILVA", "jo%C3%A3o-silva"])
def test_player_is_found_by_a_name_in_any_spelling(ask, league, name):
    ask.post(f"{league}/matches", [{"teams": [["João Silva"], ["ann"]]}], status=201)
    assert ask("GET", f"{league}/players/{name}", status=200).json()["player"] == "João Silva"
    told = ask("GET", f"{league}/matches?player={name}", status=200).json()
    assert told["total"] == 1
    assert "moved" in told["matches"][0]


def test_response_for_an_unknown_player_suggests_similar_names(ask, league):
    ask.post(f"{league}/matches", [{"teams": [["João Silva"], ["ann"]]}], status=201)
    told = ask("GET", f"{league}/players/Joao%20Sliva", status=404).json()
    assert told["suggestions"] == {"Joao Sliva": ["João Silva"]}

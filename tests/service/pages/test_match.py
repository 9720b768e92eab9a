"""The match page: the prediction, the result, and the reasons for the rating changes."""

import csv
import io
import re

import pytest

from tests.service.pages.page_client import words

ODD = '<script>alert(1)</script>"><img src=x onerror=y>'


def test_match_page_shows_forecast_and_explanations(ask):
    """Two new players, 25 ± 8.333 each, move to 29.396 and 20.604, both ± 7.171 (Herbrich et al. 2006)."""
    ask.create_league("told", settings={"scale": None})
    match = {"id": "a/b", "teams": [["bob"], ["ann"]], "scores": [1, 3], "time": "2026-01-31T19:30:00Z", "home": 0}
    ask.post("/api/leagues/told/matches", [match, {"id": "next", "teams": [["ann"], [ODD]]}], status=201)
    page = ask.look("/leagues/told/match?id=a/b")
    text = words(page)
    assert "ann beat bob 3 : 1" in text
    assert "31 Jan 2026, 19:30 UTC" in text
    assert re.search(r"1 ann won 3 2 bob home 1 ", text)
    assert re.search(r"Win for ann 4\d % Draw \d % Win for bob 4\d %", text)
    assert "25.00 ± 8.33 29.40 ± 7.17 +4.40 (better than expected) 0.00 → 7.88" in text
    assert "ann won 3:1 against bob (48 % chance): +4.40, giving 29.40." in text
    assert "Recorded on" in text
    assert "by office" in text
    assert "/leagues/told/match?id=next" in page.text
    assert "/edit?" not in page.text  # readers without a write key see no edit links
    assert "/leagues/told/edit?id=a%2Fb" in ask.look("/leagues/told/match?id=a/b", key=ask.admin).text
    assert ask.get("/leagues/told/match.json?id=a/b").json() == ask.get("/api/leagues/told/matches/a/b").json()
    rows = list(csv.DictReader(io.StringIO(ask.get("/leagues/told/match.csv?id=a/b").text)))
    assert [(row["player"], row["place"], round(float(row["mu_after"]), 3)) for row in rows] == [
        ("bob", "2", 20.604),
        ("ann", "1", 29.396),
    ]
    odd = ask.look("/leagues/told/match?id=next").text
    assert "<script>alert" not in odd
    assert "<img src=x" not in odd


def test_players_removed_from_a_match_are_shown_only_with_a_key_of_the_league(ask):
    """Without a key of the league, deleted matches show no teams, and edited matches show no replaced players."""
    ask.create_league("gone")
    ask.create_league("other")
    path, page = "/api/leagues/gone/matches/m", "/leagues/gone/match?id=m"
    ask.post("/api/leagues/gone/matches", {"teams": [["Xanthippe"], ["bob"]], "scores": [3, 1], "id": "m"}, status=201)
    stranger, member = ask.new_key("write", "other"), ask.new_key("read", "gone")

    def check(hidden):
        for key in (None, stranger, member):
            shown = ask.get(path, key=key).text + ask.look(page, key=key).text
            shown += "".join(ask.look(page.replace("?", ending), key=key).text for ending in (".json?", ".csv?"))
            assert ("Xanthippe" in shown) == (key == member or not hidden)

    check(hidden=False)
    ask("PUT", path, json={"teams": [["ann"], ["bob"]], "scores": [3, 1]}, status=200)
    check(hidden=True)
    ask("PUT", path, json={"teams": [["ann"], ["Xanthippe"]], "scores": [3, 1]}, status=200)
    check(hidden=False)
    ask("DELETE", path, status=200)
    check(hidden=True)
    assert "Sign in with a key of this league to see who played." in words(ask.look(page))
    etag = ask.get(path, key=member).headers["etag"]
    assert ask.get(path, key=None, headers={"If-None-Match": etag}).json()["teams"] == []


def test_match_page_lists_all_revisions(ask):
    ask.create_league("past")
    path = "/api/leagues/past/matches/m"
    first = {"teams": [["ann"], ["bob"]], "scores": [3, 1]}
    ask.post("/api/leagues/past/matches", first | {"id": "m"}, status=201)
    ask("PUT", f"{path}?reason=misheard", json=first | {"scores": [3, 2], "importance": 0}, status=200)
    text = words(ask.look("/leagues/past/match?id=m"))
    assert "This match does not count" in text
    assert "“misheard” scores 3 : 1 → 3 : 2; importance 1 → 0" in text
    ask("DELETE", f"{path}?reason=never%20played", status=200)
    page = ask.look("/leagues/past/match?id=m", key=ask.admin)
    assert "This match was deleted by office" in words(page)
    assert "Rating changes" not in page.text
    assert "Restore" in page.text
    assert "player,team,place" in ask.look("/leagues/past/match.csv?id=m", key=ask.admin).text
    ask("PUT", path, json=first, status=200)
    assert "Restored on" in words(ask.look("/leagues/past/match?id=m"))


@pytest.mark.parametrize(
    ("model", "clock", "match", "said"),
    [
        ("Elo", "none", {"teams": [["ann"], ["bob"]], "ranks": [1, 1]}, "ann drew with bob"),
        ("PoissonOD", "number", {"teams": [["ann"], ["bob"]], "scores": [2, 0], "time": 7}, "ann ahead by"),
        ("Glicko2", "utc", {"teams": [["ann"], ["bob"]]}, "ann beat bob"),
        ("TrueSkill", "none", {"teams": [["a"], ["b"], ["c"]], "ranks": [1, 2, 1]}, "a and c tied for first"),
        ("TrueSkill", "none", {"teams": [["a", "b"], ["c"]], "weights": [[0.5, 1], [1]]}, "50 %"),
    ],
)
def test_match_pages_work_in_all_kinds_of_leagues(ask, model, clock, match, said):
    name = f"{model}-{clock}-{len(match['teams'])}-{len(match['teams'][0])}".lower()
    ask.create_league(name, model={"name": model}, clock=clock)
    ask.post(f"/api/leagues/{name}/matches", match | {"id": "m"}, status=201)
    assert said in words(ask.look(f"/leagues/{name}/match?id=m"))


@pytest.mark.parametrize(
    "teams",
    [[[f"p{k}"] for k in range(2000)], [[f"p{k}" for k in range(2000)], ["ann"]]],
    ids=["many teams", "large team"],
)
def test_large_match_is_truncated_on_the_page_but_not_in_the_data(ask, teams):
    name = f"large-{len(teams)}"
    ask.create_league(name)
    ask.post(f"/api/leagues/{name}/matches", {"id": "m", "teams": teams}, status=201)
    page = ask.look(f"/leagues/{name}/match?id=m")
    assert len(page.content) < 100_000
    assert "more players; the JSON and CSV below list all of them" in words(page)
    assert ask.get(f"/leagues/{name}/match.csv?id=m").text.count("\n") == 1 + sum(map(len, teams))


def test_unknown_or_private_match_is_not_found(ask):
    ask.create_league("hidden", public=False)
    ask.post("/api/leagues/hidden/matches", {"id": "m", "teams": [["ann"], ["bob"]]}, status=201)
    assert ask.look("/leagues/hidden/match?id=m").status_code == 404
    assert ask.look("/leagues/hidden/match?id=m", key=ask.admin).status_code == 200
    assert "has no match with id" in ask.look("/leagues/hidden/match?id=zz", key=ask.admin).text
    for query in ("", "?id=", "?id=" + "x" * 600, "?id=m&done=zz", "?id=%ff%fe", "?id=%00"):
        assert ask.look(f"/leagues/hidden/match{query}", key=ask.admin).status_code in (404, 422), query

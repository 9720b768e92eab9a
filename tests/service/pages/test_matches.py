"""The list of matches shows the newest first, with results, for all kinds and sizes of leagues."""

import re

import pytest

from prowess.service.pages.matches import result_line


def lines(page):
    """Return the text of each row of the table."""
    wide = re.sub(r'<span class="tight.*?</span>', "", page.split("<tbody>")[1])  # only visible on phones
    rows = re.findall(r"<tr>(.*?)</tr>", wide, re.S)
    return [" ".join(re.sub(r"<[^>]+>", "", row.replace("</td>", " ")).split()) for row in rows]


def test_match_list_shows_pages_of_matches_newest_first(ask):
    ask.create_league("many-matches")
    assert "There are no matches yet" in ask.look("/leagues/many-matches/matches").text
    matches = [
        {"id": f"m/{k}", "teams": [["ann", "bob"], ["cat"]], "scores": [k % 3, 1], "time": f"2026-01-{1 + k // 4:02d}"}
        for k in range(120)
    ]
    ask.post("/api/leagues/many-matches/matches", matches, status=201)
    page = ask.look("/leagues/many-matches/matches?player=&after=&before=").text
    assert lines(page)[:3] == [
        "30 Jan 2026 ann, bob beat cat 2–1 Details",
        "30 Jan 2026 ann, bob drew with cat 1–1 Details",
        "30 Jan 2026 cat beat ann, bob 1–0 Details",
    ]
    assert "1–50 of 120 matches" in page
    assert "/leagues/many-matches/match?id=m%2F119" in page
    assert "101–120 of 120" in ask.look("/leagues/many-matches/matches?offset=100").text
    assert "There are only 120 matches" in ask.look("/leagues/many-matches/matches?offset=1000").text
    chosen = ask.look("/leagues/many-matches/matches?after=2026-01-03&before=2026-01-04").text
    assert len(lines(chosen)) == 4
    told = ask.get("/leagues/many-matches/matches.json").json()
    api = ask.get("/api/leagues/many-matches/matches?limit=50").json()
    assert told["matches"] == api["matches"]
    assert ask.get(told["next"]).json()["offset"] == 50
    table = ask.get("/leagues/many-matches/matches.csv").text.splitlines()
    assert table[:2] == ["id,time,teams,places,scores", "m/119,2026-01-30T00:00:00Z,ann + bob; cat,1; 2,2.0; 1.0"]


def test_match_list_of_a_player_shows_rating_changes(ask):
    ask.create_league("her-matches", model={"name": "Elo"})
    ask.post("/api/leagues/her-matches/matches", {"teams": [["ann"], ["bob"]], "time": "2026-01-01"}, status=201)
    row = lines(ask.look("/leagues/her-matches/matches?player=bob").text)
    assert row == ["1 Jan 2026 ann beat bob 50 % −16.0 (worse than expected) Details"]
    missing = ask.look("/leagues/her-matches/matches?player=<b>")
    assert missing.status_code == 404
    assert "no matches of a player named &#39;&lt;b&gt;&#39;" in missing.text
    assert 'value="&lt;b&gt;"' in missing.text  # the input is kept
    ask.get("/leagues/her-matches/matches.json?player=<b>", status=404)
    assert ask.look("/leagues/her-matches/matches?after=soon").status_code == 422


@pytest.mark.parametrize("clock", ["number", "none"])
def test_match_list_truncates_matches_of_many_teams(ask, clock):
    name = f"crowd-{clock}"
    ask.create_league(name, clock=clock)
    time = {"time": 7} if clock == "number" else {}
    teams = [[f"p{k}", f"q{k}"] for k in range(300)]
    ask.post(
        f"/api/leagues/{name}/matches", {"teams": teams, "ranks": [300 - k for k in range(300)]} | time, status=201
    )
    page = ask.look(f"/leagues/{name}/matches").text
    assert "1. p299, q299" in lines(page)[0]
    assert "and 296 more teams" in page
    assert "p100<" not in page
    hers = ask.look(f"/leagues/{name}/matches?player=p5")
    assert hers.status_code == 200
    large = [[f"r{k}" for k in range(40)], ["s"]]
    ask.post(f"/api/leagues/{name}/matches", {"teams": large} | time, status=201)
    assert "and 32 more" in ask.look(f"/leagues/{name}/matches").text


def test_places_in_the_list_of_matches_are_computed_from_scores():
    found = result_line({"teams": [["a"], ["b"], ["c"], ["d"]], "scores": [1.0, 3.0, 1.0, 3.0]})
    assert [team.place for team in found["teams"]] == [1, 1, 3, 3]
    assert found["drawn"]


def test_export_of_a_private_league_needs_sign_in(ask):
    ask.create_league("secret", public=False)
    ask.post("/api/leagues/secret/matches", {"teams": [["ann"], ["bob"]]}, status=201)
    page = ask.look("/leagues/secret/matches", key=ask.admin).text
    for ending in ("csv", "parquet", "ndjson"):
        address = f"/leagues/secret/export.{ending}"
        assert f'href="{address}"' in page
        assert ask.look(address, key=ask.admin).status_code == 200
        assert ask.look(address).status_code == 404


def test_matches_of_a_player_are_listed_for_a_name_in_any_spelling(ask):
    ask.create_league("spelt")
    matches = [
        {"teams": [["João Silva"], ["Rafael Nadal"]], "context": {"seed": [1, 2]}},
        {"teams": [["ann"], ["rafael nadal"]], "importance": 0},
    ]
    ask.post("/api/leagues/spelt/matches", matches, status=201)
    for name in ("silva,+joao", "Jo%C3%A3o+Silva", "NADAL+RAFAEL"):
        assert ask.get(f"/leagues/spelt/matches.json?player={name}").json()["total"] == 1
        assert ask.look(f"/leagues/spelt/matches?player={name}").status_code == 200
    told = ask.get("/leagues/spelt/matches.json?player=rafael+nadal").json()  # this player has no rating
    assert [match["teams"] for match in told["matches"]] == [[["ann"], ["rafael nadal"]]]

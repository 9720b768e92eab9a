"""Pages show the context of matches, and filter lists of matches by their context."""

import re

import pytest

from tests.service.pages.page_client import words

CONTEXT = {
    "tourney_name": "Auckland",
    "surface": "Hard",
    "round": "F",
    "score": "6-4 6-4",
    "season": 2026,
    "seed": [1, 4],
}


@pytest.fixture(scope="module")
def tennis(ask):
    ask.create_league("tennis")
    surfaces, rounds = ["Hard", "Clay", "Grass"], ["F", "SF"]
    matches = [
        {
            "id": f"m{n}",
            "teams": [["ann"], ["bob"]] if n % 4 else [["cat"], ["bob"]],
            "time": f"2026-01-{1 + n % 28:02d}",
            "context": CONTEXT
            | {
                "surface": surfaces[n % 3],
                "round": rounds[n % 2],
                "tourney_name": f"Town {n % 7}",
                "seed": [n % 5, None],
                "score": f"6-{n % 5} 6-4",
            },
        }
        for n in range(60)
    ]
    ask.post("/api/leagues/tennis/matches", matches, status=201)
    return "/leagues/tennis"


def text_of(page):
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_match_page_shows_the_context_of_the_match_and_of_its_teams(ask, tennis):
    page = text_of(ask.look(f"{tennis}/match?id=m1").text)
    assert "Details Tournament Town 1 Surface Clay Round SF Score 6-1 6-4 Season 2026 Player Seed ann 1 bob" in page
    assert "Details" not in text_of(ask.look(f"{tennis}/match?id=m1").text.split("Rating changes")[1])


def test_player_page_shows_four_context_columns_and_its_csv_file_shows_all(ask, tennis):
    page = ask.look(f"{tennis}/player?name=ann").text
    heads = re.findall(r'<th scope="col" class="roomy">([^<]+)</th>', page)
    assert heads[1:5] == ["Tournament", "Surface", "Round", "Score"]
    rows = ask.get(f"{tennis}/player.csv?name=ann").text.splitlines()
    assert rows[0].endswith("tourney_name,surface,round,context.score,season,seed")


def test_lists_of_matches_are_filtered_by_context_values(ask, tennis):
    page = ask.look(f"{tennis}/matches?player=&surface=Clay&round=").text
    assert "1–20 of 20 matches" in page
    assert re.search(r"<option selected>Clay</option>", page)
    mine = ask.look(f"{tennis}/player?name=ann&surface=Grass").text
    assert "of 15 matches" in text_of(mine)
    first = ask.look(f"{tennis}/matches?surface=Hard&surface=Clay").text
    assert "1–40 of 40 matches" in first
    assert ask.get(f"{tennis}/matches.json?surface=Grass").json()["total"] == 20


def test_links_to_the_next_page_keep_the_filters(ask, tennis):
    ask.create_league("long")
    matches = [
        {
            "id": f"m{n}",
            "teams": [["ann"], ["bob"]],
            "time": "2026-01-01",
            "context": {"map": "Dust" if n % 9 else "Ice", "name": "x"},
        }
        for n in range(150)
    ]
    ask.post("/api/leagues/long/matches", matches, status=201)
    page = ask.look("/leagues/long/matches?map=Dust").text
    assert "/leagues/long/matches?offset=50&amp;map=Dust" in page
    assert "51–100 of 133" in ask.look("/leagues/long/matches?map=Dust&offset=50").text
    page = ask.look("/leagues/long/player?name=ann&map=Dust&context.name=x").text
    assert "name=ann&amp;offset=20&amp;map=Dust&amp;context.name=x" in page


def test_unknown_parameters_are_ignored_so_that_links_with_tracking_parameters_work(ask, tennis):
    for path in ("matches", "matches.json", "matches.csv", "player", "player.json"):
        plain, tracked = (ask.look(f"{tennis}/{path}?name=ann&surface=clay{more}") for more in ("", "&utm_source=mail"))
        assert tracked.status_code == 200
        assert words(tracked) == words(plain)
    ask.get(f"/api{tennis}/matches?utm_source=mail", status=422)


def test_filter_by_an_unknown_column_is_refused_with_a_list_of_known_columns(ask, tennis):
    for path in ("matches", "matches.json", "player"):
        refused = ask.look(f"{tennis}/{path}?name=ann&context.colour=red")
        assert refused.status_code == 422
        assert "tourney_name, surface, round, score, season, seed" in refused.text


def test_pages_of_a_league_without_context_have_no_filters(ask):
    ask.create_league("plain-duels")
    ask.post("/api/leagues/plain-duels/matches", {"teams": [["ann"], ["bob"]]}, status=201)
    assert "<select" not in ask.look("/leagues/plain-duels/matches").text
    assert "<select" not in ask.look("/leagues/plain-duels/player?name=ann").text

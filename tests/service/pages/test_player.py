"""The player page, and the comparison of several players."""

import csv
import io
import re
from html import unescape
from urllib.parse import quote

import pytest

from prowess.service.api.schemas.standings import Player

ODD = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a/b",
    "../..",
    "50%",
    "=cmd()",
    "王小明 🎲",
    "x" * 100,
]


@pytest.fixture(scope="module")
def league(ask):
    """A league with unusual names, in which Ann beats Bob 24 times and loses a match that does not count."""
    ask.create_league("player")
    matches = [{"id": f"m{at}", "teams": [["ann"], ["bob"]], "time": f"2026-01-{1 + at:02d}"} for at in range(24)]
    matches += [{"id": "odd/1", "teams": [["bob"], ["ann"]], "time": "2026-01-30", "importance": 0}]
    matches += [{"teams": [["bob", name], ["cat"]], "time": "2026-01-31"} for name in ODD]
    ask.post("/api/leagues/player/matches", matches, status=201)
    return "/leagues/player/player"


def text(page):
    """Return the visible text of a page on one line."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_player_page_shows_the_rating_and_the_matches(ask, league):
    page = ask.look(f"{league}?name=ann").text
    words = text(page)
    told = ask.get("/api/leagues/player/players/ann").json()
    assert "Won, drawn, lost 24 · 0 · 1" in words
    assert f"Rank {told['rank']} of {told['players']}" in words
    margin = told["rating"]["points_high"] - told["rating"]["points"]
    assert f"Rating {told['rating']['points']:.0f} ± {margin:.0f}" in words
    assert "Skill" not in words
    assert "1–20 of 25 matches" in words
    assert "does not count" in words
    assert page.count('href="/leagues/player/match?id=m') >= 19
    assert 'href="/leagues/player/match?id=odd%2F1"' in page
    first = told["matches"][1]  # the newest match that counts
    assert f"{100 * first['expected']:.0f} %".replace("100 %", "> 99 %") in words
    assert re.search("/leagues/player/charts/curves.svg\\?name=ann&amp;hindsight=([0-9]+)&amp;revision=\\1", page)
    assert 'href="/leagues/player/player?name=ann&amp;name=bob"' in page
    older = text(ask.look(f"{league}?name=ann&offset=20").text)
    assert "21–25 of 25 matches" in older
    assert "There are only 25 matches" in text(ask.look(f"{league}?name=ann&offset=40").text)


def test_best_and_worst_rating_link_to_their_matches(ask, league):
    """Best and worst rating ignore the ten provisional matches; without points, only the worst rating does."""
    for scale, name, digits in (([1500, 400], "points", 0), (None, "shown", 1)):
        ask("PATCH", "/api/leagues/player", json={"settings": {"scale": scale}}, status=200)
        data = ask.get(f"{league}.json?name=ann").json()
        page = ask.look(f"{league}?name=ann").text
        worst = min(data["curve"][10:], key=lambda point: point[name])
        best = max(data["curve"][10 if scale else 0 :], key=lambda point: point[name])
        assert worst["shown"] > data["worst"]["shown"]
        for label, point in (("Best", best), ("Worst", worst)):
            id = f"m{point['match'] - 1}"
            shown = re.search(rf'{label} rating</dt><dd>([\d.−]+) <small><a href="[^"]*id=(\w+)"', page)
            assert shown.groups() == (f"{point[name]:.{digits}f}".replace("-", "−"), id)
        assert "ignore the first 10 matches" in text(page)
    ask("PATCH", "/api/leagues/player", json={"settings": {"scale": [1500, 400]}}, status=200)


def test_axis_of_the_skill_chart_ignores_provisional_matches(ask, league):
    data = ask.get(f"{league}.json?name=ann").json()
    spec = ask.get("/leagues/player/charts/curves.json?name=ann").json()
    low, high = spec["layer"][1]["encoding"]["y"]["scale"]["domain"]
    settled = data["curve"][10:]
    assert data["curve"][0]["points_low"] < low < min(point["points_low"] for point in settled)
    assert high > max(point["points_high"] for point in settled)


def test_small_rating_changes_are_shown_with_enough_digits_to_differ_from_zero(ask):
    ask.create_league("small", model={"name": "Elo", "parameters": {"k": 0.01}})
    ask.post("/api/leagues/small/matches", {"teams": [["ann"], ["bob"]], "id": "m"}, status=201)
    for page in ("player?name=ann", "matches?player=ann", "match?id=m", "predict?team=ann&team=bob"):
        words = text(ask.look(f"/leagues/small/{page}").text)
        assert "+0.005" in words or "+0.01" in words, page
        assert "±0" not in words


def test_player_page_is_served_as_json_and_csv(ask, league):
    told = ask.get(f"{league}.json?name=ann").json()
    Player.model_validate(told)
    assert told == ask.get("/api/leagues/player/players/ann?hindsight=true").json()
    rows = list(csv.DictReader(io.StringIO(ask.get(f"{league}.csv?name=ann").text)))
    assert [row["id"] for row in rows] == ["odd/1", *(f"m{at}" for at in range(23, -1, -1))]
    assert {(row["against"], row["teams"]) for row in rows} == {("bob", "2")}
    several = ask.get(f"{league}.json?name=ann&name=bob").json()
    assert [one["player"] for one in several["players"]] == ["ann", "bob"]
    assert several["pairs"] == [
        {"player": "ann", "opponent": "bob", "matches": 25, "wins": 24, "draws": 0, "losses": 1}
    ]
    curves = list(csv.DictReader(io.StringIO(ask.get(f"{league}.csv?name=ann&name=bob").text)))
    assert [row["player"] for row in curves].count("ann") == 24


def test_player_page_with_several_names_compares_the_players(ask, league):
    page = ask.look(f"{league}?name=ann&name=bob&name=cat").text
    words = text(page)
    assert "curves.svg?name=ann&amp;name=bob&amp;name=cat&amp;revision=" in page
    assert "ann – bob 25 24 : 1 0" in words
    assert "ann – cat" not in words
    assert "The other pairs have not met yet." in words
    assert 'href="/leagues/player/player?name=ann&amp;name=cat"' in page  # a link that removes bob
    assert "These players have not met yet." in text(ask.look(f"{league}?name=ann&name=cat").text)


def test_unknown_names_are_reported_with_suggestions(ask, league):
    page = ask.look(f"{league}?name=anna")
    assert page.status_code == 404
    assert "No player named “ anna ” in this league. Did you mean ann ?" in text(page.text)
    page = ask.look(f"{league}?name=bob&name=<b>&name=bob")
    assert page.status_code == 200
    assert "&lt;b&gt;" in page.text
    assert "<b>" not in page.text
    assert ask.look(league).status_code == 200
    many = "&".join(f"name={quote(name)}" for name in [*ODD[:6], "ann", "bob"])
    assert "only the first 7 are shown" in text(ask.look(f"{league}?{many}").text)
    for ending in (".json", ".csv"):
        ask("GET", f"{league}{ending}?name=anna", status=404)
        ask("GET", f"{league}{ending}", status=422)
        ask("GET", f"{league}{ending}?{many}", status=422)
    assert ask.look(f"{league}?name=ann&offset=-1").status_code == 422


@pytest.mark.parametrize("name", ODD)
def test_player_page_escapes_unusual_names(ask, league, name):
    page = ask.look(f"{league}?name={quote(name, safe='')}")
    assert page.status_code == 200
    assert "<script>alert" not in page.text
    assert "<img src=x" not in page.text
    assert f"name={quote(name, safe='').replace('%20', '+')}" in page.text.replace("%7E", "~")
    assert "Partners Player Matches Won Drawn Lost bob 1" in text(page.text)


@pytest.mark.parametrize(
    ("model", "clock", "match"),
    [
        ("Elo", "none", {"teams": [["ann"], ["bob"]]}),
        ("Elo", "number", {"teams": [["ann"], ["bob"]], "time": 7}),
        ("GaussianOD", "utc", {"teams": [["ann"], ["bob"]], "scores": [3.5, 1], "time": "2026-01-31"}),
        ("Glicko2", "utc", {"teams": [["ann"], ["bob"], ["cat"]], "ranks": [1, 1, 2], "time": "2026-01-31T19:30:00Z"}),
        ("TrueSkill", "none", {"teams": [["ann"], *([f"p{at}"] for at in range(400))]}),
    ],
    ids=["no times", "numeric times", "fractional scores", "rating periods and a tie", "401 teams"],
)
def test_player_pages_work_in_all_kinds_of_leagues(ask, model, clock, match):
    name = f"kind-{model}-{clock}-{len(match['teams'])}".lower()
    ask.create_league(name, model={"name": model}, clock=clock)
    ask.post(f"/api/leagues/{name}/matches", match, status=201)
    for names in ("name=ann", "name=ann&name=bob"):
        page = ask.look(f"/leagues/{name}/player?{names}")
        assert page.status_code == 200
        assert len(page.content) < 200_000
        charts = re.findall(r'data-chart="([^"]+)"', page.text)
        # Several players are drawn as known then, and again as known now if the model can use all matches.
        assert len(charts) == 1 + ("bob" in names and model == "GaussianOD")
        for chart in charts:
            spec = ask.get(unescape(chart)).json()
            assert ("area" in str(spec["layer"])) == (model != "Elo")
    assert ask.look(f"/leagues/{name}/player.csv?name=ann").status_code == 200


def test_player_without_counted_matches_has_no_rating(ask):
    ask.create_league("uncounted")
    match = {"teams": [["ann"], ["bob"]]}
    ask.post("/api/leagues/uncounted/matches", [match, {"teams": [["ann"], ["cat"]], "importance": 0}], status=201)
    page = ask.look("/leagues/uncounted/player?name=cat")
    assert page.status_code == 404
    assert "No match of “ cat ” counts, so there is no rating yet." in text(page.text)
    assert "cat 1 1 0 0" in text(ask.look("/leagues/uncounted/player?name=ann").text)


def test_name_suggestions_list_the_best_matches_first(ask):
    """The best players come first, but exact and prefix matches come before names that only contain the text."""
    ask.create_league("darts")
    order = ["Johanna", "Mary Ann", "ann", "Annika", "<script>ann</script>", *(f"zoe {k:03}" for k in range(300)), "zo"]
    ask.post("/api/leagues/darts/matches", {"teams": [[one] for one in order]}, status=201)

    def names(search, **rest):
        return ask.get("/leagues/darts/names.json", params={"search": search}, **rest).json()["names"]

    assert names("ANN", key=None) == ["ann", "Annika", "Mary Ann", "Johanna", "<script>ann</script>"]
    assert names("zo")[:2] == ["zo", "zoe 000"]
    assert len(names("zo")) == len(names("")) == 20
    assert names("nobody") == names(".*") == []
    known = ask.get("/leagues/darts/names.json?search=ann")
    ask.get("/leagues/darts/names.json?search=ann", headers={"If-None-Match": known.headers["etag"]}, status=304)


def test_name_suggestions_of_a_private_league_need_a_key(ask):
    ask.create_league("secret", public=False)
    ask.get("/leagues/secret/names.json?search=a", key=None, status=404)


def test_player_page_finds_players_by_names_in_any_spelling(ask):
    ask.create_league("spelt")
    matches = [{"teams": [["João Silva"], ["Rafael Nadal"]]}, {"teams": [["Ana"], ["ANA"]]}]
    ask.post("/api/leagues/spelt/matches", matches, status=201)
    assert ask.get("/leagues/spelt/player.json?name=silva,+joao").json()["player"] == "João Silva"
    both = ask.get("/leagues/spelt/player.json?name=joao+silva&name=NADAL+RAFAEL&name=Jo%C3%A3o+Silva").json()
    assert [one["player"] for one in both["players"]] == ["João Silva", "Rafael Nadal"]
    page = ask.look("/leagues/spelt/player?name=ana")
    assert page.status_code == 404
    assert 'name=Ana"' in page.text
    assert 'name=ANA"' in page.text

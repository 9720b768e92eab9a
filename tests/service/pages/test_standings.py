"""The standings page: rank changes, recent form, past standings, every kind of league, and data formats."""

import re

import pytest

WILD = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'


def post(ask, league, *matches):
    ask.post(f"/api/leagues/{league}/matches", list(matches), status=201)


def duel(winner, loser, day, **more):
    return {"teams": [[winner], [loser]], "time": day, **more}


def cells(page):
    """Return the rows of the table as text, without text for screen readers."""
    found = []
    for row in re.findall(r"<tr(?: class=\"[a-z ]+\")?>(.*?)</tr>", page.split("<tbody>")[1], re.S):
        seen = re.sub(r'<span class="unseen">.*?</span>', "", row)
        found.append([" ".join(re.sub(r"<[^>]+>", "", cell).split()) for cell in re.split(r"</t[dh]>", seen)[:-1]])
    return found


def test_standings_page_shows_rank_changes_and_recent_results(ask):
    ask.create_league("moving", settings={"provisional_matches": 3, "inactive_days": 20})
    post(ask, "moving", duel("ann", "bob", "2026-01-01"), duel("ann", "cat", "2026-01-03"))
    post(ask, "moving", duel("eve", "bob", "2025-12-01"))
    before = ask.get("/leagues/moving/standings.json").json()
    assert before["since"] == "2025-12-27"
    assert [row["change"] for row in before["players"]] == [None, 1 - 2, None, 2 - 4]  # ann, eve, cat, bob
    post(ask, "moving", duel("bob", "dan", "2026-01-09T20:00:00Z"), duel("bob", "ann", "2026-01-09T21:00:00Z"))
    drawn = {"teams": [["bob"], ["ann"]], "ranks": [1, 1], "time": "2026-01-09T21:30:00Z"}
    three = {"teams": [["cat"], ["bob"], ["ann"]], "time": "2026-01-09T22:00:00Z"}
    post(ask, "moving", drawn, three)
    told = ask.get("/leagues/moving/standings.json").json()
    assert told["since"] == "2026-01-02"
    then = {
        row["player"]: row["rank"] for row in ask.get("/leagues/moving/standings.json?at=2026-01-02").json()["players"]
    }
    assert set(then) == {"ann", "bob", "eve"}
    for row in told["players"]:
        assert row["change"] == (then[row["player"]] - row["rank"] if row["player"] in then else None)
    form = {
        row["player"]: [(one["result"], one["place"], one["teams"]) for one in row["form"]] for row in told["players"]
    }
    assert form["bob"] == [
        ("loss", 2, 2),
        ("win", 1, 2),
        ("win", 1, 2),
        ("draw", 1, 2),
        ("loss", 2, 3),
    ]  # the last five matches
    assert form["cat"] == [("loss", 2, 2), ("win", 1, 3)]
    page = ask.look("/leagues/moving/standings").text
    rows = {row[2].split()[0]: row for row in cells(page)}
    assert rows["bob"][6] == "LWWD2"
    assert 'title="place 2 of 3"' in page
    assert rows["dan"][1] == "new"
    assert rows["dan"][2] == "dan provisional"
    assert "eve" not in rows


def test_standings_page_hides_inactive_players(ask):
    ask.create_league("sleepers", settings={"inactive_days": 20, "ranking": "conservative"})
    post(ask, "sleepers", *[duel("eve", name, "2025-11-01") for name in ("bob", "ann", "dan")])
    post(ask, "sleepers", duel("ann", "cat", "2026-01-01"), duel("bob", "ann", "2026-01-09"))
    page = ask.look("/leagues/sleepers/standings").text
    assert [(row[0], row[2].split()[0]) for row in cells(page)] == [("1", "bob"), ("2", "ann"), ("3", "cat")]
    assert "2 inactive players are hidden" in page
    then = [row["player"] for row in ask.get("/api/leagues/sleepers/leaderboard?at=2026-01-02").json()["players"]]
    assert then[0] == "eve"
    shown = [name for name in then if name in ("ann", "bob", "cat")]
    for place, row in enumerate(cells(page)):
        gained = shown.index(row[2].split()[0]) - place
        assert row[1] == (f"{'▲' if gained > 0 else '▼'}{abs(gained)}" if gained else "–")
    for query in ("?show=all", "?active=false"):
        everybody = ask.look(f"/leagues/sleepers/standings{query}").text
        assert {row[2].split()[0] for row in cells(everybody)} == {"ann", "bob", "cat", "dan", "eve"}
        assert re.search(r'class="away">.*?eve.*?\(inactive\)', everybody, re.S)
        assert "inactive players are" not in everybody
    found = ask.look("/leagues/sleepers/standings?search=eve").text
    assert "No active player with “eve” in the name" in found
    assert "1 inactive player is hidden" in found
    assert len(ask.get("/leagues/sleepers/standings.json").json()["players"]) == 5
    assert len(ask.get("/leagues/sleepers/standings.csv").text.splitlines()) == 6
    assert "of 3 active" in ask.look("/leagues/sleepers/player?name=ann").text
    assert "of all 5" in ask.look("/leagues/sleepers/player?name=eve").text
    api = ask.get("/api/leagues/sleepers/leaderboard?active=true").json()["players"]
    assert [(row["rank"], row["player"]) for row in api] == [(1, "bob"), (2, "ann"), (3, "cat")]
    ann, eve = (ask.get(f"/api/leagues/sleepers/players/{name}").json() for name in ("ann", "eve"))
    assert (ann["active_rank"], ann["active_players"], eve["active_rank"]) == (2, 3, None)


def test_standings_on_the_page_equal_the_api_response(ask):
    ask.create_league("beside", settings={"provisional_matches": 2, "ranking": "conservative"})
    post(ask, "beside", *[duel(f"p{k}", f"p{k + 1}", "2026-01-01") for k in range(70)], duel("p3", "p9", "2026-02-01"))
    for query in ("", "?page=2", "?search=P1", "?provisional=true", "?at=2026-01-05"):
        api = ask.get(f"/api/leagues/beside/leaderboard{query}").json()
        told = ask.get(f"/leagues/beside/standings.json{query}").json()
        bare = [
            {name: value for name, value in row.items() if name not in ("change", "form")} for row in told["players"]
        ]
        assert bare == api["players"]
        assert {name: told[name] for name in ("revision", "total", "page", "size")} == {
            name: api[name] for name in ("revision", "total", "page", "size")
        }
    assert ask.get(ask.get("/leagues/beside/standings.json?provisional=false").json()["next"]).json()["page"] == 2
    assert ask.get("/leagues/beside/standings.json?show=established").json()["total"] == 69
    table = ask.get("/leagues/beside/standings.csv").text.splitlines()
    assert len(table) == 1 + 71  # the CSV file has the rows of all pages
    assert table[0].split(",")[:2] == ["rank", "player"]
    assert table[0].endswith("change,form")
    again = ask.look("/leagues/beside/standings")
    assert ask.look("/leagues/beside/standings", headers={"If-None-Match": again.headers["etag"]}).status_code == 304


def test_each_page_of_the_standings_has_its_own_url(ask):
    ask.create_league("paged")
    post(ask, "paged", *[duel(f"p{2 * k}", f"p{2 * k + 1}", "2026-01-01") for k in range(60)])
    first, last = (
        ask.look("/leagues/paged/standings?search=&at=").text,
        ask.look("/leagues/paged/standings?page=3").text,
    )
    assert "1–50 of 120 players" in first
    assert "101–120 of 120 players" in last
    assert re.findall(r'rel="(\w+)"', first)[-1] == "next"
    assert "/leagues/paged/standings?page=2" in first
    assert "There are only 3 pages" in ask.look("/leagues/paged/standings?page=9").text
    assert (
        "page=2&amp;search=p&amp;show=provisional"
        in ask.look("/leagues/paged/standings?search=p&show=provisional").text
    )
    assert len(cells(ask.look("/leagues/paged/standings?search=P11").text)) == 11
    assert "No player with “zz” in the name" in ask.look("/leagues/paged/standings?search=zz").text


def test_past_standings_are_labelled_with_their_date(ask):
    ask.create_league("pasts")
    post(ask, "pasts", duel("ann", "bob", "2026-01-01"), duel("cat", "bob", "2026-02-01"))
    ask.post("/api/leagues/pasts/seasons", {"name": "spring", "start": "2026-01-15"}, status=201)
    post(ask, "pasts", duel("dan", "bob", "2026-03-01"))
    ask.post("/api/leagues/pasts/seasons", {"name": "summer", "start": "2026-02-15"}, status=201)
    ask("PUT", "/api/leagues/pasts/model", json={"name": "Elo"}, status=200)
    now = ask.look("/leagues/pasts/standings").text
    assert "Back to the current standings" not in now
    for query, words, players in (
        ("at=2026-01-10", "Standings on 10 Jan 2026", 2),
        ("season=spring", "end of the season spring", 3),
        ("generation=1", "Standings by TrueSkill", 4),
        ("revision=1", "after change 1 of", 3),
    ):
        page = ask.look(f"/leagues/pasts/standings?{query}").text
        assert words in page
        assert "Back to the current standings" in page
        assert len(cells(page)) == players
        if not query.startswith("revision"):
            assert f"/leagues/pasts/standings?{query}" in now or query.startswith("at")
    assert "Nobody had played by then" in ask.look("/leagues/pasts/standings?at=2020-01-01").text


def test_standings_page_links_to_the_end_of_every_earlier_season(ask):
    def offered(league):
        text = ask.look(f"/leagues/{league}/standings").text
        return re.findall(
            r'standings\?([^"]+)">([^<]+)', text.partition("At the end of a season:")[2].partition("</p>")[0]
        )

    for league, clock, times, start, before in (
        ("days", "utc", ["2025-12-31", "2026-01-02"], "2026-01-01", "at=2025-12-31"),
        ("hours", "utc", ["2026-01-01", "2026-01-02"], "2026-01-01T12:00:00Z", "at=2026-01-01T00%3A00%3A00Z"),
        ("rounds", "number", [3, 7], 5, "at=3.0"),
    ):
        ask.create_league(league, clock=clock)
        seasons = f"/api/leagues/{league}/seasons"
        post(ask, league, duel("ann", "bob", times[0]))
        then = cells(ask.look(f"/leagues/{league}/standings").text)
        assert offered(league) == []
        ask.post(seasons, {"name": "spring", "start": start, "carry": 0.5}, status=201)
        post(ask, league, duel("ann", "bob", times[1]))
        assert offered(league) == [(before, "before spring")]
        assert len(cells(ask.look(f"/leagues/{league}/standings?{before}").text)) == len(then) == 2
        shown = [one["mu"] for one in ask.look(f"/leagues/{league}/standings.json?{before}").json()["players"]]
        assert max(shown) > 29  # the rating before the new season moved it towards 25
        ask.post(seasons, {"name": "summer", "start": times[1], "carry": 0.5}, status=201)
        assert offered(league) == [(before, "before spring"), ("season=spring", "spring")]


@pytest.fixture(scope="module")
def senseless(ask):
    ask.create_league("senseless")
    post(ask, "senseless", duel("ann", "bob", "2026-01-01"))
    return "/leagues/senseless/standings"


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("page=0", 422, "Page: "),
        ("at=yesterday", 422, "At: &#39;yesterday&#39; isn&#39;t a date I understand"),
        ("show=best", 422, "Show: "),
        ("generation=x", 422, "Generation: "),
        ("at=2026-01-01&season=x", 422, "Season: this parameter cannot be combined with at"),
        ("season=x", 404, "no season named &#39;x&#39;"),
    ],
)
def test_standings_page_refuses_invalid_and_contradictory_queries(ask, senseless, query, status, words):
    answer = ask.look(f"{senseless}?{query}")
    assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert words in answer.text


@pytest.mark.parametrize("clock", ["utc", "number", "none"])
@pytest.mark.parametrize("model", ["TrueSkill", "Elo", "PoissonOD", "Glicko2"])
def test_standings_page_works_for_every_kind_of_league(ask, clock, model):
    name = f"kind-{clock}-{model}".lower()
    ask.create_league(name, clock=clock, model={"name": model})
    empty = ask.look(f"/leagues/{name}/standings", key=ask.admin).text
    assert f'href="/leagues/{name}/enter"' in empty
    assert "<table" not in empty
    assert ask.get(f"/leagues/{name}/standings.csv").status_code == 200
    times = {"utc": ["2026-01-01", "2026-03-01"], "number": [1, 30], "none": [None, None]}[clock]
    matches = [{"teams": [[WILD], ["../.."]], "scores": [2 + k, k]} for k in range(2)]
    post(
        ask,
        name,
        *[match | ({} if time is None else {"time": time}) for match, time in zip(matches, times, strict=True)],
    )
    page = ask.look(f"/leagues/{name}/standings").text
    assert "<script>alert" not in page
    assert len(cells(page)) == 2
    assert ("▲▼" in page) == (clock != "none")
    assert "Skill ± uncertainty" not in page
    assert ("±" in page) == (model != "Elo")
    ask("PATCH", f"/api/leagues/{name}", json={"settings": {"scale": None}}, status=200)
    assert ("Skill ± uncertainty" in ask.look(f"/leagues/{name}/standings").text) == (model != "Elo")
    assert ("Last match" in page) == ('name="at"' in page) == (clock != "none")
    past = ask.look(f"/leagues/{name}/standings?at={times[0]}")
    assert past.status_code == (200 if clock != "none" else 422)

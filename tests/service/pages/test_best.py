"""The best players of all time and on a day, and skill curves as known then and now."""

import json
from datetime import date, timedelta

import pytest

import prowess as pw
from prowess.lab.charts.skill import KNOWN_NOW, KNOWN_THEN
from prowess.service.background.hindsights import Hindsights, HindsightState
from prowess.service.pages import best as page
from tests.service.pages.page_client import words
from tests.store.read.reading import matches

GIVEN = [
    match | {"time": (date(2023, 6, 1) + timedelta(days=20 * k)).isoformat()} for k, match in enumerate(matches(60))
]


@pytest.fixture(scope="module")
def history(ask):
    ask.create_league("fame")
    ask.post("/api/leagues/fame/matches", GIVEN, status=201)
    return pw.History.from_matches(GIVEN)


@pytest.fixture(scope="module")
def hindsight(history):
    return pw.TrueSkill().hindsight(history)


def test_best_of_all_time_lists_players_with_the_day_of_their_best_match(ask, hindsight):
    shown = ask.look("/leagues/fame/best")
    best = hindsight.best(ranking="mean")
    assert shown.status_code == 200
    assert "Best of all time" in words(shown)
    assert [row["player"] for row in ask.get("/leagues/fame/best.json").json()["players"]] == best["player"].to_list()
    for match, time in zip(best["match"], best["time"], strict=True):
        assert f'match?id=m{match}">{time.day} {time:%b} {time.year}</a>' in shown.text
    names = [line.split(",")[1] for line in ask.get("/leagues/fame/best.csv").text.splitlines()]
    assert names == ["player", *best["player"]]


def test_best_on_a_day_lists_the_ranks_of_that_day(ask, hindsight):
    rows = ask.get("/leagues/fame/best.json?on=2024-12-31").json()["players"]
    now = hindsight.leaderboard(at="2024-12-31", ranking="mean")
    earlier = pw.History.from_matches([match for match in GIVEN if match["time"] <= "2024-12-31"])
    then = pw.TrueSkill().fit(earlier).leaderboard(ranking="mean")
    ranks = dict(zip(then["player"], then["rank"], strict=True))
    assert [row["player"] for row in rows] == now["player"].to_list()
    assert [row["rank_then"] for row in rows] == [ranks[row["player"]] for row in rows]
    shown = words(ask.look("/leagues/fame/best?on=2024-12-31"))
    assert "Best on 31 Dec 2024" in shown
    assert "end of 2023 , end of 2024 , end of 2025" in shown


def test_day_of_the_last_match_lists_its_players(ask, hindsight):
    last = GIVEN[-1]
    rows = ask.get(f"/leagues/fame/best.json?on={last['time']}").json()["players"]
    assert {row["player"] for row in rows} == {name for team in last["teams"] for name in team}
    rows = ask.get(f"/api/leagues/fame/leaderboard?hindsight=true&at={last['time']}").json()["players"]
    assert {row["player"] for row in rows} == {name for team in last["teams"] for name in team}


def test_days_without_players_and_odd_days(ask, hindsight):
    assert "Nobody was between a first and a last match then" in words(ask.look("/leagues/fame/best?on=1999-01-01"))
    assert "Nobody was between a first and a last match then" in words(ask.look("/leagues/fame/best?on=2100-01-01"))
    assert ask.look("/leagues/fame/best?on=someday").status_code == 422
    assert "No player has 1,000 matches" in words(ask.look("/leagues/fame/best?min_matches=1000"))
    assert "There are no more players" in words(ask.look("/leagues/fame/best?page=9"))


def test_pages_of_many_players_are_linked(ask, hindsight, monkeypatch):
    monkeypatch.setattr(page, "SIZE", 3)
    first = ask.get("/leagues/fame/best.json").json()
    assert first["next"] == "/leagues/fame/best.json?page=2"
    assert len(ask.get(first["next"]).json()["players"]) == 1
    assert ask.get("/leagues/fame/best.json?on=2024-12-31").json()["next"].endswith("on=2024-12-31&page=2")
    assert len(ask.get("/leagues/fame/best.csv").text.splitlines()) == 5


def test_curves_show_what_was_known_then_and_what_is_known_now(ask, hindsight):
    shown = ask.look("/leagues/fame/player?name=ann")
    assert "“Known now” uses all matches" in words(shown)
    assert "hindsight=1" in shown.text
    curve = ask.get("/leagues/fame/player.json?name=ann").json()["hindsight"]
    assert [point["mu"] for point in curve] == pytest.approx(hindsight.curve("ann")["mu"].to_list())
    both = drawn(ask, "name=ann&hindsight=1")
    assert {row["player"] for row in both} == {KNOWN_THEN, KNOWN_NOW}
    now = [row["mu"] for row in both if row["player"] == KNOWN_NOW]
    assert now == pytest.approx([point["points"] for point in curve], rel=1e-5)
    several = drawn(ask, "name=ann&name=bob&hindsight=1")
    assert {row["player"] for row in several} == {"ann", "bob"}
    assert [row["mu"] for row in several if row["player"] == "ann"] == now
    assert "As known now" in words(ask.look("/leagues/fame/player?name=ann&name=bob"))


def drawn(ask, query):
    """Return the points of a chart of curves."""
    spec = ask.get(f"/leagues/fame/charts/curves.json?{query}&revision=1").json()
    values = spec["data"].get("values") or spec["datasets"][spec["data"]["name"]]
    return json.loads(values) if isinstance(values, str) else values


def test_chart_without_its_hindsight_is_drawn_as_known_then_and_not_cached(ask, hindsight, monkeypatch):
    query = "/leagues/fame/charts/curves.svg?name=ann&hindsight=1&revision=1"
    assert "immutable" in ask.get(query).headers["cache-control"]
    monkeypatch.setattr(Hindsights, "kept", lambda self, league: None)
    response = ask.get(query)
    assert response.headers["cache-control"] == "no-cache"
    assert KNOWN_NOW not in response.text


def test_pages_show_the_progress_of_the_first_fit(ask, hindsight, monkeypatch):
    monkeypatch.setattr(Hindsights, "of", lambda *_: HindsightState(None, share=0.25))
    for path in ("/leagues/fame/best", "/leagues/fame/player?name=ann", "/leagues/fame/player?name=ann&name=bob"):
        shown = ask.look(path)
        assert shown.status_code == 200
        assert 'data-refresh="2"' in shown.text
        assert 'value="0.250"' in shown.text
        assert "etag" not in shown.headers
    assert ask.get("/leagues/fame/best.json", status=503).headers["retry-after"]
    assert ask.get("/leagues/fame/player.json?name=ann").json()["hindsight"] is None


def test_leagues_without_hindsight_or_times(ask):
    ask.create_league("elo", model={"name": "Elo"})
    ask.post("/api/leagues/elo/matches", GIVEN, status=201)
    shown = words(ask.look("/leagues/elo/best"))
    assert "Elo updates ratings match by match and cannot use a whole history" in shown
    assert "Known now" not in words(ask.look("/leagues/elo/player?name=ann"))
    ask.get("/leagues/elo/best.json", status=422)
    ask.create_league("timeless", clock="none")
    untimed = [{key: match[key] for key in ("id", "teams", "scores")} for match in GIVEN]
    ask.post("/api/leagues/timeless/matches", untimed, status=201)
    assert "The matches of this league have no times" in words(ask.look("/leagues/timeless/best"))
    assert ask.look("/leagues/timeless/best?on=2024-01-01").status_code == 422
    assert "Nobody has played yet" in words(ask.look(f"/leagues/{ask.create_league('nobody')['name']}/best"))

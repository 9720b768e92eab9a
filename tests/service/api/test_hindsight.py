"""Ratings in hindsight over the API: the best of all time, standings on a day, and curves."""

import pytest

import prowess as pw
from prowess.service.background import hindsights
from prowess.service.background.hindsights import HindsightState
from tests.store.read.reading import matches

DAYS = [match | {"time": f"2026-{1 + k // 28:02d}-{1 + k % 28:02d}"} for k, match in enumerate(matches(60))]


@pytest.fixture
def darts(ask, league):
    """A league with matches, and its hindsight by the library."""
    ask.post(f"{league}/matches", DAYS, status=201)
    return league, pw.TrueSkill().hindsight(pw.History.from_matches(DAYS))


def test_best_players_of_all_time(ask, darts):
    league, expected = darts
    best = expected.best(ranking="mean")
    found = ask.get(f"{league}/best").json()
    rows = found["players"]
    assert (found["total"], found["next"]) == (4, None)
    assert [row["player"] for row in rows] == best["player"].to_list()
    assert [row["mu"] for row in rows] == pytest.approx(best["mu"].to_list())
    assert [row["match"] - 1 for row in rows] == best["match"].to_list()
    assert [row["time"][:10] for row in rows] == [str(day) for day in best["time"]]
    first = ask.get(f"{league}/best?size=3").json()
    assert first["players"] + ask.get(first["next"]).json()["players"] == rows
    assert ask.get(f"{league}/best?min_matches=1000").json()["players"] == []
    tag = ask.get(f"{league}/best").headers["etag"]
    assert ask.get(f"{league}/best", headers={"If-None-Match": tag}, status=304).content == b""
    ask("DELETE", f"{league}/matches/m7", status=200)
    assert ask.get(f"{league}/best", headers={"If-None-Match": tag}).json()["revision"] == 2


def test_standings_in_hindsight(ask, darts):
    league, expected = darts
    for query, frame in (
        ("", expected.leaderboard(ranking="mean")),
        ("&at=2026-01-20", expected.leaderboard(at="2026-01-20", ranking="mean")),
        ("&at=2026-01-01", expected.leaderboard(at="2026-01-01", ranking="mean")),
    ):
        rows = ask.get(f"{league}/leaderboard?hindsight=true{query}").json()["players"]
        assert [row["player"] for row in rows] == frame["player"].to_list()
        assert [row["mu"] for row in rows] == pytest.approx(frame["mu"].to_list())
        assert [row["matches"] for row in rows] == frame["matches"].to_list()
        table = ask.get(f"{league}/leaderboard.csv?hindsight=true{query}").text.splitlines()
        assert [line.split(",")[1] for line in table[1:]] == frame["player"].to_list()
    first = ask.get(f"{league}/leaderboard?hindsight=true&size=3").json()
    assert len(ask.get(first["next"]).json()["players"]) == 1
    refused = ask.get(f"{league}/leaderboard?hindsight=true&revision=1", status=422).json()
    assert refused["errors"][0]["field"] == "revision"


def test_curve_of_a_player_in_hindsight(ask, darts):
    league, expected = darts
    assert ask.get(f"{league}/players/ann").json().get("hindsight") is None
    player = ask.get(f"{league}/players/ann?hindsight=true").json()
    curve = expected.curve("ann")
    assert [point["mu"] for point in player["hindsight"]] == pytest.approx(curve["mu"].to_list())
    assert [point["match"] for point in player["hindsight"]] == [point["match"] for point in player["curve"]]
    assert player["hindsight"][0]["mu"] != pytest.approx(player["curve"][0]["mu"])


def test_points_of_a_scale_are_given(ask):
    ask.create_league("scaled", settings={"scale": [1500, 400]})
    ask.post("/api/leagues/scaled/matches", DAYS, status=201)
    best = ask.get("/api/leagues/scaled/best").json()["players"][0]
    assert best["points_low"] < best["points"] < best["points_high"]


def test_models_without_hindsight_are_refused(ask):
    ask.create_league("elo", model={"name": "Elo"})
    ask.post("/api/leagues/elo/matches", DAYS, status=201)
    for path in ("best", "leaderboard?hindsight=true", "players/ann?hindsight=true"):
        assert "TrueSkill, TS2" in ask.get(f"/api/leagues/elo/{path}", status=422).json()["detail"]


def test_first_fit_of_a_large_league_is_not_available_yet(ask, darts, monkeypatch):
    league, _ = darts
    monkeypatch.setattr(hindsights.Hindsights, "of", lambda self, league: HindsightState(None, share=0.25))
    refused = ask.get(f"{league}/best", status=503)
    assert "is being computed; 25 % is done" in refused.json()["detail"]
    assert refused.headers["retry-after"]


def test_leagues_without_matches_have_an_empty_list(ask, league):
    assert ask.get(f"{league}/best").json()["players"] == []
    assert ask.get(f"{league}/leaderboard?hindsight=true").json()["players"] == []

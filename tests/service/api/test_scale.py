"""The scale of a league over HTTP: the setting, and ratings in points in every response that has ratings."""

import csv
import io

import pytest

import prowess as pw
from prowess.service.api.schemas.matches import MatchDetails
from prowess.service.api.schemas.standings import Leaderboard, Player

MATCHES = [
    {"id": f"m{day}", "teams": [["ann"], ["bob"]], "scores": [3, day % 3], "time": f"2026-01-0{day}"}
    for day in range(1, 6)
]
POINTS = ["points", "points_low", "points_high"]


def league(ask, name, model="TrueSkill", **settings):
    ask.create_league(name, model={"name": model}, settings=settings)
    ask.post(f"/api/leagues/{name}/matches", MATCHES, status=201)
    return f"/api/leagues/{name}"


@pytest.mark.parametrize("model", ["TrueSkill", "Elo", "Glicko2", "GaussianSD", "PoissonOD"])
def test_points_in_responses_equal_those_of_a_ladder_with_the_same_scale(ask, model):
    path = league(ask, f"points-{model}".lower(), model)
    ladder = pw.Ladder(getattr(pw, model)(), scale=(1500, 400))
    for match in MATCHES:
        ladder.record(match["teams"], scores=match["scores"], time=f"{match['time']}T00:00:00Z")
    own = {row["player"]: row for row in ladder.leaderboard().to_dicts()}
    body = ask.get(f"{path}/leaderboard").json()
    Leaderboard.model_validate(body)
    for row in body["players"]:
        assert [row[name] for name in POINTS] == [own[row["player"]][name] for name in POINTS]
    player = ask.get(f"{path}/players/ann").json()
    Player.model_validate(player)
    wanted = [own["ann"][name] for name in POINTS]
    assert [player["rating"][name] for name in POINTS] == wanted
    if ladder.model.period is None:  # in an open rating period, the curve may differ from the current rating
        assert [player["curve"][-1][name] for name in POINTS] == pytest.approx(wanted)
        assert [player["matches"][0]["after"][name] for name in POINTS] == pytest.approx(wanted)
    factor = ladder.points.factor
    match = ask.get(f"{path}/matches/m5").json()
    MatchDetails.model_validate(match)
    for row in (player["matches"][0], *match["players"]):
        assert row["points_moved"] == pytest.approx(factor * row["moved"])
        assert row["after"]["points"] - row["before"]["points"] == pytest.approx(row["points_moved"], abs=1e-9)
    table = list(csv.DictReader(io.StringIO(ask.get(f"{path}/leaderboard.csv").text)))
    assert [row["points"] != "" for row in table] == [True, True]


def test_league_without_a_scale_has_no_points(ask):
    path = league(ask, "plain", scale=None)
    assert ask.get(path).json()["settings"]["scale"] is None
    assert "points" not in ask.get(f"{path}/leaderboard").text
    assert "points" not in ask.get(f"{path}/players/ann").text
    assert "points" not in ask.get(f"{path}/matches/m1").text
    assert "points" not in ask.get(f"{path}/leaderboard.csv").text


def test_scale_can_be_set_changed_and_removed(ask):
    path = league(ask, "scaled", scale=[1000, 100])
    first = ask.get(f"{path}/leaderboard")
    etag = {"If-None-Match": first.headers["etag"]}
    assert ask("GET", f"{path}/leaderboard", headers=etag).status_code == 304
    ask("PATCH", path, json={"settings": {"inactive_days": 5}}, status=200)
    assert ask.get(path).json()["settings"]["scale"] == [1000.0, 100.0]
    ask("PATCH", path, json={"settings": {"scale": [1500, 400]}}, status=200)
    second = ask.get(f"{path}/leaderboard", headers=etag).json()["players"][0]
    row = first.json()["players"][0]
    assert second["points"] - 1500 == pytest.approx(4 * (row["points"] - 1000))
    assert (second["shown"], second["rank"]) == (row["shown"], row["rank"])
    ask("PATCH", path, json={"settings": {"scale": None}}, status=200)
    assert "points" not in ask.get(f"{path}/leaderboard").json()["players"][0]
    assert ask.get("/api/leagues/scaled/leaderboard?revision=0").json()["players"] == []


@pytest.mark.parametrize("scale", [[1500], [1500, 0], [1500, -4], [1500, 400, 1], "1500,400", [1, "x"], 400], ids=repr)
def test_invalid_scales_are_refused(ask, scale):
    name = f"refused-{abs(hash(str(scale))) % 10**6}"
    answer = ask.post("/api/leagues", {"name": name, "settings": {"scale": scale}}, status=422)
    assert "scale" in str(answer.json())
    ask.get(f"/api/leagues/{name}", status=404)


def test_past_standings_and_standings_of_earlier_models_are_shown_in_points(ask):
    path = league(ask, "earlier")
    ask("PUT", f"{path}/model", json={"name": "Elo"}, status=200)
    now = ask.get(f"{path}/leaderboard").json()["players"][0]
    assert now["points"] == now["mu"]
    old = ask.get(f"{path}/leaderboard?generation=1").json()["players"][0]
    assert old["points"] == pw.TrueSkill().points().of(old["mu"])
    then = ask.get(f"{path}/leaderboard?at=2026-01-01").json()["players"]
    assert [row["points"] for row in then] == [1516.0, 1484.0]

"""Leagues whose models have statistics, over HTTP: the responses have the numbers of the library."""

import random
from itertools import count

import pytest

import prowess as pw
from prowess.client import responses
from prowess.service.api.schemas import matches as schemas
from prowess.service.api.schemas import standings

KILLS = {"is": "Points", "column": "kills", "per": ["mode"]}
DEATHS = {"is": "Points", "column": "deaths", "per": None, "lower": True, "omega": 0.5, "gamma": 3.0}
MODEL = {"name": "TrueSkill", "parameters": {"statistics": [KILLS, DEATHS], "kills_gamma": 1.5}}
TEAMS = [["ann", "bob"], ["cat", "dan"]]
CHANCE = random.Random(1)


def each_player():
    return [[CHANCE.randint(0, 20) for _ in range(2)] for _ in range(2)]


MATCHES = [
    {
        "id": f"m{number}",
        "teams": TEAMS if number % 3 else TEAMS[::-1],
        "time": f"2026-01-{number:02}",
        "context": {"mode": "duel" if number % 2 else "flag"},
        "statistics": {"kills": each_player(), "deaths": each_player()},
    }
    for number in range(1, 25)
]
NUMBERS = count(1)


@pytest.fixture
def url(ask):
    name = f"arena-{next(NUMBERS)}"
    ask.create_league(name, model=MODEL)
    ask.post(f"/api/leagues/{name}/matches", MATCHES, status=201)
    return f"/api/leagues/{name}"


@pytest.fixture
def fit():
    deaths = pw.statistic.Points("deaths", per=None, lower=True, omega=0.5, gamma=3.0)
    statistics = (pw.statistic.Points("kills", per="mode", gamma=1.5), deaths)
    return pw.TrueSkill().replace(statistics=statistics).fit(pw.History.from_matches(MATCHES))


def test_ratings_are_those_of_the_library(ask, url, fit):
    told = ask.get(f"{url}/leaderboard", status=200).json()["players"]
    wanted = fit.leaderboard()
    assert [(row["player"], row["mu"], row["sigma"]) for row in told] == wanted.select("player", "mu", "sigma").rows()


def test_match_has_the_statistics_and_what_they_changed(ask, url, fit):
    told = ask.get(f"{url}/matches/m24", status=200).json()
    schemas.MatchDetails.model_validate(told)
    assert told["context"] == MATCHES[-1]["context"] | MATCHES[-1]["statistics"]
    account = fit.account(23)
    factor = fit.ladder.points_on((1500, 400)).factor
    assert len(told["players"]) == 4
    for shown, row in zip(told["players"], account.rows, strict=True):
        assert shown["statistics"] == {"kills": row["statistic_kills"], "deaths": row["statistic_deaths"]}
        assert shown["moved_by_statistics"] == row["moved_by_statistics"] != 0.0
        assert shown["points_moved_by_statistics"] == pytest.approx(factor * row["moved_by_statistics"])
        assert "from the result" in shown["why"]


def test_match_of_a_league_without_statistics_has_only_their_context(ask, league):
    ask.post(f"{league}/matches", MATCHES[0], status=201)
    told = ask.get(f"{league}/matches/m1", status=200).json()
    assert told["context"]["kills"] == MATCHES[0]["statistics"]["kills"]
    assert not any("statistics" in key for player in told["players"] for key in player)


def test_correction_of_a_statistic_changes_the_ratings(ask, url):
    before = ask.get(f"{url}/players/ann", status=200).json()["rating"]
    changed = {key: value for key, value in MATCHES[-1].items() if key != "id"}
    changed["statistics"] = {"kills": [[0, 0], [0, 20]]}
    told = ask("PUT", f"{url}/matches/m24", json=changed, status=200).json()
    assert {row["player"] for row in told["ratings"]} == {"ann", "bob", "cat", "dan"}
    assert ask.get(f"{url}/players/ann", status=200).json()["rating"] != before
    assert "deaths" not in ask.get(f"{url}/matches/m24", status=200).json()["context"]


@pytest.mark.parametrize(
    ("statistics", "text"),
    [
        (7, "statistics must be a mapping"),
        ({"kills": 7}, "statistics 'kills' must have a number for each player"),
        ({"kills": [9, 5]}, "statistics 'kills' must have a number for each player"),
        ({"kills": [[9], [5, 6]]}, "statistics 'kills' must have a number for each player"),
        ({"kills": [[9, "4"], [5, 6]]}, "statistics 'kills' must have a number for each player, not '4'"),
        ({"kills": [[9, True], [5, 6]]}, "statistics 'kills' must have a number for each player, not True"),
        ({"mode": [[9, 4], [5, 6]]}, "statistics 'mode' is in the context, too; give it once"),
    ],
)
def test_wrong_statistics_are_errors_with_match_and_field(ask, url, statistics, text):
    wrong = {"teams": TEAMS, "context": {"mode": "duel"}, "statistics": statistics}
    told = ask.post(f"{url}/matches", [{"teams": TEAMS}, wrong], status=422).json()
    assert f"match 2: {text}" in told["detail"]
    assert [error["field"] for error in told["errors"]] == ["matches[1].statistics"]
    assert ask.get(url, status=200).json()["revision"] == 1


def test_statistics_of_a_single_match_need_not_be_complete(ask, url):
    some = {"teams": TEAMS, "statistics": {"kills": [[9, None], [None, 6]], "assists": [[1, 2], [3, 4]]}}
    told = ask.post(f"{url}/matches", some, status=201).json()
    shown = ask.get(f"{url}/matches/{told['matches'][0]['id']}", status=200).json()
    assert shown["context"] == some["statistics"]
    assert shown["players"][1]["statistics"] == {"kills": None, "deaths": None}


def test_prediction_refuses_statistics(ask, url, fit):
    told = ask.post(f"{url}/predict", {"teams": TEAMS}, status=200).json()
    assert told["win"] == fit.predict(TEAMS).win.tolist()
    for context in ({"kills": [[9, 4], [5, 6]]}, {"kills": 3}):
        refused = ask.post(f"{url}/predict", {"teams": TEAMS, "context": context}, status=422).json()
        assert "'kills' is a statistic, which is known only after the match" in refused["detail"]
    ask.post(f"{url}/predict", {"teams": TEAMS, "statistics": {"kills": [[9, 4], [5, 6]]}}, status=422)


def test_model_with_statistics_is_checked_and_returned(ask, url):
    assert ask.get(url, status=200).json()["model"] == MODEL
    for statistics in (
        [{"is": "Points", "column": ""}],
        [{"is": "By", "column": "mode"}],
        ["kills"],
        [KILLS, KILLS],
        7,
    ):
        wrong = {"name": "TrueSkill", "parameters": {"statistics": statistics}}
        ask("PUT", f"{url}/model", json=wrong, status=422)
    wrong = {"name": "Elo", "parameters": {"statistics": [KILLS]}}
    refused = ask("PUT", f"{url}/model", json=wrong, status=422).json()
    assert "statistics need a system with uncertainty" in refused["detail"]
    ask("PUT", f"{url}/model", json={"name": "TrueSkill", "parameters": {"statistics": [DEATHS]}}, status=200)


def test_openapi_document_describes_statistics(ask):
    document = ask.get("/openapi.json", status=200).json()
    body = document["paths"]["/api/leagues/{league}/matches/{id}"]["put"]["requestBody"]["content"]
    statistics = body["application/json"]["schema"]["properties"]["statistics"]
    assert statistics["examples"] == [{"kills": [[9, 4], [5, 6]]}]


def test_effects_list_the_statistics_with_their_parameters(ask, url, fit):
    told = ask.get(f"{url}/effects", status=200).json()
    standings.Effects.model_validate(told)
    assert responses.parse_statistics(told["statistics"]) == fit.model.statistics
    kills, deaths = told["statistics"]
    assert (kills["kind"], kills["column"], kills["gamma"], kills["per"]) == ("points", "kills", 1.5, ["mode"])
    assert (deaths["omega"], deaths["per"], deaths["lower"]) == (0.5, None, True)


def test_effects_list_statistics_of_every_kind(ask):
    given = [{"is": "Counts", "column": "aces"}, {"is": "Times", "column": "lap"}, {"is": "Quit", "column": "left"}]
    ask.create_league("kinds", model={"name": "TrueSkill", "parameters": {"statistics": given}})
    told = ask.get("/api/leagues/kinds/effects", status=200).json()
    standings.Effects.model_validate(told)
    assert [(row["kind"], row.get("margin")) for row in told["statistics"]] == [
        ("counts", None),
        ("times", None),
        ("quit", 0.0),
    ]
    kinds = responses.parse_statistics(told["statistics"])
    assert [type(statistic) for statistic in kinds] == [pw.statistic.Counts, pw.statistic.Times, pw.statistic.Quit]

"""Leagues whose models have facets, over HTTP: the responses have the numbers of the library."""

from itertools import count

import pytest

import prowess as pw
from prowess.service.api.schemas import forecasts, standings

SURFACE, SIDE = {"is": "By", "column": "surface", "sigma": 3.0}, {"is": "Shared", "column": "side", "sigma": 1.0}
MODEL = {
    "name": "TrueSkill",
    "parameters": {"facets": [SURFACE, SIDE, {"is": "By", "column": "rest", "numeric": True}]},
}
PAIR = [["nadal"], ["federer"]]
MATCHES = [
    {"teams": PAIR, "context": {"surface": "clay", "side": ["near", "far"], "rest": [3, 1]}},
    {"teams": PAIR[::-1], "context": {"surface": "grass", "side": ["near", "far"]}},
    {"teams": [["murray"], ["nadal"]], "context": {"surface": "grass"}},
] * 4
MATCHES = [one | {"time": f"2026-01-{day:02}"} for day, one in enumerate(MATCHES, 1)]
NUMBERS = count(1)


@pytest.fixture
def url(ask):
    name = f"tennis-{next(NUMBERS)}"
    ask.create_league(name, model=MODEL)
    ask.post(f"/api/leagues/{name}/matches", MATCHES, status=201)
    return f"/api/leagues/{name}"


@pytest.fixture
def ladder():
    facets = (pw.facet.By("surface", sigma=3.0), pw.facet.Shared("side", sigma=1.0), pw.facet.By("rest", numeric=True))
    return pw.TrueSkill().replace(facets=facets).fit(pw.History.from_matches(MATCHES)).ladder


def test_leaderboard_at_a_value_of_the_context_has_the_ratings_of_the_library(ask, url, ladder):
    for query in ("surface=clay", "context.surface=clay"):
        told = ask.get(f"{url}/leaderboard?{query}", status=200).json()
        standings.Leaderboard.model_validate(told)
        wanted = ladder.leaderboard(surface="clay", ranking="mean").to_dicts()
        names = ("rank", "player", "mu", "sigma", "shown", "matches")
        assert [[row[name] for name in names] for row in told["players"]] == [
            [row[name] for name in names] for row in wanted
        ]
    rest = ask.get(f"{url}/leaderboard?rest=2", status=200).json()["players"]
    assert [row["mu"] for row in rest] == ladder.leaderboard(rest=2, ranking="mean")["mu"].to_list()
    skills = ask.get(f"{url}/leaderboard?surface=", status=200).json()["players"]
    assert [row["mu"] for row in skills] == ladder.leaderboard(ranking="mean")["mu"].to_list()
    csv = ask.get(f"{url}/leaderboard.csv?surface=grass", status=200).text.splitlines()
    assert csv[1].split(",")[1] == ladder.leaderboard(surface="grass", ranking="mean")["player"][0]


def test_next_page_of_the_leaderboard_keeps_the_value(ask, url, ladder):
    first = ask.get(f"{url}/leaderboard?surface=clay&size=1", status=200).json()
    assert "context.surface=clay" in first["next"]
    rest = ask.get(first["next"], status=200).json()["players"]
    players = [row["player"] for row in first["players"] + rest]
    assert players == ladder.leaderboard(surface="clay", ranking="mean")["player"].to_list()


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("surface=ice", "no match has the surface 'ice'; there are clay and grass"),
        ("context.round=final", "unknown context 'round'"),
        ("rest=long", "a number is needed, not 'long'"),
    ],
)
def test_unknown_values_of_the_context_are_refused(ask, url, ladder, query, text):
    assert text in ask.get(f"{url}/leaderboard?{query}", status=422).json()["detail"]


@pytest.mark.parametrize("path", ["leaderboard", "leaderboard.csv"])
@pytest.mark.parametrize("unknown", ["region", "show", "context.region", "utm_source"])
@pytest.mark.parametrize("value", ["eu", ""])
def test_leaderboard_refuses_parameters_that_are_no_column_of_the_model(ask, url, path, unknown, value):
    problem = ask.get(f"{url}/{path}?{unknown}={value}", status=422).json()
    assert unknown.removeprefix("context.") in problem["detail"]
    assert "surface" in problem["detail"]
    ask.get(f"{url.removeprefix('/api')}/standings?utm_source=mail", status=200)


def test_column_with_the_name_of_a_parameter_needs_the_prefix(ask):
    season = {"is": "By", "column": "show", "sigma": 3.0}
    ask.create_league("facets-show", model={"name": "TrueSkill", "parameters": {"facets": [season]}})
    url = "/api/leagues/facets-show"
    ask.post(f"{url}/matches", {"teams": PAIR, "context": {"show": "cup"}}, status=201)
    ask.get(f"{url}/leaderboard?context.show=cup", status=200)
    problem = ask.get(f"{url}/leaderboard?show=cup", status=422).json()
    assert problem["errors"][0]["field"] == "show"
    assert problem["detail"].endswith(", context.show")


def test_prediction_takes_the_context(ask, url, ladder):
    for context in (None, {"surface": "clay"}, {"surface": "ice", "side": ["far", "near"], "rest": [[2], [1]]}):
        told = ask.post(f"{url}/predict", {"teams": PAIR, "context": context}, status=200).json()
        forecasts.Prediction.model_validate(told)
        assert told["win"] == ladder.predict(PAIR, context=context).win.tolist()
    new = {"teams": [["nadal"], ["newcomer"]], "context": {"surface": "clay"}, "newcomers": True}
    assert ask.post(f"{url}/predict", new, status=200).json()["newcomers"] == ["newcomer"]
    wrong = {"teams": PAIR, "context": {"surfaces": "clay"}}
    refused = ask.post(f"{url}/predict", wrong, status=422).json()
    assert "did you mean 'surface'?" in refused["detail"]
    for context in ("clay", {"side": "near"}):
        ask.post(f"{url}/predict", {"teams": PAIR, "context": context}, status=422)


@pytest.mark.parametrize("surface", ["clay", "grass"])
def test_leaderboard_at_a_value_lists_players_who_have_played_there_and_their_matches_there(ask, url, ladder, surface):
    """Murray has played on grass only, four times; nadal and federer eight and four times there, and four on clay."""
    there = {"clay": {"nadal": 4, "federer": 4}, "grass": {"nadal": 8, "federer": 4, "murray": 4}}[surface]
    told = ask.get(f"{url}/leaderboard?surface={surface}", status=200).json()
    assert {row["player"]: row["matches"] for row in told["players"]} == there
    assert told["total"] == len(there)
    assert [row["rank"] for row in told["players"]] == ladder.leaderboard(surface=surface)["rank"].to_list()
    everybody = ask.get(f"{url}/leaderboard?surface={surface}&all=true&size=2", status=200).json()
    assert "all=true" in everybody["next"]
    rows = everybody["players"] + ask.get(everybody["next"], status=200).json()["players"]
    assert {row["player"]: row["matches"] for row in rows} == dict.fromkeys(("nadal", "federer", "murray"), 0) | there
    assert [row["rank"] for row in rows] == ladder.leaderboard(surface=surface, all=True)["rank"].to_list()
    few = ask.get(f"{url}/leaderboard?surface={surface}&min_matches=5", status=200).json()["players"]
    assert {row["player"] for row in few} == {name for name, matches in there.items() if matches >= 5}
    parts = [
        {row["player"] for row in ask.get(f"{url}/leaderboard?surface={surface}&provisional={flag}").json()["players"]}
        for flag in ("true", "false")
    ]
    assert parts[0] | parts[1] == set(there)
    assert not parts[0] & parts[1]
    csv = ask.get(f"{url}/leaderboard.csv?surface={surface}", status=200).text.splitlines()
    assert len(csv) == 1 + len(there)
    late = ask.get(f"{url}/leaderboard?surface={surface}&hindsight=true", status=200).json()["players"]
    assert {row["player"]: row["matches"] for row in late} == there
    early = ask.get(f"{url}/leaderboard?surface=clay&at=2026-01-02", status=200).json()["players"]
    assert {row["player"]: row["matches"] for row in early} == {"nadal": 1, "federer": 1}


FOUR = ["nadal", "federer", "murray", "new"]


@pytest.mark.parametrize("context", [None, {"surface": "clay"}, {"surface": "ice", "rest": 2}], ids=str)
def test_matchmaking_takes_the_context(ask, url, ladder, context):
    asked = {"newcomers": True, "context": context}
    quality = ask.post(f"{url}/quality", {"teams": PAIR, "context": context}, status=200).json()
    assert quality["quality"] == ladder.quality(PAIR, context=context)
    predicted = ask.post(f"{url}/predict", {"teams": PAIR, "context": context}, status=200).json()
    assert predicted["quality"] == quality["quality"]
    balance = ask.post(f"{url}/balance", {"players": FOUR, **asked}, status=200).json()
    forecasts.Balance.model_validate(balance)
    expected = pw.balance(ladder, FOUR, context=context).to_dict()
    assert {name: balance[name] for name in expected} == expected
    pairing = ask.post(f"{url}/pair", {"queue": FOUR, **asked}, status=200).json()
    expected = pw.pair(ladder, FOUR, context=context).to_dict()
    assert {name: pairing[name] for name in expected} == expected
    suggested = ask.post(f"{url}/next", {"players": FOUR, **asked}, status=200).json()
    expected = [match.to_dict() for match in pw.next_matches(ladder, players=FOUR, context=context)]
    assert suggested["matches"] == expected


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("quality", {"teams": PAIR}),
        ("balance", {"players": FOUR[:3]}),
        ("pair", {"queue": FOUR[:3]}),
        ("next", {"players": FOUR[:3]}),
    ],
)
def test_matchmaking_refuses_an_unknown_context(ask, url, path, body):
    refused = ask.post(f"{url}/{path}", body | {"context": {"surfaces": "clay"}}, status=422).json()
    assert [error["field"] for error in refused["errors"]] == ["context"]
    assert "did you mean 'surface'?" in refused["detail"]
    if path != "quality":  # nobody is in a team yet
        refused = ask.post(f"{url}/{path}", body | {"context": {"side": ["far", "near"]}}, status=422).json()
        assert refused["errors"][0]["field"].startswith("context")


def test_prediction_of_a_model_without_facets_refuses_a_context(ask, league):
    ask.post(f"{league}/matches", {"teams": PAIR}, status=201)
    refused = ask.post(f"{league}/predict", {"teams": PAIR, "context": {"surface": "clay"}}, status=422).json()
    assert "this model has no facets" in refused["detail"]


def test_effects_are_those_of_the_library(ask, url, ladder):
    told = ask.get(f"{url}/effects", status=200).json()
    standings.Effects.model_validate(told)
    assert [(row["value"], row["mu"], row["sigma"], row["matches"]) for row in told["effects"]] == (
        ladder.effects.select("value", "mu", "sigma", "matches").rows()
    )
    assert told["facets"] == [
        {"kind": "by", "column": "surface", "values": ["clay", "grass"]},
        {"kind": "shared", "column": "side", "values": ["far", "near"]},
        {"kind": "slope", "column": "rest", "values": None},
    ]
    factor = ladder.points_on((1500, 400)).factor
    assert told["effects"][0]["points"] == pytest.approx(factor * told["effects"][0]["mu"])


def test_effects_include_the_home_advantage(ask):
    ask.create_league("facets-football", model={"name": "TrueSkill", "parameters": {"home_advantage": "learnt"}})
    [home] = ask.get("/api/leagues/facets-football/effects", status=200).json()["effects"]
    assert (home["facet"], home["value"], home["matches"]) == ("home", None, None)


def test_effects_include_given_effects(ask):
    given = [{"is": "Shared", "column": "side", "mu": 2.0, "sigma": 0.0}]
    ask.create_league("facets-given", model={"name": "Elo", "parameters": {"facets": given}})
    match = {"teams": [["ann"], ["bob"]], "context": {"side": ["near", None]}}
    ask.post("/api/leagues/facets-given/matches", match, status=201)
    [effect] = ask.get("/api/leagues/facets-given/effects", status=200).json()["effects"]
    assert (effect["facet"], effect["value"], effect["mu"], effect["sigma"]) == ("side", None, 2.0, 0.0)
    assert "each value" in ask.get("/leagues/facets-given/models").text


def test_player_has_deviations(ask, url, ladder):
    told = ask.get(f"{url}/players/nadal", status=200).json()
    standings.Player.model_validate(told)
    own = ladder.deviations.filter(player="nadal")
    assert [(row["facet"], row["value"] or "", row["mu"]) for row in told["deviations"]] == own.select(
        "facet", "value", "mu"
    ).rows()
    assert told["rating"]["mu"] == ladder["nadal"].mu


def test_correction_of_the_context_changes_the_ratings(ask, url, ladder):
    [last] = ask.get(f"{url}/matches?limit=1", status=200).json()["matches"]
    before = ask.get(f"{url}/players/nadal", status=200).json()["rating"]
    changed = {"teams": last["teams"], "context": {"surface": "clay"}}
    told = ask("PUT", f"{url}/matches/{last['id']}", json=changed, status=200).json()
    assert {row["player"] for row in told["ratings"]} >= {"nadal", "murray"}
    assert ask.get(f"{url}/players/nadal", status=200).json()["rating"] != before


def test_model_with_facets_is_checked_and_returned(ask, url, ladder):
    assert ask.get(url, status=200).json()["model"] == MODEL
    for facets in (
        [{"is": "By", "column": ""}],
        [{"is": "Nothing", "column": "x"}],
        ["surface"],
        [SURFACE, SURFACE],
        7,
    ):
        wrong = {"name": "TrueSkill", "parameters": {"facets": facets}}
        ask("PUT", f"{url}/model", json=wrong, status=422)
    refused = ask("PUT", f"{url}/model", json={"name": "Elo", "parameters": {"facets": [SURFACE]}}, status=422).json()
    assert "surface" in refused["detail"]
    told = ask(
        "PUT", f"{url}/model", json={"name": "TrueSkill", "parameters": {"facets": [SURFACE]}}, status=200
    ).json()
    assert len(told["ratings"]) == 3


def test_model_that_names_a_column_with_the_result_gets_a_remark(ask):
    results = [{"teams": PAIR, "context": {"FT": "2-1", "surface": "clay"}}, {"teams": PAIR, "ranks": [2, 1]}] * 100
    results = [match | {"context": {"FT": "0-1", "surface": "clay"} | match.get("context", {})} for match in results]
    ask.create_league("facets-revealed", clock="none", settings={"inactive_days": 1})
    ask.post("/api/leagues/facets-revealed/matches", results, status=201)
    for column, revealed in (("FT", True), ("surface", False)):
        model = {"name": "TrueSkill", "parameters": {"facets": [{"is": "By", "column": column, "sigma": 1.0}]}}
        for query in ("?dry_run=true", ""):
            told = ask("PUT", f"/api/leagues/facets-revealed/model{query}", json=model, status=200).json()
            assert ("remarks" in told) == revealed
            assert not revealed or told["remarks"][0].startswith("FT says more about the results than is known")

"""Pages of a league whose model has facets: standings at a value, deviations, effects, predictions with a context."""

import json
from itertools import count

import pytest

import prowess as pw
from prowess.service.background.worker import run_job
from prowess.store import leagues
from prowess.store.db.database import Database
from prowess.store.leagues import Preset
from prowess.store.write.commands import Post
from prowess.store.write.writer import perform
from tests.service.pages.page_client import words

SURFACE, SIDE = {"is": "By", "column": "surface", "sigma": 3.0}, {"is": "Shared", "column": "side", "sigma": 1.0}
REST = {"is": "Covariate", "column": "rest", "sigma": 0.2}
MODEL = {"name": "TrueSkill", "parameters": {"facets": [SURFACE, SIDE, REST]}}
PAIR = [["nadal"], ["federer"]]
MATCHES = [
    {"teams": PAIR, "context": {"surface": "clay", "side": ["near", "far"], "rest": [2, 1]}},
    {"teams": PAIR[::-1], "context": {"surface": "<b>grass", "side": ["near", "far"]}},
    {"teams": [["murray"], ["nadal"]], "context": {"surface": "<b>grass", "umpire": "eve"}},
] * 4
MATCHES = [one | {"time": f"2026-01-{day:02}"} for day, one in enumerate(MATCHES, 1)]
NUMBERS = count(1)


@pytest.fixture
def league(ask):
    name = f"facet-pages-{next(NUMBERS)}"
    ask.create_league(name, model=MODEL)
    ask.post(f"/api/leagues/{name}/matches", MATCHES, status=201)
    return name


@pytest.fixture
def ladder():
    facets = (
        pw.facet.By("surface", sigma=3.0),
        pw.facet.Shared("side", sigma=1.0),
        pw.facet.Covariate("rest", sigma=0.2),
    )
    return pw.TrueSkill().replace(facets=facets).fit(pw.History.from_matches(MATCHES)).ladder


def test_standings_can_be_switched_to_a_value(ask, league, ladder):
    path = f"/leagues/{league}/standings"
    page = ask.look(path)
    assert '<option value="clay">clay</option>' in page.text
    assert "&lt;b&gt;grass" in page.text
    assert "Side" not in words(page), "an effect that all players share does not change their order"
    page = ask.look(f"{path}?context.surface=clay")
    assert '<option value="clay" selected>' in page.text
    assert "surface: clay" in words(page)
    assert "context.surface=clay" in page.text, "links keep the value"
    told = ask.get(f"{path}.json?surface=clay").json()
    assert [row["mu"] for row in told["players"]] == ladder.leaderboard(surface="clay", ranking="mean")["mu"].to_list()
    assert [row["change"] for row in told["players"]] != [None] * 2
    ask.get(f"{path}?context.surface=ice", status=422)
    ask.get(f"{path}?league=x&path=y&context.surface=clay", status=200)


def test_standings_at_a_value_list_players_who_have_played_there(ask, league):
    path = f"/leagues/{league}/standings"
    page = ask.look(f"{path}?context.surface=clay")
    assert "1–2 of 2 players, surface: clay" in words(page)
    assert "1 player has not played there. Show all players" in words(page)
    assert "murray" not in ask.get(f"{path}.csv?context.surface=clay").text
    page = ask.look(f"{path}?context.surface=clay&show=all")
    assert "1–3 of 3 players, surface: clay" in words(page)
    assert "not played there" not in words(page)
    rows = ask.get(f"{path}.json?context.surface=clay&show=all").json()["players"]
    assert {row["player"]: row["matches"] for row in rows} == {"nadal": 4, "federer": 4, "murray": 0}
    forms = {row["player"]: len(row["form"]) for row in rows}
    assert forms == {"nadal": 5, "federer": 5, "murray": 4}, "the form has the last matches, wherever they were played"


def test_player_page_shows_deviations_with_intervals(ask, league, ladder):
    page = ask.look(f"/leagues/{league}/player?name=nadal")
    assert page.text.count('class="bar effect"') == 2
    factor = ladder.points_on((1500, 400)).factor
    clay = ladder.deviations.filter(player="nadal", value="clay").row(0, named=True)
    assert f"clay {'+' if clay['mu'] > 0 else '−'}{abs(factor * clay['mu']):.0f}" in words(page)
    assert "Better and worse than usual" in words(page)
    assert ask.get(f"/leagues/{league}/player.json?name=nadal").json()["deviations"][0]["facet"] == "surface"


def test_models_page_shows_effects(ask, league, ladder):
    page = words(ask.look(f"/leagues/{league}/models"))
    assert "What all players share" in page
    assert all(word in page for word in ("near", "far", "each unit"))
    told = ask.get(f"/leagues/{league}/models.json").json()["effects"]
    assert [row["mu"] for row in told] == ladder.effects["mu"].to_list()


def test_predict_page_asks_for_the_context(ask, league, ladder):
    path = f"/leagues/{league}/predict"
    page = ask.look(path)
    assert all(label in words(page) for label in ("Surface", "Side of team 1", "Side of team 2", "Rest of team 2"))
    query = (
        "team=nadal&team=federer&context.surface=clay&context.side=far&context.side=near&context.rest=1&context.rest="
    )
    told = ask.get(f"{path}.json?{query}").json()
    context = {"surface": "clay", "side": ["far", "near"], "rest": [1, None]}
    assert told["win"] == ladder.predict(PAIR, context=context).win.tolist()
    page = ask.look(f"{path}?{query}")
    assert '<option value="clay" selected>' in page.text
    assert page.text.count("selected>") == 3
    refused = ask.look(f"{path}?team=nadal&team=federer&context.rest=long")
    assert refused.status_code == 422
    assert "Rest must be a number, not &#39;long&#39;" in refused.text
    assert 'name="context.surface"' in refused.text


FOUR = ["nadal", "federer", "murray", "zoe"]


def test_fair_teams_page_asks_for_the_values_of_the_match(ask, league, ladder):
    path, query = f"/leagues/{league}/teams", f"players={','.join(FOUR)}&context.surface=clay"
    page = ask.look(path)
    assert "Surface" in words(page)
    assert "Side" not in words(page), "nobody is in a team yet"
    data = ask.get(f"{path}.json?{query}").json()
    expected = pw.balance(ladder, FOUR, context={"surface": "clay"})
    assert (data["teams"], data["win"], data["quality"]) == (
        [list(team) for team in expected.teams],
        expected.prediction.win.tolist(),
        expected.quality,
    )
    page = ask.look(f"{path}?{query}")
    assert '<option value="clay" selected>' in page.text
    assert '<input type="hidden" name="context.surface" value="clay">' in page.text
    assert "predict?team=" in page.text
    assert "context.surface=clay" in page.text, "the link to the prediction keeps the value"
    (one, two), (three, four) = expected.teams
    data = ask.get(f"{path}.json?team={one},{three}&team={two},{four}&context.surface=clay").json()
    teams = [[ladder.newcomer if name == "zoe" else name for name in team] for team in ((one, three), (two, four))]
    assert data["win"] == ladder.predict(teams, context={"surface": "clay"}).win.tolist()
    assert data["fairest"]["quality"] == expected.quality
    assert ask.get(f"{path}.json?players={','.join(FOUR)}").json()["quality"] != expected.quality


def test_pairings_page_asks_for_the_values_of_the_matches(ask, league, ladder):
    path, query = f"/leagues/{league}/pairings", f"players={'%0A'.join(FOUR)}&again=true&context.surface=clay"
    assert "Surface" in words(ask.look(path))
    [told] = ask.get(f"{path}.json?{query}").json()["rounds"]
    expected = pw.pair(ladder, FOUR, context={"surface": "clay"})
    assert [(pair["teams"], pair["quality"]) for pair in told["pairs"]] == [
        (pair["teams"], pair["quality"]) for pair in expected.to_dict()["pairs"]
    ]
    known = next(pair for pair in told["pairs"] if ["zoe"] not in pair["teams"])
    assert known["win"] == ladder.predict(known["teams"], context={"surface": "clay"}).win.tolist()
    assert '<option value="clay" selected>' in ask.look(f"{path}?{query}").text
    refused = ask.look(f"{path}?players=nadal%0Afederer%0Anadall&context.surface=clay")
    assert "context.surface=clay" in refused.text, "the links that correct a name keep the value"


def test_prediction_of_skills_alone_needs_no_context(ask, league, ladder):
    told = ask.get(f"/leagues/{league}/predict.json?team=nadal&team=federer").json()
    assert told["win"] == ladder.predict(PAIR).win.tolist()


def test_changing_a_number_of_the_model_keeps_its_facets(ask, league):
    told = ask.get(f"/leagues/{league}/switch.json?set.beta=5&set.surface_sigma=2").json()["model"]
    assert told["parameters"]["facets"] == MODEL["parameters"]["facets"]
    assert told["parameters"]["surface_sigma"] == 2
    assert ask.look(f"/leagues/{league}/switch", key=ask.admin).status_code == 200


def test_model_form_lists_the_columns_by_which_players_may_differ(ask, league):
    path = f"/leagues/{league}/switch"
    page = ask.look(path, key=ask.admin)
    assert 'name="by.surface" value="1" checked' in page.text
    assert 'name="by.umpire" value="1">' in page.text
    assert "by.rest" not in page.text, "a column of numbers"
    query = "facets=1&by.umpire=1&set.surface_sigma=2&set.side_sigma=1"
    told = ask.get(f"{path}.json?{query}").json()
    assert told["model"]["parameters"]["facets"] == [SIDE, REST, {"is": "By", "column": "umpire"}]
    page = ask.look(f"{path}?{query}", key=ask.admin)
    assert 'name="by.umpire" value="1" checked' in page.text
    assert "Umpire: spread" in words(page)


def test_preview_of_a_model_says_which_column_may_contain_the_result(ask):
    results = [{"teams": PAIR, "context": {"outcome": "home", "surface": "clay"}}] * 50
    results += [{"teams": PAIR, "ranks": [2, 1], "context": {"outcome": "away", "surface": "clay"}}] * 50
    ask.create_league("revealed", clock="none")
    ask.post("/api/leagues/revealed/matches", [results[n * 37 % 100] for n in range(100)], status=201)
    for column, said in (("outcome", True), ("surface", False)):
        page = words(ask.look(f"/leagues/revealed/switch?model=TrueSkill&facets=1&by.{column}=1", key=ask.admin))
        assert "What would change" in page
        assert ("outcome says more about the results than is known before most matches" in page) == said


def test_model_form_declares_facets(ask):
    ask.create_league("declared", model={"name": "TrueSkill"})
    ask.post("/api/leagues/declared/matches", MATCHES, status=201)
    done = ask.send("/leagues/declared/switch", {"model": "TrueSkill", "facets": "1", "by.surface": "1"})
    assert done.status_code == 303
    model = ask.get("/api/leagues/declared").json()["model"]
    assert model == {"name": "TrueSkill", "parameters": {"facets": [{"is": "By", "column": "surface"}]}}
    assert 'class="bar effect"' in ask.look("/leagues/declared/player?name=nadal").text
    refused = ask.send("/leagues/declared/switch", {"model": "Elo", "facets": "1", "by.surface": "1"})
    assert refused.status_code == 422
    assert "needs a system with uncertainty" in words(refused)
    done = ask.send("/leagues/declared/switch", {"model": "TrueSkill", "facets": "1", "set.surface_sigma": "3"})
    assert done.status_code == 303
    assert ask.get("/api/leagues/declared").json()["model"] == {"name": "TrueSkill", "parameters": {}}


def test_model_with_facets_can_be_compared_with_others(tmp_path):
    database = Database(f"sqlite:///{tmp_path}/league.db")
    database.migrate()
    with database.writing() as connection:
        leagues.create(connection, "tennis", model=Preset("TrueSkill", {"facets": [SURFACE, SIDE]}))
    matches = [one | {"context": {"side": "near"}} for one in MATCHES]  # the same side for both teams
    perform(database, Post("tennis", matches))
    with database.reading() as connection:
        asked = {"Elo": {"name": "Elo", "parameters": {}}}
        told = run_job(connection, leagues.find(connection, "tennis"), "comparison", asked, lambda step, share: None)
    assert json.loads(told)["own"] == "TrueSkill (this league)"
    database.close()

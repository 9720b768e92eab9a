"""A growing league is offered a better model; accepting the offer rates all matches with exactly that model."""

import json
import time

import pytest

import prowess as pw
from prowess.service.background import worker
from prowess.store import choices, jobs, leagues
from prowess.store.journal import journal
from prowess.store.leagues import Preset
from prowess.store.write.commands import Rederive
from tests.service.app_client import served
from tests.service.home_league import NAMES, home_wins
from tests.service.surface_league import tennis
from tests.store.earlier_engine import derive_with_version_1


@pytest.fixture
def growing(database_url, monkeypatch):
    """A service that searches for better models, and checks ten times a second which leagues have grown."""
    monkeypatch.setattr(worker, "POLL", 0.1)
    with served(database_url, search_models=True) as client:
        yield client


def offer_of(ask, league, state):
    for _ in range(600):
        offer = ask.get(f"/api/leagues/{league}/model/offer").json()
        if offer["state"] == state and not offer["searching"]:
            return offer
        time.sleep(0.05)
    raise AssertionError(offer)


def standings(ask, league):
    players = ask.get(f"/api/leagues/{league}/leaderboard?size=100").json()["players"]
    return {row["player"]: (row["rank"], row["mu"], row["sigma"], row["shown"]) for row in players}


def expected(fit):
    return {
        row["player"]: (row["rank"], row["mu"], row["sigma"], row["shown"])
        for row in fit.leaderboard(ranking="mean").to_dicts()
    }


def test_growing_league_is_offered_a_better_model_and_can_accept_it(growing):
    ask = growing
    ask.create_league("home", clock="none")
    matches = home_wins(30)
    for match in matches:
        ask.post("/api/leagues/home/matches", match, status=201)
    offer = offer_of(ask, "home", "offered")
    history = pw.History.from_matches(matches)
    choice = pw.auto(history)
    assert offer["explanation"] == list(choice.lines)
    assert (offer["parts"], offer["matches"], offer["judged"]) == (list(choice.parts), 30, 10)
    assert (offer["next_search"], offer["unit"]) == (45, "match")
    assert offer["gain"]["low"] > 0
    assert [step["kept"] for step in offer["steps"]] == choice.steps["kept"].to_list()
    assert Preset(**offer["model"]).model == choice.model
    assert standings(ask, "home") == expected(pw.TrueSkill().fit(history))  # nothing has changed yet
    changes = offer["changes"]
    assert changes["players"] == 5
    assert [row["player"] for row in changes["best"]] == choice.fit.leaderboard(ranking="mean")["player"].to_list()

    tried = ask.post("/api/leagues/home/model/offer?dry_run=true", {"id": offer["id"]}, status=200).json()
    assert tried["changed"] == 5
    assert ask.get("/api/leagues/home").json()["generation"] == 1
    ask.post("/api/leagues/home/model/offer", {"id": offer["id"]}, status=200)
    assert standings(ask, "home") == expected(choice.fit)
    [_, generation] = ask.get("/api/leagues/home/generations").json()["generations"]
    assert (generation["author"], generation["model"]) == ("office", offer["model"])
    assert generation["reason"].startswith("chosen automatically: ")
    used = ask.get("/api/leagues/home/model/offer").json()
    assert (used["state"], used["changes"], used["explanation"]) == ("in_use", None, offer["explanation"])
    ask.post("/api/leagues/home/model/offer", {"id": offer["id"]}, status=409)
    ask.post("/api/leagues/home/matches", home_wins(1, 30), status=201)
    more = pw.History.from_matches(home_wins(31))
    assert standings(ask, "home") == expected(choice.model.fit(more))


def offered(ask, name, gain=0.1, model=None, generation=1):
    """Create a league, store an offer of a model without a search, and return the path of the offer."""
    ask.create_league(name, clock="none")
    ask.post(f"/api/leagues/{name}/matches", home_wins(6), status=201)
    answer = {
        "preset": model or {"name": "Elo", "parameters": {"k": 20}},
        "parts": ["Elo"],
        "lines": ["Model: Elo."],
        "steps": [],
        "matches": 6,
        "judged": 2,
        "unit": "match",
        "gain": {"value": gain, "low": gain - 0.05, "high": gain + 0.05},
        "seasons": 0,
    }
    with ask.service.database.writing() as connection:
        choices.record(connection, leagues.find(connection, name), answer)
    return f"/api/leagues/{name}/model/offer"


def test_league_has_no_model_offer_before_the_first_search(ask, league):
    offer = ask.get(f"{league}/model/offer").json()
    assert (offer["state"], offer["id"], offer["model"], offer["searching"]) == ("not_searched", None, None, False)
    assert offer["next_search"] == 30
    ask.post(f"{league}/model/offer", {"id": 1}, status=409)


def test_model_with_a_gain_within_noise_is_not_offered(ask):
    path = offered(ask, "noise", gain=0.04)
    offer = ask.get(path).json()
    assert (offer["state"], offer["changes"]) == ("not_better", None)
    told = ask.post(path, {"id": offer["id"]}, status=409).json()
    assert told["detail"] == f"model offer {offer['id']} of league 'noise' is no longer open; load the current offer"


def test_model_offer_is_outdated_after_another_change_of_model(ask):
    path = offered(ask, "changed")
    offer = ask.get(path).json()
    assert offer["state"] == "offered"
    ask("PUT", "/api/leagues/changed/model", json={"name": "Glicko"}, status=200)
    assert ask.get(path).json()["state"] == "outdated"
    ask.post(path, {"id": offer["id"]}, status=409)


def test_model_offer_stays_open_when_a_new_engine_version_rates_the_league_again(ask):
    path = offered(ask, "rederived")
    derive_with_version_1(ask.service.database, "rederived")
    ask.service.writer.submit(Rederive("rederived")).result()
    assert ask.get("/api/leagues/rederived").json()["generation"] == 2
    offer = ask.get(path).json()
    assert offer["state"] == "offered"
    ask.post(path, {"id": offer["id"]}, status=200)


def test_offer_of_a_model_that_cannot_rate_the_matches_is_outdated(ask):
    path = offered(ask, "scores", model={"name": "PoissonOD", "parameters": {}})
    assert ask.get(path).json()["state"] == "outdated"


def test_archived_league_shows_its_model_offer_but_cannot_accept_it(ask):
    path = offered(ask, "archived")
    ask("PATCH", "/api/leagues/archived", json={"archived": True}, status=200)
    offer = ask.get(path).json()
    assert (offer["state"], offer["changes"]) == ("offered", None)
    assert "is archived" in ask.post(path, {"id": offer["id"]}, status=409).json()["detail"]


def test_only_admins_can_accept_a_model_offer(ask):
    path = offered(ask, "guarded")
    id = ask.get(path, key=None).json()["id"]
    ask.post(path, {"id": id}, key=None, status=401)
    ask.post(path, {"id": id}, key=ask.new_key("write"), status=403)
    ask.post(path, {"id": str(id)}, status=422)
    ask.post(path, {"id": id}, key=ask.new_key("admin", "guarded"), status=200)
    assert ask.get("/api/leagues/guarded").json()["model"] == {"name": "Elo", "parameters": {"k": 20}}


def test_model_offer_does_not_contain_the_name_of_an_erased_player(ask):
    path = offered(ask, "erased")
    assert NAMES[0] in json.dumps(ask.get(path).json()["changes"])
    ask.post(f"/api/leagues/erased/players/{NAMES[0]}/anonymise", {"reason": "asked by letter"}, status=200)
    assert NAMES[0] not in ask.get(path).text
    with ask.service.database.reading() as connection:
        done, _ = jobs.latest(connection, leagues.find(connection, "erased"), "choice")
        assert NAMES[0] not in jobs.answer(connection, done.id)


ROWS = [(*match["teams"], match["ranks"]) for match in home_wins(60)]
LINES = ["home,away,home score,away score", *(f"{a},{b},{3 - ranks[0]},{ranks[0]}" for [a], [b], ranks in ROWS)]


def import_file(ask, league, rows, query="", **options):
    content = "\n".join(LINES[: rows + 1])
    return ask("POST", f"/api/leagues/{league}/import?format=csv{query}", content=content, **options)


def test_first_import_chooses_the_model_of_the_league(ask):
    ask.create_league("fresh", model=None, clock="none")
    tried = import_file(ask, "fresh", 60, "&dry_run=true", status=200).json()
    assert ask.get("/api/leagues/fresh").json()["generation"] == 1
    told = import_file(ask, "fresh", 60, status=201).json()
    assert told["chosen"] == tried["chosen"]
    with ask.service.database.reading() as connection:
        league = leagues.find(connection, "fresh")
        history = journal.history(connection, league)
    choice = pw.auto(history)
    assert told["chosen"]["explanation"] == list(choice.lines)
    assert league.model == Preset(**told["chosen"]["model"]).model == choice.model
    assert standings(ask, "fresh") == expected(choice.fit)
    offer = ask.get("/api/leagues/fresh/model/offer").json()
    assert (offer["state"], offer["gain"], offer["next_search"]) == ("in_use", None, 90)
    again = import_file(ask, "fresh", 60, status=200).json()
    assert "chosen" not in again


def test_first_import_chooses_a_model_that_uses_a_column_of_the_file(ask):
    ask.create_league("surfaces", model=None, clock="none")
    rows = [(*match["teams"], match["ranks"], match["context"]["surface"]) for match in tennis(450)]
    lines = [f"{a},{b},{3 - ranks[0]},{ranks[0]},{surface}" for [a], [b], ranks, surface in rows]
    content = "\n".join(["player 1,player 2,score 1,score 2,surface", *lines])
    told = ask("POST", "/api/leagues/surfaces/import?format=csv", content=content, status=201).json()
    assert "deviations by surface" in told["chosen"]["parts"]
    with ask.service.database.reading() as connection:
        league = leagues.find(connection, "surfaces")
        choice = pw.auto(journal.history(connection, league))
    assert league.model == Preset(**told["chosen"]["model"]).model == choice.model
    assert standings(ask, "surfaces") == expected(choice.fit)
    assert ask.get("/api/leagues/surfaces/model/offer").json()["state"] == "in_use"


def test_import_chooses_no_model_if_one_was_named_or_matches_exist_or_the_file_is_small(ask):
    for name, model in (("named", "Elo"), ("textbook", "TrueSkill")):
        ask.create_league(name, clock="none", model={"name": model})
        assert "chosen" not in import_file(ask, name, 60, status=201).json()
    ask.create_league("begun", model=None, clock="none")
    ask.post("/api/leagues/begun/matches", {"teams": [["ann"], ["bob"]]}, status=201)
    assert "chosen" not in import_file(ask, "begun", 60, status=201).json()
    ask.create_league("small", model=None, clock="none")
    assert "chosen" not in import_file(ask, "small", 29, status=201).json()
    models = [ask.get(f"/api/leagues/{name}").json()["generation"] for name in ("named", "textbook", "begun", "small")]
    assert models == [1, 1, 1, 1]


def test_refused_import_does_not_change_the_model(ask):
    ask.create_league("dated", model=None)
    rows = ["date,winner,loser", *(f"2999-01-{1 + day % 28:02d},ann,bob{day}" for day in range(40))]
    ask("POST", "/api/leagues/dated/import?format=csv", content="\n".join(rows), status=422)
    assert ask.get("/api/leagues/dated").json()["generation"] == 1

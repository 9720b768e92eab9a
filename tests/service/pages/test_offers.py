"""The models page offers a better model and explains the choice; an admin switches to it with one click."""

import re
import time

import pytest

import prowess as pw
from prowess.service.background.model_choice import search
from prowess.store import choices, jobs, leagues
from prowess.store.journal import journal
from prowess.store.leagues import Preset
from tests.service.home_league import home_wins
from tests.service.pages.page_client import words
from tests.service.surface_league import tennis


def offered(ask, name, matches=None, **changes):
    """Create a league and record the result of a search in it; return the result."""
    ask.create_league(name, clock="none")
    ask.post(f"/api/leagues/{name}/matches", {"matches": matches or home_wins(60)}, status=201)
    with ask.service.database.writing() as connection:
        league = leagues.find(connection, name)
        history = journal.history(connection, league)
        answer = search(league, history, [], lambda step, share: None) | changes
        choices.record(connection, league, answer)
    return answer


def page(ask, name, key=None):
    found = ask.look(f"/leagues/{name}/models", key=key)
    assert found.status_code == 200
    return found


def offer_id(ask, name):
    return ask.get(f"/leagues/{name}/models.json").json()["offer"]["id"]


def test_model_offer_is_shown_with_its_reasons_and_effects(ask):
    answer = offered(ask, "shown")
    text = words(page(ask, "shown"))
    assert "A better model is available" in text
    assert "the search was repeated without the last 20 matches" in text
    assert all(line in text for line in answer["lines"])
    assert "What was tried" in text
    assert all(step["decision"] in text for step in answer["steps"])
    assert "All matches would be rated again, and" in text
    assert "An admin of the league can switch to this model." in text
    assert "The next search begins when" not in text  # the service of these tests does not search by itself
    for key in (None, ask.new_key("write")):
        assert "Switch to this model" not in page(ask, "shown", key).text
    assert "Switch to this model" in page(ask, "shown", ask.admin).text


def test_admin_can_switch_to_the_offered_model_with_one_click(ask):
    answer = offered(ask, "clicked")
    assert ask.send("/leagues/clicked/switch", {"offer": "1"}, key=ask.new_key("write")).status_code == 403
    done = ask.send("/leagues/clicked/switch", {"offer": str(offer_id(ask, "clicked"))})
    assert (done.status_code, done.headers["location"]) == (303, "/leagues/clicked/standings")
    model = Preset(**answer["preset"]).model
    fit = model.fit(pw.History.from_matches(home_wins(60)))
    rows = ask.get("/api/leagues/clicked/leaderboard").json()["players"]
    expected = [(row["player"], row["mu"], row["sigma"]) for row in fit.leaderboard(ranking="mean").to_dicts()]
    assert [(row["player"], row["mu"], row["sigma"]) for row in rows] == expected
    text = words(page(ask, "clicked"))
    assert "How this model was chosen" in text
    assert "The model was chosen automatically, based on 60 matches." in text
    assert all(line in text for line in answer["lines"])
    assert "chosen automatically: " in ask.get("/api/leagues/clicked/generations").text


def test_offered_model_says_which_columns_it_uses_before_and_after_the_switch(ask):
    matches = tennis(660)
    offered(ask, "surfaces", matches)
    text = words(page(ask, "surfaces", ask.admin))
    assert "deviations by surface. To test this" in text
    assert "column surface" in text, "what was tried"
    preview = words(ask.look(f"/leagues/surfaces/switch?offer={offer_id(ask, 'surfaces')}", key=ask.admin))
    assert "Each player's skill may differ by surface." in preview
    offer = ask.get("/api/leagues/surfaces/model/offer").json()
    assert offer["state"] == "offered"
    assert offer["model"]["parameters"]["facets"][0]["column"] == "surface"
    assert ask.send("/leagues/surfaces/switch", {"offer": str(offer["id"])}).status_code == 303
    text = words(page(ask, "surfaces", ask.admin))
    assert "How this model was chosen" in text
    assert "deviations by surface. Each player's skill may differ by surface." in text
    assert "Surface: spread" in text
    fit = pw.auto(pw.History.from_matches(matches)).fit
    rows = ask.get("/api/leagues/surfaces/leaderboard?surface=clay").json()["players"]
    expected = fit.leaderboard(surface="clay", ranking="mean")
    assert [(row["player"], row["mu"]) for row in rows] == list(zip(expected["player"], expected["mu"], strict=True))
    # The form for another model keeps the chosen column, unless it is unchecked.
    assert ask.look("/leagues/surfaces/switch", key=ask.admin).text.count('name="by.surface" value="1" checked') == 1


def test_preview_of_a_model_offer_shows_what_would_change(ask):
    offered(ask, "previewed")
    id = offer_id(ask, "previewed")
    found = ask.look(f"/leagues/previewed/switch?offer={id}", key=ask.admin)
    assert found.status_code == 200
    assert "What would change" in found.text
    assert f'<input type="hidden" name="offer" value="{id}">' in found.text
    assert "<h2>Settings</h2>" not in found.text
    for other in (str(id + 99), "x", "9" * 40, ""):
        refused = ask.look(f"/leagues/previewed/switch?offer={other}", key=ask.admin)
        assert refused.status_code == 422
        assert "is no longer open" in words(refused)
    assert ask.send("/leagues/previewed/switch", {"offer": "x"}).status_code == 422
    assert ask.get("/api/leagues/previewed").json()["generation"] == 1


def test_model_with_a_gain_within_noise_is_not_offered(ask):
    offered(ask, "noise", gain={"value": 0.01, "low": -0.02, "high": 0.04})
    text = words(page(ask, "noise", ask.admin))
    assert "The current model is as good as any other model that was tried" in text
    assert "+0.010 (95 % interval −0.020 to +0.040) nats per match, which is within noise" in text
    assert "Switch to this model" not in text


def test_model_offer_is_not_shown_after_the_model_was_changed(ask):
    offered(ask, "changed")
    ask("PUT", "/api/leagues/changed/model", json={"name": "Elo"}, status=200)
    text = words(page(ask, "changed", ask.admin))
    assert "The last search for a better model is out of date" in text
    assert "Switch to this model" not in text


def test_models_page_says_how_many_matches_a_search_for_a_better_model_needs(ask):
    ask.create_league("young")
    text = words(page(ask, "young", ask.admin))
    assert "As soon as the league has 30 matches, the service searches for a better model." in text
    assert "Search for a better model now" not in text


def test_search_for_a_better_model_can_be_started_with_a_write_key(ask):
    ask.create_league("asked", clock="none")
    ask.post("/api/leagues/asked/matches", {"matches": home_wins(40)}, status=201)
    assert "Search for a better model now" not in page(ask, "asked").text
    key = ask.new_key("write")
    assert "Search for a better model now" in page(ask, "asked", key).text
    done = ask.send("/leagues/asked/models", {"search": "1"}, key=key)
    assert (done.status_code, done.headers["location"]) == (303, "/leagues/asked/models#offer")
    for _ in range(600):
        offer = ask.get("/leagues/asked/models.json").json()["offer"]
        if not offer["searching"]:
            break
        time.sleep(0.05)
    assert offer["state"] == "offered"
    with ask.service.database.reading() as connection:
        assert jobs.latest(connection, leagues.find(connection, "asked"), "choice")[0].author == "write"


def test_models_page_shows_a_running_and_a_failed_search_for_a_model(ask, monkeypatch):
    offered(ask, "waiting")
    with ask.service.database.writing() as connection:
        league = leagues.find(connection, "waiting")
        jobs.request(connection, league, "choice", {})
        job = jobs.claim(connection, "somebody else")
        jobs.heartbeat(connection, job.id, "somebody else", "Choosing a model", 0.1)
    found = page(ask, "waiting")
    assert "A search for a better model is under way: Choosing a model." in words(found)
    assert 'id="offer" data-refresh="1"' in found.text
    assert "etag" not in found.headers
    with ask.service.database.writing() as connection:
        jobs.abort(connection, job.id, "somebody else", "no memory", state="failed")
    text = words(page(ask, "waiting"))
    assert "The last search for a better model failed: no memory" in text
    assert "A better model is available" in text  # the result of the earlier search is still shown


def test_search_for_a_better_model_is_refused_in_an_archived_league(ask):
    offered(ask, "old")
    ask("PATCH", "/api/leagues/old", json={"archived": True}, status=200)
    assert "Search for a better model now" not in page(ask, "old", ask.admin).text
    assert ask.send("/leagues/old/models", {"search": "1"}).status_code == 409


def test_changing_one_parameter_of_the_model_keeps_the_others(ask):
    """Parameters that the form does not show, such as the team function, are kept, too."""
    chosen = {"name": "TrueSkill", "parameters": {"drift": "time", "tau": 0.5, "team": {"is": "Mean"}}}
    ask.create_league("composed", model=chosen)
    form = ask.look("/leagues/composed/switch?model=TrueSkill", key=ask.admin)
    assert "This is the current model of the league" in words(form)
    fields = dict(re.findall(r'<input id="set-\w+" name="(set\.\w+)".*? value="([^"]*)"', form.text))
    done = ask.send("/leagues/composed/switch", {"model": "TrueSkill", **fields, "set.beta": "9"})
    assert done.status_code == 303
    model = ask.get("/api/leagues/composed").json()["model"]
    assert Preset(**model).model == Preset(**chosen).model.replace(beta=9.0)
    plain = ask.look("/leagues/composed/switch?model=TrueSkill&defaults=1", key=ask.admin)
    assert "This is the current model" not in plain.text
    assert ask.send("/leagues/composed/switch", {"model": "TrueSkill", "defaults": "1"}).status_code == 303
    assert ask.get("/api/leagues/composed").json()["model"] == {"name": "TrueSkill", "parameters": {}}


@pytest.mark.parametrize("chosen", ["", "Elo"], ids=["no model", "Elo"])
def test_model_of_a_new_league_is_automatic_if_no_model_is_selected(ask, chosen):
    assert "Automatic: chosen for your matches" in ask.look("/new", key=ask.admin).text
    name = f"new-{chosen.lower() or 'automatic'}"
    assert ask.send("/new", {"title": name, "model": chosen, "clock": "utc"}).status_code == 303
    with ask.service.database.reading() as connection:
        assert choices.is_fresh(leagues.find(connection, name)) is (not chosen)

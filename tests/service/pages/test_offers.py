"""The models page offers a better model and explains the choice; one click of an admin switches to it."""

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


def offered(ask, name, matches=60, **changes):
    """Create a league and record the result of a search in it; return the result."""
    ask.create_league(name, clock="none")
    ask.post(f"/api/leagues/{name}/matches", {"matches": home_wins(matches)}, status=201)
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


def test_offer_is_shown_with_its_reasons_and_effects(ask):
    answer = offered(ask, "shown")
    text = words(page(ask, "shown"))
    assert "A better model is available" in text
    assert "On the last 20 matches, a model that was chosen in this way" in text
    assert all(line in text for line in answer["lines"])
    assert "What was tried" in text
    assert all(step["decision"] in text for step in answer["steps"])
    assert "All matches would be rated again, and" in text
    assert "An admin of the league can switch to it." in text
    assert "The next search begins when" not in text  # the service of these tests does not search by itself
    for key in (None, ask.new_key("write")):
        assert "Switch to this model" not in page(ask, "shown", key).text
    assert "Switch to this model" in page(ask, "shown", ask.admin).text


def test_admin_switches_with_one_click(ask):
    answer = offered(ask, "clicked")
    assert ask.send("/leagues/clicked/switch", {"offer": "1"}, key=ask.new_key("write")).status_code == 403
    done = ask.send("/leagues/clicked/switch", {"offer": str(offer_id(ask, "clicked"))})
    assert (done.status_code, done.headers["location"]) == (303, "/leagues/clicked/standings")
    model = Preset(**answer["preset"]).model
    fit = model.fit(pw.History.from_matches(home_wins(60)))
    rows = ask.get("/api/leagues/clicked/leaderboard").json()["players"]
    expected = [(row["player"], row["mu"], row["sigma"]) for row in fit.leaderboard().to_dicts()]
    assert [(row["player"], row["mu"], row["sigma"]) for row in rows] == expected
    text = words(page(ask, "clicked"))
    assert "How this model was chosen" in text
    assert "It was chosen automatically, on 60 matches." in text
    assert all(line in text for line in answer["lines"])
    assert "chosen automatically: " in ask.get("/api/leagues/clicked/generations").text


def test_preview_of_an_offer_shows_what_would_change(ask):
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
        assert "is not open any more" in words(refused)
    assert ask.send("/leagues/previewed/switch", {"offer": "x"}).status_code == 422
    assert ask.get("/api/leagues/previewed").json()["generation"] == 1


def test_gain_within_noise_is_no_offer(ask):
    offered(ask, "noise", gain={"value": 0.01, "low": -0.02, "high": 0.04})
    text = words(page(ask, "noise", ask.admin))
    assert "Your model is as good as any that was tried" in text
    assert "+0.010 (95 % interval −0.020 to +0.040) nats per match, which is within noise" in text
    assert "Switch to this model" not in text


def test_offer_is_dropped_after_another_change_of_model(ask):
    offered(ask, "changed")
    ask("PUT", "/api/leagues/changed/model", json={"name": "Elo"}, status=200)
    text = words(page(ask, "changed", ask.admin))
    assert "The last search for a better model is out of date" in text
    assert "Switch to this model" not in text


def test_models_page_says_how_many_matches_a_search_for_models_needs(ask):
    ask.create_league("young")
    text = words(page(ask, "young", ask.admin))
    assert "With 30 matches, a search for a better model begins by itself." in text
    assert "Search for a better model now" not in text


def test_writer_starts_a_search(ask):
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


def test_search_under_way_and_failed_search_are_shown(ask, monkeypatch):
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
    assert "A better model is available" in text  # the earlier result stays


def test_archived_league_cannot_be_searched(ask):
    offered(ask, "old")
    ask("PATCH", "/api/leagues/old", json={"archived": True}, status=200)
    assert "Search for a better model now" not in page(ask, "old", ask.admin).text
    assert ask.send("/leagues/old/models", {"search": "1"}).status_code == 409


def test_settings_of_a_chosen_model_are_changed_one_by_one(ask):
    """A setting that the form does not show, such as the team function, stays."""
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


@pytest.mark.parametrize("chosen", ["", "Elo"])
def test_new_league_is_automatic_unless_a_model_is_chosen(ask, chosen):
    assert "Automatic: chosen for your matches" in ask.look("/new", key=ask.admin).text
    name = f"new-{chosen.lower() or 'automatic'}"
    assert ask.send("/new", {"title": name, "model": chosen, "clock": "utc"}).status_code == 303
    with ask.service.database.reading() as connection:
        assert choices.is_fresh(leagues.find(connection, name)) is (not chosen)

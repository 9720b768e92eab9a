"""A search measures the gain of a better model on later matches; a league switches only if its settings allow it."""

import json
import random
import time
from contextlib import contextmanager

import numpy as np
import pytest

import prowess as pw
from prowess.lab.interval import Interval
from prowess.service.background import worker
from prowess.service.background.model_choice import choose_for_import, is_better, preset_from, search
from prowess.service.background.worker import Worker
from prowess.store import audit, choices, jobs, leagues, ratings
from prowess.store.db.database import Database
from prowess.store.journal import journal
from prowess.store.leagues import Preset
from prowess.store.write.commands import ChangeModel, Post
from prowess.store.write.importing import import_history
from prowess.store.write.writer import Writer, perform
from prowess.text import join_words
from tests.service.home_league import NAMES, home_wins
from tests.service.surface_league import tennis
from tests.store.sound import check


@pytest.fixture
def database(database_url):
    database = Database(database_url)
    database.migrate()
    with database.writing() as connection:
        leagues.create(connection, "darts", model=Preset("TrueSkill"), clock="none")
    yield database
    database.close()


def darts(database):
    with database.reading() as connection:
        return leagues.find(connection, "darts")


def searched(league, history):
    return search(league, history, [], lambda step, share: None)


def test_model_search_reports_the_gain_on_matches_later_than_its_training_matches(database):
    history = pw.History.from_matches(home_wins(60))
    answer = searched(darts(database), history)
    assert is_better(answer)
    assert (answer["matches"], answer["judged"], answer["unit"]) == (60, 20, "match")
    assert preset_from(answer).model == pw.auto(history).model
    earlier = pw.auto(history[:40]).model

    def losses(model):  # the oracle: minus the logarithm of the probability of each result
        forecasts = model.fit(history).forecasts
        won = history.place[::2] < history.place[1::2]
        return -np.log(np.where(won, forecasts.win, 1.0 - forecasts.win - forecasts.draw))[40:]

    assert answer["gain"] == pytest.approx(Interval.student(losses(pw.TrueSkill()) - losses(earlier))._asdict())


def test_model_search_offers_nothing_to_a_league_that_already_has_the_best_model(database):
    matches = home_wins(60)
    found = preset_from(searched(darts(database), pw.History.from_matches(matches[:40])))
    with database.writing() as connection:
        league = leagues.create(connection, "chess", model=found)
    answer = searched(league, pw.History.from_matches(matches))
    assert answer["gain"] == {"value": 0.0, "low": 0.0, "high": 0.0}
    assert not is_better(answer)


def test_stored_result_of_a_model_search_contains_no_player_names(database):
    text = json.dumps(searched(darts(database), pw.History.from_matches(home_wins(40))))
    assert not [name for name in NAMES if name in text or name.split()[0] in text]
    assert json.loads(text)["steps"]


def test_model_search_works_for_leagues_with_few_matches_or_with_many_teams_per_match(database):
    league = darts(database)
    assert not is_better(searched(league, pw.History.from_matches([])))
    assert not is_better(searched(league, pw.History.from_matches(home_wins(3))))
    races = [{"teams": [[name] for name in NAMES[at % 3 :]], "ranks": [1] * (5 - at % 3)} for at in range(36)]
    answer = searched(league, pw.History.from_matches(races))
    assert answer["unit"] == "pair of teams"
    json.dumps(answer, allow_nan=False)


def test_import_chooses_a_model_only_for_thirty_matches_or_more():
    assert choose_for_import(pw.History.from_matches(home_wins(29))) is None
    history = pw.History.from_matches(home_wins(30))
    chosen = choose_for_import(history)
    assert chosen.preset.model == preset_from(chosen.answer).model == pw.auto(history).model
    assert chosen.answer["gain"] is None


@contextmanager
def working(database, monkeypatch):
    monkeypatch.setattr(worker, "POLL", 0.05)
    monkeypatch.setattr(worker, "HEARTBEAT", 0.1)
    writer = Writer(database)
    background = Worker(database, writer.submit, searching=True)
    try:
        yield
    finally:
        background.close()
        writer.close()


def wait(database, state="done"):
    for _ in range(1200):
        with database.reading() as connection:
            done, last = jobs.latest(connection, darts(database), "choice")
            if last is not None and last.state == state:
                return json.loads(jobs.answer(connection, done.id)) if state == "done" else None
        time.sleep(0.05)
    raise AssertionError(last)


def test_worker_offers_a_better_model_but_does_not_switch_without_auto_switch(database, monkeypatch):
    with working(database, monkeypatch):
        perform(database, Post("darts", home_wins(29)))
        time.sleep(0.3)
        with database.reading() as connection:
            assert jobs.latest(connection, darts(database), "choice") == (None, None)
        perform(database, Post("darts", home_wins(1, 29)))
        answer = wait(database)
    assert is_better(answer)
    assert (answer["posted"], answer["generation"]) == (30, 1)
    assert darts(database).preset == Preset("TrueSkill")


def test_worker_switches_models_if_the_league_has_auto_switch(database, monkeypatch):
    perform(database, Post("darts", home_wins(40)))
    with database.writing() as connection:
        leagues.change(connection, "darts", settings={"auto_switch": True})
    with working(database, monkeypatch):
        answer = wait(database)
    league = darts(database)
    assert (league.generation, league.model) == (2, preset_from(answer).model)
    with database.reading() as connection:
        first = audit.list_entries(connection)[0]
        generation = leagues.list_generations(connection, league)[-1]
        assert not choices.due(connection)
    assert (first.actor, first.action, first.league) == ("auto_switch", "change model", "darts")
    assert first.detail["reason"] == f"chosen automatically: {join_words(answer['parts'])}"
    assert (generation.author, generation.reason) == ("auto_switch", first.detail["reason"])


def test_model_search_of_a_killed_worker_is_repeated(database, monkeypatch):
    perform(database, Post("darts", home_wins(30)))
    with monkeypatch.context() as patch, database.writing() as connection:
        patch.setattr(jobs, "time", lambda: time.time() - 60.0)
        choices.request(connection, darts(database).id)
        jobs.claim(connection, "a worker that was killed")
    with working(database, monkeypatch):
        assert is_better(wait(database))


def test_model_kept_at_an_import_is_described_as_the_model_that_leagues_start_with():
    # Every match has the same result, so no other model predicts better.
    history = pw.History.from_matches([{"teams": [["ann"], ["bob"]]}] * 40)
    assert pw.auto(history).model == pw.TrueSkill()
    chosen = choose_for_import(history)
    assert chosen.preset == leagues.STARTING
    assert chosen.answer["parts"] == ["TrueSkill", "a learnt share of draws"]
    assert "TrueSkill and a learnt share of draws, with which every league starts" in chosen.answer["lines"][0]


def test_worker_finds_that_players_differ_by_surface_and_the_league_switches(database, monkeypatch):
    matches = tennis(660, umpire=lambda at, chance: chance.choice("xyz"))
    perform(database, Post("darts", matches))
    with database.writing() as connection:
        leagues.change(connection, "darts", settings={"auto_switch": True})
    with working(database, monkeypatch):
        answer = wait(database)
    assert is_better(answer)
    assert "deviations by surface" in answer["parts"]
    [spec] = answer["preset"]["parameters"]["facets"]
    assert (spec["is"], spec["column"]) == ("By", "surface")
    league = darts(database)
    assert (league.generation, league.model) == (2, preset_from(answer).model)
    assert league.model == pw.auto(pw.History.from_matches(matches)).model
    perform(database, Post("darts", [one | {"id": f"later {one['id']}"} for one in tennis(20, seed=2)]))
    check(database, "darts")


def test_gain_of_a_model_with_facets_is_that_of_its_forecasts(database):
    history = pw.History.from_matches(tennis(660))
    answer = searched(darts(database), history)
    earlier = pw.auto(history[:440]).model
    assert earlier.context_columns == ("surface",)

    def losses(model):
        forecasts = model.fit(history).forecasts
        won = history.place[::2] < history.place[1::2]
        return -np.log(np.where(won, forecasts.win, 1.0 - forecasts.win - forecasts.draw))[440:]

    assert answer["gain"]["value"] == pytest.approx((losses(pw.TrueSkill()) - losses(earlier)).mean())


def test_league_without_a_useful_column_gets_the_same_model_as_without_columns(database):
    matches = tennis(500, deviation=0.0, umpire=lambda at, chance: chance.choice("xyz"))
    plain = [{name: value for name, value in one.items() if name != "context"} for one in matches]
    with_columns, without = (searched(darts(database), pw.History.from_matches(some)) for some in (matches, plain))
    assert with_columns["preset"] == without["preset"]
    assert with_columns["gain"] == without["gain"]
    assert "facets" not in with_columns["preset"]["parameters"]


def teams_with_roles(number, seed=3):
    """Return matches of two against two in which players of a team often have different roles; one role is stronger."""
    chance = random.Random(seed)
    names = [f"player {letter}" for letter in "abcdefgh"]
    for at in range(number):
        players, roles = chance.sample(names, 4), [chance.choice(["tank", "mage"]) for _ in range(4)]
        strength = [1.2 * (role == "tank") + chance.gauss(0.0, 1.0) for role in roles]
        ranks = [1, 2] if sum(strength[:2]) > sum(strength[2:]) else [2, 1]
        context = {"role": [roles[:2], roles[2:]]}
        yield {"id": f"m{at}", "teams": [players[:2], players[2:]], "ranks": ranks, "context": context}


def test_league_rates_a_chosen_effect_whose_values_differ_within_teams(database):
    perform(database, Post("darts", list(teams_with_roles(700))))
    with database.reading() as connection:
        history = journal.history(connection, darts(database))
    chosen = preset_from(searched(darts(database), history))
    [facet] = chosen.model.facets
    assert (facet.kind, facet.column, facet.per) == ("shared", "role", "player")
    perform(database, ChangeModel("darts", chosen))
    check(database, "darts")
    fit = pw.auto(history).fit
    with database.reading() as connection:
        ladder = ratings.load_all(connection, darts(database))
    assert {name: ladder[name] for name in ladder.names} == {name: fit[name] for name in ladder.names}


def test_import_of_a_file_chooses_a_model_that_uses_its_columns(database, tmp_path):
    lines = ["date,winner,loser,surface,best_of,kills"]
    for at, one in enumerate(tennis(500)):
        winner, loser = (one["teams"][one["ranks"].index(place)][0] for place in (1, 2))
        lines.append(f"{2000 + at // 300}-{1 + at // 28 % 10:02}-{1 + at % 28:02},{winner},{loser},")
        lines[-1] += f"{one['context']['surface']},{3 + 2 * (at % 2)},{at % 7}"
    (tmp_path / "tennis.csv").write_text("\n".join(lines), encoding="utf-8")
    history = pw.History.read(tmp_path / "tennis.csv")
    imported = import_history(database, history, "tennis", choose=choose_for_import)
    assert imported.chosen.preset.model == imported.league.model == pw.auto(history).model
    assert imported.league.model.context_columns == ("surface",)
    first, *_, last = imported.chosen.answer["lines"]
    assert "deviations by surface" in first
    assert last.endswith("are not used: kills. If they are known before a match, use a model with these covariates.")
    check(database, "tennis")
    # The league now has the chosen model, so a search finds nothing better.
    with database.reading() as connection:
        answer = searched(imported.league, journal.history(connection, imported.league))
    assert preset_from(answer).model == imported.league.model

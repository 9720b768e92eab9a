"""A search measures the gain of a better model on later matches; a league switches only if its settings allow it."""

import json
import time
from contextlib import contextmanager

import numpy as np
import pytest

import prowess as pw
from prowess.lab.interval import Interval
from prowess.service.background import worker
from prowess.service.background.model_choice import choose_for_import, is_better, preset_from, search
from prowess.service.background.worker import Worker
from prowess.store import audit, choices, jobs, leagues
from prowess.store.db.database import Database
from prowess.store.leagues import Preset
from prowess.store.write.commands import Post
from prowess.store.write.writer import Writer, perform
from prowess.text import join_words
from tests.service.home_league import NAMES, home_wins


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

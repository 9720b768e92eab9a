"""The search for a better model is due at 30 matches, when a league has grown by half, and if it was interrupted."""

import json
from time import time

import pytest

from prowess.store import choices, jobs, leagues
from prowess.store.db.database import Database
from prowess.store.db.schema import analysis
from prowess.store.errors import Conflict
from prowess.store.leagues import Preset
from prowess.store.write.commands import ChangeModel, Post
from prowess.store.write.writer import perform


@pytest.fixture
def database(database_url):
    database = Database(database_url)
    database.migrate()
    with database.writing() as connection:
        leagues.create(connection, "darts", clock="none")
    yield database
    database.close()


def darts(database):
    with database.reading() as connection:
        return leagues.find(connection, "darts")


def post(database, number):
    perform(database, Post("darts", [{"teams": [["ann"], ["bob"]]}] * number))


def is_due(database):
    with database.reading() as connection:
        return choices.due(connection) == [darts(database).id]


def do(database, function, *args, **options):
    with database.writing() as connection:
        return function(connection, *args, **options)


def search(database):
    do(database, choices.request, darts(database).id)
    job = do(database, jobs.claim, "one")
    assert do(database, jobs.finish, job.id, "one", 1, darts(database).revision, "{}")


def test_model_search_is_due_at_thirty_matches_and_when_the_league_has_grown_by_half(database):
    assert choices.is_fresh(darts(database))
    post(database, 29)
    assert not is_due(database)
    assert choices.next_search(darts(database)) == 30
    post(database, 1)
    assert is_due(database)
    search(database)
    assert not is_due(database)
    assert choices.next_search(darts(database)) == 45
    post(database, 14)
    assert not is_due(database)
    post(database, 1)
    assert is_due(database)
    search(database)
    assert choices.next_search(darts(database)) == 68


def test_model_search_is_requested_once_at_a_time_and_not_repeated_after_failure(database):
    post(database, 30)
    do(database, choices.request, darts(database).id)
    do(database, choices.request, darts(database).id)
    job = do(database, jobs.claim, "one")
    assert do(database, jobs.claim, "one") is None
    assert not is_due(database)
    do(database, jobs.abort, job.id, "one", "no memory", state="failed")
    assert not is_due(database)


def test_interrupted_model_search_is_due_again(database, monkeypatch):
    post(database, 30)
    do(database, choices.request, darts(database).id)
    job = do(database, jobs.claim, "one")
    assert not is_due(database)
    do(database, jobs.abort, job.id, "one", state="interrupted")
    assert is_due(database)
    do(database, choices.request, darts(database).id)
    assert not is_due(database)
    do(database, jobs.claim, "two")
    later = time() + jobs.SILENT + 1
    monkeypatch.setattr(jobs, "time", lambda: later)
    assert is_due(database)  # without a heartbeat, the process counts as killed


def test_model_search_is_never_due_in_archived_and_deleted_leagues(database):
    post(database, 30)
    do(database, leagues.change, "darts", archived=True)
    assert not is_due(database)
    do(database, leagues.change, "darts", archived=False)
    assert is_due(database)
    do(database, leagues.delete, "darts")
    assert not is_due(database)


def test_turning_on_auto_switch_makes_a_new_model_search_due(database):
    post(database, 30)
    search(database)
    do(database, leagues.change, "darts", settings={"inactive_days": 9.0})
    assert not is_due(database)
    do(database, leagues.change, "darts", settings={"auto_switch": True})
    assert is_due(database)
    search(database)
    do(database, leagues.change, "darts", settings={"auto_switch": True, "inactive_days": 8.0})
    assert not is_due(database)


def test_recorded_choice_of_a_model_replaces_earlier_model_searches(database):
    post(database, 40)
    search(database)
    do(database, choices.request, darts(database).id)
    do(database, choices.record, darts(database), {"parts": []}, "ann")
    with database.reading() as connection:
        done, last = jobs.latest(connection, darts(database), "choice")
        assert len(connection.execute(analysis.select()).all()) == 1
        assert json.loads(jobs.answer(connection, done.id)) == {"parts": []} | jobs.version_of(darts(database))
    assert (done, done.author, done.generation, done.revision) == (last, "ann", 1, darts(database).revision)
    assert choices.next_search(darts(database)) == 60


def test_league_with_matches_or_with_a_named_model_does_not_count_as_new(database):
    post(database, 1)
    assert not choices.is_fresh(darts(database))
    elo = do(database, leagues.create, "chess", model=Preset("Elo"))
    assert not choices.is_fresh(elo)


def test_waiting_comparisons_run_before_searches_for_models(database):
    post(database, 30)
    do(database, choices.request, darts(database).id)
    do(database, jobs.request, darts(database), "comparison", {})
    assert [do(database, jobs.claim, "one").kind for _ in range(2)] == ["comparison", "choice"]


def test_model_change_fails_if_the_league_has_changed_in_the_meantime(database):
    perform(database, ChangeModel("darts", Preset("Elo"), replaces=1, unrated=True))
    with pytest.raises(Conflict, match="the model of league 'darts' was changed in the meantime"):
        perform(database, ChangeModel("darts", Preset("Glicko"), replaces=1))
    post(database, 1)
    with pytest.raises(Conflict, match="already has matches"):
        perform(database, ChangeModel("darts", Preset("Glicko"), unrated=True))
    assert darts(database).preset == Preset("Elo")
    perform(database, ChangeModel("darts", Preset("Glicko"), replaces=2))
    assert darts(database).generation == 3

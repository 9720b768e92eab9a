"""Background jobs are queued once, shared by all processes, and interrupted when their worker is lost."""

import time

import pytest

from prowess.store import jobs, leagues
from prowess.store.db.database import Database
from prowess.store.errors import WriteClash
from prowess.store.jobs import latest


@pytest.fixture
def database(database_url):
    database = Database(database_url)
    database.migrate()
    with database.writing() as connection:
        leagues.create(connection, "darts")
    yield database
    database.close()


def darts(connection):
    return leagues.find(connection, "darts")


def do(database, function, *args, **options):
    with database.writing() as connection:
        return function(connection, *args, **options)


def ask(database, kind="comparison", models=("Elo",)):
    do(
        database,
        lambda connection: jobs.request(connection, darts(connection), kind, {model: {} for model in models}, "ann"),
    )


def states(database, kind="comparison"):
    with database.reading() as connection:
        done, last = latest(connection, darts(connection), kind)
    return done and done.id, last and last.state


def test_background_job_can_be_queued_claimed_finished_and_repeated(database):
    assert states(database) == (None, None)
    ask(database)
    ask(database, models=["Glicko"])  # ignored, because a comparison is already queued
    ask(database, "figures", [])
    assert states(database) == (None, "queued")
    job = do(database, jobs.claim, "one")
    assert (job.kind, job.asked, job.author) == ("comparison", {"Elo": {}}, "ann")  # the first in the queue
    assert do(database, jobs.claim, "two").kind == "figures"
    assert do(database, jobs.claim, "three") is None
    assert do(database, jobs.heartbeat, job.id, "one", "Elo (1 of 2)", 0.25)
    assert not do(database, jobs.heartbeat, job.id, "two", "", 0.9)  # the job belongs to another worker
    with database.reading() as connection:
        _, last = latest(connection, darts(connection), "comparison")
    assert (last.state, last.step, last.share, last.open) == ("running", "Elo (1 of 2)", 0.25, True)
    ask(database)
    assert do(database, jobs.finish, job.id, "one", 1, 7, '{"best": "Elo"}')
    assert not do(database, jobs.finish, job.id, "one", 1, 7, "{}")  # the job is already done
    assert states(database) == (job.id, "done")
    ask(database)
    assert states(database) == (job.id, "queued")  # the old result is kept until there is a new one
    again = do(database, jobs.claim, "one")
    do(database, jobs.abort, again.id, "one", "no match", state="failed")
    assert states(database) == (job.id, "failed")
    with database.reading() as connection:
        assert latest(connection, darts(connection), "comparison")[1].why == "no match"
        assert jobs.answer(connection, job.id) == '{"best": "Elo"}'
    ask(database)
    third = do(database, jobs.claim, "one")
    assert do(database, jobs.finish, third.id, "one", 1, 8, "{}")
    assert states(database) == (third.id, "done")
    with database.reading() as connection:
        assert jobs.answer(connection, job.id) is None  # the new result replaces the old one


def test_cancelled_background_job_stops_its_worker(database):
    ask(database)
    job = do(database, jobs.claim, "one")
    do(database, lambda connection: jobs.cancel(connection, darts(connection), "comparison"))
    assert states(database) == (None, "cancelled")
    assert not do(database, jobs.heartbeat, job.id, "one", "", 0.5)
    assert not do(database, jobs.finish, job.id, "one", 1, 7, "{}")
    ask(database)
    assert states(database) == (None, "queued")


def test_background_job_without_heartbeat_counts_as_interrupted(database, monkeypatch):
    ask(database)
    job = do(database, jobs.claim, "one")
    assert states(database) == (None, "running")
    later = time.time() + jobs.SILENT + 1
    monkeypatch.setattr(jobs, "time", lambda: later)
    assert states(database) == (None, "interrupted")
    ask(database)
    assert states(database) == (None, "queued")
    assert not do(database, jobs.heartbeat, job.id, "one", "", 0.5)  # the lost worker reports again


def test_concurrent_requests_for_the_same_analysis_queue_one_job(database):
    with database.reading() as connection:
        league = darts(connection)
    ask(database)
    row = {"league_id": league.id, "kind": "comparison", "state": "queued", "asked": "{}", "author": "bob"}
    with pytest.raises(WriteClash), database.writing() as connection:
        connection.execute(jobs.schema.analysis.insert().values(row | {"asked_at": 0.0, "step": "", "share": 0.0}))
    assert states(database) == (None, "queued")

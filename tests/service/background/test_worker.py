"""Background jobs report progress, can be cancelled, and end with the service."""

import time

from prowess.service.background import worker
from prowess.service.background.worker import Worker
from prowess.store import jobs, leagues
from prowess.store.db.database import Database
from tests.service.background import child_functions
from tests.service.background.child_functions import gone


def test_background_job_reports_progress_and_stops_if_it_is_cancelled_or_the_service_ends(database_url, monkeypatch):
    database = Database(database_url)
    database.migrate()
    with database.writing() as connection:
        darts = leagues.create(connection, "darts")
    monkeypatch.setattr(worker, "HEARTBEAT", 0.1)
    monkeypatch.setattr(worker, "work", child_functions.report_and_sleep)

    def ask():
        with database.writing() as connection:
            jobs.request(connection, darts, "comparison", {})
        background.wake()

    def wait(state, step=""):
        for _ in range(400):
            with database.reading() as connection:
                _, last = jobs.latest(connection, darts, "comparison")
            if last.state == state and (last.step or not step):
                return last
            time.sleep(0.05)
        raise AssertionError(last)

    background = Worker(database, submit=None)
    ask()
    last = wait("running", "any")
    assert (last.share, gone(int(last.step))) == (0.5, False)
    with database.writing() as connection:
        jobs.cancel(connection, darts, "comparison")
    for _ in range(200):
        if gone(int(last.step)):
            break
        time.sleep(0.05)
    assert gone(int(last.step))
    monkeypatch.setattr(worker, "work", child_functions.exit_early)
    ask()
    assert "the process ended early (exit code 3)" in wait("failed").why
    monkeypatch.setattr(worker, "work", child_functions.fail)
    ask()
    assert wait("failed").why == "too late"
    monkeypatch.setattr(worker, "work", child_functions.report_and_sleep)
    ask()
    last = wait("running", "any")
    background.close()
    assert wait("interrupted").step == last.step
    assert gone(int(last.step))
    database.close()

"""Commands that share a commit fail separately, and a closed writer executes its queue."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep

import pytest
from sqlalchemy import event, text

from prowess.store import leagues, ratings
from prowess.store.db.database import Database
from prowess.store.errors import CommitUnknown, NotFound, Unavailable
from prowess.store.write import writer
from prowess.store.write.commands import CommandResult, Delete, Post
from prowess.store.write.writer import Writer, execute, perform
from tests.store import sound


@pytest.fixture
def database(sqlite_url):
    database = Database(sqlite_url)
    database.migrate()
    with database.writing() as connection:
        leagues.create(connection, "darts")
        leagues.create(connection, "chess")
    yield database
    database.close()


def post(league, one, other, id):
    return Post(league, [{"id": id, "teams": [[one], [other]]}])


def test_unexpected_error_fails_only_its_own_post(database, monkeypatch):
    learn = ratings.learn

    def fragile(ladder, history):
        if "eve" in history.players:
            raise ZeroDivisionError
        return learn(ladder, history)

    monkeypatch.setattr(ratings, "learn", fragile)
    acts = [post("darts", "ann", "bob", "1"), post("darts", "ann", "eve", "2"), post("chess", "cat", "dan", "1")]
    first, wrong, last = execute(database, acts)
    assert isinstance(wrong, ZeroDivisionError)
    assert isinstance(first, CommandResult)
    assert isinstance(last, CommandResult)
    with database.reading() as connection:
        counters = [(league.revision, league.posted) for league in leagues.list_leagues(connection)]
    assert counters == [(1, 1), (1, 1)]


def test_match_posted_twice_in_one_batch_is_recorded_once(database):
    acts = [post("darts", "ann", "bob", "1"), post("darts", "ann", "bob", "1"), post("darts", "ann", "cat", "2")]
    done = execute(database, acts)
    assert [(result.revision, list(result.repeated)) for result in done] == [(1, [False]), (1, [True]), (2, [False])]


def test_closed_writer_executes_queued_posts_and_refuses_new_ones(database):
    writer = Writer(database)
    waiting = [writer.submit(post("darts", "ann", "bob", str(number))) for number in range(20)]
    writer.close()
    assert sorted(future.result().revision for future in waiting) == list(range(1, 21))
    with pytest.raises(Unavailable, match="shutting down"):
        writer.submit(post("darts", "ann", "bob", "late"))


def test_connection_lost_during_commit_is_reported_as_unknown_outcome(database):
    def lost(connection):
        raise sqlite3.OperationalError("the server went away")

    event.listen(database.engine, "commit", lost)
    for dialect, kind in (("sqlite", Unavailable), ("postgresql", CommitUnknown)):
        database.dialect = dialect
        [result] = execute(database, [post("darts", "ann", "bob", "1")])
        assert type(result) is kind
    event.remove(database.engine, "commit", lost)
    [result] = execute(database, [post("darts", "ann", "bob", "1")])
    assert isinstance(result, CommandResult)


def test_failed_checkpoint_is_logged_and_not_retried_immediately(database, monkeypatch, caplog):
    def broken(database, name):
        raise ZeroDivisionError(name)

    monkeypatch.setattr(writer, "take_checkpoint", broken)
    lanes = Writer(database)
    for number in range(3):
        assert lanes.submit(post("darts", "ann", "bob", str(number))).result().revision == number + 1
    with pytest.raises(NotFound):
        lanes.submit(post("nowhere", "ann", "bob", "1")).result()
    lanes.close()
    [record] = caplog.records
    assert record.getMessage() == "cannot take a checkpoint of the league darts"
    assert record.exc_info[0] is ZeroDivisionError


def waits_for_lock(database):
    """Return whether a transaction waits for a lock of a league or a player."""
    here = "database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    with database.reading() as connection:
        query = text(f"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND {here}")
        return connection.execute(query).scalar() > 0


def test_correction_waits_for_a_correction_by_another_process(postgres_url, monkeypatch):
    first, second = Database(postgres_url), Database(postgres_url)
    with first.writing() as connection:
        leagues.create(connection, "darts")
    execute(first, [post("darts", "ann", "bob", str(number)) for number in range(3)])
    planned, go_on, write_plan = Event(), Event(), writer.write_plan

    def paused(connection, plan):
        planned.set()
        assert go_on.wait(30)
        return write_plan(connection, plan)

    monkeypatch.setattr(writer, "write_plan", paused)
    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(perform, first, Delete("darts", "0"))
        assert planned.wait(30)
        planned.clear()
        other = pool.submit(perform, second, Delete("darts", "1"))
        while not (planned.is_set() or other.done() or waits_for_lock(first)):
            sleep(0.01)
        planned_early = planned.is_set()  # from ratings that the first correction is about to replace
        go_on.set()
        assert (one.result().revision, other.result().revision) == (4, 5)
    assert not planned_early
    sound.check(first, "darts")
    first.close()
    second.close()

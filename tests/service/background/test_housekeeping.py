"""Housekeeping records the last use of keys at most once a minute, and removes deleted leagues."""

from time import sleep, time

import pytest
from sqlalchemy import event

from prowess.service.background.housekeeping import Housekeeper
from prowess.store import keys, leagues
from prowess.store.db.database import Database
from prowess.store.errors import Unavailable
from tests.service.app_client import served


@pytest.fixture
def database(database_url):
    made = Database(database_url)
    made.migrate()
    yield made
    made.close()


def until(condition):
    end = time() + 30
    while not condition():
        assert time() < end, "the condition was not met within 30 seconds"
        sleep(0.02)


def test_last_use_of_a_key_is_stored_in_the_background(sqlite_url):
    with served(sqlite_url) as client:
        written = []
        event.listen(client.service.database.engine, "begin", lambda connection: written.append(1))
        before = time()
        for _ in range(20):
            client.get("/api/leagues")
        assert written == []
    database = Database(sqlite_url)
    with database.reading() as connection:
        [key] = keys.list_keys(connection)
    database.close()
    assert before <= key.used_at <= time()


def test_several_uses_of_a_key_are_stored_in_one_write(database, monkeypatch):
    with database.writing() as connection:
        key, _ = keys.create(connection, "phone")
    writes = []
    record = keys.record_uses
    monkeypatch.setattr(keys, "record_uses", lambda connection, uses: (writes.append(uses), record(connection, uses)))
    uses = {}
    housekeeper = Housekeeper(database, uses, interval=0.05)
    uses[key.id] = 10.0
    uses[key.id] = 11.0
    until(lambda: writes)
    sleep(0.3)  # several intervals in which the key is not used
    housekeeper.close()
    assert [list(written) for written in writes] == [[key.id]]
    with database.reading() as connection:
        assert keys.get(connection, key.id).used_at == 11.0


def test_housekeeping_retries_after_the_database_was_unavailable(database, monkeypatch):
    tries = []

    def fail(connection, uses):
        tries.append(uses)
        raise Unavailable("the database cannot be used now")

    monkeypatch.setattr(keys, "record_uses", fail)
    housekeeper = Housekeeper(database, {1: 10.0}, interval=0.01)
    until(lambda: len(tries) > 2)
    housekeeper.close()


def test_deleted_league_is_removed_when_its_grace_period_ends(database):
    with database.writing() as connection:
        leagues.create(connection, "darts")
        leagues.create(connection, "chess")
        leagues.delete(connection, "darts", grace=0)
        leagues.delete(connection, "chess")
    housekeeper = Housekeeper(database, {}, interval=0.05)

    def names():
        with database.reading() as connection:
            return [league.name for league in leagues.list_leagues(connection)]

    until(lambda: names() == ["chess"])
    housekeeper.close()

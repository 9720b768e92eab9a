"""Housekeeping records the last use of keys at most once a minute, removes deleted leagues, and rates leagues again."""

from threading import Event
from time import sleep, time

import pytest
from sqlalchemy import event

from prowess.service.background.housekeeping import Housekeeper
from prowess.store import keys, leagues
from prowess.store.db.database import Database
from prowess.store.errors import Unavailable
from prowess.store.write import writer
from tests.service.app_client import served
from tests.store import sound
from tests.store.earlier_engine import derive_with_version_1, stored_states


@pytest.fixture
def database(database_url):
    made = Database(database_url)
    made.migrate()
    yield made
    made.close()


def submit(command):
    raise AssertionError(f"no league must be changed, but {command} was submitted")


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
    housekeeper = Housekeeper(database, uses, submit, interval=0.05)
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
    housekeeper = Housekeeper(database, {1: 10.0}, submit, interval=0.01)
    until(lambda: len(tries) > 2)
    housekeeper.close()


def test_deleted_league_is_removed_when_its_grace_period_ends(database):
    with database.writing() as connection:
        leagues.create(connection, "darts")
        leagues.create(connection, "chess")
        leagues.delete(connection, "darts", grace=0)
        leagues.delete(connection, "chess")
    housekeeper = Housekeeper(database, {}, submit, interval=0.05)

    def names():
        with database.reading() as connection:
            return [league.name for league in leagues.list_leagues(connection)]

    until(lambda: names() == ["chess"])
    housekeeper.close()


MATCHES = [
    {"id": f"m{day}", "time": f"2026-01-{day:02}", "teams": [["ann"], [name]], "ranks": [1, 2 if day % 3 else 1]}
    for day, name in enumerate(["bob", "cat", "dan", "bob", "cat"] * 3, 1)
]


@pytest.fixture
def rounds(monkeypatch):
    """Wait until the housekeeper of the next service has looked for outdated leagues."""
    done, rederive = Event(), Housekeeper._rederive

    def observed(self):
        try:
            rederive(self)
        finally:
            done.set()

    monkeypatch.setattr(Housekeeper, "_rederive", observed)
    return done


def views(client):
    """Return what the API shows about the ratings, their history and their explanations."""
    paths = ("leaderboard", "leaderboard?at=2026-01-07", "players/ann", "players/ann/matches", "matches/m7")
    return [client.get(f"/api/leagues/darts/{path}").json() for path in paths]


def numbers(view):
    """Return a view without the numbers that every change of a league advances."""
    if isinstance(view, dict):
        return {name: numbers(value) for name, value in view.items() if name not in ("revision", "generation")}
    return [numbers(value) for value in view] if isinstance(view, list) else view


def test_service_rates_a_league_of_an_earlier_engine_version_again_once(database_url, rounds):
    with served(database_url) as client:
        client.create_league("darts")
        client.post("/api/leagues/darts/matches", MATCHES, status=201)
        fresh = views(client)
        assert rounds.wait(30)
        assert client.get("/api/leagues/darts").json()["generation"] == 1, "a current league must not be rated again"
    database = Database(database_url)
    derive_with_version_1(database, "darts")
    before = stored_states(database, "darts", 1)

    rounds.clear()
    with served(database_url) as client:
        assert rounds.wait(30)
        league = client.get("/api/leagues/darts").json()
        assert (league["generation"], league["revision"], league["model"]["name"]) == (2, 2, "TrueSkill")
        assert numbers(views(client)) == numbers(fresh)
        generations = client.get("/api/leagues/darts/generations").json()["generations"]
        assert [(one["engine_version"], one["author"], one["reason"]) for one in generations] == [
            (1, "office", "the first"),
            (2, "upgrade", "rated again by a new version of prowess"),
        ]
        sentence = "when a new version of prowess rated all matches again with the same model</li>"
        assert sentence in client.get("/leagues/darts/models").text
        old = client.get("/leagues/darts/standings?generation=1").text
        assert "Standings by TrueSkill, as computed by an earlier version of prowess." in old
        assert "By an earlier model" not in client.get("/leagues/darts/standings").text
    sound.check(database, "darts")
    assert stored_states(database, "darts", 1) == before, "ratings of the old generation must not change"

    kept = sound.dump(database)
    rounds.clear()
    with served(database_url) as client:
        assert rounds.wait(30)
        assert numbers(views(client)) == numbers(fresh)
    after = sound.dump(database)
    created = {"key", "audit"}  # `served` creates a key
    assert {name: after[name] for name in after.keys() - created} == {
        name: kept[name] for name in kept.keys() - created
    }
    database.close()


def test_service_serves_the_old_ratings_until_the_league_is_rated_again(sqlite_url, rounds, monkeypatch):
    with served(sqlite_url) as client:
        client.create_league("darts")
        client.post("/api/leagues/darts/matches", MATCHES, status=201)
    database = Database(sqlite_url)
    derive_with_version_1(database, "darts")
    begun, go_on, carry_out = Event(), Event(), writer._correct

    def paused(*arguments):
        begun.set()
        assert go_on.wait(30)
        return carry_out(*arguments)

    monkeypatch.setattr(writer, "_correct", paused)
    with served(sqlite_url) as client:
        assert begun.wait(30)
        assert client.get("/api/leagues/darts").json()["generation"] == 1
        assert client.get("/api/leagues/darts/leaderboard").json()["total"] == 4
        go_on.set()
        until(lambda: client.get("/api/leagues/darts").json()["generation"] == 2)
    sound.check(database, "darts")
    database.close()

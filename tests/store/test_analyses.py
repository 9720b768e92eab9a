"""What is worked out in the background: asked for once, seen by all, and never left running for ever."""

import time

import pytest

from prowess.store import analyses, leagues
from prowess.store.analyses import latest
from prowess.store.database import Database
from prowess.store.errors import Clash


@pytest.fixture
def database(database_url):
    found = Database(database_url)
    found.migrate()
    with found.writing() as connection:
        leagues.create(connection, "darts")
    yield found
    found.close()


def darts(connection):
    return leagues.find(connection, "darts")


def do(database, act, *given, **more):
    with database.writing() as connection:
        return act(connection, *given, **more)


def ask(database, kind="comparison", models=("Elo",)):
    do(
        database,
        lambda connection: analyses.ask(connection, darts(connection), kind, {one: {} for one in models}, "ann"),
    )


def states(database, kind="comparison"):
    with database.reading() as connection:
        done, last = latest(connection, darts(connection), kind)
    return done and done.id, last and last.state


def test_the_life_of_an_analysis(database):
    assert states(database) == (None, None)
    ask(database)
    ask(database, models=["Glicko"])  # there is one already
    ask(database, "figures", [])
    assert states(database) == (None, "queued")
    job = do(database, analyses.claim, "one")
    assert (job.kind, job.asked, job.author) == ("comparison", {"Elo": {}}, "ann")  # who waits longest is first
    assert do(database, analyses.claim, "two").kind == "figures"
    assert do(database, analyses.claim, "three") is None
    assert do(database, analyses.beat, job.id, "one", "Elo (1 of 2)", 0.25)
    assert not do(database, analyses.beat, job.id, "two", "", 0.9)  # it is not hers
    with database.reading() as connection:
        _, last = latest(connection, darts(connection), "comparison")
    assert (last.state, last.step, last.share, last.open) == ("running", "Elo (1 of 2)", 0.25, True)
    ask(database)
    assert do(database, analyses.finish, job.id, "one", 1, 7, '{"best": "Elo"}')
    assert not do(database, analyses.finish, job.id, "one", 1, 7, "{}")  # it is done
    assert states(database) == (job.id, "done")
    ask(database)
    assert states(database) == (job.id, "queued")  # the old answer stays
    again = do(database, analyses.claim, "one")
    do(database, analyses.end, again.id, "one", "no match", state="failed")
    assert states(database) == (job.id, "failed")
    with database.reading() as connection:
        assert latest(connection, darts(connection), "comparison")[1].why == "no match"
        assert analyses.answer_of(connection, job.id) == '{"best": "Elo"}'
    ask(database)
    third = do(database, analyses.claim, "one")
    assert do(database, analyses.finish, third.id, "one", 1, 8, "{}")
    assert states(database) == (third.id, "done")
    with database.reading() as connection:
        assert analyses.answer_of(connection, job.id) is None  # until there is a new one


def test_what_is_called_off_ends(database):
    ask(database)
    job = do(database, analyses.claim, "one")
    do(database, lambda connection: analyses.cancel(connection, darts(connection), "comparison"))
    assert states(database) == (None, "cancelled")
    assert not do(database, analyses.beat, job.id, "one", "", 0.5)
    assert not do(database, analyses.finish, job.id, "one", 1, 7, "{}")
    ask(database)
    assert states(database) == (None, "queued")


def test_who_gives_no_sign_of_life_is_not_waited_for(database, monkeypatch):
    ask(database)
    job = do(database, analyses.claim, "one")
    assert states(database) == (None, "running")
    later = time.time() + analyses.SILENT + 1
    monkeypatch.setattr(analyses, "time", lambda: later)
    assert states(database) == (None, "interrupted")
    ask(database)
    assert states(database) == (None, "queued")
    assert not do(database, analyses.beat, job.id, "one", "", 0.5)  # should it come back after all


def test_two_who_ask_at_once_get_one(database):
    with database.reading() as connection:
        league = darts(connection)
    ask(database)
    row = {"league_id": league.id, "kind": "comparison", "state": "queued", "asked": "{}", "author": "bob"}
    with pytest.raises(Clash), database.writing() as connection:
        connection.execute(analyses.schema.analysis.insert().values(row | {"asked_at": 0.0, "step": "", "share": 0.0}))
    assert states(database) == (None, "queued")

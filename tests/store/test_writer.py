"""Changes that wait together: each fails alone, and nothing is lost at the end."""

import sqlite3

import pytest
from sqlalchemy import event

from prowess.store import leagues
from prowess.store.db.database import Database
from prowess.store.errors import NotFound, Unavailable, Unsure
from prowess.store.write import append, writer
from prowess.store.write.commands import Done, Post
from prowess.store.write.writer import Writer, carry_out


@pytest.fixture
def database(sqlite_url):
    found = Database(sqlite_url)
    found.migrate()
    with found.writing() as connection:
        leagues.create(connection, "darts")
        leagues.create(connection, "chess")
    yield found
    found.close()


def post(league, one, other, id):
    return Post(league, [{"id": id, "teams": [[one], [other]]}])


def test_what_nobody_has_thought_of_fails_alone(database, monkeypatch):
    learn = append.learn

    def fragile(ladder, history):
        if "eve" in history.players:
            raise ZeroDivisionError
        return learn(ladder, history)

    monkeypatch.setattr(append, "learn", fragile)
    acts = [post("darts", "ann", "bob", "1"), post("darts", "ann", "eve", "2"), post("chess", "cat", "dan", "1")]
    first, wrong, last = carry_out(database, acts)
    assert isinstance(wrong, ZeroDivisionError)
    assert isinstance(first, Done)
    assert isinstance(last, Done)
    with database.reading() as connection:
        found = {name: leagues.find(connection, name) for name in ("darts", "chess")}
    assert {name: (one.revision, one.posted) for name, one in found.items()} == {"darts": (1, 1), "chess": (1, 1)}


def test_what_is_sent_twice_at_once_is_answered_by_one_revision(database):
    acts = [post("darts", "ann", "bob", "1"), post("darts", "ann", "bob", "1"), post("darts", "ann", "cat", "2")]
    done = carry_out(database, acts)
    assert [(one.revision, list(one.repeated)) for one in done] == [(1, [False]), (1, [True]), (2, [False])]


def test_nothing_is_taken_after_the_end(database):
    writer = Writer(database)
    waiting = [writer.submit(post("darts", "ann", "bob", str(number))) for number in range(20)]
    writer.close()
    assert sorted(one.result().revision for one in waiting) == list(range(1, 21))
    with pytest.raises(Unavailable, match="shutting down"):
        writer.submit(post("darts", "ann", "bob", "late"))


def test_a_server_that_is_lost_while_it_commits_leaves_one_unsure(database):
    def lost(connection):
        raise sqlite3.OperationalError("the server went away")

    event.listen(database.engine, "commit", lost)
    for dialect, kind in (("sqlite", Unavailable), ("postgresql", Unsure)):
        database.dialect = dialect
        [result] = carry_out(database, [post("darts", "ann", "bob", "1")])
        assert type(result) is kind
    event.remove(database.engine, "commit", lost)
    [result] = carry_out(database, [post("darts", "ann", "bob", "1")])
    assert isinstance(result, Done)


def test_failed_checkpoint_is_logged_and_not_tried_again_at_once(database, monkeypatch, caplog):
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

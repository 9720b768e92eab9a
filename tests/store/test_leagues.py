"""Leagues are renamed, archived, deleted, restored, and finally removed."""

from contextlib import contextmanager
from itertools import chain, count, repeat

import pytest
from sqlalchemy import func, select, update

import prowess as pw
from prowess.history import History
from prowess.store import audit, jobs, keys, leagues, purge
from prowess.store.db import schema
from prowess.store.db.database import Database
from prowess.store.errors import Conflict, NotFound, Renamed
from prowess.store.read.standings import StandingsCache
from prowess.store.write.commands import ChangeModel, CommandResult, Delete, Edit, NewSeason, Post
from prowess.store.write.importing import import_history
from prowess.store.write.writer import Writer, execute, perform, preview
from tests.store.sound import check

MATCHES = [{"id": f"m{day}", "teams": [["ann"], ["bob"]], "time": f"2026-01-0{day}"} for day in range(1, 6)]


@pytest.fixture
def database(database_url):
    made = Database(database_url)
    made.migrate()
    with made.writing() as connection:
        for name in ("chess", "darts"):
            leagues.create(connection, name, title=name.title())
    for name in ("chess", "darts"):
        perform(made, Post(name, MATCHES))
    yield made
    made.close()


def change(database, name, **values):
    with database.writing() as connection:
        return leagues.change(connection, name, author="ann", **values)


@contextmanager
def refused(kind, message):
    with pytest.raises(kind, match=message):
        yield


def end_grace(database, name):
    with database.writing() as connection:
        league = leagues.delete(connection, name)
        connection.execute(update(schema.league).where(schema.league.c.id == league.id).values(purge_at=1.0))
    return league.id


def test_renamed_league_keeps_its_matches_and_is_found_by_its_old_name(database):
    old = change(database, "darts", new_name="pub", title="Pub")
    assert (old.name, old.title, old.revision) == ("pub", "Pub", 1)
    perform(database, Post("pub", [{"teams": [["ann"], ["cat"]]}]))
    check(database, "pub")
    assert change(database, "pub", new_name="bar").name == "bar"
    for name in ("darts", "pub"):
        for work in (
            lambda name=name: perform(database, Post(name, MATCHES)),
            lambda name=name: preview(database, Post(name, MATCHES)),
            lambda name=name: perform(database, Delete(name, "m1")),
            lambda name=name: import_history(database, History.from_matches(MATCHES), name),
        ):
            with pytest.raises(Renamed) as renamed:
                work()
            assert (renamed.value.old, renamed.value.new) == (name, "bar")
    assert change(database, "bar", new_name="darts").name == "darts"  # renamed back to its first name
    with database.reading() as connection, refused(Renamed, "league 'bar' is now named 'darts'"):
        leagues.find(connection, "bar")
    with database.reading() as connection:
        [entry] = [entry for entry in audit.list_entries(connection) if entry.detail.get("old") == "pub"]
        assert (entry.actor, entry.action, entry.league) == ("ann", "rename league", "bar")


def test_new_league_can_get_the_former_name_of_another_league(database):
    """The writer caches the clock of a league by its name, so the new league has another clock here."""
    change(database, "darts", new_name="pub")
    with database.writing() as connection:
        new = leagues.create(connection, "darts", clock="number")
    result = perform(database, Post("darts", [{"id": "m1", "teams": [["eve"], ["dan"]], "time": 7}]))
    assert (result.revision, list(result.times)) == (1, [7.0])
    with database.reading() as connection:
        assert leagues.find(connection, "darts").id == new.id
        standings = StandingsCache()
        names = [
            {row["player"] for row in standings.of(connection, leagues.find(connection, name)).page(0, 9).rows}
            for name in ("darts", "pub")
        ]
    assert names == [{"dan", "eve"}, {"ann", "bob"}]
    for name in ("darts", "pub"):
        check(database, name)


@pytest.mark.parametrize(("name", "kind"), [("chess", Conflict), ("No Good", pw.Error), ("", pw.Error)])
def test_league_is_not_renamed_to_a_taken_or_invalid_name(database, name, kind):
    with pytest.raises(kind) as error:
        change(database, "darts", new_name=name, title="Changed")
    assert error.value.field == "name"
    with database.reading() as connection:
        assert leagues.find(connection, "darts").title == "Darts"


COMMANDS = [
    Post("darts", MATCHES[:1]),
    Edit("darts", "m1", MATCHES[1] | {"id": "m1"}),
    Delete("darts", "m1"),
    ChangeModel("darts", leagues.Preset("Elo")),
    NewSeason("darts", "2026", "2026-01-03"),
]


def test_archived_league_is_read_only(database):
    assert change(database, "darts", archived=True).archived_at is not None
    for command in COMMANDS:
        for run in (perform, preview):
            with refused(Conflict, "'darts' is archived, so it is read-only; unarchive it first"):
                run(database, command)
    assert change(database, "darts", title="Old darts").title == "Old darts"
    assert change(database, "darts", archived=False).archived_at is None
    perform(database, COMMANDS[1])
    check(database, "darts")


def test_refused_post_does_not_fail_posts_to_other_leagues_in_its_batch(database):
    change(database, "chess", archived=True)
    posts = [Post(name, [{"id": "new", "teams": [["ann"], ["cat"]]}]) for name in ("chess", "darts", "chess")]
    kinds = [type(result) for result in execute(database, posts)]
    assert kinds == [Conflict, CommandResult, Conflict]


def test_deleted_league_can_be_restored_until_its_grace_period_ends(database):
    with database.writing() as connection:
        deleted = leagues.delete(connection, "darts", author="ann")
        assert leagues.delete(connection, "darts", grace=1).purge_at == deleted.purge_at
    assert purge.purge_deleted(database) == []
    for command in COMMANDS:
        with refused(Conflict, f"is deleted and will be removed on {deleted.purge_day}; undelete it first"):
            perform(database, command)
    with refused(Conflict, "undelete it first"):
        change(database, "darts", title="x")
    with refused(Conflict, "already exists; it is deleted, and its name is free"), database.writing() as connection:
        leagues.create(connection, "darts")
    with database.writing() as connection:
        assert leagues.undelete(connection, "darts", author="bob").purge_at is None
    perform(database, COMMANDS[1])
    check(database, "darts")
    end_grace(database, "darts")
    with refused(Conflict, "the time to undelete league 'darts' ended"), database.writing() as connection:
        leagues.undelete(connection, "darts")


def rows_of(database, id):
    with database.reading() as connection:
        return {
            table.name: connection.execute(
                select(func.count()).select_from(table).where(table.c.league_id == id)
            ).scalar_one()
            for table in schema.metadata.sorted_tables
            if "league_id" in table.c
        }


def test_purge_removes_every_row_of_a_deleted_league(database, monkeypatch):
    monkeypatch.setattr(purge, "TABLES", dict.fromkeys(purge.TABLES, 2))
    change(database, "darts", new_name="pub")
    with database.writing() as connection:
        league = leagues.find(connection, "pub")
        _, secret = keys.create(connection, "referee", "admin", "pub")
        jobs.request(connection, league, "figures", {})
    perform(database, NewSeason("pub", "2026", "2026-01-03"))
    perform(database, ChangeModel("pub", leagues.Preset("Elo")))
    with database.writing() as connection:
        row = {"league_id": league.id, "rating_set": 1, "time": 1.0, "seq": 1, "matches": 1}
        row |= dict.fromkeys(("players", "state", "memory"), b"x")
        connection.execute(schema.checkpoint.insert().values(row))
        row = {"league_id": league.id, "alias": "player 1", "revision": 1, "made_at": 0.0, "scrub_due": False}
        connection.execute(schema.erasure.insert().values(row))
        for table in (schema.alias, schema.alias_use, schema.name_change, schema.distinct_name):
            values = {column.name: 1 if str(column.type) == "BIGINT" else "x" for column in table.c}
            values |= {"league_id": league.id} | ({"made_at": 0.0} if "made_at" in values else {})
            connection.execute(table.insert().values(values))
    filled = rows_of(database, league.id)
    assert all(filled.values()), "every table with a league_id must have a row here"
    assert {table.name for table in purge.TABLES} == set(filled)
    end_grace(database, "pub")
    # This purge is interrupted after its first batch.
    assert purge.purge_deleted(database, chain([False] * 2, repeat(True)).__next__) == ["pub"]
    assert purge.purge_deleted(database) == []  # the purge is continued, without a second entry in the audit log
    assert not any(rows_of(database, league.id).values())
    with database.reading() as connection:
        assert keys.find(connection, secret) is None
        assert [league.name for league in leagues.list_leagues(connection)] == ["chess"]
        assert league.id not in leagues.latest_revisions(connection), "otherwise its exports would be kept"
        for name in ("darts", "pub"):
            with refused(NotFound, f"no league named '{name}'"):
                leagues.find(connection, name)
        log = [entry.action for entry in audit.list_entries(connection) if entry.league == "pub"]
        [row] = connection.execute(select(schema.league).where(schema.league.c.id == league.id)).mappings()
    assert log.count("purge league") == 1
    assert "rename league" in log
    assert (row["name"], row["title"], row["settings"]) == (f"~{league.id}", "", "{}")
    check(database, "chess")
    with database.writing() as connection:
        assert leagues.create(connection, "pub").id > league.id, "a cache would mix up two leagues with one id"


def test_purge_in_two_processes_removes_a_league_once(database):
    end_grace(database, "darts")
    other = Database(database.url.render_as_string(hide_password=False))
    names = purge.purge_deleted(other) + purge.purge_deleted(database)
    other.close()
    assert names == ["darts"]


def test_posts_to_other_leagues_continue_while_a_league_is_removed(database, monkeypatch):
    """After each batch, the removal pauses four times as long as the batch took, and holds no lock meanwhile.

    Without pauses, a post on SQLite waited for 2.8 of the 3.9 seconds of the removal of 20,000 matches.
    """
    matches = [{"id": str(n), "teams": [[f"a{n % 997}"], [f"b{n % 991}"]]} for n in range(2_000)]
    perform(database, Post("darts", matches))
    end_grace(database, "darts")
    writer, other = Writer(database), Database(database.url.render_as_string(hide_password=False))
    pauses, clock = [], count()

    def pause(seconds):
        writer.submit(Post("chess", [{"teams": [["ann"], ["bob"]]}])).result(60)
        pauses.append(seconds)

    monkeypatch.setattr(purge, "monotonic", lambda: next(clock))  # a batch takes one second
    monkeypatch.setattr(purge, "sleep", pause)
    assert purge.purge_deleted(other) == ["darts"]
    writer.close()
    other.close()
    assert set(pauses) == {4.0}
    assert len(pauses) > 10  # the journal alone has ten batches
    check(database, "chess")


@pytest.mark.parametrize("other_clock", ["utc", "none"])
def test_post_from_a_process_with_an_outdated_cache_goes_to_the_league_that_has_the_name_now(database, other_clock):
    """The process has cached the clock of a league by its name; then another league gets that name."""
    other = Database(database.url.render_as_string(hide_password=False))
    perform(other, Post("darts", [{"id": "x1", "teams": [["ann"], ["bob"]]}]))
    assert other.clocks["darts"] == "utc"
    change(database, "darts", new_name="pub")
    with pytest.raises(Renamed):
        perform(other, Post("darts", [{"id": "x2", "teams": [["ann"], ["bob"]]}]))
    with database.writing() as connection:
        leagues.create(connection, "darts", clock=other_clock)
    assert perform(other, Post("darts", [{"id": "x3", "teams": [["eve"], ["dan"]]}])).revision == 1
    other.close()
    for name, revision in (("darts", 1), ("pub", 2)):
        check(database, name)
        with database.reading() as connection:
            league = leagues.find(connection, name)
        assert (league.revision, league.clock) == (revision, "utc" if name == "pub" else other_clock)

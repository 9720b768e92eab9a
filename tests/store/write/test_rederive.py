"""A league whose ratings were derived by another engine version is rated again before anything is added to it."""

import json

import pytest
from sqlalchemy import select

from prowess.model.engine_version import ENGINE_VERSION
from prowess.store import choices, leagues
from prowess.store.db import schema
from prowess.store.db.database import Database
from prowess.store.doctor import examine, repair
from prowess.store.leagues import Preset
from prowess.store.write import replay
from prowess.store.write.commands import ChangeModel, Delete, Edit, NewSeason, Post, Rederive, Rename
from prowess.store.write.writer import Writer, perform
from tests.store import sound
from tests.store.earlier_engine import derive_with_version_1, stored_states

NAMES = ["ann", "bob", "cat", "dan"]


def match(time, name=None):
    return {"id": name or f"m{time}", "time": time, "teams": [[NAMES[time % 4]], [NAMES[(time + 1) % 4]]]}


@pytest.fixture
def database(database_url, monkeypatch):
    """A league of ten matches with checkpoints, derived by version 1."""
    monkeypatch.setattr(replay, "MIN_SPACING", 3)
    database = Database(database_url)
    database.migrate()
    with database.writing() as connection:
        leagues.create(connection, "darts", clock="number")
    for part in (range(4), range(4, 10)):
        perform(database, Post("darts", [match(time) for time in part]))
        replay.take_checkpoint(database, "darts")
    derive_with_version_1(database, "darts")
    yield database
    database.close()


def find(database, name="darts"):
    with database.reading() as connection:
        return leagues.find(connection, name)


def versions(database, name="darts"):
    """Return the engine versions of all generations."""
    with database.reading() as connection:
        return [one.engine_version for one in leagues.list_generations(connection, leagues.find(connection, name))]


def checkpoints(database):
    with database.reading() as connection:
        return connection.execute(select(schema.checkpoint.c.rating_set)).scalars().all()


@pytest.mark.parametrize("length", ["short", "long"])
def test_league_is_rated_again_once_as_a_new_generation_of_the_same_model(length, database, request):
    if length == "long":
        request.getfixturevalue("take_long")
    old, before = find(database), stored_states(database, "darts", 1)
    assert old.outdated
    result = perform(database, Rederive("darts"))
    new = find(database)
    assert (new.generation, new.revision, result.revision) == (2, old.revision + 1, old.revision + 1)
    assert (new.model, new.preset, new.posted) == (old.model, old.preset, old.posted)
    assert versions(database) == [1, ENGINE_VERSION]
    sound.check(database, "darts")
    assert stored_states(database, "darts", 1) == before
    assert stored_states(database, "darts", 2).keys() == before.keys()
    assert stored_states(database, "darts", 2) != before
    assert set(checkpoints(database)) == {new.rating_set}, "checkpoints of version 1 must not be used again"
    kept = sound.dump(database)
    assert perform(database, Rederive("darts")).revision == new.revision
    assert sound.dump(database) == kept


def test_players_whose_bits_are_the_same_are_in_the_new_generation(database):
    """If all bits happen to agree, the new generation still has all ratings."""
    with database.writing() as connection:
        leagues.create(connection, "chess", clock="number")
    perform(database, Post("chess", [match(time) for time in range(4)]))
    with database.writing() as connection:
        leagues.update_generation(connection, leagues.find(connection, "chess"), engine_version=1)
    perform(database, Rederive("chess"))
    assert stored_states(database, "chess", 2) == stored_states(database, "chess", 1)
    sound.check(database, "chess")


COMMANDS = {
    "post": Post("darts", [match(10)]),
    "late post": Post("darts", [match(3, "late")]),
    "edit": Edit("darts", "m9", {"teams": [["dan"], ["ann"]], "time": 9}),
    "delete": Delete("darts", "m8"),
    "new season": NewSeason("darts", "II", 8, 0.5, 1.0),
    "merge": Rename("darts", "dan", "bob"),
}


@pytest.mark.parametrize("length", ["short", "long"])
@pytest.mark.parametrize("kind", COMMANDS)
def test_no_command_mixes_ratings_of_two_engine_versions(kind, length, database, request):
    if length == "long":
        request.getfixturevalue("take_long")
    before, revision = stored_states(database, "darts", 1), find(database).revision
    writer = Writer(database)
    result = writer.submit(COMMANDS[kind]).result(30)
    following = writer.submit(Post("darts", [match(20)])).result(30)
    writer.close()
    assert (result.revision, following.revision) == (revision + 2, revision + 3)
    assert versions(database) == [1, ENGINE_VERSION]
    assert stored_states(database, "darts", 1) == before
    sound.check(database, "darts")


def test_repeated_post_to_an_outdated_league_is_recognised(database):
    assert perform(database, Post("darts", [match(9)])).repeated == [True]
    sound.check(database, "darts")


def test_another_model_replaces_ratings_of_another_engine_version_directly(database):
    perform(database, ChangeModel("darts", Preset("Elo"), replaces=1))
    assert versions(database) == [1, ENGINE_VERSION]
    assert find(database).preset.name == "Elo"
    sound.check(database, "darts")


def test_model_change_decided_before_the_league_was_rated_again_is_no_conflict(database):
    perform(database, Rederive("darts"))
    perform(database, ChangeModel("darts", Preset("Elo"), replaces=1))
    assert find(database).generation == 3
    with database.reading() as connection:
        assert leagues.first_generation(connection, leagues.find(connection, "darts")) == 3


def test_stored_model_is_kept_even_if_the_defaults_of_its_preset_have_changed(database):
    model = Preset("TrueSkill", {"beta": 5.0}).model
    with database.writing() as connection:
        league = leagues.find(connection, "darts")
        leagues.update_generation(connection, league, model=json.dumps(model.to_dict()))
    perform(database, Rederive("darts"))
    assert find(database).model == model != find(database).preset.model
    sound.check(database, "darts")


def test_empty_league_keeps_its_first_generation(database):
    with database.writing() as connection:
        league = leagues.create(connection, "empty", clock="number")
        leagues.update_generation(connection, league, engine_version=1)
        assert leagues.list_outdated(connection) == ["darts", "empty"]
    perform(database, Rederive("empty"))
    assert versions(database, "empty") == [ENGINE_VERSION]
    assert choices.is_fresh(find(database, "empty"))
    with database.writing() as connection:
        leagues.update_generation(connection, league, engine_version=1)
    assert perform(database, Post("empty", [match(0)])).revision == 1
    assert versions(database, "empty") == [ENGINE_VERSION]
    sound.check(database, "empty")


def test_archived_league_is_rated_again_only_after_it_is_unarchived(database):
    with database.writing() as connection:
        leagues.change(connection, "darts", archived=True)
        assert leagues.list_outdated(connection) == []
        leagues.change(connection, "darts", archived=False)
        assert leagues.list_outdated(connection) == ["darts"]


def engine_checks(database):
    checks = list(examine(database))
    assert not [check for check in checks if check.league and check.status == "problem"]
    return [(check.status, check.text) for check in checks if check.name == "engine"]


def test_doctor_does_not_report_ratings_of_another_engine_version_as_damage(database):
    text = "Another version of the engine computed the ratings, so they were not checked: darts."
    assert engine_checks(database) == [("warning", text)]
    perform(database, Rederive("darts"))
    text = "1 earlier set of ratings was computed by another version of the engine, and not checked."
    assert engine_checks(database) == [("ok", text)]
    repair(database, "darts")
    assert versions(database) == [ENGINE_VERSION, ENGINE_VERSION]
    assert engine_checks(database) == []

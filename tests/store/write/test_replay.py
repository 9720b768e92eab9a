"""Checkpoints are taken after the right number of matches, even if matches were deleted."""

import pytest
from sqlalchemy import select

from prowess.store import leagues
from prowess.store.db import schema
from prowess.store.db.database import Database
from prowess.store.write import replay
from prowess.store.write.commands import Delete, NewSeason, Post
from prowess.store.write.replay import take_checkpoint
from prowess.store.write.writer import perform
from tests.store import sound


@pytest.fixture(autouse=True)
def close_checkpoints(monkeypatch):
    """Make a checkpoint due after every three matches."""
    monkeypatch.setattr(replay, "MIN_SPACING", 3)


@pytest.fixture
def database(database_url):
    database = Database(database_url)
    database.migrate()
    with database.writing() as connection:
        leagues.create(connection, "darts", clock="number")
    yield database
    database.close()


def post(database, *times):
    """Post a match at each of the times; its id is its time."""
    perform(database, Post("darts", [{"id": str(time), "time": time, "teams": [["ann"], ["bob"]]} for time in times]))


def delete(database, *times):
    for time in times:
        perform(database, Delete("darts", str(time)))


def stored(database):
    """Return the time, the seq and the number of matches of each checkpoint."""
    table = schema.checkpoint.c
    with database.reading() as connection:
        return [tuple(row) for row in connection.execute(select(table.time, table.seq, table.matches).order_by("time"))]


def test_checkpoint_stays_valid_after_matches_are_deleted(database):
    post(database, 9)
    # These matches are late: the match at 6 has the highest seq, but the match at 9 is the last in time.
    post(database, 1, 2, 3, 4, 5, 6)
    delete(database, 1, 2, 3)  # the replay takes a checkpoint after 4, 5 and 6
    delete(database, 9)  # now this checkpoint is at the last match
    assert stored(database) == [(6, 7, 3)]
    assert take_checkpoint(database, "darts") == 3
    assert stored(database) == [(6, 7, 3)]


def test_spacing_of_checkpoints_ignores_deleted_matches(database):
    post(database, 1, 2, 3, 4)
    assert take_checkpoint(database, "darts") == 3
    delete(database, 1, 2)
    post(database, 5)
    assert take_checkpoint(database, "darts") == 3
    assert stored(database) == [(5, 5, 3)]
    post(database, 6, 7)
    assert take_checkpoint(database, "darts") == 1
    post(database, 8)
    assert take_checkpoint(database, "darts") == 3
    assert stored(database) == [(5, 5, 3), (8, 8, 6)]
    delete(database, 6)  # replays from the first checkpoint
    sound.check(database, "darts")


def test_season_that_began_before_a_checkpoint_at_its_first_match_does_not_begin_again(database):
    post(database, 1, 2)
    perform(database, NewSeason("darts", "II", 3, 0.5, 1.0))
    post(database, 3)
    assert take_checkpoint(database, "darts") == 3
    post(database, 5, 4)
    delete(database, 4)  # replays from the checkpoint
    assert stored(database) == [(3, 3, 3)]
    sound.check(database, "darts")


def test_league_without_matches_gets_no_checkpoint(database):
    post(database, 1, 2, 3)
    delete(database, 1, 2, 3)
    assert take_checkpoint(database, "darts") == 3
    assert stored(database) == []

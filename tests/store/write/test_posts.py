"""Leagues with dates refuse matches in the future, unless their settings allow them."""

import pytest

import prowess as pw
from prowess.history import History
from prowess.store import clock, leagues
from prowess.store.clock import DAY
from prowess.store.db.database import Database
from prowess.store.leagues import Settings
from prowess.store.write.commands import Edit, Post
from prowess.store.write.importing import import_history
from prowess.store.write.writer import perform, preview

NEVER = "9999-12-31"


@pytest.fixture
def database(database_url):
    made = Database(database_url)
    made.migrate()
    with made.writing() as connection:
        leagues.create(connection, "darts")
        leagues.create(connection, "schedule", settings=Settings(allow_future=True))
        leagues.create(connection, "rounds", clock="number")
    yield made
    made.close()


def match(time, id="m1", **more):
    return {"id": id, "teams": [["ann"], ["bob"]], "time": time} | more


def after(days):
    return clock.show("utc", clock.now() + days * DAY)


@pytest.mark.parametrize("run", [perform, preview])
def test_match_more_than_a_day_in_the_future_is_refused(database, run):
    perform(database, Post("darts", [match("2026-01-01", "old")]))
    for matches, number in (
        ([match(NEVER)], 0),
        ([match("2026-01-02"), match(NEVER, "m2")], 1),
        ([match(after(2)), match("2026-01-02", "m2")], 0),
        ([match("2025-01-01"), match(NEVER, "m2")], 1),  # a late match, so the post is planned as a correction
    ):
        with pytest.raises(pw.Error, match="more than a day ahead") as refused:
            run(database, Post("darts", matches))
        assert (refused.value.field, refused.value.match) == ("time", number)
    with pytest.raises(pw.Error, match="more than a day ahead"):
        run(database, Edit("darts", "old", match(NEVER, "old")))
    with database.reading() as connection:
        assert leagues.find(connection, "darts").revision == 1


def test_match_up_to_a_day_in_the_future_is_accepted_and_a_later_match_if_the_league_allows_it(database):
    perform(database, Post("darts", [match(after(0.9))]))
    perform(database, Post("rounds", [match(1e15)]))
    assert perform(database, Post("schedule", [match(NEVER)])).revision == 1


def test_recorded_match_in_the_future_can_be_read_and_corrected(database):
    """Leagues from earlier versions may have matches in the future."""
    with database.writing() as connection:
        leagues.change(connection, "darts", settings={"allow_future": True})
    perform(database, Post("darts", [match(NEVER)]))
    with database.writing() as connection:
        leagues.change(connection, "darts", settings={"allow_future": False})
    assert perform(database, Post("darts", [match(NEVER)])).repeated == [True]
    assert perform(database, Edit("darts", "m1", match(None, ranks=[2, 1]))).revision == 2
    result = perform(database, Edit("darts", "m1", match("2026-01-01")))
    assert clock.show("utc", result.times[0]) == "2026-01-01T00:00:00Z"


def test_importing_a_match_in_the_future_creates_no_league(database):
    history = History.from_matches([match("2026-01-01"), match(NEVER, "m2")])
    for title in ("darts", "new"):
        with pytest.raises(pw.Error, match="match 2: time: 9999-12-31T00:00:00Z is more than a day ahead"):
            import_history(database, history, title)
    with database.reading() as connection:
        assert [league.name for league in leagues.list_leagues(connection)] == ["darts", "rounds", "schedule"]

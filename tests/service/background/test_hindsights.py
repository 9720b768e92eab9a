"""Hindsights of leagues follow posts and corrections, are fitted in child processes, and end with the service."""

import time
from contextlib import contextmanager
from threading import Thread

import pytest

import prowess as pw
from prowess.errors import Error
from prowess.service.background import hindsights
from prowess.service.background.hindsights import Hindsights
from prowess.store import leagues
from prowess.store.db.database import Database
from prowess.store.errors import Unavailable
from prowess.store.leagues import Preset
from prowess.store.read.trace_cache import TraceCache
from prowess.store.write.commands import ChangeModel, Delete, Edit, NewSeason, Post
from prowess.store.write.erasure import anonymise
from prowess.store.write.writer import perform
from tests.service.background import child_functions
from tests.service.background.child_functions import gone
from tests.store.read.reading import matches


class LeagueReader:
    """A league and the hindsights of a process that reads it."""

    def __init__(self, database):
        self.database, self.hindsights = database, Hindsights(database, TraceCache())

    @property
    def league(self):
        with self.database.reading() as connection:
            return leagues.find(connection, "chess")

    def now(self, patience=20.0):
        return self.hindsights.of(self.league, patience)

    def wait(self):
        """Wait until the hindsight is up to date, also if a child process computes it."""
        for _ in range(2400):
            state = self.now(0.1)
            if state.share is None:
                return state
            time.sleep(0.05)
        raise AssertionError(state)


@contextmanager
def chess(url, model="TrueSkill"):
    database = Database(url)
    database.migrate()
    with database.writing() as connection:
        leagues.create(connection, "chess", clock="number", model=Preset(model))
    reader = LeagueReader(database)
    try:
        yield reader
    finally:
        reader.hindsights.close()
        database.close()


def expected_best(given):
    return pw.TrueSkill().hindsight(pw.History.from_matches(given)).best()["player"].to_list()


def best(state):
    return [row["player"] for row in state.hindsight.best()]


@pytest.mark.parametrize("large", [1, 1_000_000], ids=["child process", "thread"])
def test_hindsight_follows_posts_and_corrections(database_url, monkeypatch, large):
    monkeypatch.setattr(hindsights, "LARGE", large)
    given = matches(60)
    with chess(database_url) as reader:
        perform(reader.database, Post("chess", given[:40]))
        first = reader.wait()
        assert best(first) == expected_best(given[:40])
        perform(reader.database, Post("chess", given[40:]))
        perform(reader.database, Delete("chess", "m3"))
        perform(reader.database, Edit("chess", "m5", given[5] | {"scores": [9, 0]}))
        later = reader.wait()
        changed = [*given[:3], given[4], given[5] | {"scores": [9, 0]}, *given[6:]]
        assert later.hindsight.revision == reader.league.revision > first.hindsight.revision
        assert best(later) == expected_best(changed)
        assert reader.now().hindsight is later.hindsight
        perform(reader.database, NewSeason("chess", "II", 30.0, carry=0.5))
        assert len(reader.wait().hindsight.view.seasons) == 1
        perform(reader.database, ChangeModel("chess", Preset("TrueSkill", {"beta": 9.0})))
        assert reader.hindsights.kept(reader.league) is None, "ratings of the old model must not be shown"
        assert reader.wait().hindsight.hindsight.model.params["beta"] == 9.0


def test_names_of_anonymised_players_are_forgotten(database_url):
    with chess(database_url) as reader:
        perform(reader.database, Post("chess", matches(20)))
        old = reader.wait()
        anonymise(reader.database, "chess", "ann")
        assert reader.hindsights.kept(reader.league) is None
        assert "ann" in best(old)
        assert "ann" not in best(reader.wait())
        assert [key[1] for key in reader.hindsights._cache._values] == [reader.league.erased]


def test_models_without_hindsight_name_others(database_url):
    with chess(database_url, "Elo") as reader:
        state = reader.now()
        assert (state.hindsight, state.share) == (None, None)
        assert state.why == hindsights.WHY_NOT.format("Elo")
        with pytest.raises(Error, match="TrueSkill, TS2 and the score models can"):
            reader.hindsights.ready(reader.league)


def test_progress_is_reported_and_the_child_ends_with_the_service(sqlite_url, monkeypatch):
    monkeypatch.setattr(hindsights, "LARGE", 1)
    monkeypatch.setattr(hindsights, "fit_league", child_functions.report_and_sleep)
    monkeypatch.setattr(Hindsights, "_report", _note_share(Hindsights._report))
    with chess(sqlite_url) as reader:
        perform(reader.database, Post("chess", matches(20)))
        for _ in range(200):
            state = reader.now(0.05)
            if state.share:
                break
            time.sleep(0.05)
        assert (state.hindsight, state.share) == (None, 0.5)
        with pytest.raises(Unavailable, match="is being computed; 50 % is done"):
            reader.hindsights.ready(reader.league)
    assert gone(SHARES[-1])


SHARES = []


def _note_share(report):
    """The child functions report their process id with the share."""

    def note(self, task, value):
        if isinstance(value, tuple):
            SHARES.append(int(value[0]))
            value = value[1]
        report(self, task, value)

    return note


def test_large_leagues_do_not_hold_up_small_ones(sqlite_url, monkeypatch):
    monkeypatch.setattr(hindsights, "LARGE", 30)
    monkeypatch.setattr(hindsights, "fit_league", child_functions.report_and_sleep)
    monkeypatch.setattr(Hindsights, "_report", _note_share(Hindsights._report))
    with chess(sqlite_url) as reader:
        with reader.database.writing() as connection:
            leagues.create(connection, "go", clock="number")
        perform(reader.database, Post("chess", matches(20)))
        perform(reader.database, Post("go", matches(10)))
        assert reader.now(0.1).hindsight is None
        with reader.database.reading() as connection:
            small = leagues.find(connection, "go")
        assert best(reader.hindsights.of(small, 20.0)) == expected_best(matches(10))
        assert reader.now(0.1).hindsight is None


def test_league_is_fitted_from_scratch_after_many_posts(sqlite_url, monkeypatch):
    monkeypatch.setattr(hindsights, "MANY", 10)
    given = matches(60)
    with chess(sqlite_url) as reader:
        perform(reader.database, Post("chess", given[:20]))
        reader.wait()
        fits = []
        fit = hindsights.reading.fit
        monkeypatch.setattr(hindsights.reading, "fit", lambda *args: fits.append(1) or fit(*args))
        for first, last, fitted in ((20, 30, 0), (30, 60, 1)):
            perform(reader.database, Post("chess", given[first:last]))
            assert best(reader.wait()) == expected_best(given[:last])
            assert len(fits) == fitted


def test_errors_are_shown_until_the_league_changes(sqlite_url, monkeypatch):
    given = matches(21)
    with chess(sqlite_url) as reader:
        monkeypatch.setattr(hindsights, "LARGE", 1)
        monkeypatch.setattr(hindsights, "fit_league", child_functions.fail)
        perform(reader.database, Post("chess", given[:20]))
        state = reader.wait()
        assert (state.hindsight, state.share, state.why) == (None, None, "too late")
        monkeypatch.undo()
        assert reader.now().hindsight is None
        perform(reader.database, Post("chess", given[20:]))
        assert best(reader.wait()) == expected_best(given)


@pytest.mark.parametrize("failure", [child_functions.exit_early, child_functions.fail_unexpectedly])
def test_crashes_are_logged_and_tried_again_much_later(sqlite_url, monkeypatch, caplog, failure):
    with chess(sqlite_url) as reader:
        monkeypatch.setattr(hindsights, "LARGE", 1)
        monkeypatch.setattr(hindsights, "fit_league", failure)
        perform(reader.database, Post("chess", matches(20)))
        for _ in range(2400):
            reader.now(0.0)
            if caplog.records:
                break
            time.sleep(0.05)
        time.sleep(0.5)
        assert (reader.now(0.1).hindsight, len(caplog.records)) == (None, 1)
        monkeypatch.undo()
        [(rested, _)] = reader.hindsights._last.values()
        assert 30.0 < rested - time.monotonic() < 60.0


def test_outdated_hindsight_is_shown_while_the_next_one_rests(sqlite_url, monkeypatch):
    given = matches(30)
    with chess(sqlite_url) as reader:
        perform(reader.database, Post("chess", given[:20]))
        old = reader.wait()
        perform(reader.database, Post("chess", given[20:25]))
        assert reader.wait().hindsight.revision == reader.league.revision
        monkeypatch.setattr(hindsights, "REST", 1e6)
        perform(reader.database, Post("chess", given[25:27]))
        reader.wait()
        perform(reader.database, Post("chess", given[27:]))
        started = time.monotonic()
        state = reader.now()
        assert time.monotonic() - started < 5.0, "nobody waits for an update that rests for long"
        assert state.share == 0.0
        assert old.hindsight.revision < state.hindsight.revision < reader.league.revision


def test_readers_share_an_update(sqlite_url, monkeypatch):
    fits = []
    fit = hindsights.reading.fit
    monkeypatch.setattr(hindsights.reading, "fit", lambda *given: fits.append(1) or fit(*given))
    with chess(sqlite_url) as reader:
        perform(reader.database, Post("chess", matches(30)))
        found = []
        threads = [Thread(target=lambda: found.append(reader.now())) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len({id(state.hindsight) for state in found}) == len(fits) == 1

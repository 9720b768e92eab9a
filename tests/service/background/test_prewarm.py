"""Prewarming loads the largest leagues first, never evicts a larger league, and does not delay the shutdown."""

from collections.abc import Iterator
from threading import Event

import pytest

from prowess.errors import Error
from prowess.service.background import prewarm
from prowess.service.background.prewarm import Prewarmer
from prowess.store import leagues
from prowess.store.db.database import Database
from prowess.store.read.standings import StandingsCache
from prowess.store.read.trace_cache import TraceCache
from prowess.store.write.commands import Post
from prowess.store.write.writer import perform
from tests.service.app_client import served
from tests.service.servers import PATIENCE

SIZES = {"small": 3, "middle": 20, "large": 40}


def fill(database: Database) -> None:
    database.migrate()
    for name, size in SIZES.items():
        with database.writing() as connection:
            leagues.create(connection, name)
        days = [{"teams": [["ann"], [f"player {k}"]], "time": f"2026-01-{1 + k % 28:02d}"} for k in range(size)]
        perform(database, Post(name, days))


@pytest.fixture
def database(sqlite_url: str) -> Iterator[Database]:
    found = Database(sqlite_url)
    fill(found)
    yield found
    found.close()


class RecordingCache(TraceCache):
    """A cache of at most `memory` bytes that records which leagues were requested."""

    def __init__(self, memory: float = 1e9) -> None:
        super().__init__(memory)
        self.asked: list[str] = []

    def of(self, connection, league):
        if not self.asked or self.asked[-1] != league.name:
            self.asked.append(league.name)
        return super().of(connection, league)


def ended(warming: Prewarmer) -> None:
    warming.thread.join(PATIENCE)
    assert not warming.thread.is_alive()


def test_large_leagues_are_loaded_before_the_first_request(database: Database) -> None:
    traces = RecordingCache()
    standings = StandingsCache(traces)
    ended(Prewarmer(database, standings, traces, least=10))
    assert traces.asked == ["large", "middle"]
    with database.reading() as connection:
        large, small = (leagues.find(connection, name) for name in ("large", "small"))
        view, now = traces.of(connection, large).view, standings.of(connection, large)
        kept = standings._past.get((*large.cache_key, ("now", large.generation, prewarm.week_before(now))))
        assert kept is not None
        assert small.cache_key not in standings._recent._values
    with database.reading() as connection:
        again = leagues.find(connection, "large")
        assert traces.of(connection, again).view is view
        assert standings.of(connection, again) is now


def test_prewarming_does_not_evict_a_larger_league(database: Database) -> None:
    roomy = RecordingCache()
    ended(Prewarmer(database, StandingsCache(roomy), roomy, least=1))
    assert roomy.asked == ["large", "middle", "small"]
    traces = RecordingCache(memory=1.1 * (1e9 - roomy.room) / 3)
    ended(Prewarmer(database, StandingsCache(traces), traces, least=1))
    assert traces.asked == ["large"]


def test_shutdown_does_not_wait_for_a_league_that_loads_slowly(database: Database) -> None:
    entered, go_on = Event(), Event()

    class Slow(RecordingCache):
        def of(self, connection, league):
            entered.set()
            assert go_on.wait(PATIENCE)
            return super().of(connection, league)

    traces = Slow()
    found = Prewarmer(database, StandingsCache(), traces, least=1)
    assert entered.wait(PATIENCE)
    found.close(grace=0.01)
    assert found.thread.is_alive()
    go_on.set()
    ended(found)
    assert traces.asked == ["large"]


def test_unreadable_league_does_not_stop_the_prewarming_of_other_leagues(database: Database) -> None:
    class Broken(RecordingCache):
        def of(self, connection, league):
            if league.name == "large":
                raise Error("the journal is damaged")
            return super().of(connection, league)

    traces = Broken()
    ended(Prewarmer(database, StandingsCache(traces), traces, least=1))
    assert traces.asked == ["middle", "small"]


def test_service_prewarms_leagues_at_startup(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prewarm, "LEAST", 30)
    database = Database(sqlite_url)
    fill(database)
    database.close()
    with served(sqlite_url) as ask:
        ended(ask.service.prewarmer)
        assert list(ask.service.traces._cache._values) == [(3, 0)]

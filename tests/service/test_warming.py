"""Reading leagues ahead: the largest come first, nothing goes for it, and the end of the service does not wait."""

from collections.abc import Iterator
from threading import Event

import pytest

from prowess.errors import Error
from prowess.service.background import prewarm
from prowess.service.background.prewarm import Warming
from prowess.store import leagues
from prowess.store.db.database import Database
from prowess.store.read.match_views import Chronicles
from prowess.store.read.standings import Followers
from prowess.store.write.commands import Post
from prowess.store.write.writer import perform
from tests.service.asking import served
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


class Noted(Chronicles):
    """Chronicles that note which were asked for; with memory for so many bytes."""

    def __init__(self, memory: float = 1e9) -> None:
        super().__init__(memory)
        self.asked: list[str] = []

    def of(self, connection, league):
        if not self.asked or self.asked[-1] != league.name:
            self.asked.append(league.name)
        return super().of(connection, league)


def ended(warming: Warming) -> None:
    prewarm.thread.join(PATIENCE)
    assert not prewarm.thread.is_alive()


def test_large_leagues_are_there_before_anybody_asks(database: Database) -> None:
    chronicles = Noted()
    standings = Followers(chronicles)
    ended(Warming(database, standings, chronicles, least=10))
    assert chronicles.asked == ["large", "middle"]
    with database.reading() as connection:
        large, small = (leagues.find(connection, name) for name in ("large", "small"))
        view, now = chronicles.of(connection, large).view, standings.of(connection, large)
        kept = standings._past.get((large.id, ("now", large.generation, prewarm.week_before(now))))
        assert kept is not None
        assert small.id not in standings._recent._things
    with database.reading() as connection:
        again = leagues.find(connection, "large")
        assert chronicles.of(connection, again).view is view
        assert standings.of(connection, again) is now


def test_nothing_goes_for_a_smaller_one(database: Database) -> None:
    roomy = Noted()
    ended(Warming(database, Followers(roomy), roomy, least=1))
    assert roomy.asked == ["large", "middle", "small"]
    chronicles = Noted(memory=1.1 * (1e9 - roomy.room) / 3)
    ended(Warming(database, Followers(chronicles), chronicles, least=1))
    assert chronicles.asked == ["large"]


def test_who_closes_waits_for_nothing_that_takes_long(database: Database) -> None:
    entered, go_on = Event(), Event()

    class Slow(Noted):
        def of(self, connection, league):
            entered.set()
            assert go_on.wait(PATIENCE)
            return super().of(connection, league)

    chronicles = Slow()
    found = Warming(database, Followers(), chronicles, least=1)
    assert entered.wait(PATIENCE)
    found.close(grace=0.01)
    assert found.thread.is_alive()
    go_on.set()
    ended(found)
    assert chronicles.asked == ["large"]


def test_a_league_that_cannot_be_read_stops_no_other(database: Database) -> None:
    class Broken(Noted):
        def of(self, connection, league):
            if league.name == "large":
                raise Error("the journal is damaged")
            return super().of(connection, league)

    chronicles = Broken()
    ended(Warming(database, Followers(chronicles), chronicles, least=1))
    assert chronicles.asked == ["middle", "small"]


def test_the_service_does_so_at_its_start(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prewarm, "LEAST", 30)
    database = Database(sqlite_url)
    fill(database)
    database.close()
    with served(sqlite_url) as ask:
        ended(ask.service.warming)
        assert list(ask.service.chronicles._courses._shelf._things) == [3]

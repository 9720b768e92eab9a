"""During a long correction, posts are accepted and readers see the old ratings; a crash leaves nothing half done."""

import threading
from contextlib import contextmanager
from random import Random
from threading import Event

import pytest
from sqlalchemy import func, select

import prowess as pw
from prowess.store import leagues, ratings
from prowess.store.db import schema
from prowess.store.db.database import Database
from prowess.store.errors import Conflict, Unavailable
from prowess.store.leagues import Preset
from prowess.store.read.standings import StandingsCache
from prowess.store.write import long_corrections, replay
from prowess.store.write.commands import ChangeModel, Delete, Edit, NewSeason, Post
from prowess.store.write.erasure import anonymise
from prowess.store.write.long_corrections import LongCorrection, delete_unused_sets
from prowess.store.write.writer import Writer, perform
from tests.store import sound

PLAYERS = [f"player {number}" for number in range(40)]
MATCHES = 200


@pytest.fixture(autouse=True)
def short_leagues_take_long(monkeypatch):
    """Treat corrections of more than ten matches as long.

    The batches of long corrections are small, so that each correction has several batches.
    """
    for name, value in (("MAX_SHORT", 10), ("CHUNK", 16), ("MAX_ROWS", 7), ("BREATH", 0.0)):
        monkeypatch.setattr(long_corrections, name, value)
    monkeypatch.setattr(replay, "MIN_SPACING", 30)


@pytest.fixture
def database(database_url):
    database = Database(database_url)
    database.migrate()
    with database.writing() as connection:
        for name in ("darts", "chess"):
            leagues.create(connection, name, clock="number")
    random = Random(1)
    perform(database, Post("darts", [match(random, time) for time in range(MATCHES)]))
    yield database
    database.close()


def match(random, time, name=None):
    first, second = random.sample(PLAYERS, 2)
    return {"id": name or f"m{time}", "time": time, "teams": [[first], [second]]}


def find(database, name="darts"):
    with database.reading() as connection:
        return leagues.find(connection, name)


def leftovers(database):
    """Return the unused rating sets that still have rows."""
    left = []
    league = find(database)
    with database.reading() as connection:
        generations = select(schema.generation.c.rating_set).where(schema.generation.c.league_id == league.id)
        used = set(connection.execute(generations).scalars())
        for table, wanted in ((schema.rating, used), (schema.checkpoint, {league.rating_set})):
            stored = select(table.c.rating_set).where(table.c.league_id == league.id)
            left += [number for number in connection.execute(stored.distinct()).scalars() if number not in wanted]
    return left


def top(database, standings):
    with database.reading() as connection:
        league = leagues.find(connection, "darts")
        snapshot = standings.of(connection, league)
        assert snapshot.revision == league.revision
        return [(row["player"], row["mu"]) for row in snapshot.page(0, 100).rows]


@contextmanager
def pausing(monkeypatch, method):
    """Pause the first call of a method of a long correction; yield two events, "is paused" and "may continue"."""
    there, go_on, original = Event(), Event(), getattr(LongCorrection, method)

    def paused(self, *arguments):
        if not there.is_set():
            there.set()
            assert go_on.wait(30)
        return original(self, *arguments)

    monkeypatch.setattr(LongCorrection, method, paused)
    try:
        yield there, go_on
    finally:
        go_on.set()


@pytest.fixture
def writer(database):
    writer = Writer(database)
    yield writer
    writer.close()


COMMANDS = {
    "edit": Edit("darts", "m3", {"teams": [["player 0"], ["player 1"]], "time": 0.5}),
    "delete": Delete("darts", "m0"),
    "late post": Post("darts", [match(Random(2), time / 2, f"late {time}") for time in range(1, 30, 2)]),
    "new model": ChangeModel("darts", Preset("Elo")),
    "model with rating periods": ChangeModel("darts", Preset("Glicko")),
    "new season": NewSeason("darts", "II", 50, 0.5, 0.0),
}


@pytest.mark.parametrize("kind", COMMANDS)
def test_long_correction_gives_the_same_result_as_a_short_one(kind, database, monkeypatch):
    with database.writing() as connection:
        leagues.create(connection, "twin", clock="number")
    perform(database, Post("twin", [match(random, time) for random in [Random(1)] for time in range(MATCHES)]))
    command = COMMANDS[kind]
    before = find(database).rating_set
    done = perform(database, command)
    assert find(database).rating_set > before, "the correction must be a long one"
    monkeypatch.setattr(long_corrections, "MAX_SHORT", 10_000)
    twin = perform(database, type(command)(**{**vars(command), "league": "twin"}))
    assert done.changed
    assert sorted(done.changed) == sorted(twin.changed)
    assert (done.revision, done.ids, done.times, done.repeated) == (twin.revision, twin.ids, twin.times, twin.repeated)
    sound.check(database, "darts")
    assert leftovers(database) == []


@pytest.mark.parametrize("step", ["_rate", "_switch", "_save_ratings", "_catch_up"])
def test_posts_are_accepted_during_a_long_correction(step, database, writer, monkeypatch):
    standings = StandingsCache()
    before = top(database, standings)
    with pausing(monkeypatch, step) as (there, go_on):
        correction = writer.submit(Delete("darts", "m0"))
        assert there.wait(30)
        assert top(database, standings) == before, "readers must not see an unfinished correction"
        random = Random(3)
        for name in ("chess", "darts"):
            for time in range(MATCHES, MATCHES + 30):
                result = writer.submit(Post(name, [match(random, time)])).result(30)
                assert result.replaying == (name == "darts")
        assert find(database).revision == 31
        assert not correction.done()
        go_on.set()
        assert correction.result(30).revision == 32
    assert not find(database).replaying
    sound.check(database, "darts")
    standings_now = top(database, standings)
    assert standings_now == top(database, StandingsCache()) != before


def test_event_stream_has_all_rating_changes_of_a_long_correction(database):
    perform(database, Post("darts", [{"id": "guest", "time": 0.5, "teams": [["guest"], ["player 0"]]}]))
    revision = find(database).revision
    perform(database, Delete("darts", "guest"))
    with database.reading() as connection:
        league = leagues.find(connection, "darts")
        update = ratings.updates_since(connection, league, revision)
        assert ratings.updates_since(connection, league, league.revision).ratings == []
        ladder = ratings.load_all(connection, league)
    assert {change.player: change.rating for change in update.ratings} == {
        **{name: ladder[name] for name in ladder.names},
        "guest": None,
    }


def test_late_match_waits_for_a_long_correction_in_progress(database, writer, monkeypatch):
    with pausing(monkeypatch, "_rate") as (there, go_on):
        first = writer.submit(Delete("darts", "m0"))
        assert there.wait(30)
        late = writer.submit(Post("darts", [match(Random(4), 7.5, "late")]))
        recent = writer.submit(Delete("darts", f"m{MATCHES - 1}"))  # this command also waits
        usual = writer.submit(Post("darts", [match(Random(5), MATCHES, "usual")])).result(30)
        assert usual.revision == 2
        assert not (first.done())
        assert not (late.done())
        assert not (recent.done())
        go_on.set()
        assert [done.result(30).revision for done in (first, late, recent)] == [3, 4, 5]
    sound.check(database, "darts")


def test_post_that_precedes_a_match_of_a_long_correction_restarts_the_correction(database, monkeypatch):
    """The post is in chronological order at first, but the correction adds a match that is rated after it."""
    late = [{"id": f"late {time}", "time": time, "teams": [["new"], ["player 0"]]} for time in (0.5, MATCHES + 5)]
    with pausing(monkeypatch, "_switch") as (there, go_on):
        results = []
        thread = threading.Thread(target=lambda: results.append(perform(database, Post("darts", late))))
        thread.start()
        assert there.wait(30)
        tie = {"id": "tie", "time": MATCHES + 5, "teams": [["new"], ["player 1"]]}
        assert perform(database, Post("darts", [tie])).revision == 2
        go_on.set()
        thread.join(30)
    assert results[0].revision == 3
    assert find(database).rating_sets == 3, "the correction must start again"
    sound.check(database, "darts")


def test_correction_by_a_second_process_waits_for_the_correction_by_the_first(database, database_url, monkeypatch):
    other = Database(database_url)
    with pausing(monkeypatch, "_rate") as (there, go_on):
        results = []
        threads = [
            threading.Thread(target=lambda one=one, name=name: results.append(perform(one, Delete("darts", name))))
            for one, name in ((database, "m0"), (other, "m1"))
        ]
        threads[0].start()
        assert there.wait(30)
        threads[1].start()
        threads[1].join(0.5)
        assert threads[1].is_alive()
        assert not results
        go_on.set()
        for thread in threads:
            thread.join(30)
    other.close()
    assert [result.revision for result in results] == [2, 3]
    sound.check(database, "darts")


@pytest.mark.parametrize(
    ("other", "sets"), [("m1", 4), ("recent", 3)], ids=["to a long correction", "to a short correction"]
)
def test_long_correction_that_lost_its_lease_starts_again(other, sets, database, writer, monkeypatch):
    replay.take_checkpoint(database, "darts")
    perform(database, Post("darts", [match(Random(6), MATCHES, "recent")]))
    with pausing(monkeypatch, "_save_ratings") as (there, go_on):
        results = []
        thread = threading.Thread(target=lambda: results.append(perform(database, Delete("darts", "m0"))))
        thread.start()
        assert there.wait(30)
        with database.writing() as connection:  # as if the process had slept for too long
            leagues.update_row(connection, find(database), replay_until=0.0)
        assert writer.submit(Delete("darts", other)).result(30).revision == 3
        go_on.set()
        thread.join(30)
    assert results[0].revision == 4
    assert find(database).rating_sets == sets
    sound.check(database, "darts")


def test_long_correction_does_not_restore_a_name_that_is_anonymised_meanwhile(database, monkeypatch):
    with pausing(monkeypatch, "_save_ratings") as (there, go_on):
        results = []
        thread = threading.Thread(target=lambda: results.append(perform(database, Delete("darts", "m0"))))
        thread.start()
        assert there.wait(30)
        anonymise(database, "darts", "player 7")
        go_on.set()
        thread.join(30)
    assert results
    with database.reading() as connection:
        table = schema.rating.c
        assert not connection.execute(select(func.count()).where(table.player == "player 7")).scalar()


class Killed(BaseException):
    """Simulates the death of the process, which writes nothing afterwards."""


@pytest.mark.parametrize(
    "kinds",
    [["edit", "late post"], pytest.param(list(COMMANDS), marks=pytest.mark.long)],
    ids=["two commands", "all commands"],
)
def test_correction_killed_in_any_transaction_leaves_the_old_ratings(kinds, database, monkeypatch):
    """The process dies before its first commit, then before its second, and so on until the correction succeeds."""
    monkeypatch.setattr(replay, "MIN_SPACING", 60)
    monkeypatch.setattr(long_corrections, "MAX_ROWS", 20)
    kills = 0
    for revision, command in enumerate((COMMANDS[kind] for kind in kinds), 2):
        for kill_at in range(1, 100):
            with monkeypatch.context() as patch:
                patch.setattr(Database, "writing", dying(kill_at))
                try:
                    LongCorrection(database, command, Event()).run()
                    break
                except Killed:
                    kills += 1
            with database.writing() as connection:
                leagues.update_row(connection, find(database), replay_until=0.0)  # the lease has expired
            assert find(database).revision == revision - 1
        assert find(database).revision == revision
        sound.check(database, "darts")
    assert kills >= 6 * len(kinds)
    assert leftovers(database) != []
    delete_unused_sets(database, "darts", Event())
    assert leftovers(database) == []
    sound.check(database, "darts")


def dying(kill_at, original=Database.writing):
    """Return a replacement for `Database.writing` that raises Killed before commit number `kill_at`."""
    commits = 0

    @contextmanager
    def writing(self):
        nonlocal commits
        commits += 1
        if commits > kill_at:
            raise Killed
        with original(self) as connection:
            yield connection
            if commits == kill_at:
                raise Killed

    return writing


def test_shutdown_abandons_a_long_correction(database, monkeypatch):
    writer = Writer(database)
    with pausing(monkeypatch, "_switch") as (there, go_on):
        futures = [writer.submit(Delete("darts", name)) for name in ("m0", "m1")]
        assert there.wait(30)
        closing = threading.Thread(target=writer.close)
        closing.start()
        while not writer._replayer.stopping.is_set():
            pass
        go_on.set()
        closing.join(30)
        assert not closing.is_alive()
    for future in futures:
        with pytest.raises(Unavailable, match="not recorded; try again"):
            future.result(0)
    assert find(database).revision == 1
    assert not find(database).replaying
    sound.check(database, "darts")
    assert perform(database, Delete("darts", "m0")).revision == 2


def test_error_in_a_correction_names_the_match(database):
    with pytest.raises(pw.Error, match=r"^match 'm0': "):
        perform(database, ChangeModel("darts", Preset("PoissonOD")))
    late = [match(Random(2), 0.5, "a"), {"id": "m3", "time": 0.5, "teams": [["ann"], ["bob"]]}]
    with pytest.raises(Conflict, match=r"^match 2: "):
        perform(database, Post("darts", late))
    assert not find(database).replaying
    assert perform(database, Delete("darts", "m0")).revision == 2

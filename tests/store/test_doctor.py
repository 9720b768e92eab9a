"""The doctor finds no problems in a sound database, finds every kind of damage, and rebuilds ratings."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from unittest import mock

import pytest
from sqlalchemy import text

from prowess.store import leagues
from prowess.store.db.database import Database
from prowess.store.doctor import Check, examine, examine_tables, repair
from prowess.store.leagues import Preset
from prowess.store.write import replay
from prowess.store.write.commands import ChangeModel, Delete, Edit, NewSeason, Post
from prowess.store.write.writer import perform
from tests.postgres import fresh
from tests.store import sound

TURNED = {"teams": [["bob"], ["ann"]]}


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A database with two leagues; one has every kind of change, and a checkpoint after every three matches."""
    with ExitStack() as stack:
        if request.param == "postgresql":
            database = Database(stack.enter_context(fresh(request.getfixturevalue("postgres"))))
        else:
            database = Database(f"sqlite:///{tmp_path_factory.mktemp('doctor')}/league.db")
        stack.callback(database.close)
        stack.enter_context(mock.patch.object(replay, "MIN_SPACING", 3))
        fill(database)
        yield database


def fill(database: Database) -> None:
    database.migrate()
    with database.writing() as connection:
        leagues.create(connection, "darts", clock="number")
        leagues.create(connection, "empty")
    names = ["ann", "bob", "cat", "dan"]
    pairs = [[[names[time % 4]], [names[(time + 1) % 4]]] for time in range(10)]
    matches = [{"id": f"m{time}", "time": time, "teams": teams} for time, teams in enumerate(pairs)]
    for part in (matches[:4], matches[4:]):
        perform(database, Post("darts", part))
        replay.take_checkpoint(database, "darts")
    perform(database, Edit("darts", "m2", {**TURNED, "time": 2}))
    perform(database, NewSeason("darts", "II", 5, 0.5, 1.0))
    perform(database, Delete("darts", "m4"))
    perform(database, ChangeModel("darts", Preset("Glicko2")))
    perform(database, Edit("darts", "m4", {**TURNED, "time": 7}))
    perform(database, Delete("darts", "m9"))


@contextmanager
def damaged(database: Database, *statements: str) -> Iterator[list[Check]]:
    """Damage the database, yield the problems that the doctor finds, and undo the damage."""
    with suppress(Rollback), database.writing() as connection:
        for statement in statements:
            connection.execute(text(statement))
        yield wrong(examine_tables(connection))
        raise Rollback


class Rollback(Exception):
    """Raised to roll a transaction back."""


def wrong(checks: Iterable[Check]) -> list[Check]:
    """Return the checks that failed, except for the one about fsync, because the test server runs without it."""
    return [check for check in checks if check.status != "ok" and check.name != "durability"]


def test_sound_database_has_no_problems(database: Database) -> None:
    sound.check(database, "darts")
    checks = list(examine(database))
    assert wrong(checks) == []
    passed = {check.name: check.text for check in checks if check.status == "ok"}
    assert passed["journal"] == "The journal is complete and in order: 10 matches in 2 leagues."
    with database.reading() as connection:
        assert connection.execute(text("SELECT count(*) FROM checkpoint")).scalar_one() > 1


DAMAGE = {
    "a lost match": ("journal", "DELETE FROM journal WHERE id = 'm3'"),
    "a lost edit": ("journal", "DELETE FROM journal WHERE id = 'm2' AND kind = 'edit'"),
    "two current versions": ("journal", "UPDATE journal SET until = NULL WHERE id = 'm2'"),
    "a duplicate match": (
        "journal",
        "INSERT INTO journal SELECT league_id, 11, revision, until, 'again', kind, time, stamped, body, author, reason,"
        " written_at, context FROM journal WHERE id = 'm3'",
    ),
    "a damaged context": ("journal", "UPDATE journal SET context = '{' WHERE id = 'm3'"),
    "an edit without a post": ("journal", "UPDATE journal SET kind = 'edit' WHERE id = 'm3'"),
    "a changed id": ("journal", "UPDATE journal SET id = 'other' WHERE id = 'm2' AND kind = 'edit'"),
    "a missing body": ("journal", "UPDATE journal SET body = NULL WHERE id = 'm3'"),
    "broken JSON": ("journal", "UPDATE journal SET body = '{' WHERE id = 'm3'"),
    "a future revision": ("journal", "UPDATE journal SET revision = 99 WHERE id = 'm3'"),
    "a wrong counter": ("journal", "UPDATE league SET posted = 11 WHERE name = 'darts'"),
    "a wrong time of the last match": ("journal", "UPDATE league SET last_time = 3 WHERE name = 'darts'"),
    "a changed model": ("journal", "UPDATE generation SET model = '{}' WHERE number = 2"),
    "a changed player": ("ratings", "UPDATE journal SET body = replace(body, 'ann', 'zoe') WHERE id = 'm8'"),
    "a changed byte of a rating": ("ratings", "UPDATE rating SET state = FLIPPED WHERE player = 'ann'"),
    "a truncated rating": ("ratings", "UPDATE rating SET state = CUT WHERE player = 'ann'"),
    "a missing rating": ("ratings", "DELETE FROM rating WHERE player = 'bob'"),
    "a checkpoint with a wrong number of matches": ("checkpoints", "UPDATE checkpoint SET matches = matches + 1"),
    "an interrupted correction": (
        "leftovers",
        "INSERT INTO rating SELECT league_id, 99, player, revision, state FROM rating WHERE player = 'bob'"
        " AND rating_set = 1",
    ),
    "an alias with a wrong player": (
        "journal",
        "INSERT INTO alias SELECT id, 'zoe', 'ann', 'bob', 1 FROM league WHERE name = 'darts'",
    ),
    "an alias with matches": (
        "journal",
        "INSERT INTO alias SELECT id, 'ann', 'bob', 'bob', 1 FROM league WHERE name = 'darts'",
    ),
    "a missing index": ("tables", "DROP INDEX journal_post"),
    "a missing table": ("tables", "DROP TABLE analysis"),
    "a missing column": ("tables", "ALTER TABLE league DROP COLUMN corrected"),
    "an older version": ("version", "UPDATE alembic_version SET version_num = 'prowess_0001'"),
    "a newer version": ("version", "UPDATE alembic_version SET version_num = 'prowess_9999'"),
}
BYTES = {
    "sqlite": {"CUT": "substr(state, 1, 5)", "FLIPPED": "substr(state, 1, 7) || x'00' || substr(state, 9)"},
    "postgresql": {"CUT": "substring(state FROM 1 FOR 5)", "FLIPPED": "set_byte(state, 7, 0)"},
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_doctor_finds_each_kind_of_damage(database: Database, kind: str) -> None:
    name, statement = DAMAGE[kind]
    for placeholder, sql in BYTES[database.dialect].items():
        statement = statement.replace(placeholder, sql)
    with damaged(database, statement) as found:
        assert name in {check.name for check in found}


def test_damage_in_one_league_does_not_hide_damage_in_another(database: Database) -> None:
    empty = "(SELECT id FROM league WHERE name = 'empty')"
    with damaged(
        database,
        "UPDATE journal SET body = '{' WHERE id = 'm3'",
        f"UPDATE league SET posted = 7 WHERE id = {empty}",
    ) as found:
        assert {check.league for check in found} == {"darts", "empty"}


def test_doctor_report_names_the_league_and_the_players(database: Database) -> None:
    with damaged(database, "UPDATE rating SET state = NULL WHERE player IN ('ann', 'cat') AND revision > 5") as found:
        [check] = found
    assert check.text == "darts: 2 ratings of 4 differ from a replay of the journal (ann, cat)."
    assert "--repair" in check.hint


def test_repair_restores_the_ratings_to_the_last_bit(database: Database) -> None:
    before = sound.dump(database)
    with database.writing() as connection:
        connection.execute(text("UPDATE rating SET state = NULL WHERE player = 'ann'"))
        connection.execute(text("DELETE FROM rating WHERE player = 'bob'"))
        connection.execute(text("UPDATE checkpoint SET matches = matches + 1"))
    assert {check.name for check in wrong(examine(database))} == {"ratings", "checkpoints"}
    repair(database, "darts", "the tests")
    assert wrong(examine(database)) == []
    after = sound.dump(database)
    assert after["journal"] == before["journal"]
    states = [{row[:3] + row[4:] for row in dump["rating"]} for dump in (before, after)]
    assert states[0] == states[1]
    assert after["audit"][-1][3] == "repair ratings"


def test_doctor_reports_a_damaged_database_file(tmp_path: Path) -> None:
    file = tmp_path / "league.db"
    database = Database(f"sqlite:///{file}")
    database.migrate()
    with database.writing() as connection:
        leagues.create(connection, "darts")
    database.close()
    whole = file.read_bytes()
    for wrong in (b"not a database at all" * 99, whole[: len(whole) // 2], whole[:4096] + bytes(len(whole) - 4096)):
        file.write_bytes(wrong)
        database = Database(f"sqlite:///{file}")
        assert {check.status for check in examine(database)} >= {"problem"}
        database.close()


def test_doctor_reports_postgresql_without_fsync(postgres_url: str) -> None:
    database = Database(postgres_url)
    database.migrate()
    [check] = [check for check in examine(database) if check.status != "ok"]
    database.close()
    assert check.name == "durability"
    assert "fsync" in check.text

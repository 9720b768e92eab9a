"""Migrations create the schema on both databases, even if several processes migrate at once."""

import re
import subprocess
import sys

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

import prowess as pw
from prowess.model.engine_version import ENGINE_VERSION
from prowess.store import leagues
from prowess.store.db import schema
from prowess.store.db.database import Database
from prowess.store.db.migrate import (
    MIGRATIONS,
    VERSION_TABLE,
    head,
    lock_migrations,
    migrate,
    run_migrations,
    version_of,
)

CATALOGUE = {
    "sqlite": """
        WITH ours AS (SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'alembic_version')
        SELECT 'table', tables.name, tables.wr FROM ours JOIN pragma_table_list tables ON tables.name = ours.name
        UNION ALL SELECT 'column', ours.name || '.' || part.name,
               part.cid || part.type || part."notnull" || coalesce(part.dflt_value, '') || ' key ' || part.pk
          FROM ours, pragma_table_info(ours.name) part
        UNION ALL SELECT 'foreign key', ours.name || '.' || part."from", part."table" || '.' || part."to"
          FROM ours, pragma_foreign_key_list(ours.name) part
        UNION ALL SELECT 'index', name, coalesce(sql, '') FROM sqlite_master
         WHERE type = 'index' AND tbl_name <> 'alembic_version'
        ORDER BY 1, 2, 3""",
    "postgresql": """
        SELECT 'column', table_name || '.' || column_name, ordinal_position || data_type || is_nullable ||
               coalesce(column_default, '') || coalesce(character_maximum_length, 0)
          FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'alembic_version'
        UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes
         WHERE schemaname = 'public' AND tablename <> 'alembic_version'
        UNION ALL SELECT 'constraint', conname, conrelid::regclass || pg_get_constraintdef(oid) FROM pg_constraint
         WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text <> 'alembic_version'
        ORDER BY 1, 2, 3""",
}


@pytest.fixture
def engine(database_url):
    database = Database(database_url)
    yield database.engine
    database.close()


def catalogue(engine):
    """Return the tables, columns and indexes as the database itself describes them."""
    with engine.connect() as connection:
        rows = connection.execute(text(CATALOGUE[engine.dialect.name])).all()
    return [tuple(re.sub(r"\s+", " ", str(cell)) for cell in row) for row in rows]


def test_migrations_create_the_schema(engine):
    migrate(engine)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, schema.metadata) == []
    migrated = catalogue(engine)
    with engine.begin() as connection:
        connection.execute(text(f"DROP TABLE {VERSION_TABLE}"))
        schema.metadata.drop_all(connection)
    assert catalogue(engine) == []
    schema.metadata.create_all(engine)
    assert catalogue(engine) == migrated
    assert sum("until IS NULL" in row[-1] for row in migrated) == 1


def test_downgrade_and_upgrade_restore_the_schema(engine):
    migrate(engine)
    migrated = catalogue(engine)
    with engine.connect() as connection, connection.begin():
        lock_migrations(connection)
        run_migrations(connection, "base")
    assert catalogue(engine) == []
    migrate(engine)
    migrate(engine)
    assert catalogue(engine) == migrated
    with engine.connect() as connection:
        assert version_of(connection) == head()


def test_head_revision_is_the_last_migration():
    script = ScriptDirectory(str(MIGRATIONS))
    assert script.get_current_head() == head()
    for step in script.walk_revisions():
        assert step.path.rpartition("/")[2][:4] == step.revision.removeprefix("prowess_")


TOGETHER = """
import os, sys
import alembic.command, sqlalchemy.dialects.postgresql.psycopg  # imported once, before the forks
from prowess.store.db.database import Database

children = []
for url in sys.argv[1:] * 4:
    children.append(os.fork())
    if not children[-1]:
        Database(url).migrate()
        sys.exit()
sys.exit(any(os.waitpid(child, 0)[1] for child in children))
"""


def test_processes_migrate_one_at_a_time(sqlite_url, postgres_url):
    words = [sys.executable, "-c", TOGETHER, sqlite_url, postgres_url]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    for url in (sqlite_url, postgres_url):
        database = Database(url)
        with database.reading() as connection:
            assert version_of(connection) == head()
        database.close()


def test_database_of_a_newer_version_is_refused(engine):
    migrate(engine)
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = 'prowess_9999'"))
    before = catalogue(engine)
    with pytest.raises(pw.Error, match=r"newer prowess .*prowess_9999.*pip install --upgrade"):
        migrate(engine)
    assert catalogue(engine) == before


def test_database_with_tables_of_another_program_is_refused(engine):
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE recipes (id INTEGER)"))
    with pytest.raises(pw.Error, match=r"tables of another program \(recipes\)"):
        migrate(engine)
    assert inspect(engine).get_table_names() == ["recipes"]
    with engine.begin() as connection:
        connection.execute(text(f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32))"))
        connection.execute(text(f"INSERT INTO {VERSION_TABLE} VALUES ('0001')"))
    with pytest.raises(pw.Error, match="belongs to another program"):
        migrate(engine)


def test_failed_migration_is_rolled_back(engine, monkeypatch):
    def stop(*_):
        raise RuntimeError("stop")

    from alembic.runtime.migration import HeadMaintainer

    monkeypatch.setattr(HeadMaintainer, "update_to_step", stop)  # fails after the migration has created its tables
    with pytest.raises(RuntimeError, match="stop"):
        migrate(engine)
    assert inspect(engine).get_table_names() == []


def test_leagues_of_earlier_versions_have_no_scale_after_the_upgrade(engine):
    """Version 9 of the schema adds the scale; leagues from earlier versions have none, and new leagues have one."""
    with engine.begin() as connection:
        run_migrations(connection, "prowess_0008")
        row = {"name": "old", "title": "Old", "clock": "utc", "public": True, "created_at": 0.0, "generation": 1}
        row |= {"revision": 0, "posted": 0, "corrected": 0, "rating_sets": 1}
        row["settings"] = '{"provisional_matches": 5, "inactive_days": 90.0, "allow_future": false}'
        old = sa.table("league", *(sa.column(name) for name in row))
        connection.execute(sa.insert(old).values(row))
        (number,) = connection.execute(sa.select(sa.column("id")).select_from(sa.table("league"))).one()
        run_migrations(connection, "head")
        leagues.add_generation(connection, number, 1, 1, leagues.Preset(), 0, "", "the first")
        found = leagues.find(connection, "old")
        assert found.settings == leagues.Settings(provisional_matches=5, scale=None, ranking=None)
        assert found.settings.ranked_by == "conservative"
        assert leagues.create(connection, "new").settings.scale == (1500, 400)
        changed = leagues.change(connection, "old", settings={"scale": (1000, 200)})
        assert changed.settings.scale == (1000, 200)
        assert changed.settings.ranked_by == "mean"
        assert leagues.change(connection, "old", title="Older").settings.scale == (1000, 200)
        assert leagues.change(connection, "old", settings={"scale": None}).settings.scale is None
        # The settings are still readable for earlier versions, which do not know the ranking, unless one is chosen.
        assert "ranking" not in connection.execute(sa.text("SELECT settings FROM league WHERE name = 'old'")).scalar()
        chosen = leagues.change(connection, "old", settings={"ranking": "mean"})
        assert (chosen.settings.ranking, chosen.settings.ranked_by) == ("mean", "mean")
        assert leagues.change(connection, "old", settings={"ranking": None}).settings.ranked_by == "conservative"


def test_ratings_of_earlier_versions_count_as_derived_by_engine_version_1(engine):
    """Version 10 of the schema adds the version of the engine; new leagues have the current one."""
    with engine.begin() as connection:
        run_migrations(connection, "head")
        leagues.create(connection, "old")
        connection.execute(text("ALTER TABLE generation DROP COLUMN engine_version"))
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = 'prowess_0009'"))
        run_migrations(connection, "head")
        assert leagues.find(connection, "old").engine_version == 1
        assert leagues.create(connection, "new").engine_version == ENGINE_VERSION == 2
        assert leagues.list_outdated(connection) == ["old"]

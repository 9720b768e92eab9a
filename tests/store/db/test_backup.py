"""A backup is a consistent copy of all tables, and a restore is complete or changes nothing."""

import json
import shutil
import sqlite3
from random import Random

import pytest
from sqlalchemy import insert, inspect, select, text, update

import prowess as pw
from prowess.store import keys, leagues
from prowess.store.db import backup as backup_module
from prowess.store.db import migrate, schema
from prowess.store.db.backup import backup, restore
from prowess.store.db.database import Database
from prowess.store.errors import Unavailable
from prowess.store.write.commands import Delete, Post
from prowess.store.write.writer import perform

TEXTS = ["", "plain", "tab\tline\nback\\slash \\N \\.", "João 李 🎯", "'quoted' \"twice\"", "{}", "x" * 5000]
LEAGUES = 3
NUMBERS = [0.0, 0.1, -1.5, 1e300, 5e-324, float(2**53 - 1), 1.7e15 + 0.25]


def awkward(column, random, number):
    """Return a value that a faulty copy would corrupt; values of unique columns are unique."""
    kind, longest = column.type.python_type, getattr(column.type, "length", None)
    if column.nullable and random.random() < 0.3:
        return None
    if column.foreign_keys:
        return 1 + number % LEAGUES
    if column.primary_key or column.unique or column.name == "id":
        named = f"{number} {random.choice(TEXTS)}"[:longest]
        return {int: number + 1, float: number + 0.1, str: named, bytes: number.to_bytes(32, "big")}[kind]
    if column.name == "settings":  # migrations read it, so it must be JSON
        return json.dumps({"title": random.choice(TEXTS)}, ensure_ascii=False)
    texts = [one[:longest] for one in TEXTS]
    blobs = [one[:longest] for one in (b"", bytes(range(256)), random.randbytes(3000))]
    return random.choice({int: [0, 1, 2**31 - 1], float: NUMBERS, str: texts, bool: [True, False], bytes: blobs}[kind])


def fill(database, rows=30):
    """Write rows into every table."""
    random = Random(7)
    database.migrate()
    with database.writing() as connection:
        for table in schema.metadata.sorted_tables:
            count = LEAGUES if table.name == "league" else rows
            made = [{one.name: awkward(one, random, number) for one in table.columns} for number in range(count)]
            if made:
                connection.execute(insert(table), made)
        if database.dialect == "postgresql":
            for name in ("league", "key", "audit"):
                connection.execute(text(f"SELECT setval('{name}_id_seq', 1000)"))


def rows(database):
    """Return all rows of all tables."""
    with database.reading() as connection:
        return {
            table.name: sorted(map(tuple, connection.execute(select(table))), key=repr)
            for table in schema.metadata.sorted_tables
        }


@pytest.fixture
def opened():
    """A function that opens a database, which is closed after the test."""
    made = []

    def open_(url):
        made.append(Database(url))
        return made[-1]

    yield open_
    for one in made:
        one.close()


def test_backup_can_be_restored_between_postgresql_and_sqlite(postgres, postgres_url, tmp_path, opened, monkeypatch):
    monkeypatch.setattr(backup_module, "BATCH", 7)
    first, second = opened(postgres_url), opened(f"{tmp_path}/second.db")
    fill(first)
    there = rows(first)
    copied = backup(first, tmp_path / "first.bak")
    assert copied.rows == {name: len(found) for name, found in there.items()}
    assert restore(tmp_path / "first.bak", second) == copied
    assert rows(second) == there
    backup(second, tmp_path / "second.bak")
    assert (tmp_path / "second.bak").read_bytes() == (tmp_path / "first.bak").read_bytes()
    with first.writing() as connection:
        migrate.run_migrations(connection, "base")
    restore(tmp_path / "second.bak", first)
    assert rows(first) == there
    for database in (first, second):
        with database.writing() as connection:
            made, secret = keys.create(connection, "next")
            assert made.id == 31
            assert keys.find(connection, secret) == made
            assert leagues.create(connection, "next").id == 4


def test_restored_league_rates_new_matches_like_the_original(database_url, tmp_path, opened):
    """The next match gives bit-identical ratings in the original and in the restored league."""
    old, new = opened(f"{tmp_path}/old.db"), opened(database_url)
    old.migrate()
    with old.writing() as connection:
        leagues.create(connection, "darts", clock="number")
    games = [{"teams": [["ann"], ["bob", "cat"]], "ranks": [1 + k % 2, 1], "time": k, "id": f"m{k}"} for k in range(9)]
    perform(old, Post("darts", games[:6]))
    perform(old, Delete("darts", "m2", author="ann", reason="not played"))
    backup(old, tmp_path / "copy.bak")
    restore(tmp_path / "copy.bak", new)
    assert rows(new) == rows(old)
    for database in (old, new):
        assert perform(database, Post("darts", games)).repeated == [True] * 6 + [False] * 3
        perform(database, Delete("darts", "m1"))
    assert rows(new)["rating"] == rows(old)["rating"]
    assert len(rows(new)["journal"]) == len(rows(old)["journal"]) == 11


def test_backup_is_consistent_while_matches_are_written(database_url, tmp_path, opened, monkeypatch):
    """The league's match counter and its journal agree in the backup, although both grew during the backup."""
    monkeypatch.setattr(backup_module, "BATCH", 3)
    database = opened(database_url)
    fill(database, rows=0)
    number = 0

    def write():
        nonlocal number
        number += 1
        row = dict.fromkeys(("kind", "author", "reason"), "x") | {"time": 0.0, "stamped": False, "written_at": 0.0}
        row |= {"league_id": 1, "seq": number, "revision": number, "id": str(number)}
        with database.writing() as connection:
            connection.execute(insert(schema.journal), row)
            connection.execute(update(schema.league).values(posted=number))

    for _ in range(10):
        write()

    def add(*given):
        write()
        return insert_rows(*given)

    insert_rows = backup_module._insert
    monkeypatch.setattr(backup_module, "_insert", add)
    backup(database, tmp_path / "copy.bak")
    assert number > 14
    with sqlite3.connect(tmp_path / "copy.bak") as file:
        found = file.execute("SELECT (SELECT count(*) FROM journal), (SELECT max(posted) FROM league)").fetchone()
    file.close()
    assert found == (10, 10)


def test_interrupted_restore_leaves_the_database_empty(database_url, tmp_path, opened, monkeypatch):
    source, target = opened(f"{tmp_path}/source.db"), opened(database_url)
    fill(source)
    backup(source, tmp_path / "copy.bak")
    insert_rows = backup_module._insert

    def stop(connection, table, found):
        if table.name == "rating":
            raise KeyboardInterrupt
        insert_rows(connection, table, found)

    with monkeypatch.context() as patched:
        patched.setattr(backup_module, "_insert", stop)
        with pytest.raises(KeyboardInterrupt):
            restore(tmp_path / "copy.bak", target)
    assert inspect(target.engine).get_table_names() == []
    target.migrate()
    restore(tmp_path / "copy.bak", target)
    assert rows(target) == rows(source)
    with pytest.raises(
        pw.Error, match=r"is not empty \(alias, .*, analysis, audit, .*, league, .*\): restore into a new database"
    ):
        restore(tmp_path / "copy.bak", target)
    assert rows(target) == rows(source)


def test_restore_refuses_files_that_are_not_backups(database_url, tmp_path, opened):
    source, target = opened(f"{tmp_path}/source.db"), opened(database_url)
    fill(source, rows=60)
    whole = tmp_path / "whole.bak"
    backup(source, whole)
    (tmp_path / "text.bak").write_text("ann,bob,1,0\n" * 100)
    (tmp_path / "empty.bak").write_bytes(b"")
    (tmp_path / "half.bak").write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    spoilt = bytearray(whole.read_bytes())
    spoilt[len(spoilt) // 2 :: 7] = bytes(len(spoilt[len(spoilt) // 2 :: 7]))
    (tmp_path / "spoilt.bak").write_bytes(spoilt)
    for name, change in (
        ("other.bak", "ALTER TABLE alembic_version RENAME TO recipes"),
        ("newer.bak", "UPDATE alembic_version SET version_num = 'prowess_9999'"),
        ("orphans.bak", "DELETE FROM league"),
        ("nul.bak", "UPDATE league SET title = 'a' || char(0) || 'b'"),
    ):
        shutil.copy(whole, tmp_path / name)
        with sqlite3.connect(tmp_path / name) as file:
            file.execute(change)
        file.close()
    for name, said in {
        "missing.bak": "missing.bak: not found",
        "text.bak": "text.bak: file is not a database",
        "empty.bak": "empty.bak: not a prowess backup",
        "half.bak": "half.bak: (the file is damaged|database disk image is malformed)",
        "spoilt.bak": "spoilt.bak: (the file is damaged|database disk image is malformed)",
        "other.bak": "other.bak: not a prowess backup",
        "newer.bak": "newer.bak was written by a newer prowess",
        "orphans.bak": "orphans.bak: the backup is inconsistent",
    }.items():
        with pytest.raises(pw.Error, match=said):
            restore(tmp_path / name, target)
    if target.dialect == "postgresql":  # PostgreSQL rejects this character
        with pytest.raises(Unavailable, match="NUL"):
            restore(tmp_path / "nul.bak", target)
    assert inspect(target.engine).get_table_names() == []


def test_backup_overwrites_only_files_that_are_backups(tmp_path, opened, monkeypatch):
    database = opened(f"{tmp_path}/league.db")
    with pytest.raises(pw.Error, match="is empty: nothing to back up"):
        backup(database, tmp_path / "copy.bak")
    fill(database)
    notes, copy = tmp_path / "notes.txt", tmp_path / "copy.bak"
    notes.write_text("important\n")
    for name in (notes, tmp_path / "league.db"):
        before = name.read_bytes()
        with pytest.raises(pw.Error, match="already exists and is not a backup: choose another name"):
            backup(database, name)
        assert name.read_bytes() == before
    with pytest.raises(pw.Error, match="nowhere"):
        backup(database, tmp_path / "nowhere" / "copy.bak")
    backup(database, copy)
    first = copy.read_bytes()
    with database.writing() as connection:
        connection.execute(update(schema.league).values(title="new"))
    with monkeypatch.context() as patched:
        patched.setattr(backup_module, "copy_tables", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            backup(database, copy)
    assert copy.read_bytes() == first
    backup(database, copy)
    assert copy.read_bytes() != first
    served = opened(str(copy))
    served.migrate()  # a service uses it now, so it is no longer a backup
    with pytest.raises(pw.Error, match="is not a backup"):
        backup(database, copy)
    assert not [one.name for one in tmp_path.iterdir() if "prowess-" in one.name]


STEP = """
import sqlalchemy as sa
from alembic import op

revision = "{}"
down_revision = "{}"


def upgrade():
    op.add_column("league", sa.Column("motto", sa.Text(), nullable=False, server_default="onward"))


def downgrade():
    op.drop_column("league", "motto")
"""


def test_backup_of_an_earlier_version_is_restored_and_migrated(database_url, tmp_path, opened, monkeypatch):
    old, new = opened(f"{tmp_path}/old.db"), opened(database_url)
    fill(old)
    shutil.copytree(migrate.MIGRATIONS, tmp_path / "steps")
    last = migrate.head()
    following = f"prowess_{int(last[-4:]) + 1:04}"
    (tmp_path / "steps" / "versions" / f"{following[-4:]}_motto.py").write_text(STEP.format(following, last))
    new.migrate()
    monkeypatch.setattr(migrate, "MIGRATIONS", tmp_path / "steps")
    assert backup(old, tmp_path / "copy.bak").version == last
    restore(tmp_path / "copy.bak", new)
    assert rows(new) == rows(old)
    with new.reading() as connection:
        assert connection.execute(text("SELECT DISTINCT motto FROM league")).scalars().all() == ["onward"]
        assert migrate.version_of(connection) == following
    old.migrate()
    assert backup(old, tmp_path / "copy.bak").version == following
    assert inspect(old.engine).get_columns("league")[-1]["name"] == "motto"

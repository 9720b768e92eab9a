"""Exports are written in chunks and kept in a folder that several processes share."""

import os
import re
from pathlib import Path
from time import time

import polars as pl
import pytest

import prowess as pw
from prowess.history.writers import Contents
from prowess.store import exports, leagues
from prowess.store.db.database import Database
from prowess.store.errors import Unavailable
from prowess.store.exports import ABANDONED, ExportFolder, ExportSpec, write_matches
from prowess.store.journal import journal
from prowess.store.write.commands import Post
from prowess.store.write.writer import Writer

CSV = ExportSpec("csv")
PLAIN = {"teams": [["ann"], ["bob"]]}
LATE = {  # kinds of last matches, most of which need columns that the earlier matches do not need
    "plain": PLAIN | {"ranks": [1, 1]},
    "scores": PLAIN | {"scores": [2, 1]},
    "fractions": PLAIN | {"scores": [2.5, 1]},
    "rosters": {"teams": [["ann", "cat"], ["=bob"]]},
    "three teams": {"teams": [["ann"], ["bob"], ["cat"]]},
    "nine teams": {"teams": [[str(number)] for number in range(9)]},
    "weights": PLAIN | {"weights": [[0.5], [1]]},
    "importance": PLAIN | {"importance": 2},
    "home": PLAIN | {"home": 0},
    "away": PLAIN | {"home": 1},
}


@pytest.fixture
def database(sqlite_url):
    database = Database(sqlite_url)
    yield database
    database.close()


def record(database, name, matches, clock="utc"):
    with database.writing() as connection:
        leagues.create(connection, name, clock=clock)
    writer = Writer(database)
    writer.submit(Post(name, pw.History.from_matches(matches))).result()
    writer.close()


def write(database, name, path, spec, **options):
    with database.reading() as connection:
        write_matches(connection, leagues.find(connection, name), path, spec, **options)


@pytest.mark.parametrize("usual", [PLAIN, PLAIN | {"scores": [3, 0]}], ids=["places", "scores"])
@pytest.mark.parametrize("last", LATE)
def test_export_in_chunks_gives_the_same_file_as_the_whole_history(database, tmp_path, monkeypatch, usual, last):
    matches = [usual | {"id": f"m{number}", "time": f"2026-01-0{number}"} for number in range(1, 9)]
    record(database, "darts", [*matches, LATE[last] | {"id": "last", "time": "2026-01-09"}])
    with database.reading() as connection:
        history = journal.history(connection, leagues.find(connection, "darts"))
    monkeypatch.setattr(exports, "CHUNK", 4)
    whole, chunks = tmp_path / "whole.csv", tmp_path / "chunks"
    for layout in (None, "wide", "long"):
        if layout == "wide" and (reason := Contents.of(history).not_wide):
            with pytest.raises(pw.Error, match=re.escape(reason)):
                write(database, "darts", chunks, ExportSpec("csv", layout))
            continue
        history.write(whole, layout)
        write(database, "darts", chunks, ExportSpec("csv", layout))
        assert chunks.read_text() == whole.read_text()
        history.write(whole.with_suffix(".parquet"), layout)
        write(database, "darts", chunks, ExportSpec("parquet", layout))
        assert pl.read_parquet(chunks).equals(pl.read_parquet(whole.with_suffix(".parquet")))
    write(database, "darts", tmp_path / "chunks.jsonl", ExportSpec("ndjson"))
    lines = pw.History.read(tmp_path / "chunks.jsonl", utc=True)
    assert (lines, lines.ids) == (history, history.ids)


@pytest.mark.parametrize("clock", ["utc", "number", "none"])
def test_matches_stored_in_a_non_canonical_json_notation_are_exported(database, tmp_path, clock):
    time = {"utc": {"time": "2026-01-31"}, "number": {"time": 7}, "none": {}}[clock]
    record(database, "darts", [PLAIN | time | {"id": 'a "quoted" id'}], clock)
    write(database, "darts", tmp_path / "before.jsonl", ExportSpec("ndjson"))
    with database.writing() as connection:
        connection.exec_driver_sql("UPDATE journal SET body = replace(body, '[[', '[\n[') || ' '")
    write(database, "darts", tmp_path / "after.jsonl", ExportSpec("ndjson"))
    assert len((tmp_path / "after.jsonl").read_text().splitlines()) == 1
    assert pw.History.read(tmp_path / "after.jsonl") == pw.History.read(tmp_path / "before.jsonl")


@pytest.mark.parametrize(("format", "last"), [("csv", 18), ("parquet", 18), ("ndjson", 8)])
def test_exception_in_the_pause_callback_stops_an_export(database, tmp_path, monkeypatch, format, last):
    record(database, "darts", [PLAIN] * 30, "none")
    monkeypatch.setattr(exports, "CHUNK", 2)
    pauses = []

    def pause():
        pauses.append(1)
        if len(pauses) == last:  # CSV and Parquet files need two passes; this is in the second
            raise Unavailable("stopped")

    with pytest.raises((Unavailable, OSError)):
        write(database, "darts", tmp_path / "file", ExportSpec(format), pause=pause)
    assert len(pauses) == last


def kept(folder, league, revision=1, text="matches"):
    scratch = folder.scratch(league)
    scratch.write_text(text)
    folder.keep(scratch, league, revision, CSV)


def files(folder):
    return sorted(file.name for file in folder.path.iterdir())


def test_new_export_replaces_older_revisions_of_the_same_league_only(tmp_path):
    folder = ExportFolder(tmp_path / "exports")
    for league, revision in [(1, 5), (11, 5), (1, 6)]:
        kept(folder, league, revision)
    assert files(folder) == ["1-6-any.csv", "11-5-any.csv"]
    folder.sweep({1: 7, 11: 5})
    assert files(folder) == ["11-5-any.csv"]
    folder.sweep({1: 7})
    assert files(folder) == []


def test_oldest_export_files_are_deleted_when_the_folder_exceeds_its_limit(tmp_path):
    folder = ExportFolder(tmp_path / "exports", limit=25)
    for league in (3, 1, 2):
        kept(folder, league, text="x" * 10)
        os.utime(folder.path / CSV.file_name(league, 1), (10 - league,) * 2)
    assert files(folder) == ["1-1-any.csv", "2-1-any.csv"]
    kept(folder, 4, text="x" * 30)
    assert files(folder) == ["4-1-any.csv"]


def test_download_continues_after_its_export_file_is_deleted(tmp_path):
    folder = ExportFolder(tmp_path / "exports")
    kept(folder, 1)
    path = folder.link(1, 1, CSV)
    kept(folder, 1, revision=2)
    assert path.read_text() == "matches"


def test_forgetting_a_league_deletes_its_finished_exports_and_makes_running_exports_fail(tmp_path):
    folder = ExportFolder(tmp_path / "exports")
    kept(folder, 1)
    kept(folder, 12)
    folder.link(1, 1, CSV)
    early, late = folder.scratch(1), folder.scratch(1)
    early.write_text("a name")
    ExportFolder(folder.path).forget(1)
    assert files(folder) == ["12-1-any.csv"]
    for scratch in (early, late):
        with pytest.raises(OSError):
            scratch.write_text("a name")
        with pytest.raises(Unavailable):
            folder.keep(scratch, 1, 1, CSV)


def test_export_files_left_by_a_crashed_process_are_deleted(tmp_path):
    folder = ExportFolder(tmp_path / "exports")
    kept(folder, 1)
    fresh = folder.scratch(1).parent
    old = folder.scratch(1).parent
    os.utime(old, (time() - 2 * ABANDONED,) * 2)
    folder.clear()
    assert files(folder) == [fresh.name]


def test_export_folder_that_other_users_can_write_to_is_refused(tmp_path):
    (tmp_path / "exports").mkdir()
    (tmp_path / "exports").chmod(0o777)
    with pytest.raises(Unavailable, match="can be written by other users"):
        ExportFolder(tmp_path / "exports").scratch(1)


def test_new_export_folder_is_readable_only_by_its_owner(tmp_path):
    folder = ExportFolder(Path(tmp_path, "exports"))
    folder.scratch(1)
    assert folder.path.stat().st_mode & 0o077 == 0

"""Exports and imports: importing an exported file gives the same league."""

import csv
import gzip
import io
import json

import numpy as np
import pytest

import prowess as pw
from prowess.service.api import files
from prowess.service.api.schemas.files import Imported
from prowess.store import leagues
from prowess.store.journal import journal
from tests.service.app_client import served
from tests.service.background import child_functions

FORMATS = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet", "ndjson": "application/x-ndjson"}
NAMES = [
    "Ann",
    "Žofie ✓",
    "王小明",
    'O\'Brien, "Jr"',
    "a/b",
    "=1+1",
    "'=1+1",
    "＠SUM",
    "b; -c",
    "00042",
    "null",
    "😀",
    "a;b",
    "B\tob",
    "Smith-Jones",
]


def matches(clock, shape):
    """Return random matches with all kinds of teams and names."""
    random = np.random.default_rng(7)
    found = []
    for number in range(40):
        teams = 2 if shape in ("pairs", "mixed") else int(random.integers(2, 5))
        names = random.permutation(NAMES).tolist()
        sizes = [1 if shape in ("pairs", "mixed") else int(random.integers(1, 3)) for _ in range(teams)]
        match = {"id": f"m/{number}", "teams": [[names.pop() for _ in range(size)] for size in sizes]}
        scored = shape == "scores" or (shape == "mixed" and number % 2 == 0)
        match["scores" if scored else "ranks"] = random.integers(0, 4, teams).tolist()
        if clock != "none":
            day = int(random.integers(1, 20))
            match["time"] = day if clock == "number" else f"2026-01-{day:02d}T10:00:00.{number:06d}Z"
        if shape == "weights":
            match |= {"weights": [[0.5] * size for size in sizes], "importance": 0.5, "home": number % teams}
        found.append(match)
    return found


def history(ask, name):
    with ask.service.database.reading() as connection:
        return journal.history(connection, leagues.find(connection, name))


@pytest.mark.parametrize("clock", ["utc", "number", "none"])
@pytest.mark.parametrize("shape", ["pairs", "scores", "mixed", "weights"])
def test_league_imported_from_an_export_has_the_same_journal(ask, clock, shape):
    name = f"{clock}-{shape}"
    ask.create_league(name, clock=clock)
    ask.post(f"/api/leagues/{name}/matches", matches(clock, shape), status=201)
    for ending, kind in FORMATS.items():
        file = ask.get(f"/api/leagues/{name}/export.{ending}", key=None)
        assert file.headers["content-type"].partition(";")[0] == kind
        other = f"{name}-{ending}"
        ask.create_league(other, clock=clock)
        answer = ask("POST", f"/api/leagues/{other}/import", content=file.content, headers={"Content-Type": kind})
        assert answer.status_code == 201, answer.text
        assert Imported.model_validate(answer.json()).matches == 40
        assert (answer.json()["revision"], answer.json()["problems"]) == (1, [])
        before, after = history(ask, name), history(ask, other)
        assert after == before
        assert after.ids == before.ids
        again = ask("POST", f"/api/leagues/{other}/import", content=file.content, headers={"Content-Type": kind})
        assert (again.status_code, again.json()["repeated"], again.json()["revision"]) == (200, 40, 1)


@pytest.mark.parametrize("ending", FORMATS)
def test_importing_a_league_export_into_the_same_league_changes_nothing(ask, league, ending):
    posted = matches("utc", "mixed")
    ask.post(f"{league}/matches", posted, status=201)
    turned = {"teams": posted[7]["teams"], "ranks": [1, 1], "time": "2026-01-03"}
    ask("PUT", f"{league}/matches/m/7", json=turned, status=200)
    ask("DELETE", f"{league}/matches/m/8", status=200)
    file = ask.get(f"{league}/export.{ending}").content
    for dry_run in (True, False):
        answer = ask(
            "POST", f"{league}/import", params={"format": ending, "dry_run": dry_run}, content=file, status=200
        )
        assert (answer.json()["repeated"], answer.json()["revision"]) == (39, 3)


FORMULA = "=cmd|' /C calc'!A0"
CSV_ADDRESSES = [
    "/api/leagues/{}/export.csv",
    "/api/leagues/{}/leaderboard.csv",
    "/leagues/{}/standings.csv",
    "/leagues/{}/matches.csv",
    "/leagues/{}/player.csv?name=%40eve",
]


@pytest.mark.parametrize("address", CSV_ADDRESSES)
def test_csv_export_has_no_cells_that_spreadsheets_run_as_formulas(ask, address):
    name = f"formulas-{CSV_ADDRESSES.index(address)}"
    ask.create_league(name)
    teams = [[FORMULA, "+ann"], ["@eve", "Jo-Ann"]]
    ask.post(f"/api/leagues/{name}/matches", {"id": "-1", "teams": teams, "scores": [-2, 1]}, status=201)
    address = address.format(name)

    def cells(file):
        # Spreadsheets that use a decimal comma also split cells at semicolons.
        return [text.strip() for row in csv.reader(io.StringIO(file.text)) for cell in row for text in cell.split(";")]

    escaped = cells(ask.get(address))
    assert not [text for text in escaped if text[:1] in ("=", "+", "@") or (text[:1] == "-" and not is_number(text))]
    raw = cells(ask.get(f"{address}{'&' if '?' in address else '?'}raw_names=true"))
    assert raw != escaped
    assert raw == [text.removeprefix("'") for text in escaped]


def is_number(text):
    return text.lstrip("-").replace(".", "").isdigit()


def test_export_of_an_empty_league_causes_no_server_error_when_imported(ask, league):
    assert ask.get(f"{league}/export.ndjson").text == ""
    for ending in FORMATS:
        file = ask.get(f"{league}/export.{ending}").content
        answer = ask("POST", f"{league}/import", params={"format": ending}, content=file)
        assert answer.status_code in (200, 422), answer.text


def test_import_recognises_the_columns_of_a_file_as_the_command_line_does(ask, league):
    text = "date,home,away,hg,ag,town\n2026-01-31,Ann,Bob,3,1,Bath\n2026-02-01,Bob,Cat,2,2,Ulm\n"
    dry = ask("POST", f"{league}/import", params={"format": "csv", "dry_run": True}, content=text, status=200).json()
    assert (dry["matches"], dry["players"], dry["columns"]["town"]) == (2, 3, None)
    assert ask.get(league).json()["posted"] == 0
    told = ask("POST", f"{league}/import", params={"filename": "games.csv"}, content=text, status=201).json()
    assert told["recognised"]
    fit = pw.TrueSkill().fit(history(ask, league.rpartition("/")[2]))
    assert len(fit.history) == 2


def test_import_accepts_chess_games_in_pgn(ask, league):
    text = '[Date "2026.01.31"]\n[White "Ann"]\n[Black "Bob"]\n[Result "{}"]\n\n1. e4 e5 {}\n\n'
    games = "".join(text.format(result, result) for result in ("1-0", "*", "0-1"))
    headers = {"Content-Type": "application/x-chess-pgn"}
    told = ask("POST", f"{league}/import", content=games, headers=headers, status=201).json()
    assert told["matches"] == 2
    assert "1 unplayed match left out (line 8)" in told["recognised"]
    file = {"filename": "games.pgn.gz"}
    again = ask("POST", f"{league}/import", params=file, content=gzip.compress(games.encode()), status=200).json()
    assert again["repeated"] == 2


def test_import_lists_unreadable_rows_by_line_and_stores_other_rows_only_on_request(ask, league):
    text = "date,winner,loser\n2026-01-31,ann,bob\nx,bob,cat\n2026-02-01,cat,\n"
    told = ask("POST", f"{league}/import", params={"format": "csv"}, content=text, status=422).json()
    assert [one["field"] for one in told["errors"]] == ["line 3", "line 4"]
    assert ask.get(league).json()["posted"] == 0
    some = ask(
        "POST", f"{league}/import", params={"format": "csv", "skip_problems": 1}, content=text, status=201
    ).json()
    assert (some["matches"], [one["where"] for one in some["problems"]]) == (1, ["line 3", "line 4"])


@pytest.mark.parametrize(
    ("params", "kind", "body", "status"),
    [
        ({}, "application/json", b"[]", 415),
        ({"format": "exe"}, "", b"", 422),
        ({"filename": "games.exe"}, "", b"", 422),
        ({"format": "csv"}, "", b"", 422),
        ({"format": "csv"}, "", b"\x89PNG\r\n", 422),
        ({"format": "parquet"}, "", b"no parquet", 422),
        ({"format": "xlsx"}, "", b"no workbook", 422),
        ({"format": "csv.gz"}, "", b"no gzip", 422),
        ({"format": "ndjson"}, "", b'{"teams": [["ann"], ["bob"]], "time": 7}', 422),
        ({"format": "csv", "columns": "winner"}, "", b"a,b\nann,bob\n", 422),
        ({"format": "csv", "time_format": "%Q"}, "", b"date,winner,loser\n2026-01-31,ann,bob\n", 422),
    ],
    ids=[
        "JSON",
        "unknown format",
        "unknown file ending",
        "empty CSV",
        "image as CSV",
        "invalid Parquet",
        "invalid workbook",
        "invalid gzip",
        "number as time",
        "incomplete columns",
        "invalid time format",
    ],
)
def test_file_or_option_that_the_import_cannot_use_is_refused(ask, league, params, kind, body, status):
    told = ask("POST", f"{league}/import", params=params, content=body, headers={"Content-Type": kind}, status=status)
    assert "/tmp" not in told.text
    assert ask.get(league).json()["posted"] == 0


def test_import_repeated_with_the_same_idempotency_key_changes_nothing(ask, league):
    body, key = json.dumps({"teams": [["ann"], ["bob"]]}).encode(), {"Idempotency-Key": "k", "Content-Type": "text/csv"}
    params = {"format": "ndjson"}
    assert (
        ask("POST", f"{league}/import", params=params, content=body * 1, headers=key, status=201).json()["revision"]
        == 1
    )
    assert (
        ask("POST", f"{league}/import", params=params, content=body * 1, headers=key, status=200).json()["repeated"]
        == 1
    )


def test_importing_a_longer_version_of_a_file_adds_only_its_new_matches(ask, league):
    first, second = "day,winner,loser\n2026-01-01,ann,bob\n", "2026-01-02,bob,ann\n"
    path = f"{league}/import"
    for body, status, repeated in ((first, 201, 0), (first, 200, 1), (first + second, 201, 1)):
        told = ask("POST", path, content=body.encode(), headers={"Content-Type": "text/csv"}, status=status).json()
        assert told["repeated"] == repeated
    assert len(history(ask, league.rpartition("/")[2])) == 2


@pytest.mark.parametrize(
    ("settings", "status", "detail"),
    [
        ({"import_rows": 3}, 413, "the file: has 4 rows, and the limit is 3; send smaller files"),
        ({"import_unpacked": 20}, 413, "the file: unpacks to more than the limit of 20 bytes; send smaller files"),
        ({"import_memory": 1024 * 1024}, 422, "the process needed more than 1 MiB of memory; send smaller files"),
    ],
)
def test_error_for_a_refused_import_names_the_exceeded_limit(tmp_path, settings, status, detail):
    content = gzip.compress(b"winner,loser\n" + b"ann,bob\n" * 4)
    with served(f"sqlite:///{tmp_path / 'limited.db'}", **settings) as ask:
        ask.create_league("darts", clock="none")
        answer = ask("POST", "/api/leagues/darts/import?format=csv.gz", content=content, status=status)
        assert detail in answer.json()["detail"]
        assert ask.get("/api/leagues/darts").json()["revision"] == 0


def test_crash_while_reading_a_file_is_reported_as_an_unreadable_file(ask, league, monkeypatch):
    def send():
        return ask("POST", f"{league}/import?format=csv", content=b"winner,loser\nann,bob\n")

    monkeypatch.setattr(files, "read_upload", child_functions.abort)
    answer = send()
    assert (answer.status_code, answer.json()["detail"][:23]) == (422, "the file cannot be read")
    monkeypatch.undo()
    assert send().status_code == 201

"""The import page previews a file, and imports only what it has previewed."""

import gzip
import html
import io
import re

import polars as pl
import pytest

from prowess.store import leagues
from prowess.store.journal import journal
from tests.service.pages.page_client import serve_pages, words

LINES = "date;home;away;hg;ag;town\n31.01.2026;Ann;Bob;3;1;Bath\n01.02.2026;Bob;Zoë;2;2;Köln\n"
XSS = "<script>alert(1)</script>"


def drop(ask, league, content, name="games.csv", key="", **fields):
    """Upload a file to the import page, as the form does."""
    content = content.encode() if isinstance(content, str) else content
    return ask.send(f"/leagues/{league}/import", fields, key=key, files={"file": (name, content)})


def confirm_of(page):
    return re.search(r'name="confirm" value="(\w+)"', page.text)[1]


def history(ask, name):
    with ask.service.database.reading() as connection:
        return journal.history(connection, leagues.find(connection, name))


def test_imported_file_is_previewed_first_and_recorded_as_one_revision(ask):
    ask.create_league("drop")
    page = drop(ask, "drop", LINES)
    assert page.status_code == 200
    told = words(page)
    for part in (
        "How the file is read: one row per match",
        "town Bath · Köln – not used",
        "hg 3 · 2 home score",
        "31 Jan 2026 – 1 Feb 2026",
        "3 Ann 1 Bob",
        "3 new players Ann, Bob, Zoë",
        "Rating changes Ratings as shown in the standings",
        "Import 2 matches",
    ):
        assert part in told
    assert len(history(ask, "drop")) == 0
    done = drop(ask, "drop", LINES, confirm=confirm_of(page))
    assert (done.status_code, done.headers["location"]) == (303, "/leagues/drop/import?imported=2")
    assert "2 matches were imported" in words(ask.look(done.headers["location"], key=ask.admin))
    assert [match["scores"] for match in history(ask, "drop")] == [[3.0, 1.0], [2.0, 2.0]]
    assert ask.get("/api/leagues/drop").json()["revision"] == 1
    again = drop(ask, "drop", LINES)
    assert "there is nothing to import" in words(again)
    grown = drop(ask, "drop", LINES + "02.02.2026;Ann;Zoe;1;0;\n")
    seen, _, below = words(grown).partition("Import 1 match")
    assert "Zoe : did you mean Zoë ?" in seen  # listed above the button, so that it is seen in time
    assert below


def test_similar_names_are_listed_above_the_import_button(ask):
    ask.create_league("spelt")
    lines = [f"2026-01-{day:02},Jürgen Müller,Bob,3,1" for day in range(1, 12)]
    page = drop(ask, "spelt", "\n".join(["date,home,away,hg,ag", *lines, "2026-01-31,Jürgen Müler,Bob,3,1\n"]))
    assert "'Jürgen Müler' (1 match) may be 'Jürgen Müller'" in words(page).partition("Import 12 matches")[0]


def test_import_refuses_a_file_that_was_not_previewed(ask):
    ask.create_league("other")
    seen = confirm_of(drop(ask, "other", LINES))
    for other in (drop(ask, "other", LINES + " ", confirm=seen), drop(ask, "other", LINES, confirm=seen, rosters="+")):
        assert other.status_code == 200
        assert "Check the preview again" in words(other)
    assert len(history(ask, "other")) == 0
    assert drop(ask, "other", LINES + " ", confirm=confirm_of(drop(ask, "other", LINES + " "))).status_code == 303


def test_import_page_lists_problems_by_line_and_offers_the_other_rows(ask):
    ask.create_league("lines")
    bad = "date,winner,loser\n2026-01-31,ann,bob\nx,bob,cat\n2026-02-01,cat,\n" + "y,ann,bob\n" * 200
    page = drop(ask, "lines", bad)
    told = words(page)
    assert "202 problems in the file" in told
    assert "line 3 date x " in told
    assert "line 4 loser empty:" in told
    assert "and 102 more" in told
    assert drop(ask, "lines", bad, confirm=confirm_of(page)).status_code == 303
    assert len(history(ask, "lines")) == 1
    twice = drop(ask, "lines", "no,winner,loser\n1,ann,bob\n1,bob,cat\n", **{"role.id": "=no"})
    assert "the id '1' is also used by the file, line 2" in words(twice)


def test_import_page_lets_the_user_choose_column_roles_and_date_order(ask):
    ask.create_league("odd")
    odd = "when,x,y,z\n03/04/2026,Ann,Bob,5\n05/04/2026,Cat,Ann,6\n"
    unclear = drop(ask, "odd", odd)
    roles = {"role.winner": "=y", "role.loser": "=x", "role.time": "=when"}
    page = drop(ask, "odd", odd, **roles, day_first="False")
    assert '<option value="=y" selected>' in page.text
    told = words(page)
    assert "4 Mar 2026 – 4 May 2026" in told
    assert "1. Bob 2. Ann" in told
    assert unclear.status_code == 422
    assert "choose them below" in words(unclear)
    assert "columns={" not in unclear.text
    other = drop(ask, "odd", "winner,loser,when\nAnn,Bob,2026-01-31\n", **roles)  # it has only one of the columns
    assert '<option value="=when" selected>' in other.text
    assert '<option value="=y"' not in other.text
    assert "1. Ann 2. Bob" in words(other)
    assert drop(ask, "odd", odd, **roles, day_first="False", confirm=confirm_of(page)).status_code == 303
    assert history(ask, "odd")[0]["teams"] == [["Bob"], ["Ann"]]


def parquet(frame):
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bom.csv", b"\xef\xbb\xbf" + LINES.encode()),
        ("latin.csv", LINES.encode("latin-1")),
        ("packed.csv.gz", gzip.compress(LINES.encode())),
        ("TABS.TSV", LINES.replace(";", "\t").encode()),
        ("without an ending", LINES.encode()),
        ("lines.ndjson", b'{"teams": [["Ann"], ["Bob"]]}\n{"teams": [["Bob"], ["Zo\xc3\xab"]]}\n'),
        ("columns.parquet", parquet(pl.DataFrame({"winner": ["Ann", "Bob"], "loser": ["Bob", "Zoë"]}))),
        ("emoji 😀.csv", "winner,loser\nAnn,Bob\nBob,Zoë\n".encode()),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_import_page_reads_all_file_formats(ask, name, content):
    league = f"kind-{name[:3].lower()}"
    ask.create_league(league)
    page = drop(ask, league, content, name)
    assert page.status_code == 200, page.text
    assert "matches 2 players 3 new players 3 already in the league 0" in words(page)
    assert "Ann, Bob, Zoë" in words(page)
    assert name in html.unescape(page.text)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\x89PNG\r\n\x1a\n", "is an image, not a table"),
        (b"winner,loser\n", "no readable matches"),
        (b"\x00\x01\x02" * 50, "The file: "),
        (b"day,winner,loser\n1,ann,bob\n", "plain numbers as times, but the league has dates"),
        (f"winner,loser\nann,{'x' * 501}\n".encode(), "at most 500 characters"),
    ],
    ids=["empty", "image", "header", "bytes", "clock", "long"],
)
def test_import_page_says_why_a_file_is_unusable(ask, content, message):
    league = f"bad-{len(content)}"
    ask.create_league(league)
    page = drop(ask, league, content)
    assert page.status_code == 422
    found = re.search(r'role="alert">(.*?)</p>', page.text, re.S)
    assert re.search(message, html.unescape(found[1])), found[1]
    assert "/tmp" not in page.text
    assert 'name="confirm"' not in page.text
    assert len(history(ask, league)) == 0


def test_names_of_players_columns_and_files_are_escaped(ask):
    ask.create_league("names")
    page = drop(ask, "names", f"winner,loser,{XSS}\n{XSS},bob,{XSS}\n", f'a"{XSS}.csv')
    assert page.status_code == 200
    assert "<script>alert" not in page.text
    assert page.text.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 4
    odd = drop(ask, "names", "winner,loser\n=cmd(),a/b..\n", "x" * 300 + "\r\n.csv")
    assert (odd.status_code, "x" * 101 in odd.text) == (200, False)


def test_import_page_reports_a_missing_file(ask):
    ask.create_league("none")
    assert "Choose a file first" in words(ask.send("/leagues/none/import", {}))
    page = ask.send("/leagues/none/import", {"file": "text"})
    assert (page.status_code, "Choose a file first" in words(page)) == (422, True)


def test_import_needs_a_write_key(ask):
    ask.create_league("mine")
    ask.create_league("theirs")
    assert ask.look("/leagues/mine/import").headers["location"] == "/signin?next=%2Fleagues%2Fmine%2Fimport"
    reader, other = ask.new_key("read", "mine"), ask.new_key("write", "theirs")
    for key in (reader, other):
        assert ask.look("/leagues/mine/import", key=key).status_code == 403
        assert drop(ask, "mine", LINES, key=key).status_code == 403
    writer = ask.new_key("write", "mine")
    assert ask.look("/leagues/mine/import", key=writer).status_code == 200
    page = drop(ask, "mine", LINES, key=writer)
    assert drop(ask, "mine", LINES, key=writer, confirm=confirm_of(page)).status_code == 303


def test_upload_has_its_own_size_limit(tmp_path):
    with serve_pages(f"sqlite:///{tmp_path / 'small.db'}", body_limit=3_000, import_limit=6_000) as ask:
        ask.create_league("small")
        assert drop(ask, "small", "winner,loser\n" + "ann,bob\n" * 500).status_code == 200
        large = drop(ask, "small", "winner,loser\n" + "ann,bob\n" * 1_000)
        assert (large.status_code, large.headers["content-type"]) == (413, "text/html; charset=utf-8")

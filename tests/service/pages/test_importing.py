"""The import page previews a file, and imports only what it has previewed."""

import gzip
import html
import io
import re
from html.parser import HTMLParser
from zlib import crc32

import polars as pl
import pytest

import prowess as pw
from prowess.store import leagues
from prowess.store.journal import journal
from tests.service.home_league import home_wins
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
        "The matches Ann beat Bob 3:1 at home on 2026-01-31 Bob drew with Zoë 2:2 at home on 2026-02-01",
        "3 new players Ann, Bob, Zoë",
        "Rating changes Ratings in points",
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
    assert "Zoe : did you mean Zoë ?" in seen  # above the button, so that users see it before they import
    assert below


def test_first_import_chooses_a_model_and_says_why(ask):
    ask.create_league("chosen", model=None, clock="none")
    rows = [(*match["teams"], match["ranks"]) for match in home_wins(40)]
    file = "\n".join(["home,away,hg,ag", *(f"{a},{b},{3 - ranks[0]},{ranks[0]}" for [a], [b], ranks in rows)])
    page = drop(ask, "chosen", file)
    assert "so the import also chooses a rating model for these matches" in words(page)
    done = drop(ask, "chosen", file, confirm=confirm_of(page))
    assert (done.status_code, done.headers["location"]) == (303, "/leagues/chosen/import?imported=40&chosen=true")
    choice = pw.auto(history(ask, "chosen"))
    with ask.service.database.reading() as connection:
        assert leagues.find(connection, "chosen").model == choice.model
    for address in (done.headers["location"], "/leagues/chosen/models"):
        assert all(line in words(ask.look(address, key=ask.admin)) for line in choice.lines)
    again = drop(ask, "chosen", file + "\nAnn Arbour,Bob Brook,1,0")
    assert "Import 1 match" in words(again)
    assert "chooses a rating model" not in words(again)


def test_similar_names_in_a_file_are_listed_above_the_import_button(ask):
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


def test_import_page_lists_problems_by_line_and_offers_to_import_the_other_rows(ask):
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
    assert "Bob beat Ann on 2026-03-04" in told
    assert unclear.status_code == 422
    assert "choose them below" in words(unclear)
    assert "columns={" not in unclear.text
    # This file has only one of the chosen columns.
    other = drop(ask, "odd", "winner,loser,when\nAnn,Bob,2026-01-31\n", **roles)
    assert '<option value="=when" selected>' in other.text
    assert '<option value="=y"' not in other.text
    assert "Ann beat Bob on 2026-01-31" in words(other)
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
    ids=["empty file", "image", "only a header", "binary data", "numbers as times", "long name"],
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


def test_import_page_escapes_the_names_of_players_columns_and_files(ask):
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


def test_uploaded_file_has_a_larger_size_limit_than_other_requests(tmp_path):
    with serve_pages(f"sqlite:///{tmp_path / 'small.db'}", body_limit=3_000, import_limit=6_000) as ask:
        ask.create_league("small")
        assert drop(ask, "small", "winner,loser\n" + "ann,bob\n" * 500).status_code == 200
        large = drop(ask, "small", "winner,loser\n" + "ann,bob\n" * 1_000)
        assert (large.status_code, large.headers["content-type"]) == (413, "text/html; charset=utf-8")


def matches_of(ask, league, content, name="games.csv", **fields):
    """Preview a file, import it as previewed, and return the recorded matches."""
    page = drop(ask, league, content, name, **fields)
    assert page.status_code == 200, words(page)
    assert drop(ask, league, content, name, confirm=confirm_of(page), **fields).status_code == 303
    return list(history(ask, league))


MIRRORED = """date,team_1,team_2,outcome
1946-11-01,trh,nyk,0.0
1946-11-01,nyk,trh,1.0
1946-11-02,bos,prv,1.0
1946-11-02,prv,bos,0.0
"""


def test_matches_listed_from_both_sides_are_imported_once(ask):
    ask.create_league("mirrored")
    page = drop(ask, "mirrored", MIRRORED)
    told = words(page)
    assert "2 rows repeat a match from the other side's view and are left out (first: line 3)" in told
    assert "nyk beat trh" in told
    assert "bos beat prv" in told
    assert "Import 2 matches" in told
    recorded = matches_of(ask, "mirrored", MIRRORED)
    assert [(match["teams"], match["ranks"]) for match in recorded] == [
        ([["trh"], ["nyk"]], [2, 1]),
        ([["bos"], ["prv"]], [1, 2]),
    ]
    ask.create_league("both")
    assert len(matches_of(ask, "both", MIRRORED, duplicates="keep")) == 4


ROWS = "date,winner,loser\n" + "".join(f"2026-01-{1 + day % 28:02},ann,bob{day}\n" for day in range(300))


@pytest.mark.parametrize(
    ("rows", "bad", "few"),
    [(4, 1, True), (98, 1, True), (98, 2, False), (298, 2, True), (297, 3, True), (296, 4, False)],
)
def test_import_page_asks_before_it_leaves_out_many_unreadable_rows(ask, rows, bad, few):
    league = f"few-{rows}-{bad}"
    ask.create_league(league)
    lines = ROWS.splitlines(keepends=True)
    page = drop(ask, league, "".join([*lines[: rows + 1], *["x,ann,bob\n"] * bad]))
    told = words(page)
    assert f"{bad} problem{'s' if bad > 1 else ''} in the file" in told
    assert f"line {rows + 2} date x" in told
    assert ("too many to leave out without asking you" in told) != few
    assert (f"{bad} row{'s are' if bad > 1 else ' is'} left out" in told) == few
    assert f"Import the other {rows} matches" in told


class Form(HTMLParser):
    """The fields of the import form, with the values that a browser would send."""

    def __init__(self, page):
        super().__init__()
        self.fields, self._select = [], None
        self.feed(page.text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "select":
            self._select = given["name"]
            self.fields.append([self._select, None])
        elif tag == "option" and (self.fields[-1][1] is None or "selected" in given):
            self.fields[-1][1] = given["value"]
        elif tag == "input" and given.get("form") == "import":
            self.fields.append([given["name"], given["value"]])

    def of(self, name):
        """Return the values of all fields with this name, without empty values."""
        return [value for field, value in self.fields if field == name and value]

    def sent(self, **changes):
        """Return the fields that a browser would send, with some values changed."""
        sent = {}
        for name, value in self.fields:
            sent.setdefault(name, []).append(value)
        return sent | changes


DOUBLES = "Datum,Erster,Zweiter,Dritter,Vierter,hier,dort\n1.2.2026,Ann,Bob,Cat,Dan,6,3\n2.2.2026,Eve,Ann,Bob,Cat,2,6\n"
LAYOUTS = {
    "home-away": LINES,
    "winner-loser": "winner,loser,winner_score,loser_score\nAnn,Bob,3,1\nBob,Cat,2,1\n",
    "sides": "team1,team2,score1,score2\nAnn & Bob,Cat & Dan,3,1\nBob & Cat,Ann & Dan,2,2\n",
    "names": "player1,player2,result\nAnn,Bob,1-0\nBob,Cat,0-1\n",
    "doubles": "date,A1,A2,B1,B2,score1,score2\n2026-01-31,Ann,Bob,Cat,Dan,6,3\n2026-02-01,Eve,Ann,Bob,Cat,2,6\n",
    "neutral": "team1,team2,score1,score2,neutral\nAnn,Bob,3,1,no\nBob,Cat,2,1,yes\n",
    "one-view": "date,player,opponent,result,venue\n2026-01-31,Ann,Bob,W,home\n2026-02-01,Ann,Cat,L,away\n",
    "places": "date,1st,2nd,3rd\n2026-01-31,Ann,Bob,Cat\n2026-02-01,Bob,Ann,Dan\n",
    "long": "match,player,place,date\n1,Ann,1,2026-01-31\n1,Bob,2,2026-01-31\n2,Bob,1,2026-02-01\n2,Cat,2,2026-02-01\n",
    "long-teams": "game,team,player,score\n1,red,Ann,3\n1,blue,Bob,1\n2,red,Cat,0\n2,blue,Ann,2\n",
    "three-sides": "team1,team2,team3,score1,score2,score3\nAnn,Bob,Cat,3,2,1\nBob,Cat,Dan,5,5,1\n",
    "one-race": "place,name\n1,Ann\n2,Bob\n3,Cat\n",
    "cross-table": "no,name,1,2,3\n1,Ann,x,1,0\n2,Bob,0,x,1\n3,Cat,1,0,x\n",
    "plus-sign": "Date,G+A,B,result\n2026-01-31,Ann,Bob,1-0\n2026-02-01,Bob,Ann,0-1\n",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_unchanged_import_form_reads_the_file_as_previewed(ask, layout):
    ask.create_league(f"form-{layout}")
    page = drop(ask, f"form-{layout}", LAYOUTS[layout])
    sent = Form(page).sent()
    again = drop(ask, f"form-{layout}", LAYOUTS[layout], **sent)
    assert words(again) == words(page)
    if page.status_code == 200:
        assert confirm_of(again) == confirm_of(page)
        assert drop(ask, f"form-{layout}", LAYOUTS[layout], confirm=confirm_of(page), **sent).status_code == 303


@pytest.mark.parametrize(
    "layout", ["home-away", "winner-loser", "sides", "names", "doubles", "neutral", "one-view", "long", "three-sides"]
)
def test_choosing_the_detected_columns_in_the_drop_downs_gives_the_same_matches(ask, layout):
    league = f"same-{layout}"
    ask.create_league(league)
    page = drop(ask, league, LAYOUTS[layout])
    chosen = Form(page).sent(detected="")  # without detected columns, all columns count as chosen
    other = drop(ask, league, LAYOUTS[layout], **chosen)
    assert sentences(other) == sentences(page) != []
    assert Form(other).sent(detected="") == chosen
    assert "Undo my choices" in words(other)


def sentences(page):
    """Return the sentences in which the preview describes the first matches."""
    found = re.search(r'<ol class="sentences".*?</ol>', page.text, re.S)
    return re.findall(r"<li>(.*?)</li>", html.unescape(found[0])) if found else []


def test_side_of_an_imported_match_can_be_read_from_several_columns(ask):
    ask.create_league("pairs")
    page = drop(ask, "pairs", DOUBLES)
    chosen = {
        "role.team1": ["=Erster", "=Zweiter"],
        "role.team2": ["=Dritter", "=Vierter"],
        "role.score1": "=hier",
        "role.score2": "=dort",
    }
    page = drop(ask, "pairs", DOUBLES, **Form(page).sent(**chosen))
    assert sentences(page) == [
        "Ann and Bob beat Cat and Dan 6:3 on 2026-02-01",
        "Bob and Cat beat Eve and Ann 6:2 on 2026-02-02",
    ]
    assert Form(page).of("role.team1") == ["=Erster", "=Zweiter"]
    assert drop(ask, "pairs", DOUBLES, confirm=confirm_of(page), **Form(page).sent()).status_code == 303
    assert [match["teams"] for match in history(ask, "pairs")] == [
        [["Ann", "Bob"], ["Cat", "Dan"]],
        [["Eve", "Ann"], ["Bob", "Cat"]],
    ]


ABC = "a,b,c,d\nAnn,Bob,3,1\nBob,Cat,0,2\nCat,Ann,1,1\n"


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"role.winner": "first", "role.score1": "-", "role.score2": "-"}, ["Ann beat Bob", "Bob beat Cat"]),
        ({"role.score1": "=c", "role.score2": "=d"}, ["Ann beat Bob 3:1", "Cat beat Bob 2:0"]),
        (
            {"role.score1": "=c", "role.score2": "=d", "home": "1"},
            ["Ann beat Bob 3:1 at home", "Cat beat Bob 2:0 away"],
        ),
        (
            {"role.score1": "=c", "role.score2": "=d", "home": "2"},
            ["Ann beat Bob 3:1 away", "Cat beat Bob 2:0 at home"],
        ),
    ],
    ids=["side 1 always won", "scores", "side 1 at home", "side 2 at home"],
)
def test_import_form_can_set_the_result_column_and_the_home_side(ask, choice, expected):
    league = f"result-{len(choice)}-{choice.get('home', 'none')}"
    ask.create_league(league)
    chosen = {"role.team1": "=a", "role.team2": "=b", **choice}
    page = drop(ask, league, ABC, **Form(drop(ask, league, ABC)).sent(**chosen))
    assert sentences(page)[:2] == expected
    assert drop(ask, league, ABC, confirm=confirm_of(page), **Form(page).sent()).status_code == 303


def test_import_form_can_read_each_row_as_one_player_of_a_match(ask):
    ask.create_league("rows")
    rows = "x,y,z\n1,Ann,10\n1,Bob,30\n2,Ann,20\n2,Cat,5\n"
    chosen = {"row": "player", "role.match": "=x", "role.player": "=y", "role.score": "=z", "role.team1": "=y"}
    page = drop(ask, "rows", rows, **Form(drop(ask, "rows", rows)).sent(**chosen))
    assert sentences(page) == ["Bob beat Ann 30:10", "Ann beat Cat 20:5"]


def test_choices_in_the_import_form_can_be_undone(ask):
    ask.create_league("undo")
    sent = Form(drop(ask, "undo", LINES)).sent(**{"role.score1": "=ag", "role.score2": "=hg"})
    page = drop(ask, "undo", LINES, **sent)
    assert sentences(page)[0] == "Bob beat Ann 3:1 away on 2026-01-31"
    assert sentences(drop(ask, "undo", LINES, **Form(page).sent(), detect="1"))[0].startswith("Ann beat Bob 3:1")
    by_hand = Form(page).sent(**{"role.score1": "=hg", "role.score2": "=ag"})
    assert "Undo my choices" not in words(drop(ask, "undo", LINES, **by_hand))


def test_import_form_can_set_the_separator_and_the_sheet(ask):
    ask.create_league("cells")
    page = drop(ask, "cells", LINES, separator="comma")
    assert page.status_code == 422
    assert Form(page).of("separator") == ["comma"]
    assert len(sentences(drop(ask, "cells", LINES, separator="semicolon"))) == 2
    book = workbook({"Read me": [["about"], ["this file"]], "2026": [["winner", "loser"], ["Ann", "Bob"]]})
    page = drop(ask, "cells", book, "book.xlsx")
    assert '<option value="2026">2026</option>' in page.text
    page = drop(ask, "cells", book, "book.xlsx", sheet="2026")
    assert sentences(page) == ["Ann beat Bob"]
    assert Form(page).of("sheet") == ["2026"]
    other = drop(ask, "cells", workbook({"One": [["winner", "loser"], ["Cat", "Dan"]]}), "other.xlsx", sheet="2026")
    assert sentences(other) == ["Cat beat Dan"]


def test_import_form_reads_the_only_sheet_with_matches_and_asks_about_several(ask):
    ask.create_league("sheets")
    games = [["winner", "loser"], ["Ann", "Bob"]]
    book = {"Read me": [["about"], ["this file"]], "May": games}
    page = drop(ask, "sheets", workbook(book), "book.xlsx")
    assert sentences(page) == ["Ann beat Bob"]
    assert "only sheet 'May' is read" in words(page)
    assert Form(page).of("sheet") == []  # no sheet is chosen by the user
    page = drop(ask, "sheets", workbook({**book, "June": games}), "book.xlsx")
    assert page.status_code == 422
    assert "sheet 'Read me' has no matches, but other sheets have matches" in words(page)
    assert '<option value="June">June</option>' in page.text


def workbook(sheets):
    from openpyxl import Workbook

    book, file = Workbook(), io.BytesIO()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(file)
    return file.getvalue()


def test_import_form_can_set_the_unit_of_scores(ask):
    ask.create_league("tennis")
    tennis = "date,winner,loser,score\n2026-01-31,Ann,Bob,7-6(4) 6-3\n2026-02-01,Cat,Ann,6-2 4-6 6-4\n"
    assert sentences(drop(ask, "tennis", tennis))[0] == "Ann beat Bob 13:9 on 2026-01-31"
    page = drop(ask, "tennis", tennis, score_unit="sets")
    assert sentences(page)[0] == "Ann beat Bob 2:0 on 2026-01-31"
    assert "use “Score unit: sets” to count sets" in words(drop(ask, "tennis", tennis))


def test_open_question_about_an_imported_file_is_answered_with_a_button(ask):
    ask.create_league("open")
    odd = "when,who,whom,x,y,z\n3/4/2026,Ann,Bob,3,1,90\n5/4/2026,Cat,Ann,2,2,95\n7/4/2026,Bob,Cat,1,0,91\n"
    page = drop(ask, "open", odd)
    assert page.status_code == 422
    answers = [html.unescape(value) for value in re.findall(r'name="answer" value="(.*?)"', page.text)]
    assert "'x' and 'y' are the scores Ann beat Bob 3:1; Cat drew with Ann 2:2" in words(page)
    page = drop(ask, "open", odd, answer=answers[0], **Form(page).sent())
    assert sentences(page)[0] == "Ann beat Bob 3:1 on 2026-04-03"
    assert Form(page).of("role.score1") == ["=x"]
    assert drop(ask, "open", odd, confirm=confirm_of(page), **Form(page).sent()).status_code == 303
    (month_first,) = [html.unescape(value) for value in re.findall(r'name="answer" value="(.*?)"', page.text)]
    page = drop(ask, "open", odd, answer=month_first, **Form(page).sent())
    assert sentences(page)[0] == "Ann beat Bob 3:1 on 2026-03-04"
    assert Form(page).of("day_first") == ["False"]


@pytest.mark.parametrize(
    "answer",
    ["", "[]", "{", '{"columns": {"winner": ["a"]}}', '{"limits": false}', '{"columns": 7}', "[" * 100_000],
    ids=["empty", "list", "incomplete", "unknown column", "no limits", "number of columns", "deep nesting"],
)
def test_forged_answers_to_import_questions_are_refused(ask, answer):
    league = f"answer-{crc32(answer.encode())}"
    ask.create_league(league)
    page = drop(ask, league, LINES, answer=answer)
    assert page.status_code == 422
    assert "choose an answer that it shows" in words(page)


def test_import_page_refuses_a_file_with_too_many_rows(tmp_path):
    with serve_pages(f"sqlite:///{tmp_path / 'small.db'}", import_rows=50) as ask:
        ask.create_league("small")
        page = drop(ask, "small", "x,y,z\n" + "ann,bob,1\n" * 60)
        assert page.status_code == 422
        assert "has 60 rows, and the limit is 50" in words(page)
        assert 'name="answer"' not in page.text

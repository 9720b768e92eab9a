"""Delimited text is read as the table that a person would see."""

from typing import Any

import pytest

from prowess.errors import Error
from prowess.history.read_context import Table
from prowess.history.read_options import Choices
from prowess.history.reading.byte_source import Source
from prowess.history.reading.delimited_text import read_text


def table(content: str | bytes, **choices: Any) -> Table:
    data = content if isinstance(content, bytes) else content.encode()
    return read_text(Source("odd.csv", ".csv", data=data), Choices(**choices))


def seen(found: Table) -> list[list[str]]:
    """Return the column names and the rows, with stripped cells."""
    return [found.frame.columns, *([(cell or "").strip() for cell in row] for row in found.frame.rows())]


def grid(text: str) -> list[list[str]]:
    """Return a table from words; a dash stands for an empty cell and an underscore for a space."""
    lines = [line.split() for line in text.strip().split("/")]
    return [["" if cell == "-" else cell.replace("_", " ") for cell in line] for line in lines]


GAMES = "date,home,away,hg,ag\n2026-01-31,ann,bob,1,0\n2026-02-01,bob,cat,2,2\n"
PLAIN = grid("date home away hg ag / 2026-01-31 ann bob 1 0 / 2026-02-01 bob cat 2 2")
LONG = GAMES + "".join(f"2026-03-{day:02},cat,dan,{day},{day + 1}\n" for day in range(1, 31))


@pytest.mark.parametrize(
    "content",
    [
        GAMES,
        GAMES.rstrip(),
        GAMES.replace("\n", "\r\n"),
        GAMES.replace("\n", "\r"),
        GAMES.replace("\n", "\r\n", 2),
        "\ufeff" + GAMES,
        "\ufeff" + '"date"' + GAMES[4:],
        GAMES.encode("utf-16"),
        GAMES.encode("utf-16-le"),
        GAMES.encode("utf-16-be"),
        b"\xfe\xff" + GAMES.encode("utf-16-be"),
        GAMES.encode("utf-32"),
        GAMES.replace(",", ";"),
        GAMES.replace(",", "\t"),
        GAMES.replace(",", "|"),
        GAMES.replace(",", " | "),
        GAMES.replace(",", "   "),
        GAMES.replace(",", " "),
        GAMES.replace(",", ":"),
        "sep=;\n" + GAMES.replace(",", ";"),
        '"sep=;"\r\n' + GAMES.replace(",", ";").replace("\n", "\r\n"),
        "\n\n" + GAMES.replace("\n", "\n\n") + "\n   \n,,,,\n , ,,,\n",
        GAMES.replace("\n", ",\n"),
        GAMES.replace("\n", ",,,\n"),
        GAMES.replace("0\n", "0,\n").replace("2\n", "2,,\n"),
        GAMES.replace("1,0\n", "1,0,,\n"),
        GAMES.replace(",", ", "),
        GAMES.replace(",", " , "),
        GAMES.replace("ann", '"ann"').replace("bob", ' "bob" '),
        '"' + GAMES.replace(",", '","').replace("\n", '"\n"')[:-1],
        '"' + GAMES.replace("\n", '"\n"')[:-1],
        '"' + GAMES.replace("ann", '""ann""').replace("\n", '"\n"')[:-1],
        "Results of the season 2025/26\n\n" + GAMES,
        "Results of the season 2025/26,,,,\n,,,,\n" + GAMES,
        "League,Premier League\nExported,2026-03-01 10:00\n\n" + GAMES,
        "# from our club, 2026\n# all of it\n" + GAMES,
        "#" + GAMES,
        "# " + GAMES,
        GAMES + "\nTotal: 2 matches\n",
        GAMES + "Total: 2 matches\n",
        GAMES + "Source: www.example.org, 2026\n",
        GAMES + "Total,,,3,2\n",
        GAMES + "(2 rows)\n\n",
        GAMES.replace("2026-02", "date,home,away,hg,ag\n2026-02"),
        GAMES.replace("2026-02", "\n date,home, away,hg,ag \n2026-02"),
        "| " + GAMES.replace(",", " | ").replace("\n", " |\n| ")[:-2],
        "| " + GAMES.replace(",", " | ").replace("\n", " |\n| ")[:-2].replace("ag |\n", "ag |\n|---|---|:--|--:|--|\n"),
        GAMES.replace(",", " | ").replace("ag\n", "ag\n-----+-----+-----+----+---\n") + "(2 rows)\n",
        GAMES + "\0\0\0\0",
        "Title\n\n" + GAMES.replace("\n", "\r\n"),
    ],
)
def test_same_table_is_read_from_csv_files_in_many_dialects(content: str | bytes) -> None:
    found = table(content)
    assert seen(found) == PLAIN
    assert not len(found.problems)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("winner;loser;margin\nann;bob;3,5\nbob;cat;2,5\n", "winner loser margin / ann bob 3,5 / bob cat 2,5"),
        ("Sieger;Gegner, alle;P\nann;bob;3,5\nbob;cat;2,5\n", "Sieger Gegner,_alle P / ann bob 3,5 / bob cat 2,5"),
        ('winner,loser\n"Smith, ""Jo""",O\'Neil\n', 'winner loser / Smith,_"Jo" O\'Neil'),
        ('winner,loser\nO"Neil,bob\n"Big" Joe,6\'2"\n', 'winner loser / O"Neil bob / "Big"_Joe 6\'2"'),
        ('winner,loser\n"ann\nlee",bob\n', "winner loser / ann\nlee bob".replace("\n", "@")),
        ("winner,loser\nann\nbob,cat\n", "winner loser / ann - / bob cat"),
        (",winner,loser\n0,ann,bob\n1,bob,cat\n", "1 winner loser / 0 ann bob / 1 bob cat"),
        ("winner,loser,,note\nann,bob,,x\n", "winner loser note / ann bob x"),
        ("winner,loser,,note\nann,bob,5,x\n", "winner loser 3 note / ann bob 5 x"),
        ("home,score,away,score\nann,1,bob,2\n", "home score away score_(2) / ann 1 bob 2"),
        ("winner,loser\nann,bob\n3,x\nTotal Network,cat\n", "winner loser / ann bob / 3 x / Total_Network cat"),
        ("Home Team,AWAY team\nann,bob\n", "Home_Team AWAY_team / ann bob"),
        ('"Home\nTeam",away,hg,ag\nann,bob,1,2\n', "Home_Team away hg ag / ann bob 1 2"),
        ("team1,team2\nann;bob,cat;dan\neve;fay,gil;hal\n", "team1 team2 / ann;bob cat;dan / eve;fay gil;hal"),
        (
            "winner loser  score\nann   bob      3\ncat lee  dan      4\n".replace("winner ", "winner   "),
            "winner loser score / ann bob 3 / cat_lee dan 4",
        ),
        ("winner\tloser\nSmith, J\tDoe, A\nDoe, B\tSmith, K\n", "winner loser / Smith,_J Doe,_A / Doe,_B Smith,_K"),
        ("home,away,2025,extra\nann,bob,1,\n", "home away 2025 extra / ann bob 1 -"),
        ("name,points\n1,ann,3\n2,bob,4\n3,cat,2\n", "1 name points / 1 ann 3 / 2 bob 4 / 3 cat 2"),
        ("winner,loser\nann,bob,x\nbob,cat,y\n", "winner loser 3 / ann bob x / bob cat y"),
        ("winner,loser\n#1 Tim,bob\n", "winner loser / #1_Tim bob"),
    ],
)
def test_untidy_tables_are_read_as_a_person_would_read_them(content: str, expected: str) -> None:
    found = table(content)
    assert seen(found) == [[cell.replace("@", "\n") for cell in row] for row in grid(expected)]
    assert not len(found.problems)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("ann,bob\nbob,cat\n", "1 2 / ann bob / bob cat"),
        (
            "2026-01-31,ann,bob,3-1\n2026-02-01,cat,dan,2-2\n",
            "1 2 3 4 / 2026-01-31 ann bob 3-1 / 2026-02-01 cat dan 2-2",
        ),
        (
            "08 July 2004 15:45:00,215333,2,10,27,2,1\n" * 2,
            "1 2 3 4 5 6 7" + " / 08_July_2004_15:45:00 215333 2 10 27 2 1" * 2,
        ),
        ("ann;bob;tie\ncat;ann;tie\n", "1 2 3 / ann bob tie / cat ann tie"),
        ("ann,bob,3\n", "1 2 3 / ann bob 3"),
        ("The first league of all\n\nann,bob,3\ncat,ann,1\n", "1 2 3 / ann bob 3 / cat ann 1"),
    ],
)
def test_columns_of_a_file_without_a_header_are_named_by_number(content: str, expected: str) -> None:
    found = table(content)
    assert seen(found) == grid(expected)
    assert any("`header=True`" in note for note in list(map(str, found.remarks)))


@pytest.mark.parametrize(
    ("content", "choices", "expected"),
    [
        ("ann,bob\ncat,dan\n", {"header": False}, "1 2 / ann bob / cat dan"),
        ("ann,bob\nbob,ann\n", {"header": True}, "ann bob / bob ann"),
        ("winner,loser\nbob,ann\n", {"header": False}, "1 2 / winner loser / bob ann"),
        ("ann,bob\ncat,dan\n", {"columns": {"winner": "1", "loser": "2"}}, "1 2 / ann bob / cat dan"),
        ("x,y\nann,x\n", {"columns": {"winner": "x", "loser": "y"}}, "x y / ann x"),
        ("hello,x,y\n\nx,y\nann,x\n", {"columns": {"winner": "y"}}, "hello x y / x y - / ann x -"),
        ("a;b,c\nd;e,f\n", {"separator": ","}, "a;b c / d;e f"),
        ("winner loser\nann   bob\n", {"separator": " "}, "winner loser / ann bob"),
        ("winner,loser\nAndré,bob\n".encode("cp1252"), {"encoding": "latin-1"}, "winner loser / André bob"),
        ("winner,loser\nИван,bob\n".encode("koi8-r"), {"encoding": "KOI8-R"}, "winner loser / Иван bob"),
        ("winner,loser\n李娜,bob\n".encode("gb18030"), {"encoding": "gbk"}, "winner loser / 李娜 bob"),
        ("winner,loser\nann,bob\n".encode("utf-16"), {"encoding": "utf-16"}, "winner loser / ann bob"),
        ("winner,loser\nann,bob\n".encode("utf-16-be"), {"encoding": "utf-16-be"}, "winner loser / ann bob"),
        ("\ufeffwinner,loser\nann,bob\n", {"encoding": "utf-8"}, "winner loser / ann bob"),
    ],
)
def test_options_override_the_detected_header_separator_and_encoding(
    content: str | bytes, choices: dict[str, Any], expected: str
) -> None:
    assert seen(table(content, **choices)) == grid(expected)


@pytest.mark.parametrize(
    ("codec", "names"),
    [
        ("cp1252", "André Zoë"),
        ("cp1252", "Müller Peña"),
        ("cp1252", "Guðmundur Þór"),
        ("cp1251", "Иван Пётр"),
        ("cp1251", "ИВАНОВ ПЕТРОВ"),
        ("cp1251", "Спартак ЦСКА"),
        ("koi8-r", "Сергей Анна"),
        ("cp866", "Сергей Анна"),
        ("cp1250", "Świątek Łódź"),
        ("cp1253", "Γιώργος Παπαδόπουλος"),
        ("mac-roman", "AndréZoë Müller"),
        ("cp850", "AndréZoë Müller"),
    ],
)
def test_legacy_encodings_are_detected_by_plausible_letters(codec: str, names: str) -> None:
    first, second = names.split()
    found = table(f"winner,loser\n{first},ann\nann,{second}\n{first},{second}\n".encode(codec))
    assert seen(found) == [["winner", "loser"], [first, "ann"], ["ann", second], [first, second]]
    (note,) = map(str, found.remarks)
    assert note.startswith(f"the file is read as {codec} (")
    assert "because line 2 is not UTF-8; if letters look wrong, try `encoding='cp" in note


def problems(found: Table) -> list[tuple[str, str]]:
    return [(found.row_name(problem.row), str(problem)) for problem in found.problems]


@pytest.mark.parametrize(
    ("content", "where", "message"),
    [
        (GAMES.replace("bob,cat", '"bob,cat'), "line 3", "a quotation mark is not closed"),
        ('winner,loser\n"ann,bob\ncat,dan\n"eve",fay\n', "line 2", "a quotation mark is not closed"),
        ('winner,loser\n"ann","bob"\n"cat,"dan"\n"eve","fay"\n', "line 3", "a quotation mark is not closed"),
        (LONG.replace("2,2\n", "2,2,2\n"), "line 3", "the row has 6 cells, but the header has 5 columns"),
        ("Title\n\n" + LONG.replace("2,2\n", "2,2,2\n"), "line 5", "the row has 6 cells"),
        (
            'date,home,away,hg,ag\n2026-01-31,"a\nb",c,1,2\n\n' + LONG[21:].replace("2,2\n", "2,2,2\n"),
            "line 6",
            "the row has 6",
        ),
        (GAMES.encode().replace(b"cat", b"c\xb1t"), "line 3", "a byte is invalid"),
        (GAMES.replace("ann", "Zoë").encode().replace(b"cat", b"Andr\xe9"), "line 3", "a byte is invalid"),
        (GAMES.encode().replace(b"cat", b"c\0t"), "line 3", "the row contains zero bytes"),
        (
            GAMES.replace("cat", "c�t").encode("utf-16-le").replace(b"\xfd\xff", b"\x00\xd8"),
            "line 3",
            "a byte is invalid",
        ),
    ],
)
def test_broken_row_is_reported_with_its_line(content: str | bytes, where: str, message: str) -> None:
    found = table(content)
    ((line, problem),) = problems(found)
    assert line == where
    assert message in problem


def test_all_rows_except_a_broken_row_are_kept() -> None:
    text = GAMES + '2026-02-02,"ann,cat,1,0\n' + "2026-02-03,dan,eve,1,0\n" * 3 + '2026-02-04,"fay, x",eve,1,0\n'
    found = table(text)
    assert problems(found) == [("line 4", "a quotation mark is not closed")]
    assert found.frame["home"].to_list() == ["ann", "bob", '"ann', "dan", "dan", "dan", "fay, x"]


def test_unmatched_quotation_marks_do_not_swallow_the_next_line() -> None:
    text = GAMES + '2026-02-02,"ann", cat","dan,1,0\n2026-02-03,dan, eve","fay",1,0\n2026-02-04,gus,eve,1,0\n'
    found = table(text)
    assert [line for line, _ in problems(found)] == ["line 4", "line 5"]
    assert found.frame["home"].to_list()[-1] == "gus"


def test_separator_is_found_even_if_a_huge_line_precedes_the_table() -> None:
    found = table(";;;;\n" + "x," * 50_000 + "\n;;;;\n# exported\n" + GAMES.replace(",", ";"))
    assert seen(found) == PLAIN


def test_two_stray_quotation_marks_do_not_merge_the_rows_between_them() -> None:
    found = table(LONG.replace(",2,2\n", ',2,"2\n').replace(",30,31\n", ',30,31"\n'))
    assert problems(found) == [("line 3", "a quotation mark is not closed")]
    assert len(found.frame) == 32
    assert found.frame["hg"].to_list()[2:] == [str(day) for day in range(1, 31)]


@pytest.mark.parametrize(
    "remark", ["well\nplayed", "ann, bob\ncat, dan, eve, fay, gus", "a, b, c, d, e\nf, g, h, i, j", "\n\nx"]
)
def test_quoted_cell_may_span_several_lines(remark: str) -> None:
    found = table(f'date,home,away,winner,note\n2026-01-31,ann,bob,ann,"{remark}"\n2026-02-01,bob,cat,cat,\n')
    assert found.frame["note"].to_list() == [remark, None]
    assert not len(found.problems)


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ("A title\nand more\n\n" + GAMES, "lines 1 to 2 are titles above the table and were skipped: 'A title'"),
        (GAMES + "\nTotal: 2\n", "line 5: a note below the table was skipped: 'Total: 2'"),
        (GAMES.replace("2026-02", GAMES[:21] + "2026-02"), "line 3: a repeated header was skipped"),
        ("home,score,away,score\nann,1,bob,2\n", "repeated column names are numbered: score (2)"),
        ("a;b,c\nd;e,f\n", "cells are split at ';'; use `separator=','` to split them at ','"),
        ('winner,loser\nann,bob\nO"Neil,bob\n', "line 3: quotation marks inside a cell are kept as text"),
    ],
)
def test_remarks_report_skipped_lines_and_guesses_about_the_file(content: str, note: str) -> None:
    assert note in list(map(str, table(content).remarks))


def test_up_to_ten_notes_below_the_table_are_skipped() -> None:
    found = table(GAMES + "Source: the club\n" * 10)
    assert (len(found.frame), len(found.problems)) == (2, 0)
    assert [(one.code, one.line, one.count) for one in found.remarks] == [("below-table", 4, 10)]


@pytest.mark.parametrize("pieces", ["date,home\n,away,hg,ag\n", "date,home,away,hg\nag\n", "home,away,hg,ag\n"])
def test_header_is_recognised_even_if_a_damaged_copy_of_it_follows(pieces: str) -> None:
    found = table(GAMES.replace("2026-02", pieces + "2026-02"))
    assert found.frame.columns == PLAIN[0]
    assert not any("no header" in note for note in list(map(str, found.remarks)))


@pytest.mark.parametrize("content", ["", "\n\n", "  \n", "\ufeff", ",,\n,,\n"])
def test_empty_text_raises_an_error(content: str) -> None:
    with pytest.raises(Error, match=r"odd\.csv: the file is empty; its first line must name the columns"):
        table(content)


def test_unknown_encoding_or_separator_raises_an_error() -> None:
    with pytest.raises(Error, match="encoding 'klingon' is unknown"):
        table(GAMES, encoding="klingon")
    with pytest.raises(Error, match="encoding 'rot13' is unknown"):
        table(GAMES, encoding="rot13")
    with pytest.raises(Error, match="separator must be a single character"):
        table(GAMES, separator="\udc80")
    with pytest.raises(Error, match="separator must not be '\"'"):
        table(GAMES, separator='"')
    chinese = "winner,loser\n" + "李娜,张伟\n王芳,刘洋\n" * 10
    with pytest.raises(Error, match=r"odd\.csv: line 2 is not UTF-8, .* such as `encoding='gb18030'`"):
        table(chinese.encode("gb18030"))

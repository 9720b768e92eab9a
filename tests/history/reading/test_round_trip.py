"""Any table, written in any dialect, is read back unchanged, and every row has its line number."""

import codecs
import re
from contextlib import suppress
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.errors import Error
from prowess.history.read_options import Choices
from prowess.history.reading.byte_source import Source
from prowess.history.reading.delimited_text import read_text

# Cells with an apostrophe before a dash are not drawn: spreadsheets use it to prevent formulas, and reading removes it.
CELL = st.text("ab ,;|\t\"'\n-:éЖ½", max_size=6).map(str.strip).filter(lambda cell: not re.search(r"'\s*[-\t\n]", cell))
FULL = CELL.filter(lambda cell: cell != "")
HEADERS = (["winner", "loser", "note"], ["Home Team", "Away_Team", "result", "x"], ["match", "player", "rank"])


@dataclass(frozen=True)
class Dialect:
    separator: str
    end: str
    encoding: str
    quote_all: bool
    blanks: bool
    trailing: bool
    finished: bool
    titles: tuple[str, ...]
    gaps: int

    def cell(self, text: str) -> str:
        if self.quote_all or any(mark in text for mark in (self.separator, '"', "\n", "\r")):
            text = '"' + text.replace('"', '""') + '"'
        return f" {text} " if self.blanks else text

    def line(self, cells: list[str]) -> str:
        return self.separator.join(map(self.cell, cells)) + self.separator * self.trailing


DIALECTS = st.builds(
    Dialect,
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be-mark", "cp1252", "cp1251"]),
    *[st.booleans()] * 4,
    st.sampled_from([(), ("A title",), ("A title", ""), ("# one", "# two"), ("", "")]),
    st.integers(0, 3),
)


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    header = draw(st.sampled_from(HEADERS))
    # Rows of dashes are not drawn: below a header they are lines of a table, which are skipped.
    row = (
        st.tuples(FULL, FULL, *[CELL] * (len(header) - 2))
        .map(list)
        .filter(lambda cells: set("".join(cells)) - {*"-: |"})
    )
    return [header, *draw(st.lists(row, max_size=8))]


@pytest.mark.parametrize("cell", ['"', '"a"', '""', 'a""b'])
def test_quoted_cell_between_blanks_may_consist_of_quotation_marks(cell: str) -> None:
    quoted = '"' + cell.replace('"', '""') + '"'
    found = read_text(Source("any.csv", ".csv", data=f"a,b,c\nx , {quoted} , y\n".encode()), Choices())
    assert [text.strip() for text in found.frame.row(0)] == ["x", cell, "y"]


@given(tables(), DIALECTS)
def test_any_table_written_in_any_csv_dialect_is_read_back_unchanged(rows: list[list[str]], dialect: Dialect) -> None:
    text, lines = "".join(title + dialect.end for title in dialect.titles), []
    for number, row in enumerate(rows):
        lines.append(1 + text.replace("\r\n", "\n").replace("\r", "\n").count("\n"))
        text += dialect.line(row) + dialect.end
        if dialect.gaps and number % dialect.gaps == 0:
            text += dialect.end  # a blank line
    text = text if dialect.finished else text.rstrip("\r\n")
    choices = Choices()
    if dialect.encoding == "utf-16-be-mark":
        data = codecs.BOM_UTF16_BE + text.encode("utf-16-be")
    else:
        data = text.encode(dialect.encoding, "replace")
        if dialect.encoding.startswith("cp"):
            choices = Choices(encoding=dialect.encoding)
    known = [[cell.encode(dialect.encoding[:6].strip("-b"), "replace") for cell in row] for row in rows]
    found = read_text(Source("any.csv", ".csv", data=data), choices)
    back = [[(cell or "").strip() for cell in row] for row in found.frame.rows()]
    assert found.frame.columns == rows[0]
    assert [[cell.encode(dialect.encoding[:6].strip("-b"), "replace") for cell in row] for row in back] == known[1:]
    assert [found.row_name(row) for row in range(len(back))] == [f"line {line}" for line in lines[1:]]
    assert not len(found.problems)


@given(tables(), DIALECTS, st.binary(min_size=1, max_size=3), st.data())
def test_damaged_text_gives_a_table_or_an_error_and_never_another_exception(
    rows: list[list[str]], dialect: Dialect, damage: bytes, data: st.DataObject
) -> None:
    text = "".join(dialect.line(row) + dialect.end for row in rows).encode()
    place = data.draw(st.integers(0, len(text)))
    with suppress(Error):
        found = read_text(Source("any.csv", ".csv", data=text[:place] + damage + text[place + 1 :]), Choices())
        lines = [int(found.row_name(row).removeprefix("line ")) for row in range(len(found.frame))]
        assert lines == sorted(set(lines))

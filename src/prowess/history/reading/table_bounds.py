"""Find where a table ends, and drop blank lines, repeated headers, comments and totals."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Remark
from ..columns.roles.aliases import COMMON, STANDINGS
from ..names.spelling import plain_name
from ..read_context import Problems, Table
from ..read_options import Choices
from .header_row import Heading, is_known_name

if TYPE_CHECKING:
    import polars as pl

_FOOTER = re.compile(
    r"\W*(totals?|sums?|sources?|notes?|legend|generated|exported|created|(last )?updated|copyright|data from|https?:"
    r"|www\.|итого|всего|источник|quelle|summe|gesamt|stand|fuente|[\d.,]+ (rows?|records?|match(es)?|games?))\b.*",
    re.IGNORECASE | re.DOTALL,
)
_ROUND = (
    r"(?i)^\s*(?:(?:round|runde|ronda|ronde|rodada|turno|tour|matchday|spieltag|omgång|kolo|kolejka|тур)\s*\d{1,2}"
    r"|\d{1,2}\.?\s*(?:round|runde|ronda|ronde|rodada|turno|spieltag|omgång|kolo|kolejka|тур))(?:\W.*)?$"
)
_NUMBER = re.compile(r"\d{1,2}")
_DATE = re.compile(
    r"\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{4}|(?:\d\d?\.? [^\W\d]{3,}|[^\W\d]{3,} \d\d?,) \d{4}(?:\s*$)"
)
_DAY = rf"^\s*(?:[^\W\d]+[.,]*\s+)?(?:{_DATE.pattern})\s*$"  # such as "Saturday, 12.10.2024"
_TIMES = frozenset(COMMON["time"].split())
_FOOTER_ROWS = 10  # number of rows at the end of a file that may be notes below the table
Rows = NDArray[np.intp]


@dataclass
class Grid:
    """The cells below a heading, the line of each row, and the rows that have a fault."""

    frame: "pl.DataFrame"
    heading: Heading
    lines: Callable[[Any], Any]  # the numbers of rows, as in a `Table`
    faults: Sequence[tuple[int, str]] = ()
    remarks: list[Remark] = field(default_factory=list)
    unit: str = "line"


def trim_table(grid: Grid, title: str, choices: Choices) -> Table:
    """Return the grid as a table, without empty rows and columns, comments, repeated headers and notes below it."""
    grid = _with_one_order(grid)
    frame, heading = grid.frame, grid.heading
    remarks = [*grid.remarks, *heading.remarks]
    columns = frame.get_columns()
    first, blanks = columns[0], [(column, "") for column in columns]
    # Only rows whose first cell is empty, or begins with a space, can be blank.
    blank = _matching_rows(first.is_null() | (first < "!"), blanks)
    if (end := _standings_row(frame, blank, heading)) is not None:
        line = int(grid.lines(end))
        text = f"{grid.unit} {line}: the standings that begin here are not read"
        remark = Remark("below-table", (text,), count=len(frame) - end, line=line)
        return trim_table(replace(grid, frame=frame[:end], remarks=[*grid.remarks, remark]), title, choices)
    named = [(column, cell) for column, cell in zip(columns, heading.cells, strict=False) if cell.strip()]
    repeated = comments = blank[:0]
    if len(named) > 1:
        candidates = (named[0][0] == named[0][1]) | (named[1][0] == named[1][1])
        repeated = _matching_rows(candidates, [(column, cell.strip()) for column, cell in named])
    if heading.comments:
        comments = _matching_rows(first.str.starts_with("#"), blanks[1:])
    sections = _section_rows(columns, heading, repeated)
    dropped = np.unique(np.concatenate([blank, repeated, comments, sections]))
    footer = _footer_rows(frame, dropped, [row for row, _ in grid.faults])
    for rows, code, what in (
        (repeated, "repeated-header", "a repeated header"),
        (comments, "comments", "a comment"),
        (footer, "below-table", "a note below the table"),
    ):
        if len(rows):
            line = int(grid.lines(rows[0]))
            times = f" ({len(rows)} times)" if len(rows) > 1 else ""
            sample = f": {next(cell for cell in frame.row(int(rows[0])) if cell)[:60]!r}" if rows is footer else ""
            text = f"{grid.unit} {line}: {what} was skipped{times}{sample}"
            remarks.append(Remark(code, (text,), count=len(rows), line=line))
    kept = np.delete(np.arange(len(frame)), np.union1d(dropped, footer))
    if len(kept) < len(frame):
        frame = frame[kept]
    if len(sections):
        frame = _add_rounds(frame, kept, sections, [heading.last_title, *first.gather(sections)])
        remarks.append(_describe_sections(grid, first[int(sections[0])], sections))
    empty = [name for name in heading.unnamed if (frame[name].fill_null("").str.strip_chars() == "").all()]
    frame = frame.drop(empty)
    problems = Problems()
    for row, fault in grid.faults:
        new = int(np.searchsorted(kept, row))
        if new < len(kept) and kept[new] == row:
            problems.add([new], None, None, fault)
    table = Table(frame, title, lambda rows: grid.lines(kept[rows]), choices, remarks, problems, unit=grid.unit)
    notes = [cell for row in footer for cell in grid.frame.row(int(row)) if cell]
    return replace(table, heading=" ".join([heading.titles, *map(str, notes)]))


def _describe_sections(grid: Grid, title: str, sections: Rows) -> Remark:
    kinds = ((_DAY, " of a day"), (_ROUND, " of a round"), ("", ""))
    what = next(words for pattern, words in kinds if re.match(pattern, title))
    line = int(grid.lines(sections[0]))
    times = f" ({len(sections)} times)" if len(sections) > 1 else ""
    text = f"{grid.unit} {line}: this heading{what} applies to the rows below it{times}: {title[:60]!r}"
    return Remark("round-headings", (text,), count=len(sections), line=line)


def _with_one_order(grid: Grid) -> Grid:
    """Return the grid with the columns in the order of the first header, if another header has another order."""
    frame, titles = grid.frame, [cell.strip() for cell in grid.heading.cells]
    known = len({*titles}) == frame.width and sum(map(is_known_name, titles)) > 1
    if not known or not (turned := frame[:, 0].is_in(titles)).any():
        return grid
    for row in (turned & frame[:, frame.width // 2].is_in(titles) & frame[:, -1].is_in(titles)).arg_true().to_list():
        cells = [(cell or "").strip() for cell in frame.row(row)]
        if cells != titles and sorted(cells) == sorted(titles):
            order = [frame.columns[cells.index(title)] for title in titles]
            frame = frame[:row].vstack(frame[row:].select(order).rename(dict(zip(order, frame.columns, strict=True))))
            text = f"{grid.unit} {grid.lines(row)}: the columns are in another order from here on, as the header says"
            grid.remarks.append(Remark("other-order", (text,), line=int(grid.lines(row))))
    return replace(grid, frame=frame)


def _standings_row(frame: "pl.DataFrame", blank: Rows, heading: Heading) -> int | None:
    """Return the first row of a table of standings that follows a blank row; None if there is none."""
    for row in blank[-_FOOTER_ROWS:].tolist():
        for below in (row + 1, row + 2):  # there may be a title
            names = {plain_name(cell or "") for cell in frame.row(below)} if below < len(frame) else set()
            known = [not names.isdisjoint(words.split()) for words in STANDINGS]
            if known[0] and sum(known) > 1 and names - {*map(plain_name, heading.cells)}:
                return int(row)
    return None


def _section_rows(columns: "Sequence[pl.Series]", heading: Heading, repeated: Rows) -> Rows:
    """Return the rows that are headings of rounds: only the first cell is filled, with text such as "Round 2 on …".

    A heading above a repeated header may have any text.

    Dates may be such headings, too, if the first row is a heading, and neither the other cells nor a header is a date.
    """
    if len(columns) < 3:
        return np.zeros(0, np.intp)
    rows = (columns[1].is_null() & columns[-1].is_null()).arg_true()
    if not len(rows):
        return np.zeros(0, np.intp)
    headings = columns[0].gather(rows).str.contains(_ROUND).fill_null(False)
    days = columns[0].gather(rows).str.contains(_DAY).fill_null(False)
    dated = _TIMES.intersection(map(plain_name, heading.cells))
    if days.any() and not dated and columns[0].str.contains(_DAY).sum() == days.sum():
        above = columns[0].drop_nulls().head(1)
        headings |= days & above.str.contains(f"{_ROUND}|{_DAY}").all()
    # A row with other separators is damaged, and no heading.
    text = columns[0].gather(rows).str.contains(r"^[^;|\t]*\S[^;|\t]*$").fill_null(False)
    headings |= rows.is_in((repeated - 1).tolist()) & text
    candidates = rows.filter(headings).to_numpy().astype(np.intp)
    return _rows_with(candidates, [(column, "") for column in columns[1:]])


def _add_rounds(frame: "pl.DataFrame", kept: Rows, sections: Rows, titles: Sequence[str]) -> "pl.DataFrame":
    import polars as pl

    # If the table already has a column for the round or the date, no such column is added.
    above = np.searchsorted(sections, kept)
    last, titles, headings = "", [titles[0]], titles[1:]
    for title in headings:  # a round may have several days
        last = last if (is_day := re.match(_DAY, title)) else title
        titles.append(f"{last} {title}" if is_day else title)
    named = all(re.match(f"{_ROUND}|{_DAY}", title) for title in headings)
    for name, pattern in (("Round", _NUMBER), ("Date", _DATE)) if named else (("Session", re.compile(".*")),):
        found = [None if name == "Round" and re.match(_DAY, title) else pattern.search(title) for title in titles]
        cells = [None if one is None else one[0].strip() for one in found]
        needed = {cells[index] for index in np.unique(above)}
        if None not in needed and not any(plain_name(column) == name.casefold() for column in frame.columns):
            frame = frame.with_columns(pl.Series(name, [cells[index] for index in above], pl.String))
    return frame


def _matching_rows(candidates: "pl.Series", cells: "Iterable[tuple[pl.Series, str]]") -> Rows:
    return _rows_with(candidates.arg_true().to_numpy().astype(np.intp), cells)


def _rows_with(rows: Rows, cells: "Iterable[tuple[pl.Series, str]]") -> Rows:
    for column, cell in cells:
        if not len(rows):
            break
        rows = rows[(column.gather(rows).fill_null("").str.strip_chars() == cell).to_numpy()]
    return rows


def _footer_rows(frame: "pl.DataFrame", dropped: Rows, faulty: Sequence[int]) -> Rows:
    """Return the last rows that are not part of the table: totals, sources, or a single cell below a blank line."""
    rows: list[int] = []
    gone = set(dropped[-_FOOTER_ROWS:].tolist())
    for row in range(len(frame) - 1, max(-1, len(frame) - 1 - _FOOTER_ROWS), -1):
        if row in gone:
            continue
        cells = [(cell or "").strip() for cell in frame.row(row)]
        filled = [cell for cell in cells if cell]
        alone = len(filled) == 1 and len(cells) > 1 and row - 1 in gone
        is_note = cells[0] and _FOOTER.fullmatch(cells[0]) and len(filled) < len(cells)
        if row in faulty or not (alone or (is_note and (len(filled) <= 2 or not cells[1]))):
            break
        rows.insert(0, row)
    return np.array(rows, np.intp)

"""Find where a table begins: titles above it, its header row if it has one, and its column names."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...errors import Option, Remark
from ..cells.words import DRAWS
from ..columns.roles import aliases
from ..columns.roles.headers import SIDE, Headers, is_side_result
from ..names.spelling import plain_name
from ..read_options import Choices
from .encodings import DAMAGED
from .tolerant_csv import Record

_SINGLE = (aliases.OPPONENT, aliases.RESULT, aliases.OWN_SCORE, aliases.OPPONENT_SCORE, aliases.VENUE)
_TABLES = (aliases.LONG, aliases.COMMON, aliases.HOME_AWAY, aliases.WINNER_LOSER)
_LISTS = (*aliases.PARTS, *_SINGLE, *sum(aliases.PAIRS, ()), *(names for table in _TABLES for names in table.values()))
_KNOWN = {name for names in _LISTS for name in names.split()} | {name for names in aliases.ORDINALS for name in names}
_SIDES = dict.fromkeys((role for side in aliases.SIDE_WORDS for role in (side, f"{side}_score")), "")
_SEARCHED = 50  # number of records searched for a header
_SHOWN = 8  # number of names shown in a remark
_MOST = 0.9  # a column that nearly all rows have belongs to the table
_PARTS = frozenset(
    ("player", "players", "partner", "name", "names", "first", "second", "p1", "p2", "#1", "#2", "1", "2")
)
_RULE = re.compile(r"[-=+_:.─━|\s]*[-=─━_]{2,}[-=+_:.─━|\s]*|:-:?|-:")
_VALUE = re.compile(
    r"[-+−]?[\d½][\d½\s.,:/\-–−+%]*([TZ][\d:.+\-Z]*)?"
    r"|\d{1,2}[ .\-/]+[^\W\d]{3,10}\.?[ ,.\-/]+\d{2,4}.*"
)
Cells = Sequence[str]
Rows = Mapping[int, Cells]  # indices and cells of the records that are rows


@dataclass(frozen=True)
class Heading:
    """The column names, the columns that the file does not name, and the indices of the header and the first row."""

    names: tuple[str, ...]
    unnamed: frozenset[str]
    header: int | None
    start: int
    cells: tuple[str, ...] = ()  # the header cells as written, to recognise a repeated header
    comments: bool = False
    remarks: tuple[Remark, ...] = ()
    last_title: str = ""  # the line right above the header, which may name the round of the first rows
    titles: str = ""  # all lines above the header


@lru_cache(1024)
def is_known_name(name: str) -> bool:
    """Return whether a column with this name is recognised regardless of the other columns.

    >>> [is_known_name(name) for name in ("Home Team", "score_2", "home_team_goal_count", "Arsenal")]
    [True, True, True, False]
    """
    plain = plain_name(name)
    if plain in _KNOWN or SIDE.fullmatch(plain) is not None or is_side_result(name):
        return True
    return any(side in plain for side in aliases.SIDE_WORDS) and bool(Headers([name], {}).find(_SIDES))


def count_filled(cells: Iterable[str]) -> int:
    """Count the cells that are not empty."""
    return sum(bool(cell.strip()) for cell in cells)


def count_known_cells(cells: Cells, choices: Choices) -> int:
    """Count the cells that are a known column name, or a column mapped by the user."""
    mapped = set((choices.columns or {}).values())
    return len({cell.strip() for cell in cells if cell.strip() in mapped or is_known_name(cell)} - {""})


def has_header(first: Cells, rest: Sequence[Cells]) -> bool:
    """Return whether the first record is a header that names the columns of the other records.

    A record with two or more known column names is a header. With one known name, it is a header unless it has a
    number, a date or a result in a column of such values. Without a known name, it must also have no name that occurs
    again in the rows below. Known names that occur again do not count.

    >>> has_header(["Sieger", "Verlierer"], [["ann", "bob"], ["bob", "cat"]])
    True
    >>> has_header(["ann", "bob"], [["cat", "ann"]]), has_header(["2026-01-31", "ann"], [["2026-02-01", "bob"]])
    (False, False)
    """
    first = _strip(first)
    others = [row for row in map(_strip, rest) if not _is_repeated_header(first, row)]
    below = [[row[column] for row in others if column < len(row)] for column in range(len(first))]
    names = {cell for cell in first if cell and not _is_value(cell)}
    repeated = {cell for cell, column in zip(first, below, strict=True) if cell in names and cell in column}
    for cells in map(set, below):
        # A column whose cells are the names of other columns holds the winners.
        says_who_won = len(cells & names) > 1 and not {cell.casefold() for cell in cells - names} - {"", *DRAWS}
        repeated |= set() if says_who_won else names & cells
    known = sum(map(is_known_name, names - repeated))
    has_values = any(map(_is_value_like, first, below))
    return known > 1 or (known > 0 and not has_values) or not (has_values or repeated)


def _is_repeated_header(header: Cells, row: Cells) -> bool:
    """Return whether a row repeats the header, or a part of it that has known column names."""
    return sorted(row) == sorted(header) or (
        set(row) <= {"", *header} and all(is_known_name(cell) for cell in row if cell)
    )


def _strip(cells: Cells) -> list[str]:
    stripped = [cell.strip() for cell in cells]
    while stripped and not stripped[-1]:
        stripped.pop()
    return stripped


def _is_value_like(cell: str, column: Cells) -> bool:
    filled = [other for other in column if other]
    return _is_value(cell) and 2 * sum(map(_is_value, filled)) >= len(filled)


def _is_value(cell: str) -> bool:
    return _VALUE.fullmatch(cell) is not None


def find_heading(sample: Sequence[Record], choices: Choices, skip: int = 0, unit: str = "line") -> Heading:
    """Find where the table begins in the first records of a file.

    The first `skip` records are never part of the table.
    """
    rows = {index: sample[index].cells for index in range(skip, len(sample)) if _is_row(sample[index].cells)}
    if not rows:
        return Heading((), frozenset(), None, len(sample))
    known_header = None if choices.header is False else _known_header(rows, choices)
    first = _first_wide_row(rows) if known_header is None else known_header
    below = [cells for index, cells in rows.items() if index > first]
    header = choices.header
    if header is None:
        header = known_header is not None or _guess_header(rows[first], below, choices)
    above = [index for index in rows if index < first]
    if not header and not all(_is_comment(rows[index]) or count_filled(rows[index]) == 1 for index in above):
        first, above = next(iter(rows)), []
    comments = any(_is_comment(rows[index]) for index in above)
    remarks: list[Remark] = []
    if above:
        begin, end = sample[above[0]].line, sample[above[-1]].line
        subject = f"{unit} {begin} is a title" if begin == end else f"{unit}s {begin} to {end} are titles"
        text = next(cell.strip() for cell in rows[above[0]] if cell.strip())[:60]
        sentence = f"{subject} above the table and {'was' if begin == end else 'were'} skipped: {text!r}"
        remarks.append(Remark("above-table", (sentence,), count=len(above), line=begin))
    if not header:
        if choices.header is None:
            text = f"the first {unit} does not look like a header, so the columns are named 1, 2, …; if it is one, use "
            pieces = (text, Option("header", True))
            remarks.append(Remark("no-header", pieces, line=first + 1))
        width = max(_usual_width(cells for index, cells in rows.items() if index >= first), 1)
        names = tuple(str(number + 1) for number in range(width))
        return Heading(names, frozenset(names), None, first, (), comments, tuple(remarks))
    cells, last = [_title(cell) for cell in rows[first]], first
    upper, lower = rows.get(first - 1), rows.get(first + 1)
    if upper is not None and _is_upper_heading(upper, cells):
        cells = _join_headings([_title(cell) for cell in upper], cells)
        remarks = [remark for remark in remarks if remark.code != "above-table"] if len(above) == 1 else remarks
    elif lower is not None and _is_lower_heading(cells, lower):
        cells, last = _join_headings(cells, [_title(cell) for cell in lower]), first + 1
        below = below[1:]
    written = tuple(DAMAGED.sub("\ufffd", cell).replace("\0", "") for cell in rows[last])
    cells[0] = cells[0].lstrip("# ") or cells[0]
    titles = _widen(cells, below, remarks)
    _repeat_merged(titles, below)
    names = _unique_names(titles, remarks)
    unnamed = frozenset(name for name, title in zip(names, titles, strict=True) if not title)
    start = last + 1
    while start < len(sample) and start not in rows and count_filled(sample[start].cells):
        start += 1  # a line of dashes under the header
    title = next((cell.strip() for cell in rows[above[-1]] if cell.strip()), "") if above else ""
    all_titles = " ".join(cell for index in above for cell in rows[index])
    return Heading(names, unnamed, first, start, written, comments, tuple(remarks), title, all_titles)


def _repeat_merged(titles: list[str], below: Sequence[Sequence[str]]) -> None:
    # A merged heading above two scores names only the first.
    for number in range(1, len(titles)):
        pair = not titles[number] and plain_name(titles[number - 1]) in aliases.SCORES_ALONE.split()
        if pair and any(all(map(str.isdigit, row[number - 1 : number + 1])) for row in below if number < len(row)):
            titles[number] = titles[number - 1]


def _title(cell: str) -> str:
    return " ".join(DAMAGED.sub("\ufffd", cell).replace("\0", "").split())


def _is_upper_heading(upper: Cells, cells: Cells) -> bool:
    """Return whether the record above a header names groups of columns, such as "Pair A" above two players."""
    filled = [column for column, cell in enumerate(upper) if cell.strip()]
    if len(filled) < 2 or len(upper) > len(cells) or any(_is_value(upper[column].strip()) for column in filled):
        return False
    repeated = Counter(cell.strip().casefold() for cell in cells if cell.strip())
    return any(number > 1 for number in repeated.values()) or count_filled(cells) < len(cells)


def _is_lower_heading(cells: Cells, lower: Cells) -> bool:
    """Return whether the record below a header is a second header row, such as "Player 1" under "Pair A"."""
    named = [cell.strip() for cell in lower if cell.strip()]
    unnamed = [
        column for column, cell in enumerate(cells) if not cell and column < len(lower) and lower[column].strip()
    ]
    return bool(unnamed) and len(named) > 1 and all(is_known_name(cell) or cell.casefold() in _PARTS for cell in named)


def _join_headings(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    width = max(len(upper), len(lower))
    above, below = ([*cells, *[""] * (width - len(cells))] for cells in (upper, lower))
    group, begin, span = "", 0, width
    names = []
    for column in range(width):
        if above[column]:
            following = next((other for other in range(column + 1, width) if above[other]), None)
            # The last group is as wide as the group before it; the columns after it have no group.
            span = following - column if following is not None else min(span, width - column)
            group, begin = above[column], column
        inside = group and column < begin + span and (below[column] or column == begin)
        names.append(" ".join(filter(None, (group if inside else "", below[column]))))
    return names


def _is_row(cells: Cells) -> bool:
    filled = [cell.strip() for cell in cells if cell.strip()]
    return bool(filled) and not all(map(_RULE.fullmatch, filled))


def _is_comment(cells: Cells) -> bool:
    return cells[0].lstrip().startswith("#")


def _usual_width(rows: Iterable[Cells]) -> int:
    # Of equally frequent widths, the larger one counts.
    counts = Counter(map(len, rows))
    return max(counts, key=lambda width: (counts[width], width), default=0)


def _known_header(rows: Rows, choices: Choices) -> int | None:
    """Find a record that names known columns and has more cells than all records above it."""
    most = 0
    mapped = set((choices.columns or {}).values()) - {None}
    for index, cells in list(rows.items())[:_SEARCHED]:
        if mapped and mapped <= {cell.strip() for cell in cells}:
            return index
        known = count_known_cells([cells[0].lstrip("# "), *cells[1:]], choices)
        below = [other for place, other in rows.items() if place > index][:_SEARCHED]
        if known >= 2 and count_filled(cells) > most and has_header(cells, below):
            following = rows.get(index + 1, ())
            better = count_known_cells(following, choices) > known and count_filled(following) > count_filled(cells)
            # The header may be below a row that names groups of columns.
            return index + 1 if better and has_header(following, below[1:]) else index
        if not _is_comment(cells):
            most = max(most, count_filled(cells))
    return None


def _first_wide_row(rows: Rows) -> int:
    """Find the first record that is as wide as the table, and not a title."""
    width = _usual_width(rows.values())
    for index, cells in list(rows.items())[:_SEARCHED]:
        filled = count_filled(cells)
        if filled >= min(2, width) and len(cells) >= width - 1 and not (_is_comment(cells) and filled < width):
            return index
    return next(iter(rows))


def _guess_header(cells: Cells, below: Sequence[Cells], choices: Choices) -> bool:
    mapped = [name for name in (choices.columns or {}).values() if name is not None]
    if mapped and all(name.isdecimal() and 0 < int(name) <= len(cells) for name in mapped):
        # The user mapped numbers. If the header does not contain them, they are the numbers of columns.
        return all(name in [cell.strip() for cell in cells] for name in mapped)
    return has_header(cells, below)


def _unique_names(titles: Cells, remarks: list[Remark]) -> tuple[str, ...]:
    # A repeated title gets a suffix such as (2); a column without a title is named by its position.
    names: dict[str, None] = {}
    copies = Counter[str]()
    repeated = []
    for number, title in enumerate(titles, 1):
        name = plain = title or str(number)
        while name in names:
            copies[plain] += 1
            name = f"{plain} ({copies[plain] + 1})"
        if title and name != plain:
            repeated.append(name)
        names[name] = None
    if repeated:
        more = ", …" * (len(repeated) > _SHOWN)
        text = f"repeated column names are numbered: {', '.join(repeated[:_SHOWN])}{more}"
        remarks.append(Remark("repeated-column-names", (text,), count=len(repeated)))
    return tuple(names)


def _widen(titles: list[str], body: Sequence[Cells], remarks: list[Remark]) -> list[str]:
    """Return the titles, with an empty title for each column that nearly all rows have but the header does not name."""
    usual = _usual_width(body)
    extra = usual - len(titles)
    if extra <= 0 or sum(len(row) == usual for row in body) < _MOST * len(body):
        return titles
    if not any(count_filled(row[len(titles) :]) for row in body):
        return titles + [""] * extra
    first = [row[0].strip().strip('"') for row in body if len(row) == usual]
    if extra == 1 and all(map(str.isdecimal, first)) and len({int(cell) - row for row, cell in enumerate(first)}) == 1:
        text = "each row has one cell more than the header; the first cell is read as the number of the row"
        remarks.append(Remark("row-numbers", (text,)))
        return ["", *titles]
    numbers = ", ".join(str(number) for number in range(len(titles) + 1, usual + 1))
    text = f"the header names only {len(titles)} of {usual} columns; the others are named {numbers}"
    remarks.append(Remark("unnamed-columns", (text,), count=extra))
    return titles + [""] * extra

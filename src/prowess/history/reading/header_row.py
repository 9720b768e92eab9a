"""Where a table begins in a file: titles above it, its header if it has one, and the names of its columns."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...errors import Option, Remark
from ..cells.words import DRAWS
from ..columns.aliases import (
    COMMON,
    HOME_AWAY,
    LONG,
    OPPONENT,
    OPPONENT_SCORE,
    ORDINALS,
    OWN_SCORE,
    PAIRS,
    PARTS,
    RESULT,
    SIDE_WORDS,
    VENUE,
    WINNER_LOSER,
)
from ..columns.headers import SIDE, Headers, is_side_result
from ..names import plain_name
from ..read_options import Choices
from .encodings import DAMAGED
from .tolerant_csv import Record

_TABLES = (LONG, COMMON, HOME_AWAY, WINNER_LOSER)
_LISTS = (*PARTS, OPPONENT, RESULT, OWN_SCORE, OPPONENT_SCORE, VENUE, *(names for pair in PAIRS for names in pair))
_KNOWN = {name for names in (*_LISTS, *(n for table in _TABLES for n in table.values())) for name in names.split()}
_KNOWN |= {name for names in ORDINALS for name in names}
_SIDES = dict.fromkeys((role for side in SIDE_WORDS for role in (side, f"{side}_score")), "")
_ABOVE = 50  # a header stands among the first records, or nowhere
_SHOWN = 8  # names in a note
_MOST = 0.9  # what nearly all rows have belongs to the table
_RULE = re.compile(r"[-=+_:.─━|\s]*[-=─━_]{2,}[-=+_:.─━|\s]*")
_VALUE = re.compile(
    r"[-+−]?[\d½][\d½\s.,:/\-–−+%]*([TZ][\d:.+\-Z]*)?"
    r"|\d{1,2}[ .\-/]+[^\W\d]{3,10}\.?[ ,.\-/]+\d{2,4}.*"
)


@dataclass(frozen=True)
class Heading:
    """The names of the columns, which of them the file does not give, and the records at which the table begins."""

    names: tuple[str, ...]
    unnamed: frozenset[str]
    header: int | None
    start: int
    cells: tuple[str, ...] = ()  # the header as it stands, by which it is known where it comes again
    comments: bool = False
    remarks: tuple[Remark, ...] = ()


@lru_cache(1024)
def is_known_name(name: str) -> bool:
    """Say whether a column of this name would be recognised, whatever the others are.

    >>> [is_known_name(name) for name in ("Home Team", "score_2", "home_team_goal_count", "Arsenal")]
    [True, True, True, False]
    """
    plain = plain_name(name)
    if plain in _KNOWN or SIDE.fullmatch(plain) is not None or is_side_result(name):
        return True
    longer = any(side in plain for side in SIDE_WORDS)
    return longer and bool(Headers([name], {}).find(_SIDES))


def count_filled(cells: Iterable[str]) -> int:
    """Count the cells that hold something."""
    return sum(bool(cell.strip()) for cell in cells)


def count_known_cells(cells: Sequence[str], choices: Choices) -> int:
    """Count the cells that name a column: one that would be recognised, or that the user speaks of."""
    mapped = set((choices.columns or {}).values())
    return len({cell.strip() for cell in cells if cell.strip() in mapped or is_known_name(cell)} - {""})


def has_header(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Say whether the first record names the columns of the others.

    It does not if it holds a number, date or result where the others do, or a name that comes again further down.

    >>> has_header(["Sieger", "Verlierer"], [["ann", "bob"], ["bob", "cat"]])
    True
    >>> has_header(["ann", "bob"], [["cat", "ann"]]), has_header(["2026-01-31", "ann"], [["2026-02-01", "bob"]])
    (False, False)
    """
    first = _stripped(first)
    others = [row for row in map(_stripped, rest) if not _is_repeated(first, row)]
    below = [[row[column] for row in others if column < len(row)] for column in range(len(first))]
    names = {cell for cell in first if cell and not _is_value(cell)}
    repeated = {cell for cell, column in zip(first, below, strict=True) if cell in names and cell in column}
    for column in map(set, below):
        repeated |= set() if _says_who_won(column, names) else names & column
    known = sum(map(is_known_name, names - repeated))
    values = any(map(_alike, first, below))
    return known > 1 or (known > 0 and not values) or not (values or repeated)


def _is_repeated(header: Sequence[str], row: Sequence[str]) -> bool:
    """Say whether a row is the header again, or a piece of it, as it is left where its line is broken in two."""
    return sorted(row) == sorted(header) or (
        set(row) <= {"", *header} and all(is_known_name(cell) for cell in row if cell)
    )


def _stripped(cells: Sequence[str]) -> list[str]:
    """Give cells without blanks around them, and without empty ones at the end."""
    stripped = [cell.strip() for cell in cells]
    while stripped and not stripped[-1]:
        stripped.pop()
    return stripped


def _alike(cell: str, column: Sequence[str]) -> bool:
    """Say whether a cell holds a number, date or result as most of those below it do."""
    filled = [other for other in column if other]
    return _is_value(cell) and 2 * sum(map(_is_value, filled)) >= len(filled)


def _says_who_won(column: set[str], names: set[str]) -> bool:
    """Say whether a column holds nothing but names of columns, and several of them."""
    return len(column & names) > 1 and not {cell.casefold() for cell in column - names} - {"", *DRAWS}


def _is_value(cell: str) -> bool:
    return _VALUE.fullmatch(cell) is not None


def find_heading(sample: Sequence[Record], choices: Choices, skip: int = 0, unit: str = "line") -> Heading:
    """Find where the table begins in the first records of a file, the first of which may not belong to it."""
    real = [index for index in range(skip, len(sample)) if _is_row(sample[index].cells)]
    if not real:
        return Heading((), frozenset(), None, len(sample))
    width = _usual(len(sample[index].cells) for index in real)
    known_header = None if choices.header is False else _known_header(sample, real, choices)
    first = _first(sample, real, width) if known_header is None else known_header
    header = choices.header
    if header is None:
        header = known_header is not None or _guess(sample, real, first, choices)
    if not header and not _has_titles(sample, real, first):
        first = real[0]
    comments = any(sample[index].cells[0].lstrip().startswith("#") for index in real if index < first)
    above = _above(sample, real, first, unit)
    if header:
        return _named(sample, real, first, comments, above)
    text = f"the first {unit} is no header: the columns are called 1, 2, … ("
    no_header = Remark("no-header", (text, Option("header", True), " takes their names from it)"), line=first + 1)
    width = max(_usual(len(sample[index].cells) for index in real if index >= first), 1)
    names = tuple(str(number + 1) for number in range(width))
    return Heading(names, frozenset(names), None, first, (), comments, above + (no_header,) * (choices.header is None))


def _is_row(cells: Sequence[str]) -> bool:
    """Say whether a record is neither blank nor a rule that is drawn under a header."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    return bool(filled) and not all(map(_RULE.fullmatch, filled))


def _usual(widths: Iterable[int]) -> int:
    """Give the most frequent width of records, the larger where two are."""
    counts = Counter(widths)
    return max(counts, key=lambda width: (counts[width], width)) if counts else 0


def _known_header(sample: Sequence[Record], real: Sequence[int], choices: Choices) -> int | None:
    """Find a record that names columns which are known, under records with fewer cells than it."""
    most = 0
    mapped = set((choices.columns or {}).values()) - {None}
    for index in real[:_ABOVE]:
        cells = sample[index].cells
        if mapped and mapped <= {cell.strip() for cell in cells}:
            return index
        named = count_known_cells([cells[0].lstrip("# "), *cells[1:]], choices)
        below = [sample[other].cells for other in real if other > index][:_ABOVE]
        if named >= 2 and count_filled(cells) > most and has_header(cells, below):
            return index
        if not cells[0].lstrip().startswith("#"):
            most = max(most, count_filled(cells))
    return None


def _first(sample: Sequence[Record], real: Sequence[int], width: int) -> int:
    """Find the first record that is as wide as the table, and no title."""
    for index in real[:_ABOVE]:
        cells = sample[index].cells
        comment = cells[0].lstrip().startswith("#") and count_filled(cells) < width
        if count_filled(cells) >= min(2, width) and len(cells) >= width - 1 and not comment:
            return index
    return real[0]


def _has_titles(sample: Sequence[Record], real: Sequence[int], first: int) -> bool:
    """Say whether what stands above a first row is clearly not part of the table: comments, or one cell in many."""
    above = [sample[index].cells for index in real if index < first]
    return all(cells[0].lstrip().startswith("#") or count_filled(cells) == 1 for cells in above)


def _guess(sample: Sequence[Record], real: Sequence[int], first: int, choices: Choices) -> bool:
    mapped = [name for name in (choices.columns or {}).values() if name is not None]
    cells = sample[first].cells
    if mapped and all(name.isdecimal() and 0 < int(name) <= len(cells) for name in mapped):
        return all(name in [cell.strip() for cell in cells] for name in mapped)
    below = [sample[index].cells for index in real if index > first]
    return has_header(cells, below)


def _above(sample: Sequence[Record], real: Sequence[int], first: int, unit: str) -> tuple[Remark, ...]:
    lines = [index for index in real if index < first]
    if not lines:
        return ()
    begin, end = (sample[index].line for index in (lines[0], lines[-1]))
    where = f"{unit} {begin} stands" if begin == end else f"{unit}s {begin} to {end} stand"
    text = next(cell.strip() for cell in sample[lines[0]].cells if cell.strip())
    sentence = f"{where} above the table and {'is' if begin == end else 'are'} not read: {text[:60]!r}"
    return (Remark("above-table", (sentence,), count=len(lines), line=begin),)


def _named(
    sample: Sequence[Record], real: Sequence[int], header: int, comments: bool, above: tuple[Remark, ...]
) -> Heading:
    plain = tuple(DAMAGED.sub("\ufffd", cell).replace("\0", "") for cell in sample[header].cells)
    cells = [" ".join(cell.split()) for cell in plain]
    cells[0] = cells[0].lstrip("# ") or cells[0]
    body = [sample[index].cells for index in real if index > header]
    titles, widened = _widened(cells, body)
    names, renamed = _told_apart(titles)
    unnamed = frozenset(name for name, title in zip(names, titles, strict=True) if not title)
    remarks = [*above, *widened]
    if repeated := [name for name in renamed if name not in unnamed]:
        more = ", …" * (len(repeated) > _SHOWN)
        text = f"columns of the same name are told apart: {', '.join(repeated[:_SHOWN])}{more}"
        remarks.append(Remark("repeated-column-names", (text,), count=len(repeated)))
    start = header + 1
    while start < len(sample) and not _is_row(sample[start].cells) and count_filled(sample[start].cells):
        start += 1  # a rule under the header
    return Heading(tuple(names), unnamed, header, start, plain, comments, tuple(remarks))


def _told_apart(titles: Sequence[str]) -> tuple[list[str], list[str]]:
    """Give each column a name of its own, and those that have a number because their title comes again."""
    names: dict[str, None] = {}
    copies = Counter[str]()
    renamed = []
    for number, title in enumerate(titles, 1):
        name = plain = title or str(number)
        while name in names:
            copies[plain] += 1
            name = f"{plain} ({copies[plain] + 1})"
        if name != plain:
            renamed.append(name)
        names[name] = None
    return list(names), renamed


def _widened(cells: list[str], body: Sequence[Sequence[str]]) -> tuple[list[str], tuple[Remark, ...]]:
    """Give names to the columns that nearly all rows have, and the header does not name."""
    usual = _usual(map(len, body))
    more = usual - len(cells)
    if more <= 0 or sum(len(row) == usual for row in body) < _MOST * len(body):
        return cells, ()
    if not any(count_filled(row[len(cells) :]) for row in body):
        return cells + [""] * more, ()
    counted = [row[0].strip().strip('"') for row in body if len(row) == usual]
    if (
        more == 1
        and all(number.isdecimal() for number in counted)
        and len({int(n) - i for i, n in enumerate(counted)}) == 1
    ):
        text = "the rows have one cell more than the header: the first is their number"
        return ["", *cells], (Remark("row-numbers", (text,)),)
    numbers = ", ".join(str(number) for number in range(len(cells) + 1, usual + 1))
    text = f"the header names {len(cells)} columns of {usual}; the others are called {numbers}"
    return cells + [""] * more, (Remark("unnamed-columns", (text,), count=more),)

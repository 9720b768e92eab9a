"""Read a column with the winner of each match: a name in any spelling, a part of a name, or a word for a side."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...text import count
from ..cells.results import INCOMPLETE
from ..cells.text import intern, plain_text, text_of
from ..cells.words import ALSO_IN_NAMES, DRAWS, MISSING, ROSTER_SEPARATORS
from ..names.spelling import plain_name, plain_spelling
from ..read_context import Table
from .roles.layout import Layout, Side

if TYPE_CHECKING:
    import polars as pl

DRAW, UNKNOWN = 2, -1  # values of a winner besides the sides 0 and 1
MOST = 0.9  # fraction of the matches that must agree to decide how the file is read
# The winner and the margin, as in Go: B+3.5, W+R; or both sides: A>B.
_BY = re.compile(
    r"([a-z]) ?(?:\+ ?(?:\d+(?:[.,]\d+)?|1/2|[rtf]|res|resign|resignation|time)?|>+ ?[a-z])", re.IGNORECASE
)
_EQUAL = re.compile(r"[a-z] ?[=≈~]+ ?[a-z]", re.IGNORECASE)
_BETWEEN_NAMES = re.compile("|".join(map(re.escape, (*ROSTER_SEPARATORS, *ALSO_IN_NAMES))))
_SHOWN = 3  # maximum number of winners listed in a remark


def winning_sides(table: Table, layout: Layout) -> NDArray[np.int8]:
    """Return the side that the winner column names in each row: 0, 1, `DRAW` or `UNKNOWN`.

    A cell may equal the name of a side, or be a word for a side or for a draw. A cell may also name a side in another
    spelling, list its players in another order, or be a part of its name, such as Lakers. A remark lists the partial
    names.
    """
    text = text_of(table, layout.roles["winner"])
    code, different = intern(text.fill_null(""))
    word = np.array([_side_of_word(cell, layout) for cell in different], np.int8)[code]
    first, second = (
        np.zeros(len(text), bool)
        if table.frame[side.column].dtype.is_nested() or side.more
        else (text == text_of(table, side.column)).fill_null(False).to_numpy()
        for side in layout.sides
    )
    # If players are called "1" and "2", a winner "1" is ambiguous; it is a name if nearly all winners are names.
    usual = len(text) > 0 and (first | second | (word == DRAW)).mean() >= MOST
    sides = np.where((first | second) & (usual | (word == UNKNOWN)), np.where(first, 0, 1), word).astype(np.int8)
    missing = np.array([cell.casefold() in MISSING for cell in different], bool)[code]
    open_rows = np.flatnonzero((sides == UNKNOWN) & ~missing)
    if len(open_rows):
        sides[open_rows] = _compare_names(table, layout, open_rows)
    return sides


def _side_of_word(text: str, layout: Layout) -> int:
    by = _BY.fullmatch(text)
    word = plain_name(by[1] if by else text)
    if not by and INCOMPLETE.search(plain_text(text)):
        return UNKNOWN
    for number, side in enumerate(layout.sides):
        if word in side.words:
            return number
    return DRAW if text.casefold() in DRAWS or plain_name(text) in DRAWS or _EQUAL.fullmatch(text) else UNKNOWN


def _compare_names(table: Table, layout: Layout, rows: NDArray[np.intp]) -> NDArray[np.int8]:
    # Each distinct combination of cells is compared once.
    column = layout.roles["winner"]
    cells = [_names_of(table, side, rows) for side in layout.sides]
    combinations = list(zip(text_of(table, column)[rows].to_list(), *cells, strict=True))
    compared = {key: _named_side(*key) for key in dict.fromkeys(combinations)}
    parts = [key for key in combinations if compared[key][1]]
    if parts:
        read = {key[0]: " and ".join(key[1 + compared[key][0]]) for key in dict.fromkeys(parts)}
        examples = ", ".join(f"{cell!r} is read as {name!r}" for cell, name in list(read.items())[:_SHOWN])
        number = count(len(parts), "cell has only a part", "cells have only a part")
        table.note("parts-of-names", f"{column}: {examples} ({number} of a name)", column=column, number=len(parts))
    return np.array([compared[key][0] for key in combinations], np.int8)


def _names_of(table: Table, side: Side, rows: NDArray[np.intp]) -> "Iterable[tuple[str, ...]]":
    # The names are in one cell, in a cell for each player, or in a list.
    if table.frame[side.column].dtype.is_nested():
        return [tuple(map(str, names or ())) for names in table.frame[side.column][rows].to_list()]
    columns: list[pl.Series] = [text_of(table, column)[rows] for column in (side.column, *side.more)]
    return [tuple(filter(None, names)) for names in zip(*columns, strict=True)]


def _named_side(cell: str, first: tuple[str, ...], second: tuple[str, ...]) -> tuple[int, bool]:
    """Return the side that a cell names (0, 1 or `UNKNOWN`), and whether the names agree only in part.

    >>> _named_side("leeds  UNITED", ("Leeds United",), ("Hull",)), _named_side("Dan/Bob", ("Ann/Cat",), ("Bob/Dan",))
    ((0, False), (1, False))
    >>> _named_side("Lakers", ("LA Lakers",), ("Bulls",)), _named_side("Leeds", ("Hull",), ("Ash",))
    ((0, True), (-1, False))
    """
    own, sides = plain_spelling(cell), [[plain_spelling(name) for name in names] for names in (first, second)]
    members = [{plain_spelling(part) for name in names for part in _split(name)} for names in (first, second)]
    players = {plain_spelling(part) for part in _split(cell)}
    tests = [([names == [own] or players == team for names, team in zip(sides, members, strict=True)], False)]
    if any(map(str.isalpha, own)):  # "1-0" is a score, not a part of a player's name "1"
        tests += [([players <= team for team in members], True)]
        tests += [([_is_part(own, " ".join(names)) for names in sides], True)]
    for fits, is_part in tests:
        if sum(fits) == 1:
            return fits.index(True), is_part
    return UNKNOWN, False


def _split(name: str) -> list[str]:
    return [part.strip() for part in _BETWEEN_NAMES.split(name) if part.strip()]


def _is_part(cell: str, name: str) -> bool:
    return f" {cell} " in f" {name} " or (bool(name) and f" {name} " in f" {cell} ")

"""Reading cells as what ranks players: places such as 1st, T3 or gold, words such as DNF, and times such as 1:02:45."""

import re
from collections import Counter
from collections.abc import Set
from dataclasses import dataclass
from functools import cache
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Option
from ...text import count
from ..names import plain_name
from ..ragged import Floats
from ..read_context import Message, Table
from .numbers import numeral
from .text import intern, plain_text, text_of
from .words import DID_NOT_START, MISSING, PLACES, ROUNDS, UNPLACED

_PLACE, _WORD, _ABSENT, _EMPTY, _WRONG = range(5)
_SHOWN = 8  # words in a note


@dataclass(frozen=True)
class Places:
    """The rank in each row, and who has none: NaN where a cell is empty or a word.

    Those `unplaced` took part and share the last place of their match; those `absent` did not take part. Who is neither
    and has no rank has an empty cell.
    """

    rank: Floats
    unplaced: NDArray[np.bool_]
    absent: NDArray[np.bool_]


def ranks(table: Table, column: str) -> Places:
    """Read a column as places; how many have a word instead is noted, and what is neither is a problem.

    >>> import polars as pl
    >>> cells = Table(pl.DataFrame({"place": ["1st", "T2", "5-8", "DNF"]}), "cells")
    >>> found = ranks(cells, "place")
    >>> found.rank, found.unplaced
    (array([1. , 2. , 6.5, nan]), array([False, False, False,  True]))
    """
    import polars as pl

    series = table.frame[column]
    size = len(series)
    unplaced, absent = np.zeros(size, bool), np.zeros(size, bool)
    if series.dtype.is_numeric() or series.dtype == pl.Null:
        rank = series.cast(pl.Float64).fill_null(nan).to_numpy().copy()
    else:
        text = text_of(table, column)
        whole = text.cast(pl.Int64, strict=False).cast(pl.Float64)
        rank = whole.fill_null(nan).to_numpy().copy()
        where = np.flatnonzero((whole.is_null() & text.is_not_null()).to_numpy())
        if len(where):
            code, different = intern(text.gather(where))
            cells = _cells(table, different.to_list(), np.bincount(code), int(whole.count()))
            _report(table, column, cells, where, code)
            kind = np.array([cell.kind for cell in cells])[code]
            rank[where] = np.array([cell.rank for cell in cells])[code]
            unplaced[where], absent[where] = kind == _WORD, kind == _ABSENT
    for words, mask in ((table.choices.unplaced, unplaced), (table.choices.absent, absent)):
        mask |= np.isin(rank, [float(word) for word in words if re.fullmatch(r"[+-]?\d+(\.\d+)?", word.strip())])
    rank[unplaced | absent] = nan
    _note_zeros(table, column, rank)
    return Places(rank, unplaced, absent)


def words(table: Table, column: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell where a column of scores or times has a word for who did not finish, and for who did not take part."""
    import polars as pl

    unplaced, absent = np.zeros(len(table.frame), bool), np.zeros(len(table.frame), bool)
    if table.frame[column].dtype != pl.String:
        return unplaced, absent
    text = text_of(table, column)
    where = np.flatnonzero((text.cast(pl.Float64, strict=False).is_null() & text.is_not_null()).to_numpy())
    if len(where):
        code, different = intern(text.gather(where))
        cells = _cells(table, different.to_list(), np.bincount(code), 0, guess=False)
        _note_words(table, column, cells)
        kind = np.array([cell.kind for cell in cells])[code]
        unplaced[where], absent[where] = kind == _WORD, kind == _ABSENT
    return unplaced, absent


@dataclass(frozen=True)
class _Cell:
    """One of the different cells of a column that are no plain numbers."""

    text: str
    count: int
    kind: int
    rank: float = nan
    word: str = ""


def _cells(table: Table, texts: list[str], counts: NDArray[Any], plain: int, guess: bool = True) -> list[_Cell]:
    """Read the different cells; words that nobody knows stand for those without a place if they come up again.

    That is so as long as most rows have a place, or a word that is known: a column of "goalkeeper" and "striker" is
    something else.
    """
    absent, unplaced = ({_key(word) for word in words} for words in (table.choices.absent, table.choices.unplaced))
    keys = {_key(text) for text in texts}
    rounds = {"sf", "qf"} <= keys or {"w", "f"} <= keys
    cells = [
        _cell(text, int(n), absent, unplaced, rounds, table.choices.decimal)
        for text, n in zip(texts, counts, strict=True)
    ]
    read = plain + sum(cell.count for cell in cells if cell.kind in (_PLACE, _WORD, _ABSENT))
    if not guess or read < sum(cell.count for cell in cells if cell.kind == _WRONG):
        return cells
    repeated = [cell.kind == _WRONG and cell.count > 1 and _is_word(cell.text) for cell in cells]
    return [
        _Cell(cell.text, cell.count, _WORD, word=cell.text) if new else cell
        for cell, new in zip(cells, repeated, strict=True)
    ]


def _cell(text: str, count: int, absent: Set[str], unplaced: Set[str], rounds: bool, decimal: str | None) -> _Cell:
    """Read a cell: what the user said of words comes first, then places, then the words that everybody uses."""
    key = _key(text)
    if key in absent or key in unplaced:
        return _Cell(text, count, _ABSENT if key in absent else _WORD, word=text)
    if text.casefold() in MISSING:
        return _Cell(text, count, _EMPTY)
    rank = ROUNDS.get(key) if rounds else None
    rank = _place(text, decimal) if rank is None else rank
    if rank is not None:
        return _Cell(text, count, _PLACE, rank)
    if text.startswith("#"):  # an error of a spreadsheet, such as #REF!
        return _Cell(text, count, _WRONG)
    head = re.match(r"[^\s(:,+0-9]{2,}", text)  # DNF (engine)
    for word in (text, head[0] if head else text):
        if _key(word) in absent:
            return _Cell(text, count, _ABSENT, word=word)
        if _key(word) in unplaced or _key(word) in UNPLACED:
            return _Cell(text, count, _WORD, word=word)
    return _Cell(text, count, _WRONG)


def _key(text: str) -> str:
    """Spell a word in the one way in which words are compared; signs and numbers stay as they are."""
    return plain_name(text) if any(letter.isalpha() for letter in text) else plain_text(text)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    suffix = r"(?:\.|st|nd|rd|th|[oaº°ª]|er|i?[eè]re|e|[eè]me|n?de|ste|:[ae]|-?[йяе])?\.?"
    single = re.compile(
        r"(?:p|pos\.?|place|rank|no\.?|n[º°]|№|#)? ?(?:(?:t|tied|joint|eq\.?)[ -]?|= ?)?"
        rf"(\d{{1,9}}(?:[.,]\d+)?) ?{suffix}(?: (?:place|platz|of \d+))? ?(?:t|tied?|=|eq\.?|\(tied?\)|\(t\))?"
    )
    return single, re.compile(rf"(?:t|=)?(\d{{1,9}}) ?{suffix} ?(?:-|to|bis) ?(\d{{1,9}}) ?{suffix}")


def _place(text: str, decimal: str | None) -> float | None:
    """Read a place, or the mean of places that are shared."""
    single, shared = (pattern.fullmatch(plain_text(text).casefold()) for pattern in _patterns())
    if single:
        number = numeral(single[1])
        return None if number is None else number.value(decimal)
    if shared and int(shared[1]) <= int(shared[2]):
        return (int(shared[1]) + int(shared[2])) / 2
    return PLACES.get(plain_name(text))


def _is_word(text: str) -> bool:
    return any(map(str.isalpha, text)) and not any(map(str.isdigit, text))


def _report(table: Table, column: str, cells: list[_Cell], where: NDArray[np.intp], code: NDArray[np.int32]) -> None:
    """Note how many have words instead of places, and note what cannot be read as problems."""
    wrong = np.flatnonzero(np.array([cell.kind == _WRONG for cell in cells])[code])
    if len(wrong):
        table.reject(where[wrong], column, lambda index: _right(cells[code[wrong[index]]].text))
    _note_words(table, column, cells)


def _note_words(table: Table, column: str, cells: list[_Cell]) -> None:
    """Say how many have words instead of places, and how to leave out who did not take part."""
    counts = Counter[str]()
    spelled: dict[str, str] = {}
    for cell in cells:
        if cell.kind == _WORD:
            counts[spelled.setdefault(_key(cell.word), cell.word)] += cell.count
    if not counts:
        return
    listed = ", ".join(f"{word} {count:,}" for word, count in counts.most_common(_SHOWN))
    listed += ", …" if len(counts) > _SHOWN else ""
    idle = [word for word in counts if _key(word) in DID_NOT_START]
    leave = tuple(idle[:_SHOWN]) or (counts.most_common(1)[0][0],)
    table.note(
        "words-for-places",
        f"{column}: {counts.total():,} of {len(table.frame):,} entries have a word instead of a place ({listed}): they"
        " share the last place of their match; ",
        Option("absent", leave),
        f" leaves {'those' if len(counts) > 1 else 'them'} out",
        column=column,
        number=counts.total(),
    )


def _right(text: str) -> Message:
    if _is_word(text):
        return "a place is needed; ", Option("unplaced", (text,)), " ranks it last"
    return "a place is needed, such as 1, or a word such as DNF"


def _note_zeros(table: Table, column: str, rank: Floats) -> None:
    """Say that 0 counts as a place before 1: some files mean the first by it, and some those who have no place."""
    for low in (0.0, -1.0):
        often = int((rank == low).sum())
        if often and (rank >= 1).any():
            text = f"{column}: {low:g} counts as better than 1 ({count(often, 'row', 'rows')}); "
            last = Option("unplaced", (f"{low:g}",))
            table.note("places-below-1", text, last, " ranks it last", column=column, number=often)


_CLOCK = re.compile(r"\+?(?:(?:(\d+)[:h]\s*)?(\d{1,3})[:m']\s*)?(\d{1,6}(?:[.,]\d+)?)\s*(?:s|sec|''|\")?")


def seconds(text: str) -> float:
    """Give the seconds of a time that was taken, NaN for what is none.

    >>> seconds("1:02:45.5"), seconds("59,87"), seconds("DNF")
    (3765.5, 59.87, nan)
    """
    clock = _CLOCK.fullmatch(text.strip())
    if clock is None:
        return np.nan
    hours, minutes, rest = (float((part or "0").replace(",", ".")) for part in clock.groups())
    return 3600 * hours + 60 * minutes + rest


def durations(table: Table, column: str) -> Places:
    """Read a column of times taken, in seconds, as what ranks them; who has a word, or nothing, did not finish."""
    import polars as pl

    series = table.frame[column]
    if series.dtype.is_numeric():
        nobody = np.zeros(len(series), bool)
        return Places(series.cast(pl.Float64).fill_null(float("nan")).to_numpy(), nobody, nobody)
    text = text_of(table, column)
    empty = text.is_null().to_numpy()
    code, different = intern(text.fill_null(""))
    taken = np.array([seconds(cell) for cell in different], np.float64)[code]
    unplaced, absent = words(table, column)
    read = ~np.isnan(taken) | unplaced | absent | empty
    table.require(pl.Series(read), column, "a time such as 1:02:45.3 is needed")
    if empty.any():
        number = int(empty.sum())
        shared = f"{count(number, 'entry shares', 'entries share')} the last place of the match"
        table.note("missing-durations", f"no time in column {column!r}: {shared}", column=column, number=number)
    return Places(taken, unplaced, absent)

"""Read cells that rank players: places such as 1st, T3 or gold, words such as DNF, and times such as 1:02:45."""

import re
from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, replace
from functools import cache
from math import nan
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import Option
from ...text import count
from ..names.spelling import plain_name
from ..ragged import Floats
from ..read_context import Message, Table
from .numbers import numeral
from .text import intern, plain_text, text_of
from .words import DID_NOT_START, MISSING, PLACES, ROUNDS, UNPLACED

if TYPE_CHECKING:
    import polars as pl

_PLACE, _WORD, _ABSENT, _EMPTY, _WRONG = range(5)
_SHOWN = 8  # number of words listed in a remark


@dataclass(frozen=True)
class Places:
    """The rank in each row of a place column; NaN if the cell is empty or holds a word such as DNF.

    Players who are `unplaced` took part and share the last place of their match. Players who are `absent` did not take
    part. All other players without a rank have an empty cell.
    """

    rank: Floats
    unplaced: NDArray[np.bool_]
    absent: NDArray[np.bool_]


def ranks(table: Table, column: str) -> Places:
    """Read a column as places.

    Words such as DNF are accepted in place of a number, and a remark counts them. Any other cell that is not empty and
    not a place is reported as a problem.

    >>> import polars as pl
    >>> cells = Table(pl.DataFrame({"place": ["1st", "T2", "5-8", "DNF"]}), "cells")
    >>> places = ranks(cells, "place")
    >>> places.rank, places.unplaced
    (array([1. , 2. , 6.5, nan]), array([False, False, False,  True]))
    """
    import polars as pl

    series = table.frame[column]
    kind = np.full(len(series), _EMPTY)
    if series.dtype.is_numeric() or series.dtype == pl.Null:
        rank = series.cast(pl.Float64).fill_null(nan).to_numpy().copy()
    else:
        text = text_of(table, column)
        whole = text.cast(pl.Int64, strict=False).cast(pl.Float64)
        rank = whole.fill_null(nan).to_numpy().copy()
        where = np.flatnonzero((whole.is_null() & text.is_not_null()).to_numpy())
        kind[where], rank[where] = _read_cells(table, column, text.gather(where), int(whole.count()))
        wrong = np.flatnonzero(kind == _WRONG)
        table.reject(wrong, column, lambda index: _right(text[int(wrong[index])]))
    unplaced, absent = kind == _WORD, kind == _ABSENT
    for words, mask in ((table.choices.unplaced, unplaced), (table.choices.absent, absent)):
        mask |= np.isin(rank, [float(word) for word in words if re.fullmatch(r"[+-]?\d+(\.\d+)?", word.strip())])
    rank[unplaced | absent] = nan
    # 0 ranks before 1. A remark mentions this, because 0 means the first place in some files and no place in others.
    for low in np.unique(rank[rank < 1])[:_SHOWN]:
        rows = int((rank == low).sum())
        if (rank >= 1).any():
            text_before = f"{column}: place {low:g} is read as better than place 1 ({count(rows, 'row', 'rows')}); use "
            last = Option("unplaced", (f"{low:g}",))
            table.note("places-below-1", text_before, last, " to rank it last", column=column, number=rows)
    return Places(rank, unplaced, absent)


def word_masks(table: Table, column: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return two masks of rows: cells that mean "did not finish", and cells that mean "did not take part"."""
    import polars as pl

    kind = np.full(len(table.frame), _EMPTY)
    if table.frame[column].dtype == pl.String:
        text = text_of(table, column)
        where = np.flatnonzero((text.cast(pl.Float64, strict=False).is_null() & text.is_not_null()).to_numpy())
        kind[where] = _read_cells(table, column, text.gather(where), None)[0]
    return kind == _WORD, kind == _ABSENT


@dataclass(frozen=True)
class _Cell:
    """A distinct cell of a place column that is not a plain number."""

    text: str
    count: int
    kind: int
    rank: float = nan
    word: str = ""


def _read_cells(
    table: Table, column: str, text: "pl.Series", places: int | None
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the kind and rank of the cells that are not plain numbers; `places` is the number of plain numbers.

    If most rows have a place or a known word, an unknown word that occurs repeatedly marks players without a place. In
    other columns, such as a column with "goalkeeper" and "striker", unknown words are problems. If `places` is None,
    unknown words are always problems.
    """
    code, distinct = intern(text)
    absent, unplaced = ({_key(word) for word in words} for words in (table.choices.absent, table.choices.unplaced))
    keys = {_key(cell) for cell in distinct}
    rounds = {"sf", "qf"} <= keys or {"w", "f"} <= keys
    cells = [
        _Cell(cell, number, *_classify(cell, absent, unplaced, rounds, table.choices.decimal))
        for cell, number in zip(distinct, np.bincount(code).tolist(), strict=True)
    ]
    unread = sum(cell.count for cell in cells if cell.kind == _WRONG)
    if places is not None and places + sum(cell.count for cell in cells if cell.kind < _EMPTY) >= unread:
        for index, cell in enumerate(cells):
            if cell.kind == _WRONG and cell.count > 1 and _is_word(cell.text):
                cells[index] = replace(cell, kind=_WORD, word=cell.text)
    _note_words(table, column, cells)
    return np.array([cell.kind for cell in cells], int)[code], np.array([cell.rank for cell in cells], float)[code]


def _classify(
    text: str, absent: Set[str], unplaced: Set[str], rounds: bool, decimal: str | None
) -> tuple[int, float, str]:
    # The user's words are tried first, then places, then the usual words.
    key = _key(text)
    if key in absent or key in unplaced:
        return _ABSENT if key in absent else _WORD, nan, text
    if text.casefold() in MISSING:
        return _EMPTY, nan, ""
    rank = ROUNDS.get(key) if rounds else None
    rank = _place(text, decimal) if rank is None else rank
    if rank is not None:
        return _PLACE, rank, ""
    # the word in a cell such as DNF (engine), or 6 DNF
    head = re.match(r"(?:\(?\d+(?:[.,]\d+)? ?(?=[A-Z]{3}\)?$))?([^\s(:,+0-9)]{2,})", text)
    for word in () if text.startswith("#") else (text, head[1] if head else text):  # #REF! is an error, not a word
        key = _key(word)
        if key in absent or (key in DID_NOT_START and key not in unplaced):
            return _ABSENT, nan, word
        if key in unplaced or key in UNPLACED:
            return _WORD, nan, word
    return _WRONG, nan, ""


def _key(text: str) -> str:
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
    # A range of shared places counts as its mean.
    single, shared = (pattern.fullmatch(plain_text(text).casefold()) for pattern in _patterns())
    if single:
        number = numeral(single[1])
        return None if number is None else number.value(decimal)
    if shared and int(shared[1]) <= int(shared[2]):
        return (int(shared[1]) + int(shared[2])) / 2
    return PLACES.get(plain_name(text))


def _is_word(text: str) -> bool:
    return any(map(str.isalpha, text)) and not any(map(str.isdigit, text))


def _note_words(table: Table, column: str, cells: list[_Cell]) -> None:
    counts = Counter[str]()
    spelled: dict[str, str] = {}
    for cell in cells:
        if cell.kind == _WORD:
            counts[spelled.setdefault(_key(cell.word), cell.word)] += cell.count
    if not counts:
        return
    listed = ", ".join(f"{word} {number:,}" for word, number in counts.most_common(_SHOWN))
    listed += ", …" * (len(counts) > _SHOWN)
    common, number = counts.most_common(1)[0][0], counts.total()
    text = f"{column}: entries with a word instead of a place share the last place of their match: {number:,} of"
    text += f" {len(table.frame):,} ({listed}); use "
    more = f" to leave {'them' if len(counts) == 1 else common} out"
    table.note("words-for-places", text, Option("absent", (common,)), more, column=column, number=number)


def _right(text: str) -> Message:
    if _is_word(text):
        return "this is not a place; use ", Option("unplaced", (text,)), " to rank it last"
    return "this is not a place; write a place such as 1, or a word such as DNF"


_HOUR, _MINUTE = r"(?:h|hrs?\.?|hours?|std\.?|stunden?|ч)", r"(?:[:'′]|m|mins?\.?|minut(?:es?|en?)|мин\.?)"
_CLOCK = re.compile(
    rf"(?P<gap>\+ ?)?(?:(?P<hours>\d+) ?(?:{_HOUR}|:(?=\d+ ?[:'′])) ?)?(?:(?P<minutes>\d{{1,3}}) ?{_MINUTE} ?)?"
    r"(?:(?P<seconds>\d{1,6}(?:[.,]\d+)?) ?"
    r"(?P<unit>s|secs?\.?|seconds?|sek\.?|sekunden?|с|сек\.?|''|[\"″”](?P<tenths>\d*))?)?"
    r"(?: (?:h|min\.?|std\.?))?"
)
_METRES = re.compile(r"\d+ ?m")
_LAPS = re.compile(r"\+ ?(\d+) ?(?:laps?|runden?|tours?|vueltas?|gir[io]|voltas?|l)\.?")
_GAP = 1e7  # seconds; a gap such as +0:12 comes after the time of the winner, and +1 lap after that
_DECIDE = 1000  # number of cells that decide whether a column holds durations


def seconds(text: str) -> float:
    """Return a measured time in seconds; NaN if the text is not a time.

    A gap to the winner, such as +0:12, comes after every time without a plus sign.

    >>> seconds("1:02:45.5"), seconds("59,87"), seconds("1h 00m 23s"), seconds("12'03''"), seconds("DNF")
    (3765.5, 59.87, 3623.0, 723.0, nan)
    """
    plain = plain_text(text).casefold()
    if behind := _LAPS.fullmatch(plain):
        return _GAP * (1 + int(behind[1]))
    clock = _CLOCK.fullmatch(plain)
    if clock is None or not (clock["hours"] or clock["minutes"] or clock["seconds"]) or _METRES.fullmatch(plain):
        return nan
    hours, minutes, rest = (float((clock[part] or "0").replace(",", ".")) for part in ("hours", "minutes", "seconds"))
    if clock["hours"] and not clock["minutes"] and not clock["unit"]:  # 1h02
        minutes, rest = rest, 0.0
    return (_GAP if clock["gap"] else 0.0) + 3600 * hours + 60 * minutes + rest + float(f"0.{clock['tenths'] or 0}")


def are_durations(cells: "pl.Series") -> bool:
    """Return whether texts are measured times: some have minutes and seconds, and nearly all others are times, too.

    >>> import polars as pl
    >>> are_durations(pl.Series(["59.8", "1:02.3", "DNF"])), are_durations(pl.Series(["59.8", "62.3"]))
    (True, False)
    """
    cells = cells.drop_nulls().head(_DECIDE).unique()
    if not cells.str.contains(r"\d *[:hmH′'ч]|\d *(?i:min|std|мин)").any():
        return False
    with_digits = cells.filter(cells.str.contains(r"\d"))
    read = sum(seconds(cell) == seconds(cell) for cell in with_digits)
    two_parts = with_digits.str.contains(r"\d.*?[:hmH′'ч].*?\d\d?(?:\D|$)").sum()
    return bool(read >= 0.9 * len(with_digits)) and bool(two_parts)


def durations(table: Table, column: str) -> Places:
    """Read a column of measured times; `rank` of the returned places is the time in seconds.

    The time is NaN if a cell is empty or holds a word such as DNF. Other cells that are not times are reported as
    problems.
    """
    import polars as pl

    series = table.frame[column]
    if series.dtype.is_numeric():
        nobody = np.zeros(len(series), bool)
        return Places(series.cast(pl.Float64).fill_null(nan).to_numpy(), nobody, nobody)
    text = text_of(table, column)
    empty = text.fill_null("").str.to_lowercase().is_in(list(MISSING)).to_numpy()
    code, different = intern(text.fill_null(""))
    taken = np.array([seconds(cell) for cell in different], np.float64)[code]
    unplaced, absent = word_masks(table, column)
    read = ~np.isnan(taken) | unplaced | absent | empty
    table.require(pl.Series(read), column, "this is not a time; write a time such as 1:02:45.3")
    if empty.any():
        number = int(empty.sum())
        words = "entry, which shares the last place of its match", "entries, which share the last place of their match"
        message = f"column {column!r} is empty in {count(number, *words)}"
        table.note("missing-durations", message, column=column, number=number)
    return Places(taken, unplaced, absent)

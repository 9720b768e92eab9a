"""Reading cells as places: 1, 1st, T3, =3, 5-8, gold, and words such as DNF for those who have none."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .aliases import DID_NOT_START, MISSING, PLACES, ROUNDS, UNPLACED
from .layout import plain_name
from .ragged import Floats
from .table import Table
from .text import intern, plain_text, text_of

if TYPE_CHECKING:
    pass

__all__ = ["Places", "ranks"]

_SUFFIX = r"(?:\.|st|nd|rd|th|[oaº°ª]|er|re|ère|e|è|eme|ème|nde?|de|ste|:[ae]|-?[йяе])?\.?"
_ONE = re.compile(
    r"(?:p|pos|pos\.|place|rank|no\.?|n[º°]|№|#)?\s*(?:t|tied|joint|=|eq\.?)?[\s-]*"
    rf"(\d+(?:[.,]\d+)?)\s*{_SUFFIX}(?:\s*(?:place|platz|of\s+\d+))?\s*(?:t|tied?|=|eq\.?|\(tied?\)|\(t\))?"
)
_SHARED = re.compile(rf"(?:t|=)?(\d+)\s*{_SUFFIX}\s*(?:-|to|bis)\s*(\d+)\s*{_SUFFIX}")
_FIRST_WORD = re.compile(r"[^\s(:,+0-9]+")


@dataclass(frozen=True)
class Places:
    """The rank in each row, and who has none: NaN where a cell is empty or a word.

    Those `unplaced` took part and share the last place of their match; those `absent` did not take part.
    """

    rank: Floats
    unplaced: NDArray[np.bool_]
    absent: NDArray[np.bool_]


def ranks(table: Table, column: str) -> Places:
    """Read a column as places; how many have a word instead is noted, and what is neither is a problem."""
    import polars as pl

    size = len(table.frame)
    nobody = np.zeros(size, bool)
    series = table.frame[column]
    if series.dtype.is_numeric() or series.dtype == pl.Null:
        rank = series.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        _note_zeros(table, column, rank)
        return Places(rank, nobody, nobody)
    text = text_of(table, column)
    whole = text.cast(pl.Int64, strict=False)
    words = {plain_name(word) for word in (*table.choices.unplaced, *table.choices.absent)}
    if any(word.isdigit() for word in words):  # such as unplaced=('0',)
        whole = whole.set(text.is_in(list(words)), None)
    rank = whole.cast(pl.Float64).fill_null(float("nan")).to_numpy().copy()
    where = np.flatnonzero((whole.is_null() & text.is_not_null()).to_numpy())
    unplaced, absent = nobody.copy(), nobody.copy()
    if len(where):
        code, different = intern(text.gather(where))
        cells = _Cells(
            table, column, different.to_list(), np.bincount(code, minlength=len(different)), size - len(where)
        )
        rank[where] = cells.rank[code]
        unplaced[where], absent[where] = cells.unplaced[code], cells.absent[code]
        cells.report(where, code, size)
    _note_zeros(table, column, rank)
    return Places(rank, unplaced, absent)


class _Cells:
    """The different cells of a column that are no plain numbers."""

    def __init__(self, table: Table, column: str, cells: list[str], counts: NDArray[np.intp], plain: int) -> None:
        """Read each of them; `plain` is how many rows hold plain numbers."""
        self.table, self.column, self.cells, self.counts = table, column, cells, counts
        absent = {plain_name(word) for word in table.choices.absent}
        unplaced = {plain_name(word) for word in table.choices.unplaced}
        said = [plain_name(cell) for cell in cells]
        rounds = {"sf", "qf"} <= set(said) or {"w", "f"} <= set(said)
        read = [
            None if word in absent | unplaced else _place(cell, rounds) for cell, word in zip(cells, said, strict=True)
        ]
        self.rank = np.array([np.nan if one is None else one for one in read])
        self.word = [
            _word(cell, absent | unplaced | UNPLACED) if one is None else ""
            for cell, one in zip(cells, read, strict=True)
        ]
        self.empty = np.array([cell.casefold() in MISSING for cell in cells]) & ~np.array(
            [w in absent | unplaced for w in said]
        )
        self.absent = np.array([plain_name(word) in absent for word in self.word])
        known = np.array([bool(word) for word in self.word])
        placed = ~np.isnan(self.rank)
        usual = plain + counts[(placed | known) & ~self.empty].sum() >= counts[~(placed | known | self.empty)].sum()
        repeated = np.array([usual and count > 1 and _is_word(cell) for cell, count in zip(cells, counts, strict=True)])
        self.guessed = repeated & ~(placed | known | self.empty)
        self.word = [cell if guess else word for cell, word, guess in zip(cells, self.word, self.guessed, strict=True)]
        self.unplaced = (known | self.guessed) & ~self.absent & ~self.empty
        self.wrong = ~(placed | known | self.guessed | self.empty)

    def report(self, where: NDArray[np.intp], code: NDArray[np.int32], size: int) -> None:
        """Note the words, and the cells that cannot be read as problems."""
        wrong = np.flatnonzero(self.wrong[code])
        if len(wrong):
            self.table.reject(where[wrong], self.column, lambda index: _right(self.cells[code[wrong[index]]]))
        counts = Counter[str]()
        for word, unplaced, count in zip(self.word, self.unplaced, self.counts, strict=True):
            if unplaced:
                counts[word] += int(count)
        if counts:
            self.table.note(_note(self.column, counts, size))
        out = int(self.counts[self.absent].sum())
        if out:
            words = ", ".join(sorted({word for word, gone in zip(self.word, self.absent, strict=True) if gone}))
            self.table.note(f"{self.column}: {out:,} of {size:,} entries did not take part ({words})")


def _note(column: str, counts: Counter[str], size: int) -> str:
    listed = [f"{word} {count:,}" for word, count in counts.most_common(8)]
    more = ", …" if len(counts) > 8 else ""
    idle = [word for word in counts if plain_name(word) in DID_NOT_START] or [next(iter(counts))]
    leaves = f"`absent={tuple(idle[:8])!r}` leaves {'those' if len(idle) > 1 else 'these'} out"
    return (
        f"{column}: {counts.total():,} of {size:,} entries have a word instead of a place ({', '.join(listed)}{more}):"
        f" they share the last place of their match; {leaves}"
    )


def _note_zeros(table: Table, column: str, rank: Floats) -> None:
    """Say that 0 and less count as places before 1: files use them for the first, and for those who have no place."""
    low = rank[rank <= 0]
    if len(low) and (rank >= 1).any():
        shown = f"{low.max():g}"
        table.note(
            f"{column}: {shown} stands {len(low):,} times and counts as better than 1; `unplaced=({shown!r},)` ranks it last"
        )


def _place(cell: str, rounds: bool) -> float | None:
    """Read a place; the rounds of a tournament stand for the mean of the places of those who reached them."""
    text = plain_text(cell).casefold()
    if one := _ONE.fullmatch(text):
        return float(one[1].replace(",", "."))
    if (shared := _SHARED.fullmatch(text)) and int(shared[1]) <= int(shared[2]):
        return (int(shared[1]) + int(shared[2])) / 2
    word = plain_name(text)
    return ROUNDS.get(word) if rounds and word in ROUNDS else PLACES.get(word)


def _word(cell: str, known: frozenset[str] | set[str]) -> str:
    """Give the word for who has no place: the cell, or its first word, as in "DNF (engine)"."""
    if plain_name(cell) in known:
        return cell
    first = _FIRST_WORD.match(cell)
    return first[0] if first is not None and plain_name(first[0]) in known and len(first[0]) > 1 else ""


def _is_word(cell: str) -> bool:
    return any(letter.isalpha() for letter in cell) and not any(letter.isdigit() for letter in cell)


def _right(cell: str) -> str:
    if _is_word(cell):
        return f"a place is needed; `unplaced=({cell!r},)` ranks it last"
    return "a place is needed, such as 1, or a word such as DNF"

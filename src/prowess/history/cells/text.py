"""The text of cells: columns as text, their distinct values, and one way to write digits, blanks and signs."""

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..ragged import Ints
from ..read_context import Message, Table
from .hash_table import numbered

if TYPE_CHECKING:
    import polars as pl

_SIGNS = {
    **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
    **dict.fromkeys("\u00a0\u2007\u2009\u202f\u3000\t", " "),
    **dict.fromkeys("\u200b\u200c\u200d\u200e\u200f\u2060\ufeff", ""),
    **dict.fromkeys("’‘ʼ´`＇", "'"),
    **{full: chr(ord(full) - 0xFEE0) for full in "．，：；／（）［］＋％＝＃＊＆｜｛｝"},
    "⁄": "/",
    "⁺": "+",
}
_LETTERS = str.maketrans(_SIGNS)


def intern(text: "pl.Series") -> tuple[Ints, "pl.Series"]:
    """Give for each value the number of its first appearance among the different values, and those values.

    Texts are told apart by their hashes, which is several times as fast, and then compared with what was found.
    """
    if text.is_empty():
        return np.zeros(0, np.int32), text
    codes, first = numbered(np.ascontiguousarray(text.hash().to_numpy()))
    different = text[first]  # an index costs a quarter of `gather`, which goes by a query
    restored = different[codes]
    if restored.null_count() != text.null_count() or not (text == restored).all():  # two texts with one hash
        return _interned(text)
    return codes, different


def _interned(text: "pl.Series") -> tuple[Ints, "pl.Series"]:
    """The same without hashes."""
    import polars as pl

    different = text.unique(maintain_order=True)
    numbers = pl.Series(np.arange(len(different), dtype=np.int32))
    return text.replace_strict(different, numbers, return_dtype=pl.Int32).to_numpy(), different


def text_of(table: Table, column: str) -> "pl.Series":
    """Read a column as text without blanks around it, null where a cell is empty."""
    import polars as pl

    series = table.frame[column]
    if series.dtype.is_nested() or series.dtype in (pl.Object, pl.Binary, pl.Duration):
        raise table.kind_error(column, "text or numbers are needed, one in a cell")
    text = series.cast(pl.String).str.strip_chars()
    blank = text == ""
    return text.set(blank, None) if blank.any() else text


def plain_text(cell: str) -> str:
    """Write digits, blanks, dashes and fractions in one way, and drop marks of footnotes.

    >>> plain_text("３–１*"), plain_text("2½"), plain_text("−٣"), plain_text("1\u00a0234 [a]")
    ('3-1', '2 1/2', '-3', '1 234')
    """
    if not cell.isascii():
        cell = "".join(map(_plain_letter, cell.translate(_LETTERS)))
    cell = " ".join(cell.split())
    if cell.endswith(("*", "†", "‡", "]")):
        cell = _without_footnote(cell)
    return cell


def _without_footnote(cell: str) -> str:
    """Drop what points to a footnote, as in 3* and 3 [a]; what is nothing else stays."""
    rest = cell
    while rest.endswith(("*", "†", "‡")):
        rest = rest[:-1].rstrip()
    head, bracket, tail = rest.rpartition("[")
    if bracket and len(tail) in (2, 3) and tail.endswith("]") and tail[:-1].isalnum():
        rest = head.rstrip()
    return rest or cell


def _plain_letter(letter: str) -> str:
    if letter < "\x80":
        return letter
    digit = unicodedata.decimal(letter, None)
    if digit is not None:
        return str(digit)
    if unicodedata.category(letter) == "No":  # ½ is "1⁄2" when it is taken apart; ² is no fraction, and stays
        apart = unicodedata.normalize("NFKD", letter)
        return f" {apart.replace('⁄', '/')}" if "⁄" in apart else letter
    return letter


@dataclass
class DistinctValues:
    """The different values of a column, or all of them where most differ, and which of them each row holds."""

    table: Table
    column: str
    values: "pl.Series"
    code: Ints | None

    @classmethod
    def of(cls, table: Table, column: str, series: "pl.Series") -> "DistinctValues":
        """Find the different values, if there are fewer than half as many as rows."""
        if len(series) and 2 * int(series.approx_n_unique()) > len(series):  # type: ignore[arg-type]
            return cls(table, column, series, None)
        code, values = intern(series)
        return cls(table, column, values, code)

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Give each row what was found for its value."""
        return values if self.code is None else values[self.code]

    @cached_property
    def weight(self) -> NDArray[np.intp]:
        """Count the rows of each value."""
        if self.code is None:
            return np.ones(len(self.values), np.intp)
        return np.bincount(self.code, minlength=len(self.values))

    def count(self, which: NDArray[np.bool_]) -> int:
        """Count the rows of some of the values."""
        return int(self.weight[which].sum())

    def first_row(self, which: NDArray[np.bool_]) -> int:
        """Give the first row that holds one of some values."""
        return int(np.argmax(self.spread(which)))

    def reject(self, which: NDArray[np.bool_], right: Message) -> None:
        """Note a problem with each row of some of the values."""
        if which.any():
            self.table.reject(np.flatnonzero(self.spread(which)), self.column, right)

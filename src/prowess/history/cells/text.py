"""Read the cells of a column as text, names, or yes and no; find distinct values; normalise digits and signs."""

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..ragged import Ints
from ..read_context import Message, Table
from .hash_table import numbered
from .words import FALSE, TRUE

if TYPE_CHECKING:
    import polars as pl

_FILL_IN = "fill it in, or drop the row"
_LETTERS = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        **dict.fromkeys("\u00a0\u2007\u2009\u202f\u3000\t", " "),
        **dict.fromkeys("\u200b\u200c\u200d\u200e\u200f\u2060\ufeff", ""),
        **dict.fromkeys("’‘ʼ´`＇", "'"),
        **{full: chr(ord(full) - 0xFEE0) for full in "．，：；／（）［］＋％＝＃＊＆｜｛｝"},
        "⁄": "/",
        "⁺": "+",
    }
)


# Invisible characters: zero-width spaces, direction marks, soft hyphens and byte order marks.
_APOSTROPHES = "[’‘ʼ´＇]"
_INVISIBLE = "[\u00ad\u200b\u200e\u200f\u2060\ufeff]"


def intern(text: "pl.Series") -> tuple[Ints, "pl.Series"]:
    """Return the index of each value among the distinct values, and the distinct values in order of appearance.

    Texts are compared by their hashes, which is several times faster. A final check compares the texts themselves.
    """
    import polars as pl

    if text.is_empty():
        return np.zeros(0, np.int32), text
    codes, first = numbered(np.ascontiguousarray(text.hash().to_numpy()))
    different = text[first]  # four times as fast as `gather`
    restored = different[codes]
    if restored.null_count() == text.null_count() and (text == restored).all():
        return codes, different
    different = text.unique(maintain_order=True)  # two texts have the same hash
    numbers = pl.Series(np.arange(len(different), dtype=np.int32))
    return text.replace_strict(different, numbers, return_dtype=pl.Int32).to_numpy(), different


def without_invisible(text: "pl.Series") -> "pl.Series":
    """Return texts without invisible characters."""
    if (text.str.len_bytes() == text.str.len_chars()).all():
        return text
    return text.str.replace_all(_INVISIBLE, "")


def clean_names(names: "pl.Series") -> "pl.Series":
    """Normalise names that look the same: compose accents, and remove doubled spaces and invisible characters.

    >>> import polars as pl
    >>> clean_names(pl.Series(["Ann\u00a0 Lee", "Ann\u00a0Lee", "Jose\u0301", "Bob\u200b"])).to_list()
    ['Ann Lee', 'Ann Lee', 'José', 'Bob']
    """
    if (names.str.len_bytes() != names.str.len_chars()).any():
        names = without_invisible(names.str.normalize("NFC"))
    elif not names.str.contains(r"\s\s").any():
        return names
    return names.str.replace_all(r"\s{2,}|\p{Zs}", " ").str.strip_chars()


def _unify_apostrophes(names: "pl.Series") -> "pl.Series":
    """Return names with straight apostrophes, if a name occurs with several kinds of apostrophes.

    >>> import polars as pl
    >>> _unify_apostrophes(pl.Series(["D'Angelo", "D’Angelo", "O’Hara"])).to_list()
    ["D'Angelo", "D'Angelo", 'O’Hara']
    """
    import polars as pl

    if not names.str.contains(_APOSTROPHES).any():
        return names
    frame = pl.DataFrame({"name": names, "plain": names.str.replace_all(_APOSTROPHES, "'")})
    several = pl.col("name").n_unique().over("plain") > 1
    return frame.select(pl.when(several).then("plain").otherwise("name")).to_series()


def intern_clean(names: "pl.Series") -> tuple[Ints, "pl.Series"]:
    """Return each name's index among the distinct names, and the distinct names. Names that look the same are one name.

    Doubled spaces in a name are kept if every spelling of the name has them.
    """
    import polars as pl

    code, spelt = intern(names)
    clean = clean_names(spelt)
    if clean is spelt:
        return code, spelt
    seen = without_invisible(spelt.str.normalize("NFC")).str.replace_all(r"\p{Zs}", " ").str.strip_chars()
    frame = pl.DataFrame({"seen": seen, "clean": clean})
    several = pl.col("seen").n_unique().over("clean") > 1
    unique = frame.select(pl.when(several).then("clean").otherwise("seen")).to_series()
    same, different = intern(_unify_apostrophes(unique))
    return same[code], different


def text_of(table: Table, column: str) -> "pl.Series":
    """Read a column as stripped text; null if a cell is empty."""
    import polars as pl

    series = table.frame[column]
    if series.dtype.is_nested() or series.dtype in (pl.Object, pl.Binary, pl.Duration):
        raise table.kind_error(column, "each cell must hold one text or number")
    text = series.cast(pl.String).str.strip_chars()
    blank = text == ""
    return text.set(blank, None) if blank.any() else text


def labels(table: Table, column: str) -> "pl.Series":
    """Read a column as text that identifies matches or teams; an empty cell is a problem."""
    text = text_of(table, column)
    if not text.has_nulls():
        return text
    table.require(text.is_not_null(), column, _FILL_IN)
    return text.fill_null("")


def check_names(table: Table, column: str, kind: "pl.DataType") -> None:
    """Raise `Error` if the type of a column cannot hold names."""
    import polars as pl

    if kind.is_float():
        raise table.kind_error(column, "names must be text or whole numbers (a float cannot hold ids of 16 digits)")
    if not (kind in (pl.String, pl.Categorical, pl.Enum, pl.Null) or kind.is_integer()):
        raise table.kind_error(column, "names must be text or whole numbers")


def names(table: Table, column: str) -> "pl.Series":
    """Read a column as players' names, which are text or whole numbers; an empty cell is a problem."""
    check_names(table, column, table.frame[column].dtype)
    return labels(table, column)


def intern_names(table: Table, columns: list[str]) -> tuple[Ints, "pl.Series"]:
    """Read columns of names row by row; return the index of each cell's name among the distinct names, and these names.

    Empty cells are problems.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"winner": ["ann ", "cat"], "loser": ["bob", "ann"]})
    >>> code, names = intern_names(Table(frame, "the frame"), ["winner", "loser"])
    >>> code.tolist(), names.to_list()
    ([0, 1, 2, 0], ['ann', 'bob', 'cat'])
    """
    import polars as pl

    for column in columns:
        check_names(table, column, table.frame[column].dtype)
    code, spelt = _interleave([table.frame[column].cast(pl.String) for column in columns])
    clean = clean_names(spelt.fill_null("").str.strip_chars())
    same, names = intern(_unify_apostrophes(clean))
    if len(names) < len(spelt):
        code = same[code]
    empty = np.flatnonzero((names == "").to_numpy())
    if len(empty):
        for column, rows in zip(columns, (code == empty[0]).reshape(-1, len(columns)).T, strict=True):
            table.reject(np.flatnonzero(rows), column, _FILL_IN)
    return code, names


def _interleave(cells: "list[pl.Series]") -> tuple[Ints, "pl.Series"]:
    import polars as pl

    # Texts are compared by hash; a final check makes sure that equal hashes mean equal texts.
    width = len(cells)
    keys = np.empty((len(cells[0]), width), np.uint64)
    for side, column in enumerate(cells):
        keys[:, side] = column.hash().to_numpy()
    code, first = numbered(keys.reshape(-1))
    parts = [column[first[first % width == side] // width] for side, column in enumerate(cells)]
    order = np.argsort(np.concatenate([np.flatnonzero(first % width == side) for side in range(width)]))
    spelt = pl.concat(parts)[order]
    by_side = code.reshape(-1, width)
    if all(column.eq_missing(spelt[np.ascontiguousarray(by_side[:, side])]).all() for side, column in enumerate(cells)):
        return code, spelt
    together, spelt = intern(pl.concat(cells))
    return np.ascontiguousarray(together.reshape(width, -1).T).reshape(-1), spelt


def yes_no(table: Table, column: str) -> NDArray[np.bool_]:
    """Read a column as true or false.

    If only the true cells are marked, for example with an x, empty cells are false.
    """
    import polars as pl

    series = table.frame[column]
    if series.dtype != pl.Boolean:
        text = text_of(table, column).str.to_lowercase()
        readable = text.is_in([*TRUE, *FALSE])
        table.require(readable | text.is_null(), column, "true or false is needed")
        series = text.is_in(list(TRUE)).set(~readable, None)
        if readable.sum() < text.count():
            return series.fill_null(False).to_numpy()
    if series.has_nulls() and (not series.count() or not series.all()):
        table.require(series.is_not_null(), column, "true or false is needed")
    return series.fill_null(False).to_numpy()


def plain_text(cell: str) -> str:
    """Normalise digits, blanks, dashes and fractions, and drop footnote marks.

    >>> plain_text("３–１*"), plain_text("2½"), plain_text("−٣"), plain_text("1\u00a0234 [a]")
    ('3-1', '2 1/2', '-3', '1 234')
    """
    if not cell.isascii():
        cell = "".join(map(_plain_letter, cell.translate(_LETTERS)))
    cell = " ".join(cell.split())
    if not cell.endswith(("*", "†", "‡", "]")):
        return cell
    rest = cell
    while rest.endswith(("*", "†", "‡")):
        rest = rest[:-1].rstrip()
    head, bracket, tail = rest.rpartition("[")
    if bracket and len(tail) in (2, 3) and tail.endswith("]") and tail[:-1].isalnum():
        rest = head.rstrip()
    return rest or cell  # do not empty a cell that holds only footnote marks


def _plain_letter(letter: str) -> str:
    if letter < "\x80":
        return letter
    digit = unicodedata.decimal(letter, None)
    if digit is not None:
        return str(digit)
    # Unicode decomposes ½ to "1⁄2"; ² is not a fraction and stays.
    parts = unicodedata.normalize("NFKD", letter) if unicodedata.category(letter) == "No" else ""
    return f" {parts.replace('⁄', '/')}" if "⁄" in parts else letter


@dataclass
class DistinctValues:
    """The distinct values of a column, and the index of each row's value.

    If most values differ, all values are kept.
    """

    table: Table
    column: str
    values: "pl.Series"
    code: Ints | None

    @classmethod
    def of(cls, table: Table, column: str, series: "pl.Series") -> "DistinctValues":
        """Find the distinct values; keep all values if more than half of them are distinct."""
        if len(series) and 2 * int(series.approx_n_unique()) > len(series):  # type: ignore[arg-type]
            return cls(table, column, series, None)
        code, values = intern(series)
        return cls(table, column, values, code)

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Expand an array with one element per distinct value to an array with one element per row."""
        return values if self.code is None else values[self.code]

    @cached_property
    def weight(self) -> NDArray[np.intp]:
        """Return the number of rows that hold each distinct value."""
        if self.code is None:
            return np.ones(len(self.values), np.intp)
        return np.bincount(self.code, minlength=len(self.values))

    def count(self, which: NDArray[np.bool_]) -> int:
        """Count the rows that hold one of the selected values."""
        return int(self.weight[which].sum())

    def first_row(self, which: NDArray[np.bool_]) -> int:
        """Return the first row that holds one of the selected values."""
        return int(np.argmax(self.spread(which)))

    def reject(self, which: NDArray[np.bool_], right: Message) -> None:
        """Add a problem for each row that holds one of the selected values."""
        if which.any():
            self.table.reject(np.flatnonzero(self.spread(which)), self.column, right)

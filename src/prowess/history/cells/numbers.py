"""Read cells as numbers in many notations: 1,234.5 and 1.234,5 and 3½ and 5 pts."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from ...errors import Option
from ..ragged import Floats
from ..read_context import Table
from .text import plain_text
from .words import MISSING, UNITS

if TYPE_CHECKING:
    import polars as pl

_RIGHT = "this is not a number; correct it, or drop the row"
_SHAPE = re.compile(
    r"(?P<sign>[+-]?) ?(?P<front>[$€£¥]?) ?(?P<body>\d[\d., ']*?|[.,]\d+)?(?P<half>(?:^| )[1-9]/[2-9])?"
    r" ?(?P<unit>[^\W\d_]{1,12}\.?|[%$€£¥])?"
)
_WHOLE = re.compile(r"\d+\.?")
_FIRST = r"[1-9]\d{0,2}"  # a number with thousands separators never begins with a zero: 0 123 is two numbers, or a typo
# If spaces separate thousands, as in 1 234,5, the comma or point is the decimal mark.
_SPACED = re.compile(rf"({_FIRST}(?:([ '])\d{{3}})(?:\2\d{{3}})*)(?:([.,])(\d+))?")
_GROUPED = {  # for each decimal mark, numbers whose thousands separators prove it
    ".": re.compile(rf"{_FIRST}(?:,\d{{3}})+\.\d+|{_FIRST}(?:,\d{{3}}){{2,}}|[1-9]\d?(?:,\d{{2}})+,\d{{3}}(?:\.\d+)?"),
    ",": re.compile(rf"{_FIRST}(?:\.\d{{3}})+,\d+|{_FIRST}(?:\.\d{{3}}){{2,}}"),
}
_BEFORE_FRACTION = re.compile(rf"\d+|{_FIRST}([., '])\d{{3}}(?:\1\d{{3}})*")  # excludes 2.5½
# goals and, in brackets, shoot-out goals: 2 (4)
_BRACKETED = re.compile(r"(\d{1,2}) ?\((?:pen\.? ?|p\.? ?)?\d{1,2} ?(?:p|pen|pens)?\.?\)")
_MARKED = re.compile(r"(\d*)([.,])(\d+)")
# Ambiguous: a mark before exactly three digits may be a thousands separator or a decimal mark.
_UNCLEAR = r"^[+-]?[1-9]\d{0,2}[.,]\d{3}$"
_BARE = r"^\s*[+-]?[.,]\d+\s*$"
_OTHER = {".": ",", ",": "."}
RARE = 0.05  # if at most this fraction of the scores is negative, these may be typos


@dataclass(frozen=True)
class Numeral:
    """A number in a cell: its value for each decimal mark, its unit, and the decimal mark that it proves, if any."""

    point: float
    comma: float
    unit: str = ""
    proof: str = ""

    def value(self, decimal: str | None) -> float:
        """Return the value of the cell for a decimal mark; None means a point."""
        return self.comma if decimal == "," else self.point


def numbers(table: Table, column: str) -> Floats:
    """Read a column as numbers; empty and unreadable cells become NaN, and unreadable cells are reported."""
    return numbers_together(table, [column])[0]


def numbers_together(table: Table, columns: Sequence[str]) -> list[Floats]:
    """Read columns as numbers with a common decimal mark: "2,5" in one column decides how "1,234" is read in another.

    Ambiguous cells are read with a decimal point and commas between thousands, unless other numbers above 999 have no
    commas. A remark reports the reading.

    >>> import polars as pl
    >>> cells = Table(pl.DataFrame({"home": ["1.234", "5 pts"], "away": ["2,5", "½"]}), "cells")
    >>> numbers_together(cells, ["home", "away"])
    [array([1234.,    5.]), array([2.5, 0.5])]
    >>> [str(remark) for remark in cells.remarks]
    ["home, away: '1.234' is read as 1234 because of '2,5'; use `decimal='.'` to read it as 1.234"]
    """
    import polars as pl

    parts = [_split(table, column) for column in columns]
    texts = pl.concat([rest for _, rest in parts])
    values = np.full(len(texts), np.nan)
    if texts.count():
        wholes = [whole for whole, _ in parts]
        values = _read_texts(table, columns, texts, lambda: any((whole.abs() >= 1000).any() for whole in wholes))
    pieces = np.split(values, np.cumsum([len(rest) for _, rest in parts])[:-1])
    return [_merge(table, column, *part, piece) for column, part, piece in zip(columns, parts, pieces, strict=True)]


def note_negative(table: Table, columns: Sequence[str], values: Sequence[Floats]) -> None:
    """Add a remark on a few negative scores among scores of 0 or more: the minus signs may be typos.

    >>> import polars as pl
    >>> cells = Table(pl.DataFrame({"goals": ["3", "1", "-2", "0"]}), "cells")
    >>> note_negative(cells, ["goals"], [numbers(cells, "goals")])
    >>> str(cells.remarks[0])
    "row 3: column 'goals' holds '-2'; all other scores are 0 or more"
    """
    negative = [np.flatnonzero(column < 0) for column in values]
    number = sum(map(len, negative))
    if not number or number > max(1, RARE * sum(np.count_nonzero(~np.isnan(column)) for column in values)):
        return
    column, rows = next((column, rows) for column, rows in zip(columns, negative, strict=True) if len(rows))
    row = int(rows[0])
    held = f"{table.row_name(row)}: column {column!r} holds {str(table.frame[column][row])!r}"
    others = "all other scores are 0 or more" if number == 1 else f"only {number:,} scores are negative"
    table.note("negative-scores", f"{held}; {others}", column=column, number=number, row=row)


def _split(table: Table, column: str) -> "tuple[pl.Series, pl.Series]":
    """Split a column into its whole numbers (null for other cells) and the texts of the other cells, which are few."""
    import polars as pl

    series = table.frame[column]
    if series.dtype in (pl.String, pl.Categorical, pl.Enum):
        text = series.cast(pl.String)
        whole = text.cast(pl.Int64, strict=False).cast(pl.Float64)
        return whole, text.filter(whole.is_null())
    if not (series.dtype.is_numeric() or series.dtype == pl.Null):
        raise table.kind_error(column, "numbers are needed")
    return series.cast(pl.Float64), pl.Series([], dtype=pl.String)


def _merge(table: Table, column: str, whole: "pl.Series", rest: "pl.Series", values: Floats) -> Floats:
    if not len(rest):
        return whole.to_numpy()  # NumPy represents null as NaN
    where = np.flatnonzero(whole.is_null().to_numpy())
    merged = whole.to_numpy(writable=True)
    merged[where] = values
    unread = np.isnan(values) & rest.is_not_null().to_numpy()
    if unread.any():
        missing = rest.str.strip_chars().str.to_lowercase().is_in(list(MISSING)).fill_null(False).to_numpy()
        table.reject(where[unread & ~missing], column, _RIGHT)
    bare = rest.str.contains(_BARE).fill_null(False).to_numpy()
    # Among whole scores .5 may be a damaged 5 or 2.5. Among chess points, which are at most 1, it is a draw.
    if bare.any() and (whole > 1).any() and not np.any(values[~bare] % 1 > 0):
        first = int(np.argmax(bare))
        text = f"column {column!r} holds {rest[first]!r}, which is read as {values[first]:g}"
        text += "; all other numbers are whole"
        row = int(where[first])
        table.note("bare-decimals", f"{table.row_name(row)}: {text}", column=column, number=int(bare.sum()), row=row)
    return merged


def _read_texts(table: Table, columns: Sequence[str], texts: "pl.Series", large: Callable[[], bool]) -> Floats:
    import polars as pl

    # Decimals such as 2.5 and 2,5 are read all at once; texts in other notations one by one, equal texts only once.
    point = texts.cast(pl.Float64, strict=False)
    point = point.set(~point.is_finite(), None)
    simple = point.is_null() & texts.str.contains(r"^[+-]?\d+,\d+$")
    comma = texts.set(~simple, None).str.replace(",", ".", literal=True).cast(pl.Float64)
    unclear = texts.str.contains(_UNCLEAR)
    other = texts.filter(point.is_null() & comma.is_null()).drop_nulls()
    count = dict(zip(other.unique(maintain_order=True).to_list(), other.unique_counts().to_list(), strict=True))
    rows = len(columns) * len(table.frame)
    read = _with_usual_unit({cell: numeral for cell in count if (numeral := _read(cell)) is not None}, count, rows)
    shot = next((cell for cell in read if _BRACKETED.fullmatch(plain_text(cell))), None)
    if shot is not None:
        text = f"{', '.join(columns)}: {shot!r} is read as {read[shot].point:g}, without the number in brackets"
        table.note("bracketed-numbers", text, column=columns[0])
    evidence = _Evidence(read, count)
    for mark, value in ((".", point), (",", comma)):
        has_mark = value.is_not_null()
        evidence.add(mark, texts.filter(has_mark & ~unclear), texts.filter(has_mark & unclear))
    key = f"decimal mark of {', '.join(columns)}"
    mark = table.choices.decimal or table.decide(key, lambda: evidence.decide(table, columns, large)) or "."
    value = point.fill_null(comma)
    grouped = np.flatnonzero((unclear & (comma if mark == "." else point).is_not_null()).fill_null(False).to_numpy())
    if len(grouped):
        value = value.scatter(grouped, texts.gather(grouped).str.replace_all("[.,]", "").cast(pl.Float64))
    if read:
        where = np.flatnonzero(value.is_null().to_numpy())
        chosen = {cell: numeral.value(mark) for cell, numeral in read.items()}
        value = value.scatter(where, texts.gather(where).replace_strict(chosen, default=None, return_dtype=pl.Float64))
    return value.to_numpy()


class _Evidence:
    """Evidence for the decimal mark: the votes for each mark, an example of each, and the ambiguous cells."""

    def __init__(self, read: dict[str, Numeral], count: dict[str, int]) -> None:
        self.votes = Counter({".": 0, ",": 0})
        self.proof: dict[str, str] = {}
        self.open: dict[str, str] = {}
        for cell, numeral in read.items():
            if numeral.proof:
                self.votes[numeral.proof] += count[cell]
                self.proof.setdefault(numeral.proof, cell)
            elif numeral.point != numeral.comma:
                self.open.setdefault("." if numeral.point < numeral.comma else ",", cell)

    def add(self, mark: str, sure: "pl.Series", unclear: "pl.Series") -> None:
        # Cells in `sure`, such as 2.5, are unambiguous; cells in `unclear`, such as 1.234, are ambiguous.
        self.votes[mark] += len(sure)
        if len(sure):
            self.proof[mark] = sure[0]
        if len(unclear):
            self.open[mark] = unclear[0]

    def decide(self, table: Table, columns: Sequence[str], large: Callable[[], bool]) -> str | None:
        """Return the decimal mark; add a remark if cells are ambiguous. Return None if no cell has a mark."""
        points, commas = self.votes["."], self.votes[","]
        if points or commas:
            mark = "," if commas > points else "."
            if not self.open or not commas:  # nothing suggests the less common reading
                return mark
            why = f" because of {self.proof[mark]!r}"
        elif not self.open:
            return None
        elif "." not in self.open and large():
            mark, why = ",", " because other numbers above 999 have no thousands mark"
        else:
            mark, why = ".", ""
        for cell in self.open.values():
            both = _read(cell)
            assert both is not None
            text = f"{', '.join(columns)}: {cell!r} is read as {both.value(mark):.12g}{why}; use "
            other = Option("decimal", _OTHER[mark])
            otherwise = f" to read it as {both.value(_OTHER[mark]):.12g}"
            table.note("decimal-mark", text, other, otherwise, column=columns[0])
        return mark


def _with_usual_unit(read: dict[str, Numeral], count: dict[str, int], rows: int) -> dict[str, Numeral]:
    """Drop cells with an unknown unit, unless at least half of the cells have that unit."""
    times = Counter[str]()
    for cell, numeral in read.items():
        times[numeral.unit] += count[cell]
    usual = {"", *UNITS, *(unit for unit, number in times.items() if 2 * number >= rows)}
    return {cell: numeral for cell, numeral in read.items() if numeral.unit in usual}


def _read(cell: str) -> Numeral | None:
    text = plain_text(cell).strip("'\"")
    if shot := _BRACKETED.fullmatch(text):
        return Numeral(float(shot[1]), float(shot[1]))
    shape = _SHAPE.fullmatch(text)
    if shape is None or not (shape["body"] or shape["half"]):
        return None
    body = _whole_and_fraction(shape["body"], shape["half"]) if shape["half"] else numeral(shape["body"].strip())
    if body is None:
        return None
    unit = (shape["unit"] or shape["front"] or "").casefold().rstrip(".")
    scale = (-1.0 if shape["sign"] == "-" else 1.0) * (0.01 if unit == "%" else 1.0)
    point, comma = scale * body.point, scale * body.comma
    return Numeral(point, comma, unit, body.proof) if isfinite(point) and isfinite(comma) else None


def _whole_and_fraction(body: str | None, fraction: str) -> Numeral | None:
    """Read a fraction after an optional whole number: 1/2, 3 1/2 and 1,234 1/2, but neither 2.5 1/2 nor 3 5/2."""
    above, below = map(int, fraction.strip().split("/"))
    value = above / below
    if body:
        if not _BEFORE_FRACTION.fullmatch(body.strip()) or above >= below:
            return None
        value += float(re.sub("[., ']", "", body))
    return Numeral(value, value)


def numeral(text: str) -> Numeral | None:
    """Read digits with points, commas or spaces between them, but no sign or unit; None if the marks are inconsistent.

    >>> numeral("1,234"), numeral("1,234,5")
    (Numeral(point=1234.0, comma=1.234, unit='', proof=''), None)
    """
    if _WHOLE.fullmatch(text):
        return Numeral(float(text), float(text))
    if spaced := _SPACED.fullmatch(text):
        value = float(re.sub("[ ']", "", spaced[1]) + f".{spaced[4] or '0'}")
        return Numeral(value, value, proof=spaced[3] or "")
    for mark, grouped in _GROUPED.items():
        if grouped.fullmatch(text):
            value = float(text.replace(_OTHER[mark], "").replace(mark, "."))
            return Numeral(value, value, proof=mark)
    marked = _MARKED.fullmatch(text)
    if marked is None:
        return None
    decimal, joined = float(f"{marked[1] or '0'}.{marked[3]}"), float(marked[1] + marked[3])
    if not re.match(_UNCLEAR, text):
        return Numeral(decimal, decimal, proof=marked[2])
    return Numeral(decimal, joined) if marked[2] == "." else Numeral(joined, decimal)

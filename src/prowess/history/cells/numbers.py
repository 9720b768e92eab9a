"""Reading cells as numbers, in whatever way they are written: 1,234.5 and 1.234,5 and 3½ and 5 pts."""

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

_RIGHT = "a number is needed: fill it in, or drop the row"
_SHAPE = re.compile(
    r"(?P<sign>[+-]?) ?(?P<front>[$€£¥]?) ?(?P<body>\d[\d., ']*?|[.,]\d+)?(?P<half>(?:^| )[1-9]/[2-9])?"
    r" ?(?P<unit>[^\W\d_]{1,12}\.?|[%$€£¥])?"
)
_WHOLE = re.compile(r"\d+\.?")
_FIRST = r"[1-9]\d{0,2}"  # no group of thousands follows a leading zero: 0 123 is two numbers, or a slip
_SPACED = re.compile(rf"({_FIRST}(?:([ '])\d{{3}})(?:\2\d{{3}})*)(?:([.,])(\d+))?")  # 1 234,5: the mark is what is left
_GROUPED = {  # thousands that can be nothing else
    ".": re.compile(rf"{_FIRST}(?:,\d{{3}})+\.\d+|{_FIRST}(?:,\d{{3}}){{2,}}|[1-9]\d?(?:,\d{{2}})+,\d{{3}}(?:\.\d+)?"),
    ",": re.compile(rf"{_FIRST}(?:\.\d{{3}})+,\d+|{_FIRST}(?:\.\d{{3}}){{2,}}"),
}
_BEFORE_FRACTION = re.compile(rf"\d+|{_FIRST}([., '])\d{{3}}(?:\1\d{{3}})*")  # 2.5½ says its decimals twice
# 2 (4): goals, and those of a shoot-out
_BRACKETED = re.compile(r"(\d{1,2}) ?\((?:pen\.? ?|p\.? ?)?\d{1,2} ?(?:p|pen|pens)?\.?\)")
_MARKED = re.compile(r"(\d*)([.,])(\d+)")
_UNCLEAR = r"^[+-]?[1-9]\d{0,2}[.,]\d{3}$"  # one mark, three digits: thousands or decimals
_OTHER = {".": ",", ",": "."}


@dataclass(frozen=True)
class Numeral:
    """What a cell says if the decimal mark is a point, and if it is a comma; its unit, and which mark it proves."""

    point: float
    comma: float
    unit: str = ""
    proof: str = ""

    def value(self, decimal: str | None) -> float:
        """Return the number for a decimal mark; if none is given, it is a point."""
        return self.comma if decimal == "," else self.point


def numbers(table: Table, column: str) -> Floats:
    """Read a column as numbers; an empty cell is NaN, and so is one that holds something else, which is a problem."""
    return numbers_together(table, [column])[0]


def numbers_together(table: Table, columns: Sequence[str]) -> list[Floats]:
    """Read columns as numbers with one decimal mark: what "2,5" proves in one holds for "1,234" in another.

    Cells that leave the mark open are read as most people do, points before decimals and commas between thousands,
    unless whole numbers from 1000 on show that thousands are not set apart; the reading that was taken is noted.

    >>> import polars as pl
    >>> cells = Table(pl.DataFrame({"home": ["1.234", "5 pts"], "away": ["2,5", "½"]}), "cells")
    >>> numbers_together(cells, ["home", "away"])
    [array([1234.,    5.]), array([2.5, 0.5])]
    >>> [str(remark) for remark in cells.remarks]
    ["home, away: '1.234' is read as 1234, as '2,5' shows; `decimal='.'` reads it as 1.234"]
    """
    import polars as pl

    whole = [_whole(table, column) for column in columns]
    rest = [
        _text(table, column).filter(value.is_null()) if _is_text(table, column) else pl.Series([], dtype=pl.String)
        for column, value in zip(columns, whole, strict=True)
    ]
    if any(texts.count() for texts in rest):
        large = lambda: any((value.abs() >= 1000).any() for value in whole)  # noqa: E731
        read = _marked(table, columns, pl.concat(rest), large, sum(len(value) for value in whole))
        end = np.cumsum([len(texts) for texts in rest])
        pieces = np.split(read, end[:-1])
    else:
        pieces = [np.full(len(texts), np.nan) for texts in rest]
    return [
        _filled(table, column, value, texts, piece)
        for column, value, texts, piece in zip(columns, whole, rest, pieces, strict=True)
    ]


def _is_text(table: Table, column: str) -> bool:
    import polars as pl

    return table.frame[column].dtype in (pl.String, pl.Categorical, pl.Enum)


def _text(table: Table, column: str) -> "pl.Series":
    import polars as pl

    return table.frame[column].cast(pl.String)


def _whole(table: Table, column: str) -> "pl.Series":
    """Read whole numbers, which most columns are full of; what is not one is null."""
    import polars as pl

    series = table.frame[column]
    if _is_text(table, column):
        series = _text(table, column).cast(pl.Int64, strict=False)
    elif not (series.dtype.is_numeric() or series.dtype == pl.Null):
        raise table.kind_error(column, "numbers are needed")
    return series.cast(pl.Float64)


def _filled(table: Table, column: str, whole: "pl.Series", rest: "pl.Series", piece: Floats) -> Floats:
    """Put the other numbers beside the whole ones; a text that is no number is a problem of its row."""
    if not len(rest):
        return whole.to_numpy()  # null is NaN there
    where = np.flatnonzero(whole.is_null().to_numpy())
    value = whole.to_numpy(writable=True)
    value[where] = piece
    unread = np.isnan(piece) & rest.is_not_null().to_numpy()
    if unread.any():
        wrong = ~rest.str.strip_chars().str.to_lowercase().is_in(list(MISSING)).fill_null(True).to_numpy() & unread
        table.reject(where[wrong], column, _RIGHT)
    return value


def _marked(table: Table, columns: Sequence[str], rest: "pl.Series", large: Callable[[], bool], rows: int) -> Floats:
    """Read what is no plain whole number; NaN is what cannot be read.

    Decimals are read as a column, both 2.5 and 2,5; what is written in other ways, as different values.
    """
    import polars as pl

    point = rest.cast(pl.Float64, strict=False)
    point = point.set(~point.is_finite(), None)
    simple = point.is_null() & rest.str.contains(r"^[+-]?\d+,\d+$")
    comma = rest.set(~simple, None).str.replace(",", ".", literal=True).cast(pl.Float64)
    unclear = rest.str.contains(_UNCLEAR)
    other = rest.filter(point.is_null() & comma.is_null()).drop_nulls()
    count = dict(zip(other.unique(maintain_order=True).to_list(), other.unique_counts().to_list(), strict=True))
    read = _with_usual_unit({cell: numeral for cell in count if (numeral := _read(cell)) is not None}, count, rows)
    shot = next((cell for cell in read if _BRACKETED.fullmatch(plain_text(cell))), None)
    if shot is not None:
        text = f"{shot!r} is read as {read[shot].point:g}, what is in brackets does not count"
        table.note("bracketed-numbers", f"{', '.join(columns)}: {text}", column=columns[0])
    seen = _Seen(read, count)
    for mark, value in ((".", point), (",", comma)):
        has_mark = value.is_not_null()
        seen.add(mark, rest.filter(has_mark & ~unclear), rest.filter(has_mark & unclear))
    what = f"decimal mark of {', '.join(columns)}"
    mark = table.choices.decimal or table.decide(what, lambda: seen.mark(table, columns, large)) or "."
    value = point.fill_null(comma)
    turned = np.flatnonzero((unclear & (comma if mark == "." else point).is_not_null()).fill_null(False).to_numpy())
    if len(turned):
        value = value.scatter(turned, rest.gather(turned).str.replace_all("[.,]", "").cast(pl.Float64))
    if read:
        where = np.flatnonzero(value.is_null().to_numpy())
        chosen = {cell: numeral.value(mark) for cell, numeral in read.items()}
        numbers = rest.gather(where).replace_strict(chosen, default=None, return_dtype=pl.Float64)
        value = value.scatter(where, numbers)
    return value.to_numpy()


class _Seen:
    """What the cells of some columns show of their decimal mark: votes for either, and cells that leave it open."""

    def __init__(self, read: dict[str, Numeral], count: dict[str, int]) -> None:
        """Begin with cells that were read one by one."""
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
        """Add cells with one mark, sure ones as 2.5 and others as 1.234."""
        self.votes[mark] += len(sure)
        if len(sure):
            self.proof[mark] = sure[0]
        if len(unclear):
            self.open[mark] = unclear[0]

    def mark(self, table: Table, columns: Sequence[str], large: Callable[[], bool]) -> str | None:
        """Find the mark, and say what was taken where cells leave it open; None where no cell says anything of it."""
        if self.votes["."] or self.votes[","]:
            mark = "," if self.votes[","] > self.votes["."] else "."
            if not self.open:
                return mark
            if mark == "." and not self.votes[","]:
                return mark  # nothing speaks for the less common reading
            why = f", as {self.proof[mark]!r} shows"
        elif not self.open:
            return None
        else:
            mark = "," if "." not in self.open and large() else "."
            why = ", because others have no mark between thousands" if mark == "," else ""
        for cell in self.open.values():
            both = _read(cell)
            assert both is not None
            here, otherwise = (both.comma, both.point) if mark == "," else (both.point, both.comma)
            text = f"{', '.join(columns)}: {cell!r} is read as {here:.12g}{why}; "
            other = Option("decimal", _OTHER[mark])
            table.note("decimal-mark", text, other, f" reads it as {otherwise:.12g}", column=columns[0])
        return mark


def _with_usual_unit(read: dict[str, Numeral], count: dict[str, int], rows: int) -> dict[str, Numeral]:
    """Leave out cells with a unit that is neither known nor in at least half of the cells."""
    times = Counter[str]()
    for cell, numeral in read.items():
        times[numeral.unit] += count[cell]
    usual = {"", "%", *UNITS, *(unit for unit, number in times.items() if 2 * number >= rows)}
    return {cell: numeral for cell, numeral in read.items() if numeral.unit in usual}


def _read(cell: str) -> Numeral | None:
    """Read one cell in both ways; None if it is no number."""
    text = plain_text(cell).strip("'\"")
    if shot := _BRACKETED.fullmatch(text):
        return Numeral(float(shot[1]), float(shot[1]))
    shape = _SHAPE.fullmatch(text)
    if shape is None or not (shape["body"] or shape["half"]):
        return None
    body = _whole_and_fraction(shape["body"], shape["half"]) if shape["half"] else numeral(shape["body"].strip())
    if body is None:
        return None
    sign = -1.0 if shape["sign"] == "-" else 1.0
    unit = (shape["unit"] or shape["front"] or "").casefold().rstrip(".")
    per = 0.01 if unit == "%" else 1.0
    point, comma = (sign * per * part for part in (body.point, body.comma))
    return Numeral(point, comma, unit, body.proof) if isfinite(point) and isfinite(comma) else None


def _whole_and_fraction(body: str | None, fraction: str) -> Numeral | None:
    """Read a fraction, and the whole number before it: 1/2, 3 1/2 and 1,234 1/2, but neither 2.5 1/2 nor 3 5/2."""
    above, below = map(int, fraction.strip().split("/"))
    value = above / below
    if body:
        if not _BEFORE_FRACTION.fullmatch(body.strip()) or above >= below:
            return None
        value += float(re.sub("[., ']", "", body))
    return Numeral(value, value)


def numeral(text: str) -> Numeral | None:
    """Read digits with marks between them, without a sign or a unit; None if the marks do not fit together.

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

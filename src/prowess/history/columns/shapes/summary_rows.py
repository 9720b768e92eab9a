"""Leave out rows and columns that sum up others: totals, averages and best values."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ....text import count
from ...cells.numbers import numeral
from ...cells.text import plain_text
from ...names.spelling import plain_name
from ...ragged import Floats
from ...read_context import Table

if TYPE_CHECKING:
    import polars as pl

_LABELS = {
    "sum": "total totals grandtotal subtotal overall sum sums summe summen gesamt gesamtsumme zwischensumme totale"
    " totali totaux somme suma sumas soma totaal som razem summa totalt teamtotal"
    " teamtotals toplam celkem soucet yhteensa osszesen ialt σ итого всего разом сумма 合计 总计 合計 小计 합계",
    "mean": "average averages avg mean median durchschnitt mittelwert mittel schnitt moyenne media medias promedio"
    " srednia gemiddelde medel medelvarde ortalama prumer keskiarvo atlag gennemsnit"
    " gjennomsnitt ø среднее средний 平均 평균",
    "max": "best max maximum bestwert hochstwert meilleur mejor melhor migliore najlepszy maximo лучший максимум 最高",
    "min": "min minimum worst minimo minimale",
}
WORDS = {word: kind for kind, words in _LABELS.items() for word in words.split()}
_ACCENTED = (
    "grand_total sub_total team_total média máximo mínimo średnia höchstwert medelvärde průměr součet yhteensä összesen"
    " átlag i_alt"
)
_TIME = re.compile(r"(?:\d+:)+\d+(?:\.\d+)?")
ROWS = 20_000  # a table with more rows was not made by hand
SMALL = 2000
LABELS = 4  # columns of text, from the left, in which labels are searched
MOST = 0.9  # fraction of the rows that must agree to decide what a column or a row is
ROUNDED = 0.5  # a mean may be rounded to a whole number
SHOWN = 20  # rows with the same label of which the numbers are compared


@cache
def _spellings() -> frozenset[str]:
    words = (*WORDS, *(word.replace("_", " ") for word in _ACCENTED.split()))
    ways = (str, str.capitalize, str.title, str.upper)
    return frozenset(f"{way(word)}{mark}" for word in words for way in ways for mark in ("", ":"))


def _labels(cells: "pl.Series") -> NDArray[np.bool_] | None:
    """Return a mask of the labels in a column; None if it has no label."""
    if len(cells) < SMALL and _spellings().isdisjoint(cells.to_list()):  # much faster for small tables
        return None
    mask = cells.is_in(list(_spellings())).fill_null(False).to_numpy()
    return mask if mask.any() else None


def find_summary_rows(table: Table) -> NDArray[np.intp]:
    """Return the rows that sum up other rows, and add a remark.

    "Total" may also be the name of a player or a club. It is a label in a column of dates or numbers, if its row has no
    other name, or if its numbers sum up the rows above.
    """
    import polars as pl

    frame = table.frame
    none = np.zeros(0, np.intp)
    if not 1 < len(frame) <= ROWS:
        return none
    texts = [name for name in frame.columns if frame[name].dtype == pl.String][:LABELS]
    labels = {name: mask for name in texts if (mask := _labels(frame[name])) is not None}
    if not labels:
        return none
    short = {name: frame[name].str.strip_chars(" :") for name in frame.columns if frame[name].dtype == pl.String}
    every = np.logical_or.reduce(list(labels.values()))
    if every.all():
        return none
    filled = {name: (cells.is_not_null() & (cells != "")).to_numpy() for name, cells in short.items()}
    usual = [name for name, full in filled.items() if full[~every].mean() >= MOST]
    found = np.zeros(len(frame), bool)
    for name, rows in labels.items():
        digits = short[name].filter(~pl.Series(every)).str.contains(r"\d").fill_null(False)
        others = [other for other in short if other != name]
        incomplete = np.logical_or.reduce([every & ~every, *(~filled[other] for other in others if other in usual)])
        for row in np.flatnonzero(rows & incomplete):  # a row with another name may be a match with an empty cell
            beside = (short[other][int(row)] or "" for other in others)
            incomplete[row] = not any(map(str.isalpha, "".join(beside)))
        found |= rows & (incomplete | bool(digits.mean() >= MOST))  # type: ignore[operator]
        for label in short[name].filter(pl.Series(rows & ~found)).unique():
            same = np.flatnonzero((short[name] == label).fill_null(False).to_numpy())
            kind = WORDS[plain_name(label)]
            agree = Counter(column for row in same[:SHOWN] for column in _agreeing(frame, int(row), name, every, kind))
            share = max(agree.values(), default=0) / len(same[:SHOWN])
            found[same] |= share >= MOST
            if 0.5 <= share < MOST:
                text = f"only some rows of {label!r} sum up others, so {label!r} is read as a name"
                table.note("doubtful-sums", text, column=name, row=int(same[0]))
    where = np.flatnonzero(found)
    if len(where):
        first = int(where[0])
        column = next(name for name, mask in labels.items() if mask[first])
        number = count(len(where), "row sums up others and is", "rows sum up others and are")
        text = f"{table.row_name(first)}: {number} left out, such as {frame[column][first]!r}"
        table.note("summary-rows", text, column=column, number=len(where), row=first)
    return where


def _agreeing(frame: "pl.DataFrame", row: int, label: str, every: NDArray[np.bool_], kind: str) -> set[str]:
    """Return the columns in which a row sums up the rows of the same match above it or below it."""
    found: set[str] = set()
    cells = dict(zip(frame.columns, frame.row(row), strict=True))
    for name in cells.keys() - {label}:
        value = _number(cells[name])
        for step in (-1, 1) if value is not None else ():
            others: list[float | None] = []
            at, keys = row + step, None
            while 0 <= at < len(frame) and not every[at]:
                beside = dict(zip(frame.columns, frame.row(at), strict=True))
                keys = keys or [key for key in cells.keys() - {label, name} if cells[key] == beside[key]]
                if any(beside[key] != cells[key] for key in keys):
                    break
                others.append(_number(beside[name]))
                at += step
            numbers = [number for number in others if number is not None]
            if value is not None and len(numbers) > 1 and _is_summary(value, numbers, kind):
                found.add(name)
    return found


def _number(cell: object) -> float | None:
    text = plain_text(str(cell if cell is not None else ""))
    if _TIME.fullmatch(text):
        return float(sum(60**power * float(part) for power, part in enumerate(reversed(text.split(":")))))
    read = numeral(text.rstrip("ptskgolPTS ."))
    return None if read is None else read.comma if "," in str(cell) else read.point


def _is_summary(value: float, others: Sequence[float], kind: str) -> bool:
    if kind != "sum" and len(set(others)) == 1:
        return False  # such as the number of the match, which all its rows have
    if kind == "mean":
        return abs(value - sum(others) / len(others)) <= ROUNDED
    return value == (sum(others) if kind == "sum" else max(others) if kind == "max" else min(others))


def summary_columns(columns: Sequence[str], cells: Floats) -> list[str]:
    """Return the columns that sum up the other columns, such as "Total"; `cells` has a row per match.

    >>> summary_columns(["Ann", "Bob", "Total"], np.array([[3, 4, 7], [5, 1, 6]]))
    ['Total']
    """
    named = np.array([plain_name(column) in WORDS for column in columns])
    if not named.any() or named.sum() > len(named) - 2:
        return []
    others = cells[:, ~named]
    with np.errstate(all="ignore"):
        sums = [np.nansum(others, axis=1), np.fmax.reduce(others, axis=1), np.fmin.reduce(others, axis=1)]
        mean = np.nansum(others, axis=1) / np.count_nonzero(~np.isnan(others), axis=1)
    return [
        column
        for column, is_named, values in zip(columns, named, cells.T, strict=True)
        if is_named and max(*((values == each).mean() for each in sums), (np.abs(values - mean) <= 0.5).mean()) >= MOST
    ]

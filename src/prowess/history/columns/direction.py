"""Decide whether the lowest score wins, as with the strokes of golf; read net scores beside handicaps."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import Error, Option
from ..cells.numbers import numbers
from ..cells.text import text_of
from ..names.spelling import plain_name
from ..ragged import Floats
from ..read_context import Problems, Table
from .roles import aliases

MOST = 0.75  # strokes are at least this fraction of the par of a course; points are about half of it
STROKES = 55  # as many points are hardly possible in a round of golf
MOST_COLUMNS = 20  # a table with more columns of numbers is no list of scores
CLOSE = 1e-6
FAR = 50  # a score is far above the others if it is this many times the median
AGREE = 0.85  # fraction of the rows in which gross, handicap and net must agree

# Sentences such as "lowest score wins" and "es gewinnt, wer die wenigsten Punkte hat".
_LOW = (
    r"(?:\b(?:low(?:est)? scores?|lowest|fewest|least|niedrigst|wenigst|geringst|kleinst|menor|menos|moins|plus bas"
    r"|meno|più bass|laagst|minst|najmn|najniż|lägst|lavest|færr|en az|en düşük|nejm|наимень|меньше)\w*|最少|最低)"
)
_WIN = (
    r"(?:\b(?:wins?\b|winn|won\b|best|better|gewinn|sieg|besser|gagn|remport|meilleur|gana|vence|mejor|ganha|melhor|vinc"
    r"|miglior|wint|beter|wygr|lepsz|vinn|vind|bäst|bedst|voitta|kazan|vyhr|выигр|побежд|лучш)\w*|胜|勝|赢)"
)
_LOWEST_WINS = re.compile(f"(?i){_LOW}.{{0,40}}{_WIN}|{_WIN}.{{0,40}}{_LOW}")
_HIGHEST = re.compile(r"(?i)\b(?:highest|most|höchst|meist|más|mayor|maior|mais|hoogst|flest|högst|больше)|最多|最高")


def _words(*texts: str) -> set[str]:
    return {plain_name(word) for text in texts for word in re.findall(r"[^\W\d_]+", text)}


def lowest_wins(
    table: Table, columns: list[str], values: Floats, par: Floats | None = None, golf: bool = False
) -> bool:
    """Return whether the lowest score wins, and add a remark if so.

    The header, the title or the name of the file may say so. `par` is the par of the courses. Raise an `Error` if these
    only say that it is about `golf`, and the scores may be strokes or points.
    """
    if table.choices.lowest_wins is not None:
        return table.choices.lowest_wins
    headers, around = _words(*columns), _words(table.heading, Path(table.title).stem)
    others = {plain_name(name) for name in table.frame.columns}
    lowest = bool(_LOWEST_WINS.search(table.heading)) and not _HIGHEST.search(table.heading)
    timed = (headers | around) & set(aliases.TIMED.split()) and bool((values % 1 > 0).any())
    penalties = (headers | around) & set(aliases.PENALTIES.split())
    if not lowest and (timed or penalties or not (headers | around) & set(aliases.HIGHEST.split())):
        lowest = bool({plain_name(name) for name in columns} & set(aliases.LOWEST.split()))
        lowest |= bool(timed or penalties)
        lowest |= bool((headers | around) & set(aliases.LOWEST.split())) or bool(
            others & {"par", *aliases.TO_PAR.split()}
        )
        golf |= "golf" in around | headers
        typical = _median(values) if not lowest and (golf or par is not None) else 0.0
        if not lowest and par is not None:
            lowest = typical > MOST * _median(par)
        elif golf and typical > 0:
            lowest = typical >= STROKES
            if not lowest:
                low, high = Option("lowest_wins", True), Option("lowest_wins", False)
                text = f"{table.title}: {', '.join(columns[:8])} may hold strokes or points; use "
                raise Error(text, low, " if the lowest is best, or ", high, " if the highest is best", field=columns[0])
    if lowest:
        text = f"{', '.join(columns[:8])}: the lowest score wins; use "
        table.note("lowest-wins", text, Option("lowest_wins", False), " if the highest wins", column=columns[0])
        far = np.flatnonzero(values > FAR * max(1.0, _median(np.abs(values))))
        if len(far) and len(columns) == 1:
            row = int(far[0])
            text = f"{table.row_name(row)}: column {columns[0]!r} holds {values[row]:g}, far above the other scores"
            table.note("distant-scores", text, column=columns[0], number=len(far), row=row)
    return lowest


def _median(values: Floats) -> float:
    """Return the median of the known numbers; 0 if there are none.

    >>> _median(np.array([3.0, np.nan, 1.0])), _median(np.array([np.nan]))
    (2.0, 0.0)
    """
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else 0.0


def is_to_par(table: Table, column: str) -> bool:
    """Return whether the cells of a column are scores such as -3, +2 and E."""
    import polars as pl

    if table.frame[column].dtype != pl.String:
        return False
    text = text_of(table, column).drop_nulls()
    return text.is_in(["E", "e", "Even"]).any() and text.str.contains(r"(?i)^([+-]?\d{1,2}|e|even)$").all()


def read_handicap(table: Table) -> Table:
    """Return the table with its net scores as the results, if it has columns with handicaps, gross and net scores.

    In golf, net = gross − handicap, and the lowest net score wins. In bowling, the handicap is added to the pins. Raise
    an `Error` if the headers and the numbers contradict each other.
    """
    import polars as pl

    names = {column: plain_name(column) for column in table.frame.columns}
    handicap = next((column for column, name in names.items() if name in aliases.HANDICAP.split()), None)
    given = {plain_name(role) for role in table.choices.columns or {}}
    if not {*names.values()} & set(aliases.LONG["player"].split()):
        return table
    if {*names.values()} & set(aliases.LONG["rank"].split()) or given & {"rank", "score", "winner"}:
        return table
    if handicap is None:
        if column := next((name for name in names if _words(name) & set(aliases.HANDICAP.split())), None):
            change = Option("columns", {"score": column})
            text = f"column {column!r} may be the score with the handicap, but is not used; use "
            table.note("unused-handicap", text, change, " if it counts", column=column)
        return table
    trial = replace(table, problems=Problems(), remarks=[])
    values = {
        column: numbers(trial, column)
        for column in table.frame.columns
        if table.frame[column].dtype.is_numeric() or table.frame[column].dtype == pl.String
    }
    values = {column: read for column, read in values.items() if np.isfinite(read).sum() > len(read) / 2}
    if handicap not in values or len(values) > MOST_COLUMNS:
        return table
    by, words = values.pop(handicap), {column: _words(column) for column in values}
    net = [column for column in values if words[column] & set(aliases.NET.split())]
    gross = [column for column in values if words[column] & set(aliases.GROSS.split())]
    pairs = list(_differing_by(table, values, by))
    if len(pairs) != 1 or pairs[0][1] in net or (pairs[0][0] in gross and pairs[0][0] in net):
        claimed = [*net, *(name for name in values if words[name] & set(aliases.HANDICAP.split()))]
        if claimed:
            lowest, highest = (Option("columns", {role: claimed[0]}) for role in ("rank", "score"))
            text = f"{table.title}: {claimed[0]!r} does not follow from {handicap!r} and another column; use "
            raise Error(text, lowest, " if the lowest wins, or ", highest, " if the highest wins", field=claimed[0])
        text = f"{handicap!r} is not used: no two columns differ by it, so scores are compared without it"
        table.note("handicap", text, column=handicap)
        return table
    low, high, wrong = pairs[0]
    is_net = low in net or high in gross
    result, role, other = (low, "rank", high) if is_net else (high, "score", low)
    if table.choices.lowest_wins is not None:
        role = "rank" if table.choices.lowest_wins else "score"
    text = f"this does not agree with {other!r} and {handicap!r}; correct one of them"
    table.reject(np.flatnonzero(wrong), result, text)
    sign, best = ("less", "lowest") if is_net else ("and", "highest")
    text = f"{result} is {other} {sign} {handicap}; the {best} wins; use "
    change = Option("columns", {role: other})
    table.note("handicap", text, change, f" to compare {other}", column=result)
    columns = {**(table.choices.columns or {}), role: result}
    return replace(table, choices=replace(table.choices, columns=columns))


def _differing_by(table: Table, values: dict[str, Floats], by: Floats) -> Iterator[tuple[str, str, NDArray[np.bool_]]]:
    """Yield the pairs of columns that differ by a handicap in nearly all rows, and the rows in which they do not."""
    filled = {column: text_of(table, column).is_not_null().to_numpy() for column in values}
    few = max(1, round((1 - AGREE) * len(table.frame)))  # a slip in one row
    for low, high in permutations(values, 2):
        right = np.abs(values[low] + by - values[high]) < CLOSE
        wrong = ~right & filled[low] & filled[high]
        if wrong.sum() <= few and right.sum() > 2 * wrong.sum():
            yield low, high, wrong

"""Reading the result of both teams from one cell: 3-1, ½-½, 2-2 (4-3 pens), 6-4 3-6 7-6(5), w/o."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .aliases import (
    AFTER_RESULTS,
    FIRST_BY_WALKOVER,
    MISSING,
    MONTHS,
    RETIRED,
    SECOND_BY_WALKOVER,
    SHOOTOUTS,
    UNPLAYED,
    UNPLAYED_SIGNS,
    WALKOVERS,
)
from .layout import plain_name
from .ragged import Floats
from .table import Table
from .text import intern, plain_text, text_of

if TYPE_CHECKING:
    pass

__all__ = ["PLAYED", "UNPLAYED_MATCH", "WALKOVER", "WRONG", "Results", "pair_results"]

PLAYED, UNPLAYED_MATCH, WALKOVER, WRONG = range(4)
_SET = 6  # games that a set of tennis has at least

_RIGHT = "a result is needed, such as 3-1, 1/2-1/2 or w/o"
_DATE = "this looks like a date, which spreadsheets make of results: write it as text, such as 3:1"
_NUMBER = r"(?:\d+ 1/2|1/2|\d+(?:[.,]\d+)?)"
_PAIR = re.compile(rf"(?<![\d.,])([+-]?{_NUMBER})\s*(?:[-:x×~]|vs?\.?|to)\s*([+-]?{_NUMBER})(?![\d.,]*\d)")
_BETWEEN = re.compile(rf"({_NUMBER}) ?\((\d+)\) ?[-:] ?(?:({_NUMBER}) ?\((\d+)\)|\((\d+)\) ?({_NUMBER}))")
_BRACKETS = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]")
_WORD = re.compile(r"[^\W_][^\s,;/()\[\]]*")
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_CALENDAR = re.compile(rf"\d{{1,2}}[-. /]+(?:{'|'.join(MONTHS)})[a-z]*\.?(?:[-. /]+\d+)?|(?:{'|'.join(MONTHS)})[a-z]*[-. /]+\d{{1,4}}"
                       r"|\d{4}-\d\d?-\d\d?(?:[ t].*)?|\d{1,2}([./])\d{1,2}\1(?:\d{4}|\d\d)|\d{1,2}-\d{1,2}-\d{4}")  # fmt: skip


@dataclass(frozen=True)
class Results:
    """The results of matches of two teams, as columns: scores where they are known, and who won.

    `sign` is 1 where the first team won, −1 where the second did, 0 for a draw (of walkovers: it is not known who won);
    `state` is one of `PLAYED`, `UNPLAYED_MATCH`, `WALKOVER` and `WRONG`, whose problem is noted. `scored` is false where
    all that is known is who won, as in chess.
    """

    first: Floats
    second: Floats
    sign: NDArray[np.int8]
    state: NDArray[np.int8]
    scored: bool


@dataclass(frozen=True)
class Cell:
    """What one cell says; `sets` counts the pairs of points that it lists, `ends` is how it ended."""

    state: int = WRONG
    first: float = np.nan
    second: float = np.nan
    sign: int = 0
    sets: int = 0
    ends: str = ""
    right: str = _RIGHT


_OPEN = Cell(right="it does not say who retired: give the winner in a column, or leave the row out")


def pair_results(table: Table, column: str, decided: bool = False) -> Results:
    """Read a column that holds the results of both teams, and note how sets, shoot-outs and times were taken.

    Where it is `decided` elsewhere who won, a cell that leaves it open is no problem: 6-4 3-6 RET.
    """
    code, different = intern(text_of(table, column).fill_null(""))
    cells = different.to_list()
    counts = np.bincount(code, minlength=len(cells))
    read = as_one_column([pair_cell(cell) for cell in cells], cells, counts)
    if not decided:
        read = [_OPEN if one.ends == "retired" and not one.sign else one for one in read]
    note_endings(table, column, read, counts, cells)
    return spread(table, column, read, code)


def spread(table: Table, column: str, read: list[Cell], code: NDArray[np.int32]) -> Results:
    """Give every row what its cell says, and note the problems."""
    if not read:
        none = np.zeros(0)
        return Results(none, none, none.astype(np.int8), none.astype(np.int8), False)
    state = np.array([cell.state for cell in read], np.int8)
    wrong = np.flatnonzero((state == WRONG)[code])
    if len(wrong):
        table.reject(wrong, column, lambda index: read[code[wrong[index]]].right)
    first, second = (np.array([getattr(cell, side) for cell in read], float) for side in ("first", "second"))
    played = (state == PLAYED) & ~np.isnan(first)
    plain = np.isin(first[played], (0, 0.5, 1)) & (first[played] + second[played] == 1)
    sign = np.array([cell.sign for cell in read], np.int8)
    return Results(first[code], second[code], sign[code], state[code], bool(len(plain)) and not plain.all())


def as_one_column(read: list[Cell], cells: list[str], counts: NDArray[np.intp]) -> list[Cell]:
    """Settle what one cell leaves open by the others: 19:30 is a time beside 15:00, and 6-2 a set beside 6-4 6-3."""
    plain = [plain_text(cell) for cell in cells]
    clocks = [match for cell in plain if (match := _CLOCK.fullmatch(cell))]
    if any(match[2][0] == "0" for match in clocks):
        read = [
            Cell(UNPLAYED_MATCH, ends="time") if (match := _CLOCK.fullmatch(cell)) and _is_time(match) else one
            for one, cell in zip(read, plain, strict=True)
        ]
    slashes = [re.fullmatch(r"(\d+) ?/ ?(\d+)", cell) for cell in plain]
    if any(match and match[0] != "1/2" for match in slashes):
        read = [pair(float(m[1]), float(m[2])) if m else one for one, m in zip(read, slashes, strict=True)]
    several = sum(int(count) for one, count in zip(read, counts, strict=True) if one.sets > 1)
    single = sum(int(count) for one, count in zip(read, counts, strict=True) if one.sets == 1)
    if several > single:
        read = [pair(float(one.sign > 0), float(one.sign < 0), ends="sets") if one.sets == 1 else one for one in read]
    return read


def _is_time(match: re.Match[str]) -> bool:
    return match[2][0] == "0" or (int(match[1]) > 9 and match[2][1] in "05")


def note_endings(table: Table, column: str, read: list[Cell], counts: NDArray[np.intp], cells: list[str]) -> None:
    """Say what was made of cells that hold more than a score."""
    said = {
        "sets": "the sets are counted",
        "shootout": "the score before a shoot-out counts, a draw",
        "time": "a time of day: the match is not played yet",
        "retired": "ended early: the sets that were won count",
    }
    for ends, meaning in said.items():
        found = [
            (cell, one, int(count)) for cell, one, count in zip(cells, read, counts, strict=True) if one.ends == ends
        ]
        if found:
            cell, one, _ = found[0]
            total = sum(count for *_, count in found)
            shown = f" ({one.first:g}-{one.second:g})" if one.state == PLAYED else ""
            table.note(f"{column}: {total:,} cell{'s' * (total > 1)} such as {cell!r}{shown}: {meaning}")


def pair(first: float, second: float, state: int = PLAYED, ends: str = "", sets: int = 0) -> Cell:
    """Make a cell of two scores."""
    return Cell(state, first, second, (first > second) - (first < second), sets, ends)


def pair_cell(cell: str) -> Cell:
    """Read a cell.

    >>> one = pair_cell("6-4 3-6 7-6(5)")
    >>> one.first, one.second, one.sign
    (2.0, 1.0, 1)
    """
    text = plain_text(cell).casefold().strip("'\"")
    whole = _whole_cell(text)
    if whole is not None:
        return whole
    inside = [one or other for one, other in _BRACKETS.findall(text)]
    square = ["[" in match[0] for match in _BRACKETS.finditer(text)]
    outside = _BRACKETS.sub(" ", text)
    if between := _BETWEEN.search(text):
        return _between(between)
    pairs = _PAIR.findall(outside)
    if not pairs and len(inside) == 1 and not outside.strip():
        return pair_cell(inside[0])
    rest = _PAIR.sub(" ", outside)
    words = [plain_name(word) for word in _WORD.findall(" ".join([rest, *(_PAIR.sub(" ", one) for one in inside)]))]
    return _of_pairs(pairs, inside, square, words, rest)


def _whole_cell(text: str) -> Cell | None:
    """Read a cell that is a word or a sign as a whole."""
    word, signs = plain_name(text), text.replace(" ", "")
    if text in MISSING or signs in UNPLAYED_SIGNS or word in UNPLAYED:
        return Cell(UNPLAYED_MATCH)
    if signs in FIRST_BY_WALKOVER or signs in SECOND_BY_WALKOVER:
        return Cell(WALKOVER, sign=1 if signs in FIRST_BY_WALKOVER else -1)
    if word in WALKOVERS:
        return Cell(WALKOVER)
    if blank := re.fullmatch(r"(\d\d?) (\d\d?)", text):
        return pair(float(blank[1]), float(blank[2]))
    if word in RETIRED:
        return Cell(PLAYED, ends="retired")
    if signs in ("=", "1/2", "0.5", "0,5", "draw", "remis"):
        return pair(0.5, 0.5)
    return Cell(right=_DATE) if _CALENDAR.fullmatch(text) else None


def _between(match: re.Match[str]) -> Cell:
    """Read a shoot-out that stands beside the scores: 1 (5) - 1 (4)."""
    first, second = _value(match[1]), _value(match[3] or match[6])
    return pair(first, second, ends="shootout" if first == second else "")


def _of_pairs(pairs: list[tuple[str, str]], inside: list[str], square: list[bool], words: list[str], rest: str) -> Cell:
    """Read a cell with one score, or with those of several sets, and words around it."""
    if not pairs or re.search(r"\d", "".join(re.findall(r"\b\d+\b", rest))):
        return Cell()
    scores = [(_value(one), _value(other)) for one, other in pairs]
    odd = [word for word in words if not word.isdigit() and word not in AFTER_RESULTS | RETIRED | WALKOVERS | UNPLAYED]
    if odd:
        return Cell()
    retired = bool(RETIRED & set(words))
    if WALKOVERS & set(words) and not (retired and len(scores) > 1):
        return pair(*scores[0], state=WALKOVER)
    if UNPLAYED & set(words) - AFTER_RESULTS - RETIRED:
        return Cell(UNPLAYED_MATCH)
    shot = bool(SHOOTOUTS & set(words))
    bracketed = [(_value(one), _value(other)) for text in inside for one, other in _PAIR.findall(text)]
    if len(scores) == 1 or (len(scores) == 2 and scores[0][0] == scores[0][1] and shot):
        (first, second), more = scores[0], [*scores[1:], *bracketed]
        beyond = len(more) == 1 and (more[0][0] > first or more[0][1] > second)
        ends = "retired" if retired else "shootout" if first == second and (shot or beyond) else ""
        return pair(first, second, ends=ends, sets=1 if not more else 0)
    if retired and max(scores[-1]) < _SET:
        scores = scores[:-1]
    deciders = [
        (_value(a), _value(b)) for text, s in zip(inside, square, strict=True) if s for a, b in _PAIR.findall(text)
    ]
    first = float(sum(one > other for one, other in scores + deciders))
    second = float(sum(one < other for one, other in scores + deciders))
    return pair(first, second, ends="retired" if retired else "sets", sets=len(scores))


def _value(text: str) -> float:
    """Read a score, which may have a half."""
    sign = -1.0 if text.startswith("-") else 1.0
    text = text.lstrip("+-")
    half = 0.5 if text.endswith("1/2") else 0.0
    whole = text.removesuffix("1/2").strip().replace(",", ".") or "0"
    return sign * (float(whole) + half)

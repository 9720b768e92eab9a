"""Reading a column of results, each of both teams in one cell."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ragged import Floats
from ..read_context import Table
from .score_grammar import PLAYED, UNPLAYED_MATCH, WALKOVER, WRONG, Cell, pair, pair_cell
from .text import intern, plain_text, text_of

__all__ = ["PLAYED", "UNPLAYED_MATCH", "WALKOVER", "WRONG", "Column", "Results", "pair_results"]

_OPEN = Cell(right="it does not say who retired: give the winner in a column, or leave the row out")
_HOW = {
    "sets": "the sets are counted",
    "shoot-out": "the score before the shoot-out counts, a draw",
    "clock": "a time of day, so the match is not played yet",
    "retired": "a match that ended early counts by its sets",
}


@dataclass(frozen=True)
class Results:
    """The results of matches of two teams, as columns: the scores, NaN where there are none, and who won.

    `sign` is 1 where the first team won, −1 where the second did, and 0 for a draw, or for a walkover that does not say
    who won. `state` is `PLAYED`, `UNPLAYED_MATCH`, `WALKOVER` or `WRONG`, whose problem is noted. Where `scored` is
    false, all that is known is who won, as in chess.
    """

    first: Floats
    second: Floats
    sign: NDArray[np.int8]
    state: NDArray[np.int8]
    scored: bool
    dates: bool = False  # whether a cell is a date, which spreadsheets make of results


def pair_results(table: Table, column: str, decided: bool = False) -> Results:
    """Read a column that holds the results of both teams, and note how sets, shoot-outs and times were taken.

    Where it is `decided` elsewhere who won, a cell that leaves it open is no problem: 6-4 3-6 RET.

    >>> import polars as pl
    >>> cells = Table(pl.DataFrame({"result": ["3-1", "6-4 4-6 6-3", "½-½", "w/o"]}), "cells")
    >>> found = pair_results(cells, "result")
    >>> found.first, found.sign, (found.state == WALKOVER).sum()
    (array([3. , 2. , 0.5, nan]), array([1, 1, 0, 0], dtype=int8), np.int64(1))
    """
    cells = Column(table, column)
    read = cells.settled([pair_cell(cell, table.choices.decimal) for cell in cells.texts])
    if not decided:
        read = [_OPEN if result.how == "retired" and not result.sign else result for result in read]
    return cells.results(read)


class Column:
    """The different cells of a column of results: they are few, and each is read once."""

    def __init__(self, table: Table, column: str) -> None:
        """Find the different cells."""
        self.table, self.column = table, column
        self.code, different = intern(text_of(table, column).fill_null(""))
        self.texts: list[str] = different.to_list()
        self.counts: NDArray[Any] = np.bincount(self.code, minlength=len(self.texts))

    def settled(self, read: list[Cell]) -> list[Cell]:
        """Settle by the others what one cell leaves open: 19:30 is a time beside 15:00, and 6-2 a set beside 6-4 6-3.

        A result "1/2" is a draw, unless others such as "3/1" have the slash between two scores.
        """
        plain = [plain_text(text) for text in self.texts]
        clocks = [re.fullmatch(r"(\d|[01]\d|2[0-3]):([0-5]\d)", text) for text in plain]
        if any(clock and clock[2][0] == "0" for clock in clocks):
            time = Cell(UNPLAYED_MATCH, how="clock")
            read = [time if clock and _is_time(clock) else result for result, clock in zip(read, clocks, strict=True)]
        slashes = [re.fullmatch(r"(\d+) ?/ ?(\d+)", text) for text in plain]
        if any(slash and slash[0] != "1/2" for slash in slashes):
            read = [pair(float(s[1]), float(s[2])) if s else result for result, s in zip(read, slashes, strict=True)]
        several, single = (
            self._rows(result.pairs == number and result.state == PLAYED for result in read) for number in (2, 1)
        )
        if several >= single and several:
            read = [_set(result) if result.pairs == 1 and result.state == PLAYED else result for result in read]
        return read

    def results(self, read: list[Cell]) -> Results:
        """Give every row what its cell says, and note the problems, and by what rules cells were read."""
        for how, meaning in _HOW.items():
            self._note([result.how == how for result in read], read, meaning)
        state = np.array([result.state for result in read], np.int8)
        wrong = np.flatnonzero((state == WRONG)[self.code])
        if len(wrong):
            self.table.reject(wrong, self.column, lambda index: read[self.code[wrong[index]]].right)
        first, second = (np.array([getattr(result, side) for result in read], float) for side in ("first", "second"))
        scored = (state == PLAYED) & ~np.isnan(first)
        points = np.isin(first, (0, 0.5, 1)) & (first + second == 1)
        sign = np.array([result.sign for result in read], np.int8)
        code, has_scores = self.code, bool((scored & ~points).any())
        dates = any(result.how == "date" for result in read)
        return Results(first[code], second[code], sign[code], state[code], has_scores, dates)

    def _rows(self, chosen: Any) -> int:
        return int(self.counts[np.fromiter(chosen, bool, len(self.texts))].sum())

    def _note(self, chosen: list[bool], read: list[Cell], meaning: str) -> None:
        if any(chosen):
            number, rows = chosen.index(True), self._rows(chosen)
            text, result = self.texts[number], read[number]
            score = (
                f" is {result.first:g}-{result.second:g}"
                if result.state == PLAYED and result.first == result.first
                else ""
            )
            more = f" ({rows:,} cells)" if rows > 1 else ""
            sentence = f"{self.column}: {text!r}{score}: {meaning}{more}"
            self.table.note(read[number].how, sentence, column=self.column, number=rows)


def _is_time(clock: re.Match[str]) -> bool:
    return clock[2][0] == "0" or (int(clock[1]) > 9 and clock[2][1] in "05")


def _set(result: Cell) -> Cell:
    return pair(float(result.sign > 0), float(result.sign < 0), how=result.how or "sets")

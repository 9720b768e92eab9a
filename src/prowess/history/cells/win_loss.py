"""Reading results from the view of one team: W/D/L, 1/X/2, won and lost, V/N/D, W 3-1."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..names import plain_name
from ..read_context import Table
from .results import Column, Results
from .score_grammar import PLAYED, UNPLAYED_MATCH, WALKOVER, WRONG, Cell, pair_cell
from .text import plain_text
from .words import BY_WALKOVER, LANGUAGES, MISSING, OVERTIME

_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d+)?|1/2)")
_BESIDE = re.compile(r"([^\W\d_]+)[\s,:.]*([\d(+-].*)")
_BEHIND = re.compile(r"([\d(+-].*)[\s,:.]([^\W\d_]+)")
_RIGHT = "it must say whether the first team won: W, D or L, or a result such as 3-1"
_MEANING = {1: "a win of the first team", 0: "a draw", -1: "a loss of the first team"}
_SIGNS = {
    language: {word: sign for sign, words in zip((1, 0, -1), said, strict=True) for word in words.split()}
    for language, said in LANGUAGES.items()
}


@dataclass(frozen=True)
class _Said:
    """The word of a cell, and the score beside it."""

    word: str
    score: Cell | None = None


def word_results(table: Table, column: str, also: Mapping[str, int] | None = None) -> Results:
    """Read a column that says whether the first team won, in words, signs or scores; `also` has more words by sign.

    A letter means what it means in the language that fits the cells of the column: D is a draw beside W and L, and a
    defeat beside V and N.

    >>> import polars as pl
    >>> for words in (["W", "D", "L"], ["V", "N", "D"]):
    ...     word_results(Table(pl.DataFrame({"result": words}), "cells"), "result").sign.tolist()
    [1, 0, -1]
    [1, 0, -1]
    """
    cells = Column(table, column)
    words = [_said(text) for text in cells.texts]
    signs = _signs(cells, words, dict(also or {}))
    read = [_cell(text, word, signs) for text, word in zip(cells.texts, words, strict=True)]
    if not any(word.word in signs for word in words):
        read = cells.settled(read)
    return cells.results(_agreeing(table, column, words, read))


def _said(cell: str) -> _Said:
    text = plain_text(cell).casefold()
    if _NUMBER.fullmatch(text):  # spelled in one way: 1.0 is 1, ½ is 0.5
        return _Said(f"{0.5 if text.endswith('1/2') else float(text.replace(',', '.')):g}")
    before, behind = _BESIDE.fullmatch(text), _BEHIND.fullmatch(text)
    word, beside = (before[1], before[2]) if before else (behind[2], behind[1]) if behind else ("", "")
    score = pair_cell(beside) if beside else None
    if score is not None and score.state == PLAYED:
        return _Said(word, score)
    return _Said(plain_name(text) or text)


def _signs(cells: Column, words: list[_Said], also: dict[str, int]) -> dict[str, int]:
    """Find the language that fits most cells: the first of those that fit equally, with a note where they differ."""
    present = {word.word for word in words}
    known = {
        language: own | {late: own[word] for late, word in OVERTIME.items() if word in own} | also
        for language, own in _SIGNS.items()
        if language != "+/=/-" or present & {"+", "="}  # a dash alone is an empty cell
    }
    fits = {
        language: sum(int(count) for word, count in zip(words, cells.counts, strict=True) if word.word in own)
        for language, own in known.items()
    }
    most = max(fits.values())
    fitting = cells.table.decide(
        f"language of {cells.column}", lambda: [language for language, fit in fits.items() if fit == most > 0] or None
    )
    best, *others = [language for language in fitting or fits if language in known]
    signs = known[best]
    unsure = [word for word in sorted(present & signs.keys()) if any(known[o].get(word) != signs[word] for o in others)]
    if unsure:
        meanings = ", ".join(f"{word!r} is {_MEANING[signs[word]]}" for word in unsure)
        cells.table.note("result-words", f"{cells.column}: {meanings} (read as {best})", column=cells.column)
    late = sorted(word for word in present & OVERTIME.keys() if word in signs)
    if late:
        text = f"{cells.column}: {', '.join(late)}: after overtime or a shoot-out a win is a win"
        cells.table.note("overtime", text, column=cells.column)
    return signs


def _cell(cell: str, word: _Said, signs: Mapping[str, int]) -> Cell:
    if word.word in signs:
        return replace(word.score or Cell(PLAYED), sign=signs[word.word])
    if word.word in BY_WALKOVER:
        return Cell(WALKOVER, sign=BY_WALKOVER[word.word])
    if word.word in MISSING:
        return Cell(UNPLAYED_MATCH)
    read = pair_cell(cell)
    return read if read.state != WRONG or read.how == "date" else replace(read, right=_RIGHT)


def _agreeing(table: Table, column: str, words: list[_Said], read: list[Cell]) -> list[Cell]:
    """Let words and scores agree: where all losses are written as 3-1, the winner's score stands first."""
    beside = [word.score is not None and cell.state == PLAYED for cell, word in zip(read, words, strict=True)]
    lost, won = ([cell for cell, b in zip(read, beside, strict=True) if b and cell.sign == sign] for sign in (-1, 1))
    if lost and all(cell.first > cell.second for cell in lost) and all(cell.first >= cell.second for cell in won):
        text = f"{column}: the winner's score stands first, also after a word for a loss"
        table.note("winner-first", text, column=column)
        read = [
            replace(cell, first=cell.second, second=cell.first) if b and cell.sign < 0 else cell
            for cell, b in zip(read, beside, strict=True)
        ]
    wrong = Cell(right="the word and the score say different things")
    return [
        wrong if b and cell.sign != (cell.first > cell.second) - (cell.first < cell.second) else cell
        for cell, b in zip(read, beside, strict=True)
    ]

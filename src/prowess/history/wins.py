"""Reading results from the view of one team: W/D/L, 1/X/2, won and lost, V/N/D, W 3-1."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .aliases import BY_WALKOVER, LANGUAGES, MISSING, OVERTIME
from .layout import plain_name
from .results import PLAYED, WALKOVER, WRONG, Cell, Results, as_one_column, note_endings, pair_cell, spread
from .table import Table
from .text import intern, plain_text, text_of

__all__ = ["word_results"]

_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d+)?|1/2)")
_BESIDE = re.compile(r"([^\W\d_]+)[\s,:.]*([\d(+-].*)")
_BEHIND = re.compile(r"([\d(+-].*)[\s,:.]([^\W\d_]+)")
_RIGHT = "it must say whether the first team won: W, D or L, or a result such as 3-1"
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
    """
    code, different = intern(text_of(table, column).fill_null(""))
    cells = different.to_list()
    counts = np.bincount(code, minlength=len(cells))
    said = [_said(cell) for cell in cells]
    signs = _signs(table, column, said, counts, dict(also or {}))
    read = [_cell(cell, one, signs) for cell, one in zip(cells, said, strict=True)]
    if not any(one.word in signs for one in said):
        read = as_one_column(read, cells, counts)
    read = _agreeing(table, column, said, read)
    note_endings(table, column, read, counts, cells)
    return spread(table, column, read, code)


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


def _signs(table: Table, column: str, said: list[_Said], counts: NDArray[Any], also: dict[str, int]) -> dict[str, int]:
    """Find the language that fits most cells: the first of those that fit equally, with a note where they differ."""
    words = {one.word for one in said}
    fits: dict[str, int] = {}
    known: dict[str, dict[str, int]] = {}
    for language, own in _SIGNS.items():
        known[language] = own | {late: own[base] for late, base in OVERTIME.items() if base in own} | also
        if language == "+/=/-" and not words & {"+", "="}:  # a dash alone is an empty cell
            known[language] = also
        fits[language] = sum(int(count) for one, count in zip(said, counts, strict=True) if one.word in known[language])
    most = max(fits.values())
    best, *others = [language for language in fits if fits[language] == most]
    signs = known[best]
    odd = [
        word
        for word in sorted(words & signs.keys())
        for other in others
        if known[other].get(word, signs[word]) != signs[word]
    ]
    if odd and most:
        meaning = {1: "a win of the first team", 0: "a draw", -1: "a loss of the first team"}[signs[odd[0]]]
        table.note(f"{column}: {odd[0]!r} is read as {meaning}, as in {best}")
    late = sorted(word for word in words & OVERTIME.keys() if OVERTIME[word] in signs)
    if late:
        table.note(f"{column}: {', '.join(late)} (after overtime or a shoot-out) count as wins and losses")
    return signs


def _cell(cell: str, said: _Said, signs: Mapping[str, int]) -> Cell:
    if said.word in signs:
        return replace(said.score or Cell(PLAYED), sign=signs[said.word])
    if said.word in BY_WALKOVER:
        return Cell(WALKOVER, sign=BY_WALKOVER[said.word])
    if said.word in MISSING:
        return pair_cell("")
    read = pair_cell(cell)
    return read if read.state != WRONG or "date" in read.right else replace(read, right=_RIGHT)


def _agreeing(table: Table, column: str, said: list[_Said], read: list[Cell]) -> list[Cell]:
    """Let words and scores agree: where all losses are written as 3-1, the winner's score stands first."""
    scored = [one for one, word in zip(read, said, strict=True) if word.score is not None and one.state == PLAYED]
    lost = [one for one in scored if one.sign < 0]
    if (
        lost
        and all(one.first > one.second for one in lost)
        and not any(one.sign * (one.first - one.second) < 0 for one in scored if one.sign > 0)
    ):
        table.note(f"{column}: the winner's score stands first, also after a word for a loss")
        turned = {id(one) for one in lost}
        read = [replace(one, first=one.second, second=one.first) if id(one) in turned else one for one in read]
    return [
        Cell(right="the word and the score say different things")
        if word.score is not None and one.state == PLAYED and one.sign != np.sign(one.first - one.second)
        else one
        for one, word in zip(read, said, strict=True)
    ]

"""Read result columns: the score of both teams (3-1, w/o), or the result of the first team (W/D/L, 1/X/2, W 3-1)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from ...errors import Option, Piece
from ..names.spelling import plain_name
from ..ragged import Floats
from ..read_context import Table
from .score_grammar import PLAYED, UNPLAYED_MATCH, WALKOVER, WRONG, Cell, pair, pair_cell, sign_of
from .text import intern, plain_text, text_of
from .words import BY_WALKOVER, LANGUAGES, MISSING, OVERTIME

_NO_WINNER = Cell(right="the result does not say who retired; add a column with the winner, or drop the row")
_CONTRADICTION = Cell(right="the word and the score contradict each other; correct one of them")
_WORD_NEEDED = "write whether the first team won (W, D or L), or a result such as 3-1"
_RULES = {
    "sets": "{unit} are counted",
    "shoot-out": "the score before the shoot-out counts, so the match is a draw",
    "clock": "this is a time of day, so the match has not been played yet",
    "retired": "if a match ended early, the {unit} played until then are counted",
}
_SHOT = "the side that won the shoot-out won the match"
MOST = 0.9  # fraction of the cells with sets that must look like tennis
_TIME_OF_DAY = re.compile(r"(\d|[01]\d|2[0-3]):([0-5]\d)")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d+)?|1/2)")
_WORD_BEFORE = re.compile(r"([^\W\d_]+)[\s,:.]*([\d(+-].*)")
_WORD_BEHIND = re.compile(r"([\d(+-].*)[\s,:.]([^\W\d_]+)")
# "2-" is an incomplete result, not the name of the second side.
INCOMPLETE = re.compile(r"\d\s*[-:/]\s*$|^\s*[-:/]\s*\d")
_MEANING = {1: "a win for the first team", 0: "a draw", -1: "a loss for the first team"}
_SIGNS = {
    language: {word: sign for sign, words in zip((1, 0, -1), lists, strict=True) for word in words.split()}
    for language, lists in LANGUAGES.items()
}


@dataclass(frozen=True)
class Results:
    """The results of two-team matches, as columns: the scores (NaN if there are none) and the winner.

    `sign` is 1 if the first team won, −1 if the second won, and 0 for a draw, or for a walkover without a known winner.
    `state` is `PLAYED`, `UNPLAYED_MATCH`, `WALKOVER` or `WRONG` (reported as a problem). If `scored` is false, the
    results have winners but no scores, as in chess.
    """

    first: Floats
    second: Floats
    sign: NDArray[np.int8]
    state: NDArray[np.int8]
    scored: bool
    dates: bool = False  # whether a cell is a date, because spreadsheets turn results into dates


def pair_results(table: Table, column: str, decided: bool = False) -> Results:
    """Read a column that holds the scores of both teams, and add remarks on sets, shoot-outs and times of day.

    If `decided` is true, another column has the winner, so a cell without a winner, such as 6-4 3-6 RET, is not a
    problem.

    >>> import polars as pl
    >>> cells = Table(pl.DataFrame({"result": ["3-1", "6-4 4-6 6-3", "½-½", "w/o"]}), "cells")
    >>> results = pair_results(cells, "result")
    >>> results.first, results.sign, (results.state == WALKOVER).sum()
    (array([ 3. , 16. ,  0.5,  nan]), array([1, 1, 0, 0], dtype=int8), np.int64(1))
    """
    cells = _Column(table, column)
    read = cells.settle([pair_cell(cell, table.choices.decimal) for cell in cells.texts])
    read = cells.settle_shootouts(read, decided)
    if not decided:
        read = [_NO_WINNER if result.rule == "retired" and not result.sign else result for result in read]
    return cells.results(read)


def word_results(table: Table, column: str, also: Mapping[str, int] | None = None) -> Results:
    """Read a column with the first team's result, in words, symbols or scores.

    `also` maps further words to results: 1 for a win, 0 for a draw, −1 for a loss. Letters are read in the language
    that fits the other cells of the column: with W and L, D is a draw; with V and N (French), D is a defeat.

    >>> import polars as pl
    >>> for words in (["W", "D", "L"], ["V", "N", "D"]):
    ...     word_results(Table(pl.DataFrame({"result": words}), "cells"), "result").sign.tolist()
    [1, 0, -1]
    [1, 0, -1]
    """
    cells = _Column(table, column)
    words, scores = zip(*map(_word_and_score, cells.texts), strict=True) if cells.texts else ((), ())
    numeric = [_NUMBER.fullmatch(plain_text(text)) is not None for text in cells.texts]
    # Among results such as 2-1, a cell "2" is an incomplete result.
    if 0 < cells.count_rows(numeric) <= cells.count_scores():
        words = tuple(f"{word} alone" if alone else word for word, alone in zip(words, numeric, strict=True))
    signs = _choose_language(cells, words, also or {})
    read = [_read_word(*parts, signs) for parts in zip(cells.texts, words, scores, strict=True)]
    if not signs.keys() & set(words):
        read = cells.settle_shootouts(cells.settle(read))
    beside = [score is not None and result.state == PLAYED for result, score in zip(read, scores, strict=True)]
    lost, won = ([result for result in compress(read, beside) if result.sign == sign] for sign in (-1, 1))
    # If even losses are written as 3-1, the winner's score is first.
    winner_first = (
        bool(lost) and all(cell.first > cell.second for cell in lost) and all(cell.first >= cell.second for cell in won)
    )
    if winner_first:
        text = f"{column}: the winner's score comes first, even in cells with a word for a loss"
        table.note("winner-first", text, column=column)
    for index in compress(range(len(read)), beside):
        result = read[index]
        if winner_first and result.sign < 0:
            result = replace(result, first=result.second, second=result.first)
        read[index] = result if result.sign == sign_of(result.first, result.second) else _CONTRADICTION
    return cells.results(read)


class _Column:
    """The distinct cells of a result column; each is read only once."""

    def __init__(self, table: Table, column: str) -> None:
        self.table, self.column = table, column
        self.code, distinct = intern(text_of(table, column).fill_null(""))
        self.texts: list[str] = distinct.to_list()
        self.counts = np.bincount(self.code, minlength=len(self.texts))

    def count_scores(self) -> int:
        return self.count_rows(pair_cell(text).first >= 0 for text in self.texts)

    def count_rows(self, chosen: Iterable[bool]) -> int:
        return int(self.counts[np.fromiter(chosen, bool, len(self.texts))].sum())

    def settle(self, read: list[Cell]) -> list[Cell]:
        """Resolve ambiguous cells with the help of the other cells of the column.

        If another cell is 15:00, then 19:30 is a time of day; if another cell is 6-4 6-3, then 6-2 is a set.

        A result "1/2" is a draw, unless other cells such as "3/1" use a slash between two scores.
        """
        plain = [plain_text(text) for text in self.texts]
        clocks = [_TIME_OF_DAY.fullmatch(text) for text in plain]
        if any(clock and clock[2][0] == "0" for clock in clocks):
            for index, clock in enumerate(clocks):
                if clock and (clock[2][0] == "0" or (int(clock[1]) > 9 and clock[2][1] in "05")):
                    read[index] = Cell(UNPLAYED_MATCH, rule="clock")
        slashes = [re.fullmatch(r"(\d+) ?/ ?(\d+)", text) for text in plain]
        if any(slash and slash[0] != "1/2" for slash in slashes):
            read = [pair(float(s[1]), float(s[2])) if s else result for result, s in zip(read, slashes, strict=True)]
        points = {(result.first, result.second) for result in read if result.state == PLAYED}
        if (0.5, 0.5) in points and points <= {(1, 0), (0, 1), (0.5, 0.5), (0, 0)}:
            # In chess, 0-0 means that both players lost without a game.
            both_lost = [result.state == PLAYED and (result.first, result.second) == (0, 0) for result in read]
            read = [Cell(UNPLAYED_MATCH) if lost else result for result, lost in zip(read, both_lost, strict=True)]
        pairs = [result.pairs if result.state == PLAYED else 0 for result in read]
        several, single = (self.count_rows(number == count for number in pairs) for count in (2, 1))
        if several >= single and several:
            for index, result in enumerate(read):
                if pairs[index] == 1:
                    sets = pair(float(result.sign > 0), float(result.sign < 0), rule=result.rule or "sets")
                    read[index] = replace(sets, within=(result.first, result.second), tennis=True)
        return read

    def settle_shootouts(self, read: list[Cell], decided: bool = False) -> list[Cell]:
        """Count all shoot-outs as draws, or as wins: 2-2 (4-3 p) and 4:3 n.P. both tell the result of a shoot-out.

        If `decided` is true, another column has the winner.
        """
        for index in [index for index, result in enumerate(read) if result.rule == "shoot-out"]:
            result = read[index]
            first, second = result.first, result.second
            if decided:
                read[index] = replace(result, rule="")
            elif self.table.choices.shootouts == "win":
                read[index] = replace(result, sign=result.shot)
            elif first != second:  # the winner has one more goal, or all goals of the shoot-out
                before = min(first, second) if abs(first - second) == 1 else np.nan
                read[index] = replace(result, first=before, second=before, sign=0)
        return read

    def _score_unit(self, read: list[Cell]) -> str:
        of_sets = [result for result in read if result.within is not None]
        tennis = bool(of_sets) and sum(result.tennis for result in of_sets) >= MOST * len(of_sets)
        counted = ("games" if tennis else "sets") if of_sets else None
        usual = self.table.decide(f"what {self.column} counts", lambda: counted)
        return self.table.choices.score_unit or usual or "sets"

    def results(self, read: list[Cell]) -> Results:
        unit = self._score_unit(read)
        if unit != "sets":
            # The winner is not recomputed: the winner of a tennis match may have won fewer games.
            read = [
                replace(result, first=result.within[0], second=result.within[1]) if result.within else result
                for result in read
            ]
        inner = "games" if any(result.tennis for result in read) else "points"
        other = inner if unit == "sets" else "sets"
        won = self.table.choices.shootouts == "win"
        for rule, meaning in (_RULES | ({"shoot-out": _SHOT} if won else {})).items():
            chosen = [result.rule == rule for result in read]
            if any(chosen):
                index, rows = chosen.index(True), self.count_rows(chosen)
                result = read[index]
                is_scored = result.state == PLAYED and result.first == result.first
                score = f" is read as {result.first:g}-{result.second:g}" if is_scored else ""
                more = f" ({rows:,} cells)" if rows > 1 else ""
                text = f"{self.column}: {self.texts[index]!r}{score}: {meaning.format(unit=unit)}{more}"
                change: tuple[Piece, ...] = ()
                if rule == "sets":
                    change = "; use ", Option("score_unit", other), f" to count {other}"
                elif rule == "shoot-out" and won:
                    change = "; use ", Option("shootouts", "draw"), " to count shoot-outs as draws"
                elif rule == "shoot-out":
                    change = "; use ", Option("shootouts", "win"), " to count the side that won it as the winner"
                self.table.note(rule, text, *change, column=self.column, number=rows)
        state = np.array([result.state for result in read], np.int8)
        wrong = np.flatnonzero((state == WRONG)[self.code])
        if len(wrong):
            self.table.reject(wrong, self.column, lambda index: read[self.code[wrong[index]]].right)
        first, second = (np.array([getattr(result, side) for result in read], float) for side in ("first", "second"))
        scored = (state == PLAYED) & ~np.isnan(first)
        points = np.isin(first, (0, 0.5, 1)) & (first + second == 1)
        sign = np.array([result.sign for result in read], np.int8)
        code, dates = self.code, any(result.rule == "date" for result in read)
        return Results(first[code], second[code], sign[code], state[code], bool((scored & ~points).any()), dates)


def _word_and_score(cell: str) -> tuple[str, Cell | None]:
    text = plain_text(cell).casefold()
    if _NUMBER.fullmatch(text):  # normalised: 1.0 is 1, ½ is 0.5
        return f"{0.5 if text.endswith('1/2') else float(text.replace(',', '.')):g}", None
    if before := _WORD_BEFORE.fullmatch(text):
        word, beside = before.groups()
    elif behind := _WORD_BEHIND.fullmatch(text):
        beside, word = behind.groups()
    else:
        return text if INCOMPLETE.search(text) else plain_name(text) or text, None
    score = pair_cell(beside)
    return (word, score) if score.state == PLAYED else (plain_name(text) or text, None)


def _choose_language(cells: _Column, words: Sequence[str], also: Mapping[str, int]) -> dict[str, int]:
    """Map each word to a result (1 win, 0 draw, −1 loss) in the language of the column.

    The chosen language fits the most cells; a remark is added if several languages fit equally well.
    """
    counts = dict.fromkeys(words, 0)
    for word, count in zip(words, cells.counts.tolist(), strict=True):
        counts[word] += count
    booleans = {"t": 1, "f": -1} if {*counts} - {""} == {"t", "f"} else {}  # as a database writes them
    known = {
        language: own | {late: own[word] for late, word in OVERTIME.items() if word in own} | dict(also) | booleans
        for language, own in _SIGNS.items()
        if language != "+/=/-" or counts.keys() & {"+", "="}  # a dash alone is an empty cell
    }
    fits = {language: sum(counts[word] for word in counts.keys() & own.keys()) for language, own in known.items()}
    most = max(fits.values())
    equal = [language for language, fit in fits.items() if fit == most > 0]
    fitting = cells.table.decide(f"language of {cells.column}", lambda: equal or None)
    best, *others = [language for language in fitting or fits if language in known]
    signs = known[best]
    present = sorted(counts.keys() & signs.keys())
    unsure = [word for word in present if any(known[other].get(word) != signs[word] for other in others)]
    if unsure:
        meanings = ", ".join(f"{word!r} is {_MEANING[signs[word]]}" for word in unsure)
        cells.table.note("result-words", f"{cells.column}: {meanings} (read as {best})", column=cells.column)
    if late := [word for word in present if word in OVERTIME]:
        text = f"{cells.column}: {', '.join(late)}: a win after overtime or a shoot-out counts as a win"
        cells.table.note("overtime", text, column=cells.column)
    return signs


def _read_word(cell: str, word: str, score: Cell | None, signs: Mapping[str, int]) -> Cell:
    if word in signs:
        return replace(score or Cell(PLAYED), sign=signs[word])
    if word in BY_WALKOVER:
        return Cell(WALKOVER, sign=BY_WALKOVER[word])
    if word in MISSING:
        return Cell(UNPLAYED_MATCH)
    read = pair_cell(cell)
    return read if read.state != WRONG or read.rule == "date" else replace(read, right=_WORD_NEEDED)

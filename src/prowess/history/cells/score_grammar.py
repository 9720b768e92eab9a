"""Read the result of both teams from one cell: 3-1, ½-½, 2-2 (4-3 pens), 6-4 3-6 7-6(5), w/o."""

import re
from dataclasses import dataclass, replace
from functools import cache
from math import nan

from ..names.spelling import plain_name
from . import words
from .numbers import numeral
from .text import plain_text

PLAYED, UNPLAYED_MATCH, WALKOVER, WRONG = range(4)
_RIGHT = "this is not a result; write a result such as 3-1, 1/2-1/2 or w/o"
_DATE = "this looks like a date; spreadsheets turn results into dates, so write it as text, such as 3:1"
_AROUND = words.AROUND_SCORES | words.UNPLAYED | words.WALKOVERS | words.RETIRED
_AROUND_SCORE = r"^\((\d+)\) ?(\d+) ?[-:] ?(\d+) ?\((\d+)\)$"  # a shoot-out, as in (5) 0-0 (4)
_SLASHES = r"\d\d?/\d\d?(?: ?\(\d+\))?[ ,;]+\d\d?/\d"  # sets, as in 6/3 7/6(4)
_SET = 6  # minimum number of games in a tennis set


@dataclass(frozen=True)
class Cell:
    """The result in a cell: its state, its scores, and the winner (1 first team, −1 second, 0 draw or unknown).

    `pairs` is 2 if the cell lists several sets, 1 if it has only one pair of scores, and 0 for any other result.
    `rule` is the name of the rule by which the cell was read. If the cell lists sets, the scores count sets, and
    `within` has each team's total of games or points.
    """

    state: int = WRONG
    first: float = nan
    second: float = nan
    sign: int = 0
    pairs: int = 0
    rule: str = ""
    right: str = _RIGHT
    within: tuple[float, float] | None = None
    tennis: bool = False  # whether all sets are possible in tennis
    shot: int = 0  # the sign of the winner of a shoot-out; the scores may include the shoot-out, as in 4:3 n.P.


def sign_of(first: float, second: float) -> int:
    """Return 1 if the first score is higher, −1 if the second is higher, and 0 if they are equal."""
    return (first > second) - (first < second)


def pair(first: float, second: float, state: int = PLAYED, pairs: int = 1, rule: str = "") -> Cell:
    """Make a cell from two scores."""
    return Cell(state, first, second, sign_of(first, second), pairs, rule)


@dataclass(frozen=True)
class _Grammar:
    """The patterns of results, compiled when they are first needed."""

    single: re.Pattern[str]
    pairs: re.Pattern[str]
    beside: re.Pattern[str]
    brackets: re.Pattern[str]
    word: re.Pattern[str]
    date: re.Pattern[str]
    signs: dict[str, tuple[int, int]]


@cache
def _grammar() -> _Grammar:
    half = r"\d+ 1/2|1/2"
    number, any_number = rf"(?:{half}|\d+(?:\.\d+)?)", rf"(?:{half}|\d+(?:[.,]\d+)*)"
    between = r"\s*(?:[-:x×~]|vs?\.?|to)\s*"
    month = f"(?:{'|'.join(words.MONTHS.split())})[a-z]*"
    return _Grammar(
        single=re.compile(rf"([+-]?{any_number}){between}([+-]?{any_number})"),
        # A pair of scores must not follow a leading comma, because the first score of ",5-1" is not 5.
        pairs=re.compile(rf"(?<![\d.])(?<!^,)([+-]?{number}){between}([+-]?{number})(?![\d.]*\d)"),
        beside=re.compile(rf"({number}) ?\((\d+)\) ?[-:] ?(?:({number}) ?\((\d+)\)|\((\d+)\) ?({number}))"),
        brackets=re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]"),
        word=re.compile(r"[^\W_](?:[\w.:]|/(?=\w\b))*"),
        date=re.compile(
            rf"\d{{1,2}}[-. /]+{month}\.?(?:[-. /]+\d+)?|{month}[-. /]+\d{{1,4}}"
            r"|\d{4}-\d\d?-\d\d?(?:[ t].*)?|\d{1,2}([./])\d{1,2}\1(?:\d{4}|\d\d)|\d{1,2}-\d{1,2}-\d{4}"
        ),
        signs={
            **dict.fromkeys(words.UNPLAYED_SIGNS, (UNPLAYED_MATCH, 0)),
            **dict.fromkeys(words.FIRST_BY_WALKOVER, (WALKOVER, 1)),
            **dict.fromkeys(words.SECOND_BY_WALKOVER, (WALKOVER, -1)),
        },
    )


def pair_cell(cell: str, decimal: str | None = None) -> Cell:
    """Read the result of both teams from a single cell, without the help of other cells.

    >>> cell = pair_cell("6-4 3-6 7-6(5)")
    >>> cell.first, cell.second, cell.sign
    (2.0, 1.0, 1)
    """
    grammar = _grammar()
    text = plain_text(cell).casefold().strip("'\"").removesuffix(".")
    text = re.sub(_AROUND_SCORE, r"\2 (\1)-\3 (\4)", text)
    text = text.replace("/", "-") if re.match(_SLASHES, text) else text
    if (word := _read_word(text)) is not None:
        return word
    if single := grammar.single.fullmatch(text):
        first, second = (_value(side, decimal) for side in single.groups())
        return Cell() if first is None or second is None else pair(first, second)
    if beside := grammar.beside.fullmatch(text):  # a shoot-out beside the scores: 1 (5) - 1 (4)
        first, second = _plain(beside[1]), _plain(beside[3] or beside[6])
        shot = sign_of(float(beside[2]), float(beside[4] or beside[5]))
        return replace(pair(first, second, rule="shoot-out"), shot=shot) if first == second else pair(first, second)
    outside = grammar.brackets.sub(" ", text).strip()
    inside = [match[0] for match in grammar.brackets.finditer(text)]
    if not outside and len(inside) == 1:
        return pair_cell(inside[0][1:-1], decimal)
    return _read_pairs(outside, inside)


def _read_word(text: str) -> Cell | None:
    grammar = _grammar()
    word, signs = plain_name(text), text.replace(" ", "")
    parts = {plain_name(part) for part in text.split()}
    sides = bool(parts & words.HOSTS), bool(parts & words.GUESTS)
    if parts & words.WALKOVERS and parts <= words.AROUND_WALKOVERS and any(sides) == bool(parts & words.FOR):
        return Cell(WALKOVER, sign=sides[0] - sides[1])
    if text in words.MISSING or word in words.UNPLAYED:
        return Cell(UNPLAYED_MATCH)
    if signs in grammar.signs:
        state, sign = grammar.signs[signs]
        return Cell(state, sign=sign)
    if word in words.WALKOVERS:
        return Cell(WALKOVER)
    if word in words.RETIRED:
        return Cell(PLAYED, rule="retired")
    if signs in ("=", "1/2", "0.5", "0,5", "draw", "remis"):
        return pair(0.5, 0.5)
    if blank := re.fullmatch(r"(\d\d?) (\d\d?)", text):
        return pair(float(blank[1]), float(blank[2]))
    return Cell(rule="date", right=_DATE) if grammar.date.fullmatch(text) else None


def _read_pairs(outside: str, inside: list[str]) -> Cell:
    """Read a pair of scores, or the scores of several sets; `inside` has the texts in brackets, `outside` the rest."""
    grammar = _grammar()
    rest = grammar.pairs.sub(" ", outside)
    parts = (grammar.pairs.sub(" ", part) for part in (rest, *inside))
    around = {plain_name(word) for part in parts for word in grammar.word.findall(part)}
    around = {word for word in around if not word.isdigit()}  # numbers are tie-breaks, as in 7-6(5)
    scores = _scores(outside)
    unread = grammar.word.sub("", rest).strip(" ,;/.-:|") or re.search(r"(?<!\w)\d+(?!\w)", rest)
    if not scores or not around <= _AROUND or unread:
        return Cell()
    retired = bool(around & words.RETIRED)
    if around & words.WALKOVERS and not retired:
        return pair(*scores[0], state=WALKOVER)
    if around & words.UNPLAYED - words.AROUND_SCORES and not retired:
        return Cell(UNPLAYED_MATCH)
    shot = bool(around & words.SHOOTOUTS)
    if len(scores) == 1 or (len(scores) == 2 and scores[0][0] == scores[0][1] and shot):
        (first, second), more = scores[0], [*scores[1:], *(score for part in inside for score in _scores(part))]
        # A higher score in brackets is not a half-time score.
        beyond = len(more) == 1 and (more[0][0] > first or more[0][1] > second)
        rule = "retired" if retired else "shoot-out" if first == second and (shot or beyond) else ""
        cell = pair(first, second, pairs=0 if more else 1, rule=rule)
        if first == second and any(part[1:-1].strip().isdecimal() for part in inside):
            return Cell()  # half of a shoot-out
        if rule == "shoot-out":
            return replace(cell, shot=sign_of(*more[-1]) if more else 0)
        # Without another score, the score includes the shoot-out. In French, "a.p." means extra time.
        after = bool(around & (words.SHOOTOUTS - {"ap"})) and not retired and first != second
        if after and more:
            return _before_shootout(cell, more)
        return replace(cell, rule="shoot-out", shot=cell.sign) if after else cell
    deciders = [score for part in inside if part.startswith("[") for score in _scores(part)]  # as in 6-4 4-6 [10-8]
    within = _sums([*scores, *((float(left > right), float(right > left)) for left, right in deciders)])
    finished = scores[:-1] if retired and max(scores[-1]) < _SET else scores
    first, second = (
        float(sum(sign * (left - other) > 0 for left, other in [*finished, *deciders])) for sign in (1, -1)
    )
    cell = pair(first, second, pairs=2, rule="retired" if retired else "sets")
    return replace(cell, within=within, tennis=all(_is_tennis_set(*score) for score in finished))


def _before_shootout(cell: Cell, more: list[tuple[float, float]]) -> Cell:
    """Return the score before the shoot-out: 1-1 in 5:4 i.E. (1:1, 0:1), and 3-3 in 4:3 n.P. (1:1, 1:0, 1:2, 0:0)."""
    low = min(cell.first, cell.second)
    before = (low, low) if _sums(more) in ((low, low), (cell.first, cell.second)) else more[0]
    if before[0] != before[1] or before[0] > low:
        return cell
    return replace(pair(*before, pairs=0, rule="shoot-out"), shot=cell.sign)


def _sums(scores: list[tuple[float, float]]) -> tuple[float, float]:
    return sum(left for left, _ in scores), sum(right for _, right in scores)


def _is_tennis_set(left: float, right: float) -> bool:
    # Possible sets are 6-0 to 6-4, 7-5, 7-6, and longer sets that are won by two games, such as 10-8.
    high, low = max(left, right), min(left, right)
    return (
        (high == _SET and low <= _SET - 2)
        or (high == _SET + 1 and low >= _SET - 1)
        or (high > _SET and high - low == 2)
    )


def _scores(text: str) -> list[tuple[float, float]]:
    return [(_plain(left), _plain(right)) for left, right in _grammar().pairs.findall(text)]


def _value(text: str, decimal: str | None) -> float | None:
    if text.endswith("1/2"):
        return _plain(text)
    number = numeral(text.lstrip("+-"))
    return None if number is None else (-1 if text.startswith("-") else 1) * number.value(decimal)


def _plain(text: str) -> float:
    sign = -1.0 if text.startswith("-") else 1.0
    half = 0.5 if text.endswith("1/2") else 0.0
    return sign * (float(text.lstrip("+-").removesuffix("1/2").strip() or 0) + half)

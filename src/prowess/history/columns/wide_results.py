"""How the matches of a file with a row per match ended: scores or ranks of the sides, or a result in one cell."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import Error, Option
from ..cells.labels import yes_no
from ..cells.numbers import numbers_together
from ..cells.places import ranks
from ..cells.results import PLAYED, UNPLAYED_MATCH, WALKOVER, WRONG, Results, pair_results
from ..cells.text import intern, text_of
from ..cells.win_loss import word_results
from ..cells.words import DRAWS, UNPLAYED, WALKOVERS, YES_NO
from ..names import plain_name
from ..ragged import Floats
from ..read_context import Problems, Table
from .aliases import WON
from .layout import Layout

if TYPE_CHECKING:
    import polars as pl

Mask = NDArray[np.bool_]
MOST = 0.9  # of the matches: what so many show is how the file is meant
_DRAW, _UNKNOWN = 2, -1  # beside the sides 0 and 1
_BY = re.compile(r"([a-z]) ?\+ ?(?:\d+(?:[.,]\d+)?|1/2|[rtf]|res|resign|resignation|time)?", re.IGNORECASE)  # B+3.5
_SIDE_OF_SIGN = np.array([_DRAW, 0, 1], np.int8)  # of 0, 1 and -1
_RANKS = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0], [np.nan, np.nan]])  # of who won: a side, both, nobody knows


class SideResults(NamedTuple):
    """Scores and ranks of the sides, a row per match; NaN where a side has none."""

    score: Floats | None
    rank: Floats | None


def read_results(table: Table, layout: Layout, present: Mask) -> SideResults:
    """Read the results of all matches; those that were not played, or not against anybody, are left out."""
    _leave_out_by_status(table, layout)
    if layout.shape.endswith("a column per place"):
        return SideResults(None, np.tile(np.arange(1.0, len(layout.sides) + 1), (len(present), 1)))
    if layout.shape.endswith("winner/loser"):
        return _winner_first(table, layout, present)
    scores = [side.score for side in layout.sides if side.score is not None]
    score = np.stack(numbers_together(table, scores), axis=1) if scores else None
    if "winner" in layout.roles:
        result = read_result_column(table, layout)
        return SideResults(result.score if score is None else score, result.rank)
    if score is not None:
        _require_all(table, scores, score, present)
    places = [ranks(table, side.rank) for side in layout.sides if side.rank is not None]
    if not places:
        return SideResults(score, None)
    rank = np.stack([np.where(column.unplaced, np.nan, column.rank) for column in places], axis=1)
    last = np.nanmax(np.nan_to_num(rank, nan=-np.inf), axis=1, keepdims=True)
    unplaced = np.stack([column.unplaced for column in places], axis=1)
    return SideResults(score, np.where(unplaced & np.isfinite(last), last + 1, rank))


def _leave_out_by_status(table: Table, layout: Layout) -> None:
    """Leave out what a column of its own says was not played; what it says of the others says nothing."""
    if "status" not in layout.roles:
        return
    code, different = intern(text_of(table, layout.roles["status"]).fill_null(""))
    words = [plain_name(word) for word in different]
    _leave_out_unplayed(table, np.array([word in UNPLAYED for word in words], bool)[code])
    _leave_out_walkovers(table, np.array([word in WALKOVERS for word in words], bool)[code])


def _leave_out_unplayed(table: Table, rows: Mask) -> None:
    table.leave_out(np.flatnonzero(rows), "not-played", "not played: ")


def _leave_out_walkovers(table: Table, rows: Mask) -> None:
    more = ("; ", Option("walkovers", "count"), " counts them as matches")
    table.leave_out(np.flatnonzero(rows), "walkovers", "walkovers: ", more=more)


def _require_all(table: Table, columns: list[str], score: Floats, present: Mask) -> None:
    """A match without any score was not played; one in which some sides have none is a problem."""
    missing = np.isnan(score)
    unplayed = (missing | ~present).all(axis=1)
    _leave_out_unplayed(table, unplayed & ~_rejected(table, len(score)))
    for side, column in enumerate(columns):
        wrong = missing[:, side] & present[:, side] & ~unplayed & ~_rejected(table, len(score))
        if wrong.any():
            table.reject(np.flatnonzero(wrong), column, "others have a score: fill it in, or drop the row")


def _rejected(table: Table, rows: int) -> Mask:
    """Tell which rows have a problem already."""
    mask = np.zeros(rows, bool)
    mask[table.problems.rows()] = True
    return mask


def _winner_first(table: Table, layout: Layout, present: Mask) -> SideResults:
    rank = np.tile([1.0, 2.0], (len(present), 1))
    if "draw" in layout.roles:
        rank[yes_no(table, layout.roles["draw"])] = 1
    if "result" in layout.roles and table.choices.walkovers != "count":
        code, different = intern(text_of(table, layout.roles["result"]).fill_null(""))
        over = [any(plain_name(word) in WALKOVERS for word in (cell, *cell.split()[-1:])) for cell in different]
        _leave_out_walkovers(table, np.array(over, bool)[code])
    scores = [side.score for side in layout.sides if side.score is not None]
    if len(scores) < 2:
        return SideResults(None, rank)
    score = np.stack(numbers_together(table, scores), axis=1)
    behind = score[:, 0] < score[:, 1]
    if np.count_nonzero(behind) > (1 - MOST) * len(score) and not layout.mapped & {"winnerscore", "loserscore"}:
        text = f"winners have less of {scores[0]!r} than losers of {scores[1]!r}: these are no scores"
        table.note("unused-scores", text, column=scores[0])
        return SideResults(None, rank)
    if "tie" in plain_name(layout.roles["winner"]):
        rank[score[:, 0] == score[:, 1]] = 1
    return SideResults(score, rank)


def read_result_column(table: Table, layout: Layout) -> SideResults:
    """Read a result in one cell: who won, by name or by a word for the side; or 3-1; or W, L and D of the first side.

    The reading that fits most rows is that of the column. A column of scores beside it says the same, and settles what
    it leaves open.
    """
    column = layout.roles["winner"]
    if len(layout.sides) > 2:
        raise Error(
            f"{table.title}: column {column!r} names a winner among {len(layout.sides)} sides, which leaves the"
            " order of the others open: give ranks or scores",
            field=column,
        )
    text = text_of(table, column)
    named = _named(table, layout, text)
    trials = [replace(table, remarks=[], problems=Problems(), left_out=[]) for _ in range(2)]
    won = YES_NO if plain_name(column).endswith(WON) else {}  # radiant_win may be true or false, but not neutral
    read = [pair_results(trials[0], column), word_results(trials[1], column, won)]
    fits = [np.count_nonzero(named != _UNKNOWN), *(np.count_nonzero(outcome.state == PLAYED) for outcome in read)]
    best = table.decide(f"how {column} is read", lambda: int(np.argmax(fits)))
    if not max(fits) and read[0].dates:
        best = 1  # of results that a spreadsheet took for dates
    beside = _beside(table, layout)
    if best == 0:
        return _with_scores(table, layout, beside, _by_name(table, layout, named, read[0], beside))
    result, trial = read[best - 1], trials[best - 1]
    if beside is not None:
        result = _filled(result, beside)
    table.remarks.extend(remark for remark in trial.remarks if remark not in table.remarks)
    table.problems.groups.extend(trial.problems.groups)
    _leave_out_unplayed(table, result.state == UNPLAYED_MATCH)
    if table.choices.walkovers != "count":
        _leave_out_walkovers(table, result.state == WALKOVER)
    side = np.where(result.state == WRONG, _UNKNOWN, _SIDE_OF_SIGN[result.sign])
    scored = table.decide(f"whether {column} holds scores", lambda: result.scored)
    scores = np.stack([result.first, result.second], axis=1) if scored else None
    return _with_scores(table, layout, beside, SideResults(scores, _RANKS[side]))


def _beside(table: Table, layout: Layout) -> Results | None:
    """Read the scores in one cell that stand beside a result."""
    if "score" not in layout.roles:
        return None
    return pair_results(replace(table, problems=Problems(), left_out=[]), layout.roles["score"], decided=True)


def _filled(result: Results, beside: Results) -> Results:
    """Take from the scores who won where the result does not say it."""
    open_ = (result.state == UNPLAYED_MATCH) & (beside.state == PLAYED)
    return replace(
        result,
        sign=np.where(open_, beside.sign, result.sign),
        state=np.where(open_, beside.state, result.state).astype(np.int8),
    )


def _with_scores(table: Table, layout: Layout, beside: Results | None, result: SideResults) -> SideResults:
    """Give the scores beside a result; a row in which they contradict it is a problem."""
    if beside is None or result.rank is None:
        return result
    who = np.sign(result.rank[:, 1] - result.rank[:, 0])
    wrong = np.flatnonzero((beside.state == PLAYED) & (beside.sign * who < 0))
    if len(wrong):
        table.reject(wrong, layout.roles["score"], f"{layout.roles['winner']!r} says that the other side won")
    return SideResults(np.stack([beside.first, beside.second], axis=1) if beside.scored else result.score, result.rank)


def _by_name(
    table: Table, layout: Layout, named: NDArray[np.int8], states: Results, beside: Results | None
) -> SideResults:
    """Take the winners by name; what names nobody may still say that there was no match."""
    if beside is not None:
        settled = (named == _UNKNOWN) & (states.state == UNPLAYED_MATCH) & (beside.state == PLAYED)
        named = np.where(settled, _SIDE_OF_SIGN[beside.sign], named)
    open_ = named == _UNKNOWN
    unplayed, over = (open_ & (states.state == state) for state in (UNPLAYED_MATCH, WALKOVER))
    _leave_out_unplayed(table, unplayed)
    _leave_out_walkovers(table, over)
    wrong = np.flatnonzero(open_ & ~unplayed & ~over)
    if len(wrong):
        sides = " or ".join(repr(side.column) for side in layout.sides)
        table.reject(wrong, layout.roles["winner"], f"it must name the winner, or {sides}, or be 'draw'")
    return SideResults(None, _RANKS[named])


def _named(table: Table, layout: Layout, text: "pl.Series") -> NDArray[np.int8]:
    """Read who won by the text of the winner's cell, or by a word for the side, or for a draw."""
    code, different = intern(text.fill_null(""))
    word = np.array([_side_word(cell, layout) for cell in different], np.int8)[code]
    first, second = (_is_cell(table, side.column, text) for side in layout.sides)
    # Players called "1" and "2" make a winner "1" ambiguous: it is a name where nearly every winner is one.
    usual = len(text) > 0 and (first | second | (word == _DRAW)).mean() >= MOST
    return np.where((first | second) & (usual | (word == _UNKNOWN)), np.where(first, 0, 1), word).astype(np.int8)


def _is_cell(table: Table, column: str, text: "pl.Series") -> Mask:
    """Tell where a text is what the cell of a side holds."""
    if table.frame[column].dtype.is_nested():
        return np.zeros(len(text), bool)
    return (text == text_of(table, column)).fill_null(False).to_numpy()


def _side_word(text: str, layout: Layout) -> int:
    """Give the side that a word stands for, or whether it stands for a draw."""
    by = _BY.fullmatch(text)
    word = plain_name(by[1] if by else text)
    for number, side in enumerate(layout.sides):
        if word in side.words:
            return number
    return _DRAW if text.casefold() in DRAWS or plain_name(text) in DRAWS else _UNKNOWN

"""Logs of plays: a row per match, with all players in one cell and the winners in another.

A cell such as "Ann (54), Bob (40)" also gives the scores. The log is converted to a table with a row per player.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....errors import Remark
from ...cells.rosters import rosters
from ...cells.text import plain_text, text_of
from ...cells.words import DRAWS
from ...names.spelling import plain_name
from ...read_context import Problems, Table, left_out
from ..roles.aliases import LONG, WINNER_LOSER

_SCORED = re.compile(
    r"(?P<name>.*?\S)\s*(?:[(\[{]\s*|[:=]\s*)(?P<score>-?\d+(?:[.,]\d+)?)\s*(?:points|pts|p)?\s*[)\]}]?"
)
_TOGETHER = frozenset(("all", "everybody", "everyone", "we", "us", "team", "coop", "cooperative", "nobody", "no one"))
_SEPARATOR = re.compile(r"[;|/&+\n,]|\band\b")
_NOT_PLAYED = frozenset(("", "-", "?", "n/a", "none"))
# The reasons for leaving out plays, by the code of the remark: the words for one play and for several.
_LEFT_OUT = {
    "cooperative-plays": ("cooperative play", "cooperative plays"),
    "solo-plays": ("play with a single player", "plays with a single player"),
    "no-result": ("play without a winner or scores", "plays without a winner or scores"),
}


def winner_places(won: Sequence[bool], scores: Sequence[float], highest: bool | None = None) -> list[int] | None:
    """Return the players' places: winners first, then the others by score if the scores agree with the winners.

    `highest` is true if the highest score wins, false if the lowest does, and None if this is unknown. Return None if
    there is no result, or if everybody won, as in a cooperative play.

    >>> winner_places([False, True, False], [40, 54, 31]), winner_places([True, False, False], [3, 9, 7])
    ([2, 1, 3], [1, 3, 2])
    >>> winner_places([True, False, False], [7, 9, 3]), winner_places([True, True], [])
    ([1, 2, 2], None)
    """
    if len(scores) == len(won):
        winners = [score for score, has_won in zip(scores, won, strict=True) if has_won]
        for sign in (1, -1) if highest is None else (1 if highest else -1,):
            best = max(sign * score for score in scores)
            if (winners or highest is not None) and all(sign * score == best for score in winners):
                pairs = [(has_won, sign * score) for has_won, score in zip(won, scores, strict=True)]
                return [1 + sum(other > pair for other in pairs) for pair in pairs]
    if not any(won) or all(won):
        return None
    return [1 if has_won else 2 for has_won in won]


@dataclass(frozen=True)
class _Play:
    """A row of a log: the players with their scores, the text of the winner cell, and the names in it."""

    players: list[tuple[str, float | None]]
    winners: list[str]
    word: str

    @property
    def scores(self) -> list[float]:
        return [score for _, score in self.players if score is not None]

    @property
    def stranger(self) -> str | None:
        if self.word in DRAWS or self.word in _TOGETHER or self.word in _NOT_PLAYED:
            return None
        names = {name for name, _ in self.players}
        return next((name for name in self.winners if name not in names), None)

    def places(self) -> list[int] | None:
        if self.word in DRAWS or self.stranger is not None:
            return [1] * len(self.players)
        if self.word in _NOT_PLAYED:
            return winner_places([False] * len(self.players), self.scores, True)
        return winner_places([name in self.winners for name, _ in self.players], self.scores)

    def skipped(self) -> str | None:
        """Return the code of the reason for leaving out the row; None if the row is kept."""
        if len(self.players) == 1:
            return "solo-plays"
        if self.word in _TOGETHER or (self.winners and self.places() is None):
            return "cooperative-plays"
        return "no-result" if not self.players or self.places() is None else None


def read_play_log(table: Table, time: str | None) -> tuple[Table, dict[str, str]] | None:
    """Convert a log of plays to a table with a row per player, and its roles; None if the table is of another kind.

    `time` is the column with the dates.
    """
    import polars as pl

    who, winner = _column(table, LONG["players"]), _column(table, WINNER_LOSER["winner"])
    if who is None:
        return None
    trial = replace(table, remarks=list(table.remarks), problems=Problems())
    [lists], _ = rosters(trial, [who], sure=True)
    cells = [""] * len(lists) if winner is None else text_of(table, winner).fill_null("").to_list()
    plays = [_play(names or [], cell) for names, cell in zip(lists.to_list(), cells, strict=True)]
    if not _is_log(plays):
        return None
    kept = [(row, play) for row, play in enumerate(plays) if play.skipped() is None]
    rows = [row for row, play in kept for _ in play.players]
    seats = [seat for _, play in kept for seat in _seats(play)]
    new = pl.DataFrame(seats, schema=dict.fromkeys(("player", "rank", "score"), pl.String), orient="row")
    new = new.drop("score") if new["score"].is_null().all() else new
    match = pl.Series("match", rows, pl.Int64).cast(pl.String)
    others = [column for column in table.frame.columns if column not in ("match", "player", "rank", "score")]
    frame = table.frame.select(others)[rows].with_columns(match, *new.get_columns())
    lines, source = table.lines, np.array(rows, np.intp)
    used = dict.fromkeys(filter(None, (who, winner)), False)
    log = Table(
        frame, table.title, lambda row: lines(source[row]), table.choices, trial.remarks, unit=table.unit, reserved=used
    )
    log.note("play-log", f"a log of plays: column {who!r} has the players of each match", column=who)
    wrong = {row: play.stranger for row, play in kept if play.stranger is not None}
    for index, row in enumerate(rows):
        if row in wrong and winner is not None:
            log.reject([index], winner, f"{wrong.pop(row)!r} is not one of the players of this match")
            log.problems.take_along(np.flatnonzero(np.array(rows) == row))
    for code, words in _LEFT_OUT.items():
        if without := [row for row, play in enumerate(plays) if play.skipped() == code]:
            text = left_out(len(without), *words, table.row_name(without[0]))
            log.remarks.append(Remark(code, (text,), count=len(without), line=table.line(without[0])))
    roles = {"match": "match", "player": "player", "rank": "rank"} | ({"time": time} if time else {})
    return log, roles | ({"score": "score"} if "score" in new.columns else {})


def _play(names: list[str], cell: str) -> _Play:
    winners = [plain_text(name) for name in _SEPARATOR.split(cell)]
    return _Play([_seat(name) for name in names], [name for name in winners if name], plain_text(cell).casefold())


def _seats(play: _Play) -> list[tuple[str, str, str | None]]:
    # Scores that contradict the places are left out.
    places, scores = play.places() or [], play.scores
    agree = len(scores) == len(places) and places == [1 + sum(other > score for other in scores) for score in scores]
    return [
        (name, str(place), f"{score:g}" if agree and score is not None else None)
        for (name, score), place in zip(play.players, places, strict=True)
    ]


def _column(table: Table, names: str) -> str | None:
    known = names.split()
    columns = [column for column in table.frame.columns if plain_name(column) in known]
    return columns[0] if columns and not table.frame[columns[0]].dtype.is_nested() else None


def _seat(cell: str) -> tuple[str, float | None]:
    """Split a cell such as "Ann (54)" into a name and a score.

    >>> _seat("Ann (54)"), _seat("Bob: 7,5 pts"), _seat("Cat")
    (('Ann', 54.0), ('Bob', 7.5), ('Cat', None))
    """
    scored = _SCORED.fullmatch(cell)
    if scored is None:
        return plain_text(cell), None
    return plain_text(scored["name"]), float(scored["score"].replace(",", "."))


def _is_log(plays: Sequence[_Play]) -> bool:
    # Most rows must have several players, and most of these must have scores or a winner.
    several = [play for play in plays if len(play.players) > 1]
    shown = [
        play
        for play in several
        if len(play.scores) == len(play.players) or any(name in play.winners for name, _ in play.players)
    ]
    return 2 * len(several) > len(plays) and 2 * len(shown) > len(several)

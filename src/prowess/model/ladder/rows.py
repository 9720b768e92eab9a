"""The players of a history on their way into a ladder: a row of it for each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...history import History
from ...history.ragged import owners
from ...history.times import Stamp
from .ladder import Ladder
from .record import check_times, common_stamp

__all__ = ["entered"]

FEW = 100  # entries: arrays take longer than a loop over so few


def entered(ladder: Ladder, history: History) -> NDArray[np.int32]:
    """Give every player of the history a row of the ladder; returns the rows of the entries.

    >>> import prowess as pw
    >>> ladder = pw.Ladder(pw.TrueSkill(), {"ann": pw.Rating(30, 4)})
    >>> entered(ladder, History.from_matches([{"teams": [["bob"], ["ann"]]}])), ladder.names
    (array([1, 0], dtype=int32), ['ann', 'bob'])
    """
    if history.time is not None and history.time_kind is not None:
        ladder.stamp = common_stamp(ladder.stamp, Stamp(history.time_kind, history.time_zone))
    if not len(ladder) and history.importance is None and _all_play(history):
        ladder.reserve(len(history.players))
        ladder.names.extend(history.players)
        return history.player
    if history.importance is None and history.entries <= FEW:
        rows = _few_in_order(ladder, history)
        if rows is not None:
            return rows
    first = _first_entries(history)
    row_of = ladder.rows
    known = np.array([row_of.get(name, -1) for name in history.players], np.int32)
    _check_order(ladder, history, first, known)
    newcomers = np.flatnonzero((first < history.entries) & (known < 0))
    newcomers = newcomers[np.argsort(first[newcomers])]
    known[newcomers] = len(ladder) + np.arange(len(newcomers))
    known[known < 0] = len(ladder) + len(newcomers)  # who is only in matches that do not count: a row that stays empty
    ladder.reserve(len(ladder) + len(newcomers) + 1)
    ladder.names.extend([history.players[player] for player in newcomers])
    return known[history.player]


def _few_in_order(ladder: Ladder, history: History) -> NDArray[np.int32] | None:
    """The same for a few matches that all count; None where somebody was seen after the first of them."""
    row_of, names, players = ladder.rows, history.players, history.player.tolist()
    row = {player: row_of.get(names[player], -1) for player in players}
    if history.time is not None:
        last_seen, start = ladder.layout.last_seen, float(history.time[0])
        if any(known >= 0 and ladder.state.item(known, last_seen) > start for known in row.values()):
            return None
    newcomers = [player for player, known in row.items() if known < 0]  # in the order in which they first play
    row |= {player: number for number, player in enumerate(newcomers, len(ladder))}
    ladder.reserve(len(ladder) + len(newcomers))
    ladder.names.extend([names[player] for player in newcomers])
    return np.array([row[player] for player in players], np.int32)


def _all_play(history: History) -> bool:
    """Whether the history, which may be part of a longer one, has a match of every player that it names."""
    return bool(np.bincount(history.player, minlength=len(history.players)).all())


def _first_entries(history: History) -> NDArray[np.int64]:
    """The first entry of each player in a match that counts; the number of entries for who has none."""
    first = np.full(len(history.players), history.entries, np.int64)
    counted = np.arange(history.entries)
    if history.importance is not None:
        counted = counted[history.importance[_matches(history)] > 0]
    first[history.player[counted[::-1]]] = counted[::-1]  # the earliest is written last
    return first


def _matches(history: History) -> NDArray[np.int32]:
    """The match of each entry."""
    return owners(history.match_start)[owners(history.team_start)]


def _check_order(ladder: Ladder, history: History, first: NDArray[np.int64], known: NDArray[np.int32]) -> None:
    """Who returns must not have been seen after her first match here."""
    returning = np.flatnonzero((first < history.entries) & (known >= 0))
    if history.time is None or not len(returning):
        return
    now = history.time[_matches(history)[first[returning]]].astype(np.float64)
    early = np.flatnonzero(now < ladder.last_seen[known[returning]])
    if len(early):
        wrong = early[np.argmin(first[returning[early]])]
        check_times(ladder, [int(known[returning[wrong]])], ladder.stamp, float(now[wrong]))

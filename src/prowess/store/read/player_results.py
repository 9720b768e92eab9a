"""The form of players: how their last matches ended."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...history.head_to_head import Encounters, results, rivals
from .trace import View

__all__ = ["LAST", "forms", "rivalries"]

LAST = 5  # matches that make a form
BLOCK = 65_536  # entries that are looked through at first, from the last one back; then twice as many each time
Ints = NDArray[np.intp]
Plain = dict[str, Any]


def forms(view: View, players: Sequence[str], played: Sequence[int], matches: int | None = None) -> list[list[Plain]]:
    """How the last matches of some players ended, the newest last; of all matches, or of so many first ones.

    A team that is first alone has won, one that shares the first place has drawn. That each has `played` so many says
    only how far back it is worth looking. Matches that do not count are left out.

    >>> import prowess as pw
    >>> from prowess.store.read.trace import Course
    >>> course = Course(pw.Elo(), None)
    >>> both = [{"teams": [["ann"], ["bob"]]}, {"teams": [["bob"], ["ann"], ["cat"]]}]
    >>> course.extend(pw.History.from_matches(both), [1, 2])
    >>> forms(course.view, ["ann"], [2])
    [[{'result': 'win', 'place': 1, 'teams': 2}, {'result': 'loss', 'place': 2, 'teams': 3}]]
    """
    history = view.passage.history
    number = np.array([view.number.get(name, -1) for name in players], np.intp)
    number[number >= len(history.players)] = -1  # who came later than what is looked at
    entry = _entries(view, number, np.minimum(played, LAST), len(view) if matches is None else matches)
    team, match = view.places(entry)
    result = np.array(["draw", "win", "loss"])[results(history, (team, match))]  # by 0, 1 and -1
    size = np.diff(history.match_start)[match]
    found: dict[int, list[Plain]] = {player: [] for player in number.tolist()}
    ends = zip(*(column.tolist() for column in (result, history.place[team], size)), strict=True)
    known: dict[tuple[str, int, int], Plain] = {}  # of all players there may be very many, of few kinds
    for player, end in zip(history.player[entry].tolist(), ends, strict=True):
        if end not in known:
            known[end] = dict(zip(("result", "place", "teams"), end, strict=True))
        found[player].append(known[end])
    return [found[player] if player >= 0 else [] for player in number.tolist()]


def _entries(view: View, number: Ints, enough: NDArray[np.integer], matches: int) -> Ints:
    """The last entries of some players in so many first matches that count, in the order of time.

    From the end back, because most of those who are looked at have played lately: no index has to follow each match.
    """
    history = view.passage.history
    wanted = np.zeros(len(history.players) + 1, np.int64)  # of each player, how many entries are still looked for
    wanted[number] = enough
    wanted[-1] = 0
    asked = wanted > 0
    found: list[Ints] = []
    end, size = int(history.team_start[history.match_start[matches]]), BLOCK
    while end > 0 and (wanted > 0).any():
        begin = max(0, end - size)
        entry = begin + np.flatnonzero(asked.take(history.player[begin:end]))
        entry = entry[view.passage.counted(view.places(entry)[1])]
        np.subtract.at(wanted, history.player[entry], 1)
        found.append(entry)
        end, size = begin, 2 * size
    return _last(history.player, np.concatenate([np.zeros(0, np.intp), *reversed(found)]))


def _last(player: NDArray[np.int32], entry: Ints) -> Ints:
    """Of entries in the order of time, the last ones of each player."""
    by_player = np.argsort(player[entry], kind="stable")
    sorted_player = player[entry[by_player]]
    after = np.searchsorted(sorted_player, sorted_player, side="right") - np.arange(len(entry))
    return np.sort(entry[by_player[after <= LAST]])


def rivalries(view: View, players: Sequence[str]) -> list[dict[str, Any]]:
    """Of each two players, in how many matches they met, and how often the first was ahead, level and behind.

    >>> from prowess import History, TrueSkill
    >>> from prowess.store.read.trace import Course
    >>> course = Course(TrueSkill(), None, ())
    >>> course.extend(History.from_matches([{"teams": [["ann"], ["bob"]]}]), [1])
    >>> rivalries(course.view, ["bob", "ann"])
    [{'player': 'bob', 'opponent': 'ann', 'matches': 1, 'wins': 0, 'draws': 0, 'losses': 1}]
    """
    places = {name: view.places(view.entries(name)) for name in players}
    found = []
    for one, other in combinations(players, 2):
        counts = rivals(view.passage.history, places[one], places[other])
        found.append({"player": one, "opponent": other} | dict(zip(Encounters._fields[1:], counts, strict=True)))
    return found

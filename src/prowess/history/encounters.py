"""Whom a player met: against each opponent how often she finished ahead, and with whom she played."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .ragged import gather, holders, owners

if TYPE_CHECKING:
    from .history import History

__all__ = ["Encounters", "Places", "encounters", "results", "rivals"]

Counts = NDArray[np.int64]
Places = tuple[NDArray[np.integer], NDArray[np.integer]]  # the teams of a player in all her matches, and these


class Encounters(NamedTuple):
    """Players, as rows of `History.players`, in how many matches they met one, and how these ended for that one."""

    player: NDArray[np.intp]
    matches: Counts
    wins: Counts
    draws: Counts
    losses: Counts


def encounters(
    history: History, entry: NDArray[np.integer], places: Places | None = None
) -> tuple[Encounters, Encounters]:
    """The opponents and the partners of a player whose entries these are, those met most often first.

    Against an opponent it counts which of the two teams finished ahead; with a partner, whether their team was first
    (alone: a win; shared: a draw).

    >>> from prowess import History
    >>> history = History.from_matches([{"teams": [["ann"], ["bob", "cat"]]}, {"teams": [["bob"], ["ann"], ["cat"]]}])
    >>> opponents, partners = encounters(history, np.array([0, 4]))
    >>> opponents.wins, opponents.losses, len(partners.player)
    (array([1, 2]), array([1, 0]), 0)
    """
    own, match = _places(history, entry) if places is None else places
    team_start, team = gather(history.match_start, match)
    entry_start, other = gather(history.team_start, team)
    of_match = owners(team_start)[owners(entry_start)]  # by the index of the match among hers
    theirs = team[owners(entry_start)]
    ahead = np.sign(history.place[theirs] - history.place[own[of_match]])
    against = theirs != own[of_match]
    beside = ~against & (other != np.asarray(entry)[of_match])
    together = _ended(history, own, team, team_start) if beside.any() else own
    return (
        _counted(history.player[other[against]], ahead[against]),
        _counted(history.player[other[beside]], together[of_match[beside]]),
    )


def results(history: History, places: Places) -> NDArray[np.integer]:
    """How matches ended for a player: 1 first and alone, 0 first together with others, else -1.

    >>> from prowess import History
    >>> history = History.from_matches([{"teams": [["ann"], ["bob"], ["cat"]], "ranks": [1, 1, 2]}])
    >>> results(history, (np.array([1]), np.array([0])))
    array([0])
    """
    team_start, team = gather(history.match_start, places[1])
    return _ended(history, places[0], team, team_start)


def rivals(history: History, one: Places, other: Places) -> list[int]:
    """How often two players met in different teams, and how often the first one was ahead, level and behind.

    >>> from prowess import History
    >>> history = History.from_matches([{"teams": [["ann"], ["bob", "cat"]]}, {"teams": [["cat"], ["bob"]]}])
    >>> rivals(history, (np.array([1, 3]), np.array([0, 1])), (np.array([1, 2]), np.array([0, 1])))
    [1, 0, 0, 1]
    """
    _, first, second = np.intersect1d(one[1], other[1], assume_unique=True, return_indices=True)
    own, theirs = one[0][first], other[0][second]
    ahead = np.sign(history.place[theirs] - history.place[own])[own != theirs]
    return [len(ahead), *(int(np.sum(ahead == what)) for what in (1, 0, -1))]


def _places(history: History, entry: NDArray[np.integer]) -> Places:
    own = holders(history.team_start, entry)
    return own, holders(history.match_start, own)


def _ended(
    history: History, own: NDArray[np.integer], team: NDArray[np.integer], team_start: NDArray[np.integer]
) -> NDArray[np.integer]:
    """How matches with these teams ended for some of them, one of each match."""
    first = history.place[own] == 1
    shared = np.add.reduceat(history.place[team] == 1, team_start[:-1]) > 1 if len(own) else first
    return np.where(first, np.where(shared, 0, 1), -1)


def _counted(player: NDArray[np.integer], result: NDArray[np.integer]) -> Encounters:
    """Matches and results by player; those of most matches first."""
    met = np.bincount(player)  # of all players, who are few enough: a sort of very many matches takes longer
    players = np.flatnonzero(met)
    ended = [np.bincount(player[result == what], minlength=len(met))[players].astype(np.int64) for what in (1, 0, -1)]
    matches: Counts = np.sum(ended, axis=0, dtype=np.int64).reshape(len(players))
    order = np.argsort(-matches, kind="stable")
    wins, draws, losses = (column[order] for column in ended)
    return Encounters(players[order], matches[order], wins, draws, losses)

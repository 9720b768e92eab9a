"""A player's opponents and partners, with the results against each opponent and with each partner."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .ragged import gather, holders, owners

if TYPE_CHECKING:
    from .history import History

Counts = NDArray[np.int64]
Places = tuple[NDArray[np.integer], NDArray[np.integer]]  # indices of the player's teams, and of their matches


class Encounters(NamedTuple):
    """The opponents or partners of a player, with the number of matches and the player's results.

    `player` holds indices into `History.players`.
    """

    player: NDArray[np.intp]
    matches: Counts
    wins: Counts
    draws: Counts
    losses: Counts


def encounters(
    history: History, entry: NDArray[np.integer], places: Places | None = None
) -> tuple[Encounters, Encounters]:
    """Return the opponents and the partners of the player whose entries are given, most frequent first.

    `places` are the teams and the matches of these entries, if the caller already knows them.

    Against an opponent, finishing ahead is a win; with a partner, finishing first alone is a win, and sharing
    first place is a draw.

    >>> from prowess import History
    >>> history = History.from_matches([{"teams": [["ann"], ["bob", "cat"]]}, {"teams": [["bob"], ["ann"], ["cat"]]}])
    >>> opponents, partners = encounters(history, np.array([0, 4]))
    >>> opponents.wins, opponents.losses, len(partners.player)
    (array([1, 2]), array([1, 0]), 0)
    """
    if places is None:
        team_of_entry = holders(history.team_start, entry)
        places = team_of_entry, holders(history.match_start, team_of_entry)
    own, _ = places
    of_match, team = _others(history, places)
    start, other = gather(history.team_start, team)
    ahead = np.sign(history.place[team] - history.place[own][of_match])
    shared = np.flatnonzero(history.team_start[own + 1] - history.team_start[own] > 1)  # teams with partners
    mates, mate = gather(history.team_start, own[shared])
    of_mate = shared[owners(mates)]
    beside = np.flatnonzero(mate != np.asarray(entry)[of_mate])
    together = results(history, places) if len(beside) else own
    return (
        _count_results(history.player[other], np.repeat(ahead, np.diff(start))),
        _count_results(history.player[mate[beside]], together[of_mate[beside]]),
    )


def results(history: History, places: Places) -> NDArray[np.integer]:
    """Return a player's result in each match: 1 for first place alone, 0 for shared first place, -1 otherwise.

    `places` are the indices of the player's teams, and of their matches.

    >>> from prowess import History
    >>> history = History.from_matches([{"teams": [["ann"], ["bob"], ["cat"]], "ranks": [1, 1, 2]}])
    >>> results(history, (np.array([1]), np.array([0])))
    array([0])
    """
    of_match, team = _others(history, places)
    first = history.place[places[0]] == 1
    shared = np.zeros(len(first), bool)
    shared[of_match[np.flatnonzero(history.place[team] == 1)]] = True
    ended: NDArray[np.integer] = first * (2 - shared.astype(np.intp)) - 1
    return ended


def rivals(history: History, one: Places, other: Places) -> list[int]:
    """Return four counts for two opponents: their matches, and how often the first was ahead, level and behind.

    `one` and `other` are the indices of each player's teams, and of their matches, in chronological order. Matches in
    which the two were partners do not count.

    >>> from prowess import History
    >>> history = History.from_matches([{"teams": [["ann"], ["bob", "cat"]]}, {"teams": [["cat"], ["bob"]]}])
    >>> rivals(history, (np.array([1, 3]), np.array([0, 1])), (np.array([1, 2]), np.array([0, 1])))
    [1, 0, 0, 1]
    """
    few, many, sign = (one, other, 1) if len(one[1]) < len(other[1]) else (other, one, -1)
    at = np.searchsorted(many[1], few[1])
    both = np.flatnonzero(many[1].take(at, mode="clip") == few[1]) if len(many[1]) else at
    own, theirs = few[0][both], many[0][at[both]]
    ahead = sign * np.sign(history.place[theirs] - history.place[own])[own != theirs]
    return [len(ahead), *(int(np.sum(ahead == result)) for result in (1, 0, -1))]


def _others(history: History, places: Places) -> Places:
    """Return two arrays about the opposing teams in a player's matches: indices into `places`, and the teams."""
    own, match = places
    first, end = history.match_start[match], history.match_start[match + 1]
    if (end - first == 2).all():  # the common case, without a search
        return np.arange(len(own)), first + end - 1 - own
    start, team = gather(history.match_start, match)
    of_match = owners(start)
    against = np.flatnonzero(team != own[of_match])
    return of_match[against], team[against]


def _count_results(player: NDArray[np.integer], result: NDArray[np.integer]) -> Encounters:
    width = int(player.max(initial=-1)) + 1  # counting all players is faster than sorting very many matches
    ended = np.bincount((1 - result) * width + player, minlength=3 * width).reshape(3, width)
    met = ended[0] + ended[1] + ended[2]
    players = np.flatnonzero(met)
    order = players[np.argsort(-met[players], kind="stable")]
    wins, draws, losses = (column[order] for column in ended)
    return Encounters(order, met[order], wins, draws, losses)

"""Matches of more than two players that are likely to tell much: uncertain players of about the same strength."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .shortlist import Floats, Ints, Shortlist

__all__ = ["Lineup", "improved", "lineups"]

Lineup = tuple[tuple[int, ...], ...]

ROUNDS = 4  # players who are replaced one after the other
OTHERS = 12  # who are tried in the place of a player


def lineups(shortlist: Shortlist, free: Ints, shape: tuple[int, int], count: int) -> Iterator[Lineup]:
    """Teams of neighbours in strength: among all, among the less certain half, the less certain quarter, and so on."""
    teams, size = shape
    need = teams * size
    by_doubt = free[np.argsort(-shortlist.skill[free], kind="stable")]
    windows = []
    among = len(by_doubt)
    while among >= need:
        some = by_doubt[:among]
        line = some[np.argsort(-shortlist.mean[some], kind="stable")]
        windows.append(np.lib.stride_tricks.sliding_window_view(line, need))
        among = max(among // 2, need) if among > need else 0
    found = np.concatenate(windows)
    order = np.argsort(-_promise(shortlist, found), kind="stable")[: max(20 * count, 100)]
    snake = np.arange(need).reshape(size, teams)
    snake[1::2] = snake[1::2, ::-1]
    seen = set()
    for window in found[order].tolist():
        lineup = _sorted([[window[place] for place in snake[:, team]] for team in range(teams)])
        if lineup not in seen:
            seen.add(lineup)
            yield lineup


def improved(shortlist: Shortlist, lineup: Lineup, free: Ints, value: Callable[[Lineup], float]) -> Lineup:
    """A line-up that tells more, by replacing a player or exchanging two, as long as that helps."""
    for _ in range(ROUNDS):
        best = max(_changed(shortlist, lineup, free), key=lambda one: (value(one), one), default=lineup)
        if not value(best) > value(lineup):
            break
        lineup = best
    return lineup


def _changed(shortlist: Shortlist, lineup: Lineup, free: Ints) -> Iterator[Lineup]:
    """Line-ups that differ by one player, the one who comes of about her strength or in doubt, or by an exchange."""
    inside = [player for team in lineup for player in team]
    outside = np.setdiff1d(free, inside)
    for at, player in enumerate(inside):
        unlike = abs(shortlist.mean[outside] - shortlist.mean[player])
        near = outside[np.argsort(unlike, kind="stable")[: OTHERS // 2]]
        doubtful = outside[np.argsort(-shortlist.skill[outside], kind="stable")[: OTHERS // 2]]
        for other in np.union1d(near, doubtful).tolist():
            yield _shaped([*inside[:at], other, *inside[at + 1 :]], lineup)
        for later in range(at + 1, len(inside)):
            swapped = list(inside)
            swapped[at], swapped[later] = inside[later], player
            yield _shaped(swapped, lineup)


def _shaped(players: list[int], lineup: Lineup) -> Lineup:
    """Players in teams as those of a line-up."""
    size = len(lineup[0])
    return _sorted([players[first : first + size] for first in range(0, len(players), size)])


def _sorted(teams: list[list[int]]) -> Lineup:
    """The same match always looks the same."""
    return tuple(sorted(tuple(sorted(team)) for team in teams))


def _promise(shortlist: Shortlist, windows: Ints) -> Floats:
    """About how much a match of these players would tell: more where they are in doubt, less where they are unlike."""
    spread = shortlist.variance[windows].sum(axis=1)
    gap = np.ptp(shortlist.mean[windows], axis=1)
    doubt = -np.log1p(-0.6 * shortlist.skill[windows] / spread[:, None]).sum(axis=1)
    found: Floats = doubt * np.exp(-0.2 * gap**2 / spread)
    return found

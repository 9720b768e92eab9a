"""Candidates for informative matches, found by a cheap formula; the caller evaluates these candidates exactly.

Let r be the variance of a skill divided by the variance of the performance difference. The larger r is, the more a
result says about the skill. A difference of normal scores reduces the variance of the skill by the share r, whoever
wins. A win or loss reduces this variance only by the share W r with W = φ²/(Φ(1 − Φ)), where Φ is the win probability
and φ the normal density at the same point. W is largest if the match is even. In models of offence and defence, each
score gives information about one offence and one defence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import erfc, exp, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..player_pool import Performances, PlayerPool

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

PARTNERS = 12  # maximum number of listed pairs with the same player
LEAST = 300  # maximum number of pairs to list, unless six pairs per wanted match are more
ROWS = 500  # number of players, least certain first, for whom opponents are chosen
ROUNDS = 4  # maximum number of changes to a line-up
OTHERS = 12  # number of replacements to try for a player

Lineup = tuple[tuple[int, ...], ...]


class Shortlist:
    """Lists promising pairs of players, by a quick estimate of how much information their match would give.

    >>> import prowess as pw
    >>> from prowess.matchmaking.player_pool import make_pool
    >>> ratings = {"ann": pw.Rating(30, 1), "bob": pw.Rating(25, 8), "cat": pw.Rating(24, 7), "dan": pw.Rating(9, 1)}
    >>> Shortlist(make_pool(pw.TrueSkill(), ratings)).pairs(np.arange(4), 2)
    array([[1, 2],
           [0, 1],
           [0, 2],
           [1, 3],
           [2, 3],
           [0, 3]])
    """

    def __init__(self, group: PlayerPool) -> None:
        self.outcome = group.model.outcome
        self.mean, self.variance, noise = Performances(group, (1, 1)).of(np.arange(len(group))[:, None])
        self.skill = self.variance - noise
        self.mu, self.var = group.beliefs()
        self.noise = group.model.noise**2
        board = group.board()
        self.scatter = self.outcome.scatter(board)
        score: Any = getattr(self.outcome, "score", None)
        self.counts = self.outcome.scores == "each" and score.added(board) is None
        self.base = score.base_level(board) if self.counts else 0.0

    def pairs(self, free: Ints, most: int) -> Ints:
        """Return candidate pairs of the players in `free`, the most informative pair first.

        `most` is the number of matches wanted; several times as many pairs are returned. Each pair includes at least
        one of the least certain players.
        """
        line = free[np.argsort(-self.skill[free], kind="stable")]
        ranked: list[tuple[float, int, int]] = []
        for place, row in enumerate(line[: max(ROWS, 2 * most)].tolist()):
            others = line[place + 1 :]  # earlier players are already paired with this one
            gain = self._estimate(row, others)
            best = np.argpartition(-gain, PARTNERS)[:PARTNERS] if len(others) > PARTNERS else range(len(others))
            ranked += [(-gain[at], *sorted((row, int(others[at])))) for at in best]
        ranked.sort()
        times = dict.fromkeys(free.tolist(), 0)
        pairs: list[tuple[int, int]] = []
        for _, one, other in ranked:
            if max(times[one], times[other]) < PARTNERS and len(pairs) < max(6 * most, LEAST):
                pairs.append((one, other))
                times[one], times[other] = times[one] + 1, times[other] + 1
        return np.array(pairs, np.intp).reshape(-1, 2)

    def _estimate(self, one: int, others: Ints) -> Floats:
        if self.outcome.scores == "each":
            return self._by_score(one, others) + self._by_score(one, others, conceded=True)
        spread = self.variance[one] + self.variance[others]
        share = np.ones(len(others))
        if self.outcome.scores != "difference":
            share = np.interp(abs(self.mean[one] - self.mean[others]) / np.sqrt(spread), *_TABLE)
        return _reduction(self.skill[one] * share / spread) + _reduction(self.skill[others] * share / spread)

    def _by_score(self, one: int, others: Ints, conceded: bool = False) -> Floats:
        """Estimate the information of one of the two scores: the player's own, or the opponent's if `conceded`."""
        offence, defence = (others, one) if conceded else (one, others)
        level = self.base + self.mu[offence, 0] - self.mu[defence, 1]
        added = np.exp(-np.clip(level, -50.0, 50.0)) if self.counts else self.scatter
        spread = self.var[offence, 0] + self.var[defence, 1] + 2.0 * self.noise + added
        return _reduction(self.var[offence, 0] / spread) + _reduction(self.var[defence, 1] / spread)


def _reduction(share: Floats) -> Floats:
    """Return how much the logarithm of a standard deviation falls if the variance falls by the given share."""
    reduction: Floats = -0.5 * np.log1p(-np.minimum(share, 1.0 - 1e-12))
    return reduction


def _win_information(gap: float) -> float:
    """Return the factor W = φ²/(Φ(1 − Φ)) of a win or loss, for a gap in standard deviations."""
    win, loss = 0.5 * erfc(-gap / 2**0.5), 0.5 * erfc(gap / 2**0.5)
    return exp(-gap * gap) / (2.0 * pi * win * loss)


_GAPS = np.arange(0.0, 25.0, 0.05)
_TABLE = _GAPS, np.array([_win_information(gap) for gap in _GAPS])


def candidate_lineups(shortlist: Shortlist, free: Ints, shape: tuple[int, int], count: int) -> Iterator[Lineup]:
    """Yield line-ups of players of similar strength; `shape` is the number of teams and the number of players in each.

    The players are chosen from all players in `free`, then from the least certain half, then from the least certain
    quarter, and so on. `count` is the number of matches wanted; at least 20 times as many line-ups are considered.
    """
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
    groups = np.concatenate(windows)
    order = np.argsort(-_estimate(shortlist, groups), kind="stable")[: max(20 * count, 100)]
    snake = np.arange(need).reshape(size, teams)
    # Every second row is reversed, so that the teams are about equally strong.
    snake[1::2] = snake[1::2, ::-1]
    seen = set()
    for group in groups[order].tolist():
        lineup = _canonical([[group[place] for place in snake[:, team]] for team in range(teams)])
        if lineup not in seen:
            seen.add(lineup)
            yield lineup


def improve_lineup(shortlist: Shortlist, lineup: Lineup, free: Ints, value: Callable[[Lineup], float]) -> Lineup:
    """Replace or swap players as long as this increases `value`, the information; return the improved line-up."""
    for _ in range(ROUNDS):
        best = max(_neighbours(shortlist, lineup, free), key=lambda other: (value(other), other), default=lineup)
        if not value(best) > value(lineup):
            break
        lineup = best
    return lineup


def _neighbours(shortlist: Shortlist, lineup: Lineup, free: Ints) -> Iterator[Lineup]:
    inside = [player for team in lineup for player in team]
    outside = np.setdiff1d(free, inside)
    for at, player in enumerate(inside):
        unlike = abs(shortlist.mean[outside] - shortlist.mean[player])
        near = outside[np.argsort(unlike, kind="stable")[: OTHERS // 2]]
        uncertain = outside[np.argsort(-shortlist.skill[outside], kind="stable")[: OTHERS // 2]]
        for other in np.union1d(near, uncertain).tolist():
            yield _regroup([*inside[:at], other, *inside[at + 1 :]], lineup)
        for later in range(at + 1, len(inside)):
            swapped = list(inside)
            swapped[at], swapped[later] = inside[later], player
            yield _regroup(swapped, lineup)


def _regroup(players: list[int], lineup: Lineup) -> Lineup:
    size = len(lineup[0])
    return _canonical([players[first : first + size] for first in range(0, len(players), size)])


def _canonical(teams: list[list[int]]) -> Lineup:
    # Sorted, so that line-ups with the same teams compare equal.
    return tuple(sorted(tuple(sorted(team)) for team in teams))


def _estimate(shortlist: Shortlist, groups: Ints) -> Floats:
    # Uncertainty increases the estimate; differences of strength reduce it.
    # The constants need not be precise, because they only rank candidates, which are then evaluated exactly.
    spread = shortlist.variance[groups].sum(axis=1)
    gap = np.ptp(shortlist.mean[groups], axis=1)
    uncertainty = -np.log1p(-0.6 * shortlist.skill[groups] / spread[:, None]).sum(axis=1)
    estimate: Floats = uncertainty * np.exp(-0.2 * gap**2 / spread)
    return estimate

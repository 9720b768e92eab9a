"""Matches that are likely to tell much: found by a formula that costs little, to be looked at closely afterwards.

A result tells of a player's skill by the share r of her variance in that of the difference of performances; a win or
loss by W = φ²/(Φ(1 − Φ)) of it, where the probability to win is Φ: most where the match is even. A difference of normal
scores tells all of it, whoever wins. In models of offence and defence, a score tells of one offence and one defence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import erfc, exp, pi
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...model.components.outcome import GaussianScore, OffenceDefence
from ..player_pool import Performances, PlayerPool

if TYPE_CHECKING:
    pass

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

PARTNERS = 12  # of a player at most
LEAST = 300  # pairs
ROWS = 500  # players, the least certain ones, for whom partners are looked for


class Shortlist:
    """What may be told by matches between the players of a group.

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
        """Take the players of a group."""
        self.outcome = group.model.outcome
        self.mean, self.variance, noise = Performances(group, (1, 1)).of(np.arange(len(group))[:, None])
        self.skill = self.variance - noise
        self.mu, self.var = group.beliefs()
        self.noise = group.model.noise**2
        board = group.board()
        self.scatter = self.outcome.scatter(board)
        score: Any = getattr(self.outcome, "score", None)
        self.counts = isinstance(self.outcome, OffenceDefence) and score.added(board) is None

    def pairs(self, free: Ints, most: int) -> Ints:
        """Pairs of players who are free, the most promising first; of the least certain players, and any others."""
        line = free[np.argsort(-self.skill[free], kind="stable")]
        found: list[tuple[float, int, int]] = []
        for place, row in enumerate(line[: max(ROWS, 2 * most)].tolist()):
            others = line[place + 1 :]  # those before have met her
            promise = self._promise(row, others)
            near = np.argpartition(-promise, PARTNERS)[:PARTNERS] if len(others) > PARTNERS else range(len(others))
            found += [(-promise[at], *sorted((row, int(others[at])))) for at in near]
        found.sort()
        times = dict.fromkeys(free.tolist(), 0)
        pairs: list[tuple[int, int]] = []
        for _, one, other in found:
            if max(times[one], times[other]) < PARTNERS and len(pairs) < max(6 * most, LEAST):
                pairs.append((one, other))
                times[one], times[other] = times[one] + 1, times[other] + 1
        return np.array(pairs, np.intp).reshape(-1, 2)

    def _promise(self, one: int, others: Ints) -> Floats:
        """About how much a match of one player with each of some others would tell."""
        if isinstance(self.outcome, OffenceDefence):
            return self._by_score(one, others) + self._by_score(one, others, conceded=True)
        spread = self.variance[one] + self.variance[others]
        told = np.ones(len(others))
        if not isinstance(self.outcome, GaussianScore):
            told = np.interp(abs(self.mean[one] - self.mean[others]) / np.sqrt(spread), *_TABLE)
        return _reduction(self.skill[one] * told / spread) + _reduction(self.skill[others] * told / spread)

    def _by_score(self, one: int, others: Ints, conceded: bool = False) -> Floats:
        """What one of the two scores tells: that of the player, or that of her opponent."""
        offence, defence = (others, one) if conceded else (one, others)
        level = self.mu[offence, 0] - self.mu[defence, 1]
        added = np.exp(-np.clip(level, -50.0, 50.0)) if self.counts else self.scatter
        spread = self.var[offence, 0] + self.var[defence, 1] + 2.0 * self.noise + added
        return _reduction(self.var[offence, 0] / spread) + _reduction(self.var[defence, 1] / spread)


def _reduction(share: Floats) -> Floats:
    """By how much the logarithm of a deviation falls when this share of the variance goes."""
    found: Floats = -0.5 * np.log1p(-np.minimum(share, 1.0 - 1e-12))
    return found


def _win_information(gap: float) -> float:
    """W = φ²/(Φ(1 − Φ)) at a gap in standard deviations."""
    win, loss = 0.5 * erfc(-gap / 2**0.5), 0.5 * erfc(gap / 2**0.5)
    return exp(-gap * gap) / (2.0 * pi * win * loss)


_GAPS = np.arange(0.0, 25.0, 0.05)
_TABLE = _GAPS, np.array([_win_information(gap) for gap in _GAPS])


Lineup = tuple[tuple[int, ...], ...]

ROUNDS = 4  # players who are replaced one after the other
OTHERS = 12  # who are tried in the place of a player


def candidate_lineups(shortlist: Shortlist, free: Ints, shape: tuple[int, int], count: int) -> Iterator[Lineup]:
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
        lineup = _canonical([[window[place] for place in snake[:, team]] for team in range(teams)])
        if lineup not in seen:
            seen.add(lineup)
            yield lineup


def improve_lineup(shortlist: Shortlist, lineup: Lineup, free: Ints, value: Callable[[Lineup], float]) -> Lineup:
    """A line-up that tells more, by replacing a player or exchanging two, as long as that helps."""
    for _ in range(ROUNDS):
        best = max(_neighbours(shortlist, lineup, free), key=lambda one: (value(one), one), default=lineup)
        if not value(best) > value(lineup):
            break
        lineup = best
    return lineup


def _neighbours(shortlist: Shortlist, lineup: Lineup, free: Ints) -> Iterator[Lineup]:
    """Line-ups that differ by one player, the one who comes of about her strength or in doubt, or by an exchange."""
    inside = [player for team in lineup for player in team]
    outside = np.setdiff1d(free, inside)
    for at, player in enumerate(inside):
        unlike = abs(shortlist.mean[outside] - shortlist.mean[player])
        near = outside[np.argsort(unlike, kind="stable")[: OTHERS // 2]]
        doubtful = outside[np.argsort(-shortlist.skill[outside], kind="stable")[: OTHERS // 2]]
        for other in np.union1d(near, doubtful).tolist():
            yield _regroup([*inside[:at], other, *inside[at + 1 :]], lineup)
        for later in range(at + 1, len(inside)):
            swapped = list(inside)
            swapped[at], swapped[later] = inside[later], player
            yield _regroup(swapped, lineup)


def _regroup(players: list[int], lineup: Lineup) -> Lineup:
    """Players in teams as those of a line-up."""
    size = len(lineup[0])
    return _canonical([players[first : first + size] for first in range(0, len(players), size)])


def _canonical(teams: list[list[int]]) -> Lineup:
    """The same match always looks the same."""
    return tuple(sorted(tuple(sorted(team)) for team in teams))


def _promise(shortlist: Shortlist, windows: Ints) -> Floats:
    """About how much a match of these players would tell: more where they are in doubt, less where they are unlike."""
    spread = shortlist.variance[windows].sum(axis=1)
    gap = np.ptp(shortlist.mean[windows], axis=1)
    doubt = -np.log1p(-0.6 * shortlist.skill[windows] / spread[:, None]).sum(axis=1)
    found: Floats = doubt * np.exp(-0.2 * gap**2 / spread)
    return found

"""Local search for a good split of many players: start from random splits and swap players to raise the quality."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...model.quality import log_qualities
from ..player_pool import Performances
from .rules import Rules, random_split

Ints = NDArray[np.intp]
Floats = NDArray[np.float64]

EFFORT = 20_000_000  # limit on the total number of players in evaluated teams; takes about half a second
PER_PLAYER = 20_000  # added to EFFORT for each player
AT_ONCE = 500_000  # maximum number of players in the teams of one batch of swaps
FRESH = 8  # number of climbs before the search starts again from a random split
STEP = 40_000  # fixed cost of a batch of swaps, in the same unit as EFFORT
LEAST = 1e-12  # swap players only if the logarithm of the quality grows by more than this


def search(performances: Performances, rules: Rules, seed: int) -> tuple[Ints, int]:
    """Return the team of every player in the best split found, and how many splits were compared.

    The search starts from a random split and makes swaps that raise the quality, until no swap does (a climb). Then it
    makes some random swaps in the best split so far and climbs again. After every few climbs, it starts from a new
    random split.
    """
    rng = np.random.default_rng(seed)
    best: Climb | None = None
    most = EFFORT + PER_PLAYER * sum(rules.sizes)
    compared, effort, climbs = 0, 0, 0
    while effort < most:
        if best is None or climbs % FRESH == 0:
            units = random_split(rules, rng)
            assert units is not None
            climb = Climb(performances, rules, units[rules.unit_of])
        else:
            climb = best.perturb(rng)
        while effort < most:
            swaps, work, better = climb.step(rng)
            compared, effort = compared + swaps, effort + work
            if not better:
                break
        climbs += 1
        if best is None or climb.value > best.value:
            best = climb
    assert best is not None
    return best.team, compared


class Climb:
    """A split of players that is improved step by step; each step swaps players."""

    def __init__(self, performances: Performances, rules: Rules, team: Ints) -> None:
        """Start from a split; `team` has the team of every player."""
        self.performances, self.rules, self.team = performances, rules, team
        self.sizes = np.array(rules.sizes)
        self.first = [members[0] for members in rules.units]
        self.columns = np.empty((3, len(rules.sizes)))
        self.evaluate()

    def evaluate(self) -> None:
        """Compute the performances of all teams, and the quality of the split."""
        for index in range(len(self.sizes)):
            self.columns[:, index : index + 1] = self.performances.of(np.flatnonzero(self.team == index)[None])
        self.value = log_quality_of(self.columns[:, None])[0]

    def step(self, rng: np.random.Generator) -> tuple[int, int, bool]:
        """Compare many swaps, and make the best of them if they raise the quality.

        Return the number of compared swaps, their cost in the unit of `EFFORT`, and whether the split improved.
        """
        per_swap = 2 * int(self.sizes.max()) + 3 * len(self.sizes)
        compared, work = 0, 0
        for some in list_swaps(self.rules, self.team[self.first], max(AT_ONCE // per_swap, 100), rng):
            compared, work = compared + len(some), work + STEP + len(some) * per_swap
            if len(some) and self.take(some, self.values(some)):
                return compared, work, True
        return compared, work, False

    def perturb(self, rng: np.random.Generator) -> Climb:
        """Return a random split that is close to this one."""
        other = Climb(self.performances, self.rules, self.team)
        for _ in range(2 + len(self.sizes) // 2):
            some = random_swap(self.rules, other.team[self.first], rng)
            if some is not None:
                other.make(some)
        other.evaluate()
        return other

    def values(self, some: Swaps) -> Floats:
        """Return the logarithm of the quality after each of the given swaps."""
        columns = np.repeat(self.columns[:, None], len(some), axis=1)
        rows = np.arange(len(some))
        for team, leave, join in ((some.a, some.out, some.back), (some.b, some.back, some.out)):
            for size in np.unique(self.sizes[team]):
                these = np.flatnonzero(self.sizes[team] == size)
                members = self.after(team[these], leave[these], join[these], size)
                columns[:, rows[these], team[these]] = self.performances.of(members)
        return log_quality_of(columns)

    def after(self, team: Ints, leave: Ints, join: Ints, size: int) -> Ints:
        """Return the members of each team after its swap, as sorted rows. All these teams have the size `size`."""
        order = np.argsort(self.team, kind="stable")
        start = np.concatenate([[0], np.cumsum(self.sizes)])
        members = order[start[team][:, None] + np.arange(size)]
        place = np.empty(len(order), np.intp)
        place[order] = np.arange(len(order))
        members[np.arange(len(team))[:, None], place[leave] - start[team][:, None]] = join
        return np.sort(members, axis=1)

    def take(self, some: Swaps, values: Floats) -> bool:
        """Make the best swap if it raises the quality, and further good swaps between other teams.

        Return whether a swap was made.
        """
        order = np.argsort(-values, kind="stable")
        if not values[order[0]] > self.value + LEAST * max(1.0, abs(self.value)):
            return False
        self.make(some.take(order[:1]))
        # The gains of swaps between other teams usually add up, so making several swaps at once saves steps. If they do
        # not add up, only the best swap is kept.
        alone = self.team, values[order[0]]
        touched = {int(some.a[order[0]]), int(some.b[order[0]])}
        for row in order[1:]:
            pair = {int(some.a[row]), int(some.b[row])}
            if len(touched) > len(self.sizes) - 2 or not values[row] > self.value:
                break
            if not touched & pair:
                self.make(some.take(np.array([row])))
                touched |= pair
        self.evaluate()
        if self.value < alone[1]:
            self.team = alone[0]
            self.evaluate()
        return True

    def make(self, some: Swaps) -> None:
        """Carry out the given swaps."""
        self.team = self.team.copy()
        self.team[some.out] = some.b[:, None]
        self.team[some.back] = some.a[:, None]


def log_quality_of(columns: Floats) -> Floats:
    """Return the log-quality of splits; `columns` has mean, variance and noise by split and team."""
    return log_qualities(*columns.transpose(0, 2, 1))


TRIES = 60  # number of attempts to find random swaps of several players at a time


@dataclass(frozen=True, eq=False)
class Swaps:
    """Swaps, one per row: the players `out` of team `a` trade places with equally many players `back` of team `b`."""

    a: Ints
    b: Ints
    out: Ints
    back: Ints

    def __len__(self) -> int:
        return len(self.a)

    def take(self, chosen: Ints) -> Swaps:
        """Return the chosen swaps."""
        return Swaps(self.a[chosen], self.b[chosen], self.out[chosen], self.back[chosen])


def list_swaps(rules: Rules, team: Ints, most: int, rng: np.random.Generator) -> Iterator[Swaps]:
    """Yield batches of swaps: at most `most` swaps of two players, then random swaps of several players at a time.

    `team` is the team of every unit. Groups that stay together move only in swaps of several players.
    """
    yield _single_swaps(rules, team, most, rng)
    sizes = {len(members) for members in rules.units}
    for width in sorted({2} | sizes - {1}):
        swaps = list(_group_swaps(rules, team, width, rng))
        if swaps:
            a, b, out, back = zip(*swaps, strict=True)
            yield Swaps(np.array(a), np.array(b), np.array(out), np.array(back))


def random_swap(rules: Rules, team: Ints, rng: np.random.Generator) -> Swaps | None:
    """Return a random swap, of two single players if possible; None if no swap was found."""
    single = _single_swaps(rules, team, 50, rng)
    if len(single):
        return single.take(rng.integers(len(single), size=1))
    for width in sorted({len(members) for members in rules.units} - {1}):
        for a, b, out, back in _group_swaps(rules, team, width, rng):
            return Swaps(np.array([a]), np.array([b]), np.array([out]), np.array([back]))
    return None


def _single_swaps(rules: Rules, team: Ints, most: int, rng: np.random.Generator) -> Swaps:
    # After the swap, the players of each group in `apart` must still be in different teams.
    single = np.array([unit for unit, members in enumerate(rules.units) if len(members) == 1], np.intp)
    # With many players, there are more pairs than `most` allows, so random pairs are drawn.
    one, other = (
        np.triu_indices(len(single), 1) if len(single) ** 2 < 8 * most else _random_pairs(len(single), most, rng)
    )
    u, v = single[one], single[other]
    differ = np.flatnonzero(team[u] != team[v])
    if len(differ) > most:
        differ = rng.choice(differ, most, replace=False, shuffle=False)
    u, v = u[differ], v[differ]
    if any(rules.foes):
        meets = np.zeros((len(team), len(rules.sizes)), np.intp)
        foe = np.zeros((len(team), len(team)), bool)
        for unit, foes in enumerate(rules.foes):
            foe[unit, list(foes)] = True
            np.add.at(meets[unit], team[list(foes)], 1)
        # A foe in the other team is no obstacle if that foe is the player who leaves.
        may = (meets[u, team[v]] == foe[u, v]) & (meets[v, team[u]] == foe[u, v])
        u, v = u[may], v[may]
    player = np.array([members[0] for members in rules.units])
    return Swaps(team[u], team[v], player[u][:, None], player[v][:, None])


def _random_pairs(count: int, most: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    # Twice as many pairs are drawn as wanted, because some will be pairs of teammates.
    return rng.integers(count, size=2 * most), rng.integers(count, size=2 * most)


def _group_swaps(
    rules: Rules, team: Ints, width: int, rng: np.random.Generator
) -> Iterator[tuple[int, int, list[int], list[int]]]:
    teams = [np.flatnonzero(team == index) for index in range(len(rules.sizes))]
    for _ in range(TRIES):
        a, b = rng.choice(len(teams), 2, replace=False).tolist()
        out, back = _some_units(rules, teams[a], width, rng), _some_units(rules, teams[b], width, rng)
        if out and back and _keeps_apart(rules, team, out, b, back) and _keeps_apart(rules, team, back, a, out):
            yield a, b, _players(rules, out), _players(rules, back)


def _some_units(rules: Rules, units: Ints, width: int, rng: np.random.Generator) -> list[int]:
    # The units have `width` players in total; the result is empty if no such units were found.
    chosen: list[int] = []
    for unit in rng.permutation(units)[: 4 * width].tolist():
        if len(rules.units[unit]) <= width:
            chosen.append(unit)
            width -= len(rules.units[unit])
    return chosen if width == 0 else []


def _keeps_apart(rules: Rules, team: Ints, movers: list[int], to: int, leave: list[int]) -> bool:
    """Return whether units can move to team `to` without joining a foe. The units in `leave` leave team `to`."""
    return not any(team[foe] == to and foe not in leave for unit in movers for foe in rules.foes[unit])


def _players(rules: Rules, units: list[int]) -> list[int]:
    return [player for unit in units for player in rules.units[unit]]

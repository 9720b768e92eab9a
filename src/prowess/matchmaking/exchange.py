"""Exchanges of players between two teams of a split: all that keep the rules, or some of them, as columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .rules import Rules

__all__ = ["Exchanges", "exchanges", "some_exchange"]

Ints = NDArray[np.intp]

TRIES = 60  # exchanges of several players at a time, drawn at random


@dataclass(frozen=True, eq=False)
class Exchanges:
    """Players `out` of team `a`, a row for each exchange, change places with as many players `back` of team `b`."""

    a: Ints
    b: Ints
    out: Ints
    back: Ints

    def __len__(self) -> int:
        """Count the exchanges."""
        return len(self.a)

    def take(self, chosen: Ints) -> Exchanges:
        """Some of the exchanges."""
        return Exchanges(self.a[chosen], self.b[chosen], self.out[chosen], self.back[chosen])


def exchanges(rules: Rules, team: Ints, most: int, rng: np.random.Generator) -> Iterator[Exchanges]:
    """Exchanges of single players, all or at most so many of them, and some of several players at a time.

    `team` is the team of every unit. Groups that stay together need the latter to move at all.
    """
    yield _singles(rules, team, most, rng)
    sizes = {len(members) for members in rules.units}
    for width in sorted({2} | sizes - {1}):
        found = list(_several(rules, team, width, rng))
        if found:
            a, b, out, back = zip(*found, strict=True)
            yield Exchanges(np.array(a), np.array(b), np.array(out), np.array(back))


def some_exchange(rules: Rules, team: Ints, rng: np.random.Generator) -> Exchanges | None:
    """An exchange at random, of two players where that is possible."""
    single = _singles(rules, team, 50, rng)
    if len(single):
        return single.take(rng.integers(len(single), size=1))
    for width in sorted({len(members) for members in rules.units} - {1}):
        for a, b, out, back in _several(rules, team, width, rng):
            return Exchanges(np.array([a]), np.array([b]), np.array([out]), np.array([back]))
    return None


def _singles(rules: Rules, team: Ints, most: int, rng: np.random.Generator) -> Exchanges:
    """Two players who change places, where none of them then meets somebody whom she must not."""
    single = np.array([unit for unit, members in enumerate(rules.units) if len(members) == 1], np.intp)
    one, other = np.triu_indices(len(single), 1) if len(single) ** 2 < 8 * most else _drawn(len(single), most, rng)
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
        may = (meets[u, team[v]] == foe[u, v]) & (meets[v, team[u]] == foe[u, v])
        u, v = u[may], v[may]
    player = np.array([members[0] for members in rules.units])
    return Exchanges(team[u], team[v], player[u][:, None], player[v][:, None])


def _drawn(count: int, most: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Pairs at random, about twice as many as are wanted: some are of one team."""
    return rng.integers(count, size=2 * most), rng.integers(count, size=2 * most)


def _several(
    rules: Rules, team: Ints, width: int, rng: np.random.Generator
) -> Iterator[tuple[int, int, list[int], list[int]]]:
    """Exchanges of `width` players, drawn at random."""
    teams = [np.flatnonzero(team == index) for index in range(len(rules.sizes))]
    for _ in range(TRIES):
        a, b = rng.choice(len(teams), 2, replace=False).tolist()
        out, back = _some_units(rules, teams[a], width, rng), _some_units(rules, teams[b], width, rng)
        if out and back and _keeps(rules, team, out, b, back) and _keeps(rules, team, back, a, out):
            yield a, b, _players(rules, out), _players(rules, back)


def _some_units(rules: Rules, units: Ints, width: int, rng: np.random.Generator) -> list[int]:
    """Units of a team who are `width` players together, or none."""
    found: list[int] = []
    for unit in rng.permutation(units)[: 4 * width].tolist():
        if len(rules.units[unit]) <= width:
            found.append(unit)
            width -= len(rules.units[unit])
    return found if width == 0 else []


def _keeps(rules: Rules, team: Ints, movers: list[int], to: int, leave: list[int]) -> bool:
    """Whether nobody of the movers meets a foe who stays in the other team."""
    return not any(team[foe] == to and foe not in leave for unit in movers for foe in rules.foes[unit])


def _players(rules: Rules, units: list[int]) -> list[int]:
    return [player for unit in units for player in rules.units[unit]]

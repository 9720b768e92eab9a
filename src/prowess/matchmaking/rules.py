"""What a split into teams must keep: sizes, who stays together, who is kept apart; and whether any split does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import whole
from ..errors import Error
from ..history import name_of

__all__ = ["Groups", "Rules", "groups_of", "sizes_of"]

Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Rules:
    """Team sizes, groups of players that stay together, groups whose players are all in different teams.

    Players are numbers from 0 on. `units` are the players who can only move together, most of them alone; `foes` says
    which units must not meet.

    >>> Rules((2, 2), together=((0, 1),), apart=((0, 3),)).units
    [(0, 1), (2,), (3,)]
    """

    sizes: tuple[int, ...]
    together: Groups = ()
    apart: Groups = ()

    @cached_property
    def units(self) -> list[tuple[int, ...]]:
        """The players who stay together, in the order of their first; groups that share a player are one."""
        leader = list(range(sum(self.sizes)))
        for members in self.together:
            joined = {leader[player] for player in members}
            leader = [min(joined) if one in joined else one for one in leader]
        found: dict[int, list[int]] = {}
        for player, one in enumerate(leader):
            found.setdefault(one, []).append(player)
        return [tuple(members) for members in found.values()]

    @cached_property
    def unit_of(self) -> NDArray[np.intp]:
        """The unit of every player."""
        found = np.empty(sum(self.sizes), np.intp)
        for unit, members in enumerate(self.units):
            found[list(members)] = unit
        return found

    @cached_property
    def foes(self) -> list[frozenset[int]]:
        """The units that a unit must not meet."""
        found: list[set[int]] = [set() for _ in self.units]
        for members in self.apart:
            for one, other in combinations(self.unit_of[list(members)].tolist(), 2):
                found[one].add(other)
                found[other].add(one)
        return [frozenset(units) for units in found]

    @cached_property
    def twins(self) -> list[int]:
        """For every team the one before it that has the same size, or −1: teams of one size have no order."""
        last: dict[int, int] = {}
        found = []
        for team, size in enumerate(self.sizes):
            found.append(last.get(size, -1))
            last[size] = team
        return found

    def __bool__(self) -> bool:
        """Tell whether there is more to keep than sizes."""
        return bool(self.together or self.apart)


def sizes_of(players: int, teams: Any, sizes: Any) -> tuple[int, ...]:
    """The sizes of the teams: as given, or as even as possible, the larger ones first.

    >>> sizes_of(9, 2, None), sizes_of(9, 2, [4, 5])
    ((5, 4), (4, 5))
    """
    if sizes is None:
        count = whole("teams", teams, 2)
        if players < count:
            raise Error(f"{count} teams need at least {count} players, not {players}")
        return tuple(players // count + (team < players % count) for team in range(count))
    if isinstance(sizes, str) or not isinstance(sizes, Iterable):
        raise Error(f"sizes must be a list of numbers, one for each team, not {sizes!r}")
    found = tuple(whole(f"sizes[{index}]", size, 1) for index, size in enumerate(sizes))
    if len(found) < 2:
        raise Error(f"sizes must be those of at least two teams, not {list(found)}")
    if sum(found) != players:
        raise Error(f"the sizes {_sum(found)} do not go with {players} players")
    return found


def _sum(sizes: Sequence[int]) -> str:
    return f"{' + '.join(map(str, sizes))} = {sum(sizes)}"


def groups_of(what: str, groups: Any, names: Sequence[str]) -> Groups:
    """Groups of players by name, as numbers; one group may stand alone.

    >>> groups_of("apart", [["ann", "cat"]], ["ann", "bob", "cat"]), groups_of("apart", ["ann", "bob"], ["ann", "bob"])
    (((0, 2),), ((0, 1),))
    """
    example = f"{what} must be groups of names, such as [['ann', 'bob']]"
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise Error(f"{example}, not {groups!r}")
    listed = list(groups)
    if listed and all(isinstance(name, (str, int, np.integer)) for name in listed):
        listed = [listed]
    number = {name: player for player, name in enumerate(names)}
    found = []
    for members in listed:
        if isinstance(members, str) or not isinstance(members, Iterable):
            raise Error(f"{example}, not {groups!r}")
        known = [name_of(name) for name in members]
        for name in known:
            if name not in number:
                raise Error(f"{what}: {name} is not among the players")
            if known.count(name) > 1:
                raise Error(f"{what}: {name} stands twice in a group")
        if len(known) > 1:
            found.append(tuple(number[name] for name in known))
    return tuple(found)

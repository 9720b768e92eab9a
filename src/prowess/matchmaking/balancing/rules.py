"""What a split into teams must keep: sizes, who stays together, who is kept apart; and whether any split does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history import name_of
from ...validate import whole

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


def parse_sizes(players: int, teams: Any, sizes: Any) -> tuple[int, ...]:
    """The sizes of the teams: as given, or as even as possible, the larger ones first.

    >>> parse_sizes(9, 2, None), parse_sizes(9, 2, [4, 5])
    ((5, 4), (4, 5))
    """
    if sizes is None:
        count = whole("teams", teams, 2)
        if players < count:
            raise Error(f"{count} teams need at least {count} players, not {players}", field="teams", value=count)
        return tuple(players // count + (team < players % count) for team in range(count))
    if isinstance(sizes, str) or not isinstance(sizes, Iterable):
        raise Error(f"sizes must be a list of numbers, one for each team, not {sizes!r}", field="sizes", value=sizes)
    found = tuple(whole(f"sizes[{index}]", size, 1) for index, size in enumerate(sizes))
    if len(found) < 2:
        raise Error(f"sizes must be those of at least two teams, not {list(found)}", field="sizes", value=sizes)
    if sum(found) != players:
        raise Error(f"the sizes {_sum_text(found)} do not go with {players} players", field="sizes", value=sizes)
    return found


def _sum_text(sizes: Sequence[int]) -> str:
    return f"{' + '.join(map(str, sizes))} = {sum(sizes)}"


def parse_groups(what: str, groups: Any, names: Sequence[str]) -> Groups:
    """Groups of players by name, as numbers; one group may stand alone.

    >>> names = ["ann", "bob", "cat"]
    >>> parse_groups("apart", [["ann", "cat"]], names), parse_groups("apart", ["ann", "bob"], names)
    (((0, 2),), ((0, 1),))
    """
    example = f"{what} must be groups of names, such as [['ann', 'bob']]"
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise Error(f"{example}, not {groups!r}", field=what, value=groups)
    listed = list(groups)
    if listed and all(isinstance(name, (str, int, np.integer)) for name in listed):
        listed = [listed]
    number = {name: player for player, name in enumerate(names)}
    found = []
    for members in listed:
        if isinstance(members, str) or not isinstance(members, Iterable):
            raise Error(f"{example}, not {groups!r}", field=what, value=groups)
        known = [name_of(name) for name in members]
        for name in known:
            if name not in number:
                raise Error.in_field(what, f"{name} is not among the players", value=name)
            if known.count(name) > 1:
                raise Error.in_field(what, f"{name} stands twice in a group", value=name)
        if len(known) > 1:
            found.append(tuple(number[name] for name in known))
    return tuple(found)


WORK = 1_000_000  # looks at a unit and a team before the search gives up


class Undecided(Exception):
    """The search was given up."""


def random_split(rules: Rules, rng: np.random.Generator) -> NDArray[np.intp] | None:
    """The team of every unit in a split that keeps the rules, or None if there is none.

    >>> random_split(Rules((2, 1), together=((0, 2),)), np.random.default_rng(0))
    array([0, 1])
    >>> random_split(Rules((2, 2), apart=((0, 1), (1, 2), (0, 2))), np.random.default_rng(0)) is None
    True
    """
    sizes = [len(members) for members in rules.units]
    room, team = list(rules.sizes), np.full(len(sizes), -1)
    waiting = {unit for unit, size in enumerate(sizes) if size > 1 or rules.foes[unit]}
    path: list[tuple[int, Iterator[int]]] = []
    dead: set[object] = set()
    work = 0
    while waiting:
        choices = [(unit, _open_teams(rules, sizes, room, team, unit)) for unit in sorted(waiting)]
        unit, options = min(choices, key=lambda choice: (len(choice[1]) > 0, not rules.foes[choice[0]], len(choice[1])))
        work += len(waiting) * len(room)
        if work > WORK:
            raise Undecided
        if _is_dead_end(rules, room, waiting, dead):
            options = []
        path.append((unit, iter(rng.permutation(options).tolist())))
        waiting.remove(unit)
        while path:  # on with the next team of the last unit that has one
            unit, left = path[-1]
            if team[unit] >= 0:
                room[team[unit]] += sizes[unit]
            team[unit] = next(left, -1)
            if team[unit] >= 0:
                room[team[unit]] -= sizes[unit]
                break
            path.pop()
            waiting.add(unit)
        else:
            return None
    team[team < 0] = rng.permutation(np.repeat(np.arange(len(room)), room))  # players without rules fill up
    return team


def _is_dead_end(rules: Rules, room: Sequence[int], waiting: set[int], dead: set[object]) -> bool:
    """Whether the groups that wait surely do not fit, or have been tried in vain where teams had the same room."""
    blocks = sorted(len(rules.units[unit]) for unit in waiting if len(rules.units[unit]) > 1)
    if blocks and sum(free // blocks[0] for free in room) < len(blocks):
        return True
    if any(rules.foes[unit] for unit in waiting):
        return False
    state = tuple(room), tuple(blocks)
    if state in dead:
        return True
    dead.add(state)  # whoever comes here again has come back
    return False


def _open_teams(
    rules: Rules, sizes: Sequence[int], room: Sequence[int], team: NDArray[np.intp], unit: int
) -> list[int]:
    """The teams that may take a unit; of several that are empty and of one size, the first."""
    taken = {int(team[foe]) for foe in rules.foes[unit]}
    found = []
    empty = set()
    for index, free in enumerate(room):
        if free == rules.sizes[index]:
            if free in empty:
                continue
            empty.add(free)
        if free >= sizes[unit] and index not in taken:
            found.append(index)
    return found


def check_feasible(rules: Rules, names: Sequence[str]) -> None:
    """Say what contradicts what, if no split keeps the rules."""
    called = _Wording(names, rules.sizes)
    for members in rules.apart:
        for one, other in combinations(members, 2):
            if rules.unit_of[one] == rules.unit_of[other]:
                stay = called.each(rules.units[rules.unit_of[one]])
                raise Error(f"{called.each((one, other))} must be apart, but {stay} stay together", field="apart")
        if len(members) > len(rules.sizes):
            raise Error(
                f"{called.each(members)} must all be apart, but there are only {len(rules.sizes)} teams", field="apart"
            )
    for unit in rules.units:
        if len(unit) > max(rules.sizes):
            raise Error(
                f"{called.each(unit)} stay together, but the largest team has {max(rules.sizes)}", field="together"
            )
    try:
        if _is_feasible(rules):
            return
        rules = _minimal_conflict(rules)
    except Undecided:
        raise Error(
            f"whether any split into {called.teams} keeps all players together and apart as asked could not be "
            "decided in a reasonable time; ask for less"
        ) from None
    raise Error(
        f"no split into {called.teams} keeps all of this: {called.all_of(rules)}",
        field="together" if rules.together else "apart",
    )


def _is_feasible(rules: Rules) -> bool:
    return random_split(rules, np.random.default_rng(0)) is not None


def _minimal_conflict(rules: Rules) -> Rules:
    """Rules that no split keeps, none of which could be left out."""
    for kind in ("together", "apart"):
        for members in getattr(rules, kind):
            fewer = replace(rules, **{kind: tuple(one for one in getattr(rules, kind) if one != members)})
            if not _is_feasible(fewer):
                rules = fewer
    return rules


class _Wording:
    """How players, teams and rules are called in messages."""

    def __init__(self, names: Sequence[str], sizes: Sequence[int]) -> None:
        self.names = names
        self.teams = f"{len(sizes)} teams of {', '.join(map(str, sizes[:-1]))} and {sizes[-1]}"

    def each(self, players: Sequence[int]) -> str:
        """Names; of many only the first."""
        shown = [self.names[player] for player in players[:12]]
        if len(players) > len(shown):
            shown.append(f"{len(players) - len(shown)} others")
        return f"{', '.join(shown[:-1])} and {shown[-1]}"

    def all_of(self, rules: Rules) -> str:
        """The rules in words."""
        said = [f"{self.each(members)} together" for members in rules.together]
        said += [f"{self.each(members)} apart" for members in rules.apart]
        return "; ".join(said[:12]) + (f"; and {len(said) - 12} more" if len(said) > 12 else "")

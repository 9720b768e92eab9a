"""The rules of a split into teams (sizes, players together and apart), and the check that such a split exists."""

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
from ...validate import invalid, whole

Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Rules:
    """The rules for a split: team sizes, groups that stay together, and groups whose players are in different teams.

    Players are numbered from 0. A unit is a player, or a group of players who stay together. The `foes` of a unit are
    the units that must not be in its team.

    >>> Rules((2, 2), together=((0, 1),), apart=((0, 3),)).units
    [(0, 1), (2,), (3,)]
    """

    sizes: tuple[int, ...]
    together: Groups = ()
    apart: Groups = ()

    @cached_property
    def units(self) -> list[tuple[int, ...]]:
        """The units, in the order of their first players. Groups that share a player form one unit."""
        leader = list(range(sum(self.sizes)))
        for members in self.together:
            joined = {leader[player] for player in members}
            leader = [min(joined) if player in joined else player for player in leader]
        units: dict[int, list[int]] = {}
        for player, first in enumerate(leader):
            units.setdefault(first, []).append(player)
        return [tuple(members) for members in units.values()]

    @cached_property
    def unit_of(self) -> NDArray[np.intp]:
        """The unit of every player."""
        unit_of = np.empty(sum(self.sizes), np.intp)
        for unit, members in enumerate(self.units):
            unit_of[list(members)] = unit
        return unit_of

    @cached_property
    def foes(self) -> list[frozenset[int]]:
        """For every unit, the units that must be in other teams."""
        foes: list[set[int]] = [set() for _ in self.units]
        for members in self.apart:
            for one, other in combinations(self.unit_of[list(members)].tolist(), 2):
                foes[one].add(other)
                foes[other].add(one)
        return [frozenset(units) for units in foes]

    @cached_property
    def twins(self) -> list[int]:
        """For every team, the previous team of the same size, or −1 if there is none."""
        last: dict[int, int] = {}
        twins = []
        for team, size in enumerate(self.sizes):
            twins.append(last.get(size, -1))
            last[size] = team
        return twins

    def __bool__(self) -> bool:
        """Return whether there are any rules besides the team sizes."""
        return bool(self.together or self.apart)


def parse_sizes(players: int, teams: Any, sizes: Any) -> tuple[int, ...]:
    """Return the sizes of the teams: as given, or as even as possible with the larger teams first.

    >>> parse_sizes(9, 2, None), parse_sizes(9, 2, [4, 5])
    ((5, 4), (4, 5))
    """
    if sizes is None:
        count = whole("teams", teams, 2)
        if players < count:
            raise Error(f"{count} teams need at least {count} players, not {players}", field="teams", value=count)
        return tuple(players // count + (team < players % count) for team in range(count))
    if isinstance(sizes, str) or not isinstance(sizes, Iterable):
        raise invalid("sizes", "be a list of numbers, one for each team", sizes)
    parsed = tuple(whole(f"sizes[{index}]", size, 1) for index, size in enumerate(sizes))
    if len(parsed) < 2:
        raise invalid("sizes", "list at least two teams", list(parsed))
    if sum(parsed) != players:
        total = f"{' + '.join(map(str, parsed))} = {sum(parsed)}"
        raise Error(f"the sizes {total} do not match {players} players", field="sizes", value=sizes)
    return parsed


def parse_groups(what: str, groups: Any, names: Sequence[str]) -> Groups:
    """Return groups of names as groups of player numbers. A single group may be given without an outer list.

    >>> names = ["ann", "bob", "cat"]
    >>> parse_groups("apart", [["ann", "cat"]], names), parse_groups("apart", ["ann", "bob"], names)
    (((0, 2),), ((0, 1),))
    """
    wrong = invalid(what, "be groups of names, such as [['ann', 'bob']]", groups)
    # A string is iterable, but its letters are not names.
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise wrong
    listed = list(groups)
    if listed and all(isinstance(name, (str, int, np.integer)) for name in listed):
        listed = [listed]
    number = {name: player for player, name in enumerate(names)}
    parsed = []
    for members in listed:
        if isinstance(members, str) or not isinstance(members, Iterable):
            raise wrong
        group = [name_of(name) for name in members]
        for name in group:
            if name not in number:
                raise Error.in_field(what, f"{name} is not among the players", value=name)
            if group.count(name) > 1:
                raise Error.in_field(what, f"{name} is listed twice in a group", value=name)
        if len(group) > 1:
            parsed.append(tuple(number[name] for name in group))
    return tuple(parsed)


WORK = 1_000_000  # number of (unit, team) combinations to try before the search gives up


class Undecided(Exception):
    """Raised when the search for a split gives up after `WORK` combinations."""


def random_split(rules: Rules, rng: np.random.Generator) -> NDArray[np.intp] | None:
    """Return the team of every unit in a random split that follows the rules, or None if no split follows them.

    Raises `Undecided` if the search takes too long.

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
        # The hardest unit comes next, so that dead ends are found early: units without any open team, then units with
        # foes, then units with the fewest options.
        unit, options = min(choices, key=lambda choice: (len(choice[1]) > 0, not rules.foes[choice[0]], len(choice[1])))
        work += len(waiting) * len(room)
        if work > WORK:
            raise Undecided
        if _is_dead_end(rules, room, waiting, dead):
            options = []
        path.append((unit, iter(rng.permutation(options).tolist())))
        waiting.remove(unit)
        while path:  # backtrack to the last unit with another team to try
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
    team[team < 0] = rng.permutation(np.repeat(np.arange(len(room)), room))  # all other players fill the free seats
    return team


def _is_dead_end(rules: Rules, room: Sequence[int], waiting: set[int], dead: set[object]) -> bool:
    """Return whether the waiting groups cannot fit into the free seats; `dead` collects the states tried before."""
    blocks = sorted(len(rules.units[unit]) for unit in waiting if len(rules.units[unit]) > 1)
    if blocks and sum(free // blocks[0] for free in room) < len(blocks):
        return True
    if any(rules.foes[unit] for unit in waiting):
        return False
    state = tuple(room), tuple(blocks)
    if state in dead:
        return True
    dead.add(state)  # the next visit with these seats means that the search has backtracked, so this attempt failed
    return False


def _open_teams(
    rules: Rules, sizes: Sequence[int], room: Sequence[int], team: NDArray[np.intp], unit: int
) -> list[int]:
    # Of several empty teams of the same size, only the first is tried, so that no split is tried twice.
    taken = {int(team[foe]) for foe in rules.foes[unit]}
    teams = []
    empty = set()
    for index, free in enumerate(room):
        if free == rules.sizes[index]:
            if free in empty:
                continue
            empty.add(free)
        if free >= sizes[unit] and index not in taken:
            teams.append(index)
    return teams


def check_feasible(rules: Rules, names: Sequence[str]) -> None:
    """Raise an `Error` that names a minimal contradiction if no split follows the rules.

    If the search takes too long to decide this, the `Error` asks for fewer rules.
    """
    called = _Wording(names, rules.sizes)
    # Obvious contradictions are checked first, because their messages are clearer than the result of a search.
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
        raise Error(f"no split into {called.teams} with all these rules was found in time; use fewer rules") from None
    field = "together" if rules.together else "apart"
    raise Error(f"no split into {called.teams} follows these rules: {called.all_of(rules)}", field=field)


def _is_feasible(rules: Rules) -> bool:
    return random_split(rules, np.random.default_rng(0)) is not None


def _minimal_conflict(rules: Rules) -> Rules:
    """Return a minimal contradiction: no split follows all of these rules, but dropping any one rule allows a split."""
    for kind in ("together", "apart"):
        for members in getattr(rules, kind):
            fewer = replace(rules, **{kind: tuple(group for group in getattr(rules, kind) if group != members)})
            if not _is_feasible(fewer):
                rules = fewer
    return rules


class _Wording:
    def __init__(self, names: Sequence[str], sizes: Sequence[int]) -> None:
        self.names = names
        self.teams = f"{len(sizes)} teams of {', '.join(map(str, sizes[:-1]))} and {sizes[-1]}"

    def each(self, players: Sequence[int]) -> str:
        shown = [self.names[player] for player in players[:12]]
        if len(players) > len(shown):
            shown.append(f"{len(players) - len(shown)} others")
        return f"{', '.join(shown[:-1])} and {shown[-1]}"

    def all_of(self, rules: Rules) -> str:
        parts = [f"{self.each(members)} together" for members in rules.together]
        parts += [f"{self.each(members)} apart" for members in rules.apart]
        return "; ".join(parts[:12]) + (f"; and {len(parts) - 12} more" if len(parts) > 12 else "")

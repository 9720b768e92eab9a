"""Rename and merge players: resolve aliases, translate the players of a history, and refuse impossible merges."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import Error
from .names import name_of, nearest
from .ragged import Ints, holders, pair_codes
from .times import show_time

if TYPE_CHECKING:
    from .history import History

CIRCLE = 5  # names of a circle that a message shows


def resolve_aliases(aliases: Mapping[str, str]) -> dict[str, str]:
    """Map every alias to its last name: chains are followed, an alias of itself is dropped, a circle is an `Error`.

    >>> resolve_aliases({"JV": "Jeevo", "Jeevo": "Deevo", "ann": "ann"})
    {'JV': 'Deevo', 'Jeevo': 'Deevo'}
    >>> resolve_aliases({"ann": "bob", "bob": "ann"})
    Traceback (most recent call last):
    ...
    prowess.Error: aliases must not go in a circle: 'ann' → 'bob' → 'ann'
    """
    direct: dict[str, str] = {}
    for alias, name in aliases.items():
        key, value = name_of(alias, "an alias", "aliases"), name_of(name, "a player's name", "aliases")
        if direct.setdefault(key, value) != value:
            message = f"{key!r} is an alias of both {direct[key]!r} and {value!r}; keep one of them"
            raise Error(message, field="aliases", value=key)
    direct = {alias: name for alias, name in direct.items() if alias != name}
    final: dict[str, str] = {}
    for alias in direct:
        path = {alias: None}
        name = direct[alias]
        while name in direct and name not in final:
            if name in path:
                circle = [*list(path)[list(path).index(name) :], name]
                names = " → ".join(map(repr, circle[:CIRCLE])) + " → …" * (len(circle) > CIRCLE)
                raise Error(f"aliases must not go in a circle: {names}", field="aliases", value=name)
            path[name] = None
            name = direct[name]
        final |= dict.fromkeys(path, final.get(name, name))
    return {alias: final[alias] for alias in direct}


def rename(history: "History", names: Mapping[str, str]) -> "History":
    """Rename and merge the players of a history; see `History.rename`."""
    if not isinstance(names, Mapping):
        right = "rename needs a mapping from old to new names, such as {'Jeevo': 'Deevo'}"
        raise Error(f"{right}, not {names!r}", field="names", value=names)
    resolved = resolve_aliases(names)
    existing = set(history.players)
    unknown = next((name for name in resolved if name not in existing), None)
    if unknown is not None:
        near = nearest(unknown, history.players, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise Error(f"no player named {unknown!r} to rename{hint}", field="names", value=unknown)
    if not resolved:
        return history
    translate, players = merged_players(history.players, resolved)
    clash = find_clash(history.match_start, history.team_start, history.player, translate)
    if clash is not None:
        message = f"{_describe(history, clash.match)}: {clash.sentence(history.players)}"
        raise Error(message, field="names", match=clash.match)
    return replace(history, player=translate[history.player], players=players)


def merged_players(players: Sequence[str], aliases: Mapping[str, str]) -> tuple[Ints, tuple[str, ...]]:
    """Return the new index of each player, and the new names in the order of the old ones.

    >>> merged_players(("ann", "Jeevo", "Deevo"), {"Jeevo": "Deevo"})
    (array([0, 1, 1], dtype=int32), ('ann', 'Deevo'))
    """
    index: dict[str, int] = {}
    new = [index.setdefault(aliases.get(name, name), len(index)) for name in players]
    return np.array(new, np.int32), tuple(index)


class Clash(NamedTuple):
    """Two different players of one match whom a merge would make one player."""

    match: int
    entries: tuple[int, int]
    players: tuple[int, int]
    same_team: bool

    def sentence(self, names: Sequence[str]) -> str:
        """Say why the two cannot be one player."""
        first, second = (repr(names[player]) for player in self.players)
        where = "are teammates" if self.same_team else "are opponents"
        return f"{first} and {second} {where}, so they cannot be one player"


def find_clash(match_start: Ints, team_start: Ints, player: Ints, translate: Ints) -> Clash | None:
    """Return the first match in which two different players become one, if `translate` maps old to new players."""
    merged = np.bincount(translate) > 1
    # Most entries belong to players with one old name, who cannot clash.
    entry = np.flatnonzero(merged[translate][player])
    team = holders(team_start, entry)
    match = holders(match_start, team)
    key = pair_codes(match, translate[player[entry]])
    order = np.argsort(key, kind="stable")
    pairs = np.flatnonzero((np.diff(key[order]) == 0) & (np.diff(player[entry[order]]) != 0))
    if not len(pairs):
        return None
    # The keys sort by match, so the first pair is in the first match.
    first, second = order[pairs[0] : pairs[0] + 2].tolist()
    entries = int(entry[first]), int(entry[second])
    players = int(player[entries[0]]), int(player[entries[1]])
    return Clash(int(match[first]), entries, players, bool(team[first] == team[second]))


def _describe(history: "History", match: int) -> str:
    """Name a match by its number, counted from 1, and by its time and id if it has them."""
    details: list[str] = []
    if history.time is not None and history.time_kind is not None:
        details.append(str(show_time(history.time_kind, history.time_zone, history.time[match])))
    if history.ids is not None and history.ids[match]:
        details.append(f"id {history.ids[match]!r}")
    return f"match {match + 1}" + (f" ({', '.join(details)})" if details else "")

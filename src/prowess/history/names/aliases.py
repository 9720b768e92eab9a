"""Aliases (other names of players): resolve chains of aliases, record which occur in a file, and find clashes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...errors import Error, Remark
from ...text import count
from ..ragged import Ints, holders, pair_codes
from .index import NameIndex
from .spelling import name_of

CIRCLE = 5  # maximum number of names that an error about circular aliases lists
SHOWN = 3  # maximum number of aliases that a remark lists


def resolve_aliases(aliases: Mapping[str, str]) -> dict[str, str]:
    """Map every alias to a player's name, following chains of aliases. A name that is its own alias is dropped.

    Circular aliases raise an `Error`.

    >>> resolve_aliases({"JV": "Jeevo", "Jeevo": "Deevo", "ann": "ann"})
    {'JV': 'Deevo', 'Jeevo': 'Deevo'}
    >>> resolve_aliases({"ann": "bob", "bob": "ann"})
    Traceback (most recent call last):
    ...
    prowess.Error: these aliases refer to each other in a circle: 'ann' → 'bob' → 'ann'; remove one of them
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
                raise Error(
                    f"these aliases refer to each other in a circle: {names}; remove one of them",
                    field="aliases",
                    value=name,
                )
            path[name] = None
            name = direct[name]
        final |= dict.fromkeys(path, final.get(name, name))
    return {alias: final[alias] for alias in direct}


class Aliases(Mapping[str, str]):
    """A mapping from aliases to players' names; `source` is the file from which the aliases were read.

    A file may be read in several chunks, so the object records which names have occurred in any of them.

    >>> aliases = Aliases({"JV": "Jeevo", "Jeevo": "Deevo"})
    >>> aliases["JV"], aliases.apply(["ann", "Jeevo"]), aliases.unused
    ('Deevo', ['ann', 'Deevo'], ['JV'])
    """

    def __init__(self, aliases: Mapping[str, str], source: str = "") -> None:
        self.source = source
        self._names = resolve_aliases(aliases)
        self._targets = set(self._names.values())
        self._seen: set[str] = set()  # aliases and players' names that have occurred

    def __getitem__(self, alias: str) -> str:
        """Return the player's name."""
        return self._names[alias]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def apply(self, names: Iterable[str]) -> list[str]:
        """Replace aliases by players' names, and record which aliases and players have occurred."""
        names = list(names)
        self._seen.update(name for name in names if name in self._names or name in self._targets)
        return [self._names.get(name, name) for name in names]

    @property
    def unused(self) -> list[str]:
        """The aliases that have not been found in any names passed to `apply`."""
        return [alias for alias in self._names if alias not in self._seen]

    def remarks(self, players: Iterable[str]) -> tuple[Remark, ...]:
        """Return remarks on the number of aliases applied, on unused aliases, and on names that may be misspelt.

        A name to which an alias refers may be misspelt if no match has it, but one of the `players` has a similar name.
        """
        unused, used = self.unused, [alias for alias in self._names if alias in self._seen]
        if not self._names:
            return ()
        title = f"{self.source}: " if self.source else ""
        text = f"{title}{count(len(used), 'alias', 'aliases')} applied"
        remarks = [Remark("aliases", (text,), count=len(used))] if used else []
        others = NameIndex([name for name in players if name not in self._targets])
        if unused:
            shown = "; ".join(f"{alias!r}{_meant(others.lookalikes(alias))}" for alias in unused[:SHOWN])
            more = "; …" if len(unused) > SHOWN else ""
            number = count(len(unused), "alias does", "aliases do")
            text = f"{title}{number} not occur in the matches: {shown}{more}"
            remarks.append(Remark("unused-aliases", (text,), count=len(unused)))
        for name in dict.fromkeys(self._names[alias] for alias in used):
            alike = [] if name in self._seen else others.lookalikes(name)
            if alike:
                text = f"{title}no match has a player named {name!r}{_meant(alike)}"
                remarks.append(Remark("new-name", (text,)))
        return tuple(remarks)


def _meant(names: list[str]) -> str:
    return f" (did you mean {names[0]!r}?)" if names else ""


def merged_players(names: Sequence[str]) -> tuple[Ints, tuple[str, ...]]:
    """Return the new index of each old player, and the distinct new names in order of first appearance.

    >>> merged_players(("ann", "Deevo", "Deevo"))
    (array([0, 1, 1], dtype=int32), ('ann', 'Deevo'))
    """
    index: dict[str, int] = {}
    new = [index.setdefault(name, len(index)) for name in names]
    return np.array(new, np.int32), tuple(index)


class Clash(NamedTuple):
    """Two different players of one match who would become one player by a merge."""

    match: int
    entries: tuple[int, int]
    players: tuple[int, int]
    same_team: bool

    def sentence(self, names: Sequence[str]) -> str:
        """Return a sentence that explains why the two cannot be one player."""
        first, second = (repr(names[player]) for player in self.players)
        where = "are teammates" if self.same_team else "are opponents"
        return f"{first} and {second} {where}, so they cannot be one player"


def find_clash(match_start: Ints, team_start: Ints, player: Ints, translate: Ints) -> Clash | None:
    """Return the first match in which two players become one; None if there is none.

    `translate` maps the old index of each player to the new one.
    """
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

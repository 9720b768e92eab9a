"""Teams made by hand: somebody moves to another team, or two change places."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import Error

__all__ = ["Split", "changed"]


@dataclass(frozen=True)
class Split:
    """Teams of players; everybody is in one of them.

    >>> Split((("ann",), ("bob", "cat"))).names
    ['ann', 'bob', 'cat']
    """

    teams: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        """Check that nobody plays for two."""
        names = self.names
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise Error(f"team: {twice!r} stands in two teams: everybody plays once")

    @property
    def names(self) -> list[str]:
        """All players."""
        return [name for team in self.teams for name in team]

    def place(self, name: str) -> int:
        """The team of a player, from 0 on."""
        for number, team in enumerate(self.teams):
            if name in team:
                return number
        raise Error(f"team: {name!r} is in none of the teams")

    def moved(self, name: str, to: int) -> Split:
        """The teams after somebody has gone to another one; none may be left empty.

        >>> Split((("ann",), ("bob", "cat"))).moved("cat", 0).teams
        (('ann', 'cat'), ('bob',))
        """
        here = self.place(name)
        if not 0 <= to < len(self.teams):
            raise Error(f"move: there are the teams 1 to {len(self.teams)}")
        if here == to:
            return self
        if len(self.teams[here]) == 1:
            raise Error(f"move: {name!r} is the only player of team {here + 1}, which cannot be empty")
        teams = [tuple(one for one in team if one != name) for team in self.teams]
        teams[to] += (name,)
        return Split(tuple(teams))

    def swapped(self, one: str, other: str) -> Split:
        """The teams after two players have changed places.

        >>> Split((("ann",), ("bob", "cat"))).swapped("ann", "bob").teams
        (('bob',), ('ann', 'cat'))
        """
        self.place(one), self.place(other)
        change = {one: other, other: one}
        return Split(tuple(tuple(change.get(name, name) for name in team) for team in self.teams))


def changed(split: Split, move: str, swap: str) -> Split:
    """The teams after what an address asks for: `2:ann` moves ann to team 2, two lines of `swap` change places.

    >>> changed(Split((("ann",), ("bob", "cat"))), "1:bob", "").teams
    (('ann', 'bob'), ('cat',))
    """
    if move:
        number, _, name = move.partition(":")
        split = split.moved(name.strip(), int(number) - 1 if number.isascii() and number.isdecimal() else -1)
    if swap:
        names = [line.strip() for line in swap.splitlines() if line.strip()]
        if len(names) != 2:
            raise Error("swap: give two names, one a line")
        split = split.swapped(*names)
    return split

"""Who meets whom: the matches of a simulated league before they are played."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history.ragged import owners, starts
from ...validate import whole
from .attendance import Attendance
from .options import Count, Floats, Ints, column
from .roster import Roster, staffed

__all__ = ["Lineup", "line_up"]


@dataclass(frozen=True, eq=False)
class Lineup:
    """The teams of every match and the players of every team, as in a history; players by number.

    >>> Lineup(np.array([0, 2], np.int32), np.array([0, 1, 3], np.int32), np.array([4, 2, 5])).match
    array([0, 0, 0], dtype=int32)
    """

    match_start: NDArray[np.int32]
    team_start: NDArray[np.int32]
    player: Ints

    def __len__(self) -> int:
        """Count the matches."""
        return len(self.match_start) - 1

    @property
    def match(self) -> NDArray[np.int32]:
        """The match of every entry."""
        return owners(self.match_start)[owners(self.team_start)]


def line_up(
    rng: np.random.Generator,
    matches: int,
    skill: Floats,
    teams: Count,
    size: Count,
    attendance: Attendance,
    roster: Roster | None,
) -> Lineup:
    """Draw who plays in every match: players thrown together, or squads.

    >>> from prowess.lab.simulate import Even
    >>> found = line_up(np.random.default_rng(1), 10, np.zeros(20), 2, (1, 3), Even(), None)
    >>> len(found), len(found.team_start)
    (10, 21)
    """
    counts = column("teams", teams, matches, 2, rng)
    if roster is not None:
        sizes, player = staffed(
            rng, roster, attendance, skill, counts, whole("size, where there is a roster,", size, 1)
        )
    else:
        sizes = _sizes(rng, size, counts)
        weights = attendance.checked(rng, len(skill))
        player = attendance.draw(rng, np.add.reduceat(sizes, starts(counts)[:-1]), weights, skill)
    if len(player) > np.iinfo(np.int32).max:
        raise Error(f"a history has at most {np.iinfo(np.int32).max} entries, not {len(player)}")
    return Lineup(starts(counts), starts(sizes), player)


def _sizes(rng: np.random.Generator, size: Count, counts: Ints) -> Ints:
    """The size of every team: drawn for each of them, or given for all teams of a match."""
    if isinstance(size, tuple):
        return column("size", size, int(counts.sum()), 1, rng)
    return np.repeat(column("size", size, len(counts), 1, rng), counts)

"""Who meets whom: the matches of a simulated league before they are played."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import Error
from ...history.ragged import owners, starts
from ...validate import whole
from .attendance import Attendance, fill_seats
from .options import Count, Floats, Ints, check_share, per_match


@dataclass(frozen=True)
class Roster:
    """Players belong to squads, and it is squads that come to a match; but they do not always come complete.

    - `understaffing`: the probability that a member is absent, and her seat stays empty; `least` of them always come.
    - `switching`: the probability that the seat of a member who would have come is taken by a guest: a player of
      another squad who is not in this match. Eager players (by the attendance of their squads) are guests more often.
    - `substitutes`: the probability that a team brings one player more than a squad has: a guest, too.
    - `alike`: how much the players of a squad are alike, 0 to 1: squads are cut from all players lined up by skill,
      which is seen as √alike of it and √(1 − alike) of chance. The skills of all players stay as they were drawn.

    Players who do not fill a squad (the remainder of players/size) are guests only.

    >>> Roster(understaffing=0.15, switching=0.1)
    Roster(understaffing=0.15, switching=0.1, substitutes=0.0, alike=0.0, least=1)
    """

    understaffing: float = 0.0
    switching: float = 0.0
    substitutes: float = 0.0
    alike: float = 0.0
    least: int = 1

    def __post_init__(self) -> None:
        for name in ("understaffing", "switching", "substitutes", "alike"):
            check_share(name, getattr(self, name))
        whole("least", self.least, 1)

    def squads(self, rng: np.random.Generator, skill: Floats, size: int) -> Ints:
        """Who belongs together: a row of players for each squad.

        >>> Roster().squads(np.random.default_rng(1), np.zeros(7), 3).shape
        (2, 3)
        """
        if self.least > size:
            raise Error(
                f"at least {self.least} of a squad cannot come where it has {size} players",
                field="least",
                value=self.least,
            )
        scale = float(skill.std()) or 1.0
        seen = np.sqrt(self.alike) * skill / scale + np.sqrt(1.0 - self.alike) * rng.standard_normal(len(skill))
        count = len(skill) // size
        return np.argsort(seen)[: count * size].reshape(count, size)


def staff_teams(
    rng: np.random.Generator, roster: Roster, attendance: Attendance, skill: Floats, teams: Ints, size: int
) -> tuple[Ints, Ints]:
    """The sizes of all teams of all matches, and their players."""
    squads = roster.squads(rng, skill, size)
    if not len(squads):
        raise Error(f"{len(skill)} players do not make a squad of {size}", field="players", value=len(skill))
    weights = attendance.checked(rng, len(squads))
    squad = attendance.draw(rng, teams, weights, skill[squads].mean(axis=1))
    match = np.repeat(np.arange(len(teams)), teams)
    luck = rng.random((len(squad), size))
    present = luck >= roster.understaffing
    present |= luck >= np.partition(luck, size - roster.least, axis=1)[:, [size - roster.least]]
    guest = present & (rng.random(present.shape) < roster.switching)
    extra = rng.random((len(squad), 1)) < roster.substitutes
    members = np.where(guest, -1, squads[squad])
    seats = np.concatenate([members, np.full((len(squad), 1), -1)], axis=1)
    there = np.concatenate([present, extra], axis=1)
    eager = np.full(len(skill), float(weights.mean()))
    eager[squads] = weights[:, None]
    away = squads[squad][guest]  # who gave her seat to a guest does not come as one
    seat = np.concatenate([seats[there], away])
    fill_seats(
        rng, seat, np.concatenate([np.repeat(match, there.sum(axis=1)), np.repeat(match, guest.sum(axis=1))]), eager
    )
    return there.sum(axis=1), seat[: len(seat) - len(away)]


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


def draw_lineup(
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
    >>> found = draw_lineup(np.random.default_rng(1), 10, np.zeros(20), 2, (1, 3), Even(), None)
    >>> len(found), len(found.team_start)
    (10, 21)
    """
    counts = per_match("teams", teams, matches, 2, rng)
    if roster is not None:
        sizes, player = staff_teams(
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
        return per_match("size", size, int(counts.sum()), 1, rng)
    return np.repeat(per_match("size", size, len(counts), 1, rng), counts)

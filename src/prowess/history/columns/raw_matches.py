"""Matches on their way into a history: columns as they were found, not yet checked, sorted or interned in order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Remark
from ..ragged import Floats, Ints, gather, owners
from ..times import Times

FEW = 10  # one match in so many may be of one team


@dataclass
class RawMatches:
    """Columns like those of `History`, in the order of the source; NaN stands for a rank or score that is not there.

    `where(match, entry)` says where a match, or one of its entries, stands in the source; it is asked only when
    something is wrong, so it may take its time.
    """

    match_start: Ints
    team_start: Ints
    player: Ints
    names: Sequence[str]
    where: Callable[[int, int | None], str]
    rank: Floats | None = None
    score: Floats | None = None
    times: Times | None = None
    weight: Floats | None = None
    importance: Floats | None = None
    home: Ints | None = None
    ids: Sequence[str] | None = None
    listed: bool = False  # whether a match without ranks and scores lists its teams from first to last
    may_be_alone: bool = False  # whether a few matches of one team are left out, and not an error
    rows: Callable[[int, int | None], Any] | None = None  # of a match, or of one of its entries, in a table
    remarks: tuple[Remark, ...] = ()
    as_they_appear: bool = False  # whether the players are numbered in the order of their first entries
    _all_duels: bool | None = None

    @cached_property
    def match_of_team(self) -> Ints:
        """Tell once which match each team is in."""
        return owners(self.match_start)

    @property
    def counts(self) -> Ints:
        """Count the teams of every match."""
        return self.match_start[1:] - self.match_start[:-1]

    @property
    def sizes(self) -> Ints:
        """Count the players of every team."""
        return self.team_start[1:] - self.team_start[:-1]

    @property
    def all_duels(self) -> bool:
        """Tell whether every match is of two teams of one player; found once, without the lock of a cached property."""
        if self._all_duels is None:
            matches = len(self.match_start) - 1
            fits = len(self.player) == len(self.team_start) - 1 == 2 * matches
            self._all_duels = fits and bool((self.counts == 2).all() and (self.sizes == 1).all())
        return self._all_duels

    def alone(self) -> NDArray[np.intp]:
        """Give the matches of one team that are left out: byes, races with a single finisher, as long as they are few.

        Where many are alone, the matches were not told apart as they should be, and that is an error.
        """
        if self.all_duels:
            return np.zeros(0, np.intp)
        alone = np.flatnonzero(self.counts == 1)
        few = self.may_be_alone and FEW * len(alone) <= len(self.match_start) - 1
        return alone if few else alone[:0]

    def without(self, matches: NDArray[np.intp]) -> "RawMatches":
        """Return the draft without some matches."""
        kept = np.delete(np.arange(len(self.match_start) - 1), matches)
        match_start, team = gather(self.match_start, kept)
        team_start, entry = gather(self.team_start, team)
        where, rows = self.where, self.rows

        def source(match: int, part: int | None) -> tuple[int, int | None]:
            return int(kept[match]), None if part is None else int(entry[part])

        return replace(
            self,
            match_start=match_start,
            team_start=team_start,
            player=self.player[entry],
            where=lambda match, part: where(*source(match, part)),
            rank=None if self.rank is None else self.rank[team],
            score=None if self.score is None else self.score[team],
            times=None if self.times is None else replace(self.times, number=self.times.number[kept]),
            weight=None if self.weight is None else self.weight[entry],
            importance=None if self.importance is None else self.importance[kept],
            home=None if self.home is None else self.home[kept],
            ids=None if self.ids is None else [self.ids[match] for match in kept.tolist()],
            rows=None if rows is None else lambda match, part: rows(*source(match, part)),
            _all_duels=None,
        )

    def team_of(self, entry: int) -> int:
        """Give the team of an entry."""
        return int(np.searchsorted(self.team_start, entry, side="right")) - 1

    def team_number(self, team: int) -> int:
        """Give the number of a team in its match, counted from 1 as in all messages."""
        return team - int(self.match_start[self.match_of_team[team]]) + 1

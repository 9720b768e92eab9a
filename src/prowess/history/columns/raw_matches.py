"""Raw matches, stored as columns in the order of the source, before they are checked and sorted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Remark
from ..context.columns import EMPTY, Context
from ..lines import Lines
from ..ragged import Floats, Ints, gather, owners
from ..times import Times

FEW = 10  # single-team matches are left out only if at most one match in this many has a single team


@dataclass
class RawMatches:
    """Matches in columns like the columns of `History`, in the order of the source. A missing rank or score is NaN.

    `where(match, entry)` returns the place of a match, or of one of its entries, in the source. `where` is called only
    for error messages, so it may be slow.
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
    sequence: Floats | None = None  # the order of matches with the same time
    listed: bool = False  # whether a match without ranks and scores lists its teams from first to last
    may_be_alone: bool = False  # whether a few single-team matches are left out instead of being an error
    rows: Callable[[int, int | None], Any] | None = None  # the table rows of a match, or of one of its entries
    remarks: tuple[Remark, ...] = ()
    as_they_appear: bool = False  # whether the players are numbered in the order of their first entries
    context: Context = EMPTY
    team_context: Context = EMPTY
    entry_context: Context = EMPTY
    lines: Lines | None = None

    def __len__(self) -> int:
        return len(self.match_start) - 1

    @cached_property
    def match_of_team(self) -> Ints:
        """The match of each team."""
        return owners(self.match_start)

    @cached_property
    def all_duels(self) -> bool:
        """Whether every match has two teams of one player."""
        if not len(self.player) == len(self.team_start) - 1 == 2 * len(self):
            return False
        return bool((np.diff(self.match_start) == 2).all() and (np.diff(self.team_start) == 1).all())

    def alone(self) -> NDArray[np.intp]:
        """Return the single-team matches to leave out, such as byes and races with one finisher.

        If many matches have a single team, the result is empty: these matches are errors, because the wrong column
        probably identifies the matches.
        """
        if self.all_duels:
            return np.zeros(0, np.intp)
        alone = np.flatnonzero(np.diff(self.match_start) == 1)
        return alone if self.may_be_alone and FEW * len(alone) <= len(self) else alone[:0]

    def without(self, matches: NDArray[np.intp]) -> "RawMatches":
        """Return a copy without the given matches."""
        kept = np.delete(np.arange(len(self)), matches)
        match_start, team = gather(self.match_start, kept)
        team_start, entry = gather(self.team_start, team)
        where, rows = self.where, self.rows
        columns = {"rank": team, "score": team, "weight": entry, "importance": kept, "home": kept}
        columns["sequence"] = kept
        chosen: dict[str, Any] = {
            name: getattr(self, name)[index] for name, index in columns.items() if getattr(self, name) is not None
        }

        def source(match: int, part: int | None) -> tuple[int, int | None]:
            return int(kept[match]), None if part is None else int(entry[part])

        return replace(
            self,
            match_start=match_start,
            team_start=team_start,
            player=self.player[entry],
            where=lambda match, part: where(*source(match, part)),
            times=None if self.times is None else replace(self.times, number=self.times.number[kept]),
            ids=None if self.ids is None else [self.ids[match] for match in kept.tolist()],
            rows=None if rows is None else lambda match, part: rows(*source(match, part)),
            context=self.context.take(kept),
            team_context=self.team_context.take(team),
            entry_context=self.entry_context.take(entry),
            lines=None if self.lines is None else self.lines.take(kept, entry),
            **chosen,
        )

    def team_of(self, entry: int) -> int:
        """Return the team of an entry."""
        return int(np.searchsorted(self.team_start, entry, side="right")) - 1

    def team_number(self, team: int) -> int:
        """Return the number of a team within its match, counted from 1 as in all messages."""
        return team - int(self.match_start[self.match_of_team[team]]) + 1

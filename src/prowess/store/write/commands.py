"""What may be done to a league, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from ...history import History
from ...model.ladder.ladder import Ladder
from ...model.rating import Rating
from ..leagues import Preset

__all__ = ["Act", "Change", "Delete", "Done", "Edit", "NewSeason", "Post", "Remodel"]


@dataclass(frozen=True)
class Act:
    """Something that is to be done to a league: by whom, and why.

    >>> Delete("darts", "m1", author="ann", reason="played twice").reason
    'played twice'
    """

    league: str
    author: str = field(default="", kw_only=True)
    reason: str = field(default="", kw_only=True)


@dataclass(frozen=True, eq=False)
class Post(Act):
    """Matches to be recorded, as plain mappings or a history; where they have no ids, `key` gives them some.

    >>> Post("darts", [{"teams": [["ann"], ["bob"]]}]).key is None
    True
    """

    matches: Sequence[Mapping[str, Any]] | History
    key: str | None = None


@dataclass(frozen=True, eq=False)
class Edit(Act):
    """A match that takes the place of the one of this id.

    `seen` is the revision that last wrote of it, as far as the author knows: if there is a later one, nothing is done.
    """

    id: str
    match: Mapping[str, Any]
    seen: int | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class Delete(Act):
    """A match to be taken out; `seen` is as of an edit."""

    id: str
    seen: int | None = field(default=None, kw_only=True)


@dataclass(frozen=True, eq=False)
class Remodel(Act):
    """Another model, by which all matches are rated anew."""

    preset: Preset


@dataclass(frozen=True)
class NewSeason(Act):
    """A season begins: every skill goes some way back to that of newcomers, as in `drift.Seasons`."""

    name: str
    start: Any
    carry: float = 0.8
    tau: float | None = None


class Change(NamedTuple):
    """What a change did to a player: None where there was, or is, nothing to rate."""

    player: str
    before: Rating | None
    after: Rating | None


@dataclass(frozen=True, eq=False)
class Done:
    """What a change came to: the league's revision after it, its matches, and the ratings before and after.

    `players` are those whose ratings are others now, `own` those of the matches of the change itself. Of a match that
    was recorded already nothing changes.
    """

    league: str
    revision: int
    ids: Sequence[str] = ()
    times: Sequence[float] = ()
    repeated: Sequence[bool] = ()
    players: Sequence[str] = ()
    own: Sequence[str] = ()
    before: Ladder | None = None
    after: Ladder | None = None

    @cached_property
    def changed(self) -> list[Change]:
        """The players of the change with their ratings before and after it."""
        return [Change(one, _of(self.before, one), _of(self.after, one)) for one in self.players]


def _of(ladder: Ladder | None, player: str) -> Rating | None:
    return ladder[player] if ladder is not None and player in ladder.rows else None

"""The commands that change a league, and their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from ...history import History
from ...model.fit.trace import Trace
from ...model.ladder.ladder import Ladder
from ...model.rating import Rating
from ..leagues import League, Preset


@dataclass(frozen=True)
class Command:
    """A command that changes a league, with its author and reason.

    >>> Delete("darts", "m1", author="ann", reason="played twice").reason
    'played twice'
    """

    league: str
    author: str = field(default="", kw_only=True)
    reason: str = field(default="", kw_only=True)


@dataclass(frozen=True, eq=False)
class Post(Command):
    """Record matches, given as plain mappings or a history; missing ids are derived from `key`.

    >>> Post("darts", [{"teams": [["ann"], ["bob"]]}]).key is None
    True
    """

    matches: Sequence[Mapping[str, Any]] | History
    key: str | None = None


@dataclass(frozen=True, eq=False)
class Edit(Command):
    """Replace a match, given by its id.

    `seen` is the revision of the match that the author saw. If the match has been changed since, the edit is a
    conflict.
    """

    id: str
    match: Mapping[str, Any]
    seen: int | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class Delete(Command):
    """Delete a match; `seen` has the same meaning as in `Edit`."""

    id: str
    seen: int | None = field(default=None, kw_only=True)


@dataclass(frozen=True, eq=False)
class ChangeModel(Command):
    """Rate all matches again with another model.

    `replaces` is the generation of the model that the author saw. If another model has replaced it since, the command
    is a conflict. With `unrated`, the command is a conflict if the league has matches.
    """

    preset: Preset
    replaces: int | None = field(default=None, kw_only=True)
    unrated: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class Rederive(Command):
    """Rate all matches again with the same model, because another version of the engine derived the ratings.

    If this version derived them, the command changes nothing.
    """

    author: str = field(default="upgrade", kw_only=True)
    reason: str = field(default="rated again by a new version of prowess", kw_only=True)


@dataclass(frozen=True)
class NewSeason(Command):
    """Begin a season: every skill moves towards the skill of a new player, as in `Ladder.new_season`.

    `carry` is the share of the distance that remains, and `tau` is the added standard deviation.
    """

    name: str
    start: Any
    carry: float = 0.8
    tau: float | None = None


@dataclass(frozen=True)
class Rename(Command):
    """Rename a player. If another player has the new name, the two are merged. The old name becomes an alias.

    If `merge` is true, the new name must belong to a player. `seen` is the revision of the league that the author saw.
    If matches of either player, or names in the league, have been changed since, the command is a conflict.
    """

    player: str
    name: str
    merge: bool = field(default=False, kw_only=True)
    seen: int | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class UndoRename(Command):
    """Undo a merge or a rename, given by the revision that made it."""

    revision: int


@dataclass(frozen=True)
class AddAlias(Command):
    """Add an alias for a player. No match may have been recorded under that name.

    With `newcomer`, the player need not exist yet.
    """

    alias: str
    player: str
    newcomer: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class RemoveAlias(Command):
    """Remove an alias, so that the name can belong to a new player. Recorded matches stay as they are."""

    alias: str


class RatingChange(NamedTuple):
    """A player's rating before and after a command; None if the player has no matches."""

    player: str
    before: Rating | None
    after: Rating | None


class Appended(NamedTuple):
    """Matches that a revision appended, with their rating trace; they come after all other matches of their players.

    In the journal, the matches are numbered from `seq` on. `ladder` has the players' ratings after these matches.
    """

    league: League
    revision: int
    seq: int
    trace: Trace
    ladder: Ladder


@dataclass(frozen=True, eq=False)
class CommandResult:
    """The result of a command: the league's new revision, the matches, and the ratings before and after.

    `players` are all players whose ratings have changed; `own` are the players in the command's own matches. `repeated`
    marks the matches that were recorded before and change nothing. `appended` is set if a reader in this process caches
    the league and no past match was changed. `replaying` means that a long correction is rating past matches again, and
    will also rate these matches once more. `aliases` maps posted or renamed names to the players for whom the matches
    are recorded; `merged` is true if two players were merged.
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
    appended: Appended | None = None
    replaying: bool = False
    aliases: Mapping[str, str] = field(default_factory=dict)
    merged: bool = False

    @cached_property
    def changed(self) -> list[RatingChange]:
        """The players whose ratings have changed, with their ratings before and after."""
        return [RatingChange(name, _rating(self.before, name), _rating(self.after, name)) for name in self.players]


def _rating(ladder: Ladder | None, player: str) -> Rating | None:
    return ladder[player] if ladder is not None and player in ladder.rows else None

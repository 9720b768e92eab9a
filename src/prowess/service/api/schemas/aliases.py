"""Schemas of merged and renamed players, and of their aliases."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from .common import ANN, Name, RatingChange, RequestModel, ResponseModel, example
from .matches import RecordedMatch

Seen = Annotated[
    int | None,
    Field(
        ge=0,
        description="The revision of the preview. If matches of one of the players have changed since, the response is "
        "409 Conflict.",
    ),
]
CHANGE: dict[str, Any] = {
    "revision": 121,
    "kind": "merge",
    "player": "Jeevo",
    "target": "Deevo",
    "undone": None,
    "undoable": True,
    "author": "ann",
    "reason": "a typo",
    "made_at": "2026-01-31T10:00:00Z",
}


class RenamePlayer(RequestModel):
    """The new name of a player."""

    model_config = example({"name": "Deevo"})

    name: Annotated[Name, Field(description="If another player has this name, the two players are merged.")]
    revision: Seen = None


class MergePlayer(RequestModel):
    """The player into whom another player is merged."""

    model_config = example({"into": "Deevo"})

    into: Annotated[Name, Field(description="The player who remains.")]
    revision: Seen = None


class RenamedPlayer(ResponseModel):
    """The effects of a rename or merge, or of undoing one; after a dry run, the effects that the change would have."""

    model_config = example(
        {
            "league": "darts",
            "revision": 121,
            "names": {"Jeevo": "Deevo"},
            "merged": True,
            "repeated": False,
            "renamed": 1,
            "matches": [{"id": "final", "time": "2026-01-31T10:00:00Z", "repeated": False}],
            "changed": 1,
            "ratings": [{"player": "Deevo", "before": None, "after": ANN}],
        }
    )

    league: str
    revision: int
    names: dict[str, str] = Field(description="Maps the old name to the new name.")
    merged: bool = Field(description="Whether a player with the new name existed before.")
    repeated: bool = Field(description="Whether the change was already made before, so that nothing changed now.")
    renamed: int = Field(description="The number of matches in which the name changes.")
    matches: list[RecordedMatch] = Field(description="The first 1,000 matches in which the name changes, oldest first.")
    changed: int = Field(description="The number of players whose rating changed.")
    ratings: list[RatingChange] = Field(
        description="The players who are renamed or merged, and the 1,000 other players whose rating changed most."
    )


class NameChange(ResponseModel):
    """A merge, a rename, an alias that was added or removed, or the undoing of a merge or rename."""

    model_config = example(CHANGE)

    revision: int = Field(description="The revision of the league at which the change was made.")
    kind: str = Field(description='"merge", "rename", "undo", "add" or "remove".')
    player: str | None = Field(
        description="The name that became an alias of `target`, or is no longer one; null if one of the players was "
        "anonymised later."
    )
    target: str | None
    undone: int | None = Field(description="The revision that undid the change; null if it was not undone.")
    undoable: bool
    author: str
    reason: str
    made_at: str


class NameChanges(ResponseModel):
    """The changes of names in a league, newest first."""

    model_config = example({"league": "darts", "revision": 121, "changes": [CHANGE]})

    league: str
    revision: int
    changes: list[NameChange]


class NewAlias(RequestModel):
    """Another name of a player, under which no match has been recorded."""

    model_config = example({"alias": "Jeevo", "player": "Deevo"})

    alias: Name
    player: Name


class Alias(ResponseModel):
    """Another name of a player; matches that are posted under this name are recorded for the player."""

    model_config = example({"alias": "Jeevo", "player": "Deevo", "revision": 121})

    alias: str
    player: str
    revision: int = Field(description="The revision of the league at which the alias last changed.")


class Aliases(ResponseModel):
    """The aliases of a league, sorted by player."""

    model_config = example(
        {"league": "darts", "revision": 121, "aliases": [{"alias": "Jeevo", "player": "Deevo", "revision": 121}]}
    )

    league: str
    revision: int
    aliases: list[Alias]


class AliasChange(ResponseModel):
    """An alias that was added or removed, and the revision of the league."""

    model_config = example({"league": "darts", "revision": 121, "alias": "Jeevo", "player": "Deevo"})

    league: str
    revision: int
    alias: str
    player: str | None = Field(description="The player with this alias; null after the alias was removed.")


class SimilarNames(ResponseModel):
    """Two names that may belong to the same player; the second has more matches."""

    alias: str
    player: str


class SimilarPlayers(ResponseModel):
    """Pairs of names in a league that may belong to the same player, clearest cases first."""

    model_config = example({"league": "darts", "revision": 120, "pairs": [{"alias": "Jeevo", "player": "Deevo"}]})

    league: str
    revision: int
    pairs: list[SimilarNames]


class DistinctPlayers(RequestModel):
    """Two names that belong to different players."""

    model_config = example({"players": ["Jeevo", "Deevo"]})

    players: Annotated[list[Name], Field(min_length=2, max_length=2)]

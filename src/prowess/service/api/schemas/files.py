"""Schemas of imported files, events and the audit log."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from .common import ANN, Rating, ResponseModel, example
from .leagues import LeagueModel


class FileProblem(ResponseModel):
    """A part of a file that cannot be read."""

    where: str
    column: str | None
    value: str | None
    detail: str


class ChosenModel(ResponseModel):
    """The model that was chosen for the matches of a file, because the league was empty and created without a model."""

    model: LeagueModel
    parts: list[str] = Field(description="The parts of the model, in words.")
    explanation: list[str] = Field(description="Sentences on how the model was chosen.")


class Imported(ResponseModel):
    """The result of reading and importing a file; in a dry run, what the import would change."""

    model_config = example(
        {
            "league": "darts",
            "revision": 121,
            "matches": 2,
            "repeated": 0,
            "players": 3,
            "recognised": ["columns: date, winner, loser"],
            "columns": {"date": "time", "winner": "winner", "loser": "loser", "town": None},
            "problems": [],
        }
    )

    league: str
    revision: int
    matches: int = Field(description="The number of matches in the file.")
    repeated: int = Field(description="How many of these matches the league already had.")
    players: int = Field(description="The number of players whose rating changed.")
    recognised: list[str] = Field(description="How the file was read, in words.")
    columns: dict[str, str | None] = Field(description="The role of each column; null for unused columns.")
    problems: list[FileProblem] = Field(description="The unreadable rows that were skipped (see `skip_problems`).")
    aliases: dict[str, str] = Field(
        default_factory=dict,
        description="Names in the file that are aliases, with the players for whom the matches are recorded. "
        "Omitted if there are none.",
    )
    chosen: ChosenModel | None = Field(
        None,
        description="The model that was chosen for these matches, if the league was empty and created without a "
        "model. Omitted otherwise.",
    )


class CurrentRating(ResponseModel):
    """A player and the current rating, which is null if the player has no matches left."""

    player: str
    rating: Rating | None


class RatingsEvent(ResponseModel):
    """The data of an event: the league's revision, and the ratings that have changed since the previous event."""

    model_config = example({"revision": 121, "ratings": [{"player": "ann", "rating": ANN}], "more": False})

    revision: int
    ratings: list[CurrentRating]
    more: bool = Field(description="Whether more ratings changed than are listed; if so, get the leaderboard.")


class AuditEntry(ResponseModel):
    """An administrative change."""

    model_config = example(
        {"id": 1, "at": "2026-01-01T09:00:00Z", "actor": "office", "action": "create league", "league": "darts"}
        | {"detail": {"clock": "utc"}}
    )

    id: int
    at: str
    actor: str
    action: str
    league: str | None
    detail: dict[str, Any]


class AuditLog(ResponseModel):
    """Administrative changes, newest first; `next` is the URL of older changes."""

    entries: list[AuditEntry]
    next: str | None

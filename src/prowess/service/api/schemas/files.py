"""Files that come and go, events, and the audit log."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from .common import ANN, Rating, Told, shape


class Unread(Told):
    """What cannot be read in a file, and where it stands."""

    where: str
    column: str | None
    value: str | None
    detail: str


class Imported(Told):
    """What was found in a file, and what came of it; of a dry run, what would come of it."""

    model_config = shape(
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
    matches: int = Field(description="How many matches the file has.")
    repeated: int = Field(description="How many of them the league knew already, by their ids.")
    players: int = Field(description="How many players are rated otherwise now.")
    recognised: list[str] = Field(description="How the file was understood.")
    columns: dict[str, str | None] = Field(description="The role of each column; null for those that are not used.")
    problems: list[Unread] = Field(description="What was left out, with `skip_problems`.")


class Rated(Told):
    """A player and her rating now; null for who has no match left."""

    player: str
    rating: Rating | None


class News(Told):
    """The data of an event: whose ratings are others since the event before, up to a revision of the league."""

    model_config = shape({"revision": 121, "ratings": [{"player": "ann", "rating": ANN}], "more": False})

    revision: int
    ratings: list[Rated]
    more: bool = Field(description="Whether more than these changed: look at the leaderboard.")


class Entry(Told):
    """Something that was done beside matches."""

    model_config = shape(
        {"id": 1, "at": "2026-01-01T09:00:00Z", "actor": "office", "action": "create league", "league": "darts"}
        | {"detail": {"clock": "utc"}}
    )

    id: int
    at: str
    actor: str
    action: str
    league: str | None
    detail: dict[str, Any]


class Audit(Told):
    """What was done, newest first; `next` leads to what was done before."""

    entries: list[Entry]
    next: str | None

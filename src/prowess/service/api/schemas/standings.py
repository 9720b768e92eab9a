"""Leaderboards and players."""

from __future__ import annotations

from pydantic import Field

from .common import ANN, Rating, Time, Told, shape

__all__ = ["Leaderboard", "Standing"]

STANDING = {"rank": 1, "player": "ann"} | ANN | {"matches": 12, "last_seen": "2026-01-31T10:00:00Z"}


class Standing(Told):
    """A player of a leaderboard."""

    model_config = shape(STANDING | {"provisional": False, "active": True})

    rank: int = Field(description="Among all players of the league; equal ones share it.")
    player: str
    mu: float
    sigma: float | None
    shown: float = Field(description="By which players are ranked: μ − 3σ, unless the model says otherwise.")
    matches: int
    last_seen: Time | None
    provisional: bool = Field(description="Whether there are too few matches to be sure.")
    active: bool = Field(description="Whether the last match is not too long before the last of all.")
    volatility: float | None = Field(None, description="of Glicko-2 alone")
    offence: float | None = Field(None, description="of models of scores alone: its mean")
    defence: float | None = Field(None, description="of models of scores alone: its mean")


class Leaderboard(Told):
    """A page of a leaderboard; `next` leads to the following one as of the same revision, whatever is posted meanwhile."""

    model_config = shape(
        {
            "league": "darts",
            "revision": 120,
            "generation": 1,
            "page": 1,
            "size": 50,
            "total": 61,
            "next": "/api/leagues/darts/leaderboard?page=2&size=50&revision=120",
            "players": [STANDING | {"provisional": False, "active": True}],
        }
    )

    league: str
    revision: int
    generation: int
    page: int
    size: int
    total: int
    next: str | None
    players: list[Standing]

"""Leaderboards and players."""

from __future__ import annotations

from pydantic import Field

from .common import ANN, Rating, Time, Told, shape
from .matches import Listed

AFTER = ANN | {"time": "2026-01-31T10:00:00Z", "match": 1}
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
    """A page of a leaderboard; `next` leads to the following one as of the same revision."""

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


class Believed(Told):
    """What was believed of a player's skill, over all its traits."""

    mu: float
    sigma: float | None
    shown: float


class Point(Believed):
    """What was believed of a player after a match."""

    time: Time | None
    match: int = Field(description="Which match of the league it was, from 1, in the order of time.")


class Met(Told):
    """An opponent or a partner, how often they met, and how that ended for the player."""

    player: str
    matches: int
    wins: int
    draws: int
    losses: int


class Own(Listed):
    """A match of a player: how it ended for her, what was expected, and what it moved."""

    counts: bool = Field(description="Whether it counts: a match of importance 0 does not.")
    team: int = Field(description="The index of her team, from 0.")
    place: int
    score: float | None = None
    actual: float = Field(description="The share of the opposing teams that were beaten; ties count half.")
    expected: float = Field(description="The share that was expected to be, before the match.")
    expected_lead: float | None = Field(None, description="By how much she was to outscore them; of models of scores.")
    before: Believed
    after: Believed
    moved: float = Field(description="What it did to mu.")
    shown_moved: float


class Player(Told):
    """A player: where she stands, how she came there, and whom she met."""

    model_config = shape(
        {
            "league": "darts",
            "revision": 120,
            "player": "ann",
            "rank": 1,
            "players": 61,
            "rating": ANN,
            "provisional": False,
            "active": True,
            "last_seen": "2026-01-31T10:00:00Z",
            "played": 1,
            "wins": 1,
            "draws": 0,
            "losses": 0,
            "curve": [AFTER],
            "best": AFTER,
            "worst": AFTER,
            "matches": [],
            "opponents": [{"player": "bob", "matches": 1, "wins": 1, "draws": 0, "losses": 0}],
            "partners": [],
        }
    )

    league: str
    revision: int
    player: str
    rank: int
    players: int = Field(description="How many there are in the league.")
    rating: Rating
    provisional: bool
    active: bool
    last_seen: Time | None
    played: int = Field(description="In how many matches.")
    wins: int | None = Field(description="How often her team came first, alone.")
    draws: int | None = Field(description="How often it was first together with others.")
    losses: int | None
    curve: list[Point] = Field(description="What was believed after her matches, the first one first.")
    best: Point | None = Field(description="The highest that was ever shown.")
    worst: Point | None
    matches: list[Own] = Field(description="The newest first.")
    opponents: list[Met] = Field(description="Those met most often first, at most 100.")
    partners: list[Met]

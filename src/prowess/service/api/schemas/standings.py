"""Schemas of leaderboards and players."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .common import ANN, Points, Rating, ResponseModel, Time, example
from .matches import PostedMatch

POINT = ANN | {"time": "2026-01-31T10:00:00Z", "match": 1}
PEAK = {"rank": 1, "player": "ann"} | POINT | {"matches": 12}
STANDING = (
    {"rank": 1, "player": "ann"}
    | ANN
    | {"matches": 12, "last_seen": "2026-01-31T10:00:00Z", "provisional": False, "active": True}
)


class Standing(Points):
    """A player on a leaderboard."""

    model_config = example(STANDING)

    rank: int = Field(description="The rank among all players of the league; equal players share a rank.")
    player: str
    mu: float
    sigma: float | None
    shown: float = Field(description="The conservative rating: μ − 3σ for most models.")
    matches: int
    last_seen: Time | None
    provisional: bool = Field(
        description="Whether the player has few matches, so that the rating is not yet reliable. Ranked by the mean, "
        "provisional players come after all others."
    )
    active: bool = Field(description="Whether the player has played recently.")
    volatility: float | None = Field(None, description="only for Glicko-2")
    offence: float | None = Field(None, description="the mean; only for models that rate offence and defence")
    defence: float | None = Field(None, description="the mean; only for models that rate offence and defence")


class Leaderboard(ResponseModel):
    """A page of a leaderboard; `next` is the URL of the next page at the same revision."""

    model_config = example(
        {
            "league": "darts",
            "revision": 120,
            "generation": 1,
            "ranking": "mean",
            "page": 1,
            "size": 50,
            "total": 61,
            "next": "/api/leagues/darts/leaderboard?page=2&size=50&revision=120",
            "players": [STANDING],
        }
    )

    league: str
    revision: int
    generation: int
    ranking: Literal["mean", "conservative"] = Field(
        description="Which number is the rating and sorts: μ, or the conservative `shown`; in points if there are any."
    )
    page: int
    size: int
    total: int
    next: str | None
    players: list[Standing]


class PeakRating(Points):
    """A player at the best, in hindsight."""

    model_config = example(PEAK)

    rank: int = Field(description="The rank among all players of all time; equal players share a rank.")
    player: str
    mu: float
    sigma: float
    shown: float = Field(description="The conservative rating: μ − 3σ for most models.")
    provisional: bool | None = Field(
        None, description="Whether the player has few matches; only in rankings by the mean."
    )
    time: Time | None = Field(description="When the player was best.")
    match: int = Field(description="The number of the match in the league, counted from 1 in order of time.")
    matches: int = Field(description="The number of the player's matches.")
    offence: float | None = Field(None, description="the mean; only for models that rate offence and defence")
    defence: float | None = Field(None, description="the mean; only for models that rate offence and defence")


class Best(ResponseModel):
    """A page of the players at their best; `next` is the URL of the next page."""

    model_config = example(
        {"league": "darts", "revision": 120, "generation": 1, "page": 1, "size": 50, "total": 1, "next": None}
        | {"players": [PEAK]}
    )

    league: str
    revision: int = Field(description="The revision that was used; it may be older than that of the league.")
    generation: int
    page: int
    size: int
    total: int
    next: str | None
    players: list[PeakRating]


class OverallRating(Points):
    """A player's overall rating, for all traits together."""

    mu: float
    sigma: float | None
    shown: float


class CurvePoint(OverallRating):
    """A player's rating after a match."""

    time: Time | None
    match: int = Field(description="The number of the match in the league, counted from 1 in order of time.")


class HeadToHead(ResponseModel):
    """The player's matches with an opponent or a partner, and their results."""

    player: str
    matches: int
    wins: int
    draws: int
    losses: int


class PlayerMatch(PostedMatch):
    """A match of a player: the result, the predicted result, and the rating change."""

    counts: bool = Field(description="Whether the match is rated; matches of importance 0 are not.")
    team: int = Field(description="The index of the player's team, from 0.")
    place: int
    score: float | None = None
    actual: float = Field(description="The share of opposing teams that the player's team beat; ties count half.")
    expected: float = Field(description="The value of `actual` that was predicted before the match.")
    expected_lead: float | None = Field(
        None, description="The expected lead in the score, if the model predicts scores."
    )
    before: OverallRating
    after: OverallRating
    moved: float = Field(description="The change of mu.")
    shown_moved: float
    points_moved: float | None = Field(None, description="The change in points, if the league has a scale.")


class Effect(ResponseModel):
    """What a value of the context adds to a performance, or what a unit of a number adds."""

    model_config = example(
        {"facet": "side", "value": "blue", "mu": 0.4, "sigma": 0.1, "matches": 120, "points": 12.5, "points_sigma": 3.1}
    )

    facet: str = Field(description="The column of the context; `home` is the home advantage.")
    value: str | None = Field(
        description="The value; null for a home advantage, for a number, per unit, and for a given effect."
    )
    trait: str | None = Field(None, description="offence or defence; only for models that rate both")
    mu: float
    sigma: float | None
    matches: int | None = Field(
        description="The number of matches with this value; null for a home advantage or given effect."
    )
    points: float | None = Field(None, description="mu in points, if the league has a scale.")
    points_sigma: float | None = None


class Facet(ResponseModel):
    """A facet of the league's model: its kind, its column, and the values that matches had so far."""

    kind: str = Field(description="by, slope, shared, covariate or experience")
    column: str
    values: list[str] | None = Field(description="The values so far, sorted; null for numbers and experience.")


class ModelStatistic(ResponseModel):
    """An individual statistic of the league's model and its parameters; a parameter of another kind is omitted."""

    kind: str = Field(description="points, counts, times or quit")
    column: str
    omega: float | None = Field(None, description="How much the statistic grows with the performance.")
    gamma: float | None = Field(None, description="The standard deviation of its noise; if larger, it counts less.")
    eta: float | None = Field(None, description="How much it shrinks if the opponents play well.")
    per: list[str] | None = Field(
        None, description="The columns by which its scale differs; null if its values are used as they are."
    )
    lower: bool | None = Field(None, description="Whether less is better.")
    bounded: bool = Field(description="Whether no rating moves against the result.")
    margin: float | None = Field(None, description="By how much a player who quits has played worse; only for quit.")
    trait: str | None = Field(None, description="The trait that it observes; null for the first.")


class Effects(ResponseModel):
    """The facets and statistics of the league's model, and the effects that all players share."""

    model_config = example(
        {
            "league": "chess",
            "revision": 120,
            "generation": 1,
            "facets": [{"kind": "shared", "column": "colour", "values": ["black", "white"]}],
            "statistics": [
                {"kind": "points", "column": "captures", "omega": 0.107, "gamma": 2.0, "eta": 0.0, "per": []}
                | {"lower": False, "bounded": False, "trait": None}
            ],
            "effects": [{"facet": "colour", "value": "white", "mu": 0.4, "sigma": 0.1, "matches": 120}],
        }
    )

    league: str
    revision: int
    generation: int
    facets: list[Facet]
    statistics: list[ModelStatistic]
    effects: list[Effect]


class Player(ResponseModel):
    """A player: rating and rank, rating curve, matches, opponents and partners."""

    model_config = example(
        {
            "league": "darts",
            "revision": 120,
            "player": "ann",
            "rank": 1,
            "players": 61,
            "active_rank": 1,
            "active_players": 48,
            "rating": ANN,
            "deviations": [],
            "provisional": False,
            "active": True,
            "last_seen": "2026-01-31T10:00:00Z",
            "played": 1,
            "wins": 1,
            "draws": 0,
            "losses": 0,
            "curve": [POINT],
            "best": POINT,
            "worst": POINT,
            "matches": [],
            "opponents": [{"player": "bob", "matches": 1, "wins": 1, "draws": 0, "losses": 0}],
            "partners": [],
        }
    )

    league: str
    revision: int
    player: str
    rank: int
    players: int = Field(description="The number of players in the league.")
    active_rank: int | None = Field(description="The rank among active players; null for an inactive player.")
    active_players: int
    rating: Rating
    deviations: list[Effect] = Field(
        description="What the player's rating gains at each value of the context, if the model has such facets."
    )
    provisional: bool
    active: bool
    last_seen: Time | None
    played: int = Field(description="The number of the player's matches.")
    wins: int | None = Field(description="Matches that the player's team won outright.")
    draws: int | None = Field(description="Matches in which the player's team shared first place.")
    losses: int | None
    curve: list[CurvePoint] = Field(description="Ratings after matches, oldest first.")
    hindsight: list[CurvePoint] | None = Field(
        None, description="The ratings at the same matches in hindsight, given all matches; only with `hindsight=true`."
    )
    best: CurvePoint | None = Field(description="The point of the curve with the highest `shown`.")
    worst: CurvePoint | None
    matches: list[PlayerMatch] = Field(description="The latest matches, newest first.")
    opponents: list[HeadToHead] = Field(description="The most frequent opponents first, at most 100.")
    partners: list[HeadToHead]

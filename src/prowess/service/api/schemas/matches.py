"""Schemas of matches, as posted and as shown."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Required

from pydantic import ConfigDict, Field, FiniteFloat, WithJsonSchema, with_config
from typing_extensions import TypedDict

from .common import ANN, BOB, Name, RatingChange, ResponseModel, Time, example

EXAMPLE: dict[str, Any] = {
    "id": "final",
    "teams": [["ann"], ["bob"]],
    "scores": [3, 1],
    "time": "2026-01-31T10:00:00Z",
    "context": {"venue": "The Pub", "seed": [1, 4]},
}
Numbers = list[FiniteFloat]
_SCALAR: dict[str, Any] = {"type": ["string", "number", "boolean", "null"], "maxLength": 200}
_TEAMS: dict[str, Any] = {"type": "array", "items": _SCALAR, "description": "A value for each team."}
_PLAYERS: dict[str, Any] = {
    "type": "array",
    "items": {"type": "array", "items": _SCALAR},
    "description": "A value for each player.",
}
# The library checks the values, because its messages name the match and say what would be right.
Context = Annotated[
    Any,
    WithJsonSchema(
        {
            "type": ["object", "null"],
            "maxProperties": 100,
            "propertyNames": {"minLength": 1, "maxLength": 100},
            "additionalProperties": {"anyOf": [_SCALAR, _TEAMS, _PLAYERS]},
            "description": "Other columns of the match, such as the surface: a value for the match, a list with a "
            "value for each team, or a list of lists with a value for each player. In a league, a column has either "
            "numbers or text.",
            "examples": [{"surface": "clay", "side": ["blue", "red"], "rest": [[3, 1], [2, 2]]}],
        }
    ),
]
Statistics = Annotated[
    Any,
    WithJsonSchema(
        {
            "type": ["object", "null"],
            "maxProperties": 100,
            "propertyNames": {"minLength": 1, "maxLength": 100},
            "additionalProperties": {
                "type": "array",
                "items": {"type": "array", "items": {"type": ["number", "null"]}},
                "description": "A number for each player, nested like the teams; null if it is unknown.",
            },
            "description": "Individual statistics, such as kills, with a number for each player. They are stored as "
            "columns of the context, and count if the model has these statistics.",
            "examples": [{"kills": [[9, 4], [5, 6]]}],
        }
    ),
]


# A dict, not a model: the store needs the match exactly as it was sent, without defaults filled in.
@with_config(
    ConfigDict(strict=True, extra="forbid", title="Match", json_schema_extra={"examples": [EXAMPLE]}),
)
class Match(TypedDict, total=False):
    """A match: teams with `ranks` (lower is better) or `scores` (higher is better); by default, the first team wins."""

    teams: Required[
        Annotated[
            list[Annotated[list[Name], Field(min_length=1)]],
            Field(min_length=2, description="The teams, each a list of player names."),
        ]
    ]
    id: Annotated[
        Name | None,
        Field(description="An id that the league never uses again, even after a deletion; generated if missing."),
    ]
    ranks: Numbers | None
    scores: Numbers | None
    time: Annotated[
        str | FiniteFloat | None,
        Field(description="An RFC 3339 time or a date; in a league that counts rounds, a number. By default, now."),
    ]
    weights: Annotated[list[Numbers] | None, Field(description="The share of the match that each player played.")]
    importance: Annotated[FiniteFloat | None, Field(description="How much the match counts; 1 if missing.")]
    home: Annotated[int | None, Field(description="The index of the home team, from 0.")]
    context: Context
    statistics: Statistics


@with_config(ConfigDict(strict=True, extra="forbid", title="Matches"))
class Matches(TypedDict):
    """Several matches, at most 10,000."""

    matches: list[Match]


class RecordedMatch(ResponseModel):
    """A recorded match. `repeated` is true if the match had been recorded before, so that nothing changed.

    A repeated match that was deleted in the meantime stays deleted; use PUT to restore it.
    """

    id: str
    time: Time | None
    repeated: bool


class NameWarning(ResponseModel):
    """A new player whose name looks like the name of another player."""

    name: str
    similar: list[str]
    detail: str


class Posted(ResponseModel):
    """The effects of a change: the new revision of the league, and the changed ratings.

    After a dry run, the response has the effects that the change would have, with the largest rating changes first.
    """

    model_config = example(
        {
            "league": "darts",
            "revision": 1,
            "matches": [{"id": "final", "time": "2026-01-31T10:00:00Z", "repeated": False}],
            "changed": 2,
            "ratings": [
                {"player": "ann", "before": None, "after": ANN},
                {"player": "bob", "before": None, "after": BOB},
            ],
        }
    )

    league: str
    revision: int
    matches: list[RecordedMatch]
    changed: int = Field(description="The number of players whose rating changed.")
    ratings: list[RatingChange] = Field(
        description="The players of the matches, and the 1,000 other players whose rating changed most."
    )
    replaying: bool = Field(
        False,
        description="True if a correction is still rating old matches again. The posted matches are recorded and, for "
        "now, rated with the old ratings; the correction will rate them once more. Omitted otherwise.",
    )
    aliases: dict[str, str] = Field(
        default_factory=dict,
        description="Names in the request that are aliases, with the players for whom the matches are recorded. "
        "Omitted if there are none.",
    )
    warnings: list[NameWarning] = Field(
        [], description="New players with names like those of other players: possible typing errors. Omitted if none."
    )
    remarks: list[str] = Field(
        [], description="Columns of a new model that may contain the results of the matches. Omitted if there are none."
    )


class PostedMatch(ResponseModel):
    """A match as it was posted."""

    id: str
    time: Time | None
    teams: list[list[str]]
    ranks: list[float] | None = None
    scores: list[float] | None = None
    weights: list[list[float]] | None = None
    importance: float | None = None
    home: int | None = None
    context: dict[str, Any] | None = Field(
        None, description="The context and the statistics as posted; omitted if the match has none."
    )


class MatchList(ResponseModel):
    """Matches, newest first; `next` is the URL of older matches."""

    model_config = example(
        {
            "league": "darts",
            "revision": 120,
            "total": 118,
            "next": "/api/leagues/darts/matches?limit=1&offset=1",
            "matches": [{"id": "final", "time": "2026-01-31T10:00:00Z", "teams": [["ann"], ["bob"]], "ranks": [1, 2]}],
        }
    )

    league: str
    revision: int
    total: int
    next: str | None
    matches: list[dict[str, Any]] = Field(
        description="The matches as posted; with `player`, also that player's predicted result and rating change."
    )


class Forecast(ResponseModel):
    """What the model predicted before the match."""

    win: list[float] | None = Field(description="For two teams: the probability that each wins.")
    draw: float | None
    mean: list[float] = Field(description="The expected performance of each team.")
    sigma: list[float]


class MatchPlayer(ResponseModel):
    """A player of a match: the result, the predicted result, the rating change and its reason."""

    player: str
    team: int = Field(description="The index of the team, from 0.")
    place: int
    score: float | None = None
    actual: float
    expected: float
    expected_lead: float | None = None
    first: bool = Field(description="Whether this was the player's first match.")
    before: dict[str, float | None]
    after: dict[str, float | None]
    moved: float
    shown_moved: float
    points_moved: float | None = Field(None, description="The change in points, if the league has a scale.")
    statistics: dict[str, float | None] | None = Field(
        None, description="The player's statistics; omitted if the model has none."
    )
    moved_by_statistics: float | None = Field(
        None, description="The part of the change that came from the statistics; the rest came from the result."
    )
    points_moved_by_statistics: float | None = None
    why: str


class MatchRevision(ResponseModel):
    """A post, edit or deletion of a match; `match` is null for a deletion, or if the caller may not see its players."""

    revision: int
    kind: Literal["post", "edit", "delete"]
    time: Time | None
    match: dict[str, Any] | None
    author: str
    reason: str
    written_at: str


class MatchDetails(PostedMatch):
    """A match with its forecast, rating changes and revisions, oldest revision first.

    A deleted match is shown as it last was, without rating changes; without a key of the league, it has no teams.
    """

    league: str
    deleted: bool
    stamped: bool = Field(description="Whether the service set the time, because the match was posted without one.")
    counts: bool = Field(description="Whether the match is rated; matches of importance 0 are not.")
    forecast: Forecast | None
    players: list[MatchPlayer]
    revisions: list[MatchRevision]

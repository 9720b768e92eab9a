"""Matches as they are posted and shown."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Required

from pydantic import ConfigDict, Field, FiniteFloat, with_config
from typing_extensions import TypedDict

from .common import ANN, BOB, Change, Name, Time, Told, shape

EXAMPLE: dict[str, Any] = {
    "id": "final",
    "teams": [["ann"], ["bob"]],
    "scores": [3, 1],
    "time": "2026-01-31T10:00:00Z",
}
Numbers = list[FiniteFloat]


# A plain mapping, which the store takes as it is: nothing is made of a match but what was sent.
@with_config(
    ConfigDict(strict=True, extra="forbid", title="Match", json_schema_extra={"examples": [EXAMPLE]}),
)
class Match(TypedDict, total=False):
    """A match: its teams, and `ranks` (lower is better) or `scores` (higher is better), or else the winner first."""

    teams: Required[
        Annotated[
            list[Annotated[list[Name], Field(min_length=1)]],
            Field(min_length=2, description="Teams of players, by name."),
        ]
    ]
    id: Annotated[Name | None, Field(description="Unique in the league for ever; without it the service makes one up.")]
    ranks: Numbers | None
    scores: Numbers | None
    time: Annotated[
        str | FiniteFloat | None,
        Field(description="RFC 3339 or a date, or a number where the league counts rounds; without it, now."),
    ]
    weights: Annotated[list[Numbers] | None, Field(description="The share of the match that each player played.")]
    importance: Annotated[FiniteFloat | None, Field(description="How much the match counts: 1, if nothing is said.")]
    home: Annotated[int | None, Field(description="The index of the team that plays at home, from 0.")]


@with_config(ConfigDict(strict=True, extra="forbid", title="Matches"))
class Matches(TypedDict):
    """Several matches, at most 10,000."""

    matches: list[Match]


class Recorded(Told):
    """A match that was recorded; `repeated` if it had been before, so that nothing happened.

    One that was taken out since stays out: PUT brings it back.
    """

    id: str
    time: Time | None
    repeated: bool


class Posted(Told):
    """What came of a change: the revision of the league that has it, and who is rated otherwise now.

    Of a dry run, what would come of it: the largest changes first.
    """

    model_config = shape(
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
    matches: list[Recorded]
    changed: int = Field(description="How many players are rated otherwise now.")
    ratings: list[Change] = Field(description="The players of the matches, and of others the 1,000 who moved most.")


class Listed(Told):
    """A match as it was posted."""

    id: str
    time: Time | None
    teams: list[list[str]]
    ranks: list[float] | None = None
    scores: list[float] | None = None
    weights: list[list[float]] | None = None
    importance: float | None = None
    home: int | None = None


class Page(Told):
    """Some matches, the newest first; `next` leads to those before."""

    model_config = shape(
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
        description="Each as it was posted; those of a `player` also say what was expected of her, and what they moved."
    )


class Forecast(Told):
    """What was expected of a match before it was rated."""

    win: list[float] | None = Field(description="Of two teams: the probability that each wins.")
    draw: float | None
    mean: list[float] = Field(description="Of every team's performance.")
    sigma: list[float]


class Rated(Told):
    """A player of a match: how it ended, what was expected, what it moved, and why."""

    player: str
    team: int = Field(description="The index of the team, from 0.")
    place: int
    score: float | None = None
    actual: float
    expected: float
    expected_lead: float | None = None
    first: bool = Field(description="Whether it was the player's first match.")
    before: dict[str, float | None]
    after: dict[str, float | None]
    moved: float
    shown_moved: float
    why: str


class Revision(Told):
    """What somebody wrote of a match, and why; `match` is null where it was taken out."""

    revision: int
    kind: Literal["post", "edit", "delete"]
    time: Time | None
    match: dict[str, Any] | None
    author: str
    reason: str
    written_at: str


class Shown(Listed):
    """A match: what it did to everybody and why, what was expected of it, and all its revisions, the first one first.

    One that was taken out is shown as it was, with nothing that it did.
    """

    league: str
    deleted: bool
    stamped: bool = Field(description="Whether the service gave the time.")
    counts: bool = Field(description="Whether it counts: a match of importance 0 does not.")
    forecast: Forecast | None
    players: list[Rated]
    revisions: list[Revision]

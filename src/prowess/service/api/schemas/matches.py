"""Matches as they are posted and shown."""

from __future__ import annotations

from typing import Annotated, Any, Required

from pydantic import ConfigDict, Field, FiniteFloat, with_config
from typing_extensions import TypedDict

from .common import ANN, BOB, Change, Name, Time, Told, shape

__all__ = ["Match", "Matches", "Posted", "Recorded", "Shortly"]

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
    """A match that was recorded; `repeated` if it had been before, so that nothing happened."""

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
            "ratings": [
                {"player": "ann", "before": None, "after": ANN},
                {"player": "bob", "before": None, "after": BOB},
            ],
        }
    )

    league: str
    revision: int
    matches: list[Recorded]
    ratings: list[Change]


class Shortly(Told):
    """A match in a list."""

    model_config = shape({"id": "final", "time": "2026-01-31T10:00:00Z", "teams": [["ann"], ["bob"]], "ranks": [1, 2]})

    id: str
    time: Time | None
    teams: list[list[str]]
    ranks: list[float] | None = None
    scores: list[float] | None = None
    weights: list[list[float]] | None = None
    importance: float | None = None
    home: int | None = None

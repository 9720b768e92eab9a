"""What requests and answers have in common: names, times, ratings."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, StringConstraints

from ....store.write.posts import LONGEST
from ...errors import STORABLE

__all__ = ["ANN", "BOB", "LONGEST", "Asked", "Change", "Name", "Rating", "Text", "Time", "Told", "Trait", "shape"]

Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST)]
Text = Annotated[str, StringConstraints(max_length=LONGEST, pattern=STORABLE)]  # as all databases keep it
Time = Annotated[
    str | FiniteFloat,
    Field(
        description="In a league on the clock `utc`, RFC 3339 or a date; in one that counts rounds, a number.",
        examples=["2026-01-31T10:00:00Z"],
    ),
]

ANN = {"mu": 29.395832, "sigma": 7.171476, "shown": 7.881404}
BOB = {"mu": 20.604168, "sigma": 7.171476, "shown": -0.91026}


def shape(*examples: Any) -> ConfigDict:
    """What a form of an answer looks like, by examples.

    >>> shape({"mu": 25.0})["json_schema_extra"]
    {'examples': [{'mu': 25.0}]}
    """
    return ConfigDict(json_schema_extra={"examples": list(examples)})


class Asked(BaseModel):
    """A request: nothing in it is guessed, so that a number is no text, and a key that nobody knows is an error."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Told(BaseModel):
    """An answer."""

    model_config = ConfigDict(extra="forbid")


class Trait(Told):
    """What is believed of one of several skills of a player."""

    mu: float
    sigma: float | None
    shown: float


class Rating(Told):
    """What is believed of a player's skill: the mean, the standard deviation, and what a leaderboard shows."""

    model_config = shape(ANN)

    mu: float
    sigma: float | None = Field(description="null in systems that keep no uncertainty, such as Elo")
    shown: float
    volatility: float | None = Field(None, description="of Glicko-2 alone")
    offence: Trait | None = Field(None, description="of models of scores alone")
    defence: Trait | None = Field(None, description="of models of scores alone")


class Change(Told):
    """A player whose rating is another one now; `before` is null for a newcomer, `after` for who has no match left."""

    model_config = shape({"player": "ann", "before": None, "after": ANN})

    player: str
    before: Rating | None
    after: Rating | None

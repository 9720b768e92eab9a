"""Types that requests and responses share: names, times, ratings."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, StringConstraints

from ....store.write.posts import LONGEST as LONGEST
from ...errors import STORABLE

Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST)]
Text = Annotated[str, StringConstraints(max_length=LONGEST, pattern=STORABLE)]  # text that all databases can store
Time = Annotated[
    str | FiniteFloat,
    Field(
        description="An RFC 3339 time or a date; in a league that counts rounds, a number.",
        examples=["2026-01-31T10:00:00Z"],
    ),
]

ANN = {"mu": 29.395832, "sigma": 7.171476, "shown": 7.881404}
BOB = {"mu": 20.604168, "sigma": 7.171476, "shown": -0.91026}


def example(*values: Any) -> ConfigDict:
    """Return the configuration of a schema with examples.

    >>> example({"mu": 25.0})["json_schema_extra"]
    {'examples': [{'mu': 25.0}]}
    """
    return ConfigDict(json_schema_extra={"examples": list(values)})


class RequestModel(BaseModel):
    """Base of request bodies: types are not converted, and unknown keys are errors."""

    model_config = ConfigDict(strict=True, extra="forbid")


class ResponseModel(BaseModel):
    """Base of response bodies."""

    model_config = ConfigDict(extra="forbid")


class Trait(ResponseModel):
    """The rating of one of a player's skills."""

    mu: float
    sigma: float | None
    shown: float


class Points(ResponseModel):
    """A rating in points, if the league has a scale; the fields are omitted otherwise."""

    points: float | None = Field(None, description="μ on the league's scale, such as 1500 for a newcomer.")
    points_low: float | None = Field(
        None, description="The low end of the 95 % interval; null if the model has no uncertainty."
    )
    points_high: float | None = None
    points_shown: float | None = Field(
        None, description="`shown` on the scale, if the league ranks conservatively: the rating by which players sort."
    )


class Rating(Points):
    """A player's skill: mean, standard deviation, and the number by which players are ranked."""

    model_config = example(ANN)

    mu: float
    sigma: float | None = Field(description="null for models without uncertainty, such as Elo")
    shown: float
    volatility: float | None = Field(None, description="only for Glicko-2")
    offence: Trait | None = Field(None, description="only for models that rate offence and defence")
    defence: Trait | None = Field(None, description="only for models that rate offence and defence")


class RatingChange(ResponseModel):
    """A changed rating; `before` is null for a new player, `after` for a player with no matches left."""

    model_config = example({"player": "ann", "before": None, "after": ANN})

    player: str
    before: Rating | None
    after: Rating | None

"""Schemas of the search for a better model."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .common import RequestModel, ResponseModel, example
from .leagues import LeagueModel

OFFERED = {"name": "TrueSkill", "parameters": {"draw_probability": 0.26, "home_sigma": 2.1, "home_tau": 0.05}}


class AcceptedOffer(RequestModel):
    """The offer to accept, identified by the id in the response to `GET`."""

    model_config = example({"id": 7})

    id: Annotated[int, Field(ge=1, le=2**53)]


class Gain(ResponseModel):
    """A difference of log losses with its 95 % interval; null if it cannot be measured."""

    value: float | None
    low: float | None
    high: float | None


class Step(ResponseModel):
    """An option that the search tried, and what it gained on later matches."""

    decision: str
    option: str
    gain: float | None
    low: float | None
    high: float | None
    kept: bool


class Ranked(ResponseModel):
    """A rank and a rating."""

    rank: int
    mu: float | None = Field(None, description="The mean; omitted in offers of earlier versions.")
    shown: float
    points: float | None = Field(None, description="The mean in points; omitted if the league has no scale.")
    points_shown: float | None = Field(
        None, description="`shown` in points; omitted unless the league has a scale and ranks conservatively."
    )


class RankChange(ResponseModel):
    """How the rank of a player would change; a positive `change` is a better rank."""

    player: str
    before: Ranked
    after: Ranked
    change: int


class RankChanges(ResponseModel):
    """How the standings would change: the best players, and the players whose ranks change most."""

    players: int
    moved: int = Field(description="The number of players whose rank would change.")
    best: list[RankChange]
    most: list[RankChange]


class ModelOffer(ResponseModel):
    """The result of the last search for a better model; most fields are null before the first search."""

    model_config = example(
        {
            "league": "darts",
            "revision": 120,
            "state": "offered",
            "id": 7,
            "model": OFFERED,
            "parts": ["TrueSkill", "a learnt home advantage"],
            "explanation": ["Model: TrueSkill and a learnt home advantage."],
            "gain": {"value": 0.041, "low": 0.012, "high": 0.07},
            "unit": "match",
            "matches": 120,
            "judged": 40,
            "steps": [
                {
                    "decision": "home advantage",
                    "option": "learnt",
                    "gain": 0.03,
                    "low": 0.01,
                    "high": 0.05,
                    "kept": True,
                }
            ],
            "changes": {"players": 12, "moved": 4, "best": [], "most": []},
            "searching": False,
            "next_search": 180,
        }
    )

    league: str
    revision: int
    state: Literal["not_searched", "offered", "in_use", "not_better", "outdated"] = Field(
        description="`not_searched`: there was no search yet. `offered`: the model predicts better than the league's "
        "model, by more than noise. `in_use`: it is the league's model. `not_better`: the league's model is as good. "
        "`outdated`: the league's model has changed since, or the model cannot rate the newest matches."
    )
    id: int | None
    model: LeagueModel | None
    parts: list[str] | None = Field(description="The parts of the model, in words.")
    explanation: list[str] | None = Field(description="Sentences on how the model was chosen.")
    gain: Gain | None = Field(
        description="How much lower the log loss, in nats, was than that of the league's model, on the last `judged` "
        "matches. It was measured with a model chosen in the same way on the matches before these. It is null "
        "after an import."
    )
    unit: Literal["match", "pair of teams"] | None = Field(description="The gain is per match or per pair of teams.")
    matches: int | None = Field(description="The number of matches on which the model was chosen.")
    judged: int | None
    steps: list[Step] | None
    changes: RankChanges | None = Field(
        description="How the standings would change; only for an open offer, in a league of at most 20,000 matches."
    )
    searching: bool = Field(description="Whether a search is queued or running.")
    next_search: int = Field(description="The number of posted matches at which the next search begins.")

"""Schemas of predictions, fair teams, pairings and suggested matches."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, FiniteFloat

from .common import Name, RequestModel, ResponseModel, Time, example
from .matches import Context

TEAMS, PLAYERS, BALANCED, QUEUE = 64, 1_000, 200, 5_000

Numbers = list[FiniteFloat]
Positive = Annotated[FiniteFloat, Field(ge=0)]
Team = Annotated[list[Name], Field(min_length=1, max_length=PLAYERS)]
Teams = Annotated[
    list[Team], Field(min_length=2, max_length=TEAMS, description=f"At most {TEAMS} teams, each a list of names.")
]
Pairs = Annotated[list[Annotated[list[Name], Field(min_length=2, max_length=2)]], Field(max_length=100_000)]
Newcomers = Annotated[bool, Field(description="Treat unknown names as new players instead of rejecting them.")]
MatchContext = Annotated[
    dict[str, str | FiniteFloat | None] | None,
    Field(max_length=100, description="Values of the columns of which the model has a facet, each for a whole match."),
]
TEAM_NAMES = [["ann"], ["bob"]]
REVISION = {"league": "darts", "revision": 120}
CHANCES = {"win": [0.7536, 0.208], "draw": 0.0384}
FORECAST = CHANCES | {
    "teams": TEAM_NAMES,
    "ranks": [[0.792, 0.208], [0.2464, 0.7536]],
    "mean": [29.4, 20.6],
    "sigma": [8.3, 8.3],
    "quality": 0.379,
    "newcomers": [],
}


class NamesRequest(RequestModel):
    """Base of requests that name players."""

    newcomers: Newcomers = False
    exact_names: bool = Field(
        False,
        description="Find players by their exact names only. Otherwise, case, accents, punctuation and the order of "
        "words may differ, and aliases are accepted.",
    )


class QualityRequest(NamesRequest):
    """A possible match.

    `context` has the values of the columns of which the model has a facet; a facet without a value is left out.
    """

    model_config = example({"teams": TEAM_NAMES})

    teams: Teams
    weights: list[Numbers] | None = None
    home: int | None = Field(None, ge=0, description="The index of the home team, from 0.")
    context: Context = None


class PredictionRequest(QualityRequest):
    """A possible match and its time. The prediction takes the drift of skills until that time into account."""

    model_config = example({"teams": TEAM_NAMES, "time": "2026-02-28"})

    time: Time | None = None


class RevisionResponse(ResponseModel):
    """Base of responses that are computed from the ratings of a league at a revision."""

    league: str
    revision: int
    newcomers: list[str]
    resolved: dict[str, str] | None = Field(
        None, description="Names that were not exact, and the players found for them. Omitted if all were exact."
    )


class Quality(RevisionResponse):
    """The fairness of a match, from 0 to 1."""

    model_config = example(REVISION | {"quality": 0.447, "newcomers": []})

    quality: float


class ScoreProbability(ResponseModel):
    """A final score of two teams and its probability."""

    scores: list[int]
    probability: float


class ScoreDifference(ResponseModel):
    """The expected lead of the first of two teams (`mean`), and its standard deviation (`sigma`)."""

    mean: float
    sigma: float
    rounding: float = Field(0.0, description="The step to which score differences are rounded; 0 for no rounding.")


class Prediction(RevisionResponse):
    """The predicted result of a match."""

    model_config = example(REVISION | FORECAST)

    teams: list[list[str]]
    win: list[float] = Field(description="The probability that each team is the sole winner.")
    draw: float = Field(description="The probability that the first place is shared.")
    ranks: list[list[float]] = Field(description="For each team, the probability of each rank.")
    mean: list[float] = Field(description="The expected performance of each team.")
    sigma: list[float]
    quality: float
    scores: list[float] | None = Field(None, description="The median score of each team, if the model predicts scores.")
    score_means: list[float] | None = None
    most_probable: list[ScoreProbability] | None = None
    score_difference: ScoreDifference | None = None


class BalanceRequest(NamesRequest):
    """Players to split into fair teams, and rules for the teams."""

    model_config = example({"players": ["ann", "bob", "cat", "dan"], "teams": 2, "together": [["ann", "bob"]]})

    players: Annotated[list[Name], Field(min_length=2, max_length=BALANCED)]
    teams: Annotated[int, Field(ge=2, le=BALANCED)] = 2
    sizes: list[Annotated[int, Field(ge=1)]] | None = Field(None, max_length=BALANCED)
    together: list[list[Name]] = Field([], max_length=BALANCED, description="Groups whose players must be in one team.")
    apart: list[list[Name]] = Field([], max_length=BALANCED, description="Groups whose players must not share a team.")
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 0
    context: MatchContext = None


class Balance(Prediction):
    """Fair teams, the predicted result of their match, and whether they are proven to be the fairest (`exact`)."""

    model_config = example(
        REVISION | FORECAST | {"fairness": "uneven", "exact": True, "compared": 1, "unconstrained": None}
    )

    fairness: str
    exact: bool
    compared: int
    unconstrained: float | None


class PairingRequest(NamesRequest):
    """A queue to pair: players, and groups that play together."""

    model_config = example({"queue": ["ann", "bob", ["cat", "dan"]], "waiting": {"ann": 30}, "met": [["ann", "bob"]]})

    queue: Annotated[list[Name | Team], Field(max_length=QUEUE)]
    waiting: dict[str, Positive] = Field({}, description="How long each player has waited, in the unit of `patience`.")
    patience: Annotated[FiniteFloat, Field(gt=0)] = 60.0
    met: Pairs = Field([], description="Pairs that met recently, listed once per meeting.")
    repeat: Positive = 0.25
    never: Pairs = Field([], description="Pairs that must not be matched.")
    least: Positive = Field(0.0, description="The lowest evenness of a match: 1 if both sides are equally strong.")
    uneven: bool = False
    context: MatchContext = None


class Pair(ResponseModel):
    """Two teams that should play, and how fair their match is."""

    teams: list[list[str]]
    quality: float


class Pairing(RevisionResponse):
    """The pairs, strongest first, and the players or groups left unpaired."""

    model_config = example(
        REVISION | {"pairs": [{"teams": TEAM_NAMES, "quality": 0.379}], "left": [["cat", "dan"]], "newcomers": []}
    )

    pairs: list[Pair]
    left: list[list[str]]


class NextRequest(NamesRequest):
    """The kind and number of matches to suggest."""

    model_config = example({"count": 3}, {"players": ["ann", "bob", "cat"], "count": 1})

    players: Annotated[list[Name], Field(min_length=2, max_length=QUEUE)] | None = Field(
        None, description="The available players; by default all players of the league, if there are at most 5,000."
    )
    count: Annotated[int, Field(ge=1, le=1_000)] = 10
    teams: Annotated[int, Field(ge=2, le=16)] = 2
    size: Annotated[int, Field(ge=1, le=16)] = 1
    each: Annotated[int, Field(ge=1)] | None = Field(1, description="Maximum matches per player; null for no limit.")
    context: MatchContext = None


class SuggestedMatch(ResponseModel):
    """A match, the expected information gain from its result (in bits), and the probability of each result."""

    teams: list[list[str]]
    information: float
    win: list[float]
    draw: float


class SuggestedMatches(RevisionResponse):
    """The most informative matches, best first; `exact` is true if all possible matches were compared."""

    model_config = example(
        REVISION | {"exact": True, "newcomers": [], "matches": [{"teams": TEAM_NAMES, "information": 0.38} | CHANCES]}
    )

    matches: list[SuggestedMatch]
    exact: bool

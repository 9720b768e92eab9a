"""Matches that may come: predicted, judged, and made."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field, FiniteFloat

from .common import Asked, Name, Time, Told, shape

TEAMS, PLAYERS, BALANCED, QUEUE = 64, 1_000, 200, 5_000

Numbers = list[FiniteFloat]
Team = Annotated[list[Name], Field(min_length=1, max_length=PLAYERS)]
Teams = Annotated[
    list[Team], Field(min_length=2, max_length=TEAMS, description=f"Teams of players, by name; at most {TEAMS}.")
]
Newcomers = Annotated[bool, Field(description="Take names that the league does not know as newcomers.")]
MATCH = {"teams": [["ann"], ["bob"]]}
EXPECTED = {"win": [0.7536, 0.208], "draw": 0.0384}


def _asks(*examples: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": list(examples)})


class QualityAsked(Asked):
    """A match that may be played."""

    model_config = _asks(MATCH)

    teams: Teams
    weights: list[Numbers] | None = None
    home: int | None = Field(None, ge=0, description="The index of the team that plays at home, from 0.")
    newcomers: Newcomers = False


class PredictionAsked(QualityAsked):
    """A match that may be played, and when: skills drift until then."""

    model_config = _asks(MATCH | {"time": "2026-02-28"})

    time: Time | None = None


class Quality(Told):
    """How fair a match would be, 0 to 1."""

    model_config = shape({"league": "darts", "revision": 120, "quality": 0.447, "newcomers": []})

    league: str
    revision: int
    quality: float
    newcomers: list[str]


class Probable(Told):
    """A score of two teams, and how probable it is."""

    scores: list[int]
    probability: float


class Difference(Told):
    """By how much the first of two teams is expected to outscore the second."""

    mean: float
    sigma: float


class Expected(Told):
    """What is expected of a match."""

    teams: list[list[str]]
    win: list[float] = Field(description="The probability that each team is first alone.")
    draw: float = Field(description="The probability that the first place is shared.")
    ranks: list[list[float]] = Field(description="For each team the probability of each rank.")
    mean: list[float] = Field(description="Of the teams' performances.")
    sigma: list[float]
    quality: float
    scores: list[float] | None = Field(None, description="The median of each team's score; of models of scores alone.")
    score_means: list[float] | None = None
    most_probable: list[Probable] | None = None
    score_difference: Difference | None = None
    newcomers: list[str]


_EXPECTED = EXPECTED | {
    "teams": [["ann"], ["bob"]],
    "ranks": [[0.792, 0.208], [0.2464, 0.7536]],
    "mean": [29.4, 20.6],
    "sigma": [8.3, 8.3],
    "quality": 0.379,
    "newcomers": [],
}


class Prediction(Expected):
    """What is expected of a match, by the ratings of a revision."""

    model_config = shape({"league": "darts", "revision": 120} | _EXPECTED)

    league: str
    revision: int


class BalanceAsked(Asked):
    """Players who are to be split into fair teams."""

    model_config = _asks({"players": ["ann", "bob", "cat", "dan"], "teams": 2, "together": [["ann", "bob"]]})

    players: Annotated[list[Name], Field(min_length=2, max_length=BALANCED)]
    teams: Annotated[int, Field(ge=2, le=BALANCED)] = 2
    sizes: list[Annotated[int, Field(ge=1)]] | None = Field(None, max_length=BALANCED)
    together: list[list[Name]] = Field([], max_length=BALANCED, description="Groups that stay in one team.")
    apart: list[list[Name]] = Field(
        [], max_length=BALANCED, description="Groups whose players are all in different teams."
    )
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 0
    newcomers: Newcomers = False


class Balance(Prediction):
    """Fair teams, what is expected of their match, and whether surely none are fairer."""

    model_config = shape(
        {"league": "darts", "revision": 120}
        | _EXPECTED
        | {"fairness": "uneven", "exact": True, "compared": 1, "unconstrained": None}
    )

    fairness: str
    exact: bool
    compared: int
    unconstrained: float | None


class PairAsked(Asked):
    """A queue to be paired: players, and groups that play together."""

    model_config = _asks({"queue": ["ann", "bob", ["cat", "dan"]], "waiting": {"ann": 30}, "met": [["ann", "bob"]]})

    queue: Annotated[
        list[Name | Annotated[list[Name], Field(min_length=1, max_length=PLAYERS)]], Field(max_length=QUEUE)
    ]
    waiting: dict[str, Annotated[FiniteFloat, Field(ge=0)]] = Field({}, description="How long somebody has waited.")
    patience: Annotated[FiniteFloat, Field(gt=0)] = 60.0
    met: Annotated[list[Annotated[list[Name], Field(min_length=2, max_length=2)]], Field(max_length=100_000)] = Field(
        [], description="Pairs that have met lately; again and again as often as they did."
    )
    repeat: Annotated[FiniteFloat, Field(ge=0)] = 0.25
    never: Annotated[list[Annotated[list[Name], Field(min_length=2, max_length=2)]], Field(max_length=100_000)] = Field(
        [], description="Pairs that are not to be made."
    )
    least: Annotated[FiniteFloat, Field(ge=0)] = 0.0
    uneven: bool = False
    newcomers: Newcomers = False


class Pair(Told):
    """Two teams that should play, and how fair that is."""

    teams: list[list[str]]
    quality: float


class Pairing(Told):
    """Who plays whom, the strongest first, and who is left over."""

    model_config = shape(
        {"league": "darts", "revision": 120, "pairs": [{"teams": [["ann"], ["bob"]], "quality": 0.379}]}
        | {"left": [["cat", "dan"]], "newcomers": []}
    )

    league: str
    revision: int
    pairs: list[Pair]
    left: list[list[str]]
    newcomers: list[str]


class NextAsked(Asked):
    """Of whom, and of how many, the most telling matches are wanted."""

    model_config = _asks({"count": 3}, {"players": ["ann", "bob", "cat"], "count": 1})

    players: Annotated[list[Name], Field(min_length=2, max_length=QUEUE)] | None = Field(
        None, description="Who is there; else all players of the league, if these are at most 5,000."
    )
    count: Annotated[int, Field(ge=1, le=1_000)] = 10
    teams: Annotated[int, Field(ge=2, le=16)] = 2
    size: Annotated[int, Field(ge=1, le=16)] = 1
    each: Annotated[int, Field(ge=1)] | None = Field(1, description="In how many of these a player may be; null: all.")
    newcomers: Newcomers = False


class NextMatch(Told):
    """A match, how much its result is expected to tell (in bits), and how it may end."""

    teams: list[list[str]]
    information: float
    win: list[float]
    draw: float


class Next(Told):
    """The matches that would tell most, the most telling first; `exact` if all that could be played were compared."""

    model_config = shape(
        {"league": "darts", "revision": 120, "exact": True, "newcomers": []}
        | {"matches": [{"teams": [["ann"], ["bob"]], "information": 0.38} | EXPECTED]}
    )

    league: str
    revision: int
    matches: list[NextMatch]
    exact: bool
    newcomers: list[str]

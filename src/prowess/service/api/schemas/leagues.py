"""Leagues, their models and their seasons."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field, FiniteFloat, StringConstraints

from ....store import clock
from ...errors import NAME
from .common import Asked, Text, Time, Told, shape

PRESET: dict[str, Any] = {"name": "TrueSkill", "parameters": {"beta": 4.0}}
LEAGUE: dict[str, Any] = {
    "name": "darts",
    "title": "Tuesday's darts",
    "clock": "utc",
    "public": True,
    "settings": {"provisional_matches": 10, "inactive_days": 90.0},
    "model": PRESET,
    "generation": 1,
    "revision": 120,
    "posted": 118,
    "last_time": "2026-01-31T10:00:00Z",
    "created_at": "2026-01-01T09:00:00Z",
}
Clock = Annotated[
    clock.Clock,
    Field(description="What times are: instants, plain numbers such as rounds, or nothing (the order of arrival)."),
]


class Preset(Asked):
    """A model by the name of its preset, and the parameters that differ from its defaults; see `GET /api/models`."""

    model_config = ConfigDict(json_schema_extra={"examples": [PRESET]})

    name: Annotated[str, StringConstraints(max_length=100)] = "TrueSkill"
    parameters: dict[str, Any] = Field(default_factory=dict)


class SettingsAsked(Asked):
    """How a league shows its players; what is not given stays."""

    provisional_matches: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    inactive_days: Annotated[FiniteFloat, Field(gt=0)] | None = None


class Settings(Told):
    """How a league shows its players."""

    provisional_matches: int = Field(description="Who has fewer matches than this is provisional.")
    inactive_days: float = Field(
        description="Who has not played for so long is inactive; counted in rounds where times are."
    )


class LeagueAsked(Asked):
    """A league to be founded."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "darts", "title": "Tuesday's darts", "model": PRESET, "clock": "utc"}]}
    )

    name: Annotated[str, StringConstraints(pattern=NAME)]
    title: Text = ""
    clock: Clock = "utc"
    public: bool = Field(True, description="Whether reading needs no key.")
    model: Preset = Preset()
    settings: SettingsAsked = SettingsAsked()


class LeagueChanged(Asked):
    """What is to be changed of a league; the rest stays."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"public": False, "settings": {"inactive_days": 30}}]})

    title: Text | None = None
    public: bool | None = None
    settings: SettingsAsked = SettingsAsked()


class Chosen(Told):
    """The model of a league: a preset and the parameters that were given."""

    name: str
    parameters: dict[str, Any]


class League(Told):
    """A league as it is at a revision: the number of changes that were made to it."""

    model_config = shape(LEAGUE)

    name: str
    title: str
    clock: Clock
    public: bool
    settings: Settings
    model: Chosen
    generation: int = Field(description="How many models it has had.")
    revision: int
    posted: int = Field(description="How many matches were ever posted.")
    last_time: Time | None = Field(description="When its latest match was.")
    created_at: str


class Leagues(Told):
    """The leagues that the caller may read, in the order of their names."""

    leagues: list[League]


class ModelAsked(Preset):
    """Another model for a league, by which all its matches are rated anew."""


class Generation(Told):
    """A model that rates or has rated a league, from a revision on."""

    model_config = shape(
        {
            "generation": 1,
            "model": PRESET,
            "revision": 0,
            "made_at": "2026-01-01T09:00:00Z",
            "author": "office",
            "reason": "the first",
        }
    )

    generation: int
    model: Chosen
    revision: int
    made_at: str
    author: str
    reason: str


class Generations(Told):
    """The models of a league, the first one first."""

    league: str
    generations: list[Generation]


class SeasonAsked(Asked):
    """A season to begin: every skill goes some way back to that of newcomers."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "2027", "start": "2027-01-01", "carry": 0.8}]})

    name: Annotated[Text, StringConstraints(min_length=1, max_length=100)]
    start: Time
    carry: Annotated[FiniteFloat, Field(ge=0, le=1)] = Field(
        0.8, description="How much of a skill's distance from that of newcomers is left."
    )
    tau: Annotated[FiniteFloat, Field(ge=0)] | None = Field(
        None, description="How much skills may have moved in the break; without it, as the model's drift says."
    )
    reason: Text = ""


class Season(Told):
    """A season, from its start to that of the next."""

    model_config = shape({"name": "2027", "start": "2027-01-01T00:00:00Z", "carry": 0.8, "tau": None, "revision": 119})

    name: str
    start: Time | None
    carry: float
    tau: float | None
    revision: int


class Seasons(Told):
    """The seasons of a league, the first one first."""

    league: str
    seasons: list[Season]


class Parameter(Told):
    """A parameter of a model, its default, and from where to where it may be tuned."""

    name: str
    default: Any
    low: float | None = None
    high: float | None = None


class Model(Told):
    """A preset: a known rating system with the constants of its paper."""

    model_config = shape(
        {
            "name": "Elo",
            "description": "Elo (1978).",
            "parameters": [{"name": "k", "default": 32.0, "low": 1.0, "high": 400.0}],
            "traits": ["skill"],
            "uncertainty": False,
        }
    )

    name: str
    description: str
    parameters: list[Parameter]
    traits: list[str] = Field(description="The skills that it rates.")
    uncertainty: bool = Field(description="Whether ratings have a sigma.")


class Models(Told):
    """All presets."""

    models: list[Model]

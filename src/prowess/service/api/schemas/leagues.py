"""Schemas of leagues, their models and their seasons."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, FiniteFloat, StringConstraints

from ....store import clock
from ...errors import NAME
from .common import RequestModel, ResponseModel, Text, Time, example

PRESET: dict[str, Any] = {"name": "TrueSkill", "parameters": {"beta": 4.0}}
Clock = Annotated[
    clock.Clock,
    Field(description="The kind of match times: instants, plain numbers such as rounds, or none (order of arrival)."),
]


class Preset(RequestModel):
    """A model: the name of its preset, and the parameters that differ from the defaults; see `GET /api/models`.

    The parameters may also include `drift`, `seasons`, `home_advantage` and `newcomer_level`, as on the command line.
    """

    model_config = example(PRESET)

    name: Annotated[str, StringConstraints(max_length=100)] = "TrueSkill"
    parameters: dict[str, Any] = Field(default_factory=dict)


Scale = Annotated[
    list[FiniteFloat],
    Field(
        min_length=2,
        max_length=2,
        description="The scale of points: the points of a newcomer, and the lead in points that means win odds of "
        "10:1. If null, ratings are only in the unit of the model.",
        examples=[[1500.0, 400.0]],
    ),
]


Ranking = Annotated[
    Literal["mean", "conservative"],
    Field(
        description="Which number is the rating and sorts: the mean, with provisional players after all others, or the "
        "conservative rating μ − 3σ. If null, it is the mean with a scale, and the conservative rating without."
    ),
]


class SettingsUpdate(RequestModel):
    """Settings of a league; missing settings stay unchanged."""

    provisional_matches: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    inactive_days: Annotated[FiniteFloat, Field(gt=0)] | None = None
    allow_future: bool | None = None
    auto_switch: bool | None = None
    scale: Scale | None = None
    ranking: Ranking | None = None

    def changes(self) -> dict[str, Any]:
        """Return the settings to change.

        A null scale or ranking removes it; any other null leaves a setting unchanged.
        """
        removable = {name: getattr(self, name) for name in ("scale", "ranking") if name in self.model_fields_set}
        return self.model_dump(exclude_none=True) | removable


class Settings(ResponseModel):
    """Settings of a league."""

    provisional_matches: int = Field(description="Players with fewer matches are provisional.")
    inactive_days: float = Field(
        description="Players without a match for this many days (or rounds, if times are numbers) are inactive."
    )
    allow_future: bool = Field(description="Whether matches may be dated more than a day ahead.")
    auto_switch: bool = Field(
        description="Whether the service replaces the league's model automatically when it finds a better one."
    )
    scale: Scale | None
    ranking: Ranking | None


class NewLeague(RequestModel):
    """A league to create."""

    model_config = example({"name": "darts", "title": "Tuesday's darts", "model": PRESET, "clock": "utc"})

    name: Annotated[str, StringConstraints(pattern=NAME)]
    title: Text = ""
    clock: Clock = "utc"
    public: bool = Field(True, description="Whether the league can be read without a key.")
    model: Preset | None = Field(
        None,
        description="By default, the league starts with TrueSkill. If the first matches are imported, the service "
        "chooses a model for them; otherwise, it offers a better model later.",
    )
    settings: SettingsUpdate = SettingsUpdate()


class LeagueUpdate(RequestModel):
    """Changes to a league; missing fields stay unchanged."""

    model_config = example({"public": False, "settings": {"inactive_days": 30}})

    name: Annotated[str, StringConstraints(pattern=NAME)] | None = Field(
        None, description="A new name; the old name redirects to it until another league takes the old name."
    )
    archived: bool | None = Field(None, description="Whether the league is read-only and left out of lists.")
    title: Text | None = None
    public: bool | None = None
    settings: SettingsUpdate = SettingsUpdate()


class LeagueModel(ResponseModel):
    """The model of a league: a preset and its changed parameters."""

    name: str
    parameters: dict[str, Any]


class League(ResponseModel):
    """A league; its revision is the number of changes made to it."""

    model_config = example(
        {
            "name": "darts",
            "title": "Tuesday's darts",
            "clock": "utc",
            "public": True,
            "settings": {
                "provisional_matches": 10,
                "inactive_days": 90.0,
                "allow_future": False,
                "auto_switch": False,
                "scale": [1500.0, 400.0],
                "ranking": None,
            },
            "model": PRESET,
            "generation": 1,
            "revision": 120,
            "posted": 118,
            "last_time": "2026-01-31T10:00:00Z",
            "created_at": "2026-01-01T09:00:00Z",
            "archived": False,
            "purge_at": None,
        }
    )

    name: str
    title: str
    clock: Clock
    public: bool
    settings: Settings
    model: LeagueModel
    generation: int = Field(description="The number of models that the league has had.")
    revision: int
    posted: int = Field(description="The number of matches ever posted.")
    last_time: Time | None = Field(description="The time of the latest match.")
    created_at: str
    archived: bool = Field(description="Whether the league is read-only and left out of lists.")
    purge_at: str | None = Field(
        description="When a deleted league is removed for good; null if the league is not deleted."
    )


class Leagues(ResponseModel):
    """The leagues that the caller may read, ordered by name."""

    leagues: list[League]


class NewModel(Preset):
    """Another model for a league; all its matches are rated again with this model."""


class Generation(ResponseModel):
    """A current or earlier model of a league; `revision` is the revision at which the league began to use it."""

    model_config = example(
        {
            "generation": 1,
            "model": PRESET,
            "revision": 0,
            "made_at": "2026-01-01T09:00:00Z",
            "author": "office",
            "reason": "the first",
            "engine_version": 2,
        }
    )

    generation: int
    model: LeagueModel
    revision: int
    made_at: str
    author: str
    reason: str
    engine_version: int = Field(
        description="The version of the engine that computed these ratings. After an upgrade to another version, the "
        "service rates all matches again with the same model, as a new generation."
    )


class Generations(ResponseModel):
    """The models of a league, oldest first."""

    league: str
    generations: list[Generation]


class NewSeason(RequestModel):
    """A new season: every rating moves part of the way back towards a new player's rating."""

    model_config = example({"name": "2027", "start": "2027-01-01", "carry": 0.8})

    name: Annotated[Text, StringConstraints(min_length=1, max_length=100)]
    start: Time
    carry: Annotated[FiniteFloat, Field(ge=0, le=1)] = Field(
        0.8,
        description="How much of its distance from a new player's rating each rating keeps: a share from 0 to 1.",
    )
    tau: Annotated[FiniteFloat, Field(ge=0)] | None = Field(
        None, description="How far skills may have drifted between the seasons; by default, the model's own drift."
    )
    reason: Text = ""


class Season(ResponseModel):
    """A season, from its start to the start of the next one."""

    model_config = example(
        {"name": "2027", "start": "2027-01-01T00:00:00Z", "carry": 0.8, "tau": None, "revision": 119}
    )

    name: str
    start: Time | None
    carry: float
    tau: float | None
    revision: int


class Seasons(ResponseModel):
    """The seasons of a league, oldest first."""

    league: str
    seasons: list[Season]


class Parameter(ResponseModel):
    """A parameter of a model, its default, and the range in which it can be tuned."""

    name: str
    default: Any
    low: float | None = None
    high: float | None = None


class Model(ResponseModel):
    """A preset: a rating system with the constants from its paper."""

    model_config = example(
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
    traits: list[str] = Field(description="The skills that the model rates.")
    uncertainty: bool = Field(description="Whether ratings have a sigma.")


class Models(ResponseModel):
    """All presets."""

    models: list[Model]

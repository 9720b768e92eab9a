"""Leagues: each with its own model, clock and settings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from time import time
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import Connection, bindparam, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from ..errors import Error
from ..history.names import nearest
from ..model.model import Model
from ..model.presets import PRESETS, preset
from ..validate import scale, whole
from . import audit
from .clock import CLOCKS, Clock
from .db import schema
from .db.database import RawStatement
from .errors import Conflict, NotFound
from .slugs import slug, storable

if TYPE_CHECKING:
    from .db.database import Database

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_GENERATION = schema.generation.c


@dataclass(frozen=True)
class Preset:
    """A model by the name of its preset and the parameters that differ from the usual ones.

    >>> Preset("elo", {"k": 20}).model.params["k"]
    20
    """

    name: str = "TrueSkill"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def model(self) -> Model:
        """The model itself."""
        make = preset(self.name)
        if not isinstance(self.parameters, Mapping):
            raise Error(
                f"parameters must be a mapping from names to values, not {self.parameters!r}",
                field="parameters",
                value=self.parameters,
            )
        try:
            return make().replace(**self.parameters) if self.parameters else make()
        except (TypeError, AttributeError, ArithmeticError) as error:
            raise Error.in_field("parameters", str(error)) from error

    def written(self) -> str:
        """As JSON, for the store."""
        known = next(name for name in PRESETS.names if name.lower() == self.name.lower())
        return json.dumps({"name": known, "parameters": dict(self.parameters)}, ensure_ascii=False)


@dataclass(frozen=True)
class Settings:
    """How a league shows its players: who is provisional, and after how long somebody is inactive.

    >>> Settings().provisional_matches
    10
    """

    provisional_matches: int = 10
    inactive_days: float = 90.0

    def __post_init__(self) -> None:
        whole("provisional_matches", self.provisional_matches)
        scale("inactive_days", self.inactive_days)


@dataclass(frozen=True)
class League:
    """A league as it is at a revision."""

    id: int
    name: str
    title: str
    clock: Clock
    public: bool
    settings: Settings
    generation: int
    revision: int
    posted: int
    last_time: float | None
    corrected: int
    created_at: float
    model: Model
    preset: Preset
    memory: bytes
    season_start: float | None

    @property
    def serial(self) -> bool:
        """Whether every match depends on all before it, and not only on those of its players."""
        return self.model.period is not None or self.model.pipeline.memories > 0


def create(
    connection: Connection,
    name: str,
    *,
    title: str = "",
    model: Preset | None = None,
    clock: Clock = "utc",
    public: bool = True,
    settings: Settings | None = None,
    author: str = "",
) -> League:
    """Found a league."""
    if not NAME.fullmatch(name):
        raise Error.in_field(
            "name",
            "the name of a league has small letters (a to z), digits and hyphens, at most 63, such as"
            f" {slug(name)!r}; not {name!r}",
            value=name,
        )
    if clock not in CLOCKS:
        raise Error.in_field("clock", f"it is one of {', '.join(CLOCKS)}, not {clock!r}", value=clock)
    if connection.execute(select(schema.league.c.id).where(schema.league.c.name == name)).first():
        raise _taken(name)
    chosen = model or Preset()
    row = {
        "name": name,
        "title": _text("title", title) or name,
        "clock": clock,
        "public": public,
        "settings": json.dumps(asdict(settings or Settings())),
        "generation": 1,
        "revision": 0,
        "posted": 0,
        "corrected": 0,
        "created_at": time(),
    }
    try:
        (number,) = connection.execute(insert(schema.league).values(row)).inserted_primary_key  # type: ignore[misc]
    except IntegrityError:  # somebody has founded it at the same moment
        raise _taken(name) from None
    add_generation(connection, number, 1, chosen, 0, author, "the first")
    audit.write(connection, author, "create league", name, model=chosen.name, clock=clock, public=public)
    return find(connection, name)


def _taken(name: str) -> Conflict:
    return Conflict(f"there is a league called {name!r} already", field="name", value=name)


def add_generation(
    connection: Connection, league: int, number: int, chosen: Preset, revision: int, author: str, reason: str
) -> None:
    """Write down a model of a league."""
    model = chosen.model
    row = {
        "league_id": league,
        "number": number,
        "model": json.dumps(model.to_dict()),
        "preset": chosen.written(),
        "memory": np.array(model.pipeline.memory(), np.float64).tobytes(),
        "revision": revision,
        "made_at": time(),
        "author": author,
        "reason": reason,
    }
    connection.execute(insert(schema.generation).values(row))


_ROWS = select(
    schema.league,
    schema.generation.c.model.label("model"),
    schema.generation.c.preset,
    schema.generation.c.memory,
    select(func.max(schema.season.c.start))
    .where(schema.season.c.league_id == schema.league.c.id)
    .scalar_subquery()
    .label("season_start"),
).join(
    schema.generation,
    (schema.generation.c.league_id == schema.league.c.id) & (schema.generation.c.number == schema.league.c.generation),
)


_COLUMNS = [str(column.key) for column in _ROWS.selected_columns]
_BY_NAME = RawStatement(_ROWS.where(schema.league.c.name == bindparam("name")))


def find(connection: Connection, name: str) -> League:
    """The league of a name."""
    rows = _BY_NAME(connection, name=name) if NAME.fullmatch(name) else []
    if not rows:
        known = connection.execute(select(schema.league.c.name).where(schema.league.c.public)).scalars().all()
        near = nearest(name, list(known), 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise NotFound(f"no league is called {name!r}{hint}", field="league", value=name)
    return _league(rows[0])


def clock_of(database: Database, name: str) -> Clock:
    """Return the clock of a league, which never changes and is looked up once."""
    if name not in database.clocks:
        with database.reading() as connection:
            database.clocks[name] = find(connection, name).clock
    return database.clocks[name]


def list_leagues(connection: Connection) -> list[League]:
    """Return all leagues, ordered by name."""
    return [_league(row) for row in connection.execute(_ROWS.order_by(schema.league.c.name))]


def _league(row: Sequence[Any]) -> League:
    values = dict(zip(_COLUMNS, row, strict=True))
    values["model"] = read_model(values["model"])
    values["preset"] = _preset(values["preset"])
    values["settings"] = _settings(values["settings"])
    values["memory"], values["public"] = bytes(values["memory"]), bool(values["public"])
    return League(**values)


@lru_cache(256)
def read_model(text: str) -> Model:
    """A model as it was written; the same one again keeps its boards."""
    return Model.from_dict(json.loads(text))


@lru_cache(256)
def _preset(text: str) -> Preset:
    return Preset(**json.loads(text))


@lru_cache(256)
def _settings(text: str) -> Settings:
    return Settings(**json.loads(text))


def change(
    connection: Connection,
    name: str,
    *,
    title: str | None = None,
    public: bool | None = None,
    settings: Mapping[str, Any] | None = None,
    author: str = "",
) -> League:
    """Change how a league is shown, and to whom."""
    league = find(connection, name)
    try:
        kept = replace(league.settings, **(settings or {}))
    except TypeError:
        known = ", ".join(asdict(league.settings))
        raise Error.in_field("settings", f"a league has {known}, not {', '.join(settings or {})}") from None
    values = {
        "title": league.title if title is None else _text("title", title) or league.name,
        "public": league.public if public is None else public,
        "settings": json.dumps(asdict(kept)),
    }
    connection.execute(update(schema.league).where(schema.league.c.id == league.id).values(values))
    audit.write(connection, author, "change league", name, **values)
    return find(connection, name)


@dataclass(frozen=True)
class Generation:
    """A model that rates or has rated a league: since which revision, who chose it and why; `made_at` is a Unix time.

    >>> Generation(1, Preset("Elo"), 0, 0.0, "ann", "the first").number
    1
    """

    number: int
    preset: Preset
    revision: int
    made_at: float
    author: str
    reason: str


def list_generations(connection: Connection, league: League) -> list[Generation]:
    """Return the models of a league, oldest first."""
    columns = schema.generation.c
    query = select(
        columns.number, columns.preset, columns.revision, columns.made_at, columns.author, columns.reason
    ).where(columns.league_id == league.id)
    rows = connection.execute(query.order_by(columns.number))
    return [Generation(number, _preset(preset), *rest) for number, preset, *rest in rows]


def as_of(connection: Connection, league: League, revision: int) -> League:
    """Return the league with the model that rated it at a revision."""
    query = select(func.max(_GENERATION.number)).where(
        _GENERATION.league_id == league.id, _GENERATION.revision <= revision
    )
    return replace(with_generation(connection, league, connection.execute(query).scalar_one()), revision=revision)


def with_generation(connection: Connection, league: League, number: int) -> League:
    """Return the league with the model of a generation, and what that model has learnt of the league."""
    if not 1 <= number <= league.generation:  # PostgreSQL rejects a parameter that is no 32-bit integer
        text = f"{league.name} has the generations 1 to {league.generation}, not {number}"
        raise NotFound.in_field("generation", text, value=number)
    query = select(_GENERATION.model, _GENERATION.memory).where(
        _GENERATION.league_id == league.id, _GENERATION.number == number
    )
    row = connection.execute(query).one()
    return replace(league, generation=number, model=read_model(row.model), memory=bytes(row.memory))


def last_revision(connection: Connection, league: League, generation: int) -> int:
    """Return the last revision that a generation has rated."""
    if generation == league.generation:
        return league.revision
    query = select(_GENERATION.revision).where(_GENERATION.league_id == league.id, _GENERATION.number == generation + 1)
    return int(connection.execute(query).scalar_one()) - 1


def set_corrected(connection: Connection, league: League, revision: int, last_time: float | None) -> None:
    """Note that the past of a league was changed, and when its latest match was."""
    query = update(schema.league).where(schema.league.c.id == league.id)
    connection.execute(query.values(corrected=revision, last_time=last_time))


def set_generation(connection: Connection, league: League) -> None:
    """Rate a league by the model of its generation from now on."""
    query = update(schema.league).where(schema.league.c.id == league.id)
    connection.execute(query.values(generation=league.generation))


def _text(name: str, value: str, most: int = 500) -> str:
    """Text that any database keeps."""
    if not storable(value, most):
        raise Error.in_field(name, f"it must be text of at most {most} letters", value=value)
    return value.strip()

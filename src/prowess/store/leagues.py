"""Leagues with their names, models, clocks and settings: create, rename, archive, delete and undelete them."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from time import time
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy import Connection, bindparam, func, insert, literal_column, select, update
from sqlalchemy.exc import IntegrityError

from ..errors import Error
from ..history.context.columns import Kind
from ..history.names.spelling import is_unicode, nearest
from ..model.compose import compose
from ..model.engine_version import ENGINE_VERSION
from ..model.ladder.leaderboard import choose_ranking
from ..model.model import Model
from ..model.params import read_spec
from ..model.presets import PRESETS, preset
from ..model.registry import COMPONENTS
from ..model.scale import Scale, read_scale
from ..validate import scale, whole
from . import audit
from .clock import CLOCKS, Clock, show
from .db import schema
from .db.database import Database, RawStatement
from .errors import Conflict, NotFound, Renamed, WriteClash

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
MAX_TITLE = 500  # characters
SCALE = Scale(1500.0, 400.0)  # the scale of new leagues
GRACE = 30.0  # days until a deleted league is removed for good, by default
_LEAGUE, _GENERATION, _FORMER = schema.league.c, schema.generation.c, schema.former_name.c
_SEASON, _ERASURE = schema.season.c, schema.erasure.c


def storable(text: object, most: int) -> bool:
    """Return whether all databases can store a text: at most `most` characters, no NUL, no lone surrogates.

    >>> storable("Zoë", 3), storable("Zoë", 2), storable("a\\0", 3), storable("\\ud800", 3), storable(7, 3)
    (True, False, False, False, False)
    """
    return isinstance(text, str) and len(text) <= most and "\0" not in text and is_unicode(text)


def slug(title: str) -> str:
    """Convert a title to a league name of at most 63 lowercase letters, digits and hyphens.

    If nothing is left of the title, the name is "league".

    >>> slug("The Pub, Tuesday's Darts"), slug("Žofie's Spaß")
    ('the-pub-tuesday-s-darts', 'zofie-s-spass')
    """
    return re.sub(r"[^a-z0-9]+", "-", _without_accents(title)).strip("-")[:63].strip("-") or "league"


def league_name(title: str) -> str:
    """Return the league name for a title.

    Raises `Error` if letters would be lost, because two titles could then get the same name.

    >>> league_name("Лига 1")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    prowess.Error: 'Лига 1' is not a valid league name: use lowercase letters (a to z), digits and hyphens, as in ...
    """
    letters, name = _without_accents(title), slug(title)
    if not any(map(str.isalnum, letters)) or any(letter.isalnum() and not letter.isascii() for letter in letters):
        hint = name if name[0].isalpha() else f"league-{name}"
        rule = f"use lowercase letters (a to z), digits and hyphens, as in {hint!r}"
        raise Error(f"{title!r} is not a valid league name: {rule}", field="league", value=title)
    return name


def _without_accents(title: str) -> str:
    letters = unicodedata.normalize("NFKD", title.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


@dataclass(frozen=True)
class Preset:
    """A model, given by its preset's name and the parameters that differ from the defaults.

    A parameter may be a component of the model as plain data, or a list of facets or statistics, as in `Model.to_dict`.

    >>> Preset("elo", {"k": 20}).model.params["k"]
    20
    >>> Preset("trueskill", {"drift": {"is": "PerTime", "tau": 0.1}}).model.drift.tau
    0.1
    >>> Preset("trueskill", {"facets": [{"is": "By", "column": "surface"}], "surface_sigma": 2.0}).model.facets[0].sigma
    2.0
    >>> kills = {"is": "Points", "column": "kills", "per": ["mode"]}
    >>> Preset("trueskill", {"statistics": [kills]}).model.statistics[0].per
    ('mode',)
    """

    name: str = "TrueSkill"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def model(self) -> Model:
        """The model that the preset and the parameters describe."""
        make = preset(self.name)
        if not isinstance(self.parameters, Mapping):
            text = f"parameters must be a mapping from names to values, not {self.parameters!r}"
            raise Error(text, field="parameters", value=self.parameters)
        try:
            return compose(make(), **{name: _read_parameter(name, value) for name, value in self.parameters.items()})
        except (TypeError, AttributeError, ArithmeticError) as error:
            raise Error.in_field("parameters", str(error)) from error

    def to_json(self) -> str:
        """Return the preset as JSON, with its canonical name."""
        name = next(name for name in PRESETS.names if name.lower() == self.name.lower())
        return json.dumps({"name": name, "parameters": dict(self.parameters)}, ensure_ascii=False)


def _read_parameter(name: str, value: Any) -> Any:
    try:
        if isinstance(value, list):  # facets or statistics
            return [read_spec(item, COMPONENTS) if isinstance(item, dict) else item for item in value]
        return read_spec(value, COMPONENTS) if isinstance(value, dict) else value
    except Error as error:
        raise error.within(f"{name}: ", field=name) from None


STARTING = Preset("TrueSkill", {"draw_probability": "learnt"})  # the model of a league that is created without one


@dataclass(frozen=True)
class Settings:
    """Settings of a league: for how many matches a player is provisional, when a player is inactive, and the scale.

    With a `scale`, pages show ratings in points (see `Model.points`); None shows them in the unit of the model.
    `ranking` is "mean" or "conservative", the number that is shown as the rating and that sorts; None is "mean" with a
    scale, and "conservative" without.
    `allow_future` accepts matches dated more than a day ahead. A date in the future is usually mistyped, and would make
    the other players inactive, because inactivity is counted from the latest match. `auto_switch` replaces the league's
    model whenever the search for a better model finds one; otherwise that model is only offered.

    >>> Settings().provisional_matches, Settings().ranked_by, Settings(scale=None).ranked_by
    (10, 'mean', 'conservative')
    """

    provisional_matches: int = 10
    inactive_days: float = 90.0
    allow_future: bool = False
    auto_switch: bool = False
    scale: Scale | None = SCALE
    ranking: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", read_scale(self.scale))  # JSON has a list in place of the pair
        whole("provisional_matches", self.provisional_matches)
        scale("inactive_days", self.inactive_days)
        choose_ranking(self.ranking)  # raises an error for an unknown one

    @property
    def ranked_by(self) -> str:
        """The ranking that the settings mean: "mean" or "conservative"."""
        return choose_ranking(self.ranking, self.scale)


@dataclass(frozen=True)
class League:
    """A league as it is at a revision.

    `archived_at` is the Unix time since which the league is read-only; `purge_at` is the Unix time at which a deleted
    league is removed for good.
    """

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
    rating_sets: int
    replay_until: float | None
    archived_at: float | None
    purge_at: float | None
    alias_revision: int  # the last revision that changed aliases of players, 0 if there never were any
    context_kinds: Mapping[str, Kind]  # whether each context column holds numbers or categories
    choice_posted: int  # how many matches had been posted at the last search for a better model
    model: Model
    preset: Preset
    memory: bytes
    rating_set: int
    set_revision: int
    engine_version: int
    season_start: float | None
    # The last revision that anonymised a player (0: none); cached views of earlier revisions may show the name.
    erased: int

    @property
    def serial(self) -> bool:
        """Whether rating a match depends on all earlier matches of the league, not only on those of its own players."""
        return self.model.period is not None or self.has_memory

    @property
    def has_memory(self) -> bool:
        """Whether the model learns about the league as a whole.

        It may have a memory, effects that all players share, or statistics that it compares with earlier values.
        """
        shared = not all(facet.personal for facet in self.model.facets)
        scaled = any(statistic.per is not None for statistic in self.model.statistics)
        return self.model.pipeline.memories > 0 or shared or scaled

    @property
    def uses_context(self) -> bool:
        """Whether ratings depend on the context of matches."""
        return bool(self.model.context_columns)

    @property
    def replaying(self) -> bool:
        """Whether a long correction is rating past matches again; the current ratings will soon be replaced."""
        return self.replay_until is not None and self.replay_until > time()

    @property
    def outdated(self) -> bool:
        """Whether the ratings were derived by another version of the engine.

        They must be derived again before matches are rated, because ratings of two versions must not mix.
        """
        return self.engine_version != ENGINE_VERSION

    @property
    def cache_key(self) -> tuple[int, int]:
        """The cache key of the league's views.

        The key changes when a player is anonymised, because older views show the name.
        """
        return self.id, self.erased

    @property
    def read_only(self) -> bool:
        """Whether the league is archived or deleted."""
        return self.archived_at is not None or self.purge_at is not None

    def check_writable(self) -> None:
        """Raise `Conflict` if the league is archived or deleted."""
        self.check_not_deleted()
        if self.archived_at is not None:
            text = f"league {self.name!r} is archived, so it is read-only; unarchive it first"
            raise Conflict(text, field="league", value=self.name)

    def check_not_deleted(self) -> None:
        """Raise `Conflict` if the league is deleted and waits for its removal."""
        if self.purge_at is not None:
            text = f"league {self.name!r} is deleted and will be removed on {self.purge_day}; undelete it first"
            raise Conflict(text, field="league", value=self.name)

    @property
    def purge_day(self) -> str:
        """The day on which a deleted league is removed for good."""
        return str(show("utc", round(self.purge_at or 0.0) * 1e6))[:10]


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
    """Create a league; raises `Conflict` if the name is taken.

    By default, the title is the name, and the model is `STARTING`.
    """
    _take_name(connection, name)
    if clock not in CLOCKS:
        raise Error.in_field("clock", f"must be one of {', '.join(CLOCKS)}, not {clock!r}", value=clock)
    model = model or STARTING
    row = {"name": name, "title": _check_title(title) or name, "clock": clock, "public": public, "created_at": time()}
    row |= _write_settings(settings or Settings()) | {"generation": 1}
    row |= {"revision": 0, "posted": 0, "corrected": 0, "rating_sets": 1}
    try:
        (number,) = connection.execute(insert(schema.league).values(row)).inserted_primary_key  # type: ignore[misc]
    except IntegrityError:
        raise _taken(name) from None
    add_generation(connection, number, 1, 1, model, 0, author, "the first")
    audit.write(connection, author, "create league", name, model=model.name, clock=clock, public=public)
    return find(connection, name)


def _take_name(connection: Connection, name: str) -> None:
    # A name that redirects to a renamed league may be taken, which ends the redirect.
    if not NAME.fullmatch(name):
        text = (
            f"a league name has at most 63 lowercase letters (a to z), digits and hyphens, as in {slug(name)!r}, "
            f"not {name!r}"
        )
        raise Error.in_field("name", text, value=name)
    rows = _BY_NAME(connection, name=name)
    if rows:
        raise _taken(name, _league(rows[0]))
    connection.execute(sa.delete(schema.former_name).where(_FORMER.name == name))


def _taken(name: str, league: League | None = None) -> Conflict:
    deleted = league is not None and league.purge_at is not None
    free = f"; it is deleted, and its name is free after {league.purge_day}" if league and deleted else ""
    return Conflict(f"a league named {name!r} already exists{free}", field="name", value=name)


def add_generation(
    connection: Connection,
    league: int,
    number: int,
    rating_set: int,
    chosen: Preset,
    revision: int,
    author: str,
    reason: str,
    model: Model | None = None,
) -> None:
    """Write a new model of a league to the database, with the number of its rating set.

    By default, the model is the one that the preset describes in this version.
    """
    model = model or chosen.model
    row = {"league_id": league, "number": number, "model": json.dumps(model.to_dict()), "preset": chosen.to_json()}
    row |= {"memory": np.array(model.pipeline.memory(), np.float64).tobytes(), "revision": revision}
    row |= {"made_at": time(), "author": author, "reason": reason, "rating_set": rating_set, "set_revision": revision}
    row["engine_version"] = ENGINE_VERSION
    connection.execute(insert(schema.generation).values(row))


_SEASON_START = select(func.max(_SEASON.start)).where(_SEASON.league_id == _LEAGUE.id).scalar_subquery()
_LAST_ERASED = func.coalesce(func.max(_ERASURE.revision), literal_column("0"))
_ERASED = select(_LAST_ERASED).where(_ERASURE.league_id == _LEAGUE.id).scalar_subquery()
_ROWS = select(
    schema.league,
    *(_GENERATION[name] for name in ("model", "preset", "memory", "rating_set", "set_revision", "engine_version")),
    _SEASON_START.label("season_start"),
    _ERASED.label("erased"),
).join(schema.generation, (_GENERATION.league_id == _LEAGUE.id) & (_GENERATION.number == _LEAGUE.generation))
_COLUMNS = [str(column.key) for column in _ROWS.selected_columns]
_BY_NAME = RawStatement(_ROWS.where(_LEAGUE.name == bindparam("name")))


def find(connection: Connection, name: str) -> League:
    """Return a league by its name; raises `NotFound` if there is none, or `Renamed` if it has a new name."""
    valid = NAME.fullmatch(name) is not None  # PostgreSQL refuses text with NUL
    rows = _BY_NAME(connection, name=name) if valid else []
    if not rows:
        former = select(_LEAGUE.name).select_from(schema.former_name.join(schema.league)).where(_FORMER.name == name)
        new = connection.execute(former).scalar() if valid else None
        if new is not None:
            raise Renamed(name, new)
        visible = _LEAGUE.public & _LEAGUE.purge_at.is_(None)
        public = connection.execute(select(_LEAGUE.name).where(visible)).scalars().all()
        near = nearest(name, list(public), 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise NotFound(f"no league named {name!r}{hint}", field="league", value=name)
    return _league(rows[0])


def get(connection: Connection, id: int) -> League:
    """Return a league by its id, even if it was renamed; raises `NotFound` if there is none."""
    row = connection.execute(_ROWS.where(_LEAGUE.id == id)).first()
    if row is None:
        raise NotFound(f"league {id} not found", field="league", value=id)
    return _league(row)


def clock_of(database: Database, name: str) -> Clock:
    """Return the clock of a league and cache it.

    The cached clock may be wrong if another league has taken the name; the writer checks this.
    """
    if name not in database.clocks:
        with database.reading() as connection:
            database.clocks[name] = find(connection, name).clock
    return database.clocks[name]


def list_leagues(connection: Connection) -> list[League]:
    """Return all leagues, ordered by name."""
    return [_league(row) for row in connection.execute(_ROWS.order_by(_LEAGUE.name))]


def list_outdated(connection: Connection) -> list[str]:
    """Return the names of the leagues that must be rated again, because another engine version derived their ratings.

    Archived and deleted leagues are left out: nothing is rated in them, so their ratings cannot mix.
    """
    writable = _LEAGUE.archived_at.is_(None) & _LEAGUE.purge_at.is_(None)
    query = _ROWS.with_only_columns(_LEAGUE.name).where(_GENERATION.engine_version != ENGINE_VERSION, writable)
    return list(connection.execute(query.order_by(_LEAGUE.name)).scalars())


def latest_revisions(connection: Connection) -> dict[int, int]:
    """Return the revision of every league by id, except leagues that were removed for good."""
    rows = connection.execute(select(_LEAGUE.id, _LEAGUE.revision).where(sa.not_(_LEAGUE.name.startswith("~"))))
    return {row.id: row.revision for row in rows}


def _league(row: Sequence[Any]) -> League:
    values = dict(zip(_COLUMNS, row, strict=True))
    values["model"] = _read_model(values["model"])
    values["preset"] = _read_preset(values["preset"])
    values["settings"] = _read_settings(values["settings"], values.pop("scale"))
    values["context_kinds"] = _read_kinds(values["context_kinds"]) if values["context_kinds"] else _NO_KINDS
    values["memory"], values["public"] = bytes(values["memory"]), bool(values["public"])
    return League(**values)


# Models keep scratch boards that are expensive to create, so equal texts share one model.
@lru_cache(256)
def _read_model(text: str) -> Model:
    return Model.from_dict(json.loads(text))


@lru_cache(256)
def _read_preset(text: str) -> Preset:
    return Preset(**json.loads(text))


@lru_cache(256)
def _read_settings(text: str, scale: str | None) -> Settings:
    return Settings(**json.loads(text), scale=None if scale is None else json.loads(scale))


def _write_settings(settings: Settings) -> dict[str, Any]:
    # The scale has a column of its own, in which leagues of earlier versions have no value.
    plain = asdict(settings)
    scale = plain.pop("scale")
    if settings.ranking is None:  # earlier versions can still read the settings
        del plain["ranking"]
    return {"settings": json.dumps(plain), "scale": None if scale is None else json.dumps(scale)}


_NO_KINDS: Mapping[str, Kind] = {}


@lru_cache(256)
def _read_kinds(text: str) -> Mapping[str, Kind]:
    kinds: dict[str, Kind] = json.loads(text)
    return kinds


def set_context_kinds(connection: Connection, league: League, kinds: Mapping[str, Kind]) -> None:
    """Write the context columns of a league.

    Raises `WriteClash` if another process has changed the columns in the meantime.
    """
    if kinds == league.context_kinds:
        return
    old = connection.execute(select(_LEAGUE.context_kinds).where(_LEAGUE.id == league.id)).scalar()
    unchanged = _LEAGUE.context_kinds.is_not_distinct_from(old)
    statement = update(schema.league).where(_LEAGUE.id == league.id, unchanged)
    new = json.dumps(dict(kinds), ensure_ascii=False) if kinds else None
    same = (_read_kinds(old) if old else _NO_KINDS) == league.context_kinds
    if not same or not connection.execute(statement.values(context_kinds=new)).rowcount:
        raise WriteClash(f"the context columns of {league.name} have changed")


def change(
    connection: Connection,
    name: str,
    *,
    new_name: str | None = None,
    title: str | None = None,
    public: bool | None = None,
    archived: bool | None = None,
    settings: Mapping[str, Any] | None = None,
    author: str = "",
) -> League:
    """Change the name, the title, the visibility or some settings of a league; archive it or unarchive it.

    Values that are None, and settings that are not given, stay unchanged.
    """
    league = find(connection, name)
    league.check_not_deleted()
    if new_name not in (None, name):
        league = _rename(connection, league, str(new_name), author)
    if archived not in (None, league.archived_at is not None):
        update_row(connection, league, archived_at=time() if archived else None)
        audit.write(connection, author, "archive league" if archived else "unarchive league", league.name)
    if title is None and public is None and not settings:
        return find(connection, league.name)
    try:
        new_settings = replace(league.settings, **(settings or {}))
    except TypeError:
        text = f"unknown setting in {', '.join(settings or {})}; the settings are {', '.join(asdict(league.settings))}"
        raise Error.in_field("settings", text, value=settings) from None
    if settings and settings.get("scale") is not None:
        league.model.points(settings["scale"])  # raises an error if the model has no scale
    values = {
        "title": league.title if title is None else _check_title(title) or league.name,
        "public": league.public if public is None else public,
        **_write_settings(new_settings),
    }
    if new_settings.auto_switch and not league.settings.auto_switch:
        update_row(connection, league, choice_posted=0)  # the next search need not wait until the league has grown
    update_row(connection, league, **values)
    audit.write(connection, author, "change league", league.name, **values)
    return find(connection, league.name)


def _rename(connection: Connection, league: League, new: str, author: str) -> League:
    # The old name redirects to the league until another league takes the name.
    _take_name(connection, new)
    try:
        update_row(connection, league, name=new)
    except IntegrityError:
        raise _taken(new) from None
    connection.execute(insert(schema.former_name).values(name=league.name, league_id=league.id))
    audit.write(connection, author, "rename league", new, old=league.name)
    return find(connection, new)


def delete(connection: Connection, name: str, grace: float = GRACE, *, author: str = "") -> League:
    """Delete a league: it is hidden, and removed for good after `grace` days (see `purge`), unless it is undeleted."""
    league = find(connection, name)
    if league.purge_at is None:
        update_row(connection, league, purge_at=time() + grace * 86_400.0)
        audit.write(connection, author, "delete league", name, grace_days=grace)
    return find(connection, name)


def undelete(connection: Connection, name: str, *, author: str = "") -> League:
    """Restore a deleted league, exactly as it was, if its data has not been permanently removed yet."""
    league = find(connection, name)
    if league.purge_at is not None:
        if league.purge_at <= time():
            text = f"the time to undelete league {name!r} ended on {league.purge_day}"
            raise Conflict(text, field="league", value=name)
        update_row(connection, league, purge_at=None)
        audit.write(connection, author, "undelete league", name)
    return find(connection, name)


def update_row(connection: Connection, league: League, **values: Any) -> None:
    """Set columns of the league's row."""
    connection.execute(update(schema.league).where(_LEAGUE.id == league.id).values(values))


def update_generation(connection: Connection, league: League, **values: Any) -> None:
    """Set columns of the row of the league's current model."""
    own = (_GENERATION.league_id == league.id, _GENERATION.number == league.generation)
    connection.execute(update(schema.generation).where(*own).values(values))


@dataclass(frozen=True)
class Generation:
    """A model that rates or has rated a league, with its first revision, author and reason; `made_at` is a Unix time.

    `engine_version` is the version of the engine that derived all ratings of the generation.

    >>> Generation(1, Preset("Elo"), 0, 0.0, "ann", "the first", 2).number
    1
    """

    number: int
    preset: Preset
    revision: int
    made_at: float
    author: str
    reason: str
    engine_version: int


def list_generations(connection: Connection, league: League) -> list[Generation]:
    """Return the models of a league, oldest first."""
    columns = [_GENERATION[name] for name in Generation.__dataclass_fields__]
    rows = connection.execute(select(*columns).where(_GENERATION.league_id == league.id).order_by(_GENERATION.number))
    return [Generation(number, _read_preset(preset), *rest) for number, preset, *rest in rows]


def rederived(generations: Sequence[Generation]) -> set[int]:
    """Return the numbers of the generations that the next one replaced only because the engine version had changed.

    >>> old, new = (Generation(number, Preset("Elo"), 0, 0.0, "", "", number) for number in (1, 2))
    >>> rederived([old, new])
    {1}
    """
    return {
        old.number
        for old, new in pairwise(generations)
        if old.preset == new.preset and old.engine_version != new.engine_version
    }


def first_generation(connection: Connection, league: League) -> int:
    """Return the number of the generation that introduced the current model, under any version of the engine."""
    same, number = rederived(list_generations(connection, league)), league.generation
    while number - 1 in same:
        number -= 1
    return number


def as_of(connection: Connection, league: League, revision: int) -> League:
    """Return the league with the model that rated it at a revision."""
    known = (_GENERATION.league_id == league.id, _GENERATION.revision <= revision)
    number = connection.execute(select(func.max(_GENERATION.number)).where(*known)).scalar_one()
    return replace(with_generation(connection, league, number), revision=revision)


def with_generation(connection: Connection, league: League, number: int) -> League:
    """Return the league as rated by the model of a generation."""
    if not 1 <= number <= league.generation:  # PostgreSQL rejects a parameter that is not a 32-bit integer
        text = f"{league.name} has no generation {number}; choose 1 to {league.generation}"
        raise NotFound.in_field("generation", text, value=number)
    row = _generation_row(connection, league, number)
    ratings = {name: getattr(row, name) for name in ("rating_set", "set_revision", "engine_version")}
    return replace(league, generation=number, model=_read_model(row.model), memory=bytes(row.memory), **ratings)


def last_revision(connection: Connection, league: League, generation: int) -> int:
    """Return the last revision that a generation has rated."""
    if generation == league.generation:
        return league.revision
    return int(_generation_row(connection, league, generation + 1).revision) - 1


def _generation_row(connection: Connection, league: League, number: int) -> Any:
    query = select(schema.generation).where(_GENERATION.league_id == league.id, _GENERATION.number == number)
    return connection.execute(query).one()


def _check_title(title: str) -> str:
    if not storable(title, MAX_TITLE):
        raise Error.in_field("title", f"must be text of at most {MAX_TITLE} characters", value=title)
    return title.strip()

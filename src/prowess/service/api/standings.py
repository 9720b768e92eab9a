"""The leaderboard of a league, now or at any past time, and its players."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from ...errors import Error
from ...history import parse_time
from ...history.times import DAY
from ...model.model import Model
from ...model.scale import Points as PointsConversion
from ...store import leagues
from ...store.clock import Clock, parse
from ...store.leagues import League
from ...store.read.snapshot import Page, Snapshot
from ..auth import Access
from ..context import Service
from .dependencies import COLUMN_PREFIX, CONTEXT_PARAMETER, LARGEST, RawNames, Read, ServiceDep, check_query
from .responses import (
    NOT_MODIFIED,
    cached_json,
    csv_text,
    etag_headers,
    etag_of,
    extend_etag,
    json_response,
    not_modified,
    rating_payload,
)
from .schemas import standings as schemas
from .schemas.common import Points

router = APIRouter()
# The columns of every leaderboard, and the additional columns in a league with a scale.
COMMON_COLUMNS = [name for name, field in schemas.Standing.model_fields.items() if field.is_required()]
POINTS_COLUMNS = list(Points.model_fields)
EMPTY_TRACE: dict[str, Any] = dict.fromkeys(("wins", "draws", "losses", "best", "worst")) | {
    key: [] for key in ("curve", "matches", "opponents", "partners")
}


def context_values(request: Request) -> dict[str, str]:
    """Return the query parameters that may be values of context columns, by name.

    >>> context_values(Request({"type": "http", "query_string": b"surface=clay&context.at=night&at=2026&side="}))
    {'surface': 'clay', 'context.at': 'night'}
    """
    given = {name: value.strip() for name, value in request.query_params.items()}
    return {name: value for name, value in given.items() if value and name not in OWN_PARAMETERS}


def column_params(model: Model) -> list[str]:
    """Return the query parameters that select standings at a value of a context column.

    >>> import prowess as pw
    >>> column_params(pw.TrueSkill().replace(facets=(pw.facet.By("surface"), pw.facet.By("season"))))
    ['surface', 'context.season']
    """
    return [f"{COLUMN_PREFIX}{name}" if name in OWN_PARAMETERS else name for name in model.forecast_columns]


CONTEXT_PARAMETERS = {
    "parameters": [
        CONTEXT_PARAMETER
        | {
            "description": "The ratings at this value of a context column of which the model has a facet, such as "
            "`surface=clay`, of the players who have played there; their matches there are counted. "
            "`context.surface=clay` means the same. Use this form for columns that have the name of another parameter."
        }
    ]
}


@dataclass(frozen=True)
class StandingsFilter:
    """Query parameters that select standings and filter their players.

    `context` has the parameters that may be values of context columns; `for_model` keeps those that are.
    """

    context: Annotated[dict[str, str], Depends(context_values)]
    revision: Annotated[int | None, Query(ge=0, le=LARGEST, description="The standings as of this revision.")] = None
    at: Annotated[
        str | None,
        Query(max_length=100, description="The standings as of this time; a date includes the whole day."),
    ] = None
    season: Annotated[str | None, Query(max_length=100, description="The standings at the end of this season.")] = None
    generation: Annotated[
        int | None,
        Query(ge=1, le=LARGEST, description="The standings by this generation: a model that the league has or had."),
    ] = None
    search: Annotated[str | None, Query(max_length=500, description="Only names that contain this text.")] = None
    active: Annotated[bool | None, Query(description="Only active players, ranked among active players.")] = None
    provisional: Annotated[
        bool | None, Query(description="Only provisional players (true), or only established players (false).")
    ] = None
    min_matches: Annotated[int, Query(ge=0, le=LARGEST, description="Only players with this many matches or more.")] = 0
    all: Annotated[bool, Query(description="At a value of the context: also players who have not played there.")] = (
        False
    )

    def for_model(self, model: Model) -> StandingsFilter:
        """Return the filter with the values of context columns only; names with a prefix are always columns."""
        columns, found = model.forecast_columns, {}
        for name, value in self.context.items():
            column = name.removeprefix(COLUMN_PREFIX)
            if column != name or name in columns:
                found[column] = value
        return replace(self, context={f"{COLUMN_PREFIX}{column}": value for column, value in found.items()})

    def standings(self, service: Service, connection: Connection, league: League) -> Snapshot:
        """Return the selected standings with all players, without filtering."""
        return self.at_values(self._skills(service, connection, league))

    def in_hindsight(self, service: Service, league: League) -> Snapshot:
        """Return the standings in hindsight, at the time of the filter or at the players' last matches."""
        for name in ("season", "generation", "revision"):
            if getattr(self, name) is not None:
                raise Error.in_field(name, "this parameter cannot be combined with hindsight")
        since, until = (None, None) if self.at is None else day_span(league.clock, self.at, "at")
        return self.at_values(service.hindsights.ready(league).standing_at(league, until, since))

    def at_values(self, snapshot: Snapshot) -> Snapshot:
        """Return standings at the values of the context."""
        values = self.for_model(snapshot.model).context
        context = {name.removeprefix(COLUMN_PREFIX): value for name, value in values.items()}
        return snapshot.at_values(context, self.all)

    def _skills(self, service: Service, connection: Connection, league: League) -> Snapshot:
        past = [name for name in ("at", "season", "generation") if getattr(self, name) is not None]
        if len(past) > 1:
            raise Error.in_field(past[1], f"this parameter cannot be combined with {past[0]}")
        if self.at is not None:
            _, until = day_span(league.clock, self.at, "at")
            return service.standings.at_time(connection, league, until, self.revision)
        if self.season is not None:
            return service.standings.of_season(connection, league, self.season, self.revision)
        if self.generation is not None:
            return service.standings.of_generation(connection, league, self.generation, self.revision)
        if self.revision is not None:
            return service.standings.at_revision(connection, league, self.revision)
        return service.standings.of(connection, league)

    def page(self, snapshot: Snapshot, first: int, size: int) -> Page:
        """Return up to `size` of the filtered players, starting at index `first`."""
        return snapshot.page(
            first,
            size,
            search=self.search,
            active=bool(self.active),
            min_matches=self.min_matches,
            provisional=self.provisional,
        )

    def payload(self, snapshot: Snapshot, page: int, size: int) -> dict[str, Any]:
        """Return a page of the filtered players as plain data; `next` is the number of the next page, or None."""
        found = self.page(snapshot, (page - 1) * size, size)
        return {
            "league": snapshot.league,
            "revision": snapshot.revision,
            "generation": snapshot.generation,
            "ranking": snapshot.ranking.by.ranking,
            "page": page,
            "size": size,
            "total": found.total,
            "next": page + 1 if page * size < found.total else None,
            "players": found.rows,
        }

    @property
    def query_params(self) -> dict[str, str]:
        """The parameters that differ from their defaults, as text.

        >>> StandingsFilter({"context.surface": "clay"}, revision=0, active=True).query_params
        {'revision': '0', 'active': 'true', 'context.surface': 'clay'}
        """
        defaults = vars(StandingsFilter({}))
        given = {name: value for name, value in vars(self).items() if value != defaults[name] and name != "context"}
        texts = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()}
        return texts | self.context


# Parameters of the leaderboard and of the page of standings, which are not columns.
OWN_PARAMETERS = {*vars(StandingsFilter({})), "page", "size", "show", "raw_names", "hindsight"}
StandingsFilterDep = Annotated[StandingsFilter, Depends()]
InHindsight = Annotated[
    bool,
    Query(
        description="The standings in hindsight: ratings that use all matches, earlier and later ones. With `at`, the "
        "players are those who were between their first and last match at that time; without it, all players are shown "
        "at their last matches."
    ),
]


def day_span(clock: Clock, at: str, field: str) -> tuple[float, float]:
    """Parse a time that is given in a field; return the first and last moment of a day, or the time itself twice.

    >>> day_span("utc", "1970-01-01", "at"), day_span("number", "7", "at")
    ((0.0, 86399999999.0), (7.0, 7.0))
    """
    number = parse(clock, at, field)
    is_day = clock == "utc" and parse_time(at)[0] == "date"
    return number, number + DAY - 1 if is_day else number


@router.get(
    "/api/leagues/{league}/leaderboard",
    tags=["leaderboard"],
    summary="Get a page of the leaderboard",
    response_model=schemas.Leaderboard,
    responses=NOT_MODIFIED,
    openapi_extra=CONTEXT_PARAMETERS,
)
async def get_leaderboard(
    request: Request,
    access: Read,
    service: ServiceDep,
    filters: StandingsFilterDep,
    page: Annotated[int, Query(ge=1, le=LARGEST // 1000)] = 1,
    size: Annotated[int, Query(ge=1, le=1_000)] = 50,
    hindsight: InHindsight = False,
) -> Response:
    """Players, best first.

    `next` is the URL of the next page at the same revision, so that new matches do not shift the pages; in hindsight,
    only the latest revision is available.
    """

    def respond(snapshot: Snapshot, headers: dict[str, str]) -> Response:
        body = filters.payload(snapshot, page, size)
        if body["next"]:
            params = filters.for_model(snapshot.model).query_params | {"page": body["next"], "size": size}
            params |= {"hindsight": "true"} if hindsight else {"revision": snapshot.revision}
            body["next"] = f"/api/leagues/{snapshot.league}/leaderboard?{urlencode(params)}"
        return json_response(body, headers=headers)

    return await _respond_with_standings(request, access, service, filters, respond, hindsight)


@router.get(
    "/api/leagues/{league}/leaderboard.csv",
    tags=["leaderboard"],
    summary="Get the whole leaderboard as CSV",
    response_class=Response,
    responses={
        200: {"description": "One row per player.", "content": {"text/csv": {"schema": {"type": "string"}}}},
        **NOT_MODIFIED,
    },
    openapi_extra=CONTEXT_PARAMETERS,
)
async def get_leaderboard_csv(
    request: Request,
    access: Read,
    service: ServiceDep,
    filters: StandingsFilterDep,
    raw_names: RawNames = False,
    hindsight: InHindsight = False,
) -> Response:
    """All players, best first, as CSV."""

    def respond(snapshot: Snapshot, headers: dict[str, str]) -> Response:
        headers["Content-Disposition"] = f'attachment; filename="{snapshot.league}-{snapshot.revision}.csv"'
        columns = [*COMMON_COLUMNS, *(() if snapshot.points is None else _points_columns(snapshot.points))]
        body = csv_text(filters.page(snapshot, 0, len(snapshot)).rows, columns, raw_names)
        return Response(body, headers=headers, media_type="text/csv")

    return await _respond_with_standings(request, access, service, filters, respond, hindsight)


def _points_columns(points: PointsConversion) -> list[str]:
    return [name for name in POINTS_COLUMNS if name != "points_shown" or points.conservative]


async def _respond_with_standings(
    request: Request,
    access: Access,
    service: Service,
    filters: StandingsFilter,
    respond: Callable[[Snapshot, dict[str, str]], Response],
    hindsight: bool,
) -> Response:
    def work(connection: Connection) -> Response:
        league = leagues.find(connection, access.league)
        if hindsight:
            snapshot = filters.in_hindsight(service, league)
        else:
            snapshot = filters.standings(service, connection, league)
        check_query(request, column_params(snapshot.model))
        tag = etag_of(league, snapshot.generation, snapshot.revision)
        return not_modified(request, tag) or respond(snapshot, etag_headers(tag))

    return await service.read(work)


@router.get(
    "/api/leagues/{league}/effects",
    tags=["leaderboard"],
    summary="Get the facets and statistics of the model, and the effects that all players share",
    response_model=schemas.Effects,
    responses=NOT_MODIFIED,
)
async def get_effects(request: Request, access: Read, service: ServiceDep) -> Response:
    """The home advantage, and what values of the context add to a performance, the largest effect first.

    The statistics are listed with their parameters."""

    def work(connection: Connection) -> Response:
        league = leagues.find(connection, access.league)
        now = service.standings.of(connection, league)
        return cached_json(request, etag_of(league, now.generation, now.revision), lambda: effects_payload(now))

    return await service.read(work)


def effects_payload(now: Snapshot) -> dict[str, Any]:
    """Return the facets and statistics of a league's model and the effects that all players share, as plain data."""
    facets = [
        {"kind": facet.kind, "column": facet.column, "values": now.facet_values.get(facet.column)}
        for facet in now.model.facets
    ]
    about = {"league": now.league, "revision": now.revision, "generation": now.generation}
    statistics = [{"kind": statistic.kind, **asdict(statistic)} for statistic in now.model.statistics]
    return about | {"facets": facets, "statistics": statistics, "effects": now.effects}


@router.get(
    "/api/leagues/{league}/players/{player:anything}",
    tags=["players"],
    summary="Get a player",
    response_model=schemas.Player,
    responses=NOT_MODIFIED,
)
async def get_player(
    request: Request,
    player: str,
    access: Read,
    service: ServiceDep,
    matches: Annotated[int, Query(ge=0, le=1_000, description="Number of most recent matches to return.")] = 20,
    curve: Annotated[int, Query(ge=0, le=10_000, description="Maximum number of points of the rating curve.")] = 500,
    hindsight: Annotated[bool, Query(description="Also return the rating curve in hindsight.")] = False,
) -> Response:
    """Rating and rank, rating curve, recent matches with their predicted results, opponents and partners.

    The name may differ in case, accents, punctuation and the order of words, or be an alias; `player` in the response
    is the exact name. `matches=0&curve=0` returns only the rating, which is faster.
    """

    def work(connection: Connection) -> Response:
        league = leagues.find(connection, access.league)
        now = service.standings.of(connection, league)
        # A name with a slash must be exact; otherwise, an unknown path such as `ann/curve` could find a player.
        name = player.strip() if "/" in player else now.names.resolve(player)
        now.row(name)  # an unknown player is 404, never 304
        tag = etag_of(league, now.generation, now.revision)
        found = service.hindsights.ready(league) if hindsight else None
        if found is not None:
            tag = extend_etag(tag, found.revision)

        def payload() -> dict[str, Any]:
            content = player_payload(service, connection, league, now, name, matches, curve)
            if found is not None:
                content["hindsight"] = found.curve(service.views(connection, league), name, curve)
            return content

        return cached_json(request, tag, payload)

    return await service.read(work)


def player_payload(
    service: Service,
    connection: Connection,
    league: League,
    now: Snapshot,
    name: str,
    matches: int = 20,
    curve: int = 500,
) -> dict[str, Any]:
    """Return a player as plain data; if `matches` and `curve` are 0, the league's trace is not loaded."""
    row = now.row(name)
    trace = service.views(connection, league).player(name, matches, curve) if matches or curve else EMPTY_TRACE
    return {
        "league": league.name,
        "revision": now.revision,
        "player": name,
        "rank": row["rank"],
        "players": len(now),
        "active_rank": now.ranks([name], now.active_ranking)[0] if row["active"] else None,
        "active_players": len(now.active_ranking.order),
        "rating": rating_payload(now.ladder_of([name])[name], now.points),
        "deviations": now.deviations(name),
        "provisional": row["provisional"],
        "active": row["active"],
        "last_seen": row["last_seen"],
        "played": row["matches"],
    } | {key: trace[key] for key in EMPTY_TRACE}

"""Who is best: now, at any past time, or by another model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from ...errors import Error
from ...store import leagues
from ...store.leagues import League
from ...store.read.standings import Page, Snapshot
from ..context import Service
from .common import LARGEST, Read, ServiceDep, etag_headers, etag_of, json_response, not_modified
from .forecasts import end_of_day
from .schemas import standings as forms
from .serialize import csv_text

router = APIRouter(tags=["leaderboard"])
USUAL = 9  # columns that every model has


@dataclass(frozen=True)
class StandingsFilter:
    """Which standings are asked for, and whom of them."""

    revision: Annotated[int | None, Query(ge=0, le=LARGEST, description="As it was after this change.")] = None
    at: Annotated[str | None, Query(max_length=100, description="As it was at a time; a date is the whole day.")] = None
    season: Annotated[str | None, Query(max_length=100, description="As it was when this season ended.")] = None
    generation: Annotated[int | None, Query(ge=1, le=LARGEST, description="By an earlier model of the league.")] = None
    search: Annotated[str | None, Query(max_length=500, description="Players whose names hold this text.")] = None
    active: Annotated[bool, Query(description="Only those who have played lately.")] = False
    provisional: Annotated[bool | None, Query(description="Only those with too few matches, or with enough.")] = None
    min_matches: Annotated[int, Query(ge=0, le=LARGEST, description="Only those with so many matches.")] = 0

    def standings(self, service: Service, connection: Connection, league: League) -> Snapshot:
        """The standings that are asked for."""
        past = [name for name in ("at", "season", "generation") if getattr(self, name) is not None]
        if len(past) > 1:
            raise Error.in_field(past[1], f"it cannot be asked for together with {past[0]}")
        if self.at is not None:
            return service.standings.at_time(connection, league, end_of_day(league.clock, self.at), self.revision)
        if self.season is not None:
            return service.standings.of_season(connection, league, self.season, self.revision)
        if self.generation is not None:
            return service.standings.of_generation(connection, league, self.generation, self.revision)
        if self.revision is not None:
            return service.standings.at_revision(connection, league, self.revision)
        return service.standings.of(connection, league)

    def page(self, snapshot: Snapshot, first: int, size: int) -> Page:
        """Those who are asked for, from one on."""
        return snapshot.page(
            first,
            size,
            search=self.search,
            active_since=snapshot.active_since if self.active else None,
            min_matches=self.min_matches,
            provisional=self.provisional,
        )

    def payload(self, snapshot: Snapshot, page: int, size: int) -> dict[str, Any]:
        """A page of them as plain data; `next` is the number of the next one, which becomes its address."""
        found = self.page(snapshot, (page - 1) * size, size)
        return {
            "league": snapshot.league,
            "revision": snapshot.revision,
            "generation": snapshot.generation,
            "page": page,
            "size": size,
            "total": found.total,
            "next": page + 1 if page * size < found.total else None,
            "players": found.rows,
        }

    @property
    def query_params(self) -> dict[str, str]:
        """What is asked for as it stands in a query; what is as usual is left out.

        >>> StandingsFilter(revision=0, active=True).query_params
        {'revision': '0', 'active': 'true'}
        """
        usual = vars(StandingsFilter())
        found = {name: value for name, value in vars(self).items() if value != usual[name]}
        return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in found.items()}


StandingsFilterDep = Annotated[StandingsFilter, Depends()]


@router.get(
    "/api/leagues/{league}/leaderboard",
    summary="The leaderboard, page by page",
    response_model=forms.Leaderboard,
    responses={304: {"description": "Nothing has changed."}},
)
async def get_leaderboard(
    request: Request,
    access: Read,
    service: ServiceDep,
    who: StandingsFilterDep,
    page: Annotated[int, Query(ge=1, le=LARGEST // 1000)] = 1,
    size: Annotated[int, Query(ge=1, le=1_000)] = 50,
) -> Response:
    """The players from best to worst; `next` leads to the next page as of the same revision, while others post."""

    def work(connection: Connection) -> Response:
        league = leagues.find(connection, access.league)
        snapshot = who.standings(service, connection, league)
        tag = etag_of(league, snapshot.generation, snapshot.revision)
        known = not_modified(request, tag)
        if known is not None:
            return known
        told = who.payload(snapshot, page, size)
        more = {"page": page + 1, "size": size, "revision": snapshot.revision}
        if told["next"]:
            told["next"] = f"/api/leagues/{league.name}/leaderboard?{urlencode(who.query_params | more)}"
        return json_response(told, headers=etag_headers(tag))

    return await service.read(work)


@router.get(
    "/api/leagues/{league}/leaderboard.csv",
    summary="The whole leaderboard as a table",
    response_class=Response,
    responses={
        200: {"description": "A row per player.", "content": {"text/csv": {"schema": {"type": "string"}}}},
        304: {"description": "Nothing has changed."},
    },
)
async def get_leaderboard_csv(request: Request, access: Read, service: ServiceDep, who: StandingsFilterDep) -> Response:
    """The players from best to worst, all at once, as CSV."""

    def work(connection: Connection) -> Response:
        league = leagues.find(connection, access.league)
        snapshot = who.standings(service, connection, league)
        tag = etag_of(league, snapshot.generation, snapshot.revision)
        known = not_modified(request, tag)
        if known is not None:
            return known
        named = {"Content-Disposition": f'attachment; filename="{league.name}-{snapshot.revision}.csv"'}
        body = csv_text(who.page(snapshot, 0, len(snapshot)).rows, list(forms.Standing.model_fields)[:USUAL])
        return Response(body, headers=etag_headers(tag) | named, media_type="text/csv")

    return await service.read(work)

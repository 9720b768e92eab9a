"""The players at their best, in hindsight, and ETags of what depends on a hindsight."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from ...store import leagues
from ...store.leagues import League
from ...store.read.hindsight import LeagueHindsight
from ..background.hindsights import HindsightState
from ..context import Service
from .dependencies import LARGEST, Read, ServiceDep
from .responses import NOT_MODIFIED, cached_json, etag_of, extend_etag
from .schemas import standings as schemas

router = APIRouter()
MinMatches = Annotated[int, Query(ge=0, le=LARGEST, description="Only players with this many matches or more.")]


@router.get(
    "/api/leagues/{league}/best",
    tags=["leaderboard"],
    summary="Get the best players of all time",
    response_model=schemas.Best,
    responses=NOT_MODIFIED,
)
async def get_best(
    request: Request,
    access: Read,
    service: ServiceDep,
    min_matches: MinMatches = 0,
    page: Annotated[int, Query(ge=1, le=LARGEST // 1000)] = 1,
    size: Annotated[int, Query(ge=1, le=1_000)] = 50,
) -> Response:
    """All players at their best, the best of all time first.

    A player's best is the match at which the rating was highest, given all matches: earlier and later ones. While a
    large league is fitted for the first time, the response is 503. Models that cannot use a whole history, such as Elo
    and Glicko, have no such ratings.
    """

    def work(connection: Connection) -> Response:
        league = leagues.find(connection, access.league)
        found = service.hindsights.ready(league)
        tag = etag_of(league, found.generation, found.revision)
        return cached_json(
            request, tag, lambda: best_payload(service, connection, league, found, min_matches, page, size)
        )

    return await service.read(work)


def best_payload(
    service: Service,
    connection: Connection,
    league: League,
    found: LeagueHindsight,
    min_matches: int,
    page: int,
    size: int,
) -> dict[str, Any]:
    """Return a page of the players at their best as plain data; in a league with a scale, also in points."""
    ranking = league.settings.ranked_by
    rows = found.best_with(min_matches, ranking) if min_matches > 1 else found.best(ranking)
    shown, points = rows[(page - 1) * size : page * size], service.points(connection, league)
    if points is not None:
        shown = [row | points.columns(row["mu"], row["sigma"], row["shown"]) for row in shown]
    query = {"page": page + 1, "size": size} | ({"min_matches": min_matches} if min_matches else {})
    following = f"/api/leagues/{league.name}/best?{urlencode(query)}" if page * size < len(rows) else None
    return {
        "league": league.name,
        "revision": found.revision,
        "generation": found.generation,
        "page": page,
        "size": size,
        "total": len(rows),
        "next": following,
        "players": shown,
    }


def hindsight_etag(etag: str, state: HindsightState) -> str | None:
    """Return the ETag of a page that also shows a hindsight; None while the hindsight is not up to date.

    >>> hindsight_etag('W/"1.7"', HindsightState(None, share=0.5)) is None
    True
    """
    if state.share is not None:
        return None
    return etag if state.hindsight is None else extend_etag(etag, state.hindsight.revision)

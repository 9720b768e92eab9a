"""A player: where she stands, how she came there, and whom she met."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from ...store import leagues
from ...store.leagues import League
from ...store.read.standings import Snapshot
from ..context import Service
from .common import Read, ServiceDep, etag_headers, etag_of, json_response, not_modified
from .schemas import standings as forms
from .serialize import rating_payload

router = APIRouter(tags=["players"])
NOTHING: dict[str, Any] = dict.fromkeys(("wins", "draws", "losses", "best", "worst")) | {
    key: [] for key in ("curve", "matches", "opponents", "partners")
}


@router.get(
    "/api/leagues/{league}/players/{player:anything}",
    summary="A player",
    response_model=forms.Player,
    responses={304: {"description": "Nothing has changed."}},
)
async def get_player(
    request: Request,
    player: str,
    access: Read,
    service: ServiceDep,
    matches: Annotated[int, Query(ge=0, le=1_000, description="How many of her last matches.")] = 20,
    curve: Annotated[int, Query(ge=0, le=10_000, description="How many points of her curve at most.")] = 500,
) -> Response:
    """Rating and rank, the curve, the last matches with what was expected of each, opponents and partners.

    With `matches=0&curve=0` there is only the rating, which costs less.
    """

    def work(connection: Connection) -> Response:
        league = leagues.find(connection, access.league)
        now = service.standings.of(connection, league)
        name = player.strip()
        now.row(name)
        tag = etag_of(league, now.generation, now.revision)
        known = not_modified(request, tag)
        if known is not None:
            return known
        return json_response(
            player_payload(service, connection, league, now, name, matches, curve), headers=etag_headers(tag)
        )

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
    """All that is told of a player; without matches and curve, what is quickly known."""
    row = now.row(name)
    found = {
        "league": league.name,
        "revision": now.revision,
        "player": name,
        "rank": row["rank"],
        "players": len(now),
        "rating": rating_payload(now.ladder[name]),
        "provisional": row["provisional"],
        "active": row["active"],
        "last_seen": row["last_seen"],
        "played": row["matches"],
    }
    way = service.traces.of(connection, league).player(name, matches, curve) if matches or curve else NOTHING
    return found | {key: way[key] for key in NOTHING}

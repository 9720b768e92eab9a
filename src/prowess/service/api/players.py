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
from .common import Here, Read, answer, fresh, tag_of, tagged
from .schemas import standings as forms
from .serialize import rating

__all__ = ["router", "told"]

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
    here: Here,
    matches: Annotated[int, Query(ge=0, le=1_000, description="How many of her last matches.")] = 20,
    curve: Annotated[int, Query(ge=0, le=10_000, description="How many points of her curve at most.")] = 500,
) -> Response:
    """Rating and rank, the curve, the last matches with what was expected of each, opponents and partners.

    With `matches=0&curve=0` there is only the rating, which costs less.
    """

    def work(connection: Connection) -> Response:
        league = leagues.find(connection, access.league)
        now = here.standings.of(connection, league)
        name = player.strip()
        now.row(name)
        tag = tag_of(league, now.generation, now.revision)
        known = fresh(request, tag)
        if known is not None:
            return known
        return answer(told(here, connection, league, now, name, matches, curve), headers=tagged(tag))

    return await here.read(work)


def told(
    here: Service, connection: Connection, league: League, now: Snapshot, name: str, matches: int = 20, curve: int = 500
) -> dict[str, Any]:
    """All that is told of a player; without matches and curve, what is quickly known."""
    row = now.row(name)
    found = {
        "league": league.name,
        "revision": now.revision,
        "player": name,
        "rank": row["rank"],
        "players": len(now),
        "rating": rating(now.ladder[name]),
        "provisional": row["provisional"],
        "active": row["active"],
        "last_seen": row["last_seen"],
        "played": row["matches"],
    }
    way = here.traces.of(connection, league).player(name, matches, curve) if matches or curve else NOTHING
    return found | {key: way[key] for key in NOTHING}

"""The leagues of a service; where there are none yet, how to begin."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...store import keys, leagues
from ...store.keys import Key
from ...store.leagues import League
from ..api.common import Here, Read
from ..api.leagues import plain, readable
from ..security import caller
from ..starting import key_command
from ..state import Service
from .addresses import address
from .numbers import digits
from .page import Shown, page

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
MANY = 30  # leagues of which each is only named
BEST = 3


@page(router, "/leagues", "leagues.html")
async def listed(request: Request, here: Here, key: Annotated[Key | None, Depends(caller)]) -> Shown:
    """The leagues that whoever asks may read."""

    def work(connection: Connection) -> Shown:
        found = sorted(readable(connection, key), key=lambda one: one.title.casefold())
        told: list[dict[str, Any]] = [plain(one) for one in found]
        rows = [
            {"name": one["name"], "title": one["title"], "model": one["model"]["name"], "matches": one["posted"]}
            | {"last": one["last_time"], "public": one["public"]}
            for one in told
        ]
        best = {one.name: _best(here, connection, one) for one in found} if len(found) <= MANY else {}
        return Shown({"leagues": told}, rows, drawn={"best": best} | _beginning(here, connection, bool(found)))

    return await here.read(work)


def _best(here: Service, connection: Connection, league: League) -> dict[str, Any]:
    """How many play in a league, and who stands highest."""
    snapshot = here.standings.of(connection, league)
    rows = snapshot.page(0, BEST).rows
    return {"players": len(snapshot), "rows": rows, "places": digits(league.model)}


def _beginning(here: Service, connection: Connection, some: bool) -> dict[str, Any]:
    """What is still to be done before there is a league; where the data is, only while nobody can sign in."""
    empty = not some and not leagues.listed(connection)
    keyed = not empty or any(one.revoked_at is None for one in keys.listed(connection))
    return {"empty": empty, "keyed": keyed, "command": "" if keyed else key_command(here.database)}


@router.get("/")
async def start() -> Response:
    """The first page."""
    return RedirectResponse("/leagues", 307)


@router.get("/leagues/{league}")
async def league(access: Read) -> Response:
    """A league is its standings first of all."""
    return RedirectResponse(address(access.league, "standings"), 307)

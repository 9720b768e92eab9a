"""The leagues of a service; where there are none yet, how to begin."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...store import keys, leagues
from ...store.keys import Key
from ..api.common import Here, Read
from ..api.leagues import plain, readable
from ..security import caller
from .addresses import address
from .page import Shown, page

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@page(router, "/leagues", "leagues.html")
async def listed(request: Request, here: Here, key: Annotated[Key | None, Depends(caller)]) -> Shown:
    """The leagues that whoever asks may read."""

    def work(connection: Connection) -> Shown:
        found: list[dict[str, Any]] = [plain(one) for one in readable(connection, key)]
        found.sort(key=lambda one: str(one["title"]).casefold())
        rows = [{"name": one["name"], "title": one["title"], "model": one["model"]["name"]} for one in found]
        fresh = not found and not leagues.listed(connection)
        return Shown({"leagues": found}, rows, drawn={"empty": fresh, "keyless": fresh and not keys.listed(connection)})

    return await here.read(work)


@router.get("/")
async def start() -> Response:
    """The first page."""
    return RedirectResponse("/leagues", 307)


@router.get("/leagues/{league}")
async def league(access: Read) -> Response:
    """A league is its standings first of all."""
    return RedirectResponse(address(access.league, "standings"), 307)

"""Matches: what was played, the newest first; of the league or of one player, and from one time to another."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from ...store import leagues
from ...store.errors import NotFound
from ..api.common import Here, Read, tag_of
from ..api.exports import Format, export_matches
from ..api.matches import Which
from .web.filters import digits
from .web.match_text import sides_by_place
from .web.page import PageContext, page, wants_data
from .web.templates import BY_KEY
from .web.urls import OmitEmptyFields, page_url

__all__ = ["router"]

router = APIRouter(include_in_schema=False, route_class=OmitEmptyFields)
LIMIT = 50  # matches on a page
FEW = 4  # teams of a match that are named

Plain = dict[str, Any]


@router.get("/leagues/{league}/export.{format}")
async def file(access: Read, service: Here, format: Format) -> Response:
    """All matches as a file, as the API gives it, where the cookie counts: so there are private leagues, too."""
    found = await export_matches(access, service, format)
    found.headers.update(BY_KEY)
    return found


@page(router, "/leagues/{league}/matches", "matches.html")
async def matches(request: Request, access: Read, service: Here, which: Which) -> PageContext:
    """Some matches with how they ended; those of a player also with what was expected of her, and what they moved."""

    def work(connection: Connection) -> PageContext:
        league = leagues.find(connection, access.league)
        said = vars(which) | {"offset": None}
        try:
            told, status, problem = which.told(service, connection, league, LIMIT), 200, None
        except NotFound as error:  # of the player, whose name somebody may have misspelt
            if wants_data(request):
                raise
            told = {"league": league.name, "revision": league.revision, "total": 0, "next": None, "matches": []}
            status, problem = 404, str(error)
        following = told["next"] and page_url(league.name, "matches.json", **said | {"offset": told["next"]})
        return PageContext(
            told | {"next": following, "offset": which.offset},
            [_row(match) for match in told["matches"]],
            league,
            tag_of(league, league.generation, league.revision) if status == 200 else None,
            status,
            {
                "said": said,
                "problem": problem,
                "limit": LIMIT,
                "places": digits(league.model),
                "ended": [ended(match) for match in told["matches"]],
            },
        )

    return await service.read(work)


def ended(match: Plain, few: int = FEW) -> Plain:
    """How a match ended: its teams from the first to the last, of many only a few, each with its place and score.

    >>> found = ended({"teams": [["ann"], ["bob"]], "scores": [1.0, 3.0]})
    >>> [(team.names, team.place, team.score) for team in found["teams"]], found["drawn"]
    ([(['bob'], 1, 3.0), (['ann'], 2, 1.0)], False)
    """
    teams = sides_by_place(match)
    shown = teams if len(teams) <= few + 1 else teams[:few]
    return {"teams": shown, "more": len(teams) - len(shown), "drawn": teams[0].shared}


def _row(match: Plain) -> Plain:
    """A match as a row of a table: its teams in a cell, as its places and scores."""
    own = {name: match[name] for name in ("expected", "shown_moved") if name in match}
    return {
        "id": match["id"],
        "time": match["time"],
        "teams": [" + ".join(team) for team in match["teams"]],
        "places": [side.place for side in sorted(sides_by_place(match), key=lambda side: side.team)],
        "scores": match.get("scores", []),
    } | own

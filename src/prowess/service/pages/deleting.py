"""A match is taken out, after a look at what that changes."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated, Any

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...store import journal, leagues
from ...store.changes import Delete
from ...store.errors import Conflict
from ...store.leagues import League
from ...store.texts import storable
from ..analyst import SMALL
from ..api.common import Here, MatchId, Write
from ..api.past import last_match
from ..api.schemas.common import LONGEST
from ..problems import Problem
from ..security import Access
from ..state import Service
from .addresses import address
from .changes import changes_of
from .match import MATCH_ID
from .page import Shown
from .rendering import rendered
from .results import sentence
from .signing import Fields

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/leagues/{league}/delete")
async def ask(
    request: Request, access: Write, here: Here, id: Annotated[MatchId, MATCH_ID], look: bool = False
) -> Response:
    """What would change without a match, and a button to take it out; in a large league only for who will `look`."""
    return await _shown(request, here, access, id, look=look)


@router.post("/leagues/{league}/delete")
async def delete(request: Request, access: Write, here: Here, form: Fields) -> Response:
    """Take it out, unless somebody has changed it since it was looked at."""
    id, reason, seen = (str(form.get(name, "")).strip() for name in ("id", "reason", "seen"))
    if not re.fullmatch("[0-9]{1,15}", seen):
        raise Problem(422, "this form was not made by the page of a match: open it anew")
    if not storable(reason, LONGEST):
        return await _shown(request, here, access, id, reason, f"reason: it must be text of at most {LONGEST} letters")
    act = Delete(access.league, id, seen=int(seen), author=access.author, reason=reason)
    try:
        await asyncio.wrap_future(here.writer.submit(act))
    except Conflict as error:
        return await _shown(request, here, access, id, reason, f"{error}. This is how it is now.", 409)
    return RedirectResponse(address(access.league, "match", id=id, done="deleted"), 303)


async def _shown(
    request: Request,
    here: Service,
    access: Access,
    id: str,
    reason: str = "",
    problem: str = "",
    status: int = 422,
    look: bool = False,
) -> Response:
    """The page that asks whether a match shall go."""

    def work(connection: Connection) -> tuple[League, dict[str, Any], Any]:
        league = leagues.find(connection, access.league)
        written = journal.revisions(connection, league, id)
        return league, last_match(league, written), written[-1]

    league, match, last = await here.read(work)
    if last["body"] is None:
        return RedirectResponse(address(league.name, "match", id=id, done="deleted"), 303)
    told: dict[str, Any] = {"changes": None}
    if look or league.posted <= SMALL:
        told = await changes_of(here, league, Delete(league.name, id), match)
    shown = {"match": match, "said": sentence(match), "seen": last["revision"], "reason": reason, "problem": problem}
    return rendered(request, "delete.html", Shown(shown | told, league=league, status=status if problem else 200))

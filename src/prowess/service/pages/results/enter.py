"""A result is entered or corrected, after a look at what it will change."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ....errors import Error
from ....store import leagues
from ....store.clock import show
from ....store.errors import Conflict, NotFound, Unavailable
from ....store.journal import journal
from ....store.leagues import League
from ....store.slugs import storable
from ....store.write.commands import Act, Delete, Edit, Post
from ...api.common import Here, MatchId, Write
from ...api.matches import last_match
from ...api.schemas.common import LONGEST
from ...auth import Access
from ...background.jobs import SMALL
from ...context import Service
from ...errors import Problem
from ..match import MATCH_ID
from ..web.csrf import CheckedForm
from ..web.match_text import result_sentence, sides_by_place
from ..web.page import PageContext
from ..web.rating_changes import new_names, preview_changes
from ..web.templates import render_page
from ..web.urls import page_url
from .form import MOST, Filled, filled_of, read_form
from .parse import match_from, worded, wrong_fields

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
ONCE = re.compile("[0-9a-f]{32}")
USUAL = 8  # teams of the last match, up to which a new form has as many


@dataclass(frozen=True)
class Sheet:
    """A form on its way: of which league, what was filled in, and the match that it corrects, if it does."""

    league: League
    author: str
    filled: Filled
    old: Mapping[str, Any] | None = None
    deleted: bool = False

    def match(self) -> dict[str, Any]:
        """The match that was filled in."""
        return match_from(self.filled, self.league.clock, self.old)

    def act(self) -> Act:
        """What is to be done."""
        name, reason = self.league.name, self.filled.reason.strip()
        if self.old is None:
            return Post(name, [self.match()], self.filled.once, author=self.author, reason=reason)
        seen = int(self.filled.seen)
        return Edit(name, self.old["id"], self.match(), seen=seen, author=self.author, reason=reason)


@router.get("/leagues/{league}/enter")
async def enter(
    request: Request,
    access: Write,
    service: Here,
    teams: Annotated[int | None, Query(ge=2, le=MOST)] = None,
    team: Annotated[list[str] | None, Query()] = None,
) -> Response:
    """A form for a new result; `team` has the names of one by lines, where somebody knows who played."""

    def work(connection: Connection) -> Sheet:
        league = leagues.find(connection, access.league)
        last = service.chronicles.of(connection, league).matches(limit=1).rows
        names = [one.replace("\r\n", "\n") for one in (team or [])[:MOST]]
        count = teams or max(2, len(names), min(len(last[0]["teams"]), USUAL) if last else 2)
        by = "scores" if last and last[0].get("scores") else "first" if count == 2 else "places"
        rows = (*names, *[""] * (count - len(names)))
        return Sheet(league, access.author, Filled(rows, by=by, once=uuid4().hex))

    return _form(request, await service.read(work))


@router.post("/leagues/{league}/enter")
async def entered(request: Request, access: Write, service: Here, form: CheckedForm) -> Response:
    """Go on with a form: another team, a look at what it changes, or record it."""
    filled = read_form(form)
    if not ONCE.fullmatch(filled.once):
        raise Problem(422, "this form was not made by the page to enter a result: open it anew")
    league = await service.leagues.get(access.league)
    return await _step(request, service, Sheet(league, access.author, filled), form)


@router.get("/leagues/{league}/edit")
async def edit(request: Request, access: Write, service: Here, id: Annotated[MatchId, MATCH_ID]) -> Response:
    """The form of a match that is there, or was."""
    sheet = await service.read(lambda connection: _of_match(connection, access, id, None))
    return _form(request, sheet)


@router.post("/leagues/{league}/edit")
async def edited(request: Request, access: Write, service: Here, form: CheckedForm) -> Response:
    """Go on with a form about a match that is there."""
    filled = read_form(form)
    if not re.fullmatch("[0-9]{1,15}", filled.seen):
        raise Problem(422, "this form was not made by the page of a match: open it anew")
    sheet = await service.read(lambda connection: _of_match(connection, access, filled.id.strip(), filled))
    return await _step(request, service, sheet, form)


def _of_match(connection: Connection, access: Access, id: str, filled: Filled | None) -> Sheet:
    """The form of a match, as it is or as it was filled in."""
    league = leagues.find(connection, access.league)
    written = journal.revisions(connection, league, id)
    old = last_match(league, written)
    if filled is None:
        filled = replace(filled_of(old, league.clock), id=id, seen=str(written[-1]["revision"]))
    return Sheet(league, access.author, filled, old, written[-1]["body"] is None)


async def _step(request: Request, service: Service, sheet: Sheet, form: Mapping[str, Any]) -> Response:
    """What the button that was pressed asks for; an error is shown by the form, which keeps what was written."""
    do = form.get("do")
    if do == "team":
        more = replace(sheet.filled, teams=(*sheet.filled.teams, "")[:MOST])
        return _form(request, replace(sheet, filled=more))
    if do == "back":
        return _form(request, sheet)
    try:
        if do == "record":
            return await _record(service, sheet)
        return await _look(request, service, _renamed(sheet, form.get("meant")))
    except (NotFound, Unavailable):
        raise
    except Error as error:
        return _form(request, sheet, error)


def _renamed(sheet: Sheet, meant: Any) -> Sheet:
    """The form with a name that was meant in the place of the one that was written."""
    try:
        old, new = map(str, json.loads(meant))
    except (TypeError, ValueError, RecursionError):
        return sheet
    return replace(sheet, filled=sheet.filled.renamed(old, new))


async def _look(request: Request, service: Service, sheet: Sheet) -> Response:
    """The page that says what will be recorded, and whose ratings change from what to what."""
    match, league = sheet.match(), sheet.league
    told = await preview_changes(service, league, sheet.act(), match)
    names = await service.read(lambda connection: new_names(service, connection, league, match))
    timed = "time" in match
    shown = {
        "sheet": sheet,
        "filled": sheet.filled,
        "match": match,
        "said": result_sentence(match),
        "sides": [{"side": one} for one in sides_by_place(match)[:MOST]],
        "more_sides": max(len(match["teams"]) - MOST, 0),
        "at": told["done"]["matches"][0]["time"] if timed or sheet.old is not None else None,
    }
    return render_page(request, "enter_preview.html", PageContext(shown | told | names, league=league))


async def _record(service: Service, sheet: Sheet) -> Response:
    """Record it, and go to where it is shown."""
    done = await asyncio.wrap_future(service.writer.submit(sheet.act()))
    what = "known" if all(done.repeated) else "recorded" if sheet.old is None else "edited"
    return RedirectResponse(page_url(sheet.league.name, "match", id=done.ids[0], done=what), 303)


def _form(request: Request, sheet: Sheet, error: Error | None = None) -> Response:
    """The form, and what is wrong with it."""
    league, filled = sheet.league, sheet.filled
    taken = None
    if isinstance(error, Conflict):
        taken = page_url(league.name, "match", id=filled.once if sheet.old is None else filled.id)
    shown = {
        "sheet": sheet,
        "filled": filled,
        "problem": "" if error is None else worded(error, filled),
        "wrong": [] if error is None else wrong_fields(error, filled),
        "taken": taken,
        "last": show(league.clock, league.last_time),
        "most": MOST,
    }
    status = 200 if error is None else 409 if taken else 422
    return render_page(request, "enter.html", PageContext(shown, league=league, status=status))


@router.get("/leagues/{league}/delete")
async def ask(
    request: Request, access: Write, service: Here, id: Annotated[MatchId, MATCH_ID], look: bool = False
) -> Response:
    """What would change without a match, and a button to take it out; in a large league only for who will `look`."""
    return await _shown(request, service, access, id, look=look)


@router.post("/leagues/{league}/delete")
async def delete(request: Request, access: Write, service: Here, form: CheckedForm) -> Response:
    """Take it out, unless somebody has changed it since it was looked at."""
    id, reason, seen = (str(form.get(name, "")).strip() for name in ("id", "reason", "seen"))
    if not re.fullmatch("[0-9]{1,15}", seen):
        raise Problem(422, "this form was not made by the page of a match: open it anew")
    if not storable(reason, LONGEST):
        return await _shown(
            request, service, access, id, reason, f"reason: it must be text of at most {LONGEST} letters"
        )
    act = Delete(access.league, id, seen=int(seen), author=access.author, reason=reason)
    try:
        await asyncio.wrap_future(service.writer.submit(act))
    except Conflict as error:
        return await _shown(request, service, access, id, reason, f"{error}. This is how it is now.", 409)
    return RedirectResponse(page_url(access.league, "match", id=id, done="deleted"), 303)


async def _shown(
    request: Request,
    service: Service,
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

    league, match, last = await service.read(work)
    if last["body"] is None:
        return RedirectResponse(page_url(league.name, "match", id=id, done="deleted"), 303)
    told: dict[str, Any] = {"changes": None}
    if look or league.posted <= SMALL:
        told = await preview_changes(service, league, Delete(league.name, id), match)
    shown = {
        "match": match,
        "said": result_sentence(match),
        "seen": last["revision"],
        "reason": reason,
        "problem": problem,
    }
    return render_page(
        request, "delete.html", PageContext(shown | told, league=league, status=status if problem else 200)
    )

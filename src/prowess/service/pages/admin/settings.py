"""The page on which admins change the settings of a league and its seasons."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ....errors import Error
from ....store import leagues
from ....store.errors import Unavailable
from ....store.leagues import League
from ....store.write.commands import NewSeason
from ....store.write.writer import preview
from ...api.dependencies import Admin, ServiceDep
from ...api.leagues import change_league, delete_or_undelete, league_payload, season_payloads
from ...auth import Access
from ...concurrency import run_in_threadpool
from ...context import Service
from ..leagues import parse_settings, settings_fields
from ..web.csrf import CheckedForm
from ..web.forms import form_texts, parse_number
from ..web.page import PageContext, Plain, page
from ..web.rating_changes import current_points, largest_changes
from ..web.templates import page_url, render_page

router = APIRouter(include_in_schema=False)
PATH = "/leagues/{league}/settings"
SEASON = {"season": "", "start": "", "carry": "80"}
SEASON_FIELDS = {"name": "season"}  # form fields by their names in the store
ACTIONS = ("settings", "season", "name", "archive", "unarchive", "delete", "undelete")


@page(router, PATH, "settings.html")
async def settings(request: Request, access: Admin, service: ServiceDep, done: str = "") -> PageContext:
    """Show the settings and the seasons."""
    return await _context(service, access, done=done if done in ACTIONS else "")


@router.post(PATH)
async def change(request: Request, access: Admin, service: ServiceDep, form: CheckedForm) -> Response:
    """Change the settings, start a season, rename, archive or delete the league, depending on the button."""
    fields = form_texts(form)
    action = fields.get("what", "")
    action, name = action if action in ACTIONS else "settings", access.league
    try:
        if action == "name":
            name = (await change_league(service, access, new_name=fields.get("name", "").strip())).name
        elif action in ("archive", "unarchive"):
            await change_league(service, access, archived=action == "archive")
        elif action in ("delete", "undelete"):
            if action == "delete" and fields.get("confirm_name", "").strip() != name:
                raise Error.in_field("confirm_name", f"type {name} to confirm that you want to delete the league")
            await delete_or_undelete(service, access, delete=action == "delete")
        elif action == "settings":
            title = fields.get("title", "").strip()
            if not title:
                raise Error.in_field("title", "give the league a title")
            values = {"title": title, "public": "public" in fields, "settings": parse_settings(fields)}
            await change_league(service, access, **values)
        else:
            command = _parse_season(access, fields)
            if "confirm" not in fields:
                result = await run_in_threadpool(preview, service.database, command)
                points = await service.read(lambda connection: current_points(service, connection, access.league))
                changes = await run_in_threadpool(largest_changes, result, (), points)
                return render_page(request, "settings.html", await _context(service, access, fields, changes=changes))
            await asyncio.wrap_future(service.writer.submit(command))
    except Unavailable:  # not a fault of the form: the error page is shown
        raise
    except Error as error:
        field = error.field or ""
        faults = {SEASON_FIELDS.get(field, field) if action == "season" else field: error.detail()}
        return render_page(request, "settings.html", await _context(service, access, fields, faults))
    return RedirectResponse(page_url(name, "settings", done=action), 303)


def _parse_season(access: Access, fields: Mapping[str, str]) -> NewSeason:
    start, text = fields.get("start", "").strip(), fields.get("carry", "")
    if not start:
        raise Error.in_field("start", "enter the start of the season")
    percent = parse_number(text.strip().rstrip("%"))
    if percent is None or not 0 <= percent <= 100:
        raise Error.in_field("carry", f"the rating carried over must be 0 to 100 %, not {text!r}", value=text)
    return NewSeason(access.league, fields.get("season", ""), start, percent / 100, author=access.author)


async def _context(
    service: Service,
    access: Access,
    fields: Mapping[str, str] | None = None,
    faults: Mapping[str, str] | None = None,
    changes: Mapping[str, Any] | None = None,
    done: str = "",
) -> PageContext:
    """Build the page; `fields` were submitted, `faults` are their errors, and `changes` is the preview of a season."""

    def work(connection: Connection) -> tuple[League, list[Plain]]:
        league = leagues.find(connection, access.league)
        return league, season_payloads(connection, league)

    league, seasons = await service.read(work)
    values = {"title": league.title, "public": "on" if league.public else ""}
    values |= settings_fields(league.settings)
    sent = dict(fields or {})
    what = sent.get("what", "settings")
    extra: dict[str, Any] = {
        "values": dict.fromkeys(values, "") | sent if sent and what == "settings" else values,
        "season": SEASON | sent if what == "season" else SEASON,
        "names": {"name": league.name, "confirm_name": ""} | (sent if what in ("name", "delete") else {}),
        "grace": round(service.settings.delete_grace),
        "faults": {},
        "season_faults": {},
        "name_faults": {},
        "delete_faults": {},
        "preview": changes,
        "done": done,
    }
    if faults:
        extra[{"season": "season_faults", "name": "name_faults", "delete": "delete_faults"}.get(what, "faults")] = (
            faults
        )
    data = league_payload(league) | {"seasons": seasons}
    return PageContext(data, seasons, league=league, status=422 if faults else 200, extra=extra)

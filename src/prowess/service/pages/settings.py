"""The settings of a league, and its seasons, for who may change them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...errors import Error
from ...store import leagues
from ...store.errors import Unavailable
from ...store.leagues import League
from ...store.write.commands import NewSeason
from ...store.write.writer import preview
from ..api.common import Admin, Here
from ..api.leagues import changed, plain, seasons_told
from ..auth import Access
from ..context import Service
from .leagues import settings_from
from .web.csrf import CheckedForm
from .web.filters import digits
from .web.forms import field_and_message, form_texts, parse_number
from .web.page import PageContext, page
from .web.rating_changes import largest_changes
from .web.templates import render_page
from .web.urls import page_url

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
PATH = "/leagues/{league}/settings"
SEASON = {"season": "", "start": "", "carry": "80"}
FIELDS = {"name": "season"}  # of a season, as messages of the store call them


@page(router, PATH, "settings.html")
async def settings(request: Request, access: Admin, service: Here, done: str = "") -> PageContext:
    """The settings as they are."""
    return await _shown(service, access, done=done if done in ("settings", "season") else "")


@router.post(PATH)
async def change(request: Request, access: Admin, service: Here, form: CheckedForm) -> Response:
    """Change the settings, or begin a season: the button says which."""
    said = form_texts(form)
    what = "season" if said.get("what") == "season" else "settings"
    try:
        if what == "settings":
            await _change(service, access, said)
        else:
            act = _season(access, said)
            if "confirm" not in said:
                would = await run_in_threadpool(preview, service.database, act)
                found = await run_in_threadpool(largest_changes, would)
                return render_page(request, "settings.html", await _shown(service, access, said, would=found))
            await asyncio.wrap_future(service.writer.submit(act))
    except Unavailable:
        raise
    except Error as error:
        field, fault = field_and_message(error)
        named = {FIELDS.get(field, field) if what == "season" else field: fault}
        return render_page(request, "settings.html", await _shown(service, access, said, named, what))
    return RedirectResponse(page_url(access.league, "settings", done=what), 303)


async def _change(service: Service, access: Access, said: Mapping[str, str]) -> None:
    title = said.get("title", "").strip()
    if not title:
        raise Error.in_field("title", "give the league a title")
    await changed(service, access, title=title, public="public" in said, settings=settings_from(said))


def _season(access: Access, said: Mapping[str, str]) -> NewSeason:
    """The season that is asked for; what is kept of a skill is told in percent."""
    if not said.get("start", "").strip():
        raise Error.in_field("start", "say when the season begins")
    text = said.get("carry", "")
    kept = parse_number(text.strip().rstrip("%"))
    if kept is None or not 0 <= kept <= 100:
        raise Error.in_field("carry", f"it must be a number from 0 to 100, not {text!r}")
    return NewSeason(access.league, said.get("season", ""), said["start"].strip(), kept / 100, author=access.author)


async def _shown(
    service: Service,
    access: Access,
    said: Mapping[str, str] | None = None,
    faults: Mapping[str, str] | None = None,
    wrong: str = "",
    would: Mapping[str, Any] | None = None,
    done: str = "",
) -> PageContext:
    """The page; `said` is what was filled in, `faults` what is wrong with it in the form `wrong`."""

    def work(connection: Connection) -> tuple[League, list[dict[str, Any]]]:
        league = leagues.find(connection, access.league)
        return league, seasons_told(connection, league)

    league, seasons = await service.read(work)
    now = {"title": league.title, "public": "on" if league.public else ""}
    now |= {name: f"{value:g}" for name, value in vars(league.settings).items()}
    filled = dict(said or {})
    of_settings = filled.get("what") != "season"
    drawn = {
        "said": dict.fromkeys(now, "") | filled if said and of_settings else now,
        "season": SEASON if of_settings else SEASON | filled,
        "faults": faults or {},
        "wrong": wrong,
        "would": would,
        "done": done,
        "places": digits(league.model),
    }
    told = plain(league) | {"seasons": seasons}
    return PageContext(told, seasons, league=league, status=422 if faults else 200, extra=drawn)

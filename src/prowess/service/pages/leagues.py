"""The leagues of a service; where there are none yet, how to begin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...errors import Error
from ...model.presets import PRESETS
from ...store import keys, leagues
from ...store.errors import Conflict, Unavailable
from ...store.keys import Key
from ...store.leagues import League, Preset, Settings
from ...store.slugs import slug
from ..api.common import Here, Read
from ..api.leagues import known_preset, plain, readable
from ..api.models import USUAL
from ..auth import caller, everywhere
from ..context import Service
from ..demo import key_command
from .web.csrf import CheckedForm
from .web.filters import digits
from .web.forms import field_and_message, form_texts, parse_number
from .web.page import PageContext, page
from .web.templates import render_page
from .web.urls import page_url

__all__ = ["router", "settings_from"]

router = APIRouter(include_in_schema=False)
MANY = 30  # leagues of which each is only named
BEST = 3


@page(router, "/leagues", "leagues.html")
async def listed(request: Request, service: Here, key: Annotated[Key | None, Depends(caller)]) -> PageContext:
    """The leagues that whoever asks may read."""

    def work(connection: Connection) -> PageContext:
        found = sorted(readable(connection, key), key=lambda one: one.title.casefold())
        told: list[dict[str, Any]] = [plain(one) for one in found]
        rows = [
            {"name": one["name"], "title": one["title"], "model": one["model"]["name"], "matches": one["posted"]}
            | {"last": one["last_time"], "public": one["public"]}
            for one in told
        ]
        best = {one.name: _best(service, connection, one) for one in found} if len(found) <= MANY else {}
        return PageContext({"leagues": told}, rows, extra={"best": best} | _beginning(service, connection, bool(found)))

    return await service.read(work)


def _best(service: Service, connection: Connection, league: League) -> dict[str, Any]:
    """How many play in a league, and who stands highest."""
    snapshot = service.standings.of(connection, league)
    rows = snapshot.page(0, BEST).rows
    return {"players": len(snapshot), "rows": rows, "places": digits(league.model)}


def _beginning(service: Service, connection: Connection, some: bool) -> dict[str, Any]:
    """What is still to be done before there is a league; where the data is, only while nobody can sign in."""
    empty = not some and not leagues.list_leagues(connection)
    keyed = not empty or any(one.revoked_at is None for one in keys.list_keys(connection))
    return {"empty": empty, "keyed": keyed, "command": "" if keyed else key_command(service.database)}


@router.get("/")
async def start() -> Response:
    """The first page."""
    return RedirectResponse("/leagues", 307)


@router.get("/leagues/{league}")
async def league(access: Read) -> Response:
    """A league is its standings first of all."""
    return RedirectResponse(page_url(access.league, "standings"), 307)


Founder = Annotated[Key, Depends(everywhere("admin"))]
CLOCKS = {
    "utc": "are dates, with the time of day or without",
    "number": "are numbers, such as rounds",
    "none": "are not known: only the order in which they come counts",
}
EMPTY = {"title": "", "name": "", "model": "TrueSkill", "clock": "utc", "public": "on"}


@router.get("/new")
async def ask(request: Request, service: Here, key: Founder) -> Response:
    """A form for a league."""
    usual = {name: f"{value:g}" for name, value in vars(Settings()).items()}
    return _page(request, EMPTY | usual)


@router.post("/new")
async def found(request: Request, service: Here, key: Founder, form: CheckedForm) -> Response:
    """Found the league, and go on to its first matches."""
    said = form_texts(form)
    try:
        made = await run_in_threadpool(_found, service, key, said)
    except Unavailable:
        raise
    except Error as error:
        shown = dict.fromkeys((*EMPTY, *vars(Settings())), "") | said
        field, fault = field_and_message(error)
        if isinstance(error, Conflict):
            field, shown["name"] = "name", shown["name"] or slug(shown["title"])
        return _page(request, shown, {field: fault}, 422)
    return RedirectResponse(page_url(made.name, "import", founded=True), 303)


def _found(service: Service, key: Key, said: Mapping[str, str]) -> League:
    title, name = said.get("title", "").strip(), said.get("name", "").strip()
    if not title and not name:
        raise Error.in_field("title", "give the league a title")
    preset: Preset = known_preset(said.get("model", "TrueSkill"))
    settings = Settings(**settings_from(said))
    with service.database.writing() as connection:
        return leagues.create(
            connection,
            name or slug(title),
            title=title,
            model=preset,
            clock=said.get("clock", "utc"),  # type: ignore[arg-type]  # which the store checks
            public="public" in said,
            settings=settings,
            author=key.name,
        )


def settings_from(said: Mapping[str, str]) -> dict[str, Any]:
    """The settings that a form gives; what is left empty is as usual.

    >>> settings_from({"provisional_matches": "5", "inactive_days": ""})
    {'provisional_matches': 5}
    >>> settings_from({"inactive_days": "soon"})
    Traceback (most recent call last):
    ...
    prowess.Error: inactive_days: it must be a number, not 'soon'
    """
    found: dict[str, Any] = {}
    for name, kind in (("provisional_matches", int), ("inactive_days", float)):
        text = said.get(name, "").strip()
        if text:
            value = parse_number(text)
            if value is None or kind(value) != value:
                raise Error.in_field(
                    name, f"it must be {'a whole number' if kind is int else 'a number'}, not {text!r}"
                )
            found[name] = kind(value)
    Settings(**found)  # which checks them
    return found


def _page(
    request: Request, said: Mapping[str, str], faults: Mapping[str, str] | None = None, status: int = 200
) -> Response:
    rest = [name for name in PRESETS if name not in USUAL]
    told = {"said": said, "faults": faults or {}, "usual": USUAL, "rest": rest, "clocks": CLOCKS}
    return render_page(request, "league_new.html", PageContext(told, status=status))

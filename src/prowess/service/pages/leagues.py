"""The list of leagues, or the first steps where there are none yet; and the form for a new league."""

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
from ...store.leagues import League, Preset, Settings, slug
from ..api.dependencies import Read, ServiceDep
from ..api.leagues import find_preset, league_payload, readable_leagues
from ..api.models import USUAL
from ..auth import GlobalPermission, key_of_request
from ..context import Service
from ..demo import key_command
from .web.csrf import CheckedForm
from .web.filters import digits
from .web.forms import field_and_message, form_texts, parse_number
from .web.page import PageContext, page
from .web.templates import render_page
from .web.urls import page_url

router = APIRouter(include_in_schema=False)
MANY = 30  # leagues up to which each is shown with its best players
BEST = 3


@page(router, "/leagues", "leagues.html")
async def list_leagues(
    request: Request, service: ServiceDep, key: Annotated[Key | None, Depends(key_of_request)]
) -> PageContext:
    """List the leagues that the caller may read."""

    def work(connection: Connection) -> PageContext:
        found = sorted(readable_leagues(connection, key), key=lambda league: league.title.casefold())
        data: list[dict[str, Any]] = [league_payload(league) for league in found]
        rows = [
            {"name": row["name"], "title": row["title"], "model": row["model"]["name"], "matches": row["posted"]}
            | {"last": row["last_time"], "public": row["public"]}
            for row in data
        ]
        best = {league.name: _best(service, connection, league) for league in found} if len(found) <= MANY else {}
        extra = {"best": best} | _first_steps(service, connection, bool(found))
        return PageContext({"leagues": data}, rows, extra=extra)

    return await service.read(work)


def _best(service: Service, connection: Connection, league: League) -> dict[str, Any]:
    snapshot = service.standings.of(connection, league)
    return {"players": len(snapshot), "rows": snapshot.page(0, BEST).rows, "places": digits(league.model)}


def _first_steps(service: Service, connection: Connection, some: bool) -> dict[str, Any]:
    """What is still to be done before there is a league; where the data is, only while nobody can sign in."""
    empty = not some and not leagues.list_leagues(connection)
    keyed = not empty or any(key.revoked_at is None for key in keys.list_keys(connection))
    return {"empty": empty, "keyed": keyed, "command": "" if keyed else key_command(service.database)}


@router.get("/")
async def start() -> Response:
    """Redirect to the list of leagues."""
    return RedirectResponse("/leagues", 307)


@router.get("/leagues/{league}")
async def league(access: Read) -> Response:
    """Redirect to the standings of a league."""
    return RedirectResponse(page_url(access.league, "standings"), 307)


Founder = Annotated[Key, Depends(GlobalPermission("admin"))]
CLOCKS = {
    "utc": "are dates, with the time of day or without",
    "number": "are numbers, such as rounds",
    "none": "are not known: only the order in which they come counts",
}
EMPTY = {"title": "", "name": "", "model": "TrueSkill", "clock": "utc", "public": "on"}


@router.get("/new")
async def new_league(request: Request, service: ServiceDep, key: Founder) -> Response:
    """Show the form for a league."""
    return _form_page(request, EMPTY | {name: f"{value:g}" for name, value in vars(Settings()).items()})


@router.post("/new")
async def create_league(request: Request, service: ServiceDep, key: Founder, form: CheckedForm) -> Response:
    """Create the league, and go on to its first matches."""
    fields = form_texts(form)
    try:
        created = await run_in_threadpool(_create, service, key, fields)
    except Unavailable:
        raise
    except Error as error:
        values = dict.fromkeys((*EMPTY, *vars(Settings())), "") | fields
        field, message = field_and_message(error)
        if isinstance(error, Conflict):
            field, values["name"] = "name", values["name"] or slug(values["title"])
        return _form_page(request, values, {field: message}, 422)
    return RedirectResponse(page_url(created.name, "import", founded=True), 303)


def _create(service: Service, key: Key, fields: Mapping[str, str]) -> League:
    title, name = fields.get("title", "").strip(), fields.get("name", "").strip()
    if not title and not name:
        raise Error.in_field("title", "give the league a title")
    preset: Preset = find_preset(fields.get("model", "TrueSkill"))
    settings = Settings(**parse_settings(fields))
    with service.database.writing() as connection:
        return leagues.create(
            connection,
            name or slug(title),
            title=title,
            model=preset,
            clock=fields.get("clock", "utc"),  # type: ignore[arg-type]  # which the store checks
            public="public" in fields,
            settings=settings,
            author=key.name,
        )


def parse_settings(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings that a form gives; empty fields are left out.

    >>> parse_settings({"provisional_matches": "5", "inactive_days": ""})
    {'provisional_matches': 5}
    >>> parse_settings({"inactive_days": "soon"})
    Traceback (most recent call last):
    ...
    prowess.Error: inactive_days: it must be a number, not 'soon'
    """
    settings: dict[str, Any] = {}
    for name, kind, what in (("provisional_matches", int, "a whole number"), ("inactive_days", float, "a number")):
        text = fields.get(name, "").strip()
        if text:
            value = parse_number(text)
            if value is None or kind(value) != value:
                raise Error.in_field(name, f"it must be {what}, not {text!r}", value=text)
            settings[name] = kind(value)
    Settings(**settings)  # which checks them
    return settings


def _form_page(
    request: Request, values: Mapping[str, str], faults: Mapping[str, str] | None = None, status: int = 200
) -> Response:
    rest = [name for name in PRESETS if name not in USUAL]
    context = {"values": values, "faults": faults or {}, "usual": USUAL, "rest": rest, "clocks": CLOCKS}
    return render_page(request, "league_new.html", PageContext(context, status=status))

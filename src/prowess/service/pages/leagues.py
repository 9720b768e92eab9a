"""The list of leagues, or the first steps if there are none, and the form for a new league."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...errors import Error
from ...model.presets import PRESETS
from ...store import keys, leagues
from ...store.errors import Conflict, Unavailable
from ...store.keys import Key
from ...store.leagues import League, Settings, slug
from ..api.dependencies import Read, ServiceDep
from ..api.leagues import Show, find_preset, league_payload, readable_leagues
from ..api.models import USUAL
from ..auth import GlobalPermission, key_command, key_of_request
from ..concurrency import run_in_threadpool
from ..context import Service
from .web.csrf import CheckedForm
from .web.forms import form_texts, parse_number
from .web.page import PageContext, Plain, page
from .web.ratings import RatingFormat
from .web.templates import page_url, render_page

router = APIRouter(include_in_schema=False)
MANY = 30  # up to this many leagues, each is shown with its best players
BEST = 3


@page(router, "/leagues", "leagues.html")
async def list_leagues(
    request: Request,
    service: ServiceDep,
    key: Annotated[Key | None, Depends(key_of_request)],
    show: Show = "active",
) -> PageContext:
    """List the leagues that the caller may read."""

    def work(connection: Connection) -> PageContext:
        by_state = readable_leagues(connection, key)
        readable = sorted(by_state[show], key=lambda league: league.title.casefold())
        data: list[Plain] = [league_payload(league) for league in readable]
        rows = [
            {"name": row["name"], "title": row["title"], "model": row["model"]["name"], "matches": row["posted"]}
            | {"last": row["last_time"], "public": row["public"]}
            for row in data
        ]
        best = {league.name: _best(service, connection, league) for league in readable} if len(readable) <= MANY else {}
        empty = not readable and not leagues.list_leagues(connection)
        keyed = not empty or any(key.live for key in keys.list_keys(connection))
        # The command shows the URL of the database, so the page includes it only while no key exists.
        steps = {
            "empty": empty,
            "keyed": keyed,
            "command": "" if keyed else key_command("admin", database=service.database),
        }
        others = {state: len(found) for state, found in by_state.items() if found and state != show}
        states = {"best": best, "show": show, "others": others, "admin_command": key_command("admin")}
        return PageContext({"leagues": data}, rows, extra=steps | states)

    return await service.read(work)


def _best(service: Service, connection: Connection, league: League) -> Plain:
    snapshot = service.standings.of(connection, league)
    rows = snapshot.page(0, BEST, active=True).rows
    return {"players": len(snapshot), "rows": rows, "ratings": RatingFormat.of(league.model, league.settings)}


@router.get("/")
async def start() -> Response:
    """Redirect to the list of leagues."""
    return RedirectResponse("/leagues", 307)


@router.get("/leagues/{league}")
async def league(access: Read) -> Response:
    """Redirect to the standings of a league."""
    return RedirectResponse(page_url(access.league, "standings"), 307)


Creator = Annotated[Key, Depends(GlobalPermission("admin"))]
CLOCKS = {
    "utc": "dates, with or without a time of day",
    "number": "numbers, such as rounds",
    "none": "no times: matches count in the order in which they are entered",
}
EMPTY = {"title": "", "name": "", "model": "", "clock": "utc", "public": "on"}


@router.get("/new")
async def new_league(request: Request, service: ServiceDep, key: Creator) -> Response:
    """Show the form for a new league."""
    return _form_page(request, EMPTY | settings_fields(Settings()))


@router.post("/new")
async def create_league(request: Request, service: ServiceDep, key: Creator, form: CheckedForm) -> Response:
    """Create the league, and redirect to the import of its first matches."""
    fields = form_texts(form)
    try:
        created = await run_in_threadpool(_create, service, key, fields)
    except Unavailable:
        raise
    except Error as error:
        values = dict.fromkeys((*EMPTY, *settings_fields(Settings())), "") | fields
        field = error.field or ""
        # The name is taken. If it was derived from the title, its field shows it now.
        if isinstance(error, Conflict):
            field, values["name"] = "name", values["name"] or slug(values["title"])
        return _form_page(request, values, {field: error.detail()})
    return RedirectResponse(page_url(created.name, "import", founded=True), 303)


def _create(service: Service, key: Key, fields: Mapping[str, str]) -> League:
    title, name = fields.get("title", "").strip(), fields.get("name", "").strip()
    if not title and not name:
        raise Error.in_field("title", "give the league a title")
    preset = find_preset(fields["model"]) if fields.get("model") else None
    settings = Settings(**parse_settings(fields))
    with service.database.writing() as connection:
        return leagues.create(
            connection,
            name or slug(title),
            title=title,
            model=preset,
            clock=fields.get("clock", "utc"),  # type: ignore[arg-type]  # the store checks it
            public="public" in fields,
            settings=settings,
            author=key.name,
        )


def parse_settings(fields: Mapping[str, str]) -> Plain:
    """Parse the settings in a form.

    Empty fields are left out; but an unchecked box is False, an empty ranking is None, and if both fields of the scale
    are empty, the scale is None.

    >>> parse_settings({"provisional_matches": "5", "inactive_days": "", "allow_future": "on"})
    {'allow_future': True, 'auto_switch': False, 'provisional_matches': 5}
    >>> parse_settings({"newcomer": "1500", "tenfold": "400"})["scale"]
    (1500.0, 400.0)
    >>> parse_settings({"inactive_days": "soon"})
    Traceback (most recent call last):
    ...
    prowess.Error: inactive_days: the number of days until a player is inactive must be a number, not 'soon'
    """
    settings: Plain = {name: name in fields for name in ("allow_future", "auto_switch")}
    for name, kind, rule in (
        ("provisional_matches", int, "the number of provisional matches must be a whole number"),
        ("inactive_days", float, "the number of days until a player is inactive must be a number"),
    ):
        text = fields.get(name, "").strip()
        if text:
            value = parse_number(text)
            if value is None or kind(value) != value:
                raise Error.in_field(name, f"{rule}, not {text!r}", value=text)
            settings[name] = kind(value)
    if "newcomer" in fields and "tenfold" in fields:
        settings["scale"] = _parse_scale(fields)
    if "ranking" in fields:
        settings["ranking"] = fields["ranking"].strip() or None
    Settings(**settings)  # raises an error for invalid settings
    return settings


def _parse_scale(fields: Mapping[str, str]) -> tuple[float, float] | None:
    texts = {name: fields[name].strip() for name in ("newcomer", "tenfold")}
    if not any(texts.values()):
        return None
    numbers = {name: parse_number(text) for name, text in texts.items()}
    newcomer, tenfold = numbers["newcomer"], numbers["tenfold"]
    if newcomer is None:
        text = f"the points of a newcomer must be a number, not {texts['newcomer']!r}"
        raise Error.in_field("newcomer", text, value=texts["newcomer"])
    if tenfold is None or not tenfold > 0:
        text = f"the points for odds of 10:1 must be a number above 0, not {texts['tenfold']!r}"
        raise Error.in_field("tenfold", text, value=texts["tenfold"])
    return newcomer, tenfold


def settings_fields(settings: Settings) -> dict[str, str]:
    """Return settings as the fields of a form.

    >>> fields = settings_fields(Settings(inactive_days=7.5))
    >>> fields["inactive_days"], fields["newcomer"], fields["tenfold"]
    ('7.5', '1500', '400')
    """
    shown = {True: "on", False: ""}
    values = {name: value for name, value in vars(settings).items() if name not in ("scale", "ranking")}
    texts = {name: shown[value] if isinstance(value, bool) else f"{value:g}" for name, value in values.items()}
    texts["ranking"] = settings.ranking or ""
    scale = ("", "") if settings.scale is None else (f"{value:.15g}" for value in settings.scale)
    return texts | dict(zip(("newcomer", "tenfold"), scale, strict=True))


def _form_page(request: Request, values: Mapping[str, str], faults: Mapping[str, str] | None = None) -> Response:
    rest = [name for name in PRESETS if name not in USUAL]
    context = {"values": values, "faults": faults or {}, "usual": USUAL, "rest": rest, "clocks": CLOCKS}
    return render_page(request, "league_new.html", PageContext(context, status=422 if faults else 200))

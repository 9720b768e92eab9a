"""The page on which admins manage the keys of a league or of the whole service. A new secret is shown once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ....errors import Error
from ....store import leagues
from ....store.errors import NotFound, Unavailable
from ....store.keys import GRACE, Key
from ...api import keys as api
from ...api.dependencies import LARGEST, Admin, ServiceDep
from ...api.keys import GlobalAdmin, admin_of
from ...auth import Access
from ...context import Service
from ..web.csrf import CheckedForm
from ..web.forms import form_texts, parse_count
from ..web.page import PageContext, Plain, page
from ..web.templates import page_url, render_page

router = APIRouter(include_in_schema=False)
ALL, LEAGUE = "/keys", "/leagues/{league}/keys"
SCOPES = {"read": "read", "write": "write: record matches", "admin": "admin: everything"}
GRACES = {GRACE: "for 24 hours", "1h": "for 1 hour", "7d": "for 7 days", "0": "no longer"}
EMPTY = {"name": "", "scope": "write", "league": "", "expires": ""}
KeyNumber = Annotated[int | None, Query(ge=1, le=LARGEST)]


@page(router, ALL, "keys.html")
async def all_keys(
    request: Request, service: ServiceDep, admin: GlobalAdmin, id: KeyNumber = None, revoked: str = ""
) -> PageContext:
    """List all keys of the service."""
    return await _context(service, None, id=id, revoked=revoked)


@router.post(ALL)
async def change_keys(request: Request, service: ServiceDep, admin: GlobalAdmin, form: CheckedForm) -> Response:
    """Create, rotate or revoke a key."""
    return await _act(request, service, admin, None, form_texts(form))


@page(router, LEAGUE, "keys.html")
async def league_keys(
    request: Request, service: ServiceDep, access: Admin, id: KeyNumber = None, revoked: str = ""
) -> PageContext:
    """List the keys of a league."""
    return await _context(service, access, id=id, revoked=revoked)


@router.post(LEAGUE)
async def change_league_keys(request: Request, service: ServiceDep, access: Admin, form: CheckedForm) -> Response:
    """Create, rotate or revoke a key of a league."""
    return await _act(request, service, admin_of(access), access, form_texts(form))


async def _act(
    request: Request, service: Service, admin: Key, access: Access | None, fields: Mapping[str, str]
) -> Response:
    own_league = None if access is None else access.league_id
    what, id = fields.get("what"), parse_count(fields.get("id", ""), 0, 1, LARGEST, "id")
    try:
        if what == "revoke":
            gone = await api.revoke(service, admin, id, own_league)
            # A redirect, so that reloading the page does not send the form again.
            return RedirectResponse(f"{_path(access)}?revoked={gone['id']}", 303)
        if what == "rotate":
            made = await api.rotate(service, admin, id, fields.get("grace", GRACE), own_league)
        else:
            league = access.league if access else fields.get("league", "").strip() or None
            scope: Any = fields.get("scope", "write")  # validated by the store
            made = await api.create(service, admin, fields.get("name", ""), scope, fields.get("expires", ""), league)
    except Unavailable:  # not a fault of the form: the error page is shown
        raise
    except Error as error:
        faults = {error.field or "": error.detail()}
        return render_page(request, "keys.html", await _context(service, access, id or None, fields, faults))
    return render_page(request, "keys.html", await _context(service, access, made=made))


def _path(access: Access | None) -> str:
    return ALL if access is None else page_url(access.league, "keys")


async def _context(
    service: Service,
    access: Access | None,
    id: int | None = None,
    fields: Mapping[str, str] | None = None,
    faults: Mapping[str, str] | None = None,
    made: Plain | None = None,
    revoked: str = "",
) -> PageContext:
    """Build the page; `id` is a key to rotate or revoke, `faults` are errors by field, and `made` is a new key."""
    rows = await api.list_payloads(service, None if access is None else access.league_id)
    league = None
    if access is not None:
        name = access.league
        league = await service.read(lambda connection: leagues.find(connection, name))
    chosen = next((row for row in rows if row["id"] == id), None)
    if id is not None and chosen is None:
        raise NotFound(f"key {id} not found", field="id", value=id)
    gone = next((row for row in rows if str(row["id"]) == revoked and row["revoked_at"]), None)
    extra: Plain = {
        "live": [row for row in rows if row["live"]],
        "ended": [row for row in rows if not row["live"]],
        "chosen": chosen,
        "made": made,
        "revoked": gone,
        "values": EMPTY | dict(fields or {}),
        "faults": faults or {},
        "scopes": SCOPES,
        "graces": GRACES,
        "keys_path": _path(access),
    }
    return PageContext({"keys": rows}, rows, league=league, status=422 if faults else 200, extra=extra)

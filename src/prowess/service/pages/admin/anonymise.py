"""The page on which an admin anonymises a player, and sees who was anonymised."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ....errors import Error
from ....store import leagues
from ....store.errors import NotFound, Unavailable
from ....store.leagues import League, storable
from ....store.write.posts import LONGEST
from ...api.dependencies import Admin, ServiceDep
from ...api.erasures import anonymise as anonymise_player
from ...api.erasures import drop_hash, erasure_payloads
from ...auth import Access
from ...context import Service
from ..web.csrf import CheckedForm
from ..web.forms import form_texts
from ..web.page import PageContext, Plain, page
from ..web.templates import page_url, render_page

router = APIRouter(include_in_schema=False)
PATH = "/leagues/{league}/anonymise"


@page(router, PATH, "anonymise.html")
async def anonymise(
    request: Request,
    access: Admin,
    service: ServiceDep,
    name: Annotated[str, Query(max_length=LONGEST)] = "",
    done: Annotated[str, Query(max_length=LONGEST)] = "",
) -> PageContext:
    """Ask for confirmation to anonymise a player, and list anonymised players; `done` is the alias just created."""
    return await _context(service, access, {"name": name, "keep_hash": "on"}, done=done)


@router.post(PATH)
async def change(request: Request, access: Admin, service: ServiceDep, form: CheckedForm) -> Response:
    """Anonymise a player, or drop the hash of a name."""
    fields = {"name": "", "reason": "", "alias": ""} | form_texts(form)
    try:
        if fields["alias"]:
            await drop_hash(service, access, fields["alias"])
            return RedirectResponse(page_url(access.league, "anonymise"), 303)
        reason = fields["reason"].strip()
        if not storable(reason, LONGEST):
            raise Error.in_field("reason", f"the reason must be text of at most {LONGEST} characters")
        # Browsers require this checkbox, but a request need not come from a browser.
        if fields.get("confirm") != "yes":
            raise Error.in_field("confirm", "confirm that you want to erase the name for good")
        made = await anonymise_player(service, access, fields["name"], reason, "keep_hash" in fields)
    # These errors have their own pages; the form shows all other errors beside its fields.
    except (NotFound, Unavailable):
        raise
    except Error as error:
        return render_page(request, "anonymise.html", await _context(service, access, fields, error))
    return RedirectResponse(page_url(access.league, "anonymise", done=made.alias), 303)


async def _context(
    service: Service, access: Access, fields: Plain, error: Error | None = None, done: str = ""
) -> PageContext:
    def work(connection: Connection) -> tuple[League, list[Plain]]:
        league = leagues.find(connection, access.league)
        return league, erasure_payloads(connection, access.league)

    league, erasures = await service.read(work)
    extra = {
        "fields": {"reason": ""} | fields,
        "faults": {} if error is None else {error.field or "": error.detail()},
        "done": next((one for one in erasures if one["player"] == done), None),
    }
    data = {"league": league.name, "erasures": erasures}
    return PageContext(data, erasures, league, status=200 if error is None else 422, extra=extra)

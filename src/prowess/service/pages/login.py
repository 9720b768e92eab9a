"""The page to sign in with a key, and out again."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..api.dependencies import ServiceDep
from ..auth import COOKIE, LONGEST
from .web.csrf import check_origin
from .web.page import PageContext
from .web.templates import render_page

router = APIRouter(include_in_schema=False)
MONTH = 30 * 24 * 3600  # seconds
PLACE = 8_000  # letters of an address to go on to
UNKNOWN = "this key is unknown or was revoked"


def _local(place: str) -> str:
    """A place of this service to go on to; of any other, the start.

    >>> _local("/leagues/darts/enter"), _local("//evil.example"), _local("https://evil.example"), _local("/\\\\evil")
    ('/leagues/darts/enter', '/', '/', '/')
    """
    safe = len(place) <= PLACE and place.startswith("/") and not place.startswith(("//", "/\\")) and place.isprintable()
    return place if safe else "/"


@router.get("/signin")
async def ask(request: Request, next: str = "/") -> Response:
    """A form for a key."""
    return render_page(request, "login.html", PageContext({"next": _local(next), "problem": ""}))


@router.post("/signin")
async def sign_in(request: Request, service: ServiceDep) -> Response:
    """Keep the key in a cookie, if it is one."""
    check_origin(request)
    form = await request.form(max_files=0, max_fields=5)
    secret, place = str(form.get("key", "")).strip(), _local(str(form.get("next", "/")))
    found = await service.keys.get(secret) if secret and len(secret) <= LONGEST and secret.isascii() else None
    if found is None or found.revoked_at is not None:
        return render_page(request, "login.html", PageContext({"next": place, "problem": UNKNOWN}, status=403))
    answer = RedirectResponse(place, 303)
    secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE, secret, max_age=MONTH, httponly=True, samesite="lax", secure=secure)
    return answer


@router.post("/signout")
async def sign_out(request: Request) -> Response:
    """Forget the key."""
    check_origin(request)
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(COOKIE, httponly=True, samesite="lax")
    return answer

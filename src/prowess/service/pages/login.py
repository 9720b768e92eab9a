"""Sign in with a key, and sign out."""

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
LONGEST_URL = 8_000  # characters of the URL to redirect to


def _local_url(url: str) -> str:
    """Return the URL to redirect to after signing in; the start page if it is on another site.

    >>> _local_url("/leagues/darts/enter"), _local_url("//evil.example"), _local_url("https://evil.example")
    ('/leagues/darts/enter', '/', '/')
    >>> _local_url("/\\\\evil")
    '/'
    """
    safe = len(url) <= LONGEST_URL and url.startswith("/") and not url.startswith(("//", "/\\")) and url.isprintable()
    return url if safe else "/"


@router.get("/signin")
async def login_form(request: Request, next: str = "/") -> Response:
    """Show the form for a key."""
    return render_page(request, "login.html", PageContext({"next": _local_url(next), "invalid": False}))


@router.post("/signin")
async def sign_in(request: Request, service: ServiceDep) -> Response:
    """Store a valid key in a cookie."""
    check_origin(request)
    form = await request.form(max_files=0, max_fields=5)
    secret, url = str(form.get("key", "")).strip(), _local_url(str(form.get("next", "/")))
    key = await service.keys.get(secret) if secret and len(secret) <= LONGEST and secret.isascii() else None
    if key is None or key.revoked_at is not None:
        return render_page(request, "login.html", PageContext({"next": url, "invalid": True}, status=403))
    response = RedirectResponse(url, 303)
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, secret, max_age=MONTH, httponly=True, samesite="lax", secure=secure)
    return response


@router.post("/signout")
async def sign_out(request: Request) -> Response:
    """Delete the cookie."""
    check_origin(request)
    response = RedirectResponse("/", 303)
    response.delete_cookie(COOKIE, httponly=True, samesite="lax")
    return response

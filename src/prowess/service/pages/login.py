"""Sign in with a key, and sign out."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...store.keys import Scope
from ...store.leagues import NAME
from ..api.dependencies import ServiceDep
from ..auth import COOKIE, LONGEST, key_command
from .web.csrf import check_origin
from .web.page import PageContext
from .web.templates import render_page

router = APIRouter(include_in_schema=False)
MONTH = 30 * 24 * 3600  # seconds
LONGEST_URL = 8_000  # maximum length of the URL to redirect to, in characters
ADMIN_PAGES = ("settings", "switch", "keys")


def _local_url(url: str) -> str:
    """Return the URL to redirect to after signing in; a URL on another site is replaced by the start page.

    >>> _local_url("/leagues/darts/enter"), _local_url("//evil.example"), _local_url("https://evil.example")
    ('/leagues/darts/enter', '/', '/')
    >>> _local_url("/\\\\evil")
    '/'
    """
    # Browsers read "//host" and "/\host" as the address of another site.
    safe = len(url) <= LONGEST_URL and url.startswith("/") and not url.startswith(("//", "/\\")) and url.isprintable()
    return url if safe else "/"


@router.get("/signin")
async def login_form(request: Request, next: str = "/") -> Response:
    """Show the form for a key."""
    return _form_page(request, _local_url(next))


@router.post("/signin")
async def sign_in(request: Request, service: ServiceDep) -> Response:
    """Store a valid key in a cookie."""
    check_origin(request)
    form = await request.form(max_files=0, max_fields=5)
    secret, url = str(form.get("key", "")).strip(), _local_url(str(form.get("next", "/")))
    key = await service.keys.get(secret) if secret and len(secret) <= LONGEST and secret.isascii() else None
    if key is None or not key.live:
        return _form_page(request, url, invalid=True)
    response = RedirectResponse(url, 303)
    # With TLS, the cookie is never sent unencrypted; without TLS, browsers would discard a secure cookie.
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, secret, max_age=MONTH, httponly=True, samesite="lax", secure=secure)
    return response


def _form_page(request: Request, url: str, invalid: bool = False) -> Response:
    scope, league = needed_key(url)
    purposes = {"write": "To enter results", "admin": "To change settings, leagues or keys"}
    words = " with the scope admin" if scope == "admin" else ""
    data = {"next": url, "invalid": invalid, "command": key_command(scope, league)}
    data |= {"purpose": purposes[scope], "scope_words": words}
    return render_page(request, "login.html", PageContext(data, status=403 if invalid else 200))


def needed_key(url: str) -> tuple[Scope, str | None]:
    """Return the scope and the league of the key that a page needs; the scope is "admin" or "write", never "read".

    >>> needed_key("/leagues/darts/settings?done=season"), needed_key("/leagues/darts/enter"), needed_key("/new")
    (('admin', 'darts'), ('write', 'darts'), ('admin', None))
    """
    parts = url.partition("?")[0].strip("/").split("/")
    league = parts[1] if len(parts) > 2 and parts[0] == "leagues" and NAME.fullmatch(parts[1]) else None
    admin = url.startswith(("/new", "/keys")) if league is None else parts[2] in ADMIN_PAGES
    return "admin" if admin else "write", league


@router.post("/signout")
async def sign_out(request: Request) -> Response:
    """Delete the cookie."""
    check_origin(request)
    response = RedirectResponse("/", 303)
    response.delete_cookie(COOKIE, httponly=True, samesite="lax")
    return response

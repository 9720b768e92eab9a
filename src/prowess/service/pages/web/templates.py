"""Rendering of templates: one environment that escapes all values and refuses undefined names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from . import filters
from .csrf import csrf_token
from .static import asset
from .urls import page_url

if TYPE_CHECKING:
    from .page import PageContext

TABS = (  # the pages of a league: path, label, and the scope that a key needs
    ("standings", "Standings", "read"),
    ("matches", "Matches", "read"),
    ("predict", "Predict", "read"),
    ("teams", "Fair teams", "read"),
    ("pairings", "Pairings", "read"),
    ("models", "Models", "read"),
    ("enter", "Enter a result", "write"),
    ("import", "Import", "write"),
    ("settings", "Settings", "admin"),
)
TEMPLATES = Path(__file__).parents[1] / "templates"

BY_KEY = {"Vary": "Cookie"}  # what a page shows depends on who is signed in
POLICY = BY_KEY | {
    # No inline scripts or styles, so that a player's name that looks like a script is only a name.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "same-origin",  # else browsers would send no Origin with forms
}


@cache
def environment() -> Environment:
    """Return the environment of all templates."""
    jinja = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        auto_reload=False,  # an upgrade under a running service must not give it templates of another code
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    jinja.filters |= {name: getattr(filters, name) for name in filters.__all__}
    jinja.globals |= {"page_url": page_url, "asset": asset, "tabs": TABS}
    return jinja


@cache
def templates_version() -> str:
    """Return a checksum of the templates and styles: pages rendered by others are out of date.

    >>> len(templates_version())
    8
    """
    content = b"".join(path.read_bytes() for path in sorted(TEMPLATES.rglob("*.html")))
    return f"{crc32(content + asset('style.css').encode()):08x}"


def current_url(scope: Scope) -> str:
    """Return the URL of a request within this service.

    >>> current_url({"path": "/leagues/darts/player", "query_string": b"name=ann"})
    '/leagues/darts/player?name=ann'
    """
    query = scope["query_string"].decode("latin-1")
    return str(scope["path"]) + (f"?{query}" if query else "")


def render_page(
    request: Request, template: str, context: PageContext, headers: Mapping[str, str] | None = None
) -> Response:
    """Render a template with the data and the extra values of a page."""
    key, league = request.scope["state"].get("key"), context.league
    common: dict[str, Any] = {
        "key": key,
        "may": lambda scope: key is not None and key.may(scope, league.id if league else None),
        "token": csrf_token(request.scope["headers"]),
        "current_url": current_url(request.scope),
        "path": request.scope["path"],
        "query": request.scope["query_string"].decode("latin-1"),
        "league": league,
        "data": context.data,
    }
    model = None if league is None else league.model
    defaults = {} if model is None else {"places": filters.digits(model), "certain": model.absorb.certain}
    body = environment().get_template(template).render({**defaults, **context.data, **context.extra, **common})
    return Response(body, context.status, {**POLICY, **(headers or {})}, "text/html")

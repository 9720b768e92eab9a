"""Render templates in an environment that escapes all values and rejects undefined names; build page URLs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from zlib import crc32

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope as AsgiScope

from ....store.keys import Scope
from .csrf import csrf_token
from .filters import FILTERS, digits
from .ratings import RatingFormat
from .static import asset

if TYPE_CHECKING:
    from .page import PageContext

TABS = (  # the pages of a league: path, label, and the scope that a key needs
    ("standings", "Standings", "read"),
    ("best", "Best ever", "read"),
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

BY_KEY = {"Vary": "Cookie"}  # the content of a page depends on the signed-in key
POLICY = BY_KEY | {
    # No inline scripts or styles, so that a script in a player's name never runs.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "same-origin",  # otherwise browsers would send no Origin header with forms
}


def page_url(league: str, page: str, /, **query: Any) -> str:
    """Return the URL of a page of a league.

    None, False and empty values are left out of the query; a list gives several fields with the same name.

    Player names and match ids go into the query, because they may contain any character.

    >>> page_url("darts", "player", name=["ann & co", "bob"]), page_url("darts", "standings", search="", at=0)
    ('/leagues/darts/player?name=ann+%26+co&name=bob', '/leagues/darts/standings?at=0')
    """
    fields = {name: value for name, value in query.items() if value or (value == 0 and value is not False)}
    fields = {name: "true" if value is True else value for name, value in fields.items()}
    return f"/leagues/{league}/{page}" + (f"?{urlencode(fields, doseq=True)}" if fields else "")


@cache
def environment() -> Environment:
    """Return the environment of all templates."""
    jinja = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        auto_reload=False,  # after an upgrade, a running service must not mix new templates with its old code
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    jinja.filters |= FILTERS
    jinja.globals |= {"page_url": page_url, "asset": asset, "tabs": TABS}
    return jinja


@cache
def templates_version() -> str:
    """Return a checksum of the templates and styles; it is part of ETags, so cached pages expire when it changes.

    >>> len(templates_version())
    8
    """
    content = b"".join(path.read_bytes() for path in sorted(TEMPLATES.rglob("*.html")))
    return f"{crc32(content + asset('style.css').encode()):08x}"


def current_url(scope: AsgiScope) -> str:
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

    def may(scope: Scope) -> bool:
        # Links and buttons that change data are hidden in archived and deleted leagues.
        if scope == "write" and league is not None and league.read_only:
            return False
        return key is not None and key.may(scope, league.id if league else None)

    defaults: dict[str, Any] = {}
    if league is not None:
        defaults = {"places": digits(league.model), "certain": league.model.absorb.certain}
        defaults["ratings"] = RatingFormat.of(league.model, league.settings)
    common: dict[str, Any] = {
        "key": key,
        "may": may,
        "token": csrf_token(request.scope["headers"]),
        "current_url": current_url(request.scope),
        "path": request.scope["path"],
        "query": request.scope["query_string"].decode("latin-1"),
        "league": league,
        "data": context.data,
    }
    body = environment().get_template(template).render({**defaults, **context.data, **context.extra, **common})
    return Response(body, context.status, {**POLICY, **(headers or {})}, "text/html")

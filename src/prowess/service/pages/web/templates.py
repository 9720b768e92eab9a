"""Templates into pages: one environment, escaped throughout, and undefined names are errors."""

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
from .csrf import token_of
from .static import asset
from .urls import address

if TYPE_CHECKING:
    from .page import Shown

__all__ = ["BY_KEY", "POLICY", "edition", "environment", "place_of", "rendered"]

TABS = (  # the pages of a league: address, words, and what a key must be good for
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

BY_KEY = {"Vary": "Cookie"}  # who is signed in sees something else, and caches must know that
POLICY = BY_KEY | {
    # Scripts and styles come from here and stand in no page, so that a name that looks like one is only a name.
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "same-origin",  # else browsers would not say where a form was sent from
}


@cache
def environment() -> Environment:
    """The environment of all templates."""
    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        auto_reload=False,  # an upgrade under a running service must not give it templates of another code
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {name: getattr(filters, name) for name in filters.__all__}
    found.globals |= {"address": address, "asset": asset, "tabs": TABS}
    return found


@cache
def edition() -> str:
    """Which templates these are: pages that were made by others are out of date, whatever their league says.

    >>> len(edition())
    8
    """
    whole = b"".join(path.read_bytes() for path in sorted(TEMPLATES.rglob("*.html")))
    return f"{crc32(whole + asset('style.css').encode()):08x}"


def place_of(scope: Scope) -> str:
    """Where somebody is, as an address of this service.

    >>> place_of({"path": "/leagues/darts/player", "query_string": b"name=ann"})
    '/leagues/darts/player?name=ann'
    """
    query = scope["query_string"].decode("latin-1")
    return str(scope["path"]) + (f"?{query}" if query else "")


def rendered(request: Request, template: str, found: Shown, headers: Mapping[str, str] | None = None) -> Response:
    """The page of a template that shows this."""
    key = request.scope["state"].get("key")
    context: dict[str, Any] = {
        "key": key,
        "may": lambda scope: key is not None and key.may(scope, found.league.id if found.league else None),
        "token": token_of(request.scope["headers"]),
        "here": place_of(request.scope),
        "path": request.scope["path"],
        "query": request.scope["query_string"].decode("latin-1"),
        "league": found.league,
        "told": found.told,
    }
    body = environment().get_template(template).render({**found.told, **found.drawn, **context})
    return Response(body, found.status, {**POLICY, **(headers or {})}, "text/html")

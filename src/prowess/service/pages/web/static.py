"""Styles and scripts of the pages, at URLs that change with the content, so that browsers can cache them forever."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ....lab.charts.files import bundle_in_subprocess
from ...errors import Problem

HERE = Path(__file__).parents[1]
MEDIA_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
FOREVER = "public, max-age=31536000, immutable"
router = APIRouter(include_in_schema=False)


def _read(*paths: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in paths)


ASSETS: dict[str, Callable[[], str]] = {
    "style.css": partial(_read, *sorted((HERE / "styles").glob("*.css"))),
    "vega.js": bundle_in_subprocess,
    **{path.name: partial(_read, path) for path in [HERE / "styles" / "mark.svg", *(HERE / "scripts").glob("*.js")]},
}


@cache
def _content(name: str) -> bytes:
    return ASSETS[name]().encode()


@cache
def asset(name: str) -> str:
    """Return the URL of a style or a script.

    >>> asset("style.css").startswith("/static/style.css?v=")
    True
    """
    if name == "vega.js":  # the URL has no hash of the content, because building the bundle takes seconds
        return f"/static/{name}?v={version('vl-convert-python')}-{version('altair')}"
    return f"/static/{name}?v={sha256(_content(name)).hexdigest()[:12]}"


@router.get("/static/{name}")
def static(name: str, request: Request) -> Response:
    """Return a style or a script; under its versioned URL it never changes."""
    if name not in ASSETS:
        raise Problem(404, f"not found: /static/{name}")
    versioned = request.url.path + "?" + request.url.query == asset(name)
    headers = {"Cache-Control": FOREVER if versioned else "no-cache"}
    return Response(_content(name), 200, headers, MEDIA_TYPES[name.rpartition(".")[2]])

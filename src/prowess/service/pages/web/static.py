"""Styles and scripts of the pages: under addresses that change with what is in them, so that browsers keep them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ....lab.charts.files import bundle_in_subprocess
from ...errors import Problem

HERE = Path(__file__).parents[1]
KINDS = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
FOREVER = "public, max-age=31536000, immutable"
router = APIRouter(include_in_schema=False)


def _style() -> str:
    """All styles as one file: those of the whole first, then those of single pages."""
    return "".join(path.read_text(encoding="utf-8") for path in sorted((HERE / "styles").glob("*.css")))


def _text(path: Path) -> Callable[[], str]:
    return lambda: path.read_text(encoding="utf-8")


ASSETS: dict[str, Callable[[], str]] = {
    "style.css": _style,
    "mark.svg": _text(HERE / "styles" / "mark.svg"),
    "vega.js": bundle_in_subprocess,
    **{path.name: _text(path) for path in sorted((HERE / "scripts").glob("*.js"))},
}


@cache
def _content(name: str) -> bytes:
    return ASSETS[name]().encode()


def _version(name: str) -> str:
    """By what an address changes; Vega takes seconds to make, for which no page is to wait: its version will do."""
    if name == "vega.js":
        return "-".join(version(package) for package in ("vl-convert-python", "altair"))
    return sha256(_content(name)).hexdigest()[:12]


@cache
def asset(name: str) -> str:
    """The address of a style or a script.

    >>> asset("style.css").startswith("/static/style.css?v=")
    True
    """
    return f"/static/{name}?v={_version(name)}"


@router.get("/static/{name}")
def static(name: str, request: Request) -> Response:
    """A style or a script; under its own address it never changes."""
    if name not in ASSETS:
        raise Problem(404, f"there is nothing at /static/{name}")
    known = request.url.path + "?" + request.url.query == asset(name)
    headers = {"Cache-Control": FOREVER if known else "no-cache"}
    return Response(_content(name), 200, headers, KINDS[name.rpartition(".")[2]])

"""Charts at addresses of their own: pictures, and specifications that a browser draws, kept by revision."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from functools import cache
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from pydantic_core import from_json, to_json
from sqlalchemy import Connection
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from ...lab.charts.files import svg
from ...lab.charts.skill import belief_curves
from ...lab.charts.theme import DARK, LIGHT, Look, on_page
from ...store import leagues
from ...store.leagues import League
from ..api.common import LARGEST, Here, Read, fresh, tag_of, tagged
from ..problems import Problem
from ..security import Access
from ..state import Service
from .rendering import BY_KEY

__all__ = ["Draw", "drawn", "router", "warm"]

Draw = Callable[[Service, Connection, League, QueryParams, Look], Any]
KINDS: dict[str, Draw] = {}
LOOKS = {"light": LIGHT, "dark": DARK}
FOREVER = "max-age=31536000, immutable"
POLICY = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"}
PICTURE = "image/svg+xml"
AT = "/leagues/{league}/charts/{kind}"
router = APIRouter(include_in_schema=False)


def drawn(kind: str) -> Callable[[Draw], Draw]:
    """Give a kind of chart an address: the function gets the league, the query and the look, and gives the chart.

    What it gives may depend on nothing but the state of the league and the query, as it is kept by them.
    """

    def known(draw: Draw) -> Draw:
        KINDS[kind] = draw
        return draw

    return known


async def _look(
    look: Literal["light", "dark"] = "light",
    narrow: bool = False,
    height: Annotated[int, Query(ge=100, le=4_000)] = 360,
) -> Look:
    """How the chart is to look."""
    return on_page(LOOKS[look], height, narrow=narrow)


async def _revision(revision: Annotated[int | None, Query(ge=0, le=LARGEST)] = None) -> int | None:
    """Of which revision the chart was asked for."""
    return revision


Looking = Annotated[Look, Depends(_look)]
Revision = Annotated[int | None, Depends(_revision)]


@router.get(AT + ".svg")
async def picture(request: Request, kind: str, access: Read, here: Here, look: Looking, revision: Revision) -> Response:
    """A chart as a picture."""
    found = await _answer(request, kind, access, here, look, revision, PICTURE)
    found.headers.update(POLICY)
    return found


@router.get(AT + ".json")
async def specification(
    request: Request, kind: str, access: Read, here: Here, look: Looking, revision: Revision
) -> Response:
    """A chart as a specification of Vega-Lite."""
    return await _answer(request, kind, access, here, look, revision, "application/json")


async def _answer(
    request: Request, kind: str, access: Access, here: Service, look: Look, revision: int | None, form: str
) -> Response:
    """A chart in one form or the other; who names the revision of now may keep it for ever."""
    if kind not in KINDS:
        raise Problem(404, f"there is no chart {kind!r}; there are {', '.join(sorted(KINDS))}")
    asked = request.query_params

    def work(connection: Connection) -> Response:
        league = leagues.find(connection, access.league)
        tag = tag_of(league, league.generation, league.revision)
        headers = tagged(tag) | ({} if league.public else BY_KEY)
        if revision == league.revision:
            headers["Cache-Control"] = f"{'public' if league.public else 'private'}, {FOREVER}"
        known = fresh(request, tag)
        if known is not None:
            known.headers.update(headers)
            return known
        said = tuple(
            sorted(one for one in asked.multi_items() if one[0] not in ("revision", "look", "narrow", "height"))
        )
        key = (league.id, league.generation, league.revision, kind, look, said)

        def spec() -> bytes:
            return to_json(KINDS[kind](here, connection, league, asked, look).to_dict(validate=False))

        body = _kept(here, (*key, "spec"), spec)
        if form == PICTURE:
            body = _kept(here, (*key, "picture"), lambda: _picture(body, look))
        return Response(body, 200, headers, form)

    return await here.read(work, here.drawing)


@cache
def warm() -> None:
    """Draw something once, as the first chart of a process takes a second more than others.

    >>> warm()
    """
    svg(belief_curves({"ann": [(1, 25.0, 8.3)]}, ("Q", "match"), look=on_page(LIGHT, 360)).to_dict())


def _kept(here: Service, key: Hashable, make: Callable[[], bytes]) -> bytes:
    """What was made before, or is now."""
    found = here.charts.get(key)
    if found is None:
        found = make()
        here.charts.put(key, found, len(found))
    return found


def _picture(spec: bytes, look: Look) -> bytes:
    """The picture of a specification, without the layers that are there for the mouse alone."""
    said = from_json(spec)
    if "layer" in said:
        said["layer"] = [one for one in said["layer"] if one["mark"].get("opacity") != 0]
    return _sized(svg(said), look).encode()


def _sized(picture: str, look: Look) -> str:
    """A picture of the size that the page keeps free for it; what is larger becomes smaller.

    >>> _sized('<svg width="700" height="300" viewBox="0 0 700 300">', on_page(LIGHT, 300))
    '<svg width="1056" height="300" preserveAspectRatio="xMinYMin" viewBox="0 0 700 300">'
    """
    if look.size is None:
        return picture
    width, height = look.size
    size = f'width="{width}" height="{height}"'
    return re.sub(r'width="[\d.]+" height="[\d.]+"', f'{size} preserveAspectRatio="xMinYMin"', picture, count=1)

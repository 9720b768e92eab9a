"""Charts at addresses of their own: pictures, and specifications that a browser draws, kept by revision."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from functools import cache
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from pydantic_core import from_json, to_json
from sqlalchemy import Connection
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from ...lab.charts.comparison import calibration_chart, measure_chart, time_chart
from ...lab.charts.files import svg
from ...lab.charts.skill import Belief, belief_curves
from ...lab.charts.theme import DARK, LIGHT, Look, on_page
from ...store import leagues
from ...store.leagues import League
from ..api.common import LARGEST, Here, Read, fresh, tag_of, tagged
from ..auth import Access
from ..context import Service
from ..errors import Problem
from .web.templates import BY_KEY

__all__ = ["MOST", "Draw", "calibration", "drawn", "errors", "measures", "named", "room", "router", "warm"]

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
async def picture(
    request: Request, kind: str, access: Read, service: Here, look: Looking, revision: Revision
) -> Response:
    """A chart as a picture."""
    found = await _answer(request, kind, access, service, look, revision, PICTURE)
    found.headers.update(POLICY)
    return found


@router.get(AT + ".json")
async def specification(
    request: Request, kind: str, access: Read, service: Here, look: Looking, revision: Revision
) -> Response:
    """A chart as a specification of Vega-Lite."""
    return await _answer(request, kind, access, service, look, revision, "application/json")


async def _answer(
    request: Request, kind: str, access: Access, service: Service, look: Look, revision: int | None, form: str
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
            return to_json(KINDS[kind](service, connection, league, asked, look).to_dict(validate=False))

        body = _kept(service, (*key, "spec"), spec)
        if form == PICTURE:
            body = _kept(service, (*key, "picture"), lambda: _picture(body, look))
        return Response(body, 200, headers, form)

    return await service.read(work, service.drawing)


@cache
def warm() -> None:
    """Draw something once, as the first chart of a process takes a second more than others.

    >>> warm()
    """
    svg(belief_curves({"ann": [(1, 25.0, 8.3)]}, ("Q", "match"), look=on_page(LIGHT, 360)).to_dict())


def _kept(service: Service, key: Hashable, make: Callable[[], bytes]) -> bytes:
    """What was made before, or is now."""
    found = service.charts.get(key)
    if found is None:
        found = make()
        service.charts.put(key, found, len(found))
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


MOST = 7  # players whose lines can be told apart on a white page
POINTS = {True: 150, False: 400}  # of a curve, by whether the chart is narrow
AXES = {"utc": ("T", "date"), "number": ("Q", "time"), "none": ("Q", "match")}


def named(names: Iterable[str]) -> list[str]:
    """The players of a query, each once.

    >>> named(["ann ", "", "bob", "ann"])
    ['ann', 'bob']
    """
    return list(dict.fromkeys(name.strip() for name in names if name.strip()))


@drawn("curves")
def curves(service: Service, connection: Connection, league: League, asked: QueryParams, look: Look) -> Any:
    """The skill of some players over time."""
    names = named(asked.getlist("name"))
    if not 1 <= len(names) <= MOST:
        raise Problem(422, f"name: a chart shows 1 to {MOST} players, not {len(names)}")
    chronicle = service.chronicles.of(connection, league)
    most = max(POINTS[look.narrow] // len(names), 100)
    found = {name: _curve(chronicle.curve(name, most), league) for name in names}
    shown = {name: curve for name, curve in found.items() if curve}
    if not shown:
        raise Problem(404, f"there is no curve: no match of {', '.join(names)} counts")
    return belief_curves(shown, AXES[league.clock], certain=league.model.absorb.certain, look=look)


def _curve(points: list[dict[str, Any]], league: League) -> list[Belief]:
    """A curve as it is drawn: what was believed last at each moment."""
    field = "match" if league.clock == "none" else "time"
    last = {point[field]: (_place(point[field]), point["mu"], point["sigma"]) for point in points}
    return list(last.values())


def _place(when: str | float) -> str | float:
    """A time on the axis, without its zone: all charts of a league are in that of its clock."""
    return when.removesuffix("Z") if isinstance(when, str) else when


FEW = 6  # models with a panel each
AXIS, TITLE = 64, 26  # pixels that panels need beside what they show

Plain = dict[str, Any]


def room(told: Plain) -> dict[str, tuple[int, int]]:
    """How high the charts of an answer are, on a wide page and on a phone.

    >>> room({"models": [{"brier": {"value": 0.2}}] * 2, "measures": [{"name": "brier"}]})["measures"]
    (154, 154)
    """
    models = len(told["models"])
    panel = max(90, 30 * models) + AXIS
    panels = max(1, len(_measures(told)))
    curves = min(models, FEW)
    wide = -(-curves // 3) * (250 + AXIS + TITLE)
    return {
        "measures": (panel, panels * panel + (panels - 1) * 36),
        "calibration": (wide, curves * (224 + AXIS + TITLE)),
        "errors": (300, 260 + 28 * models),
    }


def _measures(told: Plain) -> list[Plain]:
    """The measures on a chart: the one to decide by, and the one that everybody understands, where there are any."""
    some = [one for k, one in enumerate(told["measures"]) if k == 0 or one["name"] == "pair_error"]
    return [one for one in some if any(row[one["name"]]["value"] is not None for row in told["models"])]


def _told(service: Service, connection: Connection, league: League, asked: QueryParams) -> Plain:
    """The answer that a chart is of."""
    of = asked.get("of")
    known = [service.analyst.figures(connection, league), service.analyst.comparison(connection, league)]
    for found in known if of else known[:1]:
        if found.told is not None and (of is None or str(found.told.get("id")) == of):
            return found.told
    raise Problem(404, "there is no such answer, or it was replaced by a newer one: see the page of the models")


@drawn("calibration")
def calibration(service: Service, connection: Connection, league: League, asked: QueryParams, look: Look) -> Any:
    """What happened against what was expected."""
    import polars as pl

    told = _told(service, connection, league, asked)
    if not told["calibration"]:
        raise Problem(404, "there is no calibration: it is of matches of two teams")
    kept = [row["model"] for row in told["models"]][:FEW]
    return calibration_chart(pl.DataFrame([row for row in told["calibration"] if row["model"] in kept]), look=look)


@drawn("errors")
def errors(service: Service, connection: Connection, league: League, asked: QueryParams, look: Look) -> Any:
    """The error as time goes by."""
    import polars as pl

    curve = _told(service, connection, league, asked)["over_time"]
    if curve is None:
        raise Problem(404, "there are too few matches to tell how the error went")
    column, kind, title = curve["axis"]
    frame = pl.DataFrame(curve["points"], infer_schema_length=None)
    return time_chart(frame, curve["measure"], (column, kind, title), title="", subtitle="", look=look)


@drawn("measures")
def measures(service: Service, connection: Connection, league: League, asked: QueryParams, look: Look) -> Any:
    """The first measures of all models, with their intervals."""
    import polars as pl

    told = _told(service, connection, league, asked)
    some = _measures(told)
    if not some:
        raise Problem(404, "there is no measure: no match says anything of how well a model predicts")
    ends = {"": "value", "_low": "low", "_high": "high"}
    rows = [
        {"model": row["model"]}
        | {f"{one['name']}{end}": row[one["name"]][key] for one in some for end, key in ends.items()}
        for row in told["models"]
    ]
    ways = {one["name"]: "" if look.narrow else f", {one['better']} is better" for one in some}
    titles = {one["name"]: one["title"] + ways[one["name"]] for one in some}
    return measure_chart(pl.DataFrame(rows, infer_schema_length=None), titles, title="", subtitle="", look=look)

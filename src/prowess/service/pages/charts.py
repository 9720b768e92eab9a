"""Charts as SVG and as Vega-Lite specifications, each at its own URL, cached by the revision of the league."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from math import ceil
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from pydantic_core import from_json, to_json
from sqlalchemy import Connection
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from ...lab.charts.comparison import calibration_chart, measure_chart, time_chart
from ...lab.charts.files import svg
from ...lab.charts.skill import KNOWN_NOW, KNOWN_THEN, Belief, belief_curves
from ...lab.charts.theme import DARK, LIGHT, Look, page_look
from ...store import leagues
from ...store.leagues import League
from ...store.read.match_views import MatchViews
from ..api.dependencies import LARGEST, Read, ServiceDep
from ..api.responses import etag_headers, etag_of, extend_etag, not_modified
from ..auth import Access
from ..context import Service
from ..errors import Problem
from .web.page import Plain
from .web.templates import BY_KEY

ChartFunction = Callable[[Service, Connection, League, QueryParams, Look], Any]
KINDS: dict[str, ChartFunction] = {}
LOOKS = {"light": LIGHT, "dark": DARK}
# The chart of a revision changes only if a name in it is erased. Caches keep a chart for at most a day, so that they do
# not show an erased name for longer.
A_DAY = "max-age=86400, immutable"
DISPLAY = ("revision", "look", "narrow", "height")  # parameters that do not affect the content of a chart
POLICY = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"}
PICTURE = "image/svg+xml"
AT = "/leagues/{league}/charts/{kind}"
Revision = Annotated[int | None, Query(ge=0, le=LARGEST)]
router = APIRouter(include_in_schema=False)


def chart(kind: str) -> Callable[[ChartFunction], ChartFunction]:
    """Register the function that draws a kind of chart.

    The chart may depend only on the state of the league, the query and the look (colours and size), because the cache
    key consists of these three.
    """

    def register(draw: ChartFunction) -> ChartFunction:
        KINDS[kind] = draw
        return draw

    return register


async def _look(
    look: Literal["light", "dark"] = "light",
    narrow: bool = False,
    height: Annotated[int, Query(ge=100, le=4_000)] = 360,
) -> Look:
    return page_look(LOOKS[look], height, narrow=narrow)


ChartLook = Annotated[Look, Depends(_look)]


@router.get(AT + ".svg")
async def picture(
    request: Request, kind: str, access: Read, service: ServiceDep, look: ChartLook, revision: Revision = None
) -> Response:
    """Return a chart as SVG."""
    response = await _respond(request, kind, access, service, look, revision, PICTURE)
    response.headers.update(POLICY)
    return response


@router.get(AT + ".json")
async def specification(
    request: Request, kind: str, access: Read, service: ServiceDep, look: ChartLook, revision: Revision = None
) -> Response:
    """Return a chart as a Vega-Lite specification."""
    return await _respond(request, kind, access, service, look, revision, "application/json")


async def _respond(
    request: Request, kind: str, access: Access, service: Service, look: Look, revision: int | None, media_type: str
) -> Response:
    # The content at the URL with the current revision does not change, so browsers may cache it.
    if kind not in KINDS:
        raise Problem(404, f"unknown chart {kind!r}; choose one of {', '.join(sorted(KINDS))}")
    query = request.query_params

    def work(connection: Connection) -> Response:
        league = leagues.find(connection, access.league)
        etag, is_complete = etag_of(league, league.generation, league.revision), True
        if "hindsight" in query:
            found = service.hindsights.kept(league)
            # Another process may have drawn the page, with a hindsight that this one does not have yet.
            is_complete = found is not None and query["hindsight"] == str(found.revision)
            etag = extend_etag(etag, "then" if found is None else found.revision)
        headers = etag_headers(etag) | ({} if league.public else BY_KEY)
        if revision == league.revision and is_complete:
            headers["Cache-Control"] = f"{'public' if league.public else 'private'}, {A_DAY}"
        unchanged = not_modified(request, etag)
        if unchanged is not None:
            unchanged.headers.update(headers)
            return unchanged
        parameters = tuple(sorted(item for item in query.multi_items() if item[0] not in DISPLAY))
        key = (league.id, etag, league.settings, kind, look, parameters)

        def spec() -> bytes:
            return to_json(KINDS[kind](service, connection, league, query, look).to_dict(validate=False))

        body = _cached(service, (*key, "spec"), spec)
        if media_type == PICTURE:
            body = _cached(service, (*key, "picture"), lambda: _picture(body, look))
        return Response(body, 200, headers, media_type)

    return await service.read(work, service.drawing)


def _cached(service: Service, key: Hashable, make: Callable[[], bytes]) -> bytes:
    body = service.charts.get(key)
    if body is None:
        body = make()
        service.charts.put(key, body, len(body))
    return body


def _picture(spec: bytes, look: Look) -> bytes:
    content = from_json(spec)
    if "layer" in content:  # drop the invisible layers, which are mouse targets: a static picture needs none
        content["layer"] = [layer for layer in content["layer"] if layer["mark"].get("opacity") != 0]
    return _sized(svg(content), look).encode()


def _sized(picture: str, look: Look) -> str:
    """Set the size of a picture to the space that the page reserves; the browser scales the content.

    >>> _sized('<svg width="700" height="300" viewBox="0 0 700 300">', page_look(LIGHT, 300))
    '<svg width="1056" height="300" preserveAspectRatio="xMinYMin" viewBox="0 0 700 300">'
    """
    if look.size is None:
        return picture
    width, height = look.size
    size = f'width="{width}" height="{height}"'
    return re.sub(r'width="[\d.]+" height="[\d.]+"', f'{size} preserveAspectRatio="xMinYMin"', picture, count=1)


MOST = 7  # players on a chart, limited by the number of distinguishable colours
POINTS = {True: 150, False: 400}  # maximum number of points of a curve, in a narrow chart and in a wide chart
AXES = {"utc": ("T", "date"), "number": ("Q", "time"), "none": ("Q", "match")}


def unique_names(names: Iterable[str]) -> list[str]:
    """Return the names in a query, each once.

    >>> unique_names(["ann ", "", "bob", "ann"])
    ['ann', 'bob']
    """
    return list(dict.fromkeys(name.strip() for name in names if name.strip()))


@chart("curves")
def curves(service: Service, connection: Connection, league: League, query: QueryParams, look: Look) -> Any:
    """Draw the skill of players over time; the scale of the axis ignores the wide bands of provisional ratings.

    With `hindsight` in the query, the skills are those known now; a single player is drawn as known then and now.
    """
    names = unique_names(query.getlist("name"))
    if not 1 <= len(names) <= MOST:
        raise Problem(422, f"name: a chart shows 1 to {MOST} players, not {len(names)}")
    found = service.hindsights.kept(league) if "hindsight" in query else None
    matches, most = service.traces.of(connection, league), max(POINTS[look.narrow] // len(names), 100)
    now = {} if found is None else {name: _curve(found.curve(matches, name, most), league) for name in names}
    curves = {name: curve for name, curve in now.items() if curve}
    fit_to = [belief for curve in curves.values() for belief in curve]
    if len(names) == 1 or found is None:
        then, established = _curves_then(matches, league, names, most)
        fit_to += established
        if found is None:
            curves = then
        else:
            both = {KNOWN_THEN: then.get(names[0]), KNOWN_NOW: curves.get(names[0])}
            curves = {label: curve for label, curve in both.items() if curve}
    if not curves:
        raise Problem(404, f"no chart: none of the matches of {', '.join(names)} is rated")
    certain, points = league.model.absorb.certain, service.points(connection, league)
    return belief_curves(curves, AXES[league.clock], certain=certain, points=points, look=look, fit_to=fit_to)


def _curves_then(
    matches: MatchViews, league: League, names: Sequence[str], most: int
) -> tuple[dict[str, list[Belief]], list[Belief]]:
    """Return the curves of players as known after each match, and the beliefs to which the scale is fitted."""
    curves: dict[str, list[Belief]] = {}
    fit_to: list[Belief] = []
    for name in names:
        curve = _curve(matches.curve(name, most), league)
        if curve:
            curves[name] = curve
            provisional = league.settings.provisional_matches / max(1, len(matches.view.entries(name)))
            skip = min(ceil(provisional * len(curve)), len(curve) - 1)
            # All lines stay visible, but the scale ignores the wide bands of provisional ratings.
            fit_to += [*((x, mu, None) for x, mu, _ in curve[:skip]), *curve[skip:]]
    return curves, fit_to


def _curve(points: list[Plain], league: League) -> list[Belief]:
    # Of several ratings at the same time, only the last is drawn.
    field = "match" if league.clock == "none" else "time"
    last = {point[field]: (_axis_time(point[field]), point["mu"], point["sigma"]) for point in points}
    return list(last.values())


def _axis_time(time: str | float) -> str | float:
    # All charts of a league use UTC.
    return time.removesuffix("Z") if isinstance(time, str) else time


FEW = 6  # up to this many models, each gets a panel
AXIS, TITLE = 64, 26  # pixels that a panel takes besides its content


def chart_heights(answer: Plain) -> dict[str, tuple[int, int]]:
    """Return the heights of the charts of an analysis in pixels, on a wide page and on a phone.

    >>> chart_heights({"models": [{"brier": {"value": 0.2}}] * 2, "measures": [{"name": "brier"}]})["measures"]
    (154, 154)
    """
    models = len(answer["models"])
    panel = max(90, 30 * models) + AXIS
    panels = max(1, len(_main_measures(answer)))
    curves = min(models, FEW)
    wide = -(-curves // 3) * (250 + AXIS + TITLE)
    return {
        "measures": (panel, panels * panel + (panels - 1) * 36),
        "calibration": (wide, curves * (224 + AXIS + TITLE)),
        "errors": (300, 260 + 28 * models),
    }


def _main_measures(answer: Plain) -> list[Plain]:
    """Return the measures for a chart: the measure that ranks the models, and the easiest one to understand.

    A measure without a value is left out.
    """
    main = [measure for k, measure in enumerate(answer["measures"]) if k == 0 or measure["name"] == "pair_error"]
    return [measure for measure in main if any(row[measure["name"]]["value"] is not None for row in answer["models"])]


def _analysis(service: Service, connection: Connection, league: League, query: QueryParams) -> Plain:
    # Only the latest analysis of each kind has a chart; for other analyses, the response is 404.
    id = query.get("of")
    jobs = [service.analyses.figures(connection, league), service.analyses.comparison(connection, league)]
    for job in jobs if id else jobs[:1]:
        if job.data is not None and (id is None or str(job.data.get("id")) == id):
            return job.data
    raise Problem(404, "analysis not found, or replaced by a newer one; see the Models page")


@chart("calibration")
def calibration(service: Service, connection: Connection, league: League, query: QueryParams, look: Look) -> Any:
    """Draw a calibration chart: how often results happened, against how often they were predicted."""
    import polars as pl

    answer = _analysis(service, connection, league, query)
    if not answer["calibration"]:
        raise Problem(404, "no calibration chart: it needs matches of two teams")
    kept = [row["model"] for row in answer["models"]][:FEW]
    return calibration_chart(pl.DataFrame([row for row in answer["calibration"] if row["model"] in kept]), look=look)


@chart("errors")
def errors(service: Service, connection: Connection, league: League, query: QueryParams, look: Look) -> Any:
    """Draw the prediction error over time."""
    import polars as pl

    curve = _analysis(service, connection, league, query)["over_time"]
    if curve is None:
        raise Problem(404, "no chart: there are too few matches")
    column, kind, title = curve["axis"]
    frame = pl.DataFrame(curve["points"], infer_schema_length=None)
    return time_chart(frame, curve["measure"], (column, kind, title), title="", subtitle="", look=look)


@chart("measures")
def measures(service: Service, connection: Connection, league: League, query: QueryParams, look: Look) -> Any:
    """Draw the main measures of all models with their intervals."""
    import polars as pl

    answer = _analysis(service, connection, league, query)
    main = _main_measures(answer)
    if not main:
        raise Problem(404, "no chart: there are no matches to measure the predictions on")
    ends = {"": "value", "_low": "low", "_high": "high"}
    columns = [(measure["name"], end, key) for measure in main for end, key in ends.items()]
    rows = [
        {"model": row["model"]} | {name + end: row[name][key] for name, end, key in columns} for row in answer["models"]
    ]
    titles = {
        measure["name"]: measure["title"] + ("" if look.narrow else f", {measure['better']} is better")
        for measure in main
    }
    return measure_chart(pl.DataFrame(rows, infer_schema_length=None), titles, title="", subtitle="", look=look)

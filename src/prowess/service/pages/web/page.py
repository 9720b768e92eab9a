"""A page is a function that returns plain data: a template renders it, `.json` is the data, `.csv` its main table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ....store.leagues import League
from ...api.responses import csv_text, etag_headers, extend_etag, json_response, not_modified
from ...context import service_of
from .templates import BY_KEY, POLICY, render_page, templates_version

View = TypeVar("View", bound=Callable[..., Awaitable["PageContext"]])


@dataclass(frozen=True)
class PageContext:
    """What a page shows: plain data, the rows of its main table, and `extra` values that only the template needs.

    `etag` identifies the state that it shows (see `tag_of`), so that a browser that has it gets 304 Not Modified.

    >>> PageContext({"league": "darts"}, rows=[{"player": "ann"}]).status
    200
    """

    data: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]] = ()
    league: League | None = None
    etag: str | None = None
    status: int = 200
    extra: Mapping[str, Any] = field(default_factory=dict)


def page(router: APIRouter, path: str, template: str) -> Callable[[View], View]:
    """Serve the context that a function returns at `path` by a template, at `path.json` and at `path.csv`.

    The function takes the `request`, and whatever else a route may depend on.

    >>> router = APIRouter()
    >>> @page(router, "/hello", "hello.html")
    ... async def hello(request: Request) -> PageContext:
    ...     return PageContext({"who": "ann"})
    >>> [route.path for route in router.routes]
    ['/hello.json', '/hello.csv', '/hello']
    """

    def html(request: Request, context: PageContext, headers: dict[str, str]) -> Response:
        service_of(request).prewarmer.warm_charts()  # who looks at a page may look at a chart next
        return render_page(request, template, context, headers)

    def add(view: View) -> View:
        _add_route(router, path + ".json", view, _json)
        _add_route(router, path + ".csv", view, _csv)
        _add_route(router, path, view, html)
        return view

    return add


def wants_data(request: Request) -> bool:
    """Whether the data of a page are asked for, and not the page, which can show what is wrong itself.

    >>> wants_data(Request({"type": "http", "path": "/leagues.csv"}))
    True
    """
    path: str = request.scope["path"]
    return path.endswith((".json", ".csv"))


def _add_route(
    router: APIRouter, path: str, view: View, write: Callable[[Request, PageContext, dict[str, str]], Response]
) -> None:
    async def respond(request: Request, **arguments: Any) -> Response:
        context = await view(request=request, **arguments)
        if not context.etag:
            return await run_in_threadpool(write, request, context, BY_KEY)
        # The same state looks different to who is signed in, and after the templates have changed.
        key = request.scope["state"].get("key")
        etag = extend_etag(context.etag, key.id if key else 0, templates_version())
        unchanged = not_modified(request, etag)
        if unchanged is None:
            return await run_in_threadpool(write, request, context, BY_KEY | etag_headers(etag))
        # Browsers put the headers of a 304 in the place of those they have.
        unchanged.headers.update(BY_KEY if wants_data(request) else POLICY)
        return unchanged

    @wraps(view)
    async def route(**arguments: Any) -> Response:
        if not path.endswith(".csv"):
            return await respond(**arguments)
        async with service_of(arguments["request"]).tables.slot():
            return await respond(**arguments)

    route.__annotations__ = {**view.__annotations__, "return": Response}
    router.add_api_route(path, route, include_in_schema=False, response_model=None)


def _json(request: Request, context: PageContext, headers: dict[str, str]) -> Response:
    return json_response(context.data, context.status, headers)


def _csv(request: Request, context: PageContext, headers: dict[str, str]) -> Response:
    name = request.scope["path"].removesuffix(".csv").strip("/").replace("/", "-").removeprefix("leagues-")
    headers = headers | {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return Response(csv_text(context.rows), context.status, headers, "text/csv")
